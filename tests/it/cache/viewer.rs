//! The viewer uses kept blames, and keeps its own.

use std::time::{Duration, Instant};

use super::{TestCache, git_blame, small_history};
use crate::harness::{
    repository::TestRepo,
    session::{Session, TIMEOUT, tblame_command},
};

pub fn view(cache: &TestCache, repository: &TestRepo, arguments: &[&str]) -> Session {
    let mut command = tblame_command();
    command.args(arguments);
    command.cwd(repository.root());
    command.env("HOME", repository.root().join(".."));
    command.env("XDG_CONFIG_HOME", cache.config_home());
    command.env("XDG_CACHE_HOME", cache.place());
    command.env("XDG_STATE_HOME", "/dev/null");
    command.env("TBLAME_CACHE", "on");
    for name in ["NO_COLOR", "COLORFGBG", "GIT_DIR", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    Session::run_unisolated(command, (100, 30))
}

fn quit(mut session: Session) {
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

/// The lines that were kept, as `--stats` says at the end. Quits.
fn kept_lines(mut session: Session) -> usize {
    session.wait_until_stable(Duration::from_millis(500), TIMEOUT);
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    let text = session.screen().contents();
    let row = text
        .lines()
        .find(|row| row.contains("lines taken from kept blames"));
    let number = row.and_then(|row| row.split_once("kept ")?.1.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("no lines are said to be kept:\n{text}"))
}

/// The row of a line on the screen has the commit that it comes from.
fn wait_for_commits(session: &mut Session) {
    session.wait("the blame", |screen| {
        let text = screen.contents();
        text.contains("line ") && text.contains("Ann Lee")
    });
}

#[test]
fn what_the_viewer_blamed_is_kept_for_the_next_run() {
    let repository = small_history(20);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    let mut session = view(&cache, &repository, &["HEAD", "--", "a.txt"]);
    wait_for_commits(&mut session);
    let deadline = Instant::now() + TIMEOUT;
    while cache.blames().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(
        !cache.blames().is_empty(),
        "it is kept while the viewer is open"
    );
    quit(session);
    let lines = repository.git_text(&["show", "HEAD:a.txt"]).lines().count();
    assert_eq!(cache.assert_blame(&repository, "a.txt", &git), lines);
    assert_eq!(cache.temporary_files().len(), 0);
}

#[test]
fn a_kept_blame_is_complete_in_the_viewer() {
    let repository = small_history(20);
    let git = git_blame(&repository, "a.txt");
    let lines = repository.git_text(&["show", "HEAD:a.txt"]).lines().count();
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    let mut session = view(&cache, &repository, &["--stats", "HEAD", "--", "a.txt"]);
    wait_for_commits(&mut session);
    assert_eq!(kept_lines(session), lines);
    // The file of the work tree, without changes and with one.
    let mut session = view(&cache, &repository, &["--stats", "a.txt"]);
    wait_for_commits(&mut session);
    assert_eq!(kept_lines(session), lines);
    let text = repository.git_text(&["show", "HEAD:a.txt"]);
    let changed = format!("{}\n", text.replacen("line ", "changed line ", 1));
    repository.write(b"a.txt", changed.as_bytes());
    let mut session = view(&cache, &repository, &["--stats", "a.txt"]);
    wait_for_commits(&mut session);
    assert_eq!(kept_lines(session), lines - 1);
}

#[test]
fn the_demonstration_leaves_nothing() {
    let repository = small_history(2);
    let cache = TestCache::new();
    let mut session = view(&cache, &repository, &["--demo"]);
    session.wait_for("9fe884e6 Ben Okafor");
    quit(session);
    assert!(!cache.place().exists());
}
