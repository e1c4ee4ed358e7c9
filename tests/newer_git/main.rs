//! Behaviour that only newer gits than the oldest supported one have.
//!
//! Each test runs where the git to compare with is new enough: `TBLAME_TEST_GIT=/path/to/git cargo
//! test`. The last line says how many were skipped for want of one. A program of its own, because
//! the standard test harness reports a test that returns early as passed.

#[path = "../harness/mod.rs"]
mod harness;

use std::{
    collections::BTreeMap, ffi::OsStr, os::unix::ffi::OsStrExt, panic::catch_unwind,
    process::ExitCode,
};

use harness::{
    command_lines::{assert_all_same, two_commits},
    compare::{assert_same, assert_same_in, seed_count},
    git::{Version, git_program, git_version},
    last_commits::last_commits,
    random_directories::{directories, generate},
    random_history::STORAGES,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// A test, and the first version of git that has what it compares.
struct Test {
    name: &'static str,
    since: Version,
    run: fn(),
}

macro_rules! tests {
    ($(($major:literal, $minor:literal) $name:ident,)*) => {
        [$(Test { name: stringify!($name), since: ($major, $minor), run: $name }),*]
    };
}

const TESTS: [Test; 5] = tests![
    (2, 52) last_commits_are_those_of_last_modified,
    (2, 52) optional_ignore_files,
    (2, 53) diff_algorithm_as_option_and_configuration,
    (2, 54) options_of_newer_gits,
    (2, 56) option_graph_indent,
];

fn main() -> ExitCode {
    // Arguments of the standard test harness: a filter, and options without effect here.
    let filters: Vec<String> = std::env::args()
        .skip(1)
        .filter(|it| !it.starts_with('-'))
        .collect();
    let is_wanted = |test: &&Test| {
        filters.is_empty()
            || filters
                .iter()
                .any(|filter| test.name.contains(filter.as_str()))
    };
    if std::env::args().any(|it| it == "--list") {
        for test in TESTS.iter().filter(is_wanted) {
            println!("{}: test", test.name);
        }
        return ExitCode::SUCCESS;
    }
    let version = git_version();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for test in TESTS.iter().filter(is_wanted) {
        let result = if version < test.since {
            skipped += 1;
            format!("skipped, needs git {}.{}", test.since.0, test.since.1)
        } else if catch_unwind(test.run).is_ok() {
            passed += 1;
            "ok".to_owned()
        } else {
            failed += 1;
            "FAILED".to_owned()
        };
        println!("test {} ... {result}", test.name);
    }
    let git = git_program().display();
    println!(
        "\nbehaviour of newer gits: {passed} passed; {failed} failed; {skipped} skipped for want of \
         a newer git\n({git} is {}.{}; TBLAME_TEST_GIT names another one)\n",
        version.0, version.1
    );
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// What `git last-modified` says of the entries of a directory; `None` where it ends with a message
/// about a defect of its own, which it does in some histories with wrong dates.
fn last_modified(
    repository: &TestRepo,
    revision: &str,
    directory: &[u8],
) -> Option<BTreeMap<Vec<u8>, String>> {
    let prefix = match directory {
        b"" => Vec::new(),
        _ => [directory, b"/"].concat(),
    };
    let mut arguments = Vec::from(["last-modified", "-z", revision, "--"].map(OsStr::new));
    if !prefix.is_empty() {
        arguments.push(OsStr::from_bytes(&prefix));
    }
    let output = repository.git_output(&arguments, b"");
    if output.stderr.starts_with(b"BUG: ") {
        return None;
    }
    assert!(output.status.success(), "{}", output.stderr.escape_ascii());
    let lines = output.stdout.split(|&byte| byte == 0);
    let found = lines.filter(|line| !line.is_empty()).map(|line| {
        let tab = line.iter().position(|&byte| byte == b'\t');
        let (id, path) = line.split_at(tab.expect("a path follows the id"));
        let name = path[1..].strip_prefix(&prefix[..]);
        let id = String::from_utf8(id.to_vec()).expect("an id");
        (name.expect("it is below").to_vec(), id)
    });
    Some(found.collect())
}

/// Without ranges: there, git's answer depends on whether there is a commit-graph, and on the order
/// of its visits.
fn last_commits_are_those_of_last_modified() {
    let (mut compared, mut entries, mut defects) = (0, 0, 0);
    for seed in 80_000..80_000 + seed_count(80) {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        let format = match seed % 5 {
            0 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        let history = generate(seed, seed % 4 == 0, format, storage);
        let repository = &history.repository;
        for (number, directory) in directories(&history, &mut Rng::new(seed), 30) {
            let start = &history.ids[number];
            let Some(git) = last_modified(repository, start, &directory) else {
                defects += 1;
                continue;
            };
            let found = last_commits(repository.root(), start, &directory, |_| {});
            let found = found.expect("it is read").into_iter();
            let found = found.map(|(name, (commit, _))| (name, commit));
            let context = format!("seed {seed}: {start} {}", directory.escape_ascii());
            assert_eq!(found.collect::<BTreeMap<_, _>>(), git, "{context}");
            compared += 1;
            entries += git.len();
        }
    }
    eprintln!("{compared} directories, {entries} entries, {defects} defects of git");
    assert!(compared >= 2000 && entries >= 5000 && defects < compared / 20);
}

fn optional_ignore_files() {
    let repository = two_commits();
    let head = repository.git_text(&["rev-parse", "main"]);
    repository.write(b"revs", format!("{head}\n").as_bytes());
    for file in ["revs", ":(optional)revs", ":(optional)missing", "missing"] {
        repository.git(&["config", "blame.ignoreRevsFile", file]);
        assert_same(&repository, &["main", "--", "a.txt"]);
        assert_same(&repository, &["--porcelain", "main", "--", "a.txt"]);
    }
}

fn diff_algorithm_as_option_and_configuration() {
    let repository = two_commits();
    assert_all_same(
        &repository,
        "--d=myers main -- a.txt
        --diff-algorithm=patience main -- a.txt
        --diff-algorithm=nonsense main -- a.txt
        --diff-algorithm= main -- a.txt
        --diff-algorithm",
    );
    for value in [
        "myers",
        "minimal",
        "patience",
        "histogram",
        "default",
        "foo",
    ] {
        let environment = [
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "diff.algorithm"),
            ("GIT_CONFIG_VALUE_0", value),
        ];
        for arguments in [&["v1", "--", "a.txt"][..], &["--porcelain", "--", "a.txt"]] {
            assert_same_in(&repository, repository.root(), &environment, arguments);
        }
    }
}

fn options_of_newer_gits() {
    assert_all_same(
        &two_commits(),
        "--max-depth=-1 -- a.txt
        --max-depth=5k -- a.txt
        --inter-hunk-context=5k -- a.txt
        --max-count-oldest=5 -- a.txt
        --graph-lane-limit=5 --graph -- a.txt",
    );
}

fn option_graph_indent() {
    assert_all_same(&two_commits(), "--graph --graph-indent -- a.txt");
}
