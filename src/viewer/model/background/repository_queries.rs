//! Queries for single facts of a repository: commits, files and names.

use std::{convert::Infallible, fmt, ops::Range, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    system::FileStamp,
    viewer::model::{
        background::query::Query,
        file_version::FileVersion,
        texts::text::{SharedText, Text},
    },
};

/// A query for what surrounds a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitContextQuery(pub ObjectId);

impl Query for CommitContextQuery {
    type Item = Infallible;
    type End = CommitContext;
}

/// The context of a commit in history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitContext {
    /// Branches and tags that point at the commit.
    pub refs: Vec<BString>,
    /// The commits that its message mentions: the abbreviated id as written, and the full one.
    pub mentioned_commits: Vec<(BString, ObjectId)>,
}

/// A query for the current stamp of a work tree file and HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StampQuery {
    /// The file's path, from the root of the work tree.
    pub path: Arc<BString>,
}

impl Query for StampQuery {
    type Item = Infallible;
    type End = Stamp;
}

/// Identifies the state of a work tree file and HEAD, to detect changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The work tree file, if it exists.
    pub file: Option<FileStamp>,
    /// The commit that HEAD points at.
    pub head: Option<ObjectId>,
}

impl Stamp {
    /// The differences of a later stamp.
    pub fn difference(&self, later: &Stamp) -> Option<StampChange> {
        match (&self.file, &later.file) {
            (Some(_), None) => Some(StampChange::FileGone),
            (before, now) if before != now => Some(StampChange::FileChanged),
            _ if self.head != later.head => Some(StampChange::HeadMoved),
            _ => None,
        }
    }
}

/// The differences between two stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StampChange {
    /// The file was removed.
    FileGone,
    /// The file was written.
    FileChanged,
    /// HEAD is another commit.
    HeadMoved,
}

impl fmt::Display for StampChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StampChange::FileGone => "the file is gone",
            StampChange::FileChanged => "the file has changed",
            StampChange::HeadMoved => "HEAD has moved",
        })
    }
}

/// A query for the paths of all files of a version, in batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileListQuery {
    /// A file of the version.
    pub version: FileVersion,
}

impl Query for FileListQuery {
    type Item = Vec<BString>;
    type End = ();
}

/// The typed place: a revision, a file, or `REVISION:FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceQuery {
    /// The input.
    pub input: BString,
    /// The visible version.
    pub version: FileVersion,
    /// The names that the visible file has had, its current one first.
    pub names: Vec<Arc<BString>>,
}

impl Query for PlaceQuery {
    type Item = Infallible;
    type End = NamedVersion;
}

/// The version that an input stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedVersion {
    /// The version.
    pub version: FileVersion,
    /// True if it is of the file that is visible.
    pub is_same_file: bool,
}

/// A query for the beginning of a file, without conversions, for a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeginningQuery {
    /// The file.
    pub version: FileVersion,
}

impl Query for BeginningQuery {
    type Item = Infallible;
    type End = Arc<Text>;
}

/// A query for the lines (0-based) of a work tree file that are not in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnstagedQuery {
    /// The file's path, from the root of the work tree.
    pub path: Arc<BString>,
    /// Its text.
    pub text: SharedText,
}

impl Query for UnstagedQuery {
    type Item = Infallible;
    type End = Vec<Range<u32>>;
}

/// A query for what a typed name may be completed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionQuery {
    /// The visible version.
    pub version: FileVersion,
    /// The input.
    pub input: BString,
}

impl Query for CompletionQuery {
    type Item = Infallible;
    type End = Vec<BString>;
}
