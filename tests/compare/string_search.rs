//! Random texts of random files: `tblame --file-history --search` must find the commits of `git log -S`.

use std::{ffi::OsString, os::unix::ffi::OsStringExt};

use crate::{
    Arguments, file_history,
    harness::{
        rng::Rng,
        string_search::{commits_of_path, random_text},
    },
    random,
    repository::Repository,
};

/// Texts of each file.
const TEXTS: usize = 4;

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    searches: usize,
    commits: usize,
    different: usize,
}

/// Searches each file, and returns whether there were some and all have the same commits.
pub fn compare(arguments: &Arguments, repository: &Repository) -> bool {
    let git = |words: &[OsString], input: &[u8]| file_history::ask(repository, words, input);
    let mut compared = Compared::default();
    let mut rng = Rng::new(arguments.seed);
    for sample in random::samples(arguments, repository) {
        compared.files += 1;
        let name = [sample.revision.as_bytes(), b":", &sample.path].concat();
        let contents = git(
            &["cat-file".into(), "blob".into(), OsString::from_vec(name)],
            b"",
        );
        let options = ["--no-follow"];
        let versions = file_history::versions_of_tblame(arguments, repository, &sample, &options);
        for _ in 0..TEXTS {
            let Some(text) = random_text(&mut rng, &contents) else {
                continue;
            };
            // An option whose value is no UTF-8 cannot be passed here.
            let Ok(searched) = String::from_utf8(text.clone()) else {
                continue;
            };
            let search = format!("--search={searched}");
            let options = ["--no-follow", &search];
            let found = file_history::versions_of_tblame(arguments, repository, &sample, &options);
            let mut found: Vec<String> = found.into_iter().map(|version| version.id).collect();
            found.sort();
            let mut expected = commits_of_path(&git, &sample.revision, &sample.path, &text);
            // Beyond the commit that added the file is another file of the same name.
            expected.retain(|id| versions.iter().any(|version| version.id == *id));
            let expected: Vec<String> = expected.into_iter().collect();
            compared.searches += 1;
            compared.commits += expected.len();
            if found != expected {
                compared.different += 1;
                let path = sample.path.escape_ascii();
                println!(
                    "{searched:?} in {path} at {}: {} by git, {} by tblame",
                    sample.revision,
                    expected.len(),
                    found.len()
                );
            }
        }
    }
    println!("{}: {compared:?}", repository.directory.display());
    compared.different == 0 && compared.searches > 0
}
