//! Writes changes of lines as the engine finds them.

use std::ops::ControlFlow;

use crate::{
    engine::{LineChange, LineHistorySink},
    output::{buffer::OutputBuffer, commit_writer::CommitWriter, error::OutputError},
};

/// A format of `--line-history`.
pub trait ChangeFormat {
    /// Writes a change.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read or its date cannot be formatted.
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        change: &LineChange<'_>,
    ) -> Result<(), OutputError>;
}

/// A [`LineHistorySink`] that writes changes.
#[derive(Debug)]
pub struct ChangeStream<'w, F> {
    /// Where they are written.
    pub writer: CommitWriter<'w>,
    /// The format.
    pub format: F,
}

impl<F: ChangeFormat> LineHistorySink for ChangeStream<'_, F> {
    fn change(&mut self, change: &LineChange<'_>) -> ControlFlow<()> {
        let format = &mut self.format;
        self.writer.write(|out| format.write(out, change))
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
