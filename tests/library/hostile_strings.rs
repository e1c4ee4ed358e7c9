//! Every method that takes a string, with every option of git and with what else git could take for something other than a
//! revision or a file. The answer is git's for the same word in the same role, or an error.

use std::{collections::BTreeSet, ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};

use tblame::{BlameBuilder, CommitId, FileBlame, Repository, Result};

use crate::scratch::{Line, Scratch, lines_of};

/// The text of the files that no blame may show.
const SECRET: &str = "a secret outside of the repository";

/// Every option that the documentation lists, those that have no effect, and all with values in several forms.
fn options() -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/options.md");
    let page = std::fs::read_to_string(page).expect("the page of options");
    let mut names = BTreeSet::new();
    for words in page.split(|it: char| it.is_whitespace() || "`|,()\"".contains(it)) {
        let name = words.split(['=', '<']).next().unwrap_or_default();
        let long = name.strip_prefix("--[no-]");
        names.extend(
            long.iter()
                .flat_map(|it| [format!("--{it}"), format!("--no-{it}")]),
        );
        let name = name.split('[').next().unwrap_or_default();
        if name.len() > 1 && name.starts_with('-') {
            names.insert(name.to_owned());
        }
    }
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/inherited.rs");
    let table = std::fs::read_to_string(table).expect("the table of options without effect");
    let (_, table) = table.split_once("INHERITED: ").expect("the table");
    let (table, _) = table.split_once("\n];").expect("its end");
    for word in table.split(|it: char| it.is_whitespace() || "(),\"\\".contains(it)) {
        if !word.is_empty() && word.bytes().all(|it| it == b'-' || it.is_ascii_lowercase()) {
            names.insert(format!("--{word}"));
        }
    }
    assert!(names.len() > 200, "{}", names.len());
    let values = |name: &String| {
        let values = ["=HEAD", "=../outside.txt"];
        let mut forms = vec![name.clone()];
        forms.extend(values.iter().map(|value| format!("{name}{value}")));
        forms
    };
    let mut words: Vec<String> = names.iter().flat_map(values).collect();
    words.extend(["-", "--", "-p\0", "-p\n", "--\u{e9}"].map(str::to_owned));
    words.push("-".repeat(100_000));
    words
}

