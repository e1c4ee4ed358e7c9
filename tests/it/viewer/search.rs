//! Searching.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use tblame::internals::viewer::{
    app::{guide::hints::KeyHints, settings::environment::RepositoryInfo},
    config::settings::Config,
    theme::{
        roles::LineBackground,
        styles::Theme,
        terminal_colors::{Background, ColorDepth},
        theme_set::ThemeSet,
    },
};

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history, line},
};
use crate::harness::repository::{ObjectFormat, TestRepo};

#[test]
fn the_empty_prompt_says_how_to_search_for_plain_text() {
    let all = r"regex, any case if in lowercase; \V first: plain text";
    let of_filter = "#12, v2.31, agent:";
    for (keys, width, words, more) in [
        ("/", 80, all, "Tab: in all versions"),
        ("/", 60, r"regex; \V: plain text", "Tab: in all versions"),
        ("/", 40, r"\V: plain text", "Tab: in all versions"),
        ("/<Tab>", 120, all, "Tab: in this version"),
        (
            "/<Tab>",
            80,
            r"regex; \V: plain text",
            "Tab: in this version",
        ),
        ("/<Tab>", 60, r"\V: plain text", "Tab: in this version"),
        ("/<Tab>", 40, r"regex; \V: plain text", "in any version:"),
        ("<CR>/", 80, all, "Enter search"),
        ("F/", 80, all, "Enter search"),
        ("?/", 80, all, "Enter search"),
        ("?/", 40, r"regex; \V: plain text", "/ "),
        ("&", 120, r"/summary (regex; \V: plain text)", "-formatted"),
        ("&", 80, r"/summary (regex; \V: plain)", of_filter),
        ("&", 60, r"/summary (regex; \V: plain)", "2019..2021"),
        ("&", 40, r"/summary (regex; \V: plain)", "lines of: "),
    ] {
        let mut driver = Driver::new(lamp_history(), width, 24);
        driver.keys(keys);
        let foot = status_line(&driver);
        assert!(foot.contains(words), "{keys} {width}: {foot}");
        assert!(foot.contains(more), "{keys} {width}: {foot}");
    }
}

#[test]
fn a_search_without_matches_offers_all_versions_first() {
    let mut compared = 0;
    for (pattern, width) in [
        ("nowhere", 80),
        ("nowhere", 40),
        ("nowhere at all in this text", 60),
    ] {
        let mut driver = Driver::new(lamp_history(), width, 24);
        driver.keys(&format!("/{pattern}"));
        let foot = status_line(&driver);
        let words = format!("/{pattern}   Tab all versions");
        assert!(foot.starts_with(&words), "{width}: {foot}");
        assert!(foot.ends_with("no match"), "{width}: {foot}");
        compared += 1;
    }
    assert_eq!(compared, 3);
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("/oil");
    let foot = status_line(&driver);
    assert!(foot.starts_with("/oil   Enter search"), "{foot}");
}

#[test]
fn a_search_of_versions_is_none_of_the_file() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let before = driver.screen();
    driver.keys("/oil<Tab><CR><Esc>");
    assert_eq!(driver.screen(), before);
}

#[test]
fn a_search_without_matches_leaves_nothing_behind() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("/nowhere<CR>");
    assert!(driver.screen().contains("nothing matches “nowhere”"));
    assert!(!driver.screen().contains("0 matches"));
    driver.keys("j");
    assert!(!driver.screen().contains("0 matches"));
    // One line of what is pasted is searched for.
    driver.keys("/");
    driver.feed(vec![Event::Paste("\nburn\nlight\n".to_owned())]);
    driver.keys("<CR>");
    assert_eq!(driver.whereabouts().2.line, 3);
}

#[test]
fn replies_of_the_terminal_are_not_typed() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let key = |c, modifiers| Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers));
    let mut events = vec![key('P', KeyModifiers::ALT)];
    events.extend("1$r/q?".chars().map(|c| key(c, KeyModifiers::NONE)));
    events.push(key('\\', KeyModifiers::ALT));
    events.push(key('j', KeyModifiers::NONE));
    driver.feed(events);
    assert_eq!(driver.whereabouts().2.line, 1);
    assert!(driver.app().pages.top().is_none());
}

#[test]
fn a_search_from_the_enlarged_details_is_one_of_the_file() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("<Tab>");
    assert!(driver.app().pages.top().is_some());
    driver.keys("/oil<CR>");
    assert!(driver.app().pages.top().is_none());
    assert_eq!(driver.whereabouts().2.line, 3);
}

