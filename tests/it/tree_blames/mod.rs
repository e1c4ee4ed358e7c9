//! Blames of all files of a directory from one plan: generated histories in which every line of every file is what the
//! blame of the file alone finds, and git.
//!
//! `TBLAME_TEST_WIDE=N` runs N times as many histories.

mod cases;
mod comparison;
mod histories;
mod stopped;

use std::{collections::HashMap, fs, path::Path, sync::Arc};

use gix_hash::ObjectId;
use tblame::internals::{
    cache::{CacheDirectory, CacheSettings, HistoryFile},
    engine::{Discard, DiscardProgress, Engine, Entry, Error, Origin, Request, Start, TreePlan},
    repository::Repository,
};

use self::{
    cases::{ATTRIBUTES, CONVERSION, CONVERTED, Case, Surroundings},
    comparison::{Compared, Engines},
    histories::TreeHistory,
};
use crate::{
    generated::breadth,
    harness::{
        odd_objects::{self, OddObjects},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
        stored_history::files_below,
    },
};

/// What is done to a repository before its files are blamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Loose,
    Packed,
    CommitGraph,
    Remembered,
    Sha256,
    Shallow,
    Grafts,
    /// Grafts that make commits their own ancestors.
    Cycles,
    ReplacedCommits,
    ReplacedTrees,
    ReplacedBlobs,
    Attributes,
    Conversion,
    OddTrees,
    /// Objects are missing or are cut off.
    Damaged,
}

impl State {
    fn format(self) -> ObjectFormat {
        match self {
            State::Sha256 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        }
    }

    fn prepare(self, history: &TreeHistory, rng: &mut Rng) -> Surroundings {
        let repository = &history.repository;
        let mut around = Surroundings::default();
        match self {
            State::Loose | State::Remembered | State::Sha256 => around.is_plain = true,
            State::Packed | State::CommitGraph => {
                around.is_plain = true;
                repository.git(&["repack", "-adfq"]);
                if self == State::CommitGraph {
                    let split = *rng.pick(&["--no-split", "--split=no-merge"]);
                    let words = ["commit-graph", "write", "--reachable", "--changed-paths"];
                    repository.git(
                        &[&words[..], &[split][..usize::from(split != "--no-split")]].concat(),
                    );
                }
            }
            State::Shallow => {
                let ids: Vec<_> = (0..rng.between(1, 4))
                    .map(|_| *rng.pick(&history.ids))
                    .collect();
                let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
                repository.write(b".git/shallow", text.as_bytes());
                around.grafts = Arc::new(ids.into_iter().map(|id| (id, Vec::new())).collect());
            }
            State::Grafts | State::Cycles => {
                if self == State::Cycles {
                    // A walk visits a cycle thousands of times before it gives up.
                    repository.git(&["repack", "-adfq"]);
                }
                around.grafts = Arc::new(grafts(self, history, rng));
            }
            State::ReplacedCommits => replace(history, &history.ids, rng),
            State::ReplacedTrees => replace(history, &history.trees, rng),
            State::ReplacedBlobs => replace(history, &history.blobs, rng),
            State::Attributes => {
                around.has_attributes = true;
                repository.write(b".git/info/attributes", ATTRIBUTES);
            }
            State::Conversion => {
                around.converts = true;
                repository.write(b".git/info/attributes", CONVERTED);
                repository.git(&["config", "diff.d.textconv", CONVERSION]);
            }
            State::OddTrees => around.is_unknown_to_git = true,
            State::Damaged => {
                around.is_unknown_to_git = true;
                damage(history, rng);
            }
        }
        around.is_unknown_to_git |= self == State::Cycles;
        around
    }
}

/// Other parents of some commits, in `.git/info/grafts` too.
fn grafts(state: State, history: &TreeHistory, rng: &mut Rng) -> HashMap<ObjectId, Vec<ObjectId>> {
    let count = history.ids.len();
    let mut grafts = HashMap::new();
    let mut text = String::new();
    for _ in 0..rng.between(1, 5) {
        let of = rng.below(count);
        let parents: Vec<ObjectId> = (0..rng.below(3))
            .filter_map(|_| match state {
                State::Cycles => Some(history.ids[of + rng.below(count - of)]),
                _ => (of > 0).then(|| history.ids[rng.below(of)]),
            })
            .collect();
        let id = history.ids[of];
        grafts.entry(id).or_insert_with(|| {
            let ids: String = parents.iter().map(|id| format!(" {id}")).collect();
            text += &format!("{id}{ids}\n");
            parents
        });
    }
    history
        .repository
        .write(b".git/info/grafts", text.as_bytes());
    grafts
}

