//! The diff of a commit.

use std::collections::BTreeSet;

use crossterm::event::{MouseButton, MouseEventKind};
use proptest::prelude::*;
use tblame::internals::viewer::{config::settings::Config, model::diff::DiffRow};

use crate::harness::repository::{ObjectFormat, TestRepo};

use super::{
    driver::{Driver, arguments, selected_row},
    fake_history::{FakeHistory, lamp_history, line},
};

#[test]
fn either_side_of_a_diff_is_blamed() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("3j<CR>");
    assert!(driver.screen().contains("4 + "), "{}", driver.screen());
    // The removed line stands above the one that replaced it.
    driver.keys("k,");
    assert_eq!(driver.whereabouts().1, "src/lantern.rs");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    // Its commit had the file under its old name.
    driver.keys("<CR>b");
    assert_eq!(driver.whereabouts().1, "src/lamp.rs");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (2, 1)
    );
    driver.keys("<CR>,");
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("01010101 added the file: there is no earlier version")
    );
    driver.keys("q<");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    // From an added line, the most similar old one is looked for.
    driver.keys("<<j,");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("rewritten; most alike: line 3 (66%)")
    );
}

#[test]
fn the_next_change_is_shown_in_the_middle() {
    let history = FakeHistory::default()
        .commit("Ada", "Count", |lines| {
            lines.extend((0..200).map(|number| line(&format!("line {number}"))));
        })
        .commit("Ben", "Change some", |lines| {
            for at in (5..200).step_by(10) {
                lines[at] = line(&format!("changed {at}"));
            }
        });
    let mut driver = Driver::new(history, 80, 24);
    driver.keys("6G<CR>g");
    let mut far = 0;
    for _ in 0..17 {
        let before = driver.app().diff().expect("a diff").pager.position;
        driver.keys("]");
        let now = driver.app().diff().expect("a diff").pager.position;
        if now.top != before.top {
            let row = now.line - now.top;
            assert!((6..=14).contains(&row), "{}", driver.screen());
            far += 1;
        }
    }
    assert!(far > 3, "{far}");
}

#[test]
fn changes_of_a_diff_are_stepped_through() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("<CR>");
    let mut stop = |keys: &str| {
        driver.keys(keys);
        driver.app().diff().map(selected_row)
    };
    // The header of the part, then the first line that was added.
    assert_eq!(
        [stop(""), stop("n"), stop("n")],
        [Some(1), Some(4), Some(7)]
    );
    assert_eq!(
        [stop("N"), stop("N"), stop("<Esc>")],
        [Some(4), Some(1), None]
    );
}

/// Where all of a diff fits on the screen, neither message nor files are folded.
#[test]
fn a_message_is_whole_where_all_fits() {
    let reasons = (0..20)
        .map(|at| format!("Reason {at}.\n"))
        .collect::<String>();
    let message = format!("Trim it\n\n{reasons}");
    let history = lamp_history().commit("Dora", &message, |lines| lines.push(line("// more")));
    let mut driver = Driver::new(history, 80, 24);
    driver.keys("G<CR>");
    let is_whole = |driver: &Driver| {
        let screen = driver.screen();
        let is_folded = screen.contains("more lines: Tab shows them");
        assert_eq!(screen.contains(" Reason 19."), !is_folded, "{screen}");
        assert!(screen.contains("+ // more"), "{screen}");
        !is_folded
    };
    assert!(!is_whole(&driver));
    driver.resize(80, 40);
    assert!(is_whole(&driver));
    driver.resize(80, 26);
    assert!(!is_whole(&driver));
}

