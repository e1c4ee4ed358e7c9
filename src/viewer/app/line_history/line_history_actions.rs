//! Opening the history of lines, and actions on its page.

use crate::viewer::{
    app::{
        blame::navigation::step_name,
        line_history::line_history_page::{LineHistoryPage, PageLayout},
        overlays::overlay::Overlay,
        state::App,
    },
    model::{
        abbreviation::short,
        bindings::Action,
        line_history::{FoundHistory, HistoryProgress, LineHistoryQuery},
        queries::QueryKind,
        query::Answer,
        source::FileVersion,
    },
    protocol::Effect,
};

impl App {
    /// Starts or ends the selection of several lines.
    pub(crate) fn select_lines(&mut self) {
        let Some(view) = self.view_mut() else { return };
        let line = view.pager.position.line;
        view.anchor = match view.anchor {
            Some(_) => None,
            None => Some(line),
        };
        match view.anchor {
            Some(_) => self.show_filled(
                "move to the other end: {line-history} shows the history of these lines, {close} selects one line again",
            ),
            None => self.clear_message(),
        }
    }

    /// Shows the history of the selected lines: those chosen, or else those of `-L` around the selected line, or else
    /// the line.
    pub(crate) fn open_line_history(&mut self) {
        let ranges = self.ranges().map(<[_]>::to_vec);
        let Some(view) = self.view() else { return };
        let line = view.pager.position.line;
        if line >= view.text.line_count() {
            return self.show_message("the file is empty");
        }
        let around = ranges.unwrap_or_default().into_iter();
        let lines = view
            .chosen_lines()
            .or(around.into_iter().find(|range| range.contains(&line)))
            .unwrap_or(line..line + 1);
        let query = LineHistoryQuery {
            version: view.version.clone(),
            lines,
            whitespace: view.options.whitespace,
            moves: view.options.moves || view.options.copies > 0,
            copies: view.options.copies,
        };
        let path = view.path.clone();
        let id = self.ask(query.clone());
        if let Some(view) = self.view_mut() {
            view.anchor = None;
        }
        let page = LineHistoryPage::new(Some(id), query, path);
        self.overlays.push(Overlay::LineHistory(Box::new(page)));
    }

    /// The parts of the page with the history of lines.
    pub fn line_history_layout(&self) -> PageLayout {
        PageLayout::new(self.layout().body())
    }

    /// Stores a part of the history of lines.
    pub(crate) fn on_line_history(&mut self, id: u64, answer: Answer<LineHistoryQuery>) {
        let left = self
            .history
            .left_line_histories
            .values_mut()
            .map(Box::as_mut);
        let pages = self.overlays.line_history_mut().into_iter().chain(left);
        let mut pages = pages.filter(|page| page.id == Some(id));
        let Some(page) = pages.next() else { return };
        match answer {
            Answer::Found(FoundHistory::Change(change)) => page.changes.push(*change),
            Answer::Found(FoundHistory::Frontier(date)) => {
                page.progress = HistoryProgress::Running(Some(date));
            }
            Answer::Ended(end) => page.progress = end.into(),
        }
    }

    /// Keeps the change within its window.
    pub(crate) fn reveal_line_history(&mut self) {
        let window = usize::from(self.line_history_layout().change.height);
        if let Some(page) = self.overlays.line_history_mut() {
            let rows = page.change().map_or(0, |change| change.rows.len());
            page.scroll = page.scroll.min(rows.saturating_sub(window));
        }
    }

    /// Scrolls the change; positive is down.
    pub(crate) fn scroll_change(&mut self, rows: isize) {
        if let Some(page) = self.overlays.line_history_mut() {
            page.scroll = page.scroll.saturating_add_signed(rows);
        }
    }

    /// Performs an action of the page with the history of lines itself. False for others.
    pub(crate) fn line_history_action(&mut self, action: Action, times: u32) -> bool {
        let half = isize::from((self.line_history_layout().change.height / 2).max(1) as i16);
        let times = times as isize;
        let change = self
            .overlays
            .line_history()
            .and_then(LineHistoryPage::change);
        match action {
            Action::ScrollDown => self.scroll_change(times),
            Action::ScrollUp => self.scroll_change(-times),
            Action::NextFiltered => self.scroll_change(half.saturating_mul(times)),
            Action::PreviousFiltered => self.scroll_change(-half.saturating_mul(times)),
            Action::BlameCommit => self.blame_at_change(),
            Action::BlameParent => self.blame_before_change(),
            Action::CommitDiff => match change.map(|change| change.commit) {
                Some(commit) if !commit.is_null() => self.open_commit(commit),
                _ => self.show_message("this is not committed yet"),
            },
            Action::CopyId => {
                if let Some(change) = change {
                    let id = change.commit.to_string();
                    self.show_message(format!("copied {id}"));
                    self.effects.push(Effect::Copy(id));
                }
            }
            Action::Close | Action::Quit | Action::LineHistory | Action::Back => {
                self.overlays
                    .close(|overlay| matches!(overlay, Overlay::LineHistory(_)));
                self.effects.push(Effect::Cancel(QueryKind::LineHistory));
            }
            _ => return false,
        }
        true
    }

    /// Blames the version of the selected commit, at the lines.
    pub(crate) fn blame_at_change(&mut self) {
        let page = self.overlays.line_history();
        let Some(change) = page.and_then(LineHistoryPage::change).cloned() else {
            return;
        };
        let line = change.lines.first().map_or(0, |range| range.start);
        if change.commit.is_null() {
            self.leave_line_history();
            return self.jump(line);
        }
        let name = step_name(false, &change.commit, change.metadata.as_deref().ok());
        let version = FileVersion::Commit {
            commit: change.commit,
            path: change.path,
        };
        self.leave_line_history();
        if self.view().is_some_and(|view| view.version == version) {
            return self.jump(line);
        }
        self.open(version, Some(line), None);
        self.name_step(name);
    }

    /// Blames the version before the selected commit, at the lines.
    fn blame_before_change(&mut self) {
        let page = self.overlays.line_history();
        let Some(change) = page.and_then(LineHistoryPage::change).cloned() else {
            return;
        };
        let Some((commit, path, lines)) = change.previous.clone() else {
            let words = "added the file: there is no earlier version";
            return self.show_message(format!("{} {words}", short(&change.commit)));
        };
        // Without lines of its own, the place where they were added.
        let place = change.lines.first().map_or(0, |range| range.start);
        let line = lines.first().map_or(place, |range| range.start);
        let name = step_name(true, &change.commit, change.metadata.as_deref().ok());
        self.leave_line_history();
        self.open(FileVersion::Commit { commit, path }, Some(line), None);
        self.name_step(name);
    }

    /// Closes the page, to be opened again when the view is returned to.
    fn leave_line_history(&mut self) {
        let view = self.view().map(|view| view.id);
        if let (Some(page), Some(view)) = (self.overlays.take_line_history(), view) {
            let views = &self.history.views;
            let left = &mut self.history.left_line_histories;
            left.retain(|id, _| views.iter().any(|view| view.id == *id));
            left.insert(view, page);
        }
    }

    /// Opens the page again from which the visible view was left.
    pub(crate) fn reopen_line_history(&mut self) {
        let Some(view) = self.view().map(|view| view.id) else {
            return;
        };
        if let Some(mut page) = self.history.left_line_histories.remove(&view) {
            if page.is_dropped {
                page.is_dropped = false;
                page.id = Some(self.ask(page.query.clone()));
            }
            self.overlays.push(Overlay::LineHistory(page));
        }
    }
}
