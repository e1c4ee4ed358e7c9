//! Opening the history of the visible file, and actions on its page.

use bstr::BString;

use crate::{
    engine::TextOccurrences,
    viewer::{
        app::{
            blame::{navigation::step_name, search::Search},
            file_history::{file_history_page::FileHistoryPage, known_versions::KnownVersions},
            overlays::overlay::Overlay,
            state::App,
        },
        model::{
            abbreviation::short,
            bindings::Action,
            file_history::{FileHistoryQuery, KnownRevision},
            line_history::HistoryProgress,
            queries::QueryKind,
            query::Answer,
            source::FileVersion,
        },
        pages::list::ItemList,
        protocol::Effect,
    },
};

impl App {
    /// Lists the versions of the visible file.
    pub(crate) fn open_file_history(&mut self) {
        if self.view().is_none() {
            return;
        }
        let selected = self.find_versions().unwrap_or(0);
        let page = FileHistoryPage {
            list: ItemList::at(selected),
            ..FileHistoryPage::default()
        };
        self.overlays.push(Overlay::FileHistory(page));
    }

    /// Lists the commits that changed how often a text occurs in the visible file.
    pub(crate) fn search_versions(&mut self, text: &str) {
        if text.is_empty() || self.view().is_none() {
            return;
        }
        let known = self.history.versions.as_ref();
        let asked = known.and_then(|known| known.query.search.as_ref());
        let is_known = asked.is_some_and(|asked| *asked == text);
        if !is_known || self.find_versions().is_none() {
            self.history.versions = None;
            self.find_versions_with(Some(text.into()));
        }
        // The matches of the versions that are gone to.
        let lines = self.view().map_or(0, |view| view.text.line_count());
        self.search.set(Search::literal(text, lines));
        let page = FileHistoryPage {
            is_search: true,
            ..FileHistoryPage::default()
        };
        self.overlays.push(Overlay::FileHistory(page));
    }

    /// The position of the version that is visible or being opened among the known ones. If it is none of them, they are
    /// found anew, beginning with it.
    pub(crate) fn find_versions(&mut self) -> Option<usize> {
        self.find_versions_with(None)
    }

    /// As [`find_versions`](App::find_versions); if they are found anew, with the occurrences of a text.
    fn find_versions_with(&mut self, search: Option<BString>) -> Option<usize> {
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
        let id = self.ask(query.clone());
        self.history.versions = Some(KnownVersions::new(id, query, path));
        None
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
        if let Some((action, count)) = known.waiting.take() {
            self.clear_message();
            self.step_versions(action, count);
        }
    }

    /// The version that is selected on the page.
    fn selected_revision(&self) -> Option<&KnownRevision> {
        let list = &self.history.versions.as_ref()?.list;
        list.get(self.selected_version()?)
    }

    /// The position of the version that is selected on the page.
    fn selected_version(&self) -> Option<usize> {
        let page = self.overlays.file_history()?;
        let list = &self.history.versions.as_ref()?.list;
        page.version_in(page.list.selected, list)
    }

    /// Closes the page and goes to the selected version, at a match of the search if there is one.
    pub(crate) fn go_to_selected_revision(&mut self) {
        let at = self.selected_version();
        let wants_match = self.searched().is_some_and(|found| found.count > 0);
        self.overlays.close(is_page);
        if let Some(at) = at {
            self.go_to_revision(at);
        }
        if let Some(pending) = &mut self.history.pending {
            pending.wants_match = wants_match;
        }
    }

    /// Performs an action of the page itself. False for others.
    pub(crate) fn file_history_action(&mut self, action: Action) -> bool {
        match action {
            Action::BlameCommit => self.go_to_selected_revision(),
            Action::BlameParent => self.blame_before_revision(),
            Action::CommitDiff => match self.selected_revision().map(|it| it.commit) {
                Some(commit) if !commit.is_null() => self.open_commit(commit),
                _ => self.show_message("this is not committed yet"),
            },
            Action::CopyId => {
                if let Some(revision) = self.selected_revision() {
                    let id = revision.commit.to_string();
                    self.show_message(format!("copied {id}"));
                    self.effects.push(Effect::Copy(id));
                }
            }
            Action::Close | Action::Quit | Action::FileHistory | Action::Back => {
                self.overlays.close(is_page);
                self.stop_finding_versions();
            }
            _ => return false,
        }
        true
    }

    /// The occurrences in the selected version, if the page shows what a search found.
    fn searched(&self) -> Option<TextOccurrences> {
        let page = self.overlays.file_history()?;
        self.selected_revision()
            .filter(|_| page.is_search)?
            .occurrences
    }

    /// Blames the version before the selected one, at a match of the search if there is one.
    fn blame_before_revision(&mut self) {
        let Some(revision) = self.selected_revision() else {
            return;
        };
        let Some((commit, path)) = revision.previous.clone() else {
            let words = "added the file: there is no earlier version";
            return self.show_message(format!("{} {words}", short(&revision.commit)));
        };
        let metadata = revision.metadata.as_deref().ok();
        let name = step_name(true, &revision.commit, metadata);
        let wants_match = self.searched().is_some_and(|found| found.previous > 0);
        self.overlays.close(is_page);
        self.open(FileVersion::Commit { commit, path }, None, None);
        self.name_step(name);
        if let Some(pending) = &mut self.history.pending {
            pending.wants_match = wants_match;
        }
    }

    /// Gives up versions that are still being looked for.
    fn stop_finding_versions(&mut self) {
        if self
            .history
            .versions
            .take_if(|known| known.is_running())
            .is_some()
        {
            self.effects.push(Effect::Cancel(QueryKind::FileHistory));
        }
    }
}

fn is_page(overlay: &Overlay<App>) -> bool {
    matches!(overlay, Overlay::FileHistory(_))
}