#[test]
fn a_commits_other_files_are_gone_to() {
    let source = FakeHistory {
        documented: true,
        ..lamp_history()
    };
    let mut driver = Driver::new(source, 80, 24);
    // The commit that renamed the file, and made it a plain one.
    driver.keys("2j<CR>");
    let screen = driver.screen();
    for words in [
        " diff 02020202  src/lamp.rs → src/lantern.rs 69%",
        "file 2 of 2",
        // The title has no room for the author.
        "69% · 2014-07-11 ",
        " author     Ben <ben@example.org>  01:00:00 +0100 (5 years ago)",
        "mode       100755, now 100644 (executable → file)",
        "   changed docs/lamp.md",
        " > renamed src/lantern.rs  from src/lamp.rs, 80% similar",
        "      2 +     trim();",
    ] {
        assert!(screen.contains(words), "{words}\n{screen}");
    }
    // The list says it.
    assert!(!screen.contains("renamed    from"), "{screen}");
    driver.keys("}");
    assert!(driver.screen().contains("the commit's last file"));
    driver.keys("{");
    let screen = driver.screen();
    assert!(screen.contains("diff 02020202  docs/lamp.md") && screen.contains("+ Step 1"));
    // A click on a name in the list opens that file.
    let row = screen
        .lines()
        .position(|line| line.contains("renamed src/lantern.rs"));
    let at = (5, row.expect("a row") as u16);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert!(driver.screen().contains("src/lantern.rs 69%"));
    // So does Enter on it; elsewhere Enter closes.
    driver.keys("gG").keys("100k");
    let diff = driver.app().diff().expect("a diff");
    let file = diff
        .header
        .iter()
        .position(|line| line.text.contains("docs/lamp.md"));
    driver.keys(&format!("{}j<CR>", file.expect("a file")));
    assert!(driver.screen().contains("diff 02020202  docs/lamp.md"));
    driver.keys("}");
    // The old side has the old name.
    driver.keys("]").keys(",");
    let (_, path, position) = driver.whereabouts();
    assert_eq!((path.as_str(), position.line), ("src/lamp.rs", 1));
}

/// The change begins in the first third of the screen, and what is known is not said again.
#[test]
fn few_rows_are_above_a_change() {
    let body: String = (0..30).map(|at| format!("\nReason {at}.")).collect();
    let subject = "Rename what burns, as nobody knows any more what it was called before that";
    let long = format!("{subject} year\n{body}");
    let short = format!("Burn longer\n{body}");
    let mut counted = 0;
    for (message, path, documented, committer) in [
        (&short, "src/lamp.rs", false, "Ben"),
        (&short, "src/lamp.rs", true, "Ben"),
        (&short, "src/lamp.rs", true, "Cleo"),
        (
            &short,
            "src/drivers/of_old_lamps/lantern_with_a_wick.rs",
            true,
            "Ben",
        ),
        (&long, "src/lantern.rs", true, "Ben"),
        (&long, "src/lantern.rs", false, "Cleo"),
    ] {
        let history = FakeHistory::default().commit("Ada", &short, |lines| {
            lines.extend((0..90).map(|at| line(&format!("step({at});"))));
        });
        let mut history = history.commit("Ben", message, |lines| {
            for (at, changed) in (20..80).zip(&mut lines[20..]) {
                *changed = line(&format!("other({at});"));
            }
        });
        history.commit_mut(1).committer.name = committer.into();
        let mut history = history.renamed(path);
        history.documented = documented;
        history.provenance.releases = vec![
            (FakeHistory::id(0), Some("v1.0".into())),
            (FakeHistory::id(1), Some("v1.1".into())),
        ];
        for (size, line) in [
            ((120, 35), 30),
            ((80, 24), 30),
            ((120, 35), 1),
            ((80, 24), 1),
        ] {
            let mut driver = Driver::new(history.clone(), size.0, size.1);
            driver.keys(&format!("{line}G<CR>gg"));
            let diff = driver.app().diff().expect("a diff");
            let screen = driver.screen();
            let change = screen.lines().position(|row| row.starts_with(" line 1"));
            assert_eq!(change, Some(diff.header.len() + 1), "{screen}");
            assert!(
                diff.header.len() <= 8,
                "{} {size:?}\n{screen}",
                diff.header.len()
            );
            let title = screen.lines().next().unwrap_or_default();
            let message = if line == 1 { &short } else { message };
            let subject = message.lines().next().unwrap_or_default();
            assert!(!title.contains(&subject[..10]), "{title}");
            let files = screen.matches(" file       ").count();
            let listed = screen.contains(" > ");
            assert!(
                documented == listed && files + usize::from(listed) <= 1,
                "{screen}"
            );
            // Neither day nor author stands there twice.
            let years = screen.lines().take(9).filter(|row| row.contains("201"));
            assert!(years.count() <= 1, "{screen}");
            counted += 1;
            // Scrolled away, the subject is in the title.
            driver.keys("G");
            let screen = driver.screen();
            let title = screen.lines().next().unwrap_or_default();
            let has_room = size.0 > 80 && path.len() < 40;
            assert!(!has_room || title.contains(&subject[..8]), "{screen}");
        }
    }
    assert_eq!(counted, 6 * 4);
}

