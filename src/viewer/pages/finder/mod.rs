//! The file finder: the list of the files of a version that match what is typed, and the beginning
//! of the selected one.

mod matching;

use bstr::{BString, ByteSlice};
use ratatui::buffer::Buffer;

use crate::{
    objects::ObjectId,
    sanitize::{self, Glyphs},
    text::thousands::thousands,
    viewer::{
        app::{display::layout::Area, state::App},
        model::{
            abbreviation::short,
            background::{
                queries::PageAnswer,
                queries::{BeginningQuery, FileListQuery},
                query::Answer,
            },
            file_version::version_of,
            keys::key::{Key, KeyCode},
            source::FileVersion,
            texts::{encodings, syntax::SyntaxClass},
        },
        pages::{
            directory::title::NamedDirectory,
            dispatch,
            finder::matching::Finder,
            list::{ItemList, KeyHelp, ListRow, Tone, own_list},
            page::{Handled, ListPlace, Page},
        },
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            footer::Footer,
            paint::{self, RowWriter},
        },
    },
};

/// The keys of the finder.
const KEYS: &[KeyHelp] = &[
    ("Enter", "open the file"),
    ("^U", "empty the input"),
    ("Esc", "close the list"),
];

/// The least columns of the screen for a preview of the selected file.
const MIN_PREVIEW_WIDTH: u16 = 100;

impl Page<App> for Finder {
    fn covers(&self) -> bool {
        true
    }

    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        if dispatch::typed_key(self, key, app) == Handled::Yes {
            return Handled::Yes;
        }
        match (key.code, key.ctrl) {
            _ if key.alt => {}
            (KeyCode::Escape, _) | (KeyCode::Char('c'), true) => app.pages.close_acting(),
            (KeyCode::Enter, _) => self.open_item(app),
            (KeyCode::Backspace, _) if self.query.is_empty() => app.pages.close_acting(),
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => self.erase_char(),
            (KeyCode::Char('u' | 'w'), true) => self.clear(),
            (KeyCode::Char(c), false) => self.type_char(c),
            _ => {}
        }
        Handled::Yes
    }

    fn paste(&mut self, text: &str, _: &mut App) {
        self.paste_text(text);
    }

    fn awaits(&self, id: u64) -> bool {
        self.id == id || self.preview_id() == Some(id)
    }

    fn on_answer(&mut self, answer: PageAnswer, app: &mut App) {
        match answer {
            PageAnswer::FileList(Answer::Found(names)) => self.add(names),
            PageAnswer::FileList(Answer::Ended(end)) => self.end(end),
            PageAnswer::Beginning(answer) => {
                let encoding = app.display.encoding;
                let text = answer.end().map(|text| encodings::shown(&text, encoding));
                self.end_preview(text);
            }
            _ => {}
        }
    }

    /// Requests the beginning of the selected file, if there is room for it.
    fn refresh(&mut self, app: &mut App) {
        if app.size.0 < MIN_PREVIEW_WIDTH {
            return;
        }
        if let Some(path) = self.path_to_preview() {
            let commit = self.commit_of_choice().or(self.commit(app));
            let version = version_of(commit, path.clone());
            self.begin_preview(app.ask(BeginningQuery { version }), path);
        }
    }

    fn has_work(&self) -> bool {
        !self.is_scanned()
    }

    fn work(&mut self) {
        self.match_more();
    }

    own_list!();

    fn count(&self, _: &App) -> usize {
        self.best.len()
    }

    fn rows(&self, at: usize, width: usize, _: &App) -> Vec<ListRow> {
        let found = self.best.get(at);
        let name = found.and_then(|found| self.files.get(found.file.0));
        let (Some(found), Some(name)) = (found, name) else {
            return Vec::new();
        };
        // A blank at either side, and one for the mark.
        let whole = sanitize::line(self.below(name));
        let path = sanitize::clip_left(&whole, width.saturating_sub(3));
        let folder_len = path.rfind('/').map_or(0, |slash| slash + 1);
        let mut row = ListRow::new(if found.visited { "*" } else { " " });
        row = row.put(" ", Foreground::Faint);
        let (others, searched) = path.split_at(if found.in_name { folder_len } else { 0 });
        row = row.put(others, Foreground::Faint);
        let (mut matched, is_all) = self.matched(searched);
        if !is_all && path != whole {
            // The sign that it is cut stands for what that hides.
            matched.push(0);
        }
        let mut number = 0;
        for glyph in Glyphs::new(searched.as_bytes()) {
            // A letter and its marks are one.
            let chars = searched[glyph.start..glyph.end].chars().count() as u32;
            let is_matched = matched
                .iter()
                .any(|at| (number..number + chars).contains(at));
            number += chars;
            let tone = if is_matched {
                Tone::Strong(Foreground::Mark)
            } else if others.len() + glyph.start < folder_len {
                Tone::Text(Foreground::Faint)
            } else {
                Tone::Text(Foreground::Text)
            };
            row.extend_as(&searched[glyph.start..glyph.end], tone);
        }
        let row = row.right(" ");
        vec![row]
    }

    fn ending(&self, _: &App) -> String {
        match (&self.listed, self.best.is_empty()) {
            (Some(Err(failure)), _) => sanitize::line(failure.0.as_bytes()),
            (None, _) => "reading the names of files…".to_owned(),
            (Some(Ok(())), true) if self.is_scanned() => "no file matches".to_owned(),
            (Some(Ok(())), _) => String::new(),
        }
    }

    fn is_typed(&self) -> bool {
        true
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Files", KEYS))
    }

    fn list_place(&self, body: Area) -> ListPlace {
        ListPlace::Part(match body.width {
            MIN_PREVIEW_WIDTH.. => Area {
                width: body.width * 2 / 5,
                ..body
            },
            _ => body,
        })
    }

    /// Opens the selected file.
    fn open_item(&mut self, app: &mut App) {
        let Some(path) = self.choice() else {
            return app.show_message("no matching file");
        };
        let commit = self.commit_of_choice().or(self.commit(app));
        let version = version_of(commit, path.clone());
        app.pages.close_acting();
        if app.view().is_some_and(|view| view.version == version) {
            return app.show_message("this file is already open");
        }
        app.open_chosen(commit, path);
    }

    /// Draws the beginning of the selected file beside the list, if the list leaves room.
    fn draw(&self, _: &App, theme: &Theme, body: Area, buffer: &mut Buffer) {
        let taken = self.list.shape.outer.width;
        if taken == 0 || taken >= body.width {
            return;
        }
        let area = Area {
            x: body.x + taken,
            width: body.width - taken,
            ..body
        };
        let faint = theme.line(LineBackground::Plain, Foreground::Faint);
        let code = theme.line(LineBackground::Plain, Foreground::Code(SyntaxClass::Plain));
        let text = match self.preview() {
            Some(Ok(text)) => Some(text),
            Some(Err(failure)) => {
                let at = (area.x + 2, area.y);
                let words = sanitize::line(failure.0.as_bytes());
                paint::text(buffer, at, area.width.saturating_sub(2), &words, faint);
                None
            }
            None => None,
        };
        let count = text.map_or(0, |text| text.line_count());
        let rows = u32::from(area.height);
        let digits = count.min(rows).max(1).ilog10() as usize + 1;
        for (y, line) in (area.y..area.y + area.height).zip(0..) {
            let row = area.row(y);
            let mut row = RowWriter::new(buffer, row);
            row.put("│ ", faint);
            if let Some(text) = text.filter(|_| line < count) {
                row.put(&format!("{:>digits$} ", line + 1), faint);
                let room = usize::from(row.remaining());
                row.put(&sanitize::clip(text.line(line), room), code);
            }
        }
    }

    /// Of which directory and version the files are, and above a preview, of which one that is.
    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let revision = match (&self.revision, self.commit(app)) {
            (Some(name), _) => sanitize::line(name.as_bytes()),
            (None, Some(commit)) => short(&commit),
            (None, None) => "work tree".to_owned(),
        };
        let list = self.list.shape.outer;
        if list.width < app.size.0
            && let Some(path) = self.choice()
        {
            let room = usize::from(app.size.0 - list.width).saturating_sub(3);
            let path = sanitize::clip_left(&sanitize::line(&path), room);
            let missing = room.saturating_sub(sanitize::width(path.as_bytes()));
            let words = format!("│ {path}{}", " ".repeat(missing + 1));
            row.put_right(&words, theme.bar_emphasis());
        }
        row.put(" files", theme.bar_emphasis());
        let directory = self.directory();
        if !directory.is_empty() {
            let words = format!(" below {}", sanitize::line(directory));
            row.put(&words, theme.bar_emphasis());
        }
        row.put(&format!(" @ {revision}"), theme.bar());
        true
    }

    /// Draws the query and the number of matching files.
    fn input(&self, _: &App, footer: &mut Footer<'_>) -> bool {
        let (theme, row) = (footer.theme, &mut footer.row);
        let (count, all) = self.counts();
        let more = if self.is_complete() { "" } else { "+" };
        let (count, all) = (thousands(count), thousands(all));
        row.put_right(&format!(" {count} of {all}{more} files "), theme.bar());
        if let Some(failure) = self.failure() {
            let words = sanitize::line(failure.0.as_bytes());
            row.put_right(&format!(" {words} "), theme.bar_emphasis());
        }
        row.put("file: ", theme.bar_emphasis());
        footer.typed(&self.query);
        let visited = if self.best.iter().any(|found| found.visited) {
            ", * was visited"
        } else {
            ""
        };
        let words = format!("  Enter opens{visited}, F1 keys, Esc closes");
        footer.row.put(&words, theme.bar());
        true
    }
}

