//! What has to be compared to blame all files of a directory.

use std::{fmt, ops::Range, sync::Arc};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::{
            error::Error,
            request::{Request, Start, Uncommitted, WorkTreeContents},
        },
        board::scoreboard::PathIndex,
        tree::planned_blame::PlannedBlame,
    },
    objects::{self, ObjectId, TreeEntry, is_submodule},
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
    pub(super) work_tree: Option<PlannedWorkTree>,
}

/// What a plan has of the work tree, if its files are those.
#[derive(Debug)]
pub(super) struct PlannedWorkTree {
    /// The files of the commit.
    committed: Vec<PlannedFile>,
    /// By file of the work tree: the number of the same file in the commit, if it has it.
    numbers: Vec<Option<usize>>,
    /// The files of the commit that the work tree lacks.
    removed: Vec<BString>,
    contents: Arc<dyn WorkTreeContents>,
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

/// A file of the directory, or a directory below it that cannot be read: its blame fails.
#[derive(Debug, Clone)]
pub struct PlannedFile {
    /// The path from the root of the tree.
    pub path: BString,
    /// Mode and id in the tree; the null id if it does not have the file.
    pub entry: TreeEntry,
    /// In the work tree, the mode of a file with other contents than in the tree, or of a new one.
    pub changed_mode: Option<u32>,
    /// In the work tree, it is executable and the tree's is not, or the reverse.
    pub has_other_mode: bool,
    /// A sparse checkout leaves it out of the work tree.
    pub is_left_out: bool,
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

impl PlannedFile {
    /// A file of a tree, of which nothing else is known yet.
    pub(crate) fn new(path: BString, entry: TreeEntry, is_submodule: bool) -> PlannedFile {
        PlannedFile {
            path,
            entry,
            changed_mode: None,
            has_other_mode: false,
            is_left_out: false,
            is_submodule,
            last_commit: None,
            record: None,
            known: None,
        }
    }

    /// True if the work tree has something else than the tree.
    pub fn is_uncommitted(&self) -> bool {
        self.changed_mode.is_some() || self.has_other_mode
    }

    /// True for a symbolic link.
    pub fn is_link(&self) -> bool {
        let mode = self.changed_mode.unwrap_or(self.entry.mode);
        TreeEntry { mode, ..self.entry }.is_link()
    }
}

/// A file of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTreeFile {
    /// The path from the root of the work tree.
    pub path: BString,
    /// Its mode: that of a file, of a symbolic link or of a submodule.
    pub mode: u32,
    /// Its contents or its type are not those of the commit, which may not have it.
    pub is_changed: bool,
    /// It is executable and the commit's is not, or the reverse.
    pub has_other_mode: bool,
    /// A sparse checkout leaves it out of the work tree.
    pub is_left_out: bool,
}

/// Why every file is blamed alone.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unplanned {
    /// With `-M` and `-C`, what is searched for depends on the file that is blamed. The last commits
    /// of the files do not.
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
    Unreadable(Arc<Error>),
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

    /// A plan without files: for a directory that the commit of the request does not have.
    pub fn without_files(request: Request) -> TreePlan {
        TreePlan {
            request,
            files: Vec::new(),
            versions: PlannedVersions::default(),
            known: FxHashMap::default(),
            met: 0,
            attributes: Vec::new(),
            unreadable_parents: Vec::new(),
            unplanned: None,
            work_tree: None,
        }
    }

