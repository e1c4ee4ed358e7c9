//! What became of a line: the answers of `git blame --reverse`.

use std::{cell::Cell, ffi::OsString, sync::Arc};

use tblame::internals::{
    objects::ObjectId,
    repository::Repository,
    run::demo::{Demo, FILE},
    viewer::{
        config::settings::Config,
        model::{background::line_outcome::LineOutcomeQuery, source::FileVersion},
        repository::walks::GitWalks,
    },
};

use crate::harness::{
    compare::{count_from, seed_count},
    line_outcome::{Outcome, Place, outcome_of_git},
    random_history::{History, STORAGES},
    random_text::TextLines,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    session::{Session, tblame_command},
    source::{answer_of, source_of_head},
};

use super::driver::{Driver, arguments};

/// A reader as the viewer has it, opened at HEAD.
fn reader(repository: &TestRepo) -> GitWalks {
    let repository = Arc::new(Repository::open_own(repository.root()).expect("a repository"));
    source_of_head(&repository, None, 1).walks()
}

#[test]
fn lines_of_generated_histories_have_the_answers_of_git() {
    let (mut compared, mut gone, mut at_head, mut aside, mut other) = (0, 0, 0, 0, 0);
    let mut with_file = 0;
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 40_000..40_000 + seed_count(24) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let git = |words: &[OsString]| {
            let output = history.repository.git_output(words, b"");
            output.status.success().then_some(output.stdout)
        };
        let mut reader = reader(&history.repository);
        let mut rng = Rng::new(seed);
        for (revision, path) in history.samples(&mut rng, 12) {
            let number = history.ids.iter().position(|id| *id == revision);
            let file = &history.trees[number.expect("a commit of the history")][&path];
            let count = TextLines::split(&file.bytes).len();
            for _ in 0..3 {
                if count == 0 || file.mode & 0o170000 != 0o100000 {
                    continue;
                }
                let line = rng.below(count) as u32;
                let place = Place {
                    commit: revision.clone(),
                    path: path.clone(),
                    line,
                };
                let Some(expected) = outcome_of_git(&git, &place) else {
                    continue;
                };
                let query = LineOutcomeQuery {
                    version: FileVersion::Commit {
                        commit: ObjectId::from_hex(revision.as_bytes()).expect("an id"),
                        path: Arc::new(path.clone().into()),
                    },
                    line,
                    whitespace: false,
                };
                let outcome = answer_of(&mut reader, &query, &|| false);
                let outcome = outcome.expect("an answer");
                let found = Outcome::of_tblame(&outcome, expected.is_aside);
                assert_eq!(found, expected, "{place:?}");
                compared += 1;
                gone += usize::from(outcome.next.is_some());
                at_head += usize::from(outcome.is_at_head);
                aside += usize::from(expected.is_aside);
                other += usize::from(expected.other_branch.is_some());
                with_file += usize::from(expected.is_file_deleted);
            }
        }
    }
    eprintln!(
        "{compared} lines, {gone} gone, {aside} of them beside a merge, {with_file} with the file; \
         {at_head} in HEAD, {other} of other branches"
    );
    assert!(compared >= 500, "{compared} lines compared");
    assert!(
        gone >= 50 && at_head >= 50 && aside >= 3 && with_file >= 10,
        "{gone} gone, {aside} beside a merge, {with_file} with the file, {at_head} in HEAD"
    );
}

