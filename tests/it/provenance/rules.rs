//! A small repository for each rule.

use std::cell::Cell;

use tblame::internals::{
    engine::{Containing, FirstContaining},
    objects::ObjectId,
    repository::Repository,
};

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

/// By the levels that a commit-graph has.
#[test]
fn what_is_older_than_the_commits_that_are_asked_for_is_not_read() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for nth in 0..30 {
        let made = commit(&repository, &format!("{nth}"));
        if nth % 4 == 0 {
            repository.git(&["tag", &format!("v{nth}"), &made]);
        }
    }
    repository.git(&["commit-graph", "write", "--reachable"]);
    let unknown = commit(&repository, "it is not in the commit-graph");
    let line = repository.git_text(&["rev-list", "HEAD"]);
    let line: Vec<ObjectId> = line.lines().map(id).collect();
    let opened = Repository::open_own(repository.root()).expect("a repository");
    let mut containing = FirstContaining::new(
        opened.store(),
        opened.grafts(),
        Some(id(&unknown)),
        None::<std::iter::Empty<&ObjectId>>,
    );
    let mut read_for = |position: usize| {
        containing.prepare_for(&[line[position]]);
        let found = containing.first_on_trunk(&line[position], &|| false);
        assert_eq!(found.expect("readable"), Containing::First(position));
        let are_read = (0..line.len()).take_while(|&at| containing.on_trunk(at).is_some());
        (are_read.count(), containing.may_contain(&line[20]))
    };
    assert_eq!(read_for(0), (1, false));
    assert_eq!(read_for(5), (6, false));
    assert_eq!(read_for(3), (6, false));
    // Many are asked for: all is read.
    assert_eq!(read_for(20), (31, true));
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
    const COUNT: usize = 5000;
    let mut import = String::new();
    for nth in 1..=COUNT {
        let (branch, from) = match nth {
            1 => ("main", String::new()),
            COUNT => ("main", format!("from :1\nmerge :{}\n", nth - 1)),
            _ => ("side", format!("from :{}\n", nth - 1)),
        };
        import += &format!(
            "commit refs/heads/{branch}\nmark :{nth}\ncommitter A <a@b> {} +0000\ndata 1\nx\n{from}\n",
            1_500_000_000 + nth
        );
    }
    repository.git_with_input(&["fast-import", "--quiet"], import.as_bytes());
    repository.git(&["tag", "v1", "main"]);
    let first = repository.git_text(&["rev-list", "--reverse", "main~1..side"]);
    let first = first.lines().next().expect("a commit");
    let tip = repository.git_text(&["rev-parse", "main"]);
    let mut finder = finder(&repository, &tip);
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() == 2
    };
    let stopped = finder.arrival(&id(first), &stop).expect("readable");
    assert_eq!((stopped.merge, asked.get()), (None, 2));
    let arrival = finder.arrival(&id(first), &|| false).expect("readable");
    assert_eq!(arrival.merge, Some(id(&tip)));
    let other = repository.git_with_input(&["commit-tree", "main^{tree}", "-m", "other"], b"");
    let other = String::from_utf8_lossy(&other).trim().to_owned();
    repository.git(&["tag", "v2", &other]);
    let mut finder = self::finder(&repository, &other);
    asked.set(0);
    assert_eq!(finder.release(&id(first), &stop).expect("readable"), None);
    assert_eq!(asked.get(), 2);
    assert_eq!(release(&mut finder, first).as_deref(), Some("v1"));
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
    let arrival = finder.arrival(&id(&tip), &|| false).expect("it is the tip");
    assert_eq!(arrival.merge, None);
    assert_eq!(release(&mut finder, &tip).as_deref(), Some("v1"));
    // Another history may be what the missing commit leads to.
    let other = repository.git_with_input(&["commit-tree", "HEAD^{tree}", "-m", "other"], b"");
    let other = String::from_utf8_lossy(&other).trim().to_owned();
    let absent = "1".repeat(40);
    for commit in [&other, &absent, &other] {
        assert!(finder.arrival(&id(commit), &|| false).is_err());
        assert!(finder.release(&id(commit), &|| false).is_err());
    }
}
