//! One small history for each rule that generated ones may miss.

use bstr::ByteSlice;

use crate::{
    file_history::{git_in, versions_of_tblame},
    harness::{
        file_versions::file_versions,
        named_history::{DELETED, HistoryBuilder, NamedHistory},
        program::{ProgramOutput, tblame_program},
    },
};

/// The names of the commits with versions of `file` at HEAD, with the letters of the changes; they are those of git.
#[track_caller]
fn versions(history: &NamedHistory, file: &str) -> Vec<String> {
    let repository = &history.repository;
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    let tblame = versions_of_tblame(repository, &head, file.as_bytes(), &[]);
    let git = file_versions(&git_in(repository), &head, file.as_bytes());
    let mut ids: Vec<_> = tblame.iter().map(|version| version.id.clone()).collect();
    ids.sort();
    assert_eq!(ids, git.into_iter().map(|(id, _)| id).collect::<Vec<_>>());
    let words = tblame.iter().map(|version| {
        let status = char::from(version.status);
        format!("{status} {}", history.name(&version.id))
    });
    words.collect()
}

/// The names of the commits that tblame finds with these arguments.
fn names(history: &NamedHistory, arguments: &[&str]) -> Vec<String> {
    let mut command = history.repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(command.args(["--file-history", "-l", "-s"]).args(arguments));
    assert_eq!(output.stderr.escape_ascii().to_string(), "");
    let text = String::from_utf8(output.stdout).expect("the output is UTF-8");
    let ids = text
        .lines()
        .map(|row| row.split(' ').next().unwrap_or_default());
    ids.map(|id| history.name(id).to_owned()).collect()
}

#[test]
fn a_merge_counts_where_the_file_differs_from_all_parents() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\n"), ("g", "1\n")])
        .commit("left", 2, &["base"], &[("f", "A\nb\nc\nd\n"), ("g", "2\n")])
        .commit("right", 3, &["base"], &[("f", "a\nb\nc\nD\n")])
        .commit("merge", 4, &["left", "right"], &[("f", "A\nb\nc\nD\n")])
        .build();
    assert_eq!(
        versions(&history, "f"),
        ["M merge", "M right", "M left", "A base"]
    );
    // The side that left the file alone is not followed.
    assert_eq!(versions(&history, "g"), ["M left", "A base"]);
    assert_eq!(
        names(&history, &["--first-parent", "HEAD", "--", "f"]),
        ["merge", "left", "base"]
    );
}

#[test]
fn branches_are_followed_under_their_own_paths() {
    let text = |x: &str| format!("1\n2\n3\n4\n5\n6\n7\n{x}\n9\n");
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", &text("8"))])
        .commit("rename", 2, &["base"], &[("f", DELETED), ("g", &text("8"))])
        .commit("edit", 3, &["base"], &[("f", &text("eight"))])
        .commit("merge", 4, &["rename", "edit"], &[("g", &text("eight"))])
        .commit("other-f", 5, &["merge"], &[("f", "another file\n")])
        .build();
    assert_eq!(
        versions(&history, "g"),
        ["M merge", "M edit", "R rename", "A base"]
    );
    assert_eq!(versions(&history, "f"), ["A other-f"]);
    assert_eq!(
        names(&history, &["--no-follow", "HEAD", "--", "g"]),
        ["merge", "rename"]
    );
}

#[test]
fn modes_and_types_make_versions() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\n")])
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["update-index", "--chmod=+x", "f"]);
    repository.git(&["commit", "-qm", "mode"]);
    let link = repository.git_with_input(&["hash-object", "-w", "--stdin"], b"elsewhere");
    let link = String::from_utf8(link).expect("an id");
    repository.git(&["update-index", "--cacheinfo", &format!("120000,{link},f")]);
    repository.git(&["commit", "-qm", "link"]);
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    let found = versions_of_tblame(repository, &head, b"f", &[]);
    let letters: Vec<_> = found
        .iter()
        .map(|version| char::from(version.status))
        .collect();
    assert_eq!(letters, ['T', 'M', 'A']);
    assert_eq!(found[1].counts, Some((0, 0)));
    let git = file_versions(&git_in(repository), &head, b"f");
    assert_eq!(git.len(), 3);
}

