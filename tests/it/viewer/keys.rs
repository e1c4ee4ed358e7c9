//! Keys: what is bound, sequences of keys, and what is said of the others.

use tblame::internals::viewer::{
    config::settings::Config,
    event_loop::ExitReason,
    theme::{
        styles::Theme,
        terminal_colors::{Background, ColorDepth},
    },
};

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history, line},
};

fn long_file() -> FakeHistory {
    FakeHistory::default().commit("Ada", "Count", |lines| {
        lines.extend((1..=200).map(|number| line(&format!("line {number}"))));
    })
}

fn configured(source: FakeHistory, config: &str) -> Driver {
    let config = Config::parse(config.as_bytes()).expect("a configuration");
    let theme = Theme::new(Background::Dark, ColorDepth::None);
    Driver::with_theme(source, (80, 24), theme, config)
}

fn message(driver: &Driver) -> Option<&str> {
    driver.app().status.message.as_deref()
}

/// The selected line and the first one in the window, 0-based.
fn place(driver: &mut Driver, keys: &str) -> (u32, u32) {
    let position = driver.keys(keys).whereabouts().2;
    (position.line, position.top)
}

#[test]
fn a_key_that_does_nothing_says_so() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    for (keys, expected) in [
        ("<F2>", "F2 does nothing here; ? lists keys"),
        ("5Q", "Q does nothing here; ? lists keys"),
        ("zq", "zq does nothing here; ? lists keys"),
        ("<C-x>", "^X does nothing here; ? lists keys"),
    ] {
        driver.keys(keys);
        assert_eq!(message(&driver), Some(expected));
        assert_eq!(driver.ending, ExitReason::Idle);
    }
    let mut driver = configured(lamp_history(), "[keys]\nhelp = 'K'\nclose = 'x'");
    driver.keys("Q");
    assert_eq!(message(&driver), Some("Q does nothing here; K lists keys"));
    // Pages say it of what only the blame does.
    driver.keys("Kw");
    assert_eq!(message(&driver), Some("w does nothing here; K lists keys"));
    driver.keys("x<Tab>n");
    assert_eq!(message(&driver), Some("n does nothing here; K lists keys"));
}

#[test]
fn a_column_that_cannot_be_moved_further_says_so() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("|K");
    assert_eq!(message(&driver), Some("this is the first column"));
    driver.keys("/share<CR>kJ");
    assert_eq!(message(&driver), Some("this is the last column"));
}

#[test]
fn a_sequence_shows_its_first_keys_and_can_be_cancelled() {
    let mut driver = Driver::new(long_file(), 80, 24);
    driver.keys("12z");
    assert!(driver.last_row().ends_with("12z"), "{}", driver.screen());
    driver.keys("<Esc>");
    assert!(!driver.last_row().ends_with('z'));
    assert_eq!(message(&driver), None);
    assert_eq!(place(&mut driver, "t").0, 0, "the sequence was cancelled");
    driver.keys("z<C-c>");
    assert!(!driver.last_row().contains('z'), "{}", driver.screen());
    assert_eq!(message(&driver), None);
    assert_eq!(place(&mut driver, "t").0, 0, "the sequence was cancelled");
    // A digit after the first key is part of the sequence.
    driver.keys("z5");
    assert_eq!(message(&driver), Some("z5 does nothing here; ? lists keys"));
}

#[test]
fn lines_are_scrolled_to_places_of_the_screen() {
    let mut driver = Driver::new(long_file(), 80, 24);
    let rows = u32::from(driver.app().layout().code.height);
    driver.keys("100G");
    assert_eq!(place(&mut driver, "zt"), (99, 96));
    assert_eq!(place(&mut driver, "zz"), (99, 99 - rows / 2));
    assert_eq!(place(&mut driver, "zb"), (99, 99 + 4 - rows));
    assert_eq!(place(&mut driver, "50zt"), (49, 46));
    assert_eq!(place(&mut driver, "<C-e>"), (50, 47));
    assert_eq!(place(&mut driver, "2<C-y>"), (50, 45));
    assert_eq!(place(&mut driver, "<C-n><C-n><C-p>"), (51, 45));
    assert_eq!(place(&mut driver, "25%").0, 50);
    assert_eq!(place(&mut driver, "100%").0, 199);
    driver.keys("%");
    let expected = "a number before % goes to that percentage of the file: 50%";
    assert_eq!(message(&driver), Some(expected));
}

