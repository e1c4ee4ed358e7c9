//! Starting a command that the configuration names as git does: directly, or in a shell, with git's
//! environment.

use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::os_message,
    repository::open::repository::Repository,
    system::{
        self, installed_git,
        leftovers::{self, Leftover, Tracking},
    },
};

/// The error of a file that is neither a program nor a script that names its interpreter.
const NO_FORMAT: i32 = 8;

/// Where commands run, and what git sets in their environment.
#[derive(Debug, Clone)]
pub(crate) struct CommandPlace {
    /// The root of the work tree, or the repository.
    directory: PathBuf,
    variables: Vec<(&'static str, OsString)>,
}

impl CommandPlace {
    pub(crate) fn of(repository: &Repository) -> CommandPlace {
        let directory = repository.working_directory();
        let prefix = repository.paths().prefix.to_os_str_lossy().into_owned();
        let mut variables = vec![("GIT_PREFIX", prefix)];
        // A relative path, or one of a repository that is not blamed, would lead elsewhere.
        let is_set = |name: &str| env::var_os(name).is_some();
        let names_work_tree = is_set("GIT_WORK_TREE");
        if names_work_tree || is_set("GIT_DIR") || directory.join(".git").is_file() {
            let git_dir = repository.git_dir().canonicalize();
            let git_dir = git_dir.unwrap_or_else(|_| repository.git_dir().to_owned());
            variables.push(("GIT_DIR", git_dir.into()));
        }
        if names_work_tree && repository.paths().existing_work_tree() == Some(directory) {
            variables.push(("GIT_WORK_TREE", ".".into()));
        }
        CommandPlace {
            directory: directory.to_owned(),
            variables,
        }
    }
}

/// A command, where it runs, and what it reads and writes.
#[derive(Clone, Copy)]
pub(super) struct ConfiguredCommand<'a> {
    pub(super) command: &'a BStr,
    /// A file name after the command.
    pub(super) argument: Option<&'a Path>,
    pub(super) place: &'a CommandPlace,
    pub(super) input: fn() -> Stdio,
    pub(super) errors: fn() -> Stdio,
}

impl ConfiguredCommand<'_> {
    /// Starts the command with its standard output piped; the error is git's message.
    pub(super) fn start(&self) -> Result<(Child, Tracking), BString> {
        let name = self.command.to_os_str_lossy();
        if needs_shell(self.command) {
            let mut script = name.clone().into_owned();
            if self.argument.is_some() {
                script.push(" \"$@\"");
            }
            let mut shell = system::command("sh");
            shell.arg("-c").arg(script).arg(&*name);
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
        let place = self.place;
        command
            .args(self.argument)
            .current_dir(&place.directory)
            .envs(place.variables.iter().map(|(name, value)| (name, value)))
            .stdin((self.input)())
            .stdout(Stdio::piped())
            .stderr((self.errors)());
        if let Some((programs, path)) = installed_git::exec_path() {
            command.env("GIT_EXEC_PATH", programs).env("PATH", path);
        }
        leftovers::track(|| command.spawn(), |it| Leftover::Process(it.id()))
    }

    /// A command without a slash is looked up before it is run, which gives another message.
    fn not_started(&self, err: &io::Error) -> BString {
        let path = self.command.contains(&b'/');
        let mut note = BString::from(if path {
            "fatal: cannot exec '"
        } else {
            "error: cannot run "
        });
        note.push_str(self.command);
        note.push_str(if path { "': " } else { ": " });
        note.push_str(os_message(err));
        note
    }
}

/// True if the command has shell syntax; git runs other commands directly.
fn needs_shell(command: &BStr) -> bool {
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
