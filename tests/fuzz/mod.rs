//! Mutated inputs for everything that reads bytes of a repository or of a terminal.
//!
//! A [`Target`] reads one input and checks what must hold; [`run`] mutates its seeds and counts. The same seed gives the
//! same inputs, whatever the machine, as long as no time limit ends the run.

mod changed;
mod files;
mod mutator;
mod stored;
mod streams;
mod texts;

use std::{
    any::Any,
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    time::{Duration, Instant},
};

use crate::harness::rng::Rng;
use mutator::Mutator;

/// An input that takes longer is a failure.
const LONGEST: Duration = Duration::from_secs(2);

/// Most inputs that are kept because they led to an outcome of their own.
const MOST_KEPT: usize = 2000;

/// Something that reads hostile bytes.
pub trait Target {
    /// Inputs to mutate, at least one.
    fn seeds(&self) -> Vec<Vec<u8>>;

    /// Words that mean something to what is tested.
    fn words(&self) -> &[&[u8]] {
        &[]
    }

    /// Largest input in bytes.
    fn most_bytes(&self) -> usize {
        2048
    }

    /// Reads an input. The result is the outcome, for [`outcome`]: an input with a new one is mutated further.
    ///
    /// # Errors
    ///
    /// Says what should have held.
    fn run(&mut self, input: &[u8]) -> Result<u64, String>;
}

/// A target by its name.
pub struct Named {
    pub name: &'static str,
    pub make: fn() -> Box<dyn Target>,
    /// How many inputs the test suite reads.
    #[allow(dead_code, reason = "the bench counts by time")]
    pub slice: usize,
}

/// All targets.
pub const TARGETS: [Named; 20] = [
    named("inflate", || Box::new(streams::Inflate), 2000),
    named("delta", || Box::new(streams::Deltas), 2000),
    named("tree-projection", || Box::new(streams::Projection), 1000),
    named("pack-index", || Box::new(stored::pack_index()), 60),
    named(
        "multi-pack-index",
        || Box::new(stored::multi_pack_index()),
        60,
    ),
    named("pack", || Box::new(stored::pack()), 60),
    named("commit-graph", || Box::new(stored::commit_graph()), 60),
    named("bloom", || Box::new(stored::bloom()), 60),
    named("commit-heads", || Box::new(files::CommitHeads::new()), 100),
    named("reftable", || Box::new(stored::Reftable::new()), 500),
    named(
        "configuration",
        || Box::new(files::ConfigurationFile::new()),
        300,
    ),
    named("mailmap", || Box::new(texts::MailmapText), 500),
    named("dates", || Box::new(texts::Dates::new()), 500),
    named("line-ranges", || Box::new(texts::LineRanges), 500),
    named("ignore-revs", || Box::new(files::IgnoreRevs::new()), 50),
    named("diff", || Box::new(changed::Diff::default()), 300),
    named("sanitiser", || Box::new(texts::Sanitiser), 1000),
    named("keys", || Box::new(texts::Keys), 1000),
    named("cache", || Box::new(stored::CacheFiles::new()), 40),
    named("blames", || Box::new(changed::Blames::new()), 3),
];

const fn named(name: &'static str, make: fn() -> Box<dyn Target>, slice: usize) -> Named {
    Named { name, make, slice }
}

/// What a run of a target came to.
#[derive(Debug)]
pub struct Report {
    pub executions: u64,
    pub outcomes: usize,
    pub longest: Duration,
    /// The first failure, with its input.
    pub failure: Option<String>,
}

/// Runs a target until `is_enough`, given the executions so far, or until a failure.
pub fn run(target: &mut dyn Target, seed: u64, is_enough: impl Fn(u64) -> bool) -> Report {
    let mut rng = Rng::new(seed);
    let mut pool = target.seeds();
    assert!(!pool.is_empty(), "no seeds");
    let seeds = pool.len();
    let mut outcomes = HashSet::new();
    let mut report = Report {
        executions: 0,
        outcomes: 0,
        longest: Duration::ZERO,
        failure: None,
    };
    while !is_enough(report.executions) {
        let number = report.executions as usize;
        let input = match pool.get(number).filter(|_| number < seeds) {
            Some(seed) => seed.clone(),
            None => {
                let mutator = Mutator {
                    words: target.words(),
                    most_bytes: target.most_bytes(),
                };
                mutator.mutated(&pool, &mut rng)
            }
        };
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| target.run(&input)));
        let took = start.elapsed();
        report.executions += 1;
        report.longest = report.longest.max(took);
        let failure = match result {
            Ok(Ok(outcome)) => {
                if outcomes.insert(outcome) && pool.len() < MOST_KEPT {
                    pool.push(input.clone());
                }
                (took > LONGEST).then(|| format!("took {took:?}"))
            }
            Ok(Err(reason)) => Some(reason),
            Err(panic) => Some(format!("panicked: {}", words_of(&*panic))),
        };
        if let Some(reason) = failure {
            let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
            report.failure = Some(format!(
                "seed {seed}, input {number}: {reason}\n{hex}\n{}",
                input.escape_ascii()
            ));
            break;
        }
    }
    report.outcomes = outcomes.len();
    report
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("without words")
        .to_owned()
}

/// A number for an outcome.
fn outcome(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Fails with `reason` unless something holds.
fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Result<(), String> {
    holds.then_some(()).ok_or_else(reason)
}

/// The committed seeds of a target: each file of its directory, or each line of its list.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    if let Ok(list) = std::fs::read(root.join(name).with_extension("txt")) {
        let lines = list.split(|&byte| byte == b'\n');
        return lines
            .filter(|line| !line.is_empty())
            .map(Vec::from)
            .collect();
    }
    let files = std::fs::read_dir(root.join(name)).expect("the corpus has it");
    let mut paths: Vec<_> = files
        .map(|file| file.expect("it can be listed").path())
        .collect();
    paths.sort();
    let read = |path| std::fs::read(path).expect("it is readable");
    paths.into_iter().map(read).collect()
}

/// Takes a byte from the start of an input; 0 at its end.
fn take(input: &mut &[u8]) -> u8 {
    let Some((&first, rest)) = input.split_first() else {
        return 0;
    };
    *input = rest;
    first
}
