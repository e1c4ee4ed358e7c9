//! The keys of the page of a directory that lead elsewhere: its history, other revisions, deleted
//! names, and what git does not know.

use std::{collections::BTreeSet, sync::Arc};

use tblame::internals::{
    objects::ObjectId,
    viewer::{
        app::settings::arguments::ViewerArguments,
        config::settings::Config,
        model::{
            missing_path::{MissingPath, PathDeletion, PathFate},
            source::{FileVersion, Signature},
            toggled_options::{IgnoreRevsFile, ToggledOptions},
        },
    },
};

use crate::harness::{
    named_history::{DELETED, HistoryBuilder, NamedHistory},
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

use super::{
    driver::{Driver, arguments},
    lists::texts,
};

fn opened(repository: &TestRepo, path: &str) -> Driver {
    let arguments = ViewerArguments {
        directory: Some(FileVersion::WorkTree {
            path: Arc::new(path.into()),
        }),
        ..arguments("".into(), Config::default())
    };
    Driver::with_repository(repository.root(), arguments, (80, 24))
}

fn message(driver: &Driver) -> &str {
    driver.app().status.message.as_deref().unwrap_or_default()
}

fn has(driver: &Driver, words: &str) {
    let screen = driver.screen();
    assert!(screen.contains(words), "{words}:\n{screen}");
}

fn lacks(driver: &Driver, words: &str) {
    let screen = driver.screen();
    assert!(!screen.contains(words), "{words}:\n{screen}");
}

fn id_of(history: &NamedHistory, name: &str) -> ObjectId {
    ObjectId::from_hex(history.id(name).as_bytes()).expect("an id")
}

/// The pages about a directory say which revision was named; those that count lines say with which
/// options.
#[test]
fn headers_have_the_revision_and_the_options() {
    let history = history();
    let mut compared = 0;
    for (keys, counts_lines) in [
        ("", true),
        ("A", true),
        ("L", true),
        ("D", false),
        ("F", false),
        ("f", false),
    ] {
        let arguments = ViewerArguments {
            directory: Some(FileVersion::Commit {
                commit: id_of(&history, "second"),
                path: Arc::new("dir".into()),
            }),
            revision: "v1.0".to_owned(),
            options: ToggledOptions {
                ignore_revs_file: true,
                ..ToggledOptions::default()
            },
            ignore_revs_file: Some(IgnoreRevsFile {
                count: 1,
                problem: None,
            }),
            ..arguments("".into(), Config::default())
        };
        let mut driver = Driver::with_repository(history.repository.root(), arguments, (80, 24));
        driver.keys(keys);
        let screen = driver.screen();
        let header = screen.lines().next().unwrap_or_default();
        assert!(header.contains("dir/ @ v1.0"), "{keys}: {header}");
        let has_options = header.contains("dir/ @ v1.0  ignore file: 1 commit");
        assert_eq!(has_options, counts_lines, "{keys}: {header}");
        compared += 1;
    }
    assert_eq!(compared, 6);
}

/// What was renamed is opened above the answer, to which a step back returns.
#[test]
fn a_renamed_directory_is_opened_from_the_answer() {
    let history = history();
    let version = id_of(&history, "second");
    let missing = MissingPath {
        path: "old".into(),
        version,
        is_directory: true,
        line: None,
        fate: PathFate::Deleted(PathDeletion {
            commit: version,
            author: Signature {
                name: "Ann".into(),
                mail: "ann@example.org".into(),
                time: 1_500_000_000,
                offset: 0,
            },
            summary: "moved".into(),
            renamed_to: Some("dir".into()),
        }),
    };
    let arguments = ViewerArguments {
        directory: Some(FileVersion::WorkTree {
            path: Arc::default(),
        }),
        missing: Some(missing),
        ..arguments("".into(), Config::default())
    };
    let mut driver = Driver::with_repository(history.repository.root(), arguments, (80, 24));
    has(&driver, "renamed to dir by Ann");
    has(&driver, ". open the renamed one");
    // Keys are for the answer, and not for a row of the list.
    let is_selected = |driver: &Driver| driver.screen().lines().any(|row| row.starts_with('>'));
    let numbers = |driver: &Driver| {
        let screen = driver.screen();
        let header = screen.lines().next().unwrap_or_default();
        header.rsplit("  ").next().unwrap_or_default().to_owned()
    };
    for keys in ["", ":"] {
        driver.keys(keys);
        assert!(!is_selected(&driver), "{}", driver.screen());
        assert_ne!(numbers(&driver), "1 of 3", "{}", driver.screen());
    }
    driver.keys("<Esc>");
    // The smallest screens name keys too.
    driver.resize(40, 12);
    has(&driver, "Enter before  . renamed  ? keys");
    driver.resize(10, 3);
    has(&driver, "? keys");
    driver.resize(80, 24);
    driver.keys(".");
    has(&driver, " dir/ @ work tree");
    lacks(&driver, "renamed to dir by Ann");
    driver.keys("<");
    has(&driver, "renamed to dir by Ann");
    driver.keys("<Esc>");
    lacks(&driver, "renamed to dir by Ann");
    assert_eq!(numbers(&driver), "1 of 3", "{}", driver.screen());
}

/// A typed date leads to the first file that was changed then or later.
#[test]
fn a_date_is_found_among_all_files() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    driver.keys("L:2016-02<CR>");
    let selected = driver.app().pages.list().map(|list| list.selected);
    let rows = texts(&driver);
    let since = |row: &String| row.trim_start() >= "2016-02";
    assert_eq!(selected, rows.iter().position(since), "{rows:#?}");
    driver.keys(":2040-01<CR>");
    assert_eq!(message(&driver), "no file was changed since 2040-01");
    driver.keys(":1<CR>");
    assert_eq!(driver.app().pages.list().map(|list| list.selected), Some(0));
}

