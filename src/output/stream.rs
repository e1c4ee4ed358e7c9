//! Formats that write each entry as it is decided.

use std::{ops::ControlFlow, sync::Arc};

use crate::{
    engine::{Entry, Origin, Sink},
    output::{buffer::Buffer, common::Error},
};

/// What a format makes of the engine's events.
pub trait EntryFormat {
    /// The final image is known.
    fn started(&mut self, contents: &Arc<[u8]>);

    /// Write an entry. `origins` resolves every id seen so far.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read or the writer fails.
    fn write(
        &mut self,
        out: &mut Buffer<'_>,
        entry: &Entry,
        origins: &[Origin],
        boundary: bool,
    ) -> Result<(), Error>;
}

/// A sink that writes entries.
///
/// The engine can only be told to stop, so a failure is kept: ask [`finish`](Self::finish) when
/// the engine has returned.
#[derive(Debug)]
pub struct Stream<'w, F> {
    out: Buffer<'w>,
    format: F,
    eager: bool,
    failure: Option<Error>,
}

impl<'w, F: EntryFormat> Stream<'w, F> {
    /// Write to `out`. `eager` is for readers that wait (pipes, terminals): what is decided reaches
    /// them before the engine looks at the next commit; otherwise (regular files) only a full
    /// buffer is handed on.
    pub fn new(out: Buffer<'w>, format: F, eager: bool) -> Self {
        Stream {
            out,
            format,
            eager,
            failure: None,
        }
    }

    /// Hand on what is left.
    ///
    /// # Errors
    ///
    /// The failure that stopped the engine, if one did, or that of the last write.
    pub fn finish(mut self) -> Result<(), Error> {
        match self.failure.take() {
            Some(Error::Write(err)) => return Err(err.into()),
            Some(err) => {
                self.out.flush()?;
                return Err(err);
            }
            None => {}
        }
        Ok(self.out.flush()?)
    }

    fn keep(&mut self, result: Result<(), Error>) -> ControlFlow<()> {
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(err) => {
                self.failure.get_or_insert(err);
                ControlFlow::Break(())
            }
        }
    }
}

impl<F: EntryFormat> Sink for Stream<'_, F> {
    fn started(&mut self, contents: &Arc<[u8]>, _line_count: u32) -> ControlFlow<()> {
        self.format.started(contents);
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()> {
        let written = self.format.write(&mut self.out, entry, origins, boundary);
        let result = written.and_then(|()| Ok(self.out.spill()?));
        self.keep(result)
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        if !self.eager || self.out.is_empty() {
            return ControlFlow::Continue(());
        }
        let result = self.out.flush().map_err(Error::from);
        self.keep(result)
    }
}
