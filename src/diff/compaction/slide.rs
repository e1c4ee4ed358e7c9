//! Change compaction: slides groups of changed lines to where they merge with other groups, align
//! with a change of the other side, or satisfy the indent heuristic.

use crate::diff::{
    compaction::indent_heuristic, lines::interner::LineInterner, region::changed_runs::ChangedRuns,
    types::Token,
};

/// One side of a diff, after the tail trim.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SideLines<'a> {
    /// Ids by which lines are compared: tokens, `-w` classes or dense ids.
    pub(crate) keys: &'a [Token],
    /// The tokens: indents are measured on the real lines, even with `-w`.
    pub(crate) tokens: &'a [Token],
}

/// Compaction of one side.
pub(crate) struct Compaction<'a> {
    pub(crate) lines: &'a LineInterner,
    pub(crate) side: SideLines<'a>,
    pub(crate) indent_heuristic: bool,
}

/// A run of changed lines while it slides, taken out of its side's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SlidingGroup {
    start: u32,
    end: u32,
}

/// The positions that a group can slide to.
struct SlideRange {
    /// End of the group at its highest position.
    top: u32,
    /// End of the group at its lowest position with a changed counterpart.
    aligned: Option<u32>,
}

/// A slid group and its changed counterpart on the other side; parts of them may be equal.
pub(crate) struct GroupPair {
    pub(crate) own: std::ops::Range<u32>,
    pub(crate) other: std::ops::Range<u32>,
}

impl Compaction<'_> {
    /// Compacts all groups of one side, `own`.
    ///
    /// For each slid group with a changed counterpart, `rediff` may insert replacements for the
    /// pair before both cursors; it returns false to keep the pair.
    pub(crate) fn run(
        &self,
        own: &mut ChangedRuns,
        other: &mut ChangedRuns,
        mut rediff: impl FnMut(GroupPair, &mut ChangedRuns, &mut ChangedRuns) -> bool,
    ) {
        own.rewind();
        other.rewind();
        while let Some(run) = own.take_next() {
            let mut group = SlidingGroup {
                start: run.start,
                end: run.end,
            };
            self.slide(&mut group, own, other);
            if (group.start, group.end) != (run.start, run.end)
                && other.seek(group.start - own.changed_before())
                && let Some(counterpart) = other.take_next()
            {
                let pair = GroupPair {
                    own: group.start..group.end,
                    other: counterpart.clone(),
                };
                if rediff(pair, own, other) {
                    continue;
                }
                other.insert(counterpart);
            }
            own.insert(group.start..group.end);
        }
    }

    /// Slides a group as far as it goes, merging it with others, then to its final position.
    fn slide(&self, group: &mut SlidingGroup, own: &mut ChangedRuns, other: &mut ChangedRuns) {
        let range = loop {
            let size = group.end - group.start;
            while self.up(group, own) {}
            let mut range = SlideRange {
                top: group.end,
                aligned: None,
            };
            loop {
                if other.seek(group.start - own.changed_before()) {
                    range.aligned = Some(group.end);
                }
                if !self.down(group, own) {
                    break;
                }
            }
            if group.end - group.start == size {
                break range;
            }
        };
        if group.end == range.top {
            return;
        }
        let size = group.end - group.start;
        // No groups merged in the last round, so all lines between top and bottom are unchanged
        // and sliding up again is arithmetic.
        group.end = match range.aligned {
            Some(end) => end,
            None if self.indent_heuristic => {
                indent_heuristic::best_end(self.lines, self.side.tokens, size, range.top, group.end)
            }
            None => group.end,
        };
        group.start = group.end - size;
    }

    /// Slides the group up by one line and merges it with a run that it then touches; false if it
    /// cannot move.
    fn up(&self, group: &mut SlidingGroup, own: &mut ChangedRuns) -> bool {
        let keys = self.side.keys;
        if group.start == 0 || keys[group.start as usize - 1] != keys[group.end as usize - 1] {
            return false;
        }
        group.start -= 1;
        group.end -= 1;
        if let Some(run) = own.take_previous_at(group.start) {
            group.start = run.start;
        }
        true
    }

    /// Like [`Compaction::up`], downwards.
    fn down(&self, group: &mut SlidingGroup, own: &mut ChangedRuns) -> bool {
        let keys = self.side.keys;
        if group.end as usize == keys.len()
            || keys[group.start as usize] != keys[group.end as usize]
        {
            return false;
        }
        group.start += 1;
        group.end += 1;
        if let Some(run) = own.take_next_at(group.end) {
            group.end = run.end;
        }
        true
    }
}
