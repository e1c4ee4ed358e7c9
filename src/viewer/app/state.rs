//! The state of the viewer, and the one function that changes it.

use std::{path::PathBuf, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::{
                marks::Marks,
                reload::Watch,
                search::Search,
                view::{Position, Progress, View},
            },
            commit::commit_context::Known,
            diff::diff_view::Change,
            display::layout::{Layout, Pane},
            external_actions::Surroundings,
            overlays::{
                finder::Finder,
                hints::Lessons,
                theme_chooser::{Kept, Offer, ThemeChooser},
                tour::Tour,
            },
        },
        config::{setting_change::quoted, settings::Config},
        model::{
            color_mode::Colouring,
            columns::{Columns, Gutter},
            encodings::{self, Encoding},
            keymap::{Action, Key, KeyCode, Keymap},
            source::{FileVersion, Stamp},
            switches::{IgnoreRevsFile, Switches},
        },
        protocol::{BlameEvent, BlameKind, ColourJob, Colours, Effect, Job, Message},
    },
};

/// What the viewer is opened with.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The path that is blamed, from the root of the tree.
    pub path: BString,
    /// The revision, in words: `HEAD`, `work tree`, `v1.2`.
    pub revision: String,
    /// The line to select (0-based).
    pub line: Option<u32>,
    /// The time, in seconds since the epoch.
    pub now: i64,
    /// How the blame is switched.
    pub switches: Switches,
    /// The work tree's own list of commits to look through, if it has one.
    pub ignored_file: Option<IgnoreRevsFile>,
    /// What is around the viewer.
    pub around: Surroundings,
    /// It begins with the tour.
    pub tour: bool,
    /// What the foot of the screen teaches, if it does.
    pub lessons: Option<Lessons>,
    /// What is set.
    pub config: Arc<Config>,
    /// The file that it is set in, or would be.
    pub config_file: Option<PathBuf>,
}

/// A place that was asked for and is not on the screen yet.
#[derive(Debug, Clone)]
pub struct Pending {
    pub(crate) version: FileVersion,
    pub(crate) path: Arc<BString>,
    /// What is being opened, in words.
    pub revision: String,
    pub(crate) switches: Arc<Switches>,
    pub(crate) line: Option<u32>,
    /// What the file and HEAD are, and where the person was, when something is read again.
    pub(crate) again: Option<(Stamp, Position)>,
}

/// A line of input at the foot of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What it is for.
    pub kind: PromptKind,
    /// What was typed so far.
    pub text: String,
}

/// What a prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// Go to a line.
    Goto,
    /// Search forward.
    Search,
    /// Choose the encoding that files are shown in.
    Encoding,
}

/// Which way a search goes that waits for more of the file to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Next,
    Previous,
}

