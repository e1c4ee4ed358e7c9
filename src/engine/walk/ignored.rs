//! The pass for ignored commits: changed lines go to the old lines they replaced.

use crate::{
    diff::{Hunk, LineInterner, Token},
    engine::{
        board::{
            scoreboard::SuspectId,
            split::{self, PendingEntry},
        },
        similarity::fuzzy_lines::FuzzyMatcher,
        walk::state::{Interrupt, ParentOrigins, Walk},
    },
};

/// The matched old lines of consecutive new lines from `start` on.
struct HunkMatches {
    start: u32,
    old: Vec<Option<u32>>,
}

impl Walk<'_> {
    /// Passes changed lines to each retained parent by fuzzy matching, while lines are pending.
    pub(crate) fn pass_ignored(
        &mut self,
        suspect: SuspectId,
        retained: &ParentOrigins,
    ) -> Result<(), Interrupt> {
        for &parent in retained.iter().flatten() {
            if !self.has_pending(suspect) {
                break;
            }
            let mut hunks = Vec::new();
            self.compare(suspect, parent, &mut hunks)?;
            self.stats.patches += 1;
            let (old, new) = (self.text(parent)?, self.text(suspect)?);
            let pending = std::mem::take(&mut self.board.get_mut(suspect).pending);
            let lines = &self.caches.lines;
            let (kept, mut moved) = split_changed(pending, &hunks, lines, &old.tokens, &new.tokens);
            self.board.get_mut(suspect).pending = kept;
            self.queue_entries(parent, &mut moved)?;
            // git reads the parent's text again after this.
            self.board.get_mut(parent).free();
        }
        Ok(())
    }
}

/// Splits the entries of an ignored commit's file: those whose lines match lines of the parent's file
/// go there, sorted by original line; the rest stays, and keeps its order, which need not be sorted
/// by line any longer.
pub(crate) fn split_changed(
    pending: Vec<PendingEntry>,
    hunks: &[Hunk],
    lines: &LineInterner,
    old: &[Token],
    new: &[Token],
) -> (Vec<PendingEntry>, Vec<PendingEntry>) {
    let mut matcher = FuzzyMatcher::new(lines, old, new);
    let matches: Vec<HunkMatches> = hunks
        .iter()
        .filter(|hunk| !hunk.new.is_empty())
        .map(|hunk: &Hunk| HunkMatches {
            start: hunk.new.start,
            old: matcher.match_hunk(hunk),
        })
        .collect();
    let (kept, mut moved) = split_at_matches(pending, &matches);
    split::sort_by_original_line(&mut moved);
    (kept, moved)
}

/// Splits entries into runs that match consecutive old lines, or none.
fn split_at_matches(
    pending: Vec<PendingEntry>,
    matches: &[HunkMatches],
) -> (Vec<PendingEntry>, Vec<PendingEntry>) {
    let (mut kept, mut moved) = (Vec::new(), Vec::new());
    for entry in pending {
        let mut from = 0;
        while from < entry.len {
            let first = matched_line(matches, entry.source + from);
            let mut to = from + 1;
            while to < entry.len
                && continues(first, to - from, matched_line(matches, entry.source + to))
            {
                to += 1;
            }
            let mut part = entry.part(from, to - from);
            match first {
                Some(old) => {
                    part.source = old;
                    part.ignored = true;
                    moved.push(part);
                }
                None => {
                    part.unblamable = true;
                    kept.push(part);
                }
            }
            from = to;
        }
    }
    (kept, moved)
}

fn matched_line(matches: &[HunkMatches], line: u32) -> Option<u32> {
    let at = matches
        .partition_point(|found| found.start <= line)
        .checked_sub(1)?;
    let found = &matches[at];
    found
        .old
        .get((line - found.start) as usize)
        .copied()
        .flatten()
}

fn continues(first: Option<u32>, ahead: u32, found: Option<u32>) -> bool {
    found == first.map(|first| first + ahead)
}
