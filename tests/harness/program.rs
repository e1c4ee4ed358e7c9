//! Running a program to its end, and finding the first difference between two outputs.

use std::{
    ffi::OsStr,
    os::unix::{ffi::OsStrExt, process::ExitStatusExt},
    path::Path,
    process::{Command, Stdio},
};

use super::id_column::IdWidth;

/// The program under test.
pub fn tblame_program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tblame"))
}

/// Output and exit status of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramOutput {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The exit status, or `None` after a signal.
    pub status: Option<i32>,
    /// The signal that killed the program.
    pub signal: Option<i32>,
}

impl ProgramOutput {
    /// Runs `command` with empty standard input.
    pub fn of(command: &mut Command) -> ProgramOutput {
        let output = command
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        ProgramOutput {
            stdout: output.stdout,
            stderr: output.stderr,
            status: output.status.code(),
            signal: output.status.signal(),
        }
    }

    /// The first line of standard error.
    pub fn first_error_line(&self) -> &[u8] {
        first_line(&self.stderr)
    }

    /// Describes the first difference from git's output, if there is one. A program that was
    /// killed by a signal differs from anything.
    ///
    /// `width` is git's rule for the width of the id column where the output has one.
    pub fn difference(&self, git: &ProgramOutput, width: Option<IdWidth>) -> Option<String> {
        for (name, output) in [("git", git), ("tblame", self)] {
            if let Some(signal) = output.signal {
                return Some(format!("{name} was killed by signal {signal}"));
            }
        }
        let (theirs, ours) = match width {
            Some(width) => width.normalized(&git.stdout, &self.stdout),
            None => (git.stdout.clone(), self.stdout.clone()),
        };
        if theirs != ours {
            let stderr = self.stderr.escape_ascii();
            let difference = first_different_line(&theirs, &ours);
            return Some(format!(
                "standard output, {difference}\ntblame's stderr: {stderr}"
            ));
        }
        if git.status != self.status {
            return Some(format!(
                "exit status: git {:?}, tblame {:?}\ntblame's stderr: {}",
                git.status,
                self.status,
                self.stderr.escape_ascii()
            ));
        }
        if git.stderr != self.stderr {
            let difference = first_different_line(&git.stderr, &self.stderr);
            return Some(format!("standard error, {difference}"));
        }
        None
    }
}

fn first_line(text: &[u8]) -> &[u8] {
    text.split(|&b| b == b'\n').next().unwrap_or_default()
}

fn first_different_line(git: &[u8], tblame: &[u8]) -> String {
    let mut ours = tblame.split(|&b| b == b'\n');
    let mut theirs = git.split(|&b| b == b'\n');
    let mut before: &[u8] = b"";
    let mut number = 1;
    loop {
        let (a, b) = (theirs.next(), ours.next());
        if a == b && a.is_some() {
            before = a.unwrap_or(b"");
            number += 1;
            continue;
        }
        let show = |line: Option<&[u8]>| match line {
            Some(line) => line.escape_ascii().to_string(),
            None => "(end of output)".into(),
        };
        return format!(
            "line {number}:\n  before: {}\n     git: {}\n  tblame: {}",
            before.escape_ascii(),
            show(a),
            show(b)
        );
    }
}

/// A command line that can be pasted into a shell.
pub fn shell_line<A: AsRef<OsStr>>(program: &Path, before: &[&str], arguments: &[A]) -> String {
    let mut line = program.display().to_string();
    let words = before.iter().map(OsStr::new);
    for word in words.chain(arguments.iter().map(AsRef::as_ref)) {
        let bytes = word.as_bytes();
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_./=:,+^@~".contains(b);
        line.push(' ');
        if !bytes.is_empty() && bytes.iter().all(plain) {
            line.push_str(&word.to_string_lossy());
        } else {
            let escaped = bytes.escape_ascii().to_string().replace("\\\"", "\"");
            line.push_str(&format!("$'{escaped}'"));
        }
    }
    line
}
