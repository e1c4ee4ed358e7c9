//! The file before a merge, in each of its parents.

use std::convert::Infallible;

use crate::{
    engine::FileInParent,
    viewer::model::{background::query::Query, file_version::FileVersion},
};

/// A question for the parents of a commit that have its file, and the file's paths there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentFilesQuery {
    /// The file in the commit.
    pub version: FileVersion,
}

impl Query for ParentFilesQuery {
    type Item = Infallible;
    type End = Vec<FileInParent>;
}
