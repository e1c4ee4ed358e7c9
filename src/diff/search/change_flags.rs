//! Per-line change flags, for algorithms that diff region by region.

use crate::diff::{
    region::diff_input::{DiffInput, Region},
    search::myers::Myers,
    types::Token,
};

/// Two sides with one flag per line: 1 if the line changed.
pub(crate) struct ChangeFlags<'a> {
    pub(crate) old: &'a [Token],
    pub(crate) new: &'a [Token],
    pub(crate) old_changed: &'a mut [u8],
    pub(crate) new_changed: &'a mut [u8],
}

impl ChangeFlags<'_> {
    /// The region that covers both sides.
    pub(crate) fn whole(&self) -> Region {
        Region {
            old: 0..self.old.len(),
            new: 0..self.new.len(),
        }
    }

    /// Marks all lines of a region as changed.
    pub(crate) fn mark_changed(&mut self, region: Region) {
        self.old_changed[region.old].fill(1);
        self.new_changed[region.new].fill(1);
    }

    /// Runs Myers' algorithm on a region alone. `tokens` is an exclusive upper bound of the tokens.
    pub(crate) fn run_myers(&mut self, region: Region, myers: &mut Myers, tokens: usize) {
        let sides = DiffInput::new(&self.old[region.old.clone()], &self.new[region.new.clone()]);
        myers.run(&sides, false, false, tokens);
        for run in &myers.old {
            self.old_changed[region.old.clone()][run.start as usize..run.end as usize].fill(1);
        }
        for run in &myers.new {
            self.new_changed[region.new.clone()][run.start as usize..run.end as usize].fill(1);
        }
    }
}
