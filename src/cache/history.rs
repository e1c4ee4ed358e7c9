//! A remembered history: the commits that blames have read, in a file like a commit-graph.
//!
//! It saves later blames of other files from reading these commits from their objects. With the
//! paths that they change, the trees need not be read either.

use std::{fs, io, path::PathBuf};

use crate::{
    cache::{
        directory::{RepositoryDirectory, write_file_by},
        eviction,
        settings::CacheSettings,
    },
    engine::Engine,
    objects::{ChangedPaths, CommitTable, GraphFile},
    repository::Repository,
    system::run_log,
};

/// The file in a repository's directory.
const HISTORY: &str = "history";

/// The file is written anew if at least this many commits are new, and at least one in
/// [`MIN_SHARE`].
const MIN_COMMITS: usize = 256;
const MIN_SHARE: usize = 16;

/// A history is remembered whole after so many commits of unknown changes were met. To read them and
/// their trees takes some hundredths of a second, for each file anew.
const MIN_MET: usize = 1000;

/// Most commits that are remembered. Each takes about 60 bytes, and some 30 with the paths that it
/// changes.
pub(super) const MAX_COMMITS: usize = 4 << 20;

/// The remembered history of a repository.
#[derive(Debug, Clone)]
pub struct HistoryFile {
    directory: RepositoryDirectory,
    max_bytes: u64,
}

impl HistoryFile {
    /// The file for `repository` in its `directory`. `None` if the repository has a commit-graph of
    /// its own, or its commits are not as they are stored.
    pub fn new(
        repository: &Repository,
        directory: &RepositoryDirectory,
        settings: &CacheSettings,
    ) -> Option<HistoryFile> {
        if !repository.store().can_remember() || repository.is_partial_clone() {
            return None;
        }
        Some(HistoryFile {
            directory: directory.clone(),
            max_bytes: settings.max_bytes,
        })
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join(HISTORY)
    }

    /// Lets the repository's readers and engines use the history. Before they are made.
    pub fn attach(&self, repository: &Repository) {
        let is_file = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
        let path = self.path();
        if self.directory.is_trusted() && is_file(&path) {
            let store = repository.store();
            store.remember(&path);
            eviction::note_used(&path);
            let (commits, paths) = (store.graph_len(), store.count_remembered_paths());
            run_log::note(
                "cache",
                format_args!(
                    "{commits} remembered commits, {paths} with the paths that they change"
                ),
            );
        }
    }

    /// Remembers the commits that `engine` has read from their objects, if they are many.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn keep(&self, repository: &Repository, engine: &Engine) -> io::Result<()> {
        let commits = (engine.commit_table(), engine.count_commits_read());
        self.keep_commits(repository, commits)
    }

    /// Remembers commits, `read` of which were read from their objects, if these are many. Reads the
    /// indexes of packs for it, as through a wrong one they may be others.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn keep_commits(
        &self,
        repository: &Repository,
        (commits, read): (&impl CommitTable, usize),
    ) -> io::Result<()> {
        // Then the ids of commits are missing.
        if repository.store().is_graph_lost() || repository.store().is_careful() {
            return Ok(());
        }
        let known = repository.store().graph_len();
        let are_many = read >= MIN_COMMITS && read >= known as usize / MIN_SHARE;
        if are_many && repository.store().damage().is_none() {
            let paths = repository.store().remembered_paths().unwrap_or_default();
            self.write(commits, &paths, repository)
        } else {
            Ok(())
        }
    }

    pub(super) fn write(
        &self,
        commits: &impl CommitTable,
        paths: &ChangedPaths,
        repository: &Repository,
    ) -> io::Result<()> {
        if commits.count() > MAX_COMMITS {
            return Ok(());
        }
        let Some(file) = GraphFile::new(commits, paths, repository.hash()) else {
            return Ok(());
        };
        eviction::write_within(
            self.max_bytes,
            &self.directory,
            file.byte_len() as u64,
            || write_file_by(&self.path(), |out| file.write(out)),
        )
    }

    /// True if it is worth its time to remember all of the history, after walks that have read
    /// `read` commits from their objects: many commits were met whose changes are not known.
    pub fn is_warming_worthwhile(&self, repository: &Repository, read: usize) -> bool {
        let store = repository.store();
        let (known, compared) = (store.graph_len() as usize, store.count_remembered_paths());
        let met = (read + known).saturating_sub(compared);
        met >= MIN_MET && met >= known / MIN_SHARE
    }

    /// True if a file can be made where the history is written.
    pub fn can_write(&self) -> bool {
        self.directory.create().is_ok() && tempfile::tempfile_in(self.directory.path()).is_ok()
    }
}
