//! Blames random files of a real repository with git and with tblame, and says where they differ.
//!
//! `cargo bench --bench compare -- REPOSITORY COUNT SEED` picks COUNT text files at random
//! revisions; the same seed picks the same ones. Nothing is written to the repository.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use clap::Parser;

#[path = "../harness/mod.rs"]
mod harness;

use harness::{
    compare::FORMATS,
    git::version_of,
    id_column::{IdWidth, has_id_column},
    option_sets::{BlameTarget, OPTION_KINDS, OptionKind, OptionSet},
    program::{ProgramOutput, Stderr, shell_line},
    rng::Rng,
};

/// Compares tblame with git blame on random files of a repository.
#[derive(Debug, Parser)]
#[command(name = "compare")]
struct Arguments {
    /// Any repository, bare or not
    repository: PathBuf,
    /// How many files
    #[arg(default_value_t = 20)]
    count: usize,
    /// Picks the files, the revisions and the options
    #[arg(default_value_t = 1)]
    seed: u64,
    /// Blame these files at HEAD instead of random ones
    #[arg(long, value_delimiter = ',')]
    files: Vec<OsString>,
    /// Where the random revisions are taken from; a third of the files is blamed at it
    #[arg(long, default_value = "HEAD")]
    revision: String,
    /// For each file, this many random sets of options instead of the four formats
    #[arg(long, value_name = "N")]
    option_sets: Option<usize>,
    /// What the random options are about
    #[arg(long, value_delimiter = ',', value_parser = kind, requires = "option_sets")]
    kinds: Vec<OptionKind>,
    /// An option that each run is given; repeatable
    #[arg(long = "with", value_name = "OPTION", allow_hyphen_values = true)]
    with: Vec<String>,
    /// The git that is right
    #[arg(long, default_value = "git")]
    git: PathBuf,
    /// The program to test
    #[arg(long, default_value = env!("CARGO_BIN_EXE_tblame"))]
    tblame: PathBuf,
    /// How many runs at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Show every difference, not only the first
    #[arg(long)]
    all: bool,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn kind(name: &str) -> Result<OptionKind, String> {
    let found = OPTION_KINDS.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        let names: Vec<_> = OPTION_KINDS.iter().map(|(name, _)| *name).collect();
        format!("one of {}", names.join(", "))
    })
}

/// One file at one revision.
#[derive(Debug, Clone)]
struct Sample {
    revision: String,
    path: Vec<u8>,
    text: Vec<u8>,
}

