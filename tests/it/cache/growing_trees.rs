//! Histories that grow and change, and a developer who looks at whole directories after every step.

use std::{collections::BTreeSet, ffi::OsString};

use bstr::ByteSlice;

use super::growing_histories::Growing;
use crate::{
    generated::breadth,
    harness::program::{ProgramOutput, Stderr, tblame_program},
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
    differences: Vec<String>,
}

fn run(mut growing: Growing, counts: &mut Counts) {
    let known = counts.differences.len();
    for step in 0..STEPS {
        for _ in 0..*growing.rng.pick(&[0, 1, 1, 1, 2]) {
            growing.event();
        }
        let words = words(&mut growing);
        counts.steps += 1;
        if let Err(difference) = compare(&mut growing, &words, counts) {
            let shown: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
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

fn words(growing: &mut Growing) -> Vec<OsString> {
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
    words.extend(habit.into_iter().map(OsString::from));
    let number = match growing.rng.below(10) {
        0..7 => growing.head,
        7 => growing.head.saturating_sub(growing.rng.below(6)),
        _ => growing.rng.below(growing.history.ids.len()),
    };
    words.push(growing.history.ids[number].clone().into());
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
    words
}

fn compare(growing: &mut Growing, words: &[OsString], counts: &mut Counts) -> Result<(), String> {
    let threads = *growing.rng.pick(&["--threads=1", "--threads=2"]);
    let repository = &growing.history.repository;
    let environment = growing.environment.iter().copied();
    let mut anew = repository.command(tblame_program().as_os_str());
    anew.env("XDG_CONFIG_HOME", growing.cache.config_home());
    anew.envs(environment.clone());
    let anew = ProgramOutput::of(anew.args([threads, "--no-cache"]).args(words));
    for time in ["first", "second"] {
        let mut command = growing.cache.command(repository, &[threads, "--stats"]);
        command.envs(environment.clone());
        let (output, stats) = without_stats(ProgramOutput::of(command.args(words)));
        if let Some(difference) = output.difference(&anew, Stderr::Whole) {
            return Err(format!("the {time} time, {stats:?}: {difference}"));
        }
        let Some(stats) = stats.filter(|_| output.status == Some(0)) else {
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
    Ok(())
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
