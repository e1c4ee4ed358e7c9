//! Who wrote the lines of the old side of a diff.

use crate::viewer::model::{
    background::query::Query, blame_results::BlameBatch, file_version::FileVersion,
    toggled_options::ToggledOptions,
};

/// A request for the blame of a version that a diff compares with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldLinesQuery {
    /// The version.
    pub version: FileVersion,
    /// The options of the blame.
    pub options: ToggledOptions,
}

impl Query for OldLinesQuery {
    type Item = BlameBatch;
    type End = ();
}
