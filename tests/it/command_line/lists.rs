//! Lists that people read, on terminals: within their width, with heads and colors.

use portable_pty::CommandBuilder;

use crate::harness::{
    program::tblame_program,
    repository::{ObjectFormat, TestRepo},
    session::Session,
};

/// The lists, and what their heads say.
const LISTS: [(&str, &str); 6] = [
    ("--tree", "people"),
    ("--people dir", "name"),
    ("--people dir/f", "name"),
    ("--file-history dir/f", "-lines subject"),
    ("--line-history -L1,3 dir/f", "lines then  subject"),
    ("--deletions dir/f", "below line -lines subject"),
];

fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let summary = "A summary of many words that no terminal has the room for ".repeat(4);
    let mut lines: Vec<String> = (0..12).map(|line| format!("line {line}\n")).collect();
    for year in 2010..2016 {
        if year > 2010 {
            lines.remove(5);
        }
        lines[1] = format!("of {year}\n");
        let path = if year < 2013 { "dir/old" } else { "dir/f" };
        if year == 2013 {
            repository.git(&["mv", "dir/old", "dir/f"]);
        }
        repository.write(path.as_bytes(), lines.concat().as_bytes());
        let other = format!("a name of an entry that has its length {year}");
        repository.write(other.as_bytes(), b"text\n");
        repository.write(b"lib/yarn.lock", b"generated\n");
        repository.write(b"empty", b"");
        repository.git(&["add", "."]);
        let author = format!("--author=Somebody of {year}, who has a name <{year}@example.com>");
        let date = format!("--date={year}-03-04T12:00:00Z");
        repository.git(&["commit", "-q", "-m", &summary, &author, &date]);
    }
    repository
}

/// What a command in a shell writes to a terminal with so many columns.
fn on_terminal(repository: &TestRepo, script: &str, columns: u16) -> String {
    let mut command = CommandBuilder::new("sh");
    let program = tblame_program().display();
    command.args(["-c", &script.replace("tblame", &format!("'{program}'"))]);
    command.cwd(repository.root());
    command.env("GIT_PAGER", "cat");
    let mut session = Session::run(command, (columns, 24));
    assert_eq!(session.end().exit_code(), 0, "{script}");
    String::from_utf8_lossy(&session.output).replace("\r\n", "\n")
}

/// The text without the sequences of colors.
fn without_colors(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (sequence, rest) = part.split_once('m').expect("the end of a color");
        assert!(sequence.bytes().all(|it| it.is_ascii_digit() || it == b';'));
        plain.push_str(rest);
    }
    plain
}

#[test]
fn lists_fit_terminals_and_explain_themselves() {
    let repository = repository();
    let mut rows = 0;
    let mut full = 0;
    for (list, head) in LISTS {
        for columns in [30, 80, 110, 160] {
            let colored = on_terminal(&repository, &format!("tblame {list}"), columns);
            let plain = format!("NO_COLOR=1 tblame {list}");
            let plain = on_terminal(&repository, &plain, columns);
            assert!(
                !plain.contains('\x1b') && colored.contains('\x1b'),
                "{list}"
            );
            assert_eq!(without_colors(&colored), plain, "{list}");
            let first = plain.lines().next().unwrap_or_default();
            assert!(columns < 80 || first.ends_with(head), "{list}: {first}");
            for row in plain.lines() {
                let width = row.chars().count();
                assert!(width <= columns.into(), "{list} {columns}: {row}");
                rows += 1;
                full += usize::from(width == usize::from(columns) && row.ends_with('…'));
            }
        }
    }
    assert!(rows > 100 && full > 30, "{rows} rows, {full} cut");
    // Nobody wrote it.
    let tree = on_terminal(&repository, "NO_COLOR=1 tblame --tree", 80);
    assert!(tree.lines().any(|row| row.ends_with(" empty")), "{tree}");
}

#[test]
fn a_pipe_gets_colors_only_if_asked_for_and_no_heads() {
    let repository = repository();
    for (list, _) in LISTS {
        let run =
            |color: &str| on_terminal(&repository, &format!("tblame {color} {list} | cat"), 80);
        let plain = run("");
        assert!(!plain.contains('\x1b'), "{list}: {plain}");
        let shown = on_terminal(&repository, &format!("tblame {list}"), 80);
        let [rows, with_head] = [&plain, &shown].map(|text| text.lines().count());
        assert!(rows > 0 && with_head == rows + 1, "{list}: {plain}");
        let colored = run("--color=always");
        assert!(colored.contains('\x1b'), "{list}");
        assert_eq!(without_colors(&colored), plain, "{list}");
        repository.git(&["config", "color.ui", "always"]);
        assert_eq!(run(""), colored, "{list}");
        assert_eq!(run("--color=never"), plain, "{list}");
        repository.git(&["config", "--unset", "color.ui"]);
    }
}

