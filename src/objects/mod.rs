//! Read access to the objects of one repository.
//!
//! A [`Store`] holds what all readers share: mapped packs, indexes, the commit-graph and the
//! delta-base cache. A [`Reader`] belongs to one thread and holds its inflater and buffers.

use std::sync::Arc;

pub use gix_hash::{Kind as HashKind, ObjectId, oid};

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

/// A whole object.
#[derive(Debug, Clone)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its bytes, without the loose header.
    pub data: Arc<[u8]>,
}

/// What the walk needs of a commit.
#[derive(Debug, Clone)]
pub struct CommitHead {
    /// The root tree.
    pub tree: ObjectId,
    /// The parents as stored (grafts and shallow edges are the engine's business).
    pub parents: Vec<ObjectId>,
    /// Committer date in seconds since the epoch.
    pub time: i64,
    /// Position in the commit-graph, when it was found there.
    pub graph: Option<GraphPosition>,
}

/// A commit's place in the commit-graph chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GraphPosition(pub u32);

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

/// The ids met on the way from a root tree to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChain {
    /// The root tree, then each directory.
    pub trees: Vec<ObjectId>,
    /// What the path names (a blob, a link, a submodule or a tree).
    pub entry: TreeEntry,
}