/// `dir` with `old`, which is moved to `new`, and `gone`, which is deleted; `sub/x` is deleted with
/// its directory.
fn history() -> NamedHistory {
    let long = "one\ntwo\nthree\nfour\nfive\n";
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_400_000_000,
            &[],
            &[("dir/old", long), ("dir/gone", "g\n"), ("dir/sub/x", "x\n")],
        )
        .commit("second", 1_500_000_000, &["first"], &[("other", "o\n")])
        .build();
    let git = |arguments: &[&str]| history.repository.git(arguments);
    git(&["reset", "-q", "--hard"]);
    git(&["mv", "dir/old", "dir/new"]);
    history.repository.write(b"top", b"t\n");
    git(&["add", "top"]);
    git(&["commit", "-q", "-m", "third"]);
    git(&["rm", "-q", "-r", "dir/gone", "dir/sub"]);
    git(&["commit", "-q", "-m", "fourth"]);
    history
}

#[test]
fn the_history_of_a_directory_leads_to_diffs_below_it() {
    let history = history();
    let mut driver = opened(&history.repository, "dir");
    driver.keys("F");
    has(&driver, " history of dir/");
    let rows = texts(&driver);
    let ends: Vec<_> = rows
        .iter()
        .filter_map(|row| row.split(' ').next_back())
        .collect();
    assert_eq!(ends, ["fourth", "third", "first"]);
    // Only the moved file, and then the other one too.
    driver.keys("j<CR>");
    has(&driver, "renamed dir/new");
    lacks(&driver, "═ new     top");
    has(&driver, "1 more file is not shown");
    driver.keys("a");
    has(&driver, "═ new     top");
    driver.keys("q");
    has(&driver, " history of dir/");
    driver.keys("y");
    let id = history.repository.git_text(&["rev-parse", "HEAD~1"]);
    assert_eq!(driver.memory().copied, [id.trim()]);
    // The directory in that commit, and back with the place kept.
    driver.keys("Gb");
    has(&driver, &format!(" dir/ @ {}", &history.id("first")[..8]));
    assert_eq!(texts(&driver).len(), 3);
    driver.keys("jj<CR>");
    assert_eq!(driver.whereabouts().1, "dir/old");
    driver.keys("<");
    has(&driver, "> old");
    driver.keys("<");
    has(&driver, " history of dir/");
    has(&driver, "3 of 3 commits");
    driver.keys("F");
    has(&driver, " dir/ @ work tree");
    // That of the root.
    driver.keys("hF");
    assert_eq!(texts(&driver).len(), 4);
}

