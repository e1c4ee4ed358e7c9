//! How the page of a directory is opened.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::state::App,
        model::{
            background::directory::EntryKind, file_version::FileVersion, line_filter::LineFilter,
        },
        pages::directory::{DirectoryPage, columns::ShownColumns, listing::Listing, row::RowColor},
    },
};

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
        let shown = Listing::new(commit, path.as_ref().clone(), revision.into(), None);
        self.open_listing(shown, false);
    }

    /// Opens a directory of a commit, or of the work tree for `None`, above another page, to which a
    /// step back returns.
    pub(crate) fn open_directory_above(
        &mut self,
        commit: Option<ObjectId>,
        path: BString,
        revision: String,
    ) {
        let shown = Listing::new(commit, path, revision.into(), None);
        self.open_listing(shown, true);
    }

    fn open_listing(&mut self, mut shown: Listing, has_page_below: bool) {
        shown.ask(self);
        self.pages.open(DirectoryPage {
            shown,
            above: Vec::new(),
            columns: ShownColumns::default(),
            filter: LineFilter::default(),
            color: RowColor::default(),
            ahead: Vec::new(),
            ahead_of: None,
            asked_place: None,
            has_page_below,
        });
    }
}

impl DirectoryPage {
    /// Opens the diff of the commit that changed the selected entry last.
    pub(super) fn open_last_change(&self, app: &mut App) {
        match self.shown.last_change() {
            Ok((entry, change)) => {
                let path = Arc::new(self.shown.path_of(&entry.name));
                match entry.kind {
                    EntryKind::Directory => app.open_commit_below(change.commit, path),
                    _ => app.open_commit_at(change.commit, path, None),
                }
            }
            Err(words) => app.show_filled(words),
        }
    }
}

/// What is said in place of opening a submodule: its repository is another one.
pub(super) fn submodule_words(path: &BString) -> String {
    let path = sanitize::line(path);
    format!("a submodule: tblame {path}/ opens its repository, if it is checked out")
}
