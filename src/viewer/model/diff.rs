//! The diff of two versions of a file, as rows.

use std::sync::Arc;

use crate::viewer::model::text::Text;

/// Two versions of a file and their diff.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The old version.
    pub old: Arc<Text>,
    /// The new version.
    pub new: Arc<Text>,
    /// The rows of the diff.
    pub rows: Vec<DiffRow>,
    /// For each row its counterpart on the other side, if the line may have been rewritten.
    pub counterparts: Vec<Option<u32>>,
    /// Their file modes, if known.
    pub modes: (Option<u32>, Option<u32>),
    /// Similarity in percent of a rename or copy.
    pub similarity: Option<u8>,
    /// Whether it is a copy.
    pub copied: bool,
}

/// A row of a diff, with 0-based line numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffRow {
    /// The start of a hunk after omitted lines.
    HunkHeader {
        /// The next line of the old version.
        old: u32,
        /// The next line of the new version.
        new: u32,
    },
    /// A line of both versions.
    Context {
        /// Its number in the old one.
        old: u32,
        /// Its number in the new one.
        new: u32,
    },
    /// A line of the old version.
    Removed(u32),
    /// A line of the new version.
    Added(u32),
}

impl DiffRow {
    /// The line of the old version; for a hunk header, the first line after it. `None` for added lines.
    pub fn old_line(self) -> Option<u32> {
        match self {
            DiffRow::HunkHeader { old, .. }
            | DiffRow::Context { old, .. }
            | DiffRow::Removed(old) => Some(old),
            DiffRow::Added(_) => None,
        }
    }

    /// The line of the new version; for a hunk header, the first line after it. `None` for removed
    /// lines.
    pub fn new_line(self) -> Option<u32> {
        match self {
            DiffRow::HunkHeader { new, .. }
            | DiffRow::Context { new, .. }
            | DiffRow::Added(new) => Some(new),
            DiffRow::Removed(_) => None,
        }
    }
}
