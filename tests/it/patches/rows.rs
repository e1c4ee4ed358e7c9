//! The patch for people: the gutter and the summary.

use bstr::{BString, ByteSlice};
use portable_pty::CommandBuilder;

use super::run;
use crate::harness::{
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
    session::Session,
};

fn commit(repository: &TestRepo, text: &str, name: &str, day: &str) {
    repository.write(b"f", text.as_bytes());
    repository.git(&["add", "f"]);
    let author = format!("--author={name} <{}@example.com>", name.to_lowercase());
    let date = format!("--date={day}T12:00:00+0000");
    let message = format!("By {name}");
    repository.git(&["commit", "-q", "-m", &message, &author, &date]);
}

#[test]
fn a_gutter_stands_beside_the_old_side_and_a_summary_at_the_end() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "1\n2\n3\n4\n5\n", "Ann", "2020-01-01");
    repository.git(&["branch", "upstream"]);
    repository.git(&["config", "branch.main.remote", "."]);
    repository.git(&["config", "branch.main.merge", "refs/heads/upstream"]);
    commit(&repository, "1\ntwo\n3\n4\n5\n", "Bo", "2021-01-01");
    repository.write(b"f", b"1\n2!\n3\n4\nnew\n5\n");
    let mut patch = repository.git(&["diff"]);
    patch.push(b'\n');
    let output = run(&repository, &["--abbrev=8"], &patch);
    let stderr = output.stderr.as_bstr();
    assert_eq!((output.status, stderr), (Some(0), b"".as_bstr()));
    let id = |revision: &str| repository.git_text(&["rev-parse", revision])[..8].to_owned();
    let (ann, bo) = (id("HEAD~1"), id("HEAD"));
    let blank = " ".repeat(39);
    let headers = patch.lines().take(5).map(|line| line.to_str_lossy());
    let headers = headers.collect::<Vec<_>>().join("\n");
    let expected = format!(
        "\
{headers}
{blank}| 1
{bo} 2021-01-01 Bo                 |-two
{blank}|+2!
{blank}| 3
{ann} 2020-01-01 Ann                ~ 4
{blank}|+new
{ann} 2020-01-01 Ann                ~ 5

Base of 1 file: {bo}, with the contents named in the patch
Gutter: who wrote a line that is removed (|) or beside an insertion (~)

1 line removed or changed, from 1 commit:
      1 * {bo} 2021-01-01 Bo                 By Bo

* not in @{{upstream}} yet: git commit --fixup=ID

People to ask, by their lines (co-authors count too):
removed beside newest line in these files
      1      0 2021-01-01 Bo <bo@example.com>
      0      2 2020-01-01 Ann <ann@example.com>

The removed lines are from 2021-01-01.
"
    );
    let shown = output.stdout.to_str_lossy();
    assert_eq!(shown, expected, "{shown}");
}

/// The colors of `git diff`, which are also read.
#[test]
fn colors_are_those_of_git() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "1\n2\n3\n", "Ann", "2020-01-01");
    repository.write(b"f", b"1\ntwo\n3\n");
    repository.write(b"g", b"new\n");
    repository.git(&["add", "-N", "g"]);
    let plain = repository.git(&["diff"]);
    let colored = repository.git(&["diff", "--color=always"]);
    assert_ne!(plain, colored);
    let expected = run(&repository, &["--color=never"], &plain);
    for (options, patch) in [
        (&[][..], &colored),
        (&["--color=auto"], &colored),
        (&[], &plain),
    ] {
        let found = run(&repository, options, patch);
        assert_eq!(found.status, Some(0), "{}", found.stderr.as_bstr());
        assert_eq!(found.stdout.as_bstr(), expected.stdout.as_bstr());
    }
    // A hunk of which nothing is blamed has no gutter.
    assert!(
        expected.stdout.contains_str("\n+new\n"),
        "{}",
        expected.stdout.as_bstr()
    );
    let found = run(&repository, &["--color=always"], &plain);
    // git ends the colors of a line that is added before its text, and begins them again.
    let of_git = colored.replace("\x1b[32m+\x1b[m\x1b[32m", "\x1b[32m+");
    let mut compared = 0;
    for line in of_git.lines() {
        let line = match line.strip_suffix(b"\x1b[m") {
            Some(context) if line.starts_with(b" ") => context,
            _ => line,
        };
        let is_in = |row: &[u8]| row == line || row.ends_with(&[b"|", line].concat());
        assert!(found.stdout.lines().any(is_in), "{}", line.as_bstr());
        compared += 1;
    }
    assert_eq!(compared, 16, "{}", of_git.as_bstr());
    repository.git(&["config", "color.ui", "always"]);
    assert_eq!(run(&repository, &[], &plain).stdout, found.stdout);
    repository.git(&["config", "color.diff", "false"]);
    assert_eq!(run(&repository, &[], &plain).stdout, expected.stdout);
}

