//! The guided tour: each step ends when the user has done what it asks for.

use crate::viewer::model::bindings::Action;

/// The progress of the tour.
#[derive(Debug, Clone, Default)]
pub struct Tour {
    /// The current step (0-based).
    pub(crate) at: usize,
    /// The actions performed during this step.
    pub(crate) actions: Vec<Action>,
}
