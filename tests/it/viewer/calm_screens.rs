//! What stands where on the screens: marks, header, details, gutter, legends, diffs, foot and help,
//! and the restraint of 256 colors.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::{Color, Modifier};
use tblame::internals::{
    repository::provenance::request_number::RequestNumber,
    viewer::{
        config::settings::Config,
        model::background::provenance::MergeCommit,
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
            theme_set::ThemeSet,
        },
    },
};

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history, line},
};

fn with_depth(size: (u16, u16), background: Background, depth: ColorDepth) -> Driver {
    let theme = Theme::new(background, depth);
    Driver::with_theme(lamp_history(), size, theme, Config::default())
}

fn row(driver: &Driver, y: usize) -> String {
    let screen = driver.screen();
    screen.lines().nth(y).unwrap_or_default().to_owned()
}

/// A commit with a long message that changes two functions of a file, and another file.
fn long_history() -> FakeHistory {
    let body: Vec<String> = (0..30).map(|at| format!("Reason {at}.")).collect();
    let message = format!("Burn longer\n\n{}", body.join("\n"));
    let mut history = FakeHistory::default()
        .commit("Ada", "Start", |lines| {
            lines.push(line("fn light() {"));
            lines.extend((0..20).map(|at| line(&format!("    step({at});"))));
            lines.push(line("}"));
        })
        .commit("Ben", &message, |lines| lines[15] = line("    burn();"));
    history.documented = true;
    history
}

#[test]
fn backgrounds_of_256_colors_are_greys_but_for_selections_and_changes() {
    let mut seen = 0;
    for background in [Background::Dark, Background::Light] {
        let is_dark = background == Background::Dark;
        let mut driver = with_depth((100, 24), background, ColorDepth::Indexed);
        for keys in [
            "G", "c", "c", "c", "c", "<CR>", "j", "<Esc>", "?", "<Esc>", "f",
        ] {
            driver.keys(keys);
            for cell in &driver.memory().terminal.backend().buffer().content {
                match cell.bg {
                    Color::Reset | Color::Indexed(232..=255) => seen += 1,
                    // The selected line, and added and removed lines with their words.
                    Color::Indexed(60 | 22 | 28 | 52 | 88) if is_dark => seen += 1,
                    Color::Indexed(153 | 194 | 157 | 224 | 217) if !is_dark => seen += 1,
                    other => panic!("{background:?} after {keys}: {other:?}"),
                }
            }
        }
    }
    assert_eq!(seen, 2 * 11 * 100 * 24);
}

/// A commit with most lines of a file colors most of the gutter: the bar and a grey mark it.
#[test]
fn lines_of_the_selected_commit_are_lit_in_a_grey_of_256_colors() {
    let mut lit = 0;
    for background in [Background::Dark, Background::Light] {
        let history = lamp_history().commit("Dora", "Grow", |lines| {
            lines.extend((0..40).map(|at| line(&format!("line {at}"))));
        });
        let theme = Theme::new(background, ColorDepth::Indexed);
        let mut driver = Driver::with_theme(history, (80, 24), theme, Config::default());
        driver.keys("20G");
        for _ in 0..5 {
            let screen = driver.screen();
            let buffer = driver.memory().terminal.backend().buffer();
            let mut others = Vec::new();
            let mut of_commit = Vec::new();
            for (row, y) in screen.lines().zip(0..).skip(1) {
                let Some(code) = row.find('│').filter(|_| !row.contains('►')) else {
                    continue;
                };
                let gutter = 0..row[..code].chars().count() as u16;
                let colors = gutter.map(|x| buffer[(x, y)].bg);
                if row.contains('▌') {
                    of_commit.extend(colors);
                } else {
                    others.extend(colors);
                }
            }
            for color in &of_commit {
                let is_grey = matches!(color, Color::Indexed(232..=255));
                assert!(is_grey && !others.contains(color), "{color:?}\n{screen}");
            }
            lit += of_commit.len();
            driver.keys("ck");
        }
    }
    assert!(lit > 2 * 5 * 10 * 20, "{lit}");
}

