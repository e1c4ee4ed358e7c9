//! Moving through lines, groups, commits and files.

use std::sync::{Arc, atomic::Ordering};

use bstr::BString;
use crossterm::event::{MouseButton, MouseEventKind};
use proptest::prelude::*;
use ratatui::style::Modifier;

use tblame::internals::{
    engine::Sink,
    viewer::{
        app::{
            display::pager::Position, settings::environment::RepositoryInfo, state::App,
            update::update,
        },
        config::settings::Config,
        event_loop::{EventLoop, ExitReason, Until},
        model::{
            background::queries::QueryReaders,
            keys::key::Key,
            source::{BlameSource, BlameStats, Failure, FileVersion, VersionReader},
            texts::text::Text,
            toggled_options::ToggledOptions,
        },
        protocol::{
            AttributedLines, AttributedOrigin, BlameBatch, BlameEvent, BlameEventKind, Effect,
            Message,
        },
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
            theme_set::ThemeSet,
        },
    },
};

use super::{
    driver::{Driver, MemoryScreen, arguments, selected_row},
    fake_history::{FakeHistory, lamp_history, line},
};

#[test]
fn a_line_that_was_only_indented_is_said_to_be() {
    let source = lamp_history().commit("Dora", "Indent", |lines| {
        lines[2] = line("        trim();");
    });
    let mut driver = Driver::new(source, 80, 24);
    driver.keys("3G,");
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("only whitespace changed: line 3")
    );
}

#[test]
fn before_at_back_and_forward() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    // `burn(oil);` of the newest commit lands on `burn();` before it.
    driver.keys("3j,");
    assert_eq!(driver.whereabouts().1, "src/lantern.rs");
    assert_eq!(driver.whereabouts().2.line, 2);
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("rewritten; most alike: line 3 (66%)")
    );
    // It was written by the first commit, under another name.
    driver.keys("b");
    assert_eq!(driver.whereabouts().1, "src/lamp.rs");
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys(",");
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("01010101 added the file: there is no earlier version; a shows what else it did")
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
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("nothing to go back to")
    );
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
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("-");
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("line 1 is new in 03030303: it was inserted here; , goes on from here")
    );
    // Its place is after no line here, but after the last one from the end.
    driver.keys("<G,");
    let is_underlined = |driver: &Driver, row: u16| {
        let buffer = driver.memory().terminal.backend().buffer();
        let cell = buffer.cell((40, row)).expect("a cell");
        cell.modifier.contains(Modifier::UNDERLINED)
    };
    let underlined = |driver: &Driver| (1..12).filter(|&row| is_underlined(driver, row)).collect();
    let rows: Vec<u16> = underlined(&driver);
    assert_eq!((driver.whereabouts().2.line, rows), (3, vec![4]));
    driver.keys("k");
    assert_eq!(underlined(&driver), Vec::<u16>::new());
}

#[test]
fn a_moved_line_is_followed_to_where_it_was() {
    let mut driver = Driver::new(
        FakeHistory::default()
            .commit("Ada", "Write", |lines| {
                let words = [
                    "fn first() {",
                    "    one();",
                    "}",
                    "fn second() {",
                    "    two();",
                    "}",
                ];
                lines.extend(words.map(line));
            })
            .commit("Ben", "Swap", |lines| {
                lines.drain(..3);
                lines.extend(["fn first() {", "    one();", "}"].map(line));
            }),
        80,
        24,
    );
    driver.keys("5G,");
    assert_eq!(driver.whereabouts().2.line, 1);
    let message = driver.app().status.message.as_deref();
    assert_eq!(message, Some("moved from line 2"));
}

#[test]
fn a_known_blame_is_not_repeated() {
    let history = lamp_history();
    let blames = history.blames.clone();
    let mut driver = Driver::new(history, 80, 24);
    let count = || blames.load(Ordering::Relaxed);
    driver.keys("3j,");
    assert_eq!(count(), 2);
    let screen = driver.screen();
    driver.keys("<,");
    assert_eq!((count(), driver.screen()), (2, screen.clone()));
    // From another line, too.
    driver.keys("<2j,");
    assert_eq!((count(), driver.whereabouts().2.line), (2, 3));
    assert!(driver.app().report().is_some());
    // With other options, it is another blame.
    driver.keys("<2kw,");
    assert_eq!(count(), 4);
}

#[test]
fn going_back_returns_to_the_diff() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("4G<CR>k");
    let diff = driver.screen();
    driver.keys(",");
    assert!(driver.app().diff().is_none());
    driver.keys("<");
    assert_eq!((driver.whereabouts().0, driver.screen()), (0, diff.clone()));
    driver.keys(">");
    assert!(driver.app().diff().is_none());
    assert_eq!(driver.whereabouts().0, 1);
    driver.keys("<");
    assert_eq!(driver.screen(), diff);
    // Closed, it stays closed.
    driver.keys("<><");
    assert!(driver.app().diff().is_none());
}

