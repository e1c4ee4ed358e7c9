//! Random files: `tblame --file-history` must find the versions that git's commands tell, and on first parents those of
//! `git log --follow`.

use std::{
    ffi::OsString,
    io::Write,
    os::unix::ffi::OsStringExt,
    process::{Command, Stdio},
};

use crate::{
    Arguments,
    harness::file_versions::{FollowedCommit, file_versions, followed},
    random,
    repository::{Repository, Sample},
};

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    versions: usize,
    followed: usize,
    followed_versions: usize,
    copies: usize,
    different: usize,
}

/// Compares each file, and returns whether there were some and all have the same versions.
pub fn compare(arguments: &Arguments, repository: &Repository) -> bool {
    let git = |words: &[OsString], input: &[u8]| ask(repository, words, input);
    let mut compared = Compared::default();
    for sample in random::samples(arguments, repository) {
        let versions = file_versions(&git, &sample.revision, &sample.path);
        let mut ids: Vec<String> = versions.into_iter().map(|(id, _)| id).collect();
        let found = versions_of_tblame(arguments, repository, &sample, &[]);
        let mut found: Vec<String> = found.into_iter().map(|version| version.id).collect();
        ids.sort();
        found.sort();
        compared.files += 1;
        compared.versions += ids.len();
        let mut is_same = ids == found;
        if let Some(mut git) = followed(&git, &sample.revision, &sample.path) {
            let options = ["--first-parent"];
            let mut found = versions_of_tblame(arguments, repository, &sample, &options);
            for (git, tblame) in git.iter_mut().zip(&mut found) {
                if git.counts.is_none() || git.status == b'T' {
                    (git.counts, tblame.counts) = (None, None);
                }
            }
            compared.followed += 1;
            compared.followed_versions += git.len();
            if git != found {
                is_same = false;
                let pairs = git.iter().zip(&found);
                let first = pairs.clone().find(|(git, tblame)| git != tblame);
                println!(
                    "  git has {} on first parents, tblame {}",
                    git.len(),
                    found.len()
                );
                println!("  first difference {first:?}");
            }
        } else {
            compared.copies += 1;
        }
        if !is_same {
            compared.different += 1;
            let path = sample.path.escape_ascii();
            println!(
                "{path} at {}: {} by git, {} by tblame",
                sample.revision,
                ids.len(),
                found.len()
            );
            ids.retain(|id| found.binary_search(id).is_err());
            println!("  git alone {ids:?}");
        }
    }
    println!("{}: {compared:?}", repository.directory.display());
    compared.different == 0 && compared.files > 0
}

/// What git prints; it must succeed.
pub fn ask(repository: &Repository, words: &[OsString], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new(repository.git);
    command.arg("-C").arg(&repository.directory).args(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("git runs");
    let mut stdin = child.stdin.take().expect("the pipe was asked for");
    let output = std::thread::scope(|scope| {
        // A command that does not read its input closes the pipe, which is no error.
        scope.spawn(move || stdin.write_all(input).ok());
        child.wait_with_output().expect("git ends")
    });
    assert!(output.status.success(), "{command:?}");
    output.stdout
}

/// The versions that tblame finds, with further `options`.
pub fn versions_of_tblame(
    arguments: &Arguments,
    repository: &Repository,
    sample: &Sample,
    options: &[&str],
) -> Vec<FollowedCommit> {
    let mut command = Command::new(&arguments.tblame);
    command.current_dir(&repository.directory);
    command
        .args(["--file-history", "-l", "-s", "--date=unix"])
        .args(options);
    command.args([&sample.revision, "--"]);
    let path = OsString::from_vec(sample.path.clone());
    let output = command.arg(path).output().expect("tblame runs");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(FollowedCommit::of_row).collect()
}
