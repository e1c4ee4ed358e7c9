//! Writes deletions as the engine finds them.

use std::ops::ControlFlow;

use crate::{
    engine::{Deletion, DeletionSink},
    output::{buffer::OutputBuffer, commit_writer::CommitWriter, error::OutputError},
};

/// A format of `--deletions`.
pub trait DeletionFormat {
    /// Writes a deletion.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read or its date cannot be formatted.
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        deletion: &Deletion<'_>,
    ) -> Result<(), OutputError>;
}

/// A [`DeletionSink`] that writes deletions.
#[derive(Debug)]
pub struct DeletionStream<'w, F> {
    /// Where they are written.
    pub writer: CommitWriter<'w>,
    /// The format.
    pub format: F,
}

impl<F: DeletionFormat> DeletionSink for DeletionStream<'_, F> {
    fn deletion(&mut self, deletion: &Deletion<'_>) -> ControlFlow<()> {
        let format = &mut self.format;
        self.writer.write(|out| format.write(out, deletion))
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
