//! What the status line offers acts on what is selected, and what does not act says why.

use tblame::internals::viewer::{
    config::settings::Config, event_loop::ExitReason, pages::page::PageKind,
    theme::terminal_colors::ColorDepth,
};

use crate::harness::named_history::NamedHistory;

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history},
    lists::{self, LISTS, opened, opened_with},
};

/// Pages with a selected row: the keys that lead there.
const PLACES: &[&str] = &[
    "", "G", ",G", "()", "vj", "/own<CR>", "L", "LG", "F", "FG", "<CR>", "<CR>g", "aG", "Dj<CR>",
    "AG", "sG", "|G", "Hk",
];

/// Messages of keys that have done something.
const DONE: &[&str] = &["copied", "dates:", "long lines are"];

/// What a key changes that does something: what is above the status line, and what only colors show.
fn state(driver: &Driver) -> impl PartialEq + use<> {
    let (screen, app) = (driver.screen(), driver.app());
    let body = screen.rsplit_once('\n').map_or("", |(body, _)| body);
    let diff = app.diff().map(|diff| diff.pager.position);
    let view = app
        .view()
        .map(|view| (view.pager.position, view.chosen_lines()));
    let (search, pages) = (app.search.get().is_some(), app.pages.layers().len());
    (body.to_owned(), (diff, view), (search, pages))
}

/// The keys that the status line offers, as a script.
fn offered(status: &str) -> Vec<(String, String)> {
    let pieces = status.split("  ").map(str::trim);
    let keys = pieces.filter_map(|piece| {
        let (key, words) = piece.split_once(' ')?;
        let script = match key {
            "Enter" => "<CR>".to_owned(),
            "Esc" => "<Esc>".to_owned(),
            "Tab" => "<Tab>".to_owned(),
            "Space" => " ".to_owned(),
            _ if key.chars().count() == 1 => key.to_owned(),
            _ => {
                let letter = key.strip_prefix('^').filter(|it| it.len() == 1)?;
                format!("<C-{}>", letter.to_lowercase())
            }
        };
        // What is no key, or begins a span where nothing else shows it yet.
        let is_other = words.starts_with("= ") || words.ends_with(':') || words == "several";
        (!is_other).then(|| (script, piece.to_owned()))
    });
    keys.collect()
}

