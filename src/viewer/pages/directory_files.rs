//! The list of all files below a directory, those that were changed last long ago first: when and by
//! whom that was, and how many lines they have. With a filter, those that have such lines.

use std::sync::Arc;

use bstr::{BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    objects::ObjectId,
    repository::commits::people::UNCOMMITTED,
    sanitize,
    viewer::{
        app::{prompt_history::PromptKind, state::App},
        model::{
            background::{
                directory::path_below,
                directory_lines::{
                    CountProgress, CountScope, DatedFile, DirectoryFilesQuery, EntryLines,
                    FileCount, FoundFiles,
                },
                queries::PageAnswer,
                query::Answer,
            },
            file_version::{Failure, FileVersion},
            keys::bindings::Action,
            line_filter::{DateSpan, LineFilter},
            relative_dates,
        },
        pages::{
            commit_row::{
                DATE_COLUMNS, LEFT_OUT_HELP, UNCOMMITTED_HELP, change_columns, date_and_author,
                longest_author, unknown_change, work_tree_mark,
            },
            count_words::count_words,
            directory::title::NamedDirectory,
            dispatch,
            list::{ItemList, KeyHelp, ListRow, own_list},
            offers,
            page::{Handled, Page, PageKind, WhenLeft},
        },
        theme::{roles::Foreground, styles::Theme},
        ui::{footer::Footer, header::thousands, paint::RowWriter},
    },
};

/// The width of numbers of lines.
const LINES_COLUMNS: usize = 8;

/// The rows above the first one of a date.
const ROWS_BEFORE_DATE: usize = 3;

/// The least columns of a row for summaries, and their least width.
const MIN_FOR_SUMMARIES: usize = 158;
const MIN_SUMMARY: usize = 36;

/// The words for a directory without files.
const NO_FILES: &str = "there is no file below it";

/// The keys of the page.
const KEYS: &[KeyHelp] = &[
    ("{diff}  {right}", "open: the blame of the file"),
    ("{back}  {left}", "close"),
    ("{close}", "end: the filter, or else close"),
    ("{help}", "keys"),
    (
        "{commit-diff}",
        "its diff: that of the commit that changed the file last",
    ),
    (
        "{filter}",
        "filter: only files with lines of a person, dates, a release, an agent: {filter}2021..",
    ),
    (
        "{goto}",
        "date: the first file that was changed then or later: {goto}2021-11",
    ),
    NOT_COUNTED_HELP,
    UNCOMMITTED_HELP,
    LEFT_OUT_HELP,
    ("{copy-id}", "copy the id of the last commit"),
    ("{browse}", "open the last commit in the browser"),
    ("{reload}", "read the directory again"),
];

/// What stands in place of a number of lines that are not counted.
const NOT_COUNTED_MARK: &str = "–";

/// The help for it.
const NOT_COUNTED_HELP: KeyHelp = ("“–”", "not counted: the file is generated or binary");

/// The number of the lines of a file that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListedLines {
    /// Not yet, or not at all as the file cannot be read.
    Unknown,
    /// It is generated or binary.
    NotCounted,
    Counted(u64),
}

impl ListedLines {
    fn of(lines: &EntryLines) -> ListedLines {
        match lines {
            _ if lines.failed > 0 => ListedLines::Unknown,
            _ if lines.generated_lines > 0 => ListedLines::NotCounted,
            _ => ListedLines::Counted(lines.lines),
        }
    }
}

/// The open list.
#[derive(Debug)]
struct DirectoryFilesPage {
    directory: NamedDirectory,
    /// The number of the reading of the work tree.
    reading: u64,
    list: ItemList,
    files: Vec<DatedFile>,
    /// The widths of the longest name of their authors, and of the longest path that is shown.
    longest_author: usize,
    longest_name: usize,
    /// By file: how many lines count.
    lines: Vec<ListedLines>,
    places: FxHashMap<BString, usize>,
    /// The files that are shown.
    shown: Vec<usize>,
    /// The number of the query; 0 once its answer is not awaited.
    id: u64,
    /// Which lines were asked for.
    asked: LineFilter,
    progress: CountProgress,
    /// How it ended, once it has.
    end: Option<Result<FileCount, Failure>>,
}

impl Page<App> for DirectoryFilesPage {
    fn kind(&self) -> PageKind {
        PageKind::Directory
    }

