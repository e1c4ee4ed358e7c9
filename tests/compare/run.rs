//! Running one command line in git and in tblame.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use jiff::Timestamp;
use tempfile::TempDir;

use crate::harness::{
    compare::Seconds,
    git::version_text,
    program::{ProgramOutput, Stderr, shell_line},
};

/// A command line for both programs.
#[derive(Debug)]
pub struct Run {
    pub directory: PathBuf,
    pub environment: Vec<(String, String)>,
    /// Options of git itself, before `blame`.
    pub git_options: Vec<OsString>,
    pub arguments: Vec<OsString>,
    pub input: Vec<u8>,
    /// tblame is run under the name `git`, which takes git's options too.
    pub in_place_of_git: bool,
}

/// What became of a [`Run`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Whether git succeeded.
    pub success: bool,
    pub same: bool,
}

/// The two programs.
pub struct Programs<'a> {
    git: &'a Path,
    tblame: &'a Path,
    /// A directory with tblame under the name `git`.
    links: TempDir,
    /// The version of `git`.
    version: String,
}

impl Programs<'_> {
    pub fn new<'a>(git: &'a Path, tblame: &'a Path) -> Programs<'a> {
        let links = tempfile::tempdir().expect("a temporary directory can be made");
        let tblame_path = std::path::absolute(tblame).expect("the path is not empty");
        std::os::unix::fs::symlink(tblame_path, links.path().join("git"))
            .expect("the directory is empty");
        Programs {
            git,
            tblame,
            links,
            version: version_text(git.as_os_str()),
        }
    }

    /// Runs everything in both programs, `jobs` at once, and prints the first difference, or all.
    pub fn compare(&self, runs: &[Run], jobs: usize, all: bool) -> Vec<Outcome> {
        let next = AtomicUsize::new(0);
        let found = Mutex::new((0, Vec::with_capacity(runs.len())));
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = runs.get(index) else { break };
                let (outcome, difference) = self.run(run);
                let mut found = found.lock().expect("no thread panicked");
                found.1.push((index, outcome));
                let Some(difference) = difference else {
                    continue;
                };
                found.0 += 1;
                if found.0 == 1 || all {
                    println!("{}", self.describe(run, &difference));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(work);
            }
        });
        let (_, mut outcomes) = found.into_inner().expect("no thread panicked");
        outcomes.sort_unstable_by_key(|(index, _)| *index);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn run(&self, run: &Run) -> (Outcome, Option<String>) {
        let start = Timestamp::now();
        let git = self.output(run, self.git, &["blame"]);
        let (program, command) = self.tblame(run);
        let tblame = self.output(run, &program, command);
        let passed = Seconds::since(start);
        let (ours, theirs) = (passed.masked(&tblame), passed.masked(&git));
        let difference = ours.difference(&theirs, Stderr::Whole);
        let outcome = Outcome {
            success: git.status == Some(0),
            same: difference.is_none(),
        };
        (outcome, difference)
    }

    /// tblame, and the command that it gets.
    fn tblame(&self, run: &Run) -> (PathBuf, &'static [&'static str]) {
        if run.in_place_of_git {
            (self.links.path().join("git"), &["blame"])
        } else {
            (self.tblame.to_owned(), &[])
        }
    }

    fn output(&self, run: &Run, program: &Path, subcommand: &[&str]) -> ProgramOutput {
        let mut command = Command::new(program);
        command
            .current_dir(&run.directory)
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .env("TBLAME_GIT_COMPAT", &self.version)
            .envs(run.environment.iter().map(|(k, v)| (k, v)))
            .args(&run.git_options)
            .args(subcommand)
            .args(&run.arguments);
        ProgramOutput::with_input(&mut command, &run.input)
    }

    fn describe(&self, run: &Run, difference: &str) -> String {
        let variables: Vec<_> = run
            .environment
            .iter()
            .map(|(k, v)| format!("{k}='{v}'"))
            .collect();
        let line = |program: &Path, subcommand: &[&'static str]| {
            let words = run.git_options.iter().map(OsString::as_os_str);
            let words = words.chain(subcommand.iter().map(OsStr::new));
            let words = words.chain(run.arguments.iter().map(OsString::as_os_str));
            shell_line(program, &[], &words.collect::<Vec<_>>())
        };
        let (program, command) = self.tblame(run);
        format!(
            "in {} {}\n  {}\n  {}\n{difference}\n",
            run.directory.display(),
            variables.join(" "),
            line(self.git, &["blame"]),
            line(&program, command),
        )
    }
}
