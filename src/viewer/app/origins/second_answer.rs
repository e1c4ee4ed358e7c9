//! The second answer for a view: where its lines were written, or who touched them last if the
//! former counts.

use crate::{
    sorting,
    viewer::{
        app::blame::view::{LineAttribution, Progress, View},
        model::background::origins::{LineMovement, LineMovements},
    },
};

/// The answer for a view that does not count, and what both together say.
#[derive(Debug)]
pub struct SecondAnswer {
    /// The number of the query.
    pub(crate) id: u64,
    /// The number of the view.
    pub(crate) of: u64,
    /// A view of the same text with the answer that does not count.
    pub(crate) view: Box<View>,
    /// True if the visible answer is where lines were written.
    pub is_exchanged: bool,
    /// The movements of lines after they were written, in the order of the lines.
    moved: Vec<LineMovements>,
}

impl SecondAnswer {
    /// The answer to a query about a view, with a view whose blame has just started.
    pub(crate) fn new(id: u64, of: u64, view: View) -> Self {
        SecondAnswer {
            id,
            of,
            view: Box::new(view),
            is_exchanged: false,
            moved: Vec::new(),
        }
    }

    /// True if lines are still looked for.
    pub fn is_running(&self) -> bool {
        self.view.is_running()
    }

    /// True if it is complete.
    pub fn is_finished(&self) -> bool {
        matches!(self.view.progress, Progress::Finished(_))
    }

    /// Stores what was done to lines.
    pub(crate) fn set_moved(&mut self, mut moved: Vec<LineMovements>) {
        sorting::sort_by_key(&mut moved, |moved| moved.lines.start);
        self.moved = moved;
    }

    /// The other answer for a line (0-based) of the view, if it names another commit.
    pub fn other(&self, view: &View, line: u32) -> Option<LineAttribution<'_>> {
        let other = self.view.attribution_of(line)?;
        let counted = view.attribution_of(line)?;
        (other.commit.id != counted.commit.id).then_some(other)
    }

    /// The movement of a line (0-based) after it was written; `None` if there was none, or it is
    /// not known.
    pub fn movement(&self, line: u32) -> Option<LineMovement> {
        let at = self.moved.partition_point(|moved| moved.lines.end <= line);
        let moved = self.moved.get(at)?;
        moved.lines.contains(&line).then_some(moved.movement)
    }

    /// Exchanges the answers of the view and of this.
    pub(crate) fn exchange(&mut self, view: &mut View) {
        view.exchange_attribution(&mut self.view);
        self.is_exchanged = !self.is_exchanged;
    }
}
