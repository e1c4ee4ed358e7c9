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
    commits_with(history, &[], revision, file, ranges)
}

/// As [`commits`], with further options.
#[track_caller]
fn commits_with(
    history: &NamedHistory,
    options: &[&str],
    revision: &str,
    file: &str,
    ranges: &[&str],
) -> Vec<String> {
    let ranges: Vec<String> = ranges.iter().map(ToString::to_string).collect();
    let (repository, path) = (&history.repository, file.as_bytes());
    let git = changes_of_git(repository, revision, path, &ranges, options).expect("git succeeds");
    let git: Vec<_> = git.into_iter().map(|change| change.commit).collect();
    let tblame = changes_of_tblame(repository, revision, path, &ranges, options);
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

/// Branches with interleaved dates.
#[test]
fn branches_come_one_after_the_other() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "1\n2\n3\n")])
        .commit("side1", 2, &["base"], &[("f", "a1\n2\n3\n")])
        .commit("main1", 3, &["base"], &[("f", "1\n2\nm1\n")])
        .commit("side2", 4, &["side1"], &[("f", "a2\n2\n3\n")])
        .commit("main2", 5, &["main1"], &[("f", "1\n2\nm2\n")])
        .commit("merge", 6, &["main2", "side2"], &[("f", "a2\nx\nm2\n")])
        .build();
    let found = |options: &[&str], revision| {
        commits_with(&history, options, revision, "f", &["1,3"]).join(" ")
    };
    let by_branch = "merge side2 side1 main2 main1 base";
    let by_date = "merge main2 side2 main1 side1 base";
    assert_eq!(found(&[], "HEAD"), by_branch);
    assert_eq!(found(&["--topo-order"], "HEAD"), by_branch);
    assert_eq!(found(&["--date-order"], "HEAD"), by_date);
    assert_eq!(found(&["--author-date-order"], "HEAD"), by_date);
    assert_eq!(found(&["--first-parent"], "HEAD"), "merge main2 main1 base");
    assert_eq!(found(&["--max-age=3"], "HEAD"), "merge side2 main2 main1");
    assert_eq!(found(&[], "main1..HEAD"), "merge side2 side1 main2");
}

/// Which commits are too old is decided before lines are followed.
#[test]
fn what_an_old_commit_leads_to_is_too_old() {
    let history = HistoryBuilder::default()
        .commit("base", 900, &[], &[("f", "a\nb\n")])
        .commit("newer", 800, &["base"], &[("f", "a\nB\n")])
        .commit("old", 10, &["newer"], &[("g", "x\n")])
        .commit("left", 700, &["newer"], &[("h", "x\n")])
        .commit("merge", 1000, &["left", "old"], &[("f", "a\nC\n")])
        .build();
    let found = commits_with(&history, &["--max-age=100"], "HEAD", "f", &["2,2"]);
    assert_eq!(found, ["merge"]);
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
