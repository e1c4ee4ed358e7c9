//! A directory: its entries, and who changed each last, when and why.
//!
//! The names come first. The last commits are put into their rows as they are found, so that no row
//! moves. A file's blame is opened above the directory, which a step back returns to.

mod columns;
mod header;
mod keys;
mod legend;
mod lines;
mod listing;
mod open;
mod row;
pub(crate) mod title;

use bstr::{BString, ByteSlice};

use crate::{
    output::tree::node_order::NodeOrder,
    sanitize,
    viewer::{
        app::{prompt_history::PromptKind, state::App},
        model::{
            background::{
                directory::{EntryKind, FoundEntries},
                line_history::HistoryProgress,
                queries::{DirectoryPlace, DirectoryPlaceQuery, Freshness, PageAnswer},
                query::Answer,
            },
            file_version::{Failure, FileVersion, version_of},
            keys::{
                bindings::Action,
                key::{Key, KeyCode},
            },
            line_filter::LineFilter,
        },
        pages::{
            commit_row::looking,
            count_words::fitting_words,
            directory::{
                columns::{RowLayout, ShownColumns},
                keys::{FILTER_KEYS, KEYS},
                lines::{COUNTING, LinesProgress},
                listing::Listing,
                row::{RowColor, has_sign, row, title},
            },
            dispatch,
            list::{ItemList, KeyHelp, ListRow, legend_sign},
            offers,
            page::{Handled, Page, PageKind, WhenLeft},
        },
        protocol::Effect,
        theme::styles::Theme,
        ui::{footer::Footer, paint::RowWriter},
    },
};

/// The message while the directory is read again.
const READING_AGAIN: &str = "reading the directory again…";

/// The open page.
#[derive(Debug)]
struct DirectoryPage {
    shown: Listing,
    /// The directories that were left for it, the last one last: those above it, and other
    /// revisions.
    above: Vec<Listing>,
    columns: ShownColumns,
    /// The filter when it was drawn last.
    filter: LineFilter,
    color: RowColor,
    /// The directories that were left by steps back, the last one last.
    ahead: Vec<Listing>,
    /// The newest view when they were left. A later one is what a step forward leads to instead.
    ahead_of: Option<u64>,
    /// The number of the query for a typed place, and the input.
    asked_place: Option<(u64, String)>,
    /// It was opened from another page, to which a step back from where it began returns.
    has_page_below: bool,
}

impl Page<App> for DirectoryPage {
    fn covers(&self) -> bool {
        true
    }

