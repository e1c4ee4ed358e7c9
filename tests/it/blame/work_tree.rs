//! What is not committed yet: the work tree, the index, an unfinished merge, `--contents`.

use std::{
    ffi::OsStr,
    os::unix::{ffi::OsStrExt, fs::symlink},
};

use crate::harness::compare::{assert_same, assert_same_in};
use crate::harness::named_history::{DELETED, HistoryBuilder, NamedHistory};

/// a ─ b; `f` has four lines of which `b` brought the third.
fn checked_out() -> NamedHistory {
    let fixture = HistoryBuilder::default()
        .commit(
            "a",
            1_600_000_000,
            &[],
            &[
                ("f", "one\ntwo\nfour\n"),
                ("dir/g", "g\n"),
                ("other", "o\n"),
            ],
        )
        .commit(
            "b",
            1_600_000_100,
            &["a"],
            &[("f", "one\ntwo\nthree\nfour\n")],
        )
        .build();
    fixture.repository.git(&["reset", "-q", "--hard"]);
    fixture
}

#[test]
fn changed_lines_are_not_committed_yet() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    assert_eq!(fixture.lines(&["f"]), "^a ^a b ^a");
    repository.write(b"f", b"one\n2\nthree\nfour\nnew");
    assert_eq!(fixture.lines(&["f"]), "^a uncommitted b ^a uncommitted");
    assert_eq!(
        fixture.order(&["f"]),
        "uncommitted:2 uncommitted:5 b:3 a:1 a:4"
    );
    repository.git(&["add", "f"]);
    assert_eq!(fixture.lines(&["f"]), "^a uncommitted b ^a uncommitted");
    repository.write(b"f", b"one\ntwo\nthree\nfour\n");
    assert_eq!(fixture.lines(&["f"]), "^a ^a b ^a");
    // The revision's file, whatever the work tree has.
    assert_eq!(fixture.lines(&["HEAD", "--", "f"]), "^a ^a b ^a");
    repository.write(b"f", b"");
    assert_eq!(fixture.lines(&["f"]), "");
    // Negative revisions alone leave the work tree in place.
    repository.write(b"f", b"one\ntwo\nthree\nfour\nnew\n");
    fixture.lines(&["^a", "--", "f"]);
}

#[test]
fn only_a_staged_rename_is_followed() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    std::fs::rename(repository.root().join("f"), repository.root().join("new")).expect("renamed");
    assert_eq!(fixture.error(&["new"]), "fatal: no such path 'new' in HEAD");
    fixture.error(&["f"]);
    repository.git(&["add", "-A"]);
    assert_eq!(fixture.lines(&["new"]), "^a:f ^a:f b:f ^a:f");
    fixture.error(&["f"]);
}

#[test]
fn what_the_index_says_about_the_file() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    // Intent to add: the path is known, its lines are new.
    repository.write(b"intent", b"x\n");
    fixture.error(&["intent"]);
    repository.git(&["add", "-N", "intent"]);
    assert_eq!(fixture.lines(&["intent"]), "uncommitted");
    repository.write(b"added", b"x\n");
    repository.git(&["add", "added"]);
    assert_eq!(fixture.lines(&["added"]), "uncommitted");
    // Missing from the index alone.
    repository.git(&["rm", "-q", "--cached", "f"]);
    assert_eq!(fixture.lines(&["f"]), "^a ^a b ^a");
    // Missing from the work tree, or something else there.
    std::fs::remove_file(repository.root().join("f")).expect("it is there");
    fixture.error(&["f"]);
    std::fs::create_dir(repository.root().join("f")).expect("there is nothing");
    fixture.error(&["f"]);
}

/// Text of another file is found by `-C` once that file's change is staged.
#[test]
fn copies_come_from_what_is_staged() {
    let block = "a long line that is moved to another file, with letters enough\n";
    let fixture = HistoryBuilder::default()
        .commit("a", 1, &[], &[("f", "f\n"), ("g", &format!("g\n{block}"))])
        .build();
    let repository = &fixture.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.write(b"f", format!("f\n{block}").as_bytes());
    repository.write(b"g", b"g\n");
    assert_eq!(fixture.lines(&["-C", "f"]), "^a uncommitted");
    repository.git(&["add", "g"]);
    assert_eq!(fixture.lines(&["-C", "f"]), "^a ^a:g");
}

