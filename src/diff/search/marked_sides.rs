//! Per-line change flags, for algorithms that diff region by region.

use crate::diff::{
    region::sides::{Part, Sides},
    search::myers::Myers,
    types::Token,
};

/// Two sides with one flag per line: 1 if the line changed.
pub(crate) struct Marked<'a> {
    pub(crate) old: &'a [Token],
    pub(crate) new: &'a [Token],
    pub(crate) old_changed: &'a mut [u8],
    pub(crate) new_changed: &'a mut [u8],
}

impl Marked<'_> {
    /// The region that covers both sides.
    pub(crate) fn whole(&self) -> Part {
        Part {
            old: 0..self.old.len(),
            new: 0..self.new.len(),
        }
    }

    /// Marks all lines of a region as changed.
    pub(crate) fn mark(&mut self, part: Part) {
        self.old_changed[part.old].fill(1);
        self.new_changed[part.new].fill(1);
    }

    /// Runs Myers' algorithm on a region alone. `tokens` is an exclusive upper bound of the tokens.
    pub(crate) fn search(&mut self, part: Part, myers: &mut Myers, tokens: usize) {
        let sides = Sides::new(&self.old[part.old.clone()], &self.new[part.new.clone()]);
        myers.run(&sides, false, tokens);
        for run in &myers.old {
            self.old_changed[part.old.clone()][run.start as usize..run.end as usize].fill(1);
        }
        for run in &myers.new {
            self.new_changed[part.new.clone()][run.start as usize..run.end as usize].fill(1);
        }
    }
}
