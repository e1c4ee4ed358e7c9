//! The program in terminals of many types, without `COLORTERM`, which ssh does not pass on.

use crate::harness::session::{Session, contains, tblame_command};

/// What the program writes in backgrounds of true color, and of 256 colors.
const TRUE: &[u8] = b"48;2;";
const INDEXED: &[u8] = b"48;5;";
/// The start of the question for colors.
const QUESTION: &[u8] = b"\x1bP$qm";

/// The demo in a terminal of the type `term`, when its first screen is there.
fn demo(term: &str) -> Session {
    let mut command = tblame_command();
    command.arg("--demo");
    let mut session = Session::run_in_type(command, (100, 30), term);
    session.wait_for("def main(");
    session.wait_for("─ 9fe884e6 ─");
    session
}

/// The colors that the program uses after the question, which asks for one in true color.
fn colors(session: &Session) -> (bool, bool) {
    let output = &session.output;
    let asked = output
        .windows(QUESTION.len())
        .rposition(|it| it == QUESTION);
    let frames = &output[asked.unwrap_or(0)..];
    (contains(frames, TRUE), contains(frames, INDEXED))
}

fn quit(mut session: Session) {
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn colors_are_those_of_the_type() {
    for (term, expected, is_asked) in [
        ("xterm-kitty", (true, false), false),
        ("xterm-ghostty", (true, false), false),
        ("alacritty", (true, false), false),
        ("foot", (true, false), false),
        ("wezterm", (true, false), false),
        ("rio", (true, false), false),
        ("contour", (true, false), false),
        ("xterm-256color", (false, true), true),
        ("tmux", (false, true), true),
        ("tmux-256color", (false, true), true),
        ("screen", (false, true), false),
        ("screen-256color", (false, true), false),
        ("xterm", (false, false), true),
        ("rxvt", (false, false), true),
        ("nobody-knows-it", (false, false), true),
        ("linux", (false, false), false),
        ("vt100", (false, false), false),
        ("vt220", (false, false), false),
    ] {
        let session = demo(term);
        assert_eq!(colors(&session), expected, "{term}");
        assert_eq!(contains(&session.output, QUESTION), is_asked, "{term}");
        quit(session);
    }
}

#[test]
fn a_terminal_that_has_more_colors_gets_them() {
    for (answer, is_true) in [
        ("\x1bP1$r0;48:2::1:2:3m\x1b\\", true),
        ("\x1bP1+r524742=8\x1b\\", true),
        ("\x1bP1$r0;48:5:16m\x1b\\", false),
    ] {
        let mut session = demo("xterm");
        session.press(answer);
        let wanted = if is_true { TRUE } else { INDEXED };
        let before = session.output.len();
        session.press("j");
        session.wait_for("line 2 of");
        assert!(contains(&session.output[before..], wanted), "{answer:?}");
        quit(session);
    }
}

/// The demo in a locale, and with a configuration.
fn in_locale(locale: &str, config: &str, is_wide: bool) -> Session {
    let directory = tempfile::tempdir().expect("a file");
    let file = directory.path().join("tblame/config.toml");
    std::fs::create_dir_all(file.parent().expect("a file")).expect("a file");
    std::fs::write(file, config).expect("a file");
    let mut command = tblame_command();
    command.arg("--demo");
    command.env("LC_ALL", locale);
    let mut session = Session::run_with_config(command, (100, 30), directory.path());
    session.shows_lines_wide = is_wide;
    session.wait_for("9fe884e6 ");
    session.wait_for("line 1 of 37");
    session
}

#[test]
fn marks_and_lines_are_ascii_where_others_are_not_shown_well() {
    let question = b"\x1b[6n";
    for (locale, config, is_wide, is_ascii, is_asked) in [
        ("C.UTF-8", "", true, false, false),
        ("C", "", false, true, false),
        ("de_DE.ISO-8859-1", "", false, true, false),
        ("C", "viewer.ascii = false", false, false, false),
        ("C.UTF-8", "viewer.ascii = true", false, true, false),
        ("ja_JP.UTF-8", "", true, true, true),
        ("ja_JP.UTF-8", "", false, false, true),
        ("ja_JP.UTF-8", "viewer.ascii = false", true, false, false),
    ] {
        let session = in_locale(locale, config, is_wide);
        let text = session.screen().contents();
        assert_eq!(text.is_ascii(), is_ascii, "{locale} {config}: {text}");
        let asked = contains(&session.output, question);
        assert_eq!(asked, is_asked, "{locale} {config}");
        quit(session);
    }
}
