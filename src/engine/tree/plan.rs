//! What has to be compared to blame all files of a directory.

use std::{fmt, ops::Range, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::request::Request, board::scoreboard::PathIndex, tree::planned_blame::PlannedBlame,
    },
    objects::{self, ObjectId, TreeEntry},
};

/// The files of a directory in a commit, and which versions of them have to be compared.
#[derive(Debug)]
pub struct TreePlan {
    pub(super) request: Request,
    pub(super) files: Vec<PlannedFile>,
    pub(super) versions: PlannedVersions,
    /// The blames that are known of files whose lines begin at a record, by record.
    pub(super) known: FxHashMap<u32, Arc<PlannedBlame>>,
    /// How many versions of an earlier plan the history led to.
    pub(super) met: usize,
    pub(super) attributes: Vec<AskedAttribute>,
    pub(super) unreadable_parents: Vec<Arc<objects::Error>>,
    pub(super) unplanned: Option<Unplanned>,
}

/// What attributes say of a path: whether it is text. `None` if its contents say so.
pub type AskedAttribute = (BString, Option<bool>);

/// The versions of files that have to be compared.
#[derive(Debug, Default)]
pub struct PlannedVersions {
    /// Those that a commit's record leads to come later.
    pub records: Vec<VersionRecord>,
    /// What the records are compared with.
    pub origins: Vec<RecordOrigin>,
    /// The commits of both.
    pub commits: Vec<PlannedCommit>,
    /// The paths of both.
    pub paths: Vec<Arc<BString>>,
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
    pub record: Option<u32>,
    /// Its blame, if an earlier run has found it.
    pub known: Option<Arc<PlannedBlame>>,
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
pub struct VersionRecord {
    /// Index in [`PlannedVersions::commits`].
    pub commit: u32,
    /// Index in [`PlannedVersions::paths`].
    pub path: u32,
    /// Mode and id.
    pub entry: TreeEntry,
    /// What it is compared with, in order: a range of [`PlannedVersions::origins`]. `None` if that
    /// is not known, as something cannot be read: files with lines here are blamed alone.
    pub origins: Option<Range<u32>>,
}

/// A parent's file that a record is compared with.
#[derive(Debug)]
pub struct RecordOrigin {
    /// The record at which this version began.
    pub record: u32,
    /// The parent: index in [`PlannedVersions::commits`].
    pub commit: u32,
    /// Its path there: index in [`PlannedVersions::paths`].
    pub path: u32,
}

/// A commit that records refer to.
#[derive(Debug, Clone, Copy)]
pub struct PlannedCommit {
    /// Its id.
    pub id: ObjectId,
    /// The history ends there: a root commit, unless these are to be shown as others.
    pub is_boundary: bool,
}

impl PlannedVersions {
    /// What a record is compared with; nothing if that is not known.
    pub fn origins_of(&self, record: &VersionRecord) -> &[RecordOrigin] {
        let range = record.origins.clone().unwrap_or_default();
        &self.origins[range.start as usize..range.end as usize]
    }
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
        self.versions.records.len()
    }

    /// How many versions of an earlier plan the history led to, where it was not followed further.
    pub fn met_count(&self) -> usize {
        self.met
    }

    pub(super) fn path(&self, path: u32) -> &BStr {
        self.versions.paths[path as usize].as_bstr()
    }
}

impl From<PathIndex> for u32 {
    fn from(path: PathIndex) -> u32 {
        path.index() as u32
    }
}
