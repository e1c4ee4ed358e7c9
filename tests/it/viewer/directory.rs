//! The page of a directory: its rows, the ways in and out, and its query.

use std::sync::Arc;

use bstr::ByteSlice;
use tblame::internals::viewer::{
    app::{settings::arguments::ViewerArguments, state::App, update::update},
    config::settings::Config,
    event_loop::ExitReason,
    model::{
        background::{
            directory::{DirectoryQuery, EntryChange, EntryKind, FoundEntries, NamedEntry},
            queries::{QueryEvent, QueryKind, QueryRequest},
            query::Answer,
        },
        keys::key::Key,
        source::{CommitMetadata, Failure, FileVersion, Signature},
    },
    protocol::{BlameEventKind, Effect, Message},
};

use crate::harness::{
    named_history::{HistoryBuilder, NamedHistory},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    session::{Session, tblame_command},
};

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, NOW},
    late_answers::{answer, started},
    lists::texts,
};

pub(super) fn arguments_of(path: &str) -> ViewerArguments {
    ViewerArguments {
        directory: Some(FileVersion::WorkTree {
            path: Arc::new(path.into()),
        }),
        ..arguments("".into(), Config::default())
    }
}

pub(super) fn opened(repository: &TestRepo, path: &str) -> Driver {
    Driver::with_repository(repository.root(), arguments_of(path), (80, 24))
}

/// The number of the only query for a directory among effects.
pub(super) fn asked(effects: &[Effect]) -> u64 {
    let asked = effects.iter().filter_map(|effect| match effect {
        Effect::Query(id, QueryRequest::Directory(_)) => Some(*id),
        _ => None,
    });
    let asked: Vec<u64> = asked.collect();
    assert_eq!(asked.len(), 1, "{effects:?}");
    asked[0]
}

fn is_cancelled(effects: &[Effect]) -> bool {
    effects.contains(&Effect::Cancel(QueryKind::Directory))
}

pub(super) fn press(app: &mut App, key: &str) -> Vec<Effect> {
    update(app, Message::Key(Key::named(key).expect("a key")))
}

pub(super) fn found(app: &mut App, id: u64, found: FoundEntries) -> Vec<Effect> {
    let event: QueryEvent = Answer::<DirectoryQuery>::Found(found).into();
    update(app, Message::Query(id, event))
}

pub(super) fn ended(app: &mut App, id: u64, end: Result<bool, Failure>) -> Vec<Effect> {
    let event: QueryEvent = Answer::<DirectoryQuery>::Ended(end).into();
    update(app, Message::Query(id, event))
}

/// A directory and so many files.
pub(super) fn names_of_files(files: usize) -> FoundEntries {
    let entry = |name: String, kind| NamedEntry {
        left_out: None,
        name: name.into(),
        kind,
        is_committed: true,
    };
    let files = (0..files).map(|at| entry(format!("file-{at:02}"), EntryKind::File));
    let directory = entry("sub".to_owned(), EntryKind::Directory);
    FoundEntries::Names(std::iter::once(directory).chain(files).collect())
}

/// A commit of the number changed an entry last.
fn change(at: usize, number: usize, is_boundary: bool) -> EntryChange {
    let author = Signature {
        name: format!("Author {number}").into(),
        mail: "a@example.com".into(),
        time: NOW - 86_400 * 400,
        offset: 0,
    };
    EntryChange {
        at,
        commit: FakeHistory::id(number),
        metadata: Ok(Arc::new(CommitMetadata {
            author: author.clone(),
            committer: author,
            co_authors: Vec::new(),
            message: format!("summary {number}").into(),
            change_id: None,
            root: false,
            merge_parents: Vec::new(),
        })),
        is_boundary,
    }
}

pub(super) fn rows(app: &App) -> Vec<String> {
    let page = app.pages.top().expect("a page");
    let rows = (0..page.count(app)).flat_map(|at| page.rows(at, 80, app));
    rows.map(|row| row.text()).collect()
}

pub(super) fn message(app: &App) -> &str {
    app.status.message.as_deref().unwrap_or_default()
}

