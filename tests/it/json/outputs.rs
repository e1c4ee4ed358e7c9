//! Outputs of generated and small repositories.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
};

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

const SEEDS: u64 = 16;
/// Files of each history.
const FILES: usize = 5;

/// Runs tblame, which must succeed, and reads and checks its records.
fn records(repository: &TestRepo, options: &[&str], revision: &str, path: &[u8]) -> Vec<Value> {
    let mut command = repository.command(tblame_program().as_os_str());
    command.args(options).arg(revision).arg("--");
    let output = ProgramOutput::of(command.arg(OsStr::from_bytes(path)));
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    records_of(&output.stdout)
}

fn kind(record: &Value) -> &str {
    record.get("type").and_then(Value::text).expect("a type")
}

fn number(record: &Value, key: &str) -> u64 {
    record.get(key).and_then(Value::number).expect("a number")
}

/// Checks the order of the records of a blame, and returns the commit and the original line of each line.
fn lines_of(records: &[Value]) -> BTreeMap<u64, (String, u64)> {
    let (Some(header), Some(end)) = (records.first(), records.last()) else {
        panic!("there are no records");
    };
    assert_eq!((kind(header), kind(end)), ("header", "end"));
    let mut commits = BTreeSet::new();
    let mut lines = BTreeMap::new();
    let mut entries = 0;
    for record in &records[1..records.len() - 1] {
        let text = |key: &str| record.get(key).and_then(Value::text).map(str::to_owned);
        if kind(record) == "commit" {
            assert!(
                commits.insert(text("id").expect("an id")),
                "a commit comes twice"
            );
            continue;
        }
        assert_eq!(kind(record), "entry");
        entries += 1;
        let commit = text("commit").expect("an id");
        assert!(commits.contains(&commit), "an entry before its commit");
        for at in 0..number(record, "lineCount") {
            let place = (commit.clone(), number(record, "originalLine") + at);
            let known = lines.insert(number(record, "finalLine") + at, place);
            assert_eq!(known, None, "a line comes twice");
        }
    }
    let counts = [commits.len(), entries, lines.len()].map(|count| count as u64);
    assert_eq!(
        counts,
        ["commits", "entries", "lines"].map(|key| number(end, key))
    );
    lines
}

/// The commit and the original line of each line by git.
fn lines_of_git(
    repository: &TestRepo,
    revision: &str,
    path: &[u8],
) -> BTreeMap<u64, (String, u64)> {
    let words = ["blame", "--porcelain", revision, "--"].map(OsStr::new);
    let mut words = words.to_vec();
    words.push(OsStr::from_bytes(path));
    let output = repository.git(&words);
    let mut lines = BTreeMap::new();
    for line in output.lines() {
        let line = line.to_str_lossy();
        let words: Vec<&str> = line.split(' ').collect();
        let is_id = [40, 64].contains(&words[0].len());
        let is_id = is_id && words[0].bytes().all(|byte| byte.is_ascii_hexdigit());
        if let ([id, original, last, ..], true) = (&*words, is_id)
            && let (Ok(original), Ok(last)) = (original.parse(), last.parse())
        {
            lines.insert(last, ((*id).to_owned(), original));
        }
    }
    lines
}

