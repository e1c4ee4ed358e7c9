//! Opening the history of the visible file, and actions on its page.

use crate::viewer::{
    app::{
        actions::NOTHING_HERE,
        file_history::{file_history_page::FileHistoryPage, known_versions::KnownVersions},
        line_history::line_history_page::HistoryProgress,
        overlays::overlay::Overlay,
        state::App,
    },
    model::{
        bindings::Action, file_history::FileHistoryQuery, file_history::KnownRevision,
        source::FileVersion,
    },
    protocol::{Effect, FileHistoryEvent, FileHistoryEventKind},
};

impl App {
    /// Lists the versions of the visible file.
    pub(crate) fn open_file_history(&mut self, effects: &mut Vec<Effect>) {
        if self.view().is_none() {
            return;
        }
        let selected = self.find_versions(effects).unwrap_or(0);
        let page = FileHistoryPage { selected, top: 0 };
        self.overlays.push(Overlay::FileHistory(page));
    }

    /// The position of the version that is visible or being opened among the known ones. If it is none of them, they are
    /// found anew, beginning with it.
    pub(crate) fn find_versions(&mut self, effects: &mut Vec<Effect>) -> Option<usize> {
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
            id: self.requests.next_id(),
            version,
            whitespace,
        };
        self.history.versions = Some(KnownVersions::new(query.clone(), path));
        effects.push(Effect::FileHistory(query));
        None
    }

    /// The version that is being opened, or else the visible one.
    fn version_in_sight(&self) -> Option<&FileVersion> {
        let pending = self.history.pending.as_ref();
        let view = || self.view().map(|view| &view.version);
        pending.map(|pending| &pending.version).or_else(view)
    }

    /// Stores a part of the history of a file.
    pub(crate) fn file_history_event(
        &mut self,
        event: FileHistoryEvent,
        effects: &mut Vec<Effect>,
    ) {
        let known = self.history.versions.as_mut();
        let Some(known) = known.filter(|known| known.query.id == event.id) else {
            return;
        };
        match event.kind {
            FileHistoryEventKind::Found(found) => {
                for revision in found.revisions {
                    known.list.push(revision);
                }
                if found.frontier.is_some() {
                    known.progress = HistoryProgress::Running(found.frontier);
                }
            }
            FileHistoryEventKind::Ended(Ok(whole)) => {
                known.progress = HistoryProgress::Finished(whole);
            }
            FileHistoryEventKind::Ended(Err(failure)) => {
                let message = failure.0.clone();
                known.progress = HistoryProgress::Failed(failure);
                if known.waiting.take().is_some() {
                    return self.show_message(message);
                }
            }
        }
        if let Some((action, count)) = known.waiting.take() {
            self.clear_message();
            self.step_versions(action, count, effects);
        }
    }

    /// Keeps the selected version on the screen.
    pub(crate) fn reveal_file_history(&mut self) {
        let rows = usize::from(self.layout().body().height);
        let versions = self.history.versions.as_ref();
        let count = versions.map_or(0, |known| known.list.revisions().len());
        if let Some(page) = self.overlays.file_history_mut() {
            page.reveal(count, rows);
        }
    }

    /// The version that is selected on the page.
    fn selected_revision(&self) -> Option<&KnownRevision> {
        let page = self.overlays.file_history()?;
        self.history.versions.as_ref()?.list.get(page.selected)
    }

    /// Performs an action on the page. False if it is for the blame view.
    pub(crate) fn file_history_action(
        &mut self,
        action: Action,
        count: Option<u32>,
        effects: &mut Vec<Effect>,
    ) -> bool {
        let rows = usize::from(self.layout().body().height).max(2) - 1;
        let Some(page) = self.overlays.file_history_mut() else {
            return false;
        };
        let times = count.unwrap_or(1) as usize;
        let selected = &mut page.selected;
        match action {
            Action::Down | Action::NextGroup | Action::OlderVersion => *selected += times,
            Action::Up | Action::PreviousGroup | Action::NewerVersion => {
                *selected = selected.saturating_sub(times);
            }
            Action::PageDown => *selected += rows * times,
            Action::PageUp => *selected = selected.saturating_sub(rows * times),
            Action::HalfDown => *selected += (rows / 2).max(1) * times,
            Action::HalfUp => *selected = selected.saturating_sub((rows / 2).max(1) * times),
            Action::Top => *selected = times - 1,
            Action::Bottom => *selected = count.map_or(usize::MAX, |count| count as usize - 1),
            Action::Diff | Action::BlameCommit => {
                let at = *selected;
                self.overlays.close(is_page);
                self.go_to_revision(at, effects);
            }
            Action::CommitDiff => match self.selected_revision().map(|it| it.commit) {
                Some(commit) if !commit.is_null() => self.open_commit(commit, effects),
                _ => self.show_message("this is not committed yet"),
            },
            Action::CopyId => {
                if let Some(revision) = self.selected_revision() {
                    let id = revision.commit.to_string();
                    self.show_message(format!("copied {id}"));
                    effects.push(Effect::Copy(id));
                }
            }
            Action::Close | Action::Quit | Action::FileHistory | Action::Back => {
                self.overlays.close(is_page);
                self.stop_finding_versions(effects);
            }
            Action::Help | Action::Redraw | Action::Suspend | Action::Print | Action::Theme => {
                return false;
            }
            _ => self.show_filled(NOTHING_HERE),
        }
        true
    }

    /// Gives up versions that are still being looked for.
    fn stop_finding_versions(&mut self, effects: &mut Vec<Effect>) {
        if self
            .history
            .versions
            .take_if(|known| known.is_running())
            .is_some()
        {
            effects.push(Effect::CancelFileHistory);
        }
    }

    /// Selects a version by its row.
    pub(crate) fn press_file_history(&mut self, y: u16) {
        let body = self.layout().body();
        let versions = self.history.versions.as_ref();
        let count = versions.map_or(0, |known| known.list.revisions().len());
        if let Some(page) = self.overlays.file_history_mut()
            && (body.y..body.y + body.height).contains(&y)
        {
            let at = page.top + usize::from(y - body.y);
            if at < count {
                page.selected = at;
            }
        }
    }

    /// Moves the selection by lines.
    pub(crate) fn turn_over_file_history(&mut self, lines: i32) {
        if let Some(page) = self.overlays.file_history_mut() {
            page.selected = page.selected.saturating_add_signed(lines as isize);
        }
    }
}

fn is_page(overlay: &Overlay) -> bool {
    matches!(overlay, Overlay::FileHistory(_))
}