/// The state of the viewer.
#[derive(Debug)]
pub struct App {
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// The time, in seconds since the epoch.
    pub now: i64,
    /// The keys as they are bound.
    pub keymap: Keymap,
    /// Every step through history, the oldest first.
    pub views: Vec<View>,
    /// Which of the steps is on the screen.
    pub at: usize,
    /// The place that is being opened.
    pub pending: Option<Pending>,
    /// The room for the commit's pane.
    pub pane: Pane,
    /// The first line of the pane that is shown.
    pub pane_top: usize,
    /// The commit's diff, while it is on the screen instead of the blame.
    pub change: Option<Change>,
    /// What was on the screen before it of other commits, the last one last.
    pub(crate) behind: Vec<Change>,
    /// The commit that words are shown of, and which of its references is picked.
    pub(crate) picked: Option<(ObjectId, usize)>,
    /// The input at the foot, if any.
    pub prompt: Option<Prompt>,
    /// Something to say, until the next key.
    pub note: Option<String>,
    /// What is searched for.
    pub search: Option<Search>,
    /// The first line of the help that is shown, while it is open.
    pub help: Option<usize>,
    /// The count typed so far.
    pub count: Option<u32>,
    /// The work tree's own list of commits to look through, if it has one.
    pub ignored_file: Option<IgnoreRevsFile>,
    /// What the grounds of the lines tell.
    pub colour_mode: Colouring,
    /// The columns left of the code.
    pub columns: Columns,
    /// The selected row of the chooser of columns, while it is open.
    pub chooser: Option<usize>,
    /// The list of themes, while it is open.
    pub themes: Option<ThemeChooser>,
    /// What is printed at the end: the lines on the screen.
    pub print: bool,
    /// What is around the viewer.
    pub around: Surroundings,
    /// The encoding that files are shown in; found out for each if none is chosen.
    pub encoding: Option<Encoding>,
    /// The search for another file, while it is open.
    pub finder: Option<Finder>,
    /// The guided tour, while it goes on.
    pub tour: Option<Tour>,
    /// What the foot of the screen teaches, if it does.
    pub lessons: Option<Lessons>,
    /// Lines that are longer than the screen is wide take more rows.
    pub wrap: bool,
    /// What made the viewer unable to show anything.
    pub failure: Option<String>,
    /// What `!` runs, with names of fields in it.
    pub(crate) command: Vec<String>,
    /// What is known of what surrounds commits.
    pub(crate) known: Known,
    /// What the configuration file says.
    pub(crate) kept: Kept,
    /// What could be written to it.
    pub(crate) offer: Option<Offer>,
    /// What was asked about changes of the file.
    pub(crate) watch: Watch,
    /// The view whose text is being converted, and to what.
    pub(crate) converting: Option<(u64, Encoding)>,
    pub(crate) marks: Marks,
    pub(crate) seek: Option<Way>,
    pub(crate) generation: u64,
    pub(crate) numbers: u64,
    /// What is to be done when the selected line's commit is known.
    pub(crate) waiting: Option<Action>,
    /// The lines whose colours were asked for last, and whether the answers are complete.
    pub(crate) colouring: Vec<(ColourJob, bool)>,
    pub(crate) chosen_pane: Option<u16>,
    /// The pane shows what the blame did while it is focused.
    pub(crate) account: bool,
    /// What would make blames faster was said.
    pub(crate) advised: bool,
    /// The line over the commit's pane is being dragged.
    pub(crate) dragging: bool,
}

impl App {
    /// The state at the start, and what to do first.
    pub fn new(opening: Opening, size: (u16, u16)) -> (Self, Vec<Effect>) {
        let switches = Arc::new(opening.switches);
        let problem = opening
            .ignored_file
            .as_ref()
            .filter(|_| switches.ignored_file);
        let problem = problem.and_then(|file| file.problem.clone());
        let mut app = App {
            size,
            now: opening.now,
            keymap: opening.config.keys.clone(),
            views: Vec::new(),
            at: 0,
            pending: Some(Pending {
                version: FileVersion::CommandLine,
                path: Arc::new(opening.path),
                revision: opening.revision,
                switches: switches.clone(),
                line: opening.line,
                again: None,
            }),
            pane: match opening.config.details {
                true => Pane::Open(None),
                false => Pane::Hidden,
            },
            pane_top: 0,
            change: None,
            behind: Vec::new(),
            picked: None,
            prompt: None,
            note: problem,
            search: None,
            help: None,
            count: None,
            ignored_file: opening.ignored_file,
            colour_mode: opening.config.colour,
            columns: opening.config.columns.clone(),
            chooser: None,
            themes: None,
            wrap: opening.config.wrap,
            failure: None,
            print: false,
            tour: opening.tour.then(Tour::default),
            lessons: opening.lessons,
            encoding: opening.config.encoding,
            finder: None,
            around: opening.around,
            command: opening.config.command.clone(),
            known: Known::default(),
            kept: Kept {
                file: opening.config_file,
                theme: quoted(opening.config.theme.as_deref().unwrap_or("auto")),
                columns: opening.config.columns.clone(),
            },
            offer: None,
            watch: Watch::default(),
            converting: None,
            marks: Marks::default(),
            seek: None,
            generation: 0,
            numbers: 0,
            waiting: None,
            colouring: Vec::new(),
            chosen_pane: None,
            account: false,
            advised: false,
            dragging: false,
        };
        let job = app.job(FileVersion::CommandLine, switches);
        (app, vec![Effect::Blame(job)])
    }

    /// The view on the screen; none before the first text is there.
    pub fn view(&self) -> Option<&View> {
        self.views.get(self.at)
    }

    pub(crate) fn view_mut(&mut self) -> Option<&mut View> {
        self.views.get_mut(self.at)
    }

    /// Where everything is on the screen.
    pub fn layout(&self) -> Layout {
        Layout::new(self.size.0, self.size.1, self.pane, self.tour_rows())
    }

    /// The columns left of the code.
    pub fn gutter(&self) -> Gutter {
        let lines = self.view().map_or(0, |view| view.text.line_count());
        self.columns.fit(self.size.0, lines)
    }