#[test]
fn empty_lists_say_so_on_terminals_only() {
    let repository = repository();
    let tree = repository.git_text(&["mktree"]);
    let commit = repository.git_text(&["commit-tree", "-m", "nothing", &tree]);
    repository.git(&["branch", "empty", &commit]);
    repository.write(b"none", b"");
    repository.git(&["add", "none"]);
    repository.git(&["commit", "-q", "-m", "a file without lines"]);
    for (list, words) in [
        (
            "--deletions -L1,2 dir/f",
            "note: nothing was deleted between these lines\n",
        ),
        (
            "--file-history --search=nosuch dir/f",
            "note: no commit changed how often \"nosuch\" occurs\n",
        ),
        (
            "--file-history --since=2090-01-01 dir/f",
            "note: no commit changed the file within the limits of the history\n",
        ),
        ("--tree empty .", "note: the directory has no files\n"),
        ("--people empty .", "note: the directory has no files\n"),
        ("--people none", "note: the file has no lines\n"),
    ] {
        let shown = on_terminal(&repository, &format!("tblame {list}"), 100);
        assert_eq!(shown, words, "{list}");
        // No pager waits with nothing to show.
        let paged = format!("GIT_PAGER='echo paged; cat' tblame {list}");
        assert_eq!(on_terminal(&repository, &paged, 100), words, "{list}");
        let piped = on_terminal(&repository, &format!("tblame {list} 2>&1 | cat"), 100);
        assert_eq!(piped, "", "{list}");
    }
}

#[test]
fn a_pager_that_cannot_be_run_is_named() {
    let repository = repository();
    let lists = LISTS.iter().map(|(list, _)| *list);
    for list in lists.chain(["--help"]) {
        let script = format!("GIT_PAGER=nosuch tblame {list}; test $? = 128");
        let shown = on_terminal(&repository, &script, 100);
        assert!(shown.starts_with("error: cannot run nosuch: "), "{shown}");
        assert!(
            shown.ends_with("fatal: unable to execute pager 'nosuch'\n"),
            "{shown}"
        );
    }
}

#[test]
fn generated_files_count_for_people_if_these_are_wanted() {
    let repository = repository();
    let lines = |words: &str| -> u64 {
        let script = format!("tblame --people {words} 2>/dev/null | cat");
        let text = on_terminal(&repository, &script, 80);
        let numbers = text.lines().map(|row| row.split_whitespace().next());
        numbers
            .map(|number| number.expect("a number").parse::<u64>().expect("a number"))
            .sum()
    };
    let all = lines("--generated");
    assert_eq!(lines(""), all - 1);
    assert_eq!(lines("--no-generated"), all - 1);
    assert_eq!(lines("HEAD"), all - 1);
    assert_eq!(lines("lib/yarn.lock"), 1);
    // As many as in the list of entries.
    let tree = on_terminal(&repository, "tblame --tree --json | tail -n1", 80);
    assert!(tree.contains(&format!(r#""lines":{},"#, all - 1)), "{tree}");
    let shown = on_terminal(&repository, "tblame --people lib", 80);
    let note = "note: 1 generated or binary file not counted; --generated counts it\n";
    assert!(shown.ends_with(note), "{shown}");
    let json = on_terminal(
        &repository,
        "tblame --people --json . 2>/dev/null | tail -n1",
        80,
    );
    let counts = r#""generatedFiles":1,"generatedLines":1"#;
    assert!(json.contains(counts), "{json}");
}

/// On a terminal, what is not committed has the name that the viewer gives it; a pipe gets git's.
#[test]
fn uncommitted_lines_have_the_word_of_the_viewer() {
    let repository = repository();
    repository.write(b"dir/f", b"new\nof 2015\nline 2\n");
    repository.write(b"new", b"text\n");
    repository.git(&["add", "new"]);
    let lists = [
        ("--file-history dir/f", true),
        ("--line-history -L1,3 dir/f", true),
        ("--deletions dir/f", true),
        ("--people dir/f", false),
        ("--people .", false),
        ("--tree", false),
    ];
    for (list, has_rows_of_commits) in lists {
        let command = format!("NO_COLOR=1 tblame {list}");
        let shown = on_terminal(&repository, &command, 240);
        let piped = on_terminal(&repository, &format!("tblame {list} | cat"), 240);
        let rows = |text: &str, word: &str| text.lines().filter(|it| it.contains(word)).count();
        let count = rows(&piped, "Not Committed Yet");
        assert!(count > 0, "{list}: {piped}");
        assert_eq!(rows(&shown, "Not Committed"), 0, "{list}: {shown}");
        assert_eq!(rows(&shown, "not.committed"), 0, "{list}: {shown}");
        let has_word = |row: &&str| row.split_whitespace().any(|it| it == "uncommitted");
        let shown_rows = shown.lines().filter(has_word).count();
        assert_eq!(shown_rows, count, "{list}: {shown}");
        assert_eq!(rows(&piped, "0000000 ") > 0, has_rows_of_commits, "{piped}");
        assert_eq!(rows(&shown, "0000000"), 0, "{list}: {shown}");
        if has_rows_of_commits {
            let row = shown.lines().find(|row| row.contains(" uncommitted "));
            let row = row.expect("it was counted");
            assert!(row.trim_start().starts_with("uncommitted "), "{row}");
            assert!(row.ends_with(" Uncommitted changes"), "{row}");
        }
    }
}
