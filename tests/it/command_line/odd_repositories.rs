//! Repositories as no command makes them: git's outcome, or a refusal where git waits without end.

use std::{ffi::OsStr, fs, path::Path};

use crate::harness::{
    command_lines::{assert_all_same, two_commits},
    compare::assert_same,
    faults::run_bounded,
    fifo::make_fifo,
    git::git_program,
    odd_objects::OddObjects,
    program::tblame_program,
    repository::TestRepo,
};

/// Replaces a file by what `make` puts there.
fn replace(repository: &TestRepo, file: &str, make: impl FnOnce(&Path)) {
    let path = repository.root().join(file);
    fs::remove_file(&path).ok();
    fs::create_dir_all(path.parent().expect("it is below the root")).expect("it can be made");
    make(&path);
}

#[test]
fn named_pipes_and_devices_are_refused() {
    let objects = |name: &str| {
        let id = two_commits().git_text(&["rev-parse", name]);
        format!(".git/objects/{}/{}", &id[..2], &id[2..])
    };
    // git waits for a writer at all of them.
    let (commit, blob) = (objects("HEAD"), objects("HEAD:a.txt"));
    let files = [
        ".git/HEAD",
        ".git/config",
        ".git/packed-refs",
        ".git/index",
        ".git/shallow",
        ".git/commondir",
        ".git/MERGE_HEAD",
        ".git/info/grafts",
        ".git/info/attributes",
        ".git/objects/info/alternates",
        ".git/refs/heads/main",
        ".mailmap",
        ".gitattributes",
        "sub/.gitattributes",
        &commit,
        &blob,
    ];
    for file in files {
        for is_device in [false, true] {
            let repository = two_commits();
            replace(&repository, file, |path| {
                if is_device {
                    std::os::unix::fs::symlink("/dev/zero", path).expect("a link")
                } else {
                    make_fifo(path)
                }
            });
            for arguments in [&["HEAD", "--", "sub/b.txt"][..], &["a.txt"]] {
                let mut command = repository.command(tblame_program().as_os_str());
                command.args(arguments);
                let output = run_bounded(command);
                // Some are read for one of the two only.
                assert_eq!(output.signal, None, "{file} {arguments:?}: {output:?}");
                assert!(
                    output.status == Some(0)
                        || output.status == Some(128) && !output.stderr.is_empty(),
                    "{file} {arguments:?}: {output:?}"
                );
            }
        }
    }
    // Commit-graphs and multi-pack-indexes can be done without.
    for (arguments, file) in [
        (
            &["commit-graph", "write", "--reachable"][..],
            "info/commit-graph",
        ),
        (&["multi-pack-index", "write"], "pack/multi-pack-index"),
    ] {
        let repository = two_commits();
        repository.git(&["repack", "-adq"]);
        repository.git(arguments);
        replace(&repository, &format!(".git/objects/{file}"), make_fifo);
        let mut command = repository.command(tblame_program().as_os_str());
        command.args(["HEAD", "--", "a.txt"]);
        let output = run_bounded(command);
        assert_eq!(output.status, Some(0), "{file}: {output:?}");
    }
}

/// A link to `/dev/null` is an empty file.
#[test]
fn the_null_device_is_an_empty_file() {
    let repository = two_commits();
    replace(&repository, ".git/info/attributes", |path| {
        std::os::unix::fs::symlink("/dev/null", path).expect("a link");
    });
    assert_all_same(&repository, "--porcelain HEAD -- a.txt\n--porcelain a.txt");
}

#[test]
fn alternates_may_lead_to_themselves() {
    let line = "--porcelain HEAD -- a.txt\n--porcelain a.txt\n--incremental main~1 -- a.txt";
    for own in ["../objects", "."] {
        let repository = two_commits();
        let alternates = repository.root().join(".git/objects/info/alternates");
        fs::write(&alternates, format!("{own}\n")).expect("it is writable");
        assert_all_same(&repository, line);
    }
    let repository = two_commits();
    let (one, other) = (
        repository.root().join(".git/objects"),
        repository.root().join("../other"),
    );
    fs::create_dir_all(other.join("info")).expect("it can be made");
    for (from, to) in [(&one, &other), (&other, &one)] {
        let line = format!("{}\n", to.display());
        fs::write(from.join("info/alternates"), line).expect("it is writable");
    }
    assert_all_same(&repository, line);
}

