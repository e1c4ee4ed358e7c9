//! The lines that somebody looks at, which are to be decided first.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use rustc_hash::FxHashMap;

use crate::{
    diff::Hunk,
    engine::{
        api::request::Request,
        board::{scoreboard::PathIndex, split::Pending},
        history::commits::{CommitIndex, slot},
        prefetch::exchange::Pair,
    },
    objects::{PathChain, TreeEntry},
};

/// Lines of the final image that somebody looks at. It is shared with the blame, and can be moved
/// while that runs.
#[derive(Debug, Default)]
pub struct Focus {
    /// Both ends, so that they change together.
    lines: AtomicU64,
}

impl Focus {
    /// Looks at these lines (0-based, half-open) from now on.
    pub fn look_at(&self, lines: Range<u32>) {
        let ends = u64::from(lines.start) << 32 | u64::from(lines.end);
        self.lines.store(ends, Ordering::Relaxed);
    }

    /// The lines that are looked at.
    pub fn lines(&self) -> Range<u32> {
        let ends = self.lines.load(Ordering::Relaxed);
        (ends >> 32) as u32..ends as u32
    }
}

/// A blame's knowledge of where somebody looks, and what it found out while others waited.
///
/// Lines that nobody looks at may come to commits that were visited for those that are: what was
/// read for these is remembered, so that the second visit costs little. It still costs something
/// when versions have to be made again meanwhile: with no bound to how far some lines get ahead of
/// the others, config.c of git.git took an eighth longer, and its screen was as late as before.
#[derive(Debug)]
pub(crate) struct Eye {
    focus: Arc<Focus>,
    lines: Range<u32>,
    notes: Vec<Option<Note>>,
    changes: FxHashMap<Pair, Box<[Hunk]>>,
    /// The commit that is visited goes before others: what is found out about it is noted.
    ahead: bool,
    /// How far those that are looked at may still get ahead of the others.
    allowance: i64,
}

/// To go on to a commit counts one, to compare two versions so many.
const COMPARED: i64 = 16;
/// So far may what is looked at get ahead at once. Then the others catch up, while the versions
/// that they share with it are still held.
const BURST: i64 = 96 * COMPARED;
/// And so far after somebody has looked elsewhere.
const FIRST_BURST: i64 = 2 * BURST;

/// A commit and a path.
type Place = (CommitIndex, PathIndex);

/// What is remembered of a commit.
#[derive(Debug, Clone)]
struct Note {
    path: PathIndex,
    entry: TreeEntry,
    /// The trees on the way there, as long as nothing is known to have the very same bytes.
    chain: Option<Arc<PathChain>>,
    /// The parent's origin that has the very same bytes.
    next: Option<Place>,
}

impl Eye {
    /// The eye of a request, if it may change the order of the walk. What is followed beyond whole
    /// lines, and where a blame ends by dates, is looked at in git's order.
    pub(crate) fn of(request: &Request) -> Option<Eye> {
        let plain = request.movement.moves.is_none()
            && request.ignored.is_empty()
            && request.since.is_none()
            && request.negatives.is_empty()
            && request.reverse.is_none();
        let focus = request.focus.as_ref().filter(|_| plain)?;
        Some(Eye {
            focus: Arc::clone(focus),
            lines: focus.lines(),
            notes: Vec::new(),
            changes: FxHashMap::default(),
            ahead: false,
            allowance: FIRST_BURST,
        })
    }

    /// Whether what is looked at comes first, until it is too far ahead.
    pub(crate) fn is_eager(&self) -> bool {
        self.allowance > 0
    }

    /// Others have caught up with what is looked at.
    pub(crate) fn caught_up(&mut self) {
        self.allowance = self.allowance.max(BURST);
    }

    /// A commit is visited, perhaps `ahead` of others.
    pub(crate) fn visit(&mut self, ahead: bool) {
        self.ahead = ahead;
        self.allowance -= i64::from(ahead);
    }

    /// Remembers the entry of `path` in a commit that will perhaps be visited again.
    pub(crate) fn note_entry(
        &mut self,
        commit: CommitIndex,
        path: PathIndex,
        entry: TreeEntry,
        chain: Option<Arc<PathChain>>,
    ) {
        if !self.ahead {
            return;
        }
        *slot(&mut self.notes, commit) = Some(Note {
            path,
            entry,
            chain,
            next: None,
        });
    }

    fn note(&self, (commit, path): Place) -> Option<&Note> {
        let note = self.notes.get(commit.at())?.as_ref();
        note.filter(|note| note.path == path)
    }

    /// The entry of `path` in a commit that was visited before.
    pub(crate) fn entry(
        &self,
        commit: CommitIndex,
        path: PathIndex,
    ) -> Option<(TreeEntry, Option<Arc<PathChain>>)> {
        let note = self.note((commit, path))?;
        Some((note.entry, note.chain.clone()))
    }

    /// Remembers that a parent has all that an origin has.
    pub(crate) fn note_step(&mut self, from: Place, to: Place) {
        if self.ahead
            && self.note(from).is_some()
            && self.note(to).is_some()
            && let Some(note) = &mut self.notes[from.0.at()]
        {
            note.next = Some(to);
            note.chain = None;
        }
    }

    /// The origin that takes everything from this one in the end, over any number of steps.
    pub(crate) fn beyond(
        &mut self,
        commit: CommitIndex,
        path: PathIndex,
    ) -> Option<(CommitIndex, PathIndex)> {
        let first = self.note((commit, path))?.next?;
        let mut last = first;
        while let Some(next) = self.note(last)?.next {
            last = next;
        }
        // The next one who asks gets there in one step.
        let mut at = (commit, path);
        while let Some(note) = self.notes[at.0.at()].as_mut()
            && let Some(next) = note.next
        {
            note.next = Some(last);
            if next == last {
                break;
            }
            at = next;
        }
        Some(last)
    }

    /// Remembers changes that will perhaps be asked for again.
    pub(crate) fn note_changes(&mut self, pair: Pair, hunks: &[Hunk]) {
        if self.ahead {
            self.allowance -= COMPARED;
            self.changes.insert(pair, hunks.into());
        }
    }

    /// The changes between two blobs that were compared before.
    pub(crate) fn changes(&self, pair: &Pair) -> Option<&[Hunk]> {
        self.changes.get(pair).map(AsRef::as_ref)
    }

    /// Whether the eye has moved since it was asked last.
    pub(crate) fn moved(&mut self) -> bool {
        let lines = self.focus.lines();
        let moved = lines != self.lines;
        if moved {
            self.allowance = FIRST_BURST;
        }
        self.lines = lines;
        moved
    }

    /// The same, without taking notice.
    pub(crate) fn has_moved(&self) -> bool {
        self.focus.lines() != self.lines
    }

    /// Whether one of these lines is looked at.
    pub(crate) fn sees(&self, pending: &[Pending]) -> bool {
        let Range { start, end } = self.lines;
        let mut pending = pending.iter();
        pending.any(|entry| entry.start < end && start < entry.start + entry.len)
    }
}
