//! Places that are remembered: by a letter, and where one was before the last jump.

use std::collections::BTreeMap;

use crate::viewer::{
    app::{
        blame::view::{Position, View},
        state::App,
    },
    model::{
        keymap::{Key, KeyCode},
        source::FileVersion,
    },
    protocol::Effect,
};

/// The letter for the place before the last jump.
const BEFORE: char = '\'';

/// A place that is remembered.
#[derive(Debug, Clone)]
struct Spot {
    /// The view's number.
    view: u64,
    version: FileVersion,
    position: Position,
}

/// What the next key names a mark for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// To remember this place.
    Set,
    /// To go there.
    Go,
}

/// The places that are remembered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// The next key is the name of a mark.
    pub(crate) naming: Option<Naming>,
    spots: BTreeMap<char, Spot>,
}

impl App {
    /// Asks for the letter of a mark.
    pub(crate) fn name_mark(&mut self, naming: Naming) {
        self.marks.naming = Some(naming);
        let letters: Vec<String> = self.marks.spots.keys().map(char::to_string).collect();
        self.say(match naming {
            Naming::Set => "a letter for this mark: ' and the letter return here".to_owned(),
            Naming::Go if letters.is_empty() => "there are no marks yet: m sets one".to_owned(),
            Naming::Go => format!("which mark? {}", letters.join(" ")),
        });
    }

    /// The key after [`name_mark`](Self::name_mark).
    pub(crate) fn mark_key(&mut self, naming: Naming, key: Key, effects: &mut Vec<Effect>) {
        match (key.code, naming) {
            (KeyCode::Char(letter), Naming::Set) if !key.ctrl && !letter.is_control() => {
                self.remember(letter);
                self.say(format!("marked {letter}"));
            }
            (KeyCode::Char(letter), Naming::Go) if !key.ctrl => self.go_to_mark(letter, effects),
            _ => self.say("no mark"),
        }
    }

    /// Remembers where a jump begins.
    pub(crate) fn leave_mark(&mut self) {
        self.remember(BEFORE);
    }

    fn remember(&mut self, letter: char) {
        if let Some(spot) = self.view().map(spot) {
            self.marks.spots.insert(letter, spot);
        }
    }

    fn go_to_mark(&mut self, letter: char, effects: &mut Vec<Effect>) {
        let Some(to) = self.marks.spots.get(&letter).cloned() else {
            return self.say(match letter {
                BEFORE => "there was no jump yet".to_owned(),
                _ => format!("there is no mark {letter}: m{letter} sets it"),
            });
        };
        let Some(here) = self.view().map(spot) else {
            return;
        };
        let known = self.views.iter().position(|view| view.number == to.view);
        if here.view != to.view && here.version != to.version {
            match (known, &to.version) {
                (Some(at), _) => self.leave(at, effects),
                (None, FileVersion::Commit { .. } | FileVersion::WorkTree { .. }) => {
                    self.open(to.version, Some(to.position.line), None, effects);
                    self.marks.spots.insert(BEFORE, here);
                    return;
                }
                (None, FileVersion::CommandLine | FileVersion::Reloaded { .. }) => {
                    return self.say(format!("mark {letter} is no longer in the history"));
                }
            }
        }
        self.jump(to.position.line);
        self.marks.spots.insert(BEFORE, here);
    }
}

fn spot(view: &View) -> Spot {
    Spot {
        view: view.number,
        version: view.version.clone(),
        position: view.position,
    }
}
