//! Going to revisions and files by name.

use ratatui::style::Modifier;
use tblame::internals::viewer::config::settings::Config;

use crate::harness::repository::{ObjectFormat, TestRepo};

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history, line},
};

fn message(driver: &Driver) -> Option<&str> {
    driver.app().status.message.as_deref()
}

#[test]
fn a_revision_is_blamed_at_the_same_line() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("3j:v1<CR>");
    assert_eq!(driver.whereabouts().1, "src/lantern.rs");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    let header = driver.screen().lines().next().unwrap_or("").to_owned();
    assert!(header.contains("HEAD › v1"), "{header}");
    // The older name of the file, and back.
    driver.keys(":v0<CR>");
    assert_eq!(driver.whereabouts().1, "src/lamp.rs");
    driver.keys("2<");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (0, 3)
    );
}

#[test]
fn an_unknown_name_is_an_error_and_a_number_is_a_line() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys(":nowhere<CR>");
    assert_eq!(message(&driver), Some("no “nowhere” here"));
    assert_eq!(driver.whereabouts().0, 0);
    driver.keys(":4<CR>");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys(":50%<CR>");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys(":v1<CR>:v1<CR>");
    assert_eq!(message(&driver), Some("v1 is what you see"));
    driver.keys(":v1<Esc>");
    assert_eq!(driver.whereabouts().0, 1);
}

#[test]
fn a_diff_is_left_for_a_revision() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("<CR>:3<CR>");
    assert!(driver.app().diff().is_some());
    driver.keys(":v1<CR>");
    assert!(driver.app().diff().is_none());
    let id = driver
        .app()
        .view()
        .and_then(|view| view.selected())
        .map(|it| it.commit.id);
    assert!(id.is_some_and(|id| id != FakeHistory::id(2)));
}

#[test]
fn tab_completes_and_then_chooses() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let last_rows = |driver: &mut Driver, keys: &str, count: usize| {
        let screen = driver.keys(keys).screen();
        let rows: Vec<String> = screen.lines().map(str::to_owned).collect();
        rows[rows.len() - count..].to_vec()
    };
    for (keys, rows) in [
        (":m<Tab>", &[">main", " maint/1.0", ":main"][..]),
        ("<Tab>", &[" main", ">maint/1.0", ":maint/1.0"]),
        ("<Tab>", &[">main", " maint/1.0", ":main"]),
        ("<C-u>x<Tab>", &[" nothing begins with this", ":x"]),
        // What was typed is one of them.
        ("<C-u>v<Tab><Tab>", &[" v", " v0", ">v1", " v2", ":v1"]),
        ("<Down><Tab>", &[">v", " v0", " v1", " v2", ":v"]),
        ("<End><Up>", &[" v", " v0", ">v1", " v2", ":v1"]),
    ] {
        assert_eq!(last_rows(&mut driver, keys, rows.len()), rows, "{keys}");
    }
    driver.keys("<CR>");
    assert_eq!(driver.whereabouts().0, 1);
    // What was typed before.
    let keys = ":v1   Enter go  Esc leave  Up earlier";
    assert_eq!(last_rows(&mut driver, ":<Up>", 1), [keys]);
}

/// Where the part of a path that matches is cut off, the sign for that is lit in its place.
#[test]
fn the_finder_lights_what_hides_the_match() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(
        b"wick/burns/a/long/time/before/it/is/gone/lamp.c",
        b"int lamp;\n",
    );
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    let path = "wick/burns/a/long/time/before/it/is/gone/lamp.c".into();
    let arguments = arguments(path, Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (40, 12));
    for (query, is_hidden) in [
        ("fwick", true),
        ("<C-u>gone", false),
        ("<C-u>wickgone", true),
    ] {
        driver.keys(query);
        let screen = driver.screen();
        assert!(screen.lines().any(|row| row.starts_with("> …")), "{screen}");
        let buffer = driver.memory().terminal.backend().buffer();
        let [sign, plain] = [2, 4].map(|x| buffer[(x, 1)].modifier);
        assert!(!plain.contains(Modifier::BOLD), "{query}\n{screen}");
        assert_eq!(
            sign.contains(Modifier::BOLD),
            is_hidden,
            "{query}\n{screen}"
        );
    }
}

