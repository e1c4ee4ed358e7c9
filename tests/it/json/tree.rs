//! `--tree`: every file as in a blame of its own, and the entries of directories as sums of their files.

use std::{cmp::Reverse, collections::BTreeMap, ffi::OsStr, os::unix::ffi::OsStrExt};

use bstr::ByteSlice;

use crate::{
    harness::{
        compare::seed_count,
        program::{ProgramOutput, tblame_program},
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
    },
    json::{schema::records_of, value::Value},
};

const SEEDS: u64 = 8;

pub(super) fn run(repository: &TestRepo, arguments: &[&OsStr]) -> ProgramOutput {
    let mut command = repository.command(tblame_program().as_os_str());
    ProgramOutput::of(command.args(arguments))
}

/// The records of a run that succeeds, all of which the schema allows.
pub(crate) fn records(repository: &TestRepo, arguments: &[&OsStr]) -> Vec<Value> {
    let output = run(repository, arguments);
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    records_of(&output.stdout)
}

fn kind(record: &Value) -> &str {
    record.get("type").and_then(Value::text).expect("a type")
}

pub(crate) fn number(record: &Value, key: &str) -> u64 {
    record.get(key).and_then(Value::number).expect("a number")
}

/// The entries of each file, by the file's path as it is written.
pub(super) fn entries_of_files(records: &[Value]) -> BTreeMap<String, Vec<&Value>> {
    let mut files: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    let mut path = None;
    for record in records {
        match kind(record) {
            "file" => {
                let written = format!("{:?}", record.get("path"));
                assert!(!files.contains_key(&written), "{written} twice");
                files.insert(written.clone(), Vec::new());
                path = Some(written);
            }
            "entry" => {
                let path = path.as_ref().expect("a file came before");
                files.get_mut(path).expect("it is there").push(record);
            }
            _ => {}
        }
    }
    files
}

pub(crate) fn of_kind<'a>(
    records: &'a [Value],
    name: &'static str,
) -> impl Iterator<Item = &'a Value> {
    records.iter().filter(move |record| kind(record) == name)
}

/// Each line with its original line and what else its entry has. Entries that are written as they are found may be parts
/// of one.
pub(super) fn lines_of<'a>(
    entries: impl Iterator<Item = &'a Value>,
) -> BTreeMap<u64, (u64, String)> {
    let mut lines = BTreeMap::new();
    for entry in entries {
        let keys = [
            "commit",
            "path",
            "previous",
            "boundary",
            "ignored",
            "unblamable",
        ];
        let other = keys.map(|key| entry.get(key).expect("it is there"));
        for nth in 0..number(entry, "lineCount") {
            let line = (number(entry, "originalLine") + nth, format!("{other:?}"));
            let before = lines.insert(number(entry, "finalLine") + nth, line);
            assert_eq!(before, None, "a line is there once");
        }
    }
    lines
}

#[test]
fn every_file_has_the_entries_of_its_own_blame() {
    let (mut compared, mut lines) = (0, 0);
    for seed in 0..seed_count(SEEDS) {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let format = [ObjectFormat::Sha1, ObjectFormat::Sha256][seed as usize % 2];
        let history = History::generate(seed + 17_000, format, storage);
        let repository = &history.repository;
        let options: &[&str] = [&[][..], &["-w"], &["--first-parent"], &["-M"]][seed as usize % 4];
        for place in [history.ids.len() - 1, history.ids.len() / 2] {
            let revision = &history.ids[place];
            let mut arguments = vec!["--tree", "-r", "--json", "--json-fields=lines"];
            arguments.extend(options);
            arguments.extend([revision.as_str(), "--"]);
            let arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
            let all = records(repository, &arguments);
            let files = entries_of_files(&all);
            let mut expected_files = 0;
            for (path, _) in history.trees[place]
                .iter()
                .filter(|(_, file)| file.mode != 0o160_000)
            {
                let mut arguments = vec!["--json", "--json-fields=none"];
                arguments.extend(options);
                arguments.extend([revision.as_str(), "--"]);
                let mut arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
                arguments.push(OsStr::from_bytes(path));
                let alone = records(repository, &arguments);
                let header = alone.first().expect("a header");
                let written = format!("{:?}", header.get("path"));
                let expected = lines_of(of_kind(&alone, "entry"));
                let found = files.get(&written).expect("the file is there");
                assert!(found.is_sorted_by_key(|entry| number(entry, "finalLine")));
                let found = lines_of(found.iter().copied());
                assert_eq!(found, expected, "seed {seed}, {revision}, {written}");
                compared += 1;
                lines += expected.len();
                expected_files += 1;
            }
            assert_eq!(files.len(), expected_files, "seed {seed}, {revision}");
        }
    }
    assert!(
        compared >= 40 && lines >= 400,
        "{compared} files, {lines} lines compared"
    );
}

