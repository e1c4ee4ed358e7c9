//! Hints that say which key or option shows something better.

use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

/// A repository with the file `a`.
fn with_file(contents: &[u8]) -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"a", contents);
    repository.git(&["add", "a"]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository
}

fn open(repository: &TestRepo, arguments: &[&str]) -> Session {
    let mut command = tblame_command();
    command.args(arguments);
    command.cwd(repository.root());
    Session::run(command, (110, 20))
}

/// What the terminal shows in the end.
fn ended(repository: &TestRepo, arguments: &[&str]) -> String {
    let mut session = open(repository, arguments);
    session.end();
    session.screen().contents()
}

fn quit(mut session: Session) {
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

#[test]
fn a_text_that_is_not_utf8_names_the_key_for_encodings() {
    let words = "the text is not UTF-8: E chooses another encoding";
    let repository = with_file(b"caf\xe9\n");
    let mut session = open(&repository, &["a"]);
    session.wait_for(words);
    quit(session);
    for (contents, attributes) in [
        (&b"caf\xc3\xa9\n"[..], ""),
        (b"caf\xe9\n", "a encoding=latin1"),
        (b"caf\xe9\0\n", ""),
    ] {
        let repository = with_file(contents);
        repository.write(b".gitattributes", attributes.as_bytes());
        let mut session = open(&repository, &["a"]);
        session.wait_for("? keys");
        assert!(!session.screen().contents().contains("not UTF-8"));
        quit(session);
    }
}

#[test]
fn where_all_lines_differ_white_space_may_be_ignored() {
    let words = "all uncommitted lines differ in white space or line ends only: w ignores";
    let repository = with_file(b"1\n2\n3\n4\n5\n6\n");
    repository.write(b"a", b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n");
    let mut session = open(&repository, &["a"]);
    session.wait_for(words);
    // Nobody committed these lines.
    let screen = session.screen().contents();
    assert!(!screen.contains("committer"), "{screen}");
    session.press("w");
    session.wait_for("first");
    quit(session);
    repository.write(b"a", b" 1\n 2\n 3\n\t4\n 5\n 6\n");
    let mut session = open(&repository, &["a"]);
    session.wait_for(words);
    quit(session);
    // One line is another one. The change of the selected line comes after the answer.
    repository.write(b"a", b" 1\n 2\n other\n 4\n 5\n 6\n");
    let mut session = open(&repository, &["a"]);
    session.wait_for("1 -");
    assert!(
        !session
            .screen()
            .contents()
            .contains("all uncommitted lines")
    );
    quit(session);
    // Other lines are the same, or were removed: that says nothing about the uncommitted ones.
    for text in ["1\n 2\n 3\n 4\n5\n6\n", "1\r\n2\r\n3\r\n6\n"] {
        repository.write(b"a", text.as_bytes());
        let mut session = open(&repository, &["a"]);
        session.wait_for(words);
        quit(session);
    }
    // One line is the same and another one a different one, one is seen at a glance, or there was no such
    // file.
    repository.write(b"new", b"1\n2\n3\n4\n5\n6\n");
    repository.git(&["add", "new"]);
    for (file, text) in [
        ("a", "1\n 2\n 3\n 4\nfive\n6\n"),
        ("a", "1\n 2\n3\n4\n5\n6\n"),
        ("new", ""),
    ] {
        if !text.is_empty() {
            repository.write(file.as_bytes(), text.as_bytes());
        }
        let mut session = open(&repository, &[file]);
        session.wait_for("? keys");
        assert!(
            !session
                .screen()
                .contents()
                .contains("all uncommitted lines")
        );
        quit(session);
    }
}

#[test]
fn errors_say_what_would_help() {
    let repository = with_file(b"1\n");
    for (name, commit) in [
        ("origin/topic", "HEAD"),
        ("one/twice", "HEAD"),
        ("two/twice", "HEAD"),
    ] {
        let full = format!("refs/remotes/{name}");
        repository.git(&["update-ref", &full, commit]);
    }
    for (revision, hint) in [
        ("topic", "did you mean origin/topic?"),
        ("topic~0", "did you mean origin/topic~0?"),
    ] {
        let shown = ended(&repository, &[&format!("{revision}:a")]);
        assert!(
            shown.contains("fatal: no such path") && shown.contains(&hint.replace('?', ":a?")),
            "{shown}"
        );
        let shown = ended(&repository, &[revision, "--", "a"]);
        assert!(
            shown.contains("fatal: bad revision") && shown.contains(hint),
            "{shown}"
        );
    }
    let mut session = open(&repository, &["a"]);
    session.wait_for("line 1 of");
    for typed in [":topic\r", ":topic:a\r"] {
        session.press(typed);
        session.wait_for("did you mean origin/topic?");
        session.press("j");
    }
    quit(session);
    for revision in ["twice", "opic", "nowhere"] {
        let shown = ended(&repository, &[revision, "--", "a"]);
        assert!(
            shown.contains("fatal: bad revision") && !shown.contains("did you"),
            "{shown}"
        );
    }
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    repository.write(b"list", format!("\u{feff}{head}\n").as_bytes());
    let shown = ended(&repository, &["--ignore-revs-file=list", "a"]);
    assert!(shown.contains("byte order mark"), "{shown}");
    repository.git(&["config", "blame.ignoreRevsFile", "list"]);
    let mut session = open(&repository, &["a"]);
    session.wait_for("the list begins with a byte order mark");
    quit(session);
    repository.git(&["config", "--unset", "blame.ignoreRevsFile"]);
    let unknown = "1".repeat(40);
    repository.write(b"list", format!("{unknown}\n{head}\n").as_bytes());
    let mut session = open(&repository, &["--ignore-revs-file=list", "a"]);
    session.wait_for("list: 1 id is of no commit here");
    quit(session);
    repository.write(b".gitattributes", b"a diff=odd\n");
    repository.git(&["config", "diff.odd.textconv", "false"]);
    let shown = ended(&repository, &["-p", "a"]);
    assert!(shown.contains("--no-textconv blames the text"), "{shown}");
    for arguments in [&["-p", "HEAD", "--", "a"][..], &["HEAD", "a"]] {
        let shown = ended(&repository, arguments);
        assert!(shown.contains("--no-textconv blames the text"), "{shown}");
    }
    let in_pipe = "HEAD -- a\ntopic -- a\n-p a\n-p HEAD -- a\n--ignore-revs-file=list a";
    crate::harness::command_lines::assert_all_same(&repository, in_pipe);
    repository.write(b".gitattributes", b"* filter=odd\n");
    repository.git(&["config", "filter.odd.clean", "false"]);
    repository.git(&["config", "filter.odd.required", "true"]);
    repository.write(b"new", b"1\n");
    let hint = "HEAD FILE in place of FILE blames";
    let shown = ended(&repository, &["-p", "a"]);
    assert!(shown.contains(hint), "{shown}");
    let shown = ended(&repository, &["-p", "HEAD", "a"]);
    assert!(!shown.contains("fatal") && !shown.contains(hint), "{shown}");
    crate::harness::command_lines::assert_all_same(&repository, "a\n-p a\nHEAD a");
}

#[test]
fn problems_of_the_list_in_the_work_tree_are_told() {
    let repository = with_file(b"1\n");
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    let unknown = "1".repeat(40);
    for (list, words) in [
        (
            format!("\u{feff}{head}\n"),
            ".git-blame-ignore-revs: the list begins with a byte order mark",
        ),
        (
            format!("\u{feff}# comment\n{head}\n"),
            ".git-blame-ignore-revs: the list begins with a byte order mark",
        ),
        (
            format!("{unknown}\n{head}\n{unknown}\n"),
            ".git-blame-ignore-revs: 2 ids are of no commit here",
        ),
        (
            format!("{head}\nnot an id\n{unknown}\n"),
            ".git-blame-ignore-revs:2 is not a full object id",
        ),
    ] {
        repository.write(b".git-blame-ignore-revs", list.as_bytes());
        let mut session = open(&repository, &["a"]);
        session.wait_for(words);
        quit(session);
    }
    // One that is listed twice is one commit.
    let list = format!("{head}\n# again\n{head}\n");
    repository.write(b".git-blame-ignore-revs", list.as_bytes());
    let mut session = open(&repository, &["a"]);
    session.wait_for("ignore file: 1 commit ");
    quit(session);
}