#[test]
fn the_mouse_selects_opens_drags_and_scrolls() {
    let (press, drag) = (
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
    );
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.mouse(press, (40, 3));
    assert_eq!(driver.whereabouts().2.line, 2);
    driver.mouse(press, (40, 12));
    assert_eq!(driver.whereabouts().2.line, 2, "there is no line");
    // The line over the commit's pane.
    let rule = driver.app().layout().details_title.y;
    driver.mouse(press, (5, rule)).mouse(drag, (5, rule - 6));
    assert_eq!(driver.app().layout().details_title.y, rule - 6);
    driver.mouse(drag, (5, 0)).mouse(drag, (5, 23));
    assert_eq!(driver.app().layout().details.height, 1);
    driver.mouse(MouseEventKind::Up(MouseButton::Left), (5, 3));
    driver.mouse(drag, (5, 9));
    assert_eq!(driver.app().layout().details.height, 1);
    // An id.
    driver
        .mouse(press, (3, 1))
        .mouse(MouseEventKind::Up(MouseButton::Left), (3, 1));
    assert_eq!(
        driver.app().diff().map(|diff| diff.commit),
        Some(Some(FakeHistory::id(2)))
    );
    driver.mouse(press, (20, 9));
    assert_eq!(driver.app().diff().map(selected_row), Some(7));
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
    let arguments = arguments("a".into(), Config::default());
    let (mut app, _) = App::new(arguments, (80, 24));
    let news = |kind| {
        let id = 1;
        Message::Blame(BlameEvent { id, kind })
    };
    let key = |name| Message::Key(Key::named(name).expect("a key"));
    let text = Arc::new(Text::new(Arc::from(*b"one\ntwo\n")));
    let mapped_line = None;
    update(
        &mut app,
        news(BlameEventKind::Started {
            text,
            mapped_line,
            changes: Default::default(),
            encoding: None,
            tab_width: None,
        }),
    );
    let guilty = |line: u32| {
        let path = Arc::new(BString::from("a"));
        let lines = AttributedLines {
            lines: line..line + 1,
            source_start: line,
            ignored: false,
            unblamable: false,
        };
        news(BlameEventKind::Batch(BlameBatch {
            commits: Vec::new(),
            origins: vec![AttributedOrigin {
                commit: FakeHistory::id(line as usize + 1),
                path: path.clone(),
                previous: Some((FakeHistory::id(0), path)),
                boundary: false,
                entries: vec![lines],
            }],
        }))
    };
    let goes = |effects: &[Effect]| effects.iter().any(|it| matches!(it, Effect::Blame(_)));
    // Given up.
    assert!(!goes(&update(&mut app, key(","))));
    update(&mut app, key("Esc"));
    assert_eq!(app.status.message.as_deref(), Some("cancelled"));
    assert!(!goes(&update(&mut app, guilty(0))));
    // Waited for, while another line comes first.
    update(&mut app, key("j"));
    update(&mut app, key(","));
    let message = app.status.message.clone().expect("a message");
    assert!(
        message.starts_with("waiting for this line's commit"),
        "{message}"
    );
    assert!(!goes(&update(&mut app, guilty(0))));
    assert!(goes(&update(&mut app, guilty(1))));
}

#[test]
fn keys_that_come_all_at_once_lose_nothing() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let frames = driver.frames_of("3j2kG12gjjk");
    assert_eq!(driver.whereabouts().2.line, 4);
    assert!(!frames.is_empty());
    for frame in frames {
        assert!(frame.contains("line 5 of 6"), "of some keys:\n{frame}");
    }
    let rest = driver.frames();
    driver.keys_at_once("");
    assert_eq!(driver.frames(), rest, "nothing happened, nothing is drawn");
}

#[test]
fn groups_and_the_same_commit() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
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
fn marks_lead_back() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let message = |driver: &Driver| driver.app().status.message.clone();
    driver.keys("'");
    let none = "there are no marks yet: m sets one";
    assert_eq!(message(&driver).as_deref(), Some(none));
    // The next key is not taken for a letter.
    driver.keys("jmb'a");
    assert_eq!(driver.whereabouts().2.line, 1);
    let none = "there is no mark a: ma sets it";
    assert_eq!(message(&driver).as_deref(), Some(none));
    driver.keys("k");
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
    assert_eq!(driver.app().status.message.as_deref(), Some("cancelled"));
}