#[test]
fn another_revision_is_a_step() {
    let history = history();
    let mut driver = opened(&history.repository, "dir");
    has(&driver, "  < up  ");
    driver.keys(":HEAD~3<CR>");
    has(&driver, " dir/ @ HEAD~3");
    driver.keys("j");
    has(&driver, "  < back  ");
    assert_eq!(texts(&driver).len(), 3);
    driver.keys("G");
    has(&driver, "> old");
    driver.keys("<");
    has(&driver, " dir/ @ work tree");
    driver.keys(">");
    has(&driver, " dir/ @ HEAD~3");
    has(&driver, "> old");
    // A file of that revision.
    driver.keys("<CR>");
    assert_eq!(driver.whereabouts().1, "dir/old");
    driver.keys("<");
    has(&driver, "> old");
    // Names that stand for nothing, and a directory that is not there.
    for (typed, words) in [
        (
            ":nowhere<CR>",
            "“nowhere” is neither a row, a revision, a path nor a date",
        ),
        (":nowhere:dir<CR>", "there is no revision “nowhere”"),
        (":HEAD:nowhere<CR>", "HEAD has no “nowhere”"),
        (":HEAD~3<CR>", "HEAD~3 is what you see"),
    ] {
        driver.keys(typed);
        assert_eq!(message(&driver), words);
        has(&driver, " dir/ @ HEAD~3");
    }
    driver.keys("gl");
    has(&driver, " dir/sub/ @ HEAD~3");
    driver.keys(":HEAD<CR>");
    assert_eq!(message(&driver), "HEAD has no directory “dir/sub”");
    has(&driver, " dir/sub/ @ HEAD~3");
    // Another directory, a file, the root, and rows.
    driver.keys(":HEAD:dir<CR>");
    has(&driver, " dir/ @ HEAD");
    driver.keys(":new<CR>");
    assert_eq!(driver.whereabouts().1, "dir/new");
    driver.keys("<:HEAD~1:<CR>");
    has(&driver, "/ @ HEAD~1");
    driver.keys(":2<CR>");
    has(&driver, "> other");
    driver.keys(":99<CR>");
    has(&driver, "> top");
    driver.keys(":1<CR>");
    has(&driver, "> dir/");
    driver.keys("9<");
    has(&driver, "/ @ work tree");
    // Names are completed.
    driver.keys(":HEAD:di<Tab>");
    has(&driver, ":HEAD:dir/");
}

#[test]
fn what_was_deleted_is_listed_and_opened() {
    let history = history();
    let mut driver = opened(&history.repository, "dir");
    driver.keys("D");
    has(&driver, " direct entries deleted from dir/");
    let rows = texts(&driver);
    assert_eq!(rows.len(), 3, "{rows:#?}");
    assert!(
        rows[0].starts_with(" gone ") && rows[0].ends_with("fourth"),
        "{rows:#?}"
    );
    assert!(
        rows[1].starts_with(" sub/ ") && rows[1].ends_with("fourth"),
        "{rows:#?}"
    );
    assert!(
        rows[2].starts_with(" old ") && rows[2].ends_with(" → new"),
        "{rows:#?}"
    );
    driver.keys("a");
    has(&driver, "> removed dir/gone");
    driver.keys("q<CR>");
    assert_eq!(driver.whereabouts().1, "dir/gone");
    driver.keys("<");
    has(&driver, "> gone");
    driver.keys("j<CR>");
    has(&driver, " dir/sub/ @ before ");
    driver.keys("<CR>");
    assert_eq!(driver.whereabouts().1, "dir/sub/x");
    driver.keys("<<");
    has(&driver, "> sub/");
    driver.keys("ja");
    has(&driver, "> renamed dir/new  from dir/old, 100% similar");
    driver.keys("q<");
    has(&driver, " dir/ @ work tree");
    driver.keys("hD");
    has(&driver, "no direct entry was deleted");
}

