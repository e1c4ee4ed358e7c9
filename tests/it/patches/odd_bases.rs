//! Bases of patches whose contents, names or texts are not those of a commit at the path.

use std::collections::BTreeMap;

use bstr::ByteSlice;

use super::{
    bytes, kind, number, records,
    removed::{Blame, blame_of_git},
    run,
};
use crate::{
    harness::repository::{ObjectFormat, TestRepo},
    json::{schema::records_of, value::Value},
};

fn commit(repository: &TestRepo, files: &[(&str, &str)], message: &str) {
    for (name, text) in files {
        repository.write(name.as_bytes(), text.as_bytes());
    }
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", message]);
}

fn patch_of(repository: &TestRepo, arguments: &[&str]) -> Vec<u8> {
    [repository.git(arguments), b"\n".to_vec()].concat()
}

fn text(record: &Value, key: &str) -> String {
    bytes(record, key).to_str_lossy().into_owned()
}

/// Compares the old lines of a patch with git's blames of the bases of its sides, which these
/// arguments are for, and returns how many were compared.
fn compare(
    repository: &TestRepo,
    records: &[Value],
    base_of: impl Fn(u64) -> (Vec<&'static str>, &'static str, String),
) -> usize {
    let mut known: BTreeMap<u64, Blame> = BTreeMap::new();
    let mut compared = 0;
    for record in records {
        if !["removed", "neighbour"].contains(&kind(record)) {
            continue;
        }
        let parent = number(record, "parent").unwrap_or(1);
        let (options, base, path) = base_of(parent);
        assert_eq!(text(record, "path"), path);
        let blame = known
            .entry(parent)
            .or_insert_with(|| blame_of_git(repository, &options, base, path.as_bytes()));
        let line = number(record, "line").expect("a line");
        let original = number(record, "originalLine").expect("a line");
        assert_eq!(
            Some(&(text(record, "commit"), original)),
            blame.get(&line),
            "{path}:{line}"
        );
        compared += 1;
    }
    compared
}

#[test]
fn contents_that_no_commit_has_leave_head_and_are_told() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, &[("f", "1\n2\n3\n")], "First");
    commit(&repository, &[("f", "1\ntwo\n3\n")], "Second");
    repository.write(b"other", b"0\ntwo\n");
    let stored = repository.git_text(&["hash-object", "-w", "other"]);
    let nowhere = "1234567".to_owned();
    for (id, why) in [
        (stored, "were not found in its history"),
        (nowhere, "are not in the repository"),
    ] {
        let header = format!("diff --git a/f b/f\nindex {id}..2222222 100644\n--- a/f\n+++ b/f\n");
        let stands = format!("{header}@@ -2 +2 @@\n-two\n+2\n");
        let found = records(&repository, &[], stands.as_bytes());
        let base_of = |_| (Vec::new(), "HEAD", "f".to_owned());
        assert_eq!(compare(&repository, &found, base_of), 1);
        let base = found.iter().find(|it| kind(it) == "base").expect("a base");
        assert_eq!(text(base, "foundBy"), "head");
        let shown = run(&repository, &[], stands.as_bytes());
        let words = format!("HEAD: the contents that the patch names {why}\n");
        assert!(
            shown.stdout.contains_str(&words),
            "{}",
            shown.stdout.as_bstr()
        );

        let other = format!("{header}@@ -2 +2 @@\n-2\n+3\n");
        let output = run(&repository, &["--json"], other.as_bytes());
        assert_eq!(output.status, Some(128));
        let words =
            format!("line 2 of HEAD is another one, and the contents that the patch names {why}");
        assert!(
            output.stderr.contains_str(&words),
            "{}",
            output.stderr.as_bstr()
        );
        let lines = records_of(&output.stdout);
        assert!(lines.iter().all(|it| kind(it) != "removed"));
    }
}

/// Twenty lines, of which these are other ones.
fn lines(changed: &[(usize, &str)]) -> String {
    let line = |at: usize| {
        let changed = changed.iter().find(|(line, _)| *line == at);
        changed.map_or_else(|| format!("line {at}\n"), |(_, text)| format!("{text}\n"))
    };
    (1..=20).map(line).collect()
}

