//! The viewer's event loop with a screen in memory, driven by keys until it is idle.

use std::{
    io,
    ops::{ControlFlow, Range},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bstr::BString;
use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::{backend::TestBackend, buffer::Buffer, layout::Size, terminal::Terminal};

use tblame::internals::{
    engine::{Request, Start},
    repository::{Repository, commits::commit_texts::PseudoCommit},
    run::demo::{Demo, FILE},
    viewer::{
        app::{
            blame::kept_views,
            diff_view::DiffView,
            display::pager::Position,
            guide::hints::KeyHints,
            settings::{arguments::ViewerArguments, environment::RepositoryInfo},
            state::App,
        },
        config::settings::Config,
        event_loop::{EventLoop, ExitReason, Until},
        model::{
            background::provenance::WrittenLine,
            hyperlink::Hyperlink,
            source::BlameSource,
            toggled_options::{IgnoreRevsFile, ToggledOptions},
        },
        repository::{
            git_source::{GitSource, WorkTreeRequests},
            named_places::{ReadLine, ReadPlace},
        },
        terminal::{input::Input, screen::Screen},
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
            theme_set::ThemeSet,
        },
    },
};

use super::fake_history::{FakeHistory, NOW};

/// A screen in memory.
#[derive(Debug)]
pub struct MemoryScreen {
    pub terminal: Terminal<TestBackend>,
    pub copied: Vec<String>,
    /// The links of the last frame.
    pub hyperlinks: Vec<Hyperlink>,
    pub suspended: usize,
    /// The text of each frame, if that is wanted.
    pub frames: Option<Vec<String>>,
    /// Is set once a frame has this text.
    pub awaited: Option<(&'static str, Arc<AtomicBool>)>,
}

impl MemoryScreen {
    pub fn new(width: u16, height: u16) -> Self {
        MemoryScreen {
            terminal: Terminal::new(TestBackend::new(width, height)).expect("memory"),
            copied: Vec::new(),
            hyperlinks: Vec::new(),
            suspended: 0,
            frames: None,
            awaited: None,
        }
    }

