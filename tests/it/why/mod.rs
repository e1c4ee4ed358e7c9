//! `--why`: what made lines what they are, within its bounds.

mod commands;
mod rows;

use std::collections::BTreeSet;

use bstr::ByteSlice;

use crate::{
    harness::{
        compare::seed_count,
        program::{ProgramOutput, tblame_program},
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
    json::{schema::records_of, value::Value},
};

use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

fn run<A: AsRef<OsStr>>(repository: &TestRepo, arguments: &[A]) -> ProgramOutput {
    let mut command = repository.command(tblame_program().as_os_str());
    ProgramOutput::of(command.arg("--why").args(arguments))
}

fn text(repository: &TestRepo, arguments: &[&str]) -> String {
    let output = run(repository, arguments);
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    output.stdout.to_str_lossy().into_owned()
}

fn kind(record: &Value) -> &str {
    record.get("type").and_then(Value::text).expect("a type")
}

fn number(record: &Value, key: &str) -> u64 {
    record.get(key).and_then(Value::number).expect("a number")
}

fn ids(records: &[Value], of: &str) -> Vec<String> {
    let records = records.iter().filter(|record| kind(record) == of);
    let ids = records.map(|record| record.get("commit").and_then(Value::text));
    ids.map(|id| id.expect("an id").to_owned()).collect()
}

fn commit(repository: &TestRepo, contents: &str, message: &str, day: &str) -> String {
    repository.write(b"f", contents.as_bytes());
    repository.git(&["add", "f"]);
    let date = format!("--date={day}T12:00:00+0000");
    repository.git(&[
        "commit",
        "-q",
        "-m",
        message,
        "--author=Ann <ann@example.com>",
        &date,
    ]);
    repository.git_text(&["rev-parse", "HEAD"])
}

#[test]
fn the_answer_has_blame_history_deletions_and_references() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let first = commit(
        &repository,
        "a\nif (x)\n\tcall();\nold\nb\n",
        "Call if x (#7)",
        "2020-01-01",
    );
    repository.git(&["tag", "v1.0"]);
    let second = commit(
        &repository,
        "a\nif (x)\n\tcall();\nb\n",
        "Delete old",
        "2021-01-01",
    );
    let message = format!(
        "Call only if x and y\n\nWithout y it fails.\n\nFixes: {} (\"Call if x\")\nSigned-off-by: Ann\n",
        &first[..12]
    );
    let third = commit(
        &repository,
        "a\nif (x && y)\n\tcall();\nb\n",
        &message,
        "2022-01-01",
    );
    repository.git(&["tag", "v2.0"]);
    let (one, two, three) = (&first[..10], &second[..10], &third[..10]);
    let expected = format!(
        "\
f:2-3, at HEAD ({three}, 2022-01-01)
     2  if (x && y)
     3          call();

Written by:
  {three} 2022-01-01 Ann: Call only if x and y
      line 2, first in v2.0
      Without y it fails.
      fixes {one} 2020-01-01 Call if x (#7)
    - if (x)
    + if (x && y)
  {one} 2020-01-01 Ann: Call if x (#7)
      line 3, PR #7, first in v1.0
    + if (x)
    +         call();

Deleted at this place, newest first:
  {two} 2021-01-01 Ann: Delete old
      1 line, below line 3
    - old
"
    );
    let shown = text(&repository, &["HEAD", "--", "f:2-3"]);
    assert_eq!(shown, expected, "{shown}");
    assert_eq!(text(&repository, &["-L2,3", "HEAD", "--", "f"]), expected);
    let of_file = text(&repository, &["f:2-3"]);
    assert_eq!(
        of_file,
        expected.replace(
            &format!("at HEAD ({three}, 2022-01-01)"),
            "in the work tree"
        )
    );
    let one_line = text(&repository, &["HEAD", "f:2"]);
    assert!(
        one_line.contains("Before that, newest first:\n") && !one_line.contains("old\n"),
        "{one_line}"
    );

    let output = run(&repository, &["--json", "HEAD", "--", "f:2-3"]);
    let records = records_of(&output.stdout);
    assert_eq!(ids(&records, "reason"), [third, first.clone()]);
    assert_eq!(ids(&records, "deletedLines"), [second]);
    let reason = records
        .iter()
        .find(|record| kind(record) == "reason")
        .expect("a reason");
    let references = reason
        .get("references")
        .and_then(Value::list)
        .expect("a list");
    let reference = &references[0];
    assert_eq!(
        reference.get("relation").and_then(Value::text),
        Some("fixes")
    );
    assert_eq!(reference.get("commit").and_then(Value::text), Some(&*first));
    assert_eq!(
        reason.get("message").and_then(Value::text),
        Some("Without y it fails.")
    );
}

#[test]
fn what_is_asked_must_be_lines_of_the_file() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "1\n2\n", "Two", "2020-01-01");
    repository.write(b"dir/new", b"1\n");
    for (arguments, message) in [
        (
            &["f"][..],
            "--why needs lines: FILE:LINE, FILE:FIRST-LAST or -L",
        ),
        (&["f:3"], "file f has only 2 lines\n"),
        (&["f:4294967296"], "file f has only 2 lines\n"),
        (&["f:2-99999999999999999999"], "file f has only 2 lines\n"),
        (
            &["--json", "--budget=1999", "f:1"],
            "--budget is a number of bytes, 2000 or more",
        ),
        (&["--budget=4000", "f:1"], "--budget needs --why and --json"),
        (&["none:1"], "no such path"),
        (
            &[],
            "fatal: --why needs lines: FILE:LINE, FILE:FIRST-LAST or -L\n",
        ),
        (
            &["dir"],
            "fatal: 'dir' is a directory: --why needs lines: FILE:LINE,",
        ),
        (&["dir/new:1"], "fatal: git does not track dir/new\n"),
        (
            &["f:0"],
            "fatal: '0' is no line: --why needs lines: FILE:LINE",
        ),
        (
            &["f:x"],
            "fatal: 'x' is no line: --why needs lines: FILE:LINE",
        ),
        (&["f", "2"], "fatal: bad revision 'f'"),
        (&["none", "f:2"], "fatal: bad revision 'none'"),
        (
            &["-L1,2", "f:1"],
            "the lines are given twice: by -L, and as line 1 of f",
        ),
        (&["-L1,2", "+2", "f"], "the lines are given twice"),
    ] {
        let output = run(&repository, arguments);
        assert_eq!(output.status, Some(128), "{arguments:?}");
        assert!(
            output.stderr.contains_str(message),
            "{arguments:?} {}",
            output.stderr.as_bstr()
        );
        assert_eq!(output.stdout, b"", "{arguments:?}");
    }
}

