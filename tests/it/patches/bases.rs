//! What a patch applies to.

use bstr::ByteSlice;

use super::{bytes, kind, number, records, run};
use crate::{
    harness::{
        program::{ProgramOutput, tblame_program},
        repository::{ObjectFormat, TestRepo},
    },
    json::value::Value,
};

/// Three commits of two files, and a change that is not committed.
fn repository() -> TestRepo {
    repository_of(ObjectFormat::Sha1)
}

fn repository_of(format: ObjectFormat) -> TestRepo {
    let repository = TestRepo::new(format);
    let lines = |changed: &[(usize, &str)]| -> String {
        let line = |at: usize| {
            let changed = changed.iter().find(|(line, _)| *line == at);
            changed.map_or_else(|| format!("line {at}\n"), |(_, text)| format!("{text}\n"))
        };
        (1..=9).map(line).collect()
    };
    for (nth, changed) in [&[][..], &[(3, "three")], &[(3, "three"), (7, "seven")]]
        .iter()
        .enumerate()
    {
        repository.write(b"sub/f", lines(changed).as_bytes());
        repository.write(b"other", format!("{nth}\n").as_bytes());
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", &format!("Commit {nth}")]);
    }
    let changed = [(3, "THREE"), (7, "SEVEN"), (9, "nine")];
    repository.write(b"sub/f", lines(&changed).as_bytes());
    repository
}

/// The path, the line and the summary of each removed line, and how the bases were found.
fn told(records: &[Value]) -> (Vec<(String, u64, String)>, Vec<String>) {
    let (mut lines, mut bases) = (Vec::new(), Vec::new());
    for record in records {
        match kind(record) {
            "removed" => {
                let id = record.get("commit");
                let commit = records
                    .iter()
                    .find(|it| kind(it) == "commit" && it.get("id") == id);
                let summary = bytes(commit.expect("it is written before"), "summary");
                let path = bytes(record, "path").to_str_lossy().into_owned();
                let line = number(record, "line").expect("a line");
                lines.push((path, line, summary.to_str_lossy().into_owned()));
            }
            "base" => bases.push(bytes(record, "foundBy").to_str_lossy().into_owned()),
            _ => {}
        }
    }
    (lines, bases)
}

fn line(line: u64, summary: &str) -> (String, u64, String) {
    ("sub/f".to_owned(), line, summary.to_owned())
}

#[test]
fn the_base_has_the_contents_that_the_patch_names() {
    let repository = repository();
    let expected = [
        line(3, "Commit 1"),
        line(7, "Commit 2"),
        line(9, "Commit 0"),
    ];
    for options in [
        &["diff"][..],
        &["diff", "--no-prefix"],
        &["diff", "--src-prefix=i/", "--dst-prefix=w/"],
        &["diff", "--full-index"],
        &["-C", "sub", "diff", "--relative"],
    ] {
        let mut patch = repository.git(options);
        patch.push(b'\n');
        for directory in ["sub", "."] {
            if directory == "." && options[0] == "-C" {
                continue;
            }
            let mut command = repository.command(tblame_program().as_os_str());
            command.current_dir(repository.root().join(directory));
            let command = command.args(["--patch", "--json"]);
            let output = ProgramOutput::with_input(command, &patch);
            let (lines, bases) = told(&super::records_of(&output.stdout));
            assert_eq!(lines, expected, "{options:?} in {directory}");
            assert_eq!(bases, ["contents"], "{options:?}");
        }
    }
    // A part of the changes is staged: what it replaced is blamed with it, and what it added is not
    // committed.
    repository.git(&["stash", "-q"]);
    let staged = repository.git(&["show", "HEAD:sub/f"]);
    let staged = staged.replace("line 9", "staged");
    repository.write(b"sub/f", &[&staged[..], b"\n"].concat());
    repository.git(&["add", "sub/f"]);
    let unstaged = staged
        .replace("staged", "not staged")
        .replace("three", "THREE");
    repository.write(b"sub/f", &[&unstaged[..], b"\n"].concat());
    let mut patch = repository.git(&["diff"]);
    patch.push(b'\n');
    let (lines, bases) = told(&records(&repository, &[], &patch));
    assert_eq!(lines[0], line(3, "Commit 1"));
    assert_eq!((lines[1].1, bases), (9, vec!["uncommitted".to_owned()]));
}

