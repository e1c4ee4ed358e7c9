//! What lists do for gestures on what covers them, on their scrollbar and on their search, and what
//! follows their selection.

use crossterm::event::{MouseButton, MouseEventKind};
use ratatui::style::Color;
use tblame::internals::viewer::{
    config::settings::Config,
    pages::{list::ItemList, page::PageKind},
};

use super::{
    driver::Driver,
    lists::{LISTS, PRESS, history, list, opened, opened_with, texts},
};

const DRAG: MouseEventKind = MouseEventKind::Drag(MouseButton::Left);
const RELEASE: MouseEventKind = MouseEventKind::Up(MouseButton::Left);

/// The lists that letters are not typed into: names, and the keys that open them.
fn untyped_lists() -> impl Iterator<Item = (&'static str, &'static str)> {
    let untyped = LISTS.iter().filter(|(.., is_typed)| !is_typed);
    untyped.map(|(name, keys, _)| (*name, *keys))
}

/// The column and row of an item's first row, if it is in the window.
fn place_of(list: &ItemList, item: usize) -> (u16, u16) {
    let row = (item - list.top) as u16 * list.shape.item_rows;
    (list.shape.area.x + 2, list.shape.area.y + row)
}

#[test]
fn a_double_click_does_not_go_through_what_covers_a_list() {
    let history = history();
    let mut covered = 0;
    for (name, keys) in untyped_lists() {
        for cover in ["/token", "?"] {
            let mut driver = opened(&history, keys, (80, 12));
            driver.keys("<Home>");
            // A press selects, long before the cover.
            let (x, y) = place_of(list(&driver), 1);
            driver.mouse(PRESS, (x, y)).mouse(RELEASE, (x, y));
            assert_eq!(list(&driver).selected, 1, "{name}");
            driver.keys(cover);
            let before = driver.screen();
            driver.double_click((x + 1, y));
            assert_eq!(driver.screen(), before, "{name}, {cover}");
            covered += 1;
        }
    }
    assert_eq!(covered, 2 * 11);
}

#[test]
fn a_scrollbar_is_dragged_while_the_terminal_has_any_size() {
    let history = history();
    let mut dragged = 0;
    for (name, keys, _) in LISTS {
        let mut driver = opened(&history, keys, (80, 12));
        driver.keys("<Home>");
        let shape = list(&driver).shape;
        assert!(shape.has_scrollbar(), "{name}");
        let x = shape.area.x + shape.area.width - 1;
        driver.mouse(PRESS, (x, shape.area.y));
        for height in [4, 3, 2, 1, 0, 1, 12] {
            driver.resize(80, height);
            let (area, count) = (list(&driver).shape.area, shape.count);
            for y in [0, area.y, area.y + area.height / 2, 11] {
                driver.mouse(DRAG, (x, y));
                let selected = list(&driver).selected;
                assert!(selected < count, "{name}, {height} rows: {selected}");
                dragged += 1;
            }
            // The last row stands for the last item, the only one for the first.
            let expected = if area.height > 1 { count - 1 } else { 0 };
            assert_eq!(list(&driver).selected, expected, "{name}, {height} rows");
        }
        driver.mouse(RELEASE, (x, 11)).mouse(DRAG, (x, 0));
        assert_eq!(list(&driver).selected, shape.count - 1, "{name}");
    }
    assert_eq!(dragged, LISTS.len() * 7 * 4);
}

/// The match that is so many matches after or before an item, and whether it is around an end of
/// the list.
fn nth_match(found: &[usize], from: usize, forward: bool, times: usize) -> (usize, bool) {
    let (before, after): (Vec<usize>, Vec<usize>) = if forward {
        found.iter().partition(|&&at| at <= from)
    } else {
        found.iter().rev().partition(|&&at| at >= from)
    };
    let order = [&after[..], &before].concat();
    (order[(times - 1) % order.len()], times > after.len())
}

