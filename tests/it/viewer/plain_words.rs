//! What the real program says of unusual lines, people and versions.

use tblame::internals::viewer::config::settings::Config;

use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

use super::driver::{Driver, arguments};

fn start(repository: &TestRepo, arguments: &[&str]) -> Session {
    let mut command = tblame_command();
    command.args(arguments);
    command.cwd(repository.root());
    Session::run(command, (80, 24))
}

fn commit(repository: &TestRepo, date: &str, text: &str) {
    repository.write(b"f", text.as_bytes());
    repository.git(&["add", "f"]);
    let mut command = repository.command("git".as_ref());
    command.env("GIT_COMMITTER_DATE", date);
    command.env("GIT_AUTHOR_DATE", date);
    let status = command.args(["commit", "-qm", date]).status();
    assert!(status.expect("git runs").success());
}

#[test]
fn uncommitted_lines_and_the_version_before_them_have_plain_names() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "2019-01-01T12:00:00Z", "one\ntwo\nthree\n");
    repository.write(b"f", b"one\n2\nthree\n");
    let mut session = start(&repository, &["+2", "f"]);
    session.wait_for("─ uncommitted ─ 1 line here ");
    session.wait_for("This line is uncommitted; it is not staged.");
    session.press(",");
    session.wait_for("› as committed");
    session.press("<v");
    session.wait_for("1 line selected:  L their history  y copy");
    session.press("j");
    session.wait_for("2 lines selected:");
    session.press("\u{1b}");
    session.wait_for("b at");
    session.press("L");
    session.wait_for("uncommitted");
    let shown = session.screen().contents();
    assert!(
        !shown.contains("Not Comm") && !shown.contains("00000000"),
        "{shown}"
    );
    session.press("qq");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn what_is_not_committed_has_neither_an_id_nor_a_committer() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "2019-01-01T12:00:00Z", "one\ntwo\n");
    repository.write(b"f", b"one\ntwo\nthree\n");
    let mut session = start(&repository, &["+3", "f"]);
    session.wait_for("the line is new and replaced none");
    let shown = session.screen().contents();
    assert!(!shown.contains("committer"), "{shown}");
    session.press("L");
    session.wait_for("new, uncommitted");
    session.press("qq");
    session.end();
    repository.write(b"new", b"one\ntwo\n");
    repository.git(&["add", "new"]);
    let mut session = start(&repository, &["new"]);
    session.wait_for("line 1 of 2");
    session.press("F");
    session.wait_for("new, uncommitted");
    session.press(",");
    session.wait_for("the file is not committed yet: there is no earlier version");
    session.press("qq");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn an_empty_file_names_the_commit_that_made_it_so() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "2019-01-01T12:00:00Z", "one\n");
    commit(&repository, "2019-01-02T12:00:00Z", "");
    let id = repository.git_text(&["rev-parse", "--short=8", "HEAD"]);
    repository.git(&["mv", "f", "g"]);
    repository.git(&["commit", "-qm", "Rename"]);
    repository.write(b"new", b"");
    repository.git(&["add", "new"]);
    let mut session = start(&repository, &["HEAD", "g"]);
    let words = format!("─ {id} ─ A U Thor ─ 2019-01-02 ─ made the file empty ─");
    session.wait_for(&words);
    session.wait_for(" 2019-01-02T12:00:00Z");
    session.press("\r");
    session.wait_for("- one");
    session.press("qq");
    session.end();
    let mut session = start(&repository, &["new"]);
    session.wait_for("─ uncommitted ─ added the empty file ─");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn a_file_that_was_reloaded_is_one_step() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "2019-01-01T12:00:00Z", "one\ntwo\nthree\n");
    let mut session = start(&repository, &["f"]);
    session.wait_for("line 1 of 3");
    for lines in 4..7 {
        repository.write(b"f", "text\n".repeat(lines).as_bytes());
        session.press("\u{12}");
        session.wait_for(&format!("line 1 of {lines}"));
    }
    let shown = session.screen().contents();
    let header = shown.lines().next().unwrap_or_default();
    assert_eq!(header.matches("(reloaded)").count(), 1, "{header}");
    session.press("q");
    session.end();
}

