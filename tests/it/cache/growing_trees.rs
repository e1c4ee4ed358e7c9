//! Histories that grow and change, and a developer who looks at whole directories after every step.

use std::{collections::BTreeSet, ffi::OsString};

use bstr::ByteSlice;
use jiff::Timestamp;

use super::growing_histories::Growing;
use crate::{
    generated::breadth,
    harness::{
        git::git_program,
        program::{ProgramOutput, Stderr, tblame_program},
        tree_answers::{TreeAnswer, origins_by_git},
    },
};

/// Steps in each history.
const STEPS: usize = 25;

#[test]
fn trees_after_every_step_are_the_same_with_kept_ones() {
    let histories = 4 * breadth() as u64;
    let first = std::env::var("TBLAME_TEST_FIRST_SEED").ok();
    let first: u64 = first.map_or(0, |seed| seed.parse().expect("a number"));
    let mut counts = Counts::default();
    for seed in first..first + histories {
        run(Growing::new(seed + 7_000), &mut counts);
    }
    println!("{counts:?}");
    let shown = counts.differences.len().min(10);
    assert!(
        counts.differences.is_empty(),
        "{} of {} steps differ; the first {shown}:\n\n{}",
        counts.differences.len(),
        counts.steps,
        counts.differences[..shown].join("\n\n")
    );
    for (count, what) in [
        (counts.succeeded, "success"),
        (counts.whole, "kept tree"),
        (counts.met, "version of a kept plan"),
        (counts.lines, "line of a kept blame in another commit"),
        (counts.misses, "miss"),
        (counts.with_last_commits, "directory with last commits"),
        (counts.of_work_tree, "work tree"),
        (counts.lines_of_git, "line of a work tree that git blamed"),
    ] {
        assert!(count > 0, "no {what}: {counts:?}");
    }
}

#[derive(Debug, Default)]
struct Counts {
    steps: usize,
    succeeded: usize,
    /// Runs that found all kept; that used nothing.
    whole: usize,
    misses: usize,
    /// In runs for another commit than the kept one: versions of the kept plan that the history led
    /// to, and lines from kept blames.
    met: usize,
    lines: usize,
    with_last_commits: usize,
    /// Work trees, and their lines that were compared with git's.
    of_work_tree: usize,
    lines_of_git: usize,
    differences: Vec<String>,
}

fn run(mut growing: Growing, counts: &mut Counts) {
    let known = counts.differences.len();
    for step in 0..STEPS {
        for _ in 0..*growing.rng.pick(&[0, 1, 1, 1, 2]) {
            growing.event();
        }
        let look = look(&mut growing);
        counts.steps += 1;
        if let Err(difference) = compare(&mut growing, &look, counts) {
            let shown: Vec<_> = look
                .words
                .iter()
                .map(|word| word.to_string_lossy())
                .collect();
            let difference = format!(
                "seed {}, step {step}, {}: {:?} tblame {}\n{}{difference}",
                growing.seed,
                growing.history.repository.root().display(),
                growing.environment,
                shown.join(" "),
                growing.config.concat()
            );
            eprintln!("{difference}");
            counts.differences.push(difference);
        }
        if counts.differences.len() > known {
            // The repository stays as it is.
            std::mem::forget(growing);
            return;
        }
    }
}

/// A run of `--tree`.
struct Look {
    words: Vec<OsString>,
    /// Those of the words that decide a blame.
    habit: Vec<String>,
    is_of_work_tree: bool,
}

fn look(growing: &mut Growing) -> Look {
    let formats: [&[&str]; 4] = [
        &["--recursive", "--json", "--json-fields=lines"],
        &["--recursive", "--json", "--json-fields=lines"],
        &["--json", "--json-fields=lines"],
        &[],
    ];
    let mut words = vec![OsString::from("--tree")];
    words.extend(growing.rng.pick(&formats).iter().map(OsString::from));
    // Most habits are of one file; those with `-M` cannot be planned.
    let habit = growing.rng.pick(&growing.habits).clone();
    words.extend(habit.iter().map(OsString::from));
    let is_of_work_tree = growing.rng.chance(25);
    if is_of_work_tree {
        growing.soil_work_tree();
    }
    let number = match growing.rng.below(10) {
        _ if is_of_work_tree => growing.head,
        0..7 => growing.head,
        7 => growing.head.saturating_sub(growing.rng.below(6)),
        _ => growing.rng.below(growing.history.ids.len()),
    };
    if !is_of_work_tree {
        words.push(growing.history.ids[number].clone().into());
    }
    let directories: BTreeSet<Vec<u8>> = growing.history.trees[number]
        .keys()
        .filter_map(|path| Some(path[..path.iter().position(|&b| b == b'/')?].to_vec()))
        .collect();
    let directories: Vec<Vec<u8>> = directories.into_iter().collect();
    words.push("--".into());
    if !directories.is_empty() && growing.rng.chance(20) {
        let chosen = growing.rng.pick(&directories).clone();
        words.push(std::os::unix::ffi::OsStringExt::from_vec(chosen));
    } else {
        words.push(".".into());
    }
    Look {
        words,
        habit,
        is_of_work_tree,
    }
}

