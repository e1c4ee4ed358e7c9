//! The version before lines of a merge: that of one of its parents, and the way to those of the
//! others.

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::{merge_step::MergeStep, view::LineAttribution},
            state::App,
        },
        model::keys::key::{Key, KeyCode},
        protocol::LineRef,
    },
};

impl App {
    /// The step to `parent` from the selected line; `None` if its commit is no merge.
    pub(crate) fn merge_step(
        facts: &LineAttribution<'_>,
        parent: &ObjectId,
        from: LineRef,
        name: &str,
    ) -> Option<MergeStep> {
        let parents = &facts.commit.metadata.as_ref().ok()?.merge_parents;
        let at = parents.iter().position(|it| it == parent)?;
        Some(MergeStep {
            merge: facts.commit.id,
            parents: parents.clone(),
            at,
            path: facts.origin.path.clone(),
            from,
            name: name.to_owned(),
            is_other: false,
        })
    }

    /// Handles the key for another parent of the merge before which the visible version is. False if
    /// it is before no merge, and for other keys.
    pub(crate) fn show_next_parent(&mut self, key: Key) -> bool {
        let is_plain = key.code == KeyCode::Char('P') && !key.ctrl && !key.alt;
        let is_free = self.pages.len() == 0 && self.status.prefix.is_empty();
        let step = self.view().and_then(|view| view.merge_step.clone());
        let Some(step) = step.filter(|_| is_plain && is_free) else {
            return false;
        };
        let next = step.next();
        self.open(next.version(), None, Some(next.from.clone()));
        self.name_step(next.name.clone());
        self.note_merge_step(next);
        true
    }

    /// The view that is being opened is a step to before lines of a merge.
    pub(crate) fn note_merge_step(&mut self, step: MergeStep) {
        if let Some(pending) = &mut self.history.pending {
            pending.merge_step = Some(step);
        }
    }

    /// Says which parent is shown, after what was said of the line.
    pub(crate) fn report_merge_step(&mut self) {
        let Some(step) = self.view().and_then(|view| view.merge_step.as_ref()) else {
            return;
        };
        let words = step.words();
        let message = match &self.status.message {
            Some(before) => format!("{before}; {words}"),
            None => words,
        };
        self.show_message(message);
    }
}
