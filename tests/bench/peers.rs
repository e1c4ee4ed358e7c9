//! Other programs timed on the same files: those that write to a pipe, and those that show the file
//! in a terminal.

use std::{
    ffi::OsStr,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use portable_pty::CommandBuilder;

use super::harness::session::Session;

/// A screen is complete when it has not changed for this long.
const QUIET: Duration = Duration::from_secs(1);
/// The longest time a program may take.
const LONGEST: Duration = Duration::from_secs(120);

/// The time `words`, with `file` added, takes in `directory` with its output thrown away; nothing if
/// it fails.
pub fn pipe(words: &str, directory: &Path, file: &OsStr) -> Option<Duration> {
    let (program, arguments) = split(words);
    let mut command = Command::new(program);
    command.args(arguments).arg(file).current_dir(directory);
    // Each blame is made anew.
    command.env("TBLAME_CACHE", "off");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let begun = Instant::now();
    let status = command.stderr(Stdio::null()).status();
    let status = status.unwrap_or_else(|error| panic!("{words}: {error}"));
    status.success().then(|| begun.elapsed())
}

/// The time until the screen of `words`, with `file` added, no longer changes; nothing if the
/// program ends by itself.
pub fn screen(words: &str, directory: &Path, file: &OsStr) -> Option<Duration> {
    let (program, arguments) = split(words);
    let mut command = CommandBuilder::new(program);
    command.args(arguments);
    command.arg(file);
    command.cwd(directory);
    let mut session = Session::run_unisolated(command, (200, 60));
    let complete = session.wait_until_stable(QUIET, LONGEST)?;
    (!session.has_exited()).then(|| complete - session.started)
}

fn split(words: &str) -> (&str, impl Iterator<Item = &str>) {
    let mut words = words.split_whitespace();
    (words.next().unwrap_or_default(), words)
}
