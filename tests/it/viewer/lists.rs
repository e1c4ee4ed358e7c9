//! Every list of the viewer does the same for the same keys and gestures.

use std::{fs, sync::Arc};

use crossterm::event::{MouseButton, MouseEventKind};
use tblame::internals::viewer::{
    app::settings::arguments::ViewerArguments,
    config::settings::Config,
    model::source::FileVersion,
    pages::list::ItemList,
    theme::{
        roles::LineBackground,
        styles::Theme,
        terminal_colors::{Background, ColorDepth},
        theme_set::ThemeSet,
    },
};

use crate::harness::{
    named_history::{HistoryBuilder, NamedHistory},
    repository::{ObjectFormat, TestRepo},
};

use super::{
    driver::{Driver, arguments},
    fake_history::lamp_history,
};

/// The lists: their name in the help, the keys that open them, and whether letters are typed into
/// an input. Those of a directory and of places are opened by a command line.
pub(super) const LISTS: &[(&str, &str, bool)] = &[
    ("Versions of the file", "F", false),
    ("History of lines", "L", false),
    ("Versions of the file", "/<Tab>token<CR>", false),
    ("Deleted lines", "Dj<CR>", false),
    ("People", "A", false),
    ("Theme", "s", false),
    ("Columns and switches", "|", false),
    ("Dates", "H", false),
    ("Directory", "tblame other", false),
    ("All files below the directory", "tblame other L", false),
    ("Places", "tblame --places", false),
    ("Files", "f", true),
    ("Completions", ":v<Tab>", true),
];

/// What is done in a list.
#[derive(Debug, Clone, Copy)]
enum Input {
    Keys(&'static str),
    /// The mouse, at a row and at the left or right end of the list.
    Mouse(MouseEventKind, fn(&ItemList) -> u16, bool),
}

/// Where a list is and how long it is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The selected item.
    at: usize,
    top: usize,
    window: usize,
    count: usize,
    item_rows: usize,
}

/// A behaviour: what is done, from the first item or from the last, the item that is selected then,
/// and whether it is the same with a typed input.
type Behaviour = (Input, bool, fn(Place) -> usize, bool);

pub(super) const PRESS: MouseEventKind = MouseEventKind::Down(MouseButton::Left);

/// Columns of the table: every list does this.
const BEHAVIOURS: &[Behaviour] = {
    use Input::{Keys, Mouse};
    &[
        (Keys("<Down>"), true, |it| it.at + 1, true),
        (Keys("<Up>"), false, |it| it.at.saturating_sub(1), true),
        (Keys("j"), true, |it| it.at + 1, false),
        (Keys("k"), false, |it| it.at.saturating_sub(1), false),
        (Keys("3j"), true, |it| it.at + 3, false),
        (Keys("2k"), false, |it| it.at.saturating_sub(2), false),
        (Keys("<PgDn>"), true, |it| it.at + page(it), true),
        (
            Keys("<PgUp>"),
            false,
            |it| it.at.saturating_sub(page(it)),
            true,
        ),
        (Keys("2<PgDn>"), true, |it| it.at + 2 * page(it), false),
        (Keys("<C-d>"), true, |it| it.at + half(it), false),
        (
            Keys("<C-u>"),
            false,
            |it| it.at.saturating_sub(half(it)),
            false,
        ),
        (Keys("G"), true, |it| it.count - 1, false),
        (Keys("g"), false, |_| 0, false),
        (Keys("<End>"), true, |it| it.count - 1, true),
        (Keys("<Home>"), false, |_| 0, true),
        (Keys("4g"), false, |_| 3, false),
        (Keys("99999G"), true, |it| it.count - 1, false),
        (
            Mouse(MouseEventKind::ScrollDown, |_| 0, false),
            true,
            |it| it.at + 3 / it.item_rows,
            true,
        ),
        (
            Mouse(MouseEventKind::ScrollUp, |_| 0, false),
            false,
            |it| it.at.saturating_sub(3 / it.item_rows),
            true,
        ),
        (
            Mouse(PRESS, |list| list.shape.item_rows, false),
            false,
            |it| it.top + 1,
            true,
        ),
        (
            Mouse(PRESS, |list| list.shape.area.height - 1, true),
            true,
            |it| it.count - 1,
            true,
        ),
        (Mouse(PRESS, |_| 0, true), false, |_| 0, true),
    ]
};

