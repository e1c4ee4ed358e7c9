//! One small history for each rule that generated ones may miss.

use std::fs;

use bstr::ByteSlice;
use tblame::internals::engine::{Error, Request};

use super::{last_commit_of_git, path_in};
use crate::harness::{
    fast_import::{Commit, FastImport, File, Ident, Tree},
    last_commits::{Found, find, last_commits, object_id},
    named_history::{DELETED, HistoryBuilder, NamedHistory},
    odd_objects::{Entry, OddObjects},
    repository::{ObjectFormat, TestRepo},
};

/// The entries of a directory with the names of their last commits; they are those of git.
#[track_caller]
fn names(history: &NamedHistory, start: &str, directory: &str) -> String {
    let repository = &history.repository;
    let id = history.id(start);
    let found = last_commits(repository.root(), id, directory.as_bytes(), |_| {});
    let found = found.expect("it is read");
    let words = found.iter().map(|(name, (commit, is_boundary))| {
        assert!(!is_boundary);
        let path = path_in(directory.as_bytes(), name);
        assert_eq!(*commit, last_commit_of_git(repository, &[], id, &path));
        format!("{}:{}", name.as_bstr(), history.name(commit))
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn an_entry_goes_to_the_first_parent_that_has_it() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "1"), ("g", "1"), ("h", "1")])
        .commit("left", 2, &["base"], &[("f", "2"), ("g", "2")])
        .commit("right", 3, &["base"], &[("f", "2"), ("h", "2")])
        .commit("other", 4, &["base"], &[("f", "3")])
        .commit(
            "merge",
            5,
            &["other", "right", "left"],
            &[("f", "2"), ("g", "2"), ("h", "3")],
        )
        .build();
    assert_eq!(names(&history, "merge", ""), "f:right g:left h:merge");
    assert_eq!(names(&history, "right", ""), "f:right g:base h:right");
}

#[test]
fn files_become_directories_and_come_back() {
    let link = File {
        mode: 0o120000,
        ..File::text("2")
    };
    let program = File {
        mode: 0o100755,
        ..File::text("2")
    };
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("d", "1"), ("e/x", "1"), ("e/y", "1")])
        .commit("directory", 2, &["base"], &[("d/x", "1"), ("e/x", "2")])
        .commit("gone", 3, &["directory"], &[("e/y", DELETED)])
        .commit("back", 4, &["gone"], &[("e/y", "1")])
        .commit_files("mode", 5, &["back"], &[("e/x", Some(program))])
        .commit_files("link", 6, &["mode"], &[("e/y", Some(link))])
        .commit("file", 7, &["link"], &[("d", "1")])
        .build();
    assert_eq!(names(&history, "file", ""), "d:file e:link");
    assert_eq!(names(&history, "file", "e"), "x:mode y:link");
    assert_eq!(names(&history, "back", "e"), "x:directory y:back");
    assert_eq!(names(&history, "back", "d"), "x:directory");
}

#[test]
fn a_path_without_a_directory_is_an_error() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("d/x", "1"), ("f", "1")])
        .build();
    let root = history.repository.root();
    for path in ["f", "d/x", "d/y", "nope", "f/g"] {
        let found = last_commits(root, history.id("base"), path.as_bytes(), |_| {});
        assert!(
            matches!(found, Err(Error::NoSuchPath { .. })),
            "{path}: {found:?}"
        );
    }
}

#[test]
fn grafts_shallow_commits_and_replacements_count() {
    let build = || {
        HistoryBuilder::default()
            .commit("one", 1, &[], &[("f", "1"), ("g", "1"), ("d/x", "1")])
            .commit("two", 2, &["one"], &[("f", "2")])
            .commit("three", 3, &["two"], &[("d/x", "2")])
            .commit("four", 4, &["three"], &[("f", "3")])
            .build()
    };
    let history = build();
    assert_eq!(names(&history, "four", ""), "d:three f:four g:one");
    let shallow = history.repository.root().join(".git/shallow");
    fs::write(shallow, format!("{}\n", history.id("three"))).expect("it is writable");
    assert_eq!(names(&history, "four", ""), "d:three f:four g:three");

    let history = build();
    let grafts = history.repository.root().join(".git/info/grafts");
    let line = format!("{} {}\n", history.id("four"), history.id("one"));
    fs::create_dir_all(grafts.parent().expect("it has one")).expect("it can be made");
    fs::write(grafts, line).expect("it is writable");
    assert_eq!(names(&history, "four", ""), "d:four f:four g:one");
    // A history without an end.
    let line = format!("{} {}\n", history.id("one"), history.id("four"));
    let grafts = history.repository.root().join(".git/info/grafts");
    fs::write(grafts, line).expect("it is writable");
    let root = history.repository.root();
    let found = last_commits(root, history.id("three"), b"", |_| {});
    assert!(matches!(found, Err(Error::Damaged(_))), "{found:?}");

    let history = build();
    let [three, one] = ["three", "one"].map(|name| history.id(name));
    history.repository.git(&["replace", "--graft", three, one]);
    assert_eq!(names(&history, "four", ""), "d:three f:four g:one");
    assert_eq!(names(&history, "three", ""), "d:three f:three g:one");
}

#[test]
fn a_commit_waits_for_what_comes_late() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "1"), ("g", "1"), ("h", "1")])
        .commit("trunk", 900, &["base"], &[("f", "2"), ("g", "2")])
        .commit("left", 3, &["trunk"], &[("f", "3")])
        .commit("right", 1000, &["trunk"], &[("g", "3")])
        .commit("merge", 1001, &["right", "left"], &[("f", "2"), ("g", "2")])
        .build();
    assert_eq!(names(&history, "merge", ""), "f:trunk g:trunk h:base");
}

