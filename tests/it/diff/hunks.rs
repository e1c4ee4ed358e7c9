//! The line diff against git's own, on random pairs of texts.

use std::collections::HashMap;

use tblame::internals::diff::LineInterner;
use tblame::internals::diff::{Algorithm, DiffOptions, Differ, Hunk, OlderDiff};

use super::{
    chosen_pairs::{chosen_pairs, pairs_at_shortcuts},
    text_pairs::{Pair, huge_pairs, pairs},
};
use crate::harness::{
    compare::seed_count,
    git::git_version,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// A repository whose commits `old` and `new` hold the two sides of each pair under its number.
struct Oracle {
    repository: TestRepo,
}

impl Oracle {
    fn new(pairs: &[Pair]) -> Oracle {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        let mut stream = Vec::new();
        let sides: [fn(&Pair) -> &Vec<u8>; 2] = [|pair| &pair.0, |pair| &pair.1];
        for (branch, side) in ["old", "new"].into_iter().zip(sides) {
            let header = format!("commit refs/heads/{branch}\ncommitter a <a> 1 +0000\ndata 0\n");
            stream.extend(header.bytes());
            for (nth, pair) in pairs.iter().enumerate() {
                let text = side(pair);
                stream.extend(format!("M 644 inline {nth}\ndata {}\n", text.len()).bytes());
                stream.extend_from_slice(text);
                stream.push(b'\n');
            }
        }
        repository.git_with_input(&["fast-import", "--quiet"], &stream);
        Oracle { repository }
    }

    /// git's hunks of all pairs that have any.
    fn hunks(&self, options: &DiffOptions) -> HashMap<usize, Vec<Hunk>> {
        let algorithm = match options.algorithm {
            Algorithm::Myers => "--diff-algorithm=myers",
            Algorithm::Minimal => "--diff-algorithm=minimal",
            Algorithm::Patience => "--diff-algorithm=patience",
            Algorithm::Histogram => "--diff-algorithm=histogram",
        };
        let indent = if options.indent_heuristic {
            "--indent-heuristic"
        } else {
            "--no-indent-heuristic"
        };
        let mut arguments = vec![
            "diff",
            "-U0",
            "--text",
            "--no-color",
            "--no-renames",
            algorithm,
            indent,
        ];
        if options.ignore_whitespace {
            arguments.push("-w");
        }
        arguments.extend(["old", "new"]);
        let mut all: HashMap<usize, Vec<Hunk>> = HashMap::new();
        let mut number = 0;
        for line in self.repository.git(&arguments).split(|&b| b == b'\n') {
            if line.starts_with(b"diff --git ") {
                let path = line.rsplit(|&b| b == b'/').next().expect("at least one");
                number = std::str::from_utf8(path)
                    .ok()
                    .and_then(|path| path.parse().ok())
                    .expect("paths are numbers");
            } else if line.starts_with(b"@@ ") {
                all.entry(number).or_default().push(hunk(line));
            }
        }
        all
    }
}

/// Reads `@@ -a,ca +b,cb @@`.
fn hunk(line: &[u8]) -> Hunk {
    let text = String::from_utf8_lossy(line);
    let mut ranges = text.split(' ').skip(1).map(|word| {
        let (start, count) = word[1..].split_once(',').unwrap_or((&word[1..], "1"));
        let number = |text: &str| text.parse::<u32>().expect("a line number or a count");
        let (start, count) = (number(start), number(count));
        let start = if count == 0 { start } else { start - 1 };
        start..start + count
    });
    let mut next = || ranges.next().expect("two ranges");
    Hunk {
        old: next(),
        new: next(),
    }
}

/// All settings, or those of one algorithm.
fn settings(algorithm: Algorithm) -> impl Iterator<Item = DiffOptions> {
    let both = [false, true];
    both.into_iter().flat_map(move |ignore_whitespace| {
        both.into_iter().map(move |indent_heuristic| DiffOptions {
            algorithm,
            ignore_whitespace,
            indent_heuristic,
            older: OlderDiff {
                minimal: git_version() < (2, 50),
                histogram: git_version() < (2, 54),
            },
        })
    })
}

/// Compares all pairs; returns how many have hunks.
fn check(oracle: &Oracle, pairs: &[Pair], options: &DiffOptions) -> usize {
    let git = oracle.hunks(options);
    let mut differ = Differ::default();
    let mut lines = LineInterner::new(options.ignore_whitespace);
    let (mut old, mut new, mut hunks) = (Vec::new(), Vec::new(), Vec::new());
    let mut compared = 0;
    for (nth, pair) in pairs.iter().enumerate() {
        old.clear();
        new.clear();
        lines.tokenize(&pair.0, &mut old).expect("it is small");
        lines.tokenize(&pair.1, &mut new).expect("it is small");
        differ
            .hunks(&lines, &old, &new, options, &mut hunks)
            .expect("it is neither large nor contrived");
        let empty = Vec::new();
        let expected = git.get(&nth).unwrap_or(&empty);
        compared += usize::from(!hunks.is_empty());
        if *expected != hunks {
            let first = expected.iter().zip(&hunks).position(|(a, b)| a != b);
            let first = first.unwrap_or(expected.len().min(hunks.len()));
            let dir = std::env::temp_dir();
            std::fs::write(dir.join("tblame-diff-old"), &pair.0).expect("writable");
            std::fs::write(dir.join("tblame-diff-new"), &pair.1).expect("writable");
            panic!(
                "pair {nth} with {options:?}: hunk {first}: git {:?}, tblame {:?}; \
                 the texts are in {}/tblame-diff-{{old,new}}",
                expected.get(first),
                hunks.get(first),
                dir.display(),
            );
        }
    }
    compared
}

fn check_algorithm(algorithm: Algorithm) {
    for seed in 0..seed_count(1) {
        let mut pairs = pairs(&mut Rng::new(seed), 3000);
        pairs.extend(chosen_pairs());
        let oracle = Oracle::new(&pairs);
        for options in settings(algorithm) {
            let compared = check(&oracle, &pairs, &options);
            assert!(compared > pairs.len() / 2, "{compared} with {options:?}");
        }
    }
}

#[test]
fn myers_as_git() {
    check_algorithm(Algorithm::Myers);
}

#[test]
fn minimal_as_git() {
    check_algorithm(Algorithm::Minimal);
}

#[test]
fn patience_as_git() {
    check_algorithm(Algorithm::Patience);
}

#[test]
fn histogram_as_git() {
    check_algorithm(Algorithm::Histogram);
}

#[test]
fn huge_texts_as_git() {
    for seed in 0..seed_count(1) {
        let mut pairs = huge_pairs(&mut Rng::new(seed));
        pairs.extend(pairs_at_shortcuts());
        let oracle = Oracle::new(&pairs);
        let compared = check(&oracle, &pairs, &DiffOptions::default());
        assert_eq!(compared, pairs.len());
    }
}
