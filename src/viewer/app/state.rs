//! The state of the viewer.
//!
//! The actions that change it are methods of [`App`] in the neighbouring files and in those of the
//! pages, called by [`update`](super::update::update).

use std::{cell::Cell, ops::Range, sync::Arc};

use crate::{
    objects::ObjectId,
    repository::FetchEvent,
    viewer::{
        app::{
            blame::{
                search::ActiveSearch,
                view::{Progress, View},
            },
            commit::{context_cache::ContextCache, line_change_cache::LineChangeCache},
            diff_view::DiffView,
            display::{
                layout::{FootRows, PaneHeight, ScreenLayout},
                pager::Pager,
            },
            guide::{hints::KeyHints, tour::Tour},
            history::{History, PendingView},
            old_lines::blamed_old_sides::OldLines,
            prompt_history::PromptHistory,
            provenance::provenance_cache::ProvenanceCache,
            requests::{Requests, RunningQuery},
            settings::{
                arguments::ViewerArguments,
                environment::Environment,
                saved_settings::{SaveOffer, SavedSettings},
            },
        },
        config::setting_change::quoted,
        model::{
            background::queries::{QueryKind, QueryRequest},
            blame_results::BlameReport,
            color_mode::ColorMode,
            columns::Columns,
            gutter::Gutter,
            keys::{bindings::Action, key::Key, key_sequence, keymap::Keymap},
            line_filter::LineFilter,
            source::FileVersion,
            texts::encodings::Encoding,
            toggled_options::ToggledOptions,
        },
        pages::{page::PageKind, stack::Pages},
        protocol::{BlameJob, Effect},
    },
};

/// The state of the viewer.
#[derive(Debug)]
pub struct App {
    /// Size of the screen in columns and rows.
    pub size: (u16, u16),
    /// The time, in seconds since the epoch.
    pub now: i64,
    /// The key bindings.
    pub keymap: Keymap,
    /// The repository and fixed settings.
    pub environment: Environment,
    /// The navigation history.
    pub history: History,
    /// The pages above the blame.
    pub pages: Pages<App>,
    /// Display settings.
    pub display: Display,
    /// The details pane below the code.
    pub details: DetailsPane,
    /// The search in the blame view.
    pub search: ActiveSearch,
    /// The status line.
    pub status: Status,
    /// The tour and the hints.
    pub guide: Guide,
    /// Why nothing could be blamed, if so; becomes the exit message.
    pub failure: Option<String>,
    /// Cached contexts of commits.
    pub(crate) contexts: ContextCache,
    /// The known changes of lines.
    pub(crate) line_changes: LineChangeCache,
    /// The known releases, merges and requests of commits.
    pub(crate) provenance: ProvenanceCache,
    /// Who wrote the lines of the old sides of diffs.
    pub(crate) old_lines: OldLines,
    /// The saved values of settings.
    pub(crate) saved: SavedSettings,
    /// The part of the screen that the mouse is dragging.
    pub(crate) dragging: Option<Dragged>,
    /// The inputs of prompts in this session.
    pub(crate) prompt_history: PromptHistory,
    /// The name of the current theme.
    pub(crate) theme: String,
    /// Why the theme that was selected last cannot be shown, if so.
    pub(crate) theme_problem: Option<String>,
    /// Pending requests to the background tasks.
    pub(crate) requests: Requests,
    /// The effects of the message that is being handled.
    pub(crate) effects: Vec<Effect>,
}

/// Display settings.
#[derive(Debug)]
pub struct Display {
    /// The meaning of the background color of a line.
    pub color_mode: ColorMode,
    /// Which lines stand out.
    pub filter: LineFilter,
    /// Directories count lines of generated files too.
    pub with_generated: bool,
    /// The number of the view, or `None` for a directory, and the filter before, until it is known
    /// whether some line there has the present one.
    pub(crate) filter_before: Option<(Option<u64>, LineFilter)>,
    /// The columns left of the code.
    pub columns: Columns,
    /// True if long lines wrap.
    pub wrap: bool,
    /// The width of tabs chosen for all files; `None` uses each file's own.
    pub tab_width: Option<u8>,
    /// The encoding chosen for all files; `None` uses each file's own.
    pub encoding: Option<Encoding>,
    /// True if places where lines were deleted are marked.
    pub deletions: bool,
}

