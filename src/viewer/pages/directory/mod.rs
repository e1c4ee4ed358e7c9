//! A directory: its entries, and who changed each last, when and why.
//!
//! The names come first. The last commits are put into their rows as they are found, so that no row
//! moves. A file's blame is opened above the directory, which a step back returns to.

mod columns;
mod lines;
mod listing;
mod row;

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    sanitize,
    viewer::{
        app::state::App,
        model::{
            background::{
                directory::{EntryKind, FoundEntries},
                line_history::HistoryProgress,
                queries::PageAnswer,
                query::Answer,
            },
            keys::{
                bindings::Action,
                key::{Key, KeyCode},
            },
            source::FileVersion,
        },
        pages::{
            commit_row::looking,
            directory::{
                columns::{RowLayout, ShownColumns},
                listing::Listing,
                row::{RowColor, row, title},
            },
            finder::version_of,
            list::{ItemList, KeyHelp, ListRow},
            page::{Handled, Page, WhenLeft},
            stack::BEFORE_VIEWS,
        },
        protocol::Effect,
        theme::styles::Theme,
        ui::{color_mode::age_swatches, footer::Footer, header::thousands, paint::RowWriter},
    },
};

/// The least columns of the header for the number of the selected entry.
const MIN_WIDTH_FOR_COUNT: u16 = 30;

/// The keys of the page.
const KEYS: &[KeyHelp] = &[
    (
        "{diff}  {right}",
        "open: the directory, or the blame of the file",
    ),
    ("{back}  {left}", "up: the directory above"),
    ("{help}", "keys"),
    (
        "{commit-diff}",
        "last change: the diff of the commit that changed this last",
    ),
    (
        "S",
        "sort: by last change, lines, median age of the lines, or name",
    ),
    ("{open-file}", "find a file: among all below this directory"),
    ("{quit}", "quit"),
    (
        "{forward}",
        "forward: to the file that was left with {back}",
    ),
    ("{columns}", "columns: the last change, the lines, or both"),
    (
        "{colors}",
        "colors: of the names by median age, who wrote most, or the share of agents",
    ),
    ("{dates}", "change the format of dates"),
    ("{copy-id}", "copy the id of the last commit"),
    ("{reload}", "read the directory again"),
];

/// The open page.
#[derive(Debug)]
struct DirectoryPage {
    /// The name of the revision, for the header.
    revision: String,
    shown: Listing,
    /// The directories above it that were left for it, the nearest last.
    above: Vec<Listing>,
    columns: ShownColumns,
    color: RowColor,
    /// How the line above the rows is laid out, if there is one.
    title_layout: Option<RowLayout>,
}

impl Page<App> for DirectoryPage {
    fn covers(&self) -> bool {
        true
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        if key != Key::plain(KeyCode::Char('S')) {
            return Handled::Pass;
        }
        self.shown.next_order();
        app.show_message(self.shown.order_words());
        Handled::Yes
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
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
            Action::CopyId => match self.shown.selected_change() {
                Some(change) => app.copy(change.commit.to_string()),
                None => app.show_message("its last commit is not known"),
            },
            Action::OpenFile => app.open_finder_in(self.shown.version()),
            Action::Dates => app.next_date(),
            Action::Columns => {
                self.columns = self.columns.next(self.shown.list.shape.row_width().into());
                app.show_message(self.columns.name());
            }
            Action::Colors => {
                self.color = self.color.next();
                app.show_message(format!("colors: {}", self.color.name()));
            }
            Action::Reload => self.shown.ask(app),
            Action::Quit => app.effects.push(Effect::Quit),
            Action::Close if self.shown.list.search.take().is_some() => {}
            Action::Close => app.show_filled("{quit} quits, {back} goes up"),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn awaits(&self, id: u64) -> bool {
        self.shown.id == id || self.shown.lines.id == id
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
            PageAnswer::Directory(Answer::Ended(end)) => {
                let is_known = end.is_ok();
                shown.progress = end.into();
                if is_known {
                    shown.ask_for_lines(app);
                }
            }
            PageAnswer::DirectoryLines(answer) => shown.set_lines(answer),
            _ => {}
        }
    }

    /// The query is cancelled.
    fn on_left(&mut self) {
        self.shown.stop_asking();
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
        self.shown.entries.len()
    }

    fn rows(&self, at: usize, width: usize, app: &App) -> Vec<ListRow> {
        let layout = self.layout(width, app);
        let row = row(&self.shown, at, &layout, self.color, app);
        row.into_iter().collect()
    }

    /// The names of the columns stand above the rows if lines are among them.
    fn title(&self) -> Option<String> {
        let layout = self.title_layout?;
        Some(title(&self.shown, &layout))
    }

    fn refresh(&mut self, app: &mut App) {
        let shape = self.shown.list.shape;
        let width = app.layout().body().width;
        let width = width.saturating_sub(u16::from(shape.has_scrollbar()));
        let layout = self.layout(width.into(), app);
        self.title_layout = (layout.lines > 0).then_some(layout);
    }

    /// The keys, how much is counted, and the legend of the colors.
    fn hints(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        let (theme, row) = (footer.theme, &mut footer.row);
        let layout = self.layout(self.shown.list.shape.row_width().into(), app);
        match self.color {
            _ if !theme.has_tints() && self.color != RowColor::Plain => {
                row.put_right(" needs 256 colors ", theme.bar());
            }
            RowColor::Agent => age_swatches(theme, row, ["0% ", " 100% of agents "]),
            RowColor::Age => age_swatches(theme, row, ["old ", " new "]),
            RowColor::Plain if theme.has_tints() && layout.bars > 0 => {
                age_swatches(theme, row, ["old ", " new "]);
            }
            RowColor::Plain | RowColor::Person => {}
        }
        if let Some(words) = self.shown.lines.words() {
            let room = usize::from(row.remaining()) / 2;
            let words = sanitize::clip(words.as_bytes(), room);
            row.put_right(&format!(" {words} "), theme.bar());
        }
        footer.help(KEYS);
        true
    }