#[test]
fn the_finder_shows_the_beginning_of_the_selected_file() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let long = (1..100).map(|at| format!("wick {at} \u{65e5}\t{}\n", "x".repeat(200)));
    repository.write(b"src/wick.c", long.collect::<String>().as_bytes());
    repository.write(b"src/lamp.c", b"int lamp;\nint oil;\n");
    repository.write(b"src/bytes.c", b"\x00\xff\x1b[31m\n");
    repository.write(b"src/empty.c", b"");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    let arguments = arguments("src/lamp.c".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (100, 20));
    for (query, first_row) in [
        ("wick", "│  1 wick 1 日"),
        ("lamp", "│ 1 int lamp;"),
        ("bytes", "│ 1 ^@<FF>^[[31m"),
        ("empty", "│"),
    ] {
        driver.keys("f").keys(query);
        let screen = driver.screen();
        let row = screen.lines().nth(1).expect("a row");
        assert!(row.starts_with("> src/"), "{screen}");
        let at = row.find('│').expect("a preview");
        assert!(row[at..].starts_with(first_row), "{query}\n{screen}");
        if query == "wick" {
            let rows = screen.lines().filter(|row| row.contains(" wick "));
            // Those of the preview, and the prompt.
            assert_eq!(rows.count(), 19, "{screen}");
        }
        driver.keys("<Esc>");
    }
    // It follows the selection, and needs a wide screen.
    driver.keys("f.c<Down>");
    let second = driver.screen();
    driver.keys("<Up>");
    assert_ne!(driver.screen(), second);
    driver.resize(99, 20);
    assert!(!driver.screen().contains('│'), "{}", driver.screen());
    driver.keys("<CR>");
    assert!(driver.app().pages.top().is_none());
}

#[test]
fn a_number_that_could_be_a_year_is_said_how_to_type() {
    let history = FakeHistory::default().commit("Ada", "Count", |lines| {
        lines.extend((0..2100).map(|number| line(&format!("line {number}"))));
    });
    let message = |driver: &Driver| driver.app().status.message.clone().unwrap_or_default();
    let year = "for the year 2015: :2015-01-01";
    // NOW is in 2020; what was said once is not said again.
    for (typed, last, words) in [
        ("2015", 2014, year),
        ("1969", 1968, ""),
        ("2021", 2020, ""),
        ("201", 200, ""),
    ] {
        let mut driver = Driver::new(history.clone(), 80, 24);
        driver.keys(&format!(":{typed}<CR>"));
        assert_eq!(driver.whereabouts().2.line, last);
        assert_eq!(message(&driver), words);
        driver.keys("g").keys(&format!(":{typed}<CR>"));
        assert_eq!(message(&driver), "");
    }
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys(":2015<CR>");
    assert!(
        message(&driver).ends_with(&format!(" lines; {year}")),
        "{}",
        message(&driver)
    );
}

#[test]
fn a_file_is_opened_at_a_line_in_all_forms_of_the_command_line() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let lines: String = (1..=50).map(|at| format!("line {at}\n")).collect();
    for path in ["src/lamp.c", "src/wick.c", "src/odd:3"] {
        repository.write(path.as_bytes(), lines.as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.git(&["tag", "v1"]);
    let mut opened = 0;
    for directory in [false, true] {
        for (input, file, line) in [
            ("src/lamp.c:10", "src/lamp.c", 9),
            ("src/lamp.c:10:4", "src/lamp.c", 9),
            ("src/lamp.c:10-20", "src/lamp.c", 9),
            ("src/lamp.c#L10", "src/lamp.c", 9),
            ("src/lamp.c(10,4)", "src/lamp.c", 9),
            ("v1:src/lamp.c:10", "src/lamp.c", 9),
            ("src/lamp.c:99", "src/lamp.c", 49),
            ("src/lamp.c", "src/lamp.c", 0),
            // A file of that very name comes first.
            (":src/odd:3", "src/odd:3", 0),
            (":src/odd:3:7", "src/odd:3", 6),
            ("src/wick.c:10", "src/wick.c", 9),
        ] {
            let of_file = arguments("src/wick.c".into(), Config::default());
            let given = if directory {
                super::directory::arguments_of("")
            } else {
                of_file
            };
            let mut driver = Driver::with_repository(repository.root(), given, (80, 24));
            driver.keys(&format!(":{input}<CR>"));
            let (_, path, position) = driver.whereabouts();
            assert_eq!((path.as_str(), position.line), (file, line), "{input}");
            let is_beyond = message(&driver).is_some_and(|it| it.contains("50 lines"));
            assert_eq!(is_beyond, input.ends_with("99"), "{input}");
            opened += 1;
        }
    }
    assert_eq!(opened, 22);
    // What is no file has no lines, and the failure is that of all of it.
    let of_file = arguments("src/wick.c".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), of_file, (80, 24));
    driver.keys(":nosuch.c:10<CR>");
    assert!(message(&driver).is_some_and(|it| it.contains("nosuch.c")));
    assert_eq!(driver.whereabouts().2.line, 0);
}

