//! The program, compared with git.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::ffi::OsStrExt,
    process::Stdio,
};

use bstr::{BString, ByteSlice};

use super::run;
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

const SEEDS: u64 = 12;

/// Places of each history.
const PLACES: usize = 24;

/// Options, and whether they look for lines together with those around them.
const OPTIONS: &[(&[&str], bool)] = &[
    (&[], false),
    (&["-w"], false),
    (&["--first-parent", "--threads=1"], false),
    (&["-M"], true),
    (&["-C", "--threads=3"], true),
];

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).map(|group| {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digits = (0..4).map(|at| {
            if at <= group.len() {
                char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize])
            } else {
                '='
            }
        });
        digits.collect::<String>()
    });
    groups.collect()
}

/// A line of the input that names a line of a file, in one of several forms.
fn named(path: &[u8], line: usize, form: u64) -> Vec<u8> {
    let is_plain = !path.iter().any(|byte| byte.is_ascii_control());
    let number = line.to_string();
    let number = number.as_bytes();
    match form {
        0 if is_plain => [path, b":", number, b": text"].concat(),
        1 if is_plain => [path, b":", number, b":7:text\r"].concat(),
        2 if is_plain => [b" --> ".as_slice(), path, b":", number, b":7"].concat(),
        3 if is_plain => [b"  File \"".as_slice(), path, b"\", line ", number].concat(),
        4 if is_plain => [path, b"-", number, b"- text"].concat(),
        5 if is_plain => [path, b"(", number, b",7): text"].concat(),
        _ => format!(
            "{{\"type\":\"match\",\"data\":{{\"path\":{{\"bytes\":\"{}\"}},\"line_number\":{line}}}}}",
            base64(path)
        )
        .into_bytes(),
    }
}

/// The commit of a line by git.
fn commit_of(
    repository: &TestRepo,
    (options, is_of_all): (&[&str], bool),
    revision: &str,
    path: &[u8],
    line: usize,
) -> String {
    let range = format!("-L{line},{line}");
    let mut words: Vec<&OsStr> = ["blame", "--porcelain"].map(OsStr::new).to_vec();
    let options = options.iter().filter(|it| !it.starts_with("--threads"));
    words.extend(options.map(OsStr::new));
    if !is_of_all {
        words.push(range.as_ref());
    }
    words.extend([revision, "--"].map(OsStr::new));
    words.push(OsStr::from_bytes(path));
    let blame = repository.git(&words);
    let wanted = line.to_string();
    let found = blame.split_str("\n").find_map(|row| {
        let words: Vec<&[u8]> = row.split(|&byte| byte == b' ').collect();
        let is_header = [40, 64].contains(&words[0].len()) && words.len() >= 3;
        let is_it = is_header && words[2] == wanted.as_bytes();
        is_it.then(|| words[0].to_str_lossy().into_owned())
    });
    found.expect("git blames the line")
}

