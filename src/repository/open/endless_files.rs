//! A look at the files of a repository before it is opened. Named pipes and devices in place of files, for which git
//! waits, perhaps without end, are refused.

use std::path::Path;

use bstr::ByteSlice;

use crate::{
    error::{Error, Result},
    system,
};

/// Files of a repository that are read to open it, and later.
const REPOSITORY_FILES: [&str; 11] = [
    "HEAD",
    "MERGE_HEAD",
    "commondir",
    "config",
    "config.worktree",
    "index",
    "info/attributes",
    "info/grafts",
    "objects/info/alternates",
    "packed-refs",
    "shallow",
];

/// Files of a work tree that are read beside the blamed one.
const WORK_TREE_FILES: [&str; 2] = [".gitattributes", ".mailmap"];

/// Refuses such files of the repository in `directory` or the nearest one above that has one, before it is opened.
/// `named` is `GIT_DIR`.
///
/// # Errors
///
/// If there is one.
pub(super) fn check_around(directory: &Path, named: Option<&Path>) -> Result<()> {
    if let Some(named) = named {
        return check_repository(&directory.join(named));
    }
    for above in directory.ancestors() {
        let git_dir = above.join(".git");
        if git_dir.is_dir() {
            check_work_tree(above)?;
            return check_repository(&git_dir);
        }
        check(&git_dir)?;
        if let Ok(text) = system::read_file(&git_dir) {
            let path = text.strip_prefix(b"gitdir:").unwrap_or(&text);
            check_work_tree(above)?;
            return check_repository(&above.join(path.trim().to_path_lossy()));
        }
        if above.join("objects").is_dir() && above.join("refs").is_dir() {
            return check_repository(above);
        }
    }
    Ok(())
}

/// Checks the files of a repository, and those that it shares with others.
fn check_repository(git_dir: &Path) -> Result<()> {
    check_all(git_dir, &REPOSITORY_FILES)?;
    match system::read_file(&git_dir.join("commondir")) {
        Ok(path) => check_all(
            &git_dir.join(path.trim().to_path_lossy()),
            &REPOSITORY_FILES,
        ),
        Err(_) => Ok(()),
    }
}

fn check_work_tree(root: &Path) -> Result<()> {
    let mut names = WORK_TREE_FILES.iter();
    names.try_for_each(|name| check_in_work_tree(&root.join(name)))
}

fn check_all(directory: &Path, names: &[&str]) -> Result<()> {
    names
        .iter()
        .try_for_each(|name| check(&directory.join(name)))
}

/// As [`check`], for a file of a work tree that is not read through a link.
///
/// # Errors
///
/// As [`check`].
pub(crate) fn check_in_work_tree(path: &Path) -> Result<()> {
    match path.is_symlink() {
        true => Ok(()),
        false => check(path),
    }
}

/// Refuses a file if it is a named pipe or a device.
///
/// # Errors
///
/// If it is.
fn check(path: &Path) -> Result<()> {
    match system::is_endless(path) {
        true => Err(Error::fatal(format!(
            "{} is not a regular file",
            path.display()
        ))),
        false => Ok(()),
    }
}
