//! Blames of all files of a directory: how long they take, and whether they are those of each file
//! alone.
//!
//! `cargo bench --bench tree -- REPOSITORY` times the plan and the blames; `--check` compares every
//! line of every file with the blame of the file alone, which takes as long as those; `--git COUNT`
//! those of random files with `git blame`; `--last-commits RUNS` finds the last commits of the entries
//! of the directory, and times `git last-modified` beside it where git has it.

#[path = "../harness/mod.rs"]
mod harness;

use std::{
    collections::HashMap,
    ops::Range,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use bstr::{BString, ByteSlice};
use clap::Parser;
use tblame::internals::{
    engine::{
        Discard, DiscardProgress, Engine, Entry, Origin, PlannedBlame, Request, Start, TreePlan,
    },
    objects::ObjectId,
    repository::{Repository, tree::tree_nodes::LastCommits},
};

use harness::{
    git::git_program,
    program::ProgramOutput,
    rng::Rng,
    tree_answers::{LineOrigin, origins_by_git},
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
    /// Blame only so many random files, and compare their lines with those of git
    #[arg(long)]
    git: Option<usize>,
    /// Only find the last commit of each entry, so many times
    #[arg(long)]
    last_commits: Option<usize>,
    /// Draws these files
    #[arg(long, default_value_t = 1)]
    seed: u64,
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
    if let Some(runs) = arguments.last_commits {
        return last_commits(&arguments, &request, runs);
    }
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
    if let Some(count) = arguments.git {
        return compare_with_git(&arguments, &opened, &plan, count);
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

/// Finds the last commits of the entries as a new process does, in turn with `git last-modified`.
/// Commits must be the same.
fn last_commits(arguments: &Arguments, request: &Request, runs: usize) -> ExitCode {
    let (mut ours, mut of_git) = (Vec::new(), Vec::new());
    let mut differ = 0;
    for _ in 0..runs {
        let start = Instant::now();
        let opened = Repository::open_own(&arguments.repository).expect("a repository");
        let mut engine = Engine::new(Arc::clone(opened.store()), 2);
        let (found, is_complete) =
            LastCommits::find(&mut engine, request, &|| false).expect("a directory");
        assert!(is_complete);
        ours.push(start.elapsed());
        let start = Instant::now();
        let expected = last_commits_of_git(arguments);
        let Some(expected) = expected else { continue };
        of_git.push(start.elapsed());
        differ += found.0.len().abs_diff(expected.len());
        differ += (found.0.iter())
            .filter(|(name, commit)| expected.get(*name) != Some(commit))
            .count();
        println!("{} entries, {differ} different", found.0.len());
    }
    for (name, mut times) in [("last commits", ours), ("git last-modified", of_git)] {
        times.sort();
        match times.get(times.len() / 2) {
            Some(median) => {
                let (median, runs) = (median.as_secs_f64() * 1e3, times.len());
                println!("{name}: {median:.1} ms (median of {runs})");
            }
            None => println!("{name}: not timed"),
        }
    }
    ExitCode::from(u8::from(differ > 0))
}

/// The last commit of each entry by git; `None` if it has no command for it.
fn last_commits_of_git(arguments: &Arguments) -> Option<HashMap<BString, ObjectId>> {
    let mut git = Command::new(git_program());
    git.arg("-C").arg(&arguments.repository);
    git.args(["last-modified", "-z", &arguments.commit]);
    if !arguments.directory.is_empty() {
        git.arg("--").arg(format!("{}/", arguments.directory));
    }
    let output = ProgramOutput::of(&mut git);
    if output.status != Some(0) {
        return None;
    }
    let rows = output
        .stdout
        .split(|&byte| byte == 0)
        .filter(|row| !row.is_empty());
    let parsed = rows.map(|row| {
        let (id, path) = row.split_once_str("\t").expect("an id and a path");
        let name = path.rsplit_once_str("/").map_or(path, |(_, name)| name);
        (name.into(), ObjectId::from_hex(id).expect("an id"))
    });
    Some(parsed.collect())
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

/// Compares the lines of random files with those of git.
fn compare_with_git(
    arguments: &Arguments,
    repository: &Repository,
    plan: &TreePlan,
    count: usize,
) -> ExitCode {
    let mut rng = Rng::new(arguments.seed);
    let files = plan.files().iter().enumerate();
    let mut left: Vec<usize> = files
        .filter_map(|(at, file)| (!file.is_submodule).then_some(at))
        .collect();
    let mut engine = Engine::new(Arc::clone(repository.store()), 1);
    let (mut files, mut lines, mut alone, mut different) = (0, 0, 0, 0);
    while files < count && !left.is_empty() {
        let at = left.swap_remove(rng.below(left.len()));
        let path = &plan.files()[at].path;
        let blame = engine.blame_planned(plan, at).expect("it can be blamed");
        let ours = line_origins(&blame);
        let expected = blame_of_git(arguments, path.to_path().expect("a name of this system"));
        files += 1;
        lines += expected.len();
        alone += usize::from(blame.is_alone);
        if ours != expected {
            let differ = ours
                .iter()
                .zip(&expected)
                .filter(|(one, other)| one != other);
            let differ = differ.count() + ours.len().abs_diff(expected.len());
            different += differ;
            println!("{path}: {differ} of {} lines differ", expected.len());
        }
    }
    println!(
        "{files} files, {alone} alone, {lines} lines, {different} different from those of git"
    );
    ExitCode::from(u8::from(different > 0 || lines == 0))
}

/// The origin of each line.
fn line_origins(blame: &PlannedBlame) -> Vec<LineOrigin> {
    let mut lines = Vec::new();
    for entry in &blame.entries {
        let origin = &blame.origins[entry.origin.0 as usize];
        for (number, _) in (entry.source_start as usize + 1..).zip(entry.lines.clone()) {
            lines.push((origin.commit.to_string(), origin.path.to_string(), number));
        }
    }
    lines
}

/// The same by git.
fn blame_of_git(arguments: &Arguments, path: &Path) -> Vec<LineOrigin> {
    let mut git = Command::new(git_program());
    git.arg("-C").arg(&arguments.repository);
    git.args(["-c", "core.quotePath=false", "blame", "--line-porcelain"]);
    git.args(arguments.first_parent.then_some("--first-parent"));
    git.args(arguments.ignore_whitespace.then_some("-w"));
    let output = ProgramOutput::of(git.arg(&arguments.commit).arg("--").arg(path));
    assert_eq!(output.status, Some(0), "git blame {}", path.display());
    origins_by_git(&output.stdout)
}