/// Replaces objects by others of their kind that are older.
fn replace(history: &TreeHistory, ids: &[ObjectId], rng: &mut Rng) {
    for _ in 0..rng.between(1, 6) {
        let of = rng.below(ids.len());
        let by = rng.below(of.max(1));
        if ids[of] != ids[by] {
            let name = format!(".git/refs/replace/{}", ids[of]);
            let id = format!("{}\n", ids[by]);
            history.repository.write(name.as_bytes(), id.as_bytes());
        }
    }
}

/// Removes objects, and cuts others off.
fn damage(history: &TreeHistory, rng: &mut Rng) {
    for _ in 0..rng.between(1, 4) {
        let lists: [&[ObjectId]; 4] =
            [&history.ids, &history.trees, &history.blobs, &history.blobs];
        let list = *rng.pick(&lists);
        let id = rng.pick(list).to_string();
        let path = format!(".git/objects/{}/{}", &id[..2], &id[2..]);
        let path = history.repository.root().join(path);
        if rng.chance(70) {
            drop(fs::remove_file(path));
        } else if let Ok(bytes) = fs::read(&path) {
            fs::write(&path, &bytes[..bytes.len() / 2]).expect("it is writable");
        }
    }
}

/// Remembers the commits and the paths that they change, as `--warm` does.
fn remember(opened: &Repository, history: &TreeHistory, directory: &Path) {
    let settings = CacheSettings {
        directory: Some(directory.to_owned()),
        ..CacheSettings::default()
    };
    let place = CacheDirectory::new(&settings, |_| None).expect("it has a place");
    let place = place.of_repository(opened, &settings).expect("it is on");
    let file = HistoryFile::new(opened, &place, &settings).expect("it is possible");
    let warmed = file.warm(opened, &history.ids).expect("it is writable");
    assert!(warmed.with_paths > 0);
    let files = files_below(directory).expect("it is readable");
    let file = files.iter().find(|path| path.ends_with("history"));
    opened.store().remember(file.expect("it was written"));
    assert!(opened.store().remembered().is_some());
}

fn compare_seed(seed: u64, state: State, cases: usize, git_every: usize) -> Compared {
    let mut rng = Rng::new(seed);
    let history = TreeHistory::generate(seed, state.format(), state == State::OddTrees);
    let around = state.prepare(&history, &mut rng);
    let opened = Repository::open_own(history.repository.root()).expect("it is a repository");
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    if state == State::Remembered {
        remember(&opened, &history, directory.path());
    }
    let mut engines = Engines::new(opened.store(), seed);
    let mut compared = Compared::default();
    for _ in 0..cases {
        let case = Case::draw(&mut rng, &history, &around);
        let context = format!("seed {seed}, {state:?}");
        compared.compare(
            &context,
            &history,
            &mut engines,
            &case,
            around.is_plain,
            git_every,
        );
    }
    if compared.has_differences() {
        eprintln!("kept: {}", history.repository.root().display());
        std::mem::forget(history);
    }
    compared
}

/// Compares `seeds` histories in each of the states.
fn compare_states(first: u64, states: &[State], seeds: u64, cases: usize) -> Compared {
    let mut compared = Compared::default();
    for (nth, &state) in states.iter().enumerate() {
        let first = first + 1_000 * nth as u64;
        let mut of_state = Compared::default();
        for seed in first..first + seeds * breadth() as u64 {
            of_state.add(compare_seed(seed, state, cases, 23));
        }
        eprintln!(
            "{state:?}: {} files, {:?}",
            of_state.files,
            of_state.planned.get("all")
        );
        compared.add(of_state);
    }
    compared.finish();
    compared
}