#[test]
fn older_patches_find_their_base_in_the_history() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let repository = repository_of(format);
        older_patches_find_their_base(&repository);
        repository.git(&["repack", "-a", "-d", "-q"]);
        older_patches_find_their_base(&repository);
    }
}

fn older_patches_find_their_base(repository: &TestRepo) {
    let mut patch = repository.git(&["diff", "HEAD~2", "HEAD~1"]);
    patch.push(b'\n');
    let (lines, bases) = told(&records(repository, &[], &patch));
    assert_eq!(lines[0], ("other".to_owned(), 1, "Commit 0".to_owned()));
    assert_eq!(lines[1], line(3, "Commit 0"));
    assert_eq!(bases, ["contents", "contents"]);
    let mail = repository.git(&["format-patch", "--stdout", "HEAD~2"]);
    let (lines, bases) = told(&records(repository, &[], &mail));
    let summaries: Vec<&str> = lines.iter().map(|(.., summary)| summary.as_str()).collect();
    assert_eq!(summaries, ["Commit 0", "Commit 0", "Commit 1", "Commit 0"]);
    assert_eq!(bases, ["contents"; 4]);
}

/// Lines of `name` in the history of HEAD, which does not have it.
fn gone_paths() -> Vec<(&'static str, TestRepo, Vec<u8>)> {
    let commit = |repository: &TestRepo, name: &str, text: &[u8], message: &str| {
        repository.write(name.as_bytes(), text);
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", message]);
    };
    let begin = || {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        commit(&repository, "f", b"1\n2\n3\n4\n5\n6\n7\n8\n", "First");
        commit(&repository, "f", b"1\ntwo\n3\n4\n5\n6\n7\n8\n", "Second");
        repository
    };
    // A patch of a commit that is not in the history, to the second version.
    let patch = |repository: &TestRepo| {
        repository.write(b"f", b"one\n2!\n3\n4\n5\n6\n7\n8\n");
        let mut patch = repository.git(&["diff"]);
        patch.push(b'\n');
        repository.git(&["checkout", "-q", "f"]);
        patch
    };
    let mut cases = Vec::new();
    for (name, commands) in [
        ("renamed", &[&["mv", "f", "g"][..]][..]),
        ("deleted", &[&["rm", "-q", "f"]]),
    ] {
        let repository = begin();
        let patch = patch(&repository);
        for command in commands {
            repository.git(command);
        }
        repository.git(&["commit", "-q", "-m", name]);
        commit(&repository, "h", b"other\n", "Later");
        cases.push((name, repository, patch));
    }
    let repository = begin();
    let of_old = patch(&repository);
    repository.git(&["mv", "f", "g"]);
    repository.git(&["commit", "-q", "-m", "Away"]);
    commit(&repository, "f", b"another\n", "Again");
    cases.push(("another one at its path", repository, of_old));
    // On a branch whose changes a merge did not take, and that no simplified history has.
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "h", b"other\n", "Root");
    repository.git(&["checkout", "-q", "-b", "side"]);
    commit(&repository, "f", b"1\n2\n3\n4\n5\n6\n7\n8\n", "First");
    commit(&repository, "f", b"1\ntwo\n3\n4\n5\n6\n7\n8\n", "Second");
    let of_side = patch(&repository);
    repository.git(&["checkout", "-q", "main"]);
    commit(&repository, "h", b"more\n", "Main");
    repository.git(&["merge", "-q", "-s", "ours", "-m", "Merge", "side"]);
    cases.push(("not taken by a merge", repository, of_side));
    cases
}