/// Compares files of the work tree with what git says of each.
fn compare_with_git(
    growing: &mut Growing,
    look: &Look,
    output: &ProgramOutput,
    counts: &mut Counts,
) -> Result<(), String> {
    let answer = TreeAnswer::read(&output.stdout);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let files = answer
        .files
        .keys()
        .filter(|path| path.bytes().all(is_plain));
    let files: Vec<&String> = files.collect();
    for _ in 0..files.len().min(3) {
        let path = growing.rng.pick(&files).as_str();
        let mut git = growing.history.repository.command(git_program());
        git.env("XDG_CONFIG_HOME", growing.cache.config_home());
        git.envs(growing.environment.iter().copied());
        git.args(["blame", "--line-porcelain"]).args(&look.habit);
        let git = ProgramOutput::of(git.args(["--", path]));
        if git.status != Some(0) || git.stdout.contains_str("filename \"") {
            continue;
        }
        let (ours, expected) = (answer.origins(path), origins_by_git(&git.stdout));
        if ours != expected {
            return Err(format!(
                "{path} in the work tree: {ours:?}, git: {expected:?}"
            ));
        }
        counts.lines_of_git += expected.len();
    }
    Ok(())
}

fn compare(growing: &mut Growing, look: &Look, counts: &mut Counts) -> Result<(), String> {
    let words = &look.words;
    let start = Timestamp::now();
    let threads = *growing.rng.pick(&["--threads=1", "--threads=2"]);
    let repository = &growing.history.repository;
    let environment = growing.environment.iter().copied();
    let mut anew = repository.command(tblame_program().as_os_str());
    anew.env("XDG_CONFIG_HOME", growing.cache.config_home());
    anew.envs(environment.clone());
    let anew = ProgramOutput::of(anew.args([threads, "--no-cache"]).args(words));
    let mut others = Vec::new();
    for time in ["first", "second"] {
        let mut command = growing.cache.command(repository, &[threads, "--stats"]);
        command.envs(environment.clone());
        let (output, stats) = without_stats(ProgramOutput::of(command.args(words)));
        let status = output.status;
        others.push((format!("the {time} time, {stats:?}"), output));
        let Some(stats) = stats.filter(|_| status == Some(0)) else {
            continue;
        };
        counts.succeeded += 1;
        match stats {
            TreeStats {
                met: 0, lines: 0, ..
            } => counts.misses += 1,
            TreeStats { compared: 0, .. } => {
                counts.whole += 1;
                let is_recursive = words.iter().any(|word| word == "--recursive");
                counts.with_last_commits += usize::from(!is_recursive);
            }
            TreeStats { met, lines, .. } => {
                counts.met += met;
                counts.lines += lines;
            }
        }
    }
    for (name, output) in others {
        let (output, anew) = (of_one_second(&output, start), of_one_second(&anew, start));
        if let Some(difference) = output.difference(&anew, Stderr::Whole) {
            return Err(format!("{name}: {difference}"));
        }
    }
    let has_lines = words.iter().any(|word| word == "--json-fields=lines");
    if look.is_of_work_tree && has_lines && anew.status == Some(0) {
        counts.of_work_tree += 1;
        compare_with_git(growing, look, &anew, counts)?;
    }
    Ok(())
}

/// The output of a run since `start`: who has not committed yet did so at the time of the run.
pub(super) fn of_one_second(output: &ProgramOutput, start: Timestamp) -> ProgramOutput {
    let mut masked = output.clone();
    for second in start.as_second()..=Timestamp::now().as_second() {
        masked.stdout = masked.stdout.replace(second.to_string(), "now");
    }
    masked
}

/// What `--stats` says of a tree.
#[derive(Debug)]
pub struct TreeStats {
    pub compared: usize,
    pub met: usize,
    pub lines: usize,
}

/// The output without what `--stats` says.
pub fn without_stats(mut output: ProgramOutput) -> (ProgramOutput, Option<TreeStats>) {
    let names = [
        "files: ",
        "versions to compare: ",
        "files blamed alone: ",
        "kept versions met: ",
        "lines from the cache: ",
        "reason: ",
    ];
    let is_stats = |line: &&[u8]| names.iter().any(|name| line.starts_with_str(name));
    let lines = output.stderr.split_inclusive(|&byte| byte == b'\n');
    let (stats, rest): (Vec<&[u8]>, Vec<&[u8]>) = lines.partition(is_stats);
    let rest = rest.concat();
    let number = |name: &str| {
        let mut found = stats
            .iter()
            .filter_map(|line| line.strip_prefix(name.as_bytes()));
        found.next()?.to_str().ok()?.trim_end().parse().ok()
    };
    let found = (|| {
        Some(TreeStats {
            compared: number(names[1])?,
            met: number(names[3])?,
            lines: number(names[4])?,
        })
    })();
    output.stderr = rest;
    (output, found)
}
