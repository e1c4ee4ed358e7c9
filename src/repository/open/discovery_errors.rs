//! Where git searches for a repository, and its errors where none was found.

use std::path::{Path, PathBuf};

use bstr::{ByteSlice, ByteVec};

use crate::{
    error::{Error, Result},
    repository::open::environment::EnvironmentUse,
    system,
};

/// Checks the file `commondir` of the nearest directory `.git` that has a `HEAD`.
///
/// # Errors
///
/// If git ends the search there; in its words.
pub(super) fn check_common_dir_file(directory: &Path, environment: EnvironmentUse) -> Result<()> {
    nearest_git_dir(directory, environment)
        .map_or(Ok(()), |git_dir| common_dir_of(&git_dir).map(drop))
}

/// Whether the file `commondir` of the repository that `directory` is in, or of the one in `named`, leads nowhere without
/// ending the search.
pub(super) fn has_missing_common_dir(
    directory: &Path,
    named: Option<&Path>,
    environment: EnvironmentUse,
) -> bool {
    let git_dir = match named {
        Some(named) => Some(directory.join(named)),
        None => nearest_git_dir(directory, environment),
    };
    git_dir.is_some_and(|git_dir| matches!(common_dir_of(&git_dir), Ok(None)))
}

/// The nearest directory `.git` that has a `HEAD`, or `directory` itself.
fn nearest_git_dir(directory: &Path, environment: EnvironmentUse) -> Option<PathBuf> {
    let (searched, _) = searched_directories(directory, environment);
    let own = std::iter::once(directory.to_owned());
    let mut found = own.chain(searched.iter().map(|path| path.join(".git")));
    found.find(|git_dir| git_dir.join("HEAD").exists())
}

/// The directory that the file `commondir` in `git_dir` names, or `git_dir` itself. None if it does not exist.
///
/// # Errors
///
/// If git ends the search for a repository there; in its words.
pub(super) fn common_dir_of(git_dir: &Path) -> Result<Option<PathBuf>> {
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
        Err(_) => return Ok(Some(git_dir.to_owned())),
    };
    if !common_dir.exists() {
        // git resolves the path up to its last component.
        let parents: Vec<&Path> = common_dir.ancestors().skip(1).collect();
        let missing = parents.into_iter().rev().find(|parent| !parent.exists());
        return missing.map_or(Ok(None), |parent| {
            Err(Error::fatal(format!(
                "Invalid path '{}': No such file or directory",
                parent.display()
            )))
        });
    }
    Ok(Some(common_dir))
}

/// The error for a path in `GIT_DIR` that is not a repository.
pub(super) fn no_repository_at(path: &Path) -> Error {
    let mut message = b"not a git repository: '".to_vec();
    message.push_str(path.as_os_str().as_encoded_bytes());
    message.push(b'\'');
    Error::no_repository(message)
}

/// The error where a search from `directory` upwards found no repository. It goes up to the root or one of
/// `GIT_CEILING_DIRECTORIES`, or ends where another file system begins.
pub(super) fn no_repository(directory: &Path, environment: EnvironmentUse) -> Error {
    if let (_, Some(boundary)) = searched_directories(directory, environment) {
        let mut message = b"not a git repository (or any parent up to mount point ".to_vec();
        message.push_str(boundary.as_os_str().as_encoded_bytes());
        message.push_str(
            ")\nStopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
        );
        return Error::no_repository(message);
    }
    Error::no_repository("not a git repository (or any of the parent directories): .git")
        .with_hint("tblame --demo shows a small history anywhere")
}

/// The directories that a search goes through: `directory` and those above it, up to a ceiling or the boundary of its
/// file system. Beside them, the first directory beyond that boundary, if the search got there.
pub(super) fn searched_directories(
    directory: &Path,
    environment: EnvironmentUse,
) -> (Vec<&Path>, Option<&Path>) {
    let crosses = environment.boolean("GIT_DISCOVERY_ACROSS_FILESYSTEM") == Ok(Some(true));
    let device = (!crosses).then(|| system::device(directory)).flatten();
    let ceilings = ceiling_directories(environment);
    let mut searched = vec![directory];
    for above in directory.ancestors().skip(1) {
        if ceilings.iter().any(|ceiling| ceiling == above) {
            break;
        }
        if device.is_some() && system::device(above) != device {
            return (searched, Some(above));
        }
        searched.push(above);
    }
    (searched, None)
}

/// The directories of `GIT_CEILING_DIRECTORIES`, where a search from below ends.
pub(super) fn ceiling_directories(environment: EnvironmentUse) -> Vec<PathBuf> {
    let ceilings = environment
        .var_os("GIT_CEILING_DIRECTORIES")
        .unwrap_or_default();
    std::env::split_paths(&ceilings)
        .filter(|ceiling| ceiling.is_absolute())
        .map(|ceiling| ceiling.canonicalize().unwrap_or(ceiling))
        .collect()
}
