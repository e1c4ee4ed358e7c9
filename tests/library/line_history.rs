//! The history of lines against `git log -L`.

use std::ops::ControlFlow;

use tblame::{Cancellation, ErrorKind, LineHistoryItem, Repository};

use crate::{
    harness::rng::Rng,
    options::seeds,
    scratch::{Scratch, lines_of},
};

/// A commit with the lines in it and before it. Of a merge, of which git shows no lines, the id alone.
#[derive(Debug, Default, PartialEq, Eq)]
struct Change {
    id: String,
    new: Vec<String>,
    old: Vec<String>,
}

fn of_git(scratch: &Scratch, range: &str, path: &str) -> Vec<Change> {
    let range = format!("-L{range}:{path}");
    let shown = scratch.git(&["log", "--no-color", "--format=commit %H %P", &range, "HEAD"]);
    let mut changes: Vec<Change> = Vec::new();
    let (mut is_merge, mut is_text) = (false, false);
    for row in shown.lines() {
        if let Some(ids) = row.strip_prefix("commit ") {
            let ids: Vec<&str> = ids.split_whitespace().collect();
            is_merge = ids.len() > 2;
            is_text = false;
            let id = ids[0].to_owned();
            changes.push(Change {
                id,
                ..Change::default()
            });
        } else if row.starts_with("@@ ") {
            is_text = true;
        } else if row.starts_with("diff ") {
            is_text = false;
        } else if is_text && !is_merge && !row.is_empty() {
            let change = changes.last_mut().expect("a commit comes first");
            let (mark, text) = row.split_at(1);
            if mark != "-" {
                change.new.push(text.to_owned());
            }
            if mark != "+" {
                change.old.push(text.to_owned());
            }
        }
    }
    changes
}

#[test]
fn changes_are_those_of_git() {
    let mut random = Rng::new(30);
    let (mut compared, mut lines) = (0, 0);
    for seed in seeds() {
        let scratch = Scratch::random(seed, 60);
        let repository = Repository::open(scratch.root()).expect("a repository");
        let text = |lines: &mut dyn Iterator<Item = (u32, &[u8])>| -> Vec<String> {
            lines
                .map(|(_, line)| String::from_utf8_lossy(line).into_owned())
                .collect()
        };
        for path in scratch.git(&["ls-tree", "--name-only", "HEAD"]).lines() {
            let count = scratch.read(path).lines().count();
            for _ in 0..6 {
                let start = random.below(count);
                let end = random.between(start + 1, count.min(start + 5));
                let (mut found, mut frontiers) = (Vec::new(), 0);
                let lines_asked = start as u32..end as u32;
                let history = repository.blame(path).at("HEAD").lines(lines_asked);
                let summary = history.line_history(|item| {
                    match item {
                        LineHistoryItem::Change(change) => {
                            let parents = format!("{}^@", change.commit_id());
                            let parents = scratch.git(&["rev-parse", &parents]);
                            assert_eq!(change.is_merge(), parents.lines().count() > 1);
                            let is_merge = change.is_merge();
                            let shown =
                                |lines: Vec<String>| if is_merge { Vec::new() } else { lines };
                            found.push(Change {
                                id: change.commit_id().to_string(),
                                new: shown(text(&mut change.lines())),
                                old: shown(text(&mut change.previous_lines())),
                            });
                        }
                        _ => frontiers += 1,
                    }
                    ControlFlow::Continue(())
                });
                assert!(summary.expect("a history").is_complete() && frontiers > 0);
                let range = format!("{},{end}", start + 1);
                lines += found.iter().map(|change| change.new.len()).sum::<usize>();
                assert_eq!(
                    found,
                    of_git(&scratch, &range, path),
                    "seed {seed} {path} {range}"
                );
                compared += found.len();
            }
        }
    }
    println!("compared {compared} changes with {lines} lines");
    assert!(compared > 100 && lines > 300, "{compared} {lines}");
}

#[test]
fn a_history_can_be_stopped_and_cancelled() {
    let scratch = Scratch::random(5, 60);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let history = || repository.blame("a.txt").at("HEAD");
    let mut seen = 0;
    let stopped = history().line_history(|item| {
        seen += usize::from(matches!(item, LineHistoryItem::Change(_)));
        match seen {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    assert!(!stopped.expect("a history").is_complete());
    assert_eq!(seen, 2);
    let cancellation = Cancellation::new();
    let mut seen = 0;
    let cancelled = history().cancel_with(&cancellation).line_history(|item| {
        if matches!(item, LineHistoryItem::Change(_)) {
            seen += 1;
            cancellation.cancel();
        }
        ControlFlow::Continue(())
    });
    assert_eq!(
        cancelled.expect_err("cancelled").kind(),
        ErrorKind::Cancelled
    );
    assert_eq!(seen, 1);
    let blame = history().run().expect("the caches are sound");
    assert_eq!(lines_of(&blame), scratch.blame(&["HEAD"], "a.txt"));
    let nothing = repository
        .blame("nothing")
        .line_history(|_| ControlFlow::Continue(()));
    assert_eq!(nothing.expect_err("no file").kind(), ErrorKind::NoSuchPath);
}
