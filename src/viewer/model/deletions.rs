//! Lines that commits deleted from a file, and where they would be.

use std::ops::ControlFlow;

use crate::viewer::model::{
    file_version::{Failure, FileVersion},
    line_history::HistoryChange,
};

/// A request for the deleted lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletionQuery {
    /// Increasing number, repeated in the answers.
    pub id: u64,
    /// The version that the lines are missing in.
    pub version: FileVersion,
    /// Whether whitespace is ignored.
    pub whitespace: bool,
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
    /// What is still to come is about as old as this date or older (seconds since the epoch).
    pub frontier: Option<i64>,
}

/// Finds deleted lines.
pub trait DeletionReader: Send {
    /// Passes the lines that commits deleted from the file to `found` until it breaks. Returns whether the history was
    /// followed to its end, not to a limit of the range.
    ///
    /// # Errors
    /// If an object is missing or damaged. What was found before stays valid.
    fn deletions(
        &mut self,
        query: &DeletionQuery,
        found: &mut dyn FnMut(FoundDeletions) -> ControlFlow<()>,
    ) -> Result<bool, Failure>;
}

/// A reader for sources that have no history of files.
#[derive(Debug, Clone, Copy)]
pub struct NoDeletions;

impl DeletionReader for NoDeletions {
    fn deletions(
        &mut self,
        _query: &DeletionQuery,
        _found: &mut dyn FnMut(FoundDeletions) -> ControlFlow<()>,
    ) -> Result<bool, Failure> {
        Err(Failure("there is no history of files here".to_owned()))
    }
}