/// What is no option.
fn words(scratch: &Scratch) -> Vec<String> {
    let outside = scratch.root().join("../outside.txt");
    let inside = scratch.root().join("a.txt");
    let mut words: Vec<String> = [
        "",
        " ",
        ".",
        "..",
        "/",
        "//",
        "~",
        "~/a.txt",
        "*",
        "?.txt",
        "[a].txt",
        "a.txt",
        "./a.txt",
        "a.txt/",
        "dir/../a.txt",
        "dir",
        "dir/",
        "dir/b.txt",
        "dir//b.txt",
        "nothing",
        "nothing/..",
        "../outside.txt",
        "dir/../../outside.txt",
        "/etc/passwd",
        "link",
        "out/outside.txt",
        "link/x",
        ".git",
        ".git/HEAD",
        ".git/config",
        ":(top)a.txt",
        ":/a.txt",
        ":/",
        ":!a.txt",
        ":^a.txt",
        ":a.txt",
        ":(literal)a.txt",
        ":(exclude)a.txt",
        ":(attr:x)a.txt",
        ":0:a.txt",
        ":1:a.txt",
        "HEAD:a.txt",
        "HEAD:",
        "HEAD:../outside.txt",
        "HEAD",
        "@",
        "HEAD~1",
        "HEAD^",
        "HEAD^{commit}",
        "HEAD^{tree}",
        "HEAD^{/Two}",
        ":/Two",
        "HEAD^{",
        "HEAD^{}",
        "HEAD^@",
        "HEAD^!",
        "HEAD^-",
        "v1^@",
        "v1",
        "main",
        "heads/main",
        "refs/heads/main",
        "refs/heads/*",
        "HEAD@{0}",
        "main@{0}",
        "@{0}",
        "@{-1}",
        "@{u}",
        "HEAD@{yesterday}",
        "HEAD@{",
        "HEAD~99999999999999999999",
        "HEAD~-1",
        "HEAD..",
        "..HEAD",
        "HEAD..HEAD",
        "v1..HEAD",
        "HEAD..v1",
        "HEAD...v1",
        "v1...HEAD",
        "...",
        "....",
        "^HEAD",
        "^v1",
        "^",
        "^^HEAD",
        "^--all",
        "^-p",
        "HEAD ^v1",
        "HEAD\n",
        "HEAD\n--all",
        "HEAD -- a.txt",
        "HEAD --",
        "+1",
        "+5",
        "+",
        "1",
        "1,2",
        "1,+1",
        "2,",
        ",2",
        "0",
        "-1,2",
        "/one/",
        "/one/,+1",
        "/one",
        "/[/",
        "/(/",
        "/a**/",
        ":one",
        "^:one",
        ":",
        ":[",
        "$HOME",
        "`id`",
        "$(id)",
        "%00",
        "a.txt:1",
        "a.txt:0",
        "\u{feff}a.txt",
        "\u{202e}txt.a",
        "a\u{301}",
        "\t",
        "\r\n",
        "a\nb",
        "new\nline",
        "\x1b[31m",
        "\\",
        "a\\b",
        "\"",
        "'",
        "\"a.txt\"",
        "{}",
        "HEAD{}",
        "stash",
        "stash@{0}",
        "FETCH_HEAD",
        "ORIG_HEAD",
        "utf-8",
        "latin1",
        "ISO-8859-1",
        "none",
        "NONE",
        "no such encoding",
        "0000",
        "0000000000000000000000000000000000000000",
        "1111111111111111111111111111111111111111",
        "list",
        "grafts",
        "a\0b",
        "\0",
        "HEAD\0",
        "a.txt\0",
        "/etc/passwd\0.txt",
    ]
    .map(str::to_owned)
    .into();
    for path in [&outside, &inside] {
        words.push(path.to_str().expect("UTF-8").to_owned());
    }
    words.extend(["x", "a/", "../", "HEAD^", "^"].map(|it| it.repeat(50_000)));
    words.push("9".repeat(5000));
    words
}

/// Whether git is asked for its answer: not if the word cannot be an argument, or is an option and no file.
fn is_asked(scratch: &Scratch, word: &str) -> bool {
    let is_file = || scratch.root().join(word).is_file();
    !word.contains('\0') && word.len() < 100_000 && (!word.starts_with('-') || is_file())
}

/// A repository with files that have the names of options and of revisions, and links that lead out of it.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    let outside = scratch.root().join("../outside.txt");
    std::fs::write(outside, format!("{SECRET}\n")).expect("it is one's own");
    std::os::unix::fs::symlink("../outside.txt", scratch.root().join("link")).expect("a new name");
    std::os::unix::fs::symlink("..", scratch.root().join("out")).expect("a new name");
    std::fs::create_dir(scratch.root().join("dir")).expect("a new name");
    scratch.write("dir/b.txt", "one\n");
    for name in [
        "a.txt",
        "-p",
        "--",
        "--all",
        "--reverse",
        "--contents",
        "--end-of-options",
        "-",
        "HEAD",
        "main",
        ":(top)a.txt",
        ":!a.txt",
        "*",
        "+5",
        "a.txt:1",
        "new\nline",
        "\u{feff}a.txt",
        "$HOME",
        "\\",
    ] {
        scratch.write(name, &format!("one\ntwo of {name:?}\n"));
    }
    scratch.commit("One");
    scratch.git(&["tag", "v1"]);
    for name in ["a.txt", "-p", "--all", "HEAD"] {
        scratch.write(name, "one\ninserted\ntwo\n");
    }
    scratch.git(&["add", "-A"]);
    let encoded = [
        "-c",
        "i18n.commitEncoding=ISO-8859-1",
        "commit",
        "-q",
        "-m",
        "Two: caf\u{e9}",
    ];
    scratch.git(&encoded);
    scratch.write("a.txt", "one\ninserted\ntwo\nin the work tree\n");
    scratch.write(
        "list",
        &format!("{}\n", scratch.git(&["rev-parse", "HEAD"])),
    );
    scratch.write(
        "grafts",
        &format!("{}\n", scratch.git(&["rev-parse", "HEAD"])),
    );
    scratch
}