#[test]
fn paths_that_are_gone_are_found_where_they_were() {
    let mut count = 0;
    for (name, repository, patch) in gone_paths() {
        let all = records(&repository, &[], &patch);
        let (lines, bases) = told(&all);
        let line = |line: u64, summary: &str| ("f".to_owned(), line, summary.to_owned());
        assert_eq!(lines, [line(1, "First"), line(2, "Second")], "{name}");
        assert_eq!(bases, ["contents"], "{name}");
        // Limits of the blame say nothing about what the patch applies to.
        let limited = records(&repository, &["--since=1.second", "--first-parent"], &patch);
        assert_eq!(told(&limited).1, ["contents"], "{name}");
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn without_contents_the_base_is_given_or_head() {
    let repository = repository();
    let patch = b"--- a/sub/f\t2026-01-01 00:00:00 +0000\n+++ b/sub/f\n@@ -7 +7 @@\n-seven\n+7\n";
    let (lines, bases) = told(&records(&repository, &[], patch));
    assert_eq!(
        (lines, bases),
        (vec![line(7, "Commit 2")], vec!["head".to_owned()])
    );
    let older = b"--- sub/f.orig\n+++ sub/f\n@@ -7 +7 @@\n-line 7\n+7\n";
    let (lines, bases) = told(&records(&repository, &["--base", "HEAD~1"], older));
    assert_eq!(
        (lines, bases),
        (vec![line(7, "Commit 0")], vec!["given".to_owned()])
    );
    let commit = repository.git_text(&["rev-parse", "HEAD"]);
    let show = [format!("commit {commit}\n\n").as_bytes(), older].concat();
    let (lines, bases) = told(&records(&repository, &[], &show));
    assert_eq!(
        (lines, bases),
        (vec![line(7, "Commit 0")], vec!["commit".to_owned()])
    );
}

#[test]
fn insertions_alone_need_a_known_base() {
    let repository = repository();
    let hunk = "@@ -3,0 +4 @@\n+new\n";
    let gone = "1111111";
    for header in [
        "",
        &format!("diff --git a/sub/f b/sub/f\nindex {gone}..2222222 100644\n"),
    ] {
        let patch = format!("{header}--- a/sub/f\n+++ b/sub/f\n{hunk}");
        let output = run(&repository, &["--json"], patch.as_bytes());
        assert_eq!(output.status, Some(128));
        let records = super::records_of(&output.stdout);
        let kinds: Vec<_> = records.iter().map(kind).collect();
        assert!(
            kinds.contains(&"unapplied") && !kinds.contains(&"neighbour"),
            "{kinds:?}"
        );
        let given = records_of_given(&repository, &patch);
        assert_eq!(given, [Some(3), Some(4)]);
    }
}

/// The lines beside the insertions of a patch of HEAD.
fn records_of_given(repository: &TestRepo, patch: &str) -> Vec<Option<u64>> {
    let records = records(repository, &["--base", "HEAD"], patch.as_bytes());
    let beside = records.iter().filter(|record| kind(record) == "neighbour");
    beside.map(|record| number(record, "line")).collect()
}

#[test]
fn an_ambiguous_id_names_no_contents() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let text = |nth: usize| format!("common\n{nth}\n");
    let names: Vec<String> = (0..1200).map(|nth| format!("try/{nth}")).collect();
    for (nth, name) in names.iter().enumerate() {
        repository.write(name.as_bytes(), text(nth).as_bytes());
    }
    let mut arguments = vec!["hash-object"];
    arguments.extend(names.iter().map(String::as_str));
    let ids = repository.git_text(&arguments);
    let ids: Vec<&str> = ids.lines().collect();
    let alike = (1..ids.len()).find_map(|nth| {
        let earlier = (0..nth).find(|&other| ids[other][..4] == ids[nth][..4])?;
        Some((earlier, nth))
    });
    let (first, last) = alike.expect("two of so many begin alike");
    for version in [text(first), "other\n".to_owned(), text(last)] {
        repository.write(b"f", version.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", "A version"]);
    }
    for (digits, expected) in [(4, "head"), (40, "contents")] {
        let id = &ids[first][..digits];
        let header = format!("diff --git a/f b/f\nindex {id}..2222222 100644\n--- a/f\n+++ b/f\n");
        let patch = format!("{header}@@ -1 +1 @@\n-common\n+new\n");
        let (_, bases) = told(&records(&repository, &[], patch.as_bytes()));
        assert_eq!(bases, [expected]);
    }
}

/// Of a commit that the repository has, or of one that only the submodule has; the old one or the new one is staged.
#[test]
fn commits_of_submodules_have_no_lines() {
    let mut patches = 0;
    for is_stored in [true, false] {
        let repository = repository();
        let [old, new] = if is_stored {
            ["HEAD", "HEAD~1"].map(|name| repository.git_text(&["rev-parse", name]))
        } else {
            ["1", "2"].map(|digit| digit.repeat(40))
        };
        let cacheinfo = |id: &str| format!("160000,{id},module");
        repository.git(&["update-index", "--add", "--cacheinfo", &cacheinfo(&old)]);
        repository.git(&["commit", "-q", "-m", "Module"]);
        repository.git(&["update-index", "--cacheinfo", &cacheinfo(&new)]);
        for options in [&["--cached"][..], &["--cached", "-R"]] {
            let mut patch = repository.git(&[&["diff"], options].concat());
            assert!(
                patch.contains_str("-Subproject commit "),
                "{}",
                patch.as_bstr()
            );
            patch.push(b'\n');
            let (lines, bases) = told(&records(&repository, &[], &patch));
            assert_eq!((lines, bases), (Vec::new(), Vec::new()));
            let shown = run(&repository, &[], &patch);
            assert_eq!(shown.status, Some(0), "{}", shown.stderr.as_bstr());
            assert!(
                shown.stdout.contains_str("\n-Subproject commit "),
                "{}",
                shown.stdout.as_bstr()
            );
            patches += 1;
        }
    }
    assert_eq!(patches, 4);
}

#[test]
fn hunks_that_do_not_apply_are_told_and_passed_through() {
    let repository = repository();
    let hunks = "@@ -3 +3 @@\n-three\n+3\n@@ -5 +5 @@\n-another\n+5\n@@ -90 +90 @@\n-x\n+y\n";
    let patch = format!("Hello\n--- a/sub/f\n+++ b/sub/f\n{hunks}");
    let output = run(&repository, &[], patch.as_bytes());
    assert_eq!(output.status, Some(128));
    let stderr = output.stderr.to_str_lossy();
    assert!(
        stderr.contains("line 7 of the patch: the hunk does not apply: line 5 of the base"),
        "{stderr}"
    );
    assert!(
        stderr.contains("line 10 of the patch: the hunk does not apply: line 90 of the base"),
        "{stderr}"
    );
    assert!(
        stderr.ends_with("fatal: 2 of 3 hunks of the patch do not apply\n"),
        "{stderr}"
    );
    let shown = output.stdout.to_str_lossy();
    for line in patch.lines() {
        assert!(
            shown.lines().any(|it| it.ends_with(line)),
            "{line} is lost:\n{shown}"
        );
    }
    let json = run(&repository, &["--json"], patch.as_bytes());
    let records = super::records_of(&json.stdout);
    let unapplied = records.iter().filter(|record| kind(record) == "unapplied");
    let lines: Vec<_> = unapplied
        .map(|record| number(record, "patchLine"))
        .collect();
    assert_eq!(lines, [Some(7), Some(10)]);
}

#[test]
fn what_is_no_patch_is_an_error_and_passed_through() {
    let repository = repository();
    let output = run(&repository, &[], b"no patch\nat all");
    assert_eq!(output.status, Some(128));
    assert_eq!(output.stdout, b"no patch\nat all");
    assert!(output.stderr.ends_with(b"there is no patch in the input\n"));
    let output = run(&repository, &[], b"");
    assert_eq!((output.status, output.stdout), (Some(0), Vec::new()));
    for (arguments, message) in [
        (
            &["HEAD"][..],
            "--patch takes a range such as A..B, not 'HEAD'",
        ),
        (&["--base", "none"], "bad revision 'none'"),
        (&["-L1,2"], "--patch cannot be used with -L"),
        (&["--people"], "--patch cannot be used with --people"),
        (
            &["--base", "HEAD", "HEAD~1..HEAD"],
            "--base is for a patch on standard input",
        ),
    ] {
        let output = run(&repository, arguments, b"");
        let stderr = output.stderr.to_str_lossy();
        assert_eq!(output.status, Some(128), "{arguments:?} {stderr}");
        assert!(stderr.contains(message), "{arguments:?} {stderr}");
    }
}