/// Compares the patches of `git diff --ours` and so on with these bases, and returns how many lines were
/// compared.
fn compare_sides(repository: &TestRepo, sides: [(&str, &'static str, &str); 3]) -> usize {
    let mut compared = 0;
    for (option, base, path) in sides {
        let patch = patch_of(repository, &["diff", option]);
        assert!(
            patch.contains_str("diff --git a/new b/new\n"),
            "{}",
            patch.as_bstr()
        );
        let found = records(repository, &[], &patch);
        let found_by = found.iter().find(|it| kind(it) == "base");
        assert_eq!(text(found_by.expect("a base"), "foundBy"), "contents");
        compared += compare(repository, &found, |_| (Vec::new(), base, path.to_owned()));
    }
    compared
}

#[test]
fn conflicts_of_picked_and_reverted_commits_have_the_lines_of_what_they_compare() {
    let mut compared = 0;
    for command in [
        &["cherry-pick", "theirs"][..],
        &["rebase", "main", "theirs"],
        &["revert", "HEAD~1"],
    ] {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        commit(&repository, &[("old", &lines(&[]))], "First");
        repository.git(&["checkout", "-q", "-b", "theirs"]);
        let between = (15, "between");
        commit(&repository, &[("old", &lines(&[between]))], "Between");
        let theirs = lines(&[between, (5, "theirs"), (12, "twelve")]);
        commit(&repository, &[("old", &theirs)], "Theirs");
        repository.git(&["checkout", "-q", "main"]);
        commit(&repository, &[("old", &lines(&[(5, "changed")]))], "Change");
        repository.git(&["mv", "old", "new"]);
        commit(&repository, &[("new", &lines(&[(5, "ours")]))], "Ours");
        assert!(!repository.git_output(command, b"").status.success());
        repository.write(
            b"new",
            lines(&[(5, "both"), (12, "12"), (15, "15")]).as_bytes(),
        );
        let (base, theirs) = match command[0] {
            "cherry-pick" => ("CHERRY_PICK_HEAD^", "CHERRY_PICK_HEAD"),
            "rebase" => ("REBASE_HEAD^", "REBASE_HEAD"),
            _ => ("REVERT_HEAD", "REVERT_HEAD^"),
        };
        let (ours, base, theirs) = (
            ("--ours", "HEAD", "new"),
            ("--base", base, "old"),
            ("--theirs", theirs, "old"),
        );
        compared += compare_sides(&repository, [ours, base, theirs]);
    }
    assert_eq!(compared, 27);
}

#[test]
fn conflicts_of_renamed_files_have_the_lines_of_both_sides() {
    let mut compared = 0;
    for ours_renames in [true, false] {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        commit(&repository, &[("old", &lines(&[]))], "First");
        repository.git(&["checkout", "-q", "-b", "theirs"]);
        if !ours_renames {
            repository.git(&["mv", "old", "new"]);
        }
        let name = if ours_renames { "old" } else { "new" };
        commit(
            &repository,
            &[(name, &lines(&[(5, "theirs"), (12, "twelve")]))],
            "Theirs",
        );
        repository.git(&["checkout", "-q", "main"]);
        if ours_renames {
            repository.git(&["mv", "old", "new"]);
        }
        let name = if ours_renames { "new" } else { "old" };
        commit(&repository, &[(name, &lines(&[(5, "ours")]))], "Ours");
        let merged = repository.git_output(&["merge", "theirs"], b"");
        assert!(!merged.status.success());
        repository.write(b"new", lines(&[(5, "both"), (12, "12")]).as_bytes());
        let patch = patch_of(&repository, &["diff"]);
        assert!(patch.contains_str("diff --cc new\n"), "{}", patch.as_bstr());
        let found = records(&repository, &[], &patch);
        compared += compare(&repository, &found, |parent| {
            let (base, renames) = match parent {
                1 => ("HEAD", ours_renames),
                _ => ("MERGE_HEAD", !ours_renames),
            };
            (
                Vec::new(),
                base,
                if renames { "new" } else { "old" }.to_owned(),
            )
        });
        let parents: Vec<_> = found
            .iter()
            .filter(|it| kind(it) == "base")
            .map(|it| number(it, "parent"))
            .collect();
        assert_eq!(parents, [Some(1), Some(2)]);
        let name = |renames| if renames { "new" } else { "old" };
        compared += compare_sides(
            &repository,
            [
                ("--ours", "HEAD", name(ours_renames)),
                ("--base", "main~1", "old"),
                ("--theirs", "MERGE_HEAD", name(!ours_renames)),
            ],
        );
    }
    assert!(compared >= 18, "{compared}");
}

/// The side that a merge renames a file of has another one with the same contents, which stays.
#[test]
fn of_files_with_the_same_contents_the_renamed_one_is_the_base() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, &[("other", "1\n")], "First");
    repository.git(&["checkout", "-q", "-b", "theirs"]);
    let text = lines(&[]);
    commit(&repository, &[("copy", &text), ("sub/old", "2\n")], "Copy");
    commit(&repository, &[("sub/old", &text)], "Theirs");
    repository.git(&["checkout", "-q", "main"]);
    commit(&repository, &[("other", "1!\n")], "Ours");
    repository.git(&["merge", "-q", "--no-commit", "theirs"]);
    repository.git(&["mv", "sub/old", "new"]);
    commit(&repository, &[("new", &lines(&[(5, "five")]))], "Merge");
    let mut compared = 0;
    for context in ["-U0", "-U3"] {
        let patch = patch_of(&repository, &["show", "--cc", context, "HEAD"]);
        assert!(
            patch.contains_str("mode 000000,100644..100644"),
            "{}",
            patch.as_bstr()
        );
        let found = records(&repository, &[], &patch);
        compared += compare(&repository, &found, |_| {
            (Vec::new(), "HEAD^2", "sub/old".to_owned())
        });
    }
    assert_eq!(compared, 2);
}