/// Checks an answer: git's, which is `None` if git refuses the request.
fn check(what: &str, word: &str, ours: Result<FileBlame>, git: Option<Vec<Line>>) {
    let word: String = word.chars().take(200).collect();
    if let Ok(blame) = &ours {
        let shown = String::from_utf8_lossy(blame.text().as_bytes());
        assert!(!shown.contains(SECRET), "{what} {word:?}");
    }
    // Names with line feeds are quoted.
    let plain = |lines: Vec<Line>| {
        let plain = lines.into_iter().map(|mut line| {
            line.fields.remove("filename");
            line.fields.remove("previous");
            line
        });
        Vec::from_iter(plain)
    };
    match (ours.map(|ours| plain(lines_of(&ours))), git.map(plain)) {
        (Err(err), None) => assert!(!err.to_string().is_empty(), "{what} {word:?}"),
        (Err(err), Some(_)) => panic!("{what} {word:?}: {err}, and git answers"),
        (Ok(ours), git) => assert_eq!(Some(ours), git, "{what} {word:?}"),
    }
}

/// git's blame of `a.txt` in a commit; `None` also if it blames the work tree, as it does if the revisions leave no commit.
fn of_commit(scratch: &Scratch, arguments: &[&str]) -> Option<Vec<Line>> {
    let lines = scratch.try_blame(arguments, "a.txt");
    let is_uncommitted = |line: &Line| line.commit.trim_matches('0').is_empty();
    lines.filter(|lines| !lines.iter().any(is_uncommitted))
}

#[test]
fn no_string_is_taken_for_something_else() {
    let scratch = repository();
    let repository = Repository::open(scratch.root()).expect("a repository");
    let blame = || repository.blame("a.txt");
    type Method = (
        &'static str,
        fn(BlameBuilder, &str) -> BlameBuilder,
        fn(&str) -> Vec<String>,
    );
    let methods: [Method; 5] = [
        (
            "exclude",
            |it, word| it.at("HEAD").exclude(word),
            |word| vec!["HEAD".to_owned(), format!("^{word}")],
        ),
        (
            "ignore_revision",
            |it, word| it.at("HEAD").ignore_revision(word),
            |word| vec![format!("--ignore-rev={word}"), "HEAD".to_owned()],
        ),
        (
            "ignore_revisions_file",
            |it, word| it.at("HEAD").ignore_revisions_file(word),
            |word| vec![format!("--ignore-revs-file={word}"), "HEAD".to_owned()],
        ),
        (
            "grafts_file",
            |it, word| it.at("HEAD").grafts_file(word),
            |word| vec!["-S".to_owned(), word.to_owned(), "HEAD".to_owned()],
        ),
        (
            "line_range",
            |it, word| it.at("HEAD").line_range(word),
            |word| vec!["-L".to_owned(), word.to_owned(), "HEAD".to_owned()],
        ),
    ];
    let (mut tried, mut answered) = (0, 0);
    let options = options();
    assert!(options.len() > 700, "{}", options.len());
    let words = words(&scratch);
    for word in words.iter().chain(&options) {
        for (name, build, arguments) in &methods {
            let ours = build(blame(), word).run();
            let is_file = name.ends_with("_file");
            let git = if is_asked(&scratch, word) && !(is_file && word.is_empty()) {
                let arguments = arguments(word);
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                of_commit(&scratch, &arguments)
            } else {
                None
            };
            answered += usize::from(ours.is_ok());
            check(name, word, ours, git);
            tried += 1;
        }
    }
    println!("tried {tried}, of which {answered} were answered");
    assert!(tried > 4000 && answered > 70, "{tried} {answered}");
}

