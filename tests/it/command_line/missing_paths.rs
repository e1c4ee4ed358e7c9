//! Paths that a version does not have any longer, and paths of other repositories.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
};

use bstr::ByteSlice;
use portable_pty::CommandBuilder;

use crate::harness::{
    command_lines::assert_all_same,
    program::{ProgramOutput, tblame_program},
    random_history::{History, STORAGES},
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

/// A file that was deleted, one that was renamed, one that is only removed from the work tree, and
/// a directory that was deleted.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let text: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    for path in ["src/old.c", "src/moved.c", "src/removed.c", "gone/deep/x"] {
        let text = format!("{text}{path}\n");
        repository.write(path.as_bytes(), text.as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "Add files"]);
    repository.git(&["rm", "-q", "src/old.c"]);
    repository.git(&["commit", "-qm", "Delete one"]);
    repository.git(&["mv", "src/moved.c", "src/new.c"]);
    repository.git(&["commit", "-qm", "Rename one"]);
    repository.git(&["rm", "-rq", "gone"]);
    repository.git(&["commit", "-qm", "Delete all"]);
    std::fs::remove_file(repository.root().join("src/removed.c")).expect("it is there");
    repository
}

fn start(repository: &TestRepo, directory: &str, arguments: &[&str]) -> Session {
    let mut command = tblame_command();
    command.args(arguments);
    command.cwd(repository.root().join(directory));
    Session::run(command, (80, 24))
}

fn run<A: AsRef<OsStr>>(repository: &TestRepo, arguments: &[A]) -> ProgramOutput {
    let mut command = repository.command(tblame_program().as_os_str());
    ProgramOutput::of(command.args(arguments))
}

/// The history of a path that a version lacks is that of the version before git's newest commit of
/// the path.
#[test]
fn histories_begin_before_the_deletion() {
    let (mut found, mut unknown) = (0, 0);
    for seed in 0..8 {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let head = history.ids.last().expect("there are commits");
        let listed = repository.git(&["ls-tree", "-rtz", "--name-only", head]);
        let there: BTreeSet<&[u8]> = listed.split_str("\0").collect();
        let all: BTreeSet<&Vec<u8>> = history.trees.iter().flat_map(|tree| tree.keys()).collect();
        for path in all.iter().filter(|path| !there.contains(path.as_slice())) {
            let path = OsStr::from_bytes(path);
            let log = ["log", "-1", "--format=%H", head, "--"].map(OsStr::new);
            let deletion = repository.git_text(&[&log[..], &[path]].concat());
            let words = ["--file-history", head, "--"].map(OsStr::new);
            let ours = run(repository, &[&words[..], &[path]].concat());
            if deletion.is_empty() {
                unknown += 1;
                assert_eq!(ours.status, Some(128), "{seed} {path:?}");
                continue;
            }
            let has_path = |commit: &String| {
                let mut name = OsString::from(commit);
                name.push(":");
                name.push(path);
                let words = [OsStr::new("cat-file"), OsStr::new("-e"), &name];
                repository.git_output(&words, b"").status.success()
            };
            let parents = repository.git_text(&["log", "-1", "--format=%P", &deletion]);
            let mut parents = parents.split(' ').map(str::to_owned);
            let before = parents.find(has_path).expect("a parent has the path");
            let words = ["--file-history", &before, "--"].map(OsStr::new);
            let expected = run(repository, &[&words[..], &[path]].concat());
            assert_eq!(ours.status, Some(0), "{}", ours.stderr.as_bstr());
            assert_eq!(ours.stdout.as_bstr(), expected.stdout.as_bstr());
            let commit = format!("({} ", &deletion[..8]);
            assert!(ours.stderr.contains_str(&commit), "{seed} {path:?}");
            found += 1;
        }
    }
    assert!(found > 20, "{found} found, {unknown} unknown");
}

