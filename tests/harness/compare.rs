//! Comparing tblame with git: each command line runs once in git and once in tblame for every
//! number of threads, and all outputs must be the same bytes.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use jiff::{Timestamp, tz::TimeZone};

use super::{
    git::git_program,
    program::{ProgramOutput, Stderr, shell_line, tblame_program},
    repository::TestRepo,
};

/// The numbers of threads that every comparison runs with, whatever the machine has.
pub const THREADS: [&str; 2] = ["--threads=1", "--threads=2"];

/// The four formats: three for machines, and the human one.
pub const FORMATS: [&[&str]; 4] = [
    &["--porcelain"],
    &["--line-porcelain"],
    &["--incremental"],
    &[],
];

/// Runs both programs with the same arguments in the repository's root; they must agree. Returns
/// git's output.
pub fn assert_same<A: AsRef<OsStr>>(repository: &TestRepo, arguments: &[A]) -> ProgramOutput {
    assert_same_in(repository, repository.root(), &[], arguments)
}

/// As [`assert_same`], in a given directory and with additional environment variables.
pub fn assert_same_in<A: AsRef<OsStr>>(
    repository: &TestRepo,
    directory: &Path,
    environment: &[(&str, &str)],
    arguments: &[A],
) -> ProgramOutput {
    let run = Run {
        repository,
        directory,
        environment,
        arguments,
        stderr: Stderr::Whole,
    };
    run.compare()
        .unwrap_or_else(|difference| panic!("{difference}"))
}

/// As [`assert_same`] for damaged objects: what git says of them after the first line of standard
/// error depends on its version and on zlib's.
pub fn assert_same_first_error<A: AsRef<OsStr>>(repository: &TestRepo, arguments: &[A]) {
    let run = Run {
        repository,
        directory: repository.root(),
        environment: &[],
        arguments,
        stderr: Stderr::FirstLine,
    };
    run.compare()
        .unwrap_or_else(|difference| panic!("{difference}"));
}

/// A command line of both programs.
pub struct Run<'a, A> {
    pub repository: &'a TestRepo,
    pub directory: &'a Path,
    /// Variables in addition to those of [`TestRepo::command`].
    pub environment: &'a [(&'a str, &'a str)],
    pub arguments: &'a [A],
    pub stderr: Stderr,
}

impl<A: AsRef<OsStr>> Run<'_, A> {
    /// Runs git once, and tblame with every number of threads. Returns git's output, or describes
    /// the first difference.
    pub fn compare(&self) -> Result<ProgramOutput, String> {
        self.compare_with(&THREADS)
    }

    /// As [`compare`](Self::compare), with one thread: for what does not depend on the order of
    /// the walk.
    pub fn compare_once(&self) -> Result<ProgramOutput, String> {
        self.compare_with(&THREADS[..1])
    }

    /// As [`compare`](Self::compare), with one of [`THREADS`], which the number of the case chooses: for many cases of what
    /// does not depend on the order of the walk.
    pub fn compare_in_turn(&self, nth: usize) -> Result<ProgramOutput, String> {
        let nth = nth % THREADS.len();
        self.compare_with(&THREADS[nth..=nth])
    }

    fn compare_with(&self, numbers_of_threads: &[&str]) -> Result<ProgramOutput, String> {
        let start = Timestamp::now();
        let git = self.output(git_program(), "blame");
        for &threads in numbers_of_threads {
            let tblame = self.output(tblame_program().as_os_str(), threads);
            let passed = Seconds::since(start);
            let (ours, theirs) = (passed.masked(&tblame), passed.masked(&git));
            if let Some(difference) = ours.difference(&theirs, self.stderr) {
                return Err(format!(
                    "git and tblame differ in {}:\n  {}\n  {}\n{difference}",
                    self.directory.display(),
                    shell_line(Path::new("git"), &["blame"], self.arguments),
                    shell_line(tblame_program(), &[threads], self.arguments),
                ));
            }
        }
        Ok(git)
    }

    fn output(&self, program: &OsStr, first_argument: &str) -> ProgramOutput {
        let mut command = self.repository.command(program);
        command
            .current_dir(self.directory)
            .envs(self.environment.iter().copied())
            .arg(first_argument)
            .args(self.arguments);
        ProgramOutput::of(&mut command)
    }
}

/// Blames `path` at `revision` in all formats.
pub fn assert_same_formats(repository: &TestRepo, options: &[&str], revision: &str, path: &[u8]) {
    for format in FORMATS {
        let mut arguments: Vec<OsString> = Vec::new();
        arguments.extend(format.iter().chain(options).map(OsString::from));
        arguments.extend([revision.into(), "--".into()]);
        arguments.push(OsStr::from_bytes(path).to_owned());
        assert_same(repository, &arguments);
    }
}

