//! Who wrote the lines of the old side of a diff, compared with git's blames of the parent.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use portable_pty::CommandBuilder;
use tblame::internals::viewer::{config::settings::Config, model::diff::DiffRow};

use crate::{
    harness::{
        compare::seed_count,
        program::{ProgramOutput, tblame_program},
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
        session::Session,
    },
    json::{schema::records_of, value::Value},
    patches::{
        bytes, kind, number,
        removed::{Blame, blame_of_git},
    },
};

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, line},
};

/// Large enough for whole diffs.
const SIZE: (u16, u16) = (130, 400);

/// A line of an old side: the path, the line (1-based), whether it is removed, and the commit.
type Shown = (Vec<u8>, u64, bool, String);

/// The blames of git that were made, by revision and path.
type Known = BTreeMap<(String, Vec<u8>), Blame>;

/// Compares all rows of the diff with git's blames of the versions that it compares with, and
/// returns them. Rows of copied files are compared, but not returned.
fn compare(
    driver: &Driver,
    repository: &TestRepo,
    options: &[&str],
    known: &mut Known,
) -> (BTreeSet<Shown>, usize) {
    let app = driver.app();
    let diff = app.diff().expect("a diff");
    let (mut shown, mut compared) = (BTreeSet::new(), 0);
    for (at, row) in diff.rows().iter().enumerate() {
        let old = app.old_line(diff, at);
        assert!(
            old.is_some() || !matches!(row, DiffRow::Removed(_)),
            "row {at}"
        );
        let Some(old) = old else { continue };
        assert_eq!(old.is_removed, matches!(row, DiffRow::Removed(_)));
        let part = diff.parts().iter().rfind(|part| part.row <= at);
        let versions = match part {
            Some(part) => &part.versions,
            None => diff.versions.as_ref().expect("versions"),
        };
        let (base, path) = versions.old.as_ref().expect("an old side");
        let line = diff.in_file(at, *row).old_line().expect("an old line");
        let key = (base.to_string(), path.to_vec());
        let blame = || blame_of_git(repository, options, &base.to_string(), path);
        let blame = known.entry(key).or_insert_with(blame);
        let written = old
            .written
            .expect("it was waited for")
            .commit
            .id
            .to_string();
        let line = u64::from(line) + 1;
        let expected = blame.get(&line).map(|(commit, _)| commit);
        assert_eq!(Some(&written), expected, "{base}:{path} {line}");
        compared += 1;
        if !part.is_some_and(|part| part.file.copied) {
            shown.insert((path.to_vec(), line, old.is_removed, written));
        }
    }
    (shown, compared)
}

/// What `tblame --patch` says about a range.
fn of_patch(repository: &TestRepo, options: &[&str], range: &str) -> BTreeSet<Shown> {
    let mut command = repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(command.args(["--patch", "--json"]).args(options).arg(range));
    let records = records_of(&output.stdout);
    let lines = records
        .iter()
        .filter(|it| ["removed", "neighbour"].contains(&kind(it)));
    let lines = lines.map(|record| {
        let commit = record.get("commit").and_then(Value::text).expect("an id");
        let line = number(record, "line").expect("a line");
        let is_removed = kind(record) == "removed";
        (bytes(record, "path"), line, is_removed, commit.to_owned())
    });
    lines.collect()
}