fn page(it: Place) -> usize {
    (it.window - 1).max(1)
}

fn half(it: Place) -> usize {
    (it.window / 2).max(1)
}

#[test]
fn completions_say_how_many_they_are() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys(":v<Tab>");
    let seen = |driver: &Driver, words: &str| {
        let screen = driver.screen();
        assert!(screen.contains(words), "{words}: {screen}");
    };
    seen(&driver, " Completions: 1 of 3");
    driver.keys("<Tab>");
    seen(&driver, " Completions: 2 of 3");
    driver.keys("<Up><Up>");
    seen(&driver, " Completions: 3\n");
}

/// A file with 24 versions by as many people: its first line changes in each, and in every second
/// one a line is deleted below the second line.
pub(super) fn history() -> NamedHistory {
    let mut history = HistoryBuilder::default();
    let mut last: Option<&str> = None;
    for at in 0..24u64 {
        let name: &str = Box::leak(format!("v{at:02}").into_boxed_str());
        let gone = if at % 2 == 0 { "gone\n" } else { "" };
        let own: String = (0..=at).map(|at| format!("own {at}\n")).collect();
        let token = "token ".repeat(at as usize % 2 + 1);
        let text = format!("top {at} {token}\nkeep\n{gone}stay\n{own}");
        let other = format!("other/file-{at}");
        let parents: Vec<&str> = last.into_iter().collect();
        let date = 1_012_000_000 + at * 12_500_000;
        let files = [("f", text.as_str()), (&other, &format!("x {at}\n"))];
        history = history.commit(name, date, &parents, &files);
        last = Some(name);
    }
    let history = history.build();
    history.repository.git(&["reset", "-q", "--hard"]);
    let themes = history.repository.root().join("own/themes");
    fs::create_dir_all(&themes).expect("a directory");
    for at in 0..20 {
        let file = themes.join(format!("theme-{at}.toml"));
        let text = format!("base = 'dark'\n[text]\nplain = '#f0f0{:02x}'\n", 160 + at);
        fs::write(file, text).expect("a file");
    }
    history
}

/// A driver with the list open, in which not all items have room.
pub(super) fn opened(history: &NamedHistory, keys: &str, size: (u16, u16)) -> Driver {
    opened_with(history, keys, size, Config::default())
}

/// As [`opened`], with a configuration.
pub(super) fn opened_with(
    history: &NamedHistory,
    keys: &str,
    size: (u16, u16),
    config: Config,
) -> Driver {
    let own = history.repository.root().join("own");
    let themes = ThemeSet::new("dark", Some(&own), ColorDepth::True, Background::Dark);
    let (operand, keys) = match keys.strip_prefix("tblame ") {
        Some(rest) => {
            let (operand, keys) = rest.split_once(' ').unwrap_or((rest, ""));
            (Some(operand), keys)
        }
        None => (None, keys),
    };
    let places = operand == Some("--places");
    let directory = if places { Some("") } else { operand };
    let arguments = ViewerArguments {
        directory: directory.map(|path| FileVersion::WorkTree {
            path: Arc::new(path.into()),
        }),
        places,
        ..arguments("f".into(), config)
    };
    let mut driver = Driver::with_repository_and_themes(
        history.repository.root(),
        arguments,
        size,
        themes.expect("a built-in theme"),
    );
    driver.keys(keys);
    driver
}

pub(super) fn list(driver: &Driver) -> &ItemList {
    let list = driver.app().pages.list();
    list.unwrap_or_else(|| panic!("no list\n{}", driver.screen()))
}

fn place(driver: &Driver) -> Place {
    let list = list(driver);
    Place {
        at: list.selected,
        top: list.top,
        window: list.shape.window(),
        count: list.shape.count,
        item_rows: list.shape.item_rows.into(),
    }
}

