//! The rule on small histories.

use bstr::ByteSlice;

use crate::{
    deletions::generated::deletions_of_tblame,
    file_history::{git_in, versions_of_tblame},
    harness::{
        deletions::replay,
        named_history::{DELETED, HistoryBuilder, NamedHistory},
        program::{ProgramOutput, tblame_program},
    },
};

/// The deletions: the line below which the lines were, and the one above; the commit, and the lines before it. They must be
/// those of the replay, too.
fn deletions(history: &NamedHistory, path: &str, options: &[&str]) -> Vec<String> {
    let repository = &history.repository;
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    let mut found = deletions_of_tblame(repository, &head, path.as_bytes(), options);
    if options.is_empty() {
        let order = versions_of_tblame(repository, &head, path.as_bytes(), &[]);
        let order: Vec<String> = order.into_iter().map(|version| version.id).collect();
        let replayed = replay(&git_in(repository), &head, path.as_bytes(), &order);
        found.sort();
        assert_eq!(found, replayed.deletions);
        found = deletions_of_tblame(repository, &head, path.as_bytes(), options);
    }
    let line = |line: Option<u32>| line.map_or("-".to_owned(), |line| line.to_string());
    let found = found.iter().map(|it| {
        let (before, after) = it.neighbours;
        let (start, end) = it.lines;
        let name = history.name(&it.commit);
        format!("{}|{} {name} {start},{end}", line(before), line(after))
    });
    found.collect()
}

#[test]
fn a_deletion_belongs_between_its_surviving_neighbours() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\ne\nf\n")])
        .commit("cut", 2, &["base"], &[("f", "a\nd\ne\nf\n")])
        // The line after the place is replaced, and another is added there: neither is a deletion.
        .commit("edit", 3, &["cut"], &[("f", "a\nnew\nD\ne\nf\n")])
        .commit("ends", 4, &["edit"], &[("f", "new\nD\ne\n")])
        .build();
    assert_eq!(
        deletions(&history, "f", &[]),
        ["-|1 ends 1,1", "3|- ends 5,5", "-|3 cut 2,3"]
    );
}

#[test]
fn replaced_lines_are_not_deleted() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\n")])
        .commit("replace", 2, &["base"], &[("f", "a\nB\nd\n")])
        .build();
    assert_eq!(deletions(&history, "f", &[]), [] as [&str; 0]);
}

#[test]
fn adjoining_deletions_have_the_same_neighbours() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\ne\n")])
        .commit("one", 2, &["base"], &[("f", "a\nb\nd\ne\n")])
        .commit("two", 3, &["one"], &[("f", "a\nd\ne\n")])
        .commit("three", 4, &["two"], &[("f", "a\ne\n")])
        .build();
    assert_eq!(
        deletions(&history, "f", &[]),
        ["1|2 three 2,2", "1|2 two 2,2", "1|2 one 3,3"]
    );
}

#[test]
fn renames_are_followed() {
    let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", text)])
        .commit("cut", 2, &["base"], &[("f", "1\n2\n3\n4\n5\n6\n7\n9\n")])
        .commit(
            "rename",
            3,
            &["cut"],
            &[("f", DELETED), ("g", "1\n2\n4\n5\n6\n7\n9\n")],
        )
        .build();
    assert_eq!(
        deletions(&history, "g", &[]),
        ["2|3 rename 3,3", "6|7 cut 8,8"]
    );
    assert_eq!(deletions(&history, "g", &["--no-follow"]), [] as [&str; 0]);
}

#[test]
fn the_commit_of_a_branch_deleted_lines_not_its_merge() {
    let text = "a\nb\nc\nd\ne\nf\ng\nh\n";
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", text)])
        .commit("left", 2, &["base"], &[("f", "A\nb\nc\nd\ne\nf\ng\nh\n")])
        .commit("right", 3, &["base"], &[("f", "a\nb\nc\nd\ne\nh\n")])
        .commit(
            "merge",
            4,
            &["left", "right"],
            &[("f", "A\nb\nc\nd\ne\nh\n")],
        )
        .build();
    assert_eq!(deletions(&history, "f", &[]), ["5|6 right 6,7"]);
    // On first parents, the merge did.
    assert_eq!(
        deletions(&history, "f", &["--first-parent"]),
        ["5|6 merge 6,7"]
    );
}

#[test]
fn a_merge_deletes_what_every_parent_has() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\ne\nf\n")])
        .commit("left", 2, &["base"], &[("f", "A\nb\nc\nd\ne\nf\n")])
        .commit("right", 3, &["base"], &[("f", "a\nb\nc\nd\ne\nF\n")])
        .commit("merge", 4, &["left", "right"], &[("f", "A\nb\nd\ne\nF\n")])
        .build();
    assert_eq!(deletions(&history, "f", &[]), ["2|3 merge 3,3"]);
}

#[test]
fn lines_that_another_branch_keeps_are_not_deleted() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\ne\nf\n")])
        .commit("left", 2, &["base"], &[("f", "A\nb\nc\nd\ne\nf\n")])
        .commit("right", 3, &["base"], &[("f", "a\nb\nd\ne\nF\n")])
        // It takes the change of the last line, and keeps the third one.
        .commit(
            "merge",
            4,
            &["left", "right"],
            &[("f", "A\nb\nc\nd\ne\nF\n")],
        )
        .build();
    assert_eq!(deletions(&history, "f", &[]), [] as [&str; 0]);
}

#[test]
fn ranges_and_limits() {
    let history = HistoryBuilder::default()
        .commit("base", 1, &[], &[("f", "a\nb\nc\nd\ne\nf\ng\n")])
        .commit("one", 2, &["base"], &[("f", "a\nc\nd\ne\nf\ng\n")])
        .commit("two", 3, &["one"], &[("f", "a\nc\nd\nf\ng\n")])
        .build();
    assert_eq!(
        deletions(&history, "f", &[]),
        ["3|4 two 4,4", "1|2 one 2,2"]
    );
    assert_eq!(deletions(&history, "f", &["-L3,4"]), ["3|4 two 4,4"]);
    assert_eq!(deletions(&history, "f", &["-L2,3"]), [] as [&str; 0]);
    let mut command = history.repository.command(tblame_program().as_os_str());
    let range = format!("{}..HEAD", history.id("one"));
    command.args(["--deletions", "--json", &range, "--", "f"]);
    let output = ProgramOutput::of(&mut command).stdout;
    let end = output.lines().next_back().unwrap_or_default();
    assert_eq!(
        end.to_str_lossy(),
        "{\"type\":\"end\",\"deletions\":1,\"limited\":true}"
    );
}