#[test]
fn rows_fill_without_moving() {
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let id = asked(&effects);
    found(&mut app, id, names_of_files(40));
    let places = |app: &App| -> Vec<String> {
        let names = rows(app).into_iter();
        names.map(|row| row.chars().take(10).collect()).collect()
    };
    let first = places(&app);
    assert_eq!(first.len(), 41);
    assert_eq!(first[0].trim_end(), " sub/");
    // At the end of the list, where its last row may come and go.
    press(&mut app, "G");
    let list = |app: &App| app.pages.list().map(|list| (list.selected, list.top));
    let before = list(&app);
    assert_eq!(before.map(|it| it.0), Some(40));
    for number in 0..41 {
        // In no order of the rows.
        let at = (number * 17) % 41;
        let changes = vec![change(at, number, number == 7)];
        found(
            &mut app,
            id,
            FoundEntries::Changes(changes, Some(NOW - 86_400)),
        );
        assert_eq!(places(&app), first, "{number}");
        assert_eq!(list(&app), before, "{number}");
    }
    ended(&mut app, id, Ok(true));
    assert_eq!(list(&app), before);
    for number in 0..41 {
        let row = &rows(&app)[(number * 17) % 41];
        let expected = match number {
            7 => "13 months  or before: history begins there".to_owned(),
            _ => format!("13 months  Author {number:<9} summary {number}"),
        };
        assert!(row.ends_with(&expected), "{row}");
    }
}

#[test]
fn what_is_not_known_is_said() {
    let ending = |app: &App| app.pages.top().expect("a page").ending(app);
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let id = asked(&effects);
    assert_eq!(ending(&app), "looking…");
    found(&mut app, id, names_of_files(1));
    found(&mut app, id, FoundEntries::Changes(Vec::new(), Some(NOW)));
    assert_eq!(ending(&app), "looking before 2020-01-01…");
    assert_eq!(rows(&app)[0].trim(), "sub/");
    press(&mut app, "a");
    assert_eq!(message(&app), "its last commit is not known");
    ended(&mut app, id, Err(Failure::new("a commit is missing")));
    assert_eq!(ending(&app), "a commit is missing");
    assert!(rows(&app)[0].ends_with("its last commit is not known"));
    // An entry that cannot be read says why.
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let id = asked(&effects);
    found(&mut app, id, names_of_files(1));
    let mut damaged = change(1, 1, false);
    damaged.metadata = Err(Failure::new("no commit \x1b[31m here"));
    found(&mut app, id, FoundEntries::Changes(vec![damaged], None));
    ended(&mut app, id, Ok(false));
    assert!(
        rows(&app)[1].ends_with("no commit ^[[31m here"),
        "{:?}",
        rows(&app)
    );
    assert_eq!(ending(&app), "older history is not looked at");
    // Nothing.
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let id = asked(&effects);
    found(&mut app, id, FoundEntries::Names(Vec::new()));
    ended(&mut app, id, Ok(true));
    assert_eq!(ending(&app), "this directory is empty");
    assert_eq!(app.pages.top().expect("a page").title(&app), None);
    for key in ["Enter", "l", "a", "y", "j", "G", "<", ">"] {
        press(&mut app, key);
        assert!(app.pages.top().is_some(), "{key}");
    }
}

/// Names are cut only where the other columns need the room.
#[test]
fn names_get_what_other_columns_leave() {
    let name = "a-name-of-forty-six-columns-which-is-much-long";
    let long = "a-summary-of-more-columns-than-there-are-beside-a-name-of-46-columns-and-its-date";
    let mut seen = 0;
    for (summary, width, keys, is_whole) in [
        ("short", 130, "", true),
        ("short", 100, "|", true),
        ("short", 80, "|", false),
        ("short", 80, "", false),
        (long, 130, "", false),
        (long, 100, "|", false),
        (long, 80, "|", false),
    ] {
        let history = HistoryBuilder::default()
            .commit("first", 1_000_000_000, &[], &[("b", "2\n")])
            .commit(summary, 1_400_000_000, &["first"], &[(name, "1\n")])
            .build();
        history.repository.git(&["reset", "-q", "--hard"]);
        let mut driver = opened(&history.repository, "");
        driver.resize(width, 12).keys(keys);
        let screen = driver.screen();
        assert_eq!(screen.contains(&format!(" {name} ")), is_whole, "{screen}");
        // Few bars have both years above them.
        let title = screen.lines().nth(1).unwrap_or_default();
        let has_lines = title.contains(" lines ");
        assert_eq!(has_lines, title.contains(" 2001 2014 "), "{screen}");
        seen += u32::from(has_lines);
    }
    assert_eq!(seen, 4);
}

