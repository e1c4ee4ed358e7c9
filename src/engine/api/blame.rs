//! What a blame decides, and who is told.

use std::{
    collections::HashSet,
    ops::{ControlFlow, Range},
    sync::Arc,
};

use bstr::BString;

use crate::{
    engine::api::profile::Profile,
    objects::{self, ObjectId},
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
    /// What it cost.
    pub profile: Profile,
    /// Parents that are not there; the walk went on without them.
    pub absent: Vec<Arc<objects::Error>>,
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