    fn covers(&self) -> bool {
        true
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        match action {
            // All that are shown have such lines.
            Action::NextFiltered => return dispatch::list_action(self, Action::Down, count, app),
            Action::PreviousFiltered => return dispatch::list_action(self, Action::Up, count, app),
            Action::Right => self.open_item(app),
            Action::CommitDiff | Action::CopyId | Action::Browse => match self.last_commit() {
                Ok((file, commit)) if action == Action::CommitDiff => {
                    let path = Arc::new(path_below(&self.directory.path, &file.name));
                    app.open_commit_at(commit, path, None);
                }
                Ok((_, commit)) => app.use_commit(action, Some(commit)),
                Err(words) => app.show_message(words),
            },
            Action::Filter => app.open_filter_prompt(),
            Action::Goto => app.open_prompt(PromptKind::Goto),
            Action::Reload => {
                self.reading = app.requests.next_id();
                self.ask(app);
                // The directory below is read again too.
                return Handled::Pass;
            }
            Action::Close if self.list.search.take().is_some() => {}
            Action::Close if !app.display.filter.is_empty() => {
                app.set_filter(LineFilter::default());
            }
            Action::Close | Action::Quit | Action::LineHistory | Action::Back | Action::Left => {
                app.pages.close_acting();
            }
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    /// Goes to a row, or to the first file that was changed at a date or later.
    fn go_to(&mut self, input: &str, app: &mut App) -> Handled {
        if dispatch::go_to_row(&mut self.list, input, app) == Handled::Yes {
            return Handled::Yes;
        }
        let dates = LineFilter::parse(input).ok().and_then(|it| it.dates);
        let Some(DateSpan { from, .. }) = dates else {
            return Handled::Pass;
        };
        let since = DateSpan {
            from,
            to: String::new(),
        };
        let is_since = |at: &usize| match &self.files[*at].change {
            Some((_, Ok(metadata))) => since.contains(metadata.author.time, metadata.author.offset),
            _ => false,
        };
        match self.shown.iter().position(is_since) {
            Some(row) => {
                self.list.select(row);
                // What was changed then or later is seen, and some of what was before.
                self.list.top = row.saturating_sub(ROWS_BEFORE_DATE);
            }
            None => app.show_message(format!("no file was changed since {}", since.from)),
        }
        Handled::Yes
    }

    fn awaits(&self, id: u64) -> bool {
        self.id == id
    }

    fn on_answer(&mut self, answer: PageAnswer, app: &mut App) {
        let PageAnswer::DirectoryFiles(answer) = answer else {
            return;
        };
        let selected = self.selected().map(|file| file.name.clone());
        match answer {
            Answer::Found(FoundFiles::Files(files)) => {
                let names = files.iter().zip(0..);
                self.places = names.map(|(file, at)| (file.name.clone(), at)).collect();
                self.lines = vec![ListedLines::Unknown; files.len()];
                let changes = files
                    .iter()
                    .filter_map(|file| Some(&file.change.as_ref()?.1));
                self.longest_author = longest_author(changes);
                self.files = files;
            }
            Answer::Found(FoundFiles::Lines(found)) => {
                for (name, lines) in found.entries {
                    if let Some(at) = self.places.get(name.as_bstr()) {
                        self.lines[*at] = ListedLines::of(&lines);
                    }
                }
                self.progress = found.progress;
            }
            Answer::Ended(end) => {
                if let Ok(files) = &end {
                    app.prove_filter_of_directory(&self.asked, files);
                }
                self.end = Some(end);
            }
        }
        self.show(selected.as_ref());
    }

    /// Asks again if other lines count.
    fn refresh(&mut self, app: &mut App) {
        let is_cancelled = self.id != 0 && self.end.is_none() && !app.requests.is_running(self.id);
        if is_cancelled || self.asked != app.display.filter {
            self.ask(app);
        }
    }

    /// The query is cancelled.
    fn on_left(&mut self) {
        self.id = 0;
    }

    fn on_reopened(&mut self, app: &mut App) {
        if self.end.is_none() {
            self.ask(app);
        }
    }

    own_list!();

    fn count(&self, _: &App) -> usize {
        self.shown.len()
    }

    fn title(&self, _: &App) -> Option<String> {
        let lines = format!("{:>LINES_COLUMNS$}", "lines");
        let row = self.list.shape.row_width().into();
        let (words, width) = match change_columns(self.longest_author, row, LINES_COLUMNS) {
            DATE_COLUMNS => ("changed", DATE_COLUMNS),
            width => ("last change, oldest first", width),
        };
        let mut title = format!(" {words:<width$}{lines}  ");
        match self.name_columns(width, row) {
            Some(name) => title += &format!("{:<name$} summary", "file"),
            None => title += "file",
        }
        Some(title)
    }

    fn rows(&self, at: usize, width: usize, _: &App) -> Vec<ListRow> {
        let Some(&at) = self.shown.get(at) else {
            return Vec::new();
        };
        let (file, row) = (&self.files[at], ListRow::new(" "));
        let change = change_columns(self.longest_author, width, LINES_COLUMNS);
        let unknown = if file.is_uncommitted {
            UNCOMMITTED
        } else {
            "not known"
        };
        let row = match &file.change {
            Some((_, Ok(metadata))) if file.is_boundary && change > DATE_COLUMNS => {
                let author = &metadata.author;
                let date = relative_dates::day(author.time, author.offset);
                let rest = change - DATE_COLUMNS - 1;
                row.put(date, Foreground::Date)
                    .put(format!(" {:<rest$}", "or before"), Foreground::Faint)
            }
            Some((_, Ok(metadata))) if !file.is_boundary => date_and_author(row, metadata, change),
            _ => {
                let words = sanitize::clip(unknown.as_bytes(), change);
                row.put(format!("{words:<change$}"), Foreground::Faint)
            }
        };
        let lines = match self.lines[at] {
            ListedLines::Counted(lines) => thousands(lines),
            ListedLines::NotCounted => NOT_COUNTED_MARK.to_owned(),
            ListedLines::Unknown if matches!(self.end, Some(Ok(_))) => "?".to_owned(),
            ListedLines::Unknown => String::new(),
        };
        let columns = self.name_columns(change, width);
        let room = columns.unwrap_or(name_room(change, width));
        let name = sanitize::clip_left(&sanitize::line(&file.name), room.max(1));
        // What was changed last is said where there is room.
        let summary = match (&file.change, columns) {
            (Some((_, Ok(metadata))), Some(columns)) if !file.is_boundary => {
                let left = name_room(change, width).saturating_sub(columns + 1);
                let summary = sanitize::clip(&metadata.summary(), left);
                let missing = columns.saturating_sub(sanitize::width(name.as_bytes())) + 1;
                " ".repeat(missing) + &summary
            }
            _ => String::new(),
        };
        let row = row.put(format!("{lines:>LINES_COLUMNS$} "), Foreground::Faint);
        let is_left_out = file.left_out.is_some();
        let mark = work_tree_mark(file.is_uncommitted, is_left_out);
        let foreground = if is_left_out {
            Foreground::Faint
        } else {
            Foreground::Text
        };
        let row = row.put(mark, Foreground::Mark).put(name, foreground);
        vec![row.put(summary, Foreground::Faint)]
    }

    fn is_reading(&self, _: &App) -> bool {
        self.end.is_none()
    }

    fn ending(&self, _: &App) -> String {
        let end = match &self.end {
            None => count_words(&self.progress),
            Some(Ok(files)) => count_words(&CountProgress::Files(*files)),
            Some(Err(failure)) => Some(sanitize::line(failure.0.as_bytes())),
        };
        match end {
            Some(words) => words,
            None if !self.shown.is_empty() => String::new(),
            None if self.asked.is_empty() => NO_FILES.to_owned(),
            None => format!("no file has lines of {:#}", self.asked),
        }
    }

    fn refusal(&self, action: Action, _: &App) -> Option<String> {
        match action {
            Action::Filter if self.files.is_empty() => Some(match &self.end {
                Some(Err(failure)) => sanitize::line(failure.0.as_bytes()),
                _ => NO_FILES.to_owned(),
            }),
            Action::CommitDiff | Action::CopyId | Action::Browse => {
                self.last_commit().err().map(str::to_owned)
            }
            _ => None,
        }
    }

    /// Signs are explained while one is on the screen.
    fn has_key(&self, keys: &str, _: &App) -> bool {
        let mut seen = self
            .shown
            .iter()
            .skip(self.list.top)
            .take(self.list.shape.window());
        let mut any = |has: &dyn Fn(&DatedFile) -> bool| seen.any(|at| has(&self.files[*at]));
        match keys {
            _ if keys == UNCOMMITTED_HELP.0 => any(&|file| file.is_uncommitted),
            _ if keys == LEFT_OUT_HELP.0 => {
                any(&|file| file.left_out.is_some() && !file.is_uncommitted)
            }
            _ if keys == NOT_COUNTED_HELP.0 => {
                seen.any(|at| self.lines[*at] == ListedLines::NotCounted)
            }
            _ => true,
        }
    }

    /// A filter is what the key to close ends first.
    fn hints(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        let end = ("{close}", "end");
        let first = if app.display.filter.is_empty() {
            &[KEYS[0]][..]
        } else {
            &[KEYS[0], end]
        };
        offers::keys(self, first, app, footer);
        true
    }

    fn is_idle(&self, action: Action, app: &App) -> bool {
        action == Action::Close && app.display.filter.is_empty()
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("All files below the directory", KEYS))
    }

    fn open_item(&mut self, app: &mut App) {
        if let Some(file) = self.selected() {
            let commit = match self.directory.version {
                FileVersion::Commit { commit, .. } => Some(commit),
                _ => None,
            };
            let commit = file.left_out.or(commit);
            app.open_chosen(commit, path_below(&self.directory.path, &file.name));
        }
    }

    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let numbers = (self.list.selected, self.shown.len());
        let files = match numbers.1 {
            0 if self.end.is_none() => "…",
            1 => " file",
            _ => " files",
        };
        let options = app.directory_options();
        let title = ("all files below", &self.directory, options.as_str());
        app.directory_header(title, numbers, files, theme, row);
        // Where the end of the list, which says so too, is not on the screen.
        if self.end.is_none()
            && self.list.shape.has_scrollbar()
            && let Some(words) = count_words(&self.progress)
        {
            let words = format!(" {words} ");
            if sanitize::width(words.as_bytes()) <= usize::from(row.remaining()) {
                row.put_right(&words, theme.bar());
            }
        }
        true
    }
}

