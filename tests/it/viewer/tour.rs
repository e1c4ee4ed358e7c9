//! The tour and the key hints.

use tblame::internals::{
    run::demo::Demo,
    viewer::{app::guide::hints::KeyHints, model::keys::bindings::Action},
};

use super::{driver::Driver, fake_history::lamp_history};
use crate::harness::rng::Rng;

#[test]
fn the_tour_goes_on_when_one_does_what_it_says() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    let mut step = |keys: &str| {
        driver.keys(keys);
        text_of_tour(&driver)
    };
    assert!(step("T").starts_with("1 of 17 On the left"));
    assert!(step("k").starts_with("1 of 17"));
    assert!(step("j").starts_with("2 of 17 All lines of the selected commit"));
    assert!(step("}").starts_with("3 of 17"));
    // Nothing stands before the line of the first commit.
    assert!(step("2G").starts_with("3 of 17 This line's commit added the file. j selects"));
    assert!(step(",").starts_with("3 of 17"));
    assert!(step("4g,").starts_with("4 of 17"));
    assert!(step("<").starts_with("5 of 17 > goes forward again"));
    // Redrawing the screen is no answer.
    assert!(step("<C-l>").starts_with("5 of 17 > goes forward again"));
    // What follows has more to show in the version that the tour began with.
    assert!(step(">").starts_with("5 of 17 < goes back again"));
    assert!(step("<").starts_with("6 of 17 Enter shows what the commit did"));
    assert!(step("<CR>").starts_with("7 of 17"));
    assert!(step("?").starts_with("7 of 17 Esc closes the list of keys"));
    assert!(step("<Esc>").starts_with("7 of 17"));
    assert!(step("<Esc>").starts_with("8 of 17"));
    assert!(step("i").starts_with("9 of 17 / searches code"));
    assert!(step("/Be").starts_with("9 of 17"));
    assert!(step("n<CR>").starts_with("10 of 17"));
    assert!(step("c").starts_with("11 of 17 L lists the commits"));
    assert!(step("L").starts_with("11 of 17 Esc closes this"));
    assert!(step("<Esc>").starts_with("12 of 17 F lists the versions"));
    assert!(step("F").starts_with("12 of 17 Esc closes this"));
    assert!(step("<Esc>").starts_with("13 of 17 . goes to the next commit"));
    assert!(step(".").starts_with("14 of 17 D marks"));
    assert!(step("D").starts_with("15 of 17 A lists who"));
    assert!(step("A").starts_with("15 of 17 Esc closes this"));
    assert!(step("<Esc>").starts_with("16 of 17 ? lists"));
    assert!(step("?").starts_with("16 of 17 The keys that matter most; ? shows all"));
    assert!(step("<Esc>").starts_with("17 of 17"));
    assert_eq!(step("T"), "");
    // Skipped, and ended.
    assert!(step("TT").starts_with("2 of 17"));
    assert_eq!(step("<C-t>"), "");
}

#[test]
fn the_next_change_is_looked_for_from_an_older_version() {
    let demo = Demo::create().expect("a directory for temporary files");
    let mut driver = Driver::with_demo(&demo, (100, 30));
    driver.keys("TTTTTTTTT");
    // An option is no other version.
    driver.keys("w");
    assert!(text_of_tour(&driver).starts_with("13 of 17 Time-lapse: ( goes to the version"));
    driver.keys("((");
    assert!(text_of_tour(&driver).starts_with("13 of 17 . goes to the next commit"));
    driver.keys(".");
    assert!(text_of_tour(&driver).starts_with("14 of 17 D marks"));
}

#[test]
fn the_help_leaves_the_tour_its_rows_and_covers_the_scale_of_versions() {
    let demo = Demo::create().expect("a directory for temporary files");
    let mut driver = Driver::with_demo(&demo, (100, 30));
    driver.keys("T(");
    let scale = driver.app().layout().scale;
    let screen = driver.screen();
    let row = screen.lines().nth(scale.y.into()).expect("the scale");
    assert!(row.contains("time-lapse: 2 of 12"), "{screen}");
    for keys in ["?", "?"] {
        driver.keys(keys);
        let screen = driver.screen();
        assert!(!screen.contains("2 of 12"), "{screen}");
        let rows: Vec<&str> = screen.lines().rev().skip(1).collect();
        let tour = driver.app().tour_lines();
        assert!(tour[0].contains("Esc closes the list of keys"), "{tour:?}");
        let is_drawn = |(row, line): (&&str, &String)| row.trim() == line.trim();
        let count = usize::from(driver.app().layout().tour.height);
        assert_eq!(count, tour.len().max(2));
        let rows = rows[..count].iter().rev();
        assert!(rows.zip(&tour).all(is_drawn), "{screen}");
    }
    driver.keys("<Esc>");
    assert!(driver.screen().contains("time-lapse: 2 of 12"));
}

