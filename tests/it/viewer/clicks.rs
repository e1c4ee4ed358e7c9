//! Clicks on the keys of the status line, the steps of the header and the scrollbar.

use crossterm::event::{MouseButton, MouseEventKind};
use tblame::internals::viewer::pages::page::PageKind;

use super::{
    driver::{Driver, selected_row},
    fake_history::{FakeHistory, lamp_history, line},
    lists,
};

const PRESS: MouseEventKind = MouseEventKind::Down(MouseButton::Left);
const DRAG: MouseEventKind = MouseEventKind::Drag(MouseButton::Left);
const RELEASE: MouseEventKind = MouseEventKind::Up(MouseButton::Left);

/// Where a text begins in a row of the screen.
fn position(driver: &Driver, row: usize, text: &str) -> (u16, u16) {
    let screen = driver.screen();
    let shown = screen.lines().nth(row).unwrap_or_default();
    let at = shown
        .find(text)
        .unwrap_or_else(|| panic!("no {text}: {shown}"));
    let column = shown[..at].chars().count();
    (column as u16, row as u16)
}

#[test]
fn keys_of_the_status_line_are_pressed_by_a_click() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    let last = 23;
    let at = position(&driver, last, "keys");
    driver.mouse(PRESS, at);
    assert!(driver.app().pages.has(PageKind::Help));
    let at = position(&driver, last, "close");
    driver.mouse(PRESS, at);
    assert!(!driver.app().pages.has(PageKind::Help));
    let at = position(&driver, last, "diff");
    driver.mouse(PRESS, at);
    assert!(driver.app().diff().is_some());
    let at = position(&driver, last, "close");
    driver.mouse(PRESS, at);
    assert!(driver.app().diff().is_none());
    // Between the keys there is nothing.
    let (x, y) = position(&driver, last, "before");
    driver.mouse(PRESS, (x + 7, y));
    assert_eq!(driver.whereabouts().0, 0);
    driver.mouse(PRESS, (x, y));
    assert_eq!(driver.whereabouts().0, 1);
}

#[test]
fn a_step_of_the_header_is_gone_to() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    driver.keys("3j,:v0<CR>");
    assert_eq!(driver.whereabouts().0, 2);
    let at = position(&driver, 0, "HEAD");
    driver.mouse(PRESS, at);
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (0, 3)
    );
    let at = position(&driver, 0, "v0");
    driver.mouse(PRESS, at);
    assert_eq!(driver.whereabouts().0, 2);
    // What a page covers is not there.
    driver.keys("?");
    driver.mouse(PRESS, at);
    driver.keys("<Esc>");
    assert_eq!(driver.whereabouts().0, 2);
}

/// The second press of a double click is not for what the first one has opened, or has uncovered.
#[test]
fn a_double_click_does_one_thing() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let selected = |driver: &Driver| driver.app().diff().map(selected_row);
    driver.mouse(PRESS, (3, 1)).mouse(RELEASE, (3, 1));
    let expected = selected(&driver);
    assert!(expected.is_some());
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.double_click((3, 1));
    assert_eq!(selected(&driver), expected);
    driver.keys("<Esc>");
    let at = position(&driver, 23, "diff");
    driver.double_click(at);
    assert_eq!(selected(&driver), expected);

    let history = lists::history();
    for (pages, above, below) in [
        ("Fa", PageKind::Diff, PageKind::FileHistory),
        ("La", PageKind::Diff, PageKind::LineHistory),
        ("F?", PageKind::Help, PageKind::FileHistory),
    ] {
        let mut driver = lists::opened(&history, pages, (100, 20));
        assert_eq!(driver.app().pages.top_kind(), Some(above), "{pages}");
        let at = position(&driver, 19, "Esc");
        driver.double_click(at);
        assert_eq!(driver.app().pages.top_kind(), Some(below), "{pages}");
    }
    // Where nothing has changed, it does the same twice.
    let mut driver = Driver::new(lamp_history(), 100, 24);
    driver.keys("3j,:v0<CR><Esc>");
    assert_eq!(driver.whereabouts().0, 2);
    let at = position(&driver, 23, "back");
    driver.double_click(at);
    assert_eq!(driver.whereabouts().0, 0);
}

#[test]
fn the_scrollbar_is_pressed_and_dragged() {
    let source = FakeHistory::default()
        .commit("Ada", "Count", |lines| {
            lines.extend((1..=400).map(|number| line(&format!("line {number}"))));
        })
        .commit("Ben", "Mark", |lines| {
            lines[0] = line("first");
            lines[303] = line("here");
        });
    let mut driver = Driver::new(source, 80, 24);
    let code = driver.app().layout().code;
    let (first, last) = (code.y, code.y + code.height - 1);
    // A mark of the selected commit.
    let row = first + (303 * u32::from(code.height) / 400) as u16;
    driver.mouse(PRESS, (79, row)).mouse(RELEASE, (79, row));
    assert_eq!(driver.whereabouts().2.line, 303);
    driver.mouse(DRAG, (79, first));
    assert_eq!(driver.whereabouts().2.line, 303, "the button is up");
    let middle = first + code.height / 2;
    driver.mouse(PRESS, (79, middle));
    let line = driver.whereabouts().2.line;
    assert!((180..=220).contains(&line), "{line}");
    driver.mouse(DRAG, (60, last + 3));
    assert_eq!(driver.whereabouts().2.line, 399);
    driver.mouse(DRAG, (60, 0)).mouse(RELEASE, (60, 0));
    assert_eq!(driver.whereabouts().2.line, 0);
    // `''` returns to before the press.
    driver.keys("''");
    assert_eq!(driver.whereabouts().2.line, 303);
    // A file that fits has none.
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.mouse(PRESS, (79, 3));
    assert_eq!(driver.whereabouts().2.line, 2);
}