/// Files with a text conversion, changed by the last commit.
fn converted_files(conversion: &str) -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.git(&["config", "diff.own.textconv", conversion]);
    let attributes = (".gitattributes", "*.t diff=own\n");
    commit(
        &repository,
        &[attributes, ("a.t", "a\nb\nc\n"), ("b", "1\n2\n")],
        "First",
    );
    commit(
        &repository,
        &[("a.t", "a\nbee\nc\n"), ("b", "1\ntwo\n")],
        "Second",
    );
    commit(
        &repository,
        &[("a.t", "A\nbee!\nc\n"), ("b", "1\n2!\n")],
        "Third",
    );
    repository
}

#[test]
fn patches_of_converted_and_of_stored_texts_apply() {
    let repository = converted_files("sed s/^/text:/");
    for (arguments, options) in [
        (&["format-patch", "--stdout", "HEAD~1"][..], "--no-textconv"),
        (
            &["diff", "--no-textconv", "HEAD~1", "HEAD"],
            "--no-textconv",
        ),
        (&["diff", "HEAD~1", "HEAD"], "--textconv"),
    ] {
        let found = records(&repository, &[], &patch_of(&repository, arguments));
        let (of_a, of_b): (Vec<Value>, Vec<Value>) = found
            .into_iter()
            .filter(|it| kind(it) == "removed")
            .partition(|it| text(it, "path") == "a.t");
        let counts = [(of_a, "a.t"), (of_b, "b")].map(|(records, path)| {
            compare(&repository, &records, |_| {
                (vec![options], "HEAD~1", path.to_owned())
            })
        });
        assert_eq!(counts, [2, 1], "{arguments:?}");
    }
    // Lines of which text an insertion alone is between cannot be told.
    commit(&repository, &[("a.t", "A\nnew\nbee!\nc\n")], "Fourth");
    let patch = patch_of(&repository, &["diff", "-U0", "HEAD~1", "HEAD"]);
    let output = run(&repository, &["--json"], &patch);
    assert_eq!(output.status, Some(128));
    assert!(
        output
            .stderr
            .contains_str("the file has a text conversion, and no line tells"),
        "{}",
        output.stderr.as_bstr()
    );
}

