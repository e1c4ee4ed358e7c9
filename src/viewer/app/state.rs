//! The state of the viewer.
//!
//! The types here and below hold state and know nothing of the terminal. The actions that change
//! the state are methods of [`App`] in the files beside them; [`update`](super::update::update)
//! calls them.

use std::sync::Arc;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::{search::ActiveSearch, view::View},
            commit::commit_contexts::CommitContexts,
            display::layout::{PaneHeight, ScreenLayout},
            environment::Environment,
            history::{History, Pending},
            opening::Opening,
            overlays::{
                hints::KeyHints,
                overlay::Overlays,
                saved_settings::{SaveOffer, SavedSettings},
                tour::Tour,
            },
            pager::Pager,
            requests::Requests,
        },
        config::setting_change::quoted,
        model::{
            color_mode::ColorMode,
            columns::{Columns, Gutter},
            encodings::Encoding,
            keymap::{Action, Keymap},
            source::FileVersion,
            switches::Switches,
        },
        protocol::{Effect, Job},
    },
};

/// The state of the viewer.
#[derive(Debug)]
pub struct App {
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// The time at the start, in seconds since the epoch.
    pub now: i64,
    /// The keys as they are bound.
    pub keymap: Keymap,
    /// The repository and what else is around.
    pub environment: Environment,
    /// The steps through history.
    pub history: History,
    /// What is open on top of the blame.
    pub overlays: Overlays,
    /// How things are shown.
    pub display: Display,
    /// The pane below the code.
    pub details: DetailsPane,
    /// The search in the blame.
    pub search: ActiveSearch,
    /// The status line.
    pub status: Status,
    /// The tour and the hints.
    pub guide: Guide,
    /// Why nothing can be shown, if so.
    pub failure: Option<String>,
    /// What is known about commits beside the blame.
    pub(crate) contexts: CommitContexts,
    /// What the configuration file says.
    pub(crate) saved: SavedSettings,
    /// Requests to the background tasks.
    pub(crate) requests: Requests,
}

/// How things are shown.
#[derive(Debug)]
pub struct Display {
    /// What the background colours of lines mean.
    pub color_mode: ColorMode,
    /// The columns left of the code.
    pub columns: Columns,
    /// Lines wrap where they are wider than the screen.
    pub wrap: bool,
    /// The encoding that was chosen for all files; each has its own otherwise.
    pub encoding: Option<Encoding>,
    /// The lines on the screen are printed at exit.
    pub print: bool,
}

/// The pane below the code: the selected commit, or the profile of the blame.
#[derive(Debug)]
pub struct DetailsPane {
    /// It is shown.
    pub visible: bool,
    /// The rows that were chosen for it.
    pub rows: Option<u16>,
    /// Its window.
    pub pager: Pager,
    /// The reference in the commit message that is picked, by its number there.
    pub(crate) picked: Option<(ObjectId, usize)>,
    /// The mouse is dragging its upper edge.
    pub(crate) dragging: bool,
}

/// The status line.
#[derive(Debug)]
pub struct Status {
    /// A message, until the next key.
    pub note: Option<String>,
    /// The count typed before a key.
    pub count: Option<u32>,
    /// The action that waits until the selected line is attributed.
    pub(crate) waiting: Option<Action>,
    /// The offer to save settings that the message makes.
    pub(crate) offer: Option<SaveOffer>,
}

/// What teaches the keys.
#[derive(Debug)]
pub struct Guide {
    /// The tour, while it goes on.
    pub tour: Option<Tour>,
    /// The hints in the status line, if they are on.
    pub hints: Option<KeyHints>,
    /// What would make blames faster was said.
    pub(crate) advised: bool,
}

impl App {
    /// The state at the start, and what to do first.
    pub fn new(opening: Opening, size: (u16, u16)) -> (Self, Vec<Effect>) {
        let switches = Arc::new(opening.switches);
        let ignored_file = opening.ignored_file;
        let problem = ignored_file.as_ref().filter(|_| switches.ignored_file);
        let problem = problem.and_then(|file| file.problem.clone());
        let config = &opening.config;
        let mut app = App {
            size,
            now: opening.now,
            keymap: config.keys.clone(),
            environment: Environment {
                repository: opening.repository,
                ignored_file,
                command: config.command.clone(),
            },
            history: History {
                pending: Some(Pending {
                    version: FileVersion::CommandLine,
                    path: Arc::new(opening.path),
                    revision: opening.revision,
                    switches: switches.clone(),
                    line: opening.line,
                    reread: None,
                }),
                ..History::default()
            },
            overlays: Overlays::default(),
            display: Display {
                color_mode: config.colour,
                columns: config.columns.clone(),
                wrap: config.wrap,
                encoding: config.encoding,
                print: false,
            },
            details: DetailsPane {
                visible: config.details,
                rows: None,
                pager: Pager::default(),
                picked: None,
                dragging: false,
            },
            search: ActiveSearch::default(),
            status: Status {
                note: problem,
                count: None,
                waiting: None,
                offer: None,
            },
            guide: Guide {
                tour: opening.tour.then(Tour::default),
                hints: opening.hints,
                advised: false,
            },
            failure: None,
            contexts: CommitContexts::default(),
            saved: SavedSettings {
                file: opening.config_file,
                theme: quoted(config.theme.as_deref().unwrap_or("auto")),
                columns: config.columns.clone(),
            },
            requests: Requests::default(),
        };
        let job = app.job(FileVersion::CommandLine, switches);
        (app, vec![Effect::Blame(job)])
    }

    /// The view on the screen; none before the first file is there.
    pub fn view(&self) -> Option<&View> {
        self.history.view()
    }

    pub(crate) fn view_mut(&mut self) -> Option<&mut View> {
        self.history.view_mut()
    }

    /// The parts of the screen.
    pub fn layout(&self) -> ScreenLayout {
        let pane = match (self.overlays.details(), self.details.visible) {
            (Some(_), _) => PaneHeight::Enlarged,
            (None, true) => PaneHeight::Rows(self.details.rows),
            (None, false) => PaneHeight::Hidden,
        };
        ScreenLayout::new(self.size.0, self.size.1, pane, self.tour_rows())
    }

    /// The columns left of the code, with their widths.
    pub fn gutter(&self) -> Gutter {
        let lines = self.view().map_or(0, |view| view.text.line_count());
        self.display.columns.fit(self.size.0, lines)
    }

    /// Answers of background tasks, or parts of a search, are still to come.
    pub fn is_busy(&self) -> bool {
        let (diff, finder) = (self.overlays.diff(), self.overlays.finder());
        self.history.pending.is_some()
            || self.contexts.is_asked()
            || self.requests.conversion.is_some()
            || self.requests.highlight.iter().any(|(_, done)| !done)
            || self.view().is_some_and(View::is_running)
            || finder.is_some_and(|finder| !finder.is_complete())
            || diff.is_some_and(|diff| !diff.is_complete())
            || !self.search.is_complete()
    }

    pub(crate) fn job(&mut self, version: FileVersion, switches: Arc<Switches>) -> Job {
        self.requests.generation += 1;
        Job {
            generation: self.requests.generation,
            version,
            switches,
            from: None,
        }
    }

    /// Shows a message in the status line.
    pub(crate) fn say(&mut self, note: impl Into<String>) {
        self.status.note = Some(note.into());
    }
}
