//! Lines that commits deleted from a file, and where they would be.

use crate::viewer::model::{
    background::{line_history::HistoryChange, query::Query},
    file_version::FileVersion,
};

/// A request for the deleted lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletionQuery {
    /// The version that the lines are missing in.
    pub version: FileVersion,
    /// True if whitespace is ignored.
    pub whitespace: bool,
}

impl Query for DeletionQuery {
    type Item = FoundDeletions;
    /// True if the history was followed to its end, not to a limit of the range.
    type End = bool;
}

/// Consecutive lines that a commit deleted.
#[derive(Debug, Clone)]
pub struct KnownDeletion {
    /// The line of the file (0-based) below which they were; `None` at its beginning.
    pub below: Option<u32>,
    /// How many lines they are.
    pub line_count: u32,
    /// The commit, with the lines as a change.
    pub change: HistoryChange,
}

/// A part of the answer to a [`DeletionQuery`].
#[derive(Debug, Clone, Default)]
pub struct FoundDeletions {
    /// Further deletions, about newest first.
    pub deletions: Vec<KnownDeletion>,
    /// Deletions that are still to come are about as old as this date or older (seconds since the
    /// epoch).
    pub frontier: Option<i64>,
}
