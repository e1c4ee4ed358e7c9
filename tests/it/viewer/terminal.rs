//! The real program in a pseudo-terminal.

use std::io::Read;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::harness::{
    fifo::{make_fifo, read_fifo},
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
    session::{Session, contains, tblame_command},
};

#[test]
fn start_look_around_and_quit() {
    let mut session = Session::start(&["--demo"], (100, 30));
    session.wait_for("def main(");
    session.wait_for("of 37");
    session.wait_for("─ 9fe884e6 ─ Ben Okafor");
    assert!(session.screen().alternate_screen());
    session.press(",");
    session.wait_for("rewritten; most alike: line 1");
    session.press("<2g");
    session.wait_for("─ b98d15e9 ─ Ada Marsh");
    session.press(",");
    session.wait_for("count.py @");
    session.press(",");
    session.wait_for("added the file");
    session.press("?");
    session.wait_for("blame before this line's");
    session.press("\u{1b}");
    session.wait_for("print(len(words))");
    session.press("y");
    session.wait_for("copied c8e13a3b");
    assert!(
        contains(&session.output, b"\x1b]52;c;"),
        "the id went to the clipboard"
    );
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn the_history_of_a_line_is_opened_and_left() {
    let mut session = Session::start(&["--demo"], (80, 24));
    session.wait_for("of 37");
    session.press("9GL");
    session.wait_for("history of line 9");
    session.wait_for("1 of 2 commits, 1 only nearby ");
    session.wait_for("born in b98d15e9");
    session.press("j");
    session.wait_for("c8e13a3b count.py lines 1–3");
    session.press("\r");
    session.wait_for("count.py @");
    session.press("<");
    session.wait_for("2 of 2 commits, 1 only nearby ");
    session.press("q");
    session.wait_for("line 9 of 37");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_range_is_opened_where_it_starts() {
    let mut session = Session::start(&["--demo", "-L", "5,9"], (100, 30));
    session.wait_for("work tree, lines 5–9");
    // The line's commit, and not that of the first line.
    session.wait_for("─ ea8cd217 ─ Ben Okafor");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn a_reversed_blame_says_so() {
    let arguments = ["--demo", "--reverse", "HEAD~3..HEAD", "tally.py"];
    let mut session = Session::start(&arguments, (100, 30));
    session.wait_for("--reverse: when lines were last there");
    session.wait_for("─ bb244c12 ─ Ewa Nowak");
    session.press(",");
    session.wait_for("is the last commit with this line: b blames there");
    session.press("\r");
    session
        .wait_for("no commit after bb244c12 in this range has the file; a shows what bb244c12 did");
    // The commit after the last one with the line changed it.
    session.press("13G\r");
    session.wait_for(" diff 6c0a82c0 ");
    session.press("qq");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn a_limited_history_is_named() {
    for (arguments, header) in [
        (&["HEAD~3..HEAD"][..], "tally.py @ HEAD~3..HEAD "),
        (&["HEAD", "^HEAD~3"], "tally.py @ HEAD ^HEAD~3 "),
        (
            &["--since=2020-01-01T12:00:00Z"],
            "tally.py @ work tree since 2020-01-01 ",
        ),
        (&["HEAD", "--"], "tally.py @ HEAD "),
    ] {
        let arguments = [&["--demo"], arguments, &["tally.py"]].concat();
        let mut session = Session::start(&arguments, (100, 30));
        session.wait_for(header);
        session.press("q");
        assert_eq!(session.end().exit_code(), 0);
    }
}

const QUERY: &[u8] = b"\x1b]11;?\x07";

/// The header's ground.
fn ground(screen: &vt100::Screen) -> vt100::Color {
    screen.cell(0, 0).expect("a cell").bgcolor()
}

#[test]
fn the_theme_is_that_of_the_terminals_background() {
    let (dark, light) = (
        vt100::Color::Rgb(0x2c, 0x30, 0x38),
        vt100::Color::Rgb(0xe4, 0xe6, 0xea),
    );
    let mut session = Session::start(&["--demo"], (80, 24));
    session.wait_for("of 37");
    assert!(contains(&session.output, QUERY));
    assert_eq!(ground(session.screen()), dark);
    // The answer comes late. None of it is taken for a key: a slash would ask for what to search.
    session.press("\x1b]11;rgb:ffff/fafa/f0f0\x1b\\");
    session.wait("the light theme", |screen| {
        ground(screen) == light && screen.contents().contains("? keys")
    });
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    // Who says what it is to be is not asked.
    for (args, expected) in [
        (["--demo", "--theme=light"], light),
        (["--demo", "--theme=dark"], dark),
    ] {
        let mut session = Session::start(&args, (80, 24));
        session.wait_for("of 37");
        assert!(!contains(&session.output, QUERY));
        assert_eq!(ground(session.screen()), expected);
    }
}

#[test]
fn an_answer_that_is_on_its_way_is_waited_for() {
    let mut session = Session::start(&["--demo"], (80, 24));
    session.wait("the question", |screen| screen.alternate_screen());
    session.press("q\x1b]11;rgb:0000/0000/0000\x07");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
    let text = session.screen().contents();
    assert!(!text.contains("rgb"), "{text}");
}

#[test]
fn a_signal_ends_it_while_a_reply_is_awaited() {
    let mut command = tblame_command();
    command.arg("--demo");
    // Across a network, the reply is awaited for half a second before an editor is started.
    command.env("SSH_TTY", "/dev/null");
    command.env("GIT_EDITOR", "true");
    let mut session = Session::run(command, (80, 24));
    session.wait("the first frame", |screen| {
        screen.contents().contains("USAGE")
    });
    session.press("e");
    session.signal("TERM");
    assert!(!session.end().success());
    session.assert_restored();
}

#[test]
fn escape_and_a_bracket_are_keys_although_a_reply_is_awaited() {
    let mut session = Session::start(&["--demo"], (100, 30));
    session.wait_for("of 37");
    session.press("?");
    session.wait_for("blame before this line's");
    session.press("\x1b");
    session.wait("the blame", |screen| {
        !screen.contents().contains("blame before this line's")
    });
    session.press("]");
    session.wait("the next group", |screen| {
        let rows: Vec<String> = screen.rows(0, 100).collect();
        let selected = rows.iter().position(|row| row.contains('►'));
        selected.is_some_and(|row| row > 1)
    });
    // An introducer that nothing follows.
    session.press("\x1bP");
    session.wait_for("does nothing");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn a_command_that_prints_nothing_returns_at_once() {
    let scratch = tempfile::tempdir().expect("a directory");
    let own = scratch.path().join("tblame");
    std::fs::create_dir_all(&own).expect("a directory");
    let run = |command: &str| {
        let config = format!("viewer.teach = false\n[run]\ncommand = {command}");
        std::fs::write(own.join("config.toml"), config).expect("a file");
        let mut command = tblame_command();
        command.arg("--demo");
        let mut session = Session::run_with_config(command, (100, 24), scratch.path());
        session.wait_for("line 1 of");
        session.press("!");
        session
    };
    let mut session = run("['true']");
    session.wait_for("true finished");
    assert!(!contains(&session.output, b"[any key returns to tblame]"));
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    for key in ["\r", "q", " ", "\u{3}", "\u{1b}[A"] {
        let mut session = run("['echo', 'some text']");
        session.wait_for("[any key returns to tblame]");
        assert!(session.screen().contents().contains("some text"));
        session.press(key);
        session.wait_for("echo finished");
        session.press("q");
        assert_eq!(session.end().exit_code(), 0, "{key:?}");
        session.assert_restored();
    }
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn the_bound_on_arenas_is_its_own() {
    let scratch = tempfile::tempdir().expect("a directory");
    let own = scratch.path().join("tblame");
    std::fs::create_dir_all(&own).expect("a directory");
    let config = "viewer.teach = false\n[run]\ncommand = ['sh', '-c', 'echo arenas ${MALLOC_ARENA_MAX-free}']";
    std::fs::write(own.join("config.toml"), config).expect("a file");
    for (of_user, of_program, of_command) in [
        (None, "02", "free"),
        (Some("8"), "8", "8"),
        (Some(""), "", ""),
    ] {
        let mut command = tblame_command();
        command.arg("--demo");
        match of_user {
            Some(bound) => command.env("MALLOC_ARENA_MAX", bound),
            None => command.env_remove("MALLOC_ARENA_MAX"),
        }
        let mut session = Session::run_with_config(command, (100, 24), scratch.path());
        session.wait_for("line 1 of");
        let id = session.process_id().expect("it runs");
        let variables = std::fs::read(format!("/proc/{id}/environ")).expect("it runs");
        let wanted = format!("MALLOC_ARENA_MAX={of_program}");
        let found = variables
            .split(|byte| *byte == 0)
            .filter(|it| it.starts_with(b"MALLOC_ARENA_MAX"));
        assert_eq!(found.collect::<Vec<_>>(), [wanted.as_bytes()]);
        session.press("!");
        session.wait_for("[any key returns to tblame]");
        session.wait_for(format!("arenas {of_command}").trim());
        session.press("\r");
        session.wait_for("sh finished");
        session.press("q");
        assert_eq!(session.end().exit_code(), 0);
    }
}

#[test]
fn it_is_configured_by_a_file() {
    let scratch = tempfile::tempdir().expect("a directory");
    let own = scratch.path().join("tblame");
    std::fs::create_dir_all(own.join("themes")).expect("a directory");
    let config = "theme = 'paper'\nviewer.mouse = false\n[keys]\ndown = 'n'\nhelp = 'F1'\n[columns]\nshow = ['summary']";
    std::fs::write(own.join("config.toml"), config).expect("a file");
    let theme = "base = 'light'\n[text]\nmark = '#cccccc'";
    std::fs::write(own.join("themes/paper.toml"), theme).expect("a file");
    let start = || {
        let mut command = tblame_command();
        command.arg("--demo");
        command
    };
    let mut session = Session::run_with_config(start(), (100, 24), scratch.path());
    session.wait_for("theme paper: text.mark on");
    assert!(!contains(&session.output, b"\x1b[?1000h"));
    session.press("2n");
    session.wait_for("F1 keys");
    session.wait("the third line", |screen| {
        let row = screen.rows(0, 100).nth(3).unwrap_or_default();
        row.contains('►')
    });
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    std::fs::write(own.join("config.toml"), "\ncolr = 'age'").expect("a file");
    let mut session = Session::run_with_config(start(), (100, 24), scratch.path());
    assert_eq!(session.end().exit_code(), 128);
    let text = session.screen().contents();
    let words = "tblame/config.toml:2: unknown setting `colr'; did you mean `color'?";
    assert!(text.replace('\n', "").contains(words), "{text}");
}

#[test]
fn a_theme_is_tried_and_kept() {
    let scratch = tempfile::tempdir().expect("a directory");
    let own = scratch.path().join("tblame");
    std::fs::create_dir_all(own.join("themes")).expect("a directory");
    let theme = "base = 'light'\n[pair]\nbar = { text = '#000000', background = '#ffffff' }";
    std::fs::write(own.join("themes/paper.toml"), theme).expect("a file");
    std::fs::write(own.join("themes/torn.toml"), "bse = 'light'").expect("a file");
    let file = own.join("config.toml");
    std::fs::write(
        &file,
        "# mine\ntheme = 'dark' # at night\nviewer.wrap = true\n",
    )
    .expect("a file");
    let mut command = tblame_command();
    command.arg("--demo");
    let mut session = Session::run_with_config(command, (160, 24), scratch.path());
    session.wait_for("of 37");
    let dark = ground(session.screen());
    session.press("s");
    session.wait_for(" paper ");
    session.press("jj");
    let white = vt100::Color::Rgb(255, 255, 255);
    session.wait("the theme", |screen| ground(screen) == white);
    session.press("j\r");
    session.wait_for("torn.toml:1: unknown setting `bse'");
    session.press("\u{1b}");
    session.wait("what was there before", |screen| ground(screen) == dark);
    session.press("sGk\r");
    session.wait_for("save theme = \"paper\"? y: yes");
    session.press("y");
    session.wait_for("written to ");
    let kept = std::fs::read_to_string(&file).expect("a file");
    assert_eq!(
        kept,
        "# mine\ntheme = \"paper\" # at night\nviewer.wrap = true\n"
    );
    // Any other key is what it is.
    session.press("|j jq");
    session.wait_for("save columns.show = [\"id\", \"date\", \"summary\", \"line\"]?");
    session.press("?");
    session.wait_for("blame before this line's");
    session.press("qq");
    assert_eq!(session.end().exit_code(), 0);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), kept);
}

/// A repository with a file of numbered lines, and the program on it.
fn worked_on(lines: std::ops::Range<u32>) -> (TestRepo, CommandBuilder) {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"a.txt", numbered(lines).as_bytes());
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    let mut command = tblame_command();
    command.arg("a.txt");
    command.cwd(repository.root());
    (repository, command)
}

fn numbered(lines: std::ops::Range<u32>) -> String {
    lines.map(|line| format!("line {line}\n")).collect()
}

/// The text of the selected row, which has a ground of its own.
fn selected(screen: &vt100::Screen) -> String {
    let ground = |y| screen.cell(y, 90).map(|cell| cell.bgcolor());
    let cursor = Some(vt100::Color::Rgb(0x3a, 0x3d, 0x46));
    let y = (0..screen.size().0.get()).find(|&y| ground(y) == cursor);
    let rows: Vec<String> = screen.rows(0, 100).collect();
    y.map_or(String::new(), |y| rows[usize::from(y)].clone())
}

#[test]
fn a_file_that_changes_is_read_again_when_that_is_wanted() {
    let (repository, command) = worked_on(0..100);
    let mut session = Session::run(command, (100, 24));
    session.wait_for("of 100");
    session.press("50G");
    session.wait("the line", |screen| selected(screen).contains("line 49"));
    let row = |session: &Session| {
        let rows: Vec<String> = session.screen().rows(0, 100).collect();
        rows.iter().position(|row| row.contains("line 49"))
    };
    let before = row(&session);
    let new = format!("{}{}", numbered(200..207), numbered(0..100));
    repository.write(b"a.txt", new.as_bytes());
    session.wait_for("the file has changed: ^R reloads");
    // Until then all is as it was.
    assert_eq!(row(&session), before);
    session.press("\u{12}");
    session.wait_for("reloaded, at line 57");
    session.wait("the line", |screen| {
        selected(screen).contains("57 │ line 49")
    });
    assert_eq!(row(&session), before);
    session.wait("all of it", |screen| {
        !screen.contents().contains("has changed") && screen.contents().contains("of 107")
    });
    repository.git(&["commit", "-q", "-a", "-m", "second"]);
    session.wait_for("HEAD has moved: ^R reloads");
    // Also from a diff.
    session.press("g\r");
    session.wait_for(" diff work tree");
    session.press("\u{12}");
    session.wait_for("reloaded, at line 1");
    session.wait("the commit", |screen| screen.contents().contains("second"));
    session.press("\u{12}");
    session.wait_for("nothing has changed");
    // Back is what it was at first.
    session.press("2<");
    session.wait_for("of 100");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
    assert!(contains(&session.output, b"\x1b[?1004l"));
}

#[test]
fn a_file_that_was_removed_is_opened_as_it_was() {
    let (repository, command) = worked_on(0..30);
    let mut session = Session::run(command, (100, 24));
    session.wait_for("of 30");
    // What the file was like is known from then on.
    session.press("\u{12}");
    session.wait("an answer", |screen| {
        let text = screen.contents();
        text.contains("nothing has changed") || text.contains("reloaded, ")
    });
    std::fs::remove_file(repository.root().join("a.txt")).expect("it is there");
    session.wait_for("the file is gone: ^R says more");
    session.press("\u{12}");
    session.wait_for("not in the work tree; : and a revision opens the file as it was there");
    session.press(":HEAD\r");
    session.wait_for(" › HEAD");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn later_news_takes_the_place_of_an_earlier_message() {
    let (repository, command) = worked_on(0..30);
    let mut session = Session::run(command, (60, 24));
    session.wait_for("of 30");
    session.press("G");
    repository.write(b"a.txt", b"");
    session.press("\u{12}");
    session.wait_for("reloaded; the file is empty");
    repository.write(b"a.txt", b"one\n");
    session.wait_for("the file has changed: ^R reloads");
    session.press("\u{12}");
    session.wait_for("one");
    session.wait_for("reloaded");
    // What stands there is no file.
    std::fs::remove_file(repository.root().join("a.txt")).expect("it is there");
    std::fs::create_dir(repository.root().join("a.txt")).expect("nothing is there");
    session.wait_for("the file is gone: ^R says more");
    session.press("\u{12}");
    session.wait_for("not in the work tree");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn what_the_editor_changed_is_read_again() {
    let (_repository, mut command) = worked_on(0..30);
    let editor = "f() { printf 'new\\n' | cat - \"$2\" > t && cat t > \"$2\"; }; f";
    command.env("GIT_EDITOR", editor);
    let mut session = Session::run(command, (100, 24));
    session.wait_for("of 30");
    session.press("7Ge");
    session.wait_for("reloaded, at line 8");
    session.wait("the line", |screen| selected(screen).contains("8 │ line 6"));
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn it_follows_the_size_of_the_terminal() {
    let mut session = Session::start(&["--demo"], (80, 24));
    session.wait_for("of 37");
    for (columns, rows) in [(20, 8), (120, 40), (60, 12), (140, 40)] {
        session.resize(columns, rows);
    }
    session.wait("the last size", |screen| {
        let rows: Vec<String> = screen.rows(0, 140).collect();
        rows[39].contains("ignore") && rows[0].contains("of 37")
    });
    session.press("\u{3}");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_signal_ends_it_and_leaves_the_terminal_as_it_was() {
    for name in ["TERM", "HUP", "INT"] {
        let mut session = Session::start(&["--demo"], (80, 24));
        session.wait_for("of 37");
        session.signal(name);
        assert!(!session.end().success(), "SIG{name}");
        session.assert_restored();
    }
}

/// A terminal that is not the controlling one goes away without a signal, and reads as one on which
/// nobody types.
#[test]
#[cfg(target_os = "linux")]
fn it_ends_with_its_terminal() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let status = dir.path().join("status");
    make_fifo(&status);
    let mut command = CommandBuilder::new("setsid");
    let script = "\"$0\" --demo; echo $? > \"$1\"";
    // It waits, or the terminal would be gone with it at once.
    command.args(["--wait", "sh", "-c", script]);
    command.arg(tblame_program());
    command.arg(&status);
    command.env("TERM", "xterm");
    command.env("XDG_CONFIG_HOME", "/dev/null/none");
    command.env("XDG_STATE_HOME", "/dev/null");
    let pair = native_pty_system()
        .openpty(PtySize::default())
        .expect("a pseudo-terminal");
    let mut child = pair.slave.spawn_command(command).expect("the program");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut seen = Vec::new();
    while !contains(&seen, b"USAGE") {
        let mut buffer = [0; 4096];
        let count = reader.read(&mut buffer).expect("it draws");
        assert!(count > 0, "it ended: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&buffer[..count]);
    }
    drop(reader);
    drop(pair.master);
    // The status is written once the program has ended.
    assert!(
        !read_fifo(&status).is_empty(),
        "it goes on without a terminal"
    );
    child.wait().ok();
}

#[test]
fn it_can_be_suspended_and_continued() {
    // A shell that controls jobs: without one, nothing can be suspended. It can read a line only
    // if the terminal was given back.
    let mut shell = CommandBuilder::new("sh");
    let script = "set -m; \"$0\" --demo; echo suspended; read line; echo \"$line\"; fg";
    shell.args(["-c", script]);
    shell.arg(tblame_program());
    let mut session = Session::run(shell, (80, 24));
    session.wait_for("of 37");
    session.press("\u{1a}");
    session.wait_for("suspended");
    session.assert_restored();
    session.press("go on\r");
    session.wait("the other screen", |screen| screen.alternate_screen());
    session.wait_for("of 37");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn the_editor_gets_the_terminal_and_gives_it_back() {
    let mut command = tblame_command();
    command.arg("--demo");
    // The keys must reach it, and lines as a terminal edits them.
    let editor =
        "f() { echo \"edits $1\"; read -r typed; echo \"typed <$typed>\"; read -r typed; }; f";
    command.env("GIT_EDITOR", editor);
    let mut session = Session::run(command, (100, 30));
    session.wait_for("of 37");
    session.press("11je");
    session.wait_for("edits +12");
    session.assert_restored();
    session.press("jjjo\u{8}\r");
    session.wait_for("typed <jjj");
    session.press("\r");
    session.wait_for("edited tally.py at line 12");
    assert!(session.screen().alternate_screen());
    // What was typed there was not for the viewer.
    session.press("2j");
    session.wait_for("line 14 of 37");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn an_error_is_said_without_touching_the_terminal() {
    let mut session = Session::start(&["no-such-file"], (80, 24));
    assert_eq!(session.end().exit_code(), 128);
    let text = session.screen().contents();
    assert!(text.starts_with("fatal: "), "{text}");
    assert!(!contains(&session.output, b"\x1b[?1049h"));
}

#[test]
fn what_a_text_conversion_says_does_not_disturb_the_screen() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b".gitattributes", b"*.doc diff=doc\n");
    repository.write(b"a.doc", b"one\ntwo\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    let command = "sh -c 'echo NOISE >&2; cat \"$1\"' sh";
    repository.git(&["config", "diff.doc.textconv", command]);
    let start = || {
        let mut command = tblame_command();
        command.args(["HEAD", "a.doc"]);
        command.cwd(repository.root());
        command
    };
    let mut session = Session::run(start(), (80, 24));
    session.wait_for("of 2");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    assert!(!contains(&session.output, b"NOISE"));
    // Where it fails, its words say why.
    repository.git(&[
        "config",
        "diff.doc.textconv",
        "sh -c 'echo NOISE >&2; false'",
    ]);
    let mut session = Session::run(start(), (80, 24));
    assert_eq!(session.end().exit_code(), 128);
    assert!(contains(&session.output, b"unable to read files to diff"));
}

#[test]
fn what_a_filter_says_does_not_disturb_the_screen() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"one.loud", b"one\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.write(b".git/info/attributes", b"*.loud filter=loud\n");
    let command = "echo NOISE >&2; echo ran >> ran; cat";
    repository.git(&["config", "filter.loud.clean", command]);
    repository.write(b"one.loud", b"one\ntwo\nthree\n");
    let mut command = tblame_command();
    command.cwd(repository.root());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("one.loud");
    session.press("\r");
    session.wait_for("of 3");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    assert!(repository.root().join("ran").exists());
    assert!(!contains(&session.output, b"NOISE"));
}

#[test]
fn a_repository_that_is_gone_is_said_to_be() {
    for (file, first) in [(None, "one entry"), (Some("lamp"), "line 1 of 1")] {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b"lamp", b"one\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "first"]);
        let mut command = tblame_command();
        command.args(file);
        command.cwd(repository.root());
        let mut session = Session::run(command, (80, 24));
        session.wait_for(first);
        let root = repository.root();
        std::fs::rename(root.join(".git"), root.join("gone")).expect("a directory");
        std::fs::remove_file(root.join("lamp")).expect("a file");
        session.press("\x12");
        session.wait_for("the repository is gone");
        session.press("q");
        assert_eq!(session.end().exit_code(), 0);
    }
}

#[test]
fn revisions_and_files_are_opened_by_name() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"src/lamp.c", b"one\ntwo\nthree\n");
    repository.write(b"src/wick.c", b"wick\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.git(&["tag", "light-1.0"]);
    repository.git(&["mv", "src/lamp.c", "src/lantern.c"]);
    repository.write(b"src/lantern.c", b"zero\none\ntwo\nthree\n");
    repository.git(&["commit", "-q", "-a", "-m", "second"]);
    let mut command = tblame_command();
    command.args(["HEAD", "src/lantern.c"]);
    command.cwd(repository.root());
    let mut session = Session::run(command, (100, 24));
    session.wait_for("zero");
    session.wait_for("second");
    // The file had another name in the tag. The reference is completed.
    session.press("3G:li\t");
    session.wait_for(":light-1.0");
    session.press("\r");
    session.wait_for("src/lamp.c");
    session.wait_for("HEAD › light-1.0");
    session.wait("the same line", |screen| {
        let row = screen.rows(0, 100).nth(2).unwrap_or_default();
        row.contains('►') && row.contains("two")
    });
    // A file beside it, by its name, and one of a revision.
    session.press("::wick.c\r");
    session.wait_for("src/wick.c");
    session.press(":HEAD:src/lan\t");
    session.wait_for(":HEAD:src/lantern.c");
    session.press("\r");
    session.wait_for("zero");
    // What is not there is said in plain words.
    for (input, expected) in [
        (
            ":nowhere",
            "“nowhere” is neither a line, a revision, a file nor a date",
        ),
        (":v1:lamp.c", "there is no revision “v1”"),
        (":light-1.0:lantrn.c", "light-1.0 has no file “lantrn.c”"),
        (
            ":../../etc/passwd",
            "is neither a line, a revision, a file nor a date",
        ),
    ] {
        session.press(&format!("{input}\r"));
        session.wait_for(expected);
    }
    session.press("3<");
    session.wait_for("zero");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn uncommitted_lines_say_whether_they_are_staged() {
    let (repository, command) = worked_on(1..4);
    repository.write(b"a.txt", b"line 1\nstaged\nline 3\n");
    repository.git(&["add", "a.txt"]);
    repository.write(b"a.txt", b"line 1\nstaged\nline 3\nfresh\n");
    let mut session = Session::run(command, (80, 24));
    session.wait_for("fresh");
    session.press("2G");
    session.wait_for("This line is uncommitted; it is staged.");
    session.press("4G");
    session.wait_for("This line is uncommitted; it is not staged.");
    session.press("1G");
    session.wait("a committed line", |screen| {
        !screen.contents().contains("staged.")
    });
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}
