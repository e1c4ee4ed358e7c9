//! The marks where lines were deleted, and the lines of one.

use insta::assert_snapshot;
use tblame::internals::viewer::{config::settings::Config, pages::page::PageKind};

use crate::harness::named_history::{HistoryBuilder, NamedHistory};

use super::driver::{Driver, arguments};

fn history() -> NamedHistory {
    let history = HistoryBuilder::default()
        .commit(
            "base",
            1_000_000_000,
            &[],
            &[("f", "zero\none\ntwo\nthree\nfour\nfive\n")],
        )
        .commit(
            "cut",
            1_100_000_000,
            &["base"],
            &[("f", "zero\none\nfour\nfive\n")],
        )
        .commit(
            "more",
            1_200_000_000,
            &["cut"],
            &[("f", "zero\none\nfive\n")],
        )
        .commit("begin", 1_300_000_000, &["more"], &[("f", "one\nfive\n")])
        .build();
    history.repository.git(&["reset", "-q", "--hard"]);
    history
}

fn driver(history: &NamedHistory, size: (u16, u16)) -> Driver {
    let arguments = arguments("f".into(), Config::default());
    Driver::with_repository(history.repository.root(), arguments, size)
}

fn rows(driver: &Driver) -> Vec<String> {
    let screen = driver.screen();
    let rows = screen.lines().skip(1).take(2);
    rows.map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn marks_say_how_many_lines_by_whom_and_when() {
    let history = history();
    let mut driver = driver(&history, (80, 24));
    let before = rows(&driver);
    assert!(before[0].ends_with("1 │ one"), "{before:#?}");
    driver.keys("D");
    let marked = rows(&driver);
    assert!(marked[0].contains("1 ▁ one"), "{marked:#?}");
    // Two and three, four; and zero above.
    assert!(marked[0].ends_with(" -4"), "{marked:#?}");
    assert!(marked[1].ends_with("2 │ five"), "{marked:#?}");
    assert!(
        driver
            .last_row()
            .contains(" have deleted lines (▁): J next, Enter shows them, D ends")
    );
    driver.keys("jk");
    assert!(
        driver
            .last_row()
            .contains("Enter shows 4 lines deleted around, last in 2011 by Author of begin"),
        "{}",
        driver.last_row()
    );
    driver.keys("D");
    assert_eq!(rows(&driver), before);
    assert!(driver.app().history.deletions.is_none());
}

#[test]
fn a_mark_opens_the_lines_and_leads_to_them() {
    let history = history();
    let mut driver = driver(&history, (80, 16));
    driver.keys("D<CR>j");
    let screen = driver.screen();
    let (begin, more) = (&history.id("begin")[..8], &history.id("more")[..8]);
    let screen = screen.replace(begin, "<begin>").replace(more, "<more>");
    let screen = screen.replace(&history.id("cut")[..8], "<cut>");
    assert_snapshot!(screen, @r"
     deleted around line 1  f                                      2 of 3 deletions
     2011-03-13 Author of begin  begin
     - zero                                                                   +0 -1
    >2008-01-10 Author of more   more
     - four                                                                   +0 -1
     2004-11-09 Author of cut    cut
     - two                                                                    +0 -2

     <more> deleted line 3, as of <cut>
     more
     first in more
     3 - four



     Esc close  j older  k newer  Enter blame  , before  a whole commit  ? keys
    ");
    // The version before, at the line.
    driver.keys(",");
    let (_, _, position) = driver.whereabouts();
    assert_eq!(position.line, 2);
    let view = driver.app().view().expect("a view");
    assert_eq!(view.text.line(2), b"four");
    // The marks are those of that version now; going back opens the list again.
    let marks = driver.app().deletion_marks().expect("they are on");
    assert_eq!((marks.place_count(), marks.line_count(1)), (1, 2));
    driver.keys("<");
    assert!(driver.app().pages.has(PageKind::LineHistory));
    assert_eq!(driver.app().pages.list().map(|list| list.selected), Some(1));
}

#[test]
fn a_version_without_a_history_has_no_marks() {
    let mut driver = Driver::new(super::fake_history::lamp_history(), 80, 24);
    driver.keys("D");
    let screen = driver.screen();
    assert!(screen.contains("this is not available here"), "{screen}");
}

#[test]
fn motions_go_from_mark_to_mark() {
    let text = |without: &[&str]| {
        let lines = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let kept = lines.iter().filter(|line| !without.contains(line));
        kept.map(|line| format!("{line}\n")).collect::<String>()
    };
    let history = HistoryBuilder::default()
        .commit("base", 1_000_000_000, &[], &[("f", &text(&[]))])
        .commit("one", 1_100_000_000, &["base"], &[("f", &text(&["c"]))])
        .commit("two", 1_200_000_000, &["one"], &[("f", &text(&["c", "f"]))])
        .build();
    history.repository.git(&["reset", "-q", "--hard"]);
    let mut driver = driver(&history, (80, 24));
    driver.keys("J");
    let words = "& chooses which lines stand out";
    assert_eq!(driver.app().status.message.as_deref(), Some(words));
    // Lines were deleted below b and e, which are the second and the fourth line.
    driver.keys("D");
    let mut lines = Vec::new();
    for key in ["J", "J", "J", "K", "K"] {
        driver.keys(key);
        lines.push(driver.whereabouts().2.line + 1);
    }
    assert_eq!(lines, [2, 4, 2, 4, 2]);
    let message = driver.app().status.message.clone();
    assert_eq!(
        message.as_deref(),
        Some("1 line deleted below in 2004 by Author of one (1 of 2); Enter shows them")
    );
}