/// The texts of the items.
pub(super) fn texts(driver: &Driver) -> Vec<String> {
    let page = driver.app().pages.top().expect("a list");
    let width = list(driver).shape.row_width().into();
    let app = driver.app();
    let text = |at| {
        let rows = page.rows(at, width, app).into_iter();
        // A heading is no item.
        let rows = rows.filter(|row| !row.pieces.is_empty());
        rows.map(|row| row.text()).collect()
    };
    (0..page.count(app)).map(text).collect()
}

fn perform(driver: &mut Driver, input: Input) {
    match input {
        Input::Keys(keys) => {
            driver.keys(keys);
        }
        Input::Mouse(kind, row, at_right) => {
            let shape = list(driver).shape;
            let x = if at_right {
                shape.area.x + shape.area.width - 1
            } else {
                shape.area.x + 2
            };
            let at = (x, shape.area.y + row(list(driver)));
            driver.mouse(kind, at);
            driver.mouse(MouseEventKind::Up(MouseButton::Left), at);
        }
    }
}

#[test]
fn keys_and_gestures_do_the_same_in_all_lists() {
    let history = history();
    let mut cells = 0;
    for size in [(80, 12), (40, 6)] {
        for (name, keys, is_typed) in LISTS {
            let mut driver = opened(&history, keys, size);
            let it = place(&driver);
            assert!(it.count > it.window, "{name}: {it:?}\n{}", driver.screen());
            for (number, (input, from_start, expected, is_typed_too)) in
                BEHAVIOURS.iter().enumerate()
            {
                if *is_typed && !is_typed_too {
                    continue;
                }
                driver.keys(if *from_start { "<Home>" } else { "<End>" });
                let before = place(&driver);
                perform(&mut driver, *input);
                let after = place(&driver);
                let message = format!(
                    "{name} ({keys}), {number}: {input:?} from {before:?}\n{}",
                    driver.screen()
                );
                assert_eq!(
                    after.at,
                    expected(before).min(before.count - 1),
                    "{message}"
                );
                let seen = after.top..after.top + after.window;
                assert!(seen.contains(&after.at), "{after:?} {message}");
                cells += 1;
            }
        }
    }
    let typed = BEHAVIOURS.iter().filter(|behaviour| behaviour.3).count();
    assert_eq!(cells, 2 * (11 * BEHAVIOURS.len() + 2 * typed));
}

/// However few rows there are, one is that of an item.
#[test]
fn the_selected_item_is_seen_in_the_smallest_window() {
    let history = history();
    for keys in ["A", "tblame other", "tblame other L", "tblame other A"] {
        let driver = opened(&history, keys, (10, 3));
        let screen = driver.screen();
        let body = screen.lines().nth(1).unwrap_or_default();
        assert!(body.starts_with('>'), "{keys}:\n{screen}");
    }
}

