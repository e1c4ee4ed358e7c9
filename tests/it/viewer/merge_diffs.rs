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