    fn kind(&self) -> PageKind {
        PageKind::Directory
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        if key == Key::plain(KeyCode::Char('.')) {
            app.show_message(self.shown.toggle_ignored());
            return Handled::Yes;
        }
        if key == Key::plain(KeyCode::Char('i')) {
            if let Some(words) = self.no_lines() {
                app.show_message(words);
                return Handled::Yes;
            }
            if !app.display.with_generated && self.shown.has_no_generated() {
                app.show_message("there are no generated or binary files");
                return Handled::Yes;
            }
            app.display.with_generated = !app.display.with_generated;
            app.show_message(if app.display.with_generated {
                "lines of generated and binary files count too"
            } else {
                "lines of generated and binary files are left out"
            });
            return Handled::Yes;
        }
        if key != Key::plain(KeyCode::Char('S')) {
            return keys::date_key(key, app);
        }
        self.shown.next_order();
        let is_by_lines = matches!(self.shown.by, NodeOrder::Lines | NodeOrder::Age);
        if is_by_lines && self.columns == ShownColumns::Change {
            self.columns = ShownColumns::All;
        }
        // The column that the rows are sorted by is seen, whatever was chosen.
        if self.shown.by == NodeOrder::Change && self.visible_layout(app).date == 0 {
            let is_all = app.display.filter.is_empty();
            self.columns = if is_all {
                ShownColumns::All
            } else {
                ShownColumns::Change
            };
        }
        app.show_message(self.shown.order_words());
        Handled::Yes
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        let named = || self.shown.named();
        match action {
            Action::Right => self.open_item(app),
            Action::Left | Action::Back => {
                for _ in 0..count.unwrap_or(1) {
                    if !self.go_up(app) {
                        break;
                    }
                }
            }
            Action::Forward => self.go_forward(app),
            Action::CommitDiff => self.open_last_change(app),
            Action::CopyId => match self.shown.last_change() {
                Ok((_, change)) => app.copy(change.commit.to_string()),
                Err(words) => app.show_filled(words),
            },
            Action::Browse => match self.shown.last_change() {
                Ok((_, change)) => app.browse_commit(&change.commit),
                Err(words) => app.show_filled(words),
            },
            Action::Goto => app.open_prompt(PromptKind::Goto),
            Action::FileHistory => app.open_directory_history(named()),
            Action::LineHistory => app.open_directory_files(named(), self.shown.reading),
            Action::Deletions => app.open_deleted_names(named()),
            Action::People => app.open_people_of(named(), self.shown.reading),
            Action::Filter => app.open_filter_prompt(),
            Action::NextFiltered | Action::PreviousFiltered => {
                self.step_filtered(action == Action::NextFiltered, count.unwrap_or(1), app);
            }
            Action::OpenFile => app.open_finder_in(named()),
            Action::Dates => app.next_date(count.unwrap_or(1)),
            Action::Columns => {
                let width = self.shown.list.shape.row_width().into();
                let words = |page: &Self, app: &App| page.layout(width, app).words();
                // What looks alike is left out.
                let before = words(self, app);
                for _ in 0..2 {
                    self.columns = self.columns.next();
                    if words(self, app) != before {
                        break;
                    }
                }
                app.show_message(words(self, app));
            }
            Action::Colors => {
                self.color = self.color.next();
                let none = self.shown.has_no_agents() && self.color == RowColor::Agent;
                let none = if none {
                    ", none of which is recorded"
                } else {
                    ""
                };
                app.show_message(format!("colors: {}{none}", self.color.name()));
            }
            Action::Reload => {
                self.shown.ask(app);
                app.show_message(READING_AGAIN);
            }
            Action::Quit => app.effects.push(Effect::Quit),
            Action::Close if self.shown.list.search.take().is_some() => {}
            Action::Close if !app.display.filter.is_empty() => {
                app.set_filter(LineFilter::default());
            }
            Action::Close => app.show_filled("{quit} quits, {back} goes up"),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn go_to(&mut self, input: &str, app: &mut App) -> Handled {
        let is_row = dispatch::go_to_row(&mut self.shown.list, input, app) == Handled::Yes;
        match input {
            _ if is_row => {
                self.shown.is_used = true;
                app.hint_at_year(None, input);
            }
            "" | "q" | "q!" | "qa" | "qa!" | "quit" | "x" => return Handled::Pass,
            _ => {
                let query = DirectoryPlaceQuery {
                    input: input.into(),
                    version: self.shown.version(),
                };
                self.asked_place = Some((app.ask(query), input.to_owned()));
            }
        }
        Handled::Yes
    }

    fn version(&self) -> Option<FileVersion> {
        Some(self.shown.version())
    }

    fn reading(&self) -> Option<(u64, &Freshness)> {
        Some((self.shown.reading, &self.shown.freshness))
    }

    fn reading_mut(&mut self) -> Option<(u64, &mut Freshness)> {
        Some((self.shown.reading, &mut self.shown.freshness))
    }

    fn awaits(&self, id: u64) -> bool {
        let place = self.asked_place.as_ref();
        let shown = &self.shown;
        shown.id == id || shown.lines.id == id || place.is_some_and(|(asked, _)| *asked == id)
    }

    fn on_answer(&mut self, answer: PageAnswer, app: &mut App) {
        let shown = &mut self.shown;
        match answer {
            PageAnswer::Directory(Answer::Found(FoundEntries::Names(names))) => {
                shown.set_names(names);
            }
            PageAnswer::Directory(Answer::Found(FoundEntries::Changes(changes, frontier))) => {
                for change in changes {
                    if let Some(place) = shown.changes.get_mut(change.at) {
                        *place = Some(change);
                    }
                }
                shown.progress = HistoryProgress::Running(frontier);
            }
            PageAnswer::Directory(Answer::Found(FoundEntries::Lineless(entries, more))) => {
                shown.lineless = (entries, more);
            }
            PageAnswer::Directory(Answer::Ended(end)) => {
                let failure = end.as_ref().err();
                let failure = failure.map(|it| sanitize::line(it.0.as_bytes()));
                let read = failure.as_deref().unwrap_or("the directory was read again");
                app.replace_message(READING_AGAIN, read);
                let is_known = end.is_ok();
                shown.end_changes(end);
                if is_known {
                    shown.ask_for_lines(app);
                }
            }
            PageAnswer::DirectoryLines(answer) => {
                shown.set_lines(answer);
                if let LinesProgress::Ended(Ok(files)) = &shown.lines.progress {
                    app.prove_filter_of_directory(&shown.lines.asked.0, files);
                }
            }
            PageAnswer::DirectoryPlace(answer) => self.open_place(answer.end(), app),
            _ => {}
        }
    }

    fn on_left(&mut self) {
        self.shown.stop_for_file();
    }

    fn on_reopened(&mut self, app: &mut App) {
        self.shown.ask_for_rest(app);
    }

    fn list(&self) -> Option<&ItemList> {
        Some(&self.shown.list)
    }

    fn list_mut(&mut self) -> Option<&mut ItemList> {
        Some(&mut self.shown.list)
    }

    fn count(&self, _: &App) -> usize {
        self.shown.entries.len() + self.shown.shown_lineless().len()
    }

    fn rows(&self, at: usize, width: usize, app: &App) -> Vec<ListRow> {
        let layout = self.layout(width, app);
        let row = row(&self.shown, at, &layout, self.color, app);
        row.into_iter().map(|row| row.right(" ")).collect()
    }

    /// The names of the columns.
    fn title(&self, app: &App) -> Option<String> {
        let layout = self.visible_layout(app);
        (self.shown.is_reading() || self.count(app) > 0).then(|| title(&self.shown, &layout))
    }

    fn refresh(&mut self, app: &mut App) {
        if self.filter != app.display.filter {
            self.filter = app.display.filter.clone();
            // What it leaves is a matter of lines.
            if !self.filter.is_empty() && self.columns == ShownColumns::Change {
                self.columns = ShownColumns::All;
            }
        }
        self.shown.follow_lines(app);
    }

    /// The keys, and the legend of the colors.
    fn hints(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        let layout = self.visible_layout(app);
        // What one comes for may be in the columns that are not seen.
        let next = if layout.lines > 0 { "columns" } else { "lines" };
        let has_step_back = !self.above.is_empty() || self.has_page_below;
        let back = if has_step_back { "back" } else { "up" };
        let first = [KEYS[0], ("{columns}", next), (KEYS[2].0, back)];
        let first = if self.shown.lines.are_filtered() {
            [FILTER_KEYS, &first[..]].concat()
        } else {
            first.to_vec()
        };
        let keys = footer.first_help_width(&offers::usable_keys(self, &first, app));
        let coloring = (self.color, &layout);
        legend::draw(&self.shown, coloring, app, (footer, keys));
        offers::keys(self, &first, app, footer);
        true
    }

    fn refusal(&self, action: Action, app: &App) -> Option<String> {
        let words = match action {
            Action::Filter
            | Action::NextFiltered
            | Action::PreviousFiltered
            | Action::Columns
            | Action::Colors => return self.no_lines(),
            Action::OpenFile | Action::People | Action::LineHistory => return self.shown.failure(),
            Action::Diff | Action::Right if self.shown.selected_entry().is_none() => {
                self.shown.lineless_words()
            }
            Action::CommitDiff | Action::CopyId | Action::Browse => {
                let is_sought = self.shown.is_last_change_sought();
                self.shown.last_change().err().filter(|_| !is_sought)?
            }
            _ => return None,
        };
        Some(app.keymap.fill(words))
    }

    fn has_key(&self, keys: &str, app: &App) -> bool {
        let shown = &self.shown;
        match keys {
            "S" => !shown.entries.is_empty(),
            _ if legend_sign(keys).is_none() => true,
            _ => has_sign(shown, &self.visible_layout(app), keys),
        }
    }

    fn has_later_step(&self) -> bool {
        !self.ahead.is_empty()
    }

    fn is_idle(&self, action: Action, _: &App) -> bool {
        match action {
            Action::Back => {
                self.above.is_empty() && !self.has_page_below && self.shown.path.is_empty()
            }
            Action::People
            | Action::LineHistory
            | Action::OpenFile
            | Action::Filter
            | Action::Columns
            | Action::Colors => self.shown.entries.is_empty(),
            _ => false,
        }
    }

    fn is_reading(&self, _: &App) -> bool {
        self.shown.is_reading()
    }

    fn ending(&self, app: &App) -> String {
        let layout = self.visible_layout(app);
        let words = looking(&self.shown.progress);
        let seen = [layout.lines, layout.people].map(|width| width > 0);
        words.unwrap_or_else(|| fitting_words(self.shown.ending(".", seen), app.size.0))
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Directory", KEYS))
    }

    fn list_used(&mut self, _: bool, _: &mut App) {
        self.shown.is_used = true;
    }

    /// Goes into the selected directory, or opens the blame of the selected file.
    fn open_item(&mut self, app: &mut App) {
        let Some(entry) = self.shown.selected_entry() else {
            if self.shown.lineless_in(self.shown.list.selected).is_some() {
                app.show_filled(self.shown.lineless_words());
            }
            return;
        };
        let path = self.shown.path_of(&entry.name);
        match entry.kind {
            EntryKind::Directory => {
                self.step_to(self.shown.other(path, None), app);
            }
            EntryKind::Submodule => {
                app.show_message(open::submodule_words(&path));
            }
            EntryKind::File | EntryKind::Link => {
                let commit = entry.left_out.or(self.shown.commit);
                let version = version_of(commit, path.clone());
                if app.view().is_some_and(|view| view.version == version) {
                    return self.show_blame(app);
                }
                self.shown.stop_for_file();
                app.open_chosen(commit, path);
            }
        }
    }

    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let shown = &self.shown;
        let layout = self.visible_layout(app);
        header::draw(shown, (self.count(app), &layout), app, theme, row);
        true
    }
}

impl DirectoryPage {
    fn layout(&self, width: usize, app: &App) -> RowLayout {
        let (dates, is_filtered) = (app.display.columns.date, !app.display.filter.is_empty());
        // A blank at the right end.
        let width = width.saturating_sub(1);
        RowLayout::new(&self.shown, self.columns, dates, is_filtered, width)
    }

