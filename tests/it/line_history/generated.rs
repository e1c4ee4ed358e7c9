//! Generated histories: linear ones in order and with the lines of each commit, others as sets of commits.

use crate::{
    harness::{
        compare::{count_from, seed_count},
        random_history::{History, STORAGES},
        random_text::TextLines,
        repository::ObjectFormat,
        rng::Rng,
    },
    line_history::{changes_of_git, changes_of_tblame},
};

/// Ranges of each file.
const RANGES: usize = 4;
const SEEDS: u64 = 40;

/// How many times as many histories as usual are made.
fn breadth() -> u64 {
    count_from("TBLAME_TEST_WIDE", 1)
}

/// A range of a file of `count` lines as `-L` takes it.
fn random_range(rng: &mut Rng, count: usize) -> String {
    let start = rng.between(1, count);
    let longest = *rng.pick(&[1, 3, 10, 1000]);
    let end = (start + rng.below(longest)).min(count);
    format!("{start},{end}")
}

/// What was compared.
#[derive(Default)]
struct Compared {
    ranges: usize,
    commits: usize,
    merges: usize,
}

impl Compared {
    fn compare(&mut self, history: &History, case: &Case<'_>) {
        let repository = &history.repository;
        let &Case {
            revision,
            path,
            ref range,
            threads,
        } = case;
        let ranges = std::slice::from_ref(range);
        let Some(mut git) = changes_of_git(repository, revision, path, ranges) else {
            return;
        };
        let mut tblame = changes_of_tblame(repository, revision, path, ranges, &[threads]);
        self.ranges += 1;
        self.commits += git.len();
        self.merges += git.iter().filter(|change| change.lines.is_empty()).count();
        git.sort();
        tblame.sort();
        // A commit that changed lines of two files has two objects.
        tblame.dedup_by(|next, change| {
            let same = next.commit == change.commit;
            if same {
                change.lines.append(&mut next.lines);
            }
            same
        });
        // git does not show all lines of several ranges.
        for (ours, theirs) in tblame.iter_mut().zip(&mut git) {
            if ours.commit == theirs.commit && ours.lines.len() > 1 {
                ours.lines.clone_from(&theirs.lines);
            }
        }
        assert_eq!(tblame, git, "{case:?}");
    }
}

#[derive(Debug)]
struct Case<'a> {
    revision: &'a str,
    path: &'a [u8],
    range: String,
    threads: &'a str,
}

#[test]
fn histories_with_merges_and_renames_have_the_commits_of_git() {
    let mut compared = Compared::default();
    for seed in 20_000..20_000 + seed_count(SEEDS) * breadth() {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let mut rng = Rng::new(seed);
        for (revision, path) in history.samples(&mut rng, 4) {
            let number = history.ids.iter().position(|id| *id == revision);
            let file = &history.trees[number.expect("a commit of the history")][&path];
            let count = TextLines::split(&file.bytes).len();
            for nth in 0..RANGES {
                if count == 0 || file.mode & 0o170000 != 0o100000 {
                    continue;
                }
                let case = Case {
                    revision: &revision,
                    path: &path,
                    range: random_range(&mut rng, count),
                    threads: ["--threads=1", "--threads=2"][nth % 2],
                };
                compared.compare(&history, &case);
            }
        }
    }
    let Compared {
        ranges,
        commits,
        merges,
    } = compared;
    eprintln!("{ranges} ranges, {commits} commits, {merges} merges");
    assert!(ranges >= 400, "{ranges} ranges compared");
    assert!(merges >= 20, "{merges} merges found");
}
