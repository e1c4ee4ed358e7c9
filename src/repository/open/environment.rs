//! Environment variables: configuration and object directories.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use bstr::{BString, ByteVec};

use crate::{
    error::{Error, Result, quoted},
    objects,
    repository::open::configuration::value,
};

/// The use of environment variables that git reads (`GIT_DIR`, `GIT_CONFIG_COUNT` …).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvironmentUse {
    /// They apply, as in git.
    Apply,
    /// They are ignored: they may have been set for another repository.
    Ignore,
}

impl EnvironmentUse {
    /// The value of a variable, unless it is ignored.
    pub(super) fn var_os(self, name: &str) -> Option<OsString> {
        match self {
            EnvironmentUse::Apply => std::env::var_os(name),
            EnvironmentUse::Ignore => None,
        }
    }

    /// The value of a variable as bytes, unless it is ignored.
    pub(super) fn variable(self, name: &str) -> Option<BString> {
        match self {
            EnvironmentUse::Apply => variable(name),
            EnvironmentUse::Ignore => None,
        }
    }

    /// The path in a variable, which starts at `root` unless it is absolute. An empty one stays
    /// empty.
    pub(super) fn path(self, name: &str, root: &Path) -> Option<PathBuf> {
        let path = self.var_os(name)?;
        Some(if path.is_empty() {
            PathBuf::new()
        } else {
            root.join(path)
        })
    }

    /// The value of a variable as a boolean of the configuration, unless it is ignored.
    ///
    /// # Errors
    ///
    /// In git's words, if it is none.
    pub(crate) fn boolean(self, name: &str) -> Result<Option<bool>> {
        let Some(text) = self.variable(name) else {
            return Ok(None);
        };
        match value::boolean(&text) {
            Some(value) => Ok(Some(value)),
            None => {
                let mut message = b"bad boolean environment value ".to_vec();
                message.push_str(quoted("", text.as_ref(), &format!(" for '{name}'")));
                Err(Error::fatal(message))
            }
        }
    }
}

/// The value of an environment variable as bytes.
pub(crate) fn variable(name: &str) -> Option<BString> {
    let value: OsString = std::env::var_os(name)?;
    Vec::from_os_string(value).ok().map(BString::from)
}

/// The directories of `GIT_ALTERNATE_OBJECT_DIRECTORIES`.
pub(crate) fn alternates(environment: EnvironmentUse) -> Vec<PathBuf> {
    let separator = if cfg!(windows) { b';' } else { b':' };
    let list = environment.variable("GIT_ALTERNATE_OBJECT_DIRECTORIES");
    objects::alternate_paths(&list.unwrap_or_default(), separator)
}
