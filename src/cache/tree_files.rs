//! Where the blames of whole directories are kept: a file for each directory and commit.

use std::{
    fs::{self, File},
    path::PathBuf,
};

use crate::{
    cache::{
        directory::is_own_directory,
        eviction,
        fingerprint::{RequestFingerprint, hash},
        tree_record::TreeFile,
    },
    objects::{HashKind, ObjectId},
    sorting, system,
};

/// The directory of trees in that of a repository.
pub(super) const TREES: &str = "trees";

/// The kept directories with one set of options.
#[derive(Debug, Clone)]
pub(super) struct TreeFiles {
    /// The directory of all of them in the cache.
    pub(super) trees: PathBuf,
    pub(super) fingerprint: RequestFingerprint,
    pub(super) kind: HashKind,
}

impl TreeFiles {
    /// Where a directory is kept: a file for each commit.
    pub(super) fn directory(&self, path: &[u8]) -> PathBuf {
        let name = hash(&[self.fingerprint.as_slice(), path]);
        self.trees.join(name.to_hex_with_len(32).to_string())
    }

    /// The file of a directory in a commit.
    pub(super) fn path(&self, path: &[u8], commit: &ObjectId) -> PathBuf {
        self.directory(path).join(commit.to_string())
    }

    /// The commits of which a directory is kept, those that were used last first.
    pub(super) fn commits(&self, path: &[u8]) -> Vec<ObjectId> {
        let directory = self.directory(path);
        let mut found = Vec::new();
        if !is_own_directory(&directory) {
            return Vec::new();
        }
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let commit = ObjectId::from_hex(entry.file_name().as_encoded_bytes()).ok();
            let commit = commit.filter(|commit| commit.kind() == self.kind);
            let used = entry.metadata().and_then(|metadata| metadata.modified());
            found.extend(commit.zip(used.ok()).map(|(commit, used)| (used, commit)));
        }
        sorting::sort(&mut found);
        found.into_iter().rev().map(|(_, commit)| commit).collect()
    }

    /// Opens the file of a directory in a commit, and notes that it is used.
    pub(super) fn open(&self, path: &[u8], commit: &ObjectId) -> Option<TreeFile> {
        let path = self.path(path, commit);
        // Opening something else could wait forever.
        if !is_own_directory(path.parent()?) || !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let file = File::open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !system::is_own(&metadata) {
            return None;
        }
        let opened = TreeFile::open(file, metadata.len(), &self.fingerprint, self.kind)?;
        eviction::note_used(&path);
        Some(opened)
    }
}

/// The directories that a path is below, the root first: paths without a slash at the end.
pub(super) fn directories_above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = memchr::memchr_iter(b'/', path).map(|at| &path[..at]);
    std::iter::once(&path[..0]).chain(slashes)
}