#[test]
fn files_are_blamed_from_a_plan_as_alone_and_as_by_git() {
    let states = [
        State::Loose,
        State::Packed,
        State::CommitGraph,
        State::Remembered,
        State::Sha256,
    ];
    let compared = compare_states(100_000, &states, 13, 12);
    assert!(compared.files > 6_000 && compared.with_git > 150);
    assert!(compared.last_commits > 1_000 && compared.last_commits_of_git > 40);
    assert!(compared.last_commits_with_movement > 100);
    for kind in cases::KINDS {
        let [planned, alone] = compared.planned.get(kind).copied().unwrap_or_default();
        match kind {
            "-M" | "-C" => assert!(planned == 0 && alone > 0, "{kind}"),
            _ => assert!(planned > 100, "{kind}"),
        }
    }
}

#[test]
fn changed_histories_are_planned_as_they_are_walked() {
    compare_states(119_000, &[State::Cycles], 3, 2);
    let states = [
        State::Shallow,
        State::Grafts,
        State::ReplacedCommits,
        State::ReplacedTrees,
        State::ReplacedBlobs,
    ];
    let compared = compare_states(110_000, &states, 13, 12);
    assert!(compared.files > 6_000 && compared.with_git > 150);
}

#[test]
fn attributes_and_conversions_of_files_are_those_of_files_alone() {
    let states = [State::Attributes, State::Conversion];
    let compared = compare_states(120_000, &states, 13, 12);
    assert!(compared.files > 2_500 && compared.with_git > 60);
}

#[test]
fn odd_trees_and_damage_fail_the_files_that_fail_alone() {
    let compared = compare_states(130_000, &[State::OddTrees, State::Damaged], 40, 6);
    assert!(compared.files > 3_500 && compared.errors > 200);
    let [planned, _] = compared.planned["all"];
    assert!(planned > 1_500, "{planned}");
}

/// Compares every file of a commit with its blame alone, and returns the plan.
fn compare_all(opened: &Repository, request: &Request) -> TreePlan {
    let mut engine = Engine::new(Arc::clone(opened.store()), 1);
    let plan = engine.plan_tree(request, &mut DiscardProgress);
    let plan = plan.expect("it can be listed").expect("it is not stopped");
    assert!(!plan.files().is_empty());
    for (at, file) in plan.files().iter().enumerate() {
        let mut request = request.clone();
        request.path = file.path.clone();
        let planned = engine.blame_planned(&plan, at);
        let alone = engine.blame(&request, &mut Discard);
        match (planned, alone) {
            (Ok(planned), Ok(alone)) => {
                let of = |entries: &[Entry], origins: &[Origin]| -> Vec<_> {
                    let entries = entries.iter().map(|entry| {
                        let origin = &origins[entry.origin.0 as usize];
                        let path = origin.path.to_string();
                        (entry.lines.clone(), entry.source_start, origin.commit, path)
                    });
                    entries.collect()
                };
                let planned = of(&planned.entries, &planned.origins);
                assert_eq!(planned, of(&alone.entries, &alone.origins), "{}", file.path);
            }
            (planned, alone) => {
                let planned = planned.expect_err("it fails alone").to_string();
                assert_eq!(planned, alone.expect_err("the plan's fails").to_string());
            }
        }
    }
    plan
}

/// A commit that is its own ancestor is blamed, or is an error, as each file alone.
#[test]
fn the_first_commit_may_be_its_own_ancestor() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let texts = ["one\n", "one\ntwo\n", "one\ntwo\nthree\n"];
    let trees = texts.map(|text| {
        let blob = objects.write("blob", text.as_bytes());
        objects
            .tree(&["a", "b"].map(|name| odd_objects::Entry::new(b"100644", name.as_bytes(), blob)))
    });
    let last = objects.history(&trees);
    let parent = |of: &str| {
        let id = repository.git_text(&["rev-parse", &format!("{last}{of}")]);
        ObjectId::from_hex(id.as_bytes()).expect("it is an id")
    };
    let [second, first] = ["~1", "~2"].map(parent);
    let opened = Repository::open_own(repository.root()).expect("it is a repository");
    for (of, parents) in [
        (last, vec![last]),
        (last, vec![second, last]),
        (first, vec![last]),
        (second, vec![first, last]),
    ] {
        let mut request = Request::new(Start::Commit(last), "".into());
        request.grafts = Arc::new(HashMap::from([(of, parents)]));
        let plan = compare_all(&opened, &request);
        assert!(plan.unplanned().is_some());
    }
}

