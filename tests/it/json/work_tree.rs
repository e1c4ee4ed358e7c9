//! `--tree` of the work tree: every file that git tracks and that is there, as git blames it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::Path,
};

use bstr::{BString, ByteSlice};

use crate::{
    harness::{
        compare::seed_count,
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
    json::{
        tree::{entries_of_files, lines_of, number, of_kind, records},
        value::Value,
    },
};

const SEEDS: u64 = 14;
/// What is done to a file, or to the repository.
pub(crate) const STATES: [&str; 20] = [
    "edited",
    "staged",
    "edited after staging",
    "touched",
    "removed",
    "removed from the index",
    "untracked",
    "new",
    "intent to add",
    "renamed",
    "executable",
    "executable here",
    "link in its place",
    "directory in its place",
    "file in place of its directory",
    "link in place of its directory",
    "left out",
    "left out and staged",
    "carriage returns",
    "merge",
];
/// Attributes of new files.
const ATTRIBUTES: &[u8] =
    b"*.crlf text eol=crlf\n*.shift filter=shift\n*.auto text=auto\n*.id ident\n";

pub(crate) fn place(repository: &TestRepo, path: &[u8]) -> std::path::PathBuf {
    repository.root().join(OsStr::from_bytes(path))
}

fn git(repository: &TestRepo, words: &[&str], path: &[u8]) -> Vec<u8> {
    let mut words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
    let literal = OsStr::new("--literal-pathspecs");
    words.insert(0, literal);
    words.extend([OsStr::new("--"), OsStr::from_bytes(path)]);
    repository.git_output(&words, b"").stdout
}

/// The paths of the index, each once.
pub(crate) fn tracked(repository: &TestRepo, words: &[&str]) -> Vec<BString> {
    let listed = repository.git(&[&["ls-files", "-z"][..], words].concat());
    let listed = listed.split(|&byte| byte == 0);
    let paths: BTreeSet<BString> = listed
        .filter(|path| !path.is_empty())
        .map(BString::from)
        .collect();
    paths.into_iter().collect()
}

fn edited(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for _ in 0..rng.between(1, 3) {
        let at = rng.below(lines.len() + 1);
        if at < lines.len() && rng.chance(40) {
            lines.remove(at);
        } else {
            lines.insert(at, format!("line {}\n", rng.below(1_000)).into_bytes());
        }
    }
    lines.concat()
}

/// Brings a file of the work tree into a state. What the file system or git refuses is left as it is.
pub(crate) fn change(repository: &TestRepo, path: &[u8], state: &str, rng: &mut Rng) {
    let file = place(repository, path);
    let text = std::fs::read(&file).unwrap_or_default();
    let is_file = file.symlink_metadata().is_ok_and(|it| it.is_file());
    let add = || drop(git(repository, &["add", "-f"], path));
    let named = |end: &str| [path, end.as_bytes()].concat();
    let parent = file.parent().filter(|it| *it != repository.root());
    match state {
        "edited" | "staged" | "edited after staging" if is_file => {
            std::fs::write(&file, edited(&text, rng)).expect("it is writable");
            if state != "edited" {
                add();
            }
            if state == "edited after staging" {
                let text = if rng.chance(30) {
                    text
                } else {
                    edited(&text, rng)
                };
                std::fs::write(&file, text).expect("it is writable");
            }
        }
        "touched" if is_file => {
            std::fs::remove_file(&file).expect("it is there");
            std::fs::write(&file, text).expect("it is writable");
        }
        "removed" => drop(std::fs::remove_file(&file)),
        "removed from the index" => drop(git(repository, &["rm", "-q", "--cached"], path)),
        "untracked" => drop(std::fs::write(
            place(repository, &named(".untracked")),
            "one\n",
        )),
        "new" | "intent to add" if is_file => {
            let path = named(rng.pick::<&str>(&[".new", ".crlf", ".shift", ".auto", ".id"]));
            let text = [&b"first $Id: x $\r\n"[..], &text].concat();
            repository.write(&path, &text);
            let word = if state == "new" { "-f" } else { "-N" };
            git(repository, &["add", word], &path);
        }
        "renamed" => {
            let to = named(".renamed");
            let words = ["mv", "--"].map(OsStr::new);
            let paths = [path, &to].map(OsStr::from_bytes);
            repository.git_output(&[words, paths].concat(), b"");
        }
        "executable" if is_file => drop(git(repository, &["update-index", "--chmod=+x"], path)),
        "executable here" if is_file => {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&file, mode).expect("it is our own");
        }
        "link in its place" => {
            drop(std::fs::remove_file(&file));
            drop(symlink("a/target", &file));
            if rng.chance(50) {
                add();
            }
        }
        "directory in its place" => {
            drop(std::fs::remove_file(&file));
            let inner = named("/inner");
            if std::fs::create_dir_all(&file).is_ok() {
                drop(std::fs::write(place(repository, &inner), b"inner\n"));
                if rng.chance(50) {
                    git(repository, &["add", "-f"], &inner);
                }
            }
        }
        "file in place of its directory" | "link in place of its directory" => {
            if let Some(parent) = parent
                && std::fs::remove_dir_all(parent).is_ok()
            {
                if state.starts_with("file") {
                    drop(std::fs::write(parent, b"a file\n"));
                } else {
                    drop(symlink(".", parent));
                }
                if rng.chance(50) {
                    let below = parent.strip_prefix(repository.root()).expect("below");
                    let below = below.as_os_str().as_bytes().to_vec();
                    git(repository, &["add", "-f"], &below);
                }
            }
        }
        "left out" | "left out and staged" if is_file => {
            if state != "left out" {
                std::fs::write(&file, edited(&text, rng)).expect("it is writable");
                add();
            }
            git(repository, &["update-index", "--skip-worktree"], path);
            std::fs::remove_file(&file).expect("it is there");
        }
        "carriage returns" if is_file => {
            std::fs::write(&file, text.replace("\n", "\r\n")).expect("it is writable");
        }
        "merge" => {
            repository.git_output(&["stash", "-q"], b"");
            let other = ["merge", "-q", "--no-commit", "other"];
            repository.git_output(&other, b"");
            repository.git_output(&["stash", "pop", "-q"], b"");
        }
        _ => {}
    }
}

