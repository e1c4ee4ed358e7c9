//! Damaged and incomplete repositories: an error, never a crash.

use std::ffi::OsStr;

use crate::harness::{
    command_lines::two_commits,
    compare::assert_same_first_error,
    git::git_program,
    program::{ProgramOutput, tblame_program},
};

/// Damaged and incomplete repositories: an error, and never a crash.
#[test]
fn a_missing_object_is_an_error() {
    let repository = two_commits();
    let objects = repository.root().join(".git/objects");
    let file = |name: &str| {
        let id = repository.git_text(&["rev-parse", name]);
        objects.join(&id[..2]).join(&id[2..])
    };
    repository.git(&["fsck"]);
    for name in [
        "main~1:a.txt",
        "main:a.txt",
        "main^{tree}",
        "main~1^{tree}",
        "main~1",
        "main",
    ] {
        let path = file(name);
        let before = std::fs::read(&path).expect("the objects are loose");
        std::fs::remove_file(&path).expect("it is there");
        for format in ["--porcelain", "--incremental", "-s"] {
            let id = repository.root().join(".git/refs/heads/main");
            assert!(id.exists());
            assert_same_first_error(&repository, &[format, "main", "--", "a.txt"]);
        }
        std::fs::write(&path, &before).expect("it can be written");
        for damaged in [&before[..before.len() / 2], b"", b"not zlib at all"] {
            std::fs::remove_file(&path).expect("it is there");
            std::fs::write(&path, damaged).expect("it can be written");
            assert_same_first_error(&repository, &["--porcelain", "main", "--", "a.txt"]);
        }
        std::fs::remove_file(&path).expect("it is there");
        std::fs::write(&path, &before).expect("it can be written");
    }
}

/// The checksum behind a commit's text is looked at before the text is shown.
#[test]
fn a_shown_commit_with_a_wrong_checksum_is_an_error() {
    let repository = two_commits();
    repository.git(&["commit", "-q", "--amend", "-m", &"many words ".repeat(200)]);
    repository.git(&["repack", "-adq"]);
    let packs = repository.root().join(".git/objects/pack");
    let packs = std::fs::read_dir(packs).expect("there are packs");
    let mut packs = packs.map(|entry| entry.expect("it can be read").path());
    let pack = packs.find(|path| path.extension().is_some_and(|kind| kind == "pack"));
    let pack = pack.expect("there is a pack");
    let listed = repository.git_text(&["verify-pack", "-v", pack.to_str().expect("plain")]);
    let id = repository.git_text(&["rev-parse", "main"]);
    let line = listed.lines().find(|line| line.starts_with(&id));
    let words: Vec<_> = line.expect("it is packed").split_whitespace().collect();
    let number = |word: &str| word.parse::<usize>().expect("a number");
    let mut bytes = std::fs::read(&pack).expect("it can be read");
    bytes[number(words[4]) + number(words[3]) - 2] ^= 1;
    std::fs::remove_file(&pack).expect("it is there");
    std::fs::write(&pack, bytes).expect("it can be written");
    let run = |program: &OsStr, subcommand: &[&str]| {
        let mut command = repository.command(program);
        command.args(subcommand);
        command.args(["--porcelain", "main", "--", "a.txt"]);
        ProgramOutput::of(&mut command)
    };
    let git = run(git_program(), &["blame"]);
    let tblame = run(tblame_program().as_os_str(), &[]);
    assert_eq!((git.status, tblame.status), (Some(128), Some(128)));
    let message = String::from_utf8_lossy(&tblame.stderr);
    assert!(message.contains("checksum"), "{message}");
}

/// The offsets of an index are those of another pack then.
#[test]
fn a_pack_that_is_not_the_one_of_its_index_is_not_read() {
    for has_multi_pack_index in [false, true] {
        let repository = two_commits();
        repository.git(&["repack", "-adq"]);
        if has_multi_pack_index {
            repository.git(&["multi-pack-index", "write"]);
        }
        let packs = repository.root().join(".git/objects/pack");
        let packs = std::fs::read_dir(packs).expect("there are packs");
        let mut packs = packs.map(|entry| entry.expect("it can be read").path());
        let pack = packs.find(|path| path.extension().is_some_and(|kind| kind == "pack"));
        let pack = pack.expect("there is a pack");
        let run = |program: &OsStr, subcommand: &[&str]| {
            let mut command = repository.command(program);
            command.args(subcommand);
            command.args(["--porcelain", "main", "--", "a.txt"]);
            ProgramOutput::of(&mut command)
        };
        let both = || {
            let git = run(git_program(), &["blame"]);
            let tblame = run(tblame_program().as_os_str(), &[]);
            (git, tblame)
        };
        let (git, tblame) = both();
        assert_eq!((git.status, tblame.status), (Some(0), Some(0)));
        assert_eq!(git.stdout, tblame.stdout);
        let mut bytes = std::fs::read(&pack).expect("it can be read");
        *bytes.last_mut().expect("it has a checksum") ^= 1;
        std::fs::remove_file(&pack).expect("it is there");
        std::fs::write(&pack, bytes).expect("it can be written");
        let (git, tblame) = both();
        assert_eq!((git.status, tblame.status), (Some(128), Some(128)));
        assert!(tblame.stderr.starts_with(b"fatal: "), "{tblame:?}");
    }
}

/// A range is measured past commits that are not there, as a blame goes on without them.
#[test]
fn a_range_goes_on_without_absent_commits() {
    let repository = two_commits();
    for message in ["third", "fourth"] {
        repository.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    let id = repository.git_text(&["rev-parse", "main~3"]);
    let objects = repository.root().join(".git/objects");
    let path = objects.join(&id[..2]).join(&id[2..]);
    for damaged in [None, Some(&b""[..]), Some(b"not zlib at all")] {
        std::fs::remove_file(&path).expect("it is there");
        if let Some(damaged) = damaged {
            std::fs::write(&path, damaged).expect("it can be written");
        }
        for range in ["main~1..main", "main~2..main"] {
            assert_same_first_error(&repository, &["--porcelain", range, "--", "a.txt"]);
        }
        std::fs::write(&path, b"").expect("it can be written");
    }
}

/// Commits of a range that are missing, or replaced by another kind of object: git ends if it looks at them.
#[test]
fn a_range_ends_at_what_is_no_commit() {
    let repository = two_commits();
    let objects = repository.root().join(".git/objects");
    let id = repository.git_text(&["rev-parse", "main~1"]);
    let file = objects.join(&id[..2]).join(&id[2..]);
    let aside = repository.root().join("aside");
    let same = |words: &[&str]| {
        let arguments = [&["--porcelain"], words, &["--", "a.txt"]].concat();
        assert_same_first_error(&repository, &arguments);
    };
    std::fs::rename(&file, &aside).expect("it is loose");
    for name in ["main^!", "main^-", "main^-1"] {
        same(&[name]);
    }
    same(&["^main^@", "main"]);
    std::fs::rename(&aside, &file).expect("it was moved");
    for object in ["main:a.txt", "main^{tree}"] {
        let object = repository.git_text(&["rev-parse", object]);
        repository.git(&["replace", "-f", &id, &object]);
        for words in [&["main^!"][..], &["main~1..main"], &["^main~1", "main"]] {
            let mut command = repository.command(tblame_program().as_os_str());
            let output = ProgramOutput::of(command.args(words).args(["--", "a.txt"]));
            assert_eq!(output.status, Some(128), "{words:?}: {output:?}");
        }
    }
}
