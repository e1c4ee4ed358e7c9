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
}

/// A [`FileHistorySink`] that writes versions.
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
        self.writer.write(|out| format.write(out, revision))
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
