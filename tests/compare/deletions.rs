//! Random files: `tblame --deletions` must find what a replay of the history with git's commands finds.

use std::{ffi::OsString, os::unix::ffi::OsStringExt, process::Command};

use crate::{
    Arguments, file_history,
    harness::deletions::{ReplayedDeletion, replay},
    random,
    repository::{Repository, Sample},
};

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    versions: usize,
    deletions: usize,
    of_merges: usize,
    different: usize,
}

/// Compares each file, and returns whether there were some and all have the same deletions.
pub fn compare(arguments: &Arguments, repository: &Repository) -> bool {
    let git = |words: &[OsString], input: &[u8]| file_history::ask(repository, words, input);
    let mut compared = Compared::default();
    for mut sample in random::samples(arguments, repository) {
        let id = git(&["rev-parse".into(), sample.revision.into()], b"");
        sample.revision = String::from_utf8_lossy(id.trim_ascii()).into_owned();
        let versions = file_history::versions_of_tblame(arguments, repository, &sample, &[]);
        let order: Vec<String> = versions.into_iter().map(|version| version.id).collect();
        let replayed = replay(&git, &sample.revision, &sample.path, &order);
        let found = deletions_of_tblame(arguments, repository, &sample);
        compared.files += 1;
        compared.versions += replayed.versions;
        compared.deletions += found.len();
        compared.of_merges += found.iter().filter(|it| it.is_merge).count();
        if found == replayed.deletions {
            continue;
        }
        compared.different += 1;
        let path = sample.path.escape_ascii();
        let git = replayed.deletions;
        println!(
            "{path} at {}: {} replayed, {} by tblame",
            sample.revision,
            git.len(),
            found.len()
        );
        let alone = git.iter().find(|it| !found.contains(it));
        println!("  replayed alone {alone:?}");
        let alone = found.iter().find(|it| !git.contains(it));
        println!("  tblame alone {alone:?}");
    }
    println!("{}: {compared:?}", repository.directory.display());
    compared.different == 0 && compared.files > 0
}

fn deletions_of_tblame(
    arguments: &Arguments,
    repository: &Repository,
    sample: &Sample,
) -> Vec<ReplayedDeletion> {
    let mut command = Command::new(&arguments.tblame);
    command.current_dir(&repository.directory);
    command.args(["--deletions", "--json", &sample.revision, "--"]);
    let path = OsString::from_vec(sample.path.clone());
    let output = command.arg(path).output().expect("tblame runs");
    assert!(output.status.success(), "{command:?}");
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let mut found: Vec<_> = text
        .lines()
        .filter_map(ReplayedDeletion::of_record)
        .collect();
    found.sort();
    found
}