#[test]
fn mixed_line_ends_are_named() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "2019-01-01T12:00:00Z", "one\r\ntwo\n");
    let mut session = start(&repository, &["f"]);
    session.wait_for("mixed line ends: ^M is a carriage return");
    session.press("q");
    session.end();
    commit(&repository, "2019-01-02T12:00:00Z", "one\r\ntwo\r\n");
    let mut session = start(&repository, &["f"]);
    session.wait_for("line 1 of 2");
    let shown = session.screen().contents();
    assert!(!shown.contains("^M"), "{shown}");
    session.press("q");
    session.end();
}

#[test]
fn who_has_no_name_is_called_by_the_address() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"one\n");
    repository.git(&["add", "f"]);
    let tree = repository.git_text(&["write-tree"]);
    let text = format!(
        "tree {tree}\nauthor  <a@b.c> 1500000000 +0000\ncommitter  <> 1500000000 +0000\n\nx\n"
    );
    let write = [
        "hash-object",
        "-t",
        "commit",
        "-w",
        "--literally",
        "--stdin",
    ];
    let id = repository.git_with_input(&write, text.as_bytes());
    let id = String::from_utf8(id).expect("an id");
    repository.git(&["update-ref", "HEAD", &id]);
    let mut session = start(&repository, &["f"]);
    session.wait("the name", |screen| {
        let shown = screen.contents();
        shown
            .lines()
            .nth(1)
            .is_some_and(|row| row.contains("a@b.c"))
    });
    session.press("q");
    session.end();
}

/// `:` and a date goes to the newest commit that git's `--until` finds on the line of first parents.
#[test]
fn a_date_is_a_version() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for year in 2012..2018 {
        let text = format!("{}\n", "line\n".repeat(year - 2010));
        commit(&repository, &format!("{year}-06-15T12:00:00Z"), &text);
    }
    let mut session = start(&repository, &["f"]);
    session.wait_for("of 8");
    let cases = [
        ("2015-06-15", "2015-06-15 23:59:59"),
        ("2015-06-14", "2015-06-14 23:59:59"),
        ("2016-06", "2016-06-01 00:00:00"),
        ("2016-07", "2016-07-01 00:00:00"),
        ("2013-06-15 11:59:00 +0000", "2013-06-15 11:59:00 +0000"),
        ("2013-06-15 12:00:00 +0000", "2013-06-15 12:00:00 +0000"),
        ("2015-01-01:f", "2015-01-01 23:59:59"),
    ];
    for (typed, until) in cases {
        let until = format!("--until={until}");
        let id = repository.git_text(&["log", "-1", "--format=%H", "--first-parent", &until]);
        let lines = repository.git_text(&["show", &format!("{id}:f")]);
        let count = lines.lines().count() + 1;
        session.press(&format!(":{typed}\r"));
        session.wait(typed, |screen| {
            let shown = screen.contents();
            let header = shown.lines().next().unwrap_or_default();
            header.contains(typed) && header.contains(&format!("of {count}"))
        });
    }
    for early in ["1999-01-01", "1960-01-01", "1800-01-01", "200 years ago"] {
        session.press(&format!(":{early}\r"));
        session.wait_for(&format!("the history begins after “{early}”"));
    }
    for (typed, words) in [
        (
            "2015-13-45",
            "is neither a line, a revision, a file nor a date",
        ),
        (
            "2015-06-01xyz",
            "is neither a line, a revision, a file nor a date",
        ),
        (
            "2 lines ago",
            "is neither a line, a revision, a file nor a date",
        ),
        ("2015-13-45:f", "there is no revision “2015-13-45”"),
        ("2015-12-01:g", "2015-12-01 has no file “g”"),
    ] {
        session.press(&format!(":{typed}\r"));
        session.wait_for(words);
    }
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn a_date_before_a_line_says_that_no_line_is_like_it() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let with = |end: &str| format!("alpha\nreplacement of it\nand more\ngamma\n{end}");
    commit(&repository, "2015-06-01T12:00:00Z", "alpha\nbeta\ngamma\n");
    commit(&repository, "2018-06-01T12:00:00Z", &with(""));
    commit(&repository, "2019-06-01T12:00:00Z", &with("new\n"));
    let id = |revision: &str| repository.git_text(&["rev-parse", "--short=8", revision]);
    let (first, second) = (id("HEAD~2"), id("HEAD~"));
    let arguments = arguments("f".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (120, 24));
    let message = |driver: &Driver| driver.app().status.message.clone().unwrap_or_default();
    driver.keys("3G:2015-06-01<CR>");
    assert_eq!(
        message(&driver),
        format!(
            "{first} of 2015-06-01; line 3 is not in this version; other lines are in its place"
        )
    );
    driver.keys("<5G:2016-01<CR>");
    assert_eq!(
        message(&driver),
        format!(
            "{first} of 2015-06-01, the last one up to 2016-01; line 5 is not in this version; this is its place"
        )
    );
    driver.keys("<3G,");
    assert_eq!(
        message(&driver),
        format!("{second} replaced these lines; none is like the one you came from")
    );
}

