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
        texts::syntax::Spans,
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
    /// The same in the version before it.
    pub old_own_lines: Vec<Range<u32>>,
    /// The commit's change of them.
    pub own_change: OwnChange,
    /// How many lines the commit added and removed in the change that touches the lines.
    pub counts: (u32, u32),
    /// The change of the lines, and lines around them. Without rows, it is left out.
    pub rows: Vec<ChangedLine>,
}

/// A row of a change of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLine {
    /// Its kind: a line of either version or of both, or a gap.
    pub row: DiffRow,
    /// The line without its newline; what a gap leaves out.
    pub text: BString,
    /// The row of the line that it replaced or that replaced it.
    pub counterpart: Option<u32>,
    /// The syntax classes of the line, if they are known.
    pub spans: Spans,
}

impl HistoryChange {
    /// The row that stands for the change in a list: the first of the selected lines that was added
    /// or rewritten, or else of the lines around them, or else a line that was removed.
    pub fn headline(&self) -> Option<&ChangedLine> {
        let with_text = || {
            let has_text = |line: &&ChangedLine| !line.text.trim_ascii().is_empty();
            self.rows.iter().filter(has_text)
        };
        let is_added = |line: &&ChangedLine| matches!(line.row, DiffRow::Added(_));
        let own = with_text()
            .filter(is_added)
            .find(|line| self.is_own(line.row));
        own.or_else(|| with_text().find(|line| self.adds(line.row)))
            .or_else(|| with_text().find(|line| matches!(line.row, DiffRow::Removed(_))))
    }

    /// True if a row is one of the lines and was added. The change may have added others around
    /// them.
    fn adds(&self, row: DiffRow) -> bool {
        match row {
            DiffRow::Added(new) => self.lines.iter().any(|range| range.contains(&new)),
            _ => false,
        }
    }

    /// True if a row is one of the selected lines, as it was before or as it is since.
    pub fn is_own(&self, row: DiffRow) -> bool {
        let (own, line) = match row {
            DiffRow::Removed(old) => (&self.old_own_lines, old),
            DiffRow::Added(new) | DiffRow::Context { new, .. } => (&self.own_lines, new),
            _ => return false,
        };
        own.iter().any(|range| range.contains(&line))
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