#[test]
fn entries_of_directories_are_sums_of_their_files() {
    let mut compared = 0;
    for seed in 0..seed_count(SEEDS) {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(seed + 18_000, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let revision = history.ids.last().expect("a history has commits");
        let arguments = |options: &[&'static str]| -> Vec<Value> {
            let all = ["--tree", "--json"].iter().chain(options);
            let mut all: Vec<&OsStr> = all.map(OsStr::new).collect();
            all.extend([OsStr::new(revision), OsStr::new("--")]);
            records(repository, &all)
        };
        // The last commit of an entry does not depend on these options.
        let options = [&[][..], &["-M"], &["-C", "-C"]][seed as usize % 3];
        let files = arguments(&[&["-r"], options].concat());
        let entries = arguments(options);
        let listed = repository.git(&["ls-tree", "-z", revision]);
        let listed = listed
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty());
        assert_eq!(of_kind(&entries, "node").count(), listed.count());
        for key in ["files", "failed", "lines"] {
            let sum = |records: &[Value]| -> u64 {
                of_kind(records, "node").map(|node| number(node, key)).sum()
            };
            assert_eq!(sum(&entries), sum(&files), "seed {seed}: {key}");
            for records in [&entries, &files] {
                let end = of_kind(records, "end").next().expect("an end");
                assert_eq!(number(end, key), sum(records), "seed {seed}: {key}");
            }
            compared += sum(&files);
        }
        for node in of_kind(&files, "node").chain(of_kind(&entries, "node")) {
            let Some(path) = node.get("path").and_then(Value::text) else {
                // A path that is not UTF-8.
                continue;
            };
            let path = format!(":(literal){path}");
            let last = ["log", "-1", "--format=%H", revision, "--", &path];
            let last = repository.git_text(&last);
            let found = node.get("lastCommit").and_then(Value::text);
            assert_eq!(found, Some(last.trim()), "seed {seed}: {path}: {node:?}");
        }
        for node in of_kind(&files, "node").chain(of_kind(&entries, "node")) {
            let years = node.get("years").and_then(Value::list).expect("a list");
            let sum: u64 = years.iter().map(|year| number(year, "lines")).sum();
            assert_eq!(sum, number(node, "lines"), "seed {seed}");
        }
    }
    assert!(compared > 400, "{compared} lines compared");
}

/// A file that cannot be blamed does not end the others.
#[test]
fn an_unreadable_file_fails_alone() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (path, text) in [("a", "1\n"), ("b", "1\n2\n"), ("c/d", "1\n2\n3\n")] {
        repository.write(path.as_bytes(), text.as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "all"]);
    let blob = repository.git_text(&["rev-parse", "HEAD:b"]);
    let (directory, name) = blob.trim().split_at(2);
    let object = repository
        .root()
        .join(".git/objects")
        .join(directory)
        .join(name);
    std::fs::remove_file(object).expect("it is loose");
    let output = run(&repository, &["--tree", "--json"].map(OsStr::new));
    assert_eq!(output.status, Some(128));
    let stderr = output.stderr.to_str_lossy();
    assert!(stderr.contains("error: b: "), "{stderr}");
    assert!(
        stderr.contains("1 of 3 files could not be blamed"),
        "{stderr}"
    );
    let records = records_of(&output.stdout);
    let nodes: Vec<[u64; 3]> = of_kind(&records, "node")
        .map(|node| ["files", "failed", "lines"].map(|key| number(node, key)))
        .collect();
    assert_eq!(nodes, [[1, 0, 1], [0, 1, 0], [1, 0, 3]]);
}

