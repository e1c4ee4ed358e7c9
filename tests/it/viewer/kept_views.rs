//! Views beyond the bound on memory are read again when they are returned to.

use std::collections::BTreeSet;

use tblame::internals::{
    run::demo::{Demo, FILE},
    viewer::config::settings::Config,
};

use super::driver::{Driver, arguments};
use crate::harness::rng::Rng;

/// Steps, pages to leave views from, and what is seen differently if a view is not what it was.
const KEYS: [&str; 42] = [
    ",", ",", ",", "b", "b", "(", ")", "<", "<", "<", "2<", "9<", ">", "3>", "9>", "j", "3j", "7G",
    "20G", "g", "G", "ma", "'a", "mb", "'b", "''", "w", "M", "W", "x", "X", "/the<CR>", "n", "d",
    "L", "F", "<CR>", "<CR>", "a", "<Esc>", "<Esc>", "9<",
];

fn open(demo: &Demo, max_len: usize) -> Driver {
    let config = Config::parse(b"[keys]\ntoggle-details = 'd'");
    let mut arguments = arguments(FILE.into(), config.expect("a setting"));
    arguments.max_len = max_len;
    Driver::with_repository(demo.root(), arguments, (100, 24))
}

#[test]
fn dropped_views_are_what_they_were_when_they_are_shown_again() {
    let demo = Demo::create().expect("a directory for temporary files");
    let mut returns = 0;
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let (mut small, mut large) = (open(&demo, 0), open(&demo, usize::MAX));
        let mut typed = String::new();
        for _ in 0..160 {
            let views = &small.app().history.views;
            let dropped = views.iter().filter(|view| view.is_dropped);
            let dropped: BTreeSet<u64> = dropped.map(|view| view.id).collect();
            let key = *rng.pick(&KEYS);
            typed.push_str(key);
            small.keys(key);
            large.keys(key);
            assert_eq!(small.screen(), large.screen(), "seed {seed}: {typed}");
            assert_eq!(
                small.whereabouts(),
                large.whereabouts(),
                "seed {seed}: {typed}"
            );
            let view = small.app().view().expect("a view");
            assert!(!view.is_dropped, "seed {seed}: {typed}");
            returns += usize::from(dropped.contains(&view.id));
        }
        assert!(
            large
                .app()
                .history
                .views
                .iter()
                .all(|view| !view.is_dropped)
        );
    }
    println!("{returns} returns to dropped views");
    assert!(returns > 40, "{returns}");
}

/// Steps back that are taken before the text is there lead on.
#[test]
fn steps_back_add_up_while_a_view_is_read() {
    let demo = Demo::create().expect("a directory for temporary files");
    let (mut small, mut large) = (open(&demo, 0), open(&demo, usize::MAX));
    for driver in [&mut small, &mut large] {
        driver
            .keys("w")
            .keys("M")
            .keys("G,")
            .keys(",")
            .keys(",")
            .keys("b");
    }
    let last = large.app().history.current;
    assert!(last >= 4, "{last}");
    for count in 2..=last {
        let keys = "<".repeat(count);
        small.keys_at_once(&keys);
        large.keys_at_once(&keys);
        assert_eq!(small.screen(), large.screen());
        assert_eq!(small.app().history.current, last - count);
        for driver in [&mut small, &mut large] {
            driver.keys(&format!("{count}>"));
            assert_eq!(driver.app().history.current, last);
        }
    }
}

/// Diffs and the history of lines are opened again where they were left.
#[test]
fn pages_from_which_a_view_was_left_are_opened_again() {
    let demo = Demo::create().expect("a directory for temporary files");
    let (mut small, mut large) = (open(&demo, 0), open(&demo, usize::MAX));
    let mut compared = 0;
    for page in ["G3k<CR>", "12G<CR>5j", "9GL", "G2kL2j", "12Ga4j"] {
        for driver in [&mut small, &mut large] {
            driver.keys(page);
        }
        assert_eq!(small.screen(), large.screen(), "{page}");
        let shown = small.screen();
        for driver in [&mut small, &mut large] {
            driver.keys("b").keys("G,").keys("w").keys("M");
        }
        assert_eq!(small.screen(), large.screen(), "{page}");
        let steps = large.app().history.current;
        for driver in [&mut small, &mut large] {
            driver.keys(&format!("{steps}<"));
        }
        assert_eq!(small.screen(), large.screen(), "{page}");
        compared += usize::from(small.screen() == shown);
        for driver in [&mut small, &mut large] {
            driver.keys("<Esc>").keys("<Esc>").keys("<Esc>");
        }
    }
    assert!(compared > 2, "{compared}");
}
