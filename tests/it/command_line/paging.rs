//! Output on a terminal: through the pager that git would run, or made safe.

use std::ffi::OsStr;

use portable_pty::CommandBuilder;

use crate::harness::{
    git::{git_program, git_version_text},
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
    session::Session,
};

/// Prints what a pager gets from git, and its first lines.
const PAGER: &str = "sh -c 'echo \"LESS=$LESS LV=$LV\"; head -n 4'";

fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let lines: String = (0..100).map(|line| format!("line {line}\n")).collect();
    repository.write(b"f", lines.as_bytes());
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "lines"]);
    repository
}

/// What a program writes to a terminal, and its exit status.
fn on_terminal(
    repository: &TestRepo,
    program: &OsStr,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> (String, u32) {
    let mut command = CommandBuilder::new(program);
    command.args(arguments);
    command.cwd(repository.root());
    command.env("HOME", repository.root().join(".."));
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("XDG_CONFIG_HOME", "/dev/null/none"),
        ("TBLAME_CACHE", "off"),
        ("TBLAME_GIT_COMPAT", git_version_text()),
    ] {
        command.env(name, value);
    }
    for name in ["GIT_PAGER", "PAGER", "LESS", "LV", "GIT_DIR"] {
        command.env_remove(name);
    }
    for (name, value) in variables {
        command.env(name, value);
    }
    let mut session = Session::run_unisolated(command, (120, 30));
    let status = session.end();
    let text = String::from_utf8_lossy(&session.output).into_owned();
    (text, status.exit_code())
}

#[test]
fn output_is_paged_as_by_git() {
    let repository = repository();
    let mut compared = 0;
    let mut paged = 0;
    let mut compare = |variables: &[(&str, &str)], config: &[&str], arguments: &[&str]| {
        let settings: Vec<&str> = config.iter().flat_map(|it| ["-c", it]).collect();
        let annotates = arguments[0] == "annotate";
        let of_git = [&settings[..], arguments].concat();
        let expected = on_terminal(&repository, git_program(), &of_git, variables);
        let own = ["--no-viewer", "--annotate"];
        let own = &own[..1 + usize::from(annotates)];
        let of_tblame = [&settings[..], own, &arguments[1..]].concat();
        let program = tblame_program().as_os_str();
        let (text, status) = on_terminal(&repository, program, &of_tblame, variables);
        assert_eq!(text, expected.0, "{variables:?} {config:?} {arguments:?}");
        assert_eq!(status, expected.1, "{variables:?} {config:?} {arguments:?}");
        compared += 1;
        paged += usize::from(text.contains("LESS="));
    };
    let pager = [("GIT_PAGER", PAGER)];
    let some = ["blame", "-L1,3", "f"];
    compare(&pager, &[], &some);
    compare(&pager, &[], &["blame", "--porcelain", "-L1,3", "f"]);
    compare(&pager, &[], &["blame", "--incremental", "f"]);
    compare(&pager, &[], &["annotate", "-L1,3", "f"]);
    compare(&pager, &["pager.blame=false"], &some);
    compare(&pager, &["pager.blame=false"], &["annotate", "-L1,3", "f"]);
    compare(&pager, &["pager.annotate=0"], &["annotate", "-L1,3", "f"]);
    compare(&pager, &["pager.blame=head -n 1"], &some);
    compare(&[], &["pager.blame=head -n 1"], &some);
    compare(
        &[],
        &["pager.blame=head -n 1", "core.pager=head -n 2"],
        &some,
    );
    compare(&[], &["pager.blame=true", "core.pager=head -n 2"], &some);
    compare(&[("PAGER", "head -n 1")], &["core.pager=head -n 2"], &some);
    compare(&[("PAGER", "head -n 1")], &[], &some);
    compare(&[("PAGER", "head -n 1"), ("GIT_PAGER", "")], &[], &some);
    compare(&[("GIT_PAGER", "cat")], &["core.pager=head -n 2"], &some);
    compare(&[], &["core.pager=cat"], &some);
    compare(&[], &["core.pager="], &some);
    compare(
        &[("GIT_PAGER", PAGER), ("LESS", "X"), ("LV", "y")],
        &[],
        &some,
    );
    compare(&[("GIT_PAGER", "no-such-pager")], &[], &some);
    compare(&pager, &[], &["blame", "no-such-file"]);
    assert!(compared == 20 && paged >= 5, "{compared}, {paged} paged");
}

