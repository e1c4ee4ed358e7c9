//! What a kept blame depends on, and how one is continued: a small repository for each rule.

use std::fs;

use super::{KeptLines, TestCache, small_history, without_stats};
use jiff::Timestamp;

use crate::harness::{
    compare::Seconds,
    git::git_program,
    program::{ProgramOutput, Stderr},
    repository::{ObjectFormat, TestRepo},
};

/// Runs tblame with the cache and git; they must agree.
fn blame(repository: &TestRepo, cache: &TestCache, arguments: &[&str]) -> KeptLines {
    let start = Timestamp::now();
    let mut git = repository.command(git_program());
    git.env("XDG_CONFIG_HOME", cache.config_home());
    let git = ProgramOutput::of(git.arg("blame").args(arguments));
    assert_eq!(git.status, Some(0), "{}", git.stderr.escape_ascii());
    let mut tblame = cache.command(repository, &["--stats"]);
    let (output, stats) = without_stats(ProgramOutput::of(tblame.args(arguments)));
    let seconds = Seconds::since(start);
    let (output, git) = (seconds.masked(&output), seconds.masked(&git));
    if let Some(difference) = output.difference(&git, Stderr::Whole) {
        panic!("{arguments:?}: {difference}");
    }
    stats.expect("it was asked for")
}

fn commit(repository: &TestRepo, files: &[(&str, &str)]) -> String {
    for (path, text) in files {
        repository.write(path.as_bytes(), text.as_bytes());
    }
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "a commit"]);
    repository.git_text(&["rev-parse", "HEAD"])
}

fn lines(count: usize) -> String {
    (0..count)
        .map(|n| format!("a line of the file, number {n}\n"))
        .collect()
}

#[test]
fn lines_that_came_through_ignored_commits_keep_their_marks() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let cache = TestCache::new();
    let first = commit(&repository, &[("f", "alpha beta gamma\n")]);
    let second = commit(&repository, &[("f", "alpha beta gamma delta\n")]);
    let third = commit(&repository, &[("f", "alpha beta gamma\n")]);
    repository.git(&["config", "blame.markIgnoredLines", "true"]);
    let ignored = [second, third].map(|id| format!("--ignore-rev={id}"));
    for revision in [&*first, "HEAD"] {
        // The first commit's file is that of the last, all of whose lines arrive there.
        let kept = blame(
            &repository,
            &cache,
            &["-l", &ignored[0], &ignored[1], revision, "--", "f"],
        );
        assert_eq!(kept.kept_lines, usize::from(revision == "HEAD"));
    }
}

/// `old`, renamed to `mid` unchanged, renamed to `new` with a change; and another change.
pub fn renamed_twice() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, &[("old", &lines(20))]);
    repository.git(&["mv", "old", "mid"]);
    commit(&repository, &[]);
    repository.git(&["mv", "mid", "new"]);
    commit(&repository, &[("new", &(lines(20) + "one more\n"))]);
    commit(
        &repository,
        &[("new", &(lines(20) + "one more\nanother\n"))],
    );
    repository
}

pub fn convert(repository: &TestRepo, path: &str) {
    repository.git(&["config", "diff.up.textconv", "tr a-z A-Z <"]);
    let attributes = format!("{path} diff=up\n");
    repository.write(b".git/info/attributes", attributes.as_bytes());
}

#[test]
fn a_text_conversion_of_any_path_on_the_way_counts() {
    let whole = ["--porcelain", "HEAD", "--", "new"];
    for path in ["new", "mid", "old", "other"] {
        let repository = renamed_twice();
        let cache = TestCache::new();
        blame(&repository, &cache, &whole);
        assert_eq!(blame(&repository, &cache, &whole).kept_lines, 22);
        convert(&repository, path);
        let expected = if path == "other" { 22 } else { 0 };
        let kept = blame(&repository, &cache, &whole);
        assert_eq!(kept.kept_lines, expected, "{path}");
    }
}

