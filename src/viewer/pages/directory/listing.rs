//! A directory with what is known of its entries, and their order.

use std::sync::Arc;

use bstr::{BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    objects::ObjectId,
    output::tree::node_order::{NodeOrder, SortedEntry},
    sanitize,
    viewer::{
        app::state::App,
        model::{
            background::{
                directory::{
                    DirectoryQuery, EntryChange, LinelessEntry, LinelessState, NamedEntry,
                    path_below,
                },
                directory_lines::{CountProgress, CountScope, DirectoryLinesQuery, EntryLines},
                line_history::HistoryProgress,
                queries::Freshness,
                query::Answer,
            },
            file_version::{Failure, FileVersion, version_of},
            line_filter::LineFilter,
        },
        pages::{
            commit_row::{longest_author, looking, unknown_change},
            count_words::{CO_AUTHORED, count_words},
            directory::{
                keys::FAILED_MARK,
                lines::{LinesProgress, ListingLines},
                title::NamedDirectory,
            },
            list::ItemList,
            page::PageKind,
        },
        ui::header::thousands,
    },
};

/// A directory with what is known of its entries.
#[derive(Debug)]
pub(super) struct Listing {
    /// `None` for the work tree.
    pub(super) commit: Option<ObjectId>,
    /// The path from the root, without a slash at its end; empty for the root.
    pub(super) path: Arc<BString>,
    pub(super) list: ItemList,
    /// The user has moved the selection.
    pub(super) is_used: bool,
    pub(super) entries: Vec<NamedEntry>,
    /// The entries without lines, in the order of their states, and the number of those beyond a
    /// bound. They are in the rows after those of all other entries.
    pub(super) lineless: (Vec<LinelessEntry>, usize),
    pub(super) shows_ignored: bool,
    /// The name of the revision, for the header.
    pub(super) revision: Arc<str>,
    /// The entries' positions, by row.
    pub(super) order: Vec<usize>,
    /// What the order is by; by name, directories come first. What is found later does not move rows.
    pub(super) by: NodeOrder,
    /// Which lines counted when the entries were sorted.
    sorted: (LineFilter, bool),
    /// By entry: its last change, once known.
    pub(super) changes: Vec<Option<EntryChange>>,
    pub(super) lines: ListingLines,
    /// The entries' positions, by their names.
    places: FxHashMap<BString, usize>,
    /// The width of the widest name, in columns.
    pub(super) name_width: usize,
    /// That of the widest summary of a last change, once all of these are found.
    pub(super) summary_width: Option<usize>,
    /// That of the longest name of their authors, likewise.
    pub(super) longest_author: usize,
    pub(super) progress: HistoryProgress,
    /// The number of the query for the entries and their last changes; 0 once its answer is not
    /// awaited.
    pub(super) id: u64,
    /// The number of the query when it was asked: that of the reading of the work tree.
    pub(super) reading: u64,
    /// What is known of changes since.
    pub(super) freshness: Freshness,
    /// The name that is selected once the names are known.
    pub(super) wanted: Option<BString>,
}

/// The order after this one.
fn next(order: NodeOrder) -> NodeOrder {
    match order {
        NodeOrder::Name => NodeOrder::Change,
        NodeOrder::Change => NodeOrder::Lines,
        NodeOrder::Lines => NodeOrder::Age,
        NodeOrder::Age => NodeOrder::Name,
    }
}

impl Listing {
    pub(super) fn new(
        commit: Option<ObjectId>,
        path: BString,
        revision: Arc<str>,
        wanted: Option<BString>,
    ) -> Listing {
        Listing {
            lineless: (Vec::new(), 0),
            shows_ignored: false,
            revision,
            commit,
            path: Arc::new(path),
            list: ItemList::default(),
            is_used: false,
            entries: Vec::new(),
            order: Vec::new(),
            by: NodeOrder::Name,
            sorted: Default::default(),
            changes: Vec::new(),
            lines: ListingLines::default(),
            places: FxHashMap::default(),
            name_width: 0,
            summary_width: None,
            longest_author: 0,
            progress: HistoryProgress::Running(None),
            id: 0,
            reading: 0,
            freshness: Freshness::default(),
            wanted,
        }
    }