#[test]
fn nested_tags_are_followed_to_the_end() {
    let repository = two_commits();
    repository.git(&["tag", "-a", "-m", "x", "nested", "main"]);
    for _ in 0..70 {
        repository.git(&["tag", "-f", "-a", "-m", "x", "nested", "nested"]);
    }
    assert_all_same(
        &repository,
        "--porcelain nested -- a.txt
         --porcelain nested^{} -- a.txt
         --porcelain nested^{commit} -- a.txt
         --porcelain nested~1 -- a.txt
         --porcelain nested~1..nested -- a.txt",
    );
}

#[test]
fn symbolic_references_are_followed_as_far_as_by_git() {
    let repository = two_commits();
    repository.git(&["branch", "s8"]);
    for number in 1..8 {
        let file = repository.root().join(format!(".git/refs/heads/s{number}"));
        fs::write(file, format!("ref: refs/heads/s{}\n", number + 1)).expect("it is writable");
    }
    let file = repository.root().join(".git/refs/heads/self");
    fs::write(file, "ref: refs/heads/self\n").expect("it is writable");
    let lines: Vec<String> = ["s1", "s2", "s3", "s4", "s5", "s8", "self"]
        .iter()
        .map(|name| format!("--porcelain {name} -- a.txt"))
        .collect();
    assert_all_same(&repository, &lines.join("\n"));
}

#[test]
fn malformed_tags_are_refused_in_gits_words() {
    let repository = two_commits();
    let commit = repository.git_text(&["rev-parse", "HEAD"]);
    let mut lines = String::new();
    for (nth, text) in [
        "garbage".to_owned(),
        format!("object {commit}\ntype nonsense\ntag x\n\nx\n"),
        format!("object {commit}\ntype commit\n\nx\n"),
        format!("object {commit}\ntype commit\ntag x\n\nx\n"),
        format!("object {commit}\n"),
    ]
    .iter()
    .enumerate()
    {
        let write = ["hash-object", "-t", "tag", "-w", "--stdin", "--literally"];
        let id = repository.git_with_input(&write, text.as_bytes());
        let file = repository.root().join(format!(".git/refs/tags/t{nth}"));
        fs::write(file, [&id, &b"\n"[..]].concat()).expect("it is writable");
        lines += &format!("--porcelain t{nth} -- a.txt\n");
    }
    assert_all_same(&repository, &lines);
}

#[test]
fn a_directory_in_place_of_packed_refs_is_an_error() {
    let repository = two_commits();
    fs::create_dir(repository.root().join(".git/packed-refs")).expect("there is none");
    assert_all_same(
        &repository,
        "--porcelain HEAD -- a.txt\n--porcelain nowhere -- a.txt",
    );
}