/// A command line for both programs.
#[derive(Debug)]
struct Run {
    arguments: Vec<OsString>,
    environment: Vec<(String, String)>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().collect::<Vec<_>>();
    if arguments.len() == 2 && arguments[1] == "--bench" {
        // A plain `cargo bench` runs everything: without a repository there is nothing to do.
        arguments[1] = "--help".into();
    }
    let arguments = Arguments::parse_from(arguments);
    let samples = samples(&arguments);
    let runs: Vec<Run> = match arguments.option_sets {
        None => samples
            .iter()
            .flat_map(|s| formats(&arguments, s))
            .collect(),
        Some(count) => option_sets(&arguments, &samples, count),
    };
    let differences = compare(&arguments, &runs);
    println!(
        "{}: {} files, {} runs, {differences} different",
        arguments.repository.display(),
        samples.len(),
        runs.len()
    );
    match differences {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Runs everything in both programs and prints what differs; returns how many do.
fn compare(arguments: &Arguments, runs: &[Run]) -> usize {
    let width = IdWidth::of(arguments.git.as_os_str());
    let (next, different) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let printing = Mutex::new(());
    let work = || {
        while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let of = |program: &Path, subcommand: &[&str]| {
                let mut command = Command::new(program);
                command
                    .current_dir(&arguments.repository)
                    .env("LC_ALL", "C")
                    .envs(run.environment.iter().map(|(k, v)| (k, v)))
                    .args(subcommand)
                    .args(&run.arguments);
                ProgramOutput::of(&mut command)
            };
            let git = of(&arguments.git, &["blame"]);
            let tblame = of(&arguments.tblame, &[]);
            let width = has_id_column(&run.arguments).then_some(width);
            let Some(difference) = tblame.difference(&git, width, Stderr::Whole) else {
                continue;
            };
            let _one_at_a_time = printing.lock();
            if different.fetch_add(1, Ordering::Relaxed) == 0 || arguments.all {
                println!("{}", describe(arguments, run, &difference));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            scope.spawn(work);
        }
    });
    different.into_inner()
}

fn describe(arguments: &Arguments, run: &Run, difference: &str) -> String {
    let variables: Vec<_> = run
        .environment
        .iter()
        .map(|(k, v)| format!("{k}='{v}'"))
        .collect();
    format!(
        "in {} {}\n  {}\n  {}\n{difference}\n",
        arguments.repository.display(),
        variables.join(" "),
        shell_line(&arguments.git, &["blame"], &run.arguments),
        shell_line(&arguments.tblame, &[], &run.arguments),
    )
}

/// The four formats of a file.
fn formats(arguments: &Arguments, sample: &Sample) -> Vec<Run> {
    let run = |format: &&[&str]| {
        let mut words: Vec<OsString> = format.iter().map(OsString::from).collect();
        words.extend(arguments.with.iter().map(OsString::from));
        words.extend([sample.revision.clone().into(), "--".into()]);
        words.push(OsString::from_vec(sample.path.clone()));
        Run {
            arguments: words,
            environment: Vec::new(),
        }
    };
    FORMATS.iter().map(run).collect()
}

/// Random options for each file.
fn option_sets(arguments: &Arguments, samples: &[Sample], count: usize) -> Vec<Run> {
    let mut rng = Rng::new(arguments.seed);
    let all = OPTION_KINDS.map(|(_, kind)| kind);
    let kinds = match arguments.kinds.is_empty() {
        true => &all[..],
        false => &arguments.kinds,
    };
    let git = version_of(arguments.git.as_os_str());
    let mut runs = Vec::new();
    for sample in samples {
        // Commits that touched the file matter most.
        let log = ["log", "-200", "--format=%H", &sample.revision, "--"];
        let mut log: Vec<OsString> = log.iter().map(OsString::from).collect();
        log.push(OsString::from_vec(sample.path.clone()));
        let commits: Vec<String> = text(ask(arguments, &log))
            .lines()
            .map(str::to_owned)
            .collect();
        if commits.is_empty() {
            continue;
        }
        let target = BlameTarget {
            revision: Some(&sample.revision),
            commits: &commits,
            text: &sample.text,
            git,
        };
        for _ in 0..count {
            let set = OptionSet::draw(&mut rng, &target, kinds);
            let mut words: Vec<OsString> = set.words.iter().map(OsString::from).collect();
            words.splice(0..0, arguments.with.iter().map(OsString::from));
            words.extend(["--".into(), OsString::from_vec(sample.path.clone())]);
            runs.push(Run {
                arguments: words,
                environment: set.environment(),
            });
        }
    }
    runs
}

fn samples(arguments: &Arguments) -> Vec<Sample> {
    if !arguments.files.is_empty() {
        let named = arguments.files.iter().map(|file| Sample {
            revision: arguments.revision.clone(),
            path: file.as_bytes().to_vec(),
            text: blob(arguments, &arguments.revision, file.as_bytes()),
        });
        return named.collect();
    }
    let mut rng = Rng::new(arguments.seed);
    let commits = text(ask(arguments, &["rev-list", &arguments.revision]));
    let commits: Vec<&str> = commits.lines().collect();
    assert!(!commits.is_empty(), "there are no commits");
    let mut samples = Vec::new();
    let mut tries = 0;
    while samples.len() < arguments.count && tries < arguments.count * 20 {
        tries += 1;
        let revision = match rng.chance(33) {
            true => commits[0],
            false => *rng.pick(&commits),
        };
        let tree = ask(arguments, &["ls-tree", "-r", "-z", revision]);
        let entries = tree
            .split(|&b| b == 0)
            .filter(|entry| entry.starts_with(b"100"));
        let entries: Vec<&[u8]> = entries.collect();
        if entries.is_empty() {
            continue;
        }
        let entry = *rng.pick(&entries);
        let tab = entry
            .iter()
            .position(|&b| b == b'\t')
            .map_or(0, |tab| tab + 1);
        let path = entry[tab..].to_vec();
        let text = blob(arguments, revision, &path);
        if !text.is_empty() && !text.iter().take(8000).any(|&b| b == 0) {
            samples.push(Sample {
                revision: revision.to_owned(),
                path,
                text,
            });
        }
    }
    samples
}

fn blob(arguments: &Arguments, revision: &str, path: &[u8]) -> Vec<u8> {
    let name = [revision.as_bytes(), b":", path].concat();
    ask(
        arguments,
        &[
            OsStr::new("cat-file"),
            OsStr::new("blob"),
            OsStr::from_bytes(&name),
        ],
    )
}

/// What git says; it must succeed.
fn ask<A: AsRef<OsStr>>(arguments: &Arguments, words: &[A]) -> Vec<u8> {
    let mut command = Command::new(&arguments.git);
    command.arg("-C").arg(&arguments.repository).args(words);
    let output = command.output().expect("git runs");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        output.stderr.escape_ascii()
    );
    output.stdout
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("ids are ASCII")
}
