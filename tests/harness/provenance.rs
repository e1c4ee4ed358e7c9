//! What git says of the tags that contain a commit, and of the commit that brought it.

use std::collections::HashSet;

/// Runs git and returns what it prints; it must succeed.
pub type AskGit<'a> = dyn Fn(&[&str]) -> Vec<u8> + 'a;

/// The first tag that contains `commit`.
pub fn first_tag(git: &AskGit<'_>, commit: &str) -> Option<Vec<u8>> {
    let contains = format!("--contains={commit}");
    let tags = git(&["tag", &contains, "--sort=creatordate"]);
    let first = tags.split(|&byte| byte == b'\n').next();
    first.filter(|name| !name.is_empty()).map(<[u8]>::to_vec)
}

/// The first parents of a commit, itself first.
pub fn first_parents(git: &AskGit<'_>, tip: &str) -> Vec<String> {
    ids(&git(&["rev-list", "--first-parent", tip]))
}

/// The oldest commit of `line`, which are the first parents of its first one, that is `commit` or has it among its
/// ancestors.
pub fn brought_by(git: &AskGit<'_>, commit: &str, line: &[String]) -> Option<String> {
    if line.iter().any(|id| id == commit) {
        return Some(commit.to_owned());
    }
    let path = format!("--ancestry-path={commit}");
    let range = format!("{commit}..{}", line.first()?);
    let descendants: HashSet<String> = ids(&git(&["rev-list", &path, &range]))
        .into_iter()
        .collect();
    line.iter()
        .rev()
        .find(|id| descendants.contains(*id))
        .cloned()
}

fn ids(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    text.lines().map(str::to_owned).collect()
}
