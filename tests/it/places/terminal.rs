//! The list of places in a terminal: lines come from a pipe, keys from the terminal.

use portable_pty::CommandBuilder;

use crate::harness::{
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
    session::{Session, contains},
};

/// A repository with two files of two commits.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (nth, summary) in ["Draw the map", "Name the rivers"].iter().enumerate() {
        for name in ["map.c", "river.c"] {
            let text = ["first TODO\n", "second TODO\n"][..=nth].concat();
            repository.write(name.as_bytes(), text.as_bytes());
        }
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", summary]);
    }
    repository.write(b"river.c", b"first TODO\nsecond TODO\nthird TODO\n");
    repository
}

/// A viewer of what a shell command writes.
fn session(repository: &TestRepo, script: &str, options: &str, size: (u16, u16)) -> Session {
    let mut command = CommandBuilder::new("sh");
    let program = tblame_program().display();
    command.args(["-c", &format!("{script} | '{program}' --places {options}")]);
    command.cwd(repository.root());
    Session::run(command, size)
}

/// Though standard input is a pipe, the terminal is asked for its background.
#[test]
fn the_theme_is_that_of_the_terminals_background() {
    let repository = repository();
    let mut session = session(&repository, "grep -Hn TODO map.c", "", (80, 24));
    session.wait_for("1 of 2 places ");
    assert!(contains(&session.output, b"\x1b]11;?\x07"));
    session.press("\x1b]11;rgb:ffff/fafa/f0f0\x1b\\");
    session.wait("the light theme", |screen| {
        let ground = screen.cell(0, 0).map(vt100::Cell::bgcolor);
        ground == Some(vt100::Color::Rgb(0xe4, 0xe6, 0xea))
    });
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn a_place_is_opened_and_returned_to() {
    let repository = repository();
    let script = "(grep -n TODO map.c river.c; echo gone.c:3: TODO; echo map.c:70: TODO)";
    let mut session = session(&repository, script, "", (80, 24));
    session.wait_for("1 of 7 places ");
    for text in [
        "places @ work tree",
        "map.c:1:first TODO",
        "Draw the map",
        "Name the rivers",
        "not committed yet",
        "there is no such file",
        "the file has only 2 lines",
    ] {
        session.wait_for(text);
    }
    session.press("jjj\r");
    session.wait_for("line 2 of 3");
    session.wait_for("river.c");
    session.press("<");
    session.wait_for("4 of 7 places ");
    session.press(">");
    session.wait_for("line 2 of 3");
    session.press("<");
    session.wait_for("4 of 7 places ");
    // The same file at another line.
    session.press("k\r");
    session.wait_for("line 1 of 3");
    session.press("<");
    session.wait_for("3 of 7 places ");
    session.press("G\r");
    session.wait_for("cannot be opened: the file has only 2 lines");
    session.press("gS");
    session.wait_for("places @ work tree · newest first");
    session.press("g");
    session.wait("the newest one first", |screen| {
        let first = screen.contents();
        let first = first.lines().nth(1);
        first.is_some_and(|row| row.starts_with(">river.c:3:third TODO"))
    });
    session.press("SS");
    session.wait_for("places @ work tree · by file");
    session.press("a");
    session.wait("the diff of the work tree", |screen| {
        screen.contents().contains("3 + third TODO")
    });
    session.press("}");
    session.wait_for("git diff | tblame --patch shows all");
    session.press("q");
    session.wait_for("places @ work tree · by file");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn places_are_filtered_by_what_is_known_of_their_commits() {
    let repository = repository();
    let script = "(grep -n TODO map.c river.c; echo gone.c:3: TODO; echo map.c:70: TODO)";
    let mut session = session(&repository, script, "", (80, 24));
    session.wait_for("1 of 7 places ");
    session.press("jjj&/rivers\r");
    session.wait_for("places @ work tree · /rivers");
    // The selected one stays selected.
    session.wait_for("2 of 2 places of 7");
    session.wait("those of one commit", |screen| {
        let screen = screen.contents();
        screen.contains("river.c:2:second TODO") && !screen.contains("first TODO")
    });
    session.press("S");
    session.wait_for("newest first · /rivers");
    // Nothing changes where none is left, or where it is not known.
    session.press("&nobody\r");
    session.wait_for("no place is of “nobody”: filter unchanged");
    session.press("&#12\r");
    session.wait_for("places are chosen by author, date or /summary");
    session.wait_for("places of 7");
    session.press("&..1999\r");
    session.wait_for("no place is of “..1999”: filter unchanged");
    session.press("\x1b");
    session.wait_for("of 7 places ");
    session.press("&2000..\r");
    session.wait_for("5 places of 7");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn the_commit_of_a_place_is_shown_at_the_line_under_the_name_of_then() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let lines = |from: usize| {
        (from..40)
            .map(|at| format!("reef {at}\n"))
            .collect::<String>()
    };
    repository.write(b"atoll.c", lines(0).as_bytes());
    repository.write(b"aaa.c", b"first of all\n");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "Chart the reefs"]);
    repository.git(&["mv", "atoll.c", "lagoon.c"]);
    let text = format!("new\n{}", lines(0));
    repository.write(b"lagoon.c", text.as_bytes());
    repository.git(&["commit", "-q", "-a", "-m", "Rename"]);
    let mut session = session(&repository, "grep -Hn 'reef 30' lagoon.c", "", (80, 24));
    session.wait_for("lagoon.c:32:reef 30");
    session.wait_for("Chart the reefs");
    session.press("a");
    session.wait("the line in the file of then", |screen| {
        let rows: Vec<String> = screen.rows(0, 80).collect();
        rows[0].contains("atoll.c") && rows.iter().any(|row| row.contains("31 + reef 30"))
    });
    session.press("qq");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn a_place_in_a_revision_is_opened_there() {
    let repository = repository();
    let script = "git grep -n TODO HEAD~1";
    let mut session = session(&repository, script, "", (80, 24));
    session.wait_for("1 of 2 places ");
    session.wait_for("HEAD~1:river.c:1:first TODO");
    session.press("j\r");
    session.wait_for("line 1 of 1");
    session.press("<");
    session.wait_for("2 of 2 places ");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn places_are_listed_while_they_come_and_it_quits_before_their_end() {
    let repository = repository();
    let fifo = "(echo map.c:1: x; echo free text; sleep 30 >/dev/null)";
    let mut session = session(&repository, &format!("{fifo} 2>&1"), "", (80, 24));
    session.wait_for("1 place, reading ");
    session.wait_for("reading…");
    session.press("j\r");
    session.wait_for("line 1 of 2");
    session.press("q");
    session.wait("the end of the viewer", |screen| !screen.alternate_screen());
}

#[test]
fn without_a_place_the_list_says_so() {
    let repository = repository();
    for (script, options, words) in [
        ("echo free text", "", "the line of the input names no place"),
        ("printf '1\\n2\\n'", "", "none of 2 lines names a place"),
        ("true", "", "the input was empty"),
        (
            "grep -n TODO map.c /dev/null",
            "--by=nobody --older-than=3.years",
            "none of 2 places is older than 3.years, by nobody",
        ),
    ] {
        let mut session = session(&repository, script, options, (80, 24));
        session.wait_for(words);
        session.wait("no keys for places", |screen| {
            let rows: Vec<String> = screen.rows(0, 80).collect();
            rows[23].contains("q quit") && !rows[23].contains("open")
        });
        session.press("q");
        assert_eq!(session.end().exit_code(), 0);
    }
}

#[test]
fn rows_say_where_and_what() {
    let repository = repository();
    let script = "printf 'map.c\\n1:    first TODO\\n\\nwarning: deep\\n  --> river.c:2:1\\n'";
    let mut session = session(&repository, script, "", (80, 24));
    session.wait_for("1 of 2 places ");
    let rows = [
        (1, ">map.c:1: first TODO"),
        (3, " river.c:2:1: warning: deep"),
    ];
    session.wait("both places", |screen| {
        let shown: Vec<String> = screen.rows(0, 80).collect();
        rows.iter().all(|(at, row)| shown[*at].trim_end() == *row)
    });
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

/// The place is bold, however it is written, and the rows of `rg --json` are those of `rg -n`.
#[test]
fn places_of_all_forms_stand_out() {
    let repository = repository();
    let record = r#"{"type":"match","data":{"path":{"text":"map.c"},"lines":{"text":"  TODO\n"},"line_number":1}}"#;
    let forms = [
        ("map.c:1: TODO", "map.c:1:", "map.c:1: TODO"),
        ("map.c(1,3): error", "map.c(1,3)", "map.c(1,3): error"),
        (
            "  File \"map.c\", line 1, in f",
            "File \"map.c\", line 1",
            "File \"map.c\", line 1, in f",
        ),
        ("gone.c:12:3: error", "gone.c:12:3:", "gone.c:12:3: error"),
        (record, "map.c:1:", "map.c:1: TODO"),
    ];
    let input: String = forms.iter().map(|(line, ..)| format!("{line}\n")).collect();
    repository.write(b"input", input.as_bytes());
    let mut session = session(&repository, "cat input", "", (80, 24));
    session.wait_for("1 of 5 places ");
    session.press("j");
    session.wait("all places", |screen| {
        let shown: Vec<String> = screen.rows(0, 80).collect();
        let rows = (1..).step_by(2).zip(&forms);
        let mut rows = rows.map(|(at, (_, bold, text))| {
            let cells = 1..=bold.len() as u16;
            let mut cells = cells.map(|column| screen.cell(at as u16, column));
            shown[at][1..].trim_end() == *text
                && cells.all(|cell| cell.is_some_and(vt100::Cell::bold))
        });
        rows.all(|is_right| is_right)
    });
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}