    /// Something is still to come without anybody pressing a key.
    pub fn is_busy(&self) -> bool {
        self.pending.is_some()
            || self.known.is_asked()
            || self.converting.is_some()
            || self.finder.as_ref().is_some_and(|it| !it.is_complete())
            || self
                .change
                .as_ref()
                .is_some_and(|change| !change.is_complete())
            || self.colouring.iter().any(|(_, answered)| !answered)
            || self.view().is_some_and(View::is_running)
            || self
                .search
                .as_ref()
                .is_some_and(|search| !search.is_complete())
    }

    pub(crate) fn job(&mut self, version: FileVersion, switches: Arc<Switches>) -> Job {
        self.generation += 1;
        Job {
            generation: self.generation,
            version,
            switches,
            from: None,
        }
    }

    pub(crate) fn say(&mut self, note: impl Into<String>) {
        self.note = Some(note.into());
    }
}

/// Applies a message. The only place where the state changes.
pub fn update(app: &mut App, message: Message) -> Vec<Effect> {
    let mut effects = Vec::new();
    match message {
        Message::Key(key) => app.key(key, &mut effects),
        Message::Mouse(mouse) => app.mouse(mouse, &mut effects),
        Message::Paste(text) => app.paste(&text),
        Message::Resize(width, height) => app.size = (width, height),
        Message::Blame(event) => app.news(event, &mut effects),
        Message::Compared(compared) => app.compared(compared),
        Message::Colours(colours) => app.colours(colours),
        Message::Answer(answer) => app.answer(answer, &mut effects),
        Message::Converted {
            view,
            encoding,
            text,
        } => app.converted(view, encoding, text),
        Message::Look => app.look_around(&mut effects),
        Message::Returned(words) => app.returned(words, &mut effects),
        Message::Continue => {
            app.advance_search();
            app.advance_change_search();
            app.advance_finder();
        }
        Message::Trouble(words) => app.say(words),
        Message::Themes { names, current } => app.open_themes(names, current),
        Message::Unfit(words) => app.unfit(words),
        Message::Kept(changes, result) => app.kept(&changes, result),
    }
    app.settle(&mut effects);
    effects
}