/// Numbers of lines are written in one way, whatever is said of a line.
#[test]
fn numbers_of_lines_have_separators() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut lines: Vec<String> = (0..5000)
        .map(|at| format!("word{at} of some text here"))
        .collect();
    let text = |lines: &[String]| lines.join("\n") + "\n";
    commit(&repository, "2014-06-01T12:00:00Z", &text(&lines));
    lines[4500] = "word4500 of some other text here".to_owned();
    lines.splice(10..10, ["one more".to_owned(), "and another".to_owned()]);
    commit(&repository, "2015-06-01T12:00:00Z", &text(&lines));
    lines[4602] = format!("    {}", lines[4602]);
    lines.remove(4700);
    commit(&repository, "2016-06-01T12:00:00Z", &text(&lines));
    lines.splice(
        4800..4801,
        ["(nothing alike)".to_owned(), "(new)".to_owned()],
    );
    let block: Vec<String> = lines.drain(4100..4120).collect();
    lines.splice(4300..4300, block);
    commit(&repository, "2017-06-01T12:00:00Z", &text(&lines));
    let arguments = arguments("f".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (120, 24));
    let mut seen = 0;
    for version in ["", ":HEAD~1<CR>", ":HEAD~3<CR>"] {
        for line in [4200, 4290, 4501, 4503, 4603, 4700, 4702, 4801, 4803] {
            for keys in [
                ",",
                ".",
                "(",
                ")",
                "<CR>",
                "aG",
                "L",
                "vjj",
                ":2014-07-01<CR>",
                ":9999<CR>",
            ] {
                driver.keys(version).keys(&format!("{line}G")).keys(keys);
                let screen = driver.screen();
                for before in ["line ", "lines ", "old: ", " of "] {
                    for (_, after) in screen
                        .match_indices(before)
                        .map(|(at, it)| screen.split_at(at + it.len()))
                    {
                        let end = after.find(|c: char| !c.is_ascii_digit() && c != ',');
                        let number = &after[..end.unwrap_or(after.len())];
                        let is_date = after[number.len()..].starts_with('-');
                        assert!(
                            number.len() < 4 || is_date || number.contains(','),
                            "{version}{line}G{keys}: {screen}"
                        );
                        seen += usize::from(number.len() > 4);
                    }
                }
                driver.keys("<Esc><Esc><Esc>99<");
            }
        }
    }
    assert!(seen > 400, "{seen}");
}

