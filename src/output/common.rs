//! What all formats share: the commits they print, errors, and marks.

use std::{error, fmt, io, sync::Arc};

use crate::{
    dates::date_format, engine::Stats, objects::ObjectId, output::buffer::OutputBuffer,
    repository::commits::commit_text::CommitText,
};

/// An error of an implementation of [`CommitProvider`].
pub type ProviderError = Box<dyn error::Error + Send + Sync>;

/// Commit metadata that the formats need from the repository.
pub trait CommitProvider {
    /// The metadata of a commit, after mailmap and re-encoding. The null id stands for uncommitted
    /// changes; its metadata are synthesized.
    fn text(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError>;

    /// The length in hex digits, `at_least` or more, of the shortest unique abbreviation of `id`.
    /// At most the length of a full id.
    fn unique_len(&mut self, id: &ObjectId, at_least: usize) -> usize;

    /// The number of packed objects, including alternates; determines the default abbreviation.
    fn packed_object_count(&mut self) -> u64;
}

/// Why writing a format failed.
#[derive(Debug)]
pub enum OutputError {
    /// A commit could not be read.
    Commit(ProviderError),
    /// A commit's date cannot be formatted.
    Date(date_format::DateError),
    /// The output cannot be written: a closed pipe, a full disk.
    Write(io::Error),
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputError::Commit(err) => err.fmt(f),
            OutputError::Date(err) => err.fmt(f),
            OutputError::Write(err) => err.fmt(f),
        }
    }
}

impl error::Error for OutputError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            OutputError::Commit(err) => err.source(),
            OutputError::Date(err) => Some(err),
            OutputError::Write(err) => Some(err),
        }
    }
}

impl From<io::Error> for OutputError {
    fn from(err: io::Error) -> Self {
        OutputError::Write(err)
    }
}

/// Which marks of ignored revisions to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IgnoreMarks {
    /// `blame.markIgnoredLines`: `?`, or `ignored` in porcelain.
    pub ignored: bool,
    /// `blame.markUnblamableLines`: `*`, or `unblamable` in porcelain.
    pub unblamable: bool,
}

/// Writes the counters of `--show-stats`.
pub fn write_stats(out: &mut OutputBuffer<'_>, stats: &Stats) -> Result<(), OutputError> {
    let counters = [
        ("num read blob: ", stats.blobs_read),
        ("num get patch: ", stats.patches),
        ("num commits: ", stats.commits),
    ];
    for (name, value) in counters {
        out.bytes(name.as_bytes());
        out.number(value);
        out.byte(b'\n');
    }
    out.spill()?;
    Ok(())
}
