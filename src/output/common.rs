//! What all formats share: the commits they print, errors, and marks.

use std::{error, fmt, io, sync::Arc};

use crate::{
    dates::date_format, engine::Stats, objects::ObjectId, output::buffer::Buffer,
    repository::commits::commit_text::CommitText,
};

/// A failure of whoever provides the commits.
pub type ProviderError = Box<dyn error::Error + Send + Sync>;

/// What the formats ask of the repository.
pub trait Commits {
    /// The text of a commit, after mailmap and encoding. The null id is the uncommitted one, whose
    /// idents and summary are made up by the provider.
    fn text(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError>;

    /// The smallest number of hex digits, `at_least` or more, that names `id` among all objects of
    /// the repository. At most the length of a whole id.
    fn unique_len(&mut self, id: &ObjectId, at_least: usize) -> usize;

    /// How many objects lie in packs, alternates included: the automatic width follows from it.
    fn packed_object_count(&mut self) -> u64;
}

/// Why a format could not be written.
#[derive(Debug)]
pub enum Error {
    /// A commit could not be read.
    Commit(ProviderError),
    /// A commit's date cannot be shown.
    Date(date_format::Error),
    /// The reader went away or the disk is full.
    Write(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Commit(err) => err.fmt(f),
            Error::Date(err) => err.fmt(f),
            Error::Write(err) => err.fmt(f),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Commit(err) => err.source(),
            Error::Date(err) => Some(err),
            Error::Write(err) => Some(err),
        }
    }
}

impl From<io::Error> for Error {
    fn from(err: io::Error) -> Self {
        Error::Write(err)
    }
}

/// Which of the marks of ignored revisions are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// `blame.markIgnoredLines`: `?`, or `ignored` in porcelain.
    pub ignored: bool,
    /// `blame.markUnblamableLines`: `*`, or `unblamable` in porcelain.
    pub unblamable: bool,
}

/// Write the counters of `--show-stats`.
pub fn write_stats(out: &mut Buffer<'_>, stats: &Stats) -> Result<(), Error> {
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
