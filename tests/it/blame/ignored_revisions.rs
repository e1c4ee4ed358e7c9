//! Ignored revisions: the line guess, its marks, and how they travel.

use crate::harness::named_history::{HistoryBuilder, NamedHistory};
use crate::harness::repository::TestRepo;

/// Both marks are shown.
fn marked(fixture: NamedHistory) -> NamedHistory {
    let repository: &TestRepo = &fixture.repository;
    repository.git(&["config", "blame.markIgnoredLines", "true"]);
    repository.git(&["config", "blame.markUnblamableLines", "true"]);
    fixture
}

/// The plain format and `--incremental` alone: older gits have no marks in the other two.
fn plain(fixture: &NamedHistory, arguments: &[&str]) -> String {
    fixture.order(arguments);
    let plain = fixture.same(&["-s"], arguments);
    let marks = plain.lines().map(|line| {
        let end = line.find(|c| !"^*?".contains(c)).unwrap_or(0);
        let marks = &line[..end];
        let id: String = line[end..]
            .chars()
            .take_while(char::is_ascii_hexdigit)
            .collect();
        let names = ["parent", "child", "p1", "p2", "root", "m", "next"];
        let name = names.into_iter().find(|name| {
            let tag = format!("refs/tags/{name}");
            let refs =
                fixture
                    .repository
                    .git_text(&["for-each-ref", "--format=%(objectname)", &tag]);
            !refs.is_empty() && refs.starts_with(&id[..7])
        });
        format!("{}{marks}", name.unwrap_or("other"))
    });
    marks.collect::<Vec<_>>().join(" ")
}

/// Blames the child of two commits, which is ignored.
fn guess(before: &str, after: &str) -> String {
    let fixture = HistoryBuilder::default()
        .commit("parent", 1, &[], &[("f", before)])
        .commit("child", 2, &["parent"], &[("f", after)])
        .build();
    let fixture = marked(fixture);
    plain(
        &fixture,
        &["--root", "-n", "--ignore-rev", "child", "child", "--", "f"],
    )
}

#[test]
fn a_line_needs_ten_pairs_in_common_where_nothing_stood() {
    let added = |line: &str| guess(&format!("{line}\nq\n"), &format!("{line}\nq\n{line}\n"));
    assert_eq!(added("abcdefghi"), "parent parent parent?");
    assert_eq!(added("abcdefgh"), "parent parent child*");
}

#[test]
fn of_equally_similar_lines_the_closest_is_guessed() {
    let l = "abcdefghijk";
    let before = format!("{l}\nq\nw\ne\n{l}\n");
    for after in [
        format!("{l}\nq\nw\n{l}\ne\n{l}\n"),
        format!("{l}\nq\n{l}\nw\ne\n{l}\n"),
    ] {
        guess(&before, &after);
    }
    assert_eq!(
        guess("one\ntwo\nthree\n", "one\ntwo\nbrand new text\nthree\n"),
        "parent parent child* parent"
    );
}

#[test]
fn a_reformatted_block_is_mapped_line_by_line() {
    let before = "int main(void) {\n  int a = 1;\n  int b = 2;\n  return a + b;\n}\n";
    for after in [
        "int main(void)\n{\n\tint a = 1;\n\tint b = 2;\n\n\treturn a + b;\n}\n",
        "int main(void) { int a = 1; int b = 2; return a + b; }\n",
        "}\n  return a + b;\n  int b = 2;\n  int a = 1;\nint main(void) {\n",
        "",
        "\u{e9}\u{f6}\u{fc} nothing alike\n\x0b\x0c\n",
    ] {
        guess(before, after);
    }
}

