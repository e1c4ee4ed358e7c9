//! The page with the history of lines: a list of commits with their lines as they were then, and
//! the change of the selected one.

mod draw;
mod state;

use ratatui::buffer::Buffer;

use crate::{
    engine::OwnChange,
    objects::ObjectId,
    viewer::{
        app::{
            blame::navigation::{no_earlier_version, step_name},
            display::{layout::Area, pager::Unwrapped},
            state::App,
        },
        model::{
            abbreviation::short,
            background::{
                line_history::{
                    ChangedLine, FoundHistory, HistoryChange, HistoryProgress, LineHistoryQuery,
                },
                queries::PageAnswer,
                query::Answer,
            },
            hyperlink::Hyperlink,
            keys::bindings::Action,
            source::FileVersion,
        },
        pages::{
            commit_row::{longest_author, looking},
            file_history::NEW_AND_UNCOMMITTED,
            line_history::state::{
                DELETED_KEYS, HistoryTopic, ITEM_ROWS, KEYS, LineHistoryPage, commit_row, headline,
            },
            list::{ItemList, KeyHelp, ListRow, legend_sign, own_list},
            page::{Handled, ListPlace, Page, PageKind, WhenLeft},
            preview::PreviewLayout,
            resumed::ResumedItems,
        },
        protocol::{Gesture, Mouse},
        theme::styles::Theme,
        ui::paint::RowWriter,
    },
};

impl Page<App> for LineHistoryPage {
    fn kind(&self) -> PageKind {
        PageKind::LineHistory
    }