/// A merge that puts another project into a directory moved its files there, and stands where its date is.
#[test]
fn files_of_a_merged_project_were_moved() {
    let text = |name: &str| {
        (0..9)
            .map(|line| format!("{line} of {name}\n"))
            .collect::<String>()
    };
    let [a, b, c] = ["a", "b", "c"].map(text);
    let changed = format!("{b}one more\n");
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_300_000_000,
            &[],
            &[("main", "m\n"), ("old", "o\n")],
        )
        .commit("second", 1_350_000_000, &["first"], &[("old", DELETED)])
        .commit(
            "other",
            1_400_000_000,
            &[],
            &[
                ("a.c", &a),
                ("b.c", &b),
                ("lib/c.c", &c),
                ("nowhere", "n\n"),
            ],
        )
        .commit(
            "merge",
            1_500_000_000,
            &["second", "other"],
            &[
                ("deps/x/a.c", &a),
                ("deps/x/b.c", &changed),
                ("deps/x/lib/c.c", &c),
            ],
        )
        .commit("third", 1_600_000_000, &["merge"], &[("main", "m\nn\n")])
        .build();
    history.repository.git(&["reset", "-q", "--hard"]);
    let mut driver = opened(&history.repository, "");
    driver.keys("D");
    let rows = texts(&driver);
    let expected = [
        ("a.c", "→ deps/x/a.c"),
        ("b.c", "→ deps/x/b.c"),
        ("lib/", "→ deps/x/lib/"),
        ("nowhere", "merge"),
        ("old", "second"),
    ];
    assert_eq!(rows.len(), expected.len(), "{rows:#?}");
    for (row, (name, target)) in rows.iter().zip(expected) {
        let row = row.trim();
        assert!(row.starts_with(name) && row.ends_with(target), "{rows:#?}");
    }
    // The target has room in a narrow window.
    driver.resize(40, 12);
    has(&driver, "2017-07-14 → deps/x/a.c");
    assert_eq!(texts(&driver).len(), 5);
    // With more files than are compared, those with the same name are.
    let names: Vec<String> = (0..300).map(|at| format!("many/{at}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    let others: Vec<String> = (0..100).map(|at| format!("gone-{at:02}")).collect();
    let others: Vec<(&str, &str)> = others.iter().map(|name| (name.as_str(), "y\n")).collect();
    let history = HistoryBuilder::default()
        .commit("first", 1_300_000_000, &[], &files)
        .commit(
            "other",
            1_400_000_000,
            &[],
            &[&others[..], &[("b.c", &b)]].concat(),
        )
        .commit(
            "merge",
            1_500_000_000,
            &["first", "other"],
            &[("deps/b.c", &changed)],
        )
        .build();
    history.repository.git(&["reset", "-q", "--hard"]);
    let mut driver = opened(&history.repository, "");
    driver.keys("D");
    let rows = texts(&driver);
    assert_eq!(rows.len(), 101, "{rows:#?}");
    assert!(rows[0].ends_with("→ deps/b.c"), "{rows:#?}");
}

/// No key is offered for a last change that is not known, and one reason is given on all pages.
#[test]
fn what_is_not_known_is_not_offered() {
    let history = HistoryBuilder::default()
        .commit("first", 1_300_000_000, &[], &[("dir/old", "o\n")])
        .commit("second", 1_400_000_000, &["first"], &[("new", "n\n")])
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    let shallow = format!("{}\n", repository.git_text(&["rev-parse", "HEAD"]).trim());
    repository.write(b".git/shallow", shallow.as_bytes());
    repository.write(b"staged", b"s\n");
    repository.git(&["add", "staged"]);
    let mut driver = opened(repository, "");
    driver.resize(200, 20);
    let boundary = "its last commit may be older than this history";
    let uncommitted = "this is not committed yet";
    let cases = [
        ("dir/", boundary),
        ("new", boundary),
        ("staged", uncommitted),
    ];
    for (name, words) in cases {
        driver.keys(&format!("<Home>/{name}<CR>"));
        driver.keys("a");
        assert_eq!(message(&driver), words, "{name}");
        driver.keys("<Down><Up>");
        has(&driver, "Enter open");
        lacks(&driver, "a its diff");
        lacks(&driver, "y copy the id");
    }
    driver.keys("L");
    has(&driver, " all files below");
    for (name, words) in [
        ("dir/old", boundary),
        ("new", boundary),
        ("staged", uncommitted),
    ] {
        driver.keys(&format!("<Home>/{name}<CR>"));
        driver.keys("a");
        assert_eq!(message(&driver), words, "{name}");
        driver.keys("<Down><Up>");
        has(&driver, "Enter open");
        lacks(&driver, "a its diff");
        lacks(&driver, "y copy the id");
    }
}

/// Without lines there is nobody, and no key that needs somebody.
#[test]
fn nobody_wrote_nothing() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"empty", b"");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "nothing"]);
    let mut driver = opened(&repository, "");
    driver.keys("A");
    has(&driver, "there are no lines");
    lacks(&driver, "everybody");
    lacks(&driver, "Enter only");
    driver.keys("<CR>");
    assert_eq!(message(&driver), "there are no lines");
}

/// What is not in the index but in HEAD and in the work tree is not as what is new.
#[test]
fn what_the_index_alone_lacks_is_said() {
    let history = history();
    let repository = &history.repository;
    repository.git(&["rm", "-q", "--cached", "other"]);
    repository.git(&["rm", "-q", "-r", "--cached", "dir"]);
    repository.git(&["rm", "-q", "--cached", "top"]);
    repository.write(b".gitignore", b"top\n");
    repository.write(b"later", b"l\n");
    let mut driver = opened(repository, "");
    let rows = texts(&driver);
    let words: Vec<&str> = rows.iter().map(|row| row.trim()).collect();
    assert_eq!(
        words,
        [
            "dir/  removed from the index",
            "other  removed from the index",
            "top  removed from the index",
            ".gitignore  untracked",
            "later  untracked",
        ]
    );
    has(&driver, "3 removed from the index, 2 untracked");
    driver.keys("<CR>");
    assert_eq!(message(&driver), "removed from the index: :HEAD has it");
}