#[test]
fn commits_of_generated_histories_are_those_of_git() {
    let (mut compared, mut odd) = (0, 0);
    for seed in 81_000..81_000 + seed_count(SEEDS) {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        let format = [ObjectFormat::Sha1, ObjectFormat::Sha256][usize::from(seed % 4 == 0)];
        let history = History::generate(seed, format, storage);
        let repository = &history.repository;
        let mut rng = Rng::new(seed);
        let samples = history.samples(&mut rng, 1);
        let Some((revision, _)) = samples.first() else {
            continue;
        };
        let listed = repository.git(&["ls-tree", "-r", "-z", "--full-tree", revision]);
        let mut lines: Vec<(BString, usize)> = Vec::new();
        for entry in listed.split(|&byte| byte == 0).filter(|it| !it.is_empty()) {
            let (about, path) = entry.split_once_str("\t").expect("a path");
            let words: Vec<&[u8]> = about.split(|&byte| byte == b' ').collect();
            if words[1] == b"blob" && words[0] != b"120000" {
                let id = words[2].to_str().expect("an id");
                let text = repository.git(&["cat-file", "blob", id]);
                let count = text.lines_with_terminator().count();
                lines.extend((1..=count).map(|line| (path.into(), line)));
            }
        }
        if lines.is_empty() {
            continue;
        }
        let places: Vec<_> = (0..PLACES).map(|_| rng.pick(&lines).clone()).collect();
        let mut input = Vec::new();
        for (nth, (path, line)) in places.iter().enumerate() {
            input.extend(named(path, *line, nth as u64 % 7));
            input.push(b'\n');
        }
        let options = OPTIONS[(seed % OPTIONS.len() as u64) as usize];
        let arguments = [&["--json", revision.as_str()], options.0].concat();
        let output = run(repository, &arguments, &input);
        assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
        let mut found = BTreeMap::new();
        for record in records_of(&output.stdout) {
            if record.get("type").and_then(Value::text) == Some("place") {
                let number = record.get("inputLine").and_then(Value::number);
                found.insert(number.expect("a number") as usize, record);
            }
        }
        for (nth, (path, line)) in places.iter().enumerate() {
            let record = &found[&(nth + 1)];
            // A longer name may exist, such as `a:1` beside `a`.
            if record.get("line").and_then(Value::number) != Some(*line as u64) {
                odd += 1;
                continue;
            }
            let expected = commit_of(repository, options, revision, path, *line);
            let commit = record.get("commit").and_then(Value::text);
            assert_eq!(
                commit,
                Some(&*expected),
                "seed {seed}: {path}:{line} {options:?}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 150 && odd * 20 < compared, "{compared}, {odd}");
}

/// A repository with files of odd names, each with two lines of two commits and an uncommitted one.
fn odd_names() -> (TestRepo, Vec<&'static [u8]>) {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let names: Vec<&'static [u8]> = vec![
        b"a.c",
        b"a b/c d.c",
        b"c:7.c",
        b"c:7:3",
        b"d-3-e.c",
        b"f(3).c",
        b"-x.c",
        b":(top)g.c",
        b"\xff\xfe.c",
        "ü 日本.c".as_bytes(),
        b"*.c",
        b"\"q\".c",
        b"h.c ",
    ];
    for (nth, text) in ["one\n", "one\r\ntwo\r\n"].iter().enumerate() {
        for name in &names {
            repository.write(name, text.as_bytes());
        }
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", &format!("Commit {nth}")]);
    }
    for name in &names {
        repository.write(name, b"one\r\ntwo\r\nthree\xff");
    }
    (repository, names)
}

#[test]
fn lines_pass_through_byte_for_byte() {
    let (repository, names) = odd_names();
    let mut input = Vec::new();
    for name in &names {
        for (line, text) in [
            (2, &b"text\r"[..]),
            (3, b"\xff\x1b[31m\0"),
            (1, b""),
            (4, b"past"),
        ] {
            input.extend([name, format!(":{line}:").as_bytes(), text, b"\n"].concat());
        }
        input.extend(b"no place\n\n\r\n\xff\xfe\n");
    }
    input.extend(
        [
            b"a.c:2: ".as_slice(),
            &vec![b'x'; 3 << 20],
            b"\nno/such.c:7: x\na.c:1:end",
        ]
        .concat(),
    );
    let output = run(&repository, &[], &input);
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    let ids = repository.git_text(&["log", "--format=%h"]);
    let ids: Vec<&str> = ids.lines().chain(["0000000"]).collect();
    let width = "0123456 2026-01-01 Not Committed Yet  ".len();
    let (mut count, mut rows) = (0, output.stdout.lines_with_terminator());
    for line in input.lines_with_terminator() {
        let row = rows.next().expect("a row for each line");
        if row == line {
            continue;
        }
        assert_eq!(row[width..].as_bstr(), line.as_bstr());
        let id = row[..7].to_str().expect("an id");
        assert!(ids.contains(&id), "{}", row.as_bstr());
        count += 1;
    }
    assert_eq!(rows.next(), None);
    assert_eq!(count, names.len() * 3 + 2);
    // Each problem is said once.
    let notes: Vec<&[u8]> = output.stderr.lines_with_terminator().collect();
    assert_eq!(notes.len(), names.len() + 1, "{}", output.stderr.as_bstr());
}

#[test]
fn files_are_found_from_the_directory_and_from_the_root() {
    let (repository, _) = odd_names();
    let root = repository.root().display().to_string();
    let input =
        format!("c d.c:2:x\na b/c d.c:1:x\n../a.c:3:x\n{root}/a.c:2:x\n{root}/../out.c:2:x\n");
    // Above the root and back, from the directory and from the root, and on the way of an absolute name.
    let name = repository.root().file_name().and_then(OsStr::to_str);
    let name = name.expect("a name");
    let back = format!(
        "../../{name}/a.c:1:x\n../{name}/a.c:2:x\n{root}/../{name}/a.c:3:x\n../../out.c:1:x\n\
         ../../{name}2/a.c:1:x\n"
    );
    let input = input + &back;
    let mut command = repository.command(tblame_program().as_os_str());
    command.current_dir(repository.root().join("a b"));
    let command = command.args(["--places", "--json-fields=none"]);
    let output = ProgramOutput::with_input(command, input.as_bytes());
    let records = output.stdout.to_str().expect("JSON is UTF-8");
    let places = records.lines().map(Value::read).filter_map(|record| {
        let path = record.get("path")?.text()?.to_owned();
        Some((path, record.get("line")?.number()?))
    });
    let places: Vec<(String, u64)> = places.collect();
    let expected = [
        ("a b/c d.c", 2),
        ("a b/c d.c", 1),
        ("a.c", 3),
        ("a.c", 2),
        ("a.c", 1),
        ("a.c", 2),
        ("a.c", 3),
    ];
    assert_eq!(places, expected.map(|(path, line)| (path.to_owned(), line)));
    assert_eq!(output.stderr.as_bstr(), "");
}

#[test]
fn filters_keep_what_belongs_to_a_place() {
    let (repository, _) = odd_names();
    let input =
        b"Checking\na.c:1: old\n   1 | one\n     ^\na.c:3: new\n   3 | three\nno/such.c:1:x\n";
    let text = |arguments: &[&str]| {
        let output = run(&repository, arguments, input);
        assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let new = text(&["--by=not.committed"]);
    assert!(new.starts_with("Checking\n0000000 "), "{new}");
    assert!(
        new.ends_with(" a.c:3: new\n   3 | three\nno/such.c:1:x\n"),
        "{new}"
    );
    assert_eq!(new.lines().count(), 4);
    assert_eq!(text(&["--newer-than=1990-01-01"]).lines().count(), 7);
    assert_eq!(
        text(&["--older-than=1990-01-01"]),
        "Checking\nno/such.c:1:x\n"
    );
    let old = text(&["--by=nobody", "--by=committer", "--by=AUTHOR"]);
    assert!(old.contains("a.c:1: old\n   1 | one\n     ^\n"), "{old}");
}

#[test]
fn a_line_is_not_held_back_for_later_ones() {
    let (repository, _) = odd_names();
    let mut command = repository.command(tblame_program().as_os_str());
    command
        .arg("--places")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("it is built");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for line in [
        "a.c:1: x\n",
        "no place\n",
        "a.c:2: x\n",
        "d-3-e.c:3: x\n",
        "a.c:3: x\n",
    ] {
        input.write_all(line.as_bytes()).expect("it reads");
        let mut row = String::new();
        output.read_line(&mut row).expect("it writes");
        assert!(row.ends_with(line), "{row}");
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn searches_in_revisions_are_blamed_there() {
    let (repository, names) = odd_names();
    repository.git(&["tag", "v1.0", "HEAD~1"]);
    repository.git(&["rm", "-q", "--cached", "a.c"]);
    repository.git(&["commit", "-q", "-m", "Without a.c"]);
    let ids = ["HEAD~2", "HEAD~1"].map(|name| repository.git_text(&["rev-parse", name]));
    let mut compared = 0;
    for (revision, commit) in [("v1.0", 0), ("HEAD~1", 1), (&*ids[0], 0), ("HEAD~1:", 1)] {
        for options in [
            &["-n"][..],
            &["-nz"],
            &["-n", "--column"],
            &["-nW"],
            &["-n", "--heading"],
        ] {
            for directory in [".", "a b"] {
                let mut command = repository.command("git".as_ref());
                command.current_dir(repository.root().join(directory));
                let command = command.arg("grep").args(options).args(["o", revision]);
                let search = ProgramOutput::of(command).stdout;
                let mut command = repository.command(tblame_program().as_os_str());
                command.current_dir(repository.root().join(directory));
                let command = command.args(["--places", "--json"]);
                let output = ProgramOutput::with_input(command, &search);
                assert_eq!(output.stderr.as_bstr(), "", "{}", search.as_bstr());
                let mut places = 0;
                for record in records_of(&output.stdout) {
                    let text = |key: &str| record.get(key).and_then(Value::text);
                    if text("type") != Some("place") {
                        continue;
                    }
                    places += 1;
                    assert_eq!(text("revision"), Some(&*ids[commit]), "{record:?}");
                    let line = record.get("line").and_then(Value::number).expect("a line");
                    // A change of the line endings made all lines anew.
                    assert_eq!(text("commit"), Some(&*ids[commit]), "{record:?} {line}");
                }
                let lines = search
                    .lines_with_terminator()
                    .filter(|line| *line != b"\n" && *line != b"--\n")
                    .count();
                let headings = if options.contains(&"--heading") {
                    names.len()
                } else {
                    0
                };
                let lines = lines
                    - if directory == "." {
                        headings
                    } else {
                        headings.min(1)
                    };
                assert_eq!(places, lines, "{revision} {options:?} {}", search.as_bstr());
                compared += places;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn a_colon_does_not_make_a_revision() {
    let (repository, _) = odd_names();
    let input =
        b"main:gone.c:1:x\nnone:a.c:1:x\nHEAD^{/Commit}:a.c:1:x\n-HEAD:a.c:1:x\nHEAD:../a.c:1:x\n";
    let output = run(&repository, &["--json"], input);
    assert_eq!(output.status, Some(0));
    let records = records_of(&output.stdout);
    let found = records
        .iter()
        .filter(|it| it.get("commit").and_then(Value::text).is_some());
    assert_eq!(found.count(), 0, "{records:?}");
}

#[test]
fn classes_are_found_by_their_packages() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for name in [
        "app/src/com/ex/Foo.java",
        "app/src/com/ex/Bar.kt",
        "lib/src/com/ex/Bar.kt",
        "lib/Only.scala",
    ] {
        repository.write(name.as_bytes(), b"1\n2\n3\n");
    }
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "Classes"]);
    // It is not tracked.
    repository.write(b"x/com/ex/Foo.java", b"1\n");
    repository.write(b"Bar.kt", b"1\n2\n3\n");
    let input = b"java.lang.Error: x\n\tat com.ex.Foo.bar(Foo.java:2)\n\tat com.ex.BarKt.main(Bar.kt:3)\n\
        \tat Only$.apply(Only.scala:1) ~[lib.jar:?]\n\tat java.base/java.lang.Thread.run(Thread.java:840)\n\
        \tat com.ex.Foo.baz(Foo.java:9)\n\tat other.Only$.apply(Only.scala:2)\n";
    for arguments in [&["--json"][..], &["--json", "HEAD"]] {
        let output = run(&repository, arguments, input);
        assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
        let records = records_of(&output.stdout);
        let places = records.iter().filter_map(|record| {
            let path = record.get("path")?.text()?;
            let line = record.get("inputLine")?.number()?;
            Some((line, path, record.get("problem").and_then(Value::text)))
        });
        let foo = "app/src/com/ex/Foo.java";
        let expected = [
            (2, foo, None),
            (4, "lib/Only.scala", None),
            (6, foo, Some("the file has only 3 lines")),
        ];
        assert_eq!(places.collect::<Vec<_>>(), expected);
        assert_eq!(
            output.stderr.as_bstr(),
            format!("warning: {foo}: the file has only 3 lines\n")
        );
    }
}

/// A link is a file whose text is one line, in the work tree as in commits.
#[test]
fn links_and_lines_beyond_all_files_are_places() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"1\n2\n");
    for (target, link) in [("f", "lnk"), ("/", "directory"), ("none", "dangling")] {
        let path = repository.root().join(link);
        std::os::unix::fs::symlink(target, path).expect("a new name");
    }
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "Links"]);
    let input =
        b"lnk:1:f\ndirectory:1\ndangling:1\nlnk:2\nf:4294967296\nf(99999999999999999999)\nf:2\n";
    for arguments in [&["--json"][..], &["--json", "HEAD"]] {
        let output = run(&repository, arguments, input);
        assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
        let records = records_of(&output.stdout);
        let places = records.iter().filter_map(|record| {
            let path = record.get("path")?.text()?;
            let line = record.get("inputLine")?.number()?;
            Some((line, path, record.get("problem").and_then(Value::text)))
        });
        let expected = [
            (1, "lnk", None),
            (2, "directory", None),
            (3, "dangling", None),
            (4, "lnk", Some("the file has only 1 line")),
            (5, "f", Some("the file has only 2 lines")),
            (6, "f", Some("the file has only 2 lines")),
            (7, "f", None),
        ];
        assert_eq!(places.collect::<Vec<_>>(), expected, "{arguments:?}");
        let warnings =
            "warning: lnk: the file has only 1 line\nwarning: f: the file has only 2 lines\n";
        assert_eq!(output.stderr.as_bstr(), warnings);
    }
}

#[test]
fn a_file_of_another_repository_is_called_that() {
    let (repository, _) = odd_names();
    repository.write(b"sub/dir/new", b"one\n");
    repository.write(b"sub/dir/of/it", b"one\n");
    for (made, reason) in [
        (false, "git does not track this file"),
        (true, "it is of another repository, in sub/dir"),
    ] {
        if made {
            repository.git(&["init", "-q", "sub/dir"]);
        }
        let output = run(&repository, &[], b"sub/dir/new:1: x\nsub/dir/of/it:1: x\n");
        let warnings =
            format!("warning: sub/dir/new: {reason}\nwarning: sub/dir/of/it: {reason}\n");
        assert_eq!(output.stderr.as_bstr(), warnings);
    }
}

#[test]
fn what_is_left_out_is_said() {
    let (repository, _) = odd_names();
    let mut input = b"a.c:1:".to_vec();
    input.resize(17 << 20, b'x');
    input.extend(b"\na.c:2:y\n");
    let output = run(&repository, &["--json"], &input);
    let records = records_of(&output.stdout);
    let places = records.iter().filter_map(|record| {
        let text = record.get("text")?.text()?;
        let is_cut = matches!(record.get("textCut"), Some(Value::Flag(true)));
        Some((record.get("inputLine")?.number()?, text.len(), is_cut))
    });
    let expected = [(1, 16 << 20, true), (2, "a.c:2:y".len(), false)];
    assert_eq!(places.collect::<Vec<_>>(), expected);
    // That is all of it.
    let whole = &input[..16 << 20];
    let output = run(&repository, &["--json"], whole);
    assert!(!output.stdout.contains_str("textCut"));
    // Warnings end at some point, places do not.
    let mut input = Vec::new();
    for at in 0..20_000 {
        input.extend(format!("{}/gone{at}.c:1:x\n", "d".repeat(80)).into_bytes());
    }
    input.extend(b"a.c:1:last\n");
    let output = run(&repository, &[], &input);
    assert_eq!(output.stdout.lines_with_terminator().count(), 20_001);
    assert!(output.stdout.ends_with(b" a.c:1:last\n"));
    let notes = output.stderr.lines_with_terminator().count();
    assert!((500..5_000).contains(&notes), "{notes}");
    assert!(
        output
            .stderr
            .ends_with(b"\nwarning: further warnings are left out\n")
    );
}

#[test]
fn closed_output_ends_it() {
    let (repository, _) = odd_names();
    let mut command = repository.command("sh".as_ref());
    let script = "yes 'a.c:1: x' | \"$1\" --places | head -1";
    command.args(["-c", script, "sh"]).arg(tblame_program());
    let output = ProgramOutput::of(&mut command);
    assert!(output.stdout.ends_with(b"a.c:1: x\n"));
}

#[test]
fn findings_in_sarif() {
    let (repository, _) = odd_names();
    let input = r#"{"version":"2.1.0","runs":[{"results":[
        {"ruleId":"R1","message":{"text":"bad"},"locations":[{"physicalLocation":
            {"artifactLocation":{"uri":"a%20b/c%20d.c"},"region":{"startLine":2,"startColumn":3}}}]},
        {"level":"note","message":{"text":"no place"}}]}]}"#;
    let mut command = repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::with_input(command.arg("--places=sarif"), input.as_bytes());
    let text = output.stdout.to_str_lossy();
    let rows: Vec<&str> = text.lines().collect();
    assert!(
        rows[0].ends_with(" a b/c d.c:2:3: warning: bad [R1]"),
        "{text}"
    );
    assert_eq!(rows[1..], ["note: no place"]);
    // As several documents are written to one pipe.
    let mut command = repository.command(tblame_program().as_os_str());
    let twice = format!("{input}\n\n{input}\n");
    let output = ProgramOutput::with_input(command.arg("--places=sarif"), twice.as_bytes());
    assert_eq!(output.stdout.to_str_lossy(), format!("{text}{text}"));
    for malformed in ["{\"runs\":".to_owned(), format!("{input} {{")] {
        let mut command = repository.command(tblame_program().as_os_str());
        let output = ProgramOutput::with_input(command.arg("--places=sarif"), malformed.as_bytes());
        let expected =
            "fatal: cannot read standard input: not SARIF: it is not JSON, or not all of it\n";
        assert_eq!(output.stderr.as_bstr(), expected);
        assert_ne!(output.status, Some(0));
    }
}

