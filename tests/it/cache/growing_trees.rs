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
        (counts.singles, "single file"),
        (counts.lines_of_singles, "line of a single file"),
        (counts.of_work_tree, "work tree"),
        (counts.lines_of_git, "line that git blamed"),
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
    /// Single files that were blamed before a tree, and the lines of trees that came from these
    /// alone.
    singles: usize,
    lines_of_singles: usize,
    of_work_tree: usize,
    /// Lines that were compared with git's.
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
        let has_singles = growing.rng.chance(50);
        let blamed = if has_singles {
            blame_singles(&mut growing, &look, counts)
        } else {
            Ok(())
        };
        if let Err(difference) =
            blamed.and_then(|()| compare(&mut growing, &look, has_singles, counts))
        {
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
    /// The number of its commit.
    number: usize,
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
        number,
    }
}

/// Blames single files, as the whole tree will be, in its commit or an older one.
fn blame_singles(growing: &mut Growing, look: &Look, counts: &mut Counts) -> Result<(), String> {
    for _ in 0..growing.rng.between(1, 4) {
        let back = growing.rng.below(8);
        let number = if growing.rng.chance(60) {
            look.number
        } else {
            look.number.saturating_sub(back)
        };
        let files = growing.history.trees[number].iter();
        let files = files.filter(|(path, file)| path.iter().all(is_plain) && file.mode != 0o160000);
        let paths: Vec<String> = files
            .map(|(path, _)| String::from_utf8_lossy(path).into_owned())
            .collect();
        if paths.is_empty() {
            return Ok(());
        }
        let path = growing.rng.pick(&paths).clone();
        let mut words = vec!["--porcelain".to_owned()];
        words.extend(look.habit.iter().cloned());
        let id = growing.history.ids[number].clone();
        words.extend([id, "--".to_owned(), path]);
        let run = |words: &[String]| {
            let mut command = growing.cache.command(&growing.history.repository, words);
            command.envs(growing.environment.iter().copied());
            ProgramOutput::of(&mut command)
        };
        let output = run(&words);
        words.insert(0, "--no-cache".to_owned());
        if let Some(difference) = output.difference(&run(&words), Stderr::Whole) {
            return Err(format!("{words:?}: {difference}"));
        }
        counts.singles += usize::from(output.status == Some(0));
    }
    Ok(())
}

/// True for a byte of a path that git does not quote.
fn is_plain(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/._-".contains(byte)
}

/// Compares files with what git says of each: all, or some.
fn compare_with_git(
    growing: &mut Growing,
    look: &Look,
    output: &ProgramOutput,
    are_all: bool,
    counts: &mut Counts,
) -> Result<(), String> {
    let answer = TreeAnswer::read(&output.stdout);
    let files = answer
        .files
        .keys()
        .filter(|path| path.bytes().all(|byte| is_plain(&byte)));
    let files: Vec<&String> = files.collect();
    let chosen: Vec<&String> = if are_all {
        files
    } else {
        let some = (0..files.len().min(3)).map(|_| *growing.rng.pick(&files));
        some.collect()
    };
    for path in chosen {
        let mut git = growing.history.repository.command(git_program());
        git.env("XDG_CONFIG_HOME", growing.cache.config_home());
        git.envs(growing.environment.iter().copied());
        git.args(["blame", "--line-porcelain"]).args(&look.habit);
        if !look.is_of_work_tree {
            git.arg(&growing.history.ids[look.number]);
        }
        let git = ProgramOutput::of(git.args(["--", path]));
        if git.status != Some(0) || git.stdout.contains_str("filename \"") {
            continue;
        }
        let (ours, expected) = (answer.origins(path), origins_by_git(&git.stdout));
        if ours != expected {
            return Err(format!("{path}: {ours:?}, git: {expected:?}"));
        }
        counts.lines_of_git += expected.len();
    }
    Ok(())
}

fn compare(
    growing: &mut Growing,
    look: &Look,
    has_singles: bool,
    counts: &mut Counts,
) -> Result<(), String> {
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
            TreeStats { met: 0, lines, .. } => counts.lines_of_singles += lines,
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
    if has_lines && anew.status == Some(0) && (look.is_of_work_tree || has_singles) {
        counts.of_work_tree += usize::from(look.is_of_work_tree);
        compare_with_git(growing, look, &anew, has_singles, counts)?;
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
    /// Files that were blamed alone.
    pub alone: usize,
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
            alone: number(names[2])?,
            met: number(names[3])?,
            lines: number(names[4])?,
        })
    })();
    output.stderr = rest;
    (output, found)
}
