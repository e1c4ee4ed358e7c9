//! Where lines were written: the answers of `git blame -w -C -C` beside those of `git blame`.

use std::sync::{Arc, atomic::AtomicBool};

use insta::assert_snapshot;
use tblame::internals::{
    run::demo::{Demo, FILE},
    viewer::{config::settings::Config, model::background::origins::LineMovement},
};

use crate::harness::{
    compare::{count_from, seed_count},
    random_history::{History, STORAGES},
    repository::ObjectFormat,
};

use super::{
    answers::{Answer, answers, answers_of_git, files_of_head},
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history},
};

/// A key that needs what is still read does what it is for once that is read; another key ends
/// that, and Esc says so.
#[test]
fn a_refused_key_acts_once_all_is_read() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let counts = "moved and reindented lines now count for who wrote them (-w -C -C); O: off";
    for (keys, words) in [
        ("OO", Some(counts)),
        ("OOj", None),
        ("OO<Esc>", Some("cancelled")),
    ] {
        let arguments = arguments(FILE.into(), Config::default());
        let mut driver = Driver::with_repository(demo.root(), arguments, (80, 24));
        driver.keys_at_once(keys);
        let message = driver.app().status.message.as_deref();
        assert_eq!(message, words, "{keys}");
        let second = driver.app().second_answer();
        let is_exchanged = second.is_some_and(|second| second.is_exchanged);
        assert_eq!(is_exchanged, keys == "OO", "{keys}");
    }
}

#[test]
fn both_answers_are_those_of_git() {
    let (mut compared, mut different, mut moved, mut reindented) = (0, 0, 0, 0);
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 42_000..42_000 + seed_count(12) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        for path in files_of_head(&history).iter().take(4) {
            let arguments = arguments(path.clone().into(), Config::default());
            let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
            let options = ["-w", "-M", "-C", "-C"].map(str::to_owned);
            let touched = answers_of_git(repository, &[], path);
            let written = answers_of_git(repository, &options, path);
            let of_view = |driver: &Driver| -> Vec<Answer> {
                let found = answers(driver.app().view().expect("a view"));
                found
                    .into_iter()
                    .map(|it| it.expect("attributed"))
                    .collect()
            };
            let others = |driver: &Driver| -> Vec<Option<String>> {
                let (app, view) = (driver.app(), driver.app().view().expect("a view"));
                let second = app.second_answer().expect("it is asked for");
                let other = |line| second.other(view, line).map(|it| it.commit.id.to_string());
                (0..view.text.line_count()).map(other).collect()
            };
            assert_eq!(of_view(&driver), touched);
            driver.keys("O");
            assert_eq!(of_view(&driver), touched);
            let found = others(&driver);
            for (line, (touched, written)) in touched.iter().zip(&written).enumerate() {
                let differs = touched.0 != written.0;
                let expected = differs.then(|| written.0.clone());
                assert_eq!(found[line], expected, "line {} of {path:?}", line + 1);
                different += usize::from(differs);
                compared += 1;
                let second = driver.app().second_answer().expect("it is asked for");
                let movement = second.movement(line as u32);
                assert_eq!(movement.is_some(), differs);
                moved += usize::from(movement == Some(LineMovement::Moved));
                reindented += usize::from(movement == Some(LineMovement::Reindented));
            }
            driver.keys("O");
            assert_eq!(of_view(&driver), written);
            for (line, other) in others(&driver).into_iter().enumerate() {
                let expected =
                    (touched[line].0 != written[line].0).then(|| touched[line].0.clone());
                assert_eq!(other, expected);
            }
            driver.keys("O");
            assert_eq!(of_view(&driver), touched);
            assert!(driver.app().second_answer().is_none());
        }
    }
    eprintln!("{compared} lines, {different} differ: {moved} moved, {reindented} reindented");
    assert!(
        compared >= 500 && moved >= 20 && reindented >= 20,
        "{compared} lines, {moved} moved, {reindented} reindented"
    );
}