#[test]
fn other_outputs_are_of_the_version_before() {
    let repository = repository();
    let cases = [
        ("src/old.c", "HEAD~3", "deleted by A U Thor on 2020-09-13"),
        ("src/moved.c", "HEAD~2", "renamed to src/new.c by A U Thor"),
        ("src/removed.c", "HEAD", "removed from the work tree"),
        ("gone/deep/x", "HEAD~1", "deleted by A U Thor"),
    ];
    for (path, before, note) in cases {
        for options in [
            &["--people"][..],
            &["--line-history", "-L2,4"],
            &["--deletions"],
            &["--file-history", "--json"],
        ] {
            let ours = run(&repository, &[options, &[path]].concat());
            let expected = run(&repository, &[options, &[before, "--", path]].concat());
            assert_eq!(ours.stdout, expected.stdout, "{options:?} {path}");
            assert_eq!((ours.status, expected.status), (Some(0), Some(0)));
            assert!(ours.stderr.contains_str(note), "{}", ours.stderr.as_bstr());
        }
    }
    let of_directory = run(&repository, &["--people", "gone"]);
    let expected = run(&repository, &["--people", "HEAD~1", "gone"]);
    assert_eq!(of_directory.stdout, expected.stdout);
    // A blame stays git's.
    assert_all_same(
        &repository,
        "src/old.c
        HEAD src/old.c
        src/removed.c
        -p src/moved.c
        gone/deep/x",
    );
}

/// Nobody waits in a script for the end of a long history; on a terminal it is said how far it is
/// looked for, in a row that is blank afterwards.
#[test]
fn searches_that_nobody_sees_end_early() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |number: usize, change: &str| {
        let time = 1_600_000_000 + number;
        format!("commit refs/heads/long\ncommitter C <c> {time} +0000\ndata 0\n{change}\n")
    };
    let mut stream = commit(0, "M 644 inline a\ndata 1\nx\nM 644 inline b\ndata 1\nx\n");
    for number in 1..=2049 {
        stream += &commit(
            number,
            match number {
                1 => "D a",
                2 => "D b",
                _ => "",
            },
        );
    }
    let import = repository.git_output(&["fast-import", "--quiet"], stream.as_bytes());
    assert!(import.status.success(), "{}", import.stderr.as_bstr());
    for (path, status) in [("a", 128), ("b", 0), ("c", 128)] {
        let ours = run(&repository, &["--file-history", "long", "--", path]);
        assert_eq!(ours.status, Some(status), "{path}");
    }
    let mut command = tblame_command();
    command.args(["--file-history", "long", "--", "a"]);
    command.cwd(repository.root());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("a was deleted by C on 2020-09-13");
    assert_eq!(session.end().exit_code(), 0);
}

