//! The effects of clicks, by the places that were drawn for them.

use std::ops::Range;

use crate::viewer::{model::hyperlink::Hyperlink, protocol::ClickTarget};

/// The parts of a frame that do something when they are clicked.
#[derive(Debug, Clone, Default)]
pub struct ClickTargets {
    places: Vec<(Range<u16>, u16, ClickTarget)>,
    /// The links of the header, for the terminal.
    pub(super) links: Vec<Hyperlink>,
}

impl ClickTargets {
    /// Adds columns of a row.
    pub(super) fn add(&mut self, columns: Range<u16>, row: u16, target: ClickTarget) {
        if !columns.is_empty() {
            self.places.push((columns, row, target));
        }
    }

    /// The effect of a click at a column and a row, if there is one.
    pub fn at(&self, (x, y): (u16, u16)) -> Option<ClickTarget> {
        let mut targets = self.places.iter().rev();
        let found = targets.find(|(columns, row, _)| *row == y && columns.contains(&x));
        found.map(|&(_, _, target)| target)
    }
}
