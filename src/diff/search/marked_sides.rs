//! Two sides searched part by part, with a flag for each line that changed.

use crate::diff::{
    region::sides::{Part, Sides},
    search::myers::Myers,
    types::Token,
};

/// Two sides, with a flag per line: 1 if it changed.
pub(crate) struct Marked<'a> {
    pub(crate) old: &'a [Token],
    pub(crate) new: &'a [Token],
    pub(crate) old_changed: &'a mut [u8],
    pub(crate) new_changed: &'a mut [u8],
}

impl Marked<'_> {
    /// Everything.
    pub(crate) fn whole(&self) -> Part {
        Part {
            old: 0..self.old.len(),
            new: 0..self.new.len(),
        }
    }

    /// Marks a part as changed throughout.
    pub(crate) fn mark(&mut self, part: Part) {
        self.old_changed[part.old].fill(1);
        self.new_changed[part.new].fill(1);
    }

    /// Searches a part as if it were all there is. `tokens` is above every token.
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
