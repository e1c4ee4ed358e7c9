//! Searching.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use tblame::internals::viewer::{
    config::settings::Config,
    theme::{
        roles::LineBackground,
        styles::Theme,
        terminal_colors::{Background, ColorDepth},
    },
};

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history, line},
};

#[test]
fn the_empty_prompt_says_how_to_search_for_plain_text() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let screen = driver.keys("/").screen();
    assert!(screen.contains(r"\V first: plain text"), "{screen}");
    assert!(screen.contains("Tab: in all versions"), "{screen}");
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
        Some("nothing matches “nowhere”; Tab in the prompt looks in all versions")
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
    assert_eq!(
        found(&mut driver, "/cleo<CR>"),
        stop(3, "2 of 3, in the commit")
    );
    assert_eq!(found(&mut driver, "n"), stop(5, "3 of 3, in the commit"));
    assert_eq!(
        found(&mut driver, "/wick before<CR>"),
        stop(2, "1 of 1, in the commit")
    );
    assert_eq!(
        found(&mut driver, "/01010101<CR>"),
        stop(4, "2 of 2, in the commit")
    );
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
    // The address is not shown, so that the name stands for it.
    assert_eq!(marked("/cleo@example<CR>"), ["Cleo"]);
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
