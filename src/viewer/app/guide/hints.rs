//! Key hints: the status line shows one unused key binding at a time.

use std::collections::BTreeSet;

use crate::viewer::model::keys::{bindings::Action, keymap::Keymap};

/// Hinted actions in order, with their descriptions.
const HINTS: &[(Action, &str)] = &[
    (Action::BlameParent, "the file before this line's commit"),
    (Action::Back, "back to where you were"),
    (Action::Diff, "what this commit changed"),
    (Action::NextOfCommit, "the next lines of this commit"),
    (Action::Search, "search code, authors, summaries"),
    (Action::Details, "read the commit's message"),
    (Action::NextReference, "what the message refers to"),
    (Action::BlameCommit, "blame at this line's commit"),
    (Action::Ignore, "ignore this commit"),
    (Action::Whitespace, "ignore whitespace"),
    (Action::NextGroup, "the next group of lines"),
    (Action::Colors, "color lines by age or author"),
    (Action::OpenFile, "open another file of this version"),
    (Action::CopyId, "copy the commit's id"),
    (Action::Browse, "the commit in the browser"),
    (Action::Edit, "edit the file at this line"),
    (Action::LineHistory, "every commit that changed this line"),
    (Action::OlderVersion, "time-lapse: the version before"),
    (Action::FileHistory, "the versions of the file"),
    (Action::Deletions, "what was deleted here"),
    (Action::NextChange, "what became of an old line"),
    (Action::Wrap, "wrap long lines"),
    (Action::Mark, "mark a line to return to it"),
];

/// The actions used so far, which are no longer hinted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyHints {
    used: BTreeSet<String>,
    changed: bool,
}

impl KeyHints {
    /// Parses a list of used actions, one name per line. Unknown names are dropped.
    pub fn new(used: &str) -> Self {
        let known = |name: &&str| HINTS.iter().any(|(action, _)| action.name() == *name);
        let used = used.lines().map(str::trim).filter(known);
        KeyHints {
            used: used.map(str::to_owned).collect(),
            changed: false,
        }
    }

    /// The list of used actions to save; `None` if it has not changed.
    pub fn unsaved(&self) -> Option<String> {
        let lines = self.used.iter().map(|name| format!("{name}\n"));
        self.changed.then(|| lines.collect())
    }

    /// Marks an action as used.
    pub(crate) fn note_used(&mut self, action: Action) {
        if HINTS.iter().any(|(hinted, _)| *hinted == action) {
            self.changed |= self.used.insert(action.name());
        }
    }

    /// The next action to hint, and its description: one that acts on what is selected.
    pub(crate) fn next(
        &self,
        keymap: &Keymap,
        acts: impl Fn(Action) -> bool,
    ) -> Option<(Action, &'static str)> {
        let mut left = HINTS.iter().filter(|(action, _)| {
            let is_bound = keymap.keys(*action).next().is_some();
            is_bound && !self.used.contains(&action.name()) && acts(*action)
        });
        left.next().copied()
    }
}
