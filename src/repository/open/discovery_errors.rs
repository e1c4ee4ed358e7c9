//! git's errors where no repository was found or one could not be opened.

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result},
    repository::open::{
        configuration_files::ConfigurationFiles,
        environment::EnvironmentUse,
        safety::{check_safety, dubious_ownership},
    },
};

/// Finds the error in a repository that gix could not open: an owner, or the configuration.
pub(super) fn diagnose(
    directory: &Path,
    named: Option<&Path>,
    environment: EnvironmentUse,
    notes: &mut Vec<BString>,
) -> Result<()> {
    let (git_dir, work_tree) = match named {
        Some(named) => (directory.join(named), None),
        None => {
            let Ok((found, trust)) = gix::discover::upwards(directory) else {
                // A file `commondir` that leads nowhere.
                let mut found = directory.ancestors().map(|above| above.join(".git"));
                let found = found.find(|git_dir| git_dir.join("HEAD").exists());
                return found.map_or(Ok(()), |git_dir| common_dir_of(&git_dir).map(drop));
            };
            let (git_dir, work_tree) = found.into_repository_and_work_tree_directories();
            let root = work_tree.as_deref().unwrap_or(&git_dir);
            check_safety(&git_dir, root, trust, directory, notes, environment)?;
            (git_dir, work_tree)
        }
    };
    let common_dir = common_dir_of(&git_dir)?;
    let files = ConfigurationFiles {
        git_dir: &git_dir,
        common_dir: &common_dir,
        work_tree: work_tree.as_deref(),
        directory,
        named,
        environment,
        gix: None,
    };
    files.read(true, notes).map(drop)
}

/// The directory that the file `commondir` in `git_dir` names, or `git_dir` itself.
///
/// # Errors
///
/// If it does not exist; in git's words.
fn common_dir_of(git_dir: &Path) -> Result<PathBuf> {
    let file = git_dir.join("commondir");
    let common_dir = match std::fs::read(&file) {
        Ok(path) if path.is_empty() => {
            let message = format!(
                "failed to read {}: No such file or directory",
                file.display()
            );
            return Err(Error::fatal(message));
        }
        Ok(path) => git_dir.join(
            path.trim_end_with(|end| matches!(end, '\n' | '\r'))
                .to_path_lossy(),
        ),
        Err(_) => return Ok(git_dir.to_owned()),
    };
    if !common_dir.exists() {
        // git resolves the path up to its last component.
        let parents: Vec<&Path> = common_dir.ancestors().skip(1).collect();
        let missing = parents.into_iter().rev().find(|parent| !parent.exists());
        return Err(match missing {
            None => no_repository(),
            Some(parent) => Error::fatal(format!(
                "Invalid path '{}': No such file or directory",
                parent.display()
            )),
        });
    }
    Ok(common_dir)
}

/// git's error for a repository that gix could not open. `named` is `GIT_DIR`.
pub(super) fn not_opened(err: &gix::Error, directory: &Path, named: Option<&Path>) -> Error {
    use gix::discover::upwards::Error as Discovery;
    if let Some(path) = named
        && gix::discover::is_git(path).is_err()
    {
        return no_repository_at(path);
    }
    match err.downcast_any_ref::<Discovery>() {
        Some(Discovery::NoGitRepositoryWithinFs { limit, .. }) => {
            let mut message = b"not a git repository (or any parent up to mount point ".to_vec();
            message.push_str(limit.as_os_str().as_encoded_bytes());
            message.push_str(
                ")\nStopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
            );
            Error::no_repository(message)
        }
        Some(Discovery::NoTrustedGitRepository { candidate, .. }) => dubious_ownership(candidate),
        Some(_) => no_repository(),
        None if gix::discover::is_git(directory).is_err()
            && gix::discover::is_git(&directory.join(".git")).is_err()
            && gix::discover::upwards(directory).is_err() =>
        {
            no_repository()
        }
        None => Error::fatal(format!("cannot open the repository: {err}")),
    }
}

/// The error for a path in `GIT_DIR` that is not a repository.
pub(super) fn no_repository_at(path: &Path) -> Error {
    let mut message = b"not a git repository: '".to_vec();
    message.push_str(path.as_os_str().as_encoded_bytes());
    message.push(b'\'');
    Error::no_repository(message)
}

pub(super) fn no_repository() -> Error {
    Error::no_repository("not a git repository (or any of the parent directories): .git")
        .with_hint("tblame --demo shows a small history anywhere")
}
