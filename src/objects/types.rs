//! Plain data types: object kinds, objects, commit heads, pack positions, tree entries.

use std::{ops::Range, sync::Arc};

use bstr::BString;
use gix_hash::ObjectId;
use smallvec::SmallVec;

/// The kind of a git object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A commit.
    Commit,
    /// A tree.
    Tree,
    /// A blob.
    Blob,
    /// An annotated tag.
    Tag,
}

impl ObjectKind {
    /// The kind's name in git, as in a loose object's header.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Commit => "commit",
            ObjectKind::Tree => "tree",
            ObjectKind::Blob => "blob",
            ObjectKind::Tag => "tag",
        }
    }

    /// The kind with this name; `None` for a name that git does not know.
    pub fn from_name(name: &[u8]) -> Option<ObjectKind> {
        match name {
            b"commit" => Some(ObjectKind::Commit),
            b"tree" => Some(ObjectKind::Tree),
            b"blob" => Some(ObjectKind::Blob),
            b"tag" => Some(ObjectKind::Tag),
            _ => None,
        }
    }
}

/// An object, fully decoded.
#[derive(Debug, Clone)]
pub struct Object {
    /// Commit, tree, blob or tag.
    pub kind: ObjectKind,
    /// The content, without the loose-object header.
    pub data: Arc<[u8]>,
}

/// The fields of a commit that the walk needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitHead {
    /// The root tree.
    pub tree: ObjectId,
    /// The parents as stored, before grafts and shallow boundaries are applied.
    pub parents: Parents,
    /// Committer date in seconds since the epoch; 0 where git cannot parse it.
    pub time: i64,
    /// Position in the commit-graph, if the head was read from there.
    pub graph: Option<GraphPosition>,
}

/// Parent ids; few commits have more than two.
pub type Parents = SmallVec<[ObjectId; 2]>;

/// Position of a commit in the commit-graph, counted through all layers of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GraphPosition(pub u32);

/// Parent positions and date of a commit with at most two parents, from the commit-graph.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommitEdges {
    /// Graph positions of the parents; only the first `count` are valid.
    pub(crate) parents: [u32; 2],
    pub(crate) count: u32,
    /// Committer date in seconds since the epoch.
    pub(crate) time: i64,
}

/// Position of a packed object: pack number in the store, and byte offset in the pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PackPosition {
    /// Index of the pack in the store.
    pub pack: u32,
    /// Byte offset of the entry's header.
    pub offset: u64,
}

/// An object as stored, for readers that work on deltas directly.
#[derive(Debug, Clone)]
pub enum StoredObject {
    /// The object itself: loose, or packed without a delta.
    Whole(Object),
    /// A delta against another object of the same pack.
    Delta {
        /// Position of the base.
        base: PackPosition,
        /// The inflated delta, with its two size headers.
        delta: Arc<[u8]>,
    },
}

/// Mode and id of a tree entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeEntry {
    /// The mode as written in the tree, such as `0o100644`.
    pub mode: u32,
    /// The object that the entry refers to.
    pub id: ObjectId,
}

impl TreeEntry {
    /// True if the entry is a directory.
    pub fn is_tree(&self) -> bool {
        self.file_type() == 0o040000
    }

    /// True if the entry is a regular file, executable or not.
    pub fn is_regular(&self) -> bool {
        self.file_type() == 0o100000
    }

    /// True if two entries at the same path are the same to git, which knows two modes of regular
    /// files.
    pub fn is_same(&self, other: &TreeEntry) -> bool {
        let is_executable = |entry: &TreeEntry| entry.is_regular() && entry.mode & 0o100 != 0;
        self.id == other.id
            && self.file_type() == other.file_type()
            && is_executable(self) == is_executable(other)
    }

    /// True if the entry is a symbolic link.
    pub fn is_link(&self) -> bool {
        self.file_type() == 0o120000
    }

    /// True if the entry is a submodule's commit.
    pub fn is_submodule(&self) -> bool {
        is_submodule(self.mode)
    }

    /// The file type bits of the mode, as [`file_type`] has them.
    pub fn file_type(&self) -> u32 {
        file_type(self.mode)
    }
}

/// The file type bits of a mode. As in git, what is no file, link or directory is a submodule.
pub fn file_type(mode: u32) -> u32 {
    match mode & 0o170000 {
        known @ (0o040000 | 0o100000 | 0o120000) => known,
        _ => SUBMODULE,
    }
}

/// True for the mode of a submodule's commit.
pub fn is_submodule(mode: u32) -> bool {
    file_type(mode) == SUBMODULE
}

const SUBMODULE: u32 = 0o160000;

/// The ids on the way from a root tree to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChain {
    /// The root tree, then one tree for each directory of the path.
    pub trees: SmallVec<[ObjectId; 4]>,
    /// The entry at the path: a blob, a symbolic link, a submodule or a tree.
    pub entry: TreeEntry,
}

impl PathChain {
    /// Wraps the chain for sharing. Returns `known` instead if it is
    /// [equivalent](Self::equivalent).
    pub fn share(self, known: Option<&Arc<PathChain>>) -> Arc<PathChain> {
        match self.equivalent(known) {
            Some(known) => Arc::clone(known),
            None => Arc::new(self),
        }
    }

