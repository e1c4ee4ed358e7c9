//! Which directory of the cache is a repository's.

use std::{fs, process::Command};

use super::{TestCache, git_blame, small_history, without_stats, write_history};
use crate::harness::{
    program::{ProgramOutput, Stderr},
    repository::{ObjectFormat, TestRepo},
};

const ARGUMENTS: [&str; 5] = ["--porcelain", "--stats", "HEAD", "--", "a.txt"];

/// Blames in a directory; returns how many lines came from kept blames.
fn kept_lines_in(command: &mut Command, git: &ProgramOutput) -> usize {
    let (output, stats) = without_stats(ProgramOutput::of(command));
    if let Some(difference) = output.difference(git, Stderr::Whole) {
        panic!("{command:?}: {difference}");
    }
    stats.expect("it was asked for").kept_lines
}

#[test]
fn a_repository_is_found_again_after_a_move() {
    let repository = small_history(10);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    let moved = repository.root().with_file_name("moved");
    fs::rename(repository.root(), &moved).expect("it is one's own");
    let mut command = cache.command(&repository, &ARGUMENTS);
    assert!(kept_lines_in(command.current_dir(&moved), &git) > 0);
    let listed = cache
        .command(&repository, &["--cache"])
        .current_dir(&moved)
        .output();
    let listed = String::from_utf8(listed.expect("it runs").stdout).expect("a path in UTF-8");
    assert!(listed.contains("moved/.git"), "{listed}");
    assert_eq!(listed.lines().count(), 2, "{listed}");
    // A new one in its old place has a directory of its own.
    fs::create_dir(repository.root()).expect("it is one's own");
    repository.git(&["init", "-q", "-b", "main", "."]);
    write_history(&repository, 10);
    assert_eq!(cache.assert_blame(&repository, "a.txt", &git), 0);
    assert!(kept_lines_in(command.current_dir(&moved), &git) > 0);
    assert_eq!(cache.repositories().len(), 2);
}

#[test]
fn work_trees_of_a_repository_share_what_is_kept() {
    let repository = small_history(10);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    let other = repository.root().with_file_name("other");
    let path = other.to_str().expect("a path in UTF-8");
    repository.git(&["worktree", "add", "-q", "--detach", path, "HEAD"]);
    let mut command = cache.command(&repository, &ARGUMENTS);
    assert!(kept_lines_in(command.current_dir(&other), &git) > 0);
    // As does another name of the directory.
    let link = repository.root().with_file_name("link");
    std::os::unix::fs::symlink(repository.root(), &link).expect("it is one's own");
    let mut command = cache.command(&repository, &ARGUMENTS);
    assert!(kept_lines_in(command.current_dir(&link), &git) > 0);
}

#[test]
fn a_clone_is_another_repository() {
    let repository = small_history(10);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    let clone = repository.root().with_file_name("clone");
    let path = clone.to_str().expect("a path in UTF-8");
    repository.git(&["clone", "-q", ".", path]);
    let mut command = cache.command(&repository, &ARGUMENTS);
    assert_eq!(kept_lines_in(command.current_dir(&clone), &git), 0);
    assert!(kept_lines_in(command.current_dir(&clone), &git) > 0);
}

#[test]
fn a_directory_is_completed_after_a_kill() {
    let repository = small_history(10);
    let git = git_blame(&repository, "a.txt");
    let cache = TestCache::new();
    cache.assert_blame(&repository, "a.txt", &git);
    let identity = cache
        .files()
        .into_iter()
        .find(|file| file.ends_with("repository"));
    let identity = identity.expect("it says which repository it is");
    fs::remove_file(&identity).expect("it is one's own");
    cache.run(&repository, &["-w", "HEAD", "--", "a.txt"]);
    assert!(identity.exists());
}

#[test]
fn both_object_formats_are_kept() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let repository = TestRepo::new(format);
        write_history(&repository, 10);
        let git = git_blame(&repository, "a.txt");
        let cache = TestCache::new();
        assert_eq!(cache.assert_blame(&repository, "a.txt", &git), 0);
        let lines = cache.assert_blame(&repository, "a.txt", &git);
        assert!(lines > 20, "{lines}");
    }
}
