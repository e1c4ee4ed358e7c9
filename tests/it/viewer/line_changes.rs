//! What the details show of the selected line, and the function that it is in.

use std::collections::BTreeSet;

use tblame::internals::viewer::{
    config::settings::Config,
    theme::{
        styles::Theme,
        terminal_colors::{Background, ColorDepth},
    },
};

use super::{
    driver::Driver,
    fake_history::{FakeHistory, line},
};

/// The rows of the details, below their title.
fn details(driver: &Driver) -> Vec<String> {
    let screen = driver.screen();
    let rows = screen.lines().skip_while(|row| !row.starts_with("─ "));
    let rows = rows.skip(1).map(str::to_owned);
    rows.filter(|row| !row.is_empty()).collect()
}

fn history() -> FakeHistory {
    FakeHistory::default()
        .commit("Ada", "Start", |lines| {
            lines.extend(["fn light() {", "    burn(oil);", "}"].map(line));
        })
        .commit("Ben", "Burn gas", |lines| {
            lines[1] = line("    burn(gas);");
        })
        .commit("Cleo", "Tell what it is", |lines| {
            lines.splice(0..0, ["//! A lamp.", "//! It burns."].map(line));
        })
}

#[test]
fn the_change_of_the_selected_line_follows_it() {
    let mut driver = Driver::new(history(), 80, 24);
    // Two added lines replaced none.
    assert_eq!(
        details(&driver)[..2],
        [
            " Tell what it is",
            " the commit added 2 lines in this place and replaced none"
        ]
    );
    driver.keys("3j");
    let rows = details(&driver);
    assert_eq!(
        rows[..3],
        [" Burn gas", " 2 -     burn(oil);", " 2 +     burn(gas);"]
    );
    // Nothing was there before the first commit.
    driver.keys("k");
    assert_eq!(details(&driver)[0], " Start");
    assert!(!driver.screen().contains(" - "), "{}", driver.screen());
}

/// The pane shows the lines of a change with the colors that the diff has for them.
#[test]
fn the_change_of_a_line_looks_as_in_the_diff() {
    let history = || {
        FakeHistory::default()
            .commit("Ada", "Start", |lines| {
                let text = ["fn light() {", "    // On.", "    let oil = 1;", "}"];
                lines.extend(text.map(line));
            })
            .commit("Ben", "Burn gas", |lines| {
                let text = ["    // Off.", "    let gas = 12;", "    burn(gas);"];
                lines.splice(1..3, text.map(line));
            })
    };
    let theme = || Theme::new(Background::Dark, ColorDepth::True);
    let open = || Driver::with_theme(history(), (80, 40), theme(), Config::default());
    // The colors of the cells from the sign on.
    let colors = |driver: &Driver, end: &str| {
        let screen = driver.screen();
        let y = screen.lines().position(|row| row.ends_with(end));
        let y = y.unwrap_or_else(|| panic!("{end} in {screen}"));
        let row = screen.lines().nth(y).expect("a row");
        let first = row[..row.len() - end.len()].chars().count();
        let buffer = driver.memory().terminal.backend().buffer();
        let cells = (first..first + end.len()).map(|x| {
            let cell = &buffer[(x as u16, y as u16)];
            (cell.symbol().to_owned(), cell.fg, cell.bg)
        });
        cells.collect::<Vec<_>>()
    };
    let rows = ["-     // On.", "-     let oil = 1;", "+     let gas = 12;"];
    let mut driver = open();
    // The last of the lines replaced none that is like it. Its row is the selected one of the diff.
    driver.keys("4G");
    let in_pane = rows.map(|row| colors(&driver, row));
    driver.keys("<CR>");
    let in_diff = rows.map(|row| colors(&driver, row));
    assert_eq!(in_pane, in_diff, "{}", driver.screen());
    let kinds: BTreeSet<String> = in_pane
        .iter()
        .flatten()
        .map(|(_, foreground, background)| format!("{foreground:?} {background:?}"))
        .collect();
    // Signs, comments, keywords, numbers, what differs and what does not.
    assert!(kinds.len() > 6, "{kinds:?}");
}