/// A pattern that several items match, but not all, and these.
fn pattern(texts: &[String]) -> (&'static str, Vec<usize>) {
    let candidates = ["token token", "-2", "1", "e", "t"]
        .into_iter()
        .map(|pattern| {
            let is_match = |at: &usize| texts[*at].to_lowercase().contains(pattern);
            let found: Vec<usize> = (0..texts.len()).filter(is_match).collect();
            (pattern, found)
        });
    let found = candidates.filter(|(_, found)| found.len() > 1 && found.len() < texts.len());
    found
        .min_by_key(|(_, found)| found.len())
        .expect("a pattern")
}

/// A count that is larger than the number of matches goes around as often as single steps would, in
/// no more time.
#[test]
fn counts_before_the_next_match_may_be_large() {
    let history = history();
    let mut cells = 0;
    for (name, keys) in untyped_lists() {
        let mut driver = opened(&history, keys, (80, 12));
        let (pattern, found) = pattern(&texts(&driver));
        driver.keys(&format!("<Home>/{pattern}<CR>"));
        for count in [1, 2, 3, 7, 999, 1002, 1003, 1_000_003, 1_000_004] {
            for (key, forward) in [("n", true), ("N", false)] {
                let from = list(&driver).selected;
                let (expected, is_around) = nth_match(&found, from, forward, count);
                driver.keys(&format!("{count}{key}"));
                let selected = list(&driver).selected;
                assert_eq!(
                    selected, expected,
                    "{name}: {count}{key} from {from}, {found:?}"
                );
                let message = driver.app().status.message.as_deref();
                let is_said = message == Some("the search wrapped around");
                assert_eq!(is_said, is_around, "{name}: {count}{key} from {from}");
                cells += 1;
            }
        }
    }
    assert_eq!(cells, 11 * 9 * 2);
}

#[test]
fn a_search_backward_is_repeated_backward() {
    let history = history();
    let mut cells = 0;
    for (name, keys) in untyped_lists() {
        let config = Config::parse(b"[keys]\nsearch-backward = 'F2'").expect("a configuration");
        let mut driver = opened_with(&history, keys, (80, 12), config);
        let (pattern, found) = pattern(&texts(&driver));
        driver.keys("<End>");
        let search = format!("<F2>{pattern}<CR>");
        for (keys, forward) in [
            (search.as_str(), false),
            ("n", false),
            ("n", false),
            ("N", true),
            ("3n", false),
            // Without a pattern, the last one again.
            ("/<CR>", true),
            ("n", true),
            ("N", false),
            ("<F2><CR>", false),
            ("n", false),
            ("2N", true),
        ] {
            let from = list(&driver).selected;
            let count = keys.bytes().next().filter(u8::is_ascii_digit);
            let count = count.map_or(1, |digit| usize::from(digit - b'0'));
            let (expected, _) = nth_match(&found, from, forward, count);
            driver.keys(keys);
            let selected = list(&driver).selected;
            assert_eq!(selected, expected, "{name}: {keys} from {from}, {found:?}");
            cells += 1;
        }
    }
    assert_eq!(cells, 11 * 11);
}

/// Texts and colors of the screen but for the list and its first and last row, which say what is
/// selected; of completions, the last row has the input.
fn outside(driver: &Driver, name: &str) -> Vec<(String, Color, Color)> {
    let buffer = driver.memory().terminal.backend().buffer();
    let outer = list(driver).shape.outer;
    let last = buffer.area.height - 1;
    let rows = (1..last).chain((name == "Completions").then_some(last));
    let cells = rows.flat_map(|y| (0..buffer.area.width).map(move |x| (x, y)));
    let cells = cells.filter(|&at| !outer.contains(at)).map(|at| {
        let cell = buffer.cell(at).expect("it is on the screen");
        (cell.symbol().to_owned(), cell.fg, cell.bg)
    });
    cells.collect()
}

/// Whether what stands beside a list depends on the selected item.
fn has_preview(name: &str) -> bool {
    let names = [
        "History of lines",
        "Versions of the file",
        "Deleted lines",
        "Theme",
        "Dates",
        "Files",
        "Completions",
    ];
    names.contains(&name)
}