/// The details pane below the code: the selected commit, or the profile of the blame.
#[derive(Debug)]
pub struct DetailsPane {
    /// True if the pane is visible.
    pub visible: bool,
    /// Its height as set by the user.
    pub rows: Option<u16>,
    /// The rows that it needs while it is enlarged.
    pub(crate) needed: u16,
    /// Its scroll position.
    pub pager: Pager,
    /// The selected reference of a commit's message, by its index there.
    pub(crate) selected_reference: Option<(ObjectId, usize)>,
}

/// A part of the screen that the mouse can drag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dragged {
    /// The upper edge of the details pane.
    Divider,
    /// The scrollbar.
    Scrollbar,
    /// The end of the selected lines, which begin at this one (0-based).
    Lines(u32),
    /// The same, from the id of this line; without a motion, its diff is opened.
    Id(u32),
    /// The scale of versions.
    Scale,
    /// A span of dates, from a column of the histogram that is at a column of the screen.
    Dates { column: u16, x: u16 },
}

/// The status line.
#[derive(Debug)]
pub struct Status {
    /// A message, until the next key.
    pub message: Option<String>,
    /// The count typed before a key.
    pub count: Option<u32>,
    /// The number of fetches that run.
    pub fetches: usize,
    /// The keys of an incomplete key sequence, in the order in which they were typed, or of the one
    /// whose action is performed.
    pub prefix: Vec<Key>,
    /// The message is about an option, and is to say how many lines that changed.
    pub(crate) is_of_option: bool,
    /// The action to perform once that is known which it needs, mostly the selected line's commit.
    pub(crate) waiting: Option<Action>,
    /// The action that was refused with [`STILL_READING`], and its count.
    pub(crate) refused: Option<(Action, Option<u32>)>,
    /// The visible offer to save settings.
    pub(crate) offer: Option<SaveOffer>,
}

/// The tour and the key hints.
#[derive(Debug)]
pub struct Guide {
    /// The progress of the tour, if it is active.
    pub tour: Option<Tour>,
    /// The rows of the tour on a screen of some width, once they were counted.
    pub(crate) tour_rows: Cell<Option<(u16, u16)>>,
    /// The hints in the status line, if they are on.
    pub hints: Option<KeyHints>,
    /// True if it has been said how to name a year.
    pub(crate) named_year: bool,
}

impl Status {
    /// True if an action waits for something to be performed.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.is_some() || self.refused.is_some()
    }

    /// Lets no action wait any longer.
    pub(crate) fn end_waiting(&mut self) {
        (self.waiting, self.refused) = (None, None);
    }

    /// True if the message says no more than that something is still read.
    pub(crate) fn is_still_reading(&self) -> bool {
        self.message.as_deref() == Some(STILL_READING)
    }
}

