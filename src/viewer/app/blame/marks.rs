//! Marks: positions that are set and returned to by letter.

use crate::viewer::{
    app::{
        history::{BEFORE_JUMP, PositionMark},
        overlays::{overlay::Overlay, prompt::MarkAction},
        state::App,
    },
    model::{
        key::{Key, KeyCode},
        source::FileVersion,
    },
};

impl App {
    /// Asks for the letter of a mark.
    pub(crate) fn name_mark(&mut self, action: MarkAction) {
        let letters = self.history.marks.keys();
        let letters: Vec<String> = letters.map(char::to_string).collect();
        match action {
            MarkAction::Set => {
                self.show_filled("a letter for this mark: {go-to-mark} and the letter return here");
            }
            MarkAction::Go if letters.is_empty() => {
                return self.show_filled("there are no marks yet: {mark} sets one");
            }
            MarkAction::Go => self.show_message(format!("which mark? {}", letters.join(" "))),
        }
        self.overlays.push(Overlay::MarkName(action));
    }

    /// The key after [`name_mark`](Self::name_mark).
    pub(crate) fn mark_key(&mut self, action: MarkAction, key: Key) {
        match (key.code, action) {
            (KeyCode::Char(letter), MarkAction::Set) if !key.ctrl && !letter.is_control() => {
                self.set_mark(letter);
                self.show_message(format!("marked {letter}"));
            }
            (KeyCode::Char(letter), MarkAction::Go) if !key.ctrl => {
                self.go_to_mark(letter);
            }
            _ => self.show_message("no mark"),
        }
    }

    /// Marks where a jump starts.
    pub(crate) fn mark_before_jump(&mut self) {
        self.set_mark(BEFORE_JUMP);
    }

    fn set_mark(&mut self, letter: char) {
        if let Some(mark) = self.view().map(PositionMark::of) {
            self.history.marks.insert(letter, mark);
        }
    }

    fn go_to_mark(&mut self, letter: char) {
        let Some(to) = self.history.marks.get(&letter).cloned() else {
            return self.show_message(match letter {
                BEFORE_JUMP => "there was no jump yet".to_owned(),
                _ => {
                    let key = self.keymap.fill("{mark}");
                    format!("there is no mark {letter}: {key}{letter} sets it")
                }
            });
        };
        let Some(here) = self.view().map(PositionMark::of) else {
            return;
        };
        let views = &self.history.views;
        let known = views.iter().position(|view| view.id == to.view);
        if here.view != to.view && here.version != to.version {
            match (known, &to.version) {
                (Some(at), _) => {
                    if self.read_dropped(at, (None, Some(to.position.line))) {
                        self.history.marks.insert(BEFORE_JUMP, here);
                        return;
                    }
                    self.leave(at);
                }
                (None, FileVersion::Commit { .. } | FileVersion::WorkTree { .. }) => {
                    self.open(to.version, Some(to.position.line), None);
                    self.history.marks.insert(BEFORE_JUMP, here);
                    return;
                }
                (None, FileVersion::CommandLine | FileVersion::Reloaded { .. }) => {
                    return self.show_message(format!("mark {letter} is no longer in the history"));
                }
            }
        }
        self.jump(to.position.line);
        self.history.marks.insert(BEFORE_JUMP, here);
    }
}