/// The text of the tour without the keys that skip it.
fn text_of_tour(driver: &Driver) -> String {
    let lines = driver.app().tour_lines().join(" ");
    let words: Vec<&str> = lines.split_whitespace().collect();
    let text = words.join(" ");
    text.replace(" (T skips, ^T ends)", "")
}

#[test]
fn steps_that_go_on_with_another_are_skipped_with_it() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    let mut numbers = Vec::new();
    loop {
        driver.keys("T");
        let text = text_of_tour(&driver);
        let Some((number, _)) = text.split_once(' ') else {
            break;
        };
        numbers.push(number.parse::<u32>().expect("a number"));
    }
    let expected = [1, 2, 3, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17];
    assert_eq!(numbers, expected);
}

#[test]
fn the_keys_that_skip_the_tour_stay_in_one_place() {
    for (width, column) in [(80, 60), (100, 80), (200, 180), (50, 30)] {
        let mut driver = Driver::new(lamp_history(), width, 24);
        let mut compared = 0;
        loop {
            driver.keys("T");
            let lines = driver.app().tour_lines();
            let Some(first) = lines.first() else { break };
            match first.find("(T skips, ^T ends)") {
                Some(at) => assert_eq!(first[..at].chars().count(), column, "{lines:?}"),
                None => assert!(first.ends_with("(T ends it)"), "{lines:?}"),
            }
            assert!(
                lines[1..].iter().all(|line| !line.contains("^T")),
                "{lines:?}"
            );
            assert!(!lines.last().expect("a row").is_empty(), "{lines:?}");
            compared += 1;
        }
        assert_eq!(compared, 14);
    }
}

/// Messages that say that a key failed.
const FAILURES: &[&str] = &[
    "added the file",
    "already",
    "does nothing",
    "nothing matches",
    "no earlier",
    "no later",
    "no other",
    "select ",
    "this is the",
    "this line is not",
    "this version",
];

/// Presses what the tour says until its end, and sometimes other keys after a step. If a step names
/// several keys, `choose` takes one. Returns how often something was pressed that the tour says.
fn play(
    driver: &mut Driver,
    choose: &mut dyn FnMut(usize) -> usize,
    between: &[&str],
) -> Result<usize, String> {
    let mut history = String::new();
    for presses in 0..100 {
        let text = text_of_tour(driver);
        let actions = driver.app().tour_actions();
        if actions == [Action::Quit] {
            return Ok(presses);
        }
        let key_of = |action: &Action| {
            let key = driver.app().keymap.keys(*action).next().expect("a key");
            match key.to_string().as_str() {
                "Esc" => "<Esc>".to_owned(),
                "Enter" => "<CR>".to_owned(),
                key => key.to_owned(),
            }
        };
        let keys = match (text.split_once("try /"), actions.len()) {
            (Some((_, word)), _) => {
                format!("/{}<CR>", word.split(' ').next().expect("a word"))
            }
            // What is open has its own key, which is not bound to an action.
            (_, 0) => "<Esc>".to_owned(),
            (_, count) => key_of(&actions[choose(count)]),
        };
        let state = |driver: &Driver| {
            let diff = driver.app().diff();
            let line = diff.map(|diff| diff.pager.position.line);
            (driver.screen(), line)
        };
        let before = state(driver);
        driver.keys(&keys);
        history += &format!("{text}: {keys}\n");
        let message = driver.app().status.message.clone();
        let message = message.map_or(String::new(), |message| format!("{message:?}"));
        if FAILURES.iter().any(|failure| message.contains(failure)) {
            return Err(format!("{history}{}\n{message}", before.0));
        }
        if state(driver) == before {
            return Err(format!("{history}{}\nnothing changed", before.0));
        }
        if !between.is_empty() && choose(3) == 0 {
            let keys = between[choose(between.len())];
            driver.keys(keys);
            history += &format!("other keys: {keys}\n");
        }
    }
    Err(format!("{history}the tour does not end"))
}