/// Checks HEAD out, with a branch that changes some of its files, and attributes.
pub(crate) fn check_out(repository: &TestRepo, head: &str, rng: &mut Rng) {
    repository.git(&["config", "filter.shift.clean", "tr a-y b-z"]);
    repository.git(&[
        "config",
        "core.autocrlf",
        *rng.pick(&["false", "false", "input", "true"]),
    ]);
    repository.git(&["checkout", "-q", "-f", "-B", "main", head]);
    repository.git(&["checkout", "-q", "-b", "other"]);
    for path in tracked(repository, &[]) {
        let file = place(repository, &path);
        if rng.chance(50) && file.symlink_metadata().is_ok_and(|it| it.is_file()) {
            let text = std::fs::read(&file).expect("it is readable");
            std::fs::write(&file, edited(&text, rng)).expect("it is writable");
        }
    }
    repository.git(&["commit", "-q", "--allow-empty", "-a", "-m", "other"]);
    repository.git(&["checkout", "-q", "-f", "main"]);
    repository.write(b".git/info/attributes", ATTRIBUTES);
}

/// True if all that is above a path are directories, and no links to any.
pub(crate) fn has_directories(repository: &TestRepo, path: &[u8]) -> bool {
    let above = Path::new(OsStr::from_bytes(path)).ancestors().skip(1);
    above.filter(|it| !it.as_os_str().is_empty()).all(|above| {
        let there = repository.root().join(above).symlink_metadata();
        there.is_ok_and(|there| there.is_dir())
    })
}

/// By final line: the commit and the original line that git names.
fn lines_of_git(output: &[u8]) -> BTreeMap<u64, (String, u64)> {
    let mut lines = BTreeMap::new();
    let mut is_header = true;
    for line in output.split_str("\n") {
        if is_header && !line.is_empty() {
            let words: Vec<&str> = line.to_str().expect("UTF-8").split(' ').collect();
            let number = |at: usize| -> u64 { words[at].parse().expect("a number") };
            lines.insert(number(2), (words[0].to_owned(), number(1)));
        }
        is_header = line.starts_with(b"\t");
    }
    lines
}