    fn ending(&self, _: &App) -> String {
        let shown = &self.shown;
        match (looking(&shown.progress), shown.entries.len()) {
            (Some(words), _) => words,
            (None, 0) => "this directory is empty".to_owned(),
            (None, 1) => "one entry".to_owned(),
            (None, count) => format!("{} entries", thousands(count)),
        }
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Directory", KEYS))
    }

    /// Goes into the selected directory, or opens the blame of the selected file.
    fn open_item(&mut self, app: &mut App) {
        let Some(entry) = self.shown.selected_entry() else {
            return;
        };
        let path = self.shown.path_of(&entry.name);
        match entry.kind {
            EntryKind::Directory => {
                let below = Listing::new(self.shown.commit, path, None);
                self.shown.stop_asking();
                self.above.push(std::mem::replace(&mut self.shown, below));
                self.shown.ask(app);
            }
            EntryKind::Submodule => {
                app.show_message("a submodule: its files are in a repository of their own");
            }
            EntryKind::File | EntryKind::Link => {
                let commit = self.shown.commit;
                let version = version_of(commit, path.clone());
                if app.view().is_some_and(|view| view.version == version) {
                    return self.show_blame(app);
                }
                self.shown.stop_asking();
                app.open_chosen(commit, path);
            }
        }
    }

    /// Which directory, in which revision, and how many entries.
    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let shown = &self.shown;
        let count = shown.entries.len();
        if count > 0 && row.remaining() >= MIN_WIDTH_FOR_COUNT {
            let at = thousands(shown.list.selected + 1);
            row.put_right(&format!(" {at} of {} ", thousands(count)), theme.bar());
        }
        let root = app.environment.repository.root.as_ref();
        let name = match root.and_then(|root| root.file_name()) {
            Some(name) if shown.path.is_empty() => sanitize::line(name.as_encoded_bytes()),
            _ => sanitize::line(&shown.path),
        };
        let revision = sanitize::line(self.revision.as_bytes());
        let revision = sanitize::clip(revision.as_bytes(), usize::from(row.remaining()) / 3);
        let used = sanitize::width(revision.as_bytes()) + 5;
        let room = usize::from(row.remaining()).saturating_sub(used);
        row.put(" ", theme.bar());
        row.put(
            &sanitize::clip_left(&(name + "/"), room),
            theme.bar_emphasis(),
        );
        row.put(&format!(" @ {revision}"), theme.bar());
        true
    }
}

impl DirectoryPage {
    fn layout(&self, width: usize, app: &App) -> RowLayout {
        RowLayout::new(&self.shown, self.columns, app.display.columns.date, width)
    }

    /// Shows the directory above, with this one selected. False at the root.
    fn go_up(&mut self, app: &mut App) -> bool {
        let path = self.shown.path.as_slice();
        if path.is_empty() {
            app.show_message("this is the directory at the top");
            return false;
        }
        match self.above.pop() {
            Some(above) => self.shown = above,
            None => {
                let (above, name) = match path.rfind_byte(b'/') {
                    Some(end) => (&path[..end], &path[end + 1..]),
                    None => (&path[..0], path),
                };
                let name = Some(BString::from(name));
                self.shown = Listing::new(self.shown.commit, above.into(), name);
            }
        }
        self.shown.ask_for_rest(app);
        true
    }

    /// Goes to the step after the visible one, or to the visible one.
    fn go_forward(&mut self, app: &mut App) {
        if app.history.current + 1 < app.history.views.len() {
            self.shown.stop_asking();
            return app.forward(1);
        }
        if app.view().is_none() {
            return app.show_message("no file was opened yet");
        }
        self.show_blame(app);
    }

    /// Leaves for the visible blame. A step back before the first one returns.
    fn show_blame(&mut self, app: &mut App) {
        self.shown.stop_asking();
        app.pages.leave(BEFORE_VIEWS);
    }

    /// Opens the diff of the commit that changed the selected entry last.
    fn open_last_change(&self, app: &mut App) {
        let Some(entry) = self.shown.selected_entry() else {
            return;
        };
        match self.shown.selected_change() {
            Some(change) if !change.is_boundary => {
                let path = Arc::new(self.shown.path_of(&entry.name));
                app.open_commit_at(change.commit, path.clone(), path);
            }
            _ if !entry.is_committed => app.show_message("this is not committed yet"),
            _ => app.show_message("its last commit is not known"),
        }
    }
}

impl App {
    /// Opens a directory at the start of the viewer. `revision` is the name of its commit.
    pub(crate) fn open_directory(&mut self, directory: FileVersion, revision: String) {
        let (commit, path, revision) = match directory {
            FileVersion::Commit { commit, path } => (Some(commit), path, revision),
            FileVersion::WorkTree { path } | FileVersion::Reloaded { path, .. } => {
                (None, path, "work tree".to_owned())
            }
            FileVersion::CommandLine => (None, Arc::default(), revision),
        };
        let mut shown = Listing::new(commit, path.as_ref().clone(), None);
        shown.ask(self);
        self.pages.open(DirectoryPage {
            revision,
            shown,
            above: Vec::new(),
            columns: ShownColumns::default(),
            color: RowColor::default(),
            title_layout: None,
        });
    }
}
