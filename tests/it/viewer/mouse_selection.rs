//! Lines that are selected with the mouse, double clicks, and the wheel to the side.

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{
    driver::Driver,
    fake_history::{FakeHistory, FakeLine, lamp_history, line},
};

const PRESS: MouseEventKind = MouseEventKind::Down(MouseButton::Left);
const DRAG: MouseEventKind = MouseEventKind::Drag(MouseButton::Left);
const RELEASE: MouseEventKind = MouseEventKind::Up(MouseButton::Left);

/// The column of the code on a screen of 80 columns.
const CODE: u16 = 50;

/// A history of one commit.
fn history(lines: Vec<FakeLine>) -> FakeHistory {
    FakeHistory::default().commit("Ann", "one", |all| *all = lines)
}

fn chosen(driver: &Driver) -> Option<(u32, u32)> {
    let lines = driver.app().view()?.chosen_lines()?;
    Some((lines.start, lines.end))
}

#[test]
fn lines_are_selected_by_dragging_and_copied_as_text() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let lines: Vec<String> = {
        let view = driver.app().view().unwrap();
        let line = |at| String::from_utf8(view.text.line(at).to_vec()).unwrap();
        (0..4).map(line).collect()
    };
    // A press alone, or one whose mouse stays on its line, selects no lines.
    driver
        .mouse(PRESS, (CODE - 1, 2))
        .mouse(DRAG, (CODE + 3, 2));
    driver.mouse(RELEASE, (CODE + 3, 2));
    assert_eq!(chosen(&driver), None);
    for (from, to, expected) in [(2, 4, (1, 4)), (4, 2, (1, 4)), (3, 1, (0, 3))] {
        driver.mouse(PRESS, (CODE, from)).mouse(DRAG, (CODE, to));
        driver.mouse(RELEASE, (CODE, to));
        assert_eq!(chosen(&driver), Some(expected));
        assert!(driver.screen().contains("y copy"), "{}", driver.screen());
        driver.keys("y");
        assert_eq!(chosen(&driver), None);
        let expected = &lines[expected.0 as usize..expected.1 as usize];
        let copied = driver.memory().copied.last().unwrap();
        assert_eq!(*copied, expected.join("\n") + "\n");
        assert!(driver.screen().contains("copied 3 lines"));
    }
    // A click ends what was selected with the mouse, and moves the end of what `v` began.
    driver
        .mouse(PRESS, (CODE, 2))
        .mouse(DRAG, (CODE, 4))
        .mouse(RELEASE, (CODE, 4));
    driver.mouse(PRESS, (CODE, 3)).mouse(RELEASE, (CODE, 3));
    assert_eq!(chosen(&driver), None);
    driver
        .keys("v")
        .mouse(PRESS, (CODE, 1))
        .mouse(RELEASE, (CODE, 1));
    assert_eq!(chosen(&driver), Some((0, 3)));
    // Without selected lines, the id is copied.
    driver.keys("<Esc>y");
    assert_eq!(driver.memory().copied.last().unwrap().len(), 40);
}

/// A press on an id opens the diff once the button is up: before, it may begin a selection.
#[test]
fn lines_are_selected_by_dragging_from_an_id() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.mouse(PRESS, (3, 1));
    assert!(driver.app().diff().is_none());
    driver.mouse(DRAG, (4, 1)).mouse(DRAG, (3, 3));
    assert_eq!(chosen(&driver), Some((0, 3)));
    driver.mouse(DRAG, (3, 2)).mouse(RELEASE, (3, 2));
    assert_eq!(chosen(&driver), Some((0, 2)));
    assert!(driver.app().diff().is_none());
    driver.mouse(PRESS, (3, 1)).mouse(RELEASE, (3, 1));
    assert_eq!(chosen(&driver), None);
    assert!(driver.app().diff().is_some());
}

#[test]
fn dragging_beyond_the_window_scrolls() {
    let lines: Vec<_> = (0..60).map(|number| format!("line {number}")).collect();
    let texts = lines.iter().map(|text| line(text)).collect();
    let mut driver = Driver::new(history(texts), 80, 12);
    driver.mouse(PRESS, (CODE, 1));
    for _ in 0..20 {
        driver.mouse(DRAG, (CODE, 11));
    }
    let (start, end) = chosen(&driver).unwrap();
    assert!(start == 0 && end > 20, "{end}");
    for _ in 0..60 {
        driver.mouse(DRAG, (CODE, 11));
    }
    assert_eq!(chosen(&driver), Some((0, 60)));
    for _ in 0..60 {
        driver.mouse(DRAG, (CODE, 0));
    }
    assert_eq!(chosen(&driver), Some((0, 1)));
}