/// As [`lines_of_git`], from entries.
fn commits_of(entries: &[&Value]) -> BTreeMap<u64, (String, u64)> {
    let mut lines = BTreeMap::new();
    for entry in entries {
        let commit = entry.get("commit").and_then(Value::text).expect("an id");
        for nth in 0..number(entry, "lineCount") {
            let line = (commit.to_owned(), number(entry, "originalLine") + nth);
            lines.insert(number(entry, "finalLine") + nth, line);
        }
    }
    lines
}

#[derive(Debug, Default)]
struct Compared {
    files: usize,
    lines: usize,
    uncommitted: usize,
    left_out: usize,
    /// Whether the index tells git which files are as they were, as they are.
    compares_with_diff: bool,
    compared_with_diff: usize,
    states: BTreeMap<&'static str, usize>,
}

fn compare(repository: &TestRepo, options: &[&str], context: &str, compared: &mut Compared) {
    let mut arguments = vec!["--tree", "-r", "--json", "--json-fields=lines"];
    arguments.extend(options);
    let arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
    let all = records(repository, &arguments);
    let files = entries_of_files(&all);
    let nodes: BTreeMap<String, &Value> = of_kind(&all, "node")
        .map(|node| (format!("{:?}", node.get("path")), node))
        .collect();
    let staged = repository.git(&["ls-files", "-z", "-t", "-s"]);
    let staged = staged.split(|&byte| byte == 0);
    // A letter, the mode, the id and the stage; a path may have several stages.
    let staged: Vec<(&[u8], &[u8])> = staged.filter_map(|it| it.split_once_str("\t")).collect();
    let with = |wanted: fn(&[u8]) -> bool| -> BTreeSet<&[u8]> {
        let staged = staged.iter().filter(|(entry, _)| wanted(entry));
        staged.map(|(_, path)| *path).collect()
    };
    let skipped = with(|entry| entry.starts_with(b"S "));
    let submodules = with(|entry| entry[1..].starts_with(b" 160000 "));
    // Contents, types and modes: git compares with the index first, where a conflict is a change.
    let differ = repository.git(&["diff", "--name-only", "-z", "--no-renames", "HEAD"]);
    let differ: BTreeSet<&[u8]> = differ.split(|&byte| byte == 0).collect();
    let conflicted = with(|entry| !entry.ends_with(b" 0"));
    let mut expected = 0;
    for path in with(|_| true) {
        let path = BString::from(path);
        let there = place(repository, &path).symlink_metadata();
        let there = there.ok().filter(|_| has_directories(repository, &path));
        let is_left_out = there.is_none() && skipped.contains(path.as_slice());
        let is_file = there.is_some_and(|it| it.is_file() || it.is_symlink());
        if submodules.contains(path.as_slice()) || !(is_file || is_left_out) {
            continue;
        }
        let mut git_words: Vec<&OsStr> = ["blame", "--line-porcelain"].map(OsStr::new).into();
        git_words.extend(options.iter().map(OsStr::new));
        let mut contents = Vec::new();
        if is_left_out {
            let blob = [b":0:", path.as_slice()].concat();
            let words = [&b"cat-file"[..], b"blob", &blob].map(OsStr::from_bytes);
            contents = repository.git_output(&words, b"").stdout;
            git_words.extend(["--contents", "-"].map(OsStr::new));
            compared.left_out += 1;
        }
        git_words.extend([OsStr::new("--"), OsStr::from_bytes(&path)]);
        let blamed = repository.git_output(&git_words, &contents);
        let context = format!("{context}: {path}");
        assert!(
            blamed.status.success(),
            "{context}: {}",
            blamed.stderr.as_bstr()
        );
        let mut words: Vec<&OsStr> = ["--json", "--json-fields=none"].map(OsStr::new).into();
        words.extend(options.iter().map(OsStr::new));
        words.extend([OsStr::new("--"), OsStr::from_bytes(&path)]);
        if is_left_out && path.to_str().is_err() {
            // Its name as it is written cannot be had from a blame of the file.
            expected += 1;
            continue;
        }
        let written = match path.to_str() {
            Ok(path) => format!("{:?}", Some(&Value::Text(path.to_owned()))),
            Err(_) => {
                let alone = records(repository, &words);
                format!("{:?}", alone[0].get("path"))
            }
        };
        let found = files.get(&written);
        let found = found.unwrap_or_else(|| panic!("{context} is not listed: {:?}", files.keys()));
        assert_eq!(commits_of(found), lines_of_git(&blamed.stdout), "{context}");
        if !is_left_out {
            let alone = records(repository, &words);
            let alone = lines_of(of_kind(&alone, "entry"));
            assert_eq!(lines_of(found.iter().copied()), alone, "{context}");
        }
        let node = nodes[&written];
        let is_uncommitted = node.get("uncommitted").expect("it is there");
        let has_lines = found.iter().any(|it| {
            let commit = it.get("commit").and_then(Value::text);
            commit.is_some_and(|it| it.bytes().all(|byte| byte == b'0'))
        });
        let is_uncommitted = matches!(is_uncommitted, Value::Flag(true));
        assert!(is_uncommitted || !has_lines, "{context}");
        if compared.compares_with_diff && !conflicted.contains(path.as_slice()) {
            assert_eq!(
                is_uncommitted,
                differ.contains(path.as_slice()),
                "{context}"
            );
            compared.compared_with_diff += 1;
        }
        compared.uncommitted += usize::from(is_uncommitted);
        compared.files += 1;
        compared.lines += found.len();
        expected += 1;
    }
    assert_eq!(files.len(), expected, "{context}: {:?}", files.keys());
}

