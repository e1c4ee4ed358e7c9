//! The output of `--deletions`, and the options that it refuses.

use bstr::ByteSlice;

use crate::harness::{
    named_history::{HistoryBuilder, NamedHistory},
    program::{ProgramOutput, tblame_program},
};

fn history() -> NamedHistory {
    HistoryBuilder::default()
        .commit("base", 86_400, &[], &[("f", "one\n\"2\"\né\nfour\n")])
        .commit("cut", 200_000, &["base"], &[("f", "one\nfour\n")])
        .commit("begin", 300_000, &["cut"], &[("f", "four\n")])
        .build()
}

fn output(history: &NamedHistory, arguments: &[&str]) -> ProgramOutput {
    let mut command = history.repository.command(tblame_program().as_os_str());
    ProgramOutput::of(command.arg("--deletions").args(arguments))
}

#[test]
fn a_row_for_each_deletion() {
    let history = history();
    let rows = output(&history, &["HEAD", "--", "f"]).stdout;
    let id = |name: &str| history.id(name)[..7].to_owned();
    let (begin, cut) = (id("begin"), id("cut"));
    assert_eq!(
        rows.to_str_lossy(),
        format!(
            "{begin} 1970-01-04 Author of begin         0     -1 begin\n\
             {cut} 1970-01-03 Author of cut           0     -2 cut\n"
        )
    );
}

#[test]
fn an_object_for_each_deletion() {
    let history = history();
    let objects = output(&history, &["--json", "HEAD", "--", "f"]).stdout;
    let (begin, cut, base) = (history.id("begin"), history.id("cut"), history.id("base"));
    let ident = |name: &str, time: u32| {
        let ident = format!(
            "{{\"name\":\"Author of {name}\",\"mail\":\"{name}@example.com\",\"time\":{time},\"zone\":\"+0000\"}}"
        );
        format!("\"author\":{ident},\"committer\":{ident},\"summary\":\"{name}\"}}")
    };
    let expected = [
        format!(
            "{{\"type\":\"deletion\",\"commit\":\"{begin}\",\"path\":\"f\",\"merge\":false,\"lineBefore\":null,\
             \"lineAfter\":1,\"previous\":{{\"commit\":\"{cut}\",\"path\":\"f\",\"ranges\":[{{\"startLine\":1,\
             \"endLine\":1,\"lines\":[\"one\"]}}]}},{}",
            ident("begin", 300_000)
        ),
        format!(
            "{{\"type\":\"deletion\",\"commit\":\"{cut}\",\"path\":\"f\",\"merge\":false,\"lineBefore\":null,\
             \"lineAfter\":1,\"previous\":{{\"commit\":\"{base}\",\"path\":\"f\",\"ranges\":[{{\"startLine\":2,\
             \"endLine\":3,\"lines\":[\"\\\"2\\\"\",\"é\"]}}]}},{}",
            ident("cut", 200_000)
        ),
    ];
    let lines: Vec<_> = objects.lines().map(|line| line.to_str_lossy()).collect();
    assert!(lines[0].contains("\"kind\":\"deletions\""), "{}", lines[0]);
    assert_eq!(lines[1..3], expected);
    assert_eq!(
        lines[3..],
        ["{\"type\":\"end\",\"deletions\":2,\"limited\":false}"]
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
        "--line-history",
        "--file-history",
        "--reverse",
    ] {
        let output = output(&history, &[option, "HEAD", "--", "f"]);
        assert_eq!(
            output.stderr.to_str_lossy(),
            format!("fatal: --deletions cannot be used with {option}\n")
        );
        assert_eq!(output.status, Some(128));
    }
}