#[test]
fn a_terminal_that_shows_true_color_gets_it() {
    let themes = ThemeSet::new("dark", None, ColorDepth::Indexed, Background::Dark);
    let themes = themes.expect("a built-in theme");
    let mut driver = Driver::with_themes(lamp_history(), (80, 12), themes);
    let is_rgb = |driver: &Driver| {
        let buffer = driver.memory().terminal.backend().buffer();
        matches!(buffer[(0, 0)].bg, Color::Rgb(..))
    };
    let key = |c: char, held| Event::Key(KeyEvent::new(KeyCode::Char(c), held));
    let reply = |text: &str| {
        let mut events = vec![key('P', KeyModifiers::ALT | KeyModifiers::SHIFT)];
        events.extend(text.chars().map(|c| key(c, KeyModifiers::NONE)));
        events.push(key('\\', KeyModifiers::ALT));
        events
    };
    let before = driver.screen();
    driver.feed(reply("1$r0;48:5:16m"));
    assert!(!is_rgb(&driver));
    driver.feed(reply("1$r0;48:2::1:2:3m"));
    assert!(is_rgb(&driver));
    // No part of a reply was a key.
    assert_eq!(driver.screen(), before);
}

#[test]
fn the_code_has_no_background_but_on_the_selected_line() {
    let mut compared = 0;
    for background in [Background::Dark, Background::Light] {
        for depth in [ColorDepth::Indexed, ColorDepth::True] {
            let mut driver = with_depth((100, 24), background, depth);
            driver.keys("2j");
            // Shades, ages, authors, commits: no request brought a line.
            for _ in 0..4 {
                let buffer = driver.memory().terminal.backend().buffer();
                for y in 1..7 {
                    let (gutter, code) = (buffer[(0, y)].bg, buffer[(80, y)].bg);
                    assert_ne!(gutter, Color::Reset);
                    if y == 3 {
                        assert_eq!(gutter, code);
                    } else {
                        assert_eq!(code, Color::Reset);
                    }
                    compared += 1;
                }
                driver.keys("c");
            }
        }
    }
    assert_eq!(compared, 2 * 2 * 4 * 6);
    // A theme can tint the code as well.
    let tinted = Theme::parse(b"background.code = 'tinted'", ColorDepth::True);
    let tinted = tinted.expect("a theme");
    let driver = Driver::with_theme(lamp_history(), (100, 24), tinted, Config::default());
    let buffer = driver.memory().terminal.backend().buffer();
    assert_eq!(buffer[(0, 2)].bg, buffer[(80, 2)].bg);
}

#[test]
fn the_scrollbar_has_a_thumb_with_marks_beside_it() {
    let history = FakeHistory::default()
        .commit("Ada", "Start", |lines| {
            lines.extend((0..200).map(|at| line(&format!("line {at}"))));
        })
        .commit("Ben", "Change", |lines| {
            lines[1] = line("other");
            lines[150] = line("another");
        });
    for depth in [ColorDepth::None, ColorDepth::Sixteen, ColorDepth::True] {
        let theme = Theme::new(Background::Dark, depth);
        let config = Config::default();
        let mut driver = Driver::with_theme(history.clone(), (80, 24), theme, config);
        let bar = |driver: &Driver| -> Vec<String> {
            let buffer = driver.memory().terminal.backend().buffer();
            (1..18)
                .map(|y| buffer[(79, y)].symbol().to_owned())
                .collect()
        };
        // The first commit has lines everywhere.
        assert!(bar(&driver).iter().all(|symbol| symbol == "▐"), "{depth:?}");
        driver.keys("j");
        let marks = bar(&driver).join("");
        assert_eq!(marks.trim_end(), "▐▌          ▐", "{depth:?}");
        driver.keys("149j");
        let marks = bar(&driver).join("");
        assert_eq!(marks.trim_end(), "▐          ▌▐▌", "{depth:?}");
    }
}

