//! The list of people, and the lines of one of them.

use std::{collections::BTreeMap, process::Command};

use tblame::internals::{
    run::demo::{Demo, FILE},
    viewer::{
        config::settings::Config,
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
        },
    },
};

use crate::harness::git::git_program;

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history},
    lists,
};

/// Ben's commit was made with Ada.
fn together() -> FakeHistory {
    let mut history = lamp_history();
    history.commit_mut(1).co_authors = vec![("Ada".into(), "ADA@example.org".into())];
    history
}

fn rows(driver: &Driver, count: usize) -> Vec<String> {
    let screen = driver.screen();
    let rows = screen.lines().skip(1).take(count);
    rows.map(str::to_owned).collect()
}

#[test]
fn people_are_listed_with_their_lines() {
    let mut driver = Driver::with_depth(together(), 80, 24, ColorDepth::None);
    driver.keys("A");
    let expected = [" name", ">everybody", " Ada", " Cleo", " Ben"];
    let shown = rows(&driver, 5);
    for (row, name) in shown.iter().zip(expected) {
        assert!(row.starts_with(name), "{shown:#?}");
    }
    let words = |row: usize| shown[row].split_whitespace().collect::<Vec<_>>();
    assert_eq!(
        words(0),
        ["name", "lines", "share", "first", "last", "2013", "2015"]
    );
    assert_eq!(words(2)[1..5], ["3", "50%", "2013-06", "2014-07"]);
    assert_eq!(words(3)[1..5], ["3", "50%", "2015-08", "2015-08"]);
    assert_eq!(words(4)[1..5], ["1", "17%", "2014-07", "2014-07"]);
    // Two lines in 2013, one in 2014.
    assert!(shown[2].ends_with("█▄"), "{shown:#?}");
    // Of everybody, lines of several people count once: two, one and three.
    assert!(shown[1].ends_with("▆▃█"), "{shown:#?}");
    driver.keys("<Esc>");
    assert!(!driver.screen().contains("everybody"));
}

#[test]
fn columns_of_dates_go_before_names_are_cut() {
    let mut driver = Driver::with_depth(together(), 40, 12, ColorDepth::None);
    driver.keys("A");
    let heads = |driver: &Driver| {
        let title = rows(driver, 1).concat();
        let words = title.split_whitespace().map(str::to_owned);
        words
            .filter(|word| !word.starts_with('2'))
            .collect::<Vec<_>>()
    };
    assert_eq!(heads(&driver), ["name", "lines", "share", "last"]);
    driver.resize(32, 12);
    assert_eq!(heads(&driver), ["name", "lines", "share"]);
    assert!(
        rows(&driver, 2)[1].starts_with(">everybody "),
        "{}",
        driver.screen()
    );
    driver.resize(24, 12);
    assert_eq!(heads(&driver), ["name", "lines"]);
    driver.resize(80, 12);
    assert_eq!(heads(&driver), ["name", "lines", "share", "first", "last"]);
}

#[test]
fn dates_are_by_the_clock_of_the_author() {
    for (offset, month, year) in [
        (-8 * 3600, "2024-12", "2024"),
        (3 * 3600, "2025-01", "2025"),
    ] {
        // 2025-01-01 02:30 in UTC; all commits are of that moment.
        let mut history = lamp_history();
        for commit in 0..3 {
            let author = &mut history.commit_mut(commit).author;
            (author.time, author.offset) = (1_735_698_600, offset);
        }
        let config =
            Config::parse(b"color = 'age'\n[columns]\ndate = 'short'").expect("a configuration");
        let theme = Theme::new(Background::Dark, ColorDepth::True);
        let mut driver = Driver::with_theme(history, (100, 24), theme, config);
        let legend = driver
            .screen()
            .lines()
            .last()
            .expect("a status line")
            .to_owned();
        assert!(legend.contains(&format!("{year} ")), "{legend}");
        let other = if year == "2024" { "2025" } else { "2024" };
        assert!(!driver.screen().contains(other), "{}", driver.screen());
        driver.keys("A");
        let screen = driver.screen();
        // Of three people and of everybody.
        assert_eq!(screen.matches(month).count(), 8, "{screen}");
        assert!(!screen.contains(other), "{screen}");
        driver.keys("<Esc>");
        for (typed, stand_out) in [(year, true), (other, false), (month, true)] {
            driver.keys(&format!("&<C-u>{typed}<CR>"));
            // One that no line has is not applied.
            let is_refused = driver.screen().contains("filter unchanged");
            assert_eq!(is_refused, !stand_out, "{typed} at {offset}");
            let view = driver.app().view().expect("a view");
            let mut lines = 0..6;
            let dimmed = lines.any(|line| driver.app().is_dimmed(view, line));
            assert!(!dimmed, "{typed} at {offset}");
        }
    }
}

