//! The details pane: the rows of a subject, and the height of the enlarged pane.

use super::{
    driver::Driver,
    fake_history::{FakeHistory, line},
};

/// A file of lines of one commit with a message, and one of another commit.
fn history(message: &str) -> FakeHistory {
    FakeHistory::default()
        .commit("Ada", message, |lines| {
            lines.extend((0..100).map(|at| line(&format!("line {at}"))));
        })
        .commit("Ben", "Change a line", |lines| lines[50] = line("changed"))
}

#[test]
fn a_subject_that_is_a_paragraph_has_two_rows_above_the_message() {
    let words: Vec<String> = (0..60).map(|at| format!("word{at}")).collect();
    let subject: Vec<String> = words.chunks(7).map(|words| words.join(" ")).collect();
    let message = format!("{}\n\nThe body.", subject.join("\n"));
    let mut driver = Driver::new(history(&message), 80, 40);
    let rows = |driver: &Driver| -> Vec<String> {
        let lines = driver.app().detail_lines().into_iter();
        lines.map(|line| line.text).collect()
    };
    let small = rows(&driver);
    assert!(
        small[0].starts_with("word0 word1 ") && small[0].len() > 70,
        "{small:?}"
    );
    assert!(small[1].ends_with('…'), "{small:?}");
    assert_eq!(small[2..4], ["", "The body."], "{small:?}");
    // All of it stands in the enlarged pane and in the diff, filled to the width.
    for keys in ["<Tab>", "<Tab><CR>"] {
        driver.keys(keys);
        let screen = driver.screen();
        // The title of the diff has its beginning.
        let (_, screen) = screen.split_once('\n').expect("a header");
        let whole = screen
            .split_whitespace()
            .filter(|word| word.starts_with("word"));
        assert!(whole.eq(&words), "{keys}: {screen}");
    }
}

#[test]
fn the_enlarged_pane_has_the_rows_that_it_needs() {
    let mut compared = 0;
    for (count, size) in [1, 15, 200]
        .into_iter()
        .flat_map(|count| [(200, 60), (120, 40), (80, 24), (60, 12)].map(|size| (count, size)))
    {
        let body = "A row of the message.\n".repeat(count);
        for keys in ["", "50j", "50jd"] {
            let mut driver = Driver::new(history(&format!("Add lines\n\n{body}")), size.0, size.1);
            driver.keys(keys);
            let before = driver.app().layout();
            driver.keys("<Tab>");
            let app = driver.app();
            let (layout, lines) = (app.layout(), app.detail_lines().len());
            let (code, details) = (layout.code.height, usize::from(layout.details.height));
            let is_whole = details >= lines;
            assert!(
                is_whole || code <= 8,
                "{count} {size:?}: {}",
                driver.screen()
            );
            let is_larger = details > usize::from(before.details.height);
            assert!(
                !is_larger || details <= (lines + 6).max(12),
                "{count} {size:?}: {}",
                driver.screen()
            );
            compared += usize::from(is_larger);
            let change = [" - line 50", " + changed"];
            let screen = driver.screen();
            let shows_change = change.iter().all(|words| screen.contains(words));
            let wants_change = !keys.is_empty() && is_whole && code > 8;
            assert!(shows_change || !wants_change, "{count} {size:?}: {screen}");
        }
    }
    assert!(compared >= 12, "{compared}");
}

#[test]
fn the_file_that_a_line_comes_from_has_the_room_of_the_number_of_lines() {
    let other = "a/directory/of/another/name/with/lamp.rs";
    for (path, width, words) in [
        (
            "lamp.rs",
            80,
            "2013-06-06 (6 years ago) ─ from lamp.rs ─ 1 line here",
        ),
        (
            other,
            100,
            "2013-06-06 ─ from a/directory/of/another/name/with/lamp.rs ─ 1",
        ),
        (
            other,
            80,
            "2013-06-06 ─ from a/directory/of/another/name/with/lamp.rs ─",
        ),
        (other, 60, "2013-06-06 ─ from …"),
        (other, 30, "01010101 ─ Ada ─ 2013-06-06"),
    ] {
        let history = FakeHistory::default()
            .commit("Ada", "Light the lamp", |lines| lines.push(line("burn();")))
            .renamed(path)
            .commit("Ben", "Trim the wick", |lines| lines.push(line("trim();")))
            .renamed("src/lantern.rs");
        let driver = Driver::new(history, width, 16);
        let screen = driver.screen();
        let title = screen.lines().find(|row| row.starts_with("─ 01010101"));
        let title = title.expect("a title");
        assert!(title.contains(words), "{path} at {width}: {title}");
        assert_eq!(title.contains("lamp.rs"), width > 30, "{title}");
    }
}