/// A directory that cannot be read does not end the others, at the top or below.
#[test]
fn an_unreadable_directory_fails_alone() {
    for broken in ["c", "c/d"] {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        for (path, text) in [
            ("a", "1\n"),
            ("c/b", "2\n"),
            ("c/d/e", "3\n"),
            ("f/g", "4\n"),
        ] {
            repository.write(path.as_bytes(), text.as_bytes());
        }
        repository.git(&["add", "."]);
        repository.git(&["commit", "-qm", "all"]);
        let tree = repository.git_text(&["rev-parse", &format!("HEAD:{broken}")]);
        repository.write(b"f/g", b"4\n5\n");
        repository.git(&["commit", "-qam", "more"]);
        let (directory, name) = tree.trim().split_at(2);
        let objects = repository.root().join(".git/objects");
        std::fs::remove_file(objects.join(directory).join(name)).expect("it is loose");
        for recursive in [false, true] {
            let mut arguments = vec!["--tree", "--json"];
            arguments.extend(recursive.then_some("-r"));
            arguments.push("HEAD");
            let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
            let output = run(&repository, &arguments);
            assert_eq!(output.status, Some(128), "{output:?}");
            let stderr = output.stderr.to_str_lossy();
            assert!(stderr.contains(&format!("error: {broken}: ")), "{stderr}");
            assert!(stderr.contains("1 of "), "{stderr}");
            let records = records_of(&output.stdout);
            let nodes: Vec<(String, [u64; 3])> = of_kind(&records, "node")
                .map(|node| {
                    let path = node.get("path").and_then(Value::text).expect("a path");
                    let counts = ["files", "failed", "lines"].map(|key| number(node, key));
                    (path.to_owned(), counts)
                })
                .collect();
            let nodes: Vec<(&str, [u64; 3])> = nodes
                .iter()
                .map(|(path, counts)| (path.as_str(), *counts))
                .collect();
            let expected = match (broken, recursive) {
                ("c", false) => vec![("a", [1, 0, 1]), ("c", [0, 1, 0]), ("f", [1, 0, 2])],
                ("c", true) => vec![("a", [1, 0, 1]), ("c", [0, 1, 0]), ("f/g", [1, 0, 2])],
                (_, false) => vec![("a", [1, 0, 1]), ("c", [1, 1, 1]), ("f", [1, 0, 2])],
                (_, true) => vec![
                    ("a", [1, 0, 1]),
                    ("c/b", [1, 0, 1]),
                    ("c/d", [0, 1, 0]),
                    ("f/g", [1, 0, 2]),
                ],
            };
            assert_eq!(nodes, expected, "{broken} {recursive}");
        }
    }
}

#[test]
fn rows_name_entries_and_people() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"dir/a", b"1\n2\n");
    repository.write(b"b", b"1\n");
    repository.git(&["add", "."]);
    repository.git(&[
        "commit",
        "-qm",
        "all",
        "--author=Ann <ann@example.com>",
        "--date=2020-02-03T00:00:00Z",
    ]);
    for (arguments, names) in [
        (&["--tree"][..], &["b  (Ann 100%)", "dir/  (Ann 100%)"][..]),
        (
            &["--tree", "-r", "HEAD"],
            &["b  (Ann 100%)", "dir/a  (Ann 100%)"],
        ),
        (&["--tree", "dir"], &["a  (Ann 100%)"]),
    ] {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let output = run(&repository, &arguments);
        assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
        let text = output.stdout.to_str().expect("UTF-8");
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), names.len(), "{text}");
        for (row, name) in rows.iter().zip(names) {
            assert!(row.ends_with(name), "{row}");
        }
    }
    std::os::unix::fs::symlink(".", repository.root().join("link")).expect("a link");
    repository.write(b"untracked/file", b"1\n");
    for (arguments, message) in [
        (&["--recursive", "b"][..], "--recursive needs --tree"),
        (&["--sort=age", "b"], "--sort needs --tree"),
        (&["--people", "--sort=age", "dir"], "--sort needs --tree"),
        (
            &["--tree", "--sort=ages"],
            "--sort has no order 'ages', but name, changed, lines, age",
        ),
        (&["--json", "--json-fields=lines", "b"], "only with --tree"),
        (
            &["--tree", "--json", "--json-fields=text"],
            "no 'text' with --tree",
        ),
        (&["--tree", "-L1,2"], "--tree cannot be used with -L"),
        (
            &["--tree", "nowhere"],
            "no such directory, and no such revision: 'nowhere'",
        ),
        (&["--tree", "HEAD", "nowhere"], "no such directory nowhere"),
        (&["--tree", ".."], "'..' is outside repository"),
        (&["--tree", "HEAD", ".."], "'..' is outside repository"),
        (&["--people", ".."], "'..' is outside repository"),
        (&["--people", "nowhere"], "no such path 'nowhere' in HEAD"),
        (
            &["--people", "--generated", "b"],
            "--generated needs a directory",
        ),
        (&["--tree", "--", "b"], "b is not a directory"),
        (&["--tree", "HEAD", "--", "b"], "b is not a directory"),
        (&["--tree", "link"], "link is not a directory"),
        (
            &["--tree", "untracked"],
            "no file below untracked is tracked",
        ),
        (
            &["--people", "untracked"],
            "no file below untracked is tracked",
        ),
    ] {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let output = run(&repository, &arguments);
        assert_eq!(output.status, Some(128));
        let stderr = output.stderr.to_str_lossy();
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
}

