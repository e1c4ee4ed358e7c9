//! Errors of a blame.

use bstr::BString;

use crate::{
    diff, error,
    objects::{self, ObjectId, ObjectKind},
};

/// Why a text conversion failed, as a message for the user.
pub type ConversionError = Box<dyn std::error::Error + Send + Sync>;

/// Why a blame failed. Entries pushed into the sink before are valid.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An object could not be read.
    #[error(transparent)]
    Object(#[from] objects::Error),
    /// A file's blob is missing.
    #[error("Cannot read blob {id} for path {path}")]
    Blob {
        /// The blob.
        id: ObjectId,
        /// The file's path in its commit.
        path: BString,
    },
    /// A file whose similarity was to be measured is missing.
    #[error("unable to read {id}")]
    Unreadable {
        /// The blob.
        id: ObjectId,
    },
    /// A tree is missing.
    #[error("unable to read tree ({id})")]
    Tree {
        /// The tree, or another object on the way to the path.
        id: ObjectId,
    },
    /// A text conversion failed, or a file of the work tree cannot be read.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
    /// A commit of a range, or a parent of one, could not be read.
    #[error("revision walk setup failed")]
    RangeWalk {
        /// The cause, which git prints before this error.
        source: objects::Error,
    },
    /// Stored data is inconsistent.
    #[error("{0}")]
    Damaged(&'static str),
    /// The final commit does not have the file.
    #[error("no such path {path} in {commit}")]
    NoSuchPath {
        /// The requested path.
        path: BString,
        /// The final commit.
        commit: ObjectId,
    },
    /// Two versions could not be compared.
    #[error("unable to generate diff ({old} -> {new})")]
    Diff {
        /// The parent's commit.
        old: ObjectId,
        /// The suspected commit.
        new: ObjectId,
        /// The cause.
        #[source]
        source: diff::DiffError,
    },
    /// `--reverse --first-parent` over a range that is not a first-parent chain.
    #[error("--reverse --first-parent together require range along first-parent chain")]
    NotAChain,
    /// The entries do not attribute every requested line exactly once. Checked before every blame
    /// ends, so that a defect of the engine is never silent.
    #[error("internal error: not every line was attributed exactly once; please report this")]
    Unattributed,
    /// A directory has more files than a plan is made for, or a commit removes more than are searched for renames.
    #[error("there are too many files")]
    TooManyFiles,
    /// A file has more bytes or lines than 32 bits can count.
    #[error("file is too large to be blamed")]
    TooLarge,
}

impl Error {
    /// True if a sign of damage ended what was done, which is to be done again from the beginning.
    pub fn is_sign_of_damage(&self) -> bool {
        matches!(self, Error::Object(objects::Error::Damage { .. }))
    }

    /// The message for a log, without names but those of files of objects.
    pub fn without_names(&self) -> String {
        match self {
            Error::Object(err) => err.without_names(),
            Error::RangeWalk { source } => format!("{self}: {}", source.without_names()),
            Error::Blob { id, .. } => format!("blob {id} is missing"),
            Error::NoSuchPath { commit, .. } => format!("no such path in {commit}"),
            Error::Conversion(err) => match err.downcast_ref::<error::Error>() {
                Some(err) => err.without_names(),
                None => "a text conversion failed".to_owned(),
            },
            err => err.to_string(),
        }
    }

    /// Converts an error from a tree lookup: an object that is missing or no tree becomes
    /// [`Error::Tree`].
    pub(crate) fn in_trees(error: objects::Error) -> Error {
        match error {
            objects::Error::Missing { id } => Error::Tree { id },
            objects::Error::NotKind {
                id,
                expected: ObjectKind::Tree,
                ..
            } => Error::Tree { id },
            error => Error::Object(error),
        }
    }

    /// Converts an error from measuring similarity.
    pub(crate) fn in_similarity(error: objects::Error) -> Error {
        match error {
            objects::Error::Missing { id } => Error::Unreadable { id },
            error => Error::Object(error),
        }
    }

    /// Adds the path to an error about a missing blob.
    pub(crate) fn for_path(self, path: &BString) -> Error {
        match self {
            Error::Object(objects::Error::Missing { id }) => {
                let path = path.clone();
                Error::Blob { id, path }
            }
            error => error,
        }
    }
}