#[test]
fn the_selected_line_has_a_mark_also_if_it_is_blank() {
    let history = FakeHistory::default().commit("Ada", "Start", |lines| {
        lines.extend(["one", "", "three"].map(line));
    });
    let mut driver = Driver::new(history, 80, 24);
    for y in 1..4 {
        let marked: Vec<usize> = (1..4).filter(|&y| row(&driver, y).contains('►')).collect();
        assert_eq!(marked, [y]);
        driver.keys("j");
    }
}

#[test]
fn the_header_names_steps_options_and_the_line() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    assert_eq!(
        row(&driver, 0)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        "tblame src/lantern.rs @ HEAD line 1 of 6"
    );
    driver.keys("wM");
    let header = row(&driver, 0);
    assert!(header.contains("@ HEAD  -w -M"), "{header}");
    driver.keys("3j,");
    let header = row(&driver, 0);
    assert!(
        header.contains("HEAD › before 03030303 · 2015-08-15  -w -M"),
        "{header}"
    );
    // The date goes first, then older steps; never the word before.
    driver.resize(70, 24);
    let header = row(&driver, 0);
    assert!(header.contains("› before 03030303  -w -M"), "{header}");
    driver.resize(60, 24);
    let header = row(&driver, 0);
    assert!(header.contains("@ before 03030303  -w -M"), "{header}");
    driver.resize(48, 24);
    assert!(
        row(&driver, 0).contains("before 03030303"),
        "{}",
        row(&driver, 0)
    );
}

#[test]
fn details_begin_with_the_subject_and_what_brought_the_commit() {
    let mut history = FakeHistory::default().commit("Ada", "Light it", |lines| {
        lines.push(line("x"));
    });
    let commit = history.commit_mut(0);
    commit.committer.name = "GitHub".into();
    commit.committer.mail = "noreply@github.com".into();
    let merge = MergeCommit {
        id: FakeHistory::id(7),
        summary: "Merge pull request #5885 from ada/light".into(),
    };
    let mut history = history.merged(merge);
    let first = FakeHistory::id(0);
    history.provenance.arrivals[0].1.request = Some(RequestNumber::Pull(5885));
    history.provenance.releases = vec![(first, Some("v1.0".into()))];
    let driver = Driver::new(history.clone(), 120, 24);
    let screen = driver.screen();
    let title = screen.lines().position(|row| row.starts_with("─ 01010101"));
    let title = title.expect("a title");
    assert!(row(&driver, title).contains("─ 1 line here"), "{screen}");
    assert_eq!(row(&driver, title + 1), " Light it");
    assert_eq!(
        row(&driver, title + 2),
        " PR #5885 · merged by 08080808 · first in v1.0"
    );
    assert!(!screen.contains("committer"), "{screen}");
    // A person is named, last.
    history.commit_mut(0).committer.name = "Cleo".into();
    let mut driver = Driver::new(history, 100, 24);
    driver.keys("<Tab>");
    let screen = driver.screen();
    let facts = ["Light it", "commit ", "author ", "committer  Cleo"];
    let places: Vec<usize> = facts.iter().filter_map(|fact| screen.find(fact)).collect();
    assert!(places.len() == 4 && places.is_sorted(), "{screen}");
}

#[test]
fn cut_lines_have_signs_at_the_edges() {
    let long = "x".repeat(200);
    let history = FakeHistory::default().commit("Ada", "Start", |lines| {
        lines.extend([line("short"), line(&long)]);
    });
    let mut driver = Driver::new(history, 80, 24);
    assert!(!row(&driver, 1).contains('›') && row(&driver, 2).ends_with("x›"));
    driver.keys("jl");
    assert!(row(&driver, 2).contains("│‹x") && row(&driver, 2).ends_with("x›"));
    driver.keys("$");
    assert!(row(&driver, 2).contains("│‹x") && row(&driver, 2).ends_with('x'));
    driver.keys("0W");
    assert!(!row(&driver, 2).ends_with('›'));
}

