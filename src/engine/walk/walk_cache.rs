//! The state of a walk's use of the cache.

use std::{collections::HashSet, hash::Hash};

use bstr::BStr;
use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::{
            blame::{CachedBlame, CommonLines, OlderVersion},
            blame_cache::BlameCache,
        },
        board::{scoreboard::PathIndex, split::PendingEntry},
        history::commits::CommitIndex,
    },
    objects::ObjectId,
};

/// Most cached blames that one blame takes lines from. What one does not know, others seldom do.
const MAX_READ: u32 = 6;

/// What one blame reads from the cache. `P` stands for a path.
#[derive(Debug)]
pub(crate) struct CacheReads<'a, P> {
    cache: &'a mut dyn BlameCache,
    /// By path: the commits that have a cached blame.
    commits: FxHashMap<P, HashSet<ObjectId>>,
    /// How many cached blames were read.
    count: u32,
}

impl<'a, P: Eq + Hash> CacheReads<'a, P> {
    pub(crate) fn new(cache: &'a mut dyn BlameCache) -> Self {
        CacheReads {
            cache,
            commits: FxHashMap::default(),
            count: 0,
        }
    }

    /// True if a cached blame of `path`, the one of `place`, is known of `commit`, and may be read.
    pub(crate) fn knows(
        &mut self,
        place: P,
        path: &BStr,
        commit: impl FnOnce() -> ObjectId,
    ) -> bool {
        let cache = &mut *self.cache;
        let commits = self.commits.entry(place);
        let commits = commits.or_insert_with(|| cache.commits(path));
        // Most blames without one visit thousands of commits.
        !commits.is_empty() && self.count < MAX_READ && commits.contains(&commit())
    }

    /// False if it was asked for the commits of a path, and there are none.
    pub(crate) fn may_know(&self, place: &P) -> bool {
        self.commits
            .get(place)
            .is_none_or(|commits| !commits.is_empty())
    }

    /// Reads the cached blame of `path` in `commit`, where it has the blob `blob`.
    pub(crate) fn read(
        &mut self,
        commit: &ObjectId,
        path: &BStr,
        blob: &ObjectId,
    ) -> Option<CachedBlame> {
        self.count += 1;
        self.cache.get(commit, path, blob)
    }
}

/// The cache of a running blame, and what it will get from it.
#[derive(Debug)]
pub(crate) struct WalkCache<'a> {
    pub(crate) reads: CacheReads<'a, PathIndex>,
    /// The version whose blame can be cached.
    pub(crate) first: Option<FirstVersion>,
    /// The versions that the walk visited after it, newest first.
    pub(crate) older: Vec<VisitedVersion>,
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
    /// Its blame can be kept: the cache does not know all these lines already, and they are those
    /// of the stored text.
    pub(crate) is_kept: bool,
}

impl<'a> WalkCache<'a> {
    /// The use of `cache` by one blame. `prefetches` says whether there is a prefetch thread to
    /// start.
    pub(crate) fn new(cache: &'a mut dyn BlameCache, prefetches: bool) -> WalkCache<'a> {
        WalkCache {
            reads: CacheReads::new(cache),
            first: None,
            older: Vec::new(),
            was_used: false,
            prefetches,
        }
    }

    /// The older versions, with the lines that they have in common with `first`. `id` gives the id
    /// of a commit.
    pub(crate) fn older_versions(
        &self,
        first: &FirstVersion,
        id: impl Fn(CommitIndex) -> ObjectId,
    ) -> Vec<OlderVersion> {
        let older = self
            .older
            .iter()
            .filter(|older| older.commit != first.commit);
        let older = older.map(|older| OlderVersion {
            commit: id(older.commit),
            blob: older.blob,
            lines: common_lines(&first.lines, &older.lines),
        });
        older.filter(|older| !older.lines.is_empty()).collect()
    }
}

/// A version that the walk visited: what was pending there, and whose parents have another version.
#[derive(Debug)]
pub(crate) struct VisitedVersion {
    pub(crate) commit: CommitIndex,
    pub(crate) blob: ObjectId,
    pub(crate) lines: Vec<PendingEntry>,
}

/// True if lines came through an ignored commit.
pub(crate) fn has_marks(lines: &PendingEntry) -> bool {
    lines.ignored || lines.unblamable
}

/// The lines that a version has in common with the final image, of which `lines` are pending in the
/// version.
pub(crate) fn common_with_image(lines: &[PendingEntry]) -> Vec<CommonLines> {
    let common = lines.iter().map(|range| CommonLines {
        new: range.start,
        old: range.source,
        len: range.len,
    });
    common.collect()
}

/// The lines that two versions have in common, from what was pending in each. Lines that came
/// through an ignored commit are left out: the blame of the older version knows nothing of that
/// commit.
fn common_lines(newer: &[PendingEntry], older: &[PendingEntry]) -> Vec<CommonLines> {
    let mut newer = newer.to_vec();
    newer.sort_unstable_by_key(|range| range.start);
    let mut common: Vec<CommonLines> = Vec::new();
    for range in older.iter().filter(|range| !has_marks(range)) {
        let from = newer.partition_point(|it| it.start + it.len <= range.start);
        for first in &newer[from..] {
            if first.start >= range.start + range.len {
                break;
            }
            let start = first.start.max(range.start);
            let end = (first.start + first.len).min(range.start + range.len);
            let lines = CommonLines {
                new: first.source + (start - first.start),
                old: range.source + (start - range.start),
                len: end - start,
            };
            match common.last_mut() {
                Some(last)
                    if last.new + last.len == lines.new && last.old + last.len == lines.old =>
                {
                    last.len += lines.len;
                }
                _ => common.push(lines),
            }
        }
    }
    common
}
