//! The commits of removed lines are those of `git blame BASE -- PATH`.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
};

use bstr::ByteSlice;

use super::{bytes, kind, number, records, run};
use crate::{
    harness::{
        compare::seed_count,
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
    json::{schema::records_of, value::Value},
};

/// A line of an old side: the number of the parent, the path and the line.
type Place = (u64, Vec<u8>, u64);

/// Options of the blames.
const OPTIONS: [&[&str]; 4] = [&[], &[], &["-w"], &["-M"]];

/// What git says of lines: the commit and the line there.
pub type Blame = BTreeMap<u64, (String, u64)>;

pub fn blame_of_git(repository: &TestRepo, options: &[&str], base: &str, path: &[u8]) -> Blame {
    let arguments = [&["blame", "--line-porcelain"], options, &[base, "--"]].concat();
    let arguments = arguments.into_iter().map(OsStr::new);
    let arguments: Vec<&OsStr> = arguments.chain([OsStr::from_bytes(path)]).collect();
    let mut lines = Blame::new();
    for line in repository.git(&arguments).lines() {
        let words: Vec<&str> = line
            .split_str(" ")
            .map(|word| word.to_str().unwrap_or(""))
            .collect();
        if let [id, original, last, ..] = words[..]
            && id.len() >= 40
            && id.bytes().all(|digit| digit.is_ascii_hexdigit())
        {
            let number = |word: &str| word.parse().expect("a number");
            lines.insert(number(last), (id.to_owned(), number(original)));
        }
    }
    lines
}

/// Compares the records with git's blames of `bases`, one for each parent, and returns the removed
/// lines.
fn compare(
    repository: &TestRepo,
    records: &[Value],
    bases: &[String],
    options: &[&str],
    known: &mut BTreeMap<(String, Vec<u8>), Blame>,
) -> BTreeSet<Place> {
    let mut removed = BTreeSet::new();
    let mut commits = BTreeSet::new();
    let mut counts = [0, 0];
    for record in records {
        match kind(record) {
            "commit" => {
                let id = record.get("id").and_then(Value::text).expect("an id");
                assert!(commits.insert(id.to_owned()), "{id} comes twice");
            }
            "removed" | "neighbour" => {
                let parent = number(record, "parent").unwrap_or(1);
                let base = &bases[parent as usize - 1];
                let path = bytes(record, "path");
                let line = number(record, "line").expect("a line");
                let blame = known
                    .entry((base.clone(), path.clone()))
                    .or_insert_with(|| blame_of_git(repository, options, base, &path));
                let commit = record.get("commit").and_then(Value::text).expect("an id");
                assert!(commits.contains(commit), "{commit} is not written before");
                let found = (
                    commit.to_owned(),
                    number(record, "originalLine").expect("a line"),
                );
                assert_eq!(
                    Some(&found),
                    blame.get(&line),
                    "{base} {}:{line}",
                    path.as_bstr()
                );
                let is_removed = kind(record) == "removed";
                counts[usize::from(is_removed)] += 1;
                if is_removed {
                    assert!(removed.insert((parent, path, line)), "a line comes twice");
                }
            }
            _ => {}
        }
    }
    let end = records.last().expect("records");
    assert_eq!(kind(end), "end");
    let told = ["neighbours", "removed"].map(|key| number(end, key).expect("a count"));
    assert_eq!(told, counts);
    assert_eq!(number(end, "commits"), Some(commits.len() as u64));
    removed
}

/// How many lines a plain or combined diff removes, of each parent.
fn count_removed(repository: &TestRepo, arguments: &[&str]) -> u64 {
    let text = repository.git(arguments);
    let patch = tblame::internals::patch::parser::Patch::parse(text.into()).expect("a small patch");
    let mut count = 0;
    for file in &patch.files {
        for hunk in &file.hunks {
            for line in hunk.lines(&patch.text).filter(|line| line.is_removed()) {
                count += (0..hunk.old.len())
                    .filter(|&parent| line.is_in_old(parent))
                    .count();
            }
        }
    }
    count as u64
}

#[test]
fn removed_lines_are_those_of_git_blame() {
    let (mut compared, mut combined, mut renamed) = (0, 0, 0);
    let mut without_context = (0, 0);
    for seed in 0..seed_count(12) {
        let mut rng = Rng::new(seed);
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let parents = repository.git_text(&["log", "--all", "--format=%H %P"]);
        let mut parents: Vec<Vec<String>> = parents
            .lines()
            .map(|line| line.split(' ').map(str::to_owned).collect())
            .collect();
        parents.retain(|ids| ids.len() > 1 && !ids[1].is_empty());
        for _ in 0..6 {
            let ids = rng.pick(&parents);
            let (commit, bases) = (ids[0].as_str(), &ids[1..]);
            let options = *rng.pick(&OPTIONS);
            let mut known = BTreeMap::new();
            let context = format!("-U{}", rng.below(5));
            let diff = ["diff", "--text", "-M", &context, &bases[0], commit];
            // As a pipe, with the base given.
            let patch = repository.git(&diff);
            let mut patch = patch.to_vec();
            patch.push(b'\n');
            let arguments = [options, &["--base", &bases[0]]].concat();
            let found = records(repository, &arguments, &patch);
            let removed = compare(repository, &found, bases, options, &mut known);
            assert_eq!(
                removed.len() as u64,
                count_removed(repository, &diff),
                "seed {seed} {commit}"
            );
            compared += removed.len();
            renamed += patch.find_iter("\nrename from ").count();
            // As a pipe, by the commit that it names, and with all parents.
            let show = ["show", "--text", "--format=raw", "-m", "-M", commit];
            let mut patch = repository.git(&show);
            patch.push(b'\n');
            if bases.len() == 1 {
                let found = records(repository, options, &patch);
                let removed = compare(repository, &found, bases, options, &mut known);
                assert_eq!(removed.len() as u64, count_removed(repository, &show));
                compared += removed.len();
            } else {
                let show = [
                    "show",
                    "--text",
                    "--format=raw",
                    *rng.pick(&["--cc", "-c"]),
                    commit,
                ];
                let mut patch = repository.git(&show);
                patch.push(b'\n');
                let found = records(repository, options, &patch);
                let removed = compare(repository, &found, bases, options, &mut known);
                assert_eq!(removed.len() as u64, count_removed(repository, &show));
                combined += removed.len();
                // Without context, what is found is at the same places, and nothing is taken for another.
                let whole = ["show", "--text", "--format=raw", "-c", commit];
                let whole = repository.git(&whole);
                let whole = records(repository, options, &[&whole[..], b"\n"].concat());
                let whole = compare(repository, &whole, bases, options, &mut known);
                for merged in ["-c", "--cc"] {
                    let bare = ["show", "--text", "--format=raw", "-U0", merged, commit];
                    let patch = [&repository.git(&bare)[..], b"\n"].concat();
                    let output = run(repository, &[options, &["--json"]].concat(), &patch);
                    let found = records_of(&output.stdout);
                    let unapplied = found.iter().filter(|it| kind(it) == "unapplied");
                    let unapplied = unapplied.inspect(|it| {
                        let reason = bytes(it, "reason");
                        assert!(
                            reason.contains_str("at several places"),
                            "{}",
                            reason.as_bstr()
                        );
                    });
                    let unapplied = unapplied.count();
                    assert_eq!(output.status, Some(if unapplied > 0 { 128 } else { 0 }));
                    let removed = compare(repository, &found, bases, options, &mut known);
                    assert!(removed.is_subset(&whole), "seed {seed} {commit} {merged}");
                    if unapplied == 0 {
                        assert_eq!(removed.len() as u64, count_removed(repository, &bare));
                    }
                    without_context.0 += removed.len();
                    without_context.1 += unapplied;
                }
            }
            // As a range, with a diff of tblame's own.
            let range = format!("{}..{commit}", bases[0]);
            let found = records(repository, &[options, &[&range]].concat(), b"");
            compared += compare(repository, &found, bases, options, &mut known).len();
        }
    }
    assert!(
        compared > 500 && combined > 10 && renamed > 5 && without_context.0 > 20,
        "{compared} {combined} {renamed} {without_context:?}"
    );
}

/// Compares the records with git's blames of the bases that they name, and returns how many lines
/// were compared. `found` is called with each base and its path.
fn compare_with_named(
    repository: &TestRepo,
    records: &[Value],
    found: &mut dyn FnMut(&str, &[u8], &str),
) -> usize {
    let mut base = String::new();
    let (mut known, mut compared) = (BTreeMap::new(), 0);
    for record in records {
        let text = |key: &str| record.get(key).and_then(Value::text).expect("a text");
        match kind(record) {
            "base" => {
                base = text("commit").to_owned();
                found(&base, &bytes(record, "path"), text("foundBy"));
            }
            "removed" | "neighbour" => {
                let path = bytes(record, "path");
                let blame = known
                    .entry((base.clone(), path.clone()))
                    .or_insert_with(|| blame_of_git(repository, &[], &base, &path));
                let line = number(record, "line").expect("a line");
                let written = number(record, "originalLine").expect("a line");
                let expected = (text("commit").to_owned(), written);
                assert_eq!(
                    Some(&expected),
                    blame.get(&line),
                    "{base} {}",
                    path.as_bstr()
                );
                compared += 1;
            }
            _ => {}
        }
    }
    compared
}

#[test]
fn bases_are_found_by_their_contents_whatever_became_of_their_paths() {
    let (mut compared, mut gone) = (0, 0);
    for seed in 0..seed_count(16) {
        let mut rng = Rng::new(seed);
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(7_000 + seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let log = repository.git_text(&["log", "--format=%H %P"]);
        let parents: Vec<Vec<&str>> = log
            .lines()
            .map(|line| line.split(' ').collect::<Vec<_>>())
            .filter(|ids| ids.len() > 1 && !ids[1].is_empty())
            .collect();
        if parents.is_empty() {
            continue;
        }
        for _ in 0..8 {
            let ids = rng.pick(&parents);
            let parent = ids[1 + rng.below(ids.len() - 1)];
            // Nothing in it names a commit.
            let diff = ["diff", "--text", "--full-index", parent, ids[0]];
            let patch = [repository.git(&diff), b"\n".to_vec()].concat();
            let blobs: Vec<String> = patch
                .lines()
                .filter_map(|line| line.strip_prefix(b"index "))
                .map(|ids| ids[..40].to_str().expect("an id").to_owned())
                .collect();
            let found = records(repository, &[], &patch);
            compared += compare_with_named(repository, &found, &mut |base, path, rule| {
                let place = [base.as_bytes(), b":", path].concat();
                let place = OsStr::from_bytes(&place);
                let blob = repository.git_text(&[OsStr::new("rev-parse"), place]);
                assert_eq!(rule, "contents", "seed {seed} {}", path.as_bstr());
                assert!(blobs.contains(&blob), "seed {seed} {blob} {blobs:?}");
                let at_head = [b"HEAD:", path].concat();
                let arguments = ["rev-parse", "--verify", "-q"].map(OsStr::new);
                let arguments = [&arguments[..], &[OsStr::from_bytes(&at_head)]].concat();
                gone += usize::from(!repository.git_output(&arguments, b"").status.success());
            });
        }
    }
    assert!(compared > 300 && gone > 10, "{compared} {gone}");
}
