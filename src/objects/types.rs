//! The nouns of this room: kinds, objects, heads of commits, places in packs, tree entries.

use std::sync::Arc;

use bstr::BString;
use gix_hash::ObjectId;
use smallvec::SmallVec;

/// What an object is.
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
    /// The name git gives the kind, as in a loose object's header.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Commit => "commit",
            ObjectKind::Tree => "tree",
            ObjectKind::Blob => "blob",
            ObjectKind::Tag => "tag",
        }
    }

    /// The kind of that name, or `None` if git knows no such kind.
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

/// A whole object.
#[derive(Debug, Clone)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its bytes, without the loose header.
    pub data: Arc<[u8]>,
}

/// What the walk needs of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitHead {
    /// The root tree.
    pub tree: ObjectId,
    /// The parents as stored (grafts and shallow edges are the engine's business).
    pub parents: Parents,
    /// Committer date in seconds since the epoch; 0 where git cannot parse it either.
    pub time: i64,
    /// Position in the commit-graph, when it was found there.
    pub graph: Option<GraphPosition>,
}

/// The ids of a commit's parents; few commits have more than two.
pub type Parents = SmallVec<[ObjectId; 2]>;

/// A commit's place in the commit-graph chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GraphPosition(pub u32);

/// What the commit-graph says of a commit with at most two parents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GraphLinks {
    /// Where the parents are; only `count` of these are there.
    pub(crate) parents: [u32; 2],
    pub(crate) count: u32,
    /// The committer date.
    pub(crate) time: i64,
}

/// Where a packed object lies: the pack (in the store's numbering) and the byte offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PackPosition {
    /// The pack.
    pub pack: u32,
    /// The offset of the entry's header.
    pub offset: u64,
}

/// How an object is stored, for readers that can work on deltas directly.
#[derive(Debug, Clone)]
pub enum Stored {
    /// The whole bytes (not a delta, or loose).
    Whole(Object),
    /// Instructions against another object of the same pack.
    Delta {
        /// The base.
        base: PackPosition,
        /// The inflated delta, its two size headers included.
        delta: Arc<[u8]>,
    },
}

/// An entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeEntry {
    /// The mode as written in the tree, for example `0o100644`.
    pub mode: u32,
    /// The object it names.
    pub id: ObjectId,
}

impl TreeEntry {
    /// Whether the entry is a directory.
    pub fn is_tree(&self) -> bool {
        self.file_type() == 0o040000
    }

    /// Whether the entry is a file, executable or not.
    pub fn is_regular(&self) -> bool {
        self.file_type() == 0o100000
    }

    /// Whether the entry is a symbolic link.
    pub fn is_link(&self) -> bool {
        self.file_type() == 0o120000
    }

    /// The mode's upper bits, which say what the entry is.
    pub fn file_type(&self) -> u32 {
        self.mode & 0o170000
    }
}

/// The ids met on the way from a root tree to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChain {
    /// The root tree, then each directory.
    pub trees: SmallVec<[ObjectId; 4]>,
    /// What the path names (a blob, a link, a submodule or a tree).
    pub entry: TreeEntry,
}

impl PathChain {
    /// This chain to be shared; `known` instead if the two differ in their root trees at most, as one
    /// is as good as the other then for who compares with it.
    pub fn share(self, known: Option<&Arc<PathChain>>) -> Arc<PathChain> {
        let is_like_this = |known: &&Arc<PathChain>| {
            known.entry == self.entry && known.trees.get(1..) == self.trees.get(1..)
        };
        match known.filter(is_like_this) {
            Some(known) => Arc::clone(known),
            None => Arc::new(self),
        }
    }
}

/// One path that differs between two trees. Directories are never reported, only what is in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path from the root, slash separated.
    pub path: BString,
    /// What the old tree has there, if anything.
    pub old: Option<TreeEntry>,
    /// What the new tree has there, if anything.
    pub new: Option<TreeEntry>,
}

/// What the reading cost so far, over all readers of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Lookups of delta bases (and of whole objects that might be cached as one).
    pub bases_requested: u64,
    /// Distinct packed objects rebuilt in full.
    pub bases_unique: u64,
    /// Objects rebuilt again because the cache had let them go.
    pub bases_regenerated: u64,
    /// Bytes in the delta-base cache now.
    pub cached_bytes: u64,
    /// Commit heads read from the commit-graph.
    pub heads_from_graph: u64,
    /// Commit heads inflated.
    pub heads_inflated: u64,
    /// Tree entries looked up.
    pub lookups: u64,
    /// Of these, found by an earlier answer for the same tree.
    pub lookups_remembered: u64,
    /// Of these, found through deltas without rebuilding the tree.
    pub lookups_projected: u64,
}

impl StoreStats {
    /// What was added since `earlier`; the bytes held are those of now.
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
