//! Compaction: changed lines that could as well be a little higher or lower are slid to where
//! they meet changes of the other side, merge with others, or read best.

use crate::diff::{
    compaction::indent_heuristic, lines::interner::Lines, region::changed_runs::Runs, types::Token,
};

/// One side of a diff.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    /// Lines by what makes them equal.
    pub(crate) keys: &'a [Token],
    /// Lines as they are: their indents count, even when white space is ignored.
    pub(crate) tokens: &'a [Token],
}

/// How changes of one side are compacted.
pub(crate) struct Pass<'a> {
    pub(crate) lines: &'a Lines,
    pub(crate) side: Side<'a>,
    pub(crate) indent_heuristic: bool,
}

/// A run of changed lines on its way, out of its side's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Group {
    start: u32,
    end: u32,
}

/// Where a group can be.
struct Reach {
    /// The end of the highest place.
    top: u32,
    /// The end of the lowest place where it meets a change of the other side.
    aligned: Option<u32>,
}

/// A group that met a change of the other side after it was slid, and may match part of it.
pub(crate) struct Met {
    pub(crate) own: std::ops::Range<u32>,
    pub(crate) other: std::ops::Range<u32>,
}

impl Pass<'_> {
    /// Slides all groups of one side, `own`, given the other side's.
    ///
    /// For each slid group that met a change, `rediff` may put other runs in place of the two,
    /// before both places; it returns false to leave them.
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
            let mut reach = Reach {
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
        // Nothing was merged in the last round: the lines between top and bottom are unchanged,
        // and moving up again is arithmetic.
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