    /// The text, without the blanks at the ends of its rows.
    pub fn text(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let rows = buffer.content.chunks(width).map(|row| {
            let text: String = row.iter().map(|cell| cell.symbol()).collect();
            text.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }
}

impl Screen for MemoryScreen {
    fn size(&self) -> io::Result<Size> {
        Ok(self.terminal.size().expect("memory"))
    }

    fn has_hyperlinks(&self) -> bool {
        true
    }

    fn draw(
        &mut self,
        _: Size,
        _: Range<u16>,
        paint: &mut dyn FnMut(&mut Buffer) -> Vec<Hyperlink>,
    ) -> io::Result<()> {
        let mut hyperlinks = Vec::new();
        let draw = self
            .terminal
            .draw(|frame| hyperlinks = paint(frame.buffer_mut()));
        draw.expect("memory");
        self.hyperlinks = hyperlinks;
        if let Some((words, is_seen)) = &self.awaited {
            is_seen.fetch_or(self.text().contains(words), Ordering::Relaxed);
        }
        if let Some(mut frames) = self.frames.take() {
            frames.push(self.text());
            self.frames = Some(frames);
        }
        Ok(())
    }

    fn redraw(&mut self) -> io::Result<()> {
        let size = self.size()?;
        self.terminal.resize(size.into()).expect("memory");
        Ok(())
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.copied.push(text.to_owned());
        Ok(())
    }

    fn run_external(&mut self, command: &mut dyn FnMut() -> ControlFlow<()>) -> io::Result<()> {
        let _ = command();
        Ok(())
    }

    fn query(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn is_connected(&self) -> bool {
        true
    }

    fn suspend(&mut self) -> io::Result<bool> {
        self.suspended += 1;
        Ok(true)
    }

    fn resume(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Arguments of the viewer for a file.
pub fn arguments(path: BString, config: Config) -> ViewerArguments {
    ViewerArguments {
        directory: None,
        places: false,
        place_filter: String::new(),
        missing: None,
        notice: None,
        path,
        revision: "HEAD".to_owned(),
        line: None,
        ranges: None,
        is_reversed: false,
        now: NOW,
        options: ToggledOptions::default(),
        ignore_revs_file: None,
        max_len: kept_views::MAX_LEN,
        repository: RepositoryInfo::default(),
        tour: false,
        hints: None,
        config: Arc::new(config),
        config_file: None,
    }
}

/// The production loop with a screen in memory.
pub struct Driver {
    event_loop: Option<EventLoop<MemoryScreen>>,
    runtime: tokio::runtime::Runtime,
    pub ending: ExitReason,
}

impl Driver {
    pub fn new(source: FakeHistory, width: u16, height: u16) -> Self {
        Self::with_depth(source, width, height, ColorDepth::None)
    }

    pub fn with_depth(source: FakeHistory, width: u16, height: u16, depth: ColorDepth) -> Self {
        let theme = Theme::new(Background::Dark, depth);
        Self::with_theme(source, (width, height), theme, Config::default())
    }

    pub fn with_theme(source: FakeHistory, size: (u16, u16), theme: Theme, config: Config) -> Self {
        let repository = (RepositoryInfo::default(), None);
        Self::opened(source, size, ThemeSet::fixed(theme), config, repository)
    }

    pub fn with_themes(source: FakeHistory, size: (u16, u16), themes: ThemeSet) -> Self {
        let repository = (RepositoryInfo::default(), None);
        Self::opened(source, size, themes, Config::default(), repository)
    }

    pub fn with_context(source: FakeHistory, repository: RepositoryInfo) -> Self {
        let theme = Theme::new(Background::Dark, ColorDepth::None);
        Self::opened(
            source,
            (80, 24),
            ThemeSet::fixed(theme),
            Config::default(),
            (repository, None),
        )
    }

    /// With hints, for a user who has used these actions.
    pub fn with_lessons(source: FakeHistory, used: &str) -> Self {
        let theme = Theme::new(Background::Dark, ColorDepth::None);
        let repository = (RepositoryInfo::default(), Some(KeyHints::new(used)));
        let themes = ThemeSet::fixed(theme);
        Self::opened(source, (80, 24), themes, Config::default(), repository)
    }

    /// With the demonstration's repository, opened with the tour.
    pub fn with_demo(demo: &Demo, size: (u16, u16)) -> Self {
        let mut arguments = arguments(FILE.into(), Config::default());
        arguments.tour = true;
        Self::with_repository(demo.root(), arguments, size)
    }

    /// With a file of a repository's HEAD.
    pub fn with_repository(root: &Path, arguments: ViewerArguments, size: (u16, u16)) -> Self {
        let theme = Theme::new(Background::Dark, ColorDepth::None);
        Self::with_repository_and_themes(root, arguments, size, ThemeSet::fixed(theme))
    }

    /// As [`with_repository`](Self::with_repository), with these themes.
    pub fn with_repository_and_themes(
        root: &Path,
        arguments: ViewerArguments,
        size: (u16, u16),
        themes: ThemeSet,
    ) -> Self {
        let repository = Arc::new(Repository::open_own(root).expect("a repository"));
        let head = repository.head_commit().expect("a commit");
        let file = arguments.path.clone();
        let mut request = Request::new(Start::Commit(head), file.clone());
        request.grafts = Arc::clone(repository.grafts());
        let others = WorkTreeRequests::new(move |path| {
            let path = path.unwrap_or(file.as_ref());
            Ok(Request::new(Start::Commit(head), path.into()))
        });
        let pseudo = PseudoCommit {
            path: BString::default(),
            contents: None,
            time: NOW as u64,
            zone: "+0000".into(),
        };
        let mut source = GitSource::new(&repository, request, others, pseudo, None, None, 1);
        if arguments.places {
            source.set_places(Box::new(move |take| {
                for line in 1..=24 {
                    let tokens = "token ".repeat(1 + usize::from(line % 5 == 0));
                    let place = ReadPlace {
                        path: "f".into(),
                        revision: None,
                        line: Some(line),
                        text: format!("f:{line}: {tokens}{line}").into(),
                        written: Ok(WrittenLine {
                            commit: head,
                            path: "f".into(),
                            line: line - 1,
                        }),
                        before: None,
                    };
                    if take(Some(ReadLine::Place(place))).is_break() {
                        break;
                    }
                }
                Ok(())
            }));
        }
        Self::start(arguments, size, themes, Box::new(source))
    }

    pub fn opened(
        source: FakeHistory,
        size: (u16, u16),
        themes: ThemeSet,
        config: Config,
        (repository, hints): (RepositoryInfo, Option<KeyHints>),
    ) -> Self {
        let path = &source.versions.last().expect("a version").path;
        let mut arguments = arguments(path.to_vec().into(), config);
        arguments.ignore_revs_file = source.listed.map(|_| IgnoreRevsFile {
            count: 1,
            problem: None,
        });
        arguments.repository = repository;
        arguments.hints = hints;
        Self::start(arguments, size, themes, Box::new(source))
    }

    fn start(
        arguments: ViewerArguments,
        size: (u16, u16),
        themes: ThemeSet,
        source: Box<dyn BlameSource>,
    ) -> Self {
        let memory = MemoryScreen::new(size.0, size.1);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().expect("a runtime");
        let event_loop = EventLoop::new(arguments, themes, memory, source);
        let mut driver = Driver {
            event_loop: Some(event_loop.expect("a loop")),
            runtime,
            ending: ExitReason::Idle,
        };
        driver.feed(Vec::new());
        driver
    }

    pub fn feed(&mut self, events: Vec<Event>) {
        self.take(events.into_iter().map(Input::Terminal).collect());
    }

    pub fn take(&mut self, inputs: Vec<Input>) {
        use futures_util::StreamExt;
        let inputs = inputs.into_iter().map(Ok);
        let mut input = futures_util::stream::iter(inputs).chain(futures_util::stream::pending());
        let event_loop = self.event_loop.as_mut().expect("not closed");
        let ending = self
            .runtime
            .block_on(event_loop.run(&mut input, Until::Idle));
        self.ending = ending.expect("memory never fails");
    }

    /// Presses keys one by one, each after everything came to rest. `<CR>`, `<Esc>`, `<BS>` and
    /// `<C-x>` are special.
    pub fn keys(&mut self, script: &str) -> &mut Self {
        for event in script_events(script) {
            self.feed(vec![event]);
        }
        self
    }

    /// Presses keys all at once.
    pub fn keys_at_once(&mut self, script: &str) -> &mut Self {
        self.feed(script_events(script));
        self
    }

    /// Uses the mouse at a column and a row.
    pub fn mouse(&mut self, kind: MouseEventKind, at: (u16, u16)) -> &mut Self {
        self.feed(vec![mouse_event(kind, at)]);
        self
    }

    /// Clicks twice, so soon that it is a double click however slow the machine is.
    pub fn double_click(&mut self, at: (u16, u16)) -> &mut Self {
        let click = [
            MouseEventKind::Down(MouseButton::Left),
            MouseEventKind::Up(MouseButton::Left),
        ];
        let events = click.into_iter().cycle().take(4);
        self.feed(events.map(|kind| mouse_event(kind, at)).collect());
        self
    }

    pub fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        let event_loop = self.event_loop.as_mut().expect("not closed");
        let terminal = &mut event_loop.screen_mut().terminal;
        terminal.backend_mut().resize(width, height);
        self.feed(vec![Event::Resize(width, height)]);
        self
    }

    pub fn app(&self) -> &App {
        self.event_loop.as_ref().expect("not closed").app()
    }

    pub fn memory(&self) -> &MemoryScreen {
        self.event_loop.as_ref().expect("not closed").screen()
    }

    /// Tells the viewer the time, and lets it draw.
    pub fn pass_time(&mut self, now: i64) -> &mut Self {
        let event_loop = self.event_loop.as_mut().expect("not closed");
        event_loop.pass_time(now).expect("memory never fails");
        self.feed(Vec::new());
        self
    }

    pub fn frames(&self) -> u64 {
        self.event_loop.as_ref().expect("not closed").frames()
    }

    /// The screen's text, without the blanks at the ends of its rows.
    pub fn screen(&self) -> String {
        self.memory().text()
    }

    /// The last row of the screen.
    pub fn last_row(&self) -> String {
        let screen = self.screen();
        screen.lines().last().unwrap_or_default().to_owned()
    }

    /// Turns a switch, whose row has these words, in the list of columns and switches.
    pub fn turn(&mut self, words: &str) -> &mut Self {
        self.keys(&format!("|/{words}<CR><CR>"));
        let message = self.app().status.message.clone();
        assert_ne!(message, Some(format!("nothing matches “{words}”")));
        self.keys("<Esc>")
    }

    /// The text of each frame that is drawn until these keys, pressed all at once, are answered.
    pub fn frames_of(&mut self, script: &str) -> Vec<String> {
        let event_loop = self.event_loop.as_mut().expect("not closed");
        event_loop.screen_mut().frames = Some(Vec::new());
        self.keys_at_once(script);
        let event_loop = self.event_loop.as_mut().expect("not closed");
        event_loop.screen_mut().frames.take().expect("just set")
    }

    /// Sets `is_seen` once a frame has the text `words`.
    pub fn await_frame(&mut self, words: &'static str, is_seen: Arc<AtomicBool>) {
        let event_loop = self.event_loop.as_mut().expect("not closed");
        event_loop.screen_mut().awaited = Some((words, is_seen));
    }

    /// Which step, which path, and where in it.
    pub fn whereabouts(&self) -> (usize, String, Position) {
        let view = self.app().view().expect("a view");
        (
            self.app().history.current,
            view.path.to_string(),
            view.pager.position,
        )
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(event_loop) = self.event_loop.take() {
            event_loop.close();
        }
    }
}

fn mouse_event(kind: MouseEventKind, (column, row): (u16, u16)) -> Event {
    Event::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    })
}

fn script_events(script: &str) -> Vec<Event> {
    let mut events = Vec::new();
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        let special = [
            ("<CR>", KeyCode::Enter),
            ("<Tab>", KeyCode::Tab),
            ("<Esc>", KeyCode::Esc),
            ("<BS>", KeyCode::Backspace),
            ("<Down>", KeyCode::Down),
            ("<Up>", KeyCode::Up),
            ("<PgDn>", KeyCode::PageDown),
            ("<PgUp>", KeyCode::PageUp),
            ("<Home>", KeyCode::Home),
            ("<End>", KeyCode::End),
            ("<F1>", KeyCode::F(1)),
            ("<F2>", KeyCode::F(2)),
        ];
        let found = special.iter().find(|(name, _)| rest.starts_with(name));
        let (len, key) = match found {
            Some((name, code)) => (name.len(), KeyEvent::new(*code, KeyModifiers::NONE)),
            None if rest.starts_with("<C-") => {
                let letter = KeyCode::Char(rest.chars().nth(3).expect("a letter"));
                (5, KeyEvent::new(letter, KeyModifiers::CONTROL))
            }
            None => (
                c.len_utf8(),
                KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE),
            ),
        };
        events.push(Event::Key(key));
        rest = &rest[len..];
    }
    events
}

/// The selected row of a diff, counted from its first; negative in the header.
pub fn selected_row(diff: &DiffView) -> i64 {
    i64::from(diff.pager.position.line) - diff.header.len() as i64
}