/// In the blame, a diff and a list alike, and while it is typed as well as afterwards.
#[test]
fn a_pattern_that_matches_nothing_is_searched_as_text() {
    let history = || {
        FakeHistory::default()
            .commit("Ada", "Call g(oil)", |lines| {
                lines.extend(["fn f(ci) {", "x = a[0];", "foil"].map(line));
            })
            .commit("Ben (it)", "Burn (it) a.b", |lines| lines.push(line("h(")))
    };
    let mut compared = 0;
    for (page, pattern, count) in [
        ("", "f(ci)", "match 1 of 1, as text"),
        ("", "a[0]", "match 1 of 1, as text"),
        ("", "h(", "match 1 of 1, as text"),
        ("", "(it)", "match 1 of 1, summary"),
        ("", "f.i", "match 1 of 1"),
        ("4G<CR>", "h(", "match 1 of 1, as text"),
        ("4G<CR>", "f(ci)", "match 1 of 1, as text"),
        ("A", "n (it)", "match 1 of 1, as text"),
        ("A", "(it)", "match 1 of 1"),
    ] {
        let mut driver = Driver::new(history(), 160, 24);
        driver.keys(page).keys(&format!("/{pattern}"));
        let typed = status_line(&driver).trim_end().to_owned();
        driver.keys("<CR>");
        let foot = status_line(&driver).trim_end().to_owned();
        assert!(foot.ends_with(count), "{page} {pattern}: {foot}");
        let while_typed = match page {
            // Lists are searched once the pattern is complete.
            "A" => count.replace("match 1 of 1", "1 match"),
            _ => count.to_owned(),
        };
        assert!(typed.ends_with(&while_typed), "{page} {pattern}: {typed}");
        compared += 1;
    }
    assert_eq!(compared, 9);
    let mut driver = Driver::new(history(), 160, 24);
    for (pattern, words) in [
        ("a(b", "nothing matches “a(b” as text; "),
        ("f(x)", "nothing matches “f(x)” as text; "),
        ("nowhere", "nothing matches “nowhere”; "),
    ] {
        driver.keys(&format!("/{pattern}<CR>"));
        assert!(status_line(&driver).contains(words), "{}", driver.screen());
    }
}

#[test]
fn a_search_that_was_not_typed_says_what_it_is_for() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    for page in ["", "<CR>"] {
        driver.keys(page).keys("j*");
        let message = driver.app().status.message.clone().unwrap_or_default();
        assert!(message.starts_with("search for “\\b"), "{page}: {message}");
    }
}

#[test]
fn searching_goes_around() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("/fn light|oil<CR>");
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys("n");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys("n");
    assert_eq!(driver.whereabouts().2.line, 1);
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("the search wrapped around")
    );
    driver.keys("NN");
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys("/nowhere<CR>");
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("nothing matches “nowhere”; Tab looks in all versions")
    );
}

#[test]
fn a_search_finds_authors_summaries_and_ids() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let found = |driver: &mut Driver, keys: &str| {
        let screen = driver.keys(keys).screen();
        let last = screen.lines().last().unwrap_or_default();
        let words = last.split_once("match ").map(|(_, words)| words.trim());
        (driver.whereabouts().2.line, words.map(str::to_owned))
    };
    // Cleo wrote three groups: the search goes from one's beginning to the next.
    let stop = |line, words: &str| (line, Some(words.to_owned()));
    assert_eq!(found(&mut driver, "/cleo<CR>"), stop(3, "2 of 3, author"));
    assert_eq!(found(&mut driver, "n"), stop(5, "3 of 3, author"));
    assert_eq!(
        found(&mut driver, "/wick before<CR>"),
        stop(2, "1 of 1, summary")
    );
    assert_eq!(found(&mut driver, "/01010101<CR>"), stop(4, "2 of 2, id"));
    // Once where both the code and its commit match.
    assert_eq!(found(&mut driver, "/light<CR>"), stop(1, "1 of 3"));
}

