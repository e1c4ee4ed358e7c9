//! The page with the history of lines.

use crossterm::event::{MouseButton, MouseEventKind};
use insta::assert_snapshot;
use tblame::internals::{
    run::demo::{Demo, FILE},
    viewer::{
        app::diff_view::DiffView,
        config::settings::Config,
        pages::{list::ListRow, page::PageKind},
    },
};

use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

use super::driver::{Driver, arguments};

fn demo() -> Demo {
    Demo::create().expect("a temporary directory can be made")
}

fn driver(demo: &Demo, size: (u16, u16)) -> Driver {
    let arguments = arguments(FILE.into(), Config::default());
    Driver::with_repository(demo.root(), arguments, size)
}

/// A line that may have been another one before is marked, in the viewer and in rows.
#[test]
fn a_line_that_is_hardly_alike_is_marked() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in [
        "{\"*@\", \"url\", ARG_STRING},\nint count = 1;\n",
        "{\"json\", ARG_STRING, \"df\"},\nint count = 2;\nnew words\n",
    ] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-qm", "Change it"]);
    }
    for (line, mark) in [(1, Some("59% alike")), (2, None)] {
        let arguments = arguments("f".into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
        driver.keys(&format!("{line}GL"));
        let mut command = tblame_command();
        command.cwd(repository.root());
        command.args(["--line-history", "-L", &format!("{line},{line}"), "f"]);
        let mut session = Session::run(command, (80, 24));
        assert_eq!(session.end().exit_code(), 0);
        for screen in [driver.screen(), session.screen().contents()] {
            assert!(screen.matches("Change it").count() >= 2, "{screen}");
            let found = screen.find("% alike").map(|at| &screen[at - 2..at + 7]);
            assert_eq!(found, mark, "{screen}");
        }
    }
}

#[test]
fn a_commit_is_shown_at_the_file_as_it_was_named_then() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let lines = |from: u32| {
        (from..from + 30)
            .map(|at| format!("line {at}\n"))
            .collect::<String>()
    };
    repository.write(b"aaa.txt", lines(0).as_bytes());
    repository.write(b"old.txt", lines(100).as_bytes());
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "Write both"]);
    repository.git(&["mv", "old.txt", "new.txt"]);
    repository.git(&["commit", "-q", "-m", "Rename"]);
    let mut compared = 0;
    for keys in ["20GLGa", "20GFGa", "20G/<Tab>line 119<CR>Ga"] {
        let arguments = arguments("new.txt".into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
        driver.keys(keys);
        let screen = driver.screen();
        let header = screen.lines().next().unwrap_or_default();
        assert!(header.contains("  old.txt · "), "{keys}: {screen}");
        if keys == "20GLGa" {
            let selected = driver.app().diff().and_then(DiffView::selected);
            assert_eq!(
                selected.and_then(|row| row.new_line()),
                Some(19),
                "{screen}"
            );
        }
        compared += 1;
    }
    assert_eq!(compared, 3);
}

