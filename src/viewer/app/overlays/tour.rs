//! The guided tour: a step at a time, which goes on when the user has done what it says.

use crate::viewer::model::keymap::Action;

/// The progress of the tour.
#[derive(Debug, Clone, Default)]
pub struct Tour {
    /// The step that is shown.
    pub(crate) at: usize,
    /// The actions since it was shown.
    pub(crate) seen: Vec<Action>,
}
