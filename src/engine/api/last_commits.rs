//! The last commit that changed each entry of a directory, and the interface that receives it.

use std::ops::ControlFlow;

use bstr::BString;

use crate::objects::{ObjectId, TreeEntry};

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its name in the directory.
    pub name: BString,
    /// Mode and id.
    pub entry: TreeEntry,
}

/// The last commit that changed an entry.
#[derive(Debug, Clone, Copy)]
pub struct LastCommit<'a> {
    /// The entry's number in the order of the directory (0-based), as in
    /// [`LastCommitSink::started`].
    pub number: u32,
    /// The entry.
    pub entry: &'a DirectoryEntry,
    /// The commit.
    pub commit: ObjectId,
    /// The committer's date, in seconds since the epoch.
    pub time: i64,
    /// The commit is beyond a limit of the range or a date: it has the entry, and this or an older
    /// commit was the last that changed it.
    pub is_boundary: bool,
}

/// Receives the last commits of a directory's entries as they are found. Every method can stop the
/// walk.
pub trait LastCommitSink {
    /// The directory was read. Called once, first, with all of its entries in stored order; of
    /// several with one name, the first.
    fn started(&mut self, _entries: &[DirectoryEntry]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// The last commit of an entry is known. About newest first.
    fn last_commit(&mut self, found: &LastCommit<'_>) -> ControlFlow<()>;
    /// Called every few visited commits, with the date of one: the commits that are still to come
    /// are about as old or older.
    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
