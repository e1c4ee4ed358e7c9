//! The input of a blame.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use bstr::{BStr, BString};

use crate::{
    diff,
    engine::api::error::ConversionError,
    objects::{CommitHead, ObjectId, TreeEntry},
};

/// The final commit of a blame.
#[derive(Debug, Clone)]
pub enum Start {
    /// A stored commit (with `--reverse`: the oldest one).
    Commit(ObjectId),
    /// Uncommitted contents on top of their parents.
    Uncommitted(Uncommitted),
}

impl Start {
    /// The stored commits from which history is walked.
    pub fn heads(&self) -> &[ObjectId] {
        match self {
            Start::Commit(commit) => std::slice::from_ref(commit),
            Start::Uncommitted(uncommitted) => &uncommitted.parents,
        }
    }
}

/// The pseudo-commit of uncommitted contents.
#[derive(Debug, Clone)]
pub struct Uncommitted {
    /// HEAD or the given revision, then the heads being merged.
    pub parents: Vec<ObjectId>,
    /// The time of the blame, in seconds since the epoch.
    pub time: i64,
    /// The file's bytes, converted as for a commit.
    pub contents: Arc<[u8]>,
    /// Mode and blob id that `contents` would have.
    pub entry: TreeEntry,
    /// The other paths of this commit's tree, from the index. Read only for renames and copies.
    pub index: Arc<dyn IndexPaths>,
}

/// Lazy access to the index.
pub trait IndexPaths: std::fmt::Debug + Send + Sync {
    /// All paths of stage 0 with mode and id, sorted bytewise.
    fn entries(&self) -> Vec<(BString, TreeEntry)>;
}

/// The files of the work tree.
pub trait WorkTreeContents: std::fmt::Debug + Send + Sync {
    /// Reads a file as the pseudo-commit on top of its parents.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn read(&self, path: &BStr) -> Result<Uncommitted, ConversionError>;
}

/// Settings of `-M` and `-C`. A score counts ASCII letters and digits, plus one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MoveDetection {
    /// `-M` or any `-C`: the score that moved lines must exceed.
    pub moves: Option<u32>,
    /// `-C`: the score that copied lines must exceed.
    pub copies: Option<u32>,
    /// How many times `-C` was given (0 to 3).
    pub copy_level: u8,
}

impl MoveDetection {
    /// The threshold of `-M` without a number.
    pub const MOVES: u32 = 20;
    /// The threshold of `-C` without a number.
    pub const COPIES: u32 = 40;

    /// True if lines are looked for elsewhere together with those around them: then where a line
    /// comes from depends on the file that is blamed, and not on its commit and path alone.
    pub fn depends_on_file(&self) -> bool {
        self.moves.is_some()
    }
}

/// Which files are text or binary whatever their contents, for the similarity of renamed files.
pub trait TextAttributes: std::fmt::Debug + Send + Sync {
    /// True if the file at `path` is text; `None` if its contents say so.
    fn is_text(&self, path: &[u8]) -> Option<bool>;
}

/// Converts blobs to text (textconv) where the attributes of a path ask for it.
pub trait TextConversion: std::fmt::Debug + Send + Sync {
    /// The converted text of `blob` at `path`, or `None` if the path has no conversion.
    ///
    /// # Errors
    ///
    /// If the conversion fails; this ends the blame.
    fn convert(
        &self,
        path: &[u8],
        mode: u32,
        id: &ObjectId,
        blob: &[u8],
    ) -> Result<Option<Arc<[u8]>>, ConversionError>;

    /// True if `path` has a conversion, or it is not known.
    fn converts(&self, path: &[u8]) -> bool;

    /// Keeps the stderr of conversion programs off the terminal from now on.
    fn silence(&self) {}

    /// Warnings of the conversions so far, a line each. Taken: the next call gives
    /// what came after.
    fn take_notes(&self) -> Vec<BString> {
        Vec::new()
    }
}

/// Limits and order of the commit list of a `--reverse` range. Each listed commit is a child of its
/// parents; a commit's children are tried from the end of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RevListOptions {
    /// `--until`, `--min-age`: newer commits are not listed (seconds since the epoch).
    pub until: Option<i64>,
    /// `--since-as-filter`: older commits are not listed (seconds since the epoch).
    pub since: Option<i64>,
    /// The order of the list.
    pub order: CommitOrder,
}

