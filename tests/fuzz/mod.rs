//! Mutated inputs for everything that reads bytes of a repository or of a terminal.
//!
//! A [`Target`] reads one input and checks what must hold; [`run`] mutates its seeds and counts. The same seed gives the
//! same inputs, whatever the machine, as long as no time limit ends the run.

mod changed;
mod files;
pub mod mutator;
mod remembered;
mod stored;
mod streams;
mod texts;

use std::{
    any::Any,
    collections::HashSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    time::{Duration, Instant},
};

use tblame::internals::cpu_time;

use crate::harness::rng::Rng;
use mutator::Mutator;

/// An input that takes longer, in time of the processor, is a failure.
const LONGEST: Duration = Duration::from_secs(2);

/// How long a reading of the thread's time is taken for its time at the start of an input. To read it takes longer than most inputs.
const READING_HOLDS: Duration = Duration::from_millis(100);

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
pub const TARGETS: [Named; 21] = [
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
    named(
        "remembered-history",
        || Box::new(remembered::RememberedHistory::new()),
        40,
    ),
    named("blames", || Box::new(changed::Blames::new()), 3),
];

const fn named(name: &'static str, make: fn() -> Box<dyn Target>, slice: usize) -> Named {
    Named { name, make, slice }
}

/// A target whose inputs must not take long, whatever else the machine does.
pub struct Watched {
    target: Box<dyn Target>,
    /// When the time of the thread was read, and what it was; no time on systems that do not tell.
    reading: (Instant, Option<Duration>),
    /// The longest input so far, by the clock.
    pub longest: Duration,
}

impl Watched {
    pub fn new(target: Box<dyn Target>) -> Watched {
        Watched {
            target,
            reading: (Instant::now(), cpu_time::of_thread()),
            longest: Duration::ZERO,
        }
    }

    pub fn most_bytes(&self) -> usize {
        self.target.most_bytes()
    }

    /// Reads an input, as [`Target::run`] does.
    ///
    /// # Errors
    ///
    /// Also if it took too long.
    pub fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let start = Instant::now();
        if start - self.reading.0 > READING_HOLDS {
            self.reading = (start, cpu_time::of_thread());
        }
        let result = self.target.run(input);
        let took = start.elapsed();
        self.longest = self.longest.max(took);
        if took > LONGEST {
            let used = self
                .reading
                .1
                .and_then(|before| Some(cpu_time::of_thread()? - before));
            let used = used.unwrap_or(took);
            ensure(used < LONGEST + READING_HOLDS, || format!("took {used:?}"))?;
        }
        result
    }
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
pub fn run(target: Box<dyn Target>, seed: u64, is_enough: impl Fn(u64) -> bool) -> Report {
    let mut rng = Rng::new(seed);
    let mut target = Watched::new(target);
    let mut pool = target.target.seeds();
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
                    words: target.target.words(),
                    most_bytes: target.most_bytes(),
                };
                mutator.mutated(&pool, &mut rng)
            }
        };
        let result = catch_unwind(AssertUnwindSafe(|| target.run(&input)));
        report.executions += 1;
        let failure = match result {
            Ok(Ok(outcome)) => {
                if outcomes.insert(outcome) && pool.len() < MOST_KEPT {
                    pool.push(input.clone());
                }
                None
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
    report.longest = target.longest;
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

/// Writes the seeds of a target to files of a directory, and its words as a dictionary of libFuzzer beside that.
///
/// # Errors
///
/// If the files cannot be written.
#[allow(dead_code, reason = "the bench does it")]
pub fn write_seeds(target: &dyn Target, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for (number, seed) in target.seeds().iter().enumerate() {
        fs::write(directory.join(format!("seed-{number}")), seed)?;
    }
    let mut words = String::new();
    for word in target.words() {
        let bytes = word.iter().map(|byte| format!("\\x{byte:02x}"));
        words += &format!("\"{}\"\n", bytes.collect::<String>());
    }
    // libFuzzer refuses an empty one.
    if words.is_empty() {
        Ok(())
    } else {
        fs::write(directory.with_extension("dict"), words)
    }
}

/// The committed seeds of a target: each file of its directory, or each line of its list.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    // The package of cargo-fuzz lies in a directory of this one.
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut roots = packages.map(|package| package.join("tests/fuzz/corpus"));
    let root = roots.find(|root| root.is_dir()).expect("it is committed");
    if let Ok(list) = fs::read(root.join(name).with_extension("txt")) {
        let lines = list.split(|&byte| byte == b'\n');
        return lines
            .filter(|line| !line.is_empty())
            .map(Vec::from)
            .collect();
    }
    let files = fs::read_dir(root.join(name)).expect("the corpus has it");
    let mut paths: Vec<_> = files
        .map(|file| file.expect("it can be listed").path())
        .collect();
    paths.sort();
    let read = |path| fs::read(path).expect("it is readable");
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