/// As on the command line, a file of the very name that is typed comes before a line of another one.
#[test]
fn files_with_colons_in_their_names_are_gone_to() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for name in ["a", "a:5", "b:12:3.c", "d/x:y"] {
        let lines: String = (1..=20).map(|at| format!("{name} {at}\n")).collect();
        repository.write(name.as_bytes(), lines.as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    let places = [
        ("a:5", "a:5", 0),
        ("a:5:3", "a:5", 2),
        ("a:7", "a", 6),
        ("a:7:3", "a", 6),
        ("b:12:3.c", "b:12:3.c", 0),
        ("b:12:3.c:7", "b:12:3.c", 6),
        (":a:5", "a:5", 0),
        ("d/x:y", "d/x:y", 0),
        ("d/x:y:2", "d/x:y", 1),
        ("HEAD:a:5", "a:5", 0),
        ("HEAD:b:12:3.c:7", "b:12:3.c", 6),
    ];
    let mut compared = 0;
    // In the work tree, in a commit, and above a directory.
    for start in ["", ":HEAD:a<CR>", "directory"] {
        for (typed, path, line) in places {
            let (arguments, start) = match start {
                "directory" => (super::directory::arguments_of(""), ""),
                start => (arguments("a".into(), Config::default()), start),
            };
            let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
            driver.keys(start).keys(&format!(":{typed}<CR>"));
            let (_, found, position) = driver.whereabouts();
            let screen = driver.screen();
            assert_eq!(
                (found.as_str(), position.line),
                (path, line),
                "{typed} {screen}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 3 * places.len());
    let arguments = arguments("a".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
    for (typed, completed) in [
        (":b:1<Tab>", ":b:12:3.c "),
        (":HEAD:b:1<Tab>", ":HEAD:b:12:3.c "),
        (":d/x:<Tab>", ":d/x:y "),
    ] {
        let screen = driver.keys(typed).screen();
        let last = screen.lines().last().unwrap_or_default();
        assert!(format!("{last} ").starts_with(completed), "{screen}");
        driver.keys("<Esc>");
    }
}

/// A prompt offers what can be done where it is opened.
#[test]
fn a_prompt_offers_what_works() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"a", b"one\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    for (is_directory, keys, words, missing) in [
        (
            false,
            ":",
            " a line, revision, file or date; Tab completes ",
            "row",
        ),
        (
            false,
            "a:",
            " a line, revision, file or date; Tab completes ",
            "row",
        ),
        (
            true,
            ":",
            " a row, revision, date, directory or file; Tab ",
            "line",
        ),
        (true, "L:", " a row or a date ", "revision"),
        (true, "a:", " a line  ", "revision"),
        (false, "&", " an author, ", "places"),
        (true, "&", " author, ", "-formatted"),
    ] {
        let arguments = if is_directory {
            super::directory::arguments_of("")
        } else {
            arguments("a".into(), Config::default())
        };
        let mut driver = Driver::with_repository(repository.root(), arguments, (150, 24));
        driver.keys(keys);
        let row = driver.last_row();
        assert!(row.contains(words), "{keys}: {row}");
        assert!(!row.contains(missing), "{keys}: {row}");
        // What is not offered is said not to work.
        if is_directory && keys == "a:" {
            driver.keys("HEAD<CR>");
            assert!(
                driver.last_row().contains("no file is open"),
                "{}",
                driver.screen()
            );
        }
    }
}