#[test]
fn people_without_a_name_have_words() {
    let mut history = lamp_history();
    history.commit_mut(1).author.name = "".into();
    let mut driver = Driver::with_depth(history, 80, 24, ColorDepth::None);
    driver.keys("A");
    let shown = rows(&driver, 5);
    assert!(shown[4].starts_with(" (no name) "), "{shown:#?}");
}

#[test]
fn uncommitted_lines_are_of_nobody() {
    let mut history = lamp_history();
    let author = &mut history.commit_mut(2).author;
    (author.name, author.mail) = ("uncommitted".into(), "".into());
    let mut together = history.clone();
    together.commit_mut(1).co_authors = vec![("Ada".into(), "ADA@example.org".into())];
    for (history, words) in [
        (lamp_history(), " 3 people"),
        (history, " 2 people and uncommitted"),
        (together, " 2 authors, co-authors and uncommitted"),
    ] {
        let mut driver = Driver::with_depth(history, 80, 24, ColorDepth::None);
        driver.keys("A");
        let screen = driver.screen();
        let header = screen.lines().next().expect("a header");
        assert!(header.trim_end().ends_with(words), "{screen}");
        // What is not committed has no dates.
        let row = screen.lines().find(|row| row.starts_with(" uncommitted"));
        let has_dates = row.is_some_and(|row| row.contains("-0"));
        assert!(!has_dates, "{screen}");
        assert_eq!(row.is_some(), words.contains("uncommitted"), "{screen}");
    }
}

#[test]
fn people_of_the_same_name_are_told_apart() {
    let mut history = lamp_history();
    history.commit_mut(1).co_authors = vec![("Ada".into(), "ada@elsewhere.example".into())];
    let mut driver = Driver::with_depth(history, 80, 24, ColorDepth::None);
    driver.keys("A");
    let shown = rows(&driver, 6);
    let named = |name: &str| shown.iter().filter(|row| row.contains(name)).count();
    assert_eq!(named(" Ada 1 of 2 <ada@"), 1, "{shown:#?}");
    assert_eq!(named(" Ada 2 of 2 <ada@"), 1, "{shown:#?}");
    assert_eq!(named(" Cleo  "), 1, "{shown:#?}");
    // The first of them by lines has the first number, and who they are is for a mailmap to say.
    driver.resize(120, 24);
    let shown = rows(&driver, 24);
    for words in [
        " Ada 1 of 2 <ada@",
        " Ada 2 of 2 <ada@elsewhere.example>",
        "one name has several addresses: a .mailmap joins them",
    ] {
        let found = shown.iter().filter(|row| row.contains(words)).count();
        assert_eq!(found, 1, "{words}: {shown:#?}");
    }
}

/// Of one address of several, it is said which one its lines are of.
#[test]
fn the_lines_of_one_address_are_not_those_of_all_namesakes() {
    let mut history = lamp_history();
    history.commit_mut(1).co_authors = vec![("Ada".into(), "ada@elsewhere.example".into())];
    let mut driver = Driver::with_depth(history, 120, 24, ColorDepth::None);
    let messages = (2..=5).map(|row| {
        driver.keys(&format!("A{row}g<CR>"));
        driver.app().status.message.clone().unwrap_or_default()
    });
    let messages: Vec<String> = messages.collect();
    for (words, count) in [
        ("of Ada <ada@", 2),
        ("of Ada;", 0),
        ("of Ben;", 1),
        ("of Cleo;", 1),
    ] {
        let found = messages.iter().filter(|message| message.contains(words));
        assert_eq!(found.count(), count, "{words}: {messages:#?}");
    }
}