#[test]
fn each_output_goes_through_the_pager() {
    let repository = repository();
    repository.git(&["rm", "-q", "f"]);
    for text in [&b"one\ntwo\nthree\n"[..], b"one\ntwo\n"] {
        repository.write(b"d/g", text);
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "another"]);
    }
    repository.write(b"d/g", b"one\n");
    let program = tblame_program().as_os_str();
    let mut compared = 0;
    for arguments in [
        &["--no-viewer", "d/g"][..],
        &["--porcelain", "d/g"],
        &["--incremental", "d/g"],
        &["--json", "d/g"],
        &["--people", "d/g"],
        &["--people", "d"],
        &["--people", "--json", "d/g"],
        &["--people", "f"],
        &["--deletions", "d/g"],
        &["--deletions", "--json", "d/g"],
        &["--file-history", "d/g"],
        &["--file-history", "f"],
        &["--line-history", "-L1,1", "d/g"],
        &["--line-history", "-L1,1", "f"],
        &["--file-history", "--search=two", "d/g"],
        &["--tree"],
        &["--tree", "--json", "-r"],
        &["--why", "d/g:1"],
        &["--why", "--json", "d/g:1"],
        &["--patch", "HEAD~1..HEAD"],
        &["--patch", "--json", "HEAD~1..HEAD"],
    ] {
        let [plain, paged] = ["cat", "sed s/^/paged:/"].map(|pager| {
            let variables = [("GIT_PAGER", pager), ("NO_COLOR", "1")];
            let (text, status) = on_terminal(&repository, program, arguments, &variables);
            assert_eq!(status, 0, "{arguments:?}: {text}");
            // Standard error is the terminal too.
            let rows = text.split_inclusive('\n');
            let rows =
                rows.filter(|row| !row.starts_with("note: ") && !row.starts_with("warning: "));
            rows.collect::<String>()
        });
        assert!(!plain.is_empty(), "{arguments:?}");
        let expected: String = plain
            .split_inclusive('\n')
            .map(|row| format!("paged:{row}"))
            .collect();
        // JSON and --people of a directory are never paged.
        assert!(
            paged == expected || paged == plain,
            "{arguments:?}: {paged}"
        );
        println!("{arguments:?} {}", paged == expected);
        compared += 1;
    }
    assert_eq!(compared, 21);
}

#[test]
fn a_terminal_gets_no_control_characters_from_a_repository() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let hostile = "\x1b]0;title\x07\x1b[2J\u{9b}31m\u{202e}abc\tdef\r\n\x08\x7f\u{e0041}\n";
    repository.write(b"f", &[hostile.as_bytes(), b"\x9b2J\n"].concat());
    repository.git(&["add", "."]);
    let author = format!("--author=A\x1b[2J\u{202e} <{}@example.com>", "\u{9d}x");
    repository.git(&["commit", "-q", "-m", "summary\x1b]0;x\x07\u{9b}2J", &author]);
    let mut checked = 0;
    for format in [
        "--no-viewer",
        "--porcelain",
        "--incremental",
        "--line-porcelain",
        "--json",
    ] {
        let program = tblame_program().as_os_str();
        let variables = [("GIT_PAGER", "cat")];
        let arguments = [format, "-e", "--color-lines", "HEAD", "--", "f"];
        let (text, status) = on_terminal(&repository, program, &arguments, &variables);
        assert_eq!(status, 0, "{text}");
        assert!(text.contains("summary") || text.contains("abc"), "{text}");
        // The terminal makes `\r\n` of a line feed.
        let text = text.replace("\r\n", "\n");
        for (at, c) in text.char_indices() {
            let is_color = text[at..].starts_with("\x1b[36m") || text[at..].starts_with("\x1b[m");
            let is_safe = !c.is_control() || c == '\n' || c == '\t' || is_color;
            assert!(is_safe && c != '\u{202e}', "{format}: {c:?} in {text:?}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked} characters");
}

#[test]
fn terminals_have_colors_unless_they_are_not_wanted() {
    let repository = repository();
    repository.write(b"f", b"line 0\nother\n");
    let patch = repository.root().join("../patch");
    let diff = repository.git(&["diff"]);
    std::fs::write(&patch, diff).expect("a directory for it");
    let count = |arguments: &str, (name, value): (&str, &str)| {
        // The harness sets TERM itself.
        let program = tblame_program().display();
        let script = format!("{name}='{value}' '{program}' {arguments}");
        let pager = [("GIT_PAGER", "cat")];
        let (text, status) = on_terminal(&repository, "sh".as_ref(), &["-c", &script], &pager);
        assert_eq!(status, 0, "{text}");
        text.matches("\x1b[").count()
    };
    for arguments in [
        "--why f:2",
        "--patch < ../patch",
        "--places --no-viewer < ../patch",
    ] {
        if arguments.starts_with("--places") {
            std::fs::write(&patch, "f:1: a place\n").expect("it was written");
        }
        assert!(count(arguments, ("NO_COLOR", "")) > 0, "{arguments}");
        for plain in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            assert_eq!(count(arguments, plain), 0, "{arguments} {plain:?}");
            let always = format!("--color=always {arguments}");
            assert!(count(&always, plain) > 0, "{always} {plain:?}");
        }
    }
}
