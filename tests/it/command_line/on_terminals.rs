//! What is different when the program runs on a terminal.

use portable_pty::CommandBuilder;

use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for path in [
        "Makefile",
        "src/main.c",
        "src/deep/tree.c",
        "docs/notes.txt",
    ] {
        repository.write(path.as_bytes(), b"one\ntwo\nthree\n");
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "files"]);
    repository
}

/// Runs tblame in a directory of the repository, with `TERM` if it is given.
fn run(repository: &TestRepo, directory: &str, term: Option<&str>, arguments: &[&str]) -> String {
    let program = tblame_command();
    let mut command = CommandBuilder::new("env");
    command.args(term.map(|term| format!("TERM={term}")));
    command.args(program.get_argv());
    command.args(arguments);
    command.cwd(repository.root().join(directory));
    let mut session = Session::run(command, (100, 20));
    session.end();
    session.screen().contents()
}

#[test]
fn a_missing_file_suggests_similar_ones() {
    let repository = repository();
    let cases = [
        (".", &["Makefle"][..], Some("did you mean Makefile?")),
        (".", &["main.c"], Some("did you mean src/main.c?")),
        (
            ".",
            &["HEAD", "scr/main.c"],
            Some("did you mean src/main.c?"),
        ),
        (
            "src",
            &["notes.txt"],
            Some("did you mean ../docs/notes.txt?"),
        ),
        ("src", &["tree.c"], Some("did you mean deep/tree.c?")),
        (".", &["unlike"], None),
    ];
    for (directory, arguments, hint) in cases {
        let shown = run(&repository, directory, None, arguments);
        assert!(shown.starts_with("fatal: "), "{arguments:?}: {shown}");
        match hint {
            Some(hint) => assert!(shown.contains(hint), "{arguments:?}: {shown}"),
            None => assert!(!shown.contains("did you mean"), "{arguments:?}: {shown}"),
        }
    }
}

#[test]
fn a_terminal_without_cursor_movement_gets_plain_output() {
    let repository = repository();
    for term in ["dumb", ""] {
        let shown = run(&repository, ".", Some(term), &["Makefile"]);
        assert!(shown.contains("hint: this terminal cannot show"), "{shown}");
        assert!(shown.contains(" 3) three"), "{shown}");
    }
}

#[test]
fn a_line_can_follow_the_file() {
    let repository = repository();
    let lines: String = (1..=300).map(|line| format!("text{line};\n")).collect();
    repository.write(b"long", lines.as_bytes());
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "long"]);
    for arguments in [
        &["+250", "HEAD", "long"][..],
        &["HEAD", "+250", "long"],
        &["HEAD", "long", "+250"],
        &["long", "+250"],
        &["long:250"],
    ] {
        let mut command = tblame_command();
        command.args(arguments);
        command.cwd(repository.root());
        let mut session = Session::run(command, (100, 20));
        session.wait_for("text250;");
        session.press("q");
        assert_eq!(session.end().exit_code(), 0, "{arguments:?}");
    }
}

#[test]
fn a_directory_opens_its_page_and_the_finder() {
    let repository = repository();
    repository.git(&["rm", "-q", "docs/notes.txt"]);
    repository.git(&["commit", "-qm", "removed"]);
    let cases: [(&str, &[&str], usize, &str); 6] = [
        (".", &[], 3, "Makefile"),
        (".", &["."], 3, "Makefile"),
        (".", &["src"], 2, "src/deep/tree.c"),
        ("src", &[], 2, "src/deep/tree.c"),
        ("src", &["deep/"], 1, "src/deep/tree.c"),
        (".", &["HEAD~1", "docs"], 1, "docs/notes.txt"),
    ];
    for (directory, arguments, files, first) in cases {
        let start = || {
            let mut command = tblame_command();
            command.args(arguments);
            command.cwd(repository.root().join(directory));
            let mut session = Session::run(command, (100, 20));
            session.wait_for("f find a file");
            session
        };
        let mut session = start();
        session.press("f");
        session.wait_for(&format!("{files} of {files} files"));
        session.wait_for(&format!("> {first}"));
        session.press("\r");
        session.wait_for("3 lines");
        session.wait_for("│ three");
        session.press("q");
        assert_eq!(session.end().exit_code(), 0, "{arguments:?}");
        let mut session = start();
        session.press("q");
        assert_eq!(session.end().exit_code(), 0, "{arguments:?}");
        session.assert_restored();
    }
    // Nothing to choose from.
    let shown = run(&repository, ".", None, &["HEAD", "docs"]);
    assert!(shown.starts_with("fatal: no such path"), "{shown}");
}