    /// Another directory of the same version.
    pub(super) fn other(&self, path: BString, wanted: Option<BString>) -> Listing {
        Listing {
            shows_ignored: self.shows_ignored,
            ..Listing::new(self.commit, path, Arc::clone(&self.revision), wanted)
        }
    }

    pub(super) fn version(&self) -> FileVersion {
        version_of(self.commit, self.path.as_ref().clone())
    }

    /// The directory, for the pages that are about it.
    pub(super) fn named(&self) -> NamedDirectory {
        NamedDirectory {
            version: self.version(),
            path: Arc::clone(&self.path),
            revision: self.commit.map(|_| Arc::clone(&self.revision)),
        }
    }

    /// Asks for the entries. What is known of them stays until the answers come.
    pub(super) fn ask(&mut self, app: &mut App) {
        let version = self.version();
        self.progress = HistoryProgress::Running(None);
        self.id = app.ask(DirectoryQuery { version });
        (self.reading, self.freshness) = (self.id, Freshness::default());
        (self.lines.id, self.lines.progress) = (0, LinesProgress::Waiting);
        self.lines.is_paused = false;
    }

    /// Asks for the lines, those of the visible entries first.
    pub(super) fn ask_for_lines(&mut self, app: &mut App) {
        let first = self
            .seen()
            .map(|at| self.entries[at].name.clone())
            .collect();
        let scope = CountScope {
            version: self.version(),
            reading: self.reading,
            filter: app.display.filter.clone(),
            with_generated: app.display.with_generated,
        };
        let lines = &mut self.lines;
        lines.is_paused = false;
        lines.asked = (scope.filter.clone(), scope.with_generated);
        lines.progress = LinesProgress::Running(match lines.progress {
            LinesProgress::Running(progress) => progress,
            LinesProgress::Ended(Ok(files)) => CountProgress::Files(files),
            _ => CountProgress::default(),
        });
        lines.id = app.ask(DirectoryLinesQuery { scope, first });
    }

    /// Asks for the lines again if others count now, or if the query was cancelled for that of a
    /// page above, which counts on. While the history is read it goes on, as it would begin anew.
    pub(super) fn follow_lines(&mut self, app: &mut App) {
        let lines = &mut self.lines;
        let (is_running, is_reading) = match lines.progress {
            LinesProgress::Waiting => return,
            LinesProgress::Running(CountProgress::History(..)) => (true, true),
            LinesProgress::Running(CountProgress::Files(_)) => (true, false),
            LinesProgress::Ended(_) => (false, false),
        };
        let is_cancelled = is_running && lines.id != 0 && !app.requests.is_running(lines.id);
        if app.pages.has_above_acting(PageKind::Directory) {
            if is_cancelled || is_running && !is_reading && lines.id != 0 {
                (lines.id, lines.is_paused) = (0, true);
            }
            return;
        }
        let (filter, with_generated) = &lines.asked;
        let is_same =
            *filter == app.display.filter && *with_generated == app.display.with_generated;
        let is_other = !is_same && (lines.id != 0 || !is_running);
        if is_cancelled || lines.is_paused || is_other && !is_reading {
            self.ask_for_lines(app);
        }
    }

    /// Takes a part of the lines.
    pub(super) fn set_lines(&mut self, answer: Answer<DirectoryLinesQuery>) {
        let places = &self.places;
        self.lines
            .take(answer, |name| places.get(name.as_bstr()).copied());
        // Other lines count since a key chose a filter.
        let is_by_lines = matches!(self.by, NodeOrder::Lines | NodeOrder::Age);
        if is_by_lines && self.lines.have_ended() && self.sorted != self.lines.counted {
            self.sort();
        }
    }

