//! The page with the versions of a file, and the steps between them.

use std::collections::BTreeSet;

use bstr::ByteSlice;
use crossterm::event::{MouseButton, MouseEventKind};
use insta::assert_snapshot;
use tblame::internals::{
    run::demo::{Demo, FILE},
    viewer::{
        app::state::App, config::settings::Config, model::diff::DiffRow, pages::page::PageKind,
    },
};

use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

use super::{
    directory::arguments_of,
    driver::{Driver, arguments, selected_row},
    fake_history::lamp_history,
};

fn demo() -> Demo {
    Demo::create().expect("a temporary directory can be made")
}

fn driver(demo: &Demo, size: (u16, u16)) -> Driver {
    let arguments = arguments(FILE.into(), Config::default());
    Driver::with_repository(demo.root(), arguments, size)
}

/// The text of the selected line.
fn line(app: &App) -> String {
    let view = app.view().expect("a view");
    let line = view.text.line(view.pager.position.line);
    String::from_utf8_lossy(line).into_owned()
}

/// The position of the visible version in the list.
fn at(driver: &Driver) -> Option<usize> {
    driver.app().step_in_sight().map(|step| step.at)
}

#[test]
fn a_match_leaves_the_sign_that_its_row_is_cut() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 16));
    driver.keys("F/cannot be<CR>k");
    let screen = driver.screen();
    assert!(screen.contains("cannot…"), "{screen}");
    let footer = screen.lines().last().unwrap_or_default();
    assert!(
        footer.starts_with(" n next  N previous  Esc close"),
        "{footer}"
    );
}

#[test]
fn the_versions_are_listed() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 16));
    driver.keys("Fjj");
    assert_snapshot!(driver.screen(), @r#"
     history of tally.py                                           3 of 12 versions
     2025-03-05 Ewa Nowak             +8 -3 +-    ► Go on after a file that cannot…█
     2023-06-30 Chiara Conti          +6 -6 +-    Put measures after what uses them█
    >2021-02-11 Ada Marsh           +14 -14 ++-   Indent with two blanks           █
     2018-10-01 Ben Okafor            +4 -1 +-    Merge the longest line           █
     2018-09-01 Dara Quinn            +4 -1 +-    Measure the longest line         │
     2018-08-14 Ben Okafor           +12 -6 ++-   Read files named on the command …│
     2017-06-09 Chiara Conti          +8 -4 +-    Count bytes                      │
     6c0a82c0 Ada Marsh  2021-02-11 (in the future)
     Indent with two blanks
     Only whitespace changes: -w ignores this commit.
      4   USAGE = "usage: tally.py [FILE]..."
      5
      6   def words(text):
      7 -     return text.split()
     Esc close  j older  k newer  Enter blame  a whole commit  ? keys  ► = shown
    "#);
    // The version that is selected is gone to, and the list opens at it again.
    driver.keys("<CR>");
    assert_eq!(at(&driver), Some(2));
    driver.keys("F");
    assert!(driver.app().pages.has(PageKind::FileHistory));
    assert_eq!(driver.app().pages.list().map(|list| list.selected), Some(2));
    driver.keys("G<Esc><");
    let (step, path, _) = driver.whereabouts();
    assert_eq!((step, path.as_str()), (0, "tally.py"));
}

