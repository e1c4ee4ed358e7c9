//! Running a program to its end, and finding the first difference between two outputs.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    io::Write,
    os::unix::{ffi::OsStrExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::LazyLock,
};

/// The program under test: the one in `TBLAME_TEST_PROGRAM`, or else the one that cargo built.
pub fn tblame_program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let given = std::env::var_os("TBLAME_TEST_PROGRAM");
        // The package of cargo-fuzz has none that cargo built.
        let built = option_env!("CARGO_BIN_EXE_tblame");
        let program = given.or(built.map(OsString::from));
        program.expect("a program is built or given").into()
    });
    &PROGRAM
}

/// The launcher beside [`tblame_program`].
pub fn launcher_program() -> PathBuf {
    tblame_program().with_file_name("git-tblame")
}

/// Writes a script that can be executed at once.
///
/// Another process does it: a child that a parallel test forks in this one could still have the file open for writing,
/// and the system refuses to execute such a file.
pub fn write_script(path: &Path, text: &[u8]) {
    let mut command = Command::new("sh");
    command.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"]);
    let mut child = command
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh is installed");
    let mut input = child.stdin.take().expect("it is a pipe");
    input.write_all(text).expect("the script is small");
    drop(input);
    let status = child.wait().expect("it was started");
    assert!(status.success(), "{} is not written", path.display());
}

/// Copies a program so that the copy can be executed at once; another process does it, as for [`write_script`].
pub fn copy_program(from: &Path, to: &Path) {
    let status = Command::new("cp")
        .args([from, to])
        .status()
        .expect("cp is installed");
    assert!(status.success(), "{} is not written", to.display());
}

/// How much of standard error is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stderr {
    Whole,
    FirstLine,
    /// Nothing of it.
    Ignored,
    /// Its lines in order, each one once: for conversions, which git repeats and tblame remembers.
    DistinctLines,
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
        output.into()
    }

    /// Runs `command` with `input` as its standard input.
    pub fn with_input(command: &mut Command, input: &[u8]) -> ProgramOutput {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        let mut stdin = child.stdin.take().expect("the pipe was asked for");
        let output = std::thread::scope(|scope| {
            // A command that does not read its input closes the pipe, which is no error.
            scope.spawn(move || stdin.write_all(input).ok());
            child.wait_with_output().expect("the program ends")
        });
        output.into()
    }

    /// The first line of standard error.
    pub fn first_error_line(&self) -> &[u8] {
        first_line(&self.stderr)
    }

    /// Describes the first difference from git's output, if there is one. A program that was
    /// killed by a signal differs from anything.
    pub fn difference(&self, git: &ProgramOutput, stderr: Stderr) -> Option<String> {
        for (name, output) in [("git", git), ("tblame", self)] {
            if let Some(signal) = output.signal {
                return Some(format!("{name} was killed by signal {signal}"));
            }
        }
        let (theirs, git_usage) = split_usage(&git.stdout);
        let (ours, tblame_usage) = split_usage(&self.stdout);
        if theirs != ours {
            let stderr = self.stderr.escape_ascii();
            let difference = first_different_line(theirs, ours);
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
        if stderr == Stderr::Ignored {
            return None;
        }
        if stderr == Stderr::DistinctLines {
            let (theirs, ours) = (distinct_lines(&git.stderr), distinct_lines(&self.stderr));
            return (theirs != ours).then(|| {
                let difference = first_different_line(&theirs, &ours);
                format!("standard error, {difference}")
            });
        }
        let shown = |output| match stderr {
            Stderr::Whole => split_usage(output),
            Stderr::FirstLine | Stderr::DistinctLines | Stderr::Ignored => {
                (first_line(output), None)
            }
        };
        let (theirs, git_stderr_usage) = shown(&git.stderr);
        let (ours, tblame_stderr_usage) = shown(&self.stderr);
        if theirs == NAMELESS_OPTION && ours.starts_with(b"error: unknown option `") {
            return usage_difference(git_stderr_usage, tblame_stderr_usage);
        }
        if theirs != ours {
            let difference = first_different_line(theirs, ours);
            return Some(format!("standard error, {difference}"));
        }
        if theirs.starts_with(b"error: ambiguous option: ") {
            // Up to git 2.47 the usage is on standard output here.
            let git_usage = git_usage.or(git_stderr_usage);
            return usage_difference(git_usage, tblame_usage);
        }
        usage_difference(git_usage, tblame_usage)
            .or_else(|| usage_difference(git_stderr_usage, tblame_stderr_usage))
    }
}

