//! The commits that changed how often a text occurs in a file, as `git log -S` tells them.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    os::unix::ffi::OsStringExt,
};

use super::{file_versions::RunGit, rng::Rng};

/// The commits of `git log -S` for a path, without renames. A merge counts if every parent has another number.
pub fn commits_of_path(
    git: &RunGit<'_>,
    revision: &str,
    path: &[u8],
    text: &[u8],
) -> BTreeSet<String> {
    let lines = log(git, &["-m", "--format=%H %P"], revision, path, text);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let all = counts.into_iter().filter_map(|(line, count)| {
        let mut ids = line.split_ascii_whitespace();
        let id = ids.next().expect("a commit");
        (count == ids.count().max(1)).then(|| id.to_owned())
    });
    all.collect()
}

/// The commits of `git log --first-parent --follow -S`, newest first.
pub fn followed_commits(git: &RunGit<'_>, revision: &str, path: &[u8], text: &[u8]) -> Vec<String> {
    let options = ["--first-parent", "--follow", "--format=%H"];
    let lines = log(git, &options, revision, path, text);
    lines.lines().map(str::to_owned).collect()
}

fn log(git: &RunGit<'_>, options: &[&str], revision: &str, path: &[u8], text: &[u8]) -> String {
    let words = [
        "--literal-pathspecs",
        "log",
        "--no-color",
        "--no-textconv",
        "-s",
    ];
    let mut arguments: Vec<OsString> = words.iter().chain(options).map(OsString::from).collect();
    arguments.push(OsString::from_vec([b"-S", text].concat()));
    arguments.push(revision.into());
    arguments.push("--".into());
    arguments.push(OsString::from_vec(path.to_vec()));
    String::from_utf8(git(&arguments, b"")).expect("ids are ASCII")
}

/// A random part of a line of a file; `None` if it has no such text.
pub fn random_text(rng: &mut Rng, contents: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = contents.split(|&byte| byte == b'\n').collect();
    let line = rng.pick(&lines);
    let start = rng.below(line.len().max(1));
    let len = 1 + rng.below(8);
    let text = &line[start.min(line.len())..(start + len).min(line.len())];
    (!text.is_empty() && !text.contains(&0)).then(|| text.to_vec())
}
