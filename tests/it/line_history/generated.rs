//! Generated histories: the whole sequence of commits, and the lines of each.

use crate::{
    harness::{
        compare::{count_from, seed_count},
        random_history::{History, STORAGES},
        random_text::TextLines,
        repository::ObjectFormat,
        rng::Rng,
    },
    line_history::{FoundChange, changes_of_git, changes_of_tblame},
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
    with_several: usize,
}

impl Compared {
    fn compare(&mut self, history: &History, case: &Case<'_>) {
        let Case {
            revision,
            path,
            ranges,
            options,
            threads,
        } = case;
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let of_tblame = [&options[..], &[threads]].concat();
        let repository = &history.repository;
        let Some(git) = changes_of_git(repository, revision, path, ranges, &options) else {
            return;
        };
        let mut tblame = changes_of_tblame(repository, revision, path, ranges, &of_tblame);
        self.ranges += 1;
        self.commits += git.len();
        self.merges += git.iter().filter(|change| change.lines.is_empty()).count();
        // A commit that changed lines of two files has two objects.
        tblame.dedup_by(|next, change| {
            let same = next.commit == change.commit;
            if same {
                change.lines.append(&mut next.lines);
            }
            same
        });
        if ranges.len() > 1 {
            // git overlooks some changes of several ranges.
            let mut found = tblame.iter();
            let is_found = |change: &FoundChange| found.any(|it| it.commit == change.commit);
            assert!(git.iter().all(is_found), "{case:?}: {git:?}, {tblame:?}");
            self.with_several += 1;
            return;
        }
        for (ours, theirs) in tblame.iter_mut().zip(&git) {
            // git does not show all lines of several ranges, and merges without lines also with --first-parent.
            let is_shown_otherwise = ours.lines.len() > 1
                || theirs.lines.is_empty() && options.contains(&"--first-parent");
            if ours.commit == theirs.commit && is_shown_otherwise {
                ours.lines.clone_from(&theirs.lines);
            }
        }
        assert_eq!(tblame, git, "{case:?}");
    }
}

#[derive(Debug)]
struct Case<'a> {
    revision: String,
    path: &'a [u8],
    ranges: Vec<String>,
    options: Vec<String>,
    threads: &'a str,
}

/// Options that choose the commits or their order, for half of the cases.
fn random_options(rng: &mut Rng, history: &History) -> Vec<String> {
    let option = match rng.below(12) {
        0 | 1 => "--first-parent",
        2 => "--topo-order",
        3 => "--date-order",
        4 => "--author-date-order",
        5 => {
            let commit = rng.pick(&history.ids);
            let date = history
                .repository
                .git_text(&["show", "-s", "--format=%ct", commit]);
            return vec![format!("--max-age={date}")];
        }
        _ => return Vec::new(),
    };
    vec![option.to_owned()]
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
                let mut ranges = vec![random_range(&mut rng, count)];
                if rng.below(6) == 0 {
                    ranges.push(random_range(&mut rng, count));
                }
                let case = Case {
                    revision: match rng.below(8) {
                        0 => format!("{}..{revision}", rng.pick(&history.ids)),
                        _ => revision.clone(),
                    },
                    path: &path,
                    ranges,
                    options: random_options(&mut rng, &history),
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
        with_several,
    } = compared;
    eprintln!("{ranges} ranges ({with_several} several), {commits} commits, {merges} merges");
    assert!(ranges >= 400, "{ranges} ranges compared");
    assert!(merges >= 20, "{merges} merges found");
    assert!(with_several >= 20, "{with_several} with several ranges");
}
