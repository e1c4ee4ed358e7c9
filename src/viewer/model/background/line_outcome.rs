//! The outcome of a line of an old version.

use std::{convert::Infallible, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        background::query::Query,
        file_version::{CommitMetadata, FileVersion},
    },
};

/// A question for what became of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineOutcomeQuery {
    /// The version that the line is of.
    pub version: FileVersion,
    /// The line (0-based).
    pub line: u32,
    /// True if whitespace is ignored.
    pub whitespace: bool,
}

impl Query for LineOutcomeQuery {
    type Item = Infallible;
    type End = LineOutcome;
}

/// A line of a file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedLine {
    /// The commit.
    pub commit: ObjectId,
    /// The file's path in it.
    pub path: Arc<BString>,
    /// The line (0-based).
    pub line: u32,
}

/// The outcome of a line, as `git blame --reverse` up to HEAD tells, or up to the parent of a merge
/// that brought the change into it. HEAD, or that parent, need not descend from the version, if it
/// descends from one that has the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineOutcome {
    /// The last commit that has the line.
    pub last: CommittedLine,
    /// That commit is HEAD.
    pub is_at_head: bool,
    /// The commit that wrote the line, if HEAD does not descend from it, so that there is nothing to
    /// follow the line through.
    pub other_branch: Option<ObjectId>,
    /// The commit after it, and the file's path there, unless that deleted the file.
    pub next: Option<(ObjectId, Option<Arc<BString>>)>,
    /// Author, date and message of the commit after it, if it can be read.
    pub metadata: Option<Arc<CommitMetadata>>,
}