#[test]
fn the_query_is_cancelled_when_the_page_is_left() {
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let first = asked(&effects);
    found(&mut app, first, names_of_files(3));
    found(
        &mut app,
        first,
        FoundEntries::Changes(vec![change(1, 1, false)], None),
    );
    press(&mut app, "j");
    assert!(is_cancelled(&press(&mut app, "Enter")));
    assert!(app.pages.top().is_none());
    // A late answer changes nothing.
    found(
        &mut app,
        first,
        FoundEntries::Changes(vec![change(2, 9, false)], None),
    );
    answer(&mut app, 1, started("one\n"));
    // On the way back, the rest is asked for; what was known stays.
    let second = asked(&press(&mut app, "<"));
    assert!(rows(&app)[1].ends_with("summary 1"));
    assert_eq!(rows(&app)[2].trim(), "file-01");
    assert_eq!(app.pages.list().map(|list| list.selected), Some(1));
    found(&mut app, second, names_of_files(3));
    assert!(rows(&app)[1].ends_with("summary 1"));
    found(
        &mut app,
        second,
        FoundEntries::Changes(vec![change(2, 2, false)], None),
    );
    // The finder leaves the page too.
    press(&mut app, "f");
    let page = app.pages.layers().len();
    assert_eq!(page, 2);
    press(&mut app, "Esc");
    // In a directory below, the answers are that directory's.
    press(&mut app, "g");
    let third = asked(&press(&mut app, "l"));
    found(&mut app, second, names_of_files(30));
    assert_eq!(rows(&app).len(), 0);
    found(&mut app, third, names_of_files(1));
    assert_eq!(rows(&app).len(), 2);
    ended(&mut app, third, Ok(true));
    let fourth = asked(&press(&mut app, "h"));
    assert_eq!(rows(&app).len(), 4);
    ended(&mut app, fourth, Ok(true));
    // Everything is known: nothing is asked again.
    press(&mut app, "j");
    press(&mut app, "Enter");
    answer(&mut app, 2, started("two\n"));
    let effects = press(&mut app, "<");
    assert!(app.pages.top().is_some());
    let is_asked = |effect: &Effect| matches!(effect, Effect::Query(_, QueryRequest::Directory(_)));
    assert!(!effects.iter().any(is_asked), "{effects:?}");
}

#[test]
fn a_file_that_is_waited_for_is_given_up() {
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let id = asked(&effects);
    found(&mut app, id, names_of_files(3));
    ended(&mut app, id, Ok(true));
    press(&mut app, "G");
    press(&mut app, "Enter");
    assert!(app.pages.top().is_none());
    let effects = press(&mut app, "<");
    assert!(effects.contains(&Effect::CancelBlame), "{effects:?}");
    assert_eq!(app.pages.list().map(|list| list.selected), Some(3));
    // Its text comes too late.
    answer(&mut app, 1, started("one\n"));
    assert!(app.view().is_none());
    assert_eq!(app.pages.list().map(|list| list.selected), Some(3));
}

#[test]
fn a_file_that_cannot_be_blamed_leads_back_to_the_page() {
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let id = asked(&effects);
    found(&mut app, id, names_of_files(3));
    ended(&mut app, id, Ok(true));
    press(&mut app, "G");
    press(&mut app, "Enter");
    let failure = Failure::new("no such file");
    let effects = answer(&mut app, 1, BlameEventKind::Failed(failure));
    assert!(!effects.contains(&Effect::Quit), "{effects:?}");
    assert_eq!(message(&app), "no such file");
    assert_eq!(app.pages.list().map(|list| list.selected), Some(3));
}

