//! Writes versions of a file as the engine finds them.

use std::ops::ControlFlow;

use crate::{
    engine::{FileHistorySink, FileRevision},
    output::{buffer::OutputBuffer, commit_writer::CommitWriter, error::OutputError},
};

/// A format of `--file-history`.
pub trait RevisionFormat {
    /// Writes a version.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read or its date cannot be formatted.
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        revision: &FileRevision<'_>,
    ) -> Result<(), OutputError>;

    /// Is told of a version that is not written.
    fn skip(&mut self, _revision: &FileRevision<'_>) {}
}

/// A [`FileHistorySink`] that writes versions; with a search, those that changed the number of occurrences.
#[derive(Debug)]
pub struct RevisionStream<'w, F> {
    /// Where they are written.
    pub writer: CommitWriter<'w>,
    /// The format.
    pub format: F,
}

impl<F: RevisionFormat> FileHistorySink for RevisionStream<'_, F> {
    fn revision(&mut self, revision: &FileRevision<'_>) -> ControlFlow<()> {
        let format = &mut self.format;
        let occurrences = revision.occurrences;
        if occurrences.is_some_and(|occurrences| !occurrences.is_changed) {
            format.skip(revision);
            return ControlFlow::Continue(());
        }
        self.writer.write(|out| format.write(out, revision))
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