/// Of namesakes, the address is cut before the name.
#[test]
fn addresses_are_cut_before_names() {
    let mut history = lamp_history();
    let mails = ["daniel@elsewhere.example", "daniel@here.example"];
    for (commit, mail) in mails.into_iter().enumerate() {
        history.commit_mut(commit).co_authors = vec![("Daniel Stenberg".into(), mail.into())];
    }
    let mut driver = Driver::with_depth(history, 80, 24, ColorDepth::None);
    driver.keys("A");
    for width in [100, 80, 70] {
        driver.resize(width, 24);
        let screen = driver.screen();
        for number in ["1 of 2", "2 of 2"] {
            let words = format!(" Daniel Stenberg {number} ");
            assert_eq!(screen.matches(&words).count(), 1, "{width}: {screen}");
        }
    }
}

/// Of the bars in the selected row, those that cannot be read there are not the only ones without color.
#[test]
fn the_bars_of_the_selected_row_are_alike() {
    for depth in [ColorDepth::Indexed, ColorDepth::Sixteen] {
        let mut driver = Driver::with_depth(together(), 80, 24, depth);
        driver.keys("Aj");
        let buffer = driver.memory().terminal.backend().buffer();
        let mut colors = [2, 3].map(|y| {
            let cells = (0..80).map(|x| &buffer[(x, y)]);
            let bars = cells.filter(|cell| "▁▂▃▄▅▆▇█".contains(cell.symbol()));
            bars.map(|cell| cell.fg).collect::<Vec<_>>()
        });
        assert!(colors[0].len() > 2 && colors[1].len() > 1, "{colors:?}");
        colors.iter_mut().for_each(Vec::dedup);
        assert!(colors[0].len() > 1, "{colors:?}");
        assert_eq!(colors[1].len(), 1, "{colors:?}");
    }
}

#[test]
fn agents_are_told_from_people() {
    let mut history = lamp_history();
    history.commit_mut(1).co_authors = vec![
        ("Claude".into(), "noreply@anthropic.com".into()),
        ("Claude".into(), "claude@people.example".into()),
    ];
    let mut driver = Driver::with_depth(history, 120, 24, ColorDepth::None);
    driver.keys("A");
    let shown = rows(&driver, 8);
    let marked: Vec<_> = shown.iter().filter(|row| row.contains("(agent)")).collect();
    assert_eq!(marked.len(), 1, "{shown:#?}");
    assert!(
        marked[0].contains(" Claude (agent) 2 of 2 <noreply@anthropic.com>"),
        "{shown:#?}"
    );
}

#[test]
fn co_authors_are_counted_in_the_column_of_authors() {
    let driver = Driver::with_depth(together(), 80, 24, ColorDepth::None);
    let shown = rows(&driver, 6);
    assert!(shown[2].contains("Ben +1"), "{shown:#?}");
    assert!(!shown[1].contains('+'), "{shown:#?}");
}

#[test]
fn the_lines_of_one_person_stand_out() {
    let mut driver = Driver::with_depth(together(), 80, 24, ColorDepth::True);
    driver.keys("G");
    let colors = |driver: &Driver| {
        let buffer = driver.memory().terminal.backend().buffer();
        let cell = |y: u16| buffer.cell((60, y)).expect("it is on the screen").fg;
        (1..6).map(cell).collect::<Vec<_>>()
    };
    let before = colors(&driver);
    // Ada took part in the second, the third and the fifth line.
    driver.keys("Aj<CR>");
    let after = colors(&driver);
    assert_ne!(before[0], after[0]);
    assert_ne!(before[3], after[3]);
    for line in [1, 2, 4] {
        assert_eq!(before[line], after[line], "line {line}");
    }
    assert!(
        driver
            .screen()
            .contains("3 lines of Ada; J next, & changes, Esc ends")
    );
    driver.keys("k");
    assert!(driver.screen().contains(" lines of Ada"));
    driver.keys("GAg<CR>");
    assert_eq!(colors(&driver), before);
    driver.keys("k");
    assert!(!driver.screen().contains("lines of Ada"));
}