/// A letter and its marks are one in the finder, and where a path is cut.
#[test]
fn letters_keep_their_marks() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let name = "e\u{301}".repeat(60);
    repository.write(name.as_bytes(), b"1\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "marks"]);
    let mut driver = opened(&repository, "");
    for size in [(120, 12), (40, 12)] {
        driver.resize(size.0, size.1);
        driver.keys("fe");
        has(&driver, "e\u{301}e\u{301}");
        lacks(&driver, "U+0301");
        driver.keys("<Esc>");
    }
}

/// A directory was moved to where most of its files are, and not to where the first of them is.
#[test]
fn a_directory_was_moved_with_most_of_its_files() {
    let text = |name: &str| {
        (0..9)
            .map(|line| format!("{line} of {name}\n"))
            .collect::<String>()
    };
    let texts_of = ["a", "b", "c"].map(text);
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_400_000_000,
            &[],
            &[
                ("one/a", &texts_of[0]),
                ("one/b", &texts_of[1]),
                ("one/c", &texts_of[2]),
                ("stays", "1\n"),
            ],
        )
        .commit(
            "second",
            1_500_000_000,
            &["first"],
            &[
                ("all/a", &texts_of[0]),
                ("new/one/b", &texts_of[1]),
                ("new/one/c", &texts_of[2]),
            ],
        )
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["rm", "-q", "-r", "one"]);
    repository.git(&["commit", "-q", "--amend", "-m", "second"]);
    let mut driver = opened(repository, "");
    driver.keys("D");
    let rows = texts(&driver);
    assert!(
        rows[0].starts_with(" one/ ") && rows[0].ends_with("→ new/one/"),
        "{rows:#?}"
    );
}

#[test]
fn it_is_known_of_each_visible_name_where_it_was_moved() {
    let history = HistoryBuilder::default()
        .commit("first", 1_400_000_000, &[], &[("dir/stays", "s\n")])
        .build();
    let git = |arguments: &[&str]| history.repository.git(arguments);
    git(&["reset", "-q", "--hard"]);
    for number in 0..40 {
        let path = format!("dir/{number:02}");
        let text: String = (0..20)
            .map(|line| format!("{line} of {number}\n"))
            .collect();
        history.repository.write(path.as_bytes(), text.as_bytes());
    }
    history.repository.write(b"away/stays", b"s\n");
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "second"]);
    for number in (0..40).step_by(2) {
        let names = [number, number + 1].map(|it| format!("dir/{it:02}"));
        git(&["mv", &names[0], &names[1], "away"]);
        git(&["commit", "-q", "-m", "move two"]);
    }
    let mut driver = opened(&history.repository, "dir");
    // Whether each of the 40 names is said to be moved.
    let moved = |driver: &Driver| -> Vec<bool> {
        let rows = texts(driver).into_iter();
        let is_moved = rows.map(|row| {
            row.ends_with(&format!(
                "→ /away/{}",
                row[1..].split(' ').next().unwrap_or_default()
            ))
        });
        is_moved.collect()
    };
    driver.keys("D");
    let at_first = moved(&driver);
    assert_eq!(at_first.len(), 40);
    assert!(at_first[..20].iter().all(|it| *it) && !at_first[30..].contains(&true));
    driver.keys("G");
    let at_last = moved(&driver);
    assert!(at_last[20..].iter().all(|it| *it));
}

