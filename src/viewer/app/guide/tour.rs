//! The guided tour: each step ends when the user has done what it asks for.

use crate::viewer::{
    app::state::App,
    model::{bindings::Action, color_mode::ColorMode},
};

/// Maximum number of actions recorded per step.
const MAX_ACTIONS: usize = 100;

/// The progress of the tour.
#[derive(Debug, Clone, Default)]
pub struct Tour {
    /// The current step (0-based).
    pub(crate) at: usize,
    /// The actions that had an effect during this step.
    pub(crate) actions: Vec<Action>,
    /// An action that is being performed, and the state before it.
    performed: Option<(Action, Snapshot)>,
}

/// What an action of the tour changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Snapshot {
    /// Step of the history, and the selected line.
    place: (usize, u32),
    /// Whether a view is being opened.
    is_opening: bool,
    overlays: usize,
    color_mode: ColorMode,
}

impl Snapshot {
    fn of(app: &App) -> Self {
        let line = app.view().map_or(0, |view| view.pager.position.line);
        Snapshot {
            place: (app.history.current, line),
            is_opening: app.history.pending.is_some(),
            overlays: app.overlays.len(),
            color_mode: app.display.color_mode,
        }
    }
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

impl App {
    /// Notes for the tour that an action is being performed.
    pub(crate) fn note_action(&mut self, action: Action) {
        let before = Snapshot::of(self);
        if let Some(tour) = &mut self.guide.tour {
            tour.performed = Some((action, before));
        }
    }

    /// Records the performed action if it had an effect.
    pub(crate) fn record_action(&mut self) {
        let now = Snapshot::of(self);
        let Some(tour) = &mut self.guide.tour else {
            return;
        };
        if let Some((action, before)) = tour.performed.take()
            && before != now
            && tour.actions.len() < MAX_ACTIONS
        {
            tour.actions.push(action);
        }
    }
}
