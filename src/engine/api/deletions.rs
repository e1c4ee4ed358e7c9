//! Lines that commits deleted, and the interface that receives them.

use std::{
    ops::{ControlFlow, Range},
    sync::Arc,
};

use bstr::BString;

use crate::{engine::api::line_history::VersionLines, objects::ObjectId};

/// Consecutive lines that a commit deleted, with no other line in their place.
#[derive(Debug)]
pub struct Deletion<'a> {
    /// The commit; the null id for the uncommitted one.
    pub commit: ObjectId,
    /// The committer's date, in seconds since the epoch.
    pub time: i64,
    /// The file's path in the commit, relative to the root of its tree.
    pub path: &'a Arc<BString>,
    /// The commit has several parents.
    pub is_merge: bool,
    /// The first parent that has the file.
    pub parent: ObjectId,
    /// The file's path in the parent.
    pub parent_path: &'a Arc<BString>,
    /// The deleted lines in the parent's version (0-based, half-open, not empty).
    pub lines: Range<u32>,
    /// The parent's version.
    pub version: VersionLines<'a>,
    /// How many lines of the commit's version are before their place.
    pub place: u32,
    /// The line of the final image (0-based) that is the nearest before the deleted ones; `None` at
    /// the beginning.
    pub before: Option<u32>,
    /// The nearest line after them; `None` at the end.
    pub after: Option<u32>,
}

/// Receives deletions as they are found. Every method can stop the walk.
pub trait DeletionSink {
    /// A commit deleted lines. About newest first.
    fn deletion(&mut self, deletion: &Deletion<'_>) -> ControlFlow<()>;
    /// Called for each visited commit, with its date: the deletions that are still to come are
    /// about as old or older.
    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
