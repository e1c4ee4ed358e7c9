//! What a walk remembers of its cache.

use std::collections::HashSet;

use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::blame_cache::BlameCache,
        board::{scoreboard::PathIndex, split::PendingEntry},
        history::commits::CommitIndex,
    },
    objects::ObjectId,
};

/// The cache of a running blame, and what it will get from it.
#[derive(Debug)]
pub(crate) struct WalkCache<'a> {
    pub(crate) cache: &'a mut dyn BlameCache,
    /// By path: the commits that have a cached blame.
    pub(crate) commits: FxHashMap<PathIndex, HashSet<ObjectId>>,
    /// The version whose blame can be cached.
    pub(crate) first: Option<FirstVersion>,
    /// Lines came from a cached blame.
    pub(crate) was_used: bool,
    pub(crate) prefetches: bool,
}

/// The first stored version that the walk visits.
#[derive(Debug)]
pub(crate) struct FirstVersion {
    pub(crate) commit: CommitIndex,
    /// The commit whose parents were the first to have another version.
    pub(crate) last: Option<CommitIndex>,
    pub(crate) path: PathIndex,
    pub(crate) blob: ObjectId,
    /// The lines that it was suspected of at first.
    pub(crate) lines: Vec<PendingEntry>,
    /// These are all lines of the final image, which is the same file.
    pub(crate) is_whole: bool,
    /// The cache knows all these lines already.
    pub(crate) is_known: bool,
}

impl<'a> WalkCache<'a> {
    /// The use of `cache` by one blame. `prefetches` says whether there is a prefetch thread to start.
    pub(crate) fn new(cache: &'a mut dyn BlameCache, prefetches: bool) -> WalkCache<'a> {
        WalkCache {
            cache,
            commits: FxHashMap::default(),
            first: None,
            was_used: false,
            prefetches,
        }
    }
}