#[test]
fn a_conversion_that_fails_leaves_the_rest_of_the_patch() {
    let repository = converted_files("false");
    let patch = patch_of(&repository, &["format-patch", "--stdout", "HEAD~1"]);
    let found = records(&repository, &[], &patch);
    assert_eq!(found.iter().filter(|it| kind(it) == "removed").count(), 3);
    let of_other = patch.replace("-bee\n", "-wasp\n");
    let output = run(&repository, &["--json"], &of_other);
    assert_eq!(output.status, Some(128), "{}", output.stderr.as_bstr());
    assert!(
        output
            .stderr
            .contains_str("fatal: 1 of 2 hunks of the patch do not apply"),
        "{}",
        output.stderr.as_bstr()
    );
    let found = records_of(&output.stdout);
    let removed = found.iter().filter(|it| kind(it) == "removed");
    let paths: Vec<String> = removed.map(|it| text(it, "path")).collect();
    assert_eq!(paths, ["b"]);
}

#[test]
fn staged_contents_are_not_converted_again() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.git(&["config", "core.autocrlf", "false"]);
    commit(&repository, &[("f", "1\r\n2\r\n3\r\n")], "First");
    repository.write(b"f", b"1\r\ntwo\r\n3\r\n");
    repository.git(&["add", "f"]);
    repository.git(&["config", "core.autocrlf", "true"]);
    repository.write(b"f", b"one\r\n2!\r\n3\r\n");
    let patch = patch_of(&repository, &["diff"]);
    let found = records(&repository, &[], &patch);
    let removed = found.iter().filter(|it| kind(it) == "removed");
    let commits: Vec<String> = removed.map(|it| text(it, "commit")).collect();
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    assert_eq!(commits, [head, "0".repeat(40)], "{}", patch.as_bstr());
}

#[test]
fn prefixes_of_several_directories_are_told_from_paths() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(
        &repository,
        &[("sub/deep/f", "1\n2\n3\n"), ("y/sub/deep/g", "-\n")],
        "First",
    );
    commit(&repository, &[("sub/deep/f", "1\ntwo\n3\n")], "Second");
    commit(&repository, &[("sub/deep/f", "1\ntwo\nthree\n")], "Third");
    let mut compared = 0;
    for prefixes in [
        &["--src-prefix=x/y/"][..],
        &["--dst-prefix=x/y/"],
        &["--src-prefix=x/y/", "--dst-prefix=x/z/"],
        &["--src-prefix=x/y/", "--dst-prefix=x/y/"],
        &["--src-prefix=x/y/z/", "--dst-prefix=w/"],
    ] {
        for (old, new) in [("HEAD~2", "HEAD~1"), ("HEAD~1", "HEAD"), ("HEAD", "HEAD~1")] {
            let patch = patch_of(&repository, &[&["diff"], prefixes, &[old, new]].concat());
            let found = records(&repository, &[], &patch);
            let base = found.iter().find(|it| kind(it) == "base").expect("a base");
            assert_eq!(text(base, "foundBy"), "contents", "{prefixes:?} {old}");
            let base_of = |_| (Vec::new(), old, "sub/deep/f".to_owned());
            compared += compare(&repository, &found, base_of);
        }
    }
    assert_eq!(compared, 15);
    for names in ["--- x/y/none\n+++ z/none\n", "--- a/none\n+++ b/none\n"] {
        let patch = format!("{names}@@ -1 +1 @@\n-1\n+2\n");
        let output = run(&repository, &[], patch.as_bytes());
        assert_eq!(output.status, Some(128));
        assert!(
            output.stderr.contains_str("there is no file none to "),
            "{}",
            output.stderr.as_bstr()
        );
    }
}