#[test]
fn a_wide_screen_has_the_change_beside_the_message() {
    let mut driver = Driver::new(history(), 200, 24);
    driver.keys("3j");
    let rows = details(&driver);
    let (message, change) = rows[0].split_once('│').expect("both");
    assert_eq!(message.trim(), "Burn gas");
    assert_eq!(change, " 2 -     burn(oil);", "{rows:#?}");
    assert!(rows[1].ends_with("│ 2 +     burn(gas);"), "{rows:#?}");
    // A blank line is none of those that the commit rewrote beside it.
    let history = history().commit("Ann", "Stop", |lines| {
        lines[3] = line("");
    });
    let mut driver = Driver::new(history, 80, 24);
    driver.keys("3j");
    let rows = details(&driver);
    assert_eq!(
        rows[..2],
        [" Stop", " the commit added this line, and replaced others"]
    );
}

#[test]
fn a_single_row_shows_the_line_as_it_was() {
    let history = history().commit("Ann", "Burn wax\n\nIt smells.\n\nA bit.", |lines| {
        lines[3] = line("    burn(wax);");
    });
    let mut driver = Driver::new(history, 80, 24);
    driver.keys("3j").turn("height");
    assert!(!driver.screen().contains(" - "), "{}", driver.screen());
    driver.turn("height");
    assert_eq!(
        details(&driver)[..4],
        [" Burn wax", " It smells.", " A bit.", " 4 -     burn(gas);"]
    );
    driver.turn("height");
    let rows = details(&driver);
    assert!(rows.contains(&" 4 -     burn(gas);".to_owned()), "{rows:?}");
    assert!(rows.contains(&" 4 +     burn(wax);".to_owned()), "{rows:?}");
}

#[test]
fn the_header_names_the_enclosing_function() {
    let mut driver = Driver::new(history(), 80, 24);
    let place = |driver: &Driver| {
        let screen = driver.screen();
        let first = screen.lines().next().unwrap_or_default();
        first.rsplit("  ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(place(&driver), "line 1 of 5");
    driver.keys("2j");
    assert_eq!(place(&driver), "light · line 3 of 5");
    driver.keys("j");
    assert_eq!(place(&driver), "light · line 4 of 5");
    // Its name is cut before options in force are left out.
    let name = "light_all_lamps_of_the_house_and_the_garden";
    let source = FakeHistory::default().commit("Ada", "Start", |lines| {
        lines.extend([&*format!("fn {name}() {{"), "    burn();", "}"].map(line));
    });
    let mut driver = Driver::new(source, 80, 24);
    driver.keys("jw");
    let screen = driver.screen();
    let header = screen.lines().next().unwrap_or_default();
    let is_cut = header.contains("light_all") && !header.contains(name);
    assert!(is_cut && header.contains("  -w  "), "{header}");
    // Nothing else is left out for it.
    let mut driver = Driver::new(history(), 44, 24);
    driver.keys("3j");
    assert!(driver.screen().starts_with(" src/lamp.rs @ HEAD"));
}

/// Where only the ends of lines differ, the carriage return is seen in the color of the sign.
#[test]
fn a_change_of_line_ends_is_seen() {
    let history = || {
        FakeHistory::default()
            .commit("Ada", "Start", |lines| {
                lines.extend(["one", "two", "three"].map(line));
            })
            .commit("Ben", "Change the ends", |lines| {
                *lines = ["one\r", "two\r", "three\r"].map(line).into();
            })
            .commit("Cleo", "Change a line", |lines| {
                lines[1] = line("two or so\r");
            })
    };
    let theme = || Theme::new(Background::Dark, ColorDepth::True);
    let mut compared = 0;
    for (keys, seen) in [
        ("", &["- one", "+ one^M"][..]),
        ("<CR>", &["- one", "+ one^M", "- three", "+ three^M"]),
        ("2G", &["- two", "+ two or so"]),
        ("2G<CR>", &["- two", "+ two or so"]),
    ] {
        let mut driver = Driver::with_theme(history(), (80, 40), theme(), Config::default());
        driver.keys(keys);
        let screen = driver.screen();
        for end in seen {
            let y = screen.lines().position(|row| row.ends_with(end));
            let y = y.unwrap_or_else(|| panic!("{end} in {screen}"));
            let row = screen.lines().nth(y).expect("a row");
            let x = row.chars().count() - 1;
            let buffer = driver.memory().terminal.backend().buffer();
            let cell = |x: usize| buffer[(x as u16, y as u16)].clone();
            if end.ends_with("^M") {
                let sign = x + 1 - end.len();
                assert_eq!(cell(x).fg, cell(sign).fg, "{keys} {end}");
                assert_ne!(cell(x).fg, cell(x - 2).fg, "{keys} {end}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 3);
}
