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

/// As [`last_commit_of_git`], for many paths: the first commit of one `git log` that names each. Only where git follows
/// no more than one parent, as it chooses among several for each path alone.
pub fn last_commits_of_git(
    repository: &TestRepo,
    options: &[&str],
    revision: &str,
    paths: &[Vec<u8>],
) -> Vec<String> {
    let mut arguments: Vec<OsString> = Vec::new();
    let words = [
        "--literal-pathspecs",
        "log",
        "--format=commit %H",
        "--diff-merges=first-parent",
        "-z",
    ];
    arguments.extend(words.map(OsString::from));
    arguments.extend(["--name-only", "--no-renames"].map(OsString::from));
    arguments.extend(options.iter().map(OsString::from));
    arguments.extend([OsString::from(revision), OsString::from("--")]);
    arguments.extend(paths.iter().map(|path| OsStr::from_bytes(path).to_owned()));
    let output = repository.git(&arguments);
    let mut found = vec![None; paths.len()];
    let mut commit = "";
    for field in output.split(|&byte| byte == 0) {
        let field = field.strip_prefix(b"\n").unwrap_or(field);
        if let Some(id) = field.strip_prefix(b"commit ") {
            commit = std::str::from_utf8(id).expect("an id");
            continue;
        }
        for (path, found) in paths.iter().zip(&mut found) {
            let below = field.strip_prefix(&path[..]);
            if below.is_some_and(|below| below.is_empty() || below.starts_with(b"/")) {
                found.get_or_insert_with(|| commit.to_owned());
            }
        }
    }
    let found = found.into_iter();
    found
        .map(|commit| commit.expect("each path was added"))
        .collect()
}

/// The path of an entry of a directory, which is empty for the root.
pub fn path_in(directory: &[u8], name: &[u8]) -> Vec<u8> {
    match directory {
        b"" => name.to_vec(),
        _ => [directory, b"/", name].concat(),
    }
}
