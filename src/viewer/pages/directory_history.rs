//! The list of the commits that changed a directory.

use std::sync::Arc;

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::state::App,
        model::{
            abbreviation::short,
            background::{
                directory_history::{DirectoryHistoryQuery, KnownCommit},
                queries::PageAnswer,
                query::Answer,
            },
            keys::bindings::Action,
        },
        pages::{
            commit_row::{change_columns, date_and_author, longest_author, looking, unreadable},
            directory::title::NamedDirectory,
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
    ("{close}  {file-history}", "close"),
    (
        "{diff}  {commit-diff}",
        "diff: what it did below this directory; again there, to all files",
    ),
    ("{blame-commit}", "go there: the directory in this commit"),
    ("{help}", "keys"),
    ("{copy-id}", "copy id: that of the commit"),
    ("{browse}", "open the commit in the browser"),
    ("{reload}", "read the directory again"),
];

/// The open list.
#[derive(Debug)]
struct DirectoryHistoryPage {
    directory: NamedDirectory,
    list: ItemList,
    found: ResumedItems<KnownCommit>,
    /// The width of the longest name of an author.
    longest_author: usize,
}

impl Page<App> for DirectoryHistoryPage {
    fn covers(&self) -> bool {
        true
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn action(&mut self, action: Action, _: Option<u32>, app: &mut App) -> Handled {
        match action {
            Action::Diff | Action::CommitDiff | Action::Right => self.open_item(app),
            Action::BlameCommit => {
                if let Some(commit) = self.selected().map(|commit| commit.id) {
                    let path = self.directory.path.as_ref().clone();
                    app.open_directory_above(Some(commit), path, short(&commit));
                }
            }
            Action::CopyId => {
                if let Some(commit) = self.selected() {
                    app.copy(commit.id.to_string());
                }
            }
            Action::Browse => {
                if let Some(commit) = self.selected().map(|commit| commit.id) {
                    app.browse_commit(&commit);
                }
            }
            Action::Reload => {
                self.found = ResumedItems::new();
                self.ask(app);
                // The directory below is read again too.
                return Handled::Pass;
            }
            Action::Close | Action::Quit | Action::FileHistory | Action::Back | Action::Left => {
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
            PageAnswer::DirectoryHistory(Answer::Found(found)) => {
                let authors = longest_author(found.commits.iter().map(|it| &it.metadata));
                self.longest_author = self.longest_author.max(authors);
                self.found.add(found.commits, found.frontier);
            }
            PageAnswer::DirectoryHistory(Answer::Ended(end)) => self.found.progress = end.into(),
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
        let commit = self.found.items.get(at);
        // A blank at the right end.
        let row = commit.map(|commit| {
            let change = change_columns(self.longest_author, width.saturating_sub(1), 0);
            commit_row(commit, change).right(" ")
        });
        row.into_iter().collect()
    }

    fn is_reading(&self, _: &App) -> bool {
        self.found.is_running()
    }

    fn ending(&self, _: &App) -> String {
        match (looking(&self.found.progress), self.found.items.last()) {
            (Some(words), _) => words,
            (None, Some(_)) if self.found.items.len() == 1 => "this is the only commit".to_owned(),
            (None, Some(last)) => format!("the first commit is {}", short(&last.id)),
            (None, None) => "no commit changed it".to_owned(),
        }
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("History of the directory", KEYS))
    }

    /// Opens the diff of the selected commit below the directory.
    fn open_item(&mut self, app: &mut App) {
        if let Some(commit) = self.selected().map(|commit| commit.id) {
            app.open_commit_below(commit, Arc::clone(&self.directory.path));
        }
    }

    /// Which directory, and how many commits are known.
    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let numbers = (self.list.selected, self.found.items.len());
        let commits = if numbers.1 == 1 {
            " commit"
        } else {
            " commits"
        };
        let more = if self.found.is_running() { "…" } else { "" };
        let noun = format!("{commits}{more}");
        let title = ("history of", &self.directory, "");
        app.directory_header(title, numbers, &noun, theme, row);
        true
    }
}

impl DirectoryHistoryPage {
    fn selected(&self) -> Option<&KnownCommit> {
        self.found.items.get(self.list.selected)
    }

    fn ask(&mut self, app: &mut App) {
        let version = self.directory.version.clone();
        self.found.asked(app.ask(DirectoryHistoryQuery { version }));
    }
}

impl App {
    /// Lists the commits that changed a directory.
    pub(crate) fn open_directory_history(&mut self, directory: NamedDirectory) {
        let mut page = DirectoryHistoryPage {
            directory,
            list: ItemList::default(),
            found: ResumedItems::new(),
            longest_author: 0,
        };
        page.ask(self);
        self.pages.open(page);
    }

    /// Opens the page of a commit in the browser.
    pub(crate) fn browse_commit(&mut self, commit: &ObjectId) {
        match self.environment.repository.web.commit(commit) {
            Some(url) => self.browse(url),
            None => self.show_message(self.environment.repository.web.missing_reason()),
        }
    }
}

/// Date and author of a commit, in so many columns, and its summary.
fn commit_row(commit: &KnownCommit, change: usize) -> ListRow {
    let row = ListRow::new(" ");
    let metadata = match &commit.metadata {
        Ok(metadata) => metadata,
        Err(failure) => return unreadable(row, &commit.id, failure),
    };
    let row = date_and_author(row, metadata, change);
    let mut row = row.put(" ", Foreground::Text);
    if commit.is_merge && !metadata.message.starts_with(b"Merge") {
        row = row.put("merge ", Foreground::Mark);
    }
    row.put(sanitize::line(&metadata.summary()), Foreground::Text)
}