#[test]
fn all_lists_are_searched() {
    let history = history();
    let mut cells = 0;
    for (name, keys, is_typed) in LISTS.iter().filter(|(.., is_typed)| !is_typed) {
        let mut driver = opened(&history, keys, (80, 12));
        let texts = texts(&driver);
        driver.keys("<Home>");
        let words = texts[texts.len() - 2].trim();
        let words = words
            .trim_start_matches(['✓', ' '])
            .split("  ")
            .next()
            .unwrap_or("");
        let words: String = words.chars().take(24).collect();
        let found: Vec<usize> = (0..texts.len())
            .filter(|&at| texts[at].contains(&words))
            .collect();
        driver.keys(&format!("/{}", words.replace(['.', '+', '('], ".")));
        let typed = match found.len() {
            1 => " 1 match ".to_owned(),
            count => format!(" {count} matches "),
        };
        let foot = driver.screen();
        let foot = foot.lines().last().unwrap_or_default().to_owned() + " ";
        assert!(foot.contains(&typed), "{name}: {typed}: {foot}");
        driver.keys("<CR>");
        let next = |at: usize| *found.iter().find(|&&found| found > at).unwrap_or(&found[0]);
        let mut expected = next(0);
        assert_eq!(
            list(&driver).selected,
            expected,
            "{name}: {words}\n{}",
            driver.screen()
        );
        // Which one it is, and of how many.
        let ordinal = found.iter().position(|at| *at == expected).expect("found") + 1;
        let words_of_match = format!(" match {ordinal} of {}", found.len());
        assert!(
            driver.screen().contains(&words_of_match),
            "{name}: {words_of_match}\n{}",
            driver.screen()
        );
        // Matches are marked where they are seen.
        let theme = Theme::new(Background::Dark, ColorDepth::True);
        let marked = theme.search_match(LineBackground::Plain).bg;
        let buffer = driver.memory().terminal.backend().buffer();
        let marked = buffer.content.iter().filter(|cell| Some(cell.bg) == marked);
        assert!(
            marked.count() >= words.chars().count(),
            "{name}\n{}",
            driver.screen()
        );
        driver.keys("n");
        expected = next(expected);
        assert_eq!(list(&driver).selected, expected, "{name}: n");
        driver.keys("N");
        let before = found.iter().rev().find(|&&found| found < expected);
        let before = *before.unwrap_or(found.last().expect("a match"));
        assert_eq!(list(&driver).selected, before, "{name}: N");
        driver.keys("/no such thing");
        assert!(driver.screen().contains(" no match"), "{name}");
        driver.keys("<CR>");
        let message = driver.app().status.message.as_deref();
        assert_eq!(
            message,
            Some("nothing matches “no such thing”"),
            "{name} {is_typed}"
        );
        // The count is not one of the pattern before.
        let foot = driver.screen();
        let foot = foot.lines().last().unwrap_or_default();
        assert!(
            !foot.contains(" match ") && !foot.contains(" of "),
            "{name}: {foot}"
        );
        cells += 6;
    }
    assert_eq!(cells, 6 * 11);
}

#[test]
fn a_double_click_is_enter_and_help_is_that_of_the_list() {
    let history = history();
    let mut cells = 0;
    for (name, keys, is_typed) in LISTS {
        let mut clicked = opened(&history, keys, (80, 12));
        clicked.keys("<End><Up>");
        let shape = list(&clicked).shape;
        let row = (list(&clicked).selected - list(&clicked).top) as u16 * shape.item_rows;
        let at = (shape.area.x + 2, shape.area.y + row);
        clicked.mouse(PRESS, at);
        assert!(
            clicked.app().pages.list().is_some(),
            "{name}: one click opens nothing"
        );
        // Beside the first press, so that the time since then does not matter.
        clicked.double_click((at.0 + 1, at.1));
        let mut entered = opened(&history, keys, (80, 12));
        entered.keys("<End><Up>");
        let before = entered.screen();
        entered.keys("<CR>");
        assert_eq!(clicked.screen(), entered.screen(), "{name}");
        assert_ne!(before, entered.screen(), "{name}");
        cells += 1;

        let mut driver = opened(&history, keys, (80, 48));
        let before = driver.screen();
        let help = if *is_typed { "<F1>" } else { "?" };
        driver.keys(help);
        let screen = driver.screen();
        assert!(screen.starts_with(&format!(" keys: {name}")), "{screen}");
        let rows = screen.lines().skip(1).take(47);
        let keys = rows.filter(|row| row.starts_with("   ") && !row.starts_with("     "));
        assert!((2..=12).contains(&keys.count()), "{screen}");
        driver.keys(help);
        let screen = driver.screen();
        assert!(
            screen.contains("open or choose, as a double click"),
            "{screen}"
        );
        assert!(!screen.contains("Blame options"), "{screen}");
        driver.keys("<Esc>");
        assert_eq!(driver.screen(), before, "{name}");
        cells += 1;
    }
    assert_eq!(cells, 2 * LISTS.len());
}