#[test]
fn old_lines_are_those_of_git_blame() {
    let (mut compared, mut of_all, mut merges) = (0, 0, 0);
    for seed in 0..seed_count(10) {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(9_000 + seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let mut rng = Rng::new(seed);
        let files = repository.git(&["ls-tree", "-r", "-z", "--name-only", "HEAD"]);
        let files: Vec<&[u8]> = files.split(|&byte| byte == 0).collect();
        let files: Vec<&[u8]> = files.into_iter().filter(|it| !it.is_empty()).collect();
        if files.is_empty() {
            continue;
        }
        let mut known = Known::new();
        let (keys, options): (&str, &[&str]) = match seed % 3 {
            1 => ("w", &["-w"]),
            2 => ("M", &["-M"]),
            _ => ("", &[]),
        };
        for _ in 0..3 {
            let path = *rng.pick(&files);
            let arguments = arguments(path.into(), Config::default());
            let mut driver = Driver::with_repository(repository.root(), arguments, SIZE);
            driver.keys(keys);
            let count = driver.app().view().map_or(0, |view| view.text.line_count());
            for _ in 0..count.min(3) {
                let line = 1 + rng.below(count as usize);
                driver.keys(&format!("{line}G<CR>"));
                if driver.app().diff().is_none() {
                    continue;
                }
                let commit = driver.app().diff().and_then(|diff| diff.commit);
                driver.keys("O");
                compared += compare(&driver, repository, options, &mut known).1;
                driver.keys("a");
                let parents = commit.map(|commit| {
                    let revision = format!("{commit}^@");
                    repository.git_text(&["rev-parse", &revision])
                });
                let parents = parents.unwrap_or_default();
                let parents: Vec<&str> = parents.lines().collect();
                let Some(commit) = commit.filter(|_| driver.app().diff().is_some()) else {
                    continue;
                };
                for parent in &parents {
                    let diff = driver.app().diff().expect("a diff");
                    let rows = diff.rows().len() + diff.header.len();
                    let has_copies = diff.parts().iter().any(|part| part.file.copied);
                    if rows < usize::from(SIZE.1) - 10 {
                        let (shown, count) = compare(&driver, repository, options, &mut known);
                        compared += count;
                        let range = format!("{parent}..{commit}");
                        if !has_copies {
                            assert_eq!(
                                shown,
                                of_patch(repository, options, &range),
                                "seed {seed} {range}"
                            );
                            of_all += shown.len();
                        }
                        merges += usize::from(parents.len() > 1 && !shown.is_empty());
                    }
                    driver.keys("P");
                }
                driver.keys("Oqq");
            }
        }
    }
    println!("{compared} lines, {of_all} as in patches, {merges} diffs of merges");
    assert!(
        compared > 200 && of_all > 100 && merges > 0,
        "{compared} {of_all} {merges}"
    );
}

/// A file of two authors, a merge, and a change that is not committed.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |text: &[u8], name: &str, day: &str| {
        repository.write(b"f", text);
        repository.git(&["add", "f"]);
        let author = format!("--author={name} <x@example.com>");
        let date = format!("--date={day}T12:00:00+0000");
        repository.git(&["commit", "-q", "-m", &format!("By {name}"), &author, &date]);
    };
    commit(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "Ada Lovelace", "2014-01-01");
    commit(b"1\ntwo\n3\n4\n5\n6\n7\n8\n9\n", "Bo", "2016-01-01");
    repository.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    commit(b"1\n2\n3\n4\n5\n6\n7\n8\nnine\n", "Cy", "2017-01-01");
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["merge", "-q", "--no-commit", "side"]);
    commit(b"1\n2!\n3\n4\nfive\n6\n7\n8\nnine!\n", "Di", "2018-01-01");
    repository.write(b"f", b"1\nTWO\n3\n4\nfive\nadded\n6\n7\n8\nnine!\n");
    repository
}