    /// The layout of the rows on the screen.
    fn visible_layout(&self, app: &App) -> RowLayout {
        self.layout(self.shown.list.shape.row_width().into(), app)
    }

    /// Why no lines can be counted, if so.
    fn no_lines(&self) -> Option<String> {
        let lines = &self.shown.lines;
        let is_without = lines.have_ended() && self.shown.entries.is_empty();
        let without = || is_without.then(|| "there are no lines here".to_owned());
        lines.failure().or_else(without)
    }

    /// Selects the next row with lines that the filter has, or the previous one, around the end.
    fn step_filtered(&mut self, forward: bool, times: u32, app: &mut App) {
        let shown = &mut self.shown;
        let is_counting = !shown.lines.have_ended();
        if !shown.lines.are_filtered() {
            let is_asked = !app.display.filter.is_empty();
            return app.show_filled(if is_asked {
                COUNTING
            } else {
                "{filter} chooses which lines count"
            });
        }
        let has_lines = |row: &usize| {
            let lines = shown.order.get(*row).map(|&at| &shown.lines.entries[at]);
            lines.is_some_and(|lines| lines.as_ref().is_some_and(|lines| lines.lines > 0))
        };
        match shown.list.nth_match(has_lines, forward, times as usize) {
            Some((at, _)) => {
                shown.is_used = true;
                shown.list.select(at);
            }
            None if is_counting => app.show_message(COUNTING),
            None => app.show_message(format!("no line of {:#}", shown.lines.counted.0)),
        }
    }