/// No page says of what is not committed when it was made, or what git calls it.
#[test]
fn what_is_not_committed_has_no_date_on_any_page() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "2019-01-01T12:00:00Z", "one\ntwo\n");
    repository.write(b"f", b"one\nother\nthree\n");
    let mut session = start(&repository, &["-e", "+2", "f"]);
    session.wait_for("This line is uncommitted");
    let mut pages = 0;
    for (keys, words, back) in [
        ("", "uncommitted", ""),
        ("\t", "file       f", "q"),
        ("F", "history of f", "q"),
        ("L", "history of line 2", "q"),
        ("A", "people of f", "q"),
        ("\r", "diff work tree", "q"),
        ("\r\t", "file       f", "q"),
        ("(", "2 of 2", "<"),
        ("|", "Columns", "q"),
    ] {
        session.press(keys);
        session.wait_for(words);
        // How far a history has been read is a date too.
        session.wait("the end of a search", |screen| {
            !screen.contents().contains("looking")
        });
        let shown = session.screen().contents();
        for wrong in ["0000000", "ago)", "Not Comm", "not.comm"] {
            let is_other = wrong == "ago)" && shown.contains("2019-01-01 (");
            assert!(
                !shown.contains(wrong) || is_other,
                "{keys:?}: {wrong}: {shown}"
            );
        }
        let dates = shown.match_indices("-01-01").count();
        let years = shown
            .match_indices("20")
            .filter(|(at, _)| shown[*at..].get(4..5) == Some("-"));
        // People have the months of their lines.
        assert!(keys == "A" || years.count() <= dates, "{keys:?}: {shown}");
        session.press(back);
        session.wait_for("This line is uncommitted");
        pages += 1;
    }
    assert_eq!(pages, 9);
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

/// A date or a revision before a file was added says so, under all the names that the file has had.
#[test]
fn a_version_before_the_file_says_when_it_was_added() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |year: u32, change: &dyn Fn()| {
        change();
        let date = format!("{year}-06-15T12:00:00Z");
        repository.git(&["add", "."]);
        let mut command = repository.command("git".as_ref());
        command.env("GIT_COMMITTER_DATE", &date);
        command.env("GIT_AUTHOR_DATE", &date);
        command.env("GIT_AUTHOR_NAME", format!("Ada {year}"));
        let status = command.args(["commit", "-qm", &date]).status();
        assert!(status.expect("git runs").success());
        repository.git(&["tag", &format!("v{year}")]);
    };
    let write = |path: &[u8], text: &[u8]| repository.write(path, text);
    commit(2012, &|| write(b"other", b"other\n"));
    commit(2014, &|| write(b"old", b"one\ntwo\nthree\n"));
    commit(2016, &|| drop(repository.git(&["mv", "old", "new"])));
    // No line shows the old name.
    commit(2018, &|| write(b"new", b"all\nis\nother\n"));
    commit(2020, &|| write(b"other", b"more\n"));
    commit(2022, &|| drop(repository.git(&["rm", "-q", "new"])));
    let id = repository.git_text(&["rev-parse", "--short=8", "v2014"]);
    let arguments = arguments("other".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (120, 24));
    let mut said = |keys: &str| {
        let driver = driver.keys(keys);
        let message = driver.app().status.message.clone().unwrap_or_default();
        (driver.whereabouts().1, message)
    };
    let added = format!(": added 2014-06-15 by Ada 2014; :{id} opens that");
    for name in ["2013-01-01", "v2012"] {
        let keys = format!(":v2020:new<CR>:{name}<CR>");
        let expected = ("new".to_owned(), format!("{name} has no new{added}"));
        assert_eq!(said(&keys), expected);
    }
    // So it is opened, and what is after it.
    assert_eq!(said(&format!(":{id}<CR>")).0, "old");
    assert_eq!(said(":v2020:new<CR>:2015-01-01<CR>").0, "old");
    // After it was deleted, that is no answer.
    let (_, message) = said(":v2020:new<CR>:v2022<CR>");
    assert!(message.starts_with("v2022 has no file “new”"), "{message}");
}
