//! Change compaction: slides groups of changed lines to where they merge with other groups, align
//! with a change of the other side, or satisfy the indent heuristic.

use crate::diff::{
    compaction::indent_heuristic, lines::interner::Lines, region::changed_runs::Runs, types::Token,
};

/// One side of a diff, after the tail trim.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    /// Ids that compare lines: tokens, `-w` classes or dense ids.
    pub(crate) keys: &'a [Token],
    /// The tokens: indents are measured on the real lines, even with `-w`.
    pub(crate) tokens: &'a [Token],
}

/// Compaction of one side.
pub(crate) struct Pass<'a> {
    pub(crate) lines: &'a Lines,
    pub(crate) side: Side<'a>,
    pub(crate) indent_heuristic: bool,
}

/// A run of changed lines while it slides, taken out of its side's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Group {
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
pub(crate) struct Met {
    pub(crate) own: std::ops::Range<u32>,
    pub(crate) other: std::ops::Range<u32>,
}

impl Pass<'_> {
    /// Compacts all groups of one side, `own`.
    ///
    /// For each slid group with a changed counterpart, `rediff` may insert replacements for the two
    /// before both cursors; it returns false to keep them.
    pub(crate) fn run(
        &self,
        own: &mut Runs,
        other: &mut Runs,
        mut rediff: impl FnMut(Met, &mut Runs, &mut Runs) -> bool,
    ) {
        own.rewind();
        other.rewind();
        while let Some(run) = own.take_next() {
            let mut group = Group {
                start: run.start,
                end: run.end,
            };
            self.slide(&mut group, own, other);
            if (group.start, group.end) != (run.start, run.end)
                && other.seek(group.start - own.changed())
                && let Some(counterpart) = other.take_next()
            {
                let met = Met {
                    own: group.start..group.end,
                    other: counterpart.clone(),
                };
                if rediff(met, own, other) {
                    continue;
                }
                other.put(counterpart);
            }
            own.put(group.start..group.end);
        }
    }

    fn slide(&self, group: &mut Group, own: &mut Runs, other: &mut Runs) {
        let reach = loop {
            let size = group.end - group.start;
            while self.up(group, own) {}
            let mut reach = SlideRange {
                top: group.end,
                aligned: None,
            };
            loop {
                if other.seek(group.start - own.changed()) {
                    reach.aligned = Some(group.end);
                }
                if !self.down(group, own) {
                    break;
                }
            }
            if group.end - group.start == size {
                break reach;
            }
        };
        if group.end == reach.top {
            return;
        }
        let size = group.end - group.start;
        // No groups merged in the last round, so all lines between top and bottom are unchanged
        // and sliding up again is arithmetic.
        group.end = match reach.aligned {
            Some(end) => end,
            None if self.indent_heuristic => {
                indent_heuristic::best_end(self.lines, self.side.tokens, size, reach.top, group.end)
            }
            None => group.end,
        };
        group.start = group.end - size;
    }

    fn up(&self, group: &mut Group, own: &mut Runs) -> bool {
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

    fn down(&self, group: &mut Group, own: &mut Runs) -> bool {
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