#[test]
fn steps_stay_at_the_line() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    driver.keys("13G");
    let text = line(driver.app());
    driver.keys("((");
    assert_eq!(at(&driver), Some(2));
    assert_eq!(line(driver.app()), text);
    assert_snapshot!(driver.screen(), @r#"
     tblame  tally.py @ HEAD › 6c0a82c0 · 2021-02-11          tally · line 19 of 32
    b98d15 Ada Marsh      6y    8 ┊
                                9 ┊ def lines(text):
    6c0a82 Ada Marsh     new ▌ 10 │   return text.splitlines()
    b98d15 Ada Marsh      6y   11 ┊                                                ▐
    f51fd3 Dara Quinn   15mo ◇ 12 ┃ def longest(text):                             ▐
    6c0a82 Ada Marsh     new ◆ 13 │   return max((len(line) for line in lines(text›▐
    f51fd3 Dara Quinn   15mo ◇ 14 ┃                                                ▐
    ec3c3a Chiara Conti   2y ◇ 15 ┊ def size(data):                                ▐
    6c0a82 Ada Marsh     new ◆ 16 │   return len(data)                             ▐
    ec3c3a Chiara Conti   2y ◇ 17 ┃                                                ▐
    9fe884 Ben Okafor   16mo   18 ┊ def tally(data, name=""):                      ▐
    6c0a82 Ada Marsh     new ► 19 │   text = data.decode(errors="replace")         ▐
                             ▌ 20 │   print(len(lines(text)), len(words(text)), si›▐
    9fe884 Ben Okafor   16mo   21 ┊                                                ▐
    394ddf Ben Okafor     4y   22 ┃ def main(arguments):                           ▐
    ─ 6c0a82c0 ─ Ada Marsh ─ 2021-02-11 (in the future) ─ 14 lines here ────────────
     Indent with two blanks

     Only whitespace changes: -w ignores this commit.
     19 -     text = data.decode(errors="replace")
     6c0a82c0 2021-02-11 Ada Marsh +14 -14 Indent with two blanks           3 of 12
     2013 █         ▄▄            █     ▄█            ◆             ▄        ▄ 2025
     ( older  ) newer  < back  F list  ? keys  , before  Enter diff  q quit
    "#);
    // Steps take the place of each other, so that going back leads to where they began.
    driver.keys("<");
    let (step, _, position) = driver.whereabouts();
    assert_eq!((step, position.line), (0, 12));
}

#[test]
fn steps_follow_renames_to_both_ends() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    driver.keys("10G");
    let mut found = Vec::new();
    for _ in 0..12 {
        driver.keys("(");
        let (_, path, _) = driver.whereabouts();
        found.push((at(&driver).expect("a step"), path, line(driver.app())));
    }
    let mut positions: Vec<_> = found.iter().map(|(at, ..)| *at).collect();
    assert!(positions.is_sorted(), "{positions:?}");
    positions.dedup();
    // The second parent of the merge is not on the way.
    assert_eq!(positions, [1, 2, 3, 5, 6, 7, 8, 9, 10, 11]);
    let message = driver.app().status.message.clone();
    let words = "c8e13a3b added the file: there is no earlier version";
    assert_eq!(message.as_deref(), Some(words));
    let texts = found[..9].iter().map(|(_, _, text)| text.trim());
    assert!(
        texts.clone().all(|text| text == "return text.splitlines()"),
        "{found:?}"
    );
    let paths: Vec<_> = found[5..7]
        .iter()
        .map(|(_, path, _)| path.as_str())
        .collect();
    assert_eq!(paths, ["tally.py", "count.py"]);
    driver.keys("20)");
    assert_eq!(at(&driver), Some(0));
    driver.keys(")");
    let message = driver.app().status.message.as_deref();
    assert_eq!(message, Some("this is the newest version"));
}

/// A history that was read from an older version does not call that the newest one.
#[test]
fn the_newest_version_is_that_of_head() {
    let demo = demo();
    for (keys, words) in [
        (")", "this is the newest version"),
        (
            ":6c0a82c0<CR>)",
            "no newer version up to 6c0a82c0; :HEAD opens that of HEAD",
        ),
    ] {
        let mut driver = driver(&demo, (80, 24));
        driver.keys(keys);
        let message = driver.app().status.message.as_deref();
        assert_eq!(message, Some(words), "{keys}");
    }
}

#[test]
fn lines_that_a_step_loses_are_said_to_be_missing() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    let mut messages = BTreeSet::new();
    for step in 0..80 {
        let (line, count) = (step % 37 + 1, step % 4 + 1);
        driver.keys(&format!("{line}G{count}("));
        messages.extend(driver.app().status.message.clone());
        driver.keys("<");
    }
    let has = |words: &str| messages.iter().any(|message| message.ends_with(words));
    assert!(has("was not there yet"), "{messages:?}");
    assert!(has("replaced this one"), "{messages:?}");
    assert!(messages.len() < 40, "{messages:?}");
}

#[test]
fn the_scale_is_clicked_and_dragged() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 24));
    driver.keys("(");
    let scale = driver.app().layout().scale;
    assert_eq!((scale.y, scale.height), (21, 2));
    let row = scale.y + 1;
    driver.mouse(MouseEventKind::Down(MouseButton::Left), (6, row));
    assert_eq!(at(&driver), Some(11));
    driver.mouse(MouseEventKind::Drag(MouseButton::Left), (30, row));
    assert_eq!(at(&driver), Some(6));
    // Beyond the axis is its end, in any row.
    driver.mouse(MouseEventKind::Drag(MouseButton::Left), (79, 3));
    assert_eq!(at(&driver), Some(0));
    driver.mouse(MouseEventKind::Up(MouseButton::Left), (79, 3));
    driver.mouse(MouseEventKind::Drag(MouseButton::Left), (30, row));
    assert_eq!(at(&driver), Some(0));
    // What covers the file covers the scale.
    driver.keys("?");
    assert_eq!(driver.app().layout().scale.height, 2);
    driver.keys("<Esc>F");
    assert_eq!(driver.app().layout().scale.height, 0);
}