#[test]
fn entries_are_sorted() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |year: &str| {
        let date = format!("--date={year}-02-03T00:00:00Z");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-qm", year, &date]);
    };
    repository.write(b"b", b"1\n2\n");
    commit("2005");
    repository.write(b"a", b"1\n2\n3\n");
    commit("2010");
    repository.write(b"empty", b"");
    commit("2012");
    repository.write(b"c/d", b"1\n2\n");
    commit("2015");
    // The last change of a file and the dates of its lines differ.
    repository.write(b"b", b"1\n");
    commit("2020");
    repository.write(b"new", b"1\n2\n3\n4\n5\n");
    repository.git(&["add", "."]);
    for (order, names) in [
        ("name", ["a", "b", "c", "empty", "new"]),
        ("changed", ["new", "b", "c", "empty", "a"]),
        ("lines", ["new", "a", "c", "b", "empty"]),
        ("age", ["b", "a", "c", "new", "empty"]),
    ] {
        let sort = format!("--sort={order}");
        let output = run(&repository, &["--tree", &sort].map(OsStr::new));
        let text = output.stdout.to_str().expect("UTF-8");
        assert_eq!(text.lines().count(), names.len(), "{text}");
        for (row, name) in text.lines().zip(names) {
            let mut words = row.split(' ').map(|word| word.trim_end_matches('/'));
            assert!(words.any(|word| word == name), "{order}: {text}");
        }
        for fields in ["none", "lines"] {
            let fields = format!("--json-fields={fields}");
            let words = ["--tree", "--json", &fields, &sort].map(OsStr::new);
            let all = records(&repository, &words);
            let nodes = of_kind(&all, "node").map(|node| node.get("path").and_then(Value::text));
            assert!(nodes.eq(names.map(Some)), "{order} {fields}: {all:?}");
        }
    }
}

