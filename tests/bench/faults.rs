//! Damages stored repositories in many ways and counts what blames of them end with.
//!
//! `cargo bench --bench faults` runs 50,000 cases in some ten minutes: eleven forms of storage, with and without
//! compression; of a random file a bit, a digit or a range changed, or its end missing, and half of the checksums at
//! the end of files repaired. An answer must be that of the pristine repository or git's, and anything else an error in
//! words. Each process may use 4 GB of addresses and 20 seconds.

#[path = "../harness/mod.rs"]
mod harness;

use std::process::ExitCode;

use clap::Parser;
use rustix::process::{Resource, Rlimit, setrlimit};

use harness::{
    faults::{Fixture, Outcomes},
    rng::Rng,
    stored_history::{FORMS, Form},
};

/// Damages repositories and counts what blames of them end with.
#[derive(Debug, Parser)]
#[command(name = "faults")]
struct Arguments {
    /// How many cases
    #[arg(long, default_value_t = 50_000)]
    cases: usize,
    /// Only this form, by any part of its name
    #[arg(long, default_value = "")]
    form: String,
    /// One bit of each record of the indexes of four repositories instead
    #[arg(long)]
    index_bits: bool,
    /// Only blames of all files
    #[arg(long)]
    trees: bool,
    /// Exchanged offsets of indexes instead
    #[arg(long)]
    offsets: bool,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
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
    let of_each = arguments.cases.div_ceil(FORMS.len() * 2);
    let mut failures = Vec::new();
    let mut total = Outcomes::default();
    println!("| form | compressed | cases | pristine | as git | errors | failed |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
    for (nth, form) in FORMS.into_iter().enumerate() {
        let indexed = [
            Form::Pack,
            Form::Sha256,
            Form::MultiPackIndex,
            Form::CommitGraph,
        ];
        let is_indexed = indexed.contains(&form);
        if !format!("{form:?}").contains(&arguments.form)
            || (arguments.index_bits || arguments.offsets) && !is_indexed
        {
            continue;
        }
        for is_compressed in [false, true] {
            let mut fixture = Fixture::new(form, is_compressed);
            if arguments.trees {
                fixture.only_trees();
            }
            let mut rng =
                Rng::new(arguments.seed * 1000 + nth as u64 * 2 + u64::from(is_compressed));
            let mut outcomes = Outcomes::default();
            let before = failures.len();
            if arguments.index_bits {
                for bit in fixture.index_bits() {
                    failures.extend(fixture.index_bit(&bit, &mut rng, &mut outcomes).err());
                }
            } else if arguments.offsets {
                for _ in 0..of_each {
                    failures.extend(fixture.exchanged_offsets(&mut rng, &mut outcomes).err());
                }
            } else {
                for _ in 0..of_each {
                    failures.extend(fixture.case(&mut rng, &mut outcomes).err());
                }
            }
            let failed = failures.len() - before;
            println!(
                "| {form:?} | {is_compressed} | {} | {} | {} | {} | {failed} |",
                outcomes.cases() + failed,
                outcomes.pristine,
                outcomes.as_git,
                outcomes.errors
            );
            total.pristine += outcomes.pristine;
            total.as_git += outcomes.as_git;
            total.errors += outcomes.errors;
        }
    }
    println!("{total:?}, {} failed", failures.len());
    for failure in failures.iter().take(100) {
        println!("{failure}\n");
    }
    if failures.is_empty() && total.cases() > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