#[test]
fn names_that_git_does_not_know_have_their_marks() {
    let history = history();
    let repository = &history.repository;
    repository.write(b".gitignore", b"*.o\nbuild/\n");
    for name in [
        "dir/a.o",
        "dir/new.txt",
        "dir/build/x",
        "dir/sub2/x",
        "dir/objects/x.o",
        "loose",
        "z/dir/x",
        "dir/esc\x1b[31m",
        "dir/-dash",
        "dir/:(glob)*",
    ] {
        repository.write(name.as_bytes(), b"1\n");
    }
    std::fs::create_dir(repository.root().join("dir/empty")).expect("it is new");
    let mut compared = 0;
    for directory in ["", "dir"] {
        let mut driver = opened(repository, directory);
        let before = texts(&driver).len();
        driver.keys(".");
        let rows = texts(&driver);
        assert!(rows.len() >= before);
        let git = ["status", "--porcelain", "-z", "--ignored"];
        let git = repository.git_text(&git);
        let mut expected = BTreeSet::new();
        for entry in git.split('\0') {
            let Some((state, path)) = entry.split_at_checked(3) else {
                continue;
            };
            let below = match directory {
                "" => Some(path),
                _ => path
                    .strip_prefix(directory)
                    .and_then(|path| path.strip_prefix('/')),
            };
            let name = below.filter(|path| !path.trim_end_matches('/').contains('/'));
            let words = match state {
                "?? " => "untracked",
                "!! " => "ignored",
                _ => continue,
            };
            expected.extend(name.map(|name| {
                let name = tblame::internals::sanitize::line(name.as_bytes());
                format!(" {name}  {words}")
            }));
        }
        let is_marked = |row: &&String| row.ends_with("  untracked") || row.ends_with("  ignored");
        let found: BTreeSet<String> = rows.iter().filter(is_marked).cloned().collect();
        assert_eq!(found, expected, "{directory}");
        compared += found.len();
        // They come last, and have no history.
        assert!(is_marked(&rows.last().expect("a row")));
        for key in ["<CR>", "a", "y", "o"] {
            driver.keys("G").keys(key);
            assert!(message(&driver).contains("by git"), "{key}");
        }
        driver.keys("S");
        assert!(texts(&driver)[before..].iter().all(|row| is_marked(&row)));
    }
    assert_eq!(compared, 11);
}

#[test]
fn the_people_of_a_directory_are_those_of_all_its_files() {
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_400_000_000,
            &[],
            &[
                ("dir/a", "1\n2\n3\n"),
                ("dir/sub/b", "1\n"),
                ("other", "1\n"),
            ],
        )
        .commit(
            "second",
            1_500_000_000,
            &["first"],
            &[("dir/sub/b", "1\n2\n"), ("dirty", "1\n2\n3\n4\n")],
        )
        .build();
    history.repository.git(&["reset", "-q", "--hard"]);
    let mut driver = opened(&history.repository, "dir");
    driver.keys("A");
    let rows = texts(&driver);
    let words =
        |row: &String| -> Vec<String> { row.split_whitespace().map(str::to_owned).collect() };
    let rows: Vec<_> = rows.iter().map(words).collect();
    assert_eq!(rows[0][..2], ["everybody", "5"], "{rows:?}");
    // Their years have bars, too.
    assert!(rows[0].contains(&"█".to_owned()), "{rows:?}");
    assert_eq!(
        rows[1][..5],
        ["Author", "of", "first", "4", "80%"],
        "{rows:?}"
    );
    assert_eq!(
        rows[2][..5],
        ["Author", "of", "second", "1", "20%"],
        "{rows:?}"
    );
    assert_eq!(rows.len(), 3);
    driver.keys("j<CR>");
    // Only the lines of this person count now.
    assert!(
        message(&driver).starts_with("lines of Author of first;"),
        "{}",
        message(&driver)
    );
    has(&driver, " dir/ @ work tree");
    driver.keys("G");
    has(&driver, " 4 of 5 lines of Author of first");
    // The history has all commits.
    driver.keys("F");
    has(&driver, " history of dir/");
    lacks(&driver, "lines of");
    driver.keys("F");
    has(&driver, " 4 of 5 lines of Author of first");
    driver.keys("hAG");
    let last = words(&texts(&driver)[1]);
    assert_eq!(last[2..5], ["first", "5", "50%"], "{last:?}");
    driver.keys("<");
    has(&driver, "/ @ work tree");
    has(&driver, " 5 of 10 lines of Author of first");
    has(&driver, "  dirty          –");
    driver.keys("<Esc>g");
    assert!(
        !driver.screen().contains(" of 10 lines"),
        "{}",
        driver.screen()
    );
}

/// What is listed of a directory is read again by a key, and the directory below it too.
#[test]
fn the_lists_of_a_directory_are_read_again() {
    let history = history();
    let repository = &history.repository;
    let mut driver = opened(repository, "dir");
    let git = |arguments: &[&str]| repository.git(arguments);
    let mut read = 0;
    for (list, words) in [
        ("F", "fifth 0"),
        ("D", "fifth 1"),
        ("A", "uncommitted"),
        ("L", "*more-3"),
    ] {
        driver.keys(list);
        lacks(&driver, words);
        let name = format!("dir/more-{read}");
        repository.write(name.as_bytes(), b"1\n2\n");
        git(&["add", "."]);
        if read < 2 {
            git(&["commit", "-q", "-m", &format!("fifth {read}")]);
        }
        if read == 1 {
            git(&["rm", "-q", "dir/more-0"]);
            git(&["commit", "-q", "-m", "fifth 1"]);
        }
        driver.keys("<C-r>");
        assert_eq!(message(&driver), "the directory was read again");
        has(&driver, words);
        driver.keys("<Esc>");
        has(&driver, " dir/ @ work tree");
        if read != 1 {
            has(&driver, &format!("more-{read}"));
        }
        read += 1;
    }
    assert_eq!(read, 4);
}