#[test]
fn legends_have_years_and_shares() {
    let mut driver = with_depth((160, 24), Background::Dark, ColorDepth::True);
    driver.keys("c");
    let foot = row(&driver, 23);
    assert!(
        foot.contains(" age 2013 ") && foot.trim_end().ends_with("2015"),
        "{foot}"
    );
    // The selected commit's date keeps the color of its age, on the background of its line.
    let buffer = driver.memory().terminal.backend().buffer();
    let (name, date) = (&buffer[(10, 4)], &buffer[(30, 4)]);
    assert_eq!(name.bg, date.bg);
    assert_ne!(name.fg, date.fg);
    driver.keys("c");
    let foot = row(&driver, 23);
    assert!(foot.contains(" authors "), "{foot}");
    assert!(
        foot.contains(" Cleo 50% ") && foot.contains(" Ada 33% "),
        "{foot}"
    );
}

#[test]
fn a_summary_column_appears_on_a_wide_screen() {
    let mut driver = Driver::new(lamp_history(), 139, 24);
    assert!(!row(&driver, 1).contains("Say what burns"));
    driver.resize(140, 24);
    assert!(
        row(&driver, 1).contains("Say what burns"),
        "{}",
        driver.screen()
    );
    // The list of columns knows it, and can hide it.
    driver.keys("|");
    assert!(driver.screen().contains("✓ summary"), "{}", driver.screen());
    driver.keys("jjjj ");
    assert!(driver.screen().contains("  summary"), "{}", driver.screen());
    driver.keys("<Esc>");
    assert!(
        !row(&driver, 1).contains("Say what burns"),
        "{}",
        driver.screen()
    );
}

#[test]
fn a_diff_shows_the_change_below_a_folded_message() {
    let mut driver = Driver::new(long_history(), 100, 24);
    driver.keys("15j<CR>");
    let screen = driver.screen();
    assert!(row(&driver, 0).contains("diff 02020202"), "{screen}");
    assert!(row(&driver, 0).contains(" · Ben "), "{screen}");
    assert!(!row(&driver, 0).contains("Burn longer"), "{screen}");
    assert_eq!(row(&driver, 1), " Burn longer");
    assert!(screen.contains("more lines: Tab shows them"), "{screen}");
    assert!(screen.contains("+     burn();"), "{screen}");
    // The hunk is named after the function that it is in.
    assert!(screen.contains("─ fn light() { ─"), "{screen}");
    driver.keys("<Tab>g");
    assert!(!driver.screen().contains("more lines") && driver.screen().contains("Reason 9."));
    driver.keys("<Tab>?");
    let help = driver.screen();
    assert!(
        help.contains("blame the old side") && !help.contains("choose a theme"),
        "{help}"
    );
}

#[test]
fn the_whole_commit_is_one_scroll() {
    let mut driver = Driver::new(long_history(), 100, 40);
    driver.keys("15ja");
    let screen = driver.screen();
    assert!(screen.contains("changed docs/lamp.md ═"), "{screen}");
    assert!(screen.contains("changed src/lamp.rs ═"), "{screen}");
    assert!(
        screen.contains("+ Step 1") && screen.contains("+     burn();"),
        "{screen}"
    );
    // Lines have the numbers of their file.
    let burning = screen.lines().find(|row| row.contains("burn();"));
    assert!(burning.is_some_and(|row| row.contains(" 16 +")), "{screen}");
    // The old side of the other file is blamed from here.
    driver.keys("{{");
    assert_eq!(driver.app().diff().and_then(|diff| diff.file()), Some(0));
    driver.keys("a");
    let screen = driver.screen();
    assert!(
        !screen.contains('═') && screen.contains("+ Step 1"),
        "{screen}"
    );
    assert!(!screen.contains("burn();"), "{screen}");
    driver.keys("a}");
    driver.keys("/burn<CR>,");
    let (_, path, position) = driver.whereabouts();
    assert_eq!((path.as_str(), position.line), ("src/lamp.rs", 15));
    assert!(
        row(&driver, 0).contains("before 02020202 · "),
        "{}",
        driver.screen()
    );
}

