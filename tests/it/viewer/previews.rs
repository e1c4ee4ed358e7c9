//! What pages show of the selected commit beside or below their lists, and what the status line says
//! of the colors.

use ratatui::style::{Color, Modifier};
use tblame::internals::{
    run::demo::{Demo, FILE},
    viewer::{
        app::diff_view::DiffView,
        config::settings::Config,
        model::diff::DiffRow,
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
        },
    },
};

use crate::harness::repository::{ObjectFormat, TestRepo};

use super::{
    driver::{Driver, arguments},
    fake_history::lamp_history,
};

fn demo() -> Demo {
    Demo::create().expect("a temporary directory can be made")
}

fn driver(demo: &Demo, size: (u16, u16)) -> Driver {
    let arguments = arguments(FILE.into(), Config::default());
    Driver::with_repository(demo.root(), arguments, size)
}

fn has_rows(driver: &Driver, rows: &[&str]) {
    let screen = driver.screen();
    let mut found = screen.lines();
    for row in rows {
        assert!(found.any(|line| line == *row), "{row:?} in\n{screen}");
    }
}

#[test]
fn the_selected_version_is_shown_below_the_list() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 30));
    driver.keys("Fjj");
    has_rows(
        &driver,
        &[
            " 6c0a82c0 Ada Marsh  2021-02-11 (in the future)",
            " Indent with two blanks",
            "  7 -     return text.split()",
            "  7 +   return text.split()",
        ],
    );
    // Without an older version everything is new.
    driver.keys("G");
    has_rows(
        &driver,
        &[
            " c8e13a3b count.py Ben Okafor  2013-03-04 (6 years ago)",
            " Count words",
            " 1 + from sys import stdin",
        ],
    );
    driver.keys("k");
    has_rows(
        &driver,
        &[
            " b98d15e9 count.py Ada Marsh  2013-03-12 (6 years ago)",
            " Count lines too",
        ],
    );
    // So it is after a step back to the list.
    driver.keys("<CR><");
    has_rows(
        &driver,
        &[
            " b98d15e9 count.py Ada Marsh  2013-03-12 (6 years ago)",
            " Count lines too",
            "  6 + def lines(text):",
        ],
    );
}

#[test]
fn a_version_with_a_text_is_shown_at_the_text() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 30));
    driver.keys("/<Tab>\\Vlongest(text)<CR>");
    let screen = driver.screen();
    let preview = screen
        .lines()
        .skip_while(|row| !row.contains(" ago)") && !row.contains(" (in the future)"));
    let changed: Vec<&str> = preview
        .filter(|row| row.contains(" + ") || row.contains(" - "))
        .collect();
    assert!(changed[0].contains("longest(text)"), "{screen}");
    // The text is marked, and nothing else of the row.
    let y = screen.lines().position(|row| row == changed[0]);
    let y = u16::try_from(y.expect("the row")).expect("a row");
    let at = changed[0].find("longest(text)").expect("the text");
    let marked = at..at + "longest(text)".len();
    let buffer = driver.memory().terminal.backend().buffer();
    for (x, byte) in (0..).zip(0..changed[0].len()) {
        let is_marked = buffer[(x, y)].modifier.contains(Modifier::REVERSED);
        assert_eq!(is_marked, marked.contains(&byte), "{byte} of {screen}");
    }
}

