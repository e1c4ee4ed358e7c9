//! A developer who pulls every commit: after each, a file that it changed is blamed, with what is kept from the days
//! before, and compared with git.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    process::{Command, ExitCode, Stdio},
};

use super::{Arguments, Cache, Subject, output};
use crate::harness::rng::Rng;

/// A commit, and the files that it changed.
struct Day {
    commit: String,
    files: Vec<OsString>,
}

#[derive(Debug, Default)]
struct Counts {
    blames: usize,
    /// All lines came from a kept blame; some did; none did.
    hits: usize,
    splices: usize,
    misses: usize,
    differences: usize,
}

pub fn run(arguments: &Arguments, subjects: &[Subject], commits: usize) -> ExitCode {
    let mut all_same = true;
    println!("| history | commits | blames | hits | splices | misses | differences |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for subject in subjects {
        let days = days(arguments, subject, commits);
        let counts = walk(arguments, subject, &days);
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            subject.name,
            days.len(),
            counts.blames,
            counts.hits,
            counts.splices,
            counts.misses,
            counts.differences
        );
        all_same &= counts.differences == 0 && counts.blames > 0;
    }
    if all_same {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The last commits along the first parents, oldest first.
fn days(arguments: &Arguments, subject: &Subject, commits: usize) -> Vec<Day> {
    let mut log = Command::new(&arguments.git);
    log.current_dir(&subject.with_graph);
    log.args([
        "log",
        "--first-parent",
        "--diff-merges=first-parent",
        "--reverse",
        "-z",
    ]);
    log.args(["--name-only", "--diff-filter=AMR", "--format=%x01%H", "-n"]);
    let log = output(log.arg(commits.to_string())).stdout;
    let mut days: Vec<Day> = Vec::new();
    for field in log.split(|&b| b == 0 || b == b'\n') {
        match (field.strip_prefix(b"\x01"), days.last_mut()) {
            (Some(commit), _) => days.push(Day {
                commit: String::from_utf8_lossy(commit).into_owned(),
                files: Vec::new(),
            }),
            (None, Some(day)) if !field.is_empty() => {
                day.files.push(OsString::from_vec(field.to_vec()));
            }
            _ => {}
        }
    }
    days
}

fn walk(arguments: &Arguments, subject: &Subject, days: &[Day]) -> Counts {
    let mut counts = Counts::default();
    let mut rng = Rng::new(arguments.seed);
    let cache = Cache::new();
    // The files of the days before, those of yesterday last.
    let mut known: Vec<OsString> = Vec::new();
    for day in days {
        let mut files = Vec::new();
        if !day.files.is_empty() {
            // Rather one that was looked at before.
            let again: Vec<_> = day
                .files
                .iter()
                .filter(|file| known.contains(file))
                .collect();
            files.push(if again.is_empty() {
                rng.pick(&day.files).clone()
            } else {
                (*rng.pick(&again)).clone()
            });
        }
        if !known.is_empty() && rng.chance(40) {
            let recent = &known[known.len().saturating_sub(5)..];
            files.push(rng.pick(recent).clone());
        }
        for file in files {
            blame(arguments, subject, &cache, &day.commit, &file, &mut counts);
            known.retain(|other| *other != file);
            known.push(file);
        }
    }
    counts
}

fn blame(
    arguments: &Arguments,
    subject: &Subject,
    cache: &Cache,
    commit: &str,
    file: &OsStr,
    counts: &mut Counts,
) {
    let mut git = Command::new(&arguments.git);
    git.current_dir(&subject.with_graph)
        .args(["blame", "--porcelain", commit, "--"]);
    let mut tblame = Command::new(&arguments.tblame);
    tblame
        .current_dir(&subject.path)
        .args(["--porcelain", "--stats", commit, "--"]);
    cache.apply(tblame.arg(file).stdin(Stdio::null()));
    let (theirs, ours) = (output(git.arg(file)), output(&mut tblame));
    counts.blames += 1;
    if theirs.stdout != ours.stdout || theirs.status.code() != ours.status.code() {
        counts.differences += 1;
        println!("differs: {tblame:?}");
    }
    let number = |name: &[u8]| -> Option<usize> {
        let mut lines = ours.stderr.split(|&b| b == b'\n');
        let line = lines.find(|line| line.starts_with(name))?;
        let number = line
            .split(|&b| b == b' ')
            .filter(|word| !word.is_empty())
            .nth(1)?;
        OsStr::from_bytes(number).to_str()?.parse().ok()
    };
    match (number(b"kept "), number(b"commits ")) {
        (Some(0) | None, _) => counts.misses += 1,
        (_, Some(1)) => counts.hits += 1,
        _ => counts.splices += 1,
    }
}