impl App {
    /// The initial state, and the first effects.
    pub fn new(arguments: ViewerArguments, size: (u16, u16)) -> (Self, Vec<Effect>) {
        let options = Arc::new(arguments.options);
        let ignore_revs_file = arguments.ignore_revs_file;
        let problem = ignore_revs_file
            .as_ref()
            .filter(|_| options.ignore_revs_file);
        let problem = problem.and_then(|file| file.problem.clone());
        let config = &arguments.config;
        let mut app = App {
            size,
            now: arguments.now,
            keymap: config.keys.clone(),
            environment: Environment {
                repository: arguments.repository,
                ignore_revs_file,
                command: config.command.clone(),
                ranges: arguments.ranges,
                is_reversed: arguments.is_reversed,
            },
            history: History::new(options.clone(), arguments.max_len),
            pages: Pages::default(),
            display: Display {
                color_mode: config.color,
                filter: LineFilter::default(),
                with_generated: false,
                filter_before: None,
                columns: config.columns.clone(),
                wrap: config.wrap,
                tab_width: config.tab_width,
                encoding: config.encoding,
                deletions: false,
            },
            details: DetailsPane {
                visible: config.details,
                rows: None,
                needed: 0,
                pager: Pager::default(),
                selected_reference: None,
            },
            dragging: None,
            search: ActiveSearch::default(),
            status: Status {
                message: arguments.notice.or(problem),
                count: None,
                fetches: 0,
                prefix: Vec::new(),
                is_of_option: false,
                waiting: None,
                refused: None,
                offer: None,
            },
            guide: Guide {
                tour: arguments.tour.then(Tour::default),
                tour_rows: Cell::default(),
                hints: arguments.hints,
                named_year: false,
            },
            failure: None,
            contexts: ContextCache::default(),
            line_changes: LineChangeCache::default(),
            provenance: ProvenanceCache::default(),
            old_lines: OldLines::default(),
            saved: SavedSettings {
                file: arguments.config_file,
                theme: quoted(config.theme.as_deref().unwrap_or("auto")),
                columns: config.columns.clone(),
            },
            prompt_history: PromptHistory::default(),
            theme: String::new(),
            theme_problem: None,
            requests: Requests::default(),
            effects: Vec::new(),
        };
        match arguments.directory {
            Some(FileVersion::Commit { commit, .. }) if arguments.places => {
                app.open_named_places(Some(commit), arguments.revision, arguments.place_filter);
            }
            Some(_) if arguments.places => {
                app.open_named_places(None, "work tree".to_owned(), arguments.place_filter);
            }
            Some(directory) => {
                app.open_directory(directory, arguments.revision);
                if let Some(missing) = arguments.missing {
                    app.open_missing_path(missing);
                }
            }
            None => {
                let (path, revision) = (Arc::new(arguments.path), arguments.revision);
                let version = FileVersion::CommandLine;
                app.request_view(PendingView {
                    line: arguments.line,
                    ..PendingView::new(version, path, revision, options)
                });
            }
        }
        let effects = std::mem::take(&mut app.effects);
        (app, effects)
    }

    /// The visible view; `None` until the first file is read.
    pub fn view(&self) -> Option<&View> {
        self.history.view()
    }

    /// The report of the visible blame, if it has finished.
    pub fn report(&self) -> Option<&BlameReport> {
        match &self.view()?.progress {
            Progress::Finished(report) => Some(report),
            _ => None,
        }
    }

    /// The blamed lines (0-based) of the visible view, if not all are (`-L`).
    pub fn ranges(&self) -> Option<&[Range<u32>]> {
        let view = self.view()?;
        let ranges = self.environment.ranges.as_deref();
        ranges.filter(|_| view.version == FileVersion::CommandLine)
    }

    /// True if the blame of the visible view goes forward (`--reverse`).
    pub fn is_reversed(&self) -> bool {
        let version = self.view().map(|view| &view.version);
        let of_command_line = matches!(
            version,
            Some(
                FileVersion::CommandLine
                    | FileVersion::Reloaded {
                        of_command_line: true,
                        ..
                    }
            )
        );
        self.environment.is_reversed && of_command_line
    }

    /// The topmost diff.
    pub fn diff(&self) -> Option<&DiffView> {
        self.pages.diffs.last()
    }

    pub(crate) fn diff_mut(&mut self) -> Option<&mut DiffView> {
        self.pages.diffs.last_mut()
    }

    pub(crate) fn view_mut(&mut self) -> Option<&mut View> {
        self.history.view_mut()
    }

    /// The layout of the screen.
    pub fn layout(&self) -> ScreenLayout {
        let pane = match (self.pages.has(PageKind::Details), self.details.visible) {
            (true, _) => PaneHeight::Enlarged(self.details.needed),
            (false, true) => PaneHeight::Rows(self.details.rows),
            (false, false) => PaneHeight::Hidden,
        };
        let rows = FootRows {
            scale: self.scale_rows(),
            tour: self.tour_rows(),
        };
        ScreenLayout::new(self.size.0, self.size.1, pane, rows)
    }

    /// The columns left of the code, with their widths.
    pub fn gutter(&self) -> Gutter {
        let shape = self.view().map(|view| {
            let longest = view.pager.longest(&view.text);
            let longest = u16::try_from(longest).unwrap_or(u16::MAX);
            (view.text.line_count(), longest)
        });
        let (lines, longest) = shape.unwrap_or((0, u16::MAX));
        self.display.columns.fit(self.size.0, lines, longest)
    }

