//! A directory: its entries, and who changed each last, when and why.
//!
//! The names come first. The last commits are put into their rows as they are found, so that no row
//! moves. A file's blame is opened above the directory, which a step back returns to.

use std::{cmp::Reverse, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::state::App,
        model::{
            background::{
                directory::{DirectoryQuery, EntryChange, EntryKind, FoundEntries, NamedEntry},
                line_history::HistoryProgress,
                queries::PageAnswer,
                query::Answer,
            },
            columns::DateFormat,
            keys::{
                bindings::Action,
                key::{Key, KeyCode},
            },
            source::FileVersion,
        },
        pages::{
            commit_row::looking,
            finder::version_of,
            list::{ItemList, KeyHelp, ListRow},
            page::{Handled, Page, WhenLeft},
            stack::BEFORE_VIEWS,
        },
        protocol::Effect,
        theme::{roles::Foreground, styles::Theme},
        ui::{gutter::shown_date, header::thousands, paint::RowWriter},
    },
};

/// The least columns for long dates and for names of authors.
const WIDE: usize = 60;
/// The least columns of the header for the number of the selected entry.
const MIN_WIDTH_FOR_COUNT: u16 = 30;
/// The width of authors' names, in columns.
const AUTHOR_COLUMNS: usize = 16;

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
    ("S", "sort: by last change, or by name"),
    ("{open-file}", "find a file: among all below this directory"),
    ("{quit}", "quit"),
    (
        "{forward}",
        "forward: to the file that was left with {back}",
    ),
    ("{dates}", "change the format of dates"),
    ("{copy-id}", "copy the id of the last commit"),
    ("{reload}", "read the directory again"),
];

/// A directory with what is known of its entries.
#[derive(Debug)]
struct Listing {
    /// `None` for the work tree.
    commit: Option<ObjectId>,
    /// The path from the root, without a slash at its end; empty for the root.
    path: Arc<BString>,
    list: ItemList,
    entries: Vec<NamedEntry>,
    /// The entries' positions, by row.
    order: Vec<usize>,
    /// True if the newest changes come first. Changes found later do not move rows.
    is_by_change: bool,
    /// By entry: its last change, once known.
    changes: Vec<Option<EntryChange>>,
    /// The width of the widest name, in columns.
    name_width: usize,
    progress: HistoryProgress,
    /// The number of the query; 0 once its answer is not awaited.
    id: u64,
    /// The name that is selected once the names are known.
    wanted: Option<BString>,
}

/// The open page.
#[derive(Debug)]
struct DirectoryPage {
    /// The name of the revision, for the header.
    revision: String,
    shown: Listing,
    /// The directories above it that were left for it, the nearest last.
    above: Vec<Listing>,
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
        let is_running = matches!(self.shown.progress, HistoryProgress::Running(_));
        app.show_message(match (self.shown.is_by_change, is_running) {
            (false, _) => "by name",
            (true, false) => "the newest changes first",
            (true, true) => "the newest changes first, of those that are known so far",
        });
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
            Action::Reload => self.shown.ask(app),
            Action::Quit => app.effects.push(Effect::Quit),
            Action::Close if self.shown.list.search.take().is_some() => {}
            Action::Close => app.show_filled("{quit} quits, {back} goes up"),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn awaits(&self, id: u64) -> bool {
        self.shown.id == id
    }