#[test]
fn hunks_that_do_not_apply_are_named() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "1\n2\n3\n", "Ann", "2020-01-01");
    let patch = b"--- a/f\n+++ b/f\n@@ -1 +1 @@ x\n-1\n+one\n@@ -3 +3 @@ y\n-4\n+four\n";
    let output = run(&repository, &[], patch);
    assert_eq!(output.status, Some(128));
    let words = "\n1 of 2 hunks does not apply; its lines are not blamed:\n        f @@ -3 +3 @@\n";
    assert!(
        output.stdout.contains_str(words),
        "{}",
        output.stdout.as_bstr()
    );
}

#[test]
fn a_merge_without_conflicts_is_said_to_have_no_diff() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    // Far enough from each other for two hunks.
    let between = "x\n".repeat(20);
    commit(
        &repository,
        &format!("1\n{between}3\n"),
        "Ann",
        "2020-01-01",
    );
    repository.git(&["checkout", "-q", "-b", "side"]);
    commit(
        &repository,
        &format!("1\n{between}3!\n"),
        "Bo",
        "2020-01-02",
    );
    repository.git(&["checkout", "-q", "main"]);
    commit(
        &repository,
        &format!("1!\n{between}3\n"),
        "Cy",
        "2020-01-03",
    );
    repository.git(&["merge", "-q", "--no-edit", "side"]);
    let words = "warning: git show has no diff of a merge without conflicts; git show -m has one\n";
    for (options, expected) in [(&["show"][..], words), (&["show", "-m"], "")] {
        let shown = repository.git(options);
        let output = run(&repository, &[], &shown);
        assert_eq!(
            (output.status, output.stderr.as_bstr()),
            (Some(0), expected.into())
        );
        assert!(
            output.stdout.starts_with(&shown[..40]),
            "{}",
            output.stdout.as_bstr()
        );
    }
}

#[test]
fn paths_of_a_range_must_exist_and_an_empty_one_says_so() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "1\n", "Ann", "2020-01-01");
    repository.write(b"dir/g", b"2\n");
    repository.git(&["add", "."]);
    commit(&repository, "1\n", "Bo", "2020-01-02");
    repository.git(&["rm", "-q", "-r", "dir"]);
    commit(&repository, "1!\n", "Cy", "2020-01-03");
    let nothing = "warning: the range changes nothing";
    for (arguments, status, expected) in [
        (&["HEAD~1..HEAD", "dir"][..], 0, ""),
        (&["HEAD~1..HEAD", "--", "dir/g", "f"], 0, ""),
        (&["HEAD~1..HEAD", "."], 0, ""),
        (&["HEAD..HEAD"], 0, nothing),
        (
            &["HEAD~2..HEAD~1", "f"],
            0,
            "warning: the range changes nothing at these paths",
        ),
        (
            &["HEAD~1..HEAD", "nope"],
            128,
            "fatal: no such path 'nope' in HEAD~1..HEAD",
        ),
        (
            &["HEAD~1..HEAD", "f", "--", "f/g"],
            128,
            "fatal: no such path 'f/g' in HEAD~1..HEAD",
        ),
        (
            &["--json", "HEAD~2..HEAD", "dir"],
            128,
            "fatal: no such path 'dir' in HEAD~2..HEAD",
        ),
    ] {
        let output = run(&repository, arguments, b"");
        assert_eq!(output.status, Some(status), "{arguments:?}");
        assert_eq!(
            output.stderr.trim_end().as_bstr(),
            expected,
            "{arguments:?}"
        );
        assert_eq!(
            output.stdout.is_empty(),
            !expected.is_empty(),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_summary_begins_with_its_bases_if_it_has_any() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "1\n2\n3\n", "Ann", "2020-01-01");
    repository.git(&["checkout", "-q", "-b", "side"]);
    commit(&repository, "1\n2!\n3\n", "Bo", "2020-01-02");
    repository.git(&["checkout", "-q", "main"]);
    commit(&repository, "1\n2?\n3\n", "Cy", "2020-01-03");
    repository.git(&["merge", "-q", "-s", "ours", "--no-commit", "side"]);
    commit(&repository, "1\n2.\n3\n", "Di", "2020-01-04");
    let of_merge = repository.git(&["show", "--format=oneline", "HEAD"]);
    repository.write(b"new", b"1\n");
    repository.git(&["add", "new"]);
    let of_new = repository.git(&["diff", "--staged"]);
    let ids = ["HEAD^1", "HEAD^2"].map(|name| repository.git_text(&["rev-parse", "--short", name]));
    let mut ids = ids.map(|id| id.trim().to_owned());
    ids.sort();
    let of_merge = [&of_merge[..], b"\n"].concat();
    let of_new = [&of_new[..], b"\n"].concat();
    for (patch, expected) in [
        (
            of_merge,
            format!("\n\nBases of 1 file: {} and {}, with", ids[0], ids[1]),
        ),
        (of_new, "+1\n\nNo line is removed or changed.\n".to_owned()),
    ] {
        let output = run(&repository, &[], &patch);
        let shown = output.stdout.to_str_lossy();
        assert!(
            shown.contains(&expected),
            "{shown}\n{}",
            output.stderr.as_bstr()
        );
    }
}