impl From<Output> for ProgramOutput {
    fn from(output: Output) -> ProgramOutput {
        ProgramOutput {
            stdout: output.stdout,
            stderr: output.stderr,
            status: output.status.code(),
            signal: output.status.signal(),
        }
    }
}

/// Splits an output before the usage text that it ends with. git's names git's command, tblame's the
/// program.
fn split_usage(output: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut lines = output.split_inclusive(|&b| b == b'\n');
    let mut at = 0;
    let start = loop {
        match lines.next() {
            Some(line) if is_usage(line) => break at,
            Some(line) => at += line.len(),
            None => return (output, None),
        }
    };
    let (before, usage) = output.split_at(start);
    (before, Some(usage))
}

/// What git says of some unknown options, by a defect that differs between versions.
const NAMELESS_OPTION: &[u8] = b"error: unknown option `(null)'\n";

fn is_usage(line: &[u8]) -> bool {
    line.starts_with(b"usage: git ") || line.starts_with(b"usage: tblame ")
}

/// Options of git's usage text that tblame hides: it lists what replaced them.
const HIDDEN_OPTIONS: [&str; 1] = ["--[no-]minimal"];

/// Compares usage texts. The synopsis must be git's, and tblame must have git's options; it
/// describes them in its own words, and has more.
fn usage_difference(git: Option<&[u8]>, tblame: Option<&[u8]>) -> Option<String> {
    let (Some(git), Some(tblame)) = (git, tblame) else {
        let name = |usage: Option<_>| if usage.is_some() { "some" } else { "none" };
        return (git != tblame)
            .then(|| format!("usage text: git {}, tblame {}", name(git), name(tblame)));
    };
    let (theirs, ours) = (usage_lines(git), usage_lines(tblame));
    let is_missing =
        |line: &&String| !ours.contains(line) && !HIDDEN_OPTIONS.contains(&line.as_str());
    let missing = theirs.iter().find(is_missing);
    missing.map(|line| format!("usage text: tblame lacks {line}"))
}

/// The lines of a usage text up to the options; of those, the options without descriptions.
fn usage_lines(usage: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(usage);
    let text = text.replace("usage: tblame --annotate [", "usage: git annotate [");
    let text = text.replace("usage: tblame [", "usage: git blame [");
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("    -") {
            // Two blanks, or the end of the line, separate an option from its description.
            Some(option) => {
                let option = option.split("  ").next().unwrap_or_default();
                // A long option leaves one blank before the description.
                let words = option.split(' ').take_while(|word| is_option_word(word));
                lines.push(format!("-{}", words.collect::<Vec<_>>().join(" ")));
            }
            // A description on a line of its own.
            None if line.starts_with("          ") => {}
            None => lines.push(line.to_owned()),
        }
    }
    lines
}

fn is_option_word(word: &str) -> bool {
    word.contains('-') || word.contains('<') || word.ends_with(',') || word.len() <= 1
}

/// The lines of `text` in order, without those that came before.
fn distinct_lines(text: &[u8]) -> Vec<u8> {
    let mut seen = HashSet::new();
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines
        .filter(|line| seen.insert(*line))
        .flatten()
        .copied()
        .collect()
}

fn first_line(text: &[u8]) -> &[u8] {
    text.split(|&b| b == b'\n').next().unwrap_or_default()
}

pub fn first_different_line(git: &[u8], tblame: &[u8]) -> String {
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