/// A commit that writes a text elsewhere and takes another one away is shown where that is gone.
#[test]
fn a_version_is_shown_where_the_number_of_matches_changes() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |first: &str, last: &str| {
        let middle = (0..30).map(|at| format!("line {at}\n")).collect::<String>();
        repository.write(b"f", format!("{first}\n{middle}{last}\n").as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", first]);
    };
    commit("text: one", "a text");
    commit("text: two", "nothing");
    let arguments = arguments("f".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
    driver.keys("/<Tab>text<CR>");
    let changed = |driver: &Driver| {
        let screen = driver.screen();
        let rows = screen.lines().filter(|row| row.contains(" - "));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(changed(&driver), [" 32 - a text"], "{}", driver.screen());
    // So is its diff.
    driver.keys("a");
    let row = driver.app().diff().and_then(DiffView::selected);
    assert_eq!(row, Some(DiffRow::Removed(31)), "{}", driver.screen());
}

#[test]
fn the_message_stands_above_the_change_of_lines() {
    let demo = demo();
    let mut driver = driver(&demo, (120, 30));
    driver.keys("5Gv6jL");
    // One above the other, with whole summaries.
    has_rows(
        &driver,
        &[
            ">2021-02-11 Ada Marsh        Indent with two blanks",
            " born in c8e13a3b",
            " 6c0a82c0 lines 5–11, as before",
            " Indent with two blanks",
            "▌10 +   return text.splitlines()",
        ],
    );
}

#[test]
fn the_marks_of_several_steps_are_drawn_on_request() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    let marks = |driver: &Driver| {
        let screen = driver.screen();
        let code = screen.lines().take_while(|row| !row.starts_with("─ "));
        code.map(|row| row.matches(['◆', '◇']).count())
            .sum::<usize>()
    };
    driver.keys("G(");
    let single = marks(&driver);
    driver.keys("<3(");
    assert_eq!(marks(&driver), 0, "{}", driver.screen());
    driver.keys("J");
    assert!(marks(&driver) > 0 && single > 0, "{}", driver.screen());
    let message = driver.app().status.message.clone().unwrap_or_default();
    assert!(message.contains(" of this version"), "{message}");
}

#[test]
fn colors_of_commits_have_a_legend() {
    let theme = Theme::new(Background::Dark, ColorDepth::True);
    let config = Config::parse(b"color = 'commit'").expect("a configuration");
    let driver = Driver::with_theme(lamp_history(), (120, 24), theme, config);
    let foot = driver.last_row();
    assert!(
        foot.contains(" commits  ► 03030303 50%   01010101 33%   02020202 17%"),
        "{foot}"
    );
    // The swatch has the color of the lines.
    let buffer = driver.memory().terminal.backend().buffer();
    let x = foot.find("01010101").expect("the name");
    let x = u16::try_from(foot[..x].chars().count()).expect("a column");
    let hue = buffer[(x, 23)].bg;
    assert!(matches!(hue, Color::Rgb(..)) && hue != buffer[(0, 23)].bg);
    // The keys that matter most stay.
    assert!(foot.contains("? keys"), "{foot}");
    let driver = Driver::with_theme(
        lamp_history(),
        (70, 24),
        Theme::new(Background::Dark, ColorDepth::True),
        Config::parse(b"color = 'author'").expect("a configuration"),
    );
    let screen = driver.screen();
    assert!(
        screen.contains("Enter diff") && !screen.contains(" authors "),
        "{screen}"
    );
}

#[test]
fn the_number_of_matches_stays_with_its_page() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    driver.keys("/trim<CR>");
    driver.keys("j");
    assert!(
        driver.last_row().ends_with("1 match"),
        "{}",
        driver.last_row()
    );
    for keys in ["?", "A"] {
        driver.keys(keys);
        assert!(
            !driver.last_row().contains("match"),
            "{}",
            driver.last_row()
        );
        driver.keys("<Esc>");
    }
    assert!(
        driver.last_row().ends_with("1 match"),
        "{}",
        driver.last_row()
    );
}

#[test]
fn people_cover_the_screen_below_a_header() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    driver.keys("A");
    let screen = driver.screen();
    let first = screen.lines().next().unwrap_or_default();
    assert!(
        first.starts_with(" people of src/lantern.rs") && first.ends_with(" 3 people"),
        "{screen}"
    );
    assert!(!screen.contains("fn light"), "{screen}");
    driver.keys("<Esc>");
    assert!(driver.screen().contains("fn light"));
}
