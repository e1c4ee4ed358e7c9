//! A directory with what is known of its entries, and their order.

use std::{cmp::Reverse, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::state::App,
        model::{
            background::{
                directory::{DirectoryQuery, EntryChange, EntryKind, NamedEntry},
                line_history::HistoryProgress,
            },
            file_version::FileVersion,
        },
        pages::{finder::version_of, list::ItemList},
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
    pub(super) entries: Vec<NamedEntry>,
    /// The entries' positions, by row.
    pub(super) order: Vec<usize>,
    /// True if the newest changes come first. Changes found later do not move rows.
    pub(super) is_by_change: bool,
    /// By entry: its last change, once known.
    pub(super) changes: Vec<Option<EntryChange>>,
    /// The width of the widest name, in columns.
    pub(super) name_width: usize,
    pub(super) progress: HistoryProgress,
    /// The number of the query; 0 once its answer is not awaited.
    pub(super) id: u64,
    /// The name that is selected once the names are known.
    pub(super) wanted: Option<BString>,
}

impl Listing {
    pub(super) fn new(commit: Option<ObjectId>, path: BString, wanted: Option<BString>) -> Listing {
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

    pub(super) fn version(&self) -> FileVersion {
        version_of(self.commit, self.path.as_ref().clone())
    }

    /// Asks for the entries. What is known of them stays until the answers come.
    pub(super) fn ask(&mut self, app: &mut App) {
        let version = self.version();
        self.progress = HistoryProgress::Running(None);
        self.id = app.ask(DirectoryQuery { version });
    }

    /// Asks again if the directory was left before everything was known.
    pub(super) fn ask_for_rest(&mut self, app: &mut App) {
        if matches!(self.progress, HistoryProgress::Running(_)) {
            self.ask(app);
        }
    }

    /// Takes all entries. The selected one stays selected, and known changes stay known.
    pub(super) fn set_names(&mut self, names: Vec<NamedEntry>) {
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
    pub(super) fn select(&mut self, name: Option<&BString>) {
        let mut rows = self.order.iter();
        let at = rows.position(|&at| Some(&self.entries[at].name) == name);
        self.list.selected = at.unwrap_or(self.list.selected);
    }

    /// Puts the newest changes first, as far as they are known, or goes back to the order of names.
    /// The selected entry stays selected.
    pub(super) fn next_order(&mut self) {
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

    pub(super) fn selected_entry(&self) -> Option<&NamedEntry> {
        self.entries.get(*self.order.get(self.list.selected)?)
    }

    pub(super) fn selected_change(&self) -> Option<&EntryChange> {
        let at = self.order.get(self.list.selected)?;
        self.changes.get(*at)?.as_ref()
    }

    /// The path of an entry from the root.
    pub(super) fn path_of(&self, name: &BString) -> BString {
        let mut path = self.path.as_ref().clone();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        path
    }
}

/// What follows the name of an entry of a kind.
pub(super) fn mark(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Directory => "/",
        EntryKind::File => "",
        EntryKind::Link => " (link)",
        EntryKind::Submodule => " (submodule)",
    }
}