    fn covers(&self) -> bool {
        true
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        let half = i32::from((self.change_area(app).height / 2).max(1));
        let times = i32::try_from(count.unwrap_or(1)).unwrap_or(i32::MAX);
        let halves = half.saturating_mul(times);
        match action {
            Action::ScrollDown => self.pager.scroll_window(times),
            Action::ScrollUp => self.pager.scroll_window(-times),
            Action::NextFiltered => self.pager.scroll_window(halves),
            Action::PreviousFiltered => self.pager.scroll_window(-halves),
            Action::BlameCommit => self.open_item(app),
            Action::BlameParent => self.blame_before(app),
            Action::CommitDiff => {
                let commit = app.committed(action, self.commit(app));
                if let (Some(commit), Some(change)) = (commit, self.change()) {
                    let mut lines = change.own_lines.iter().chain(&change.lines);
                    let line = lines.next().map(|it| it.start);
                    app.open_commit_at(commit, change.path.clone(), line);
                }
            }
            Action::CopyId | Action::Browse => app.use_commit(action, self.commit(app)),
            Action::Close | Action::Quit | Action::LineHistory | Action::Back => {
                app.pages.close_acting();
            }
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn mouse(&mut self, mouse: Mouse, app: &mut App) -> Handled {
        match mouse.gesture {
            Gesture::Wheel(rows) if self.layout(app).change.contains(mouse.at) => {
                self.pager.scroll_window(rows);
                Handled::Yes
            }
            _ => Handled::Pass,
        }
    }

    fn commit(&self, _: &App) -> Option<ObjectId> {
        self.change().map(|change| change.commit)
    }

    fn awaits(&self, id: u64) -> bool {
        self.found.id == id
    }

    fn on_answer(&mut self, answer: PageAnswer, _: &mut App) {
        match answer {
            PageAnswer::LineHistory(Answer::Found(FoundHistory::Change(change))) => {
                let author = longest_author([&change.metadata].into_iter());
                self.longest_author = self.longest_author.max(author);
                self.found.extend(vec![*change]);
            }
            PageAnswer::LineHistory(Answer::Found(FoundHistory::Frontier(date))) => {
                self.found.add(Vec::new(), Some(date));
            }
            PageAnswer::LineHistory(Answer::Ended(end)) => self.found.progress = end.into(),
            _ => {}
        }
    }

    /// Keeps the change within its window, which shows the lines first.
    fn refresh(&mut self, app: &mut App) {
        let window = u32::from(self.change_area(app).height);
        let rows = self.change().map_or(0, |change| change.rows.len());
        let selected = self.list.selected;
        if let Some(change) = self.change().filter(|_| self.scrolled_to != Some(selected)) {
            let is_own = |line: &ChangedLine| change.is_own(line.row);
            let own = change.rows.iter().position(is_own).unwrap_or(0) as u32;
            let top = if own < window { 0 } else { own - window / 2 };
            self.pager.rewind();
            self.pager.set_top((top, 0));
            self.scrolled_to = Some(selected);
        }
        self.pager.fill_window(&Unwrapped(rows), window);
    }

    fn memory_len(&self) -> usize {
        let rows = self.found.items.iter().flat_map(|change| &change.rows);
        rows.map(|row| size_of_val(row) + row.text.len()).sum()
    }

    fn drop_contents(&mut self) {
        // Deleted lines cannot be found again.
        if self.topic == HistoryTopic::Changes {
            // What the query still finds is not for a page without what was found before.
            self.found = ResumedItems::new();
        }
    }

    fn on_reopened(&mut self, app: &mut App) {
        // Another history ends the query, which does not tell.
        if self.found.is_running() && !app.requests.is_running(self.found.id) {
            self.found.asked(app.ask(self.query.clone()));
        }
    }

    own_list!();

    fn count(&self, _: &App) -> usize {
        self.found.items.len()
    }

    fn item_rows(&self) -> u16 {
        ITEM_ROWS
    }

    fn rows(&self, at: usize, width: usize, _: &App) -> Vec<ListRow> {
        let change = self.found.items.get(at);
        change.map_or_else(Vec::new, |change| {
            let row = commit_row(change, self.longest_author, width);
            vec![row, headline(change, width)]
        })
    }

    fn is_reading(&self, _: &App) -> bool {
        self.found.is_running()
    }

    fn ending(&self, _: &App) -> String {
        if let Some(words) = looking(&self.found.progress) {
            return words;
        }
        if self.topic != HistoryTopic::Changes {
            return String::new();
        }
        let wrote = |change: &&HistoryChange| change.own_change == OwnChange::Wrote;
        let birth = self.found.items.iter().rfind(wrote);
        let birth = birth.or(self.found.items.last().filter(|last| last.is_birth));
        match birth {
            Some(birth) if birth.commit.is_null() => NEW_AND_UNCOMMITTED.to_owned(),
            Some(birth) => format!("born in {}", short(&birth.commit)),
            None => "the beginning of the history".to_owned(),
        }
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(match self.topic {
            HistoryTopic::Changes => ("History of lines", KEYS),
            HistoryTopic::Deleted(_) => ("Deleted lines", DELETED_KEYS),
        })
    }

    fn list_place(&self, body: Area) -> ListPlace {
        ListPlace::Part(self.divided(body).list)
    }

    /// The signs that are on the screen.
    fn has_key(&self, keys: &str, app: &App) -> bool {
        let seen = self.found.items.iter().skip(self.list.top);
        let mut seen = seen.take(self.list.shape.window());
        match legend_sign(keys) {
            Some("born") => seen.any(|it| it.own_change == OwnChange::Wrote),
            Some("nearby") => seen.any(|it| it.own_change == OwnChange::None),
            Some(_) => {
                let rows = self.change().map(|change| (change, &change.rows));
                let (top, window) = (self.pager.position.top, self.change_area(app).height);
                rows.is_some_and(|(change, rows)| {
                    let mut seen = rows.iter().skip(top as usize).take(window.into());
                    seen.any(|line| change.is_own(line.row))
                })
            }
            None => true,
        }
    }

    fn is_idle(&self, action: Action, app: &App) -> bool {
        let rows = self.change().map_or(0, |change| change.rows.len());
        matches!(action, Action::ScrollDown | Action::NextFiltered)
            && rows <= usize::from(self.change_area(app).height)
    }

    fn refusal(&self, action: Action, _: &App) -> Option<String> {
        let change = self.change().filter(|_| action == Action::BlameParent)?;
        let is_first = change.previous.is_none();
        is_first.then(|| no_earlier_version(&change.commit))
    }

    /// Blames the version of the selected commit, at the lines.
    fn open_item(&mut self, app: &mut App) {
        let Some(change) = self.change().cloned() else {
            return;
        };
        let line = change.lines.first().map_or(0, |range| range.start);
        let name = step_name(false, &change.commit, change.metadata.as_deref().ok());
        let version = FileVersion::Commit {
            commit: change.commit,
            path: change.path,
        };
        let is_visible = app.view().is_some_and(|view| view.version == version);
        if change.commit.is_null() || is_visible {
            app.pages.close_acting();
            return app.jump(line);
        }
        app.open(version, Some(line), None);
        app.name_step(name);
    }

    fn draw(&self, app: &App, theme: &Theme, _: Area, buffer: &mut Buffer) {
        draw::change(self, self.layout(app), app, theme, buffer);
    }

    fn hyperlinks(&self, app: &App) -> Vec<Hyperlink> {
        let previewed = self.previewed();
        previewed.map_or_else(Vec::new, |it| it.hyperlinks(app, self.layout(app)))
    }

    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        draw::header(self, app, theme, row);
        true
    }
}

impl LineHistoryPage {
    fn layout(&self, app: &App) -> PreviewLayout {
        self.divided(app.layout().body())
    }