#[test]
fn a_blame_made_of_a_kept_one_depends_on_the_same_paths() {
    let repository = renamed_twice();
    let cache = TestCache::new();
    blame(&repository, &cache, &["--porcelain", "HEAD~1", "--", "new"]);
    let of_last = ["--porcelain", "HEAD", "--", "new"];
    assert_eq!(blame(&repository, &cache, &of_last).kept_lines, 21);
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    for file in cache.blames() {
        if !file.ends_with(&head) {
            fs::remove_file(file).expect("it is one's own");
        }
    }
    assert_eq!(blame(&repository, &cache, &of_last).kept_lines, 22);
    convert(&repository, "mid");
    assert_eq!(blame(&repository, &cache, &of_last).kept_lines, 0);
}

#[test]
fn a_text_conversion_of_where_lines_were_copied_from_counts() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let cache = TestCache::new();
    commit(&repository, &[("from", &lines(20))]);
    commit(
        &repository,
        &[("from", &(lines(20) + "more\n")), ("to", &lines(20))],
    );
    let arguments = ["--porcelain", "-C", "HEAD", "--", "to"];
    blame(&repository, &cache, &arguments);
    assert_eq!(blame(&repository, &cache, &arguments).kept_lines, 20);
    convert(&repository, "from");
    for _ in 0..2 {
        assert_eq!(blame(&repository, &cache, &arguments).kept_lines, 0);
    }
}

#[test]
fn moves_and_copies_are_taken_whole_or_not_at_all() {
    let repository = small_history(12);
    for option in ["-M", "-C"] {
        let cache = TestCache::new();
        blame(&repository, &cache, &[option, "HEAD~1", "--", "a.txt"]);
        let of_last = [option, "HEAD", "--", "a.txt"];
        assert_eq!(blame(&repository, &cache, &of_last).kept_lines, 0);
        assert!(blame(&repository, &cache, &of_last).kept_lines > 20);
        let of_lines = [option, "-L3,9", "HEAD", "--", "a.txt"];
        assert_eq!(blame(&repository, &cache, &of_lines).kept_lines, 0);
    }
}

#[test]
fn ranges_of_lines_are_parts_of_the_whole() {
    let repository = small_history(12);
    let cache = TestCache::new();
    blame(&repository, &cache, &["HEAD", "--", "a.txt"]);
    for (range, count) in [("-L3,9", 7), ("-L1,1", 1), ("-L/line 7/,+3", 3)] {
        for format in ["--porcelain", "--line-porcelain", "-n"] {
            let kept = blame(&repository, &cache, &[format, range, "HEAD", "--", "a.txt"]);
            assert_eq!(kept.kept_lines, count, "{range}");
        }
    }
    // What is known of a part is not taken for the whole.
    let cache = TestCache::new();
    blame(&repository, &cache, &["-L3,9", "HEAD", "--", "a.txt"]);
    let kept = blame(&repository, &cache, &["HEAD", "--", "a.txt"]);
    assert_eq!(kept.kept_lines, 0);
}

#[test]
fn uncommitted_lines_are_blamed_anew_and_the_rest_is_kept() {
    let repository = small_history(12);
    let cache = TestCache::new();
    let text = repository.git_text(&["show", "HEAD:a.txt"]) + "\n";
    let changed = text.replacen("line ", "changed line ", 2) + "one more\n";
    repository.write(b"a.txt", changed.as_bytes());
    let all = text.lines().count();
    // The blame of the changed file keeps what it learnt of HEAD's.
    assert_eq!(blame(&repository, &cache, &["-s", "a.txt"]).kept_lines, 0);
    assert_eq!(
        blame(&repository, &cache, &["-s", "a.txt"]).kept_lines,
        all - 2
    );
    let of_head = ["--porcelain", "HEAD", "--", "a.txt"];
    assert_eq!(blame(&repository, &cache, &of_head).kept_lines, all - 2);
    assert_eq!(blame(&repository, &cache, &of_head).kept_lines, all);
    repository.write(b"a.txt", text.as_bytes());
    assert_eq!(blame(&repository, &cache, &["-s", "a.txt"]).kept_lines, all);
    // Made of parts, it does not know in which order git finds its entries.
    let in_order = ["--incremental", "a.txt"];
    assert_eq!(blame(&repository, &cache, &in_order).kept_lines, 0);
    assert_eq!(blame(&repository, &cache, &in_order).kept_lines, all);
}

