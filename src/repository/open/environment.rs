//! Environment variables: configuration and object directories.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use bstr::{BString, ByteVec};
use tempfile::TempDir;

/// Whether environment variables that git reads (`GIT_DIR`, `GIT_CONFIG_COUNT` …) apply.
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
}

/// The value of an environment variable as bytes.
pub(crate) fn variable(name: &str) -> Option<BString> {
    let value: OsString = std::env::var_os(name)?;
    Vec::from_os_string(value).ok().map(BString::from)
}

/// The directory of packs and loose objects: `GIT_OBJECT_DIRECTORY`, or that of the repository.
pub(crate) fn objects_directory(gix: &gix::Repository, environment: EnvironmentUse) -> PathBuf {
    match environment.var_os("GIT_OBJECT_DIRECTORY") {
        Some(directory) => PathBuf::from(directory),
        None => gix.common_dir().join("objects"),
    }
}

/// Makes `gix` read the object directories of the environment. gix takes one directory with an
/// alternates file, so a temporary one is made that lists them all.
pub(crate) fn objects(
    gix: &mut gix::Repository,
    environment: EnvironmentUse,
) -> std::io::Result<Option<TempDir>> {
    let others = alternates(environment);
    if others.is_empty() && environment.var_os("GIT_OBJECT_DIRECTORY").is_none() {
        return Ok(None);
    }
    let made = tempfile::Builder::new().prefix("tblame-odb-").tempdir()?;
    let mut list = Vec::new();
    for directory in std::iter::once(objects_directory(gix, environment)).chain(others) {
        let Ok(directory) = directory.canonicalize() else {
            continue;
        };
        list.push_str(directory.as_os_str().as_encoded_bytes());
        list.push(b'\n');
    }
    std::fs::create_dir(made.path().join("info"))?;
    std::fs::write(made.path().join("info/alternates"), list)?;
    let store = gix::odb::Store::at_opts(
        made.path().to_owned(),
        gix.object_hash(),
        &mut std::iter::empty(),
        gix::odb::store::init::Options::default(),
    )?;
    let handle = gix::odb::Cache::from(Arc::new(store).to_handle());
    gix.objects = gix::odb::memory::Proxy::from(handle).with_write_passthrough();
    Ok(Some(made))
}

/// The directories of `GIT_ALTERNATE_OBJECT_DIRECTORIES`.
pub(crate) fn alternates(environment: EnvironmentUse) -> Vec<PathBuf> {
    match environment.var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES") {
        Some(list) => std::env::split_paths(&list)
            .filter(|directory| !directory.as_os_str().is_empty())
            .collect(),
        None => Vec::new(),
    }
}
