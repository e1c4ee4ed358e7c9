//! Behaviour that only newer gits than the oldest supported one have.
//!
//! Each test runs where the git to compare with is new enough: `TBLAME_TEST_GIT=/path/to/git cargo
//! test`. The last line says how many were skipped for want of one. A program of its own, because
//! the standard test harness reports a test that returns early as passed.

#[path = "../harness/mod.rs"]
mod harness;

use std::{panic::catch_unwind, process::ExitCode};

use harness::{
    command_lines::{assert_all_same, two_commits},
    compare::{assert_same, assert_same_formats, assert_same_in},
    git::{Version, git_program, git_version},
    named_history::HistoryBuilder,
    option_sets::{OptionKind, assert_same_option_sets},
    random_history::{History, Storage},
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

const TESTS: [Test; 9] = tests![
    (2, 50) minimal_diffs_of_long_files,
    (2, 50) minimal_diffs_and_marks_among_random_options,
    (2, 50) marks_in_machine_formats,
    (2, 52) optional_ignore_files,
    (2, 53) diff_algorithm_as_option_and_configuration,
    (2, 54) diff_algorithms_among_random_options,
    (2, 54) repeated_lines_in_color,
    (2, 54) values_of_newer_options,
    (2, 56) abbreviated_ids_are_as_wide_as_their_marks_need,
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

fn minimal_diffs_of_long_files() {
    for (seed, lines) in [(6_000, 1_500), (6_001, 6_000)] {
        let history = History::of_long_file(seed, lines, Storage::DeepDeltas);
        let last = history.ids.last().expect("a history has commits");
        assert_same_formats(&history.repository, &["--minimal"], last, b"long");
    }
}

/// Which options are drawn depends on the version of git.
fn minimal_diffs_and_marks_among_random_options() {
    assert_same_option_sets(30_000, &[OptionKind::Diff, OptionKind::Ignore]);
}

fn marks_in_machine_formats() {
    let history = HistoryBuilder::default()
        .commit("root", 1, &[], &[("f", "aaa bbb\nccc ddd\n")])
        .commit(
            "parent",
            2,
            &["root"],
            &[("f", "aaa bbb\nzzzz!!\nccc ddd\n")],
        )
        .commit(
            "child",
            3,
            &["parent"],
            &[("f", "aaa  bbb\nzzzz!!x\nccc ddd\nq\n")],
        )
        .build();
    let repository = &history.repository;
    repository.git(&["config", "blame.markIgnoredLines", "true"]);
    repository.git(&["config", "blame.markUnblamableLines", "true"]);
    for ignored in [&["child"][..], &["parent"], &["child", "parent"], &["root"]] {
        let mut options = Vec::new();
        options.extend(ignored.iter().flat_map(|name| ["--ignore-rev", name]));
        options.extend(["child", "--", "f"]);
        history.lines(&options);
        history.order(&options);
    }
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

fn diff_algorithms_among_random_options() {
    assert_same_option_sets(31_000, &[OptionKind::Diff]);
}

fn repeated_lines_in_color() {
    assert_same_option_sets(32_000, &[OptionKind::Colors]);
}

fn values_of_newer_options() {
    assert_all_same(
        &two_commits(),
        "--max-depth=x -- a.txt
        --max-depth=-1 -- a.txt
        --max-depth=5k -- a.txt
        --max-depth=5g -- a.txt
        --unified=-1 -- a.txt
        --inter-hunk-context=5k -- a.txt
        --inter-hunk-context=-1 -- a.txt
        --inter-hunk-context=99999999999 -- a.txt
        --max-count-oldest=x -- a.txt
        --max-count-oldest=5 -- a.txt
        --max-count-oldest=5 --skip=1 -- a.txt
        --max-count-oldest=5 -3 -- a.txt
        --graph-lane-limit=x -- a.txt
        --graph-lane-limit=5 -- a.txt
        --graph-lane-limit=0 -- a.txt
        --graph-lane-limit=5 --graph -- a.txt
        --graph-indent -- a.txt
        --graph --graph-indent -- a.txt
        --boundary --maximal-only -- a.txt",
    );
}

fn abbreviated_ids_are_as_wide_as_their_marks_need() {
    let repository = two_commits();
    for options in ["-s", "--root -s", "-b", "--abbrev=12", "--abbrev=39", "-l"] {
        let mut arguments: Vec<&str> = options.split(' ').collect();
        arguments.extend(["main", "--", "a.txt"]);
        assert_same(&repository, &arguments);
    }
}