/// The list counts the lines that the filter lets stand out, apart from its people: those that git
/// tells.
#[test]
fn only_lines_that_stand_out_count() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let git = Command::new(git_program())
        .args(["blame", "--line-porcelain", FILE])
        .current_dir(demo.root())
        .output()
        .expect("git runs");
    let text = String::from_utf8(git.stdout).expect("UTF-8");
    // Author, year and summary of each line.
    let (mut lines, mut author, mut year) = (Vec::new(), "", 0_i64);
    for row in text.lines() {
        let (key, value) = row.split_once(' ').unwrap_or((row, ""));
        match key {
            "author" => author = value,
            "author-time" => {
                let time: i64 = value.parse().expect("a time");
                year = 1970 + time / 31_556_952;
            }
            "summary" => lines.push((author, year, value)),
            _ => {}
        }
    }
    let mut compared = 0;
    for (filter, years, part) in [
        ("", 0..=9999, ""),
        ("&2014..2018<CR>", 2014..=2018, ""),
        ("&/indent<CR>", 0..=9999, "indent"),
        ("&2018..<CR>Aj<CR>", 2018..=9999, ""),
    ] {
        let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
        for (author, year, summary) in &lines {
            if years.contains(year) && summary.to_lowercase().contains(part) {
                *expected.entry(author).or_default() += 1;
                *expected.entry("everybody").or_default() += 1;
            }
        }
        let arguments = arguments(FILE.into(), Config::default());
        let mut driver = Driver::with_repository(demo.root(), arguments, (120, 30));
        driver.keys(filter).keys("A");
        for (name, count) in &expected {
            let screen = driver.screen();
            let row = screen.lines().find(|row| row[1..].starts_with(name));
            let mut words = row.unwrap_or_default().split_whitespace();
            let found = words.find_map(|word| word.parse().ok());
            assert_eq!(found, Some(*count), "{name} {filter}: {screen}");
            compared += 1;
        }
        let words = driver.screen().contains("lines of ");
        assert_eq!(words, !filter.is_empty(), "{filter}: {}", driver.screen());
    }
    assert!(compared >= 10, "{compared} rows compared");
}

#[test]
fn the_list_opens_at_the_person_whose_lines_stand_out() {
    for (filter, selected) in [
        ("", ">everybody"),
        ("&cleo<CR>", ">Cleo"),
        ("&ben@<CR>", ">Ben"),
        ("&2013..<CR>", ">everybody"),
        ("Aj<CR>", ">Ada"),
        ("&cleo<CR>&<CR>", ">everybody"),
    ] {
        let mut driver = Driver::with_depth(together(), 80, 24, ColorDepth::None);
        driver.keys(filter).keys("A");
        let screen = driver.screen();
        let mut marked = screen.lines().filter(|row| row.starts_with('>'));
        let row = marked.next().unwrap_or_default();
        assert!(row.starts_with(selected), "{filter}: {screen}");
        let checked = screen.lines().filter(|row| row.contains('✓')).count();
        assert_eq!(
            checked,
            usize::from(selected != ">everybody"),
            "{filter}: {screen}"
        );
    }
    // One that was chosen in the list stays.
    let mut driver = Driver::with_depth(together(), 80, 24, ColorDepth::None);
    driver.keys("&cleo<CR>Agj");
    assert!(driver.screen().contains(">Ada"), "{}", driver.screen());
}

#[test]
fn the_list_of_a_directory_opens_at_the_person_whose_lines_count() {
    let history = lists::history();
    let mut driver = lists::opened(&history, "tblame other &07@<CR>A", (80, 24));
    let screen = driver.screen();
    let selected = screen.lines().find(|row| row.starts_with('>'));
    assert!(
        selected.is_some_and(|row| row.contains("Author of v07")),
        "{screen}"
    );
    driver.keys("g");
    assert!(
        driver.screen().contains(">everybody"),
        "{}",
        driver.screen()
    );
}
