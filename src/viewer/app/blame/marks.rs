//! Marks: positions that are set and returned to by letter.

use crate::viewer::{
    app::{
        history::{BEFORE_JUMP, PositionMark},
        state::App,
    },
    model::source::FileVersion,
};

impl App {
    /// Marks where a jump starts.
    pub(crate) fn mark_before_jump(&mut self) {
        self.set_mark(BEFORE_JUMP);
    }

    /// Sets a mark at the selected line.
    pub(crate) fn set_mark(&mut self, letter: char) {
        if let Some(mark) = self.view().map(PositionMark::of) {
            self.history.marks.insert(letter, mark);
        }
    }

    /// Goes to a mark.
    pub(crate) fn go_to_mark(&mut self, letter: char) {
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
                    self.leave(at, None, Some(to.position.line));
                    self.history.marks.insert(BEFORE_JUMP, here);
                    return;
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
