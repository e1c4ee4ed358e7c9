//! What can go wrong when an object is read.

use std::path::{Path, PathBuf};

use gix_hash::{ObjectId, oid};

use crate::objects::types::ObjectKind;

/// A reason found deep inside a format; the caller adds where it was.
pub(crate) type Fault = &'static str;

/// An object, or a file that holds objects, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No pack and no loose file has the object.
    #[error("object {id} is missing")]
    Missing {
        /// The object asked for.
        id: ObjectId,
    },
    /// The object is not here, and could not be fetched from where it should be.
    #[error("could not fetch {id} from promisor remote")]
    NotFetched {
        /// The object asked for.
        id: ObjectId,
    },
    /// The stored bytes make no sense.
    #[error("{what} is corrupt: {reason}")]
    Corrupt {
        /// The object or file, in words.
        what: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file of a loose object makes no sense.
    #[error("object {id} is corrupt: {reason}")]
    Loose {
        /// The object.
        id: ObjectId,
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The object is there but is not what the caller needs.
    #[error("object {id} is a {}, not a {}", actual.name(), expected.name())]
    NotKind {
        /// The object.
        id: ObjectId,
        /// What the caller needs.
        expected: ObjectKind,
        /// What it is.
        actual: ObjectKind,
    },
    /// The system could not read a file.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// An empty file stands for no object.
pub(crate) const EMPTY: Fault = "its file is empty";

impl Error {
    /// There is no such object. git takes an empty file for none.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Error::Missing { .. } | Error::Loose { reason: EMPTY, .. }
        )
    }

    pub(crate) fn object(id: &oid, reason: Fault) -> Error {
        Error::Corrupt {
            what: format!("object {id}"),
            reason,
        }
    }

    pub(crate) fn pack(path: &Path, offset: u64, reason: Fault) -> Error {
        Error::Corrupt {
            what: format!("{} at offset {offset}", path.display()),
            reason,
        }
    }

    pub(crate) fn io(path: &Path, source: std::io::Error) -> Error {
        Error::Io {
            path: path.to_owned(),
            source,
        }
    }
}
