//! Generated histories: every entry of many directories, with and without limits.

use std::collections::{BTreeMap, BTreeSet};

use super::{last_commit_of_git, last_commits_of_git, path_in};
use crate::harness::{
    compare::{count_from, seed_count},
    last_commits::{LastCommits, last_commits, object_id},
    random_directories::{directories, generate},
    random_history::{History, STORAGES},
    repository::ObjectFormat,
    rng::Rng,
};

const SEEDS: u64 = 72;
/// Directories of each history.
const DIRECTORIES: usize = 28;

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    directories: usize,
    below_root: usize,
    /// With more entries than are looked up one by one.
    large: usize,
    entries: usize,
    /// Entries of which one `git log` told the commits.
    at_once: usize,
    merges: usize,
    limited: usize,
    boundaries: usize,
    first_parent: usize,
}

impl Compared {
    fn compare(&mut self, history: &History, rng: &mut Rng, has_skew: bool) {
        let repository = &history.repository;
        let dates = repository.git_text(&["log", "--all", "--format=%H %ct"]);
        let dates: BTreeMap<&str, i64> = dates
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(id, date)| (id, date.parse().expect("a number")))
            .collect();
        let graph = repository.git_text(&["rev-list", "--all", "--parents"]);
        let graph: BTreeMap<&str, Vec<&str>> = graph
            .lines()
            .map(|line| {
                let mut ids = line.split(' ');
                (ids.next().expect("an id"), ids.collect())
            })
            .collect();
        for (number, directory) in directories(history, rng, DIRECTORIES) {
            let start = history.ids[number].as_str();
            let context = format!("{start} {}", directory.escape_ascii());
            let first_parent = rng.chance(20);
            let options: &[&str] = if first_parent {
                &["--first-parent"]
            } else {
                &[]
            };
            let found = last_commits(repository.root(), start, &directory, |request| {
                request.first_parent = first_parent;
            });
            let found = found.expect("it is read");
            let paths: Vec<_> = found.keys().map(|name| path_in(&directory, name)).collect();
            let git = if first_parent || is_linear(&graph, start) {
                self.at_once += paths.len();
                last_commits_of_git(repository, options, start, &paths)
            } else {
                let alone = |path: &Vec<u8>| last_commit_of_git(repository, options, start, path);
                paths.iter().map(alone).collect()
            };
            for ((name, (commit, is_boundary)), git) in found.iter().zip(git) {
                assert_eq!(*commit, git, "{context}: {}", name.escape_ascii());
                assert!(!is_boundary, "{context}");
                self.merges += usize::from(graph[commit.as_str()].len() > 1);
            }
            self.directories += 1;
            self.below_root += usize::from(!directory.is_empty());
            self.large += usize::from(found.len() > 4);
            self.entries += found.len();
            self.first_parent += usize::from(first_parent);
            if !has_skew && !first_parent {
                let since = dates[start] - rng.between(0, 400) as i64;
                let limited = last_commits(repository.root(), start, &directory, |request| {
                    request.since = Some(since);
                });
                let is_old = |commit: &str| dates[commit] < since;
                self.compare_limited(&found, &limited.expect("it is read"), is_old, &context);
                self.compare_range(history, &graph, rng, (start, &directory), &found);
            }
        }
    }

    /// Compares with a range, of which `all` has the last commits without it.
    fn compare_range(
        &mut self,
        history: &History,
        graph: &BTreeMap<&str, Vec<&str>>,
        rng: &mut Rng,
        (start, directory): (&str, &[u8]),
        all: &LastCommits,
    ) {
        let repository = &history.repository;
        let excluded = rng.pick(&history.ids).as_str();
        let limited = last_commits(repository.root(), start, directory, |request| {
            request.negatives = vec![object_id(excluded)];
        });
        let (mut beyond, mut todo) = (BTreeSet::new(), vec![excluded]);
        while let Some(id) = todo.pop() {
            if beyond.insert(id) {
                todo.extend(&graph[id]);
            }
        }
        let context = format!("{excluded}..{start} {}", directory.escape_ascii());
        let is_beyond = |commit: &str| beyond.contains(commit);
        self.compare_limited(all, &limited.expect("it is read"), is_beyond, &context);
    }

    /// An entry whose last commit is beyond a limit has a boundary that is beyond it too.
    fn compare_limited(
        &mut self,
        all: &LastCommits,
        limited: &LastCommits,
        is_beyond: impl Fn(&str) -> bool,
        context: &str,
    ) {
        self.limited += 1;
        assert!(all.keys().eq(limited.keys()), "{context}");
        for ((name, (commit, _)), (found, is_boundary)) in all.iter().zip(limited.values()) {
            let context = format!("{context}: {}", name.escape_ascii());
            assert_eq!(*is_boundary, is_beyond(commit), "{context}");
            if *is_boundary {
                assert!(is_beyond(found), "{context}");
                self.boundaries += 1;
            } else {
                assert_eq!(found, commit, "{context}");
            }
        }
    }
}

/// Whether no merge is in the history of a commit.
fn is_linear<'a>(graph: &BTreeMap<&str, Vec<&'a str>>, mut commit: &'a str) -> bool {
    loop {
        match graph[commit][..] {
            [] => return true,
            [parent] => commit = parent,
            _ => return false,
        }
    }
}

#[test]
fn entries_have_the_commits_of_git() {
    let mut compared = Compared::default();
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 70_000..70_000 + seed_count(SEEDS) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        let format = match seed % 5 {
            0 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        let has_skew = seed % 3 == 0;
        eprintln!("seed {seed}, {storage:?}, {format:?}, skew {has_skew}");
        let history = generate(seed, has_skew, format, storage);
        compared.compare(&history, &mut Rng::new(seed), has_skew);
    }
    eprintln!("{compared:?}");
    assert!(
        compared.directories >= 2000 && compared.below_root >= 500 && compared.large >= 400,
        "{compared:?}"
    );
    assert!(
        compared.entries >= 5000 && compared.merges >= 200,
        "{compared:?}"
    );
    assert!(
        compared.limited >= 1000 && compared.boundaries >= 500 && compared.first_parent >= 200,
        "{compared:?}"
    );
}