impl Finder {
    /// The commit of the files; `None` for the work tree.
    fn commit(&self, app: &App) -> Option<ObjectId> {
        match &self.version {
            FileVersion::Commit { commit, .. } => Some(*commit),
            FileVersion::CommandLine | FileVersion::Reloaded { .. } => {
                app.environment.repository.command_line_commit
            }
            FileVersion::WorkTree { .. } => None,
        }
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
        let finder = self.new_finder(version, visited);
        self.pages.open(finder);
    }

    /// Opens a file that was chosen in a list; `None` is the work tree.
    pub(crate) fn open_chosen(&mut self, commit: Option<ObjectId>, path: BString) {
        let is_first = self.view().is_none() || self.history.is_before_views;
        self.mark_before_jump();
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let name = sanitize::line(name);
        self.open(version_of(commit, path.clone()), Some(0), None);
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

    /// Opens the finder with the files below a directory.
    pub(crate) fn open_finder_in(&mut self, directory: NamedDirectory) {
        let mut finder = self.new_finder(directory.version, Vec::new());
        finder.limit_to(&directory.path);
        finder.revision = directory.revision;
        self.pages.open(finder);
    }

    fn new_finder(&mut self, version: FileVersion, visited: Vec<BString>) -> Finder {
        let query = FileListQuery {
            version: version.clone(),
        };
        let id = self.ask(query);
        let open = self.view().map(|view| view.path.clone());
        let open = open.unwrap_or_default();
        Finder::new(id, version, open.as_slice().as_bstr(), visited)
    }
}
