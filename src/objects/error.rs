//! Errors of reading objects.

use std::path::{Path, PathBuf};

use gix_hash::{ObjectId, oid};

use crate::{objects::types::ObjectKind, system};

/// Why a file format could not be decoded; the caller adds the object or file.
pub(crate) type Reason = &'static str;

/// An object, or a file that holds objects, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The object is in no pack and there is no loose file for it.
    #[error("object {id} is missing")]
    Missing {
        /// The requested object.
        id: ObjectId,
    },
    /// The object is missing here and could not be fetched from the promisor remote.
    #[error("could not fetch {id} from promisor remote")]
    NotFetched {
        /// The requested object.
        id: ObjectId,
    },
    /// The object that replaces another one is missing.
    #[error("replacement {replacement} not found for {id}")]
    ReplacementMissing {
        /// The requested object.
        id: ObjectId,
        /// The object that replaces it.
        replacement: ObjectId,
    },
    /// Too many objects replace each other in turn.
    #[error("replace depth too high for object {id}")]
    ReplaceDepth {
        /// The requested object.
        id: ObjectId,
    },
    /// Stored bytes could not be decoded.
    #[error("{what} is corrupt: {reason}")]
    Corrupt {
        /// Description of the object or file.
        what: String,
        /// The fault.
        reason: &'static str,
    },
    /// The file of a loose object could not be decoded.
    #[error("object {id} is corrupt: {reason}")]
    Loose {
        /// The object.
        id: ObjectId,
        /// Its file.
        path: PathBuf,
        /// The fault.
        reason: &'static str,
    },
    /// The object exists but is of another kind than required.
    #[error("object {id} is a {}, not a {}", actual.name(), expected.name())]
    NotKind {
        /// The object.
        id: ObjectId,
        /// The kind that the caller requires.
        expected: ObjectKind,
        /// The kind of the object.
        actual: ObjectKind,
    },
    /// A commit does not name a tree, or has a parent line without an id. git's words.
    #[error("{problem} {id}")]
    MalformedCommit {
        /// The commit.
        id: ObjectId,
        /// The fault.
        problem: &'static str,
    },
    /// A tree is not a list of entries. git's words, which do not say which tree.
    #[error("{reason}")]
    MalformedTree {
        /// The fault.
        reason: &'static str,
    },
    /// Directories are nested more deeply than git goes.
    #[error("exceeded maximum allowed tree depth")]
    TooDeep,
    /// The commit-graph names a parent that it does not have. git's words.
    #[error("invalid parent position {position}")]
    InvalidParent {
        /// The number of the parent.
        position: u32,
    },
    /// A sign of damage appeared, since when every object is compared with its id. To be read again
    /// from the beginning.
    #[error("the repository is damaged: {sign}")]
    Damage {
        /// The sign.
        sign: String,
    },
    /// An object of a damaged repository cannot be had.
    #[error("object {id} cannot be read, and the repository is damaged")]
    Lost {
        /// The object.
        id: ObjectId,
    },
    /// There is not enough memory for an object.
    #[error("Out of memory: {what} is too large")]
    OutOfMemory {
        /// Description of the object or file.
        what: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
}

/// The reason for an object that is not read because memory could not be allocated for it.
pub(crate) const OUT_OF_MEMORY: Reason = "there is not enough memory";

/// Why a tree is malformed, in git's words.
pub(crate) const MALFORMED_MODE: Reason = "malformed mode in tree entry";
pub(crate) const EMPTY_NAME: Reason = "empty filename in tree entry";
pub(crate) const TOO_SHORT: Reason = "too-short tree object";

/// The reason for an empty loose object file, which git treats as a missing object.
pub(crate) const EMPTY_FILE: Reason = "its file is empty";

impl Error {
    /// True if the object is missing. As in git, an empty loose object file counts as missing.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Error::Missing { .. }
                | Error::Loose {
                    reason: EMPTY_FILE,
                    ..
                }
        )
    }

    /// The message for a log, without names but those of files of objects.
    pub(crate) fn without_names(&self) -> String {
        match self {
            Error::OutOfMemory { .. } => "Out of memory".to_owned(),
            err => without_directories(&err.to_string()).to_owned(),
        }
    }

    /// True if git ends where it looks for a path, instead of taking it for missing.
    pub(crate) fn ends_lookups(&self) -> bool {
        matches!(
            self,
            Error::OutOfMemory { .. } | Error::MalformedTree { .. } | Error::ReplaceDepth { .. }
        )
    }

    /// True if git goes on without a parent that cannot be read for this reason: it is missing or
    /// no commit, or is stored as it was made and does not name its tree or its parents.
    pub fn is_skipped_parent(&self) -> bool {
        self.is_absence() || matches!(self, Error::NotKind { .. } | Error::MalformedCommit { .. })
    }

    pub(crate) fn object(id: &oid, reason: Reason) -> Error {
        Error::unreadable(format!("object {id}"), reason)
    }

    pub(crate) fn pack(path: &Path, offset: u64, reason: Reason) -> Error {
        Error::unreadable(format!("{} at offset {offset}", path.display()), reason)
    }

    pub(crate) fn unreadable(what: String, reason: Reason) -> Error {
        match reason {
            OUT_OF_MEMORY => Error::OutOfMemory { what },
            MALFORMED_MODE | EMPTY_NAME | TOO_SHORT => Error::MalformedTree { reason },
            reason => Error::Corrupt { what, reason },
        }
    }

    /// The error for what could not be opened because too many files are; `None` if that is not the
    /// reason.
    pub(crate) fn of_shortage(path: &Path, error: &std::io::Error) -> Option<Error> {
        let code = system::too_many_files(error)?;
        Some(Error::io(path, std::io::Error::from_raw_os_error(code)))
    }

    pub(crate) fn io(path: &Path, source: std::io::Error) -> Error {
        Error::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// A message about a file of objects, without the directories that the file is in and what is before
/// them.
pub fn without_directories(message: &str) -> &str {
    message.rsplit(['/', '\\']).next().unwrap_or_default()
}