    /// Cancels the queries.
    pub(super) fn stop_asking(&mut self) {
        (self.id, self.lines.id) = (0, 0);
    }

    /// Cancels the queries, as the blame of a file needs the processors; but for the reading of the
    /// history for the lines, which would begin anew.
    pub(super) fn stop_for_file(&mut self) {
        let progress = &self.lines.progress;
        self.id = 0;
        if !matches!(progress, LinesProgress::Running(CountProgress::History(..))) {
            self.lines.id = 0;
        }
    }

    /// Asks again if the directory was left before everything was known.
    pub(super) fn ask_for_rest(&mut self, app: &mut App) {
        if self.is_reading() {
            self.ask(app);
        } else if !self.lines.have_ended() && !app.requests.is_running(self.lines.id) {
            self.ask_for_lines(app);
        }
    }

    /// Takes all entries. The selected one stays selected, and known changes stay known.
    pub(super) fn set_names(&mut self, names: Vec<NamedEntry>) {
        // At first, the first row is selected, whichever comes before what was found in the beginning.
        let is_first = self.list.selected == 0 && self.changes.iter().all(Option::is_none);
        let selected = self.selected_entry().filter(|_| !is_first);
        let selected = selected.map(|entry| entry.name.clone());
        let wanted = self.wanted.take().or(selected);
        if names != self.entries {
            self.changes = vec![None; names.len()];
            self.lines.entries = vec![None; names.len()];
            self.lines.people = Vec::new();
            let places = names.iter().zip(0..);
            self.places = places.map(|(entry, at)| (entry.name.clone(), at)).collect();
            self.order = (0..names.len()).collect();
            self.by = NodeOrder::Name;
            self.entries = names;
            let places = &self.places;
            let lineless = &mut self.lineless.0;
            lineless.retain(|entry| !places.contains_key(&entry.name));
        }
        self.select(wanted.as_ref());
        let widths = self
            .entries
            .iter()
            .map(|entry| sanitize::width(&entry.name) + entry.kind.mark().len());
        self.name_width = widths.max().unwrap_or(0);
    }

    /// Takes that all last changes are found, or why they are not.
    pub(super) fn end_changes(&mut self, end: Result<bool, Failure>) {
        let changes = self.changes.iter().flatten();
        let widths = changes.map(|change| match &change.metadata {
            Ok(metadata) => sanitize::width(&metadata.summary()),
            Err(failure) => sanitize::width(failure.0.as_bytes()),
        });
        self.summary_width = Some(widths.max().unwrap_or(0));
        let changes = self.changes.iter().flatten();
        self.longest_author = longest_author(changes.map(|change| &change.metadata));
        self.progress = end.into();
    }

    /// Selects the entry of a name, if there is one.
    pub(super) fn select(&mut self, name: Option<&BString>) {
        let mut rows = self.order.iter();
        let at = rows.position(|&at| Some(&self.entries[at].name) == name);
        self.list.selected = at.unwrap_or(self.list.selected);
    }

    /// Sorts the entries by what comes next, as far as that is known. A row that nobody chose does not
    /// stay selected: the first ones are to be seen.
    pub(super) fn next_order(&mut self) {
        self.by = next(self.by);
        let is_by_lines = matches!(self.by, NodeOrder::Lines | NodeOrder::Age);
        if is_by_lines && self.lines.failure().is_some() {
            self.by = NodeOrder::Name;
        }
        if !self.is_used {
            self.list.selected = 0;
        }
        self.sort();
    }

    /// Sorts the entries. The selected one stays selected, unless it is the first: then the first ones
    /// are to be seen.
    fn sort(&mut self) {
        let selected = self.selected_entry().filter(|_| self.list.selected > 0);
        let selected = selected.map(|entry| entry.name.clone());
        self.sorted = self.lines.counted.clone();
        let known: Vec<SortedEntry> = (0..self.entries.len()).map(|at| self.known(at)).collect();
        self.order = (0..known.len()).collect();
        let by = self.by;
        self.order
            .sort_by(|&one, &other| by.compare(&known[one], &known[other]));
        self.select(selected.as_ref());
    }

