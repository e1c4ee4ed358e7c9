//! How fast the parts of a blame are, each on its own.
//!
//! `cargo bench --bench micro` takes a synthetic history; `-- REPOSITORY PATH` that of a file, as far as
//! blame would look. `--only NAME,…` measures some parts or groups of parts, and `--count` counts
//! instructions besides, with valgrind: these do not depend on what else the machine does.
//!
//! A frame of the viewer is measured by `cargo bench --bench viewer`.

#[path = "../../harness/mod.rs"]
mod harness;
mod objects;
mod output;
mod runner;
mod synthetic_history;
mod text;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;

use objects::History;
use runner::Runner;

/// Times the parts of a blame, each on its own.
#[derive(Debug, Parser)]
#[command(name = "micro")]
struct Arguments {
    /// A repository, instead of a synthetic one
    #[arg(requires = "path")]
    repository: Option<PathBuf>,
    /// A file in it, from the root
    path: Option<String>,
    /// Only these benchmarks, or groups of them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// So many rounds of each, instead of those that fit into half a second
    #[arg(long)]
    rounds: Option<usize>,
    /// Count instructions too
    #[arg(long)]
    count: bool,
    /// The git to make a history with
    #[arg(long, default_value = "git")]
    git: PathBuf,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let synthetic = tempfile::tempdir().expect("a temporary directory can be made");
    let (repository, path) = match (arguments.repository, arguments.path) {
        (Some(repository), Some(path)) => (repository, path),
        _ => (
            synthetic.path().to_owned(),
            synthetic_history::PATH.to_owned(),
        ),
    };
    let mut runner = Runner::new(arguments.only, arguments.rounds);
    if arguments.count {
        runner.count_in(&repository, &path);
    }
    if runner.wants("objects") || runner.wants("text") {
        if repository == synthetic.path() {
            synthetic_history::make(&arguments.git, &repository);
        }
        let history = History::open(&arguments.git, &repository, path);
        objects::measure(&mut runner, &history);
        text::measure(&mut runner, &history.texts());
    }
    output::measure(&mut runner);
    runner.finish()
}
