//! One small history for each rule that generated ones may miss.

use std::fs;

use bstr::ByteSlice;
use tblame::internals::engine::Error;

use super::{last_commit_of_git, path_in};
use crate::harness::{
    fast_import::File,
    last_commits::{Found, find, last_commits},
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
    repository.git(&["config", "fastimport.unpackLimit", "1"]);
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

/// Every call can be the last one.
#[test]
fn the_sink_can_stop_the_walk() {
    let mut builder =
        HistoryBuilder::default().commit("base", 1, &[], &[("d/f", "0"), ("d/g", "0")]);
    const NAMES: [&str; 40] = {
        let mut names = ["base"; 40];
        let all = "c00c01c02c03c04c05c06c07c08c09c10c11c12c13c14c15c16c17c18c19\
                   c20c21c22c23c24c25c26c27c28c29c30c31c32c33c34c35c36c37c38c39";
        let mut at = 0;
        while at < 40 {
            let (_, rest) = all.split_at(at * 3);
            names[at] = rest.split_at(3).0;
            at += 1;
        }
        names
    };
    let mut parent = "base";
    for (number, name) in (2..).zip(NAMES) {
        builder = builder.commit(name, number, &[parent], &[("other", name)]);
        parent = name;
    }
    let history = builder.build();
    let (root, head) = (history.repository.root(), history.id(parent));
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
    let base = history.id("base");
    let mut found = Found {
        stop_at: 3,
        ..Found::default()
    };
    let range = |request: &mut tblame::internals::engine::Request| {
        request.negatives = vec![crate::harness::last_commits::object_id(base)];
    };
    assert!(find(root, head, b"d", range, &mut found).expect("it is read"));
    assert!(found.commits.is_empty());
}
