//! The guided tour: each step ends when the user has done what it asks for.

use crate::viewer::model::{color_mode::ColorMode, keys::bindings::Action};

/// The progress of the tour.
#[derive(Debug, Clone, Default)]
pub struct Tour {
    /// The current step (0-based).
    pub(crate) at: usize,
    /// The actions that had an effect during this step.
    pub(crate) actions: Vec<Action>,
    /// An action that is being performed, and the state before it.
    pub(crate) performed: Option<(Action, Snapshot)>,
}

/// The parts of the state that an action of the tour changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Step of the history, and the selected line.
    pub(crate) place: (usize, u32),
    /// True if a view is being opened.
    pub(crate) is_opening: bool,
    /// True if the outcome of a line is being looked for.
    pub(crate) is_asking: bool,
    pub(crate) pages: usize,
    pub(crate) color_mode: ColorMode,
}

impl Tour {
    /// The tour at the start of a step (0-based).
    pub(crate) fn at(step: usize) -> Self {
        Tour {
            at: step,
            ..Tour::default()
        }
    }
}