#[test]
fn every_step_of_the_tour_succeeds_from_every_line_of_the_demonstration() {
    let demo = Demo::create().expect("a directory for temporary files");
    let driver = Driver::with_demo(&demo, (100, 30));
    let lines = driver.app().view().expect("a view").text.line_count();
    assert!(lines > 30, "{lines}");
    for line in 1..=lines {
        let mut driver = Driver::with_demo(&demo, (100, 30));
        driver.keys(&format!("{line}G"));
        // Where a step can be done in several ways, the first from every other line, and the last.
        let mut choose = |count: usize| if line % 2 == 0 { count - 1 } else { 0 };
        let presses = play(&mut driver, &mut choose, &[]);
        let presses = presses.unwrap_or_else(|error| panic!("line {line}: {error}"));
        assert!((11..30).contains(&presses), "line {line}: {presses}");
    }
}

#[test]
fn the_tour_succeeds_with_other_keys_between_its_steps() {
    let demo = Demo::create().expect("a directory for temporary files");
    let between = [
        "5j", "G", "gg", "]", "[", "}", "{", ",", ",,", ",,,,,,", "b", "<", ">", "<CR>", "<CR>,",
        "<CR>k", "<CR>gg", "<CR>]", "<CR>}", "w", "M", "i", "i,i", "?", "<Tab>", "/x", "/def<CR>",
        ":", "f", "|", "c", "m", "ma", "'a", "W", "I", "r", "<Esc>",
    ];
    let seeds = std::env::var("TBLAME_TEST_WIDE").ok();
    let seeds = 8 * seeds.and_then(|text| text.parse().ok()).unwrap_or(1);
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        let mut choose = |count: usize| rng.below(count);
        let mut driver = Driver::with_demo(&demo, (100, 30));
        driver.keys(&format!("{}G", 1 + choose(36)));
        let played = play(&mut driver, &mut choose, &between);
        played.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn the_next_group_of_a_commit_after_its_last_is_its_first() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let mut go = |keys: &str| {
        driver.keys(keys);
        let message = driver.app().status.message.clone();
        (driver.whereabouts().2.line, message.unwrap_or_default())
    };
    assert_eq!(go("g}"), (3, String::new()));
    assert_eq!(go("}"), (5, String::new()));
    let first = "wrapped around to the commit's first group".to_owned();
    assert_eq!(go("}"), (0, first));
    let last = "wrapped around to the commit's last group".to_owned();
    assert_eq!(go("{"), (5, last));
    // The group of the second commit is its only one.
    let alone = "this commit has no other group".to_owned();
    assert_eq!(go("3G}"), (2, alone.clone()));
    assert_eq!(go("{"), (2, alone));
}

#[test]
fn one_key_is_taught_until_it_was_used() {
    let mut driver = Driver::with_lessons(lamp_history(), "back\nno such action\n");
    let last = |driver: &mut Driver, keys: &str| {
        let screen = driver.keys(keys).screen();
        screen
            .lines()
            .last()
            .unwrap_or_default()
            .trim_end()
            .to_owned()
    };
    assert_eq!(
        last(&mut driver, ""),
        " , before  b at  ? keys  Enter diff  / search  q quit  Tab message"
    );
    // Where there is no room for it, the usual keys are shown.
    driver.resize(30, 12);
    assert_eq!(last(&mut driver, ""), " , before  b at  ? keys");
    driver.resize(80, 24);
    // What was used before is not taught again.
    assert_eq!(
        driver.app().key_hint().map(|it| it.0),
        Some(Action::BlameParent)
    );
    driver.keys(",j");
    assert_eq!(driver.app().key_hint().map(|it| it.0), Some(Action::Diff));
    let kept = |driver: &Driver| {
        driver
            .app()
            .guide
            .hints
            .as_ref()
            .and_then(KeyHints::unsaved)
    };
    assert_eq!(kept(&driver).as_deref(), Some("back\nblame-parent\n"));
    driver.keys("<CR>}/x<CR><Esc><Esc><Tab><Tab>biw]cy");
    // A key that is not in the row of keys stands at its end.
    let foot = last(&mut driver, "9<g");
    let hint = driver.app().key_hint();
    assert!(
        foot.contains(" } the next lines of this commit "),
        "{hint:?} {foot}"
    );
}
