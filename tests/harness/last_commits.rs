//! The last commits of a directory's entries, by the engine.

use std::{collections::BTreeMap, ops::ControlFlow, path::Path, sync::Arc};

use gix_hash::ObjectId;
use tblame::internals::{
    engine::{DirectoryEntry, Engine, Error, LastCommit, LastCommitSink, Request, Start},
    repository::Repository,
};

/// By name: the last commit, and whether it is a boundary.
pub type LastCommits = BTreeMap<Vec<u8>, (String, bool)>;

/// Keeps what it is told, and stops the walk at a call.
#[derive(Debug, Default)]
pub struct Found {
    pub entries: Vec<DirectoryEntry>,
    pub commits: LastCommits,
    pub calls: usize,
    /// The number of the call that stops the walk, from 1 on; never if it is 0.
    pub stop_at: usize,
}

impl Found {
    fn count(&mut self) -> ControlFlow<()> {
        assert!(
            self.stop_at == 0 || self.calls < self.stop_at,
            "called again after it has stopped the walk"
        );
        self.calls += 1;
        if self.calls == self.stop_at {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl LastCommitSink for Found {
    fn started(&mut self, entries: &[DirectoryEntry]) -> ControlFlow<()> {
        assert!(self.calls == 0, "it is called first");
        self.entries = entries.to_vec();
        self.count()
    }

    fn last_commit(&mut self, found: &LastCommit<'_>) -> ControlFlow<()> {
        assert_eq!(&self.entries[found.number as usize], found.entry);
        let commit = (found.commit.to_string(), found.is_boundary);
        let before = self.commits.insert(found.entry.name.to_vec(), commit);
        assert_eq!(before, None, "told twice");
        self.count()
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        self.count()
    }
}

/// The last commits of the entries of `directory` in a commit. `change` can change the request.
///
/// # Errors
///
/// Those of the engine.
pub fn last_commits(
    root: &Path,
    commit: &str,
    directory: &[u8],
    change: impl FnOnce(&mut Request),
) -> Result<LastCommits, Error> {
    let mut found = Found::default();
    find(root, commit, directory, change, &mut found)?;
    assert_eq!(found.commits.len(), found.entries.len());
    Ok(found.commits)
}

/// As [`last_commits`], into a sink. Returns whether it stopped the walk.
///
/// # Errors
///
/// As there.
pub fn find(
    root: &Path,
    commit: &str,
    directory: &[u8],
    change: impl FnOnce(&mut Request),
    found: &mut Found,
) -> Result<bool, Error> {
    let repository = Repository::open_own(root).expect("it is a repository");
    let start = Start::Commit(object_id(commit));
    let mut request = Request::new(start, directory.into());
    request.grafts = Arc::clone(repository.grafts());
    change(&mut request);
    let mut engine = Engine::new(Arc::clone(repository.store()), 2);
    let end = engine.last_commits(&request, found)?;
    let boundaries = found.commits.values().any(|(_, is_boundary)| *is_boundary);
    assert!(end.stopped || end.limited == boundaries);
    Ok(end.stopped)
}

/// An id from its hexadecimal digits.
pub fn object_id(hex: &str) -> ObjectId {
    ObjectId::from_hex(hex.as_bytes()).expect("it is an id")
}
