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

/// What a commit was found to have at a path.
#[derive(Debug)]
pub(crate) struct PrefetchedCommit {
    pub(crate) commit: CommitKey,
    pub(crate) lookup: PathLookup,
    /// The number of the path that was looked up.
    pub(crate) path_number: u32,
    /// The summed cost of the commits prefetched up to this one.
    pub(crate) ordinal: u64,
}

/// Commits, and the headers of those that are not in the commit-graph, which both threads read themselves, in the same order.
///
/// Headers are apart because they take more than half of the memory that would be moved from thread to thread.
#[derive(Debug, Default)]
pub(crate) struct PrefetchedCommits {
    pub(crate) commits: Vec<PrefetchedCommit>,
    pub(crate) headers: Vec<CommitHead>,
}

impl PrefetchedCommits {
    pub(crate) fn push(&mut self, commit: PrefetchedCommit, header: Option<&CommitHead>) {
        if let CommitKey::Id(_) = commit.commit {
            self.headers.extend(header.cloned());
        }
        self.commits.push(commit);
    }

    pub(crate) fn append(&mut self, other: &mut PrefetchedCommits) {
        self.commits.append(&mut other.commits);
        self.headers.append(&mut other.headers);
    }
}

/// The blobs of a diff, the parent's first.
pub(crate) type BlobPair = (ObjectId, ObjectId);