#[test]
fn a_line_of_an_old_version_is_followed_to_what_changed_it() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let mut driver = Driver::with_repository(demo.root(), arguments, (80, 24));
    let mut next = |keys: &str| {
        driver.keys(keys);
        let (step, path, position) = driver.whereabouts();
        let message = driver.app().status.message.clone().unwrap_or_default();
        (step, format!("{path}:{} {message}", position.line + 1))
    };
    next("10G10(");
    let found: Vec<_> = (0..6).map(|_| next(".")).collect();
    let expected = [
        (
            1,
            "count.py:9 changed by b98d15e9 in 2013: line 9 (57% alike)",
        ),
        (1, "count.py:15 moved by 394ddfd8 in 2015: line 15"),
        (
            1,
            "tally.py:18 changed by ec3c3a30 in 2017: line 18 (68% alike)",
        ),
        (
            1,
            "tally.py:23 changed by 9fe884e6 in 2018: line 23 (82% alike)",
        ),
        (
            1,
            "tally.py:26 only whitespace changed by 6c0a82c0 in 2021: line 26",
        ),
        (2, "tally.py:24 still there: line 24 at HEAD"),
    ];
    let expected = expected.map(|(step, words)| (step, words.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn a_deleted_line_is_said_to_be_deleted() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (text, date) in [
        ("one\ntwo\nthree\n", "2019-02-03T12:00:00"),
        ("zero\none\ntwo\nthree\n", "2020-02-03T12:00:00"),
        ("zero\none\nthree\n", "2021-02-03T12:00:00"),
        ("zero\none\nthree\nfour\n", "2022-02-03T12:00:00"),
    ] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-qm", "Change it", "--date", date]);
    }
    let deleted = &repository.git_text(&["rev-parse", "HEAD~1"])[..8];
    let mut command = tblame_command();
    command.cwd(repository.root());
    command.args(["HEAD~3", "f"]);
    let mut session = Session::run(command, (80, 24));
    session.wait_for("line 1 of 3");
    session.press("j.");
    session.wait_for(&format!("deleted by {deleted} in 2021"));
    session.wait_for("line 3 of 3");
    // The line that took its place is not followed unasked.
    session.press(".");
    session.wait_for(&format!("deleted by {deleted} in 2021: it ends there"));
    session.press("kj.");
    session.wait_for("still there: line 3 at HEAD");
    // The step has the same name.
    session.wait_for("› HEAD");
    session.press("<<");
    session.wait_for("line 2 of 3");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

/// A merge that takes the change of another parent did not make it.
#[test]
fn a_change_that_a_merge_brought_is_of_the_commit_before_it() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |text: &str| {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&[
            "commit",
            "-qm",
            "Change it",
            "--date",
            "2019-02-03T12:00:00",
        ]);
    };
    commit("the first line of it\n2\n3\n4\n5\nsix\n");
    repository.git(&["checkout", "-qb", "side"]);
    commit("the first line of all\n2\n3\n4\n5\nsix\n");
    repository.git(&["checkout", "-q", "-"]);
    commit("the first line of it\n2\n3\n4\n5\nsix!\n");
    repository.git(&["merge", "-q", "--no-ff", "-m", "Merge it", "side"]);
    let [base, side] = ["HEAD~2", "side"].map(|name| repository.git_text(&["rev-parse", name]));
    let mut driver = Driver::with_repository(
        repository.root(),
        arguments("f".into(), Config::default()),
        (80, 24),
    );
    driver.keys(&format!(":{}<CR>.", &base[..12]));
    let message = driver.app().status.message.clone().unwrap_or_default();
    let expected = format!("changed by {} in 2019: line 1", &side[..8]);
    let reverse = repository.git_text(&[
        "blame",
        "--reverse",
        "-s",
        "-L1,1",
        "HEAD~2..HEAD",
        "--",
        "f",
    ]);
    let main = repository.git_text(&["rev-parse", "HEAD^1"]);
    assert!(
        main.starts_with(reverse[..7].trim_start_matches('^')),
        "{reverse}"
    );
    assert!(message.starts_with(&expected), "{message}");
}

/// A line of another branch may well be in HEAD.
#[test]
fn a_line_of_another_branch_is_not_denied_to_be_in_head() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (branch, text) in [
        ("main", "one\n"),
        ("old", "one\ntwo\n"),
        ("main", "one\nthree\n"),
    ] {
        repository.git(&["checkout", "-q", "-B", branch]);
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-qm", "Change it"]);
        if branch == "old" {
            repository.git(&["branch", "-f", "main", "HEAD~1"]);
            repository.git(&["checkout", "-q", "main"]);
        }
    }
    let old = repository.git_text(&["rev-parse", "old"])[..8].to_owned();
    let arguments = arguments("f".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
    for (keys, expected) in [
        (
            format!(":{old}<CR>2G."),
            format!("HEAD does not descend from {old}, which wrote this line"),
        ),
        // The line above it is older than the branch.
        ("1G.".to_owned(), "still there: line 1 at HEAD".to_owned()),
        (
            ":HEAD~1<CR>.".to_owned(),
            "still there: line 1 at HEAD".to_owned(),
        ),
    ] {
        driver.keys(&keys);
        assert_eq!(
            driver.app().status.message.as_deref(),
            Some(expected.as_str())
        );
    }
}

#[test]
fn a_search_that_is_not_wanted_any_more_stops() {
    let history = History::generate(40_001, ObjectFormat::Sha1, STORAGES[0]);
    let mut reader = reader(&history.repository);
    let path = history.trees[0].keys().next().expect("a file").clone();
    let query = LineOutcomeQuery {
        version: FileVersion::Commit {
            commit: ObjectId::from_hex(history.ids[0].as_bytes()).expect("an id"),
            path: Arc::new(path.into()),
        },
        line: 0,
        whitespace: false,
    };
    // Stops when it has asked that often, and returns how often it asked.
    let mut stopped_after = |most: usize| {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() >= most
        };
        let found = answer_of(&mut reader, &query, &stop);
        (asked.get(), found)
    };
    let (asked, all) = stopped_after(usize::MAX);
    assert!(all.is_ok() && asked >= 3, "asked {asked} times");
    // Each of the times at which it asks, it can be stopped.
    for most in 1..=asked {
        let (asked, stopped) = stopped_after(most);
        assert_eq!(asked, most, "{stopped:?}");
    }
}

#[test]
fn a_key_cancels_the_search() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let mut driver = Driver::with_repository(demo.root(), arguments, (80, 24));
    driver.keys("10G10(");
    // Both keys are there before an answer can be.
    driver.keys_at_once(".<Esc>");
    let message = driver.app().status.message.clone();
    assert_eq!(message.as_deref(), Some("cancelled"));
    let before = driver.whereabouts();
    driver.keys("l");
    assert_eq!(driver.whereabouts().0, before.0);
}
