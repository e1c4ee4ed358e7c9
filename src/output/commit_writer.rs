//! Writes records as a walk finds them.

use std::ops::ControlFlow;

use crate::output::{buffer::OutputBuffer, error::OutputError};

/// Writes one record after the other. A sink can only stop the walk, so the first error is kept,
/// and [`finish`](Self::finish) returns it.
#[derive(Debug)]
pub struct CommitWriter<'w> {
    pub(super) out: OutputBuffer<'w>,
    pub(super) eager: bool,
    count: u64,
    failure: Option<OutputError>,
}

impl<'w> CommitWriter<'w> {
    /// Writes to `out`. `eager` flushes after each commit, for pipes and terminals.
    pub fn new(out: OutputBuffer<'w>, eager: bool) -> Self {
        CommitWriter {
            out,
            eager,
            count: 0,
            failure: None,
        }
    }

    /// The number of commits written.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes something other than a commit, unless there was an error.
    pub(super) fn write_record(&mut self, write: impl FnOnce(&mut OutputBuffer<'w>)) {
        if self.failure.is_none() {
            write(&mut self.out);
        }
    }

    /// Writes a commit; breaks after an error.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut OutputBuffer<'w>) -> Result<(), OutputError>,
    ) -> ControlFlow<()> {
        let written = write(&mut self.out);
        self.count += 1;
        let flush = |out: &mut OutputBuffer<'_>| if self.eager { out.flush() } else { out.spill() };
        let result = written.and_then(|()| Ok(flush(&mut self.out)?));
        self.keep(result)
    }

    /// Keeps the first error; breaks at an error.
    pub(super) fn keep(&mut self, result: Result<(), OutputError>) -> ControlFlow<()> {
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(err) => {
                self.failure.get_or_insert(err);
                ControlFlow::Break(())
            }
        }
    }

    /// Writes the rest.
    ///
    /// # Errors
    ///
    /// The error that stopped the walk, if any, or that of the last write.
    pub fn finish(mut self) -> Result<(), OutputError> {
        match self.failure.take() {
            Some(OutputError::Write(err)) => Err(err.into()),
            Some(err) => {
                self.out.flush()?;
                Err(err)
            }
            None => Ok(self.out.flush()?),
        }
    }
}
