//! The effects of clicks, by the places that were drawn for them.

use std::ops::Range;

use crate::viewer::protocol::ClickTarget;

/// The parts of a frame that do something when they are clicked.
#[derive(Debug, Clone, Default)]
pub struct ClickTargets(Vec<(Range<u16>, u16, ClickTarget)>);

impl ClickTargets {
    /// Adds columns of a row.
    pub(super) fn add(&mut self, columns: Range<u16>, row: u16, target: ClickTarget) {
        if !columns.is_empty() {
            self.0.push((columns, row, target));
        }
    }

    /// The effect of a click at a column and a row, if there is one.
    pub fn at(&self, (x, y): (u16, u16)) -> Option<ClickTarget> {
        let mut targets = self.0.iter().rev();
        let found = targets.find(|(columns, row, _)| *row == y && columns.contains(&x));
        found.map(|&(_, _, target)| target)
    }
}
