//! Asking for the versions of the visible file.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::view::View,
            file_history::known_versions::{AwaitedVersion, KnownVersions},
            state::App,
        },
        model::{
            background::{
                file_history::{FileHistoryQuery, KnownRevision},
                line_history::HistoryProgress,
                query::Answer,
            },
            source::FileVersion,
            texts::pattern::Pattern,
        },
    },
};

impl App {
    /// The position of the version that is visible or being opened among the known ones. If it is
    /// none of them, they are found anew, beginning with it and with the occurrences of a text.
    pub(crate) fn find_versions(&mut self, search: Option<Pattern>) -> Option<usize> {
        let known = self.history.versions.as_ref();
        let known = known.filter(|known| !matches!(known.progress, HistoryProgress::Failed(_)));
        let version = self.version_in_sight()?.clone();
        if let Some(at) = known.and_then(|known| known.position(&version)) {
            return Some(at);
        }
        let view = self.view()?;
        let path = match &version {
            FileVersion::Commit { path, .. } => path.clone(),
            _ => view.path.clone(),
        };
        let whitespace = view.options.whitespace;
        let query = FileHistoryQuery {
            version,
            whitespace,
            search,
        };
        self.ask_versions(query, path);
        None
    }

    fn ask_versions(&mut self, query: FileHistoryQuery, path: Arc<BString>) -> &mut KnownVersions {
        let id = self.ask(query.clone());
        let known = KnownVersions::new(id, query, path);
        self.history.versions.insert(known)
    }

    /// Asks for the versions of an empty file, one of which made it empty, where that is shown.
    pub(crate) fn request_emptying(&mut self) {
        let seen = self.layout().details.height > 0 && self.history.pending.is_none();
        let Some(view) = self.empty_view().filter(|_| seen) else {
            return;
        };
        let known = self.history.versions.as_ref();
        if known.is_none_or(|known| known.position_of_view(view).is_none()) {
            self.find_versions(None);
        }
    }

    /// The version that made the visible file empty, or that added it so, once it is known.
    pub(crate) fn emptying(&self) -> Option<&KnownRevision> {
        let known = self.history.versions.as_ref()?;
        let at = known.position_of_view(self.empty_view()?)?;
        let mut revisions = known.list.revisions().iter().skip(at);
        revisions.find(|revision| revision.removed > 0 || revision.previous.is_none())
    }

    /// The commit that did so.
    pub(crate) fn emptying_commit(&self) -> Option<ObjectId> {
        let commit = self.emptying()?.commit;
        (!commit.is_null()).then_some(commit)
    }

    /// The visible blame, if it is that of an empty file.
    fn empty_view(&self) -> Option<&View> {
        let view = self.view().filter(|view| view.text.line_count() == 0);
        view.filter(|view| !view.is_running())
    }

    /// The version that is being opened, or else the visible one.
    fn version_in_sight(&self) -> Option<&FileVersion> {
        let pending = self.history.pending.as_ref();
        let view = || self.view().map(|view| &view.version);
        pending.map(|pending| &pending.version).or_else(view)
    }

    /// Stores a part of the history of a file.
    pub(crate) fn on_file_history(&mut self, id: u64, answer: Answer<FileHistoryQuery>) {
        let known = self.history.versions.as_mut();
        let Some(known) = known.filter(|known| known.id == id) else {
            return;
        };
        match answer {
            Answer::Found(found) => {
                for revision in found.revisions {
                    known.list.push(revision);
                }
                if found.frontier.is_some() {
                    known.progress = HistoryProgress::Running(found.frontier);
                }
            }
            Answer::Ended(Ok(whole)) => {
                // As in a file, an expression that matches nothing is searched as text.
                let text = known.query.search.as_ref().and_then(Pattern::as_text);
                if text.is_some() && known.list.found().is_empty() {
                    let query = FileHistoryQuery {
                        search: text,
                        ..known.query.clone()
                    };
                    let (path, waiting) = (Arc::clone(&known.path), known.waiting.take());
                    let known = self.ask_versions(query, path);
                    known.waiting = waiting;
                    return;
                }
                known.progress = HistoryProgress::Finished(whole);
            }
            Answer::Ended(Err(failure)) => {
                let message = failure.0.clone();
                known.progress = HistoryProgress::Failed(failure);
                if known.waiting.take().is_some() {
                    return self.show_message(message);
                }
            }
        }
        let is_running = known.is_running();
        let is_due =
            |it: &mut AwaitedVersion| !is_running || matches!(it, AwaitedVersion::Step(..));
        let Some(awaited) = known.waiting.take_if(is_due) else {
            return;
        };
        self.clear_message();
        match awaited {
            AwaitedVersion::Step(action, count) => self.step_versions(action, count),
            AwaitedVersion::Place(input) => self.ask_place(&input),
        }
    }
}