/// `dir/deep/x` and `dir/a` of the first commit, `dir/deep/y` and `top` of later ones.
fn history() -> NamedHistory {
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_400_000_000,
            &[],
            &[("dir/a", "a\n"), ("dir/deep/x", "x\n"), ("z/z", "z\n")],
        )
        .commit(
            "second",
            1_500_000_000,
            &["first"],
            &[("dir/deep/y", "y\n")],
        )
        .commit("third", 1_550_000_000, &["second"], &[("top", "t\n")])
        .build();
    history.repository.git(&["reset", "-q", "--hard"]);
    history
}

#[test]
fn the_way_in_and_out_keeps_the_selection() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    let row = |driver: &Driver| {
        let selected = driver.app().pages.list().expect("a list").selected;
        texts(driver)[selected].trim().to_owned()
    };
    assert!(row(&driver).starts_with("dir/"), "{}", driver.screen());
    driver.keys("l");
    assert!(driver.screen().starts_with(" dir/ @ work tree"));
    assert_eq!(texts(&driver).len(), 2);
    driver.keys("<CR>j");
    assert!(row(&driver).starts_with("y "), "{}", driver.screen());
    assert!(row(&driver).ends_with("second"), "{}", driver.screen());
    // The blame, and a step from it.
    driver.keys("<CR>");
    assert_eq!(driver.whereabouts().1, "dir/deep/y");
    driver.keys("<");
    assert!(row(&driver).starts_with("y "), "{}", driver.screen());
    // Another file takes the place of the first, to which no step leads any more.
    driver.keys("k<CR>");
    assert_eq!(driver.whereabouts().1, "dir/deep/x");
    assert_eq!(driver.whereabouts().0, 0);
    let screen = driver.screen();
    let header = screen.lines().next().expect("a header");
    let words: Vec<&str> = header.split_whitespace().collect();
    let place = words
        .iter()
        .position(|word| *word == "dir/deep/x")
        .expect("the path");
    assert_eq!(words[place..place + 4], ["dir/deep/x", "@", "work", "tree"]);
    assert!(!header.contains('›'), "{header}");
    driver.keys("<BS>");
    assert!(row(&driver).starts_with("x "), "{}", driver.screen());
    driver.keys(">");
    assert_eq!(driver.whereabouts().1, "dir/deep/x");
    assert!(driver.app().pages.top().is_none(), "{}", driver.screen());
    driver.keys("<h");
    assert!(row(&driver).starts_with("deep/"), "{}", driver.screen());
    // The first one again.
    driver.keys("lj<CR>");
    assert!(driver.app().pages.top().is_none(), "{}", driver.screen());
    assert_eq!(driver.whereabouts().1, "dir/deep/y");
    driver.keys("<BS>2<");
    assert!(row(&driver).starts_with("dir/"), "{}", driver.screen());
    driver.keys("<");
    assert_eq!(message(driver.app()), "this is the directory at the top");
    // Above the directory in which the viewer began.
    let mut driver = opened(&history.repository, "dir/deep");
    driver.keys("<");
    assert!(row(&driver).starts_with("deep/"), "{}", driver.screen());
    driver.keys("h");
    assert!(row(&driver).starts_with("dir/"), "{}", driver.screen());
    driver.keys("jl<");
    assert!(row(&driver).starts_with("z/"), "{}", driver.screen());
    driver.keys("/^top<CR>");
    assert!(row(&driver).starts_with("top "), "{}", driver.screen());
    driver.keys("<Esc>");
    assert_eq!(
        driver.app().pages.list().map(|list| list.search.is_some()),
        Some(false)
    );
    driver.keys("q");
    assert!(
        matches!(driver.ending, ExitReason::Quit),
        "{:?}",
        driver.ending
    );
}