#[test]
fn answers_are_exact_and_within_their_bounds() {
    let (mut compared, mut dropped, mut shortened, mut earlier) = (0, 0, 0, 0);
    for seed in 0..seed_count(8) {
        let mut rng = Rng::new(seed);
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        for (revision, path) in history.samples(&mut rng, 5) {
            let name = OsStr::from_bytes(&path);
            let blame = [
                OsStr::new("blame"),
                "-l".as_ref(),
                "-s".as_ref(),
                "--root".as_ref(),
                revision.as_ref(),
                "--".as_ref(),
                name,
            ];
            let blame = repository.git(&blame);
            let count = blame.lines().count();
            if count == 0 {
                continue;
            }
            let start = rng.between(1, count);
            let end = rng.between(start, count.min(start + 8));
            let range = format!("-L{start},{end}");
            let arguments = |options: &[&str]| -> Vec<Vec<u8>> {
                let options = options.iter().map(|it| it.as_bytes().to_vec());
                let place = [range.as_bytes(), revision.as_bytes(), b"--", &path];
                options.chain(place.map(<[u8]>::to_vec)).collect()
            };
            let run = |options: &[&str]| {
                let arguments = arguments(options);
                let arguments: Vec<&OsStr> =
                    arguments.iter().map(|it| OsStr::from_bytes(it)).collect();
                let output = run(repository, &arguments);
                let place = format!("seed {seed} {revision} {} {range}", path.as_bstr());
                assert_eq!(
                    output.status,
                    Some(0),
                    "{place}: {}",
                    output.stderr.as_bstr()
                );
                output.stdout
            };
            let expected: BTreeSet<String> = blame
                .lines()
                .skip(start - 1)
                .take(end - start + 1)
                .map(|line| line[..40].to_str().expect("an id").to_owned())
                .collect();
            let all = records_of(&run(&["--json", "--budget=10000000"]));
            let found = ids(&all, "reason");
            let once: BTreeSet<&String> = found.iter().collect();
            assert_eq!(once.len(), found.len(), "a commit comes twice");
            let blamed = all.iter().filter(|record| {
                let lines = record.get("blamed").and_then(Value::list);
                lines.is_some_and(|lines| !lines.is_empty())
            });
            let blamed: Vec<Value> = blamed.cloned().collect();
            assert_eq!(
                ids(&blamed, "reason").into_iter().collect::<BTreeSet<_>>(),
                expected
            );
            earlier += found.len() - blamed.len();
            for budget in [2000, 3000, 5000, 9000] {
                let output = run(&["--json", &format!("--budget={budget}")]);
                if output.len() > budget {
                    panic!("{} of {budget} bytes", output.len());
                }
                let records = records_of(&output);
                let left_out = &records[records.len() - 2];
                let reasons = number(left_out, "reasons");
                assert_eq!(
                    ids(&records, "reason").len() as u64 + reasons,
                    found.len() as u64
                );
                let kept = ids(&records, "deletedLines").len() as u64;
                let deletions = number(left_out, "deletedLines") + kept;
                assert_eq!(deletions, ids(&all, "deletedLines").len() as u64);
                dropped += reasons;
                shortened += number(left_out, "shortened");
            }
            let rows = run(&[]);
            // A command is not broken: the terminal goes on in the next row.
            let (mut height, mut widest) = (0, 0);
            for row in rows.lines() {
                let width = tblame::internals::sanitize::width(row);
                height += width.div_ceil(80).max(1);
                if !row.contains_str(" tblame --") {
                    widest = widest.max(width);
                }
            }
            assert!(height <= 46, "{height} rows");
            assert!(widest <= 80, "{widest}");
            compared += 1;
        }
    }
    let counts = (compared, dropped, shortened, earlier);
    assert!(
        compared > 20 && dropped > 2 && shortened > 20 && earlier > 10,
        "{counts:?}"
    );
}

