//! Errors of the output formats.

use std::{error, fmt, io};

use crate::{dates::date_format, output::commit_provider::ProviderError};

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
