//! Running git and tblame with the same arguments, and saying where they differ.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::Path,
    process::{Command, Stdio},
};

use crate::id_width::IdWidth;

/// What a program wrote, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// The first line of standard error.
    pub complaint: Vec<u8>,
    /// The exit status, or `None` after a signal.
    pub status: Option<i32>,
}

impl Outcome {
    /// Runs `command` to its end, its standard input being empty.
    pub fn of(command: &mut Command) -> Outcome {
        let output = command
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        let complaint = output.stderr.split(|&b| b == b'\n').next().unwrap_or(b"");
        Outcome {
            complaint: complaint.to_vec(),
            status: output.status.code(),
            stdout: output.stdout,
        }
    }

    /// Describes the first difference from what git did, if there is one.
    ///
    /// `width` is git's rule for the width of the id column where the output has one.
    pub fn difference(&self, git: &Outcome, width: Option<IdWidth>) -> Option<String> {
        if git.status.is_none() && self.status.is_some() {
            // git crashed, and so has no answer.
            return None;
        }
        let (theirs, ours) = match width {
            Some(width) => width.normalized(&git.stdout, &self.stdout),
            None => (git.stdout.clone(), self.stdout.clone()),
        };
        // A usage text is each program's own.
        if theirs != ours && git.status != Some(129) {
            let complaint = self.complaint.escape_ascii();
            let difference = first_line_that_differs(&theirs, &ours);
            Some(format!("{difference}\ntblame says: {complaint}"))
        } else if git.status != self.status {
            Some(format!(
                "exit status: git {:?}, tblame {:?}; tblame says: {}",
                git.status,
                self.status,
                self.complaint.escape_ascii()
            ))
        } else if git.complaint != self.complaint {
            Some(format!(
                "standard error:\n     git: {}\n  tblame: {}",
                git.complaint.escape_ascii(),
                self.complaint.escape_ascii()
            ))
        } else {
            None
        }
    }
}

fn first_line_that_differs(git: &[u8], tblame: &[u8]) -> String {
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
            None => "(the output ends here)".into(),
        };
        return format!(
            "output line {number}:\n  before: {}\n     git: {}\n  tblame: {}",
            before.escape_ascii(),
            show(a),
            show(b)
        );
    }
}

/// A git's version: major and minor number.
pub fn git_version(git: &OsStr) -> (u32, u32) {
    let output = Command::new(git).arg("version").output().expect("git runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split_whitespace().nth(2).unwrap_or_default();
    let mut numbers = version.split('.').map_while(|number| number.parse().ok());
    let mut next = || numbers.next().expect("a version begins with two numbers");
    (next(), next())
}

/// A command line that can be pasted into a shell.
pub fn shell_line<A: AsRef<OsStr>>(program: &Path, subcommand: &[&str], arguments: &[A]) -> String {
    let mut line = program.display().to_string();
    let words = subcommand.iter().map(OsStr::new);
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