#[test]
fn symbolic_links_are_blamed_as_their_target() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    symlink("f", repository.root().join("link")).expect("it is made");
    repository.git(&["add", "link"]);
    assert_eq!(fixture.lines(&["link"]), "uncommitted");
    repository.git(&["commit", "-q", "-m", "link"]);
    fixture.lines(&["link"]);
    // A regular file of the same text is not the same.
    std::fs::remove_file(repository.root().join("link")).expect("it is there");
    repository.write(b"link", b"f");
    assert_eq!(fixture.lines(&["link"]), "uncommitted");
    // A link where the commit has a file.
    std::fs::remove_file(repository.root().join("f")).expect("it is there");
    symlink("nowhere", repository.root().join("f")).expect("it is made");
    assert_eq!(fixture.lines(&["f"]), "uncommitted");
}

#[test]
fn line_ends_and_filters_are_applied_before_comparing() {
    for setting in ["true", "input"] {
        let fixture = checked_out();
        let repository = &fixture.repository;
        repository.git(&["config", "core.autocrlf", setting]);
        repository.write(b"f", b"one\r\ntwo\r\nthree\r\nfour\r\n");
        assert_eq!(fixture.lines(&["f"]), "^a ^a b ^a");
    }
    for attributes in [
        "f text",
        "f text eol=crlf",
        "f -text",
        "f text=auto",
        "* eol=lf",
    ] {
        let fixture = checked_out();
        let repository = &fixture.repository;
        repository.write(b".gitattributes", attributes.as_bytes());
        repository.write(b"f", b"one\r\ntwo\r\nthree\r\nfour\r\n");
        fixture.lines(&["f"]);
    }
    let fixture = checked_out();
    let repository = &fixture.repository;
    repository.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    repository.write(b".gitattributes", b"f filter=upper\n");
    fixture.lines(&["f"]);
    repository.write(b".gitattributes", b"f ident\n");
    repository.write(b"f", b"one\n$Id: 0123456789 $\nthree\nfour\n");
    fixture.lines(&["f"]);
    repository.write(b".gitattributes", b"f working-tree-encoding=UTF-16LE\n");
    let utf16: Vec<u8> = "one\ntwo\nDREI\nfour\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    repository.write(b"f", &utf16);
    fixture.lines(&["f"]);
}

/// A file with a CRLF in the index keeps it under autocrlf.
#[test]
fn a_committed_carriage_return_is_kept() {
    let fixture = HistoryBuilder::default()
        .commit(
            "a",
            1,
            &[],
            &[("f", "one\r\ntwo\r\n"), ("mixed", "one\r\ntwo\n")],
        )
        .build();
    let repository = &fixture.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["config", "core.autocrlf", "true"]);
    fixture.lines(&["f"]);
    fixture.lines(&["mixed"]);
    repository.write(b"f", b"one\r\nnew\r\n");
    fixture.lines(&["f"]);
}

/// ```text
/// root ─┬─ ours
///       └─ theirs, being merged with a conflict
/// ```
fn conflict(ours: &str, theirs: &str) -> NamedHistory {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "one\ntwo\nthree\n")])
        .commit("theirs", 2, &["root"], &[("f", theirs), ("t", "t\n")])
        .commit("ours", 3, &["root"], &[("f", ours)])
        .build();
    let repository = &fixture.repository;
    repository.git(&["reset", "-q", "--hard"]);
    let mut merge = repository.command("git".as_ref());
    let merge = merge
        .args(["merge", "-q", "theirs"])
        .output()
        .expect("git runs");
    assert!(!merge.status.success(), "there is no conflict");
    fixture
}