/// A version that was opened from the list of versions leads back to it.
#[test]
fn a_step_back_returns_to_the_list_of_versions() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    driver.keys(":dir/new<CR>");
    assert_eq!(driver.whereabouts().1, "dir/new");
    driver.keys("F");
    has(&driver, " history of dir/new");
    driver.keys("j<CR>");
    assert_eq!(driver.whereabouts().1, "dir/old");
    driver.keys("<");
    has(&driver, " history of dir/new");
    has(&driver, "2 of 2 versions");
    // Closed, it does not come again.
    driver.keys("F");
    assert!(driver.app().pages.top().is_none(), "{}", driver.screen());
    driver.keys("<");
    has(&driver, "/ @ work tree");
}

/// A step forward leads to the first view, from the directory and from a list above it.
#[test]
fn forward_leads_to_what_was_left_by_steps_back() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    driver.keys(">");
    assert_eq!(message(&driver), "no file was opened yet");
    for list in ["", "L", "F", "D"] {
        driver.keys(list).keys(">");
        assert_eq!(message(&driver), "no file was opened yet", "{list}");
        driver.keys(if list.is_empty() { "" } else { "<Esc>" });
    }
    let place = |driver: &Driver| (driver.app().pages.layers().len(), driver.whereabouts().0);
    for (list, pages) in [("", 1), ("L", 2)] {
        let mut driver = opened(&history.repository, "");
        // A file with two steps.
        driver.keys(list).keys("G<CR>b");
        let name = driver.whereabouts().1;
        assert_eq!(place(&driver), (0, 1), "{name}");
        driver.keys("<<");
        assert_eq!(place(&driver), (pages, 0), "{list}");
        driver.keys(">");
        assert_eq!(place(&driver), (0, 0), "{list}");
        driver.keys("<");
        assert_eq!(place(&driver), (pages, 0), "{list}");
        driver.keys(">>");
        assert_eq!(place(&driver), (0, 1), "{list}");
        driver.keys(">");
        assert!(message(&driver).starts_with("nothing to go forward to"));
        driver.keys("<<");
        // The list is closed, and the directory is left.
        driver.keys(if list.is_empty() { "" } else { "<Esc>" });
        assert_eq!(place(&driver), (1, 0), "{list}");
        driver.keys("2>");
        assert_eq!(driver.whereabouts().0, 0, "{list}");
    }
}

/// A directory that was left before the last step is not ahead of it.
#[test]
fn a_step_forward_leads_to_what_was_opened_last() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    // A directory that is left, then a file.
    driver.keys("gg<CR><G<CR>");
    let place = |driver: &Driver| (driver.app().pages.layers().len(), driver.whereabouts().1);
    let file = place(&driver);
    assert_eq!(file, (0, "top".to_owned()));
    driver.keys("<>");
    assert_eq!(place(&driver), file);
    // And the other way round.
    driver.keys("<gg<CR>");
    has(&driver, " dir/ @ work tree");
    driver.keys("<>");
    has(&driver, " dir/ @ work tree");
}

