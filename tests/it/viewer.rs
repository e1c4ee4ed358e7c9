//! The viewer's loop, driven by keys until it is at rest, on histories that are made up here.

use std::{
    collections::HashMap,
    io,
    ops::{ControlFlow, Range},
    sync::Arc,
};

use bstr::BString;
use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use proptest::prelude::*;
use ratatui::{Terminal, backend::TestBackend, buffer::Buffer, layout::Size};
use tblame::internals::{
    engine::{Entry, Origin, OriginId, Sink},
    objects::ObjectId,
    viewer::{
        app::{
            diff::diff_view::DiffView, environment::Surroundings, opening::Opening,
            overlays::hints::Lessons, pager::Position, state::App, update::update,
        },
        config::settings::Config,
        event_loop::{Ending, EventLoop, Until},
        model::{
            external_commands::ExternalCommand,
            keymap::Key,
            source::{
                BlameSource, BlameStats, CommitChanges, CommitContext, CommitInfo, ContentReader,
                Failure, FileChange, FileVersion, MetadataReader, Signature,
            },
            switches::{IgnoreRevsFile, Switches},
            text::Text,
            web_links::{UrlTemplates, WebLinks},
        },
        protocol::{BlameEvent, BlameKind, Chunk, Effect, Guilty, GuiltyLines, Message},
        terminal::{input::Input, screen::Screen},
        theme::styles::{Background, ColourDepth, Theme},
    },
};

/// 2020-01-01, when the made-up histories end.
pub const NOW: i64 = 1_577_836_800;

/// A line of a made-up file: its text, the version that wrote it, and its place there.
#[derive(Debug, Clone)]
pub struct Line {
    pub text: String,
    from: Option<(usize, u32)>,
}

pub fn line(text: &str) -> Line {
    Line {
        text: text.to_owned(),
        from: None,
    }
}

#[derive(Debug, Clone)]
struct Version {
    path: Arc<BString>,
    lines: Vec<Line>,
    commit: CommitInfo,
}

/// A made-up history of one file: a version per commit, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    versions: Vec<Version>,
    /// After so many entries the blame fails.
    pub broken_after: Option<usize>,
    /// The version that the ignore file names.
    pub listed: Option<usize>,
    /// What surrounds its commits.
    pub circumstances: HashMap<ObjectId, CommitContext>,
    /// Every commit writes a line of docs/lamp.md too.
    pub documented: bool,
}

impl History {
    /// Commits what `edit` makes of the newest version's lines.
    pub fn commit(
        mut self,
        author: &str,
        message: &str,
        edit: impl FnOnce(&mut Vec<Line>),
    ) -> Self {
        let number = self.versions.len();
        let last = self.versions.last();
        let mut lines = last
            .map(|version| version.lines.clone())
            .unwrap_or_default();
        let path = last.map(|version| version.path.clone());
        edit(&mut lines);
        for (at, line) in lines.iter_mut().enumerate() {
            line.from.get_or_insert((number, at as u32));
        }
        let person = Signature {
            name: author.into(),
            mail: format!("{}@example.org", author.to_lowercase()).into(),
            time: NOW - 86_400 * 400 * (6 - number as i64),
            offset: 3600,
        };
        self.versions.push(Version {
            path: path.unwrap_or_else(|| Arc::new("src/lamp.rs".into())),
            lines,
            commit: CommitInfo {
                author: person.clone(),
                committer: person,
                message: message.into(),
                root: number == 0,
            },
        });
        self
    }

    /// Renames the file in the newest version.
    pub fn renamed(mut self, path: &str) -> Self {
        let version = self.versions.last_mut().expect("a version");
        version.path = Arc::new(path.into());
        self
    }

    pub fn id(number: usize) -> ObjectId {
        ObjectId::from_bytes_or_panic(&[number as u8 + 1; 20])
    }

    /// What docs/lamp.md is in a commit.
    fn document(&self, commit: &ObjectId) -> Option<String> {
        let mut numbers = 0..self.versions.len();
        let number = numbers.find(|&number| self.documented && Self::id(number) == *commit)?;
        Some((0..=number).map(|at| format!("Step {at}\n")).collect())
    }

    fn number(&self, version: &FileVersion) -> Result<usize, Failure> {
        match version {
            FileVersion::CommandLine => Ok(self.versions.len() - 1),
            FileVersion::WorkTree { path } | FileVersion::Reloaded { path, .. } => {
                Err(Failure(format!("no '{path}' here")))
            }
            FileVersion::Commit { commit, path } => {
                let mut numbers = 0..self.versions.len();
                let found = numbers.find(|&number| {
                    Self::id(number) == *commit && self.versions[number].path == *path
                });
                found.ok_or_else(|| Failure(format!("no such path '{path}' in {commit}")))
            }
        }
    }
}

impl BlameSource for History {
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        let version = &self.versions[self.number(version)?];
        let text: String = version
            .lines
            .iter()
            .map(|line| line.text.clone() + "\n")
            .collect();
        Ok(Arc::from(text.into_bytes()))
    }

    fn blame(
        &mut self,
        version: &FileVersion,
        switches: &Switches,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure> {
        let newest = self.number(version)?;
        let origins: Vec<Origin> = (0..=newest)
            .map(|number| Origin {
                commit: Self::id(number),
                path: self.versions[number].path.clone(),
                previous: number.checked_sub(1).map(|number| OriginId(number as u32)),
            })
            .collect();
        let lines = &self.versions[newest].lines;
        let mut told = 0;
        for number in (0..=newest).rev() {
            let time = self.versions[number].commit.author.time;
            if sink.progress(time).is_break() {
                return Ok(BlameStats::default());
            }
            for (at, line) in lines.iter().enumerate() {
                let (from, source) = line.from.expect("committed");
                let listed = self.listed.filter(|_| switches.ignored_file);
                let ignored = |from: usize| {
                    switches.ignored.contains(&Self::id(from)) || listed == Some(from)
                };
                // An ignored commit's lines are the older one's, if there is one.
                let first = (0..=from).rev().find(|&from| !ignored(from)).unwrap_or(0);
                let (passed, unblamable) = (first < from, ignored(first));
                let from = first;
                if from != number {
                    continue;
                }
                if self.broken_after.is_some_and(|most| told >= most) {
                    return Err(Failure("unable to read the tree".to_owned()));
                }
                told += 1;
                let entry = Entry {
                    lines: at as u32..at as u32 + 1,
                    source_start: source,
                    origin: OriginId(from as u32),
                    ignored: passed,
                    unblamable,
                };
                if sink.entry(&entry, &origins, false) == ControlFlow::Break(()) {
                    return Ok(BlameStats::default());
                }
            }
        }
        Ok(BlameStats::default())
    }

    fn content_reader(&self) -> Box<dyn ContentReader> {
        Box::new(self.clone())
    }

    fn metadata_reader(&self) -> Box<dyn MetadataReader> {
        Box::new(self.clone())
    }
}

