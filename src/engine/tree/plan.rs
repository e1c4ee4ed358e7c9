//! What has to be compared to blame all files of a directory.

use std::{fmt, ops::Range, sync::Arc};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    engine::{api::request::Request, board::scoreboard::PathIndex},
    objects::{self, ObjectId, TreeEntry},
};

/// The files of a directory in a commit, and which versions of them have to be compared.
#[derive(Debug)]
pub struct TreePlan {
    pub(super) request: Request,
    pub(super) files: Vec<PlannedFile>,
    /// Those that a commit's record leads to come later.
    pub(super) records: Vec<VersionRecord>,
    pub(super) origins: Vec<RecordOrigin>,
    pub(super) commits: Vec<PlannedCommit>,
    pub(super) paths: Vec<Arc<BString>>,
    pub(super) unreadable_parents: Vec<Arc<objects::Error>>,
    pub(super) unplanned: Option<Unplanned>,
}

/// A file of the directory.
#[derive(Debug, Clone)]
pub struct PlannedFile {
    /// The path from the root of the tree.
    pub path: BString,
    /// Mode and id in the tree.
    pub entry: TreeEntry,
    /// It is neither a file nor a symbolic link but another repository, which has no lines here.
    pub is_submodule: bool,
    /// The last commit that changed the file, its mode included: the one that `git log -1 -- PATH`
    /// and `git last-modified` name. A merge did not change it if one of the parents has the same
    /// file; then its history goes on in the first of these.
    ///
    /// `None` if a limit of the history comes first, if it cannot be read, or if it was not looked
    /// for.
    pub last_commit: Option<ObjectId>,
    /// The record that all its lines are at first; `None` if the file was not planned.
    pub(super) record: Option<u32>,
}

/// Why every file is blamed alone.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unplanned {
    /// With `-M` and `-C`, what is searched for depends on the file that is blamed.
    Movement,
    /// `--reverse` follows children.
    Reverse,
    /// A limit of the history excludes ancestors of commits that it does not exclude, so that what
    /// is a boundary depends on the order of visits.
    Limit,
    /// The history has a cycle.
    Cycle,
    /// The plan would take too much memory.
    TooLarge,
    /// A commit cannot be read, which may not matter to some of the files, or the trees of the
    /// directory are damaged.
    Unreadable(Arc<crate::engine::Error>),
}

impl fmt::Display for Unplanned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unplanned::Movement => f.write_str("-M and -C depend on the file"),
            Unplanned::Reverse => f.write_str("--reverse"),
            Unplanned::Limit => f.write_str("a limit excludes commits, but not their ancestors"),
            Unplanned::Cycle => f.write_str("the history has a cycle"),
            Unplanned::TooLarge => f.write_str("the plan would take too much memory"),
            Unplanned::Unreadable(error) => error.fmt(f),
        }
    }
}

/// A version of a file with another one before it, or none.
#[derive(Debug)]
pub(super) struct VersionRecord {
    /// Index in [`TreePlan::commits`].
    pub(super) commit: u32,
    /// Index in [`TreePlan::paths`].
    pub(super) path: u32,
    pub(super) entry: TreeEntry,
    /// What it is compared with, in order: a range of [`TreePlan::origins`]. `None` if that is not
    /// known, as something cannot be read: files with lines here are blamed alone.
    pub(super) origins: Option<Range<u32>>,
}

/// A parent's file that a record is compared with.
#[derive(Debug)]
pub(super) struct RecordOrigin {
    /// The record at which this version began.
    pub(super) record: u32,
    /// The parent: index in [`TreePlan::commits`].
    pub(super) commit: u32,
    /// Its path there: index in [`TreePlan::paths`].
    pub(super) path: u32,
}

/// A commit that records refer to.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlannedCommit {
    pub(super) id: ObjectId,
    pub(super) is_boundary: bool,
}

impl TreePlan {
    /// The request of the plan; `path` is the directory, empty for the root.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The files of the directory and of all below it, by their paths.
    pub fn files(&self) -> &[PlannedFile] {
        &self.files
    }

    /// Why every file is blamed alone, if it is.
    pub fn unplanned(&self) -> Option<&Unplanned> {
        self.unplanned.as_ref()
    }

    /// The errors of parents that could not be read; the history went on without them.
    pub fn unreadable_parents(&self) -> &[Arc<objects::Error>] {
        &self.unreadable_parents
    }

    /// The number of versions that have others before them or begin a history.
    pub fn record_count(&self) -> usize {
        self.records.len()
    }

    pub(super) fn path(&self, path: u32) -> &BStr {
        self.paths[path as usize].as_bstr()
    }
}

impl From<PathIndex> for u32 {
    fn from(path: PathIndex) -> u32 {
        path.index() as u32
    }
}
