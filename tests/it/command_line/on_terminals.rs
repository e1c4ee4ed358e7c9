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
        (".", &["src"], 2, "deep/tree.c"),
        ("src", &[], 2, "deep/tree.c"),
        ("src", &["deep/"], 1, "tree.c"),
        (".", &["HEAD~1", "docs"], 1, "notes.txt"),
    ];
    for (directory, arguments, files, first) in cases {
        let start = || {
            let mut command = tblame_command();
            command.args(arguments);
            command.cwd(repository.root().join(directory));
            let mut session = Session::run(command, (100, 20));
            session.wait_for("A people");
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
    let shown = run(&repository, ".", None, &["HEAD", "dogs"]);
    assert!(shown.starts_with("fatal: no such path"), "{shown}");
}

#[test]
fn a_mistake_is_named_and_the_options_are_not_listed() {
    let repository = repository();
    let cases = [
        (
            &["--ignor-revs-file=x", "Makefile"][..],
            "did you mean --ignore-revs-file?",
        ),
        (&["--recursiv", "Makefile"], "did you mean --recursive?"),
        (&["--no-progrss", "Makefile"], "did you mean --no-progress?"),
        (&["--wyh", "Makefile"], "did you mean --why?"),
        (&["--qqqq", "Makefile"], "tblame -h lists the options"),
        (&["-Q", "Makefile"], "tblame -h lists the options"),
        (&["-L2,3x", "Makefile"], "fatal: -L 2,3x names no lines"),
        (
            &["Makefile", "Makefile"],
            "hint: the revision comes before the file",
        ),
        (&["--patch", "HEAD"], "git show HEAD | tblame --patch"),
        (&["HEAD", "--"], "fatal: no FILE is named"),
        (
            &["untracked"],
            "hint: the file is there, but git does not track it",
        ),
    ];
    repository.write(b"untracked", b"new\n");
    for (arguments, expected) in cases {
        let shown = run(&repository, ".", None, arguments);
        assert!(shown.contains(expected), "{arguments:?}: {shown}");
        let rows = shown.lines().filter(|row| !row.is_empty()).count();
        assert_eq!(rows, 2, "{arguments:?}: {shown}");
    }
    let shown = run(&repository, ".", None, &["-h"]);
    assert!(shown.contains("--[no-]"), "{shown}");
}

#[test]
fn the_help_goes_through_the_pager_and_fits_the_terminal() {
    let repository = repository();
    for columns in [60, 80, 200] {
        let program = tblame_command();
        let mut command = CommandBuilder::new("env");
        command.arg("GIT_PAGER=sed 's/$/|/'");
        command.args(program.get_argv());
        command.arg("--help");
        command.cwd(repository.root());
        let mut session = Session::run(command, (columns, 20));
        assert_eq!(session.end().exit_code(), 0);
        let shown = String::from_utf8_lossy(&session.output).replace("\r\n", "\n");
        assert!(shown.contains("\n  tblame src/main.c:120|\n"), "{shown}");
        // The forms of options and the usage are not broken.
        let texts = shown.lines().filter(|row| row.starts_with("          "));
        let widths: Vec<usize> = texts.map(|row| row.len() - 1).collect();
        let most = widths.iter().max().copied().unwrap_or(0);
        let room = usize::from(columns).min(100);
        assert!(
            widths.len() > 100 && most <= room && most > room - 10,
            "{most}"
        );
    }
}

/// The first row of code of the viewer.
fn first_row(repository: &TestRepo, arguments: &[&str]) -> String {
    let mut command = tblame_command();
    command.args(arguments);
    command.args(["--", "Makefile"]);
    command.cwd(repository.root());
    let mut session = Session::run(command, (100, 20));
    session.wait_for("files");
    session.wait_for(" lines here");
    let shown = session.screen().contents();
    session.press("q");
    session.end();
    shown.lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn options_and_variables_of_columns_hold_for_the_viewer() {
    let repository = repository();
    let config = repository.git_text(&["log", "-1", "--format=%an|%ae|%as"]);
    let [author, mail, day] = config.split('|').collect::<Vec<_>>()[..] else {
        panic!("{config}");
    };
    let has = |arguments: &[&str], there: &[&str], not: &[&str]| {
        let row = first_row(&repository, arguments);
        for word in there {
            assert!(row.contains(word), "{arguments:?}, {word}: {row}");
        }
        for word in not {
            assert!(!row.contains(word), "{arguments:?}, {word}: {row}");
        }
    };
    let mail = &mail[..8];
    has(&[], &[author], &[mail, day]);
    has(&["-e"], &[mail], &[author]);
    has(&["--date=short"], &[author, day], &[]);
    has(&["-s"], &[], &[author, day]);
    has(&["-n"], &[author, "    1 ►"], &[]);
    repository.git(&["config", "blame.showEmail", "true"]);
    repository.git(&["config", "blame.date", "short"]);
    has(&[], &[mail, day], &[author]);
    has(
        &["--no-show-email", "--date=relative"],
        &[author],
        &[mail, day],
    );
}

#[test]
fn a_missing_list_of_ignored_commits_is_a_warning() {
    let repository = repository();
    repository.git(&["config", "blame.ignoreRevsFile", "nowhere"]);
    let mut command = tblame_command();
    command.arg("Makefile");
    command.cwd(repository.root());
    let mut session = Session::run(command, (100, 20));
    session.wait_for("│ three");
    session.wait_for("blame.ignoreRevsFile: could not open object name list: nowhere");
    session.press("j");
    session.wait_for("? keys");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    // One on the command line is not.
    let shown = run(
        &repository,
        ".",
        None,
        &["--ignore-revs-file=other", "Makefile"],
    );
    assert!(shown.contains("fatal: could not open"), "{shown}");
    crate::harness::command_lines::assert_all_same(&repository, "Makefile");
}