    /// Puts the files of the work tree, by their paths, in the place of those of the commit, or of
    /// those that the work tree had before. Those that were changed will be read from `contents`.
    pub fn use_work_tree(&mut self, files: Vec<WorkTreeFile>, contents: Arc<dyn WorkTreeContents>) {
        self.leave_work_tree();
        let null = match &self.request.start {
            Start::Commit(commit) => ObjectId::null(commit.kind()),
            Start::Uncommitted(uncommitted) => ObjectId::null(uncommitted.entry.id.kind()),
        };
        let committed = std::mem::take(&mut self.files);
        let (mut numbers, mut removed, mut next) = (Vec::new(), Vec::new(), 0);
        for file in files {
            while let Some(other) = committed.get(next).filter(|it| it.path < file.path) {
                removed.push(other.path.clone());
                next += 1;
            }
            let found = committed.get(next).filter(|it| it.path == file.path);
            numbers.push(found.map(|_| next));
            next += usize::from(found.is_some());
            let entry = TreeEntry {
                mode: file.mode,
                id: null,
            };
            let new = PlannedFile::new(file.path, entry, false);
            let mut planned = found.cloned().unwrap_or(new);
            planned.has_other_mode = file.has_other_mode;
            planned.is_left_out = file.is_left_out;
            if file.is_changed {
                planned.is_submodule = is_submodule(file.mode);
                planned.changed_mode = Some(file.mode);
            }
            self.files.push(planned);
        }
        removed.extend(committed[next..].iter().map(|it| it.path.clone()));
        self.work_tree = Some(PlannedWorkTree {
            committed,
            numbers,
            removed,
            contents,
        });
    }

    /// Puts the files of the commit in their place again, if those of the work tree are there.
    pub(crate) fn leave_work_tree(&mut self) {
        if let Some(work_tree) = self.work_tree.take() {
            self.files = work_tree.committed;
        }
    }

    /// Lets `act` see the plan with the files of the commit in their place.
    pub(crate) fn with_committed<R>(&mut self, act: impl FnOnce(&TreePlan) -> R) -> R {
        let mut work_tree = self.work_tree.take();
        let mut swap = |plan: &mut TreePlan| {
            if let Some(work_tree) = &mut work_tree {
                std::mem::swap(&mut plan.files, &mut work_tree.committed);
            }
        };
        swap(self);
        let result = act(self);
        swap(self);
        self.work_tree = work_tree;
        result
    }

    /// The files of the commit, also if those of the work tree are in their place.
    pub fn committed(&self) -> &[PlannedFile] {
        match &self.work_tree {
            Some(work_tree) => &work_tree.committed,
            None => &self.files,
        }
    }

    /// The number of a file among those of the commit; `None` if it is not the commit's.
    pub(crate) fn number_in_commit(&self, file: usize) -> Option<usize> {
        match &self.work_tree {
            Some(_) if self.files[file].changed_mode.is_some() => None,
            Some(work_tree) => work_tree.numbers[file],
            None => Some(file),
        }
    }

    /// The files of the commit that are not in the work tree.
    pub fn removed(&self) -> &[BString] {
        let work_tree = self.work_tree.as_ref();
        work_tree.map_or(&[], |work_tree| &work_tree.removed)
    }

    /// The files of the commit that are not blamed, because they are not as in the work tree: their
    /// numbers there.
    pub(crate) fn unblamed(&self) -> Vec<usize> {
        let mut is_blamed = vec![false; self.committed().len()];
        let files = 0..self.files.len();
        for number in files.filter_map(|file| self.number_in_commit(file)) {
            is_blamed[number] = true;
        }
        let numbers = 0..is_blamed.len();
        numbers.filter(|&number| !is_blamed[number]).collect()
    }

    /// The contents of a file of the work tree that differ from the commit's.
    pub(in crate::engine) fn uncommitted(&self, file: usize) -> Result<Option<Uncommitted>, Error> {
        let file = &self.files[file];
        match (&self.work_tree, file.changed_mode) {
            (Some(work_tree), Some(_)) => Ok(Some(work_tree.contents.read(file.path.as_bstr())?)),
            _ => Ok(None),
        }
    }

    /// The contents of a file of the work tree, also if the commit has the same. With text
    /// conversions, git blames these otherwise than the commit's file where an older version was at
    /// a path with another conversion.
    pub(in crate::engine) fn converted(&self, file: usize) -> Result<Option<Uncommitted>, Error> {
        match &self.work_tree {
            Some(work_tree) if self.request.text_conversion.is_some() => {
                let path = self.files[file].path.as_bstr();
                Ok(Some(work_tree.contents.read(path)?))
            }
            _ => Ok(None),
        }
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