/// What became of a path without a commit is what `git status` says of it.
#[test]
fn uncommitted_removals_are_as_in_git_status() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let paths = [
        "moved", "edited", "staged", "vanished", "cached", "removed", "gone", "intended",
        "changed", "dir/one", "dir/two", "sub/one", "sub/two", "stays",
    ];
    let text = |path: &str| -> String {
        let lines = (1..=12).map(|line| format!("line {line} of {path}\n"));
        lines.collect()
    };
    for path in paths {
        repository.write(path.as_bytes(), text(path).as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "Add files"]);
    let root = repository.root();
    let remove = |path: &str| std::fs::remove_file(root.join(path)).expect("it is there");
    let moves = ["moved", "edited", "staged", "vanished", "dir"];
    for path in moves {
        repository.git(&["mv", path, &format!("{path}-to")]);
    }
    repository.write(b"edited-to", format!("{}more\n", text("edited")).as_bytes());
    repository.write(b"staged-to", format!("{}more\n", text("staged")).as_bytes());
    repository.git(&["add", "staged-to"]);
    remove("vanished-to");
    repository.git(&["rm", "-q", "--cached", "cached"]);
    remove("cached");
    remove("removed");
    repository.git(&["rm", "-q", "gone"]);
    for (path, more) in [("intended", ""), ("changed", "more\n")] {
        remove(path);
        let to = format!("{path}-to");
        repository.write(to.as_bytes(), (text(path) + more).as_bytes());
        repository.git(&["add", "-N", &to]);
    }
    for path in ["sub/one", "sub/two"] {
        remove(path);
    }
    let status = repository.git_text(&["-c", "status.renames=true", "status", "--porcelain"]);
    let mut codes = BTreeSet::new();
    for row in status.lines() {
        let (code, names) = row.split_at(3);
        let (from, to) = names.split_once(" -> ").unwrap_or((names, ""));
        let fate = match code.as_bytes() {
            b"RD " => "removed from the work tree and the index".to_owned(),
            [b'R', ..] => format!("renamed to {to} in the index"),
            [_, b'R', _] => format!("renamed to {to} in the work tree"),
            [b'D', ..] => "removed from the work tree and the index".to_owned(),
            b" D " => "removed from the work tree, but not from the index".to_owned(),
            _ => panic!("{row}"),
        };
        let ours = run(&repository, &["--file-history", from]);
        let note = format!("note: {from} was {fate}");
        assert!(
            ours.stderr.contains_str(&note),
            "{row}: {}",
            ours.stderr.as_bstr()
        );
        assert!(ours.stdout.contains_str("Add files"), "{row}");
        codes.insert((code.to_owned(), from.to_owned()));
    }
    assert_eq!(codes.len(), paths.len() - 1, "{status}");
    let kinds: BTreeSet<&str> = codes.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    for (directory, fate) in [
        ("dir", "renamed to dir-to in the index"),
        ("sub", "nothing tracked here, 2 removed"),
    ] {
        let mut session = start(&repository, ".", &[directory]);
        session.wait_for(fate);
        session.press("q");
        session.end();
    }
    // What is renamed now opens at once, and the version of HEAD with the key for what was before.
    for path in ["edited", "changed"] {
        let mut session = start(&repository, ".", &[path]);
        session.wait_for(&format!("renamed to {path}-to in the "));
        session.wait_for("Enter open the renamed one");
        session.press("\r");
        session.wait_for(&format!("{path}-to @ work tree"));
        session.press("<");
        session.wait_for("Enter open the renamed one");
        session.press(",");
        session.wait_for(&format!("{path} @ HEAD"));
        session.press("q");
        session.end();
    }
    let mut session = start(&repository, ".", &["dir"]);
    session.wait_for("Enter open the renamed one");
    session.press("\r");
    session.wait_for("dir-to/ @ work tree");
    session.press("q");
    session.end();
    // A sparse checkout removes nothing.
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["sparse-checkout", "set", "--cone", "dir"]);
    let ours = run(&repository, &["--file-history", "sub/one"]);
    let note = "note: sub/one was left out of the work tree by a sparse checkout";
    assert!(ours.stderr.contains_str(note), "{}", ours.stderr.as_bstr());
}

#[test]
fn the_viewer_says_what_became_of_it() {
    let repository = repository();
    let cases = [
        (".", "src/old.c:7", "deleted by A U Thor on 2020-09-13", 7),
        ("src", "old.c", "Delete one", 1),
        (".", "src/moved.c", "renamed to src/new.c by A U Thor", 1),
        (".", "src/removed.c", "removed from the work tree", 1),
        (".", "gone/deep/x:3", "deleted by A U Thor", 3),
    ];
    for (directory, word, fate, line) in cases {
        let mut session = start(&repository, directory, &[word]);
        session.wait_for(fate);
        session.wait_for("Enter open");
        session.press("\r");
        session.wait_for(&format!("line {line} of 10"));
        // A step back leads to the answer, and from it to the directory.
        session.press("<");
        session.wait_for(fate);
        session.press("\u{1b}");
        session.wait_for("A people");
        session.press("q");
        assert_eq!(session.end().exit_code(), 0, "{word}");
    }
    let mut session = start(&repository, ".", &["src/old.c"]);
    session.wait_for("deleted by");
    session.press("a");
    session.wait_for("which the commit removed");
    session.press("q");
    session.wait_for("Enter open the version before");
    session.press("\u{1b}");
    session.wait_for("A people");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    // A file that was renamed opens under its name of now.
    let mut session = start(&repository, ".", &["src/moved.c"]);
    session.wait_for(". open the renamed one");
    session.press(".");
    session.wait_for("src/new.c @ work tree");
    session.press("q");
    session.end();
    // A directory opens as one.
    let mut session = start(&repository, ".", &["HEAD", "gone"]);
    session.wait_for("deleted by");
    session.press("\r");
    session.wait_for("gone/ @ before");
    session.wait_for("deep/");
    session.press("q");
    session.end();
}

