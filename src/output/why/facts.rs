//! What is known about lines.

use std::{ops::Range, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::{
    objects::ObjectId,
    repository::{
        commits::{commit_text::CommitText, trailers},
        provenance::finder::Arrival,
    },
};

/// Most lines of a change or a deletion that are kept.
pub(crate) const MAX_KEPT_LINES: usize = 40;

/// All that is known about the lines that were asked for.
#[derive(Debug)]
pub(crate) struct LineFacts {
    /// The path from the root of the tree.
    pub(crate) path: BString,
    /// The commit and its author date; `None` for the work tree.
    pub(crate) commit: Option<(ObjectId, String)>,
    /// The name of the commit, as given.
    pub(crate) name: BString,
    /// The commands that have all changes of the lines, and all deletions there.
    pub(crate) commands: (String, String),
    /// The lines (0-based, half-open).
    pub(crate) ranges: Vec<Range<u32>>,
    /// Their text, as far as it is kept.
    pub(crate) lines: Vec<(u32, BString)>,
    /// The commits: those of the blame first, each kind newest first.
    pub(crate) reasons: Vec<LineReason>,
    /// What was deleted there, newest first.
    pub(crate) deletions: Vec<DeletedHere>,
    /// Commits and deletions that were found and are not among these, the oldest ones.
    pub(crate) unread: (usize, usize),
}

/// A commit that made the lines what they are.
#[derive(Debug)]
pub(crate) struct LineReason {
    pub(crate) commit: ObjectId,
    pub(crate) text: Arc<CommitText>,
    /// The history that was read begins with it: an older commit may have brought its lines.
    pub(crate) is_boundary: bool,
    /// The blame was asked to look behind it, so it may be newer than what that names.
    pub(crate) is_ignored: bool,
    /// The lines that the blame attributes to it (0-based, half-open).
    pub(crate) blamed: Vec<Range<u32>>,
    /// What it changed, if the history of the lines has it.
    pub(crate) change: Option<LinesChange>,
    pub(crate) release: Option<BString>,
    pub(crate) arrival: Arrival,
    /// The agents that are recorded for its lines, with where that is.
    pub(crate) agents: Vec<(String, &'static str)>,
    pub(crate) references: Vec<ReferredCommit>,
}

/// A change of the lines.
#[derive(Debug)]
pub(crate) struct LinesChange {
    /// The path of the file in the commit.
    pub(crate) path: BString,
    /// The lines there (0-based, half-open).
    pub(crate) ranges: Vec<Range<u32>>,
    /// The lines were found elsewhere by likeness.
    pub(crate) is_moved: bool,
    /// The path before, if it was another one.
    pub(crate) renamed_from: Option<BString>,
    pub(crate) before: KeptLines,
    pub(crate) after: KeptLines,
}

/// The first of some lines, without newlines.
#[derive(Debug, Default)]
pub(crate) struct KeptLines {
    pub(crate) lines: Vec<BString>,
    /// How many there are in all.
    pub(crate) count: usize,
}

/// A commit that a message names.
#[derive(Debug)]
pub(crate) struct ReferredCommit {
    /// What the message says of it, such as `reverts`.
    pub(crate) relation: &'static str,
    pub(crate) commit: ObjectId,
    pub(crate) day: String,
    pub(crate) summary: BString,
}

/// Lines that a commit deleted.
#[derive(Debug)]
pub(crate) struct DeletedHere {
    pub(crate) commit: ObjectId,
    pub(crate) text: Arc<CommitText>,
    /// The line (1-based) below which they were; 0 before the first one.
    pub(crate) below: u32,
    pub(crate) lines: KeptLines,
}

impl LineFacts {
    /// How many of the reasons, the first ones, are of the blame.
    pub(crate) fn blamed_count(&self) -> usize {
        let of_blame = self.reasons.iter();
        of_blame.take_while(|it| !it.blamed.is_empty()).count()
    }
}

impl KeptLines {
    /// Adds a line, of which most bytes are kept.
    pub(crate) fn push(&mut self, line: &[u8]) {
        const MAX_BYTES: usize = 1000;
        self.count += 1;
        if self.lines.len() < MAX_KEPT_LINES {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            self.lines.push(line[..line.len().min(MAX_BYTES)].into());
        }
    }
}

impl LineReason {
    /// The message without its first line and its trailers, up to `bytes` bytes, in lines; and how
    /// many lines are left.
    pub(crate) fn body(&self, bytes: usize) -> (Vec<&[u8]>, usize) {
        let (message, _) = trailers::split(self.text.message.trim_ascii());
        let body = message
            .split_once_str("\n")
            .map_or(&b""[..], |(_, body)| body);
        let mut lines: Vec<&[u8]> = body.trim_ascii().lines().collect();
        let mut left = bytes;
        let mut fits = |line: &&[u8]| {
            let rest = left.checked_sub(line.len() + 1);
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let kept = lines.iter().take_while(|line| fits(line)).count();
        let more = lines.len() - kept;
        lines.truncate(kept);
        (lines, more)
    }
}