    /// What is known of an entry, as far as orders depend on it.
    fn known(&self, at: usize) -> SortedEntry {
        let change = self.changes[at].as_ref().filter(|it| !it.is_boundary);
        let metadata = change.and_then(|change| change.metadata.as_ref().ok());
        let lines = self.lines.entries[at].as_ref();
        SortedEntry {
            is_committed: self.entries[at].is_committed,
            changed: metadata.map(|metadata| metadata.author.time),
            lines: lines.map(|lines| lines.lines),
            median: lines.and_then(|lines| lines.median),
        }
    }

    /// Shows ignored entries, or hides them. Returns the message.
    pub(super) fn toggle_ignored(&mut self) -> String {
        let count = self.count(LinelessState::Ignored);
        self.shows_ignored = !self.shows_ignored;
        if self.shows_ignored && count == 0 {
            "nothing is ignored here".to_owned()
        } else if self.shows_ignored {
            format!("with {} ignored", thousands(count))
        } else {
            "without what is ignored".to_owned()
        }
    }

    /// True until all last changes are found.
    pub(super) fn is_reading(&self) -> bool {
        matches!(self.progress, HistoryProgress::Running(_))
    }

    /// Why nothing is known of what is in it.
    pub(super) fn failure(&self) -> Option<String> {
        let is_failed = matches!(self.progress, HistoryProgress::Failed(_));
        looking(&self.progress).filter(|_| is_failed && self.entries.is_empty())
    }

    /// How far the last changes are found, or the lines counted, while they are not.
    pub(super) fn progress_words(&self) -> Option<String> {
        let reading = looking(&self.progress).filter(|_| self.is_reading());
        reading.or_else(|| self.lines.words())
    }

    /// True if all lines are counted, and none is recorded to be an agent's.
    pub(super) fn has_no_agents(&self) -> bool {
        let mut lines = self.lines.entries.iter().flatten();
        self.lines.have_ended() && lines.all(|lines| lines.agent_lines == 0)
    }

    /// True if all lines are counted, and there are no generated files.
    pub(super) fn has_no_generated(&self) -> bool {
        matches!(&self.lines.progress, LinesProgress::Ended(Ok(files)) if files.generated == 0)
    }

    /// What the order is by, for a message.
    pub(super) fn order_words(&self) -> String {
        let (words, is_known) = match self.by {
            NodeOrder::Name => match self.lines.failure() {
                Some(failure) => return format!("sorted by name: {failure}"),
                None => ("sorted by name", true),
            },
            NodeOrder::Change => ("sorted by last change, newest first", !self.is_reading()),
            NodeOrder::Lines => ("sorted by lines, most first", self.lines.have_ended()),
            NodeOrder::Age => (
                "sorted by median age, oldest first",
                self.lines.have_ended(),
            ),
        };
        let more = if is_known {
            ""
        } else {
            ", of those that are known so far"
        };
        format!("{words}{more}")
    }

    /// The entries in the rows on the screen.
    pub(super) fn seen(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = self.order.iter().copied().skip(self.list.top);
        rows.take(self.list.shape.window())
    }

    pub(super) fn selected_entry(&self) -> Option<&NamedEntry> {
        self.entries.get(*self.order.get(self.list.selected)?)
    }

    /// The number of entries that differ from HEAD's.
    pub(super) fn uncommitted_count(&self) -> usize {
        let lines = self.lines.entries.iter().flatten();
        lines.filter(|lines| lines.is_uncommitted).count()
    }