/// What HEAD has and the work tree lacks has a row of its own, unless something new has its name.
#[test]
fn what_was_removed_from_the_work_tree_is_listed() {
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_400_000_000,
            &[],
            &[
                ("all/only", "1\n"),
                ("ignored/old", "1\n"),
                ("kept", "1\n"),
                ("loose", "1\n"),
                ("new/old", "1\n"),
            ],
        )
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.write(b".git/info/exclude", b"*.o\n");
    repository.write(b"ignored/x.o", b"1\n");
    repository.write(b"new/fresh", b"1\n");
    repository.git(&["rm", "-q", "--cached", "loose"]);
    for path in ["all/only", "ignored/old", "new/old"] {
        std::fs::remove_file(repository.root().join(path)).expect("it was there");
    }
    let mut driver = opened(repository, "");
    driver.keys(".");
    let rows = texts(&driver);
    let rest = [
        " all/  removed",
        " ignored/  removed",
        " loose  removed from the index",
        " new/  untracked",
    ];
    assert!(rows[0].starts_with(" kept "), "{rows:#?}");
    assert_eq!(rows[1..], rest, "{rows:#?}");
    has(
        &driver,
        "one entry, 2 removed, 1 removed from the index, 1 untracked",
    );
    for key in ["<CR>", "a", "y", "o"] {
        driver.keys("gj").keys(key);
        assert_eq!(message(&driver), "removed: :HEAD has it", "{key}");
    }
    driver.keys(":HEAD<CR>");
    assert_eq!(texts(&driver).len(), 5);
    lacks(&driver, "removed");
    driver.keys("<Esc>:HEAD:all<CR>");
    assert!(
        texts(&driver)[0].starts_with(" only "),
        "{}",
        driver.screen()
    );
    // A directory that was removed as a whole is not empty, but there is nothing to open or count.
    let mut driver = opened(repository, "all");
    assert_eq!(texts(&driver), [" only  removed"]);
    has(&driver, "nothing tracked here, 1 removed");
    has(&driver, "F history");
    for words in ["Enter open", "a its diff", "S sort", "| columns"] {
        lacks(&driver, words);
    }
    for keys in ["&", "|", "c", "i"] {
        driver.keys(keys);
        assert_eq!(message(&driver), "there are no lines here", "{keys}");
    }
    driver.keys("<Esc>F");
    has(&driver, "this is the only commit");
    has(&driver, "Enter diff");
    driver.keys("FD");
    has(&driver, "no direct entry was deleted");
    has(&driver, "? keys");
    lacks(&driver, "Enter open");
    lacks(&driver, " 0 ");
}

/// What the first commit of a shallow clone seems to have changed may be older, and is not said to be
/// of it.
#[test]
fn the_first_commits_of_a_shallow_clone_are_bounds() {
    let history = HistoryBuilder::default()
        .commit("first", 1_300_000_000, &[], &[("old", "1\n")])
        .commit("cut", 1_400_000_000, &["first"], &[("dir/cut", "1\n")])
        .commit("third", 1_500_000_000, &["cut"], &[("new", "1\n")])
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    let shallow = format!("{}\n", history.id("cut"));
    repository.write(b".git/shallow", shallow.as_bytes());
    let mut driver = opened(repository, "");
    let rows = texts(&driver);
    for (row, name) in rows.iter().zip(["dir/", "new", "old"]) {
        assert!(row.starts_with(&format!(" {name} ")), "{rows:#?}");
        let words = "  or before: history begins there";
        assert_eq!(row.ends_with(words), name != "new", "{rows:#?}");
    }
    for key in ["a", "y", "o"] {
        driver.keys("G").keys(key);
        let words = "its last commit may be older than this history";
        assert_eq!(message(&driver), words, "{key}");
    }
    driver.keys("L");
    let rows = texts(&driver);
    for (row, name) in rows.iter().zip(["dir/cut", "old", "new"]) {
        assert!(row.ends_with(&format!(" {name}")), "{rows:#?}");
        let is_bound = row.starts_with("2014-05-13 or before ");
        assert_eq!(is_bound, name != "new", "{rows:#?}");
    }
    driver.keys("a");
    let words = "its last commit may be older than this history";
    assert_eq!(message(&driver), words);
}

/// Shares of people may exceed the whole, and then the page says why.
#[test]
fn shares_of_co_authors_are_explained() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"alone", b"1\n2\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "alone"]);
    let words = "a line with co-authors counts for each";
    for (key, help) in [("|", "??G"), ("A", "?")] {
        let mut driver = opened(&repository, "");
        driver.keys(key);
        lacks(&driver, words);
        driver.keys(help);
        has(&driver, "share of the lines: one with co-authors");
    }
    repository.write(b"shared", b"1\n2\n3\n");
    repository.git(&["add", "."]);
    let message = "shared\n\nCo-authored-by: Bea <bea@example.org>";
    repository.git(&["commit", "-q", "-m", message]);
    for key in ["|", "A"] {
        let mut driver = opened(&repository, "");
        driver.keys(key);
        has(&driver, words);
    }
    let mut driver = opened(&repository, "");
    driver.keys("/shared<CR><CR>A");
    has(&driver, words);
}

#[test]
fn a_file_that_was_removed_is_said_to_be() {
    let history = history();
    let root = history.repository.root();
    let mut command = tblame_command();
    command.cwd(root);
    command.args(["dir"]);
    let mut session = Session::run(command, (80, 24));
    session.wait_for("> new");
    std::fs::remove_file(root.join("dir/new")).expect("it is there");
    session.press("\r");
    session.wait_for("not in the work tree; : and a revision opens the file as it was there");
    session.press(":HEAD\r");
    session.wait_for("dir/ @ HEAD");
    session.wait_for("> new");
    session.press("\r");
    session.wait_for("line 1 of 5");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}