/// Sorting moves nodes and changes nothing else of them; equal ones stay as they are.
#[test]
fn sorted_entries_are_those_by_name() {
    let mut moved = 0;
    for seed in 0..seed_count(SEEDS) {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(seed + 18_000, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let revision = history.ids.last().expect("a history has commits");
        let recursive: &[&str] = [&[][..], &["-r"], &["-r", "-M"]][seed as usize % 3];
        let nodes = |order: &[&str]| -> Vec<Value> {
            let words = ["--tree", "--json"].iter().chain(order).chain(recursive);
            let mut words: Vec<&OsStr> = words.map(OsStr::new).collect();
            words.extend([OsStr::new(revision), OsStr::new("--")]);
            let mut all = records(repository, &words);
            all.retain(|record| kind(record) == "node");
            all
        };
        let changed = |node: &Value| -> i64 {
            let id = node.get("lastCommit").and_then(Value::text);
            let id = id.expect("it is committed");
            let time =
                repository.git_text(&["show", "-s", "--no-show-signature", "--format=%at", id]);
            time.trim().parse().expect("a time")
        };
        let by_name = nodes(&[]);
        let show = |nodes: Vec<&Value>| format!("{nodes:#?}");
        let mut expected: Vec<&Value> = by_name.iter().collect();
        expected.sort_by_cached_key(|node| Reverse(changed(node)));
        let found = nodes(&["--sort=changed"]);
        assert_eq!(show(found.iter().collect()), show(expected), "seed {seed}");
        let mut expected: Vec<&Value> = by_name.iter().collect();
        let has_lines = |node: &Value| node.get("kind").and_then(Value::text) != Some("submodule");
        expected.sort_by_key(|node| Reverse((has_lines(node), number(node, "lines"))));
        let found = nodes(&["--sort=lines"]);
        assert_eq!(show(found.iter().collect()), show(expected), "seed {seed}");
        let places = found.iter().zip(&by_name);
        moved += places
            .filter(|(one, other)| one.get("path") != other.get("path"))
            .count();
    }
    assert!(moved > 20, "{moved} nodes moved");
}

/// In a shallow clone, what its first commits seem to have changed may be older.
#[test]
fn what_the_first_commits_of_a_shallow_clone_have_is_marked() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (path, subject) in [
        ("old", "first"),
        ("dir/cut", "second"),
        ("dir/new", "third"),
    ] {
        repository.write(path.as_bytes(), b"1\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-qm", subject]);
    }
    let id = |revision: &str| {
        repository
            .git_text(&["rev-parse", revision])
            .trim()
            .to_owned()
    };
    let (cut, tip) = (id("HEAD~1"), id("HEAD"));
    let nodes = |options: &[&str]| -> Vec<(String, String, bool)> {
        let words = ["--tree", "--json"].iter().chain(options);
        let words: Vec<&OsStr> = words.map(OsStr::new).collect();
        let all = records(&repository, &words);
        let nodes = of_kind(&all, "node").map(|node| {
            let text = |key: &str| node.get(key).and_then(Value::text).unwrap_or_default();
            let is_boundary = node.get("boundary") == Some(&Value::Flag(true));
            (
                text("path").to_owned(),
                text("lastCommit").to_owned(),
                is_boundary,
            )
        });
        nodes.collect()
    };
    // A root commit brought what it has.
    assert!(nodes(&["-r"]).iter().all(|(.., is_boundary)| !is_boundary));
    std::fs::write(repository.root().join(".git/shallow"), format!("{cut}\n")).expect("writable");
    let node =
        |path: &str, commit: &String, is_boundary| (path.to_owned(), commit.clone(), is_boundary);
    let entries = [node("dir", &tip, false), node("old", &cut, true)];
    let files = [
        node("dir/cut", &cut, true),
        node("dir/new", &tip, false),
        node("old", &cut, true),
    ];
    for options in [&[][..], &["HEAD"], &["-M"]] {
        assert_eq!(nodes(options), entries, "{options:?}");
        assert_eq!(nodes(&[options, &["-r"]].concat()), files, "{options:?}");
    }
    let output = run(&repository, &["--tree", "-r"].map(OsStr::new));
    let rows = output.stdout.to_str().expect("UTF-8");
    let ids: Vec<&str> = rows
        .lines()
        .filter_map(|row| row.split(' ').nth(1))
        .collect();
    let cut = format!("^{}", &cut[..9]);
    assert_eq!(ids, [&cut, &tip[..10], &cut], "{rows}");
}

