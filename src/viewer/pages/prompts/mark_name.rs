//! Waiting for the letter that names a mark.

use crate::viewer::{
    app::state::App,
    model::keys::key::{Key, KeyCode},
    pages::page::{Handled, Page},
};

/// The use of the mark that the next key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkName {
    /// It is set at the selected line.
    Set,
    /// It is gone to.
    Go,
}

impl Page<App> for MarkName {
    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        app.pages.close_acting();
        match (key.code, self) {
            (KeyCode::Char(letter), MarkName::Set) if !key.ctrl && !letter.is_control() => {
                app.set_mark(letter);
                app.show_message(format!("marked {letter}"));
            }
            (KeyCode::Char(letter), MarkName::Go) if !key.ctrl => app.go_to_mark(letter),
            _ => app.show_message("cancelled"),
        }
        Handled::Yes
    }
}

impl App {
    /// Asks for the letter of a mark to set.
    pub(crate) fn open_mark(&mut self) {
        self.show_filled("a letter for this mark: {go-to-mark} and the letter return here");
        self.pages.open(MarkName::Set);
    }

    /// Asks for the letter of a mark to go to.
    pub(crate) fn open_go_to_mark(&mut self) {
        let letters = self.history.marks.keys();
        let letters: Vec<String> = letters.map(char::to_string).collect();
        if letters.is_empty() {
            return self.show_filled("there are no marks yet: {mark} sets one");
        }
        self.show_message(format!("go to which mark? {}", letters.join("  ")));
        self.pages.open(MarkName::Go);
    }
}
