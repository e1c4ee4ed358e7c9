//! What changes while it is looked at: the work tree's file, and what HEAD is.
//!
//! Somebody who works on a file is told that it is another one now, and reads it again when that is
//! wanted. The new text is a step like any other, so that nothing is lost.

use crate::viewer::{
    app::{blame::view::View, state::App},
    model::source::{FileVersion, Stamp},
    protocol::{Effect, LineRef, Question},
};

/// Why it was asked what the file is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// To say so if it changed.
    Look,
    /// It is to be read again if it changed.
    Returned,
    /// It is to be read again.
    Reload,
}

/// A question that was not answered yet, and the number of the view that it is about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch {
    asked: Option<(u64, Why)>,
}

impl App {
    /// The view on the screen is of something that can change.
    fn is_live(&self, view: &View) -> bool {
        match &view.version {
            FileVersion::WorkTree { .. } | FileVersion::Reloaded { .. } => true,
            FileVersion::Commit { .. } => false,
            FileVersion::CommandLine => match &self.around.start {
                None => self.around.root.is_some() && view.revision == "work tree",
                Some(start) => {
                    let named = start.to_string().starts_with(&view.revision);
                    self.around.head.as_ref() == Some(start) && !named
                }
            },
        }
    }

    /// Asks whether what is on the screen changed.
    pub(crate) fn look_around(&mut self, effects: &mut Vec<Effect>) {
        if self.watch.asked.is_none() {
            self.inquire(Why::Look, effects);
        }
    }

    /// Asks what a view's file is when it is seen for the first time.
    pub(crate) fn look_first(&mut self, effects: &mut Vec<Effect>) {
        if self.view().is_some_and(|view| view.stamp.is_none()) {
            self.look_around(effects);
        }
    }

    /// Another program had the terminal, and may have changed the file.
    pub(crate) fn returned(&mut self, words: String, effects: &mut Vec<Effect>) {
        self.say(words);
        self.inquire(Why::Returned, effects);
    }

    /// Reads again what is on the screen.
    pub(crate) fn reload(&mut self, effects: &mut Vec<Effect>) {
        if !self.inquire(Why::Reload, effects) {
            self.say("this version does not change");
        }
    }

    fn inquire(&mut self, why: Why, effects: &mut Vec<Effect>) -> bool {
        let Some(view) = self.view().filter(|view| self.is_live(view)) else {
            return false;
        };
        let (view, path) = (view.number, view.path.clone());
        self.watch.asked = Some((view, why));
        effects.push(Effect::Ask(Question::Stamp { view, path }));
        true
    }

    /// What a view's file and HEAD are now.
    pub(crate) fn stamped(&mut self, number: u64, mut stamp: Stamp, effects: &mut Vec<Effect>) {
        let asked = self.watch.asked.take_if(|(asked, _)| *asked == number);
        let Some((_, why)) = asked else { return };
        if self.around.start.is_some() {
            // Who began with a commit does not look at the work tree.
            stamp.file = None;
        }
        let here = self.view().is_some_and(|view| view.number == number);
        let view = self.views.iter_mut().find(|view| view.number == number);
        let Some(view) = view else { return };
        let before = view.stamp.get_or_insert_with(|| stamp.clone());
        view.changed = before.difference(&stamp);
        match (why, view.changed) {
            (Why::Look, _) | (Why::Returned, None) => {}
            (Why::Reload, None) => self.say("nothing has changed"),
            (Why::Reload | Why::Returned, Some(_)) if here => self.read_again(stamp, effects),
            (Why::Reload | Why::Returned, Some(_)) => {}
        }
    }

    fn read_again(&mut self, stamp: Stamp, effects: &mut Vec<Effect>) {
        let Some(view) = self.view() else { return };
        let position = view.position;
        let start = match &view.version {
            FileVersion::CommandLine => true,
            FileVersion::Reloaded { start, .. } => *start,
            _ => false,
        };
        let version = FileVersion::Reloaded {
            path: view.path.clone(),
            start,
            reading: self.generation + 1,
        };
        let revision = view.revision.trim_end_matches(AGAIN).to_owned() + AGAIN;
        let from = LineRef {
            version: view.version.clone(),
            line: position.line,
        };
        self.open(version, Some(position.line), Some(from), effects);
        if let Some(pending) = &mut self.pending {
            pending.revision = revision;
            pending.again = Some((stamp, position));
        }
    }

    /// What became another one since it was read, in words.
    pub fn changed_words(&self) -> Option<&'static str> {
        self.view()?.changed
    }
}

/// What is behind the name of a version that was read again.
const AGAIN: &str = " again";
