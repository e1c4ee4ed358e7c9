//! Commits that the prefetch thread has read, and whose parents it reads next.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{
    engine::history::commits::CommitKey,
    objects::{ObjectId, PathChain, TreeEntry},
};

/// A commit whose parents are read next.
pub(super) struct Visit {
    pub(super) commit: ReadCommit,
    /// Its entry for the path, unless only its header was read.
    pub(super) found: Option<FoundPath>,
    pub(super) arrival: u64,
}

/// A commit that was read.
pub(super) struct ReadCommit {
    pub(super) key: CommitKey,
    pub(super) time: i64,
    pub(super) parents: SmallVec<[CommitKey; 2]>,
    /// Its root tree, unless the commit-graph has it.
    pub(super) tree: Option<ObjectId>,
}

/// An entry, and the trees along its path.
#[derive(Clone)]
pub(super) struct FoundPath {
    pub(super) entry: TreeEntry,
    pub(super) chain: Option<Arc<PathChain>>,
}

impl FoundPath {
    pub(super) fn new(chain: Arc<PathChain>) -> Self {
        FoundPath {
            entry: chain.entry,
            chain: Some(chain),
        }
    }
}

impl PartialEq for Visit {
    fn eq(&self, other: &Self) -> bool {
        self.arrival == other.arrival
    }
}
impl Eq for Visit {}
impl PartialOrd for Visit {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Visit {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.commit
            .time
            .cmp(&other.commit.time)
            .then(other.arrival.cmp(&self.arrival))
    }
}