/// What is pasted into a shell must not be keys of its own.
#[test]
fn control_characters_are_not_copied() {
    let texts = vec![line("a\tb\u{1b}[201~c\u{7}\u{9b}d"), line("\u{fc}")];
    let mut driver = Driver::new(history(texts), 80, 12);
    driver.keys("vjy");
    assert_eq!(driver.memory().copied, ["a\tb[201~cd\n\u{fc}\n"]);
    let texts = vec![line(&"x".repeat(80_000)), line("short")];
    let mut driver = Driver::new(history(texts), 80, 12);
    driver.keys("vjy");
    assert!(driver.memory().copied.is_empty());
    assert!(driver.screen().contains("too long to be copied"));
}

#[test]
fn a_double_click_on_a_line_opens_its_diff() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.double_click((CODE, 3));
    assert!(driver.app().diff().is_some());
    driver.keys("q");
    assert_eq!(driver.whereabouts().2.line, 2);
    // On the title of the details and below there is no line.
    for row in [18, 22] {
        driver.double_click((CODE, row));
        assert!(driver.app().diff().is_none(), "{row}");
    }
}

#[test]
fn the_wheel_scrolls_to_the_side() {
    let texts = vec![line(&"long ".repeat(60)), line("short")];
    let mut driver = Driver::new(history(texts), 80, 12);
    let left = |driver: &Driver| driver.app().view().unwrap().pager.position.left;
    driver.mouse(MouseEventKind::ScrollRight, (CODE, 3));
    let step = left(&driver);
    assert!(step > 0);
    let shifted = |kind| {
        vec![Event::Mouse(MouseEvent {
            kind,
            column: CODE,
            row: 3,
            modifiers: KeyModifiers::SHIFT,
        })]
    };
    driver.feed(shifted(MouseEventKind::ScrollDown));
    assert_eq!(left(&driver), 2 * step);
    driver.feed(shifted(MouseEventKind::ScrollUp));
    driver.mouse(MouseEventKind::ScrollLeft, (CODE, 3));
    assert_eq!(left(&driver), 0);
    driver
        .keys("<CR>")
        .mouse(MouseEventKind::ScrollRight, (CODE, 8));
    assert!(driver.app().diff().unwrap().pager.position.left > 0);
    // A page above takes it, and does nothing.
    driver
        .keys("q?")
        .mouse(MouseEventKind::ScrollRight, (CODE, 3))
        .keys("q");
    assert_eq!(left(&driver), 0);
}

/// What a press of the right button copies at the place where a text begins in a row.
fn copied_at(driver: &mut Driver, row: u16, text: &str) -> Option<String> {
    let screen = driver.screen();
    let shown = screen.lines().nth(row.into()).unwrap_or_default();
    let at = shown.find(text);
    let at = at.unwrap_or_else(|| panic!("no {text} in row {row}:\n{screen}"));
    let column = u16::try_from(shown[..at].chars().count()).expect("a column");
    let before = driver.memory().copied.len();
    driver.mouse(MouseEventKind::Down(MouseButton::Right), (column, row));
    driver.memory().copied.get(before).cloned()
}

#[test]
fn the_right_button_copies_what_is_under_the_mouse() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    let path = "src/lantern.rs";
    let line = |driver: &Driver, at| {
        let view = driver.app().view().unwrap();
        String::from_utf8(view.text.line(at).to_vec()).unwrap()
    };
    let first = line(&driver, 0);
    let id = FakeHistory::id(0).to_string();
    for (row, text, expected) in [
        (0, path, path),
        (2, "01010101", &id),
        (2, "Ada", "Ada"),
        (1, first.trim(), &first),
    ] {
        let copied = copied_at(&mut driver, row, text);
        assert_eq!(copied.as_deref(), Some(expected), "{}", driver.screen());
        let words = format!("copied {}", expected.trim());
        assert!(driver.screen().contains(&words), "{}", driver.screen());
    }
    assert_eq!(copied_at(&mut driver, 2, " 2 ┊"), Some(format!("{path}:2")));
    // The selected lines, whichever of them is under the mouse.
    let text = line(&driver, 1);
    driver.mouse(PRESS, (70, 1)).mouse(DRAG, (70, 3));
    driver.mouse(RELEASE, (70, 3));
    let lines: Vec<String> = (0..3).map(|at| line(&driver, at)).collect();
    let copied = copied_at(&mut driver, 2, text.trim());
    assert_eq!(copied, Some(lines.join("\n") + "\n"));
    assert_eq!(chosen(&driver), None);
    // Lists, diffs and details.
    driver.keys("A");
    let person = copied_at(&mut driver, 4, "Ada").unwrap();
    assert!(
        person.starts_with("Ada") && person == person.trim(),
        "{person}"
    );
    driver.keys("<Esc>?");
    assert_eq!(copied_at(&mut driver, 1, "blame"), None);
    assert!(driver.screen().contains("nothing to copy here"));
    driver.keys("<Esc><CR>");
    let screen = driver.screen();
    let row = screen.lines().position(|row| row.contains("+ "));
    let row = u16::try_from(row.expect("a change")).unwrap();
    let text = screen.lines().nth(row.into()).unwrap();
    let text = text.split_once("+ ").unwrap().1;
    assert_eq!(copied_at(&mut driver, row, text).as_deref(), Some(text));
}