#[test]
fn every_file_of_the_work_tree_is_blamed_as_by_git() {
    let mut compared = Compared {
        compares_with_diff: true,
        ..Compared::default()
    };
    for seed in 0..seed_count(SEEDS) {
        let mut rng = Rng::new(seed + 23_000);
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let format = [ObjectFormat::Sha1, ObjectFormat::Sha256][seed as usize % 2];
        let history = History::generate(seed + 23_000, format, storage);
        let repository = &history.repository;
        let head = history.ids.last().expect("a history has commits");
        check_out(repository, head, &mut rng);
        let all: [&[&str]; 5] = [&[], &["-w"], &["--first-parent"], &["-M"], &[]];
        let options = *rng.pick(&all);
        for step in 0..7 {
            let paths = tracked(repository, &[]);
            let context = format!("seed {seed}, step {step}, {options:?}");
            for _ in 0..3 {
                if let Some(path) = (!paths.is_empty()).then(|| rng.pick(&paths).clone()) {
                    let state = *rng.pick(&STATES);
                    change(repository, &path, state, &mut rng);
                    *compared.states.entry(state).or_default() += 1;
                }
            }
            compare(repository, options, &context, &mut compared);
        }
    }
    eprintln!("{compared:?}");
    assert!(compared.compared_with_diff > 300);
    assert!(compared.files > 300 && compared.uncommitted > 60 && compared.left_out > 0);
    assert_eq!(compared.states.len(), STATES.len());
}

/// Attributes that came after the checkout convert a file as it is, whatever it was then.
#[test]
fn line_ends_count_as_attributes_say_now() {
    let mut compared = Compared::default();
    for attributes in [
        "*.txt text",
        "*.txt text eol=crlf",
        "*.txt text=auto",
        "*.txt -text",
        "*.txt ident",
    ] {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b"cr.txt", b"one\r\ntwo $Id: x $\r\n");
        repository.write(b"lf.txt", b"one\ntwo $Id: x $\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "both"]);
        // The index is newer than the files, so that these need not be read.
        let index = place(&repository, b".git/index");
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(9);
        let index = std::fs::File::options().append(true).open(index);
        let index = index.expect("an index");
        index.set_modified(later).expect("it is writable");
        repository.write(b".git/info/attributes", attributes.as_bytes());
        compare(&repository, &[], attributes, &mut compared);
    }
    assert_eq!((compared.files, compared.uncommitted), (10, 4));
}