#[test]
fn a_match_far_to_the_right_is_scrolled_to() {
    let source = FakeHistory::default().commit("Ada", "One", |lines| {
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

#[test]
fn a_match_scrolls_to_the_side_by_no_more_than_it_needs() {
    let mut compared = 0;
    for (columns, rows) in [(80, 24), (120, 35), (200, 60)] {
        for far in [0, 20, 40, 55, 90, 150, 300] {
            let source = FakeHistory::default().commit("Ada", "One", |lines| {
                lines.push(line("start"));
                lines.push(line(&format!("{}needle tail", "x".repeat(far))));
                lines.push(line(&format!("needle {}needle", "x".repeat(far))));
            });
            let mut driver = Driver::new(source, columns, rows);
            let screen = driver.keys("/needle<CR>").screen();
            let row = screen.lines().nth(2).expect("the second line").to_owned();
            assert!(row.contains("needle"), "{screen}");
            let pane =
                usize::from(columns) - row.find('│').map_or(0, |at| row[..at].chars().count() + 2);
            let left = driver.whereabouts().2.left;
            // The match, some columns after it, and one for the scrollbar and the sign of what is cut.
            let needed = (far + 6 + 4 + 2).saturating_sub(pane);
            assert!(left <= needed, "{left} {needed}\n{screen}");
            assert!(left == 0 || far + 6 + 2 > pane, "{left}\n{screen}");
            // Of the next line, the first match is seen without that.
            driver.keys("n");
            assert_eq!(driver.whereabouts().2.left, 0);
            driver.keys("<Esc>");
            assert_eq!(driver.whereabouts().2.left, 0);
            compared += usize::from(left > 0);
        }
    }
    assert!(compared >= 6, "{compared}");
}

#[test]
fn keys_of_a_search_give_way_to_no_tip() {
    let (mut seen, mut tips) = (0, 0);
    for size in [(80, 24), (120, 35)] {
        for mode in ["shades", "author", "commit"] {
            let config = format!("color = '{mode}'");
            let config = Config::parse(config.as_bytes()).expect("a configuration");
            let theme = Theme::new(Background::Dark, ColorDepth::Indexed);
            let repository = (RepositoryInfo::default(), Some(KeyHints::new("")));
            let themes = ThemeSet::fixed(theme);
            let mut driver = Driver::opened(lamp_history(), size, themes, config, repository);
            tips += usize::from(driver.app().key_hint().is_some());
            driver.keys("/l<CR>");
            let foot = status_line(&driver);
            for key in ["n next", "N previous", "Esc end", "? keys", "match "] {
                assert!(foot.contains(key), "{key}: {foot}");
                seen += 1;
            }
            // The prompt names its own.
            let prompt = driver.keys("/wi");
            let foot = status_line(prompt);
            assert!(
                foot.contains("Enter search  Esc leave  Up earlier"),
                "{foot}"
            );
            assert_eq!(foot.contains("Tab all versions"), size.0 > 100, "{foot}");
            driver.keys("<C-u>");
            let foot = status_line(&driver);
            assert_eq!(foot.contains("Enter search"), size.0 > 100, "{foot}");
        }
    }
    assert_eq!((seen, tips), (30, 6));
}

#[test]
fn only_what_matches_is_marked_in_the_columns() {
    let theme = Theme::new(Background::Dark, ColorDepth::True);
    let mark = theme.search_match(LineBackground::Plain).bg;
    // Wide enough for summaries.
    let mut driver = Driver::with_theme(lamp_history(), (200, 24), theme, Config::default());
    let mut marked = |keys: &str| -> Vec<String> {
        driver.keys(keys);
        let buffer = driver.memory().terminal.backend().buffer();
        let rows = buffer.content.chunks(200).map(|row| {
            let found = row.iter().filter(|cell| Some(cell.bg) == mark);
            found.map(|cell| cell.symbol()).collect::<String>()
        });
        let mut rows: Vec<String> = rows.filter(|row| !row.trim().is_empty()).collect();
        rows.dedup();
        rows
    };
    assert_eq!(marked("/leo<CR>"), ["leo"]);
    assert_eq!(marked("/trim the<CR>"), ["Trim the"]);
    assert_eq!(marked("/01010<CR>"), ["01010"]);
    // The address is not shown.
    assert_eq!(marked("/cleo@example<CR>"), [""; 0]);
    assert!(status_line(&driver).contains(", author's address"));
    // What is cut off is in the sign for it, in every page.
    let summary = format!("Say what burns {} and needle", "x".repeat(200));
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"file", b"wick\n");
    repository.git(&["add", "file"]);
    repository.git(&["commit", "-q", "-m", &summary]);
    let (mut seen, theme) = (0, Theme::new(Background::Dark, ColorDepth::True));
    for (size, keys) in [
        ((200, 24), "/needle<CR>"),
        ((160, 35), "/needle<CR>"),
        ((80, 24), "F/needle<CR>"),
        ((120, 35), "F/needle<CR>"),
    ] {
        let arguments = arguments("file".into(), Config::default());
        let themes = ThemeSet::fixed(theme.clone());
        let root = repository.root();
        let mut driver = Driver::with_repository_and_themes(root, arguments, size, themes);
        let screen = driver.keys(keys).screen();
        let buffer = driver.memory().terminal.backend().buffer();
        let found = buffer.content.iter().filter(|cell| Some(cell.bg) == mark);
        let found: String = found.map(|cell| cell.symbol()).collect();
        // The message below has all of it.
        assert_eq!(
            found.replace("needle", ""),
            "…",
            "{size:?} {keys}\n{screen}"
        );
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn an_ended_search_scrolls_back_what_it_scrolled_to_the_side() {
    let source = FakeHistory::default().commit("Ada", "One", |lines| {
        lines.push(line("start"));
        let far = |at: usize| format!("{}needle", "x".repeat(at));
        lines.extend([300, 500, 20].map(|at| line(&far(at))));
    });
    let mut driver = Driver::new(source, 80, 24);
    let left = |driver: &Driver| driver.whereabouts().2.left;
    // While it is typed, and once it is accepted.
    driver.keys("l/needle");
    assert!(left(&driver) > 200, "{}", driver.screen());
    driver.keys("<Esc>");
    assert_eq!(left(&driver), 8);
    driver.keys("/needle<CR>n");
    assert!(left(&driver) > 400);
    driver.keys("<Esc>");
    assert_eq!((left(&driver), driver.whereabouts().2.line), (8, 2));
    // Where one scrolled oneself, nothing is scrolled back.
    driver.keys("/needle<CR>nl");
    let own = left(&driver);
    driver.keys("<Esc>");
    assert_eq!(left(&driver), own);
}

/// The status line, without the blanks at its end.
fn status_line(driver: &Driver) -> String {
    let screen = driver.screen();
    screen.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn the_screen_follows_the_pattern_while_it_is_typed() {
    let source = FakeHistory::default().commit("Ada", "One", |lines| {
        lines.extend((1..=100).map(|number| line(&format!("line {number} of it"))));
    });
    let mut driver = Driver::new(source, 80, 24);
    driver.keys("10G/line 7");
    assert_eq!(driver.whereabouts().2.line, 69);
    assert!(status_line(&driver).ends_with("match 2 of 11"));
    driver.keys("5");
    assert_eq!(driver.whereabouts().2.line, 74);
    driver.keys("x");
    let position = driver.whereabouts().2;
    assert_eq!((position.line, position.top), (9, 0), "nothing matches");
    assert!(status_line(&driver).ends_with("no match"));
    driver.keys("<BS><BS>");
    assert_eq!(driver.whereabouts().2.line, 69);
    driver.keys("<Esc>");
    let position = driver.whereabouts().2;
    assert_eq!((position.line, position.top), (9, 0));
    assert!(driver.app().search.get().is_none(), "there was none before");
    // Accepting goes where typing went; the mark is where it began.
    driver.keys("/line 7<CR>");
    assert_eq!(driver.whereabouts().2.line, 69);
    driver.keys("''");
    assert_eq!(driver.whereabouts().2.line, 9);
    // A cancelled search leaves the one before.
    driver.keys("/line 8<Esc>n");
    assert_eq!(driver.whereabouts().2.line, 69);
}

#[test]
fn earlier_searches_are_recalled() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("/trim<CR>/oil<CR>/tr.m<CR>/oil<CR>");
    let mut row = |keys: &str| {
        driver.keys(keys);
        let row = status_line(&driver);
        row.split("  ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(row("/<Up>"), "/oil");
    assert_eq!(row("<Up>"), "/tr.m");
    assert_eq!(row("<Up><Up><Up>"), "/trim");
    assert_eq!(row("<Down><Down><Down>"), "/");
    assert_eq!(row("tr<Up>"), "/tr.m");
    assert_eq!(row("<Down>"), "/tr");
}

#[test]
fn a_diff_is_searched_while_typing() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("<CR>g");
    let line = |driver: &Driver| driver.app().diff().map(|it| it.pager.position.line);
    let before = line(&driver);
    driver.keys("/oil");
    assert_ne!(line(&driver), before);
    driver.keys("<Esc>");
    assert_eq!(line(&driver), before);
    assert!(
        driver
            .app()
            .diff()
            .is_some_and(|it| it.search.get().is_none())
    );
}
