//! The list of the names that a directory had, and when and by whom they were deleted.

use std::sync::Arc;

use bstr::BString;

use crate::{
    sanitize,
    viewer::{
        app::state::App,
        model::{
            abbreviation::short,
            background::{
                directory::{EntryKind, path_below},
                directory_history::{DeletedName, DeletedNamesQuery},
                queries::PageAnswer,
                query::Answer,
            },
            file_version::FileVersion,
            keys::bindings::Action,
        },
        pages::{
            commit_row::{author_columns, looking},
            list::{ItemList, KeyHelp, ListRow, own_list},
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
];

/// The open list.
#[derive(Debug)]
struct DeletedNamesPage {
    version: FileVersion,
    /// The directory's path; empty for the root.
    path: Arc<BString>,
    list: ItemList,
    found: ResumedItems<DeletedName>,
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
            Action::CopyId => {
                if let Some(deleted) = self.selected() {
                    app.copy(deleted.commit.id.to_string());
                }
            }
            Action::Browse => {
                if let Some(commit) = self.selected().map(|deleted| deleted.commit.id) {
                    app.browse_commit(&commit);
                }
            }
            Action::Close | Action::Quit | Action::Deletions | Action::Back | Action::Left => {
                app.pages.close_acting();
            }
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn awaits(&self, id: u64) -> bool {
        self.found.id == id
    }

    fn on_answer(&mut self, answer: PageAnswer, _: &mut App) {
        match answer {
            PageAnswer::DeletedNames(Answer::Found(found)) => {
                self.found.add(found.names, found.frontier);
            }
            PageAnswer::DeletedNames(Answer::Ended(end)) => self.found.progress = end.into(),
            _ => {}
        }
    }

    /// The query is cancelled.
    fn on_left(&mut self) {
        self.found.id = 0;
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
        let row = deleted.map(|deleted| deletion_row(deleted, width));
        row.into_iter().collect()
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
    fn selected(&self) -> Option<&DeletedName> {
        self.found.items.get(self.list.selected)
    }

    fn path_of(&self, deleted: &DeletedName) -> BString {
        path_below(&self.path, &deleted.name)
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
                let at = deleted.renamed_to.clone();
                app.open_commit_at(commit, at.unwrap_or_else(|| Arc::clone(&path)), path);
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
        };
        page.ask(self);
        self.pages.open(page);
    }
}

/// Name, date and author of a deletion, and where the name went or why.
fn deletion_row(deleted: &DeletedName, width: usize) -> ListRow {
    let mark = deleted.kind.mark();
    let columns = (width / 3).max(1);
    let name = sanitize::clip(&deleted.name, columns.saturating_sub(mark.len()).max(1));
    let used = sanitize::width(name.as_bytes()) + mark.len();
    let blanks = " ".repeat(columns.saturating_sub(used) + 1);
    let row = ListRow::new(" ").put(format!(" {name}"), Foreground::Text);
    let row = row.put(format!("{mark}{blanks}"), Foreground::Faint);
    let commit = &deleted.commit;
    let metadata = match &commit.metadata {
        Ok(metadata) => metadata,
        Err(failure) => {
            let failure = sanitize::line(failure.0.as_bytes());
            let words = format!("{}  {failure}", short(&commit.id));
            return row.put(words, Foreground::Text);
        }
    };
    let row = author_columns(row, metadata, Foreground::Author).put(" ", Foreground::Text);
    match &deleted.renamed_to {
        Some(path) => row.put(
            format!("renamed to {}", sanitize::line(path)),
            Foreground::Mark,
        ),
        None => row.put(sanitize::line(&metadata.summary()), Foreground::Text),
    }
}