/// However an item was selected, what stands beside the list is what belongs to the item.
#[test]
fn previews_follow_the_selection() {
    let history = history();
    let (mut cells, mut previews) = (0, 0);
    for (name, keys, _) in LISTS {
        let opened = || {
            let mut driver = opened(&history, keys, (120, 12));
            driver.keys("<Home>");
            driver
        };
        let mut driver = opened();
        let first = outside(&driver, name);
        driver.keys("<Down>");
        let second = outside(&driver, name);
        driver.keys("<End>");
        let last = outside(&driver, name);
        let depend = [first != last, second != last];
        assert_eq!(
            depend,
            [has_preview(name); 2],
            "{name}\n{}",
            driver.screen()
        );
        previews += usize::from(has_preview(name));

        let count = list(&driver).shape.count;
        let mut check = |driver: &Driver, what: &str, selected: usize| {
            let expected = [(0, &first), (1, &second), (count - 1, &last)];
            let expected = expected.iter().find(|(at, _)| *at == selected);
            assert_eq!(list(driver).selected, selected, "{name}: {what}");
            let (_, expected) = expected.expect("one of these");
            assert!(
                outside(driver, name) == **expected,
                "{name}: {what}\n{}",
                driver.screen()
            );
            cells += 1;
        };
        let mut driver = opened();
        let at = place_of(list(&driver), 1);
        driver.mouse(PRESS, at).mouse(RELEASE, at);
        check(&driver, "a click", 1);
        driver.mouse(MouseEventKind::ScrollUp, at);
        check(&driver, "the wheel", 0);
        let area = list(&driver).shape.area;
        let x = area.x + area.width - 1;
        driver.mouse(PRESS, (x, area.y)).mouse(DRAG, (x, 11));
        check(&driver, "the scrollbar", count - 1);
        driver.mouse(DRAG, (x, 0)).mouse(RELEASE, (x, 0));
        check(&driver, "the scrollbar back", 0);
        driver.keys("<Down><PgDn><PgUp><Home>");
        check(&driver, "there and back", 0);
    }
    assert_eq!((cells, previews), (5 * LISTS.len(), 8));
}

/// Lists below a diff do not hide the blame that the diff leads to.
#[test]
fn a_blame_opened_from_a_diff_above_a_list_is_seen() {
    let history = history();
    for list in ["F", "L"] {
        for leave in [",", "jb"] {
            let mut driver = opened(&history, &format!("{list}ja"), (100, 20));
            assert!(driver.app().pages.has(PageKind::Diff), "{list}");
            driver.keys(leave);
            let pages = &driver.app().pages;
            assert!(!pages.cover_blame(), "{list}{leave}\n{}", driver.screen());
            // The way back leads to the diff.
            driver.keys("<BS>");
        }
    }
}

#[test]
fn counts_before_the_next_group_may_be_large() {
    let history = history();
    let mut driver = opened(&history, "", (100, 20));
    let line = |driver: &Driver| {
        let view = driver.app().view().expect("there is a blame");
        view.pager.position.line
    };
    driver.keys("gg");
    // As many steps as lead around once.
    let mut around = Vec::new();
    loop {
        driver.keys("}");
        around.push(line(&driver));
        if around.last() == around.first() && around.len() > 1 {
            break;
        }
        assert!(around.len() < 100, "{around:?}");
    }
    let round = around.len() - 1;
    for count in [7, 1000, 99_999_999, 999_999_999] {
        driver.keys(&format!("gg{count}}}"));
        assert_eq!(line(&driver), around[(count - 1) % round], "{count}");
    }
}

/// What was pressed on in the blame is not dragged after the button was released above a list.
#[test]
fn a_drag_ends_where_the_button_is_released() {
    let history = history();
    let mut driver = opened(&history, "", (100, 20));
    let divider = (0..20).find(|&y| {
        let screen = driver.screen();
        screen
            .lines()
            .nth(y)
            .is_some_and(|row| row.starts_with('─'))
    });
    let divider = divider.expect("the details have a title") as u16;
    driver.mouse(PRESS, (5, divider));
    driver.keys("|");
    driver.mouse(RELEASE, (5, divider));
    driver.keys("<Esc>");
    let before = driver.screen();
    driver.mouse(DRAG, (5, divider - 4));
    assert_eq!(driver.screen(), before);
}
