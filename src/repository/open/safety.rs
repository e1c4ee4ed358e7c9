//! Whether a repository may be used: its owner, `safe.directory` and `safe.bareRepository`
//! (git-config(1)).

use std::path::Path;

use bstr::{BString, ByteVec};
use gix::sec::Trust;

use crate::{
    error::{Error, Result},
    repository::open::{configuration::sources::Sources, environment::EnvironmentUse},
};

/// Checks the owner of a repository that was found, and whether bare ones may be used.
pub(super) fn check_safety(
    git_dir: &Path,
    found: &Path,
    trust: Trust,
    directory: &Path,
    notes: &mut Vec<BString>,
    environment: EnvironmentUse,
) -> Result<()> {
    let git_dir = git_dir
        .canonicalize()
        .unwrap_or_else(|_| git_dir.to_owned());
    let is_inside = directory.starts_with(&git_dir);
    if trust == Trust::Full && !is_inside {
        return Ok(());
    }
    let protected = Sources::protected(environment, directory).read(notes)?;
    if trust != Trust::Full {
        let found = if is_inside { git_dir.as_path() } else { found };
        let found = found.canonicalize().unwrap_or_else(|_| found.to_owned());
        if !protected.is_safe_directory(&found, notes)? {
            return Err(dubious_ownership(&found));
        }
    }
    let is_bare = is_inside && !git_dir.components().any(|part| part.as_os_str() == ".git");
    if protected.refuses_implicit_bare()? && is_bare {
        let mut message = b"cannot use bare repository '".to_vec();
        message.push_str(git_dir.as_os_str().as_encoded_bytes());
        message.push_str("' (safe.bareRepository is 'explicit')");
        return Err(Error::fatal(message));
    }
    Ok(())
}

pub(super) fn dubious_ownership(path: &Path) -> Error {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = path.as_os_str().as_encoded_bytes();
    let mut message = b"detected dubious ownership in repository at '".to_vec();
    message.push_str(path);
    message.push_str("'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory ");
    message.push_str(path);
    Error::fatal(message)
}