/// How many seeds a test of random input runs: `TBLAME_TEST_SEEDS`, or `default`.
pub fn seed_count(default: u64) -> u64 {
    count_from("TBLAME_TEST_SEEDS", default)
}

/// A count that an environment variable can raise.
pub fn count_from(variable: &str, default: u64) -> u64 {
    let count = std::env::var(variable).ok();
    count.map_or(default, |n| {
        n.parse()
            .unwrap_or_else(|_| panic!("{variable} is not a number: {n}"))
    })
}

/// The seconds of the system's clock, both inclusive, in which the compared programs ran.
///
/// Lines that are not committed carry the second in which each program ran, and
/// `GIT_TEST_DATE_NOW` does not reach them. Nothing else in an output depends on the clock, as
/// [`TestRepo::command`] sets that variable.
#[derive(Debug, Clone, Copy)]
pub struct Seconds {
    first: i64,
    last: i64,
}

impl Seconds {
    /// The seconds from `start` until now.
    pub fn since(start: Timestamp) -> Seconds {
        Seconds {
            first: start.as_second(),
            last: Timestamp::now().as_second(),
        }
    }

    /// The output with each of these seconds replaced by the first one, on lines that are not
    /// committed. Unchanged if all programs ran within one second.
    pub fn masked<'a>(&self, output: &'a ProgramOutput) -> Cow<'a, ProgramOutput> {
        if self.first == self.last || !has_uncommitted_lines(&output.stdout) {
            return Cow::Borrowed(output);
        }
        let mut stdout = output.stdout.clone();
        for second in self.first + 1..=self.last {
            for (from, to) in spellings(second).into_iter().zip(spellings(self.first)) {
                replace(&mut stdout, from.as_bytes(), to.as_bytes());
            }
        }
        Cow::Owned(ProgramOutput {
            stdout,
            ..output.clone()
        })
    }
}

/// Whether a line begins with the null id, abbreviated or not, perhaps after the mark of a boundary.
fn has_uncommitted_lines(stdout: &[u8]) -> bool {
    let mut lines = stdout.split(|&b| b == b'\n');
    lines.any(|line| {
        let id = &line[id_start(line)..];
        id.strip_prefix(b"^").unwrap_or(id).starts_with(b"0000")
    })
}

/// Where the id begins in a line of human output: after a color.
pub fn id_start(line: &[u8]) -> usize {
    match line.strip_prefix(b"\x1b[") {
        Some(rest) => rest.iter().position(|&b| b == b'm').map_or(0, |m| m + 3),
        None => 0,
    }
}

/// A time as the formats write it: seconds since the epoch, and the time of day in UTC, which is
/// the zone that the programs run in.
fn spellings(second: i64) -> [String; 3] {
    let time = Timestamp::from_second(second).expect("the system's clock is in range");
    let time = time.to_zoned(TimeZone::UTC);
    let format = |format| time.strftime(format).to_string();
    [second.to_string(), format("%H:%M:%S"), format("%H:%M")]
}

/// Replaces every `from` by `to`, which has the same length.
fn replace(text: &mut [u8], from: &[u8], to: &[u8]) {
    let mut at = 0;
    while let Some(rest) = text.get_mut(at..at + from.len()) {
        if rest == from {
            rest.copy_from_slice(to);
            at += from.len();
        } else {
            at += 1;
        }
    }
}

#[test]
fn only_the_current_seconds_of_uncommitted_lines_are_masked() {
    let seconds = Seconds {
        first: 1_795_333_633,
        last: 1_795_333_635,
    };
    let output = |stdout: &str| ProgramOutput {
        stdout: stdout.into(),
        stderr: Vec::new(),
        status: Some(0),
        signal: None,
    };
    let masked = |stdout: &str| {
        let masked = seconds.masked(&output(stdout)).into_owned();
        String::from_utf8(masked.stdout).expect("ASCII")
    };
    let id = "0".repeat(40);
    assert_eq!(
        masked(&format!("{id} 1 1\nauthor-time 1795333634\n")),
        format!("{id} 1 1\nauthor-time 1795333633\n")
    );
    let line = |time| format!("00000000 (Not Committed Yet 2026-11-22 {time} +0000 1) x");
    assert_eq!(masked(&line("07:47:15")), line("07:47:13"));
    assert_eq!(masked(&line("07:47:16")), line("07:47:16"));
    let boundary = |time| format!("^0000000 (Not Committed Yet 2026-11-22 {time} +0000 1) x");
    assert_eq!(masked(&boundary("07:47:14")), boundary("07:47:13"));
    assert_eq!(masked("abc 1795333634"), "abc 1795333634");
}
