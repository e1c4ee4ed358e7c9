//! Diffs of merges, which compare with one parent and say with which.

use tblame::internals::viewer::config::settings::Config;

use crate::harness::repository::{ObjectFormat, TestRepo};

use super::driver::{Driver, arguments};

/// A merge that changed a line itself, and took another one from each side.
fn merge() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |text: &[u8], message: &str| {
        repository.write(b"a", text);
        repository.git(&["add", "a"]);
        repository.git(&["commit", "-q", "-m", message]);
    };
    commit(b"one\n2\n3\n4\n5\nsix\n", "first");
    repository.git(&["checkout", "-q", "-b", "side"]);
    commit(b"one\n2\n3\n4\n5\nsix of side\n", "of side");
    repository.git(&["checkout", "-q", "main"]);
    commit(b"one of main\n2\n3\n4\n5\nsix\n", "of main");
    repository.git(&["merge", "-q", "--no-commit", "side"]);
    commit(
        b"one of main\n2\nthree of the merge\n4\n5\nsix of side\n",
        "the merge",
    );
    repository
}

#[test]
fn the_other_parent_of_a_merge_is_a_key_away() {
    let repository = merge();
    let short = |revision| repository.git_text(&["rev-parse", "--short=8", revision]);
    let parents = [short("HEAD^1"), short("HEAD^2")];
    let arguments = arguments("a".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (100, 40));
    let assert_parent = |driver: &Driver, at: usize| {
        let screen = driver.screen();
        let fact = format!(
            "parent {} of 2, {}; P compares with the other",
            at + 1,
            parents[at]
        );
        assert!(screen.contains(&fact), "{fact}\n{screen}");
        let removed = ["- six", "- one"];
        assert!(screen.contains("+ three of the merge"), "{screen}");
        assert!(screen.contains(removed[at]), "{screen}");
        assert!(!screen.contains(removed[1 - at]), "{screen}");
    };
    driver.keys("3G<CR>");
    assert_parent(&driver, 0);
    driver.keys("P");
    assert_parent(&driver, 1);
    // All files of the commit, with the same parent and then with the other.
    driver.keys("a");
    assert_parent(&driver, 1);
    driver.keys("P");
    assert_parent(&driver, 0);
    driver.keys("qq");
    // The side that is shown is blamed: what was before the merge, there.
    driver.keys("3G<CR>P,");
    let (step, ..) = driver.whereabouts();
    assert_eq!(step, 1);
    let view = driver.app().view().unwrap();
    assert_eq!(view.text.line(5), b"six of side");
    assert_eq!(view.text.line(0), b"one");
    // Another commit has one parent.
    driver.keys("6G<CR>");
    assert!(!driver.screen().contains("compared with parent"));
    driver.keys("P");
    assert!(driver.app().diff().is_some());
    assert!(!driver.screen().contains("compared with parent"));
}

#[test]
fn before_a_merge_either_parent_can_be_blamed() {
    let repository = merge();
    let arguments = arguments("a".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (100, 24));
    let state = |driver: &Driver| {
        let view = driver.app().view().unwrap();
        let line = |at| String::from_utf8_lossy(view.text.line(at)).into_owned();
        (driver.whereabouts().0, line(0), line(5))
    };
    let texts = [("one of main", "six"), ("one", "six of side")];
    let texts = texts.map(|(one, six)| (1, one.to_owned(), six.to_owned()));
    driver.keys("3G,");
    for at in [0, 1, 0] {
        assert_eq!(state(&driver), texts[at]);
        let words = format!("parent {} of 2 of a merge; P shows the other", at + 1);
        assert!(driver.screen().contains(&words), "{}", driver.screen());
        // When the message is gone, the keys say so.
        driver.keys("j");
        let screen = driver.screen();
        let foot = screen.lines().last().unwrap_or_default();
        assert!(foot.starts_with(&format!(" {words}")), "{screen}");
        driver.keys("P");
    }
    // The steps to the parents are one step.
    driver.keys("<");
    assert_eq!(driver.whereabouts().0, 0);
    assert_eq!(driver.whereabouts().2.line, 2);
    // Elsewhere the key does nothing.
    driver.keys("6G,P");
    assert!(
        driver.screen().contains("P does nothing"),
        "{}",
        driver.screen()
    );
}

#[test]
fn a_parent_without_the_file_is_refused() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"b", b"1\n");
    repository.git(&["add", "b"]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.git(&["commit", "-q", "--allow-empty", "-m", "of side"]);
    repository.git(&["checkout", "-q", "main"]);
    repository.write(b"a", b"1\n");
    repository.git(&["add", "a"]);
    repository.git(&["commit", "-q", "-m", "of main"]);
    repository.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    repository.write(b"a", b"1\n2\n");
    repository.git(&["add", "a"]);
    repository.git(&["commit", "-q", "-m", "the merge"]);
    let arguments = arguments("a".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (100, 24));
    driver.keys("2G,P");
    assert!(
        driver.screen().contains("no such path"),
        "{}",
        driver.screen()
    );
    assert_eq!(driver.whereabouts().0, 1);
    driver.keys("<");
    assert_eq!(driver.whereabouts().0, 0);
}
