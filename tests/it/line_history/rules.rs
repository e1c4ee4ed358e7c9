//! One small history for each rule that generated ones may miss.

use crate::{
    harness::{
        named_history::{DELETED, HistoryBuilder, NamedHistory},
        program::{ProgramOutput, tblame_program},
    },
    line_history::{changes_of_git, changes_of_tblame},
};

/// The names of the commits that changed `ranges` of `file` at `revision`, which are those of git.
#[track_caller]
fn commits(history: &NamedHistory, revision: &str, file: &str, ranges: &[&str]) -> Vec<String> {
    let ranges: Vec<String> = ranges.iter().map(ToString::to_string).collect();
    let (repository, path) = (&history.repository, file.as_bytes());
    let git = changes_of_git(repository, revision, path, &ranges).expect("git succeeds");
    let git: Vec<_> = git.into_iter().map(|change| change.commit).collect();
    let tblame = changes_of_tblame(repository, revision, path, &ranges, &[]);
    let tblame: Vec<_> = tblame.into_iter().map(|change| change.commit).collect();
    assert_eq!(tblame, git);
    tblame
        .iter()
        .map(|id| history.name(id).to_owned())
        .collect()
}

/// The names of the commits that tblame finds with these arguments.
fn commits_of(history: &NamedHistory, arguments: &[&str]) -> Vec<String> {
    let mut command = history.repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(command.args(["--line-history", "-l", "-s"]).args(arguments));
    assert_eq!(output.stderr.escape_ascii().to_string(), "");
    let text = String::from_utf8(output.stdout).expect("the output is UTF-8");
    let ids = text
        .lines()
        .map(|row| row.split(' ').next().unwrap_or_default());
    ids.map(|id| history.name(id).to_owned()).collect()
}

#[test]
fn removed_lines_count_between_two_lines_only() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\ne\n")])
        .commit("add", 2, &["base"], &[("f", "a\nb\nx\nc\nd\ny\ne\n")])
        .commit("remove-x", 3, &["add"], &[("f", "a\nb\nc\nd\ny\ne\n")])
        .commit("remove-y", 4, &["remove-x"], &[("f", "a\nb\nc\nd\ne\n")])
        .build();
    assert_eq!(
        commits(&history, "HEAD", "f", &["2,3"]),
        ["remove-x", "add", "base"]
    );
    assert_eq!(commits(&history, "HEAD", "f", &["3,4"]), ["base"]);
    assert_eq!(
        commits(&history, "HEAD", "f", &["2,2", "3,4"]),
        ["remove-x", "add", "base"]
    );
}

#[test]
fn a_merge_counts_where_the_lines_differ_from_all_parents() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\ne\n")])
        .commit("left", 2, &["base"], &[("f", "A\nb\nc\nd\nleft\n")])
        .commit("right", 3, &["base"], &[("f", "a\nb\nC\nd\nright\n")])
        .commit(
            "merge",
            4,
            &["left", "right"],
            &[("f", "A\nb\nC\nd\nboth\n")],
        )
        .build();
    // The first parent in which they are the same is followed alone.
    assert_eq!(commits(&history, "HEAD", "f", &["1,1"]), ["left", "base"]);
    assert_eq!(commits(&history, "HEAD", "f", &["3,3"]), ["right", "base"]);
    assert_eq!(commits(&history, "HEAD", "f", &["2,2"]), ["base"]);
    assert_eq!(
        commits(&history, "HEAD", "f", &["5,5"]),
        ["merge", "right", "left", "base"]
    );
    assert_eq!(
        commits_of(&history, &["--first-parent", "-L3,3", "HEAD", "--", "f"]),
        ["merge", "base"]
    );
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
        commits(&history, "HEAD", "f", &["1,3"]),
        ["merge", "right", "left", "trunk", "base"]
    );
}

#[test]
fn lines_are_followed_through_renames() {
    let text = |x: &str| format!("1\n2\n3\n4\n5\n6\n7\n{x}\n9\n");
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", &text("8"))])
        .commit("edit", 2, &["base"], &[("f", &text("eight"))])
        .commit(
            "rename",
            3,
            &["edit"],
            &[("f", DELETED), ("g", &text("VIII"))],
        )
        .build();
    assert_eq!(
        commits(&history, "HEAD", "g", &["8,8"]),
        ["rename", "edit", "base"]
    );
    assert_eq!(commits(&history, "HEAD", "g", &["2,3"]), ["base"]);
    assert_eq!(
        commits_of(&history, &["--no-follow", "-L2,3", "HEAD", "--", "g"]),
        ["rename"]
    );
}

#[test]
fn uncommitted_lines_come_first() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\n")])
        .commit("edit", 2, &["base"], &[("f", "a\nB\nc\n")])
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    assert_eq!(commits_of(&history, &["-L2,2", "f"]), ["edit", "base"]);
    repository.write(b"f", b"new\na\nB!\nc\n");
    assert_eq!(
        commits_of(&history, &["-L3,3", "f"]),
        ["uncommitted", "edit", "base"]
    );
    assert_eq!(commits_of(&history, &["-L2,2", "f"]), ["base"]);
}