    /// `known` if it differs in the root tree at most: for comparisons with later chains the two
    /// are then equivalent.
    pub fn equivalent<'a>(&self, known: Option<&'a Arc<PathChain>>) -> Option<&'a Arc<PathChain>> {
        known.filter(|known| {
            known.entry == self.entry && known.trees.get(1..) == self.trees.get(1..)
        })
    }
}

/// A path that differs between two trees. Directories are not reported, only their contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange {
    /// The path from the root, separated by slashes.
    pub path: BString,
    /// The entry in the old tree, if any.
    pub old: Option<TreeEntry>,
    /// The entry in the new tree, if any.
    pub new: Option<TreeEntry>,
}

/// Commits that know their parents by number, as in a commit-graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitList {
    /// The ids of all commits and parents, without duplicates.
    pub ids: Vec<ObjectId>,
    /// Each as far as it is known; `None` for a parent that is known by its id alone.
    pub records: Vec<Option<CommitRecord>>,
    /// The parents of all commits: indexes of `ids`.
    pub parents: Vec<u32>,
}

/// Commits with numbers from 0 on, in any order and without duplicates.
pub trait CommitTable {
    /// The number of commits, with those that are known by their id alone.
    fn count(&self) -> usize;

    fn id(&self, at: usize) -> ObjectId;

    /// The number of parents that [`record`](Self::record) gives.
    fn parent_count(&self, at: usize) -> usize;

    /// The root tree and the committer's date of a commit, in seconds since the epoch. Replaces
    /// `parents` with the numbers of its parents. `None`, and no parents, for a commit that is
    /// known by its id alone.
    fn record(&self, at: usize, parents: &mut Vec<u32>) -> Option<(ObjectId, i64)>;
}

/// A commit of a [`CommitList`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRecord {
    /// The root tree.
    pub tree: ObjectId,
    /// The committer's date, in seconds since the epoch.
    pub time: i64,
    /// Its parents: a range of the list's `parents`.
    pub parents: Range<u32>,
}

impl CommitList {
    /// A copy of `table`.
    pub fn new(table: &impl CommitTable) -> CommitList {
        let mut list = CommitList::default();
        let mut parents = Vec::new();
        for at in 0..table.count() {
            list.ids.push(table.id(at));
            let record = table.record(at, &mut parents);
            let start = list.parents.len() as u32;
            list.records.push(record.map(|(tree, time)| {
                list.parents.extend(&parents);
                CommitRecord {
                    tree,
                    time,
                    parents: start..list.parents.len() as u32,
                }
            }));
        }
        list
    }

    /// Adds an id, for which nothing is known yet, and returns its index.
    pub fn push_id(&mut self, id: ObjectId) -> u32 {
        self.ids.push(id);
        self.records.push(None);
        (self.ids.len() - 1) as u32
    }

    /// The parents of the commit at `at`.
    pub fn parents_of(&self, at: usize) -> &[u32] {
        self.records[at].as_ref().map_or(&[], |record| {
            &self.parents[record.parents.start as usize..record.parents.end as usize]
        })
    }

    /// The number of commits that are known by more than their id.
    pub fn known(&self) -> usize {
        self.records.iter().flatten().count()
    }
}

impl CommitTable for CommitList {
    fn count(&self) -> usize {
        self.ids.len()
    }

    fn id(&self, at: usize) -> ObjectId {
        self.ids[at]
    }

    fn parent_count(&self, at: usize) -> usize {
        self.parents_of(at).len()
    }

    fn record(&self, at: usize, parents: &mut Vec<u32>) -> Option<(ObjectId, i64)> {
        parents.clear();
        parents.extend(self.parents_of(at));
        let record = self.records[at].as_ref()?;
        Some((record.tree, record.time))
    }
}

/// Counters of read work, summed over all readers of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Lookups in the delta-base cache.
    pub bases_requested: u64,
    /// Distinct packed objects rebuilt in full.
    pub bases_unique: u64,
    /// Objects rebuilt again after the cache had evicted them.
    pub bases_regenerated: u64,
    /// Bytes held by the delta-base cache now.
    pub cached_bytes: u64,
    /// Commit heads read from the commit-graph.
    pub heads_from_graph: u64,
    /// Commit heads inflated.
    pub heads_inflated: u64,
    /// Lookups of a name in a tree.
    pub lookups: u64,
    /// Of the lookups, answered by an earlier lookup in the same tree.
    pub lookups_remembered: u64,
    /// Of the lookups, projected through a delta without rebuilding the tree.
    pub lookups_projected: u64,
}

impl StoreStats {
    /// The difference to the `earlier` counters; `cached_bytes` is the current value.
    #[must_use]
    pub fn since(&self, earlier: &StoreStats) -> StoreStats {
        StoreStats {
            bases_requested: self.bases_requested.saturating_sub(earlier.bases_requested),
            bases_unique: self.bases_unique.saturating_sub(earlier.bases_unique),
            bases_regenerated: self
                .bases_regenerated
                .saturating_sub(earlier.bases_regenerated),
            cached_bytes: self.cached_bytes,
            heads_from_graph: self
                .heads_from_graph
                .saturating_sub(earlier.heads_from_graph),
            heads_inflated: self.heads_inflated.saturating_sub(earlier.heads_inflated),
            lookups: self.lookups.saturating_sub(earlier.lookups),
            lookups_remembered: self
                .lookups_remembered
                .saturating_sub(earlier.lookups_remembered),
            lookups_projected: self
                .lookups_projected
                .saturating_sub(earlier.lookups_projected),
        }
    }
}