    /// True if there is nothing to show yet: no file, and no page with items.
    pub fn is_empty(&self) -> bool {
        self.view().is_none() && !self.pages.iter().any(|page| page.count(self) > 0)
    }

    /// True if requests to background tasks or searches are unfinished.
    pub fn is_busy(&self) -> bool {
        self.history.pending.is_some()
            || !self.requests.running.is_empty()
            || self.requests.peel.is_some()
            || self.requests.highlight.iter().any(|(_, done)| !done)
            || self.view().is_some_and(View::is_running)
            || self.diff().is_some_and(|diff| !diff.is_complete())
            || !self.search.is_complete()
    }

    pub(crate) fn job(&mut self, version: FileVersion, options: Arc<ToggledOptions>) -> BlameJob {
        self.requests.blame_id += 1;
        BlameJob {
            id: self.requests.blame_id,
            version,
            options,
            from: None,
            is_known: false,
        }
    }

    /// Starts a background query. Returns its number, which comes back with the answer.
    pub(crate) fn ask(&mut self, query: impl Into<QueryRequest>) -> u64 {
        let (id, query) = (self.requests.next_id(), query.into());
        let is_of_page = false;
        let running = RunningQuery { id, is_of_page };
        self.requests.running.insert(query.kind(), running);
        self.effects.push(Effect::Query(id, query));
        id
    }

    /// Cancels the background query of a kind.
    pub(crate) fn cancel(&mut self, kind: QueryKind) {
        self.requests.running.remove(&kind);
        self.effects.push(Effect::Cancel(kind));
    }

    /// Cancels the queries of pages that have been closed.
    pub(crate) fn cancel_unawaited(&mut self) {
        let mut unawaited = Vec::new();
        for (kind, query) in &mut self.requests.running {
            if self.pages.await_query(query.id) {
                query.is_of_page = true;
            } else if query.is_of_page {
                unawaited.push(*kind);
            }
        }
        for kind in unawaited {
            self.cancel(kind);
        }
    }

    /// Shows a message in the status line.
    pub(crate) fn show_message(&mut self, message: impl Into<String>) {
        self.clear_message();
        self.status.message = Some(message.into());
    }

    /// Shows that a fetch runs, or why it failed.
    pub(crate) fn on_fetch_event(&mut self, event: FetchEvent) {
        match event {
            FetchEvent::Began => self.status.fetches += 1,
            FetchEvent::Ended(failure) => {
                self.status.fetches = self.status.fetches.saturating_sub(1);
                if let Some(reason) = failure {
                    self.show_message(format!("git fetch failed: {reason}"));
                }
            }
        }
    }

    /// Removes the message from the status line, and the offer that it makes.
    pub(crate) fn clear_message(&mut self) {
        self.status.message = None;
        self.status.is_of_option = false;
        self.status.offer = None;
    }

    /// Shows another message in place of one that is no longer true, if that is still shown.
    pub(crate) fn replace_message(&mut self, before: &str, message: &str) {
        if self.status.message.as_deref() == Some(before) {
            self.show_message(message);
        }
    }

    /// Refuses something, once all is read that could have it.
    pub(crate) fn refuse(&mut self, is_read: bool, words: &str) {
        self.show_message(refused(is_read, words));
    }

    /// Shows a message with current keys in place of action names in braces.
    pub(crate) fn show_filled(&mut self, template: &str) {
        self.show_message(self.keymap.fill(template));
    }

    /// Says that what was pressed does nothing on the visible page.
    pub(crate) fn nothing_here(&mut self) {
        let keys = match self.status.prefix.as_slice() {
            [] => "this key".to_owned(),
            typed => key_sequence::names(typed),
        };
        let help = self.keymap.fill("{help} lists keys");
        self.show_message(format!("{keys} does nothing here; {help}"));
    }
}

/// Said in place of a refusal, and after what is not found so far, until all is read that could have it.
pub(crate) const STILL_READING: &str = "still reading";

/// The words of a refusal, which only what is read to its end can give.
pub(crate) fn refused(is_read: bool, words: &str) -> String {
    if is_read { words } else { STILL_READING }.to_owned()
}
