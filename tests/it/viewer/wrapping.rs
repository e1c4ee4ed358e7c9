//! Wrapped lines.

use crossterm::event::{MouseButton, MouseEventKind};
use proptest::prelude::*;

use super::{
    driver::Driver,
    fake_history::{FakeHistory, line},
};

/// The code on the screen, row by row.
fn code_rows(driver: &Driver) -> Vec<String> {
    let screen = driver.screen();
    let gutter = usize::from(driver.app().gutter().width());
    let rows = screen.lines().skip(1).map(|row| {
        let code: String = row.chars().skip(gutter).collect();
        code.trim_end_matches(['│', '█', '▐', ' ']).to_owned()
    });
    rows.take(driver.app().layout().code.height.into())
        .collect()
}

#[test]
fn long_lines_are_wrapped() {
    let source = FakeHistory::default().commit("Ada", "One", |lines| {
        lines.push(line("short"));
        // The room for the code is 12 columns, of which further rows leave one for a mark.
        lines.push(line("0123456789a0123456789ab"));
        lines.push(line("0123456789日本語"));
        lines.push(line(&"x".repeat(200)));
        lines.extend(["one", "two", "three"].map(line));
    });
    let mut driver = Driver::new(source, 13, 10);
    driver.keys("W<C-l>");
    assert_eq!(driver.app().code_width(), 12);
    assert_eq!(
        code_rows(&driver)[..6],
        [
            "short",
            "0123456789a0",
            "›123456789ab",
            "0123456789日",
            "›本 語",
            "xxxxxxxxxxxx"
        ]
    );
    // A click on a further row selects its line.
    driver.mouse(MouseEventKind::Down(MouseButton::Left), (5, 3));
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys("2j");
    let seen = driver.whereabouts().2;
    assert_eq!((seen.line, driver.app().height(3)), (3, 19));
    // The line is taller than the screen: its rows come one by one, then the next line.
    driver.keys("j");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys("100j");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys("j");
    assert_eq!(driver.whereabouts().2.line, 4);
    driver.keys("G");
    assert_eq!(code_rows(&driver).last().map(String::as_str), Some("three"));
    driver.keys("100<C-u>");
    assert_eq!(
        (driver.whereabouts().2.line, driver.app().top()),
        (0, (0, 0))
    );
    // Page by page, wheel step by wheel step: every line is passed, nothing sticks.
    for (keys, wheel) in [("<C-d>", None), ("", Some(MouseEventKind::ScrollDown))] {
        driver.keys("g");
        let mut steps = 0;
        while driver.app().top() != (3, 14) {
            driver.keys(keys);
            wheel.map(|wheel| driver.mouse(wheel, (5, 2)).screen());
            steps += 1;
            assert!(steps < 60, "{:?}", driver.whereabouts());
        }
    }
    driver.keys("W<C-l>");
    assert_eq!(driver.app().height(3), 1);
    assert_eq!(driver.app().top().1, 0);
}

#[test]
fn lines_are_wrapped_between_words_below_their_beginning() {
    let source = FakeHistory::default().commit("Ada", "One", |lines| {
        lines.push(line(
            "    let it = shine(on, and_on) + the_path_of(everybody);",
        ));
        lines.push(line("end"));
    });
    let mut driver = Driver::new(source, 49, 10);
    driver.keys("W");
    assert_eq!(
        code_rows(&driver)[..4],
        [
            "    let it = shine(on,",
            "    › and_on) +",
            "    › the_path_of(",
            "    › everybody);",
        ]
    );
    driver.keys("/everybody<CR>");
    assert!(driver.screen().contains("› everybody"));
}

#[test]
fn the_beginning_of_a_tall_line_is_reached() {
    for before in [0, 2] {
        let source = FakeHistory::default().commit("Ada", "One", |lines| {
            lines.extend(["short"; 5].iter().take(before).map(|text| line(text)));
            lines.push(line(&"x".repeat(900)));
            lines.extend(["one", "two"].map(line));
        });
        let mut driver = Driver::new(source, 30, 12);
        driver.keys("W");
        let number = before + 1;
        for there in ["G", "G20<C-u>", "g9<C-d>", "g60j", "G2k"] {
            for back in [
                "g".to_owned(),
                "<Home>".to_owned(),
                format!("{number}G"),
                format!(":{number}<CR>"),
                "0%".to_owned(),
                "99<PageUp>".to_owned(),
                "99<C-u>".to_owned(),
                "999k".to_owned() + "9k",
            ] {
                driver.keys(there).keys(&back);
                let (line, top) = (driver.whereabouts().2.line, driver.app().top());
                assert!(top <= (line, 0), "{before} {there} {back}: {line} {top:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// However lines are wrapped, the selected one is on the screen, and rows are counted alike in
    /// both directions.
    #[test]
    fn wrapped_lines_are_moved_through(
        widths in prop::collection::vec(0usize..90, 1..40),
        size in (12u16..50, 4u16..16),
        steps in prop::collection::vec("[jkWgG]|<C-d>|<C-u>|1[0-9][jk]| |/xx<CR>", 1..25),
    ) {
        let source = FakeHistory::default().commit("Ada", "One", |lines| {
            lines.extend(widths.iter().map(|&width| line(&"xy日".chars().cycle().take(width).collect::<String>())));
        });
        let mut driver = Driver::new(source, size.0, size.1);
        driver.keys("W");
        for keys in steps {
            driver.keys(&keys);
            let app = driver.app();
            let rows = u64::from(app.layout().code.height.max(1));
            let (line, top) = (driver.whereabouts().2.line, app.top());
            let last = app.below(top, rows - 1);
            prop_assert!((top.0..=last.0).contains(&line), "{line} {top:?} {last:?}");
            // With the lines around it, where these have their places.
            let around = 2 * ((rows - 1) / 2).min(3);
            if u64::from(app.height(line)) + around <= rows {
                prop_assert!(top <= (line, 0) && (line, app.height(line) - 1) <= last);
            }
            for far in 0..60 {
                let below = app.below(top, far);
                let end = app.below(top, 1000);
                prop_assert!(below == end || app.above(below, far) == top);
            }
        }
    }
}
