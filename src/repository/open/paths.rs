//! Translation of paths given by the user into paths from the root of the tree.

use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, os_message, quoted},
    system,
};

/// The work tree and the current directory in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkTreePaths {
    /// The work tree's root, without symbolic links.
    pub work_tree: Option<PathBuf>,
    /// The work tree existed when the repository was opened. One that `GIT_WORK_TREE` or
    /// `core.worktree` names need not.
    pub exists: bool,
    /// The root as shown in messages about paths outside of it.
    pub shown_root: BString,
    /// The current directory relative to the root, with a trailing slash; empty at the root,
    /// outside the work tree and without one.
    pub prefix: BString,
}

impl WorkTreePaths {
    /// Resolves a path given relative to the current directory, or absolute, to one from the root.
    ///
    /// # Errors
    ///
    /// If it lies outside of the work tree.
    pub fn resolve(&self, typed: &BStr) -> Result<BString> {
        let typed: &[u8] = &system::typed_path(typed);
        let typed = typed.as_bstr();
        let outside = || {
            if let Err(err) = check_parents(typed) {
                return err;
            }
            let mut message = b"'".to_vec();
            message.push_str(typed);
            message.push_str("' is outside repository at '");
            message.push_str(&self.shown_root);
            message.push(b'\'');
            Error::fatal(message)
        };
        if !is_absolute(typed) {
            let mut path = self.prefix.clone();
            path.push_str(typed);
            return normalize(&path).ok_or_else(outside);
        }
        let absolute = normalize(typed).ok_or_else(outside)?;
        let root = self.work_tree.as_deref().ok_or_else(outside)?;
        below(root, absolute.as_bstr()).ok_or_else(outside)
    }

    /// The work tree's root, if it exists.
    pub fn existing_work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref().filter(|_| self.exists)
    }
}

/// The names of files in messages: from the directory where git works, if they are below it.
#[derive(Debug)]
pub(crate) struct FileNames(PathBuf);

impl FileNames {
    /// Those where git works in `directory`.
    pub(super) fn from(directory: &Path) -> FileNames {
        FileNames(directory.to_owned())
    }

    /// The name of a file.
    pub(crate) fn of(&self, file: &Path) -> BString {
        let shown = file.strip_prefix(&self.0).unwrap_or(file);
        shown.as_os_str().as_encoded_bytes().into()
    }
}

/// The part of `absolute` below `root`, also where a leading directory is a symbolic link to it.
fn below(root: &Path, absolute: &BStr) -> Option<BString> {
    let root_bytes: &[u8] = &system::path_bytes(root);
    if let Some(rest) = absolute.strip_prefix(root_bytes) {
        match rest.first() {
            Some(b'/') => return Some(rest[1..].into()),
            None => return Some(BString::default()),
            Some(_) if root_bytes.ends_with(b"/") => return Some(rest.into()),
            Some(_) => {}
        }
    }
    let mut end = 0;
    while let Some(at) = absolute[end + 1..].find_byte(b'/') {
        end += 1 + at;
        let directory = absolute[..end].to_path_lossy();
        if directory.canonicalize().ok().as_deref() == Some(root) {
            return Some(absolute[end + 1..].into());
        }
    }
    None
}

/// True if a path with slashes does not depend on the current directory.
fn is_absolute(path: &BStr) -> bool {
    path.first() == Some(&b'/') || path.to_path_lossy().is_absolute()
}

/// Removes `.`, `..` and empty components as git does: a trailing slash stays. `None` if `..` goes
/// above the start.
pub(crate) fn normalize(path: &[u8]) -> Option<BString> {
    let absolute = path.first() == Some(&b'/');
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let mut normal = Vec::with_capacity(path.len());
    if absolute {
        normal.push(b'/');
    }
    normal.push_str(parts.join(&b'/'));
    let ends_in_directory = path.ends_with(b"/") || path.ends_with(b"/.") || path.ends_with(b"/..");
    if ends_in_directory && !parts.is_empty() {
        normal.push(b'/');
    }
    Some(normal.into())
}

/// Fails if a directory on the way to an absolute path does not exist. The path itself need not
/// exist, unless it ends with a slash.
pub(super) fn check_parents(path: &BStr) -> Result<()> {
    let ends = path.find_iter(b"/").filter(|&end| end > 0);
    let mut parents = ends.map(|end| path[..end].as_bstr());
    match parents.find(|parent| is_absolute(path) && !parent.to_path_lossy().exists()) {
        None => Ok(()),
        Some(missing) => {
            let reason = ": No such file or directory";
            Err(Error::fatal(quoted("Invalid path ", missing, reason)))
        }
    }
}

pub(super) fn prefix(work_tree: Option<&Path>, directory: &Path) -> BString {
    let below = work_tree.and_then(|root| directory.strip_prefix(root).ok());
    let mut prefix = match below {
        Some(below) => BString::from(&*system::path_bytes(below)),
        None => return BString::default(),
    };
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    prefix
}

/// A path from the root as it is typed in the directory `prefix` (as [`WorkTreePaths::prefix`]);
/// `.` for that directory.
pub(crate) fn relative_path(path: &BStr, prefix: &BStr) -> BString {
    let mut base: &[u8] = prefix;
    let mut up = 0;
    while !path.starts_with(base) {
        let above = base[..base.len() - 1].rfind_byte(b'/');
        base = &base[..above.map_or(0, |at| at + 1)];
        up += 1;
    }
    let mut relative = BString::from("../".repeat(up));
    relative.push_str(&path[base.len()..]);
    if relative.is_empty() {
        relative.push(b'.');
    }
    relative
}

/// The root as shown in messages: the work tree, or else the repository.
pub(super) fn shown_root(work_tree: Option<&Path>, git_dir: &Path) -> BString {
    match work_tree {
        Some(root) => (&*system::path_bytes(root)).into(),
        None => {
            let mut shown = BString::from(&*system::path_bytes(git_dir));
            shown.push_str("/.");
            shown
        }
    }
}

/// The current directory, symbolic links resolved.
///
/// # Errors
///
/// If it was removed.
pub fn current_directory() -> Result<PathBuf> {
    system::current_directory().map_err(|err| {
        Error::fatal(format!(
            "Unable to read current working directory: {}",
            os_message(&err)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(prefix: &str) -> WorkTreePaths {
        WorkTreePaths {
            work_tree: Some("/no/such/top".into()),
            exists: false,
            shown_root: "/no/such/top".into(),
            prefix: prefix.into(),
        }
    }

    #[test]
    fn paths_start_at_the_root_of_the_tree() {
        let resolve = |prefix, typed: &str| paths(prefix).resolve(typed.into()).unwrap();
        assert_eq!(resolve("", "a//b/./c"), "a/b/c");
        assert_eq!(resolve("sub/", "../a"), "a");
        assert_eq!(resolve("sub/", "b/"), "sub/b/");
        assert_eq!(resolve("sub/", "/no/such/top/x/../y"), "y");
    }

    #[test]
    fn outside_is_refused() {
        assert_eq!(
            paths("sub/")
                .resolve("../../x".into())
                .unwrap_err()
                .message(),
            "'../../x' is outside repository at '/no/such/top'"
        );
        assert!(paths("").resolve("/no/such/topx/y".into()).is_err());
    }
}