    /// Shows another directory, or another revision. A step back returns.
    fn step_to(&mut self, next: Listing, app: &mut App) {
        self.shown.stop_asking();
        self.above.push(std::mem::replace(&mut self.shown, next));
        self.ahead.clear();
        self.shown.ask(app);
    }

    /// Opens the place that was asked for.
    fn open_place(&mut self, place: Result<DirectoryPlace, Failure>, app: &mut App) {
        let Some((_, input)) = self.asked_place.take() else {
            return;
        };
        let place = match place {
            Ok(place) => place,
            Err(failure) => return app.show_message(sanitize::line(failure.0.as_bytes())),
        };
        let (commit, path) = match place.version {
            FileVersion::Commit { commit, path } => (Some(commit), path),
            FileVersion::WorkTree { path } | FileVersion::Reloaded { path, .. } => (None, path),
            FileVersion::CommandLine => return,
        };
        let path = BString::clone(&path);
        if !place.is_directory {
            self.shown.stop_for_file();
            app.open_chosen(commit, path);
            if let Some(pending) = &mut app.history.pending {
                pending.line = place.line.or(pending.line);
            }
            return;
        }
        if (commit, &path) == (self.shown.commit, &self.shown.path) {
            let words = format!("{} is what you see", sanitize::line(input.as_bytes()));
            return app.show_message(place.note.unwrap_or(words));
        }
        let mut next = self.shown.other(path, None);
        next.commit = commit;
        if next.path == self.shown.path {
            next.wanted = self.shown.selected_entry().map(|it| it.name.clone());
        }
        let revision = place.revision.map(|name| name.to_string().into());
        next.revision = revision.unwrap_or(next.revision);
        self.step_to(next, app);
        if let Some(note) = place.note {
            app.show_message(note);
        }
    }