#[test]
fn another_file_is_found_by_some_letters() {
    let around = RepositoryInfo {
        command_line_commit: Some(FakeHistory::id(2)),
        ..RepositoryInfo::default()
    };
    let mut driver = Driver::with_context(lamp_history(), around);
    driver.keys("jbf");
    let screen = driver.screen();
    // The file that was visited comes first.
    assert!(screen.contains("> src/lantern.rs"), "{screen}");
    assert!(screen.contains("4 of 4 files"), "{screen}");
    assert!(screen.starts_with(" files @ 01010101"), "{screen}");
    driver.resize(120, 24);
    let preview = driver.screen().lines().next().map(str::to_owned);
    let preview = preview.unwrap_or_default();
    assert!(preview.ends_with("│ src/lantern.rs"), "{preview}");
    driver.resize(80, 24);
    driver.keys("mdlp");
    let screen = driver.screen();
    assert!(screen.contains("file: mdlp"), "{screen}");
    assert!(screen.contains("0 of 4 files"), "{screen}");
    driver.keys("<C-u>dmd");
    assert!(driver.screen().contains("> docs/lamp.md"));
    // It is not there in the end: one stays where one is.
    driver.keys("<CR>");
    let message = driver.app().status.message.clone().expect("a message");
    assert!(
        message.starts_with("no such path 'docs/lamp.md'"),
        "{message}"
    );
    driver.keys("f<Esc>fx<BS><BS>");
    assert!(driver.app().pages.top().is_none());
    driver.keys("<2jflant<CR>");
    assert_eq!(driver.whereabouts().1, "src/lantern.rs");
    assert_eq!(driver.whereabouts().2.line, 0);
    driver.keys("<");
    assert_eq!(driver.whereabouts().2.line, 3);
}

#[test]
fn what_was_attributed_before_an_error_stays() {
    let mut source = lamp_history();
    source.broken_after = Some(3);
    let driver = Driver::new(source, 80, 24);
    let screen = driver.screen();
    assert!(screen.contains("stopped at 50%"), "{screen}");
    assert!(
        screen.contains("blame failed: unable to read the tree"),
        "{screen}"
    );
    assert!(screen.contains("030303 Cleo"), "{screen}");
}

#[test]
fn a_file_that_is_not_there_ends_the_viewer() {
    let mut source = lamp_history();
    source.versions.truncate(0);
    struct Nothing;
    impl BlameSource for Nothing {
        fn contents(&mut self, _: &FileVersion) -> Result<Arc<[u8]>, Failure> {
            Err(Failure::new("no such path 'x' in HEAD"))
        }
        fn blame(
            &mut self,
            _: &FileVersion,
            _: &ToggledOptions,
            _: &mut dyn Sink,
        ) -> Result<BlameStats, Failure> {
            panic!("there is nothing to blame")
        }
        fn version_reader(&self) -> Box<dyn VersionReader> {
            Box::new(FakeHistory::default())
        }
        fn query_readers(&self) -> QueryReaders {
            FakeHistory::default().query_readers()
        }
    }
    let arguments = arguments("x".into(), Config::default());
    let theme = Theme::new(Background::Dark, ColorDepth::None);
    let mut event_loop = EventLoop::new(
        arguments,
        ThemeSet::fixed(theme),
        MemoryScreen::new(80, 24),
        Box::new(Nothing),
    )
    .expect("a loop");
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let mut input = futures_util::stream::pending();
    let ending = runtime.block_on(event_loop.run(&mut input, Until::Quit));
    assert_eq!(
        ending.expect("memory"),
        ExitReason::Failed("no such path 'x' in HEAD".to_owned())
    );
    event_loop.close();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Going somewhere and coming back ends where it began, whatever was done in between.
    #[test]
    fn any_walk_returns(steps in prop::collection::vec(("[,b<>wMi]", 0u8..7), 1..12)) {
        let mut driver = Driver::new(lamp_history(), 60, 10);
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

/// A hundred steps are kept, and the first is among them.
#[test]
fn the_first_step_is_kept() {
    let mut driver = Driver::new(lamp_history(), 60, 10);
    driver.keys("3g");
    let first = driver.whereabouts();
    driver.keys(",");
    for _ in 0..130 {
        driver.keys("w");
    }
    assert_eq!(driver.whereabouts().0, 99);
    driver.keys("999<");
    assert_eq!(driver.whereabouts(), first);
    driver.keys("<");
    assert_eq!(driver.whereabouts(), first);
    driver.keys("999>");
    assert_eq!(driver.whereabouts().0, 99);
}

#[test]
fn escape_discards_a_count_and_nothing_else() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("/burn<CR>12<Esc>");
    assert_eq!(driver.app().status.count, None);
    assert!(driver.app().search.get().is_some());
    driver.keys("<Esc>");
    assert!(driver.app().search.get().is_none());
    driver.keys("??");
    let rows_below = |driver: &Driver| {
        let screen = driver.screen();
        let (before, _) = screen.split_once(" more below").expect("the help page");
        let number = before.rsplit(' ').next().expect("a number");
        number.parse::<u32>().expect("a number")
    };
    let below = rows_below(&driver);
    driver.keys("<C-d>");
    let half = below - rows_below(&driver);
    assert!(half > 0, "{}", driver.screen());
    driver.keys("<C-u>2<C-d>");
    assert_eq!(rows_below(&driver), below - 2 * half);
}
