//! The result of following lines through history, and the interface that receives it commit by
//! commit.

use std::{
    ops::{ControlFlow, Range},
    sync::Arc,
};

use bstr::BString;

use crate::{
    diff::{Hunk, LineInterner, Token},
    engine::{
        api::{blame::Stats, profile::Profile},
        versions::version::Version,
    },
    objects::ObjectId,
};

/// A commit that changed the lines.
#[derive(Debug)]
pub struct LineChange<'a> {
    /// The commit; the null id for the uncommitted one.
    pub commit: ObjectId,
    /// The file's path in the commit, relative to the root of its tree.
    pub path: &'a Arc<BString>,
    /// The lines in the commit's version (0-based, half-open): sorted, disjoint, not adjacent, not
    /// empty.
    pub lines: &'a [Range<u32>],
    /// The commit's version of the file.
    pub version: VersionLines<'a>,
    /// The commit has several parents.
    pub is_merge: bool,
    /// The lines were followed to it by likeness: a commit added them, and similar ones stood
    /// elsewhere in the file.
    pub is_inferred: bool,
    /// The lines in the commit's version that the requested lines come from, as far as they are
    /// known by likeness (0-based, half-open): sorted, disjoint, not adjacent, not empty. Empty
    /// where the requested lines are younger.
    pub own_lines: &'a [Range<u32>],
    /// The commit's change of them.
    pub own_change: OwnChange,
    /// The lines in the first parent that has the file; `None` if none has it.
    pub previous: Option<PreviousLines<'a>>,
}

/// A commit's change of the requested lines themselves, as opposed to the lines that the rule of
/// `git log -L` adds to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnChange {
    /// It wrote them: no parent has a line like them.
    Wrote,
    /// It changed them. How similar the most similar of them and the line that it is taken to have
    /// been are, in percent: 100 if a single line replaced it.
    Changed(u8),
    /// It changed only lines around them.
    None,
}

impl OwnChange {
    /// The similarity in percent, if it is so low that the lines may be other ones.
    pub fn doubtful(self) -> Option<u8> {
        match self {
            OwnChange::Changed(alike) if alike < MIN_SURE_LIKENESS => Some(alike),
            _ => None,
        }
    }
}

/// The similarity in percent from which on a line is taken for another one without doubt.
const MIN_SURE_LIKENESS: u8 = 70;

/// The lines before a change.
#[derive(Debug)]
pub struct PreviousLines<'a> {
    /// The parent.
    pub commit: ObjectId,
    /// The file's path in the parent.
    pub path: &'a Arc<BString>,
    /// The lines in the parent's version (0-based, half-open), as [`LineChange::lines`]. Empty if
    /// the change added them all.
    pub lines: &'a [Range<u32>],
    /// The lines in the parent's version that the requested lines come from, as
    /// [`LineChange::own_lines`]. Empty if no line there is like them.
    pub own_lines: &'a [Range<u32>],
    /// The parent's version of the file.
    pub version: VersionLines<'a>,
    /// The hunks between the two versions that touch the lines.
    pub hunks: &'a [Hunk],
}

impl PreviousLines<'_> {
    /// The change added all of the lines: their history ends here, as far as this parent is
    /// concerned.
    pub fn is_birth(&self) -> bool {
        self.lines.is_empty()
    }
}

impl LineChange<'_> {
    /// The lines were born in the commit: no parent has any of them.
    pub fn is_birth(&self) -> bool {
        self.previous.as_ref().is_none_or(PreviousLines::is_birth)
    }
}

/// Access to the lines of one version of a file, or to a part of them.
#[derive(Debug, Clone, Copy)]
pub struct VersionLines<'a> {
    /// The number (0-based) of the first one.
    first: u32,
    tokens: &'a [Token],
    interned: &'a LineInterner,
}

impl<'a> VersionLines<'a> {
    pub(crate) fn new(version: &'a Version, interned: &'a LineInterner) -> VersionLines<'a> {
        VersionLines::of_part(0, &version.tokens, interned)
    }

    /// Access to the lines from `first` (0-based) on.
    pub(crate) fn of_part(
        first: u32,
        tokens: &'a [Token],
        interned: &'a LineInterner,
    ) -> VersionLines<'a> {
        VersionLines {
            first,
            tokens,
            interned,
        }
    }

    /// A line (0-based) with its newline, if it has one; empty beyond the end of the file or the
    /// part.
    pub fn line(&self, number: u32) -> &'a [u8] {
        let token = number.checked_sub(self.first);
        let token = token.and_then(|at| self.tokens.get(at as usize));
        token.map_or(&[], |&token| self.interned.bytes(token))
    }

    /// The tokens of lines (0-based, half-open), as far as they are there.
    pub(crate) fn tokens(&self, lines: Range<u32>) -> &'a [Token] {
        let at = |line: u32| line.saturating_sub(self.first) as usize;
        self.tokens
            .get(at(lines.start)..at(lines.end))
            .unwrap_or_default()
    }

    /// The number of lines.
    pub fn count(&self) -> u32 {
        // Every line ends at another byte, and bytes are counted in 32 bits.
        self.first + self.tokens.len() as u32
    }
}

/// Receives the commits that changed the lines as they are found. Every method can stop the walk.
pub trait LineHistorySink {
    /// A commit changed the lines. Children come before their parents, otherwise newer commits
    /// first.
    fn change(&mut self, change: &LineChange<'_>) -> ControlFlow<()>;
    /// Called for each visited commit, with its date: the changes that are still to come are about
    /// as old or older.
    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How following lines or a file ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct HistoryEnd {
    /// The sink stopped the walk.
    pub stopped: bool,
    /// They were not followed beyond a limit of the range or a date.
    pub limited: bool,
    /// Counters of reads.
    pub stats: Stats,
    /// Time and work counters.
    pub profile: Profile,
}