#[test]
fn state_of_the_repository_that_changes_parents_counts() {
    let repository = small_history(12);
    let cache = TestCache::new();
    let arguments = ["--porcelain", "HEAD", "--", "a.txt"];
    let all = blame(&repository, &cache, &arguments).kept_lines
        + blame(&repository, &cache, &arguments).kept_lines;
    repository.git(&["config", "advice.graftFileDeprecated", "false"]);
    let ids = ["HEAD~3", "HEAD~5", "HEAD~8"].map(|id| repository.git_text(&["rev-parse", id]));
    let states = [
        (
            format!(".git/refs/replace/{}", ids[1]),
            format!("{}\n", ids[2]),
        ),
        (
            ".git/info/grafts".to_owned(),
            format!("{} {}\n", ids[0], ids[2]),
        ),
        (".git/shallow".to_owned(), format!("{}\n", ids[0])),
    ];
    for (path, text) in &states {
        repository.write(path.as_bytes(), text.as_bytes());
        assert_eq!(
            blame(&repository, &cache, &arguments).kept_lines,
            0,
            "{path}"
        );
        assert_eq!(
            blame(&repository, &cache, &arguments).kept_lines,
            all,
            "{path}"
        );
        fs::remove_file(repository.root().join(path)).expect("it was just written");
        assert_eq!(
            blame(&repository, &cache, &arguments).kept_lines,
            all,
            "{path}"
        );
    }
}

#[test]
fn what_is_applied_when_printing_may_change() {
    let repository = small_history(12);
    let cache = TestCache::new();
    let all = repository.git_text(&["show", "HEAD:a.txt"]).lines().count();
    blame(&repository, &cache, &["HEAD", "--", "a.txt"]);
    let is_kept = |arguments: &[&str]| {
        let of_file = [arguments, &["HEAD", "--", "a.txt"]].concat();
        assert_eq!(blame(&repository, &cache, &of_file).kept_lines, all);
    };
    for arguments in [
        &["--porcelain"][..],
        &["--date=raw", "-l", "-e"],
        &["--encoding=latin1"],
        &["--encoding=UTF-16", "--line-porcelain"],
        &["-t", "--abbrev=20"],
    ] {
        is_kept(arguments);
    }
    repository.write(
        b".mailmap",
        b"Somebody Else <else@example.com> <a@example.com>\n",
    );
    is_kept(&["-e"]);
    repository.git(&["config", "blame.date", "short"]);
    is_kept(&[]);
}

#[test]
fn a_blame_of_fewer_lines_does_not_take_the_place_of_a_whole_one() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let cache = TestCache::new();
    commit(&repository, &[("f", &lines(20))]);
    commit(&repository, &[("f", &lines(30))]);
    blame(&repository, &cache, &["--incremental", "HEAD", "--", "f"]);
    let kept = blame(&repository, &cache, &["--porcelain", "HEAD", "--", "f"]);
    assert_eq!(kept.kept_lines, 30);
    // The work tree has fewer lines, all of which are known.
    repository.write(b"f", lines(25).as_bytes());
    let kept = blame(&repository, &cache, &["--porcelain", "--", "f"]);
    assert_eq!(kept.kept_lines, 25);
    // The whole is still there, in git's order of discovery.
    let kept = blame(&repository, &cache, &["--incremental", "HEAD", "--", "f"]);
    assert_eq!(kept.kept_lines, 30);
}

