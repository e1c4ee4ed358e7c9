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
    assert!(driver.screen().contains("this is no merge"));
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
        let message = driver.app().status.message.as_deref();
        assert!(
            message.is_some_and(|it| it.ends_with(&words)),
            "{message:?}"
        );
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
    // Elsewhere the key says why not.
    driver.keys("6G,P");
    assert!(
        driver.screen().contains("P works before lines of a merge"),
        "{}",
        driver.screen()
    );
}

/// A merge, with its changes, of `main` and the branches.
fn merge_of(repository: &TestRepo, branches: &[&str], path: &str, text: &[u8]) {
    repository.write(path.as_bytes(), text);
    repository.git(&["add", path]);
    let tree = repository.git_text(&["write-tree"]);
    let mut arguments = vec!["commit-tree", &tree, "-m", "the merge", "-p", "main"];
    arguments.extend(branches.iter().flat_map(|branch| ["-p", branch]));
    let commit = repository.git_text(&arguments);
    repository.git(&["reset", "-q", "--hard", &commit]);
}

/// The texts of the footer, and the path and the first line of what is shown.
fn shown(driver: &Driver) -> (String, String, String) {
    let screen = driver.screen();
    let foot = screen.lines().last().unwrap_or_default().to_owned();
    let view = driver.app().view().expect("a view");
    let line = String::from_utf8_lossy(view.text.line(0)).into_owned();
    (foot, view.path.to_string(), line)
}

#[test]
fn the_file_before_a_merge_is_found_under_the_name_of_each_parent() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let rest: String = (7..30).map(|at| format!("line {at}\n")).collect();
    let text = |first: &str, sixth: &str| format!("{first}\n2\n3\n4\n5\n{sixth}\n{rest}");
    let commit = |path: &str, text: String| {
        repository.write(path.as_bytes(), text.as_bytes());
        repository.git(&["add", path]);
        repository.git(&["commit", "-q", "-m", path]);
    };
    commit("a", text("one", "six"));
    repository.git(&["checkout", "-q", "-b", "side"]);
    commit("a", text("one", "six of side"));
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["mv", "a", "b"]);
    commit("b", text("one of main", "six"));
    let merged = text("one of main", "six of side").replace("\n3\n", "\nthree of the merge\n");
    merge_of(&repository, &["side"], "b", merged.as_bytes());
    let arguments = arguments("b".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (180, 24));
    driver.keys("3G,");
    for (at, path, line) in [
        (1, "b", "one of main"),
        (2, "a", "one"),
        (1, "b", "one of main"),
    ] {
        let (foot, shown_path, shown_line) = shown(&driver);
        let words = format!("parent {at} of 2 of a merge; P shows the other");
        assert!(foot.contains(&words), "{foot}");
        assert_eq!((shown_path.as_str(), shown_line.as_str()), (path, line));
        assert_eq!(driver.whereabouts().0, 1);
        driver.keys("P");
    }
    driver.keys("<");
    assert_eq!(driver.whereabouts().0, 0);
}

#[test]
fn parents_without_the_file_are_passed_over() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |path: &str, text: &str| {
        repository.write(path.as_bytes(), text.as_bytes());
        repository.git(&["add", path]);
        repository.git(&["commit", "-q", "-m", path]);
    };
    commit("other", "1\n");
    repository.git(&["branch", "without"]);
    repository.git(&["checkout", "-q", "-b", "with"]);
    commit("a", "1 of with\n");
    repository.git(&["checkout", "-q", "main"]);
    commit("a", "1 of main\n");
    for (branches, steps) in [
        (
            &["without"][..],
            &[(1, "the other does not have the file")][..],
        ),
        (
            &["without", "with"],
            &[
                (1, "P shows parent 3, the next with the file"),
                (3, "P shows the next"),
                (1, "P shows parent 3, the next with the file"),
            ],
        ),
    ] {
        repository.git(&["reset", "-q", "--hard", "main"]);
        repository.git(&["checkout", "-q", "--detach"]);
        merge_of(&repository, branches, "a", b"1 of main\n2 of the merge\n");
        let arguments = arguments("a".into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, (180, 24));
        driver.keys("2G,");
        for (at, words) in steps {
            let count = branches.len() + 1;
            let words = format!("parent {at} of {count} of a merge; {words}");
            let (foot, ..) = shown(&driver);
            assert!(foot.contains(&words), "{words}: {foot}");
            driver.keys("P");
        }
        // Where no other parent has it, the view stays.
        let (foot, _, line) = shown(&driver);
        let expected = if branches.len() == 1 {
            "1 of main"
        } else {
            "1 of with"
        };
        assert_eq!(line, expected, "{foot}");
        assert_eq!(driver.whereabouts().0, 1);
    }
}