/// Modes that git does not write are those that it writes.
#[test]
fn odd_modes_are_usual_ones() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let objects = OddObjects::new(&repository);
    let blob = objects.write("blob", b"x\n");
    let trees = [
        ("100664", "100600"),
        ("100644", "100755"),
        ("0100644", "100755"),
    ];
    let trees = trees.map(|(f, g)| {
        objects.tree(&[
            Entry::new(f.as_bytes(), b"f", blob),
            Entry::new(g.as_bytes(), b"g", blob),
        ])
    });
    let head = objects.history(&trees).to_string();
    let found = last_commits(repository.root(), &head, b"", |_| {}).expect("it is read");
    let commits: Vec<String> = found.into_values().map(|(commit, _)| commit).collect();
    let ancestor = |nth: usize| repository.git_text(&["rev-parse", &format!("{head}~{nth}")]);
    assert_eq!(commits, [ancestor(2), ancestor(1)]);
    for (path, commit) in [(b"f", &commits[0]), (b"g", &commits[1])] {
        assert_eq!(*commit, last_commit_of_git(&repository, &[], &head, path));
    }
}

#[test]
fn a_missing_parent_is_an_error_after_what_was_found() {
    let history = HistoryBuilder::default()
        .commit("one", 1, &[], &[("f", "1"), ("g", "1")])
        .commit("two", 2, &["one"], &[("f", "2")])
        .commit("three", 3, &["two"], &[("f", "3")])
        .build();
    let repository = &history.repository;
    let id = history.id("two");
    let lost = repository
        .root()
        .join(".git/objects")
        .join(&id[..2])
        .join(&id[2..]);
    fs::remove_file(lost).expect("it is loose");
    let mut found = Found::default();
    let end = find(
        repository.root(),
        history.id("three"),
        b"",
        |_| {},
        &mut found,
    );
    assert!(matches!(end, Err(Error::Object(_))), "{end:?}");
}

/// A chain of commits of which the first adds `d/old`, every seventh changes `d/f`, and all change
/// `e/g`.
fn long_history(repository: &TestRepo, commits: usize) -> Vec<String> {
    let mut import = FastImport::default();
    let mut tree = Tree::from([(b"d/old".to_vec(), File::text("old"))]);
    for number in 0..commits {
        let text = File::text(number.to_string());
        if number % 7 == 0 {
            tree.insert(b"d/f".to_vec(), text.clone());
        }
        tree.insert(b"e/g".to_vec(), text);
        let ident = Ident {
            name: b"A".to_vec(),
            mail: b"a@example.com".to_vec(),
            time: 1_600_000_000 + number as u64,
            zone: "+0000",
        };
        import.commit(Commit {
            parents: number.checked_sub(1).into_iter().collect(),
            tree: tree.clone(),
            author: ident.clone(),
            committer: ident,
            encoding: None,
            message: b"x".to_vec(),
        });
    }
    import.write(repository).0
}

/// Trees that a clone lacks are fetched together with those of the commits that follow.
#[test]
fn a_clone_without_trees_fetches_many_at_once() {
    let origin = TestRepo::new(ObjectFormat::Sha1);
    let ids = long_history(&origin, 300);
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", origin.root().display());
    for (directory, commits) in [("d", [294, 0].as_slice()), ("", &[294, 299])] {
        for graph in [false, true] {
            let clone = origin
                .root()
                .with_file_name(format!("clone-{directory}-{graph}"));
            let target = clone.to_str().expect("ASCII");
            origin.git(&[
                "clone",
                "-q",
                "--filter=tree:0",
                "--no-checkout",
                &url,
                target,
            ]);
            if graph {
                // Its filters say that most commits leave the directory alone.
                origin.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
                let graph = "objects/info/commit-graph";
                let from = origin.root().join(".git").join(graph);
                fs::copy(from, clone.join(".git").join(graph)).expect("it can be copied");
            }
            let packs = || {
                fs::read_dir(clone.join(".git/objects/pack"))
                    .expect("it is there")
                    .count()
            };
            let before = packs();
            let found = last_commits(&clone, &ids[299], directory.as_bytes(), |_| {});
            let found = found
                .expect("it is read")
                .into_values()
                .map(|(commit, _)| commit);
            let expected: Vec<&String> = commits.iter().map(|&number| &ids[number]).collect();
            assert_eq!(
                found.collect::<Vec<_>>().iter().collect::<Vec<_>>(),
                expected
            );
            // Each has a pack, an index and two more files.
            let fetches = (packs() - before) / 3;
            assert!(
                (1..=16).contains(&fetches),
                "{directory} {graph}: {fetches} fetches"
            );
        }
    }
}

/// Every call can be the last one.
#[test]
fn the_sink_can_stop_the_walk() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let ids = long_history(&repository, 40);
    let (root, head) = (repository.root(), ids[39].as_str());
    let mut all = Found::default();
    assert!(!find(root, head, b"d", |_| {}, &mut all).expect("it is read"));
    assert!(all.calls >= 6, "{}", all.calls);
    for stop_at in 1..=all.calls {
        let mut found = Found {
            stop_at,
            ..Found::default()
        };
        let is_stopped = find(root, head, b"d", |_| {}, &mut found).expect("it is read");
        assert!(is_stopped, "{stop_at}");
        assert_eq!(found.calls, stop_at);
    }
    // So can a call while the limits of a range are found.
    let mut found = Found {
        stop_at: 3,
        ..Found::default()
    };
    let range = |request: &mut Request| {
        request.negatives = vec![object_id(&ids[0])];
    };
    assert!(find(root, head, b"d", range, &mut found).expect("it is read"));
    assert!(found.commits.is_empty());
}
