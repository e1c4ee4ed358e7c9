//! Answering questions.

use crate::viewer::{
    app::{overlays::overlay::Overlay, state::App},
    model::key::{Key, KeyCode},
};

impl App {
    /// Closes the question that is open. Returns whether the key answered it; any other key than yes
    /// and Esc means no and keeps its own meaning.
    pub(crate) fn answer_question(&mut self, key: Key) -> bool {
        let Some(Overlay::Question(_)) = self.overlays.top() else {
            return false;
        };
        let Some(Overlay::Question(question)) = self.overlays.pop() else {
            return false;
        };
        if key == Key::plain(KeyCode::Char('y')) {
            if let Some(id) = question.ignore {
                self.ignore_commit(id);
            }
            self.effects.extend(question.effects);
            return true;
        }
        key.code == KeyCode::Escape
    }
}