#[test]
fn a_commit_waits_for_its_children_whatever_its_date() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\n")])
        .commit("trunk", 900, &["base"], &[("f", "a\nT\nc\n")])
        .commit("left", 3, &["trunk"], &[("f", "A\nT\nc\n")])
        .commit("right", 1000, &["trunk"], &[("f", "a\nT\nC\n")])
        .commit("merge", 1001, &["left", "right"], &[("f", "A1\nT\nC1\n")])
        .build();
    assert_eq!(
        versions(&history, "f"),
        ["M merge", "M right", "M left", "M trunk", "A base"]
    );
}

#[test]
fn uncommitted_changes_and_limits() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\n")])
        .commit("one", 2, &["base"], &[("f", "a\n1\n")])
        .commit("two", 3, &["one"], &[("f", "a\n2\n")])
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    assert_eq!(names(&history, &["f"]), ["two", "one", "base"]);
    assert_eq!(names(&history, &["base..two", "--", "f"]), ["two", "one"]);
    repository.write(b"f", b"new\na\n2\n");
    assert_eq!(
        names(&history, &["f"]),
        ["uncommitted", "two", "one", "base"]
    );
    for (contents, arguments) in [
        ("new\n2\n", &["--file-history", "f"][..]),
        ("new\n2\n", &["--line-history", "-L1,1", "f"]),
        ("2\n", &["--deletions", "f"]),
    ] {
        repository.write(b"f", contents.as_bytes());
        let mut command = repository.command(tblame_program().as_os_str());
        let output = ProgramOutput::of(command.args(arguments));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = text.lines().next().unwrap_or_default();
        assert!(first.ends_with(" Uncommitted changes"), "{text}");
    }
}

#[test]
fn a_history_with_a_cycle_ends() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\n")])
        .commit("left", 2, &["base"], &[("f", "b\n")])
        .commit("right", 3, &["base"], &[("f", "c\n")])
        .commit("merge", 4, &["left", "right"], &[("f", "d\n")])
        .build();
    let (base, merge) = (history.id("base"), history.id("merge"));
    let repository = &history.repository;
    repository.write(b".git/info/grafts", format!("{base} {merge}\n").as_bytes());
    for option in ["--file-history", "--line-history"] {
        let mut command = repository.command(tblame_program().as_os_str());
        let output = ProgramOutput::of(command.args([option, merge, "--", "f"]));
        let errors = output.stderr.escape_ascii().to_string();
        assert!(errors.contains("the history has a cycle"), "{errors}");
        assert_eq!(output.status, Some(128));
    }
}

#[test]
fn dates_before_the_epoch_and_beyond_all_years_are_shown_as_the_epoch() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\n")])
        .build();
    let repository = &history.repository;
    let mut parent = repository.git_text(&["rev-parse", "HEAD"]);
    let dates = [
        "-86400 +0000",
        "0 -0500",
        "18446744073709551000 +0000",
        "86400 +0000",
    ];
    for (date, nth) in dates.iter().zip(1..) {
        let lines = "a\nb\nc\n".repeat(nth + 1).into_bytes();
        let blob = repository.git_with_input(&["hash-object", "-w", "--stdin"], &lines);
        let blob = blob.to_str_lossy();
        let tree = format!("100644 blob {}\tf\n", blob.trim());
        let tree = repository.git_with_input(&["mktree"], tree.as_bytes());
        let commit = format!(
            "tree {}\nparent {parent}\nauthor A <a@b> {date}\ncommitter C <c@d> {nth}00 +0000\n\n{nth}\n",
            tree.to_str_lossy().trim()
        );
        let words = [
            "hash-object",
            "-t",
            "commit",
            "-w",
            "--stdin",
            "--literally",
        ];
        let id = repository.git_with_input(&words, commit.as_bytes());
        parent = id.to_str_lossy().trim().to_owned();
    }
    let mut rows = 0;
    for option in ["--file-history", "--line-history", "--deletions"] {
        for format in ["--date=short", "--date=iso", "--json"] {
            let mut command = repository.command(tblame_program().as_os_str());
            let output = ProgramOutput::of(command.args([option, format, &parent, "--", "f"]));
            assert_eq!(output.stderr.to_str_lossy(), "");
            assert_eq!(output.status, Some(0), "{option} {format}");
            let text = output.stdout.to_str_lossy();
            if option == "--file-history" && format == "--date=short" {
                let days = text.lines().filter_map(|row| row.split(' ').nth(1));
                let days: Vec<_> = days.map(str::to_owned).collect();
                let epoch = "1970-01-01";
                assert_eq!(days, ["1970-01-02", epoch, epoch, epoch, epoch]);
                rows += days.len();
            }
        }
    }
    assert_eq!(rows, 5);
}