#[test]
fn an_unfinished_merge_has_two_parents() {
    let fixture = conflict("one\nOURS\nthree\n", "one\nTHEIRS\nthree\n");
    let head = "^root uncommitted ours uncommitted";
    assert_eq!(
        fixture.lines(&["f"]),
        format!("{head} theirs uncommitted ^root")
    );
    assert_eq!(
        fixture.lines(&["--first-parent", "f"]),
        format!("{head} uncommitted uncommitted ^root")
    );
    fixture.lines(&["t"]);
    let repository = &fixture.repository;
    repository.write(b"contents", b"one\nTHEIRS\nthree\n");
    fixture.lines(&["--contents", "contents", "f"]);
    fixture.lines(&["--contents", "contents", "root", "--", "f"]);
    repository.git(&["add", "f"]);
    fixture.lines(&["f"]);
    let head = std::fs::read(repository.root().join(".git/MERGE_HEAD")).expect("a merge");
    repository.write(b".git/MERGE_HEAD", &[&head[..], b"junk\n"].concat());
    fixture.error(&["f"]);
    fixture.lines(&["HEAD", "--", "f"]);
    // git reads nothing from a directory.
    let file = repository.root().join(".git/MERGE_HEAD");
    std::fs::remove_file(&file).expect("it is there");
    std::fs::create_dir(&file).expect("it was removed");
    assert!(!fixture.lines(&["f"]).contains("theirs"));
    fixture.lines(&["--contents", "contents", "f"]);
}

#[test]
fn a_file_that_one_side_deleted_can_be_blamed() {
    for (ours, theirs) in [
        (DELETED, "one\nTHEIRS\nthree\n"),
        ("one\nOURS\nthree\n", DELETED),
    ] {
        let fixture = conflict(ours, theirs);
        fixture.lines(&["f"]);
    }
}

#[test]
fn contents_can_come_from_elsewhere() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    repository.write(b"../outside", b"one\ntwo\nTHREE\n");
    repository.write(b"dir/inside", b"zero\none\n");
    for arguments in [
        &["--contents", "../outside", "f"][..],
        &["--contents", "dir/inside", "f"],
        &["--contents", "../outside", "a", "--", "f"],
        &["--contents", "/dev/null", "f"],
        &["--contents=dir/inside", "--no-contents", "f"],
        &["--contents", "../outside", "-L2,2", "HEAD~1", "--", "f"],
    ] {
        fixture.lines(arguments);
    }
    for arguments in [
        &["--contents", "missing", "f"][..],
        &["--contents", "../outside", "nosuch"],
        &["--contents", "dir", "f"],
        &["--contents", "../outside", "--reverse", "a..b", "--", "f"],
    ] {
        fixture.error(arguments);
    }
    // The name is looked for from the root of the work tree.
    let below = repository.root().join("dir");
    assert_same_in(repository, &below, &[], &["--contents", "dir/inside", "g"]);
    assert_same_in(repository, &below, &[], &["--contents", "inside", "g"]);
}

#[test]
fn paths_are_relative_to_the_directory() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    let below = repository.root().join("dir");
    let absolute = repository.root().join("f").display().to_string();
    for path in [
        "g",
        "../f",
        "./g",
        "..//dir/./g",
        &absolute,
        "f",
        "../../x",
        "",
        ".",
        "..",
        "g/",
    ] {
        assert_same_in(repository, &below, &[], &["--", path]);
        assert_same_in(repository, &below, &[], &["-f", "HEAD", "--", path]);
    }
    let git = repository.root().join(".git");
    assert_same_in(repository, &git, &[], &["HEAD", "--", "f"]);
    assert_same_in(repository, &git, &[], &["f"]);
    let elsewhere = repository.root().join("..");
    let directory = git.display().to_string();
    let root = repository.root().display().to_string();
    let environments: [&[(&str, &str)]; 3] = [
        &[("GIT_DIR", &directory), ("GIT_WORK_TREE", &root)],
        &[("GIT_DIR", &directory)],
        &[],
    ];
    for environment in environments {
        for arguments in [&["HEAD", "--", "f"][..], &["--", "repo/f"], &["--", "f"]] {
            assert_same_in(repository, &elsewhere, environment, arguments);
        }
    }
}

