//! The last commit of each entry of a directory: that of `git log -1`.

mod generated;
mod rules;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::harness::repository::TestRepo;

/// The first commit that `git log` shows for a path; the answer of `git last-modified` too, which
/// older gits lack.
pub fn last_commit_of_git(
    repository: &TestRepo,
    options: &[&str],
    revision: &str,
    path: &[u8],
) -> String {
    let mut arguments: Vec<OsString> = Vec::new();
    arguments.extend(["--literal-pathspecs", "log", "-1", "--format=%H"].map(OsString::from));
    arguments.extend(options.iter().map(OsString::from));
    arguments.extend([OsString::from(revision), OsString::from("--")]);
    arguments.push(OsStr::from_bytes(path).to_owned());
    repository.git_text(&arguments)
}

/// The path of an entry of a directory, which is empty for the root.
pub fn path_in(directory: &[u8], name: &[u8]) -> Vec<u8> {
    match directory {
        b"" => name.to_vec(),
        _ => [directory, b"/", name].concat(),
    }
}
