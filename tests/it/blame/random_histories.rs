//! Random histories: the same bytes as git's in every format.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

use crate::harness::{
    compare::{FORMATS, assert_same, assert_same_formats, seed_count},
    random_history::{History, STORAGES, Storage},
    random_text::{self, TextLines},
    repository::ObjectFormat,
    rng::Rng,
};

/// Seeds of each test below, unless `TBLAME_TEST_SEEDS` says otherwise.
const SEEDS: u64 = 12;
/// Files of each history that are blamed.
const SAMPLES: usize = 5;

fn compare_histories(first: u64, format: ObjectFormat, storages: &[Storage]) {
    let mut compared = 0;
    let count = seed_count(SEEDS);
    for seed in first..first + count {
        let storage = storages[(seed % storages.len() as u64) as usize];
        eprintln!("seed {seed}, {format:?}, {storage:?}");
        let history = History::generate(seed, format, storage);
        let mut rng = Rng::new(seed);
        for (revision, path) in history.samples(&mut rng, SAMPLES) {
            assert_same_formats(&history.repository, &[], &revision, &path);
            compared += 1;
        }
    }
    // Few histories have fewer files.
    assert!(compared >= count as usize * 3, "{compared} files compared");
}

/// Long files reach the limits of the diff's heuristics.
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
        }
    }
}

/// Files of the work tree, edited or as they were checked out.
#[test]
fn work_trees_are_blamed_as_git_does() {
    let mut compared = 0;
    let count = seed_count(SEEDS);
    for seed in 5_000..5_000 + count {
        let history = History::generate(seed, ObjectFormat::Sha1, Storage::Packs);
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        let mut rng = Rng::new(seed);
        let files = history.trees.last().expect("a history has commits");
        for (path, file) in files.iter().take(4) {
            eprintln!("seed {seed}, {}", path.escape_ascii());
            if file.mode & 0o170000 == 0o100000 && rng.chance(80) {
                let mut lines = TextLines::split(&file.bytes);
                for _ in 0..rng.between(1, 4) {
                    random_text::edit(&mut rng, &mut lines);
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
            compared += 1;
        }
    }
    assert!(compared >= count as usize * 2, "{compared} files compared");
}

#[test]
fn loose_histories_are_blamed_as_git_does() {
    compare_histories(1_000, ObjectFormat::Sha1, &[Storage::Loose]);
}

#[test]
fn packed_histories_are_blamed_as_git_does() {
    let storages = [
        Storage::Packs,
        Storage::DeepDeltas,
        Storage::MultiPackIndex,
        Storage::Alternates,
    ];
    compare_histories(2_000, ObjectFormat::Sha1, &storages);
}

#[test]
fn histories_with_a_commit_graph_are_blamed_as_git_does() {
    let storages = [Storage::Graph(1), Storage::Graph(2), Storage::GraphChain];
    compare_histories(3_000, ObjectFormat::Sha1, &storages);
}

#[test]
fn sha256_histories_are_blamed_as_git_does() {
    compare_histories(4_000, ObjectFormat::Sha256, &STORAGES);
}