#[test]
fn colors_of_ages_are_seen_on_any_background_unless_others_are_configured() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (text, date) in [
        ("1\n", "2001-01-01T12:00:00"),
        ("1\n2\n", "3.years.ago"),
        ("1\n2\n3\n", "3.months.ago"),
    ] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", "x", "--date", date]);
    }
    repository.write(b"f", b"1\n2\n3\n4\n");
    let escapes = |arguments: &[&str]| -> Vec<String> {
        let output = run(&repository, arguments, b"f:1:\nf:2:\nf:3:\nf:4:\n");
        let rows = ByteSlice::lines(&*output.stdout).map(|row| {
            let (escape, rest) = row.split_once_str("m").expect("a color");
            assert!(rest.contains_str("\x1b[mf:"), "{}", row.as_bstr());
            escape[2..].to_str_lossy().into_owned()
        });
        rows.collect()
    };
    assert_eq!(escapes(&["--color=always"]), ["94", "36", "39", "31"]);
    let ages = "green,12 month ago,white,1 month ago,red";
    repository.git(&["config", "color.blame.highlightRecent", ages]);
    assert_eq!(escapes(&["--color=always"]), ["32", "32", "37", "31"]);
    let plain = run(&repository, &[], b"f:1:\nf:2:\nf:3:\n");
    assert!(!plain.stdout.contains(&0x1b));
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let (repository, _) = odd_names();
    for (arguments, message) in [
        (&["--places", "-L1"][..], "--places cannot be used with -L"),
        (
            &["--places", "--tree"],
            "--places cannot be used with --tree",
        ),
        (
            &["--places", "--porcelain"],
            "--places cannot be used with --porcelain",
        ),
        (
            &["--places", "--contents=a.c"],
            "--places cannot be used with --contents",
        ),
        (&["--places=xml"], "--places has the formats text and sarif"),
        (
            &["--places", "--color=sometimes"],
            "--color is always, never or auto",
        ),
        (&["--places", "none"], "bad revision 'none'"),
        (
            &["--places", "a.c"],
            "--places takes a revision, no file: git grep -n TODO -- a.c | tblame --places",
        ),
        (&["--newer-than=now", "a.c"], "--newer-than needs --places"),
        (
            &["--places", "--older-than=yesterdy"],
            "--older-than takes a date such as 2.weeks.ago or 2024-03-01, not 'yesterdy'",
        ),
        (
            &["--places", "--newer-than="],
            "--newer-than takes a date such as 2.weeks.ago or 2024-03-01, not ''",
        ),
    ] {
        let mut command = repository.command(tblame_program().as_os_str());
        let output = ProgramOutput::with_input(command.args(arguments), b"a.c:1:x\n");
        let expected = format!("fatal: {message}\n");
        assert_eq!(output.stderr.as_bstr(), &*expected, "{arguments:?}");
        assert_eq!(output.stdout.as_bstr(), "");
    }
}

#[test]
fn kept_blames_are_used() {
    let (repository, _) = odd_names();
    let cache = repository.root().join("../kept");
    fs::create_dir_all(&cache).expect("it is new");
    let input = b"a.c:1:x\na.c:3:x\nc:7.c:2:x\n";
    let mut outputs = Vec::new();
    for arguments in [&["--no-cache"][..], &[], &["-M"], &[]] {
        let mut command = repository.command(tblame_program().as_os_str());
        command
            .env_remove("TBLAME_CACHE")
            .env("XDG_CACHE_HOME", &cache);
        let output = ProgramOutput::with_input(command.arg("--places").args(arguments), input);
        assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
        outputs.push(output.stdout);
    }
    assert!(outputs.iter().all(|output| *output == outputs[0]));
}
