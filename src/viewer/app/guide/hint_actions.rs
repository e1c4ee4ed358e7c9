//! The current key hint.

use crate::viewer::{
    app::state::App,
    model::keys::bindings::Action,
    pages::{blame::BlamePage, offers::offers},
};

impl App {
    /// Marks an action as used for the key hints.
    pub(crate) fn note_hint_used(&mut self, action: Action) {
        if let Some(hints) = &mut self.guide.hints {
            hints.note_used(action);
        }
    }

    /// The current key hint: the action and its description.
    pub fn key_hint(&self) -> Option<(Action, &'static str)> {
        let hints = self.guide.hints.as_ref();
        let hints = hints.filter(|_| self.guide.tour.is_none())?;
        hints.next(&self.keymap, |action| offers(&BlamePage, action, self))
    }
}
