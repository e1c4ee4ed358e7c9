//! The result of a blame, and the interface that receives it entry by entry.

use std::{
    collections::HashSet,
    ops::{ControlFlow, Range},
    sync::Arc,
};

use bstr::BString;

use crate::{
    engine::api::profile::Profile,
    objects::{self, ObjectId},
    sorting,
};

/// Index of an origin within one blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(pub u32);

/// A file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The commit; the null id for the uncommitted one.
    pub commit: ObjectId,
    /// The file's path in that commit, relative to the root of its tree.
    pub path: Arc<BString>,
    /// The file in the first parent that has it, once compared (git's `previous`).
    pub previous: Option<OriginId>,
}

/// Consecutive lines of the final image and the origin guilty of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Final lines (0-based, half-open).
    pub lines: Range<u32>,
    /// Original line of the first of them, in the origin's file (0-based).
    pub source_start: u32,
    /// The guilty origin.
    pub origin: OriginId,
    /// The lines were matched to a parent of an ignored commit.
    pub ignored: bool,
    /// The lines are of an ignored commit, and no line of a parent matched them.
    pub unblamable: bool,
}

/// Receives entries as the engine decides them, in git's order. Every method can stop the blame.
pub trait Sink {
    /// The final image was read. Called once, first.
    fn started(&mut self, contents: &Arc<[u8]>, line_count: u32) -> ControlFlow<()>;
    /// An entry was decided. `origins` resolves every id pushed so far; `boundary` says whether the
    /// commit is known to be a boundary at this time.
    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()>;
    /// Called for each suspect that is visited, with its commit's date: undecided lines are about
    /// as old or older.
    fn progress(&mut self, frontier: i64) -> ControlFlow<()>;
}

/// A sink for callers that need the finished [`Blame`] alone.
#[derive(Debug)]
pub struct Discard;

impl Sink for Discard {
    fn started(&mut self, _: &Arc<[u8]>, _: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn entry(&mut self, _: &Entry, _: &[Origin], _: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A sink for walks that report their progress alone.
pub(crate) struct ProgressSink<F>(pub(crate) F);

impl<F: FnMut(i64) -> ControlFlow<()>> Sink for ProgressSink<F> {
    fn started(&mut self, _: &Arc<[u8]>, _: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn entry(&mut self, _: &Entry, _: &[Origin], _: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        (self.0)(frontier)
    }
}

/// The result of a finished or stopped blame.
#[derive(Debug, Clone)]
pub struct Blame {
    /// The final image.
    pub contents: Arc<[u8]>,
    /// Entries by final line, coalesced as git coalesces them.
    pub entries: Vec<Entry>,
    /// All origins that entries refer to, directly or as `previous`.
    pub origins: Vec<Origin>,
    /// Boundary commits.
    pub boundaries: HashSet<ObjectId>,
    /// Counters.
    pub stats: Stats,
    /// Time and work counters.
    pub profile: Profile,
    /// Errors of missing parents; the walk went on without them.
    pub unreadable_parents: Vec<Arc<objects::Error>>,
    /// The sink stopped the blame: `entries` is incomplete.
    pub stopped: bool,
    /// With a cache: what later blames can use of this one, unless it knows that already.
    pub to_cache: Option<CachedBlame>,
    /// Every path that the walk followed, if later runs with the same options find the same of a
    /// committed file: nothing was missing, and attributes, which change without a commit, did not
    /// count.
    pub lasting_paths: Option<Vec<Arc<BString>>>,
}

/// Counters of one blame. The first three are those of `--show-stats`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// `num read blob`.
    pub blobs_read: u64,
    /// `num get patch`.
    pub patches: u64,
    /// `num commits`.
    pub commits: u64,
    /// Commits taken from the queue.
    pub visited: u64,
    /// Lines taken from cached blames.
    pub cached_lines: u64,
}

/// The blame of one version of a file, without its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedBlame {
    /// The commits that have this version at `path`. The first is the one that was blamed; the last
    /// is the one whose parents were the first to have another version.
    pub commits: Vec<ObjectId>,
    /// The file's path in these commits, relative to the root of the tree.
    pub path: BString,
    /// The version's blob.
    pub blob: ObjectId,
    /// The known entries, in git's order of discovery if [`is_ordered`](Self::is_ordered). `lines`
    /// are those of this version. Lines that the blamed contents no longer had are missing.
    pub entries: Vec<Entry>,
    /// The entries are complete, and in git's order of discovery.
    pub is_ordered: bool,
    /// All origins that entries refer to, and their `previous`.
    pub origins: Vec<Origin>,
    /// The boundary commits among the origins.
    pub boundaries: HashSet<ObjectId>,
    /// Every path that the walk followed.
    pub paths: Vec<BString>,
    /// Versions before this one, newest first.
    pub older: Vec<OlderVersion>,
}

/// A version of a blamed file that the walk visited later than the blamed one, under the same path.
///
/// A branch that was merged since then leads a walk past the blamed version to one that is older.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OlderVersion {
    /// The commit whose parents have another version.
    pub commit: ObjectId,
    /// The version's blob.
    pub blob: ObjectId,
    /// Its lines that the blamed version got from it.
    pub lines: Vec<CommonLines>,
}

/// Consecutive lines that two versions have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonLines {
    /// The first line in the newer version (0-based).
    pub new: u32,
    /// The first line in the older version (0-based).
    pub old: u32,
    /// The number of lines.
    pub len: u32,
}

impl OlderVersion {
    /// The entries of this version that `entries`, a blame of the newer version, imply: `lines` are
    /// those of this version.
    pub fn entries(&self, entries: &[Entry]) -> Vec<Entry> {
        entries_of_old(entries, &self.lines)
    }
}

/// The entries of an older version that `entries`, of a newer one, imply. They have `lines` in
/// common.
pub(crate) fn entries_of_old<'a>(
    entries: impl IntoIterator<Item = &'a Entry>,
    lines: &[CommonLines],
) -> Vec<Entry> {
    let mut lines = lines.to_vec();
    sorting::sort_by_key(&mut lines, |common| common.new);
    let mut found = Vec::new();
    for entry in entries {
        let from = lines.partition_point(|common| common.new + common.len <= entry.lines.start);
        for common in &lines[from..] {
            if common.new >= entry.lines.end {
                break;
            }
            let start = entry.lines.start.max(common.new);
            let end = entry.lines.end.min(common.new + common.len);
            let old = common.old + (start - common.new);
            found.push(Entry {
                lines: old..old + (end - start),
                source_start: entry.source_start + (start - entry.lines.start),
                ..entry.clone()
            });
        }
    }
    found
}
