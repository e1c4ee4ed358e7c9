//! The version before lines of a merge: that of one of its parents, and the way to those of the
//! others.

use crate::{
    engine::FileInParent,
    objects::ObjectId,
    viewer::{
        app::{
            blame::{merge_step::MergeStep, view::LineAttribution},
            state::App,
        },
        model::{
            background::parent_files::ParentFilesQuery, keys::bindings::Action, source::Failure,
        },
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
            asked: 0,
            files: None,
        })
    }

    /// Shows the next parent with the file of the merge before which the visible version is.
    pub(crate) fn show_next_parent(&mut self) {
        let Some(step) = self.view().and_then(|view| view.merge_step.clone()) else {
            return;
        };
        if step.files.is_none() {
            if !self.requests.is_running(step.asked) {
                let asked = self.ask_for_parent_files(&step);
                if let Some(step) = self.view_mut().and_then(|view| view.merge_step.as_mut()) {
                    step.asked = asked;
                }
            }
            self.status.waiting = Some(Action::NextParent);
            return self.show_message("looking for the file in the other parents… Esc cancels");
        }
        let Some((next, version)) = step.next() else {
            return self.show_filled(&step.words());
        };
        self.open(version, None, Some(next.from.clone()));
        self.name_step(next.name.clone());
        self.note_merge_step(next);
    }

    /// The view that is being opened is a step to before lines of a merge.
    pub(crate) fn note_merge_step(&mut self, mut step: MergeStep) {
        if step.files.is_none() {
            step.asked = self.ask_for_parent_files(&step);
        }
        if let Some(pending) = &mut self.history.pending {
            pending.merge_step = Some(step);
        }
    }

    fn ask_for_parent_files(&mut self, step: &MergeStep) -> u64 {
        let version = step.merged();
        self.ask(ParentFilesQuery { version })
    }

    /// Stores which parents of a merge have the file, and goes on to one if that is awaited.
    pub(crate) fn on_parent_files(&mut self, id: u64, found: Result<Vec<FileInParent>, Failure>) {
        let before = self.merge_words();
        let pending = self.history.pending.iter_mut();
        let steps = pending.map(|pending| &mut pending.merge_step);
        let views = self.history.views.iter_mut();
        let steps = steps.chain(views.map(|view| &mut view.merge_step));
        for step in steps.flatten().filter(|step| step.asked == id) {
            step.files = found.as_ref().ok().cloned();
        }
        if let (Some(before), Some(after)) = (before, self.merge_words())
            && let Some(message) = &mut self.status.message
            && message.ends_with(&before)
        {
            message.truncate(message.len() - before.len());
            message.push_str(&after);
        }
        let is_awaited = self
            .status
            .waiting
            .take_if(|waiting| *waiting == Action::NextParent);
        match found {
            _ if is_awaited.is_none() => {}
            Ok(_) => self.show_next_parent(),
            Err(failure) => self.show_message(failure.0),
        }
    }

    /// Which parent of a merge is shown, if the visible version is before lines of one.
    fn merge_words(&self) -> Option<String> {
        let step = self.view()?.merge_step.as_ref()?;
        Some(self.keymap.fill(&step.words()))
    }

    /// Says which parent is shown, after what was said of the line.
    pub(crate) fn report_merge_step(&mut self) {
        let Some(words) = self.merge_words() else {
            return;
        };
        let message = match &self.status.message {
            Some(before) => format!("{before}; {words}"),
            None => words,
        };
        self.show_message(message);
    }
}