#[test]
fn a_bare_repository_is_blamed_at_head() {
    let fixture = checked_out();
    fixture.repository.git(&["config", "core.bare", "true"]);
    for arguments in [
        &["f"][..],
        &["HEAD", "f"],
        &["f", "b"],
        &["HEAD"],
        &["^a", "f"],
        &["nosuch"],
        &["HEAD", "nosuch"],
    ] {
        assert_same_in(
            &fixture.repository,
            &fixture.repository.root().join(".git"),
            &[],
            arguments,
        );
    }
}

#[test]
fn linked_work_trees_have_their_own_head() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    repository.git(&["worktree", "add", "-q", "../linked", "a"]);
    repository.write(b"../linked/f", b"one\nzwei\nfour\n");
    let linked = repository.root().join("../linked");
    for arguments in [&["f"][..], &["HEAD", "--", "f"], &["main", "--", "f"]] {
        for format in ["--porcelain", "--incremental", "-s"] {
            assert_same_in(repository, &linked, &[], &[&[format], arguments].concat());
        }
    }
}

#[test]
fn an_unborn_branch_is_an_error() {
    let fixture = checked_out();
    fixture
        .repository
        .git(&["symbolic-ref", "HEAD", "refs/heads/unborn"]);
    for arguments in [&["f"][..], &["HEAD", "--", "f"], &["--contents", "f", "f"]] {
        fixture.error(arguments);
    }
    assert_same(&fixture.repository, &["main", "--", "f"]);
}

#[test]
fn textconv_changes_what_is_blamed() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    repository.git(&["config", "diff.upper.textconv", "tr a-z A-Z <"]);
    repository.write(b".gitattributes", b"f diff=upper\n");
    repository.write(b"f", b"ONE\ntwo\nthree\nnew\n");
    for arguments in [&["f"][..], &["HEAD", "--", "f"], &["--no-textconv", "f"]] {
        fixture.lines(arguments);
    }
}

/// Submodules are no files.
#[test]
fn a_submodule_cannot_be_blamed() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    let entry = format!("160000,{},module", fixture.id("a"));
    repository.git(&["update-index", "--add", "--cacheinfo", &entry]);
    repository.git(&["commit", "-q", "-m", "module"]);
    fixture.error(&["HEAD", "--", "module"]);
    fixture.error(&["module"]);
    std::fs::create_dir_all(repository.root().join("module")).expect("it is made");
    fixture.error(&["module"]);
    fixture.lines(&["-C", "-C", "-C", "HEAD", "--", "f"]);
}

/// Its summary names the file and where its contents come from.
#[test]
fn the_text_of_uncommitted_lines_is_a_commits() {
    let fixture = checked_out();
    let repository = &fixture.repository;
    let paths: [&[u8]; 7] = [
        b"\nf",
        b"f\n",
        b"f \n g",
        b"f\r\ng",
        "ü".as_bytes(),
        b"\xfc",
        b"{@}",
    ];
    for path in paths {
        repository.write(path, b"one\n");
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", "odd"]);
        repository.write(path, b"one\ntwo\n");
        let path = OsStr::from_bytes(path);
        let standard_input = [OsStr::new("--contents"), OsStr::new("-")];
        let file = [OsStr::new("--contents"), path];
        for contents in [&[][..], &standard_input, &file] {
            for encoding in [
                "UTF-8",
                "none",
                "ISO-8859-1",
                "ISO-2022-JP",
                "UTF-16",
                "nosuch",
            ] {
                let encoding = format!("--encoding={encoding}");
                let mut arguments = vec![OsStr::new("--porcelain"), OsStr::new(&encoding)];
                arguments.extend(contents);
                arguments.extend([OsStr::new("--"), path]);
                let output = assert_same(repository, &arguments);
                assert_eq!(output.status, Some(0), "{path:?}");
            }
        }
    }
}
