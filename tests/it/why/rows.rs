//! The rows for people.

use super::{commit, text};
use crate::harness::repository::{ObjectFormat, TestRepo};

#[test]
fn a_line_did_not_replace_all_that_its_commit_did() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let first = "a\nint count = 1;\nchar *name;\nb\n";
    commit(&repository, first, "First", "2020-01-01");
    let second = "a\nchar *full_name;\n}\nint counter = 1;\nb\n";
    commit(&repository, second, "Second", "2021-01-01");
    let both = "- int count = 1;\n- char *name;\n+ char *full_name;\n+ }\n+ int counter = 1;\n";
    for (place, expected) in [
        ("f:3", "+ }\n"),
        ("f:2", "- char *name;\n+ char *full_name;\n"),
        ("f:4", "- int count = 1;\n+ int counter = 1;\n"),
        // Together they replaced all of it.
        ("f:2-4", both),
        ("f:1-4", both),
    ] {
        let shown = text(&repository, &["HEAD", place]);
        let (_, change) = shown.split_once(": Second\n").expect("the commit");
        let rows = change
            .lines()
            .take_while(|row| !row.is_empty() && !row.starts_with("  a"));
        let rows = rows.filter_map(|row| row.strip_prefix("    "));
        let rows = rows.filter(|row| row.starts_with(['-', '+']));
        let rows: String = rows.map(|row| format!("{row}\n")).collect();
        assert_eq!(rows, expected, "{place}: {shown}");
    }
}

#[test]
fn what_is_not_committed_and_only_deletes_is_a_deletion() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "a\nb\nc\nd\n", "First", "2020-01-01");
    repository.write(b"f", b"a\nb\nd\n");
    let shown = text(&repository, &["f:1-3"]);
    let deleted = "Deleted at this place, newest first:\n  not committed yet\n      1 line, below line 2\n    - c\n";
    assert!(shown.ends_with(deleted), "{shown}");
    assert!(!shown.contains("Before that"), "{shown}");
}

#[test]
fn an_ignored_commit_is_not_before_the_one_that_is_named() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let first = commit(&repository, "a\n  call(it);\n", "First", "2020-01-01");
    let second = commit(&repository, "a\n    call(it);\n", "Second", "2021-01-01");
    let (first, second) = (&first[..10], &second[..10]);
    let shown = text(&repository, &["--ignore-rev", "HEAD", "HEAD", "f:2"]);
    let (_, commits) = shown.split_once("\n\n").expect("a blank row");
    let expected = format!(
        "Written by:\n  {first} 2020-01-01 Ann: First\n    +   call(it);\n\n\
         Other changes, newest first:\n  {second} 2021-01-01 Ann: Second\n      ignored\n\
         \x20   -   call(it);\n    +     call(it);\n"
    );
    assert_eq!(commits, expected);
}

/// A commit for each of so many lines, each with a message of so many lines.
fn lines_by_commits(lines: usize, message: usize) -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let body: String = (0..message).map(|at| format!("Words {at}.\n")).collect();
    for count in 1..=lines {
        let contents: String = (1..=count).map(|at| format!("line {at}\n")).collect();
        let message = format!("Add {count}\n\n{body}");
        commit(
            &repository,
            &contents,
            &message,
            &format!("20{count:02}-01-01"),
        );
    }
    repository
}

#[test]
fn all_rows_are_used_newest_first() {
    // A message that fits is whole.
    let repository = lines_by_commits(1, 30);
    let shown = text(&repository, &["HEAD", "f:1"]);
    assert!(
        shown.contains("      Words 29.\n") && !shown.contains('…'),
        "{shown}"
    );
    // One that does not is as long as there is room.
    let repository = lines_by_commits(1, 60);
    let shown = text(&repository, &["HEAD", "f:1"]);
    assert!(shown.contains("more lines: git show"), "{shown}");
    assert!((43..=46).contains(&shown.lines().count()), "{shown}");
    // Of many commits, what is left is the newest one's.
    let repository = lines_by_commits(20, 9);
    let shown = text(&repository, &["HEAD", "f:1-20"]);
    assert!((45..=46).contains(&shown.lines().count()), "{shown}");
    let (_, newest) = shown.split_once("Add 20\n").expect("the newest commit");
    assert!(
        newest.starts_with("      line 20\n      Words 0.\n"),
        "{shown}"
    );
}

#[test]
fn the_lines_of_a_shortened_commit_leave_room_for_its_summary() {
    let repository = lines_by_commits(20, 9);
    let all = |mark: &str| -> String {
        let line = |at: usize| match at {
            2 | 4 | 5 | 7 | 9 | 11 | 13 | 15 => format!("{mark} {at}\n"),
            _ => format!("line {at}\n"),
        };
        (1..=20).map(line).collect()
    };
    let message = format!("Change many lines of this file\n\n{}", "Words.\n".repeat(9));
    commit(&repository, &all("changed"), &message, "1999-01-01");
    let shown = text(&repository, &["HEAD", "f:1-20"]);
    let row = shown
        .lines()
        .find(|row| row.contains("Change many lines of this file"));
    let row = row.expect("the whole summary");
    assert!(row.ends_with(" (line 2 and 7 more)"), "{row}");
}

#[test]
fn a_revision_is_named_as_given() {
    let repository = lines_by_commits(7, 0);
    repository.git(&["tag", "-a", "-m", "One", "v1"]);
    let id = repository.git_text(&["rev-parse", "HEAD"]);
    for (name, expected) in [
        ("v1", format!("f:7, at v1 ({}, 2007-01-01)\n", &id[..10])),
        (&id[..8], format!("f:7, at {} (2007-01-01)\n", &id[..10])),
        (&id, format!("f:7, at {} (2007-01-01)\n", &id[..10])),
    ] {
        let shown = text(&repository, &[name, "f:7"]);
        assert!(shown.starts_with(&expected), "{shown}");
    }
    // The seventh line is shown where a row would say that there is one more.
    let shown = text(&repository, &["HEAD", "f:1-7"]);
    assert!(shown.contains("     7  line 7\n\n"), "{shown}");
}
