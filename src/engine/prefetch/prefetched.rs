//! What the prefetch thread finds: a commit header, a tree entry, a pair of versions to diff.

use std::sync::Arc;

use crate::{
    engine::history::commits::CommitKey,
    objects::{CommitHead, ObjectId, PathChain, TreeEntry},
};

/// What a commit has at the followed path.
#[derive(Debug, Clone)]
pub(crate) enum PathLookup {
    /// Not looked up.
    Unknown,
    Absent,
    /// The chain is that of the commit or of one with the same entry.
    At(TreeEntry, Option<Arc<PathChain>>),
}

/// What was read of a commit.
#[derive(Debug)]
pub(crate) struct PrefetchedCommit {
    pub(crate) commit: CommitKey,
    /// `None` for a commit in the commit-graph, which both threads read themselves.
    pub(crate) header: Option<CommitHead>,
    pub(crate) lookup: PathLookup,
    /// The number of the path that was looked up.
    pub(crate) path_number: u32,
    /// The summed cost of the commits prefetched up to this one.
    pub(crate) ordinal: u64,
}

/// The blobs of a diff, the parent's first.
pub(crate) type BlobPair = (ObjectId, ObjectId);