#[test]
fn records_of_generated_histories_match_the_schema_and_git() {
    let mut compared = 0;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 60_000..60_000 + seed_count(SEEDS) {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        let format = match seed % 4 {
            0 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, format, storage);
        let repository = &history.repository;
        let mut rng = Rng::new(seed);
        for nth in 0..4 {
            let target = rng.pick(&history.ids).clone();
            repository.git(&["update-ref", &format!("refs/tags/v{nth}"), &target]);
        }
        for (nth, (revision, path)) in history.samples(&mut rng, FILES).iter().enumerate() {
            let fields = [
                "--json",
                "--json-fields=none",
                "--json-fields=text,release,request,trailers",
            ][nth % 3];
            let blame = records(repository, &[fields], revision, path);
            let lines = lines_of(&blame);
            assert_eq!(lines, lines_of_git(repository, revision, path));
            compared += lines.len();
            let mut all = blame;
            let history = match nth % 2 {
                0 => &["--json", "--file-history"][..],
                _ => &["--json", "--file-history", "--search=e"],
            };
            all.extend(records(repository, history, revision, path));
            let deletions = ["--json", "--deletions"];
            all.extend(records(repository, &deletions, revision, path));
            if !lines.is_empty() {
                let history = ["--json", "--line-history", "-L1,+3"];
                all.extend(records(repository, &history, revision, path));
            }
            for record in &all {
                *counts.entry(kind(record).to_owned()).or_default() += 1;
            }
        }
    }
    eprintln!("{compared} lines, {counts:?}");
    assert!(compared >= 500, "{compared} lines");
    let kinds: Vec<&str> = counts.keys().map(String::as_str).collect();
    assert_eq!(
        kinds,
        [
            "change", "commit", "deletion", "end", "entry", "header", "version"
        ]
    );
}

#[test]
fn commits_tell_releases_requests_and_trailers() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"one\n");
    repository.git(&["add", "f"]);
    let message = "Add it (#3)\n\nCo-authored-by: B C <b@example.com>";
    repository.git(&["commit", "-q", "-m", message]);
    repository.git(&["tag", "v1"]);
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.write(b"f", b"one\ntwo\n");
    repository.git(&["commit", "-q", "-a", "-m", "Add more"]);
    repository.git(&["checkout", "-q", "main"]);
    let message = "Merge branch 'side'\n\nSee merge request a/b!4";
    repository.git(&["merge", "-q", "--no-ff", "-m", message, "side"]);
    let merge = repository.git_text(&["rev-parse", "HEAD"]);
    let fields = "--json-fields=release,request,trailers";
    let records = records(&repository, &[fields], "HEAD", b"f");
    let commits: Vec<&Value> = records.iter().filter(|it| kind(it) == "commit").collect();
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let of = |summary: &str, key: &str| {
        let commit = commits
            .iter()
            .find(|it| it.get("summary") == text(summary).as_ref());
        commit.expect("the commit is there").get(key).cloned()
    };
    assert_eq!(of("Add it (#3)", "release"), text("v1"));
    assert_eq!(of("Add it (#3)", "merge"), Some(Value::Null));
    assert_eq!(of("Add it (#3)", "request"), text("#3"));
    let trailer = "[{\"key\":\"Co-authored-by\",\"value\":\"B C <b@example.com>\"}]";
    assert_eq!(of("Add it (#3)", "trailers"), Some(Value::read(trailer)));
    assert_eq!(of("Add more", "release"), Some(Value::Null));
    assert_eq!(of("Add more", "merge"), text(&merge));
    assert_eq!(of("Add more", "request"), text("!4"));
    assert_eq!(of("Add more", "trailers"), Some(Value::List(Vec::new())));
}

#[test]
fn an_unknown_field_is_refused() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"one\n");
    repository.git(&["add", "f"]);
    repository.git(&["commit", "-q", "-m", "one"]);
    let mut command = repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(command.args(["--json-fields=text,weight", "f"]));
    assert_eq!(
        output.stderr.as_bstr(),
        "fatal: --json-fields has no field 'weight', but text, release, request, trailers, agent, lines and none\n"
    );
    assert_eq!((output.status, output.stdout.len()), (Some(128), 0));
}

#[test]
fn a_blame_that_fails_has_no_end() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"one\n");
    repository.git(&["add", "f"]);
    repository.git(&["commit", "-q", "-m", "one"]);
    let root = repository.git_text(&["rev-parse", "HEAD"]);
    repository.write(b"f", b"one\ntwo\n");
    repository.git(&["commit", "-q", "-a", "-m", "two"]);
    let blob = repository.git_text(&["rev-parse", &format!("{root}:f")]);
    let file = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
    std::fs::remove_file(repository.root().join(file)).expect("the object is a file");
    let mut command = repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(command.args(["--json", "HEAD", "--", "f"]));
    assert_ne!(output.status, Some(0));
    assert!(!output.stdout.contains_str("\"type\":\"end\""));
}