#[test]
fn the_taught_key_is_highlighted_in_the_row_of_keys() {
    let mut driver = Driver::with_lessons(lamp_history(), "back\n");
    let foot = row(&driver, 23);
    assert!(foot.starts_with(" , before  b at  ? keys"), "{foot}");
    let highlighted = |driver: &Driver| -> String {
        let buffer = driver.memory().terminal.backend().buffer();
        let cells = (0..80).map(|x| &buffer[(x, 23)]);
        let cells = cells.filter(|cell| cell.modifier.contains(Modifier::REVERSED));
        cells.map(|cell| cell.symbol()).collect()
    };
    assert_eq!(highlighted(&driver), ", before");
    // The first commit has no parent: the key fails, and is not learned.
    driver.keys("j,");
    assert_eq!(driver.app().history.views.len(), 1);
    driver.keys("k");
    assert_eq!(highlighted(&driver), ", before");
    driver.keys("j");
    driver.keys("2j,k");
    assert_eq!(driver.app().history.views.len(), 2);
    assert_eq!(highlighted(&driver), "Enter diff");
}

#[test]
fn the_help_is_on_one_screen_where_that_can_be() {
    let mut driver = Driver::new(lamp_history(), 200, 24);
    driver.keys("??");
    // One that fits begins with its first rows and ends with its last ones.
    let fits =
        |driver: &Driver| !row(driver, usize::from(driver.app().size.1) - 1).contains("below");
    let fitting = (40..90).find(|&height| {
        driver.resize(200, height);
        fits(&driver)
    });
    let height = fitting.expect("it fits");
    let screen = driver.screen();
    let used = |column: usize| {
        let rows = screen.lines().skip(1).map(|row| row.chars().skip(column));
        rows.map(|row| row.take(90).collect::<String>())
            .filter(|row| !row.trim().is_empty())
            .count()
    };
    // All but the title, the status line and the blank rows between sections.
    let (left, right) = (used(0), used(100));
    assert!(left.abs_diff(right) < 8, "{height} {left} {right} {screen}");
    assert!(!screen.contains("j down"), "{screen}");
    driver.resize(200, 24);
    driver.keys("G");
    let foot = row(&driver, 23);
    assert!(!foot.contains("j down") && foot.contains("k up"), "{foot}");
}

#[test]
fn the_help_has_two_columns_and_is_searched() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    driver.keys("??");
    assert!(row(&driver, 1).contains("History") && row(&driver, 1).len() > 50);
    assert!(
        row(&driver, 23).contains(" more below"),
        "{}",
        driver.screen()
    );
    driver.keys("/theme<CR>");
    assert!(
        driver.screen().contains("choose a theme"),
        "{}",
        driver.screen()
    );
    assert!(row(&driver, 23).contains("match 1 of 1"));
    driver.keys("/line");
    let foot = row(&driver, 23);
    let count = foot.trim_end().strip_suffix(" matches");
    let count = count.and_then(|foot| foot.rsplit(' ').next()?.parse::<usize>().ok());
    let count = count.unwrap_or_else(|| panic!("no count: {foot}"));
    driver.keys("<CR>");
    // The first match below the one before.
    let of = format!(" of {count}");
    let at = |driver: &Driver| {
        let foot = row(driver, 23);
        let words = foot.rsplit_once("match ")?.1.to_owned();
        assert!(foot.contains("n next  N previous  Esc close"), "{foot}");
        words.split_once(&of)?.0.parse::<usize>().ok()
    };
    let first = at(&driver).expect("a match");
    let after = |steps: usize| (first - 1 + steps) % count + 1;
    assert_eq!(at(driver.keys("n")), Some(after(1)));
    assert_eq!(at(driver.keys("NN")), Some(after(count - 1)));
    driver.keys("/no such words");
    assert!(row(&driver, 23).contains(" no match"));
    driver.keys("<CR>");
    assert!(row(&driver, 23).contains("nothing here matches"));
    driver.keys("k");
    assert!(!row(&driver, 23).contains("match"), "{}", driver.screen());
    driver.resize(99, 24);
    driver.keys("g");
    assert!(
        !row(&driver, 1).trim().contains("  "),
        "{}",
        driver.screen()
    );
}