    fn on_answer(&mut self, answer: PageAnswer, _: &mut App) {
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
            PageAnswer::Directory(Answer::Ended(end)) => shown.progress = end.into(),
            _ => {}
        }
    }

    /// The query is cancelled.
    fn on_left(&mut self) {
        self.shown.id = 0;
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
        let row = self.shown.row(at, width, app);
        row.into_iter().collect()
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
                self.shown.id = 0;
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
                self.shown.id = 0;
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
            self.shown.id = 0;
            return app.forward(1);
        }
        if app.view().is_none() {
            return app.show_message("no file was opened yet");
        }
        self.show_blame(app);
    }

    /// Leaves for the visible blame. A step back before the first one returns.
    fn show_blame(&mut self, app: &mut App) {
        self.shown.id = 0;
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

impl Listing {
    fn new(commit: Option<ObjectId>, path: BString, wanted: Option<BString>) -> Listing {
        Listing {
            commit,
            path: Arc::new(path),
            list: ItemList::default(),
            entries: Vec::new(),
            order: Vec::new(),
            is_by_change: false,
            changes: Vec::new(),
            name_width: 0,
            progress: HistoryProgress::Running(None),
            id: 0,
            wanted,
        }
    }

    fn version(&self) -> FileVersion {
        version_of(self.commit, self.path.as_ref().clone())
    }

    /// Asks for the entries. What is known of them stays until the answers come.
    fn ask(&mut self, app: &mut App) {
        let version = self.version();
        self.progress = HistoryProgress::Running(None);
        self.id = app.ask(DirectoryQuery { version });
    }

    /// Asks again if the directory was left before everything was known.
    fn ask_for_rest(&mut self, app: &mut App) {
        if matches!(self.progress, HistoryProgress::Running(_)) {
            self.ask(app);
        }
    }

    /// Takes all entries. The selected one stays selected, and known changes stay known.
    fn set_names(&mut self, names: Vec<NamedEntry>) {
        let selected = self.selected_entry().map(|entry| entry.name.clone());
        let wanted = self.wanted.take().or(selected);
        if names != self.entries {
            self.changes = vec![None; names.len()];
            self.order = (0..names.len()).collect();
            self.is_by_change = false;
            self.entries = names;
        }
        self.select(wanted.as_ref());
        let widths = self
            .entries
            .iter()
            .map(|entry| sanitize::width(&entry.name) + mark(entry.kind).len());
        self.name_width = widths.max().unwrap_or(0);
    }

    /// Selects the entry of a name, if there is one.
    fn select(&mut self, name: Option<&BString>) {
        let mut rows = self.order.iter();
        let at = rows.position(|&at| Some(&self.entries[at].name) == name);
        self.list.selected = at.unwrap_or(self.list.selected);
    }

    /// Puts the newest changes first, as far as they are known, or goes back to the order of names.
    /// The selected entry stays selected.
    fn next_order(&mut self) {
        let selected = self.selected_entry().map(|entry| entry.name.clone());
        self.order = (0..self.entries.len()).collect();
        self.is_by_change = !self.is_by_change;
        if self.is_by_change {
            let newest_first = |&at: &usize| {
                let change = self.changes[at].as_ref().filter(|it| !it.is_boundary);
                let metadata = change.and_then(|change| change.metadata.as_ref().ok());
                let time = metadata.map(|metadata| metadata.author.time);
                (self.entries[at].is_committed, Reverse(time))
            };
            self.order.sort_by_key(newest_first);
        }
        self.select(selected.as_ref());
    }

    fn selected_entry(&self) -> Option<&NamedEntry> {
        self.entries.get(*self.order.get(self.list.selected)?)
    }

    fn selected_change(&self) -> Option<&EntryChange> {
        let at = self.order.get(self.list.selected)?;
        self.changes.get(*at)?.as_ref()
    }

    /// The path of an entry from the root.
    fn path_of(&self, name: &BString) -> BString {
        let mut path = self.path.as_ref().clone();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        path
    }

    /// Name, date, author and summary of the entry of a row. Their places depend on all names, not on what
    /// is known of the changes.
    fn row(&self, at: usize, width: usize, app: &App) -> Option<ListRow> {
        let at = *self.order.get(at)?;
        let entry = self.entries.get(at)?;
        let is_wide = width >= WIDE;
        let most = if is_wide { width * 2 / 5 } else { width / 2 };
        let name_width = self.name_width.min(most).max(1);
        let mark = mark(entry.kind);
        let name = sanitize::clip(&entry.name, name_width.saturating_sub(mark.len()).max(1));
        let used = sanitize::width(name.as_bytes()) + mark.len();
        let blanks = name_width.saturating_sub(used) + 2;
        let row = ListRow::new(" ").put(format!(" {name}"), Foreground::Text);
        let row = row.put(format!("{mark}{}", " ".repeat(blanks)), Foreground::Faint);
        let words = match self.changes.get(at)? {
            _ if !entry.is_committed => "not committed yet",
            Some(change) if change.is_boundary => "changed before this history begins",
            Some(change) => {
                let metadata = match &change.metadata {
                    Ok(metadata) => metadata,
                    Err(failure) => {
                        let words = sanitize::line(failure.0.as_bytes());
                        return Some(row.put(words, Foreground::Text));
                    }
                };
                let author = &metadata.author;
                let columns = match app.display.columns.date {
                    DateFormat::Relative if is_wide => 10,
                    DateFormat::Relative | DateFormat::Age => 4,
                    DateFormat::Iso if is_wide => 16,
                    DateFormat::Short | DateFormat::Iso => 10,
                };
                let date = shown_date(app, author, columns);
                let mut row = row.put(format!("{date:<columns$} "), Foreground::Faint);
                if is_wide {
                    let name = sanitize::clip(&author.name, AUTHOR_COLUMNS);
                    let missing = AUTHOR_COLUMNS.saturating_sub(sanitize::width(name.as_bytes()));
                    row = row.put(name + &" ".repeat(missing + 1), Foreground::Text);
                }
                let summary = sanitize::line(&metadata.summary());
                return Some(row.put(summary, Foreground::Text));
            }
            None => match self.progress {
                HistoryProgress::Running(_) => "",
                _ => "its last commit is not known",
            },
        };
        Some(row.put(words, Foreground::Faint))
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
        });
    }
}

/// What follows the name of an entry of a kind.
fn mark(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Directory => "/",
        EntryKind::File => "",
        EntryKind::Link => " (link)",
        EntryKind::Submodule => " (submodule)",
    }
}
