//! Writes the records of a history as the engine finds them.

use std::ops::ControlFlow;

use crate::{
    engine::{Deletion, DeletionSink, FileHistorySink, FileRevision, LineChange, LineHistorySink},
    output::{buffer::OutputBuffer, commit_writer::CommitWriter, error::OutputError},
};

/// A format of the records `R` of a history.
pub trait RecordFormat<R> {
    /// Writes a record.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read or its date cannot be formatted.
    fn write(&mut self, out: &mut OutputBuffer<'_>, record: &R) -> Result<(), OutputError>;

    /// Is told of a record that is not written.
    fn skip(&mut self, _record: &R) {}
}

/// The sink of each history: writes its records.
#[derive(Debug)]
pub struct HistoryStream<'w, F> {
    /// Where they are written.
    pub writer: CommitWriter<'w>,
    /// The format.
    pub format: F,
}

impl<F> HistoryStream<'_, F> {
    fn write<R>(&mut self, record: &R) -> ControlFlow<()>
    where
        F: RecordFormat<R>,
    {
        let format = &mut self.format;
        self.writer.write(|out| format.write(out, record))
    }
}

impl<F: for<'a> RecordFormat<LineChange<'a>>> LineHistorySink for HistoryStream<'_, F> {
    fn change(&mut self, change: &LineChange<'_>) -> ControlFlow<()> {
        self.write(change)
    }
}

impl<F: for<'a> RecordFormat<FileRevision<'a>>> FileHistorySink for HistoryStream<'_, F> {
    /// With a search, only versions that changed the number of occurrences are written.
    fn revision(&mut self, revision: &FileRevision<'_>) -> ControlFlow<()> {
        let occurrences = revision.occurrences;
        if occurrences.is_some_and(|occurrences| !occurrences.is_changed) {
            self.format.skip(revision);
            return ControlFlow::Continue(());
        }
        self.write(revision)
    }
}

impl<F: for<'a> RecordFormat<Deletion<'a>>> DeletionSink for HistoryStream<'_, F> {
    fn deletion(&mut self, deletion: &Deletion<'_>) -> ControlFlow<()> {
        self.write(deletion)
    }
}
