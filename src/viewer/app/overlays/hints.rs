//! What the foot of the screen teaches: one key at a time, until it was used.

use std::collections::BTreeSet;

use crate::viewer::model::keymap::{Action, Key, Keymap};

/// What is taught, in this order.
const HINTS: &[(Action, &str)] = &[
    (Action::Before, "the file before this line's commit"),
    (Action::Back, "back to where you were"),
    (Action::Change, "what this commit changed"),
    (Action::NextSame, "the next lines of this commit"),
    (Action::Search, "search code, authors, summaries"),
    (Action::Details, "read the commit's message"),
    (Action::NextReference, "what the message refers to"),
    (Action::At, "blame at this line's commit"),
    (Action::Ignore, "ignore this commit"),
    (Action::Whitespace, "ignore white space"),
    (Action::NextGroup, "the next group of lines"),
    (Action::Colours, "colour lines by age or author"),
    (Action::Find, "open another file of this version"),
    (Action::Copy, "copy the commit's id"),
    (Action::Browse, "the commit in the browser"),
    (Action::Edit, "edit the file at this line"),
    (Action::Wrap, "wrap long lines"),
    (Action::Mark, "mark a line, ' returns to it"),
];

/// Keys that were used, by the names of their actions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyHints {
    used: BTreeSet<String>,
    changed: bool,
}

impl KeyHints {
    /// What is left to be taught to somebody who used these actions: one name in each line.
    pub fn new(used: &str) -> Self {
        let known = |name: &&str| HINTS.iter().any(|(action, _)| action.name() == *name);
        let used = used.lines().map(str::trim).filter(known);
        KeyHints {
            used: used.map(str::to_owned).collect(),
            changed: false,
        }
    }

    /// What was used, if that is more than at first.
    pub fn to_be_kept(&self) -> Option<String> {
        let lines = self.used.iter().map(|name| format!("{name}\n"));
        self.changed.then(|| lines.collect())
    }

    /// Notes that an action was used: it is not taught any more.
    pub(crate) fn note_used(&mut self, action: Action) {
        if HINTS.iter().any(|(taught, _)| *taught == action) {
            self.changed |= self.used.insert(action.name());
        }
    }

    /// The key that is taught next, and what it does. `at_start`: there is no way back yet.
    pub(crate) fn next(&self, keymap: &Keymap, at_start: bool) -> Option<(Key, &'static str)> {
        let mut left = HINTS.iter().filter(|(action, _)| {
            let idle = *action == Action::Back && at_start;
            !idle && !self.used.contains(&action.name())
        });
        left.find_map(|(action, text)| Some((keymap.keys(*action).next()?, *text)))
    }
}