#[test]
fn deleted_files_are_found_under_any_prefixes() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let first = ("sub/deep/f", "1\n2\n");
    commit(&repository, &[first, ("f", "-\n"), ("top", "a\n")], "First");
    commit(
        &repository,
        &[("sub/deep/f", "1\ntwo\n"), ("top", "a\nb\n")],
        "Second",
    );
    repository.git(&["rm", "-q", "sub/deep/f", "top"]);
    commit(&repository, &[("f", "--\n")], "Third");
    let mut compared = 0;
    for arguments in [
        &["diff"][..],
        &["diff", "--no-prefix"],
        &["-c", "diff.mnemonicPrefix=true", "diff"],
        &["diff", "--src-prefix=a/b/"],
        &["diff", "--dst-prefix=a/b/"],
        &["diff", "--src-prefix=a/b/", "--dst-prefix=c/d/"],
        &["diff", "--src-prefix=a/b/", "--dst-prefix=a/b/"],
        &["diff", "--src-prefix=x/", "--dst-prefix=x/"],
    ] {
        for revisions in [&["HEAD~1", "HEAD"][..], &["HEAD~1"]] {
            let patch = patch_of(&repository, &[arguments, revisions].concat());
            for file in ["sub/deep/f", "top"] {
                let start = patch
                    .find(format!("{file}\n+++ /dev/null"))
                    .expect("it is deleted");
                let start = patch[..start].rfind("diff --git").expect("a header");
                let end = patch[start + 1..].find("\ndiff --git");
                let end = end.map_or(patch.len(), |end| start + end + 2);
                let found = records(&repository, &[], &patch[start..end]);
                let base = found.iter().find(|it| kind(it) == "base").expect("a base");
                assert_eq!(text(base, "foundBy"), "contents", "{arguments:?} {file}");
                let base_of = |_| (Vec::new(), "HEAD~1", file.to_owned());
                compared += compare(&repository, &found, base_of);
            }
        }
    }
    assert_eq!(compared, 64);
}

#[test]
fn bases_and_lines_have_the_same_parents() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, &[("f", "1\n2\n")], "First");
    for (patch, parents) in [
        // The hunk of a combined diff, under the header of another one.
        (
            &b"--- a/f\n+++ b/f\n@@@ -1 -1 +1 @@@\n--1\n++2\n"[..],
            &[Some(1), Some(2)][..],
        ),
        // The names of two sides, and one side.
        (
            b"diff --combined f\n--- a/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n",
            &[None],
        ),
    ] {
        let found = records(&repository, &[], patch);
        for what in ["base", "removed"] {
            let of_kind = found.iter().filter(|it| kind(it) == what);
            let found: Vec<_> = of_kind.map(|it| number(it, "parent")).collect();
            assert_eq!(found, parents, "{what}");
        }
    }
}

/// A merge of two commits of `f` with a result of its own.
fn merge(ours: &str, theirs: &str, result: &str) -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, &[("f", "1\n2\n3\n")], "First");
    repository.git(&["checkout", "-q", "-b", "theirs"]);
    commit(&repository, &[("f", theirs)], "Theirs");
    repository.git(&["checkout", "-q", "main"]);
    commit(&repository, &[("f", ours)], "Ours");
    repository.git(&["merge", "-q", "-s", "ours", "--no-commit", "theirs"]);
    commit(&repository, &[("f", result)], "Merge");
    repository
}

#[test]
fn lines_are_right_in_combined_diffs_that_lack_lines_or_ignore_spaces() {
    for (ours, theirs, result, option, shown, count) in [
        // The header counts `left out`, which is not shown.
        (
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\nleft out\n3\n4\n5\n6!\n7\n8\n9\n",
            "1\n2\n3\n4\n5\nsix\n7\n8\n9\n",
            "--cc",
            "@@@ -3,7 -3,8 +3,7 @@@",
            2,
        ),
        // Both sides lose a line, which is shown as it is on one of them.
        (
            "1\n2\n3\n  four\n5\n6\n7\n8\n9\n",
            "1\n2\n3\nfour\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n!\n5\n6\n7\n8\n9\n",
            "-w",
            "\n--",
            2,
        ),
    ] {
        let repository = merge(ours, theirs, result);
        let patch = patch_of(&repository, &["show", "--cc", option, "HEAD"]);
        assert!(patch.contains_str(shown), "{}", patch.as_bstr());
        assert!(!patch.contains_str("left out"), "{}", patch.as_bstr());
        let found = records(&repository, &[], &patch);
        let compared = compare(&repository, &found, |parent| {
            let base = if parent == 1 { "HEAD^1" } else { "HEAD^2" };
            (Vec::new(), base, "f".to_owned())
        });
        assert_eq!(compared, count, "{}", patch.as_bstr());
    }
}
