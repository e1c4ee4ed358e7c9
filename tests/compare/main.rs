//! Blames files of real repositories with git and with tblame, and says where they differ.
//!
//! `cargo bench --bench compare -- REPOSITORY --count COUNT --seed SEED` picks COUNT text files at
//! random revisions; the same seed picks the same ones. With `--clients` it runs the command lines of
//! programs that use `git blame` instead, with `--line-history` it compares with `git log -L`, and with `--file-history`
//! with `git log --follow`, with `--search` with `git log -S`, with `--line-outcome` with `git blame --reverse`, with `--deletions` with a replay of the history; with `--provenance`, random commits with `git tag --contains` and `git rev-list`. Nothing is written to the repository.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::Parser;

mod clients;
mod deletions;
mod file_history;
#[path = "../harness/mod.rs"]
mod harness;
mod line_history;
mod line_outcome;
mod provenance;
mod random;
mod repository;
mod run;
mod string_search;

use self::{
    harness::option_sets::{OPTION_KINDS, OptionKind},
    repository::Repository,
    run::Programs,
};

/// Compares tblame with git blame on files of repositories.
#[derive(Debug, Parser)]
#[command(name = "compare")]
struct Arguments {
    /// Any repositories, bare or not
    #[arg(required = true)]
    repositories: Vec<PathBuf>,
    /// How many files of each repository
    #[arg(long, default_value_t = 20)]
    count: usize,
    /// Picks the files, the revisions and the options
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run the command lines of editors and other programs, in a clone with edited files
    #[arg(long, conflicts_with_all = ["files", "option_sets", "with"])]
    clients: bool,
    /// Follow a random range of each file, beside git log -L
    #[arg(long, conflicts_with_all = ["clients", "option_sets", "with"])]
    line_history: bool,
    /// Follow each file, beside git log
    #[arg(long, conflicts_with_all = ["clients", "line_history", "option_sets", "with"])]
    file_history: bool,
    /// Find the deleted lines of each file, beside a replay of its history
    #[arg(long, conflicts_with_all = ["clients", "file_history", "line_history", "option_sets", "with"])]
    deletions: bool,
    /// Search texts of each file in all of its versions, beside git log -S
    #[arg(long, conflicts_with_all = ["clients", "file_history", "line_history", "option_sets", "with"])]
    search: bool,
    /// What became of lines of each file, beside git blame --reverse
    #[arg(long, conflicts_with_all = ["clients", "file_history", "line_history", "option_sets", "with"])]
    line_outcome: bool,
    /// The first tag and the merge of random commits, beside git tag --contains and git rev-list
    #[arg(long, conflicts_with_all = ["clients", "file_history", "line_history", "option_sets", "with"])]
    provenance: bool,
    /// Blame these files instead of random ones
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

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().collect::<Vec<_>>();
    if arguments.len() == 2 && arguments[1] == "--bench" {
        // A plain `cargo bench` runs everything: without a repository there is nothing to do.
        arguments[1] = "--help".into();
    }
    let arguments = Arguments::parse_from(arguments);
    let programs = Programs::new(&arguments.git, &arguments.tblame);
    let mut all_same = true;
    for directory in &arguments.repositories {
        let repository = Repository {
            git: &arguments.git,
            directory: directory.clone(),
        };
        all_same &= match &arguments {
            it if it.clients => clients::compare(it, &repository, &programs),
            it if it.line_history => line_history::compare(it, &repository),
            it if it.file_history => file_history::compare(it, &repository),
            it if it.deletions => deletions::compare(it, &repository),
            it if it.search => string_search::compare(it, &repository),
            it if it.line_outcome => line_outcome::compare(it, &repository),
            it if it.provenance => provenance::compare(it, &repository),
            _ => compare_random(&arguments, &repository, &programs),
        };
    }
    if all_same {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Compares random files, and returns whether there were some and all are the same.
fn compare_random(arguments: &Arguments, repository: &Repository, programs: &Programs) -> bool {
    let samples = random::samples(arguments, repository);
    let runs = random::runs(arguments, repository, &samples);
    let outcomes = programs.compare(&runs, arguments.jobs, arguments.all);
    let different = outcomes.iter().filter(|outcome| !outcome.same).count();
    println!(
        "{}: {} files, {} runs, {different} different",
        repository.directory.display(),
        samples.len(),
        runs.len()
    );
    different == 0 && !runs.is_empty()
}
