//! The versions of a file: those that git's commands tell.

mod command_line;
mod generated;
mod rules;
mod search;

use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
};

use bstr::ByteSlice;

use crate::harness::{
    file_versions::FollowedCommit,
    program::{ProgramOutput, tblame_program},
    repository::TestRepo,
};

/// Runs git in a repository for the oracle; it must succeed.
pub fn git_in(repository: &TestRepo) -> impl Fn(&[OsString], &[u8]) -> Vec<u8> {
    |arguments, input| {
        let output = repository.git_output(arguments, input);
        let errors = output.stderr.as_bstr();
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        output.stdout
    }
}

/// As [`git_in`], for a repository that does not change: a question that is asked again has the same answer.
pub fn git_asked_once(repository: &TestRepo) -> impl Fn(&[OsString], &[u8]) -> Vec<u8> {
    let git = git_in(repository);
    let answers = RefCell::new(HashMap::new());
    move |arguments, input| {
        let question = (arguments.to_vec(), input.to_vec());
        let mut answers = answers.borrow_mut();
        let answer = answers.entry(question);
        answer.or_insert_with(|| git(arguments, input)).clone()
    }
}

/// The versions that tblame finds, with further `options`.
pub fn versions_of_tblame(
    repository: &TestRepo,
    revision: &str,
    path: &[u8],
    options: &[&str],
) -> Vec<FollowedCommit> {
    let mut command = repository.command(tblame_program().as_os_str());
    command
        .args(["--file-history", "-l", "-s", "--date=unix"])
        .args(options);
    command.args([
        OsStr::new(revision),
        OsStr::new("--"),
        OsStr::from_bytes(path),
    ]);
    let output = ProgramOutput::of(&mut command);
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    assert_eq!(output.stderr.as_bstr(), b"");
    let rows = output.stdout.lines();
    rows.map(|row| FollowedCommit::of_row(&row.to_str_lossy()))
        .collect()
}
