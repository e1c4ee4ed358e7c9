//! Random lines of old versions: the last commit with the line, the line there, and the commit after it must be those that
//! `git blame --reverse` tells, asked again for the parents of merges.

use std::{ffi::OsString, os::unix::ffi::OsStringExt, process::Command, sync::Arc};

use tblame::internals::{
    objects::ObjectId,
    repository,
    viewer::{
        model::{background::line_outcome::LineOutcomeQuery, source::FileVersion},
        repository::walks::GitWalks,
    },
};

use crate::{
    Arguments, file_history,
    harness::{
        line_outcome::{Outcome, Place, outcome_of_git},
        rng::Rng,
        source::{answer_of, source_of_head},
    },
    random,
    repository::Repository,
};

/// Lines of each file.
const LINES: usize = 4;

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    lines: usize,
    gone: usize,
    /// Of these, deleted with the file.
    with_file: usize,
    /// Changed by a commit before another parent of the merge where git's answer ends.
    aside: usize,
    other_branches: usize,
    at_head: usize,
    different: usize,
}

/// Compares lines of each file, and returns whether there were some and all have the same answers.
pub fn compare(arguments: &Arguments, repository: &Repository) -> bool {
    let git = |words: &[OsString]| file_history::ask(repository, words, b"");
    let try_git = |words: &[OsString]| {
        let mut command = Command::new(repository.git);
        command.arg("-C").arg(&repository.directory).args(words);
        let output = command.output().expect("git runs");
        output.status.success().then_some(output.stdout)
    };
    let mut reader = reader(repository);
    let mut compared = Compared::default();
    let mut rng = Rng::new(arguments.seed);
    for mut sample in random::samples(arguments, repository) {
        let id = git(&["rev-parse".into(), sample.revision.into()]);
        sample.revision = String::from_utf8_lossy(id.trim_ascii()).into_owned();
        let name = [sample.revision.as_bytes(), b":", &sample.path].concat();
        let contents = git(&["cat-file".into(), "blob".into(), OsString::from_vec(name)]);
        let count = contents.split_inclusive(|&byte| byte == b'\n').count();
        compared.files += 1;
        for _ in 0..LINES.min(count) {
            let line = rng.below(count) as u32;
            let place = Place {
                commit: sample.revision.clone(),
                path: sample.path.clone(),
                line,
            };
            let Some(expected) = outcome_of_git(&try_git, &place) else {
                continue;
            };
            let query = LineOutcomeQuery {
                version: FileVersion::Commit {
                    commit: ObjectId::from_hex(sample.revision.as_bytes()).expect("an id"),
                    path: Arc::new(sample.path.clone().into()),
                },
                line,
                whitespace: false,
            };
            let outcome = answer_of(&mut reader, &query, &|| false);
            let found = outcome.as_ref().ok();
            let found = found.map(|outcome| Outcome::of_tblame(outcome, expected.is_aside));
            compared.lines += 1;
            compared.gone += usize::from(expected.next.is_some());
            compared.with_file += usize::from(expected.is_file_deleted);
            compared.aside += usize::from(expected.is_aside);
            compared.other_branches += usize::from(expected.other_branch.is_some());
            compared.at_head += usize::from(outcome.is_ok_and(|outcome| outcome.is_at_head));
            if found.as_ref() != Some(&expected) {
                compared.different += 1;
                println!("{place:?}: {expected:?} by git, {found:?} by tblame");
            }
        }
    }
    println!("{}: {compared:?}", repository.directory.display());
    compared.different == 0 && compared.lines > 0
}

/// A reader as the viewer has it, opened at HEAD.
fn reader(repository: &Repository) -> GitWalks {
    let opened = repository::Repository::open_own(&repository.directory).expect("a repository");
    source_of_head(&Arc::new(opened), None, 2).walks()
}
