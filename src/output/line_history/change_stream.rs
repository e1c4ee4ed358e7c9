//! Writes changes of lines as the engine finds them.

use std::ops::ControlFlow;

use crate::{
    engine::{LineChange, LineHistorySink},
    output::{buffer::OutputBuffer, error::OutputError},
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

/// A [`LineHistorySink`] that writes changes. The first error stops the engine, and [`finish`](Self::finish) returns
/// it.
#[derive(Debug)]
pub struct ChangeStream<'w, F> {
    out: OutputBuffer<'w>,
    format: F,
    eager: bool,
    failure: Option<OutputError>,
}

impl<'w, F: ChangeFormat> ChangeStream<'w, F> {
    /// Creates a sink that writes to `out`. `eager` flushes after each commit, for pipes and terminals.
    pub fn new(out: OutputBuffer<'w>, format: F, eager: bool) -> Self {
        ChangeStream {
            out,
            format,
            eager,
            failure: None,
        }
    }

    /// Writes the rest.
    ///
    /// # Errors
    ///
    /// The error that stopped the engine, if any, or that of the last write.
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

impl<F: ChangeFormat> LineHistorySink for ChangeStream<'_, F> {
    fn change(&mut self, change: &LineChange<'_>) -> ControlFlow<()> {
        let written = self.format.write(&mut self.out, change);
        let flush = |out: &mut OutputBuffer<'_>| match self.eager {
            true => out.flush(),
            false => out.spill(),
        };
        match written.and_then(|()| Ok(flush(&mut self.out)?)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(err) => {
                self.failure.get_or_insert(err);
                ControlFlow::Break(())
            }
        }
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
