//! Blames and a viewer while other processes rewrite the repository.
//!
//! `cargo bench --bench concurrency` lets a loop repack, collect garbage, write commit-graphs and multi-pack-indexes,
//! switch branches, edit the file, commit, and pack, move and delete references, for references in files and in reftable.
//! Every blame in a pipe must be git's of the commit that is named, of `HEAD` one at that time, without a warning, and
//! no key of the viewer may lead to a message that something cannot be read.

#[path = "../harness/mod.rs"]
mod harness;

use std::process::ExitCode;

use clap::Parser;
use harness::rewriting::Rewritten;

/// Blames and a viewer while other processes rewrite the repository.
#[derive(Debug, Parser)]
#[command(name = "concurrency")]
struct Arguments {
    /// Commands of the loop, and blames, at least, for each format of references
    #[arg(long, default_value_t = 1000)]
    rounds: usize,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut failures = Vec::new();
    println!("| references | rewrites | blames | of a deleted reference | keys | failed |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for references in ["files", "reftable"] {
        let rounds = Rewritten::new(references).run(arguments.rounds, arguments.seed);
        println!(
            "| {references} | {} | {} | {} | {} | {} |",
            rounds.rewrites,
            rounds.blames,
            rounds.deleted,
            rounds.keys,
            rounds.failures.len()
        );
        failures.extend(rounds.failures);
    }
    for failure in failures.iter().take(50) {
        println!("{failure}\n");
    }
    if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
