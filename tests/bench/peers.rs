//! Other programs timed on the same files: those that write to a pipe, and those that show the file
//! in a terminal.

use std::{
    ffi::OsStr,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    time::{Duration, Instant},
};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// A screen that has not changed for so long is complete.
const STILL: Duration = Duration::from_secs(1);
/// The longest that a program may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The time `words`, with `file` added, takes in `directory` with its output thrown away; nothing if
/// it fails.
pub fn pipe(words: &str, directory: &Path, file: &OsStr) -> Option<Duration> {
    let (program, arguments) = split(words);
    let mut command = Command::new(program);
    command.args(arguments).arg(file).current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let begun = Instant::now();
    let status = command.stderr(Stdio::null()).status();
    let status = status.unwrap_or_else(|error| panic!("{words}: {error}"));
    status.success().then(|| begun.elapsed())
}

/// The time until the screen of `words`, with `file` added, does not change any longer; nothing if
/// the program ends by itself.
pub fn screen(words: &str, directory: &Path, file: &OsStr) -> Option<Duration> {
    let size = PtySize {
        rows: 60,
        cols: 200,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let (program, arguments) = split(words);
    let mut command = CommandBuilder::new(program);
    command.args(arguments);
    command.arg(file);
    command.cwd(directory);
    command.env("TERM", "xterm-256color");
    let begun = Instant::now();
    let mut child = pair.slave.spawn_command(command).expect("the program");
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let (sender, output) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        // The read fails when the program is gone.
        while let Ok(1..) = reader.read(&mut buffer) {
            if sender.send(Instant::now()).is_err() {
                break;
            }
        }
    });
    let mut last = begun;
    while begun.elapsed() < PATIENCE {
        match output.recv_timeout(STILL) {
            Ok(at) => last = at,
            Err(RecvTimeoutError::Timeout) if last > begun => break,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let runs = child.try_wait().is_ok_and(|ended| ended.is_none());
    child.kill().ok();
    child.wait().expect("the program ends");
    runs.then(|| last - begun)
}

fn split(words: &str) -> (&str, impl Iterator<Item = &str>) {
    let mut words = words.split_whitespace();
    (words.next().unwrap_or_default(), words)
}
