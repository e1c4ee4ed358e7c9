//! Reads mutated inputs by everything that reads bytes of a repository or of a terminal, for as long as is asked.
//!
//! `cargo test --bench fuzz` runs each target for a minute, with checks of overflows. A failure prints the
//! input and the seed, and ends its target.

#[path = "mod.rs"]
mod fuzz;
#[path = "../harness/mod.rs"]
mod harness;

use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Parser;
use rustix::process::{Resource, Rlimit, setrlimit};

/// Runs targets on mutated inputs and counts.
#[derive(Debug, Parser)]
#[command(name = "fuzz")]
struct Arguments {
    /// Only these targets
    targets: Vec<String>,
    /// How long each
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the seeds to DIR/TARGET and the words to DIR/TARGET.dict instead, for cargo-fuzz
    #[arg(long, value_name = "DIR")]
    write_seeds: Option<PathBuf>,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

const ADDRESSES: u64 = 4 << 30;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let limit = Rlimit {
        current: Some(ADDRESSES),
        maximum: Some(ADDRESSES),
    };
    setrlimit(Resource::As, limit).expect("a limit can be lowered");
    let known = |name: &String| fuzz::TARGETS.iter().any(|target| target.name == name);
    if let Some(unknown) = arguments.targets.iter().find(|name| !known(name)) {
        eprintln!("no target is called {unknown}");
        return ExitCode::FAILURE;
    }
    let is_wanted = |target: &&fuzz::Named| {
        let names = &arguments.targets;
        names.is_empty() || names.iter().any(|name| name == target.name)
    };
    let targets = fuzz::TARGETS.iter().filter(is_wanted);
    if let Some(directory) = &arguments.write_seeds {
        for target in targets {
            let directory = directory.join(target.name);
            fuzz::write_seeds(&*(target.make)(), &directory).expect("it is writable");
        }
        return ExitCode::SUCCESS;
    }
    let mut is_good = true;
    println!("| target | seconds | executions | outcomes | longest |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for target in targets {
        eprintln!("{}, seed {}", target.name, arguments.seed);
        let made = (target.make)();
        let start = Instant::now();
        let limit = Duration::from_secs(arguments.seconds);
        let report = fuzz::run(made, arguments.seed, |_| start.elapsed() >= limit);
        println!(
            "| {} | {} | {} | {} | {} ms |",
            target.name,
            start.elapsed().as_secs(),
            report.executions,
            report.outcomes,
            report.longest.as_millis()
        );
        if let Some(failure) = &report.failure {
            eprintln!("{}: {failure}", target.name);
        }
        is_good &= report.failure.is_none() && report.executions > 0;
    }
    if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
