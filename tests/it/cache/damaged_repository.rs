//! Nothing is kept of a repository with a damaged index: through a wrong one, another blame may be found.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::TestCache;
use crate::harness::{
    command_lines::two_commits, program::ProgramOutput, repository::TestRepo,
    stored_history::files_below,
};

fn file_with(directory: &Path, end: &str) -> PathBuf {
    let files = files_below(directory).expect("it is readable");
    let is_wanted = |path: &PathBuf| path.to_string_lossy().ends_with(end);
    files.into_iter().find(is_wanted).expect("there is one")
}

fn kept_files(cache: &TestCache) -> usize {
    // Perhaps there is no directory yet.
    files_below(&cache.root()).unwrap_or_default().len()
}

fn blame(cache: &TestCache, repository: &TestRepo) -> ProgramOutput {
    cache.run(repository, &["--porcelain", "HEAD", "--", "a.txt"])
}

#[test]
fn nothing_is_kept_through_an_index_with_a_wrong_checksum() {
    let (repository, cache) = (two_commits(), TestCache::new());
    repository.git(&["repack", "-adfq"]);
    let index = file_with(&repository.root().join(".git"), ".idx");
    fs::set_permissions(&index, fs::Permissions::from_mode(0o600)).expect("it is one's own");
    let right = fs::read(&index).expect("it is readable");
    let mut wrong = right.clone();
    let last = wrong.len() - 1;
    wrong[last] ^= 1;
    fs::write(&index, &wrong).expect("it is writable");
    let blamed = blame(&cache, &repository);
    // The checksum is not needed for a blame.
    assert_eq!(blamed.status, Some(0), "{blamed:?}");
    assert!(blamed.stderr.is_empty(), "{blamed:?}");
    let before = kept_files(&cache);
    let warmed = cache.run(&repository, &["--warm"]);
    assert_eq!(warmed.status, Some(128), "{warmed:?}");
    assert_eq!(kept_files(&cache), before);

    fs::write(&index, &right).expect("it is writable");
    assert_eq!(blame(&cache, &repository).stdout, blamed.stdout);
    assert!(kept_files(&cache) > before);
    assert_eq!(cache.run(&repository, &["--warm"]).status, Some(0));
    let verify = ["--verify-cache", "HEAD", "--", "a.txt"];
    assert_eq!(cache.run(&repository, &verify).status, Some(0));

    fs::write(&index, &wrong).expect("it is writable");
    let refused = cache.run(&repository, &verify);
    assert_eq!(refused.status, Some(128), "{refused:?}");
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("nothing was compared"), "{words}");
}