#[test]
fn a_lines_history_is_listed_with_its_changes() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    driver.keys("9GL");
    assert_snapshot!(driver.screen(), @r"
     history of line 9  tally.py                      1 of 2 commits, 1 only nearby
    >2013-03-12 Ada Marsh        born Count lines too
     + def lines(text):                                                      +10 -3
     2013-03-04 Ben Okafor       nearby Count words
     + from sys import stdin                                                  +3 -0
     born in b98d15e9
     b98d15e9 count.py line 6, formerly lines 1–3
     Count lines too

      1 - from sys import stdin
      2 - words = stdin.read().split()
      3 - print(len(words))
      ⋮ 2 more lines of the change
      3 + def words(text):
      4 +     return text.split()
      5 +
    ▌ 6 + def lines(text):
      7 +     return text.splitlines()
      8 +
      9 + text = sys.stdin.read()
     10 + print(len(lines(text)), len(words(text)))


     Esc close  j older  Enter blame  , before  a whole commit  ? keys
    ");
    driver.keys("j");
    assert_snapshot!(driver.screen(), @r"
     history of line 9  tally.py                      2 of 2 commits, 1 only nearby
     2013-03-12 Ada Marsh        born Count lines too
     + def lines(text):                                                      +10 -3
    >2013-03-04 Ben Okafor       nearby Count words
     + from sys import stdin                                                  +3 -0
     born in b98d15e9
     c8e13a3b count.py lines 1–3
     Count words

     Reads standard input and prints how many words it has.

     1 + from sys import stdin
     2 + words = stdin.read().split()
     3 + print(len(words))









     Esc close  k newer  Enter blame  a whole commit  ? keys
    ");
}

#[test]
fn signs_are_explained_while_they_are_on_the_screen() {
    let demo = demo();
    let mut driver = driver(&demo, (250, 30));
    let foot = |driver: &Driver| driver.screen().lines().last().map(str::to_owned);
    let foot = |driver: &Driver| foot(driver).unwrap_or_default();
    driver.keys("9GL");
    let words = ["born = ", "nearby = ", "▌ = "];
    let seen = |driver: &Driver| words.map(|words| foot(driver).contains(words));
    assert_eq!(seen(&driver), [true; 3], "{}", driver.screen());
    driver.keys("j");
    assert_eq!(seen(&driver), [true, true, false], "{}", driver.screen());
    driver.keys("q5Gv6jL");
    assert_eq!(seen(&driver), [true, false, true], "{}", driver.screen());
    // The version that the blame shows is marked, wherever the selection is.
    driver.keys("qF");
    for keys in ["", "j"] {
        driver.keys(keys);
        let screen = driver.screen();
        assert_eq!(screen.matches("►").count(), 2, "{screen}");
        assert!(foot(&driver).contains("► = "), "{screen}");
    }
    driver.keys("q/<Tab>\\Vprint<CR>");
    let screen = driver.screen();
    assert_eq!(screen.matches("►").count(), 0, "{screen}");
}

#[test]
fn the_lines_are_seen_first_in_a_small_window() {
    let demo = demo();
    let mut seen = 0;
    for line in (1..=37).step_by(3) {
        let mut drivers = [(80, 100), (80, 12)].map(|size| driver(&demo, size));
        for driver in &mut drivers {
            driver.keys(&format!("{line}GL"));
        }
        loop {
            let marks = drivers
                .each_ref()
                .map(|it| it.screen().matches('▌').count());
            let small = drivers[1].screen();
            assert_eq!(marks[0] > 0, marks[1] > 0, "line {line}: {small}");
            seen += usize::from(marks[1] > 0);
            let list = drivers[1].app().pages.list().expect("the list");
            if list.selected + 1 >= list.shape.count {
                break;
            }
            for driver in &mut drivers {
                driver.keys("j");
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

/// Of a change that is far larger than the lines, the rows around them are shown, and how many are
/// not.
#[test]
fn what_is_left_out_of_a_change_is_counted() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |name: &str, text: &str| {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", name]);
    };
    let lines = |first: u32, past: u32| {
        let lines = (first..past).map(|at| format!("line {at}\n"));
        lines.collect::<String>()
    };
    commit("Begin", "first\nlast\n");
    commit("Add many", &format!("first\n{}last\n", lines(0, 1000)));
    commit(
        "Change one",
        &format!(
            "first\n{}other 500\n{}last\n",
            lines(0, 500),
            lines(501, 1000)
        ),
    );
    let arguments = arguments("f".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 40));
    driver.keys("502GL");
    let marked = |driver: &Driver| {
        let screen = driver.screen();
        let rows = screen.lines().filter(|row| row.starts_with('▌'));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(marked(&driver), ["▌502 - line 500", "▌502 + other 500"]);
    driver.keys("j");
    let screen = driver.screen();
    assert_eq!(marked(&driver), ["▌502 + line 500"], "{screen}");
    let mut rows = screen.lines();
    for row in [
        " + line 500                                                           +1,000 -0",
        " Add many",
        "   ⋮ 497 more lines of the change",
        " 499 + line 497",
        "▌502 + line 500",
        " 505 + line 503",
        // The rows that are free show what follows.
        " 520 + line 518",
    ] {
        assert!(rows.any(|it| it == row), "{row:?} in\n{screen}");
    }
    // With all the lines, the first ones are shown.
    driver.keys("q2Gv999jLj40J");
    let screen = driver.screen();
    assert!(
        screen.contains("⋮ 601 more lines of the change"),
        "{screen}"
    );
}

#[test]
fn the_change_is_beside_the_list_where_there_is_room() {
    let demo = demo();
    let mut driver = driver(&demo, (160, 16));
    driver.keys("5Gv6jL");
    assert_snapshot!(driver.screen(), @r#"
     history of lines 5–11  tally.py                                                                                                                 1 of 4 commits
    >2021-02-11 Ada Marsh        Indent with two blanks                     │ 6c0a82c0 lines 5–11, as before
     + return text.split()                                            +2 -2 │ Indent with two blanks
     2015-01-10 Ben Okafor       Say how it is used                         │
       (blank lines)                                                  +2 -0 │ Only whitespace changes: -w ignores this commit.
     2013-03-12 Ada Marsh        38% alike Count lines too                  │
     + def words(text):                                              +10 -3 │  4   USAGE = "usage: tally.py [FILE]..."
     2013-03-04 Ben Okafor       born Count words                           │▌ 5
     + words = stdin.read().split()                                   +3 -0 │▌ 6   def words(text):
     born in c8e13a3b                                                       │▌ 7 -     return text.split()
                                                                            │▌ 7 +   return text.split()
                                                                            │▌ 8
                                                                            │▌ 9   def lines(text):
                                                                            │▌10 -     return text.splitlines()
                                                                            │▌10 +   return text.splitlines()
     Esc close  j older  Enter blame  , before  a whole commit  ? keys  ^E scroll the change by a row  J scroll it by half a screen  y copy the id of the commit
    "#);
}

#[test]
fn a_commit_of_the_list_is_blamed_and_returned_from() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    driver.keys("9GLj<CR>");
    assert!(!driver.app().pages.has(PageKind::LineHistory));
    let (_, path, position) = driver.whereabouts();
    assert_eq!((path.as_str(), position.line), ("count.py", 0));
    // Going back opens the list again, at the same commit.
    driver.keys("<");
    assert!(driver.app().pages.has(PageKind::LineHistory));
    let list = driver.app().pages.list().expect("the list");
    assert_eq!((list.selected, list.shape.count), (1, 2));
    driver.keys("k,");
    let (_, path, position) = driver.whereabouts();
    assert_eq!((path.as_str(), position.line), ("count.py", 0));
    driver.keys("<<Esc>");
    assert!(!driver.app().pages.has(PageKind::LineHistory));
    let (_, path, position) = driver.whereabouts();
    assert_eq!((path.as_str(), position.line), ("tally.py", 8));
}

#[test]
fn the_first_version_has_none_before_it() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    driver.keys("9GLG,");
    let message = driver.app().status.message.clone();
    let words = "c8e13a3b added the file: there is no earlier version";
    assert_eq!(message.as_deref(), Some(words));
}

#[test]
fn moved_lines_are_followed_with_m() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    // Whether the commits are marked as found by likeness.
    let changes = |driver: &Driver| {
        let page = driver.app().pages.top().expect("the list");
        let rows = (0..page.count(driver.app()))
            .filter_map(|at| page.rows(at, 80, driver.app()).into_iter().next());
        let is_inferred = |row: ListRow| row.text().contains("moved? ");
        rows.map(is_inferred).collect::<Vec<_>>()
    };
    // Blames with and without -M differ in what follows the birth alone.
    driver.keys("21GL");
    let without = changes(&driver);
    assert!(without.iter().all(|inferred| !inferred));
    driver.keys("qML");
    let with = changes(&driver);
    assert_eq!(with[..without.len()], without);
    assert!(with[without.len()..].iter().all(|inferred| *inferred));
}

#[test]
fn the_mouse_selects_and_scrolls() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    driver.keys("9GL");
    let selected = |driver: &Driver| {
        let list = driver.app().pages.list().expect("the list");
        list.selected
    };
    driver.mouse(MouseEventKind::Down(MouseButton::Left), (10, 4));
    assert_eq!(selected(&driver), 1);
    driver.mouse(MouseEventKind::ScrollUp, (10, 2));
    assert_eq!(selected(&driver), 0);
    // Below the commits there is nothing to select.
    driver.mouse(MouseEventKind::Down(MouseButton::Left), (10, 9));
    assert_eq!(selected(&driver), 0);
    driver.resize(80, 14);
    let first = |driver: &Driver| driver.screen().lines().nth(9).map(str::to_owned);
    let before = first(&driver);
    driver.mouse(MouseEventKind::ScrollDown, (10, 11));
    assert_ne!(first(&driver), before, "{}", driver.screen());
    assert_eq!(selected(&driver), 0);
}

#[test]
fn a_selection_of_lines_is_given_up() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    let chosen = |driver: &Driver| driver.app().view().expect("a view").chosen_lines();
    driver.keys("5Gv2j");
    assert_eq!(chosen(&driver), Some(4..7));
    driver.keys("4k");
    assert_eq!(chosen(&driver), Some(2..5));
    driver.keys("<Esc>");
    assert_eq!(chosen(&driver), None);
    driver.keys("vv");
    assert_eq!(chosen(&driver), None);
}

#[test]
fn the_release_is_named_below_the_subject() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let text: String = (0..40).map(|at| format!("line {at}\n")).collect();
    repository.write(b"f", text.as_bytes());
    repository.git(&["add", "f"]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.git(&["tag", "v1.0"]);
    let open = |size| {
        let arguments = arguments("f".into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, size);
        driver.keys("v39jL");
        driver.screen()
    };
    // Where there is no room for more, too.
    for size in [(80, 12), (80, 60)] {
        let screen = open(size);
        assert_eq!(screen.matches("first in v1.0").count(), 1, "{screen}");
        let mut rows = screen.lines();
        assert!(rows.any(|row| row == " first in v1.0"), "{screen}");
    }
}
