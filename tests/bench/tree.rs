//! Blames of all files of a directory: how long they take, and whether they are those of each file
//! alone.
//!
//! `cargo bench --bench tree -- REPOSITORY` times the plan and the blames; `--check` compares every
//! line of every file with the blame of the file alone, which takes as long as those.

use std::{
    collections::HashMap,
    ops::Range,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use clap::Parser;
use tblame::internals::{
    engine::{
        Discard, DiscardProgress, Engine, Entry, Origin, PlannedBlame, Request, Start, TreePlan,
    },
    objects::ObjectId,
    repository::Repository,
};

/// Blames all files of a directory.
#[derive(Debug, Parser)]
#[command(name = "tree")]
struct Arguments {
    /// A repository, bare or not
    #[arg(required = true)]
    repository: PathBuf,
    /// The commit's id
    #[arg(long)]
    commit: String,
    /// The directory in it
    #[arg(long, default_value = "")]
    directory: String,
    /// How many threads blame files
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Blame no file
    #[arg(long)]
    plan: bool,
    /// Compare with the blame of each file alone
    #[arg(long)]
    check: bool,
    /// Only every Nth file is compared
    #[arg(long, default_value_t = 1)]
    every: usize,
    #[arg(long)]
    first_parent: bool,
    #[arg(long)]
    ignore_whitespace: bool,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// Final lines, the line in the commit, the commit and path, the parent's commit and path, and
/// marks.
type Attribution = (
    Range<u32>,
    u32,
    ObjectId,
    String,
    Option<(ObjectId, String)>,
    [bool; 3],
);

fn attribution(
    entries: &[Entry],
    origins: &[Origin],
    is_boundary: impl Fn(&ObjectId) -> bool,
) -> Vec<Attribution> {
    let entries = entries.iter().map(|entry| {
        let origin = &origins[entry.origin.0 as usize];
        let previous = origin.previous.map(|previous| {
            let previous = &origins[previous.0 as usize];
            (previous.commit, previous.path.to_string())
        });
        let marks = [entry.ignored, entry.unblamable, is_boundary(&origin.commit)];
        (
            entry.lines.clone(),
            entry.source_start,
            origin.commit,
            origin.path.to_string(),
            previous,
            marks,
        )
    });
    entries.collect()
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().collect::<Vec<_>>();
    if arguments.len() == 2 && arguments[1] == "--bench" {
        // A plain `cargo bench` runs everything: without a repository there is nothing to do.
        arguments[1] = "--help".into();
    }
    let arguments = Arguments::parse_from(arguments);
    let opened = Repository::open_own(&arguments.repository).expect("a repository");
    let commit = ObjectId::from_hex(arguments.commit.as_bytes()).expect("an id");
    let mut request = Request::new(Start::Commit(commit), arguments.directory.as_str().into());
    request.first_parent = arguments.first_parent;
    request.diff.ignore_whitespace = arguments.ignore_whitespace;
    let start = Instant::now();
    let mut engine = Engine::new(Arc::clone(opened.store()), 1);
    let plan = engine
        .plan_tree(&request, &mut DiscardProgress)
        .expect("a plan");
    let plan = plan.expect("it was not stopped");
    drop(engine);
    println!(
        "plan: {} files, {} records, {:.3} s, {:?}",
        plan.files().len(),
        plan.record_count(),
        start.elapsed().as_secs_f64(),
        plan.unplanned(),
    );
    if arguments.plan {
        return ExitCode::SUCCESS;
    }
    let blames = blame_all(&opened, &plan, arguments.threads);
    let lines: u64 = blames
        .values()
        .map(|blame| u64::from(blame.line_count))
        .sum();
    let alone = blames.values().filter(|blame| blame.is_alone).count();
    println!(
        "all: {} files, {alone} alone, {lines} lines, {:.3} s",
        blames.len(),
        start.elapsed().as_secs_f64(),
    );
    if !arguments.check {
        return ExitCode::SUCCESS;
    }
    let mut engine = Engine::new(Arc::clone(opened.store()), 2);
    let (mut same, mut different) = (0, 0);
    for (at, file) in plan.files().iter().enumerate().step_by(arguments.every) {
        if file.is_submodule {
            continue;
        }
        let mut request = request.clone();
        request.path = file.path.clone();
        let alone = engine.blame(&request, &mut Discard);
        let found = blames.get(&at);
        let is_same = match (&alone, found) {
            (Ok(alone), Some(found)) => {
                let expected = attribution(&alone.entries, &alone.origins, |id| {
                    alone.boundaries.contains(id)
                });
                let found = attribution(&found.entries, &found.origins, |id| {
                    found.boundaries.contains(id)
                });
                expected == found
            }
            (Err(_), None) => true,
            _ => false,
        };
        if is_same {
            same += 1;
        } else {
            different += 1;
            println!("different: {}", file.path);
        }
    }
    println!("{same} files the same, {different} different");
    ExitCode::from(u8::from(different > 0 || same == 0))
}

fn blame_all(
    repository: &Repository,
    plan: &TreePlan,
    threads: usize,
) -> HashMap<usize, PlannedBlame> {
    let next = AtomicUsize::new(0);
    let blames = Mutex::new(HashMap::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut engine = Engine::new(Arc::clone(repository.store()), 1);
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = plan.files().get(at) else {
                        break;
                    };
                    if file.is_submodule {
                        continue;
                    }
                    match engine.blame_planned(plan, at) {
                        Ok(blame) => drop(blames.lock().expect("no panic").insert(at, blame)),
                        Err(err) => println!("{}: {err}", file.path),
                    }
                }
            });
        }
    });
    blames.into_inner().expect("no panic")
}