#[test]
fn all_lists_have_a_scrollbar_with_a_thumb() {
    let history = history();
    let mut cells = 0;
    for (name, keys, _) in LISTS {
        let mut driver = opened(&history, keys, (80, 12));
        for key in ["<Home>", "<End>"] {
            driver.keys(key);
            let area = list(&driver).shape.area;
            let buffer = driver.memory().terminal.backend().buffer();
            let symbols = (area.y..area.y + area.height).map(|y| {
                let cell = buffer.cell((area.x + area.width - 1, y));
                cell.expect("it is on the screen").symbol()
            });
            let column: String = symbols.collect();
            let (first, last) = (column.starts_with('█'), column.ends_with('█'));
            assert_eq!(
                (first, last),
                (key == "<Home>", key == "<End>"),
                "{name}: {column}"
            );
            assert!(column.contains('│'), "{name}: {column}");
            cells += 1;
        }
    }
    assert_eq!(cells, 2 * LISTS.len());
}

/// A list of which items and end have room shows all of them from wherever it was scrolled, without a
/// scrollbar.
#[test]
fn a_list_that_fits_is_never_scrolled() {
    let history = history();
    let (mut fitting, mut others) = (0, 0);
    for (name, keys, _) in LISTS {
        let mut driver = opened(&history, keys, (80, 12));
        for height in [12, 24, 27, 28, 29, 50, 98, 100, 102, 120] {
            driver.resize(80, height);
            for key in ["<End>", "<Up>", "<Home>", "<End>"] {
                driver.keys(key);
                let (list, app) = (list(&driver), driver.app());
                let page = app.pages.top().expect("a page");
                let end = usize::from(!page.ending(app).is_empty());
                let rows = list.shape.count * usize::from(list.shape.item_rows) + end;
                let fits = rows <= usize::from(list.shape.area.height);
                let is_scrolled = list.top > 0 || list.shape.has_scrollbar();
                assert_eq!(is_scrolled, !fits, "{name}, {height} rows, {key}");
                let counter = if fits { &mut fitting } else { &mut others };
                *counter += 1;
            }
        }
    }
    assert!(fitting > 200 && others > 100, "{fitting}, {others}");
}

/// A name that is longer than most is whole where the text beside it has room.
#[test]
fn long_names_are_whole_where_there_is_room() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let name = "Johannes Schindelin";
    for at in 0..3 {
        repository.write(b"dir/f", format!("line {at}\nlast\n").as_bytes());
        repository.write(format!("dir/gone {at}").as_bytes(), b"text\n");
        repository.git(&["add", "-A"]);
        let author = format!("--author={name} <js@example.org>");
        repository.git(&["commit", "-q", "-m", "A change of a line", &author]);
        repository.git(&["rm", "-q", &format!("dir/gone {at}")]);
    }
    let author = format!("--author={name} <js@example.org>");
    repository.git(&["commit", "-q", "-m", "The last one", &author]);
    let mut seen = 0;
    for (directory, keys, whole) in [
        (false, "", 80..=200),
        (false, "F", 140..=200),
        // Its change is beside it from 160 columns on.
        (false, "L", 100..=159),
        (false, "A", 80..=200),
        (true, "F", 100..=200),
        (true, "D", 120..=200),
        (true, "L", 120..=200),
        (true, "", 200..=200),
    ] {
        for width in [80, 100, 110, 120, 140, 160, 200] {
            let directory = directory.then(|| FileVersion::WorkTree {
                path: Arc::new("dir".into()),
            });
            let arguments = ViewerArguments {
                directory,
                ..arguments("dir/f".into(), Config::default())
            };
            let mut driver = Driver::with_repository(repository.root(), arguments, (width, 24));
            driver.keys(keys);
            let screen = driver.screen();
            let row = screen.lines().skip(1).find(|row| row.contains("Johannes"));
            let row = row.unwrap_or_else(|| panic!("{keys} {width}\n{screen}"));
            assert!(
                !whole.contains(&width) || row.contains(name),
                "{keys} {width}\n{screen}"
            );
            seen += usize::from(row.contains(name));
        }
    }
    assert!(seen > 30, "{seen}");
}