#[test]
fn white_space_does_not_count_in_a_diff_if_that_is_wanted() {
    let source = lamp_history().commit("Dora", "Indent", |lines| {
        for old in &mut *lines {
            *old = line(&format!("  {}", old.text));
        }
        lines[2] = line("      snuff();");
    });
    let mut driver = Driver::new(source, 80, 30);
    driver.keys("3j<CR>");
    let changed = |driver: &Driver| -> Vec<String> {
        let screen = driver.screen();
        let rows = screen
            .lines()
            .filter(|row| row.contains(" + ") || row.contains(" - "));
        rows.map(|row| row[10..].trim_end().to_owned()).collect()
    };
    assert_eq!(changed(&driver).len(), 12);
    driver.keys("w");
    assert_eq!(changed(&driver), ["    trim();", "      snuff();"]);
    let change = driver.app().diff().expect("a diff");
    assert_eq!(change.selected().and_then(|row| row.new_line()), Some(3));
    // The list of files is there also if the key came before it.
    driver.keys("<Esc>").keys_at_once("<CR>w{");
    driver.keys("<C-l>");
    assert!(driver.app().diff().is_some_and(|diff| diff.is_complete()));
}

#[test]
fn a_diff_is_searched_wrapped_and_scrolled() {
    let long = format!("    burn({});", "oil, ".repeat(30));
    let source = lamp_history().commit("Dora", "Burn much", |lines| {
        lines[3] = line(&long);
        lines.push(line("fn oil() {}"));
    });
    let mut driver = Driver::new(source, 60, 20);
    driver.keys("3j<CR>");
    let at = |driver: &Driver| driver.app().diff().map(selected_row);
    let first = at(&driver);
    driver.keys("/oil<CR>");
    assert!(
        driver.screen().contains("match 3 of 3"),
        "{}",
        driver.screen()
    );
    driver.keys("n");
    assert!(
        driver.screen().contains("match 1 of 3"),
        "{}",
        driver.screen()
    );
    driver.keys("n");
    assert_eq!(at(&driver), first);
    driver.keys("$");
    assert!(driver.screen().contains("oil, );"));
    driver.keys("0W");
    assert!(driver.screen().contains("+     › oil, oil"));
    driver.keys("j");
    assert!(at(&driver) > first);
    // It is no search of the blame, until that is searched for the same.
    driver.keys("<Esc>");
    assert!(!driver.screen().contains("match"), "{}", driver.screen());
    driver.keys("n");
    assert!(driver.screen().contains("of 2"), "{}", driver.screen());
}

#[test]
fn a_long_message_is_read_from_its_start_and_left_again() {
    let message = format!("Change a line\n\n{}It was old.", "Why not?\n".repeat(40));
    let history = FakeHistory::default()
        .commit("Ada", "Count", |lines| {
            lines.extend((0..40).map(|number| line(&format!("line {number}"))));
        })
        .commit("Ben", &message, |lines| lines[20] = line("changed"));
    let mut driver = Driver::new(history, 80, 24);
    driver.keys("21G<CR>");
    let before = driver.screen();
    assert!(!before.contains("It was old."), "{before}");
    driver.keys("<Tab>");
    let screen = driver.screen();
    assert!(screen.contains("\n Change a line\n"), "{screen}");
    driver.keys("<PgDn><PgDn>");
    assert!(driver.screen().contains("It was old."));
    driver.keys("<Tab>");
    assert_eq!(driver.screen(), before);
    // What was selected meanwhile stays.
    driver.keys("<Tab>]<Tab>");
    assert_eq!(driver.app().diff().map(selected_row), Some(4));
}

