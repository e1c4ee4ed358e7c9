//! Long files of a repository, which are compared with their checksums once.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::TestCache;
use crate::harness::{
    program::ProgramOutput,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    stored_history::files_below,
};

/// A repository with a pack that is too long to be compared at once.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut rng = Rng::new(1);
    let noise: Vec<u8> = (0..2 << 20).map(|_| rng.below(256) as u8).collect();
    repository.write(b"noise", &noise);
    repository.write(b"a.txt", b"one\ntwo\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    repository.git(&["repack", "-adfq"]);
    repository
}

fn file_with(directory: &Path, end: &str) -> PathBuf {
    let files = files_below(directory).expect("it is readable");
    let is_wanted = |path: &PathBuf| path.to_string_lossy().ends_with(end);
    files.into_iter().find(is_wanted).expect("there is one")
}

fn blame(cache: &TestCache, repository: &TestRepo) -> ProgramOutput {
    cache.run(repository, &["--porcelain", "HEAD", "--", "a.txt"])
}

#[test]
fn a_long_index_is_compared_once_for_each_state() {
    let (repository, cache) = (repository(), TestCache::new());
    let index = file_with(&repository.root().join(".git"), ".idx");
    fs::set_permissions(&index, fs::Permissions::from_mode(0o600)).expect("it is one's own");
    let right = blame(&cache, &repository);
    assert_eq!(right.status, Some(0), "{right:?}");
    let remembered = file_with(&cache.root(), "/checked");
    let written = || {
        let metadata = fs::metadata(&remembered).expect("it exists");
        (metadata.len(), metadata.modified().expect("it has a time"))
    };
    let first = written();
    assert_eq!(first.0, 32);
    assert_eq!(blame(&cache, &repository).stdout, right.stdout);
    assert_eq!(written(), first, "it is not compared again");

    // In the checksum, which decides nothing else.
    let mut bytes = fs::read(&index).expect("it is readable");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&index, &bytes).expect("it is writable");
    let damaged = blame(&cache, &repository);
    assert_eq!(damaged.status, Some(128));
    let words = String::from_utf8_lossy(&damaged.stderr).into_owned();
    assert!(
        words.ends_with(".idx is corrupt: its checksum does not match\n"),
        "{words}"
    );
    assert_eq!(written(), first);

    bytes[last] ^= 1;
    fs::write(&index, &bytes).expect("it is writable");
    assert_eq!(blame(&cache, &repository).stdout, right.stdout);
    assert_eq!(written().0, 64, "another state");
}

#[test]
fn what_the_warmed_history_is_read_through_is_compared() {
    let (repository, cache) = (repository(), TestCache::new());
    let index = file_with(&repository.root().join(".git"), ".idx");
    fs::set_permissions(&index, fs::Permissions::from_mode(0o600)).expect("it is one's own");
    let right = fs::read(&index).expect("it is readable");
    let mut wrong = right.clone();
    let last = wrong.len() - 1;
    wrong[last] ^= 1;
    fs::write(&index, &wrong).expect("it is writable");
    let damaged = cache.run(&repository, &["--warm"]);
    assert_eq!(damaged.status, Some(128));
    let words = String::from_utf8_lossy(&damaged.stderr).into_owned();
    assert!(
        words.ends_with(".idx is corrupt: its checksum does not match\n"),
        "{words}"
    );
    // Perhaps there is no directory yet.
    let files = files_below(&cache.root()).unwrap_or_default();
    let is_kept = |path: &PathBuf| path.ends_with("history") || path.ends_with("checked");
    assert!(!files.iter().any(is_kept), "{files:?}");

    fs::write(&index, &right).expect("it is writable");
    let warmed = cache.run(&repository, &["--warm"]);
    assert_eq!(warmed.status, Some(0), "{warmed:?}");
    let remembered = fs::read(file_with(&cache.root(), "/checked")).expect("it is readable");
    assert_eq!(remembered.len(), 32);
    assert_eq!(blame(&cache, &repository).status, Some(0));
    let verified = cache.run(&repository, &["--verify-cache", "HEAD", "--", "a.txt"]);
    assert_eq!(verified.status, Some(0), "{verified:?}");
    let after = fs::read(file_with(&cache.root(), "/checked")).expect("it is readable");
    assert_eq!(after, remembered, "it is not compared again");

    fs::write(&index, &wrong).expect("it is writable");
    let refused = cache.run(&repository, &["--verify-cache", "HEAD", "--", "a.txt"]);
    assert_eq!(refused.status, Some(128), "{refused:?}");
    assert_eq!(refused.stderr, damaged.stderr);
}