#[test]
fn the_gutter_is_narrow_and_a_key_away() {
    let repository = repository();
    let arguments = arguments("f".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
    let row = |driver: &Driver, text: &str| {
        let screen = driver.screen();
        let row = screen.lines().find(|row| row.ends_with(text));
        row.unwrap_or_else(|| panic!("{text}\n{screen}")).to_owned()
    };
    driver.keys("5G<CR>");
    assert_eq!(row(&driver, "- two"), "  2     - two");
    driver.keys("O");
    assert_eq!(row(&driver, "- two"), " Bo          3y |   2     - two");
    assert_eq!(row(&driver, "- 5"), " Ada Love…   5y |   5     - 5");
    assert_eq!(
        row(&driver, "+ five"),
        format!("{}  5 + five", " ".repeat(22))
    );
    // The other parent.
    driver.keys("P");
    assert_eq!(row(&driver, "- 2"), " Ada Love…   5y |   2     - 2");
    assert_eq!(row(&driver, "- nine"), " Cy          2y |   9     - nine");
    driver.keys("P");
    assert_eq!(row(&driver, "- two"), " Bo          3y |   2     - two");
    let help = driver.keys("?").screen();
    assert!(
        help.contains("who wrote the lines that are removed"),
        "{help}"
    );
    driver.keys("<Esc>");
    driver.resize(160, 24);
    let wide = row(&driver, "- two");
    let bo = repository.git_text(&["rev-parse", "main^1"]);
    let label = format!(" {} Bo                  3 years |   2     - two", &bo[..8]);
    assert_eq!(wide, label);
    driver.keys("W");
    assert_eq!(row(&driver, "- two"), label);
    driver.keys("W");
    driver.resize(45, 24);
    assert_eq!(row(&driver, "- two"), "   3y |     - two");
    driver.resize(30, 24);
    assert_eq!(row(&driver, "- two"), "- two");
    driver.resize(80, 24);
    // It stays for other diffs, until it is turned off.
    driver.keys("q9G<CR>");
    assert_eq!(row(&driver, "- two"), " Bo          3y |   2     - two");
    driver.keys("O");
    assert_eq!(row(&driver, "- two"), "  2     - two");
}

#[test]
fn a_file_without_old_lines_has_no_gutter() {
    let repository = repository();
    repository.write(b"new", b"1\n2\n");
    repository.git(&["add", "new"]);
    repository.git(&["commit", "-q", "-m", "Add"]);
    let arguments = arguments("new".into(), Config::default());
    let mut driver = Driver::with_repository(repository.root(), arguments, (120, 24));
    driver.keys("<CR>");
    let code = |driver: &Driver| {
        let screen = driver.screen();
        let rows = screen.lines().filter(|row| row.contains(" + "));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = code(&driver);
    assert_eq!(before.len(), 2);
    let offered = |driver: &Driver| driver.screen().contains("O who wrote it");
    assert!(!offered(&driver), "{}", driver.screen());
    driver.keys("O");
    assert_eq!(code(&driver), before);
    let message = driver.app().status.message.clone().unwrap_or_default();
    assert!(
        message.starts_with("no lines are removed here"),
        "{message}"
    );
    // It is on for a file that has some.
    driver.keys("q:HEAD~1:f<CR>5G<CR>");
    let screen = driver.screen();
    assert!(screen.contains("3 years | "), "{screen}");
}

/// A screen of added lines alone has no columns for who wrote removed ones.
#[test]
fn the_gutter_is_only_where_there_are_old_lines() {
    let repository = repository();
    let added: String = (0..60).map(|number| format!("added {number}\n")).collect();
    repository.write(b"f", format!("1\nTWO\n3\n{added}4\n").as_bytes());
    repository.write(b"new", format!("{added}end\n").as_bytes());
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "Add"]);
    for keys in ["2G<CR>O", "2G<CR>aO"] {
        let arguments = arguments("f".into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
        driver.keys(keys);
        let column = |driver: &mut Driver, keys: &str, text: &str| {
            let screen = driver.keys(keys).screen();
            let mut rows = screen.lines();
            let row = rows.find(|row| row.trim_end().ends_with(text));
            let row = row.unwrap_or_else(|| panic!("{keys} {text}\n{screen}"));
            row.find("+ ").expect("an added line")
        };
        let beside_removed = column(&mut driver, "gg", "+ added 2");
        let alone = column(&mut driver, "/added 40<CR>zz", "+ added 40");
        assert_eq!(beside_removed, alone + 18, "{keys}");
        assert_eq!(column(&mut driver, "gg", "+ added 2"), beside_removed);
        // With wrapped lines, all rows have one width.
        driver.keys("W");
        let wrapped = column(&mut driver, "/added 40<CR>zz", "+ added 40");
        assert_eq!(wrapped, beside_removed, "{keys}");
        driver.keys("W");
        if keys.contains('a') {
            assert_eq!(column(&mut driver, "G", "+ end"), alone);
        }
    }
}

#[test]
fn keys_are_answered_while_the_old_side_is_blamed() {
    let history = || {
        FakeHistory::default()
            .commit("Ada", "Light the lamp", |lines| {
                lines.extend((0..9).map(|at| line(&format!("line {at}"))));
            })
            .commit("Ben", "Trim the wick", |lines| lines[3] = line("by Ben"))
            .commit("Cleo", "Oil it", |lines| {
                lines.remove(5);
                lines[3] = line("by Cleo");
            })
    };
    let words = "who wrote the lines that are removed";
    let is_seen = Arc::new(AtomicBool::new(false));
    let source = FakeHistory {
        goes_on: Some(Arc::clone(&is_seen)),
        ..history()
    };
    let mut driver = Driver::new(source, 80, 24);
    driver.keys("4G<CR>");
    // The blame goes on once the help is seen.
    driver.await_frame(words, Arc::clone(&is_seen));
    let frames = driver.frames_of("O?");
    assert!(
        frames.iter().any(|frame| frame.contains(words)),
        "{frames:?}"
    );
    assert!(is_seen.load(Ordering::Relaxed));
    let screen = driver.keys("<Esc>").screen();
    let row = |text: &str| screen.lines().find(|row| row.ends_with(text)).unwrap_or("");
    assert!(row("- by Ben").starts_with(" Ben "), "{screen}");
    assert!(row("- line 5").starts_with(" Ada "), "{screen}");
    // A blame that nobody waits for is cancelled.
    let source = FakeHistory {
        goes_on: Some(Arc::default()),
        ..history()
    };
    let mut driver = Driver::new(source, 80, 24);
    driver.keys("4G<CR>").keys_at_once("OO");
    assert!(driver.screen().contains("- by Ben"), "{}", driver.screen());
    driver.keys_at_once("Oq");
    assert!(driver.app().diff().is_none());
    assert!(!driver.app().is_busy());
}

#[test]
fn changes_that_are_not_committed_have_it_too() {
    let repository = repository();
    let mut command = CommandBuilder::new(tblame_program());
    command.arg("f");
    command.cwd(repository.root());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("TWO");
    session.press("2G\r");
    session.wait_for("- 2!");
    session.press("O");
    session.wait("the gutter", |screen| {
        let text = screen.contents();
        let has = |start: &str, end: &str| {
            text.lines()
                .any(|row| row.starts_with(start) && row.trim_end().ends_with(end))
        };
        has(" Di ", "- 2!") && has(" Di ", "five") && has(" Ada Love", "6") && text.contains('~')
    });
    session.press("O");
    session.wait("no gutter", |screen| {
        !screen.contents().contains("Ada Love")
    });
    session.press("qq");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
}