/// No threshold holds within a hunk: both edited lines go to p1's last line.
#[test]
fn a_merge_guesses_in_its_parents_in_turn() {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "start\n")])
        .commit(
            "p1",
            2,
            &["root"],
            &[("f", "start\nalpha beta gamma delta\n")],
        )
        .commit(
            "p2",
            3,
            &["root"],
            &[("f", "start\nomega psi chi phi upsilon\n")],
        )
        .commit(
            "m",
            4,
            &["p1", "p2"],
            &[(
                "f",
                "start\nalpha beta gamma delta!\nomega psi chi phi upsilon!\n@#\n",
            )],
        )
        .build();
    let fixture = marked(fixture);
    let lines = plain(&fixture, &["--root", "--ignore-rev", "m", "m", "--", "f"]);
    assert_eq!(lines, "root p1? p1? m*");
}

/// Marks travel: ignored at one commit and unblamable at an older one, then moved.
#[test]
fn marks_are_never_cleared() {
    let fixture = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "aaa bbb\nccc ddd\n"), ("g", "a line to be copied with more than forty letters in it\n")])
        .commit("parent", 2, &["root"], &[("f", "aaa bbb\nzzzz!!\na line to be copied with more than forty letters in it\nccc ddd\n"), ("g", "")])
        .commit("child", 3, &["parent"], &[("f", "aaa  bbb\nzzzz!!x\na line to be copied with more than forty letters in it \nccc ddd\n")])
        .build();
    let fixture = marked(fixture);
    for options in [
        &["--ignore-rev", "child"][..],
        &["--ignore-rev", "child", "--ignore-rev", "parent"],
        &["--ignore-rev", "parent"],
        &["-C", "--ignore-rev", "child", "--ignore-rev", "parent"],
        &[
            "-M",
            "-w",
            "--ignore-rev",
            "child",
            "--ignore-rev",
            "parent",
        ],
        &["-b", "--ignore-rev", "child", "--ignore-rev", "parent"],
        &["-c", "--ignore-rev", "child", "--ignore-rev", "parent"],
        &["-l", "--ignore-rev", "child", "--ignore-rev", "parent"],
        &[
            "--abbrev=39",
            "--ignore-rev",
            "child",
            "--ignore-rev",
            "parent",
        ],
        &["--ignore-rev", "root"],
    ] {
        fixture.same(options, &["child", "--", "f"]);
        fixture.same(
            &["--incremental"],
            &[options, &["child", "--", "f"]].concat(),
        );
    }
}

/// What may stand in a file of ignored revisions.
#[test]
fn files_of_ignored_revisions_are_read_as_git_reads_them() {
    let fixture = HistoryBuilder::default()
        .commit("parent", 1, &[], &[("f", "one\ntwo\n")])
        .commit("child", 2, &["parent"], &[("f", "one!\ntwo\n")])
        .build();
    let fixture = marked(fixture);
    let repository = &fixture.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["tag", "-a", "-m", "annotated", "annotated", "child"]);
    let (child, tag) = (
        fixture.id("child"),
        repository.git_text(&["rev-parse", "annotated"]),
    );
    let missing = "1".repeat(40);
    let files = [
        format!("{child}\n"),
        format!("# comment\n\n  {child}  # why\r\n"),
        child.to_uppercase(),
        format!("{missing}\n{tag}\n"),
        format!("{}\n", &child[..12]),
        "child\n".to_owned(),
        String::new(),
    ];
    for file in &files {
        repository.write(b"revs", file.as_bytes());
        fixture.same(&["--ignore-revs-file", "revs"], &["HEAD", "--", "f"]);
        let reset = ["--ignore-revs-file=revs", "--ignore-revs-file="];
        fixture.same(&reset, &["HEAD", "--", "f"]);
        fixture.same(
            &["--ignore-revs-file=revs", "--no-ignore-revs-file"],
            &["f"],
        );
    }
    repository.write(b"revs", files[0].as_bytes());
    repository.git(&["config", "blame.ignoreRevsFile", "revs"]);
    for options in [
        &[][..],
        &["--ignore-revs-file="],
        &["--no-ignore-revs-file"],
        &["--ignore-rev=nonsense"],
        &["--ignore-rev=HEAD:f"],
        &["--ignore-revs-file=missing"],
    ] {
        fixture.same(options, &["HEAD", "--", "f"]);
    }
}