/// What a patch that tblame makes says of its files and hunks, compared with git's.
#[test]
fn ids_and_headings_of_a_range_are_those_of_git() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let long = "long ".repeat(30);
    let texts: [(&[u8], String); 4] = [
        (
            b"f",
            format!(
                "int f() {{  \n{}{long}\n{}",
                "\tx\n".repeat(9),
                "\ty\n".repeat(60)
            ),
        ),
        (
            b"class.py",
            format!("class A:\n    def f(self):\n{}", "        x\n".repeat(20)),
        ),
        (
            b"own.x",
            format!(
                "no\n== One ==\n{}== Two ==\n{}",
                "x\n".repeat(9),
                "y\n".repeat(9)
            ),
        ),
        (b"gone", "1\n".to_owned()),
    ];
    let attributes = b"*.py diff=python\n*.x diff=own\n";
    repository.write(b".gitattributes", attributes);
    repository.git(&["config", "diff.own.xfuncname", "^== (.*) ==$"]);
    for (path, text) in &texts {
        repository.write(path, text.as_bytes());
    }
    repository.git(&["add", "."]);
    commit(&repository, &texts[0].1, "Ann", "2020-01-01");
    for (path, text) in &texts[1..3] {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[8] = "changed";
        let last = lines.len() - 1;
        lines[last] = "changed";
        repository.write(path, lines.join("\n").as_bytes());
    }
    repository.git(&["rm", "-q", "gone"]);
    repository.write(b"new", b"entirely new\n");
    repository.git(&["add", "."]);
    let mut lines: Vec<&str> = texts[0].1.lines().collect();
    for at in [6, 30, 31, 60] {
        lines[at] = "changed";
    }
    commit(&repository, &(lines.join("\n") + "\n"), "Bo", "2020-01-02");
    let mut compared = 0;
    for abbrev in ["auto", "12", "no"] {
        repository.git(&["config", "core.abbrev", abbrev]);
        let told = |text: &[u8]| -> Vec<BString> {
            let is_told = |line: &&[u8]| line.starts_with(b"@@ ") || line.starts_with(b"index ");
            text.lines().filter(is_told).map(BString::from).collect()
        };
        let expected = told(&repository.git(&["diff", "HEAD~1..HEAD"]));
        let output = run(&repository, &["HEAD~1..HEAD"], b"");
        assert_eq!(
            told(&output.stdout),
            expected,
            "{}",
            output.stderr.as_bstr()
        );
        compared += expected.len();
    }
    assert_eq!(compared, 3 * 14);
}

/// On a terminal of 80 columns the gutter is narrow, nothing of the summary wraps, and there are colors.
#[test]
fn a_narrow_terminal_has_a_narrow_gutter() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let name = "Bartholomew";
    commit(&repository, "1\n2\n3\n", name, "2020-01-01");
    let subject = "long ".repeat(30);
    repository.git(&["commit", "-q", "--amend", "-m", subject.trim()]);
    repository.write(b"f", b"1\ntwo\n3\n");
    let program = tblame_program().display();
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", &format!("git diff | '{program}' --patch")]);
    command.env("GIT_PAGER", "cat");
    command.cwd(repository.root());
    let mut session = Session::run(command, (80, 40));
    session.end();
    let screen = session.screen();
    let rows: Vec<String> = screen.rows(0, 80).collect();
    let at = |text: &str| {
        let found = rows.iter().position(|row| row.contains(text));
        found.unwrap_or_else(|| panic!("{text}: {}", screen.contents()))
    };
    let removed = at(" Bartho… |-2");
    // The id, and seven columns for the author.
    let gutter = rows[removed].split('|').next();
    assert_eq!(
        gutter.map(|it| it.chars().count()),
        Some(16),
        "{}",
        rows[removed]
    );
    let color = |text: char| {
        let column = rows[removed]
            .chars()
            .position(|c| c == text)
            .expect("it is there");
        let row = u16::try_from(removed).expect("a row of the screen");
        let column = u16::try_from(column).expect("a column of the screen");
        screen.cell(row, column).map(vt100::Cell::fgcolor)
    };
    assert_eq!(color('-'), Some(vt100::Color::Idx(1)));
    assert_eq!(color('|'), Some(vt100::Color::Default));
    let commit = at("long long");
    assert!(rows[commit].trim_end().ends_with('…'), "{}", rows[commit]);
    assert_eq!(rows[commit + 1].trim_end(), "");
}
