//! The list of the names that a directory had, and when and by whom they were deleted.

use std::{collections::HashMap, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::state::App,
        model::{
            abbreviation::short,
            background::{
                directory::{EntryKind, path_below},
                directory_history::{DeletedName, DeletedNamesQuery, MovedNamesQuery},
                queries::PageAnswer,
                query::Answer,
            },
            file_version::FileVersion,
            keys::bindings::Action,
        },
        pages::{
            commit_row::{author_columns, looking, unreadable},
            list::{ItemList, KeyHelp, ListRow, ListShape, own_list},
            page::{Handled, Page, WhenLeft},
            resumed::ResumedItems,
        },
        theme::{roles::Foreground, styles::Theme},
        ui::paint::RowWriter,
    },
};

/// The keys of the page.
const KEYS: &[KeyHelp] = &[
    ("{close}  {deletions}", "close"),
    ("{diff}  {right}", "open: as it was before it was deleted"),
    ("{commit-diff}", "deletion: the diff of the commit"),
    ("{help}", "keys"),
    ("{copy-id}", "copy id: that of the commit"),
    ("{browse}", "open the commit in the browser"),
    ("{reload}", "read the names again"),
];

/// The open list.
#[derive(Debug)]
struct DeletedNamesPage {
    version: FileVersion,
    /// The directory's path; empty for the root.
    path: Arc<BString>,
    list: ItemList,
    found: ResumedItems<DeletedName>,
    /// By commit: where it moved names, as paths from the root, if that was looked for.
    moved: HashMap<ObjectId, HashMap<BString, BString>>,
    /// The query for another one, and the commit.
    asked: Option<(u64, ObjectId)>,
    /// The width of the widest name, in columns.
    name_width: usize,
}