#[test]
fn limits_of_a_range_end_the_walk() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\n")])
        .commit("one", 2, &["base"], &[("f", "a\n1\n")])
        .commit("two", 3, &["one"], &[("f", "a\n2\n")])
        .build();
    assert_eq!(
        commits(&history, "base..two", "f", &["2,2"]),
        ["two", "one"]
    );
    assert_eq!(commits(&history, "one..two", "f", &["2,2"]), ["two"]);
}

#[test]
fn functions_are_found_by_their_names() {
    let text = |x: &str| format!("int one(void)\n{{\n}}\n\nint two(void)\n{{\n\treturn {x};\n}}\n");
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f.c", &text("0"))])
        .commit("edit", 2, &["base"], &[("f.c", &text("2"))])
        .build();
    assert_eq!(
        commits(&history, "HEAD", "f.c", &[":two"]),
        ["edit", "base"]
    );
    assert_eq!(commits(&history, "HEAD", "f.c", &[":one"]), ["base"]);
}

#[test]
fn whitespace_can_be_ignored() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\n")])
        .commit("indent", 2, &["base"], &[("f", "a\n  b\n")])
        .build();
    assert_eq!(commits(&history, "HEAD", "f", &["2,2"]), ["indent", "base"]);
    assert_eq!(
        commits_of(&history, &["-w", "-L2,2", "HEAD", "--", "f"]),
        ["base"]
    );
}

#[test]
fn moved_lines_are_followed_on_request() {
    let block =
        |word: &str| format!("fn moved() {{\n    first_of_all({word});\n    second();\n}}\n");
    let rest = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", &(block("a") + rest))])
        .commit("edit", 2, &["base"], &[("f", &(block("b") + rest))])
        .commit(
            "move",
            3,
            &["edit"],
            &[("f", &(rest.to_owned() + &block("b")))],
        )
        .build();
    assert_eq!(commits(&history, "HEAD", "f", &["11,14"]), ["move"]);
    let arguments = ["-M", "-L11,14", "HEAD", "--", "f"];
    assert_eq!(commits_of(&history, &arguments), ["move", "edit", "base"]);
    // A score that is too high for these lines.
    let arguments = ["-M100", "-L11,14", "HEAD", "--", "f"];
    assert_eq!(commits_of(&history, &arguments), ["move"]);
    let mut command = history.repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(
        command
            .args(["--line-history", "-l", "-s"])
            .args(["-M", "-L11,14", "HEAD", "--", "f"]),
    );
    let text = String::from_utf8(output.stdout).expect("the output is UTF-8");
    let lines: Vec<_> = text
        .lines()
        .filter_map(|row| row.split(' ').nth(2))
        .collect();
    assert_eq!(lines, ["+11,14", "~1,4", "~+1,4"]);
}

#[test]
fn lines_of_other_files_are_followed_on_request() {
    let block = |word: &str| {
        format!(
            "fn moved() {{\n    first_of_all_the_calls({word});\n    and_a_second_call_of_another();\n}}\n"
        )
    };
    let rest = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
    let both = rest.to_owned() + &block("b");
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", rest), ("g", &block("a"))])
        .commit("edit", 2, &["base"], &[("g", &block("b"))])
        .commit("other", 3, &["edit"], &[("h", "not of interest\n")])
        .commit("move", 4, &["other"], &[("f", &both), ("g", "")])
        .commit("copy", 5, &["move"], &[("k", &block("b"))])
        .build();
    let found = |options: &[&str], lines: &str, file: &str| {
        let arguments = [options, &[lines, "HEAD", "--", file]].concat();
        commits_of(&history, &arguments)
    };
    assert_eq!(found(&["-M"], "-L11,14", "f"), ["move"]);
    // The commit that moved them changed the other file too.
    let expected = ["move", "edit", "base"];
    assert_eq!(found(&["-C"], "-L11,14", "f"), expected);
    assert_eq!(found(&["-C999"], "-L11,14", "f"), ["move"]);
    // A file that the commit did not change is searched by the commit that made this one, with -C -C.
    assert_eq!(found(&["-C"], "-L1,4", "k"), ["copy"]);
    let expected = ["copy", "move", "edit", "base"];
    assert_eq!(found(&["-C", "-C"], "-L1,4", "k"), expected);
    let mut command = history.repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(
        command
            .args(["--line-history", "--json", "-C", "-L11,14"])
            .args(["HEAD", "--", "f"]),
    );
    let text = String::from_utf8(output.stdout).expect("the output is UTF-8");
    let inferred = |line: &str| {
        (
            line.contains("\"inferred\":true"),
            line.contains("\"path\":\"g\""),
        )
    };
    let changes = text
        .lines()
        .filter(|line| line.contains("\"type\":\"change\""));
    let changes: Vec<_> = changes.map(inferred).collect();
    assert_eq!(changes, [(false, false), (true, true), (true, true)]);
}
