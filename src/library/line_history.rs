//! The history of lines: the commits that changed them.

use std::{
    borrow::Cow,
    cell::Cell,
    ops::{ControlFlow, Range},
    path::Path,
    sync::Arc,
};

use bstr::{BString, ByteSlice};

use super::{
    blame::{CancellableSink, with_session},
    builder::BlameBuilder,
    commit::{CommitId, CommitInfo},
    entries::PreviousVersion,
    error::{Error, Result},
    stream_summary::StreamSummary,
};
use crate::{
    engine::{LineChange, LineHistorySink, PreviousLines, VersionLines},
    repository::commits::commit_texts::CommitTexts,
};

/// What is found of the history of lines.
#[derive(Debug)]
#[non_exhaustive]
pub enum LineHistoryItem {
    /// A commit that changed the lines.
    Change(ChangedLines),
    /// The committer's date of the commit that has been come to, in seconds since 1970-01-01 00:00
    /// UTC: changes that are still to come are about as old or older.
    Frontier(i64),
}

/// A commit that changed lines, with the lines before and after.
#[derive(Debug, Clone)]
pub struct ChangedLines {
    commit: CommitInfo,
    path: Arc<BString>,
    lines: Vec<TextLine>,
    previous: Option<(PreviousVersion, Vec<TextLine>)>,
    is_merge: bool,
}

/// A line with its number (0-based), without its `\n`.
type TextLine = (u32, Vec<u8>);

impl BlameBuilder {
    /// Follows the [lines](BlameBuilder::lines) through history, instead of blaming them, and passes
    /// each commit that changed them to `on_item` at once: those of `git log -L`, in its order.
    /// Without lines, it is the whole file. It ends early when `on_item` returns
    /// [`ControlFlow::Break`].
    ///
    /// Ignored revisions, the diff algorithm and the indent heuristic have no effect, as in git.
    /// `docs/line-history.md` has the rule, and what [`moves`](BlameBuilder::moves) adds to it.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use tblame::LineHistoryItem;
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = example_repository();
    /// # let repository = tblame::Repository::open(directory.path())?;
    /// let mut summaries = Vec::new();
    /// repository.blame("src/main.rs").lines(0..4).line_history(|item| {
    ///     if let LineHistoryItem::Change(change) = item {
    ///         summaries.push(change.commit().summary().into_owned());
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(summaries, ["Print two", "Print one"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the request is invalid, an object cannot be read, or the walk is cancelled. What was
    /// passed before is valid.
    pub fn line_history(
        self,
        mut on_item: impl FnMut(LineHistoryItem) -> ControlFlow<()>,
    ) -> Result<StreamSummary> {
        self.check()?;
        let has_changes = Cell::new(false);
        with_session(&self, &|| !has_changes.get(), |run| {
            let (session, request) = (&mut *run.session, &run.prepared.request);
            let mut sink = PassedChanges {
                cancellable: CancellableSink(self.cancellation.as_ref()),
                texts: &mut session.texts,
                on_item: &mut on_item,
                has_changes: &has_changes,
                error: None,
            };
            let end = session.engine.line_history(request, &mut sink)?;
            if let Some(error) = sink.error.take() {
                return Err(error);
            }
            sink.cancellable.check()?;
            Ok(StreamSummary::new(!end.stopped, run.warnings()))
        })
    }
}

impl ChangedLines {
    fn new(change: &LineChange<'_>, commit: CommitInfo) -> ChangedLines {
        let previous = |previous: &PreviousLines<'_>| {
            (
                PreviousVersion::new(&previous.commit, previous.path),
                texts_of(previous.lines, previous.version),
            )
        };
        ChangedLines {
            commit,
            path: Arc::clone(change.path),
            lines: texts_of(change.lines, change.version),
            previous: change.previous.as_ref().map(previous),
            is_merge: change.is_merge,
        }
    }

    /// The commit; that of uncommitted contents has an id of zeros.
    pub fn commit(&self) -> &CommitInfo {
        &self.commit
    }

    /// The id of the commit.
    pub fn commit_id(&self) -> CommitId {
        self.commit.id()
    }

    /// The path of the file in the commit, from the root of the tree.
    pub fn path(&self) -> Cow<'_, Path> {
        self.path.to_path_lossy()
    }

    /// The bytes of the path, separated by slashes on every system.
    pub fn path_bytes(&self) -> &[u8] {
        &self.path
    }

    /// The lines in the commit: their numbers (0-based, ascending) and their texts without `\n`.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.lines.iter().map(|(at, text)| (*at, text.as_slice()))
    }

    /// The file before the commit, in the first parent that has it.
    pub fn previous(&self) -> Option<&PreviousVersion> {
        self.previous.as_ref().map(|(version, _)| version)
    }

    /// The lines [before the commit](ChangedLines::previous), as [`lines`](ChangedLines::lines).
    /// None if the commit added them all.
    pub fn previous_lines(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let lines = self.previous.iter().flat_map(|(_, lines)| lines);
        lines.map(|(at, text)| (*at, text.as_slice()))
    }

    /// True if the commit has several parents.
    pub fn is_merge(&self) -> bool {
        self.is_merge
    }
}

/// The lines of `ranges` with their numbers.
fn texts_of(ranges: &[Range<u32>], version: VersionLines<'_>) -> Vec<TextLine> {
    let lines = ranges.iter().cloned().flatten();
    let text = |at: u32| {
        let line = version.line(at);
        (at, line.strip_suffix(b"\n").unwrap_or(line).to_vec())
    };
    lines.map(text).collect()
}

/// Passes changes on to the callback.
struct PassedChanges<'a> {
    cancellable: CancellableSink<'a>,
    texts: &'a mut CommitTexts,
    on_item: &'a mut dyn FnMut(LineHistoryItem) -> ControlFlow<()>,
    has_changes: &'a Cell<bool>,
    /// A commit's text that could not be read.
    error: Option<Error>,
}

impl LineHistorySink for PassedChanges<'_> {
    fn change(&mut self, change: &LineChange<'_>) -> ControlFlow<()> {
        self.cancellable.flow()?;
        match CommitInfo::read(&change.commit, self.texts) {
            Ok(commit) => {
                self.has_changes.set(true);
                (self.on_item)(LineHistoryItem::Change(ChangedLines::new(change, commit)))
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.cancellable.flow()?;
        (self.on_item)(LineHistoryItem::Frontier(frontier))
    }
}