impl MetadataReader for History {
    fn commit_context(
        &mut self,
        id: &ObjectId,
        _: &dyn Fn() -> bool,
    ) -> Result<CommitContext, Failure> {
        Ok(self.circumstances.get(id).cloned().unwrap_or_default())
    }

    fn files(
        &mut self,
        version: &FileVersion,
        found: &mut dyn FnMut(Vec<BString>) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let version = &self.versions[self.number(version)?];
        for name in [&version.path.to_string(), "src/main.rs", "docs/lamp.md"] {
            if found(vec![name.into()]).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl ContentReader for History {
    fn commit(&mut self, id: &ObjectId) -> Result<CommitInfo, Failure> {
        let mut numbers = 0..self.versions.len();
        let found = numbers.find(|&number| Self::id(number) == *id);
        let found = found.ok_or_else(|| Failure(format!("no commit {id}")));
        Ok(self.versions[found?].commit.clone())
    }

    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        match version {
            FileVersion::Commit { commit, path } if **path == "docs/lamp.md" => {
                let text = self.document(commit);
                let text = text.ok_or_else(|| Failure(format!("no '{path}' in {commit}")))?;
                Ok(Arc::from(text.as_bytes()))
            }
            _ => BlameSource::contents(self, version),
        }
    }

    fn mode(&mut self, version: &FileVersion) -> Result<Option<u32>, Failure> {
        let FileVersion::Commit { commit, path } = version else {
            return Ok(None);
        };
        let mut versions = (0..).zip(&self.versions);
        let found = versions.find(|(number, _)| Self::id(*number) == *commit);
        let (number, _) = found
            .filter(|(_, version)| version.path == *path)
            .unwrap_or((usize::MAX, &self.versions[0]));
        // The first version was executable.
        Ok(match number {
            0 => Some(0o100755),
            usize::MAX => None,
            _ => Some(0o100644),
        })
    }

    fn changes(
        &mut self,
        commit: &ObjectId,
        _: Option<ObjectId>,
        _: &dyn Fn() -> bool,
    ) -> Result<CommitChanges, Failure> {
        let mut numbers = 0..self.versions.len();
        let number = numbers.find(|&number| Self::id(number) == *commit);
        let number = number.ok_or_else(|| Failure(format!("no commit {commit}")))?;
        let parent = number.checked_sub(1);
        let side = |number: usize| (self.versions[number].path.clone(), 0o100644);
        let (old, new) = (parent.map(side), side(number));
        let renamed = old.as_ref().is_some_and(|old| *old != new);
        let mut files = vec![FileChange {
            old,
            new: Some(new),
            alike: renamed.then_some(80),
            copied: false,
        }];
        if self.documented {
            let document = Some((Arc::new("docs/lamp.md".into()), 0o100644));
            files.insert(
                0,
                FileChange {
                    old: document.clone().filter(|_| parent.is_some()),
                    new: document,
                    alike: None,
                    copied: false,
                },
            );
        }
        Ok(CommitChanges {
            parent: parent.map(Self::id),
            files,
            more: 0,
        })
    }
}

/// A lamp that several people worked on.
pub fn lamp() -> History {
    History::default()
        .commit("Ada", "Light the lamp", |lines| {
            lines.extend(["fn light() {", "    burn();", "}"].map(line));
        })
        .commit(
            "Ben",
            "Trim the wick before lighting\n\nA long wick smokes.",
            |lines| {
                lines.insert(1, line("    trim();"));
            },
        )
        .renamed("src/lantern.rs")
        .commit("Cleo", "Say what burns", |lines| {
            lines[2] = line("    burn(oil);");
            lines.insert(0, line("//! The lantern."));
            lines.push(line("// end"));
        })
}

/// A screen in memory.
#[derive(Debug)]
pub struct Memory {
    pub terminal: Terminal<TestBackend>,
    pub copied: Vec<String>,
    pub suspended: usize,
}

impl Memory {
    pub fn new(width: u16, height: u16) -> Self {
        Memory {
            terminal: Terminal::new(TestBackend::new(width, height)).expect("memory"),
            copied: Vec::new(),
            suspended: 0,
        }
    }
}

impl Screen for Memory {
    fn size(&self) -> io::Result<Size> {
        Ok(self.terminal.size().expect("memory"))
    }

    fn draw(
        &mut self,
        _: Size,
        _: Range<u16>,
        paint: &mut dyn FnMut(&mut Buffer),
    ) -> io::Result<()> {
        let draw = self.terminal.draw(|frame| paint(frame.buffer_mut()));
        draw.expect("memory");
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

/// The production loop with a screen in memory.
pub struct Driver {
    event_loop: Option<EventLoop<Memory>>,
    runtime: tokio::runtime::Runtime,
    pub ending: Ending,
}

impl Driver {
    pub fn new(source: History, width: u16, height: u16) -> Self {
        Self::themed(source, width, height, ColourDepth::None)
    }

    pub fn themed(source: History, width: u16, height: u16, depth: ColourDepth) -> Self {
        let theme = Theme::new(Background::Dark, depth);
        Self::dressed(source, (width, height), theme, Config::default())
    }

    pub fn dressed(source: History, size: (u16, u16), theme: Theme, config: Config) -> Self {
        let around = (Surroundings::default(), None);
        Self::opened(source, size, theme, config, around)
    }

    pub fn around(source: History, around: Surroundings) -> Self {
        let theme = Theme::new(Background::Dark, ColourDepth::None);
        Self::opened(source, (80, 24), theme, Config::default(), (around, None))
    }

    /// With lessons for somebody who used these actions.
    pub fn taught(source: History, used: &str) -> Self {
        let theme = Theme::new(Background::Dark, ColourDepth::None);
        let around = (Surroundings::default(), Some(Lessons::new(used)));
        Self::opened(source, (80, 24), theme, Config::default(), around)
    }

    fn opened(
        source: History,
        size: (u16, u16),
        theme: Theme,
        config: Config,
        (around, lessons): (Surroundings, Option<Lessons>),
    ) -> Self {
        let opening = Opening {
            path: source
                .versions
                .last()
                .expect("a version")
                .path
                .to_vec()
                .into(),
            revision: "HEAD".to_owned(),
            line: None,
            now: NOW,
            switches: Switches::default(),
            ignored_file: source.listed.map(|_| IgnoreRevsFile {
                count: 1,
                problem: None,
            }),
            around,
            tour: false,
            lessons,
            config: Arc::new(config),
            config_file: None,
        };
        let memory = Memory::new(size.0, size.1);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().expect("a runtime");
        let event_loop = EventLoop::new(opening, theme, memory, Box::new(source));
        let mut driver = Driver {
            event_loop: Some(event_loop.expect("a loop")),
            runtime,
            ending: Ending::Idle,
        };
        driver.feed(Vec::new());
        driver
    }

    fn feed(&mut self, events: Vec<Event>) {
        self.take(events.into_iter().map(Input::Terminal).collect());
    }

    fn take(&mut self, inputs: Vec<Input>) {
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

    pub fn printout(&self) -> Vec<String> {
        self.event_loop.as_ref().expect("not closed").printout()
    }

    /// Presses keys all at once.
    pub fn keys_at_once(&mut self, script: &str) -> &mut Self {
        self.feed(script_events(script));
        self
    }

    /// Uses the mouse at a column and a row.
    pub fn mouse(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) -> &mut Self {
        let modifiers = KeyModifiers::NONE;
        self.feed(vec![Event::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers,
        })]);
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

    pub fn memory(&self) -> &Memory {
        self.event_loop.as_ref().expect("not closed").screen()
    }

    pub fn frames(&self) -> u64 {
        self.event_loop.as_ref().expect("not closed").frames()
    }

    /// The screen's text, without the blanks at the ends of its rows.
    pub fn screen(&self) -> String {
        let buffer = self.memory().terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let rows = buffer.content.chunks(width).map(|row| {
            let text: String = row.iter().map(|cell| cell.symbol()).collect();
            text.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
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

#[test]
fn before_at_back_and_forward() {
    let mut driver = Driver::new(lamp(), 80, 24);
    // `burn(oil);` of the newest commit lands on `burn();` before it.
    driver.keys("3j,");
    assert_eq!(driver.whereabouts().1, "src/lantern.rs");
    assert_eq!(driver.whereabouts().2.line, 2);
    assert_eq!(driver.app().status.note.as_deref(), Some("≈ line 3, 66 %"));
    // It was written by the first commit, under another name.
    driver.keys("b");
    assert_eq!(driver.whereabouts().1, "src/lamp.rs");
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys(",");
    assert_eq!(
        driver.app().status.note.as_deref(),
        Some("01010101 introduced the file: nothing stands before it")
    );
    driver.keys("<");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    driver.keys("<");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (0, 3)
    );
    driver.keys("<");
    assert_eq!(driver.app().status.note.as_deref(), Some("no earlier step"));
    driver.keys("2>");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (2, 1)
    );
    driver.keys("<C-o>").keys("<BS>");
    assert_eq!(driver.whereabouts().0, 0);
}

#[test]
fn an_added_line_says_so() {
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.keys("-");
    assert_eq!(
        driver.app().status.note.as_deref(),
        Some("the line was added here: before line 1, nothing stood")
    );
}

#[test]
fn a_switch_blames_again_in_place_and_can_be_taken_back() {
    let mut driver = Driver::new(lamp(), 80, 24);
    let guilty = |driver: &Driver| {
        let view = driver.app().view().expect("a view");
        view.selected().expect("attributed").commit.id
    };
    driver.keys("3j");
    let before = driver.whereabouts();
    assert_eq!(guilty(&driver), History::id(2));
    driver.keys("i");
    assert_eq!(guilty(&driver), History::id(1));
    assert_eq!(driver.whereabouts().2, before.2);
    assert!(driver.app().is_changed(3) && !driver.app().is_changed(2));
    assert_eq!(driver.app().switched_on(), "1 ignored");
    driver.keys("iw");
    assert_eq!(guilty(&driver), History::id(0));
    assert_eq!(driver.app().switched_on(), "-w 2 ignored");
    // There is nothing before the first commit.
    driver.keys("i").keys("i");
    let note = driver.app().status.note.clone().expect("a note");
    assert!(note.starts_with("01010101 is ignored already"), "{note}");
    // Steps through history keep the switches.
    driver.keys("b");
    assert_eq!(driver.app().switched_on(), "-w 3 ignored");
    driver.keys("5<");
    assert_eq!(
        (driver.whereabouts(), guilty(&driver)),
        (before, History::id(2))
    );
    assert_eq!(driver.app().switched_on(), "");
}

#[test]
fn the_ignore_file_is_switched_where_there_is_one() {
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.keys("R");
    assert_eq!(
        driver.app().status.note.as_deref(),
        Some("this work tree has no .git-blame-ignore-revs")
    );
    let mut source = lamp();
    source.listed = Some(2);
    let mut driver = Driver::new(source, 80, 24);
    driver.keys("R");
    assert_eq!(driver.app().switched_on(), "ignore file (1)");
    assert!(driver.app().is_changed(0));
    driver.keys("R");
    assert_eq!(driver.app().switched_on(), "");
}

#[test]
fn either_side_of_a_diff_is_blamed() {
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.keys("3j<CR>");
    assert!(driver.screen().contains("4 + "), "{}", driver.screen());
    // The removed line stands above the one that replaced it.
    driver.keys("k,");
    assert_eq!(driver.whereabouts().1, "src/lantern.rs");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    // Its commit had the file under its old name.
    driver.keys("<CR>b");
    assert_eq!(driver.whereabouts().1, "src/lamp.rs");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (2, 1)
    );
    driver.keys("<CR>,");
    assert_eq!(
        driver.app().status.note.as_deref(),
        Some("01010101 introduced the file: nothing stands before it")
    );
    driver.keys("q<");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    // From an added line, the most similar old one is looked for.
    driver.keys("<<CR>,");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    assert_eq!(driver.app().status.note.as_deref(), Some("≈ line 3, 66 %"));
}

/// The selected row of a diff, counted from its first; negative in the header.
fn selected_row(diff: &DiffView) -> i64 {
    i64::from(diff.pager.position.line) - diff.header.len() as i64
}

#[test]
fn changes_of_a_diff_are_stepped_through() {
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.keys("<CR>");
    let mut stop = |keys: &str| {
        driver.keys(keys);
        driver.app().overlays.diff().map(selected_row)
    };
    // The header of the part, then the first line that was added.
    assert_eq!(
        [stop(""), stop("n"), stop("n")],
        [Some(1), Some(4), Some(7)]
    );
    assert_eq!(
        [stop("N"), stop("N"), stop("<Esc>")],
        [Some(4), Some(1), None]
    );
}

#[test]
fn a_commits_other_files_are_gone_to() {
    let source = History {
        documented: true,
        ..lamp()
    };
    let mut driver = Driver::new(source, 80, 24);
    // The commit that renamed the file, and made it a plain one.
    driver.keys("2j<CR>");
    let screen = driver.screen();
    for words in [
        " diff 02020202 src/lamp.rs → src/lantern.rs 69 %",
        "file 2 of 2",
        "renamed    from src/lamp.rs, 69 % alike",
        "mode       100755, now 100644 (executable → file)",
        "   changed docs/lamp.md",
        " > renamed src/lantern.rs  from src/lamp.rs, 80 % alike",
        "      2 +     trim();",
    ] {
        assert!(screen.contains(words), "{words}\n{screen}");
    }
    driver.keys("}");
    assert!(driver.screen().contains("the commit's last file"));
    driver.keys("{");
    let screen = driver.screen();
    assert!(screen.contains("diff 02020202 docs/lamp.md") && screen.contains("+ Step 1"));
    // A click on a name in the list opens that file.
    let row = screen
        .lines()
        .position(|line| line.contains("renamed src/lantern.rs"));
    let at = (5, row.expect("a row") as u16);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert!(driver.screen().contains("src/lantern.rs 69 %"));
    // So does Enter on it; elsewhere Enter closes.
    driver.keys("gG").keys("100k");
    let diff = driver.app().overlays.diff().expect("a diff");
    let file = diff
        .header
        .iter()
        .position(|line| line.text.contains("docs/lamp.md"));
    driver.keys(&format!("{}j<CR>", file.expect("a file")));
    assert!(driver.screen().contains("diff 02020202 docs/lamp.md"));
    driver.keys("}");
    // The old side has the old name.
    driver.keys("]").keys(",");
    let (_, path, position) = driver.whereabouts();
    assert_eq!((path.as_str(), position.line), ("src/lamp.rs", 1));
}

#[test]
fn what_a_message_refers_to_is_followed() {
    let message = "Burn oil\n\nAs 0101010101 said, and #7; see https://example.org/oil.";
    let mut source = lamp().commit("Dora", message, |lines| lines.push(line("fn oil() {}")));
    let found = CommitContext {
        named: vec![("0101010101".into(), History::id(0))],
        ..CommitContext::default()
    };
    source.circumstances.insert(History::id(3), found);
    let around = Surroundings {
        web: WebLinks::new(
            Some("git@github.com:o/lamp".into()),
            UrlTemplates::default(),
        ),
        ..Surroundings::default()
    };
    let mut driver = Driver::around(source, around);
    let last = |driver: &Driver| {
        driver
            .screen()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    driver.keys("r");
    assert!(last(&driver).contains("has no references"));
    driver.keys("Gr");
    assert!(last(&driver).contains("Enter goes to commit 01010101, o opens its page"));
    driver.keys("r");
    assert!(last(&driver).contains("o opens https://github.com/o/lamp/issues/7"));
    driver.keys("rr");
    assert!(last(&driver).contains("goes to commit 01010101"));
    // The commit's own diff, and from it on; each is left by itself.
    driver.keys("<CR>");
    let commit = |driver: &Driver| driver.app().overlays.diff().map(|diff| diff.commit);
    assert_eq!(commit(&driver), Some(Some(History::id(0))));
    assert!(
        driver.screen().contains("Light the lamp"),
        "{}",
        driver.screen()
    );
    driver.keys("<Esc><CR>");
    assert_eq!(commit(&driver), Some(Some(History::id(3))));
    driver.keys("3r");
    assert!(last(&driver).contains("o opens this page"));
    driver.keys("<Esc>");
    assert_eq!(driver.app().picked(), None);
    driver.keys("r<CR>");
    assert_eq!(commit(&driver), Some(Some(History::id(0))));
    driver.keys("<Esc>");
    assert_eq!(commit(&driver), Some(Some(History::id(3))));
    driver.keys("<Esc>");
    assert_eq!(commit(&driver), None);
    // Two clicks do the same.
    let screen = driver.screen();
    let row = screen
        .lines()
        .position(|line| line.contains("As 0101010101"));
    let at = (6, row.expect("a row") as u16);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert!(last(&driver).contains("goes to commit 01010101"));
    driver.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert_eq!(commit(&driver), Some(Some(History::id(0))));
}

#[test]
fn white_space_does_not_count_in_a_diff_if_that_is_wanted() {
    let source = lamp().commit("Dora", "Indent", |lines| {
        for old in &mut *lines {
            *old = line(&format!("  {}", old.text));
        }
        lines[2] = line("      snuff();");
    });
    let mut driver = Driver::new(source, 80, 30);
    driver.keys("3j<CR>");
    let changed = |driver: &Driver| -> Vec<String> {
        let screen = driver.screen();
        let rows = screen
            .lines()
            .filter(|row| row.contains(" + ") || row.contains(" - "));
        rows.map(|row| row[10..].trim_end().to_owned()).collect()
    };
    assert_eq!(changed(&driver).len(), 12);
    driver.keys("w");
    assert_eq!(changed(&driver), ["    trim();", "      snuff();"]);
    let change = driver.app().overlays.diff().expect("a diff");
    assert_eq!(change.selected().and_then(|row| row.new_line()), Some(3));
    // The list of files is there also if the key came before it.
    driver.keys("<Esc>").keys_at_once("<CR>w{");
    driver.keys("<C-l>");
    assert!(
        driver
            .app()
            .overlays
            .diff()
            .is_some_and(|diff| diff.is_complete())
    );
}

#[test]
fn a_diff_is_searched_wrapped_and_scrolled() {
    let long = format!("    burn({});", "oil, ".repeat(30));
    let source = lamp().commit("Dora", "Burn much", |lines| {
        lines[3] = line(&long);
        lines.push(line("fn oil() {}"));
    });
    let mut driver = Driver::new(source, 60, 20);
    driver.keys("3j<CR>");
    let at = |driver: &Driver| driver.app().overlays.diff().map(selected_row);
    let first = at(&driver);
    driver.keys("/oil<CR>");
    assert!(
        driver.screen().contains("match 3 of 3"),
        "{}",
        driver.screen()
    );
    driver.keys("n");
    assert!(
        driver.screen().contains("match 1 of 3"),
        "{}",
        driver.screen()
    );
    driver.keys("n");
    assert_eq!(at(&driver), first);
    driver.keys("$");
    assert!(driver.screen().contains("oil, );"));
    driver.keys("0W");
    assert!(driver.screen().contains("+     › oil, oil"));
    driver.keys("j");
    assert!(at(&driver) > first);
    // The blame is searched for the same.
    driver.keys("<Esc>n");
    assert!(driver.screen().contains("of 2"), "{}", driver.screen());
}

#[test]
fn the_mouse_selects_opens_drags_and_scrolls() {
    let (press, drag) = (
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
    );
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.mouse(press, (40, 3));
    assert_eq!(driver.whereabouts().2.line, 2);
    driver.mouse(press, (40, 12));
    assert_eq!(driver.whereabouts().2.line, 2, "there is no line");
    // The line over the commit's pane.
    let rule = driver.app().layout().rule.y;
    driver.mouse(press, (5, rule)).mouse(drag, (5, rule - 6));
    assert_eq!(driver.app().layout().rule.y, rule - 6);
    driver.mouse(drag, (5, 0)).mouse(drag, (5, 23));
    assert_eq!(driver.app().layout().details.height, 1);
    driver.mouse(MouseEventKind::Up(MouseButton::Left), (5, 3));
    driver.mouse(drag, (5, 9));
    assert_eq!(driver.app().layout().details.height, 1);
    // An id.
    driver.mouse(press, (3, 1));
    assert_eq!(
        driver.app().overlays.diff().map(|diff| diff.commit),
        Some(Some(History::id(2)))
    );
    driver.mouse(press, (20, 9));
    assert_eq!(driver.app().overlays.diff().map(selected_row), Some(3));
    driver
        .keys("<Esc>")
        .resize(80, 6)
        .mouse(MouseEventKind::ScrollDown, (9, 2));
    assert_eq!(driver.whereabouts().2.top, 2);
    driver.mouse(MouseEventKind::ScrollUp, (9, 2));
    assert_eq!(driver.whereabouts().2.top, 0);
}

#[test]
fn a_step_from_a_pending_line_waits_for_its_commit() {
    let opening = Opening {
        path: "a".into(),
        revision: "HEAD".to_owned(),
        line: None,
        now: NOW,
        switches: Switches::default(),
        ignored_file: None,
        around: Surroundings::default(),
        tour: false,
        lessons: None,
        config: Arc::default(),
        config_file: None,
    };
    let (mut app, _) = App::new(opening, (80, 24));
    let news = |kind| {
        let generation = 1;
        Message::Blame(BlameEvent { generation, kind })
    };
    let key = |name| Message::Key(Key::named(name).expect("a key"));
    let text = Arc::new(Text::new(Arc::from(*b"one\ntwo\n")));
    let mapped_line = None;
    update(
        &mut app,
        news(BlameKind::Started {
            text,
            mapped_line,
            encoding: None,
        }),
    );
    let guilty = |line: u32| {
        let path = Arc::new(BString::from("a"));
        let lines = GuiltyLines {
            lines: line..line + 1,
            source_start: line,
            ignored: false,
            unblamable: false,
        };
        news(BlameKind::Chunk(Chunk {
            commits: Vec::new(),
            origins: vec![Guilty {
                commit: History::id(line as usize + 1),
                path: path.clone(),
                previous: Some((History::id(0), path)),
                boundary: false,
                entries: vec![lines],
            }],
        }))
    };
    let goes = |effects: &[Effect]| effects.iter().any(|it| matches!(it, Effect::Blame(_)));
    // Given up.
    assert!(!goes(&update(&mut app, key(","))));
    update(&mut app, key("Esc"));
    assert_eq!(app.status.note.as_deref(), Some("cancelled"));
    assert!(!goes(&update(&mut app, guilty(0))));
    // Waited for, while another line comes first.
    update(&mut app, key("j"));
    update(&mut app, key(","));
    let note = app.status.note.clone().expect("a note");
    assert!(note.starts_with("waiting for this line's commit"), "{note}");
    assert!(!goes(&update(&mut app, guilty(0))));
    assert!(goes(&update(&mut app, guilty(1))));
}

#[test]
fn moves_and_copies_are_switched_as_options_add_up() {
    let mut driver = Driver::new(lamp(), 80, 24);
    let mut on = |keys: &str| driver.keys(keys).app().switched_on();
    assert_eq!(
        [on("M"), on("C"), on("C"), on("C")],
        ["-M", "-C", "-C -C", "-C -C -C"]
    );
    assert_eq!([on("M"), on("C"), on("M")], ["-C -C -C", "-M", ""]);
}

#[test]
fn keys_that_come_all_at_once_lose_nothing() {
    let mut driver = Driver::new(lamp(), 80, 24);
    let before = driver.frames();
    driver.keys_at_once("3j2kG12gjjk");
    assert_eq!(driver.whereabouts().2.line, 4);
    assert!(
        driver.frames() - before <= 2,
        "frames are not drawn key by key"
    );
    let rest = driver.frames();
    driver.keys_at_once("");
    assert_eq!(driver.frames(), rest, "nothing happened, nothing is drawn");
}

#[test]
fn groups_and_the_same_commit() {
    let mut driver = Driver::new(lamp(), 80, 24);
    let mut stops = |keys: &str| {
        driver.keys(keys);
        driver.whereabouts().2.line
    };
    assert_eq!(
        [stops("]"), stops("]"), stops("]"), stops("[")],
        [1, 2, 3, 2]
    );
    assert_eq!([stops("g}"), stops("}"), stops("{")], [3, 5, 3]);
}

#[test]
fn searching_goes_around() {
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.keys("/fn light|oil<CR>");
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys("n");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys("n");
    assert_eq!(driver.whereabouts().2.line, 1);
    assert_eq!(
        driver.app().status.note.as_deref(),
        Some("the search wrapped around")
    );
    driver.keys("NN");
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys("/nowhere<CR>");
    assert_eq!(
        driver.app().status.note.as_deref(),
        Some("nothing matches “nowhere”")
    );
}

#[test]
fn a_search_finds_authors_summaries_and_ids() {
    let mut driver = Driver::new(lamp(), 80, 24);
    let found = |driver: &mut Driver, keys: &str| {
        let screen = driver.keys(keys).screen();
        let last = screen.lines().last().unwrap_or_default();
        let words = last.split_once("match ").map(|(_, words)| words.trim());
        (driver.whereabouts().2.line, words.map(str::to_owned))
    };
    // Cleo wrote three groups: the search goes from one's beginning to the next.
    let stop = |line, words: &str| (line, Some(words.to_owned()));
    assert_eq!(found(&mut driver, "/cleo<CR>"), stop(3, "2 of 3"));
    assert_eq!(found(&mut driver, "n"), stop(5, "3 of 3"));
    assert_eq!(found(&mut driver, "/wick before<CR>"), stop(2, "1 of 1"));
    assert_eq!(found(&mut driver, "/01010101<CR>"), stop(4, "2 of 2"));
    // Once where both the code and its commit match.
    assert_eq!(found(&mut driver, "/light<CR>"), stop(1, "1 of 3"));
}

#[test]
fn a_match_far_to_the_right_is_scrolled_to() {
    let source = History::default().commit("Ada", "One", |lines| {
        lines.push(line(&format!(
            "{}needle{}",
            "x".repeat(300),
            "x".repeat(300)
        )));
        lines.push(line("needle"));
    });
    let mut driver = Driver::new(source, 80, 24);
    driver.keys("/needle<CR>n");
    assert!(driver.screen().contains("xneedlex"), "{}", driver.screen());
    driver.keys("n");
    assert_eq!(driver.whereabouts().2.left, 0);
}

/// The code on the screen, row by row.
fn code_rows(driver: &Driver) -> Vec<String> {
    let screen = driver.screen();
    let gutter = usize::from(driver.app().gutter().width());
    let rows = screen.lines().skip(1).map(|row| {
        let code: String = row.chars().skip(gutter).collect();
        code.trim_end_matches(['│', '█', '▐', ' ']).to_owned()
    });
    rows.take(driver.app().layout().code.height.into())
        .collect()
}

#[test]
fn long_lines_are_wrapped() {
    let source = History::default().commit("Ada", "One", |lines| {
        lines.push(line("short"));
        // The room for the code is 12 columns, of which further rows leave one for a mark.
        lines.push(line("0123456789a0123456789ab"));
        lines.push(line("0123456789日本語"));
        lines.push(line(&"x".repeat(200)));
        lines.extend(["one", "two", "three"].map(line));
    });
    let mut driver = Driver::new(source, 13, 10);
    driver.keys("W<C-l>");
    assert_eq!(driver.app().code_room(), 12);
    assert_eq!(
        code_rows(&driver)[..6],
        [
            "short",
            "0123456789a0",
            "›123456789ab",
            "0123456789日",
            "›本 語",
            "xxxxxxxxxxxx"
        ]
    );
    // A click on a further row selects its line.
    driver.mouse(MouseEventKind::Down(MouseButton::Left), (5, 3));
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys("2j");
    let seen = driver.whereabouts().2;
    assert_eq!((seen.line, driver.app().height(3)), (3, 19));
    // The line is taller than the screen: its rows come one by one, then the next line.
    driver.keys("j");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys("100j");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys("j");
    assert_eq!(driver.whereabouts().2.line, 4);
    driver.keys("G");
    assert_eq!(code_rows(&driver).last().map(String::as_str), Some("three"));
    driver.keys("100<C-u>");
    assert_eq!(
        (driver.whereabouts().2.line, driver.app().top()),
        (0, (0, 0))
    );
    // Page by page, wheel step by wheel step: every line is passed, nothing sticks.
    for (keys, wheel) in [("<C-d>", None), ("", Some(MouseEventKind::ScrollDown))] {
        driver.keys("g");
        let mut steps = 0;
        while driver.app().top() != (3, 14) {
            driver.keys(keys);
            wheel.map(|wheel| driver.mouse(wheel, (5, 2)).screen());
            steps += 1;
            assert!(steps < 60, "{:?}", driver.whereabouts());
        }
    }
    driver.keys("W<C-l>");
    assert_eq!(driver.app().height(3), 1);
    assert_eq!(driver.app().top().1, 0);
}

#[test]
fn lines_are_wrapped_between_words_below_their_beginning() {
    let source = History::default().commit("Ada", "One", |lines| {
        lines.push(line(
            "    let it = shine(on, and_on) + the_path_of(everybody);",
        ));
        lines.push(line("end"));
    });
    let mut driver = Driver::new(source, 36, 10);
    driver.keys("W");
    assert_eq!(
        code_rows(&driver)[..4],
        [
            "    let it = shine(on,",
            "    › and_on) +",
            "    › the_path_of(",
            "    › everybody);",
        ]
    );
    driver.keys("/everybody<CR>");
    assert!(driver.screen().contains("› everybody"));
}

#[test]
fn marks_lead_back() {
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.keys("'a");
    assert_eq!(
        driver.app().status.note.as_deref(),
        Some("there is no mark a: ma sets it")
    );
    driver.keys("3jmaG''");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys("''");
    assert_eq!(driver.whereabouts().2.line, 5);
    // From another version, and back again.
    driver.keys("g2jb'a");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (0, 3)
    );
    driver.keys("''");
    assert_eq!(driver.whereabouts().0, 1);
    // From a step that is gone, too.
    driver.keys("mb<<w<'b");
    assert_eq!(driver.whereabouts().2.line, 1);
    assert_eq!(
        driver.app().view().map(|view| view.revision.as_str()),
        Some("02020202")
    );
    driver.keys("m<Esc>");
    assert_eq!(driver.app().status.note.as_deref(), Some("no mark"));
}

#[test]
fn a_commit_is_saved_to_the_ignore_file() {
    let scratch = tempfile::tempdir().expect("a directory");
    let list = scratch.path().join("list");
    let mut driver = Driver::around(
        lamp(),
        Surroundings {
            ignore_list: Some(list.clone()),
            ..Surroundings::default()
        },
    );
    driver.keys("3jI");
    let text = std::fs::read_to_string(&list).expect("the list");
    assert_eq!(text, format!("# Say what burns\n{}\n", History::id(2)));
    let note = driver.app().status.note.clone().expect("a note");
    assert!(note.starts_with("saved 03030303 to /"), "{note}");
    assert_eq!(driver.app().switched_on(), "1 ignored");
    assert!(driver.app().is_changed(3));
    driver.keys("<I");
    let note = driver.app().status.note.clone().expect("a note");
    assert!(note.starts_with("03030303 is already in /"), "{note}");
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.keys("I");
    assert_eq!(driver.app().switched_on(), "");
    let note = driver.app().status.note.clone().expect("a note");
    assert!(note.starts_with("there is no work tree"), "{note}");
}

#[test]
fn another_file_is_found_by_some_letters() {
    let around = Surroundings {
        start: Some(History::id(2)),
        ..Surroundings::default()
    };
    let mut driver = Driver::around(lamp(), around);
    driver.keys("jbf");
    let screen = driver.screen();
    // The file that was visited comes first.
    assert!(screen.contains("> src/lantern.rs"), "{screen}");
    assert!(screen.contains("4 of 4 files"), "{screen}");
    driver.keys("mdlp");
    let screen = driver.screen();
    assert!(screen.contains("file: mdlp"), "{screen}");
    assert!(screen.contains("0 of 4 files"), "{screen}");
    driver.keys("<C-u>dmd");
    assert!(driver.screen().contains("> docs/lamp.md"));
    // It is not there in the end: one stays where one is.
    driver.keys("<CR>");
    let note = driver.app().status.note.clone().expect("a note");
    assert!(note.starts_with("no such path 'docs/lamp.md'"), "{note}");
    driver.keys("f<Esc>fx<BS><BS>");
    assert!(driver.app().overlays.finder().is_none());
    driver.keys("<2jflant<CR>");
    assert_eq!(driver.whereabouts().1, "src/lantern.rs");
    assert_eq!(driver.whereabouts().2.line, 0);
    driver.keys("<");
    assert_eq!(driver.whereabouts().2.line, 3);
}

#[test]
fn the_encoding_is_chosen_and_the_cursor_stays() {
    let source = History::default().commit("Ada", "One", |lines| {
        lines.extend(["one", "zwei ü", "три"].map(line));
    });
    let mut driver = Driver::new(source, 80, 12);
    driver.keys("2jElatin1<CR>");
    assert_eq!(driver.whereabouts().2.line, 2);
    let screen = driver.screen();
    assert!(
        screen.contains("zwei Ã¼") && screen.contains("shown as ISO-8859-1"),
        "{screen}"
    );
    driver.keys("j");
    assert!(driver.screen().contains("shown as ISO-8859-1"));
    // The search and the diff see what is shown.
    driver.keys("/Ã<CR>");
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys("<CR>");
    assert!(driver.screen().contains("+ zwei Ã¼"), "{}", driver.screen());
    driver.keys("<Esc>Ehex<CR>");
    assert!(
        driver.screen().contains("6f 6e 65  one"),
        "{}",
        driver.screen()
    );
    driver.keys("Enone<CR>");
    assert_eq!(
        driver.app().status.note.as_deref(),
        Some("unknown encoding “none”")
    );
    driver.keys("Ea<Tab><CR>");
    assert!(driver.screen().contains("три"), "{}", driver.screen());
}

#[test]
fn the_tour_goes_on_when_one_does_what_it_says() {
    let mut driver = Driver::new(lamp(), 100, 24);
    let mut step = |keys: &str| {
        driver.keys(keys);
        driver.app().tour_lines().join(" ").replace("  ", " ")
    };
    assert!(step("T").starts_with("1 of 11 On the left"));
    assert!(step("j").contains("} goes to the next ones"));
    assert!(step("}").starts_with("3 of 11"));
    // Nothing stands before this line: the step stays.
    assert!(step(",").starts_with("3 of 11"));
    assert!(step("4g,").starts_with("4 of 11"));
    assert!(step("<").contains("Enter shows what the commit did"));
    assert!(step("<CR>").starts_with("6 of 11"));
    assert!(step("<Esc>").starts_with("7 of 11"));
    assert!(step("i").starts_with("8 of 11"));
    assert!(step("/Be").starts_with("8 of 11"));
    assert!(step("n<CR>").starts_with("9 of 11"));
    assert!(step("c").starts_with("10 of 11"));
    assert!(step("?").starts_with("10 of 11"));
    assert!(step("<Esc>").starts_with("11 of 11"));
    assert_eq!(step("T"), "");
    // Skipped, and ended.
    assert!(step("TT").starts_with("2 of 11"));
    assert_eq!(step("<C-t>"), "");
}

#[test]
fn one_key_is_taught_until_it_was_used() {
    let mut driver = Driver::taught(lamp(), "back\nno such action\n");
    let last = |driver: &mut Driver, keys: &str| {
        let screen = driver.keys(keys).screen();
        screen
            .lines()
            .last()
            .unwrap_or_default()
            .trim_end()
            .to_owned()
    };
    assert_eq!(
        last(&mut driver, ""),
        " try , the file before this line's commit  ? keys  q quit  T tour"
    );
    // Where there is no room for it, the usual keys are shown.
    driver.resize(30, 12);
    assert_eq!(last(&mut driver, ""), " , before  b at  < back");
    driver.resize(80, 24);
    // What was used before is not taught again.
    assert!(last(&mut driver, ",j").starts_with(" try Enter what this commit changed"));
    let kept = |driver: &Driver| {
        driver
            .app()
            .guide
            .hints
            .as_ref()
            .and_then(Lessons::to_be_kept)
    };
    assert_eq!(kept(&driver).as_deref(), Some("back\nbefore\n"));
    driver.keys("<CR>}/x<CR><Esc><Esc><Tab><Tab>biw]cy");
    assert!(
        last(&mut driver, "j").starts_with(" try "),
        "{}",
        driver.screen()
    );
}

#[test]
fn what_goes_out_is_a_link_a_page_or_an_errand() {
    let around = |root: Option<&str>, remote: Option<&str>| Surroundings {
        start: Some(History::id(2)),
        head: None,
        root: root.map(Into::into),
        ignore_list: None,
        editor: None,
        web: WebLinks::new(remote.map(Into::into), UrlTemplates::default()),
    };
    let mut driver = Driver::around(lamp(), around(None, None));
    driver.keys("Yoe!");
    assert!(driver.memory().copied.is_empty());
    let remote = Some("git@github.com:o/lamp.git");
    let mut driver = Driver::around(lamp(), around(Some("/nowhere"), remote));
    driver.keys("2jY");
    let (id, start) = (History::id(1), History::id(2));
    let link = format!("https://github.com/o/lamp/blob/{start}/src/lantern.rs#L3");
    assert_eq!(driver.memory().copied, [link]);
    driver.keys("bY");
    let link = format!("https://github.com/o/lamp/blob/{id}/src/lantern.rs#L2");
    assert_eq!(driver.memory().copied.last(), Some(&link));
    driver.keys("e");
    let Ending::External(ExternalCommand::Edit(edit)) = &driver.ending else {
        panic!("{:?}", driver.ending);
    };
    assert_eq!(
        (edit.paths.clone(), edit.line),
        (vec!["src/lantern.rs".into()], 1)
    );
    driver.keys("!");
    let note = driver.app().status.note.clone().expect("a note");
    assert!(note.starts_with("no command is configured"), "{note}");
}

#[test]
fn the_lines_on_the_screen_are_printed_at_the_end() {
    let mut driver = Driver::new(lamp(), 60, 6);
    assert!(driver.printout().is_empty());
    driver.keys("p");
    let lines = driver.printout();
    assert_eq!(lines.len(), 4);
    assert!(lines[3].starts_with("0303030"), "{lines:?}");
    assert!(lines[3].ends_with("    burn(oil);"), "{lines:?}");
    driver.keys("3j<CR>");
    let lines = driver.printout();
    assert!(
        lines.iter().any(|line| line.ends_with("+     burn(oil);")),
        "{lines:?}"
    );
    driver.keys("p");
    assert!(driver.printout().is_empty());
}

#[test]
fn copying_suspending_quitting() {
    let mut driver = Driver::new(lamp(), 80, 24);
    driver.keys("jy<C-z>");
    assert_eq!(driver.memory().copied, [History::id(0).to_string()]);
    assert_eq!(driver.memory().suspended, 1);
    // The terminal is somebody else's until the program is continued.
    let frames = driver.frames();
    driver.keys("j");
    assert_eq!(driver.frames(), frames);
    driver.take(vec![Input::Continue]);
    assert_eq!(driver.frames(), frames + 1);
    driver.keys("q");
    assert_eq!(driver.ending, Ending::Quit);
}

#[test]
fn what_was_attributed_before_an_error_stays() {
    let mut source = lamp();
    source.broken_after = Some(3);
    let driver = Driver::new(source, 80, 24);
    let screen = driver.screen();
    assert!(screen.contains("stopped at 50 %"), "{screen}");
    assert!(
        screen.contains("blame failed: unable to read the tree"),
        "{screen}"
    );
    assert!(screen.contains("03030303 Cleo"), "{screen}");
}

#[test]
fn a_file_that_is_not_there_ends_the_viewer() {
    let mut source = lamp();
    source.versions.truncate(0);
    struct Nothing;
    impl BlameSource for Nothing {
        fn contents(&mut self, _: &FileVersion) -> Result<Arc<[u8]>, Failure> {
            Err(Failure("no such path 'x' in HEAD".to_owned()))
        }
        fn blame(
            &mut self,
            _: &FileVersion,
            _: &Switches,
            _: &mut dyn Sink,
        ) -> Result<BlameStats, Failure> {
            panic!("there is nothing to blame")
        }
        fn content_reader(&self) -> Box<dyn ContentReader> {
            Box::new(History::default())
        }
        fn metadata_reader(&self) -> Box<dyn MetadataReader> {
            Box::new(History::default())
        }
    }
    let opening = Opening {
        path: "x".into(),
        revision: "HEAD".to_owned(),
        line: None,
        now: NOW,
        switches: Switches::default(),
        ignored_file: None,
        around: Surroundings::default(),
        tour: false,
        lessons: None,
        config: Arc::default(),
        config_file: None,
    };
    let theme = Theme::new(Background::Dark, ColourDepth::None);
    let mut event_loop =
        EventLoop::new(opening, theme, Memory::new(80, 24), Box::new(Nothing)).expect("a loop");
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let mut input = futures_util::stream::pending();
    let ending = runtime.block_on(event_loop.run(&mut input, Until::Quit));
    assert_eq!(
        ending.expect("memory"),
        Ending::Failed("no such path 'x' in HEAD".to_owned())
    );
    event_loop.close();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// However lines are wrapped, the selected one is on the screen, and rows are counted alike in
    /// both directions.
    #[test]
    fn wrapped_lines_are_moved_through(
        widths in prop::collection::vec(0usize..90, 1..40),
        size in (12u16..50, 4u16..16),
        steps in prop::collection::vec("[jkWgG]|<C-d>|<C-u>|1[0-9][jk]| |/xx<CR>", 1..25),
    ) {
        let source = History::default().commit("Ada", "One", |lines| {
            lines.extend(widths.iter().map(|&width| line(&"xy日".chars().cycle().take(width).collect::<String>())));
        });
        let mut driver = Driver::new(source, size.0, size.1);
        driver.keys("W");
        for keys in steps {
            driver.keys(&keys);
            let app = driver.app();
            let rows = u64::from(app.layout().code.height.max(1));
            let (line, top) = (driver.whereabouts().2.line, app.top());
            let last = app.below(top, rows - 1);
            prop_assert!((top.0..=last.0).contains(&line), "{line} {top:?} {last:?}");
            // With the lines around it, where these have their places.
            let around = 2 * ((rows - 1) / 2).min(3);
            if u64::from(app.height(line)) + around <= rows {
                prop_assert!(top <= (line, 0) && (line, app.height(line) - 1) <= last);
            }
            for far in 0..60 {
                let below = app.below(top, far);
                let end = app.below(top, 1000);
                prop_assert!(below == end || app.above(below, far) == top);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Whatever is done in a diff, the selected row is on the screen, and the screen is full.
    #[test]
    fn the_selected_row_of_a_diff_is_seen(
        widths in prop::collection::vec(0usize..90, 1..30),
        size in (1u16..70, 1u16..20),
        steps in prop::collection::vec(
            "[jkWgGhl$0dnNr]|<C-d>|<C-u>|1[0-9][jkG]|\\]|\\[|\\}|\\{| |/xx<CR>|<CR>", 1..25
        ),
    ) {
        let long = |width: usize| line(&"xy日 ,".chars().cycle().take(width).collect::<String>());
        let source = History {
            documented: true,
            ..lamp().commit("Dora", "Grow\n\nSee https://example.org/ or #7.", |lines| {
                lines[3] = long(60);
                lines.extend(widths.iter().map(|&width| long(width)));
            })
        };
        let mut driver = Driver::new(source, size.0, size.1);
        driver.keys("3j<CR>");
        for keys in steps {
            driver.keys(&keys);
            let app = driver.app();
            let Some(diff) = app.overlays.diff() else {
                driver.keys("<CR>");
                continue;
            };
            let rows = u32::from(app.layout().middle().height);
            let (top, line) = (diff.pager.position.top, diff.pager.position.line);
            prop_assert!((line as usize) < diff.header.len() + diff.rows().len().max(1));
            prop_assert!(top <= line, "{top} {line}");
            prop_assert!(rows == 0 || line < top + rows, "{top} {line} {rows}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Going somewhere and coming back ends where it began, whatever was done in between.
    #[test]
    fn any_walk_returns(steps in prop::collection::vec(("[,b<>wMi]", 0u8..7), 1..12)) {
        let mut driver = Driver::new(lamp(), 60, 10);
        let mut trail: Vec<(usize, String, Position)> = Vec::new();
        for (key, line) in steps {
            driver.keys(&format!("{}g", line + 1));
            let before = driver.whereabouts();
            driver.keys(&key);
            let after = driver.whereabouts();
            trail.truncate(before.0);
            trail.push(before.clone());
            match key.as_str() {
                "<" | ">" => {}
                // A step was taken, or the file begins here.
                _ => prop_assert!(after.0 == before.0 + 1 || after == before),
            }
            if after.0 > before.0 {
                driver.keys("<");
                prop_assert_eq!(driver.whereabouts(), before);
                driver.keys(">");
                prop_assert_eq!(driver.whereabouts(), after);
            }
        }
        let at = driver.app().history.current as u32;
        driver.keys(&format!("{}<", at.max(1)));
        prop_assert_eq!(driver.whereabouts().0, 0);
    }
}

#[test]
fn the_account_of_a_blame_is_shown() {
    let mut driver = Driver::new(lamp(), 80, 40);
    driver.keys("S");
    let screen = driver.screen();
    assert!(screen.contains("─ blame statistics ─"), "{screen}");
    assert!(screen.contains("phase      wall ms"), "{screen}");
    assert!(screen.contains("commits      0 visited"), "{screen}");
    driver.keys("<Esc>");
    assert!(!driver.screen().contains("phase"));
    // The commit's words are back where they were.
    driver.keys("<Tab>");
    assert!(driver.screen().contains("author     Cleo"));
}