/// What is said of a file is not said of the directory above it.
#[test]
fn the_words_about_a_file_stay_with_it() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"binary", b"\0\x01\n");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "one"]);
    let mut driver = opened(&repository, "");
    driver.keys("<CR>");
    assert!(
        driver.screen().contains("binary file: "),
        "{}",
        driver.screen()
    );
    driver.keys("<");
    assert!(driver.screen().contains("> binary"), "{}", driver.screen());
    assert!(
        !driver.screen().contains("binary file: "),
        "{}",
        driver.screen()
    );
}

#[test]
fn the_last_change_is_shown_and_left() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    driver.keys("G");
    let before = driver.screen();
    driver.keys("a");
    let id = history.id("third");
    assert!(
        driver
            .screen()
            .starts_with(&format!(" diff {}  top ·", &id[..8])),
        "{}",
        driver.screen()
    );
    driver.keys("q");
    assert_eq!(driver.screen(), before);
    driver.keys("y");
    assert_eq!(driver.memory().copied, [id]);
    // From the diff to a blame, and back to it and to the directory.
    driver.keys("aGb");
    assert_eq!(driver.whereabouts().1, "top");
    driver.keys("<");
    assert!(driver.screen().starts_with(" diff "), "{}", driver.screen());
    driver.keys("qt");
    assert_eq!(message(driver.app()), "dates: age");
    // The finder is limited to the directory.
    driver.keys("gl");
    assert!(driver.screen().starts_with(" dir/"), "{}", driver.screen());
    driver.keys("f");
    assert!(
        driver.screen().contains("3 of 3 files"),
        "{}",
        driver.screen()
    );
    driver.keys("a<CR>");
    assert_eq!(driver.whereabouts().1, "dir/a");
    driver.keys("<");
    assert!(driver.screen().starts_with(" dir/"), "{}", driver.screen());
}

/// Every row has the commit that git shows for its path, whatever the name; what is staged, gone,
/// not known to git or no file has its place or none.
#[test]
fn the_rows_are_those_of_the_work_tree() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let names: &[&[u8]] = &[
        b"plain",
        b"-dash",
        b"new\nline",
        b"esc\x1b[31mred",
        b"not\xffutf8",
        "wide 中文 name".as_bytes(),
        b":(glob)*",
        b"dir/below",
        b"dir/gone",
        b"gone",
        b"turned",
        &[b'n'; 200],
    ];
    for (at, name) in names.iter().enumerate() {
        repository.write(name, b"1\n");
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", &format!("commit {at}")]);
    }
    std::os::unix::fs::symlink("plain", repository.root().join("link")).expect("a link");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "a link"]);
    std::fs::remove_file(repository.root().join("gone")).expect("it was there");
    repository.write(b"staged", b"1\n");
    repository.write(b"fresh/staged", b"1\n");
    repository.git(&["add", "staged", "fresh"]);
    repository.write(b"untracked", b"1\n");
    // A file that became a directory is gone, and another repository is none of the directories.
    std::fs::remove_file(repository.root().join("turned")).expect("it was there");
    repository.write(b"turned/below", b"1\n");
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    let other = format!("160000,{},other", head.trim());
    repository.git(&["update-index", "--add", "--cacheinfo", &other]);
    std::fs::create_dir(repository.root().join("other")).expect("it is new");

    let driver = opened(&repository, "");
    let rows = texts(&driver);
    let mut compared = 0;
    let is_hidden =
        |name: &[u8]| name.starts_with(b"dir/") || [&b"gone"[..], b"turned"].contains(&name);
    let shown = names.iter().filter(|name| !is_hidden(name));
    for name in shown.copied().chain([b"dir".as_slice(), b"link"]) {
        let path = name.to_os_str().expect("unix");
        let arguments = ["--literal-pathspecs", "log", "-1", "--format=%s", "--"];
        let arguments = arguments.map(std::ffi::OsStr::new);
        let summary = repository.git_text(&[&arguments[..], &[path]].concat());
        let visible = tblame::internals::sanitize::line(name);
        let start: String = visible.chars().take(8).collect();
        let row = rows
            .iter()
            .find(|row| row.starts_with(&format!(" {start}")));
        let row = row.unwrap_or_else(|| panic!("no {start}: {rows:#?}"));
        assert!(
            row.ends_with(&format!(" {}", summary.trim())),
            "{row}: {summary}"
        );
        assert!(!row.contains(['\n', '\x1b']), "{row:?}");
        compared += 1;
    }
    assert_eq!(compared, names.len() - 4 + 2);
    // git does not list the directory that the file became.
    let rest = [
        " gone  removed",
        " turned  removed",
        " untracked  untracked",
    ];
    assert_eq!(rows[compared + 3..], rest, "{rows:#?}");
    assert!(rows[0].starts_with(" dir/ "));
    assert!(rows[1].starts_with("*fresh/ ") && rows[1].ends_with("uncommitted"));
    let link = rows.iter().find(|row| row.starts_with(" link (link) "));
    assert!(link.is_some(), "{rows:#?}");
    let mut driver = driver;
    driver.keys("/^other<CR><CR>");
    assert!(
        driver.screen().contains(">*other (submodule) "),
        "{}",
        driver.screen()
    );
    let words = "a submodule: tblame other/ opens its repository, if it is checked out";
    assert!(
        message(driver.app()).starts_with(words),
        "{}",
        driver.screen()
    );
    let staged = rows.iter().find(|row| row.starts_with("*staged "));
    assert!(staged.is_some_and(|row| row.ends_with("uncommitted")));

    // A directory that no commit has yet.
    let mut driver = opened(&repository, "fresh");
    assert_eq!(texts(&driver).len(), 1);
    driver.keys("a");
    assert_eq!(message(driver.app()), "this is not committed yet");
    for key in ["", "f", "L", "A"] {
        let mut driver = opened(&repository, "other");
        driver.keys(key);
        let (screen, words) = (
            driver.screen(),
            "a submodule that is not checked out: its files are",
        );
        assert!(
            screen.contains(words) && !screen.contains("0 of 0"),
            "{key}: {screen}"
        );
        assert!(
            key.is_empty() || message(driver.app()).starts_with(words),
            "{key}"
        );
    }
    // One that git does not know at all.
    let driver = opened(&repository, "nowhere");
    assert!(
        driver.screen().contains("nothing here is committed"),
        "{}",
        driver.screen()
    );
}

