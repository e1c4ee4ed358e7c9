//! A long-running filter process (gitattributes(5)).

use std::process::{Child, ChildStdin, ChildStdout};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use super::packets::{self, Packet};
use crate::{
    error::{Error, Result, noted},
    objects::ObjectId,
    repository::content::configured_command::{ConfiguredCommand, about, died, failed},
    system::{self, leftovers::Tracking},
};

/// The direction in which a filter converts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FilterDirection {
    /// A file of the work tree to the form stored in git.
    Clean,
    /// This blob to a file of the work tree.
    Smudge(ObjectId),
}

/// A process that agreed on the protocol. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct FilterProcess {
    command: BString,
    child: Child,
    _tracking: Tracking,
    /// `None` once the process is to end.
    pipes: Option<(ChildStdin, ChildStdout)>,
    cleans: bool,
    smudges: bool,
}

/// Why the two sides did not agree on the protocol.
enum Refusal {
    Message(BString),
    Fatal(Error),
}

impl From<Error> for Refusal {
    fn from(err: Error) -> Refusal {
        Refusal::Fatal(err)
    }
}

impl FilterProcess {
    /// Starts the process and agrees with it on what it can do. `None` if that fails, which `notes`
    /// then says.
    ///
    /// # Errors
    ///
    /// If the process breaks the rules of packets, or claims an unknown capability.
    pub(super) fn start(
        command: ConfiguredCommand<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<Option<FilterProcess>> {
        let (mut child, tracking) = match command.start() {
            Ok(started) => started,
            Err(note) => {
                let command = command.command;
                notes.push(noted(note));
                notes.push(noted(about("cannot fork to run subprocess '", command)));
                return Ok(None);
            }
        };
        let input = child.stdin.take().expect("its standard input is piped");
        let output = child.stdout.take().expect("its standard output is piped");
        let mut process = FilterProcess {
            command: command.command.to_owned(),
            child,
            _tracking: tracking,
            pipes: Some((input, output)),
            cleans: false,
            smudges: false,
        };
        match process.agree() {
            Ok(()) => Ok(Some(process)),
            Err(Refusal::Message(note)) => {
                notes.push(noted(note));
                let mut note = about("initialization for subprocess '", process.command.as_bstr());
                note.push_str(" failed");
                notes.push(noted(note));
                process.stop(notes);
                Ok(None)
            }
            Err(Refusal::Fatal(err)) => {
                process.end(notes);
                Err(err)
            }
        }
    }

    /// The handshake: names and versions, then capabilities.
    fn agree(&mut self) -> Result<(), Refusal> {
        let Some((input, output)) = &mut self.pipes else {
            return Ok(());
        };
        if packets::write_list(input, &[b"git-filter-client", b"version=2"]).is_err() {
            return Err(Refusal::Message(
                "error: packet write with format failed\nerror: Could not write client identification"
                    .into(),
            ));
        }
        let command = self.command.as_bstr();
        let line = read_line(output, "greeting", command)?;
        if line.as_ref().is_none_or(|line| line != "git-filter-server") {
            return Err(unexpected(line.as_ref(), "git-filter-server"));
        }
        let line = read_line(output, "version", command)?;
        let version = line
            .as_ref()
            .and_then(|line| line.strip_prefix(b"version="));
        let Some(version) = version.and_then(number) else {
            return Err(unexpected(line.as_ref(), "version"));
        };
        let line = read_line(output, "version flush", command)?;
        if line.is_some() {
            return Err(unexpected(line.as_ref(), "flush"));
        }
        if version != 2 {
            let note = format!("error: Version {version} not supported");
            return Err(Refusal::Message(note.into()));
        }
        let offered: [&[u8]; 3] = [
            b"capability=clean",
            b"capability=smudge",
            b"capability=delay",
        ];
        if packets::write_list(input, &offered).is_err() {
            return Err(Refusal::Message(
                "error: packet write with format failed".into(),
            ));
        }
        loop {
            let line = read_line(output, "capabilities", command)?;
            let Some(line) = line else {
                return Ok(());
            };
            let Some(capability) = line.strip_prefix(b"capability=") else {
                continue;
            };
            match capability {
                b"clean" => self.cleans = true,
                b"smudge" => self.smudges = true,
                b"delay" => {}
                _ => {
                    let mut message = b"subprocess '".to_vec();
                    message.push_str(command);
                    message.push_str("' requested unsupported capability '");
                    message.push_str(capability);
                    message.push(b'\'');
                    return Err(Refusal::Fatal(Error::fatal(message)));
                }
            }
        }
    }

    /// The filtered `contents` of the file `path`. `None` if the process does not filter it.
    ///
    /// # Errors
    ///
    /// If the process breaks the rules of packets.
    pub(super) fn filter(
        &mut self,
        direction: FilterDirection,
        path: &BStr,
        contents: &[u8],
        notes: &mut Vec<BString>,
    ) -> Result<Option<Vec<u8>>> {
        let capability = match direction {
            FilterDirection::Clean => self.cleans,
            FilterDirection::Smudge(_) => self.smudges,
        };
        if !capability {
            return Ok(None);
        }
        match self.exchange(direction, path, contents, notes)? {
            Response::Filtered(filtered) => Ok(Some(filtered)),
            Response::Refused => Ok(None),
            Response::RefusedForGood => {
                match direction {
                    FilterDirection::Clean => self.cleans = false,
                    FilterDirection::Smudge(_) => self.smudges = false,
                }
                Ok(None)
            }
            Response::Broken => {
                notes.push(noted(failed(self.command.as_bstr())));
                self.stop(notes);
                Ok(None)
            }
        }
    }

    /// True if it can be asked again.
    pub(super) fn is_running(&self) -> bool {
        self.pipes.is_some()
    }

    fn exchange(
        &mut self,
        direction: FilterDirection,
        path: &BStr,
        contents: &[u8],
        notes: &mut Vec<BString>,
    ) -> Result<Response> {
        let Some((input, output)) = &mut self.pipes else {
            return Ok(Response::Broken);
        };
        let pathname = [b"pathname=", path.as_bytes()].concat();
        let blob;
        let request: &[&[u8]] = match direction {
            FilterDirection::Clean => &[b"command=clean", &pathname],
            FilterDirection::Smudge(id) => {
                blob = format!("blob={id}");
                &[b"command=smudge", &pathname, blob.as_bytes()]
            }
        };
        if packets::write_list(input, request).is_err() {
            notes.push(noted("error: packet write with format failed".into()));
            return Ok(Response::Broken);
        }
        if packets::write_contents(input, contents).is_err() {
            notes.push(noted("error: packet write failed".into()));
            return Ok(Response::Broken);
        }
        let Some(status) = packets::read_status(output, Vec::new())? else {
            return Ok(Response::Broken);
        };
        if status != b"success" {
            return Ok(Response::of_failure(&status));
        }
        let mut filtered = Vec::new();
        loop {
            match packets::read(output)? {
                Packet::End => return Ok(Response::Broken),
                Packet::Flush => break,
                Packet::Content(content) => filtered.extend_from_slice(&content),
            }
        }
        let Some(status) = packets::read_status(output, status)? else {
            return Ok(Response::Broken);
        };
        Ok(match status.as_slice() {
            b"success" => Response::Filtered(filtered),
            status => Response::of_failure(status),
        })
    }

    /// Stops a process that broke the protocol.
    fn stop(&mut self, notes: &mut Vec<BString>) {
        if self.pipes.is_none() {
            return;
        }
        system::terminate(&mut self.child);
        self.end(notes);
    }

    /// Ends the process. What it dies of is added to `notes`.
    pub(crate) fn finish(mut self, notes: &mut Vec<BString>) {
        self.end(notes);
    }

    /// Closes the pipes, and waits for the process to end.
    fn end(&mut self, notes: &mut Vec<BString>) {
        if self.pipes.take().is_some()
            && let Ok(status) = self.child.wait()
        {
            notes.extend(died(self.command.as_bstr(), status));
        }
    }
}

impl Drop for FilterProcess {
    fn drop(&mut self) {
        self.end(&mut Vec::new());
    }
}

/// The answer to a request.
enum Response {
    Filtered(Vec<u8>),
    /// The process cannot or does not want to filter the contents.
    Refused,
    /// Neither these nor those of other files.
    RefusedForGood,
    /// The process ended, or said what it may not say.
    Broken,
}

impl Response {
    fn of_failure(status: &[u8]) -> Response {
        match status {
            b"error" => Response::Refused,
            b"abort" => Response::RefusedForGood,
            _ => Response::Broken,
        }
    }
}

/// How messages show a flush packet.
const FLUSH: &str = "<flush packet>";

/// Reads a line; `None` is a flush packet.
fn read_line(
    output: &mut ChildStdout,
    what: &str,
    command: &BStr,
) -> Result<Option<BString>, Refusal> {
    match packets::read_line(output)? {
        Packet::Content(line) => Ok(Some(line.into())),
        Packet::Flush => Ok(None),
        Packet::End => {
            let what = format!("could not read {what} from subprocess '");
            Err(Refusal::Message(about(&what, command)))
        }
    }
}

fn unexpected(line: Option<&BString>, expected: &str) -> Refusal {
    let mut note = BString::from("error: Unexpected line '");
    note.push_str(line.map_or(FLUSH.as_bytes(), |line| line.as_slice()));
    note.push_str("', expected ");
    note.push_str(expected);
    Refusal::Message(note)
}

/// An integer of 32 bits, perhaps after blanks.
fn number(digits: &[u8]) -> Option<i32> {
    let digits = std::str::from_utf8(digits).ok()?;
    digits.trim_ascii_start().parse().ok()
}
