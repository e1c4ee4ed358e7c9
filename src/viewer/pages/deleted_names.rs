//! The list of the names that were directly in a directory, and when and by whom they were deleted.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    sanitize, sorting,
    viewer::{
        app::state::App,
        model::{
            abbreviation::short,
            background::{
                directory::{EntryKind, name_below, path_below},
                directory_history::{DeletedName, DeletedNamesQuery, FoundNames, MovedNamesQuery},
                queries::PageAnswer,
                query::Answer,
            },
            keys::bindings::Action,
        },
        pages::{
            commit_row::{change_columns, date_and_author, longest_author, looking, unreadable},
            directory::title::NamedDirectory,
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
    (
        "{diff}  {right}",
        "open as it was: the version before it was deleted",
    ),
    ("{commit-diff}", "diff: that of the commit that deleted it"),
    ("{help}", "keys"),
    ("{copy-id}", "copy id: that of the commit"),
    ("{browse}", "open the commit in the browser"),
    ("{reload}", "read the directory again"),
];

/// The commit of a deletion, and its parent that has what was deleted.
type CommitAndParent = (ObjectId, ObjectId);

/// The open list.
#[derive(Debug)]
struct DeletedNamesPage {
    directory: NamedDirectory,
    list: ItemList,
    found: ResumedItems<DeletedName>,
    /// By commit and parent: where the commit moved names, as paths from the root, if that was looked
    /// for.
    moved: HashMap<CommitAndParent, HashMap<BString, BString>>,
    /// The query for another one, and what it is about.
    asked: Option<(u64, CommitAndParent)>,
    /// The width of the widest name, in columns, and of that of an author.
    name_width: usize,
    longest_author: usize,
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
                let authors = longest_author(found.names.iter().map(|it| &it.commit.metadata));
                self.longest_author = self.longest_author.max(authors);
                self.add(found);
            }
            PageAnswer::DeletedNames(Answer::Ended(end)) => self.found.progress = end.into(),
            PageAnswer::MovedNames(answer) => {
                if let Some((_, deletion)) = self.asked.take() {
                    // What cannot be compared counts as deleted.
                    self.moved
                        .insert(deletion, answer.end().unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    /// Asks where the first of the visible names was moved for which that is not known, and all
    /// others of its commit. A merge may have moved what one of its parents has, such as all files of
    /// another project into a directory.
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
        let deletion = |it: &DeletedName| (it.commit.id, it.parent);
        let is_unknown = |it: &&DeletedName| !self.moved.contains_key(&deletion(it));
        self.asked = visible.find(is_unknown).map(|deleted| {
            let (commit, parent) = deletion(deleted);
            let items = self.found.items.iter();
            let same = items.filter(|it| deletion(it) == (commit, parent));
            let query = MovedNamesQuery {
                commit,
                parent,
                paths: same.map(|it| self.path_of(it)).collect(),
            };
            (app.ask(query), (commit, parent))
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
        let name = self.name_columns(width);
        let columns = [name, change_columns(self.longest_author, width, name)];
        // A blank at the right end, too.
        let width = width.saturating_sub(1);
        let row = |it| deletion_row(it, self.target(it), columns, width).right(" ");
        deleted.map(row).into_iter().collect()
    }

    fn title(&self, _: &App) -> Option<String> {
        let width = self.list.shape.row_width().into();
        let name = self.name_columns(width);
        let change = change_columns(self.longest_author, width, name);
        let is_empty = self.found.items.is_empty() && !self.found.is_running();
        (!is_empty).then(|| {
            format!(
                "  {:<name$} {:<change$} moved to, or why",
                "name", "deleted"
            )
        })
    }

    fn is_reading(&self, _: &App) -> bool {
        self.found.is_running()
    }

    fn ending(&self, _: &App) -> String {
        match (looking(&self.found.progress), self.found.items.len()) {
            (Some(words), _) => words,
            (None, 0) => "no direct entry was deleted".to_owned(),
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
                app.open_directory_above(Some(parent), path, revision);
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
        // What was below them is in the lists of other directories.
        let title = ("direct entries deleted from", &self.directory, "");
        app.directory_header(title, numbers, more, theme, row);
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
        path_below(&self.directory.path, &deleted.name)
    }

    /// Where a name was moved, if that is known.
    fn moved_to(&self, deleted: &DeletedName) -> Option<&BString> {
        let moved = self.moved.get(&(deleted.commit.id, deleted.parent))?;
        moved.get(&self.path_of(deleted))
    }

    /// Takes further names. Those that were deleted last come first, by the dates that are shown. The
    /// selected one stays selected, unless it is the first: then the first ones are to be seen.
    fn add(&mut self, found: FoundNames) {
        let selected = self.selected().filter(|_| self.list.selected > 0);
        let selected = selected.map(|deleted| deleted.name.clone());
        self.found.add(found.names, found.frontier);
        let date = |deleted: &DeletedName| {
            let metadata = deleted.commit.metadata.as_ref().ok();
            Reverse(metadata.map(|metadata| metadata.author.time))
        };
        sorting::sort_by_key(&mut self.found.items, date);
        let mut names = self.found.items.iter().map(|deleted| &deleted.name);
        let at = names.position(|name| Some(name) == selected.as_ref());
        self.list.selected = at.unwrap_or(self.list.selected);
    }

    /// The words for where a name was moved: the path below this directory, or from the root after a
    /// slash.
    fn target(&self, deleted: &DeletedName) -> Option<String> {
        let path = self.moved_to(deleted)?;
        Some(match name_below(&self.directory.path, path) {
            Some(name) => sanitize::line(name),
            None => format!("/{}", sanitize::line(path)),
        })
    }

    fn ask(&mut self, app: &mut App) {
        let version = self.directory.version.clone();
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
    pub(crate) fn open_deleted_names(&mut self, directory: NamedDirectory) {
        let mut page = DeletedNamesPage {
            directory,
            list: ItemList::default(),
            found: ResumedItems::new(),
            moved: HashMap::new(),
            asked: None,
            name_width: 0,
            longest_author: 0,
        };
        page.ask(self);
        self.pages.open(page);
    }
}

/// Name, date and author of a deletion, and where the name went or why, in a row of a width.
/// The name, and the date with the author, have so many columns.
fn deletion_row(
    deleted: &DeletedName,
    target: Option<String>,
    [columns, change]: [usize; 2],
    width: usize,
) -> ListRow {
    let mark = deleted.kind.mark();
    let name = sanitize::clip(&deleted.name, columns.saturating_sub(mark.len()).max(1));
    let used = sanitize::width(name.as_bytes()) + mark.len();
    let blanks = " ".repeat(columns.saturating_sub(used) + 1);
    let row = ListRow::new(" ").lead(" ").put(name, Foreground::Text);
    let row = row.put(format!("{mark}{blanks}"), Foreground::Faint);
    let commit = &deleted.commit;
    let metadata = match &commit.metadata {
        Ok(metadata) => metadata,
        Err(failure) => return unreadable(row, &commit.id, failure),
    };
    let row = date_and_author(row, metadata, change).put(" ", Foreground::Text);
    match target {
        Some(path) => {
            // Mark, lead, and the blanks after both columns; the end of the path tells it from others.
            let used = 2 + columns + 1 + change + 1 + "→ ".chars().count() + mark.len();
            let path = sanitize::clip_left(&path, width.saturating_sub(used).max(1));
            row.put(format!("→ {path}{mark}"), Foreground::Mark)
        }
        None => row.put(sanitize::line(&metadata.summary()), Foreground::Text),
    }
}