#[test]
fn a_path_opens_in_its_own_repository() {
    let repository = repository();
    let place = repository.root().join("vendor");
    std::fs::create_dir(&place).expect("there is none yet");
    let inner = TestRepo::below(&place, ObjectFormat::Sha1, "files");
    inner.write(b"sub/inner.c", b"one\ntwo\nthree\n");
    inner.git(&["add", "."]);
    inner.git(&["commit", "-qm", "Inner commit"]);
    let below = inner.root().strip_prefix(repository.root());
    let below = below.expect("it is below").to_str().expect("ASCII");
    let inside = format!("{below}/sub");
    let file = format!("{below}/sub/inner.c:2");
    let absolute = inner.root().join("sub/inner.c");
    let absolute = absolute.to_str().expect("ASCII");
    let outside = "../".repeat(below.split('/').count() + 1) + "src/new.c";
    let cases = [
        (".", file.as_str(), "line 2 of 3"),
        ("src", absolute, "line 1 of 3"),
        (".", below, "sub/"),
        (".", &inside, "inner.c"),
        (&inside, &outside, "line 1 of 10"),
    ];
    for (directory, word, shown) in cases {
        let mut session = start(&repository, directory, &[word]);
        session.wait_for(shown);
        session.wait_for("in another repository: ");
        session.press("q");
        assert_eq!(session.end().exit_code(), 0, "{word}");
    }
    // Where there is none, too; but not where the repository was chosen.
    let elsewhere = tempfile::tempdir().expect("a directory");
    let mut command = tblame_command();
    command.arg(absolute);
    command.cwd(elsewhere.path());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("line 1 of 3");
    session.press("q");
    session.end();
    let mut command = CommandBuilder::new("env");
    command.arg(format!(
        "GIT_DIR={}",
        repository.root().join(".git").display()
    ));
    command.args(tblame_command().get_argv());
    command.arg(absolute);
    command.cwd(repository.root());
    let mut session = Session::run(command, (80, 24));
    assert_eq!(session.end().exit_code(), 128);
    // In a pipe, it is an error of git; what git does not write is of the other repository.
    assert_all_same(&repository, &format!("{below}/sub/inner.c\n{absolute}"));
    let file = format!("{below}/sub/inner.c");
    let place = format!("{file}:2");
    let own = ["-L2,2", "sub/inner.c"];
    let cases: [(&[&str], &[&str]); 7] = [
        (
            &["--file-history", &file],
            &["--file-history", "sub/inner.c"],
        ),
        (
            &["--line-history", "-L2,2", &file],
            &["--line-history", own[0], own[1]],
        ),
        (&["--people", &file], &["--people", "sub/inner.c"]),
        (&["--deletions", &file], &["--deletions", "sub/inner.c"]),
        (&["--why", &place], &["--why", "sub/inner.c:2"]),
        (&["--people", below], &["--people", "."]),
        (&["--tree", "--json", below], &["--tree", "--json", "."]),
    ];
    for (from_outside, from_inside) in cases {
        let outside = run(&repository, from_outside);
        let inside = run(&inner, from_inside);
        let note = outside.stderr.find(b"note: in another repository: ");
        assert!(
            note.is_some(),
            "{from_outside:?}: {}",
            outside.stderr.as_bstr()
        );
        assert!(
            outside.status == Some(0) && inside.status == Some(0),
            "{from_outside:?}"
        );
        if from_outside[0] != "--why" {
            assert_eq!(
                outside.stdout.as_bstr(),
                inside.stdout.as_bstr(),
                "{from_outside:?}"
            );
        }
        assert!(!outside.stdout.is_empty() || from_outside[0] == "--deletions");
    }
}