impl App {
    pub(crate) fn key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let accepted = self.accept_offer(key);
        self.note = None;
        if let Some(effect) = accepted {
            return effects.push(effect);
        }
        if self.waiting.take().is_some() && key.code == KeyCode::Escape {
            return self.say("cancelled");
        }
        if self.finder.is_some() {
            return self.finder_key(key, effects);
        }
        if self.prompt.is_some() {
            return self.prompt_key(key);
        }
        if let Some(naming) = self.marks.naming.take() {
            return self.mark_key(naming, key, effects);
        }
        if let Some(row) = self.chooser {
            return self.chooser_key(key, row);
        }
        if self.themes.is_some() {
            return self.themes_key(key, effects);
        }
        if let KeyCode::Char(c @ '0'..='9') = key.code
            && !key.ctrl
            && !key.alt
            && (c != '0' || self.count.is_some())
        {
            let digit = u32::from(c) - u32::from('0');
            let count = self.count.unwrap_or(0);
            self.count = Some((count.saturating_mul(10).saturating_add(digit)).min(999_999_999));
            return;
        }
        let count = self.count.take();
        if let Some(action) = self.keymap.action(key) {
            self.perform(action, count, effects);
        }
    }

    pub(crate) fn prompt_key(&mut self, key: Key) {
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        if key.alt {
            return;
        }
        if prompt.kind == PromptKind::Encoding && encodings::complete(key, &mut prompt.text) {
            return;
        }
        match (key.code, key.ctrl) {
            (KeyCode::Escape, _) | (KeyCode::Char('c'), true) => self.prompt = None,
            (KeyCode::Backspace, _) if prompt.text.is_empty() => self.prompt = None,
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                prompt.text.pop();
            }
            (KeyCode::Char('u'), true) => prompt.text.clear(),
            (KeyCode::Char('w'), true) => {
                let kept = prompt
                    .text
                    .trim_end()
                    .rfind(' ')
                    .map_or(0, |space| space + 1);
                prompt.text.truncate(kept);
            }
            (KeyCode::Enter, _) => {
                let Prompt { kind, text } = prompt.clone();
                self.prompt = None;
                match kind {
                    PromptKind::Goto => self.goto_words(text.trim()),
                    PromptKind::Encoding => self.choose_encoding(&text),
                    PromptKind::Search if self.change.is_some() => self.search_change(&text),
                    PromptKind::Search => self.start_search(&text),
                }
            }
            (KeyCode::Char(c), false) if prompt.text.len() < 1000 => prompt.text.push(c),
            _ => {}
        }
    }

    pub(crate) fn paste(&mut self, text: &str) {
        if self.finder_paste(text) {
            return;
        }
        if let Some(prompt) = &mut self.prompt {
            let room = 1000usize.saturating_sub(prompt.text.len());
            prompt
                .text
                .extend(text.chars().filter(|c| !c.is_control()).take(room));
        }
    }

    pub(crate) fn news(&mut self, event: BlameEvent, effects: &mut Vec<Effect>) {
        if event.generation != self.generation {
            return;
        }
        match event.kind {
            BlameKind::Started {
                text,
                mapped_line,
                encoding,
            } => {
                let opened = self.pending.is_some();
                self.arrived(text, mapped_line);
                if let Some(view) = self.view_mut().filter(|_| opened) {
                    view.named = encoding;
                }
            }
            BlameKind::Failed(failure) if self.pending.is_some() => self.stayed(failure, effects),
            // Nothing else can come before the text.
            _ if self.pending.is_some() => {}
            BlameKind::Chunk(chunk) => {
                if let Some(view) = self.view_mut() {
                    view.take(chunk);
                }
            }
            BlameKind::Progress(frontier) => self.progress(Progress::Running(Some(frontier))),
            BlameKind::Finished(outcome) => {
                self.progress(Progress::Finished(outcome));
                self.advise();
            }
            BlameKind::Failed(failure) => self.progress(Progress::Failed(failure)),
        }
        self.stop_waiting(effects);
    }

    pub(crate) fn progress(&mut self, progress: Progress) {
        if let Some(view) = self.view_mut() {
            view.progress = progress;
        }
    }

    pub(crate) fn colours(&mut self, colours: Colours) {
        let number = colours.view;
        for (job, answered) in &mut self.colouring {
            *answered |= colours.last && job.view == number;
        }
        if let Some(change) = &mut self.change
            && let Some((coloured, text)) = change.side_numbered(number)
        {
            coloured.take(colours.start, colours.lines, text.line_count());
            coloured.plain = colours.plain.or(coloured.plain.take());
        } else if let Some(view) = self.views.iter_mut().find(|view| view.number == number) {
            let count = view.text.line_count();
            view.coloured.take(colours.start, colours.lines, count);
            view.coloured.plain = colours.plain.or(view.coloured.plain.take());
        }
    }

    /// What follows from any change: the selection is visible, what is visible gets its colours,
    /// the search goes on.
    pub(crate) fn settle(&mut self, effects: &mut Vec<Effect>) {
        self.follow_tour();
        self.show_encoding(effects);
        self.reveal();
        self.reveal_change();
        self.pane_top = self.pane_top.min(self.pane_end());
        if let Some(top) = self.help {
            self.help = Some(top.min(self.help_end()));
        }
        if let (Some(search), Some(view)) = (&mut self.search, self.views.get(self.at)) {
            search.look_at_commits(view);
        }
        self.look_first(effects);
        self.ask_around(effects);
        let jobs = self.wanted_colours();
        let asked = |job| self.colouring.iter().any(|(asked, _)| asked == job);
        if !jobs.iter().all(asked) {
            effects.push(Effect::Colour(jobs.clone()));
            self.colouring = jobs.into_iter().map(|job| (job, false)).collect();
        }
        let change = self.change.as_ref().and_then(|it| it.search.as_ref());
        let mut searches = self.search.iter().chain(change);
        let searches = searches.any(|it| !it.is_complete());
        if (searches || self.finds_more()) && !effects.contains(&Effect::Continue) {
            effects.push(Effect::Continue);
        }
    }

    /// What is on the screen and has no colours yet.
    pub(crate) fn wanted_colours(&self) -> Vec<ColourJob> {
        if let Some(change) = &self.change {
            return change.wanted_colours(self.change_rows());
        }
        let Some(view) = self.view() else {
            return Vec::new();
        };
        let rows = u32::from(self.layout().code.height);
        let (top, count) = (view.position.top, view.text.line_count());
        let wanted = top..(top + rows).min(count);
        if view.coloured.covers(&wanted, count) {
            return Vec::new();
        }
        vec![ColourJob {
            view: view.number,
            text: view.text.clone(),
            path: view.path.clone(),
            wanted: vec![wanted],
        }]
    }
}
