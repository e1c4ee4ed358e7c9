//! Prefetched commit headers, tree entries and diffs, used by the hundreds and thousands. In the
//! short histories of other tests the prefetch thread is hardly ever ahead, so that a wrong result
//! would not show.

use std::{ffi::OsStr, io, path::Path, sync::Arc};

use tblame::internals::{
    engine::{Blame, Discard, Engine, Request, Start},
    objects::ObjectId,
    repository::Repository,
};

use crate::harness::{
    compare::assert_same_in,
    git::git_program,
    linear_history::{self, ChangingFile},
    repository::{ObjectFormat, TestRepo},
};

const COMMITS: usize = 24_000;
/// The blamed file changes in every such commit; the others leave it alone.
const INTERVAL: usize = 12;

#[test]
fn prefetched_results_are_used_and_right() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let directory = repository.root().join("history.git");
    let git = Path::new(git_program());
    linear_history::import(git, &directory, 50, |stream| {
        let mut file = ChangingFile::new(300);
        for number in 0..COMMITS {
            stream.commit()?;
            match number % INTERVAL {
                0 => {
                    file.change();
                    stream.file("f", &file.lines.concat())?;
                }
                _ => stream.file("g", &format!("{number}\n"))?,
            }
        }
        Ok(())
    });
    linear_history::repack(git, &directory);
    for format in ["--porcelain", "--incremental"] {
        let arguments: &[&OsStr] = &[format, "main", "--", "f"].map(OsStr::new);
        assert_same_in(&repository, &directory, &[], arguments);
    }
    let opened = Repository::open_own(&directory).expect("a repository");
    let request = Request::new(Start::Commit(commit(&repository, "main")), "f".into());
    let prefetched = prefetched_blame(&opened, &request);
    let used = [
        prefetched.profile.headers_used,
        prefetched.profile.entries_used,
    ];
    assert!(used.iter().all(|&used| used > 100), "{used:?}");
}

/// A commit of the repository `history.git`.
fn commit(repository: &TestRepo, name: &str) -> ObjectId {
    let output = repository.git_text(&["-C", "history.git", "rev-parse", name]);
    ObjectId::from_hex(output.trim().as_bytes()).expect("an id")
}

/// The blame that a second thread has prefetched for, compared with that of one thread. How far ahead a thread gets depends
/// on the machine, so here it prefetches everything before the walk begins.
fn prefetched_blame(opened: &Repository, request: &Request) -> Blame {
    let mut engine = Engine::new(Arc::clone(opened.store()), 1);
    let alone = engine.blame(request, &mut Discard).expect("a blame");
    let mut engine = Engine::new(Arc::clone(opened.store()), 2);
    engine.prefetch_before_walk();
    let prefetched = engine.blame(request, &mut Discard).expect("a blame");
    assert_eq!(attribution(&prefetched), attribution(&alone));
    prefetched
}

/// Final lines, the lines' start in the commit, and the commit.
fn attribution(blame: &Blame) -> Vec<(std::ops::Range<u32>, u32, ObjectId)> {
    let entries = blame.entries.iter().map(|entry| {
        let origin = &blame.origins[entry.origin.0 as usize];
        (entry.lines.clone(), entry.source_start, origin.commit)
    });
    entries.collect()
}

/// The thread's diffs are used only by a walk that it has left thousands of commits behind.
#[test]
fn prefetched_diffs_are_used_and_right() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let directory = repository.root().join("history.git");
    let git = Path::new(git_program());
    linear_history::import(git, &directory, 50, |stream| {
        let mut file = ChangingFile::new(200);
        (0..1000).try_for_each(|_| -> io::Result<()> {
            stream.commit()?;
            file.change();
            stream.file("f", &file.lines.concat())
        })
    });
    let arguments: &[&OsStr] = &["--porcelain", "main", "--", "f"].map(OsStr::new);
    assert_same_in(&repository, &directory, &[], arguments);

    let (head, middle) = (commit(&repository, "main"), commit(&repository, "main~900"));
    let request = |start| Request::new(Start::Commit(start), "f".into());
    let mut ignore_whitespace = request(head);
    ignore_whitespace.diff.ignore_whitespace = true;
    let mut reverse = request(middle);
    reverse.reverse = Some(vec![head]);
    reverse.negatives = vec![middle];
    let opened = Repository::open_own(&directory).expect("a repository");
    for request in [request(head), ignore_whitespace, reverse] {
        let prefetched = prefetched_blame(&opened, &request);
        let used = prefetched.profile.diffs_used;
        assert!(used > 500, "{used} diffs used");
    }
}