/// A file that was renamed from a name that a tree has twice: lists have both, a lookup finds one.
#[test]
fn renames_from_a_name_that_is_there_twice() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let [one, other] =
        ["one\ntwo\n", "one\nthree\n"].map(|it| objects.write("blob", it.as_bytes()));
    let file = |name: &str, id| odd_objects::Entry::new(b"100644", name.as_bytes(), id);
    let twice = objects.tree(&[file("x", one), file("x", other)]);
    let twice = odd_objects::Entry::new(b"40000", b"d", twice);
    let trees = [
        objects.tree(std::slice::from_ref(&twice)),
        objects.tree(&[file("a", one), twice]),
        objects.tree(&[file("a", one), file("y", other)]),
    ];
    let last = objects.history(&trees);
    let opened = Repository::open_own(repository.root()).expect("it is a repository");
    let plan = compare_all(&opened, &Request::new(Start::Commit(last), "".into()));
    assert!(plan.unplanned().is_none());
}

/// A commit removes more files than there is memory for, any of which may have become its new one: an error of that
/// file, alone and in a plan.
#[test]
fn too_many_sources_of_a_rename_are_an_error() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let names = ["c", "d"].map(|name| name.repeat(200));
    let blob = objects.write("blob", b"a line\nand another\n");
    let (mut mode, mut id) = ("100644", blob);
    for _ in 0..40 {
        let entries = names
            .each_ref()
            .map(|name| odd_objects::Entry::new(mode.as_bytes(), name.as_bytes(), id));
        (mode, id) = ("40000", objects.tree(&entries));
    }
    let new = objects.write("blob", b"a line\nand a third\n");
    let [kept, removed] = ["a", "c"].map(|name| {
        let (mode, id) = if name == "a" {
            ("100644", blob)
        } else {
            (mode, id)
        };
        odd_objects::Entry::new(mode.as_bytes(), name.as_bytes(), id)
    });
    let made = odd_objects::Entry::new(b"100644", b"b", new);
    let before = objects.tree(&[kept.clone(), removed]);
    let after = objects.tree(&[kept, made]);
    let commit = objects.history(&[before, after]);
    let opened = Repository::open_own(repository.root()).expect("it is a repository");
    let mut engine = Engine::new(Arc::clone(opened.store()), 1);
    let request = Request::new(Start::Commit(commit), "".into());
    let plan = engine.plan_tree(&request, &mut DiscardProgress);
    let plan = plan.expect("it can be listed").expect("it is not stopped");
    let kept = engine.blame_planned(&plan, 0).expect("it was not renamed");
    assert_eq!(kept.line_count, 2);
    let planned = engine.blame_planned(&plan, 1);
    assert!(matches!(planned, Err(Error::TooManyFiles)), "{planned:?}");
    let request = Request::new(Start::Commit(commit), "b".into());
    let alone = engine.blame(&request, &mut Discard);
    assert!(matches!(alone, Err(Error::TooManyFiles)), "{alone:?}");
}

/// Trees that contain each other list more files than there is memory for.
#[test]
fn a_directory_with_too_many_files_is_an_error() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let names = ["a", "b"].map(|name| name.repeat(200));
    let (mut mode, mut id) = ("100644", objects.write("blob", b"a line\n"));
    for _ in 0..40 {
        let entries = names
            .each_ref()
            .map(|name| odd_objects::Entry::new(mode.as_bytes(), name.as_bytes(), id));
        (mode, id) = ("40000", objects.tree(&entries));
    }
    let commit = objects.history(&[id]);
    let opened = Repository::open_own(repository.root()).expect("it is a repository");
    let mut engine = Engine::new(Arc::clone(opened.store()), 1);
    let request = Request::new(Start::Commit(commit), "".into());
    let planned = engine.plan_tree(&request, &mut DiscardProgress);
    assert!(matches!(planned, Err(Error::TooManyFiles)), "{planned:?}");
    // A part of it is small.
    let below = [&names[0][..]; 34].join("/");
    let request = Request::new(Start::Commit(commit), below.into());
    let planned = engine.plan_tree(&request, &mut DiscardProgress);
    let planned = planned.expect("it is small").expect("it is not stopped");
    assert_eq!(planned.files().len(), 64);
    assert!(planned.unplanned().is_none());
    for at in [0, 63] {
        let blame = engine.blame_planned(&planned, at).expect("it is undamaged");
        assert!(!blame.is_alone && blame.line_count == 1);
    }
}