/// git believes an index, for every kind of object. Here an exchanged one is an error, and the answer git's where it is not read.
#[test]
fn swapped_offsets_of_an_index_give_gits_answer_or_an_error() {
    let repository = two_commits();
    repository.git(&["repack", "-adq"]);
    repository.git(&["prune-packed"]);
    let pack = repository.root().join(".git/objects/pack");
    let files = fs::read_dir(&pack).expect("it is readable");
    let files = files.map(|file| file.expect("it is readable").path());
    let (mut indexes, others): (Vec<_>, Vec<_>) =
        files.partition(|path| path.extension().is_some_and(|end| end == "idx"));
    let index = indexes.pop().expect("there is one pack");
    for path in others {
        if path.extension().is_some_and(|end| end == "rev") {
            fs::remove_file(path).expect("it is one's own");
        }
    }
    let pristine = fs::read(&index).expect("it is readable");
    fs::remove_file(&index).expect("it is one's own");
    // A header of 8 bytes, 256 counts, ids, checksums and offsets.
    let count = u32::from_be_bytes(pristine[1028..1032].try_into().expect("four bytes")) as usize;
    let offset = |object: usize| 1032 + count * 24 + object * 4;
    let (mut same, mut errors) = (0, 0);
    for one in 0..count {
        for other in 0..one {
            let mut bytes = pristine.clone();
            for at in 0..4 {
                bytes.swap(offset(one) + at, offset(other) + at);
            }
            fs::write(&index, &bytes).expect("it is writable");
            let blame = |program: &OsStr, first: &[&str]| {
                let mut command = repository.command(program);
                command.args(first);
                command.args(["--porcelain", "HEAD", "--", "a.txt"]);
                run_bounded(command)
            };
            let tblame = blame(tblame_program().as_os_str(), &[]);
            match tblame.status {
                Some(128) if !tblame.stderr.is_empty() => errors += 1,
                _ => {
                    // Only then, as git does not end for some of the others.
                    let git = blame(git_program(), &["blame"]);
                    assert_eq!(tblame.status, git.status, "{one} {other}: {tblame:?}");
                    assert_eq!(tblame.stdout, git.stdout, "{one} {other}: {tblame:?}");
                    same += 1;
                }
            }
        }
    }
    assert!(same > 0 && errors > 10, "{same} as git, {errors} errors");
}

/// git goes on without such a parent.
#[test]
fn malformed_parents_are_no_parents() {
    let repository = two_commits();
    let (first, second) = (
        repository.git_text(&["rev-parse", "main~1"]),
        repository.git_text(&["rev-parse", "main"]),
    );
    let tree = repository.git_text(&["rev-parse", "main^{tree}"]);
    let objects = OddObjects::new(&repository);
    let people =
        "author A <a@example.com> 1700000000 +0000\ncommitter A <a@example.com> 1700000000 +0000\n";
    let tree_line = format!("tree {tree}\n");
    let no_id = "z".repeat(40);
    let heads = [
        format!("{tree_line}parent {no_id}\n"),
        format!("{tree_line}parent {second}\nparent {no_id}\n"),
        format!("{tree_line}parent {no_id}\nparent {second}\n"),
        format!("{tree_line}parent {}\n", &second[..39]),
        format!("{tree_line}parent {second}0\n"),
        format!("{tree_line}parent {second}\r\n"),
        format!("{tree_line}parent  {second}\n"),
        format!("{tree_line}parent \n"),
        format!("{tree_line}parent{second}\n"),
        format!("{tree_line}\nparent {second}\n"),
        format!("{tree_line}parent {}\n", second.to_uppercase()),
        format!("{tree_line}parent {second}\nother\nparent {first}\n"),
        format!("tree {no_id}\nparent {second}\n"),
        format!("tree {tree}0\nparent {second}\n"),
        format!("parent {second}\n{tree_line}"),
    ];
    let mut without_parent = 0;
    for head in heads {
        let odd = objects.write("commit", format!("{head}{people}\nodd\n").as_bytes());
        let child = format!("{tree_line}parent {odd}\nparent {first}\n{people}\nchild\n");
        let child = objects.write("commit", child.as_bytes()).to_string();
        let only = format!("{tree_line}parent {odd}\n{people}\nonly\n");
        let only = objects.write("commit", only.as_bytes()).to_string();
        for arguments in [
            &["--porcelain", &child, "--", "a.txt"][..],
            &["--incremental", &only, "--", "a.txt"],
            &["-s", "-C", "-C", &child, "--", "a.txt"],
            &["-s", "--first-parent", &only, "--", "a.txt"],
            &["-s", "--since=2000-01-01", &child, "--", "a.txt"],
        ] {
            let output = assert_same(&repository, arguments);
            assert_eq!(output.status, Some(0), "{head}");
            without_parent += usize::from(!output.stderr.is_empty());
        }
    }
    assert!(without_parent > 50, "{without_parent}");
}
