//! The example programs do what they show.

use std::path::Path;

use tblame::Repository;

use crate::scratch::Scratch;

#[allow(dead_code, reason = "a program, whose `main` is not called")]
#[path = "examples/inline_blame.rs"]
mod inline_blame;
#[allow(dead_code, reason = "a program, whose `main` is not called")]
#[path = "examples/pane.rs"]
mod pane;
#[allow(dead_code, reason = "a program, whose `main` is not called")]
#[path = "examples/statistics.rs"]
mod statistics;

/// A repository with two commits of a file.
fn scratch() -> (Scratch, Repository) {
    let scratch = Scratch::new();
    scratch.write("f", "one\ntwo\n");
    scratch.commit("First");
    scratch.write("f", "one\nnew\ntwo\n");
    scratch.commit("Second");
    let repository = Repository::open(scratch.root()).expect("a repository");
    (scratch, repository)
}

#[test]
fn a_pane_shows_what_is_found() {
    let (scratch, repository) = scratch();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime");
    runtime.block_on(async {
        let (mut items, task) = pane::open(&repository, Path::new("f"));
        let mut pane = pane::Pane::default();
        assert_eq!(pane.draw(9), "opening …\n");
        while let Some(item) = items.recv().await {
            pane.update(item);
        }
        let blame = task.await.expect("the thread ends").expect("a blame");
        let frame = pane.draw(9);
        let rows: Vec<&str> = frame.lines().collect();
        for (row, entry) in rows.iter().zip(&blame) {
            assert!(
                row.starts_with(&entry.commit_id().to_string()[..8]),
                "{row}"
            );
        }
        assert!(
            rows[1].ends_with("│ new") && rows[3].starts_with("0 of 3"),
            "{frame}"
        );
        // A pane that is closed ends a blame, which waits for it while the channel is full.
        let text = |version: &str| -> String {
            let line = |at| match at % 2 {
                0 => format!("line {at}\n"),
                _ => format!("{version} {at}\n"),
            };
            (0..1000).map(line).collect()
        };
        for version in ["third", "fourth"] {
            scratch.write("long", &text(version));
            scratch.commit(version);
        }
        let (items, task) = pane::open(&repository, Path::new("long"));
        drop(items);
        let blame = task.await.expect("the thread ends").expect("a blame");
        assert!(!blame.is_complete());
    });
}

#[test]
fn an_inline_blame_follows_edits() {
    let (scratch, repository) = scratch();
    let mut blame = inline_blame::InlineBlame::open(&repository, Path::new("f")).expect("a blame");
    let name = scratch.git(&["log", "-1", "--format=%an"]);
    assert_eq!(blame.annotation(1), format!("{name} · Second"));
    blame.edit(b"unsaved\none\nnew\ntwo\n").expect("a blame");
    assert_eq!(blame.annotation(0), "not committed");
    assert_eq!(blame.annotation(1), format!("{name} · First"));
    assert_eq!(blame.annotation(2), format!("{name} · Second"));
    let mut other = inline_blame::InlineBlame::open(&repository, Path::new("new")).expect("none");
    other.edit(b"text\n").expect("nothing to blame");
    assert_eq!(other.annotation(0), "not committed");
}

#[test]
fn a_statistic_counts_all_files() {
    let scratch = Scratch::random(4, 40);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let sums = statistics::Statistics::of(&repository).expect("a tree");
    let listed = scratch.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    let lines = listed
        .lines()
        .map(|path| scratch.blame(&["HEAD"], path).len());
    assert_eq!(sums.lines, lines.sum::<usize>() as u64);
    assert_eq!(
        (sums.files, sums.failed),
        (listed.lines().count() as u64, 0)
    );
    assert_eq!(sums.years.values().sum::<u64>(), sums.lines);
    let people = sums.people.values().map(|(_, lines)| lines);
    assert_eq!(people.sum::<u64>(), sums.lines);
}
