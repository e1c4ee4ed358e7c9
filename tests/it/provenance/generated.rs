//! Generated histories with tags of all kinds.

use std::{collections::HashMap, ffi::OsString, fs::File, path::Path};

use bstr::ByteSlice;
use tblame::internals::{
    objects::{ChangedPaths, CommitList, CommitRecord, GraphFile},
    repository::Repository,
};

use crate::{
    file_history::git_asked_once,
    harness::{
        compare::{count_from, seed_count},
        provenance::{brought_by, first_parents, first_tag},
        random_history::{History, STORAGES},
        repository::ObjectFormat,
        rng::Rng,
    },
    provenance::{finder_in, id},
};

const SEEDS: u64 = 24;
/// Commits of each history.
const COMMITS: usize = 30;

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    commits: usize,
    released: usize,
    merged: usize,
    on_the_line: usize,
    elsewhere: usize,
}

/// Adds tags, lightweight and annotated, of commits anywhere, of other tags, trees and blobs, with few different dates.
fn add_tags(history: &History, rng: &mut Rng) {
    let repository = &history.repository;
    let dates = repository.git_text(&["log", "--all", "--format=%H %ct"]);
    let dates = dates.lines().filter_map(|line| line.split_once(' '));
    let dates: HashMap<&str, &str> = dates.collect();
    for nth in 0..rng.below(14) {
        let commit = rng.pick(&history.ids).clone();
        let name = format!("{}{nth}", rng.pick(&["v1.", "a/b-", "Z", "ü", "v1.0-rc"]));
        // git refuses to show dates before the epoch.
        let is_shown = dates[commit.as_str()]
            .parse::<u64>()
            .is_ok_and(|time| time > 100_000);
        let date = format!("{} +0000", 1_500_000_000 + 10_000_000 * rng.below(12));
        match rng.below(10) {
            0..4 if is_shown => drop(repository.git(&["tag", &name, &commit])),
            4 => drop(repository.git(&["tag", &name, &format!("{commit}^{{tree}}")])),
            5 => {
                let blob = repository.git_with_input(&["hash-object", "-w", "--stdin"], b"blob");
                repository.git(&["tag", &name, blob.to_str().expect("an id")]);
            }
            kind => {
                let tagger = if rng.chance(80) {
                    format!("tagger T A <t@example.com> {date}\n")
                } else {
                    String::new()
                };
                let tag = format!("object {commit}\ntype commit\ntag {name}\n{tagger}\nmessage\n");
                let write = ["hash-object", "-t", "tag", "-w", "--literally", "--stdin"];
                let inner = repository.git_with_input(&write, tag.as_bytes());
                let mut object = inner.to_str().expect("an id").to_owned();
                if kind == 9 {
                    let tag = format!(
                        "object {object}\ntype tag\ntag {name}\ntagger T A <t@example.com> {date}\n\nmessage\n"
                    );
                    let outer = repository.git_with_input(&write, tag.as_bytes());
                    object = outer.to_str().expect("an id").to_owned();
                }
                let name = format!("refs/tags/{name}");
                repository.git(&["update-ref", &name, &object]);
            }
        }
    }
    if rng.chance(30) {
        repository.git(&["pack-refs", "--all"]);
    }
}

/// Lets a repository use a remembered history of `ids`, of all or of some of which more than the id is known.
fn remember(repository: &Repository, ids: &[String], share: usize, rng: &mut Rng, file: &Path) {
    let mut reader = repository.reader();
    let mut commits = CommitList::default();
    let mut numbers = HashMap::new();
    for hex in ids.iter().rev() {
        numbers.insert(id(hex), commits.push_id(id(hex)));
    }
    for hex in ids.iter().filter(|_| rng.chance(share)) {
        let head = reader.commit_head(&id(hex)).expect("readable");
        let start = commits.parents.len() as u32;
        for parent in &head.parents {
            let number = numbers.entry(*parent);
            let number = *number.or_insert_with(|| commits.push_id(*parent));
            commits.parents.push(number);
        }
        commits.records[numbers[&id(hex)] as usize] = Some(CommitRecord {
            tree: head.tree,
            time: head.time,
            parents: start..commits.parents.len() as u32,
        });
    }
    let paths = ChangedPaths::default();
    let graph = GraphFile::new(&commits, &paths, repository.hash());
    let graph = graph.expect("they are few");
    let mut out = File::create(file).expect("it can be made");
    graph.write(&mut out).expect("it can be written");
    repository.store().remember(file);
}

#[test]
fn releases_and_merges_are_those_of_git() {
    let mut compared = Compared::default();
    let (mut remembered, mut with_levels) = (0, 0);
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 50_000..50_000 + seed_count(SEEDS) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        let format = match seed % 5 {
            0 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, format, storage);
        let mut rng = Rng::new(seed);
        add_tags(&history, &mut rng);
        // Commits are drawn several times.
        let git = git_asked_once(&history.repository);
        let git = |words: &[&str]| git(&Vec::from_iter(words.iter().map(OsString::from)), b"");
        let tip = if rng.chance(70) {
            history.ids.last().expect("a history has commits").clone()
        } else {
            rng.pick(&history.ids).clone()
        };
        let line = first_parents(&git, &tip);
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("history");
        let ids = &history.ids;
        let mut new_finder = |rng: &mut Rng| {
            let opened = Repository::open_own(history.repository.root()).expect("a repository");
            if opened.store().can_remember() && rng.chance(70) {
                let old = *rng.pick(&[ids.len(), ids.len() / 2]);
                remember(&opened, &ids[..old], *rng.pick(&[100, 90]), rng, &file);
                remembered += 1;
            }
            let mut asked = finder_in(opened, &tip);
            with_levels += usize::from(asked.has_levels());
            asked
        };
        let mut asked = new_finder(&mut rng);
        for _ in 0..COMMITS {
            // What the first questions leave out must not be missed by later ones.
            if rng.chance(20) {
                asked = new_finder(&mut rng);
            }
            let commit = rng.pick(&history.ids).clone();
            let expected = first_tag(&git, &commit);
            let release = asked.release(&id(&commit), &|| false).expect("readable");
            assert_eq!(
                release.as_ref().map(|name| name.as_bstr()),
                expected.as_deref().map(ByteSlice::as_bstr),
                "{commit}"
            );
            let expected = brought_by(&git, &commit, &line);
            let arrival = asked.arrival(&id(&commit), &|| false).expect("readable");
            let merge = expected.as_deref().filter(|brought| *brought != commit);
            assert_eq!(arrival.merge, merge.map(id), "{commit} into {tip}");
            compared.commits += 1;
            compared.released += usize::from(release.is_some());
            match &expected {
                None => compared.elsewhere += 1,
                Some(_) if merge.is_some() => compared.merged += 1,
                Some(_) => compared.on_the_line += 1,
            }
        }
    }
    eprintln!("{compared:?} {remembered} {with_levels}");
    assert!(compared.commits >= 700, "{compared:?}");
    assert!(
        remembered > 30 && with_levels > 30,
        "{remembered} {with_levels}"
    );
    let kinds = [
        compared.released,
        compared.merged,
        compared.on_the_line,
        compared.elsewhere,
    ];
    assert!(kinds.iter().all(|&count| count >= 30), "{compared:?}");
}