#[test]
fn every_key_that_is_offered_does_something() {
    let history = lists::history();
    let (mut pressed, mut refused) = (0, Vec::new());
    for place in PLACES {
        let mut driver = opened(&history, place, (200, 24));
        // A message is in place of the keys; what ends it changes nothing else.
        let has_message = driver.app().status.message.is_some();
        if has_message {
            driver.keys("<C-l>");
        }
        let status = driver.last_row();
        for (key, words) in offered(&status) {
            let mut driver = opened(&history, place, (200, 24));
            if has_message {
                driver.keys("<C-l>");
            }
            assert_eq!(driver.last_row(), status, "{place}");
            let before = state(&driver);
            driver.keys(&key);
            pressed += 1;
            let message = driver.app().status.message.clone().unwrap_or_default();
            let has_acted = driver.ending != ExitReason::Idle
                || state(&driver) != before
                || DONE.iter().any(|words| message.starts_with(words));
            if !has_acted {
                refused.push(format!("{place:?}: {words:?}: {message:?}"));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(pressed > 100, "{pressed}");
}

#[test]
fn an_empty_file_offers_no_key_of_a_line() {
    let empty = || FakeHistory::default().commit("Ada", "Write nothing", |_| {});
    let driver = Driver::new(empty(), 120, 24);
    let status = driver.last_row();
    assert_eq!(
        status,
        " ? keys  q quit  F versions  ( time-lapse  : line  T tour"
    );
    let keys = [
        ",", "b", "w", "/", "<Tab>", "L", "v", "H", "J", "K", "&", "*", "n", "]", "}", "y", "Y",
        "o", "x", "i", "j", "k", "g", "G", "a", "r", "m", ".", "!", " ", "<C-d>",
    ];
    for key in keys {
        let mut driver = Driver::new(empty(), 120, 24);
        driver.keys(key);
        let message = driver.app().status.message.as_deref();
        assert_eq!(message, Some("the file is empty"), "{key}");
        assert_eq!(driver.app().pages.layers().len(), 0, "{key}");
        let view = driver.app().view().expect("a view");
        assert_eq!(view.pager.position.line, 0, "{key}");
    }
}

#[test]
fn a_first_version_says_why_nothing_is_before_it() {
    let history = lists::history();
    for keys in ["gjj", "FG", "LG", "gjj<CR>"] {
        let mut driver = opened(&history, keys, (120, 24));
        // The third line is of the first version.
        let row = driver.last_row();
        assert!(!row.contains(", b"), "{keys}: {row}");
        driver.keys(",");
        let message = driver.app().status.message.clone().unwrap_or_default();
        assert!(
            message.contains("there is no earlier version"),
            "{keys}: {message}"
        );
    }
}

#[test]
fn an_interrupt_cancels_a_prompt_and_quits_elsewhere() {
    let history = lists::history();
    for place in [
        "", "?", "F", "L", "<CR>", "<Tab>", "|", "s", "A", "F<CR>", "<CR>?",
    ] {
        let mut driver = opened(&history, place, (80, 24));
        driver.keys("<C-c>");
        assert_eq!(driver.ending, ExitReason::Quit, "{place}");
    }
    for place in ["/x", ":x", "&x", "f", "Ex", "Fq/x", "m"] {
        let mut driver = opened(&history, place, (80, 24));
        driver.keys("<C-c>");
        assert_eq!(driver.ending, ExitReason::Idle, "{place}");
        assert_eq!(driver.app().pages.layers().len(), 0, "{place}");
        driver.keys("q");
        assert_eq!(driver.ending, ExitReason::Quit, "{place}");
    }
    let mut driver = opened(&history, "F<CR>?", (80, 24));
    driver.keys("q");
    assert_eq!(driver.ending, ExitReason::Idle, "q closes a page");
}

#[test]
fn a_note_is_not_cut_on_a_narrow_screen() {
    let mut driver = Driver::new(lamp_history(), 40, 12);
    driver.keys("%");
    let message = driver.app().status.message.clone().expect("a message");
    assert!(message.len() > 40);
    let screen = driver.screen();
    let rows: Vec<&str> = screen.lines().rev().take(3).map(str::trim).collect();
    let shown: Vec<&str> = rows.into_iter().rev().collect();
    assert!(shown.join(" ").contains(&message), "{screen}");
    // The next key gives the rows back.
    driver.keys("j");
    assert!(
        !driver.screen().contains("goes to that"),
        "{}",
        driver.screen()
    );
}

#[test]
fn the_smallest_screen_shows_a_row_of_every_list() {
    let history = lists::history();
    let mut seen = 0;
    for (name, keys, _) in LISTS {
        let driver = opened(&history, keys, (10, 3));
        let screen = driver.screen();
        let row = screen.lines().nth(1).unwrap_or_default();
        assert!(row.contains('>'), "{name}: {screen}");
        seen += 1;
    }
    assert_eq!(seen, LISTS.len());
}

#[test]
fn a_key_of_the_configuration_quits_from_any_page() {
    let history: NamedHistory = lists::history();
    let config = Config::parse(b"[keys]\nquit-all = 'Q'").expect("a configuration");
    let mut driver = opened_with(&history, "F", (80, 24), config);
    assert_eq!(driver.app().pages.top_kind(), Some(PageKind::FileHistory));
    driver.keys("Q");
    assert_eq!(driver.ending, ExitReason::Quit);
}

/// What ends a selection is offered whatever else the status line could show.
#[test]
fn a_selection_says_how_it_ends() {
    for keys in ["", "/o<CR>", "c", "cc", "ccc", "&ada<CR>", "D"] {
        let mut driver = Driver::with_depth(lamp_history(), 80, 24, ColorDepth::True);
        driver.keys(keys).keys("gvj");
        let row = driver.last_row();
        let words = " 2 lines selected:  L their history  y copy  Esc end  ";
        assert!(
            row.starts_with(words) && row.contains("? keys"),
            "{keys}: {row}"
        );
        driver.keys("<Esc>");
        assert!(!driver.last_row().contains("selected"), "{keys}");
    }
    // Nobody would see one below the message.
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("<Tab>v");
    assert_eq!(driver.last_row(), " v does nothing here; ? lists keys");
    let view = driver.app().view().expect("a view");
    assert_eq!(view.chosen_lines(), None);
}

/// The help of the message has keys that do something there.
#[test]
fn the_message_has_help_of_its_own() {
    let history = lists::history();
    let mut driver = opened(&history, "<Tab>", (80, 24));
    let (_, keys) = driver
        .app()
        .pages
        .top()
        .and_then(|page| page.help())
        .expect("help");
    driver.keys("?");
    assert!(
        driver.screen().starts_with(" keys: Message"),
        "{}",
        driver.screen()
    );
    let mut pressed = 0;
    for name in keys.iter().flat_map(|(keys, _)| keys.split("  ")) {
        let key = driver.app().keymap.fill(name);
        // Some have no name in scripts.
        let Some((script, _)) = offered(&format!("{key} it")).pop() else {
            continue;
        };
        let mut driver = opened(&history, "<Tab>", (80, 24));
        driver.keys(&script);
        let row = driver.last_row();
        assert!(!row.contains("does nothing here"), "{name}: {row}");
        pressed += 1;
    }
    assert!(pressed > 12, "{pressed}");
    // Nor does that of deleted lines explain what is not there.
    let mut driver = opened(&history, "Dj<CR>?", (80, 40));
    let screen = driver.keys("?").screen();
    assert!(screen.starts_with(" keys: Deleted lines"), "{screen}");
    for words in ["born", "nearby", "whose history"] {
        assert!(!screen.contains(words), "{words}: {screen}");
    }
}