#[test]
fn the_order_changes_on_a_key_only() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    let names = |driver: &Driver| -> Vec<String> {
        let rows = texts(driver).into_iter();
        let name = |row: String| row.split_whitespace().next().map(str::to_owned);
        rows.filter_map(name).collect()
    };
    assert_eq!(names(&driver), ["dir/", "z/", "top"]);
    driver.keys("jS");
    assert_eq!(names(&driver), ["top", "dir/", "z/"]);
    // The selected entry stays selected, and is the one that is opened.
    assert_eq!(message(driver.app()), "sorted by last change, newest first");
    driver.keys("l");
    assert!(driver.screen().starts_with(" z/ @"), "{}", driver.screen());
    driver.keys("h");
    assert_eq!(names(&driver), ["top", "dir/", "z/"]);
    driver.keys("gy");
    assert_eq!(driver.memory().copied, [history.id("third")]);
    driver.keys("jSSS");
    assert_eq!(names(&driver), ["dir/", "z/", "top"]);
    assert!(driver.screen().contains("> dir/"), "{}", driver.screen());
    // The first row stays the first one, to show what has come there.
    driver.keys("gS");
    assert_eq!(names(&driver), ["top", "dir/", "z/"]);
    assert!(driver.screen().contains("> top"), "{}", driver.screen());

    // What is found later is put into its row.
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let id = asked(&effects);
    found(&mut app, id, names_of_files(3));
    let known = vec![change(3, 1, false)];
    found(&mut app, id, FoundEntries::Changes(known, None));
    press(&mut app, "S");
    let before = rows(&app);
    assert!(before[0].starts_with(" file-02  13 months"), "{before:?}");
    let later = vec![change(0, 2, false), change(2, 3, false)];
    found(&mut app, id, FoundEntries::Changes(later, None));
    let starts = |rows: &[String]| -> Vec<String> {
        rows.iter()
            .map(|row| row.chars().take(9).collect())
            .collect()
    };
    assert_eq!(starts(&rows(&app)), starts(&before));
    let mut summaries = rows(&app);
    summaries.retain(|row| row.contains("summary"));
    assert_eq!(summaries.len(), 3);
    for (row, number) in rows(&app).iter().zip([1, 2, 9, 3]) {
        assert_eq!(
            row.ends_with(&format!("summary {number}")),
            number != 9,
            "{row}"
        );
    }
}

