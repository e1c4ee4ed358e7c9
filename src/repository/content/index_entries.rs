//! What the index has.

use std::{collections::HashMap, sync::OnceLock};

use bstr::{BStr, BString};
use gix_index::entry::{Flags, Stage};

use crate::{
    engine::IndexPaths,
    objects::{ObjectId, TreeEntry},
    repository::open::{index_file::read_index, layout::Layout, repository::Repository},
};

/// The files of the index.
#[derive(Debug, Default)]
pub(crate) struct StagedFiles {
    /// What a commit would record.
    pub(crate) committed: HashMap<BString, TreeEntry>,
    /// The versions of files in conflict, under the name that the merge gives to all of them.
    pub(crate) in_conflict: Vec<(BString, TreeEntry)>,
}

/// A path of the index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexPath {
    /// The path from the root of the work tree.
    pub path: BString,
    /// The mode.
    pub mode: u32,
    /// The id; that of a tree for a directory that the index has as a whole, whose path ends with a
    /// slash.
    pub id: ObjectId,
    /// A sparse checkout leaves it out of the work tree.
    pub is_left_out: bool,
    /// It is intended to be added: what it has is not staged.
    pub is_intended: bool,
}

/// The index, read on first use.
pub(super) struct LazyIndex {
    layout: Layout,
    entries: OnceLock<Vec<IndexEntry>>,
}

struct IndexEntry {
    path: BString,
    entry: TreeEntry,
    /// Part of the tree that a commit would record: stage 0 and not intent-to-add.
    committed: bool,
    /// Of another stage than 0.
    has_conflicts: bool,
    is_left_out: bool,
}

impl std::fmt::Debug for LazyIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LazyIndex").finish_non_exhaustive()
    }
}

impl LazyIndex {
    pub(super) fn of(repository: &Repository) -> LazyIndex {
        LazyIndex {
            layout: repository.layout().clone(),
            entries: OnceLock::new(),
        }
    }

    fn all(&self) -> &[IndexEntry] {
        self.entries.get_or_init(|| {
            // A new repository has no index.
            let Ok(index) = read_index(&self.layout) else {
                return Vec::new();
            };
            index
                .entries()
                .iter()
                .map(|entry| IndexEntry {
                    path: entry.path(&index).to_owned(),
                    entry: TreeEntry {
                        mode: entry.mode.bits(),
                        id: entry.id,
                    },
                    committed: entry.stage() == Stage::Unconflicted
                        && !entry.flags.contains(Flags::INTENT_TO_ADD),
                    has_conflicts: entry.stage() != Stage::Unconflicted,
                    is_left_out: entry.flags.contains(Flags::SKIP_WORKTREE),
                })
                .collect()
        })
    }

    /// True if `path` has an entry, at any stage.
    pub(super) fn has(&self, path: &BStr) -> bool {
        self.all().iter().any(|staged| staged.path == path)
    }

    pub(super) fn mode(&self, path: &BStr) -> Option<u32> {
        let staged = self.all().iter().find(|staged| staged.path == path)?;
        Some(staged.entry.mode)
    }
}

impl Repository {
    /// The entry that a commit of the index would record for a path.
    pub(crate) fn index_entry(&self, path: &BStr) -> Option<TreeEntry> {
        let index = LazyIndex::of(self);
        let mut entries = index.all().iter();
        let found = entries.find(|staged| staged.committed && staged.path == path);
        found.map(|staged| staged.entry)
    }

    /// What the index has, read anew.
    pub(crate) fn staged_files(&self) -> StagedFiles {
        let mut files = StagedFiles::default();
        for staged in LazyIndex::of(self).all() {
            let (path, entry) = (staged.path.clone(), staged.entry);
            if staged.committed {
                files.committed.insert(path, entry);
            } else if staged.has_conflicts {
                files.in_conflict.push((path, entry));
            }
        }
        files
    }

    /// True if a sparse checkout leaves out what the index has below a directory.
    pub(crate) fn leaves_out(&self, directory: &[u8]) -> bool {
        let directory = [directory, b"/"].concat();
        let mut left_out = self.index_paths().into_iter().filter(|it| it.is_left_out);
        left_out.any(|IndexPath { path, .. }| {
            let is_around = path.ends_with(b"/") && directory.starts_with(&path);
            is_around || path.starts_with(&directory)
        })
    }

    /// The paths of the index in byte order, conflicted ones included.
    pub fn index_paths(&self) -> Vec<IndexPath> {
        let index = LazyIndex::of(self);
        let paths = index.all().iter();
        let paths = paths.map(|it| IndexPath {
            path: it.path.clone(),
            mode: it.entry.mode,
            id: it.entry.id,
            is_left_out: it.is_left_out,
            is_intended: !it.committed && !it.has_conflicts,
        });
        let mut paths: Vec<IndexPath> = paths.collect();
        paths.dedup_by(|a, b| a.path == b.path);
        paths
    }
}

impl IndexPaths for LazyIndex {
    fn entries(&self) -> Vec<(BString, TreeEntry)> {
        // For git, a path with conflicts is neither removed nor as it was.
        let entry = |staged: &IndexEntry| TreeEntry {
            id: if staged.committed {
                staged.entry.id
            } else {
                ObjectId::null(staged.entry.id.kind())
            },
            ..staged.entry
        };
        let staged = self.all().iter();
        let staged = staged.filter(|staged| staged.committed || staged.has_conflicts);
        let mut entries: Vec<_> = staged
            .map(|staged| (staged.path.clone(), entry(staged)))
            .collect();
        entries.dedup_by(|(next, _), (path, _)| next == path);
        entries
    }
}
