//! The places in files that the lines of standard input name (`--places`).

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        background::{provenance::WrittenLine, query::Query},
        file_version::{CommitMetadata, Failure},
    },
};

/// A request for the places, which can be answered once: the input is read meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlacesQuery;

impl Query for NamedPlacesQuery {
    type Item = FoundPlaces;
    /// The input has ended.
    type End = ();
}

/// Further places, in the order of the input.
#[derive(Debug, Clone, Default)]
pub struct FoundPlaces {
    /// The places.
    pub places: Vec<NamedPlace>,
    /// How many places more were read, and left out by the filter.
    pub left_out: usize,
    /// How many lines were read that name no place.
    pub others: usize,
}

/// A place that a line of the input names.
#[derive(Debug, Clone)]
pub struct NamedPlace {
    /// The file, from the root of the tree.
    pub path: Arc<BString>,
    /// The commit that is named with it; `None` for the one of the list.
    pub revision: Option<ObjectId>,
    /// The line of the file (1-based); `None` if there is no such file.
    pub line: Option<u32>,
    /// The line of the input.
    pub text: BString,
    /// Where the line was written, or why that is not known.
    pub written: Result<WrittenPlace, BString>,
    /// Of a line that is not committed: the commit and the path of the file's version before, if there
    /// is one.
    pub before: Option<Box<(ObjectId, Arc<BString>)>>,
}

/// Who wrote the line of a place.
#[derive(Debug, Clone)]
pub struct WrittenPlace {
    /// The line in its commit, which is the null id for what is not committed.
    pub line: WrittenLine,
    /// The commit's author, date and message.
    pub metadata: Result<Arc<CommitMetadata>, Failure>,
}
