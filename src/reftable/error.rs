//! Errors of reading tables.

use std::{fmt, io, path::PathBuf};

/// The result of reading tables.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why tables cannot be read.
#[derive(Debug)]
pub enum Error {
    /// A file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A table's bytes are not valid.
    Damaged {
        /// The file, where it is known.
        path: PathBuf,
        /// Its fault.
        reason: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Error::Damaged { path, reason } => {
                write!(f, "reftable {} is damaged: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            Error::Damaged { .. } => None,
        }
    }
}