#[test]
fn uncommitted_changes_are_a_version() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let text = |first: &str| format!("{first}\nin between\nthe last line\n");
    for first in ["first", "second"] {
        repository.write(b"f", text(first).as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-qm", &format!("Write the {first}")]);
    }
    repository.write(b"f", text("new\nthird").as_bytes());
    let mut command = tblame_command();
    command.cwd(repository.root());
    command.arg("f");
    let mut session = Session::run(command, (80, 24));
    session.wait_for("line 1 of 4");
    session.press("G(");
    session.wait_for("2 of 3 ");
    session.wait_for("line 3 of 3");
    session.press("(");
    session.wait_for("3 of 3 ");
    session.wait_for("Write the first");
    session.press("2)");
    session.wait_for("1 of 3 ");
    session.wait_for("line 4 of 4");
    session.wait_for(" uncommitted ");
    // A press on the scale, in the terminal's numbers.
    session.press("\u{1b}[<0;7;23M");
    session.wait_for("3 of 3 ");
    session.wait_for("line 3 of 3");
    session.press("\u{1b}[<0;7;23m<");
    session.wait_for("line 4 of 4");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}

#[test]
fn a_source_without_histories_says_so() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("(");
    let message = driver.app().status.message.as_deref();
    assert_eq!(message, Some("this is not available here"));
    driver.keys("F");
    assert!(driver.screen().contains(" this is not available here"));
}

#[test]
fn a_text_is_searched_in_all_versions() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 16));
    driver.keys("/count");
    let here = driver.last_row();
    let here = here.rsplit_once(" of ").map_or("", |(_, count)| count);
    let here = here.split([',', ' ']).next().unwrap_or_default().to_owned();
    assert!(here.parse::<u32>().is_ok_and(|count| count > 0), "{here}");
    driver.keys("<Tab>");
    let prompt = driver.last_row();
    assert!(
        prompt.starts_with("added or removed in any version: count"),
        "{prompt}"
    );
    let words = format!("Tab: in this version ({here})");
    assert!(prompt.contains(&words), "{prompt}");
    driver.keys("<CR>");
    let known = driver.app().history.versions.as_ref().expect("a list");
    let found = known.list.found().to_vec();
    let screen = driver.screen();
    let rows: Vec<&str> = screen.lines().skip(1).take(found.len()).collect();
    assert!(!found.is_empty() && found.len() < known.list.revisions().len());
    assert!(
        screen.starts_with(" added or removed count in tally.py"),
        "{screen}"
    );
    for row in &rows {
        assert!(row.contains(" adds ") || row.contains(" removes "), "{row}");
    }
    // The second of them is gone to, and its matches are highlighted.
    driver.keys("j<CR>");
    assert_eq!(at(&driver), Some(found[1]));
    assert_eq!(
        driver.app().search.get().map(|search| search.pattern()),
        Some("count")
    );
    // All versions are listed as always, and steps go through them.
    driver.keys("(F");
    let list = driver.app().pages.list().expect("the list");
    assert_eq!(list.selected, found[1] + 1);
    let screen = driver.screen();
    assert!(screen.starts_with(" history of "), "{screen}");
    driver.keys("<Esc>/<Tab><Tab>def<CR>");
    assert!(!driver.app().pages.has(PageKind::FileHistory));
}

/// A version that removed what is searched is opened where it stood.
#[test]
fn a_version_without_the_text_is_opened_where_it_stood() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let numbers = |range: std::ops::Range<u32>| range.map(|it| format!("{it}\n"));
    let numbers = |range| numbers(range).collect::<String>();
    for text in [
        numbers(0..60) + "lantern\n" + &numbers(60..90),
        numbers(0..90),
        numbers(0..90) + "more\n",
    ] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-qm", "Change it"]);
    }
    let arguments = arguments("f".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
    driver.keys("/<Tab>lantern<CR><CR>");
    let (_, path, position) = driver.whereabouts();
    assert_eq!((path.as_str(), position.line), ("f", 60));
    assert_eq!(driver.app().view().expect("a view").text.line_count(), 90);
}