    /// Where the change is, below the message.
    fn change_area(&self, app: &App) -> Area {
        let area = self.layout(app).change;
        let previewed = self.previewed();
        previewed.map_or(area, |commit| commit.divided(app, area).1)
    }

    fn divided(&self, body: Area) -> PreviewLayout {
        let items = (!self.found.is_running()).then_some(self.found.items.len());
        PreviewLayout::new(body, ITEM_ROWS, items)
    }

    /// Blames the version before the selected commit, at the lines.
    fn blame_before(&mut self, app: &mut App) {
        let Some(change) = self.change() else { return };
        let Some((commit, path, lines)) = change.previous.clone() else {
            return;
        };
        // Without lines of its own, the place where they were added.
        let place = change.lines.first().map_or(0, |range| range.start);
        let line = lines.first().map_or(place, |range| range.start);
        let name = step_name(true, &change.commit, change.metadata.as_deref().ok());
        app.open(FileVersion::Commit { commit, path }, Some(line), None);
        app.name_step(name);
    }
}

impl App {
    /// Starts or ends the selection of several lines.
    pub(crate) fn select_lines(&mut self) {
        let Some(view) = self.view_mut() else { return };
        let line = view.pager.position.line;
        view.is_dragged = false;
        view.anchor = match view.anchor {
            Some(_) => None,
            None => Some(line),
        };
        self.clear_message();
    }

    /// Shows the history of the selected lines: those chosen, or else those of `-L` around the
    /// selected line, or else the line.
    pub(crate) fn open_line_history(&mut self) {
        let ranges = self.ranges().map(<[_]>::to_vec);
        let Some(view) = self.view() else { return };
        let line = view.pager.position.line;
        if line >= view.text.line_count() {
            return;
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
        let mut page = LineHistoryPage::new(query.clone(), path);
        page.found.asked(self.ask(query));
        if let Some(view) = self.view_mut() {
            view.anchor = None;
        }
        self.pages.open(page);
    }

    /// Opens the lines that were deleted at the selected line. False if there is no mark.
    pub(crate) fn open_deletions(&mut self) -> bool {
        let (Some(marks), Some(view)) = (self.deletion_marks(), self.view()) else {
            return false;
        };
        let line = view.pager.position.line;
        let changes: Vec<_> = marks.at(line).map(|it| it.change.clone()).collect();
        if changes.is_empty() {
            return false;
        }
        let query = LineHistoryQuery {
            version: view.version.clone(),
            lines: line..line + 1,
            whitespace: view.options.whitespace,
            moves: false,
            copies: 0,
        };
        let mut page = LineHistoryPage {
            longest_author: longest_author(changes.iter().map(|it| &it.metadata)),
            topic: HistoryTopic::Deleted(marks.place_in_words(line)),
            ..LineHistoryPage::new(query, view.path.clone())
        };
        page.found.extend(changes);
        page.found.progress = HistoryProgress::Finished(true);
        self.pages.open(page);
        true
    }
}