#[test]
fn a_branch_that_leads_past_the_kept_blame_meets_an_older_version() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let cache = TestCache::new();
    let mut text: Vec<String> = (0..30).map(|line| format!("line {line}")).collect();
    let mut change = |line: usize, words: &str| {
        text[line] = words.to_owned();
        text.join("\n")
    };
    commit(&repository, &[("f", &change(0, "first"))]);
    commit(&repository, &[("f", &change(3, "second"))]);
    repository.git(&["branch", "topic"]);
    commit(&repository, &[("f", &change(20, "on the main branch"))]);
    blame(&repository, &cache, &["HEAD", "--", "f"]);
    repository.git(&["checkout", "-q", "topic"]);
    change(20, "line 20");
    commit(&repository, &[("f", &change(10, "on the topic"))]);
    // All but the line of the topic, and the one that the main branch replaced.
    let kept = blame(&repository, &cache, &["HEAD", "--", "f"]);
    assert_eq!(kept.kept_lines, 28);
    // Copies are searched for among all open lines: a part of them does not do.
    blame(&repository, &cache, &["-C", "HEAD~1", "--", "f"]);
    let kept = blame(&repository, &cache, &["-C", "HEAD", "--", "f"]);
    assert_eq!(kept.kept_lines, 0);
}

#[test]
fn the_text_that_replaces_a_blob_counts() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let cache = TestCache::new();
    let versions: Vec<String> = (0..4).map(|n| lines(10 + n)).collect();
    for version in &versions {
        commit(&repository, &[("f", version)]);
    }
    repository.git(&["branch", "topic", "HEAD~1"]);
    let merged = repository.git_text(&["rev-parse", "topic"]);
    let mut states = 0;
    for replaced in [
        "HEAD:f",
        "HEAD~1:f",
        "HEAD~2:f",
        "HEAD^{tree}",
        "HEAD~1^{tree}",
    ] {
        for by in ["HEAD:f", "HEAD~2:f", "HEAD~3:f", "HEAD~3^{tree}"] {
            if replaced.ends_with('f') != by.ends_with('f') || replaced == by {
                continue;
            }
            repository.git(&["replace", replaced, by]);
            // The work tree has the text of a version, which the blob of this id no longer has.
            for version in &versions {
                for merges in [false, true] {
                    repository.write(b"f", version.as_bytes());
                    if merges {
                        let head = format!("{merged}\n");
                        repository.write(b".git/MERGE_HEAD", head.as_bytes());
                    }
                    for _ in 0..2 {
                        blame(&repository, &cache, &["-s", "f"]);
                        blame(&repository, &cache, &["-s", "-M", "f"]);
                        blame(&repository, &cache, &["--incremental", "f"]);
                        // A merge that is not committed is nothing to commits.
                        for commit in ["HEAD", "HEAD~1"].iter().filter(|_| !merges) {
                            blame(&repository, &cache, &["--porcelain", commit, "--", "f"]);
                        }
                    }
                    fs::remove_file(repository.root().join(".git/MERGE_HEAD")).ok();
                    states += 1;
                }
            }
            let id = repository.git_text(&["--no-replace-objects", "rev-parse", replaced]);
            repository.git(&["replace", "-d", &id]);
            for arguments in [&["-s", "f"][..], &["HEAD", "--", "f"]] {
                blame(&repository, &cache, arguments);
            }
        }
    }
    assert!(states > 50, "{states}");
}

#[test]
fn a_file_that_was_renamed_as_it_is_has_the_lines_of_its_conversion() {
    for conversion in ["sed p", "sed 2d", "sed 1,5d"] {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        let cache = TestCache::new();
        commit(&repository, &[("old", &lines(10))]);
        commit(&repository, &[("old", &lines(12))]);
        repository.git(&["mv", "old", "new"]);
        commit(&repository, &[]);
        blame(&repository, &cache, &["HEAD~1", "--", "old"]);
        repository.git(&["config", "diff.up.textconv", conversion]);
        repository.write(b".git/info/attributes", b"new diff=up\n");
        for arguments in [&["--porcelain", "HEAD", "--", "new"][..], &["-s", "new"]] {
            for _ in 0..2 {
                let kept = blame(&repository, &cache, arguments);
                assert_eq!(kept.kept_lines, 0, "{conversion}");
            }
        }
    }
}
