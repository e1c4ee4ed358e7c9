//! Cache directories of which each timed run gets its own copy, so that none answers from what another one kept.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// A cache that a first run fills, and a copy of it.
pub struct Caches {
    directory: TempDir,
}

impl Caches {
    pub fn new() -> Caches {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        make(&directory.path().join("first")).expect("it can be made there");
        Caches { directory }
    }

    /// The environment of the run that fills the cache.
    pub fn first(&self) -> [(&'static OsStr, PathBuf); 2] {
        environment(self.directory.path().join("first"))
    }

    /// The environment of a run with a new copy of what the first run left.
    pub fn copy(&self) -> [(&'static OsStr, PathBuf); 2] {
        let copy = self.directory.path().join("copy");
        let _ = fs::remove_dir_all(&copy);
        copy_directory(&self.directory.path().join("first"), &copy).expect("it can be copied");
        environment(copy)
    }
}

fn environment(cache: PathBuf) -> [(&'static OsStr, PathBuf); 2] {
    [
        ("TBLAME_CACHE".as_ref(), "on".into()),
        ("XDG_CACHE_HOME".as_ref(), cache),
    ]
}

/// Makes a directory that the cache accepts.
fn make(directory: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(directory)
}

fn copy_directory(from: &Path, to: &Path) -> io::Result<()> {
    make(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_directory(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
            fs::set_permissions(&target, fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}