#[test]
fn the_details_and_a_column_name_the_other_answer() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let mut driver = Driver::with_repository(demo.root(), arguments, (80, 24));
    let before = driver.keys("14G").screen();
    driver.keys("O");
    assert_snapshot!(driver.screen(), @r#"
     tblame  tally.py @ HEAD                                  tally · line 14 of 37
    Ben Okafor 16mo             1 ┃ """Count the lines, words and bytes of files."›▌
    Ada Marsh    6y             2 │ import sys                                     ▌
                                3 │                                                ▌
    Ben Okafor 16mo             4 ┃ USAGE = "usage: tally.py [FILE]..."            ▐
    Ben Okafor   4y             5 ┊                                                ▐
    Ada Marsh    6y             6 │ def words(text):                               ▐
    Ada Marsh   new same  6y ▌  7 ┊   return text.split()                          ▐
    Ada Marsh    6y             8 │                                                ▌
                                9 │ def lines(text):
    Ada Marsh   new same  6y ▌ 10 ┊   return text.splitlines()                     ▐
    Ada Marsh    6y            11 │                                                ▐
    Ben Okafor 16mo            12 ┃ def tally(data, name=""):                      ▐
    Ada Marsh   new Chiara … ▌ 13 ┊   text = data.decode(errors="replace")
                    Ben Oka… ► 14 ┊   print(len(lines(text)), len(words(text)), si›
    Ben Okafor 16mo            15 ┃
    Chiara Co…  new Dara Qu…   16 │ def longest(text):
                               17 │   return max((len(line) for line in lines(text›
    ─ 6c0a82c0 ─ Ada Marsh ─ 2021-02-11 (in the future) ─ 9 lines here ─────────────
     Indent with two blanks
     origin     written by Ben Okafor in 928d5f6a, 2018-10-01; reindented since

     Only whitespace changes: -w ignores this commit.
     18 lines were moved or reindented after being written (-w -C -C); J next
    "#);
    driver.keys("O");
    assert_snapshot!(driver.screen(), @r#"
     tally.py @ HEAD  -w -C -C                                tally · line 14 of 37
    Ben Okafor 16mo             1 ┃ """Count the lines, words and bytes of files."›▌
    Ada Marsh    6y             2 │ import sys                                     ▌
                                3 │                                                ▌
    Ben Okafor 16mo             4 ┃ USAGE = "usage: tally.py [FILE]..."            ▌
    Ben Okafor   4y             5 ┊                                                ▌
    Ada Marsh    6y             6 │ def words(text):                               ▌
                    same new    7 │   return text.split()                          ▐
                                8 │                                                ▌
                                9 │ def lines(text):
                    same new   10 │   return text.splitlines()
                               11 │
    Ben Okafor 16mo            12 ┃ def tally(data, name=""):
    Chiara Co…   2y Ada Mar…   13 ┊   text = data.decode(errors="replace")
    Ben Okafor 15mo Ada Mar… ► 14 │   print(len(lines(text)), len(words(text)), si›
    Ben Okafor 16mo            15 ┃
    Dara Quinn 15mo Chiara …   16 ┊ def longest(text):
                               17 ┊   return max((len(line) for line in lines(text›
    ─ 928d5f6a ─ Ben Okafor ─ 2018-10-01 (15 months ago) ─ 1 line here ─────────────
     Merge the longest line
     last touch reindented by Ada Marsh in 6c0a82c0, 2021-02-11
     17 -     print(len(lines(text)), len(words(text)), size(data), name)
     20 +     print(len(lines(text)), len(words(text)), size(data), longest(text), ›
     moved and reindented lines now count for who wrote them (-w -C -C); O: off
    "#);
    driver.keys("O");
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("off: lines count for who touched them last")
    );
    driver.keys("<Esc>");
    assert_eq!(driver.screen(), before);
}

#[test]
fn keys_lead_to_the_lines_that_were_moved() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let mut driver = Driver::with_repository(demo.root(), arguments, (80, 24));
    let message = |driver: &Driver| driver.app().status.message.clone().unwrap_or_default();
    driver.keys("gO");
    let count = message(&driver);
    assert!(
        count.ends_with("after being written (-w -C -C); J next"),
        "{count}"
    );
    // In both states, the first lines of all runs in their order, and around the end.
    let mut compared = 0;
    for _ in 0..2 {
        let view = driver.app().view().expect("a view");
        let second = driver.app().second_answer().expect("it is asked for");
        let lines = 0..view.text.line_count();
        let moved: Vec<bool> = lines
            .map(|line| second.other(view, line).is_some())
            .collect();
        let is_start = |at: &usize| moved[*at] && (*at == 0 || !moved[*at - 1]);
        let starts: Vec<usize> = (0..moved.len()).filter(is_start).collect();
        assert!(starts.len() > 1, "{starts:?}");
        for (number, start) in starts.iter().enumerate() {
            driver.keys("J");
            assert_eq!(driver.whereabouts().2.line as usize, *start);
            let of = starts.len();
            let words = format!("group {} of {of} of lines that were moved", number + 1);
            assert!(message(&driver).starts_with(&words), "{}", message(&driver));
            compared += 1;
        }
        driver.keys("J");
        assert_eq!(driver.whereabouts().2.line as usize, starts[0]);
        driver.keys("KgO");
    }
    assert!(compared >= 4);
    // Once they are off, the keys choose nothing.
    driver.keys("J");
    assert!(
        message(&driver).contains("chooses which lines stand out"),
        "{}",
        message(&driver)
    );
}

#[test]
fn another_version_has_its_own_second_answer() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let mut driver = Driver::with_repository(demo.root(), arguments, (80, 24));
    let commits = |driver: &Driver| answers(driver.app().view().expect("a view"));
    let touched = commits(&driver);
    driver.keys("O14GO");
    let written = commits(&driver);
    assert_ne!(touched, written);
    // The version before the origin of the line.
    driver.keys(",");
    let app = driver.app();
    assert_eq!(app.history.current, 1);
    assert!(
        app.second_answer()
            .is_some_and(|second| !second.is_exchanged)
    );
    // It is blamed without the options of the other answer, also after that has counted there.
    let is_plain = |driver: &Driver| {
        let options = &driver.app().view().expect("a view").options;
        !options.whitespace && options.copies == 0
    };
    assert!(is_plain(&driver));
    driver.keys("O");
    assert!(!is_plain(&driver));
    driver.keys("O");
    assert!(is_plain(&driver));
    // The first view has its own blame again, and asks anew.
    driver.keys("<");
    assert_eq!(commits(&driver), touched);
    driver.keys("OO");
    assert_eq!(commits(&driver), written);
}

#[test]
fn lines_that_were_only_reindented_count_as_formatted() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let mut driver = Driver::with_repository(demo.root(), arguments, (80, 24));
    driver.keys("&-formatted<CR>");
    let (app, view) = (driver.app(), driver.app().view().expect("a view"));
    let second = app.second_answer().expect("the filter asks for it");
    let (mut dimmed, mut others) = (0, 0);
    for line in 0..view.text.line_count() {
        let is_reindented = second.movement(line) == Some(LineMovement::Reindented);
        assert_eq!(
            app.is_dimmed(view, line),
            is_reindented,
            "line {}",
            line + 1
        );
        dimmed += u32::from(is_reindented);
        others += u32::from(!is_reindented);
    }
    assert!(dimmed >= 3 && others >= 3, "{dimmed}, {others}");
    // The motions skip them: lines 7 and 10 are reindented.
    driver.keys("gJ");
    let first = driver.whereabouts().2.line + 1;
    driver.keys("J");
    assert_eq!((first, driver.whereabouts().2.line + 1), (8, 11));
    driver.keys("<Esc>");
    assert!(driver.app().second_answer().is_none());
}

#[test]
fn the_search_for_origins_shows_its_progress() {
    let words = "%  looking for who wrote moved lines";
    let is_seen = Arc::new(AtomicBool::new(false));
    let source = FakeHistory {
        goes_on: Some(Arc::clone(&is_seen)),
        ..lamp_history()
    };
    let mut driver = Driver::new(source, 140, 24);
    driver.await_frame(words, is_seen);
    let frames = driver.frames_of("O");
    assert!(
        frames.iter().any(|frame| frame.contains(words)),
        "{frames:?}"
    );
    assert!(!driver.screen().contains(words));
}
