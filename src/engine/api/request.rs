//! What to blame, and how.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use bstr::BString;

use crate::{
    diff,
    engine::{api::error::ConversionError, walk::visible_first::Focus},
    objects::{CommitHead, ObjectId, TreeEntry},
};

/// Where a blame starts.
#[derive(Debug, Clone)]
pub enum Start {
    /// A commit of the repository (with `--reverse`: the oldest one).
    Commit(ObjectId),
    /// What is not committed yet, on top of its parents.
    Uncommitted(Uncommitted),
}

impl Start {
    /// The commits that history is followed from.
    pub fn heads(&self) -> &[ObjectId] {
        match self {
            Start::Commit(commit) => std::slice::from_ref(commit),
            Start::Uncommitted(uncommitted) => &uncommitted.parents,
        }
    }
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

impl Movement {
    /// The score of `-M` without a number.
    pub const MOVES: u32 = 20;
    /// The score of `-C` without a number.
    pub const COPIES: u32 = 40;
}

/// Text conversion of blobs, where a path's attributes ask for it.
pub trait TextConversion: std::fmt::Debug + Send + Sync {
    /// The converted text of `blob` at `path`, or `None` where the blob's own bytes count.
    ///
    /// # Errors
    ///
    /// If the conversion fails: the blame cannot go on.
    fn convert(
        &self,
        path: &[u8],
        mode: u32,
        id: &ObjectId,
        blob: &[u8],
    ) -> Result<Option<Arc<[u8]>>, ConversionError>;

    /// What is run has the terminal no longer: nothing it says there may be seen from now on.
    fn silence(&self) {}
}

/// The listing of a range: with `--reverse`, each of its commits is a child of its parents, and the
/// children of a commit are asked from the end of the listing on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Listing {
    /// `--until`, `--min-age`: younger commits are left out (seconds since the epoch).
    pub until: Option<i64>,
    /// `--since-as-filter`: older commits are left out (seconds since the epoch).
    pub since: Option<i64>,
    /// Which commits come first.
    pub order: Order,
}

impl Listing {
    /// Whether a commit of this date is listed.
    pub(crate) fn has(&self, time: i64) -> bool {
        self.until.is_none_or(|until| time <= until) && self.since.is_none_or(|since| time >= since)
    }
}

/// The order of a listing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest commit that was met.
    #[default]
    Met,
    /// `--topo-order`: no commit before its children, and lines of history are not mixed.
    Topological,
    /// `--date-order`: no commit before its children, else the newest committer date.
    Date,
    /// `--author-date-order`: no commit before its children, else the newest author date.
    AuthorDate,
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
    /// `--exclude-first-parent-only`: what leads to a negative revision is followed along first
    /// parents only.
    pub exclude_first_parent_only: bool,
    /// `--reverse`: the interesting heads; `start` is then the oldest commit.
    pub reverse: Option<Vec<ObjectId>>,
    /// With `--reverse`, commits that show as boundaries although they have children.
    pub boundaries: Vec<ObjectId>,
    /// With `--reverse`, what counts as a child, and which child comes first.
    pub listing: Listing,
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
    pub grafts: Arc<HashMap<ObjectId, Vec<ObjectId>>>,
    /// Heads of commits that were read on the way to this request, and need not be read again.
    pub heads: Arc<Vec<(ObjectId, CommitHead)>>,
    /// Lines that somebody looks at: they come first as far as history allows. The entries and
    /// origins are the same, only their order is not git's.
    pub focus: Option<Arc<Focus>>,
}

impl Request {
    /// Blames a whole file as it is done without any option.
    pub fn new(start: Start, path: BString) -> Request {
        Request {
            start,
            path,
            negatives: Vec::new(),
            since: None,
            exclude_first_parent_only: false,
            reverse: None,
            boundaries: Vec::new(),
            listing: Listing::default(),
            first_parent: false,
            follow: true,
            show_root: false,
            ranges: None,
            diff: diff::Options::default(),
            movement: Movement::default(),
            ignored: Arc::default(),
            text_conversion: None,
            grafts: Arc::default(),
            heads: Arc::default(),
            focus: None,
        }
    }

    /// Those of a commit's `parents` that are left out where the commit is.
    pub(crate) fn left_out_with<'a, T>(&self, parents: &'a [T]) -> &'a [T] {
        match self.exclude_first_parent_only {
            true => &parents[..parents.len().min(1)],
            false => parents,
        }
    }
}