#[test]
fn the_subject_stays_when_the_list_of_files_arrives() {
    let mut first_screens = 0;
    for changed in 0..20 {
        let message = "Change a line\n\nIt was wrong.\n\nAnd old.";
        let mut history = FakeHistory::default()
            .commit("Ada", "Count", |lines| {
                lines.extend((0..40).map(|number| line(&format!("line {number}"))));
            })
            .commit("Ben", message, |lines| {
                for line_to_change in &mut lines[10..=10 + changed] {
                    *line_to_change = line(&format!("{} more", line_to_change.text));
                }
            });
        history.documented = true;
        let mut driver = Driver::new(history, 80, 24);
        driver.keys(&format!("{}G<CR>", 11 + changed));
        let diff = driver.app().diff().expect("a diff");
        let rows = driver.app().layout().body().height;
        let (position, row) = (diff.pager.position, selected_row(diff));
        // With its message, the author and the file, but without the list.
        if 5 + 1 + 2 + row + 4 > i64::from(rows) {
            continue;
        }
        first_screens += 1;
        assert_eq!(position.top, 0, "{}", driver.screen());
        let screen = driver.screen();
        assert!(screen.contains("\n Change a line\n"), "{screen}");
    }
    assert!(first_screens == 3, "{first_screens}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Whatever is done in a diff, the selected row is on the screen, and the screen is full.
    #[test]
    fn the_selected_row_of_a_diff_is_seen(
        widths in prop::collection::vec(0usize..90, 1..30),
        size in (1u16..70, 1u16..20),
        steps in prop::collection::vec(
            "[jkWgGhl$0dnNr]|<C-d>|<C-u>|1[0-9][jkG]|\\]|\\[|\\}|\\{| |/xx<CR>|<CR>", 1..25
        ),
    ) {
        let long = |width: usize| line(&"xy日 ,".chars().cycle().take(width).collect::<String>());
        let source = FakeHistory {
            documented: true,
            ..lamp_history().commit("Dora", "Grow\n\nSee https://example.org/ or #7.", |lines| {
                lines[3] = long(60);
                lines.extend(widths.iter().map(|&width| long(width)));
            })
        };
        let mut driver = Driver::new(source, size.0, size.1);
        driver.keys("3j<CR>");
        for keys in steps {
            driver.keys(&keys);
            let app = driver.app();
            let Some(diff) = app.diff() else {
                driver.keys("<CR>");
                continue;
            };
            let rows = u32::from(app.layout().body().height);
            let (top, line) = (diff.pager.position.top, diff.pager.position.line);
            prop_assert!((line as usize) < diff.header.len() + diff.rows().len().max(1));
            prop_assert!(top <= line, "{top} {line}");
            prop_assert!(rows == 0 || line < top + rows, "{top} {line} {rows}");
        }
    }
}

#[test]
fn reading_again_is_for_the_file_below_a_diff() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("3j<CR><C-r>");
    let message = driver.app().status.message.as_deref();
    assert_eq!(message, Some("this version does not change"));
    assert!(driver.app().diff().is_some());
}

