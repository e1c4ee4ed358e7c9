//! What stays where it is when the size of the screen changes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tblame::internals::viewer::config::settings::Config;

use crate::harness::named_history::HistoryBuilder;

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, line},
    lists::{self, LISTS},
};

/// A file of wide lines, of which a commit with a long message and two files changed some.
fn history() -> FakeHistory {
    let paragraph = "It is said that a reef is as old as the sea around it. ".repeat(6);
    let message = format!("Chart the reefs\n\n{paragraph}\n\nSee #7.");
    let history = FakeHistory::default()
        .commit("Ada", "Count", |lines| {
            lines.extend((0..200).map(|at| line(&format!("{at} {}", "reef ".repeat(at % 40)))));
        })
        .commit("Ben", &message, |lines| {
            for at in (5..200).step_by(9) {
                lines[at] = line(&format!("chart {at} {}", "reef ".repeat(at % 50)));
            }
        });
    FakeHistory {
        documented: true,
        ..history
    }
}

/// Sizes that are smaller than 100 columns and 30 rows, one after the other.
const SMALLER: [(u16, u16); 7] = [
    (100, 12),
    (60, 12),
    (44, 8),
    (90, 29),
    (30, 30),
    (100, 5),
    (61, 17),
];

#[test]
fn a_screen_that_was_smaller_for_a_while_shows_the_same() {
    let mut compared = 0;
    for keys in [
        "",
        "30G",
        "120Gzz",
        "G",
        "W120G",
        "W97Gzt",
        "W97Gzb5k",
        "120Gi",
        "120Gd",
        "6G<CR>",
        "96G<CR>",
        "96G<CR>zt",
        "96G<CR>zb",
        "96GW<CR>40j",
        "6G<CR>g",
        "6G<CR><Tab>g4j",
        "6G<CR><Tab>g9j",
        "6G<CR><Tab>2<C-d>",
        "6G<CR>G",
        "6Ga",
        "6Ga30j",
        "6GWa60jzt",
    ] {
        let mut driver = Driver::new(history(), 100, 30);
        driver.keys(keys);
        let before = driver.screen();
        for (width, height) in SMALLER {
            driver.resize(width, height);
            let app = driver.app();
            let (pager, rows) = match (app.diff(), app.view()) {
                (Some(diff), _) => (&diff.pager, app.layout().body().height),
                (None, Some(view)) => (&view.pager, app.layout().code.height),
                (None, None) => panic!("nothing is open"),
            };
            let position = pager.position;
            // Rows of wrapped lines are more than lines.
            let seen = position.top..position.top + u32::from(rows);
            assert!(
                seen.contains(&position.line),
                "{keys} {width}x{height}: {position:?}\n{}",
                driver.screen()
            );
            driver.resize(100, 30);
            let after = driver.screen();
            assert_eq!(before, after, "{keys} {width}x{height}");
            compared += 1;
        }
        // From one to the next.
        for (width, height) in SMALLER {
            driver.resize(width, height);
        }
        driver.resize(100, 30);
        assert_eq!(before, driver.screen(), "{keys}");
    }
    assert_eq!(compared, 22 * SMALLER.len());
}

