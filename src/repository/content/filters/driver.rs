//! Applying the filter driver of one path.

use std::{
    collections::HashMap,
    io::{self, Read, Write},
    process::Stdio,
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use super::process::{FilterDirection, FilterProcess};
use crate::{
    error::{Error, Result, noted},
    repository::{
        content::configured_command::{CommandPlace, ConfiguredCommand, about, died, failed},
        open::git_config::FilterDriver,
    },
    system,
    text::shell_quotes::push_quoted,
};

/// A filter driver with what its commands need to know.
pub(crate) struct Filter<'a> {
    pub(crate) name: &'a BStr,
    pub(crate) driver: &'a FilterDriver,
    pub(crate) place: &'a CommandPlace,
    /// Discards what commands write to their standard error.
    pub(crate) silent: bool,
}

/// The processes that run, by command.
pub(crate) type FilterProcesses = HashMap<BString, FilterProcess>;

impl Filter<'_> {
    /// The filtered `contents` of the file `path`, or `None` if they stay as they are. A process
    /// that can go on stays in `processes`. What goes wrong is added to `notes`.
    ///
    /// # Errors
    ///
    /// If a required filter fails, or a process breaks the rules of packets.
    pub(crate) fn apply(
        &self,
        direction: FilterDirection,
        processes: &mut FilterProcesses,
        path: &BStr,
        contents: &[u8],
        notes: &mut Vec<BString>,
    ) -> Result<Option<Vec<u8>>> {
        let command = match direction {
            FilterDirection::Clean => &self.driver.clean,
            FilterDirection::Smudge(_) => &self.driver.smudge,
        };
        let filtered = match (&self.driver.process, command) {
            (Some(command), _) if command.is_empty() => None,
            (Some(command), _) => {
                let request = (direction, path, contents);
                self.by_process(command.as_bstr(), processes, request, notes)?
            }
            (None, Some(command)) if !command.is_empty() => {
                self.by_command(command.as_bstr(), path, contents, notes)
            }
            (None, _) => None,
        };
        if filtered.is_none() && self.driver.required {
            let (kind, quote): (_, &[u8]) = match direction {
                FilterDirection::Clean => ("clean", b"'"),
                FilterDirection::Smudge(_) => ("smudge", b""),
            };
            let kind = format!(": {kind} filter ");
            let message = [path, kind.as_bytes(), quote, self.name, quote, b" failed"];
            return Err(Error::fatal(message.concat()));
        }
        Ok(filtered)
    }

    fn by_process(
        &self,
        command: &BStr,
        processes: &mut FilterProcesses,
        (direction, path, contents): (FilterDirection, &BStr, &[u8]),
        notes: &mut Vec<BString>,
    ) -> Result<Option<Vec<u8>>> {
        let mut process = match processes.remove(command) {
            Some(process) => process,
            None => match FilterProcess::start(self.command(command), notes)? {
                Some(process) => process,
                None => return Ok(None),
            },
        };
        let filtered = process.filter(direction, path, contents, notes)?;
        if process.is_running() {
            processes.insert(command.to_owned(), process);
        }
        Ok(filtered)
    }

    fn by_command(
        &self,
        command: &BStr,
        path: &BStr,
        contents: &[u8],
        notes: &mut Vec<BString>,
    ) -> Option<Vec<u8>> {
        let filtered = self.output(command, path, contents, notes);
        if filtered.is_none() {
            notes.push(noted(failed(command)));
        }
        filtered
    }

    /// The output of `command` for `contents`.
    fn output(
        &self,
        command: &BStr,
        path: &BStr,
        contents: &[u8],
        notes: &mut Vec<BString>,
    ) -> Option<Vec<u8>> {
        let script = with_file_name(command, path);
        let (mut child, _tracking) = match self.command(script.as_bstr()).start() {
            Ok(started) => started,
            Err(note) => {
                notes.push(noted(note));
                notes.push(noted(about(
                    "cannot fork to run external filter '",
                    command,
                )));
                return None;
            }
        };
        let mut input = child.stdin.take().expect("its standard input is piped");
        let mut output = child.stdout.take().expect("its standard output is piped");
        let mut filtered = Vec::new();
        let (fed, read) = std::thread::scope(|scope| {
            let feeding = scope.spawn(move || match input.write_all(contents) {
                // A filter need not read all of its input.
                Err(err) if err.kind() != io::ErrorKind::BrokenPipe => Err(err),
                _ => Ok(()),
            });
            let read = output.read_to_end(&mut filtered);
            drop(output);
            (feeding.join(), read)
        });
        let status = child.wait().ok()?;
        if !matches!(fed, Ok(Ok(()))) {
            notes.push(noted(about(
                "cannot feed the input to external filter '",
                command,
            )));
        }
        notes.extend(died(script.as_bstr(), status));
        let code = exit_code(status);
        if code != 0 {
            let mut note = failed(command);
            note.push_str(format!(" {code}"));
            notes.push(noted(note));
        }
        if read.is_err() {
            let mut note = about("read from external filter '", command);
            note.push_str(" failed");
            notes.push(noted(note));
        }
        (matches!(fed, Ok(Ok(()))) && read.is_ok() && code == 0).then_some(filtered)
    }

    fn command<'c>(&'c self, command: &'c BStr) -> ConfiguredCommand<'c> {
        ConfiguredCommand {
            command,
            argument: None,
            place: self.place,
            input: Stdio::piped,
            errors: if self.silent {
                Stdio::null
            } else {
                Stdio::inherit
            },
        }
    }
}

/// `command` with `%f` replaced by the quoted path and `%%` by a percent sign.
fn with_file_name(command: &BStr, path: &BStr) -> BString {
    let mut script = BString::default();
    let mut rest = command.as_bytes();
    while let Some(at) = rest.find_byte(b'%') {
        script.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.first() {
            Some(b'f') => push_quoted(&mut script, path),
            Some(b'%') => script.push(b'%'),
            _ => {
                script.push(b'%');
                continue;
            }
        }
        rest = &rest[1..];
    }
    script.push_str(rest);
    script
}

/// The exit status as a shell gives it: 128 + N after signal N.
fn exit_code(status: std::process::ExitStatus) -> i32 {
    if let Some(signal) = system::ending_signal(status) {
        return 128 + signal;
    }
    status.code().unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_in_commands() {
        let script = |command: &str| with_file_name(command.into(), "it's".into()).to_string();
        assert_eq!(script("a %f %%f %p %"), "a 'it'\\''s' %f %p %");
        assert_eq!(script("plain"), "plain");
    }
}
