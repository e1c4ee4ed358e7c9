//! Streaming formats: write each entry as soon as it is blamed.

use std::{ops::ControlFlow, sync::Arc};

use crate::{
    engine::{Entry, Origin, Sink},
    output::{buffer::OutputBuffer, commit_writer::CommitWriter, error::OutputError},
};

/// A streaming format.
pub trait EntryFormat {
    /// Called once with the contents of the final image, before all entries.
    fn started(&mut self, contents: &Arc<[u8]>);

    /// Writes an entry. `origins` resolves all origin ids up to now.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read or the writer fails.
    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        entry: &Entry,
        origins: &[Origin],
        boundary: bool,
    ) -> Result<(), OutputError>;

    /// Called after all entries of a whole blame.
    fn end(&mut self, _out: &mut OutputBuffer<'_>) {}
}

/// An engine [`Sink`] that writes entries in a streaming format.
#[derive(Debug)]
pub struct EntryStream<'w, F> {
    writer: CommitWriter<'w>,
    format: F,
    stops_after_first_entry: bool,
    has_entries: bool,
}

impl<'w, F: EntryFormat> EntryStream<'w, F> {
    /// Creates a sink that writes to `out`. `eager` flushes after each commit, for pipes and
    /// terminals; otherwise (regular files) only full buffers are written.
    pub fn new(out: OutputBuffer<'w>, format: F, eager: bool) -> Self {
        EntryStream {
            writer: CommitWriter::new(out, eager),
            format,
            stops_after_first_entry: false,
            has_entries: false,
        }
    }

    /// Stops the engine after one entry.
    pub fn stop_after_first_entry(&mut self) {
        self.stops_after_first_entry = true;
    }

    /// Writes what follows the entries of a whole blame. Call it only if the engine has found all.
    pub fn end(&mut self) {
        self.writer.write_record(|out| self.format.end(out));
    }

    /// True if an entry was written.
    pub fn has_entries(&self) -> bool {
        self.has_entries
    }

    /// Writes the rest.
    ///
    /// # Errors
    ///
    /// The error that stopped the engine, if any, or that of the last write.
    pub fn finish(self) -> Result<(), OutputError> {
        self.writer.finish()
    }
}

impl<F: EntryFormat> Sink for EntryStream<'_, F> {
    fn started(&mut self, contents: &Arc<[u8]>, _line_count: u32) -> ControlFlow<()> {
        self.format.started(contents);
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()> {
        let out = &mut self.writer.out;
        let written = self.format.write(out, entry, origins, boundary);
        let result = written.and_then(|()| Ok(out.spill()?));
        self.has_entries = true;
        self.writer.keep(result)?;
        if self.stops_after_first_entry {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        let CommitWriter { out, eager, .. } = &mut self.writer;
        if !*eager || out.is_empty() {
            return ControlFlow::Continue(());
        }
        let result = out.flush().map_err(OutputError::from);
        self.writer.keep(result)
    }
}