#[test]
fn diffs_of_a_search_begin_at_its_matches() {
    let demo = demo();
    let mut driver = driver(&demo, (80, 16));
    driver.keys("/<Tab>CO.NT<CR>");
    let found = |driver: &Driver| {
        let known = driver.app().history.versions.as_ref();
        known.expect("a list").list.found().len()
    };
    assert_eq!(found(&driver), 0, "capitals count");
    driver.keys("<Esc>/<Tab>co.nt<CR>");
    let count = found(&driver);
    assert!(count > 1);
    for _ in 0..count {
        driver.keys("a");
        let diff = driver.app().diff().expect("a diff");
        let row = diff.rows()[selected_row(diff) as usize];
        assert!(matches!(row, DiffRow::Added(_) | DiffRow::Removed(_)));
        let line = diff.line(row).to_ascii_lowercase();
        assert!(line.contains_str("count"), "{}", driver.screen());
        driver.keys("<Esc>j");
    }
}

#[test]
fn a_date_before_the_log_of_a_branch_is_said_to_be() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in ["one\n", "two\n"] {
        repository.write(b"d/f", text.as_bytes());
        repository.git(&["add", "d"]);
        repository.git(&["commit", "-qm", text.trim()]);
    }
    let id = repository.git_text(&["rev-parse", "--short=8", "HEAD@{1990-01-01}"]);
    let file = arguments("d/f".into(), Config::default());
    for arguments in [file, arguments_of("d")] {
        let is_file = arguments.directory.is_none();
        let mut driver = Driver::with_repository(repository.root(), arguments, (120, 16));
        driver.keys(":HEAD@{1990-01-01}<CR>");
        let message = driver.app().status.message.as_deref().unwrap_or_default();
        assert!(
            message.contains("only goes back to"),
            "{is_file}: {message}"
        );
        // It is not the version of that name.
        let screen = driver.screen();
        let header = screen.lines().next().unwrap_or_default();
        assert!(header.contains(&id) && !header.contains("1990"), "{header}");
    }
}

/// As in the file: an expression that matches nothing, or that is none, is searched as text.
#[test]
fn a_pattern_that_no_version_matches_is_searched_as_text() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in [
        "x\nf(ci)\n",
        "x\ny\n",
        "x\nk(1)\n",
        "x\nh(\n",
        "x\nfci\n",
        "x\nend\n",
    ] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-qm", text.trim()]);
    }
    let driver = || {
        let arguments = arguments("f".into(), Config::default());
        Driver::with_repository(repository.root(), arguments, (100, 16))
    };
    // What is typed, as what it is looked for, and how many versions added or removed it.
    for (pattern, title, count) in [
        ("f(ci)", "f(ci) in f", 2),
        ("\\Vf(ci)", "\\Vf(ci) in f", 2),
        ("x(y)?f[(]ci[)]|f[(]ci", "x(y)?f[(]ci[)]|f[(]ci in f", 2),
        ("k(1)", "k(1), as text in f", 2),
        ("h(", "h(, as text in f", 2),
        ("y[1]*", "y[1]* in f", 2),
        ("(ci)(z)?)", "(ci)(z)?), as text in f", 0),
        ("g(zz)", "g(zz), as text in f", 0),
        ("f\\(c.\\)", "f\\(c.\\) in f", 2),
        ("nowhere", "nowhere in f", 0),
    ] {
        let mut driver = driver();
        driver.keys(&format!("/<Tab>{pattern}<CR>"));
        let screen = driver.screen();
        let words = format!(" added or removed {title} ");
        assert!(screen.starts_with(&words), "{pattern}: {screen}");
        let known = driver.app().history.versions.as_ref().expect("a list");
        assert_eq!(known.list.found().len(), count, "{pattern}: {screen}");
        let is_empty = screen.contains("no version added or removed this text");
        assert_eq!(is_empty, count == 0, "{pattern}: {screen}");
    }
}

/// The message about a pattern that nothing matches offers a key, which does that as long as it is shown.
#[test]
fn a_failed_search_goes_on_in_all_versions() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in ["x\ngone[1]\n", "x\n"] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-qm", "change"]);
    }
    for (keys, title) in [
        (
            "/gone[1]<CR><Tab>",
            Some(" added or removed gone[1], as text in f"),
        ),
        ("/gone.1<CR><Tab>", Some(" added or removed gone.1 in f")),
        ("/gone[1]<CR>k<Tab>", None),
        ("/x<CR><Tab>", None),
    ] {
        let arguments = arguments("f".into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, (100, 16));
        driver.keys(keys);
        let screen = driver.screen();
        let kind = driver.app().pages.top_kind();
        match title {
            Some(title) => assert!(screen.starts_with(title), "{keys}: {screen}"),
            None => assert_eq!(kind, Some(PageKind::Details), "{keys}: {screen}"),
        }
    }
}
