//! Starting the command of a filter as git does: directly, or in a shell.

use std::{
    io,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::os_message,
    leftovers::{self, Leftover, Tracking},
    system,
};

/// The error of a file that is neither a program nor a script that names its interpreter.
const NO_FORMAT: i32 = 8;

/// A command and where it runs.
#[derive(Clone, Copy)]
pub(super) struct FilterCommand<'a> {
    pub(super) command: &'a BStr,
    pub(super) directory: &'a Path,
    pub(super) prefix: &'a BStr,
    /// Discards its standard error.
    pub(super) silent: bool,
}

impl FilterCommand<'_> {
    /// Starts the command with its standard input and output piped; the error is git's message.
    pub(super) fn start(&self) -> Result<(Child, Tracking), BString> {
        let name = self.command.to_os_str_lossy();
        if needs_shell(self.command) {
            let mut shell = system::command("sh");
            shell.arg("-c").arg(&*name).arg(&*name);
            return self.spawn(shell).map_err(|err| self.not_started(&err));
        }
        match self.spawn(system::command(&*name)) {
            Err(err) if err.raw_os_error() == Some(NO_FORMAT) => {
                let mut shell = system::command("sh");
                shell.arg(&*name);
                self.spawn(shell)
            }
            started => started,
        }
        .map_err(|err| self.not_started(&err))
    }

    fn spawn(&self, mut command: Command) -> io::Result<(Child, Tracking)> {
        command
            .current_dir(self.directory)
            .env("GIT_PREFIX", &*self.prefix.to_os_str_lossy())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(match self.silent {
                true => Stdio::null(),
                false => Stdio::inherit(),
            });
        leftovers::track(|| command.spawn(), |it| Leftover::Process(it.id()))
    }

    /// A command without a slash is looked up before it is run, which gives another message.
    fn not_started(&self, err: &io::Error) -> BString {
        let path = self.command.contains(&b'/');
        let mut note = BString::from(match path {
            true => "fatal: cannot exec '",
            false => "error: cannot run ",
        });
        note.push_str(self.command);
        note.push_str(match path {
            true => "': ",
            false => ": ",
        });
        note.push_str(os_message(err));
        note
    }
}

/// Whether the command has shell syntax; git runs other commands directly.
pub(crate) fn needs_shell(command: &BStr) -> bool {
    command
        .iter()
        .any(|byte| b"|&;<>()$`\\\"' \t\n*?[#~=%".contains(byte))
}

/// The message for a command that a signal ended, except for signals that a user sends or a closed
/// pipe causes.
pub(super) fn died(command: &BStr, status: ExitStatus) -> Option<BString> {
    const QUIET: [i32; 3] = [2, 3, 13];
    let signal = system::ending_signal(status).filter(|signal| !QUIET.contains(signal))?;
    let mut note = BString::from("error: ");
    note.push_str(command);
    note.push_str(format!(" died of signal {signal}"));
    Some(note)
}

/// `error: external filter '<command>' failed`.
pub(super) fn failed(command: &BStr) -> BString {
    let mut note = about("external filter '", command);
    note.push_str(" failed");
    note
}

/// An error message about `command`, which is quoted.
pub(super) fn about(what: &str, command: &BStr) -> BString {
    let mut note = BString::from("error: ");
    note.push_str(what);
    note.push_str(command);
    note.push(b'\'');
    note
}
