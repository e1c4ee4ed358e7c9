//! The history of lines: the commits that changed them, with the change at their place.

use std::{ops::Range, sync::Arc};

use bstr::BString;

use crate::{
    engine::OwnChange,
    objects::ObjectId,
    viewer::model::{
        background::query::Query,
        diff::DiffRow,
        file_version::{CommitMetadata, Failure, FileVersion},
    },
};

/// A request for the history of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHistoryQuery {
    /// The version that the lines are of.
    pub version: FileVersion,
    /// The lines (0-based, half-open).
    pub lines: Range<u32>,
    /// True if whitespace is ignored.
    pub whitespace: bool,
    /// True if lines are followed to where they seem to have been moved from.
    pub moves: bool,
    /// The number of `-C` options, 0 to 3: where they are looked for in other files. With any,
    /// `moves` is on.
    pub copies: u8,
}

impl Query for LineHistoryQuery {
    type Item = FoundHistory;
    /// True if the history was followed to its end, not to a limit of the range.
    type End = bool;
}

/// How far a history is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryProgress {
    /// Changes that are still to come are about as old as the date, once known, or older.
    Running(Option<i64>),
    /// Everything was found; false if a limit of the range ended the search.
    Finished(bool),
    /// It failed.
    Failed(Failure),
}

impl From<Result<bool, Failure>> for HistoryProgress {
    fn from(end: Result<bool, Failure>) -> HistoryProgress {
        match end {
            Ok(is_whole) => HistoryProgress::Finished(is_whole),
            Err(failure) => HistoryProgress::Failed(failure),
        }
    }
}

/// A commit that changed the lines.
#[derive(Debug, Clone)]
pub struct HistoryChange {
    /// The commit; the null id for uncommitted changes.
    pub commit: ObjectId,
    /// Its author, date and message.
    pub metadata: Result<Arc<CommitMetadata>, Failure>,
    /// The file's path in it.
    pub path: Arc<BString>,
    /// The lines in it (0-based, half-open).
    pub lines: Vec<Range<u32>>,
    /// The version before it, in the first parent that has the file: commit, path and lines.
    pub previous: Option<(ObjectId, Arc<BString>, Vec<Range<u32>>)>,
    /// The commit added all of the lines.
    pub is_birth: bool,
    /// The commit has several parents.
    pub is_merge: bool,
    /// The lines were followed to it by likeness.
    pub is_inferred: bool,
    /// Those of the lines that the selected lines come from, as far as they are known by likeness
    /// (0-based, half-open).
    pub own_lines: Vec<Range<u32>>,
    /// The commit's change of them.
    pub own_change: OwnChange,
    /// The change of the lines.
    pub rows: Vec<ChangedLine>,
    /// The rows were cut.
    pub is_cut: bool,
}

/// A row of a change of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLine {
    /// Its kind: a line of either version or of both, or a gap.
    pub row: DiffRow,
    /// The line without its newline.
    pub text: BString,
    /// The row of the line that it replaced or that replaced it.
    pub counterpart: Option<u32>,
}

impl HistoryChange {
    /// The row that stands for the change in a list: the first of the selected lines that was added
    /// or rewritten, or else of the lines around them, or else a line that was removed.
    pub fn headline(&self) -> Option<&ChangedLine> {
        let with_text = || {
            let has_text = |line: &&ChangedLine| !line.text.trim_ascii().is_empty();
            self.rows.iter().filter(has_text)
        };
        let is_own = |row| match row {
            DiffRow::Added(new) => self.own_lines.iter().any(|range| range.contains(&new)),
            _ => false,
        };
        let own = with_text().find(|line| is_own(line.row));
        own.or_else(|| with_text().find(|line| self.adds(line.row)))
            .or_else(|| with_text().find(|line| matches!(line.row, DiffRow::Removed(_))))
    }

    /// The numbers of added and of removed rows.
    pub fn counts(&self) -> (usize, usize) {
        let rows = || self.rows.iter().map(|line| line.row);
        let added = rows().filter(|row| matches!(row, DiffRow::Added(_)));
        let removed = rows().filter(|row| matches!(row, DiffRow::Removed(_)));
        (added.count(), removed.count())
    }

    /// True if a row is one of the lines and was added. The change may have added others around
    /// them.
    fn adds(&self, row: DiffRow) -> bool {
        match row {
            DiffRow::Added(new) => self.lines.iter().any(|range| range.contains(&new)),
            _ => false,
        }
    }

    /// The counterpart of a row.
    pub fn counterpart(&self, line: &ChangedLine) -> Option<&ChangedLine> {
        self.rows.get(line.counterpart? as usize)
    }
}

/// A part of the answer to a [`LineHistoryQuery`].
#[derive(Debug, Clone)]
pub enum FoundHistory {
    /// A commit that changed the lines.
    Change(Box<HistoryChange>),
    /// The changes that are still to come are about as old as this date or older (seconds since the
    /// epoch).
    Frontier(i64),
}
