//! Writes the records of a history as the engine finds them.

use std::ops::ControlFlow;

use crate::{
    engine::{Deletion, DeletionSink, FileHistorySink, FileRevision, LineChange, LineHistorySink},
    output::{buffer::OutputBuffer, commit_writer::CommitWriter, error::OutputError},
};

/// A format of the three histories.
///
/// Its methods fail if the commit cannot be read or its date cannot be formatted.
pub trait HistoryFormat {
    /// Writes a record of `--line-history`.
    fn change(&mut self, out: &mut OutputBuffer<'_>, change: &LineChange<'_>) -> Written;

    /// Writes a record of `--file-history`.
    fn revision(&mut self, out: &mut OutputBuffer<'_>, revision: &FileRevision<'_>) -> Written;

    /// Writes a record of `--deletions`.
    fn deletion(&mut self, out: &mut OutputBuffer<'_>, deletion: &Deletion<'_>) -> Written;

    /// Is told of a version that is not written.
    fn skip(&mut self, _revision: &FileRevision<'_>) {}
}

/// The result of writing a record.
pub type Written = Result<(), OutputError>;

/// The sink of each history: writes its records.
#[derive(Debug)]
pub struct HistoryStream<'w, F> {
    /// Where they are written.
    pub writer: CommitWriter<'w>,
    /// The format.
    pub format: F,
}

impl<F: HistoryFormat> LineHistorySink for HistoryStream<'_, F> {
    fn change(&mut self, change: &LineChange<'_>) -> ControlFlow<()> {
        self.writer.write(|out| self.format.change(out, change))
    }
}

impl<F: HistoryFormat> FileHistorySink for HistoryStream<'_, F> {
    /// With a search, only versions that changed the number of occurrences are written.
    fn revision(&mut self, revision: &FileRevision<'_>) -> ControlFlow<()> {
        let occurrences = revision.occurrences;
        if occurrences.is_some_and(|occurrences| !occurrences.is_changed) {
            self.format.skip(revision);
            return ControlFlow::Continue(());
        }
        self.writer.write(|out| self.format.revision(out, revision))
    }
}

impl<F: HistoryFormat> DeletionSink for HistoryStream<'_, F> {
    fn deletion(&mut self, deletion: &Deletion<'_>) -> ControlFlow<()> {
        self.writer.write(|out| self.format.deletion(out, deletion))
    }
}