/// The columns for the path and the summary in a row of a width, after the last change: there is a blank at
/// either side.
fn name_room(change: usize, width: usize) -> usize {
    width.saturating_sub(1 + change + LINES_COLUMNS + 2 + 1)
}

impl DirectoryFilesPage {
    /// The columns of paths beside summaries, if there is room for these.
    fn name_columns(&self, change: usize, width: usize) -> Option<usize> {
        let name = self.longest_name.max(4);
        let has_room = name + 1 + MIN_SUMMARY <= name_room(change, width);
        (width >= MIN_FOR_SUMMARIES && has_room).then_some(name)
    }

    fn selected(&self) -> Option<&DatedFile> {
        self.files.get(*self.shown.get(self.list.selected)?)
    }

    /// The selected file and its last commit.
    ///
    /// # Errors
    ///
    /// Why that is not known.
    fn last_commit(&self) -> Result<(&DatedFile, ObjectId), &'static str> {
        let file = self.selected().ok_or("there is no file")?;
        match &file.change {
            Some((commit, _)) if !file.is_boundary => Ok((file, *commit)),
            change => {
                let is_committed = change.is_some() || !file.is_uncommitted;
                Err(unknown_change(is_committed, change.is_some()))
            }
        }
    }

    fn ask(&mut self, app: &mut App) {
        self.asked = app.display.filter.clone();
        self.lines.fill(ListedLines::Unknown);
        self.end = None;
        self.id = app.ask(DirectoryFilesQuery(CountScope {
            version: self.directory.version.clone(),
            reading: self.reading,
            filter: self.asked.clone(),
            with_generated: app.display.with_generated,
        }));
    }

    /// Decides which files are shown. The one of a name stays selected.
    fn show(&mut self, selected: Option<&BString>) {
        let is_all = self.asked.is_empty();
        let has_lines = |at: &usize| is_all || matches!(self.lines[*at], ListedLines::Counted(1..));
        self.shown = (0..self.files.len()).filter(has_lines).collect();
        let names = self
            .shown
            .iter()
            .map(|at| sanitize::width(&self.files[*at].name));
        self.longest_name = names.max().unwrap_or(0);
        let mut shown = self.shown.iter();
        let at = shown.position(|at| Some(&self.files[*at].name) == selected);
        self.list.selected = at.unwrap_or(self.list.selected);
    }
}

impl App {
    /// Lists all files below a directory by their last changes, in a reading of the work tree.
    pub(crate) fn open_directory_files(&mut self, directory: NamedDirectory, reading: u64) {
        let mut page = DirectoryFilesPage {
            directory,
            reading,
            list: ItemList::default(),
            files: Vec::new(),
            longest_author: 0,
            longest_name: 0,
            lines: Vec::new(),
            places: FxHashMap::default(),
            shown: Vec::new(),
            id: 0,
            asked: LineFilter::default(),
            progress: CountProgress::default(),
            end: None,
        };
        page.ask(self);
        self.pages.open(page);
    }
}
