//! The check that a repository may be used: its owner, `safe.directory` and
//! `safe.bareRepository` (git-config(1)).

use std::path::Path;

use bstr::{BString, ByteVec};

use crate::{
    error::{Error, Result},
    repository::open::{configuration::sources::Sources, environment::EnvironmentUse},
    system,
    text::shell_quotes::push_word,
};

/// The directory where a repository was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root<'a> {
    pub(super) path: &'a Path,
    /// The name of what is in it, such as `.git`.
    pub(super) entry: &'static str,
    /// This leads to the repository instead of being it.
    pub(super) is_linked: bool,
}

/// Checks the owners of a repository that was found from `directory`, and that bare ones may be
/// used. `git_dir` is without symbolic links. `root` is the directory that was searched; none for a
/// repository that was found in its own directory.
pub(super) fn check_safety(
    git_dir: &Path,
    root: Option<Root<'_>>,
    directory: &Path,
    notes: &mut Vec<BString>,
    environment: EnvironmentUse,
) -> Result<()> {
    let assumes_others = environment.boolean("GIT_TEST_ASSUME_DIFFERENT_OWNER");
    let is_own = assumes_others != Ok(Some(true)) && is_own(root, git_dir);
    if is_own && root.is_some() {
        return Ok(());
    }
    let protected = Sources::protected(environment, directory).read(notes)?;
    // git reads the value also in a repository that is not bare.
    let refuses_bare = root.is_none() && protected.refuses_implicit_bare()?;
    if refuses_bare && !git_dir.components().any(|part| part.as_os_str() == ".git") {
        let mut message = b"cannot use bare repository '".to_vec();
        message.push_str(git_dir.as_os_str().as_encoded_bytes());
        message.push_str("' (safe.bareRepository is 'explicit')");
        return Err(Error::fatal(message));
    }
    let found = root.map_or(git_dir, |root| root.path);
    let found = found.canonicalize().unwrap_or_else(|_| found.to_owned());
    if is_own || protected.is_safe_directory(&found, notes)? {
        Ok(())
    } else {
        Err(dubious_ownership(&found))
    }
}

/// True if the user owns all that git looks at: the work tree with its `.git`, and what that leads
/// to if it is a file. What several work trees have in common may be another user's.
fn is_own(root: Option<Root<'_>>, git_dir: &Path) -> bool {
    let own = |path: &Path| system::is_owned(path).unwrap_or(false);
    match root {
        None => own(git_dir),
        Some(root) => {
            let entry = root.path.join(root.entry);
            own(root.path) && own(&entry) && (!root.is_linked || own(git_dir))
        }
    }
}

fn dubious_ownership(path: &Path) -> Error {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = path.as_os_str().as_encoded_bytes();
    let mut message = b"detected dubious ownership in repository at '".to_vec();
    message.push_str(path);
    message.push_str("'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory ");
    push_word(&mut message, path);
    Error::fatal(message)
}
