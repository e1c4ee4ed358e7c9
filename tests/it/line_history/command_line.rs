//! The output of `--line-history`, and the options that it refuses.

use bstr::ByteSlice;

use crate::harness::{
    named_history::{HistoryBuilder, NamedHistory},
    program::{ProgramOutput, tblame_program},
};

fn history() -> NamedHistory {
    HistoryBuilder::default()
        .commit("base", 86_400, &[], &[("f", "a\nb\nc\n")])
        .commit(
            "edit",
            200_000,
            &["base"],
            &[("f", "a\nB \"quoted\"\nmore\nc\n")],
        )
        .build()
}

fn output(history: &NamedHistory, arguments: &[&str]) -> ProgramOutput {
    let mut command = history.repository.command(tblame_program().as_os_str());
    ProgramOutput::of(command.arg("--line-history").args(arguments))
}

#[test]
fn a_row_for_each_commit() {
    let history = history();
    let rows = output(&history, &["-L2,3", "HEAD", "--", "f"]).stdout;
    let (edit, base) = (&history.id("edit")[..7], &history.id("base")[..7]);
    assert_eq!(
        rows.to_str_lossy(),
        format!(
            "{edit} 1970-01-03 Author of edit     2,3         edit\n\
             {base} 1970-01-02 Author of base     (+2,2)      base\n"
        )
    );
    let rows = output(
        &history,
        &[
            "--abbrev=10",
            "--date=unix",
            "-e",
            "-L1,1",
            "HEAD",
            "--",
            "f",
        ],
    );
    let base = &history.id("base")[..10];
    assert_eq!(
        rows.stdout.to_str_lossy(),
        format!("{base} 86400 <base@example.com> +1,1        base\n")
    );
}

#[test]
fn an_object_for_each_commit() {
    let history = history();
    let objects = output(&history, &["--json", "-L2,3", "HEAD", "--", "f"]).stdout;
    let (edit, base) = (history.id("edit"), history.id("base"));
    let ident = |name: &str, time: u32| {
        format!(
            "{{\"name\":\"Author of {name}\",\"mail\":\"{name}@example.com\",\"time\":{time},\"zone\":\"+0000\"}}"
        )
    };
    let (editor, author) = (ident("edit", 200_000), ident("base", 86_400));
    let expected = [
        format!(
            "{{\"type\":\"change\",\"commit\":\"{edit}\",\"path\":\"f\",\"birth\":false,\"merge\":false,\"inferred\":false,\
             \"ranges\":[{{\"startLine\":2,\"endLine\":3,\"lines\":[\"B \\\"quoted\\\"\",\"more\"]}}],\
             \"previous\":{{\"commit\":\"{base}\",\"path\":\"f\",\
             \"ranges\":[{{\"startLine\":2,\"endLine\":2,\"lines\":[\"b\"]}}]}},\
             \"ownChange\":\"wrote\",\"ownRanges\":[{{\"startLine\":2,\"endLine\":3}}],\
             \"author\":{editor},\"committer\":{editor},\"summary\":\"edit\"}}"
        ),
        format!(
            "{{\"type\":\"change\",\"commit\":\"{base}\",\"path\":\"f\",\"birth\":true,\"merge\":false,\"inferred\":false,\
             \"ranges\":[{{\"startLine\":2,\"endLine\":2,\"lines\":[\"b\"]}}],\"previous\":null,\
             \"ownChange\":\"none\",\"ownRanges\":[],\
             \"author\":{author},\"committer\":{author},\"summary\":\"base\"}}"
        ),
    ];
    let lines: Vec<_> = objects.lines().map(|line| line.to_str_lossy()).collect();
    assert_eq!(lines[1..3], expected);
    assert_eq!(
        lines[3],
        "{\"type\":\"end\",\"commits\":2,\"limited\":false}"
    );
}

#[test]
fn options_of_other_formats_are_refused() {
    let history = history();
    for option in [
        "--porcelain",
        "--line-porcelain",
        "--incremental",
        "--show-stats",
    ] {
        let output = output(&history, &[option, "HEAD", "--", "f"]);
        assert_eq!(
            output.stderr.to_str_lossy(),
            format!("fatal: --line-history cannot be used with {option}\n")
        );
        assert_eq!(output.status, Some(128));
    }
    let output = output(&history, &["--reverse", "base..edit", "--", "f"]);
    assert_eq!(
        output.stderr.to_str_lossy(),
        "fatal: --line-history cannot be used with --reverse\n"
    );
}

#[test]
fn control_characters_do_not_reach_a_terminal() {
    let history = history();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.write(b"f", b"new\n");
    repository.git(&[
        "commit",
        "-q",
        "-am",
        "red \u{1b}[31m\u{7}",
        "--author=A\u{1b}[1m <a@b>",
    ]);
    let rows = output(&history, &["-L1,1", "HEAD", "--", "f"]).stdout;
    assert!(rows.contains_str("red ^[[31m^G"), "{}", rows.as_bstr());
    assert!(rows.iter().all(|byte| *byte >= 0x20 || *byte == b'\n'));
}
