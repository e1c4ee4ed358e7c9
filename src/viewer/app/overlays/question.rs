//! A question that is answered with yes or no.

use crate::{
    objects::ObjectId,
    viewer::{
        app::{overlays::overlay::Overlay, state::App},
        model::key::{Key, KeyCode},
        protocol::Effect,
    },
};

/// An open question. `y` means yes, any other key no.
#[derive(Debug, Clone)]
pub struct Question {
    /// The question.
    pub title: String,
    /// What it is about.
    pub lines: Vec<String>,
    /// What yes means, in one or two words.
    pub yes: &'static str,
    /// What yes does.
    pub(crate) effects: Vec<Effect>,
    /// A commit that yes ignores in the visible view.
    pub(crate) ignore: Option<ObjectId>,
}

impl App {
    /// Closes the question that is open. Returns whether the key answered it; any other key than yes
    /// and Esc means no and keeps its own meaning.
    pub(crate) fn answer_question(&mut self, key: Key, effects: &mut Vec<Effect>) -> bool {
        let Some(Overlay::Question(_)) = self.overlays.top() else {
            return false;
        };
        let Some(Overlay::Question(question)) = self.overlays.pop() else {
            return false;
        };
        if key == Key::plain(KeyCode::Char('y')) {
            if let Some(id) = question.ignore {
                self.ignore_commit(id, effects);
            }
            effects.extend(question.effects);
            return true;
        }
        key.code == KeyCode::Escape
    }
}