    /// The number of entries that a sparse checkout leaves out.
    pub(super) fn left_out_count(&self) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.left_out.is_some()).count()
    }

    /// The number of entries without lines in a state.
    pub(super) fn count(&self, state: LinelessState) -> usize {
        let entries = self.lineless.0.iter();
        entries.filter(|entry| entry.state == state).count()
    }

    /// The entries without lines, as far as they are shown.
    pub(super) fn shown_lineless(&self) -> &[LinelessEntry] {
        let entries = &self.lineless.0;
        let hidden = if self.shows_ignored {
            0
        } else {
            self.count(LinelessState::Ignored)
        };
        &entries[..entries.len() - hidden]
    }

    /// The entry without lines in a row.
    pub(super) fn lineless_in(&self, row: usize) -> Option<&LinelessEntry> {
        self.shown_lineless()
            .get(row.checked_sub(self.order.len())?)
    }

    /// The last change of the selected entry.
    ///
    /// # Errors
    ///
    /// Why it is not known.
    pub(super) fn last_change(&self) -> Result<(&NamedEntry, &EntryChange), &'static str> {
        let Some(entry) = self.selected_entry() else {
            return Err(self.lineless_words());
        };
        let change = self.order.get(self.list.selected);
        match change.and_then(|&at| self.changes[at].as_ref()) {
            Some(change) if entry.is_committed && !change.is_boundary => Ok((entry, change)),
            change => Err(unknown_change(entry.is_committed, change.is_some())),
        }
    }

    /// True if the last change of the selected entry may still be found.
    pub(super) fn is_last_change_sought(&self) -> bool {
        let entry = self.selected_entry();
        entry.is_some_and(|entry| entry.is_committed && self.is_reading())
    }

    /// Why there is nothing to say about the selected row, which is that of an entry without lines.
    pub(super) fn lineless_words(&self) -> &'static str {
        match self
            .lineless_in(self.list.selected)
            .map(|entry| entry.state)
        {
            Some(LinelessState::Ignored) => "ignored by git: it has no history",
            Some(LinelessState::Untracked) => "not tracked by git: it has no history",
            Some(LinelessState::Unstaged) => "removed from the index: {goto}HEAD has it",
            Some(LinelessState::Removed) => "removed: {goto}HEAD has it",
            None => "there is no entry",
        }
    }

    /// The line below the last row, in parts: how many entries there are first. `seen` are whether the
    /// columns of lines and of people are.
    pub(super) fn ending(&self, show_key: &str, seen: [bool; 2]) -> Vec<String> {
        let [has_lines, has_people] = seen;
        let mut words = match self.entries.len() {
            0 if self.lineless.0.is_empty() => "this directory is empty".to_owned(),
            0 => "nothing tracked here".to_owned(),
            1 => "one entry".to_owned(),
            count => format!("{} entries", thousands(count)),
        };
        let left_out = self.left_out_count();
        if left_out > 0 {
            words += &format!(", {} not checked out", thousands(left_out));
        }
        use LinelessState::{Ignored, Removed, Unstaged, Untracked};
        for state in [Removed, Unstaged, Untracked, Ignored] {
            let count = self.count(state);
            if count > 0 {
                words += &format!(", {} {}", thousands(count), state.name());
            }
            if count > 0 && state == Ignored && !self.shows_ignored {
                words += &format!(" (press {show_key} to show)");
            }
        }
        if self.lineless.1 > 0 {
            words += &format!("; {} more are not listed", thousands(self.lineless.1));
        }
        let mut parts = vec![words];
        if let LinesProgress::Ended(Ok(files)) = self.lines.progress
            && let Some(counted) = count_words(&CountProgress::Files(files))
        {
            let mark = if files.failed > 0 && has_lines {
                format!(" ({FAILED_MARK})")
            } else {
                String::new()
            };
            parts.push(counted + &mark);
        }
        if self.lines.counted.1 && self.lines.have_ended() {
            parts.push("generated and binary files counted too".to_owned());
        }
        let mut lines = self.lines.entries.iter().flatten();
        if has_people && lines.any(EntryLines::has_co_authors) {
            parts.push(CO_AUTHORED.to_owned());
        }
        parts
    }

    /// The path of an entry from the root.
    pub(super) fn path_of(&self, name: &BString) -> BString {
        path_below(&self.path, name)
    }
}