/// The chooser of columns says that it has switches, and which theme there is.
#[test]
fn the_chooser_names_what_it_has() {
    let history = history();
    let mut driver = opened(&history, "|", (120, 40));
    let screen = driver.screen();
    assert!(
        screen.contains(" Columns and switches: id of the commit"),
        "{screen}"
    );
    for theme in ["dark", "light"] {
        let screen = driver.screen();
        let row = screen.lines().find(|row| row.contains("  theme "));
        let row = row.unwrap_or_else(|| panic!("no theme\n{screen}"));
        let row = row.trim_end_matches(|it: char| !it.is_ascii_alphanumeric());
        assert!(row.ends_with(&format!(" {theme}  s")), "{row}");
        driver.keys("<Esc>s/light<CR><CR>n|");
    }
}

#[test]
fn empty_lists_say_why() {
    for (keys, words) in [
        ("F", "this is not available here"),
        ("L", "this is not available here"),
        ("fxyz", "no file matches"),
        (":x<Tab>", "nothing begins with this"),
    ] {
        let mut driver = Driver::new(lamp_history(), 80, 24);
        let screen = driver.keys(keys).screen();
        assert!(screen.contains(words), "{keys}\n{screen}");
        // Keys that move have nowhere to go.
        driver.keys("<Down><End><PgUp>");
        assert_eq!(list(&driver).selected, 0);
    }
}

fn status_line(driver: &Driver) -> String {
    let screen = driver.screen();
    screen.lines().last().unwrap_or_default().to_owned()
}

/// An empty list offers no key that needs an item, and says why it is empty.
#[test]
fn an_empty_list_offers_nothing_that_needs_an_item() {
    let history = history();
    let mut pressed = 0;
    for (keys, first, why) in [
        (
            "/<Tab>Nowhere<CR>",
            " Esc close  ? keys  ",
            " no version added or removed this text; its capitals matter",
        ),
        (
            "tblame other D",
            " Esc close  ? keys  ^R read the directory again",
            " no direct entry was deleted",
        ),
    ] {
        let mut driver = opened(&history, keys, (80, 12));
        assert_eq!(list(&driver).shape.count, 0, "{}", driver.screen());
        assert_eq!(status_line(&driver), first.trim_end(), "{keys}");
        for key in ["<CR>", "a", "j", "k", "y", "o", ",", "b"] {
            driver.keys(key);
            assert_eq!(status_line(&driver), why, "{keys} {key}");
            pressed += 1;
        }
        driver.keys("?<Esc>");
        assert_eq!(status_line(&driver), first.trim_end(), "{keys}");
    }
    assert_eq!(pressed, 2 * 8);
}

#[test]
fn a_step_forward_is_offered_where_there_is_one() {
    let mut driver = opened(&history(), "tblame --places", (120, 12));
    assert!(
        !status_line(&driver).contains(" forward"),
        "{}",
        driver.screen()
    );
    driver.keys("<CR>");
    assert!(driver.app().view().is_some());
    driver.keys("<");
    driver.keys("j");
    assert!(
        status_line(&driver).contains("> forward"),
        "{}",
        driver.screen()
    );
    driver.keys(">");
    assert!(driver.app().pages.list().is_none(), "{}", driver.screen());
}

/// Every list of commits copies the id of the selected one and opens its page.
#[test]
fn lists_of_commits_open_their_pages() {
    let history = history();
    let mut opened_pages = 0;
    for keys in [
        "F",
        "L",
        "/<Tab>token<CR>",
        "Dj<CR>",
        "tblame other",
        "tblame other F",
        "tblame other L",
        "tblame --places",
    ] {
        let mut driver = opened(&history, keys, (80, 12));
        driver.keys("o");
        let status = status_line(&driver);
        assert!(
            status.starts_with(" no remote with web pages"),
            "{keys}: {status}"
        );
        driver.keys("y");
        let id = driver.memory().copied.last().map_or(0, String::len);
        assert_eq!(id, 40, "{keys}: {}", driver.screen());
        opened_pages += 1;
    }
    assert_eq!(opened_pages, 8);
}
