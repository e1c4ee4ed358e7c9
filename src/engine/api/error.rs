//! Why a blame could not go on.

use bstr::BString;

use crate::{
    diff,
    objects::{self, ObjectId},
};

/// Why no text could be made of a file, in words for the user.
pub type ConversionError = Box<dyn std::error::Error + Send + Sync>;

/// Why a blame could not go on. What was pushed into the sink before stays true.
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
    /// A tree is missing.
    #[error("unable to read tree ({id})")]
    Tree {
        /// The tree, or another object on the way to the path.
        id: ObjectId,
    },
    /// No text could be made of a file.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
    /// What is stored contradicts itself.
    #[error("{0}")]
    Damaged(&'static str),
    /// The final commit does not have the file.
    #[error("no such path {path} in {commit}")]
    NoSuchPath {
        /// The path asked for.
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
        /// What the diff said.
        #[source]
        source: diff::DiffError,
    },
    /// `--reverse --first-parent` was asked for a range that first parents do not connect.
    #[error("--reverse --first-parent together require range along first-parent chain")]
    NotAChain,
    /// The final image has more lines or bytes than can be counted.
    #[error("file is too large to be blamed")]
    TooLarge,
}

impl Error {
    /// What happened while trees were read.
    pub(crate) fn in_trees(error: objects::Error) -> Error {
        match error {
            objects::Error::Missing { id } => Error::Tree { id },
            error => Error::Object(error),
        }
    }

    /// Says whose blob it was that is missing.
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
