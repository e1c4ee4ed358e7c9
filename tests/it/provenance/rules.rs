//! A small repository for each rule.

use std::cell::Cell;

use crate::{
    harness::repository::{ObjectFormat, TestRepo},
    provenance::{finder, id, release},
};

/// Adds an empty commit with a message, a second after the last one, and returns its id.
fn commit(repository: &TestRepo, message: &str) -> String {
    repository.git(&["commit", "-q", "--allow-empty", "-m", message]);
    repository.git_text(&["rev-parse", "HEAD"])
}

/// Merges `branch` into the current one with this message, and returns the merge.
fn merge(repository: &TestRepo, branch: &str, message: &str) -> String {
    repository.git(&["merge", "-q", "--no-ff", "-m", message, branch]);
    repository.git_text(&["rev-parse", "HEAD"])
}

#[test]
fn the_request_is_that_of_the_merge_and_then_that_of_the_commit() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let root = commit(&repository, "Begin");
    let squashed = commit(&repository, "Add a thing (#4)");
    repository.git(&["checkout", "-q", "-b", "side"]);
    let inner = commit(&repository, "Change it (#5)");
    let plain = commit(&repository, "Change it again");
    repository.git(&["checkout", "-q", "main"]);
    commit(&repository, "Elsewhere");
    let numbered = merge(
        &repository,
        "side",
        "Merge pull request #6 from a/side\n\nTitle",
    );
    repository.git(&["checkout", "-q", "-b", "other", "HEAD~1"]);
    let carried = commit(&repository, "Mend it (#7)");
    let bare = commit(&repository, "Mend it again");
    repository.git(&["checkout", "-q", "main"]);
    let unnumbered = merge(&repository, "other", "Merge branch 'other'");
    let mut finder = finder(&repository, &unnumbered);
    let mut arrival = |commit: &str| {
        let found = finder.arrival(&id(commit), &|| false).expect("readable");
        let request = found.request.map(|number| number.to_string());
        (found.merge.map(|merge| merge.to_string()), request)
    };
    let six = || Some("#6".to_owned());
    assert_eq!(arrival(&root), (None, None));
    assert_eq!(arrival(&squashed), (None, Some("#4".to_owned())));
    assert_eq!(arrival(&inner), (Some(numbered.clone()), six()));
    assert_eq!(arrival(&plain), (Some(numbered.clone()), six()));
    assert_eq!(arrival(&numbered), (None, six()));
    assert_eq!(
        arrival(&carried),
        (Some(unnumbered.clone()), Some("#7".to_owned()))
    );
    assert_eq!(arrival(&bare), (Some(unnumbered.clone()), None));
}

#[test]
fn shallow_commits_have_no_parents() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let root = commit(&repository, "one");
    repository.git(&["tag", "v1"]);
    let middle = commit(&repository, "two");
    let tip = commit(&repository, "three");
    repository.git(&["tag", "v2"]);
    repository.git(&["tag", "-d", "v1"]);
    repository.write(b".git/shallow", format!("{middle}\n").as_bytes());
    let mut finder = finder(&repository, &tip);
    assert_eq!(release(&mut finder, &middle).as_deref(), Some("v2"));
    assert_eq!(release(&mut finder, &root), None);
}

#[test]
fn a_walk_that_was_stopped_goes_on() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut import = String::new();
    for nth in 0..5000 {
        let from = match nth {
            0 => String::new(),
            _ => format!("from :{nth}\n"),
        };
        import += &format!(
            "commit refs/heads/main\nmark :{}\ncommitter A <a@b> {} +0000\ndata 1\nx\n{from}\n",
            nth + 1,
            1_500_000_000 + nth
        );
    }
    repository.git_with_input(&["fast-import", "--quiet"], import.as_bytes());
    repository.git(&["tag", "v1", "main"]);
    let root = repository.git_text(&["rev-list", "--max-parents=0", "main"]);
    let tip = repository.git_text(&["rev-parse", "main"]);
    let mut finder = finder(&repository, &tip);
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() == 2
    };
    assert_eq!(finder.release(&id(&root), &stop).expect("readable"), None);
    assert_eq!(asked.get(), 2);
    assert_eq!(release(&mut finder, &root).as_deref(), Some("v1"));
    asked.set(0);
    let stopped = finder.arrival(&id(&root), &stop).expect("readable");
    assert_eq!((stopped.merge, asked.get()), (None, 2));
    let arrival = finder.arrival(&id(&root), &|| false).expect("readable");
    assert_eq!(arrival.merge, None);
}

#[test]
fn a_commit_that_is_missing_is_an_error() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let root = commit(&repository, "one");
    let tip = commit(&repository, "two");
    repository.git(&["tag", "v1"]);
    let file = format!(".git/objects/{}/{}", &root[..2], &root[2..]);
    std::fs::remove_file(repository.root().join(file)).expect("the object is a file");
    let mut finder = finder(&repository, &tip);
    assert!(finder.arrival(&id(&tip), &|| false).is_err());
    assert_eq!(release(&mut finder, &tip).as_deref(), Some("v1"));
    // The walk has seen that there is such a parent, and needs no more than that.
    let absent = "1".repeat(40);
    for _ in 0..2 {
        assert!(finder.release(&id(&absent), &|| false).is_err());
    }
}