    /// Shows the directory that was left for this one, or else the one above, with this one
    /// selected. False at the root.
    fn go_up(&mut self, app: &mut App) -> bool {
        let path = self.shown.path.as_slice();
        let next = match self.above.pop() {
            Some(above) => above,
            None if self.has_page_below => {
                app.pages.close_acting();
                return false;
            }
            None if path.is_empty() => {
                app.show_message("this is the directory at the top");
                return false;
            }
            None => {
                let (above, name) = match path.rfind_byte(b'/') {
                    Some(end) => (&path[..end], &path[end + 1..]),
                    None => (&path[..0], path),
                };
                self.shown.other(above.into(), Some(BString::from(name)))
            }
        };
        self.shown.stop_asking();
        if self.ahead_of != app.newest_view() {
            self.ahead.clear();
            self.ahead_of = app.newest_view();
        }
        self.ahead.push(std::mem::replace(&mut self.shown, next));
        self.shown.ask_for_rest(app);
        true
    }

    /// Goes to the directory that was left by a step back, to the blame after the visible one, or to
    /// the visible one.
    fn go_forward(&mut self, app: &mut App) {
        if self.ahead_of == app.newest_view()
            && let Some(next) = self.ahead.pop()
        {
            self.shown.stop_asking();
            self.above.push(std::mem::replace(&mut self.shown, next));
            return self.shown.ask_for_rest(app);
        }
        if app.has_later_step() {
            self.shown.stop_for_file();
        }
        app.forward(1);
    }

    /// Leaves for the visible blame. A step back before the first one returns.
    fn show_blame(&mut self, app: &mut App) {
        self.shown.stop_for_file();
        app.leave_first_pages();
    }
}