#[test]
fn revisions_are_no_options() {
    let scratch = repository();
    let repository = Repository::open(scratch.root()).expect("a repository");
    let blame = || repository.blame("a.txt");
    let before = scratch.blame(&["HEAD~1"], "a.txt");
    let (mut tried, mut answered) = (0, 0);
    for word in options() {
        check("at", &word, blame().at(&word).run(), None);
        check("at", &word, blame().at("HEAD").at(&word).run(), None);
        let replaced = blame().at(&word).at("HEAD~1").run();
        check("at", &word, replaced, Some(before.clone()));
        let contents = blame().at(&word).contents("one\n").run();
        check("at with contents", &word, contents, None);
        tried += 4;
    }
    for word in words(&scratch) {
        let git = if is_asked(&scratch, &word) {
            of_commit(&scratch, &[&word])
        } else {
            None
        };
        answered += usize::from(git.is_some());
        check("at", &word, blame().at(&word).run(), git.clone());
        check("at", &word, blame().at("v1").at(&word).run(), git);
        let replaced = blame().at(&word).at("HEAD~1").run();
        check("at", &word, replaced, Some(before.clone()));
        tried += 3;
    }
    for (at, excluded) in [("HEAD", "HEAD"), ("v1..HEAD", "HEAD")] {
        check("at", at, blame().at(at).exclude(excluded).run(), None);
        tried += 1;
    }
    println!("tried {tried}, of which {answered} were answered");
    assert!(tried > 3000 && answered > 20, "{tried} {answered}");
}

#[test]
fn paths_are_files_of_the_repository() {
    let scratch = repository();
    let repository = Repository::open(scratch.root()).expect("a repository");
    scratch.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = Repository::open(scratch.root().join("../bare.git")).expect("a repository");
    let (mut tried, mut answered) = (0, 0);
    let options = options();
    let all = words(&scratch);
    for word in all.iter().chain(&options) {
        let is_asked = is_asked(&scratch, word);
        let of_git = |revision: &[&str]| {
            if is_asked {
                scratch.try_blame(revision, word)
            } else {
                None
            }
        };
        let committed = of_git(&["HEAD"]);
        answered += usize::from(committed.is_some());
        check("blame", word, repository.blame(word).run(), of_git(&[]));
        let ours = repository.blame(word).at("HEAD").run();
        check("blame at HEAD", word, ours, committed.clone());
        let is_absolute = Path::new(word).is_absolute();
        let committed = committed.filter(|_| !is_absolute);
        check(
            "blame of a bare repository",
            word,
            bare.blame(word).run(),
            committed,
        );
        tried += 3;
    }
    let name = OsStr::from_bytes(b"\xff\xfe.txt");
    assert!(repository.blame(name).run().is_err());
    std::fs::write(scratch.root().join(name), "one\n").expect("a new name");
    scratch.commit("Three");
    let blame = repository.blame(name).run().expect("a blame");
    assert_eq!(blame.entries()[0].path_bytes(), name.as_bytes());
    println!("tried {tried}, of which {answered} were answered");
    assert!(tried > 2000 && answered > 10, "{tried} {answered}");
}

#[test]
fn other_strings_are_refused_or_kept() {
    let scratch = repository();
    let repository = Repository::open(scratch.root()).expect("a repository");
    let (mut tried, mut compared) = (0, 0);
    let all = words(&scratch);
    let options = options();
    for word in all.iter().chain(&options) {
        let ours = repository.blame("a.txt").at("HEAD").encoding(word).run();
        if is_asked(&scratch, word) {
            let encoding = format!("--encoding={word}");
            let git = scratch.try_blame(&[&encoding, "HEAD"], "a.txt");
            check("encoding", word, ours, git);
            compared += 1;
        } else {
            drop(ours.expect("an unknown encoding changes nothing"))
        }
        assert_eq!(
            word.parse::<CommitId>().is_ok(),
            word.len() == 40 && word.trim_matches(['0', '1']).is_empty()
        );
        tried += 2;
    }
    for word in &options {
        let place = scratch.root().join(word);
        for opened in [
            Repository::open(word),
            Repository::discover(word),
            Repository::from_environment(word),
            Repository::open(&place),
        ] {
            assert!(opened.is_err(), "{word:?}");
            tried += 1;
        }
    }
    println!("tried {tried}, of which {compared} were compared");
    assert!(tried > 4000 && compared > 150, "{tried} {compared}");
}