#[test]
fn f1_is_help_and_vims_ways_out_quit() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("<F1>");
    assert!(
        driver.screen().contains("blame before this line's commit"),
        "{}",
        driver.screen()
    );
    driver.keys("<Esc><CR>:q<CR>");
    assert!(driver.app().diff().is_none(), "it closes a diff");
    assert_eq!(driver.ending, ExitReason::Idle);
    for keys in ["ZZ", "ZQ", ":q<CR>", ":q!<CR>"] {
        let mut driver = Driver::new(lamp_history(), 80, 24);
        driver.keys(keys);
        assert_eq!(driver.ending, ExitReason::Quit, "{keys}");
    }
}

#[test]
fn the_word_of_a_line_is_searched() {
    let source = FakeHistory::default().commit("Ada", "One", |lines| {
        let text = ["burn(oil);", "", "burner;", "x = burn", "burn"];
        lines.extend(text.map(line));
    });
    let mut driver = Driver::new(source, 80, 24);
    driver.keys("*");
    assert_eq!(driver.whereabouts().2.line, 3);
    assert!(
        driver.screen().contains("match 2 of 3"),
        "{}",
        driver.screen()
    );
    driver.keys("n");
    assert_eq!(driver.whereabouts().2.line, 4);
    // Towards the start, `n` goes on in that direction.
    driver.keys("#");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys("n");
    assert_eq!(driver.whereabouts().2.line, 0);
    driver.keys("N");
    assert_eq!(driver.whereabouts().2.line, 3);
    // A line without a name: its commit.
    driver.keys("gj*");
    let id = "0101010101010101010101010101010101010101";
    assert_eq!(driver.app().search.get().map(|it| it.pattern()), Some(id));
    // It can be recalled.
    driver.keys("/<Up>");
    assert!(driver.screen().contains(&format!("/{id}")));
}

#[test]
fn a_blame_can_be_stopped_by_a_configured_key() {
    let mut driver = configured(lamp_history(), "[keys]\nstop = 'z'\ndates = 't'");
    driver.keys("z");
    assert_eq!(message(&driver), Some("no blame is running"));
    driver.keys("zt");
    assert_eq!(message(&driver), Some("dates: age"), "z is no prefix now");
}

#[test]
fn a_preset_binds_what_users_of_other_programs_expect() {
    // less: half a page, and the help names its key.
    let mut driver = configured(long_file(), "preset = 'less'");
    let rows = u32::from(driver.app().layout().code.height);
    assert_eq!(place(&mut driver, "d").0, rows / 2);
    assert_eq!(place(&mut driver, "u").0, 0);
    driver.keys("-");
    assert_eq!(message(&driver), Some("- does nothing here; h lists keys"));
    // tig: the page before, and reload.
    let mut driver = configured(long_file(), "preset = 'tig'");
    assert_eq!(place(&mut driver, "G-").0, 199 - (rows - 2));
    driver.keys("R");
    assert_eq!(message(&driver), Some("this version does not change"));
    // vim: the lines of the screen, and a search towards the start.
    let mut driver = configured(long_file(), "preset = 'vim'\n[keys]\ndates = 'gd'");
    assert_eq!(place(&mut driver, "100Gzz").0, 99);
    let top = driver.whereabouts().2.top;
    assert_eq!(place(&mut driver, "H"), (top + 3, top));
    assert_eq!(place(&mut driver, "M"), (top + rows / 2, top));
    assert_eq!(place(&mut driver, "L"), (top + rows - 4, top));
    assert_eq!(place(&mut driver, "gg"), (0, 0));
    assert_eq!(place(&mut driver, "?line 19.<CR>").0, 198);
    assert_eq!(place(&mut driver, "n").0, 197);
    assert_eq!(place(&mut driver, "N").0, 198);
    driver.keys("gd");
    assert_eq!(message(&driver), Some("dates: age"));
}

#[test]
fn the_details_pane_returns_to_what_it_was() {
    for (before, open_and_close) in [
        ("", "<Tab><Tab>"),
        ("d", "<Tab><Tab>"),
        ("d", "<Tab>q"),
        ("d", "<Tab>jj<Esc>"),
        ("100Gd", "<Tab><Tab>"),
        ("100Gzbd", "<Tab><Tab>"),
        ("100Gzb", "<Tab><Tab>"),
    ] {
        let mut driver = configured(long_file(), "[keys]\ntoggle-details = 'd'");
        driver.keys(before);
        let screen = driver.screen();
        driver.keys(open_and_close);
        assert_eq!(driver.screen(), screen, "{before} {open_and_close}");
    }
}
