//! The commits that changed a directory, and the interface that receives them.

use std::ops::ControlFlow;

use crate::objects::{ObjectId, TreeEntry};

/// A commit that changed a directory.
#[derive(Debug, Clone, Copy)]
pub struct DirectoryChange<'a> {
    /// The commit.
    pub commit: ObjectId,
    /// The committer's date, in seconds since the epoch.
    pub time: i64,
    /// What the commit has at the path; `None` for nothing.
    pub entry: Option<TreeEntry>,
    /// The parents that have something else than [`entry`](Self::entry) at the path, with that.
    pub parents: &'a [(ObjectId, Option<TreeEntry>)],
}

/// Receives the commits that changed a directory, in the order of `git log`. Every method can stop
/// the walk.
pub trait DirectoryHistorySink {
    /// True to visit all commits, as `git log --full-history` does: also those that a merge which has
    /// what another parent has does not go on to. Asked once, before the walk.
    fn visits_all_parents(&self) -> bool {
        false
    }
    /// The next commit.
    fn change(&mut self, change: &DirectoryChange<'_>) -> ControlFlow<()>;
    /// Called every few visited commits, with the date of one: the commits that are still to come
    /// are about as old or older.
    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
