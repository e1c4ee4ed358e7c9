//! The requested lines themselves, told from the lines around them that git's rule adds.
//!
//! The lines of the generated histories have names of their own, so that it is known which commits changed each of them.

use std::collections::BTreeMap;

use bstr::ByteSlice;

use crate::{
    harness::{
        compare::seed_count,
        named_history::{HistoryBuilder, NamedHistory},
        program::{ProgramOutput, tblame_program},
        rng::Rng,
    },
    line_history::changes_of_git,
};

const SEEDS: u64 = 8;
const NAMES: &str =
    "c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19 c20 c21 c22 c23";

/// A line with a name that it keeps, and words that commits change.
#[derive(Clone, PartialEq)]
struct Line {
    name: String,
    words: String,
}

fn letters(rng: &mut Rng, count: usize) -> String {
    let letter = |_| char::from(b'a' + rng.below(26) as u8);
    (0..count).map(letter).collect()
}

fn new_line(rng: &mut Rng) -> Line {
    Line {
        name: letters(rng, 24),
        words: letters(rng, 6),
    }
}

/// Changes some of the lines of a block, and adds and removes some.
fn edit(rng: &mut Rng, lines: &[Line]) -> Vec<Line> {
    let start = rng.below(lines.len());
    let end = (start + rng.between(1, 6)).min(lines.len());
    let mut edited = lines[..start].to_vec();
    for line in &lines[start..end] {
        match rng.below(10) {
            0 => continue,
            // Two, as one that replaces one is taken for the same.
            1 => edited.extend([new_line(rng), new_line(rng), line.clone()]),
            2..=7 => edited.push(Line {
                words: letters(rng, 6),
                ..line.clone()
            }),
            _ => edited.push(line.clone()),
        }
    }
    edited.extend_from_slice(&lines[end..]);
    if edited.is_empty() {
        edited.push(new_line(rng));
    }
    edited
}

fn text(lines: &[Line]) -> String {
    let lines = lines.iter();
    lines
        .map(|line| format!("{} {}\n", line.name, line.words))
        .collect()
}

/// What tblame says of each commit: `wrote`, `changed` or `none`.
fn own_changes(history: &NamedHistory, line: usize) -> Vec<(String, String)> {
    let mut command = history.repository.command(tblame_program().as_os_str());
    command.args(["--line-history", "--json", &format!("-L{line},{line}")]);
    let output = ProgramOutput::of(command.args(["HEAD", "--", "f"]));
    assert_eq!(output.stderr.as_bstr(), b"");
    let text = output.stdout.to_str_lossy();
    let value = |record: &str, key: &str| {
        let (_, rest) = record.split_once(&format!("\"{key}\":\""))?;
        Some(rest.split('"').next()?.to_owned())
    };
    let changes = text.lines().filter(|line| line.contains("\"change\""));
    changes
        .map(|record| {
            let commit = value(record, "commit").expect("a commit");
            let change = value(record, "ownChange").expect("what it did");
            (commit, change)
        })
        .collect()
}

#[test]
fn commits_that_changed_a_line_are_told_from_those_that_changed_its_neighbours() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 31_000..31_000 + seed_count(SEEDS) {
        let mut rng = Rng::new(seed);
        let mut versions = vec![(0..12).map(|_| new_line(&mut rng)).collect::<Vec<Line>>()];
        for _ in NAMES.split(' ').skip(1) {
            let last = versions.last().expect("there is one");
            versions.push(edit(&mut rng, last));
        }
        let mut builder = HistoryBuilder::default();
        let names: Vec<&str> = NAMES.split(' ').collect();
        for (nth, lines) in versions.iter().enumerate() {
            let parent = nth.checked_sub(1).map(|before| names[before]);
            let parents: Vec<&str> = parent.into_iter().collect();
            builder = builder.commit(names[nth], nth as u64 + 1, &parents, &[("f", &text(lines))]);
        }
        let history = builder.build();
        let last = versions.last().expect("there is one");
        for (at, line) in last.iter().enumerate() {
            let find = |version: &[Line]| version.iter().find(|it| it.name == line.name).cloned();
            // The oldest first.
            let mut expected: Vec<(String, String)> = Vec::new();
            for (nth, version) in versions.iter().enumerate() {
                let before = nth
                    .checked_sub(1)
                    .and_then(|before| find(&versions[before]));
                let change = match (before, find(version)) {
                    (None, Some(_)) => "wrote",
                    (Some(before), Some(now)) if before != now => "changed",
                    _ => continue,
                };
                expected.push((history.id(names[nth]).to_owned(), change.to_owned()));
            }
            expected.reverse();
            let found = own_changes(&history, at + 1);
            let range = [format!("{0},{0}", at + 1)];
            let git = changes_of_git(&history.repository, "HEAD", b"f", &range, &[]);
            let git: Vec<_> = git
                .expect("git succeeds")
                .into_iter()
                .map(|it| it.commit)
                .collect();
            let commits: Vec<_> = found.iter().map(|(commit, _)| commit.clone()).collect();
            assert_eq!(commits, git, "seed {seed}, line {}", at + 1);
            for (_, change) in &found {
                *counts.entry(change.clone()).or_default() += 1;
            }
            let own: Vec<_> = found
                .into_iter()
                .filter(|(_, change)| change != "none")
                .collect();
            assert_eq!(own, expected, "seed {seed}, line {}", at + 1);
        }
    }
    eprintln!("{counts:?}");
    for change in ["wrote", "changed", "none"] {
        assert!(
            counts.get(change).is_some_and(|count| *count >= 50),
            "{counts:?}"
        );
    }
}
