//! Marks: positions that are set and returned to by letter.

use crate::viewer::{
    app::{
        history::{BEFORE_JUMP, Bookmark},
        overlays::{overlay::Overlay, prompt::MarkAction},
        state::App,
    },
    model::{
        key::{Key, KeyCode},
        source::FileVersion,
    },
    protocol::Effect,
};

impl App {
    /// Asks for the letter of a mark.
    pub(crate) fn name_mark(&mut self, action: MarkAction) {
        self.overlays.push(Overlay::MarkName(action));
        let letters = self.history.bookmarks.keys();
        let letters: Vec<String> = letters.map(char::to_string).collect();
        self.say(match action {
            MarkAction::Set => "a letter for this mark: ' and the letter return here".to_owned(),
            MarkAction::Go if letters.is_empty() => "there are no marks yet: m sets one".to_owned(),
            MarkAction::Go => format!("which mark? {}", letters.join(" ")),
        });
    }

    /// The key after [`name_mark`](Self::name_mark).
    pub(crate) fn mark_key(&mut self, action: MarkAction, key: Key, effects: &mut Vec<Effect>) {
        match (key.code, action) {
            (KeyCode::Char(letter), MarkAction::Set) if !key.ctrl && !letter.is_control() => {
                self.set_mark(letter);
                self.say(format!("marked {letter}"));
            }
            (KeyCode::Char(letter), MarkAction::Go) if !key.ctrl => {
                self.go_to_mark(letter, effects);
            }
            _ => self.say("no mark"),
        }
    }

    /// Marks where a jump starts.
    pub(crate) fn leave_mark(&mut self) {
        self.set_mark(BEFORE_JUMP);
    }

    fn set_mark(&mut self, letter: char) {
        if let Some(bookmark) = self.view().map(Bookmark::of) {
            self.history.bookmarks.insert(letter, bookmark);
        }
    }

    fn go_to_mark(&mut self, letter: char, effects: &mut Vec<Effect>) {
        let Some(to) = self.history.bookmarks.get(&letter).cloned() else {
            return self.say(match letter {
                BEFORE_JUMP => "there was no jump yet".to_owned(),
                _ => format!("there is no mark {letter}: m{letter} sets it"),
            });
        };
        let Some(here) = self.view().map(Bookmark::of) else {
            return;
        };
        let views = &self.history.views;
        let known = views.iter().position(|view| view.number == to.view);
        if here.view != to.view && here.version != to.version {
            match (known, &to.version) {
                (Some(at), _) => self.leave(at, effects),
                (None, FileVersion::Commit { .. } | FileVersion::WorkTree { .. }) => {
                    self.open(to.version, Some(to.position.line), None, effects);
                    self.history.bookmarks.insert(BEFORE_JUMP, here);
                    return;
                }
                (None, FileVersion::CommandLine | FileVersion::Reloaded { .. }) => {
                    return self.say(format!("mark {letter} is no longer in the history"));
                }
            }
        }
        self.jump(to.position.line);
        self.history.bookmarks.insert(BEFORE_JUMP, here);
    }
}