#[test]
fn a_page_of_any_size_is_drawn() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    let mut drawn = 0;
    for (width, height) in [
        (80, 24),
        (40, 12),
        (10, 3),
        (3, 2),
        (1, 1),
        (0, 0),
        (200, 60),
    ] {
        driver.resize(width, height);
        driver.keys("jkl<");
        drawn += 1;
        if width >= 40 {
            let screen = driver.screen();
            // A wide screen has the lines after the last change.
            let is_wide = width >= 100;
            let row = screen.lines().find(|row| row.starts_with("> dir/"));
            let row = row.unwrap_or_else(|| panic!("{screen}"));
            assert!(row.contains(" second"), "{screen}");
            assert_eq!(row.ends_with(" second"), !is_wide, "{screen}");
            assert_eq!(row.contains("Author of second"), width >= 80, "{screen}");
        }
    }
    assert_eq!(drawn, 7);
}

/// Whatever is pressed, what is on the screen is the page, what it leads to, or a way back.
#[test]
fn any_keys_lead_back_to_the_page() {
    const KEYS: &[&str] = &[
        "l", "<CR>", "h", "<", ">", "j", "k", "G", "g", "S", "|", "c", "a", "b", ",", "t", "y",
        "<Esc>", "/d<CR>", "n", "f", "fa<CR>", "?", "s<Esc>", "<C-r>", "<C-o>", ":1<CR>", "F", "L",
        "A", "2<", "w", "<BS>", "<Tab>",
    ];
    let history = history();
    let (mut pressed, mut returned) = (0, 0);
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let mut driver = opened(&history.repository, "");
        for _ in 0..60 {
            driver.keys(rng.pick::<&str>(KEYS));
            pressed += 1;
        }
        for _ in 0..60 {
            let is_alone = driver.app().pages.layers().len() == 1;
            let screen = driver.screen();
            let header = screen.lines().next().unwrap_or_default();
            if is_alone && header.contains("/ @ work tree") {
                returned += 1;
                break;
            }
            driver.keys("<Esc><Esc><");
        }
        driver.keys("9<");
        assert_eq!(texts(&driver).len(), 3, "{}", driver.screen());
    }
    assert_eq!((pressed, returned), (360, 6));
}

#[test]
fn a_directory_is_looked_through_in_a_terminal() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for at in 0..60 {
        repository.write(format!("src/part-{at:02}").as_bytes(), b"text\n");
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", &format!("add the part {at}")]);
    }
    let mut command = tblame_command();
    command.cwd(repository.root());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("> src/");
    session.wait_for("add the part 59");
    session.wait_for("one entry");
    session.press("l");
    session.wait_for("src/ @ work tree");
    session.wait_for("1 of 60");
    session.wait_for("add the part 0");
    session.press("G");
    session.wait_for("60 entries");
    session.press("\r");
    session.wait_for("src/part-59 @ work tree");
    session.press("<");
    session.wait_for("> part-59");
    session.press("h");
    session.wait_for("> src/");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
    // In a revision.
    let mut command = tblame_command();
    command.args(["HEAD~57", "src"]);
    command.cwd(repository.root());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("src/ @ HEAD~57");
    session.wait_for("3 entries");
    session.press("j\r");
    session.wait_for("src/part-01 @ ");
    session.press("qq");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_panic_of_the_query_is_said() {
    let history = history();
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("panic");
    let mut command = tblame_command();
    command.cwd(history.repository.root());
    command.env("TBLAME_TEST_PANIC", format!("Directory {}", file.display()));
    command.env("RUST_BACKTRACE", "0");
    let mut session = Session::run(command, (80, 24));
    session.wait_for("internal error: a panic in Directory");
    assert!(file.exists());
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}
