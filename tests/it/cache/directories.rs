//! Which directory of the cache is a repository's.

use std::{fs, process::Command};

use super::{TestCache, copy_directory, git_blame, small_history, without_stats, write_history};
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

/// Puts a repository like this one into its place, in one of several ways.
fn renew(repository: &TestRepo, way: &str) {
    let root = repository.root();
    let (git, aside) = (root.join(".git"), root.with_file_name("aside"));
    let path = aside.to_str().expect("a path in UTF-8");
    let archive = root.with_file_name("archive");
    let archive_path = archive.to_str().expect("a path in UTF-8");
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program)
            .args(arguments)
            .current_dir(root)
            .status();
        assert!(status.expect("it runs").success(), "{program}");
    };
    match way {
        "clone" | "borrowing clone" => {
            let options: &[&str] = if way == "clone" { &[] } else { &["--shared"] };
            repository.git(&[&["clone", "-q"], options, &[".", path]].concat());
            if way != "clone" {
                // It borrows from where this one is going to be.
                let moved = root.with_file_name("moved");
                copy_directory(&git, &moved);
                let alternate = moved.join("objects");
                let alternate = format!("{}\n", alternate.display());
                let file = aside.join(".git/objects/info/alternates");
                fs::write(file, alternate).expect("it is writable");
            }
            fs::remove_dir_all(root).expect("it is one's own");
            fs::rename(&aside, root).expect("it is one's own");
        }
        "copy" => {
            copy_directory(&git, &aside);
            fs::remove_dir_all(&git).expect("it is one's own");
            fs::rename(&aside, &git).expect("it is one's own");
        }
        "restored archive" => {
            run("tar", &["-cf", archive_path, ".git"]);
            fs::remove_dir_all(&git).expect("it is one's own");
            run("tar", &["-xpf", archive_path]);
        }
        "objects alone" => {
            copy_directory(&git.join("objects"), &aside);
            fs::remove_dir_all(git.join("objects")).expect("it is one's own");
            fs::rename(&aside, git.join("objects")).expect("it is one's own");
        }
        "another alternate" => {
            let alternate = root.with_file_name("alternate");
            copy_directory(&alternate, &aside);
            fs::remove_dir_all(&alternate).expect("it is one's own");
            fs::rename(&aside, &alternate).expect("it is one's own");
        }
        _ => unreachable!("{way}"),
    }
}

#[test]
fn a_repository_in_the_place_of_another_inherits_nothing() {
    for way in [
        "clone",
        "borrowing clone",
        "copy",
        "restored archive",
        "objects alone",
        "another alternate",
    ] {
        let repository = small_history(10);
        if way == "another alternate" {
            let objects = repository.root().join(".git/objects");
            let alternate = repository.root().with_file_name("alternate");
            fs::rename(&objects, &alternate).expect("it is one's own");
            repository.write(b".git/objects/info/alternates", b"../../../alternate\n");
        }
        let git = git_blame(&repository, "a.txt");
        let cache = TestCache::new();
        assert_eq!(cache.run(&repository, &["--warm"]).status, Some(0), "{way}");
        // As soon as can be: the system gives the numbers of removed files again.
        for _ in 0..5 {
            let before = cache.repositories().len();
            assert_eq!(cache.assert_blame(&repository, "a.txt", &git), 0, "{way}");
            assert!(cache.assert_blame(&repository, "a.txt", &git) > 0, "{way}");
            renew(&repository, way);
            let warmed = cache.run(&repository, &["--warm"]);
            assert_eq!(warmed.status, Some(0), "{way}");
            assert_eq!(cache.repositories().len(), before + 1, "{way}");
        }
        // All of them were in this place.
        cache.run(&repository, &["--cache-clear", "."]);
        assert_eq!(cache.repositories().len(), 0, "{way}");
    }
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