#[test]
fn lists_that_were_smaller_for_a_while_show_the_same() {
    let history = lists::history();
    let mut compared = 0;
    for (name, keys, is_typed) in LISTS {
        for further in ["", "<Down><Down><Down>", "<PgDn><Up><Up>", "<End>"] {
            let mut driver = lists::opened(&history, keys, (100, 16));
            driver.keys(further);
            let place = |driver: &Driver| {
                let list = lists::list(driver);
                (list.selected, list.top)
            };
            let before = place(&driver);
            for (width, height) in [(100, 8), (60, 12), (40, 6)] {
                driver.resize(width, height);
                let list = lists::list(&driver);
                let seen = list.top..list.top + list.shape.window();
                assert!(seen.contains(&list.selected), "{name} {further}");
                driver.resize(100, 16);
                assert_eq!(before, place(&driver), "{name} {further} {is_typed}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, LISTS.len() * 12);
}

#[test]
fn what_is_scrolled_stays_so_while_the_screen_has_another_size() {
    let message: String = (0..60).map(|at| format!("\n\nReef {at}")).collect();
    let message = format!("Chart the reefs{message}");
    let fake = || {
        FakeHistory::default().commit("Ada", &message, |lines| {
            lines.extend((0..50).map(|at| line(&format!("{at}"))));
        })
    };
    let text = |word: &str| {
        (0..60)
            .map(|at| format!("{word} {at}\n"))
            .collect::<String>()
    };
    let (before, after) = (text("before"), text("after"));
    let named = HistoryBuilder::default()
        .commit("old", 1_000_000_000, &[], &[("f", &before)])
        .commit("new", 1_010_000_000, &["old"], &[("f", &after)])
        .build();
    let mut compared = 0;
    for (opened, scrolled) in [
        ("<Tab>", "5j"),
        ("<Tab>", "G"),
        ("<Tab>", "<C-d>k"),
        ("??", "10j"),
        ("??", "G"),
        ("vGL", "9<C-e>"),
        ("vGL", "99<C-e>"),
    ] {
        let mut driver = if opened.contains('L') {
            let arguments = arguments("f".into(), Config::default());
            Driver::with_repository(named.repository.root(), arguments, (90, 24))
        } else {
            Driver::new(fake(), 90, 24)
        };
        let not_scrolled = driver.keys(opened).screen();
        let before = driver.keys(scrolled).screen();
        assert_ne!(not_scrolled, before, "{opened}{scrolled}");
        for (width, height) in [
            (90, 7),
            (90, 6),
            (90, 5),
            (60, 3),
            (90, 60),
            (90, 150),
            (99, 24),
        ] {
            driver.resize(width, height);
            driver.resize(90, 24);
            assert_eq!(
                before,
                driver.screen(),
                "{opened}{scrolled} {width}x{height}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 7 * 7);
}

/// What was scrolled is another text then, which begins at its start.
#[test]
fn the_message_of_another_line_is_shown_from_its_start() {
    let message = |word: &str, count: usize| -> String {
        (0..count).map(|at| format!("{word} {at}\n\n")).collect()
    };
    let mut driver = Driver::new(
        FakeHistory::default()
            .commit("Ada", &message("short", 3), |lines| lines.push(line("one")))
            .commit("Ben", &message("long", 40), |lines| lines.push(line("two"))),
        80,
        24,
    );
    // Of the second line, scrolled; a higher screen shows its start for a while.
    driver.keys("j<Tab>9j").resize(80, 150).keys("<Tab>");
    assert!(driver.screen().contains("long 0"), "{}", driver.screen());
    driver.keys("k<Tab>").resize(80, 8);
    assert!(driver.screen().contains("short 0"), "{}", driver.screen());
    driver.keys("<Tab>j<Tab>");
    assert!(driver.screen().contains("long 0"), "{}", driver.screen());
}

#[test]
fn what_is_typed_comes_before_label_and_count() {
    for width in [10, 20] {
        let mut driver = Driver::new(history(), width, 5);
        for (keys, typed) in [
            ("/search", "search"),
            ("Esearch", "search"),
            ("&someone", "someone"),
        ] {
            driver.keys(keys);
            let shown = driver.screen();
            let last = shown.lines().last().unwrap_or_default();
            assert!(last.contains(typed), "{keys} at {width}: {shown}");
            driver.keys("<Esc>");
        }
    }
}

/// Options in force are said as long as there is room, with the function's name cut for them, and everything
/// gives way to the file's name.
#[test]
fn the_header_keeps_the_names_of_file_and_function_beside_options() {
    let history = FakeHistory::default().commit("Ada", "Start", |lines| {
        lines.push(line("fn keep_the_flame_alive() {"));
        lines.extend((0..1500).map(|at| line(&format!("    step({at});"))));
    });
    let mut source = history.renamed("src/drivers/of_old_lamps/lantern.rs");
    source.listed = Some(0);
    let mut driver = Driver::new(source, 120, 35);
    driver.turn("git-blame").keys("j");
    let mut header = |width: u16, height: u16| {
        driver.resize(width, height);
        let screen = driver.screen();
        screen.lines().next().unwrap_or_default().to_owned()
    };
    for (size, expected) in [
        (
            (120, 35),
            " src/drivers/of_old_lamps/lantern.rs @ HEAD  ignore file: 1 commit",
        ),
        ((80, 24), " …_lamps/lantern.rs @ HEAD  ignore file  "),
        ((40, 12), " …_old_lamps/lantern.rs @ HEAD  "),
        ((10, 3), " …ntern.rs"),
    ] {
        let header = header(size.0, size.1);
        assert!(header.starts_with(expected), "{size:?}: {header}");
        let place = match size.0 {
            60.. => "keep_the_flame_alive · line 2 of 1,501",
            40.. => "  2/1,501",
            _ => "",
        };
        assert!(header.ends_with(place), "{size:?}: {header}");
    }
    let (mut named, mut with_options, mut with_function) = (0, 0, 0);
    for width in 1..140 {
        let header = header(width, 24);
        let has_options = header.contains("ignore file");
        let is_whole = header.contains("keep_the_flame_alive · ");
        with_options += usize::from(has_options);
        with_function += usize::from(is_whole);
        named += usize::from(header.contains("lantern.rs"));
        assert_eq!(header.contains("lantern.rs"), width >= 12, "{header}");
        // No function takes their place.
        assert!(has_options || !header.contains('·'), "{header}");
    }
    assert!(named == 128 && with_options > 60 && with_function > 60);
}

/// Options give way to what the blame looks for.
#[test]
fn the_header_says_how_old_the_remaining_lines_are() {
    let goes_on = Arc::new(AtomicBool::new(true));
    let history = FakeHistory::default().commit("Ada", "Start", |lines| {
        lines.extend((0..1000).map(|at| line(&format!("step({at});"))));
    });
    let mut source = history.commit("Ben", "Change", |lines| {
        for (at, changed) in (0..320).zip(lines) {
            *changed = line(&format!("other({at});"));
        }
    });
    source.listed = Some(7);
    source.blame_goes_on = Some(Arc::clone(&goes_on));
    for (width, words) in [
        (
            120,
            " 32%  remaining lines are older than 2013-06-06  line 1 of",
        ),
        (80, " 32%  older than 2013-06-06  line 1 of"),
        (40, " 32%  1/1,000"),
    ] {
        let mut driver = Driver::new(source.clone(), width, 24);
        goes_on.store(false, Ordering::Relaxed);
        driver.await_frame(words, Arc::clone(&goes_on));
        driver.turn("git-blame");
        assert!(goes_on.load(Ordering::Relaxed), "{words}");
        let screen = driver.screen();
        let header = screen.lines().next().unwrap_or_default();
        assert!(
            header.contains("/lamp.rs @ HEAD  ignore file") && !header.contains('%'),
            "{header}"
        );
        goes_on.store(true, Ordering::Relaxed);
    }
}
