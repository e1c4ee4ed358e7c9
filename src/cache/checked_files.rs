//! Which long files of a repository have been found to have their checksums, so that this is done once for each state of a file.

use std::{collections::HashSet, fs, io};

use crate::{
    cache::{
        directory::{RepositoryDirectory, write_file},
        eviction,
        settings::CacheSettings,
    },
    objects::FileState,
    repository::Repository,
};

/// The file in a repository's directory: the states of files, one after the other.
const CHECKED: &str = "checked";

/// Most states that are kept. If there are more, those that are not in use are dropped.
const MAX_STATES: usize = 4096;

/// The files of a repository that were checked.
#[derive(Debug, Clone)]
pub struct CheckedFiles {
    directory: RepositoryDirectory,
    max_bytes: u64,
    known: HashSet<FileState>,
}

impl CheckedFiles {
    /// Lets `repository` check its long files from now on, but for those of which the `directory` says that they were.
    pub fn attach(
        repository: &Repository,
        directory: &RepositoryDirectory,
        settings: &CacheSettings,
    ) -> CheckedFiles {
        let known = read(directory).unwrap_or_default();
        repository.store().check_files(known.clone());
        CheckedFiles {
            directory: directory.clone(),
            max_bytes: settings.max_bytes,
            known,
        }
    }

    /// Remembers the files that were checked, if there are new ones. Calls `prepare` before.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn keep(&self, repository: &Repository, prepare: impl FnOnce()) -> io::Result<()> {
        let Some(found) = repository.store().take_checked_files() else {
            return Ok(());
        };
        prepare();
        let mut states: HashSet<&FileState> = found.iter().collect();
        if states.len() + self.known.len() <= MAX_STATES {
            states.extend(&self.known);
        }
        let mut bytes = Vec::with_capacity(states.len() * size_of::<FileState>());
        for state in states.into_iter().take(MAX_STATES) {
            bytes.extend(state);
        }
        eviction::write_within(self.max_bytes, &self.directory, bytes.len() as u64, || {
            write_file(&self.directory.path().join(CHECKED), &bytes)
        })
    }
}

fn read(directory: &RepositoryDirectory) -> Option<HashSet<FileState>> {
    const MAX_LEN: u64 = (MAX_STATES * size_of::<FileState>()) as u64;
    let path = directory.path().join(CHECKED);
    // Opening something else could wait forever.
    let metadata = fs::symlink_metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_LEN || !directory.is_trusted() {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(bytes.as_chunks().0.iter().copied().collect())
}
