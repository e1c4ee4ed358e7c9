//! Standard output: as it is, or on a terminal through a pager or made safe.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, IsTerminal, Write},
    process,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{
    error::{CLOSED_PIPE_STATUS, Error, Result},
    run::{output_pager::OutputPager, terminal_writer::TerminalWriter},
    system::{self, leftovers},
};

/// True if this process has begun to write.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// True if output was begun: it cannot begin again then.
pub(super) fn has_begun() -> bool {
    HAS_BEGUN.load(Ordering::Relaxed)
}

/// Notes that output begins.
pub(super) fn note_begin() {
    HAS_BEGUN.store(true, Ordering::Relaxed);
}

/// Ends the process as git ends if nobody reads what was written. Nothing can be done about other
/// failures.
pub(super) fn end_if_closed(written: &io::Result<()>) {
    let failed = written.as_ref().err().map(io::Error::kind);
    if failed == Some(io::ErrorKind::BrokenPipe) {
        end_by_closed_pipe();
    }
}

/// Ends the process as git does when the reader of its output has closed the pipe: by a signal,
/// whether or not the process was started to ignore that, so that shells and scripts see that the
/// output is incomplete.
pub(super) fn end_by_closed_pipe() -> ! {
    leftovers::remove_all();
    system::end_by_closed_pipe();
    process::exit(CLOSED_PIPE_STATUS.into())
}

/// Standard output without the line buffer of the standard library.
pub(super) fn stdout() -> Result<File> {
    system::stdout().map_err(|err| Error::write(&err))
}

/// Where the output goes.
#[derive(Debug)]
pub(super) enum StandardOutput {
    /// To a file or a program: the bytes as they are.
    Direct(File),
    /// To a terminal.
    Terminal(TerminalWriter<File>),
    /// To a pager that is not started yet, by its command line.
    ToBePaged(OsString),
    /// To a pager on a terminal.
    Paged(OutputPager),
}

impl StandardOutput {
    /// Output to `file`. If that is a terminal, the output is paged by the command line `pager`.
    pub(super) fn new(file: File, pager: Option<OsString>) -> StandardOutput {
        match (file.is_terminal(), pager) {
            (false, _) => StandardOutput::Direct(file),
            (true, None) => StandardOutput::Terminal(TerminalWriter::new(file)),
            (true, Some(line)) => StandardOutput::ToBePaged(line),
        }
    }

    /// Starts the pager, if there is one, as the first write does: from here on there is output.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(super) fn begin(&mut self) -> Result<()> {
        if let StandardOutput::ToBePaged(line) = self {
            note_begin();
            *self = StandardOutput::Paged(OutputPager::start(line)?);
        }
        Ok(())
    }

    /// True if it goes to no terminal, not even through a pager.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self, StandardOutput::Direct(_))
    }

    /// True if it is a regular file.
    pub(super) fn is_regular_file(&self) -> bool {
        match self {
            StandardOutput::Direct(file) => file.metadata().is_ok_and(|it| it.is_file()),
            _ => false,
        }
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        note_begin();
        self.begin().map_err(io::Error::other)?;
        match self {
            StandardOutput::Direct(file) => file.write(bytes),
            StandardOutput::Terminal(terminal) => terminal.write(bytes),
            // It was started above.
            StandardOutput::ToBePaged(_) => Err(io::ErrorKind::BrokenPipe.into()),
            StandardOutput::Paged(pager) => pager.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            StandardOutput::Direct(file) => file.flush(),
            StandardOutput::Terminal(terminal) => terminal.flush(),
            StandardOutput::ToBePaged(_) => Ok(()),
            StandardOutput::Paged(pager) => pager.flush(),
        }
    }
}