#[test]
fn reindented_lines_of_a_change_are_compared_with_each_other() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (message, lines) in [
        ("One", "    burn(oil);\n    burn(gas);\n    trim(wick);\n"),
        (
            "Two",
            "    while (dark) {\n\tburn(oil);\n\tburn(gas);\n    }\n",
        ),
    ] {
        repository.write(b"f", format!("begin\n{lines}end\n").as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", message]);
    }
    let arguments = arguments("f".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
    driver.keys("2G<CR>");
    let diff = driver.app().diff().expect("a diff");
    let comparison = diff.comparison().expect("a comparison");
    let mut pairs = Vec::new();
    for (row, other) in comparison.rows.iter().zip(&comparison.counterparts) {
        let words = |row: DiffRow| String::from_utf8_lossy(diff.line(row)).trim().to_owned();
        if matches!(row, DiffRow::Removed(_)) {
            let other = other.map(|at| words(comparison.rows[at as usize]));
            pairs.push((words(*row), other.unwrap_or_default()));
        }
    }
    let expected = [
        ("burn(oil);", "burn(oil);"),
        ("burn(gas);", "burn(gas);"),
        ("trim(wick);", "}"),
    ];
    let expected = expected.map(|(old, new)| (old.to_owned(), new.to_owned()));
    assert_eq!(pairs, expected);
}

#[test]
fn the_next_file_begins_where_the_one_before_does() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for name in ["a", "b", "c", "d"] {
        let lines: String = (1..=60).map(|at| format!("{name} {at}\n")).collect();
        repository.write(name.as_bytes(), lines.as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    let mut compared = 0;
    for size in [(80, 24), (120, 35), (40, 12)] {
        let given = arguments("a".into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), given, size);
        driver.keys("a}");
        // Where the header of a file is on the screen.
        let row = |driver: &Driver, name: &str| {
            let screen = driver.screen();
            let heading = format!(" {name} ═");
            let at = screen.lines().position(|row| row.contains(&heading));
            at.unwrap_or_else(|| panic!("{heading} in {screen}"))
        };
        driver.keys("}");
        let next = row(&driver, "c");
        driver.keys("}").keys("{");
        assert_eq!(row(&driver, "c"), next, "{size:?}");
        assert!(next < 6, "{next}");
        driver.keys("}}");
        assert!(driver.screen().contains("this is the commit's last file"));
        compared += 1;
    }
    assert_eq!(compared, 3);
}

/// A commit that changes three files, of which the middle one has changes of white space too.
fn three_files() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for number in 1..3 {
        for name in ["a", "b", "c"] {
            let line = |at: u32| match (at, name) {
                (20 | 70, _) => format!("{name} changed {number}\n"),
                (5 | 40, "b") => format!("{}{name} {at}\n", " ".repeat(number)),
                _ => format!("{name} {at}\n"),
            };
            let text: String = (1..=80).map(line).collect();
            repository.write(name.as_bytes(), text.as_bytes());
        }
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "change"]);
    }
    repository
}

#[test]
fn white_space_does_not_leave_the_file_of_a_diff_of_all() {
    let repository = three_files();
    let given = arguments("a".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), given, (80, 24));
    driver.keys("20Ga");
    let place = |driver: &Driver| {
        let diff = driver.app().diff().expect("a diff");
        let line = diff.selected().and_then(|row| row.new_line());
        (diff.file().expect("a file"), line)
    };
    let mut files = BTreeSet::new();
    // Changes of each file, and headings of files.
    for keys in ["", "]", "]", "]", "]", "]", "]", "gg}", "}", "}"] {
        driver.keys(keys);
        let before = place(&driver);
        for _ in 0..2 {
            driver.keys("w");
            let (file, line) = place(&driver);
            assert_eq!(file, before.0, "{keys}: {}", driver.screen());
            let (now, then) = (line.unwrap_or(0), before.1.unwrap_or(0));
            // The nearest line that is shown.
            assert!(
                before.1.is_none() || now.abs_diff(then) <= 30,
                "{now} {then}"
            );
            let is_shown = before.1 == Some(19) || before.1 == Some(69);
            assert!(!is_shown || now == then, "{now} {then}");
        }
        files.insert(before.0);
    }
    assert_eq!(files.len(), 3);
}

#[test]
fn the_next_file_is_offered_where_there_is_one() {
    let repository = three_files();
    let mut said = Vec::new();
    for keys in ["20G<CR>", "20Ga"] {
        let given = arguments("a".into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), given, (80, 24));
        driver.keys(keys);
        for at in 0..3 {
            let before = if at == 0 { "gg" } else { "" };
            for (key, next) in [
                ("[", "{ goes to the file before"),
                ("]", "} goes to the next file"),
            ] {
                driver.keys(before).keys(&key.repeat(12));
                let words = driver.app().status.message.clone().unwrap_or_default();
                let is_offered = words.contains(next);
                assert_eq!(words.contains("goes to"), is_offered, "{words}");
                said.push((keys, at, key, is_offered));
            }
            driver.keys("}");
        }
    }
    let offered = |keys: &str| -> Vec<bool> {
        let of_keys = said.iter().filter(|it| it.0 == keys);
        of_keys.map(|it| it.3).collect()
    };
    // One file at a time, and all in one scroll, through which these keys go.
    assert_eq!(offered("20G<CR>"), [false, true, true, true, true, false]);
    assert_eq!(offered("20Ga"), [false; 6]);
}
