//! Opening another file with the file finder.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    objects::ObjectId,
    sanitize,
    viewer::{
        app::{
            overlays::{finder::Finder, overlay::Overlay},
            state::App,
        },
        model::{
            abbreviation::short,
            encodings,
            key::{Key, KeyCode},
            query::Answer,
            repository_queries::{BeginningQuery, FileListQuery},
            source::{Failure, FileVersion},
            text::Text,
        },
        protocol::Effect,
    },
};

/// The least columns of the screen for a preview of the selected file.
pub(crate) const MIN_PREVIEW_WIDTH: u16 = 100;

/// A file of a commit, or of the work tree.
fn version_of(commit: Option<ObjectId>, path: BString) -> FileVersion {
    let path = Arc::new(path);
    match commit {
        Some(commit) => FileVersion::Commit { commit, path },
        None => FileVersion::WorkTree { path },
    }
}

impl App {
    /// Opens the finder and requests the files of the visible version.
    pub(crate) fn open_finder(&mut self) {
        let Some(view) = self.view() else { return };
        let (mut version, path) = (view.version.clone(), view.path.clone());
        if let Some(commit) = view.command_line_commit {
            let path = path.clone();
            version = FileVersion::Commit { commit, path };
        }
        let mut visited: Vec<BString> = Vec::new();
        let (before, after) = self.history.views.split_at(self.history.current + 1);
        for view in before.iter().rev().chain(after) {
            if view.path != path && !visited.contains(&view.path) {
                visited.push(view.path.as_ref().clone());
            }
        }
        self.push_finder(version, visited);
    }

    /// Opens the finder at the start of the viewer, with the files below a directory.
    pub(crate) fn open_finder_in(&mut self, directory: FileVersion) {
        let path = match &directory {
            FileVersion::WorkTree { path } | FileVersion::Commit { path, .. } => path.clone(),
            FileVersion::CommandLine | FileVersion::Reloaded { .. } => Arc::default(),
        };
        self.push_finder(directory, Vec::new());
        if let Some(finder) = self.overlays.finder_mut() {
            finder.limit_to(&path);
        }
    }

    fn push_finder(&mut self, version: FileVersion, visited: Vec<BString>) {
        let query = FileListQuery {
            version: version.clone(),
        };
        let id = self.ask(query);
        let open = self
            .view()
            .map(|view| view.path.clone())
            .unwrap_or_default();
        let finder = Finder::new(id, version, open.as_slice().as_bstr(), visited);
        self.overlays.push(Overlay::Finder(Box::new(finder)));
    }

    /// Closes the finder; ends the viewer if no file was opened yet.
    fn close_finder(&mut self) {
        self.overlays.pop();
        if self.view().is_none() && self.history.pending.is_none() {
            self.effects.push(Effect::Quit);
        }
    }

    /// Adds listed files to the finder that requested them.
    pub(crate) fn on_file_list(&mut self, id: u64, answer: Answer<FileListQuery>) {
        let finder = self.overlays.finder_mut();
        let Some(finder) = finder.filter(|finder| finder.id == id) else {
            return;
        };
        match answer {
            Answer::Found(names) => finder.add(names),
            Answer::Ended(end) => finder.end(end),
        }
    }

    /// Matches the next files.
    pub(crate) fn advance_finder(&mut self) {
        if let Some(finder) = self.overlays.finder_mut() {
            finder.advance();
        }
    }

    /// Whether the finder has files left to match.
    pub(crate) fn finds_more(&self) -> bool {
        let finder = self.overlays.finder();
        finder.is_some_and(|finder| !finder.is_scanned())
    }

    /// Handles a key while the finder is open.
    pub(crate) fn finder_key(&mut self, key: Key) {
        if self.typed_list_key(key) {
            return;
        }
        let Some(finder) = self.overlays.finder_mut() else {
            return;
        };
        match (key.code, key.ctrl) {
            _ if key.alt => {}
            (KeyCode::Escape, _) | (KeyCode::Char('c'), true) => self.close_finder(),
            (KeyCode::Enter, _) => self.open_found(),
            (KeyCode::Backspace, _) if finder.query.is_empty() => self.close_finder(),
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => finder.erase_char(),
            (KeyCode::Char('u' | 'w'), true) => finder.clear(),
            (KeyCode::Char(c), false) => finder.type_char(c),
            _ => {}
        }
    }

    /// The commit of the finder's files; `None` for the work tree.
    fn finder_commit(&self, finder: &Finder) -> Option<ObjectId> {
        match &finder.version {
            FileVersion::Commit { commit, .. } => Some(*commit),
            FileVersion::CommandLine | FileVersion::Reloaded { .. } => {
                self.environment.repository.command_line_commit
            }
            FileVersion::WorkTree { .. } => None,
        }
    }

    /// Requests the beginning of the file that is selected in the finder, if there is room for it.
    pub(crate) fn request_preview(&mut self) {
        if self.size.0 < MIN_PREVIEW_WIDTH {
            return;
        }
        let Some(finder) = self.overlays.finder_mut() else {
            return;
        };
        let Some(path) = finder.path_to_preview() else {
            return;
        };
        let finder = self.overlays.finder();
        let commit = finder.and_then(|finder| self.finder_commit(finder));
        let version = version_of(commit, path.clone());
        let id = self.ask(BeginningQuery { version });
        if let Some(finder) = self.overlays.finder_mut() {
            finder.begin_preview(id, path);
        }
    }

    /// Stores the beginning of the selected file.
    pub(crate) fn on_beginning(&mut self, id: u64, text: Result<Arc<Text>, Failure>) {
        let encoding = self.display.encoding;
        let text = text.map(|text| encodings::shown(&text, encoding));
        if let Some(finder) = self.overlays.finder_mut() {
            finder.end_preview(id, text);
        }
    }

    pub(crate) fn open_found(&mut self) {
        let Some(finder) = self.overlays.finder() else {
            return;
        };
        let Some(path) = finder.choice() else {
            return self.show_message("no matching file");
        };
        let commit = self.finder_commit(finder);
        let version = version_of(commit, path.clone());
        self.overlays.pop();
        if self.view().is_some_and(|view| view.version == version) {
            return self.show_message("this file is already open");
        }
        let is_first = self.view().is_none();
        self.mark_before_jump();
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let name = sanitize::line(name);
        self.open(version, Some(0), None);
        if let Some(pending) = &mut self.history.pending
            && !is_first
        {
            // The header shows the history of files.
            pending.revision = match commit {
                Some(commit) => format!("{name} {}", short(&commit)),
                None => name,
            };
        }
        if !is_first {
            let returns = self.keymap.fill("{back} returns");
            self.show_message(format!("{}; {returns}", sanitize::line(&path)));
        }
    }
}
