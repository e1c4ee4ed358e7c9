//! The history of a directory and the names that it had, beside git's.

use std::{collections::BTreeMap, ops::ControlFlow, path::Path, sync::Arc};

use tblame::internals::{
    repository::Repository,
    viewer::{
        model::{
            background::{
                directory_history::{
                    DeletedName, DeletedNamesQuery, DirectoryHistoryQuery, FoundCommits, FoundNames,
                },
                query::{AnswerTaker, Answers},
            },
            source::FileVersion,
        },
        repository::walks::GitWalks,
    },
};

use crate::harness::{
    compare::seed_count,
    last_commits::object_id,
    random_directories::{directories, generate},
    random_history::{History, STORAGES},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    source::source_of_head,
};

fn walks(root: &Path) -> GitWalks {
    let repository = Arc::new(Repository::open_own(root).expect("a repository"));
    source_of_head(&repository, None, 1).walks()
}

fn version(commit: &str, path: &[u8]) -> FileVersion {
    FileVersion::Commit {
        commit: object_id(commit),
        path: Arc::new(path.into()),
    }
}

/// The commits that changed a directory.
fn commits(walks: &mut GitWalks, version: FileVersion) -> Vec<String> {
    let mut commits = Vec::new();
    let query = DirectoryHistoryQuery { version };
    let found = &mut |found: FoundCommits| {
        commits.extend(found.commits.iter().map(|commit| commit.id.to_string()));
        ControlFlow::Continue(())
    };
    let stop = &|| false;
    let end = walks.run(&query, AnswerTaker { found, stop });
    assert_eq!(end, Ok(true));
    commits
}

/// The names that a directory had.
fn deleted(walks: &mut GitWalks, version: FileVersion) -> Vec<DeletedName> {
    let mut names = Vec::new();
    let query = DeletedNamesQuery { version };
    let found = &mut |found: FoundNames| {
        names.extend(found.names);
        ControlFlow::Continue(())
    };
    let stop = &|| false;
    let end = walks.run(&query, AnswerTaker { found, stop });
    assert_eq!(end, Ok(true));
    names
}

/// The commits that git shows for a directory, each with its parents.
fn commits_of_git(repository: &TestRepo, start: &str, directory: &[u8]) -> Vec<Vec<String>> {
    let path = match directory {
        b"" => ".".into(),
        path => String::from_utf8(path.to_vec()).expect("generated names are text"),
    };
    let log = [
        "--literal-pathspecs",
        "log",
        "--format=%H %P",
        start,
        "--",
        &path,
    ];
    let log = repository.git_text(&log);
    let words = |line: &str| {
        line.split(' ')
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect()
    };
    log.lines().map(words).collect()
}

/// The names in a directory of a commit.
fn names<'a>(history: &'a History, commit: &str, directory: &[u8]) -> Vec<&'a [u8]> {
    let at = history.ids.iter().position(|id| id == commit);
    let paths = history.trees[at.expect("it is generated")].keys();
    let below = paths.filter_map(|path| match directory {
        b"" => Some(path.as_slice()),
        _ => path.strip_prefix(directory)?.strip_prefix(b"/"),
    });
    let mut names: Vec<_> = below
        .filter_map(|path| path.split(|it| *it == b'/').next())
        .collect();
    names.dedup();
    names
}

#[test]
fn commits_and_names_are_those_of_git() {
    let (mut walked, mut merges, mut gone, mut by_merges) = (0, 0, 0, 0);
    for seed in 90_000..90_000 + seed_count(40) {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        let format = match seed % 5 {
            0 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        let history = generate(seed, false, format, storage);
        let mut walks = walks(history.repository.root());
        for (number, directory) in directories(&history, &mut Rng::new(seed), 10) {
            let start = history.ids[number].as_str();
            let context = format!("{seed}: {start} {}", directory.escape_ascii());
            let git = commits_of_git(&history.repository, start, &directory);
            let ours = commits(&mut walks, version(start, &directory));
            let ids: Vec<_> = git.iter().map(|words| words[0].clone()).collect();
            assert_eq!(ours, ids, "{context}");
            walked += ours.len();
            merges += git.iter().filter(|words| words.len() > 2).count();
            // The newest commit without a name that all of its parents have.
            let mut expected: BTreeMap<&[u8], &str> = BTreeMap::new();
            let mut partly: BTreeMap<&[u8], &str> = BTreeMap::new();
            for words in &git {
                let here = names(&history, &words[0], &directory);
                let parents = words[1..].iter();
                let parents: Vec<_> = parents.map(|it| names(&history, it, &directory)).collect();
                for name in parents.iter().flatten().filter(|name| !here.contains(name)) {
                    let is_of_all = parents.iter().all(|names| names.contains(name));
                    let found = if is_of_all {
                        &mut expected
                    } else {
                        &mut partly
                    };
                    found.entry(name).or_insert(&words[0]);
                }
            }
            for (name, commit) in partly {
                by_merges += usize::from(!expected.contains_key(name));
                expected.entry(name).or_insert(commit);
            }
            for name in names(&history, start, &directory) {
                expected.remove(name);
            }
            let found = deleted(&mut walks, version(start, &directory));
            let ours: BTreeMap<&[u8], String> = found
                .iter()
                .map(|it| (it.name.as_slice(), it.commit.id.to_string()))
                .collect();
            assert_eq!(found.len(), ours.len(), "{context}");
            let ours: BTreeMap<&[u8], &str> =
                ours.iter().map(|(name, id)| (*name, id.as_str())).collect();
            assert_eq!(ours, expected, "{context}");
            for name in &found {
                let parent = names(&history, &name.parent.to_string(), &directory);
                assert!(parent.contains(&name.name.as_slice()), "{context}");
            }
            gone += found.len();
        }
    }
    eprintln!("{walked} {merges} {gone} {by_merges}");
    assert!(
        walked >= 2000 && merges >= 50 && gone >= 150,
        "{walked} {merges} {gone}"
    );
}