#[test]
fn long_summaries_go_on_in_the_next_row_unless_shortened() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let long = "Explain in so many words that they need two";
    commit(&repository, "a\nold\nb\nc\n", "First", "2020-01-01");
    let message = format!("{long} rows, deleting");
    let deletes = commit(&repository, "a\nb\nc\n", &message, "2021-01-01");
    let message = format!("{long} rows, changing");
    let changes = commit(&repository, "a\nb\nC\n", &message, "2022-01-01");
    let (deletes, changes) = (&deletes[..10], &changes[..10]);
    let shown = text(&repository, &["HEAD", "--", "f:2-3"]);
    for expected in [
        format!(
            "  {changes} 2022-01-01 Ann: {long}\n      rows, changing\n      line 3\n    - c\n"
        ),
        format!(
            "  {deletes} 2021-01-01 Ann: {long}\n      rows, deleting\n      1 line, below line 1\n    - old\n"
        ),
    ] {
        assert!(shown.contains(&expected), "{shown}");
    }
}

/// A terminal's colors are those of `--patch`, and change nothing else.
#[test]
fn colors_only_add_escapes() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "a\nold\nb\n", "First", "2020-01-01");
    commit(&repository, "a\nb\n", "Delete", "2021-01-01");
    commit(&repository, "a\nB\n", "Change", "2022-01-01");
    repository.write(b"f", b"a\nB\nnew\n");
    let plain = text(&repository, &["f:1-3"]);
    for options in [
        &["--color=never"][..],
        &["--color=auto"],
        &["--no-color"],
        &["--color-by-age"],
    ] {
        assert_eq!(
            text(&repository, &[options, &["f:1-3"]].concat()),
            plain,
            "{options:?}"
        );
    }
    let colored = text(&repository, &["--color=always", "f:1-3"]);
    let escapes =
        tblame::internals::repository::places::escapes::without_escapes(colored.as_bytes());
    assert_eq!(escapes.as_bstr(), plain.as_bytes().as_bstr());
    for expected in [
        "\x1b[1mf:1-3, in the work tree\x1b[m\n",
        "\n\x1b[2mWritten by:\x1b[m\n\x1b[31m  not committed yet\x1b[m\n",
        " 2022-01-01 Ann\x1b[m: Change\n",
        "\x1b[31m    - b\x1b[m\n\x1b[32m    + B\x1b[m\n",
        "\x1b[31m    - old\x1b[m\n",
    ] {
        assert!(colored.contains(expected), "{expected:?} in {colored}");
    }
}

/// What the first commit of a shallow clone, or the last one before a range, seems to bring may be
/// older.
#[test]
fn boundaries_are_no_reasons() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let root = commit(&repository, "a\n", "Root (#1)", "2020-01-01");
    let cut = commit(&repository, "a\nb\n", "Cut (#2)\n\nMessage.", "2021-01-01");
    let last = commit(&repository, "a\nb\nc\n", "Last (#3)", "2022-01-01");
    let reasons = |arguments: &[&str]| {
        let arguments = [&["--json"], arguments, &["--", "f:1-3"]].concat();
        let records = records_of(&run(&repository, &arguments).stdout);
        let reasons = records
            .into_iter()
            .filter(|record| kind(record) == "reason");
        let facts = reasons.map(|record| {
            let id = record
                .get("commit")
                .and_then(Value::text)
                .expect("an id")
                .to_owned();
            let request = record
                .get("request")
                .and_then(Value::text)
                .map(str::to_owned);
            let boundary = format!("{:?}", record.get("boundary"));
            (id, boundary.contains("true"), request)
        });
        facts.collect::<Vec<_>>()
    };
    let known = |id: &String, request: &str| (id.clone(), false, Some(request.to_owned()));
    let whole = [known(&last, "#3"), known(&cut, "#2"), known(&root, "#1")];
    assert_eq!(reasons(&["HEAD"]), whole);
    let expected = [known(&last, "#3"), (cut.clone(), true, None)];
    assert_eq!(reasons(&[&format!("{cut}..HEAD")]), expected);
    repository.write(b".git/shallow", format!("{cut}\n").as_bytes());
    assert_eq!(reasons(&["HEAD"]), expected);
    let shown = text(&repository, &["HEAD", "--", "f:1"]);
    let id = &cut[..10];
    let heading =
        format!("  ^{id} 2021-01-01 Ann: Cut (#2)\n      or before: history begins there\n");
    assert!(
        shown.ends_with(&format!("Written by:\n{heading}")),
        "{shown}"
    );
}