#[test]
fn generated_files_are_counted_apart() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let attributes = "*.gen linguist-generated\n*.of linguist-generated=true\nvendored/** linguist-vendored\n\
                      *.data -diff\n*.txt diff\n/yarn.lock -linguist-generated\n/go.sum linguist-generated=false\n";
    repository.write(b".gitattributes", attributes.as_bytes());
    let generated = [
        "Cargo.lock",
        "a.gen",
        "b.of",
        "below/Cargo.lock",
        "vendored/c",
        "d.data",
        "below/yarn.lock",
        "binary",
        "binary.8000",
    ];
    let ordinary = [
        "yarn.lock",
        "go.sum",
        "Cargo.lock.rs",
        "below/e",
        "text.8001",
        "binary.txt",
    ];
    for path in generated.iter().chain(&ordinary) {
        let text = match *path {
            "binary" | "binary.txt" => b"1\0\n2\n".to_vec(),
            // git looks at 8,000 bytes.
            "binary.8000" => [&b"1\n"[..], &[b'x'; 7997], b"\0\n"].concat(),
            "text.8001" => [&b"1\n"[..], &[b'x'; 7998], b"\0\n"].concat(),
            _ => b"1\n2\n".to_vec(),
        };
        repository.write(path.as_bytes(), &text);
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "all"]);
    let all = (generated.len() + ordinary.len() + 1) as u64;
    // Again from what is kept, and each file alone.
    for revision in [&[][..], &["HEAD"], &["HEAD"], &["-M", "HEAD"]] {
        let words = ["--tree", "-r", "--json", "--json-fields=lines"];
        let words: Vec<&OsStr> = words.iter().chain(revision).map(OsStr::new).collect();
        let apart = records(&repository, &words);
        for file in of_kind(&apart, "file") {
            let path = file.get("path").and_then(Value::text).expect("a path");
            let is_generated = Value::Flag(generated.contains(&path));
            assert_eq!(file.get("generated"), Some(&is_generated), "{path}");
        }
        for node in of_kind(&apart, "node") {
            let path = node.get("path").and_then(Value::text).expect("a path");
            let keys = ["files", "generatedFiles", "generatedLines"];
            let found = keys.map(|key| number(node, key));
            let expected = if generated.contains(&path) {
                [0, 1, 2]
            } else {
                [1, 0, 0]
            };
            assert_eq!(found, expected, "{path}");
            let people = node.get("people").and_then(Value::list).expect("a list");
            assert_eq!(people.is_empty(), generated.contains(&path), "{path}");
        }
        let end = |records: &[Value]| {
            let end = of_kind(records, "end").next().expect("an end");
            ["files", "generatedFiles", "generatedLines", "lines"].map(|key| number(end, key))
        };
        let apart_count = generated.len() as u64;
        let lines = 2 * ordinary.len() as u64 + 7;
        let expected = [all - apart_count, apart_count, 2 * apart_count, lines];
        assert_eq!(end(&apart), expected);
        let words = ["--tree", "--json", "--generated"];
        let words: Vec<&OsStr> = words.iter().chain(revision).map(OsStr::new).collect();
        let together = records(&repository, &words);
        assert_eq!(end(&together), [all, 0, 0, lines + 2 * apart_count]);
    }
    let output = run(&repository, &["--tree"].map(OsStr::new));
    let text = output.stdout.to_str().expect("UTF-8");
    let below = text.lines().find(|row| row.contains("below/"));
    let below = below.expect("it is an entry");
    assert!(
        below.ends_with("below/  (A U Thor 100%)  [+4 generated or binary]"),
        "{below}"
    );
}

#[test]
fn a_directory_without_a_commit_is_an_error() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"dir/file", b"1\n");
    for arguments in [
        &["--tree"][..],
        &["--tree", "dir"],
        &["--viewer", "dir"],
        &["--viewer"],
    ] {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let output = run(&repository, &arguments);
        let message = output.stderr.to_str_lossy();
        assert_eq!(message, "fatal: there is no commit yet\n", "{arguments:?}");
        assert_eq!(output.status, Some(128));
    }
}

#[test]
fn the_dates_of_rows_have_the_format_of_the_option() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"file", b"1\n");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "one"]);
    let mut compared = 0;
    for date in ["short", "iso", "unix", "rfc", "raw", "format:%Y %%"] {
        let option = format!("--date={date}");
        let git = repository.git_text(&["log", "-1", "--format=%ad", &option]);
        let output = run(&repository, &["--tree", &option].map(OsStr::new));
        let text = output.stdout.to_str_lossy();
        let expected = format!("{:10} ", git.trim_end());
        assert!(text.starts_with(&expected), "{date}: {text}");
        compared += 1;
    }
    let configured = ["-c", "blame.date=unix", "--tree"];
    let output = run(&repository, &configured.map(OsStr::new));
    let git = repository.git_text(&["log", "-1", "--format=%at"]);
    assert!(
        output.stdout.starts_with(git.trim_end().as_bytes()),
        "{output:?}"
    );
    assert_eq!(compared, 6);
}

#[test]
fn uncommitted_lines_have_a_summary_without_names() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"dir/f", b"1\n");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-qm", "one"]);
    repository.write(b"dir/f", b"1\n2\n");
    for directory in [&[][..], &["dir"]] {
        let words = [
            &["--tree", "-r", "--json", "--json-fields=lines"],
            directory,
        ]
        .concat();
        let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        let found = records(&repository, &words);
        let null = "0".repeat(40);
        let mut commits = of_kind(&found, "commit");
        let uncommitted = commits.find(|it| it.get("id").and_then(Value::text) == Some(&null));
        let summary = uncommitted.expect("it has a line").get("summary");
        let text = summary.and_then(Value::text);
        assert_eq!(text, Some("Contents that are not committed"));
    }
}
