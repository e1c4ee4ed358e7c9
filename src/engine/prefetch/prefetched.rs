//! Findings of the prefetch thread: a commit header, a tree entry, a pair of versions to diff.

use std::sync::Arc;

use crate::{
    engine::history::commits::CommitKey,
    objects::{CommitHead, ObjectId, PathChain, TreeEntry},
};

/// A commit's entry at the followed path.
#[derive(Debug, Clone)]
pub(crate) enum PathLookup {
    /// Not looked up.
    Unknown,
    Absent,
    /// The chain is that of the commit or of one with the same entry.
    At(TreeEntry, Option<Arc<PathChain>>),
}

impl PathLookup {
    /// An entry that was found without its trees.
    pub(crate) fn new(entry: Option<TreeEntry>) -> PathLookup {
        entry.map_or(PathLookup::Absent, |entry| PathLookup::At(entry, None))
    }
}

/// A commit's entry at a path, as it was found.
#[derive(Debug)]
pub(crate) struct PrefetchedCommit {
    pub(crate) commit: CommitKey,
    pub(crate) lookup: PathLookup,
    /// The number of the path that was looked up.
    pub(crate) path_number: u32,
    /// The summed cost of the commits prefetched up to this one.
    pub(crate) ordinal: u64,
}

/// Prefetched commits. Those of the commit-graph, whose headers both threads read themselves, are
/// apart from the others: a header takes more than half of the memory that would be moved from
/// thread to thread.
#[derive(Debug, Default)]
pub(crate) struct PrefetchedCommits {
    pub(crate) in_graph: Vec<PrefetchedCommit>,
    pub(crate) with_headers: Vec<(PrefetchedCommit, CommitHead)>,
}

impl PrefetchedCommits {
    pub(crate) fn push(&mut self, commit: PrefetchedCommit, header: Option<CommitHead>) {
        match (commit.commit, header) {
            (CommitKey::Id(_), Some(header)) => self.with_headers.push((commit, header)),
            _ => self.in_graph.push(commit),
        }
    }

    pub(crate) fn append(&mut self, other: &mut PrefetchedCommits) {
        self.in_graph.append(&mut other.in_graph);
        self.with_headers.append(&mut other.with_headers);
    }

    /// The number of commits.
    pub(crate) fn len(&self) -> usize {
        self.in_graph.len() + self.with_headers.len()
    }
}

/// The blobs of a diff, the parent's first.
pub(crate) type BlobPair = (ObjectId, ObjectId);
