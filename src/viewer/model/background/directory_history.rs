//! The history of a directory: the commits that changed it, and the names that it had.

use std::{collections::HashMap, convert::Infallible, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        background::{directory::EntryKind, query::Query},
        file_version::{CommitMetadata, Failure, FileVersion},
    },
};

/// A request for the commits that changed a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryHistoryQuery {
    /// The directory, its path without a slash at its end; empty, it is the root.
    pub version: FileVersion,
}

impl Query for DirectoryHistoryQuery {
    type Item = FoundCommits;
    /// True if the history was followed to its end, not to a limit of the range.
    type End = bool;
}

/// Further commits, in the order of `git log`.
#[derive(Debug, Clone)]
pub struct FoundCommits {
    /// The commits.
    pub commits: Vec<KnownCommit>,
    /// Those still to come are about as old as this date or older (seconds since the epoch).
    pub frontier: Option<i64>,
}

/// A commit that changed a directory.
#[derive(Debug, Clone)]
pub struct KnownCommit {
    /// Its id.
    pub id: ObjectId,
    /// Its author, date and message.
    pub metadata: Result<Arc<CommitMetadata>, Failure>,
    /// It has several parents.
    pub is_merge: bool,
}

/// A request for the names that a directory had and does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedNamesQuery {
    /// The directory, as in [`DirectoryHistoryQuery`].
    pub version: FileVersion,
}

impl Query for DeletedNamesQuery {
    type Item = FoundNames;
    /// As that of [`DirectoryHistoryQuery`].
    type End = bool;
}

/// Further names, those that were deleted last first.
#[derive(Debug, Clone)]
pub struct FoundNames {
    /// The names.
    pub names: Vec<DeletedName>,
    /// As in [`FoundCommits`].
    pub frontier: Option<i64>,
}

/// A name that a commit deleted from a directory.
#[derive(Debug, Clone)]
pub struct DeletedName {
    /// The name in the directory.
    pub name: BString,
    /// What it was.
    pub kind: EntryKind,
    /// The commit that deleted it, the newest of several.
    pub commit: KnownCommit,
    /// The first parent of the commit that has it.
    pub parent: ObjectId,
}

/// A request for where a commit moved files and directories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedNamesQuery {
    /// The commit.
    pub commit: ObjectId,
    /// The parent with which it is compared.
    pub parent: ObjectId,
    /// Their paths there, from the root.
    pub paths: Vec<BString>,
}

impl Query for MovedNamesQuery {
    type Item = Infallible;
    /// Those that were moved, and the paths that they were moved to.
    type End = HashMap<BString, BString>;
}
