//! The blame: which commit each line of a file comes from.
//!
//! The engine knows object ids, bytes and std. It pushes what it decides into a [`Sink`] and can be
//! stopped between any two commits or diffs.

use std::{collections::HashSet, ops::ControlFlow, ops::Range, sync::Arc};

use bstr::BString;

use crate::{
    diff,
    objects::{ObjectId, TreeEntry},
};

/// An origin's number within one blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(pub u32);

/// A file in a commit, suspected or guilty of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The commit; the null id for the uncommitted one.
    pub commit: ObjectId,
    /// The file's path in that commit, from the root of the tree.
    pub path: Arc<BString>,
    /// The first parent's origin that has the file, once it was compared.
    pub previous: Option<OriginId>,
}

/// Lines of the final image and the origin that is guilty of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Lines of the final image (0-based, half-open).
    pub lines: Range<u32>,
    /// The first of these lines in the origin's file (0-based).
    pub source_start: u32,
    /// The guilty origin.
    pub origin: OriginId,
    /// An ignored commit was passed by guessing.
    pub ignored: bool,
    /// An ignored commit could not be passed.
    pub unblamable: bool,
}

/// Where a blame starts.
#[derive(Debug, Clone)]
pub enum Start {
    /// A commit of the repository (with `--reverse`: the oldest one).
    Commit(ObjectId),
    /// What is not committed yet, on top of its parents.
    Uncommitted(Uncommitted),
}

/// The commit that does not exist yet.
#[derive(Debug, Clone)]
pub struct Uncommitted {
    /// HEAD or the given revision, then the heads being merged.
    pub parents: Vec<ObjectId>,
    /// "Now", in seconds since the epoch.
    pub time: i64,
    /// The file's bytes as they would be committed.
    pub contents: Arc<[u8]>,
    /// Mode and blob id these contents would have.
    pub entry: TreeEntry,
    /// The other paths of this commit's tree: the index, in byte order of the path.
    /// Read only when a rename or a copy is looked for.
    pub index: Arc<dyn IndexPaths>,
}

/// The paths of the index, asked for only when needed.
pub trait IndexPaths: std::fmt::Debug + Send + Sync {
    /// All paths of stage 0 with mode and id, in byte order.
    fn entries(&self) -> Vec<(BString, TreeEntry)>;
}

/// `-M` and `-C`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Movement {
    /// `-M` or any `-C`: the score a part must exceed to count as moved.
    pub moves: Option<u32>,
    /// `-C`: the score a part must exceed to count as copied.
    pub copies: Option<u32>,
    /// How often `-C` was given (0 to 3).
    pub copy_level: u8,
}

/// Text conversion of blobs, where a path's attributes ask for it.
pub trait TextConversion: std::fmt::Debug + Send + Sync {
    /// The converted text of `blob` at `path`, or `None` where the blob's own bytes count.
    fn convert(&self, path: &[u8], mode: u32, id: &ObjectId, blob: &[u8]) -> Option<Arc<[u8]>>;
}

/// What to blame, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The final commit.
    pub start: Start,
    /// The file's path in it, from the root of the tree.
    pub path: BString,
    /// Commits given as uninteresting (`^A`, `A..`): boundaries.
    pub negatives: Vec<ObjectId>,
    /// `--since`, `--max-age`: older commits are boundaries (seconds since the epoch).
    pub since: Option<i64>,
    /// `--reverse`: the interesting heads; `start` is then the oldest commit.
    pub reverse: Option<Vec<ObjectId>>,
    /// Follow first parents only.
    pub first_parent: bool,
    /// Follow whole-file renames (off with `--no-follow`).
    pub follow: bool,
    /// Do not call roots boundaries.
    pub show_root: bool,
    /// Lines to blame: sorted, disjoint, not touching; `None` is the whole file.
    pub ranges: Option<Vec<Range<u32>>>,
    /// The diff's settings.
    pub diff: diff::Options,
    /// `-M`, `-C`.
    pub movement: Movement,
    /// Commits to look through.
    pub ignored: Arc<HashSet<ObjectId>>,
    /// Text conversion, unless switched off.
    pub text_conversion: Option<Arc<dyn TextConversion>>,
    /// Parents that replace the stored ones: grafts, shallow edges, `-S`.
    /// When this is not empty the commit-graph must not be used.
    pub grafts: Arc<std::collections::HashMap<ObjectId, Vec<ObjectId>>>,
}

/// Receives what the engine decides, in git's order.
pub trait Sink {
    /// The final image is known. Called once, first.
    fn started(&mut self, contents: &Arc<[u8]>, line_count: u32) -> ControlFlow<()>;
    /// Lines were decided. `origins` resolves every id seen so far; `boundary` says whether the
    /// commit is a boundary as far as is known now.
    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()>;
    /// Called once for each commit taken from the queue, with its date: every line still open is
    /// about as old or older. Breaking stops the blame.
    fn progress(&mut self, frontier: i64) -> ControlFlow<()>;
}

/// A finished (or stopped) blame.
#[derive(Debug, Clone)]
pub struct Blame {
    /// The final image.
    pub contents: Arc<[u8]>,
    /// Guilty entries by final line, neighbours joined where git joins them.
    pub entries: Vec<Entry>,
    /// All origins met.
    pub origins: Vec<Origin>,
    /// Commits shown as boundaries.
    pub boundaries: HashSet<ObjectId>,
    /// Counters.
    pub stats: Stats,
    /// The sink asked to stop: some lines are not in `entries`.
    pub stopped: bool,
}

/// Counters of one blame; the first three are those of `--show-stats`.
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
}
