//! The output of `--file-history`, and the options that it refuses.

use bstr::ByteSlice;

use crate::harness::{
    named_history::{DELETED, HistoryBuilder, NamedHistory},
    program::{ProgramOutput, tblame_program},
};

const LINES: &str = "1\n2\n3\n4\n5\n6\n";

fn history() -> NamedHistory {
    let edited = format!("{LINES}seven \"7\"\n");
    HistoryBuilder::default()
        .commit("base", 86_400, &[], &[("f", LINES)])
        .commit(
            "rename",
            200_000,
            &["base"],
            &[("f", DELETED), ("g", LINES)],
        )
        .commit("edit", 300_000, &["rename"], &[("g", &edited)])
        .build()
}

fn output(history: &NamedHistory, arguments: &[&str]) -> ProgramOutput {
    let mut command = history.repository.command(tblame_program().as_os_str());
    ProgramOutput::of(command.arg("--file-history").args(arguments))
}

#[test]
fn a_row_for_each_version() {
    let history = history();
    let rows = output(&history, &["HEAD", "--", "g"]).stdout;
    let id = |name: &str| history.id(name)[..7].to_owned();
    let (edit, rename, base) = (id("edit"), id("rename"), id("base"));
    assert_eq!(
        rows.to_str_lossy(),
        format!(
            "{edit} 1970-01-04 Author of edit     M     +1     -0 edit\n\
             {rename} 1970-01-03 Author of rename   R     +0     -0 f => g: rename\n\
             {base} 1970-01-02 Author of base     A     +6     -0 base\n"
        )
    );
}

#[test]
fn an_object_for_each_version() {
    let history = history();
    let objects = output(&history, &["--json", "HEAD", "--", "g"]).stdout;
    let (edit, rename, base) = (history.id("edit"), history.id("rename"), history.id("base"));
    let blob = |name: &str| history.repository.git_text(&["rev-parse", name]);
    let ident = |name: &str, time: u32| {
        let ident = format!(
            "{{\"name\":\"Author of {name}\",\"mail\":\"{name}@example.com\",\"time\":{time},\"zone\":\"+0000\"}}"
        );
        format!("\"author\":{ident},\"committer\":{ident},\"summary\":\"{name}\"}}")
    };
    let (newest, old) = (blob(&format!("{edit}:g")), blob(&format!("{base}:f")));
    let expected = [
        format!(
            "{{\"type\":\"version\",\"commit\":\"{edit}\",\"path\":\"g\",\"status\":\"modified\",\"merge\":false,\
             \"mode\":\"100644\",\"blob\":\"{newest}\",\"added\":1,\"removed\":0,\
             \"previous\":{{\"commit\":\"{rename}\",\"path\":\"g\"}},\"next\":[],{}",
            ident("edit", 300_000)
        ),
        format!(
            "{{\"type\":\"version\",\"commit\":\"{rename}\",\"path\":\"g\",\"status\":\"renamed\",\"merge\":false,\
             \"mode\":\"100644\",\"blob\":\"{old}\",\"added\":0,\"removed\":0,\
             \"previous\":{{\"commit\":\"{base}\",\"path\":\"f\"}},\"next\":[\"{edit}\"],{}",
            ident("rename", 200_000)
        ),
        format!(
            "{{\"type\":\"version\",\"commit\":\"{base}\",\"path\":\"f\",\"status\":\"added\",\"merge\":false,\
             \"mode\":\"100644\",\"blob\":\"{old}\",\"added\":6,\"removed\":0,\
             \"previous\":null,\"next\":[\"{rename}\"],{}",
            ident("base", 86_400)
        ),
    ];
    let lines: Vec<_> = objects.lines().map(|line| line.to_str_lossy()).collect();
    assert_eq!(lines[1..4], expected);
    assert_eq!(
        lines[4],
        "{\"type\":\"end\",\"commits\":3,\"limited\":false}"
    );
}

#[test]
fn options_of_other_formats_are_refused() {
    let history = history();
    for (option, name) in [
        ("--porcelain", "--porcelain"),
        ("--line-porcelain", "--line-porcelain"),
        ("--incremental", "--incremental"),
        ("--show-stats", "--show-stats"),
        ("--line-history", "--line-history"),
        ("-L1,2", "-L"),
    ] {
        let output = output(&history, &[option, "HEAD", "--", "g"]);
        assert_eq!(
            output.stderr.to_str_lossy(),
            format!("fatal: --file-history cannot be used with {name}\n")
        );
        assert_eq!(output.status, Some(128));
    }
}

#[test]
fn control_characters_do_not_reach_a_terminal() {
    let history = history();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["mv", "g", "g\u{1b}[2J"]);
    repository.git(&[
        "commit",
        "-q",
        "-am",
        "red \u{1b}[31m",
        "--author=A\u{1b}[1m <a@b>",
    ]);
    let rows = output(&history, &["HEAD", "--", "g\u{1b}[2J"]).stdout;
    assert!(
        rows.contains_str("g => g^[[2J: red ^[[31m"),
        "{}",
        rows.as_bstr()
    );
    assert!(rows.iter().all(|byte| *byte >= 0x20 || *byte == b'\n'));
}
