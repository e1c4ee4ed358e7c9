//! Groups of lines that were blamed past their commits.

use std::ops::Range;

use crate::{objects::ObjectId, viewer::model::attribution::LineEntry};

/// A peeled group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peel {
    /// Its lines (0-based).
    pub lines: Range<u32>,
    /// The commit that was peeled from them.
    pub commit: ObjectId,
    /// The attribution of the lines before.
    pub(crate) before: Vec<LineEntry>,
}

/// A group whose blame past its commit is awaited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingPeel {
    /// The number of the job.
    pub(crate) id: u64,
    /// The number of the view.
    pub(crate) view: u64,
    /// The lines of the group (0-based).
    pub(crate) lines: Range<u32>,
    /// Its commit.
    pub(crate) commit: ObjectId,
}