impl Page<App> for DeletedNamesPage {
    fn covers(&self) -> bool {
        true
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn action(&mut self, action: Action, _: Option<u32>, app: &mut App) -> Handled {
        match action {
            Action::Diff | Action::Right | Action::BlameParent => self.open_item(app),
            Action::CommitDiff => self.open_deletion(app),
            Action::CopyId | Action::Browse => {
                app.use_commit(action, self.selected().map(|deleted| deleted.commit.id));
            }
            Action::Reload => {
                self.found = ResumedItems::new();
                self.ask(app);
                // The directory below is read again too.
                return Handled::Pass;
            }
            Action::Close | Action::Quit | Action::Deletions | Action::Back | Action::Left => {
                app.pages.close_acting();
            }
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn awaits(&self, id: u64) -> bool {
        self.found.id == id || self.asked.is_some_and(|(asked, _)| asked == id)
    }

    fn on_answer(&mut self, answer: PageAnswer, _: &mut App) {
        match answer {
            PageAnswer::DeletedNames(Answer::Found(found)) => {
                let names = found.names.iter();
                let widths = names.map(|it| sanitize::width(&it.name) + it.kind.mark().len());
                self.name_width = self.name_width.max(widths.max().unwrap_or(0));
                self.found.add(found.names, found.frontier);
            }
            PageAnswer::DeletedNames(Answer::Ended(end)) => self.found.progress = end.into(),
            PageAnswer::MovedNames(answer) => {
                if let Some((_, commit)) = self.asked.take() {
                    // What cannot be compared counts as deleted.
                    self.moved.insert(commit, answer.end().unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    /// Asks where the first of the visible names was moved for which that is not known, and all
    /// others of its commit. What a merge leaves out is compared with one parent only.
    fn refresh(&mut self, app: &mut App) {
        if self
            .asked
            .is_some_and(|(id, _)| app.requests.is_running(id))
        {
            return;
        }
        // As it will be laid out.
        let mut list = self.list.clone();
        list.fit(ListShape {
            count: self.found.items.len(),
            ..list.shape
        });
        let items = self.found.items.iter();
        let mut visible = items.skip(list.top).take(list.shape.window());
        let is_unknown =
            |it: &&DeletedName| !it.commit.is_merge && !self.moved.contains_key(&it.commit.id);
        self.asked = visible.find(is_unknown).map(|deleted| {
            let commit = deleted.commit.id;
            let same = self.found.items.iter().filter(|it| it.commit.id == commit);
            let paths = same.map(|it| self.path_of(it)).collect();
            (app.ask(MovedNamesQuery { commit, paths }), commit)
        });
    }

    /// The queries are cancelled.
    fn on_left(&mut self) {
        self.found.id = 0;
        self.asked = None;
    }

    fn on_reopened(&mut self, app: &mut App) {
        if self.found.is_running() {
            self.ask(app);
        }
    }

    own_list!();

    fn count(&self, _: &App) -> usize {
        self.found.items.len()
    }

    fn rows(&self, at: usize, width: usize, _: &App) -> Vec<ListRow> {
        let deleted = self.found.items.get(at);
        let columns = self.name_columns(width);
        let row = deleted.map(|deleted| deletion_row(deleted, self.moved_to(deleted), columns));
        row.into_iter().collect()
    }

    fn title(&self, _: &App) -> Option<String> {
        let name = self.name_columns(self.list.shape.row_width().into());
        Some(format!(
            "  {:<name$} {:<27} moved to, or why",
            "name", "deleted"
        ))
    }

    fn ending(&self, _: &App) -> String {
        match (looking(&self.found.progress), self.found.items.len()) {
            (Some(words), _) => words,
            (None, 0) => "nothing was deleted here".to_owned(),
            (None, _) => String::new(),
        }
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Deleted names", KEYS))
    }

    /// Opens the version before the deletion.
    fn open_item(&mut self, app: &mut App) {
        let Some(deleted) = self.selected() else {
            return;
        };
        let (parent, path) = (deleted.parent, self.path_of(deleted));
        match deleted.kind {
            EntryKind::Directory => {
                let revision = format!("before {}", short(&deleted.commit.id));
                app.open_directory_above(parent, path, revision);
            }
            EntryKind::Submodule => {
                app.show_message("a submodule: its files are in a repository of their own");
            }
            EntryKind::File | EntryKind::Link => {
                self.found.id = 0;
                app.open_chosen(Some(parent), path);
            }
        }
    }

    /// Which directory, and how many names are known.
    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let numbers = (self.list.selected, self.found.items.len());
        let more = if self.found.is_running() { "…" } else { "" };
        app.directory_header(("deleted from", &self.path), numbers, more, theme, row);
        true
    }
}

impl DeletedNamesPage {
    /// The width of names in a row of a width.
    fn name_columns(&self, width: usize) -> usize {
        self.name_width.max(4).min((width / 3).max(1))
    }

    fn selected(&self) -> Option<&DeletedName> {
        self.found.items.get(self.list.selected)
    }

    fn path_of(&self, deleted: &DeletedName) -> BString {
        path_below(&self.path, &deleted.name)
    }

    /// Where a name was moved, if that is known.
    fn moved_to(&self, deleted: &DeletedName) -> Option<&BString> {
        let moved = self.moved.get(&deleted.commit.id)?;
        moved.get(&self.path_of(deleted))
    }

    fn ask(&mut self, app: &mut App) {
        let version = self.version.clone();
        self.found.asked(app.ask(DeletedNamesQuery { version }));
    }

    /// Opens the diff of the deletion; of a file that was moved, the diff of the move.
    fn open_deletion(&self, app: &mut App) {
        let Some(deleted) = self.selected() else {
            return;
        };
        let (commit, path) = (deleted.commit.id, Arc::new(self.path_of(deleted)));
        match deleted.kind {
            EntryKind::Directory => app.open_commit_below(commit, path),
            _ => {
                let at = self.moved_to(deleted).cloned().map(Arc::new);
                app.open_commit_at(commit, at.unwrap_or(path), None);
            }
        }
    }
}

impl App {
    /// Lists the names that a directory had.
    pub(crate) fn open_deleted_names(&mut self, version: FileVersion, path: Arc<BString>) {
        let mut page = DeletedNamesPage {
            version,
            path,
            list: ItemList::default(),
            found: ResumedItems::new(),
            moved: HashMap::new(),
            asked: None,
            name_width: 0,
        };
        page.ask(self);
        self.pages.open(page);
    }
}

/// Name, date and author of a deletion, and where the name went or why.
/// The name has so many `columns`.
fn deletion_row(deleted: &DeletedName, moved_to: Option<&BString>, columns: usize) -> ListRow {
    let mark = deleted.kind.mark();
    let name = sanitize::clip(&deleted.name, columns.saturating_sub(mark.len()).max(1));
    let used = sanitize::width(name.as_bytes()) + mark.len();
    let blanks = " ".repeat(columns.saturating_sub(used) + 1);
    let row = ListRow::new(" ").put(format!(" {name}"), Foreground::Text);
    let row = row.put(format!("{mark}{blanks}"), Foreground::Faint);
    let commit = &deleted.commit;
    let metadata = match &commit.metadata {
        Ok(metadata) => metadata,
        Err(failure) => return unreadable(row, &commit.id, failure),
    };
    let row = author_columns(row, metadata, Foreground::Author).put(" ", Foreground::Text);
    match moved_to {
        Some(path) => row.put(
            format!("→ {}{mark}", sanitize::line(path)),
            Foreground::Mark,
        ),
        None => row.put(sanitize::line(&metadata.summary()), Foreground::Text),
    }
}
