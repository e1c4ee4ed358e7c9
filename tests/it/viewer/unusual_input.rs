//! Files and terminals of the unusual kind, in the real program.

use std::{fmt::Write as _, path::Path, time::Duration};

use portable_pty::CommandBuilder;

use crate::harness::{
    fifo::{make_fifo, read_fifo},
    program::{tblame_program, write_script},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    session::{Session, contains, tblame_command},
};

/// A repository with one file, and the program on it.
fn on(contents: &[u8]) -> (TestRepo, CommandBuilder) {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"a.js", contents);
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    let mut command = tblame_command();
    command.args(["HEAD", "a.js"]);
    command.cwd(repository.root());
    (repository, command)
}

fn leave(mut session: Session) {
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_million_lines() {
    let mut text = String::new();
    for line in 0..1_000_000 {
        writeln!(text, "{line}").expect("memory");
    }
    let (_repository, command) = on(text.as_bytes());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("large file: no syntax colors");
    session.press("G");
    session.wait_for("1000000 │ 999999");
    session.wait_for("line 1,000,000 of 1,000,000");
    session.press("500000G");
    session.wait_for(" 500000 │ 499999");
    session.press("/123456\r");
    session.wait_for(" 123457 │ 123456");
    leave(session);
}

#[test]
fn a_line_of_ten_megabytes() {
    let long = "0123456789".repeat(1 << 20);
    let (_repository, command) = on(format!("one\n{long}end\nthree\n").as_bytes());
    let mut session = Session::run(command, (60, 12));
    session.wait_for("three");
    session.press("j$");
    session.wait_for("789end");
    session.press("W");
    session.wait("the line over the whole screen", |screen| {
        screen.contents().matches("› ").count() > 4
    });
    session.press("G");
    session.wait_for("89end ");
    session.wait_for("3 │ three");
    leave(session);
}

#[test]
fn a_minified_bundle() {
    let mut text = String::new();
    for line in 0..20 {
        for name in 0..2000 {
            write!(text, "function f{name}(a,b){{return a+b*{line}}};").expect("memory");
        }
        text.push_str("last()\n");
    }
    let (_repository, command) = on(text.as_bytes());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("function f0(a,b)");
    session.press("10j$");
    session.wait_for("last()");
    session.press("0W/f1999(\r");
    session.wait_for("last()");
    leave(session);
}

#[test]
fn bytes_that_are_no_text_and_no_bytes_at_all() {
    let bytes: Vec<u8> = (0..=255).cycle().take(3000).collect();
    let (_repository, command) = on(&bytes);
    let mut session = Session::run(command, (80, 24));
    session.wait_for("binary file: other bytes");
    session.press("Ehex\r");
    session.wait_for("shown as bytes");
    leave(session);
    // None of the bytes reached the terminal as they are.
    let (_repository, command) = on(b"\x1b]0;title\x07\x9b31m\n");
    let mut session = Session::run(command, (80, 24));
    session.wait_for("]0;title");
    assert!(!contains(&session.output, b"\x1b]0;title"));
    leave(session);
    let (_repository, command) = on(b"");
    let mut session = Session::run(command, (80, 24));
    session.wait_for("the file is empty");
    session.press("jG,b/xn$W}");
    session.wait_for("keys");
    leave(session);
}

#[test]
fn attributes_name_the_encoding() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let attributes = b"*.txt encoding=latin1\n*.old working-tree-encoding=windows-1251\n";
    repository.write(b"a.txt", b"gr\xfc\xdfe\n");
    repository.write(b"b.old", b"\xec\xe8\xf0\n");
    repository.write(b"c.md", b"gr\xfc\xdfe\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.write(b".gitattributes", attributes);
    for (file, text, words) in [
        ("a.txt", "grüße", "shown as LATIN1"),
        ("b.old", "мир", "shown as WINDOWS-1251"),
        ("c.md", "gr<FC><DF>e", "E chooses another encoding"),
    ] {
        let mut command = tblame_command();
        command.args(["HEAD", file]);
        command.cwd(repository.root());
        let mut session = Session::run(command, (100, 12));
        session.wait_for(text);
        session.wait_for(words);
        leave(session);
    }
    // Who chooses one has that.
    let mut command = tblame_command();
    command.args(["HEAD", "a.txt"]);
    command.cwd(repository.root());
    let mut session = Session::run(command, (100, 12));
    session.wait_for("grüße");
    session.press("EUTF-8\r");
    session.wait_for("gr<FC><DF>e");
    leave(session);
}

#[test]
fn a_large_file_is_converted_beside_the_keys() {
    let (_repository, command) = on(&b"gr\xfc\xdfe\n".repeat(200_000));
    let mut session = Session::run(command, (100, 12));
    session.wait_for("gr<FC><DF>e");
    session.press("Elatin1\rG");
    session.wait_for("shown as LATIN1");
    session.wait_for("200000 │ grüße");
    session.press("Eauto\r");
    session.wait_for("200000 │ gr<FC><DF>e");
    leave(session);
}

/// The numbers of the lines on a screen, if each is the one before and one more.
fn numbers(screen: &vt100::Screen) -> Vec<u32> {
    let rows = screen.rows(0, screen.size().1.get());
    let number = |row: String| {
        let before = row.split_once('│')?.0.split_whitespace().last()?;
        before.trim_start_matches(['▌', '►']).parse().ok()
    };
    let all: Vec<u32> = rows.filter_map(number).collect();
    if all.windows(2).all(|pair| pair[0] + 1 == pair[1]) {
        all
    } else {
        Vec::new()
    }
}

#[test]
fn a_storm_of_sizes_and_keys() {
    let mut session = Session::start(&["--demo"], (80, 24));
    session.wait_for("of 37");
    let mut random = Rng::new(7);
    let keys = [
        "j", "k", "\u{4}", "\u{15}", "]", "[", "d", "W", "W", "G", "g",
    ];
    for _ in 0..60 {
        let (columns, rows) = (2 + random.below(150), 1 + random.below(50));
        session.resize(columns as u16, rows as u16);
        let key = random.pick(&keys);
        session.press(key);
    }
    session.resize(100, 30);
    // What is written from now on is for this size; nothing else may be left on the screen.
    session.press("g\u{c}");
    session.wait("all of it", |screen| {
        let shown = numbers(screen);
        shown.len() > 10 && shown[0] == 1 && screen.contents().contains("tally.py @ ")
    });
    leave(session);
}

#[test]
fn twenty_columns() {
    let mut session = Session::start(&["--demo"], (20, 10));
    session.wait_for(" tally.py ");
    session.press("\u{14}8jW");
    session.wait_for("›");
    session.press("\r");
    session.wait_for("Esc close");
    session.press("q/import\r?");
    session.wait_for("keys: Blame");
    session.press("qsj|");
    session.wait_for("dark");
    session.press("q");
    session.wait("no list", |screen| !screen.contents().contains("Theme"));
    session.press("|");
    session.wait_for("Columns");
    session.press("q");
    session.wait("no list", |screen| !screen.contents().contains("Columns"));
    leave(session);
}

#[test]
fn rows_are_moved_by_terminals_that_do_that() {
    let mut random = Rng::new(3);
    let mut noise = || "abcdefgh"[random.below(8)..].repeat(random.between(1, 6));
    let lines = (1..300).map(|line| format!("line {line} {}\n", noise()));
    let lines: String = lines.collect();
    let (repository, _) = on(lines.as_bytes());
    for (term, moves) in [("xterm-256color", true), ("ansi-256", false)] {
        let mut command = CommandBuilder::new("env");
        command.arg(format!("TERM={term}"));
        command.arg(tblame_program());
        command.args(["HEAD", "a.js"]);
        command.cwd(repository.root());
        let mut session = Session::run(command, (80, 24));
        session.wait_for("of 299");
        session.press("150G");
        session.wait_for("150 │ line 150");
        for line in (110u32..150).rev() {
            session.press("k");
            session.wait("whole lines", |screen| {
                let (text, shown) = (screen.contents(), numbers(screen));
                let right = |line| text.contains(&format!("{line} │ line {line}"));
                shown.contains(&(line - 3)) && shown.into_iter().all(right)
            });
        }
        assert_eq!(contains(&session.output, b"\x1b[r"), moves, "{term}");
        leave(session);
    }
}

/// A shell that controls jobs runs the program, writes its process's number into a file, and goes
/// on with it when it has read a line.
fn in_a_shell(run: &str, file: &Path) -> Session {
    let mut shell = CommandBuilder::new("sh");
    let script = format!("set -m; {run}; echo suspended; read line; echo \"$line\"; fg");
    shell.args(["-c", &script]);
    shell.arg(tblame_program());
    shell.arg(file);
    let mut session = Session::run(shell, (80, 24));
    session.wait_for("of 37");
    session
}

fn go_on_and_leave(mut session: Session) {
    session.wait_for("suspended");
    session.assert_restored();
    session.press("go on\r");
    session.wait("the other screen", |screen| screen.alternate_screen());
    session.wait_for("of 37");
    leave(session);
}

#[test]
fn a_signal_from_elsewhere_suspends_it() {
    let scratch = tempfile::tempdir().expect("a directory");
    let file = scratch.path().join("pid");
    let run = "sh -c 'echo $$ > \"$1\"; exec \"$0\" --demo' \"$0\" \"$1\"";
    for name in ["TSTP", "STOP"] {
        let mut session = in_a_shell(run, &file);
        let number = std::fs::read_to_string(&file).expect("the number");
        // In the middle of a frame, a sequence that is cut off takes what the shell writes into itself.
        session.wait_until_stable(Duration::from_millis(500), Duration::from_secs(60));
        let kill = std::process::Command::new("kill")
            .args(["-s", name, number.trim()])
            .status();
        assert!(kill.expect("kill").success());
        match name {
            "TSTP" => go_on_and_leave(session),
            // Nobody can do anything before that one. What matters is that it goes on.
            _ => {
                session.wait_for("suspended");
                // The terminal is as the program had it.
                session.press("go on\n");
                session.wait("the key", |screen| screen.contents().contains("of 37"));
                session.press("\u{c}");
                session.press("?");
                session.wait_for("blame before this line's commit");
                session.press("q");
                session.wait_for("of 37");
                leave(session);
            }
        }
    }
}

#[test]
fn all_that_run_with_it_are_suspended() {
    let scratch = tempfile::tempdir().expect("a directory");
    // As an alias of git does: another process waits for the program, in the same job.
    let mut session = in_a_shell("sh -c '\"$0\" --demo; exit $?' \"$0\"", scratch.path());
    session.press("\u{1a}");
    go_on_and_leave(session);
}

#[test]
fn without_a_shell_nothing_is_suspended() {
    let mut session = Session::start(&["--demo"], (80, 24));
    session.wait_for("of 37");
    session.press("\u{1a}");
    session.wait_for("cannot suspend: no job-control shell");
    leave(session);
}

#[test]
fn a_signal_ends_it_while_an_editor_runs() {
    for name in ["TERM", "HUP"] {
        let mut command = tblame_command();
        command.arg("--demo");
        command.env("GIT_EDITOR", "f() { echo edits; exec cat; }; f");
        let mut session = Session::run(command, (100, 30));
        session.wait_for("of 37");
        session.press("e");
        session.wait_for("edits");
        session.signal(name);
        assert!(!session.end().success(), "SIG{name}");
        session.assert_restored();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_clipboards_program_is_given_the_text() {
    let cases = [
        ("WAYLAND_DISPLAY", "wl-copy", ""),
        ("DISPLAY", "xclip", "-selection clipboard"),
        ("DISPLAY", "xsel", "--clipboard --input"),
        ("WSL_DISTRO_NAME", "clip.exe", ""),
    ];
    for (variable, name, arguments) in cases {
        let scratch = tempfile::tempdir().expect("a directory");
        let program = scratch.path().join(name);
        let [given, release] = ["given", "release"].map(|name| scratch.path().join(name));
        make_fifo(&given);
        make_fifo(&release);
        // Like some clipboard programs it keeps running, which the viewer must not wait for. Its
        // output must not reach the screen.
        let script = "#!/bin/sh\necho NOISE; echo NOISE >&2\n\
            { echo \"$*\"; cat; } > \"${0%/*}/given\"\nread _ < \"${0%/*}/release\"\n";
        write_script(&program, script.as_bytes());
        // The script needs cat; no clipboard program of this machine is found.
        let paths = std::env::var_os("PATH").expect("a path");
        let mut cats = std::env::split_paths(&paths).map(|path| path.join("cat"));
        let cat = cats.find(|cat| cat.exists()).expect("cat is installed");
        std::os::unix::fs::symlink(cat, scratch.path().join("cat")).expect("a link");
        let mut command = tblame_command();
        command.arg("--demo");
        for other in ["WAYLAND_DISPLAY", "DISPLAY", "WSL_DISTRO_NAME"] {
            command.env_remove(other);
        }
        command.env(variable, "1");
        command.env("PATH", scratch.path());
        let mut session = Session::run(command, (100, 30));
        session.wait_for("of 37");
        session.press("2Gy");
        session.wait_for("copied b98d15e9");
        let text = read_fifo(&given);
        let (words, id) = text.split_once('\n').expect("two lines");
        assert_eq!(words, arguments, "{name}");
        assert!(id.starts_with("b98d15e9") && id.len() == 40, "{name}: {id}");
        assert!(!contains(&session.output, b"NOISE"));
        leave(session);
        // Opening it ends the script.
        let mut open = std::fs::OpenOptions::new();
        open.read(true).write(true).open(&release).expect("a FIFO");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let text = "line\n".repeat(200_000);
    let (repository, _) = on(text.as_bytes());
    let script = "\"$0\" HEAD a.js | head -n 1; echo done";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script]);
    shell.arg(tblame_program());
    let output = shell.current_dir(repository.root()).output().expect("sh");
    assert_eq!(output.stderr, b"");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with(") line\ndone\n"), "{text}");
}
