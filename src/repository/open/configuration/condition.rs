//! The conditions of `includeIf`.

use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice, ByteVec};
use gix_glob::wildmatch;

use crate::repository::{
    open::{configuration::interpolate::expand_path, layout::Layout},
    references::References,
};

/// The repository that conditions are about.
#[derive(Debug, Clone, Default)]
pub struct ConditionContext {
    /// The repository's directory, as found and without symbolic links.
    pub git_dir: Option<PathBuf>,
    /// The work tree's root.
    pub work_tree: Option<PathBuf>,
    /// The repository, for its current branch.
    pub(crate) layout: Option<Layout>,
}

/// The condition on remote URLs, which depends on the rest of the configuration.
pub(super) const REMOTE_URL: &[u8] = b"hasconfig:remote.*.url:";

/// Why a condition cannot be decided: it is relative, but was not read from a file.
pub(super) struct NotFromFile;

impl ConditionContext {
    /// True if `condition`, which is in `file`, is met.
    pub(super) fn meets(&self, condition: &BStr, file: Option<&Path>) -> Result<bool, NotFromFile> {
        let plain = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
        let any_case = plain | wildmatch::Mode::IGNORE_CASE;
        let (path, pattern, mode) = match condition.split_once_str(":") {
            Some((b"gitdir", pattern)) => (&self.git_dir, pattern, plain),
            Some((b"gitdir/i", pattern)) => (&self.git_dir, pattern, any_case),
            Some((b"worktree", pattern)) => (&self.work_tree, pattern, plain),
            Some((b"worktree/i", pattern)) => (&self.work_tree, pattern, any_case),
            Some((b"onbranch", pattern)) => return Ok(self.is_on_branch(pattern.as_bstr())),
            _ => return Ok(false),
        };
        let Some(path) = path else {
            return Ok(false);
        };
        let Some((literal, pattern)) = directory_pattern(pattern.as_bstr(), file)? else {
            return Ok(false);
        };
        let matches = |path: &Path| {
            let path = path.as_os_str().as_encoded_bytes();
            let Some((start, rest)) = path.split_at_checked(literal.len()) else {
                return false;
            };
            let same = if mode.contains(wildmatch::Mode::IGNORE_CASE) {
                start.eq_ignore_ascii_case(&literal)
            } else {
                start == literal.as_slice()
            };
            same && wildmatch(pattern.as_bstr(), rest.as_bstr(), mode)
        };
        Ok(path.canonicalize().is_ok_and(|real| matches(&real)) || matches(path))
    }

    fn is_on_branch(&self, pattern: &BStr) -> bool {
        let layout = self.layout.as_ref();
        let branch = layout.and_then(|layout| References::new(layout).current_branch());
        let Some(branch) = branch else {
            return false;
        };
        let branch = branch[b"refs/heads/".len()..].as_bstr();
        let mut pattern = pattern.to_owned();
        if pattern.ends_with(b"/") {
            pattern.push_str("**");
        }
        let mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
        wildmatch(pattern.as_bstr(), branch, mode)
    }
}

/// True if a remote's URL matches the pattern of a condition.
pub(super) fn matches_url(pattern: &BStr, url: &BStr) -> bool {
    wildmatch(pattern, url, wildmatch::Mode::NO_MATCH_SLASH_LITERAL)
}

/// The pattern of a condition on a directory, after a beginning that is compared literally.
fn directory_pattern(
    pattern: &BStr,
    file: Option<&Path>,
) -> Result<Option<(BString, BString)>, NotFromFile> {
    let (literal, mut pattern) = match pattern.as_bytes() {
        [b'.', b'/', rest @ ..] => {
            let file = file.ok_or(NotFromFile)?;
            let Some(directory) = file.canonicalize().ok().and_then(parent_of) else {
                return Ok(None);
            };
            (directory, rest.into())
        }
        [b'~', b'/', rest @ ..] => match real_home() {
            Some(home) => (
                BString::default(),
                [home.as_slice(), b"/", rest].concat().into(),
            ),
            None => return Ok(None),
        },
        [b'~', ..] => match expand_path(pattern) {
            Some(pattern) => (BString::default(), pattern),
            None => return Ok(None),
        },
        [b'/', ..] => (BString::default(), pattern.to_owned()),
        _ => (
            BString::default(),
            [b"**/", pattern.as_bytes()].concat().into(),
        ),
    };
    if pattern.ends_with(b"/") {
        pattern.push_str("**");
    }
    Ok(Some((literal, pattern)))
}

/// `HOME` without symbolic links.
fn real_home() -> Option<BString> {
    let home = std::fs::canonicalize(std::env::var_os("HOME")?).ok()?;
    Some(home.as_os_str().as_encoded_bytes().into())
}

/// The directory of a file, with a slash.
fn parent_of(file: PathBuf) -> Option<BString> {
    let mut directory = BString::from(file.parent()?.as_os_str().as_encoded_bytes());
    if !directory.ends_with(b"/") {
        directory.push(b'/');
    }
    Some(directory)
}
