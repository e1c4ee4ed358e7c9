//! Generated histories, blamed by git and by tblame: the same bytes in every format.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use crate::{
    history::{History, STORAGES, Storage},
    id_width::has_id_column,
    program::{Outcome, git_version, shell_line},
    rng::Rng,
    scratch::{Hash, Scratch, git_id_width, git_program},
    text::{self, Lines},
};

/// The program that is tested.
pub fn tblame_program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tblame"))
}

/// The four formats: three for machines, and the plain one.
pub const FORMATS: [&[&str]; 4] = [
    &["--porcelain"],
    &["--line-porcelain"],
    &["--incremental"],
    &[],
];

/// Runs both programs with the same arguments in the repository's root; they must agree.
pub fn assert_same<A: AsRef<OsStr>>(repository: &Scratch, arguments: &[A]) -> Outcome {
    assert_same_in(repository, repository.root(), &[], arguments)
}

/// As [`assert_same`], in a given directory and with additional environment variables.
pub fn assert_same_in<A: AsRef<OsStr>>(
    repository: &Scratch,
    directory: &Path,
    environment: &[(&str, &str)],
    arguments: &[A],
) -> Outcome {
    let run = |program: &OsStr, subcommand: &[&str]| {
        let mut command = repository.command(program);
        command
            .current_dir(directory)
            .envs(environment.iter().copied())
            .args(subcommand)
            .args(arguments);
        Outcome::of(&mut command)
    };
    let width = has_id_column(arguments).then(git_id_width);
    // What is not committed carries the current second: a difference must be there twice.
    let mut difference = None;
    for _ in 0..2 {
        let git = run(git_program(), &["blame"]);
        let tblame = run(tblame_program().as_os_str(), &[]);
        difference = tblame.difference(&git, width);
        if difference.is_none() {
            return git;
        }
    }
    panic!(
        "git and tblame differ in {}:\n  {}\n  {}\n{}",
        directory.display(),
        shell_line(Path::new("git"), &["blame"], arguments),
        shell_line(tblame_program(), &[], arguments),
        difference.unwrap_or_default()
    );
}

/// Blames `path` at `revision` in all formats.
pub fn assert_same_formats(repository: &Scratch, options: &[&str], revision: &str, path: &[u8]) {
    for format in FORMATS {
        let mut arguments: Vec<OsString> = Vec::new();
        arguments.extend(format.iter().chain(options).map(OsString::from));
        arguments.extend([revision.into(), "--".into()]);
        arguments.push(OsStr::from_bytes(path).to_owned());
        assert_same(repository, &arguments);
    }
}

/// How many seeds each of the tests below runs: `TBLAME_TEST_SEEDS` asks for more.
pub fn seeds(first: u64) -> std::ops::Range<u64> {
    let count = std::env::var("TBLAME_TEST_SEEDS").ok();
    let count = count.map_or(12, |n| n.parse().expect("TBLAME_TEST_SEEDS is a number"));
    first..first + count
}

fn histories(first: u64, hash: Hash, storages: &[Storage]) {
    for seed in seeds(first) {
        let storage = storages[(seed % storages.len() as u64) as usize];
        eprintln!("seed {seed}, {hash:?}, {storage:?}");
        let history = History::generate(seed, hash, storage);
        let mut rng = Rng::new(seed);
        for (revision, path) in history.samples(&mut rng, 5) {
            assert_same_formats(&history.repository, &[], &revision, &path);
        }
    }
}

/// Long files meet the limits of the diff's heuristics.
#[test]
fn long_files_are_blamed_as_git_does() {
    for (seed, lines) in [
        (6_000, 1_500),
        (6_001, 6_000),
        (6_002, 20_000),
        (6_003, 70_000),
    ] {
        let history = History::of_long_file(seed, lines, Storage::DeepDeltas);
        let last = history.ids.last().expect("a history has commits");
        for option in ["--porcelain", "--incremental"] {
            assert_same(&history.repository, &[option, last, "--", "long"]);
        }
        if lines < 10_000 {
            assert_same_formats(&history.repository, &["-w"], last, b"long");
            // Minimal diffs are minimal since 2.50.
            if git_version(git_program()) >= (2, 50) {
                assert_same_formats(&history.repository, &["--minimal"], last, b"long");
            }
        }
    }
}

/// Files of the work tree, edited or as they were checked out.
#[test]
fn work_trees_are_blamed_as_git_does() {
    for seed in seeds(5_000) {
        let history = History::generate(seed, Hash::Sha1, Storage::Packs);
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        let mut rng = Rng::new(seed);
        let files = history.trees.last().expect("a history has commits");
        for (path, file) in files.iter().take(4) {
            eprintln!("seed {seed}, {}", path.escape_ascii());
            if file.mode & 0o170000 == 0o100000 && rng.chance(80) {
                let mut lines = Lines::split(&file.bytes);
                for _ in 0..rng.between(1, 4) {
                    text::edit(&mut rng, &mut lines);
                }
                repository.write(path, &lines.join());
            }
            if rng.chance(30) {
                repository.git(&[OsStr::new("add"), OsStr::new("--"), OsStr::from_bytes(path)]);
            }
            for format in FORMATS {
                let mut arguments: Vec<&OsStr> = format.iter().map(OsStr::new).collect();
                arguments.extend([OsStr::new("--"), OsStr::from_bytes(path)]);
                assert_same(repository, &arguments);
            }
        }
    }
}

#[test]
fn loose_histories_are_blamed_as_git_does() {
    histories(1_000, Hash::Sha1, &[Storage::Loose]);
}

#[test]
fn packed_histories_are_blamed_as_git_does() {
    let storages = [
        Storage::Packs,
        Storage::DeepDeltas,
        Storage::MultiPackIndex,
        Storage::Alternates,
    ];
    histories(2_000, Hash::Sha1, &storages);
}

#[test]
fn histories_with_a_commit_graph_are_blamed_as_git_does() {
    let storages = [Storage::Graph(1), Storage::Graph(2), Storage::GraphChain];
    histories(3_000, Hash::Sha1, &storages);
}

#[test]
fn sha256_histories_are_blamed_as_git_does() {
    histories(4_000, Hash::Sha256, &STORAGES);
}