impl RevListOptions {
    /// True if a commit of this date is in the list.
    pub(crate) fn includes(&self, time: i64) -> bool {
        self.until.is_none_or(|until| time <= until) && self.since.is_none_or(|since| time >= since)
    }
}

/// The order of a commit list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommitOrder {
    /// Newest committer date first, as the commits are reached.
    #[default]
    Chronological,
    /// `--topo-order`: children before parents, without interleaving lines of history.
    Topological,
    /// `--date-order`: children before parents, otherwise newest committer date first.
    Date,
    /// `--author-date-order`: children before parents, otherwise newest author date first.
    AuthorDate,
}

/// The file to blame and every option that changes attribution.
#[derive(Debug, Clone)]
pub struct Request {
    /// The final commit.
    pub start: Start,
    /// The file's path in the final commit, relative to the root of its tree.
    pub path: BString,
    /// Uninteresting commits (`^A`, `A..`); they and their ancestors are boundaries.
    pub negatives: Vec<ObjectId>,
    /// `--since`, `--max-age`: older commits are boundaries (seconds since the epoch).
    pub since: Option<i64>,
    /// `--exclude-first-parent-only`: only the first-parent ancestors of `negatives` are
    /// uninteresting.
    pub exclude_first_parent_only: bool,
    /// `--reverse`: the interesting heads; `start` is then the oldest commit.
    pub reverse: Option<Vec<ObjectId>>,
    /// Commits that are boundaries while their ancestors are not. With `--reverse` they pass lines
    /// on all the same.
    pub boundaries: Vec<ObjectId>,
    /// With `--reverse`, which commits count as children, and in which order they are tried.
    pub listing: RevListOptions,
    /// Follow first parents only.
    pub first_parent: bool,
    /// Follow whole-file renames (off with `--no-follow`).
    pub follow: bool,
    /// Do not treat root commits as boundaries (`--root`).
    pub show_root: bool,
    /// Final lines to blame (0-based, half-open): sorted, disjoint, not adjacent. `None` is the
    /// whole file.
    pub ranges: Option<Vec<Range<u32>>>,
    /// The sink needs the entries in git's order of discovery, as `--incremental` does.
    pub in_order: bool,
    /// The diff options.
    pub diff: diff::DiffOptions,
    /// `-M` and `-C`.
    pub movement: MoveDetection,
    /// Commits whose changes are ignored (`--ignore-rev`).
    pub ignored: Arc<HashSet<ObjectId>>,
    /// Text conversion, if enabled.
    pub text_conversion: Option<Arc<dyn TextConversion>>,
    /// Which files are text by their attributes.
    pub text_attributes: Option<Arc<dyn TextAttributes>>,
    /// Replacement parents: grafts, shallow boundaries, `-S`. If not empty, the commit-graph is not
    /// used.
    pub grafts: Arc<HashMap<ObjectId, Vec<ObjectId>>>,
    /// Commit headers read while resolving the request; the walk need not read them again.
    pub heads: Arc<Vec<(ObjectId, CommitHead)>>,
}

impl Request {
    /// Blames the whole file with git's default options.
    pub fn new(start: Start, path: BString) -> Request {
        Request {
            start,
            path,
            negatives: Vec::new(),
            since: None,
            exclude_first_parent_only: false,
            reverse: None,
            boundaries: Vec::new(),
            listing: RevListOptions::default(),
            first_parent: false,
            follow: true,
            show_root: false,
            ranges: None,
            in_order: false,
            diff: diff::DiffOptions::default(),
            movement: MoveDetection::default(),
            ignored: Arc::default(),
            text_conversion: None,
            text_attributes: None,
            grafts: Arc::default(),
            heads: Arc::default(),
        }
    }

    /// True if a commit has no parents here because a shallow clone or a graft cut the history off:
    /// an older commit may have brought what it seems to bring.
    pub fn is_cut_off(&self, commit: &ObjectId) -> bool {
        self.grafts.get(commit).is_some_and(Vec::is_empty)
    }

    /// The `parents` that are uninteresting when their child is.
    pub(crate) fn uninteresting_parents<'a, T>(&self, parents: &'a [T]) -> &'a [T] {
        if self.exclude_first_parent_only {
            &parents[..parents.len().min(1)]
        } else {
            parents
        }
    }
}
