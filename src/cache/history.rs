//! A remembered history: the commits that blames have read, in a file like a commit-graph.
//!
//! It saves later blames of other files from reading these commits from their objects. With changed-path filters,
//! they need not read most trees either.

use std::{
    collections::HashSet,
    fs, io,
    path::PathBuf,
    time::{Duration, Instant},
};

use bstr::BString;

use crate::{
    cache::{
        directory::{CacheDirectory, RepositoryDirectory, write_file},
        eviction,
        settings::CacheSettings,
    },
    objects::{self, GraphCommit, ObjectId, Reader, changed_path_filter, encode_graph},
    repository::Repository,
};

/// The file in a repository's directory.
const HISTORY: &str = "history";

/// The file is written anew if at least this many commits are new, and at least one in [`MIN_SHARE`].
const MIN_COMMITS: usize = 256;
const MIN_SHARE: usize = 16;

/// Most commits that are remembered. Each takes about 60 bytes, and its filter 10 or more.
const MAX_COMMITS: usize = 4 << 20;

/// More paths than a filter is made for.
const MAX_PATHS: usize = 2048;

/// What is done of [`HistoryFile::warm`] is written this often, so that an interruption loses little.
const WRITTEN_EVERY: Duration = Duration::from_secs(10);

/// The remembered history of a repository.
#[derive(Debug, Clone)]
pub struct HistoryFile {
    directory: RepositoryDirectory,
    max_bytes: u64,
}

impl HistoryFile {
    /// The file for `repository` below `directory`. `None` if the repository has a commit-graph of its own, or its
    /// commits are not as they are stored.
    pub fn new(
        repository: &Repository,
        directory: &CacheDirectory,
        settings: &CacheSettings,
    ) -> Option<HistoryFile> {
        let off = !settings.enabled || repository.config().cache == Some(false);
        if off || !repository.store().can_remember() || repository.is_partial_clone() {
            return None;
        }
        Some(HistoryFile {
            directory: directory.of_repository(&repository.common_dir())?,
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
            repository.store().remember(&path);
            eviction::note_used(&path);
        }
    }

    /// Remembers the commits that were read from their objects, if they are many.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn keep(&self, repository: &Repository, read: &[GraphCommit]) -> io::Result<()> {
        let known = repository.store().graph_len() as usize;
        if read.len() < MIN_COMMITS || read.len() < known / MIN_SHARE {
            return Ok(());
        }
        let mut commits = repository.store().remembered_commits();
        commits.extend_from_slice(read);
        self.write(&commits, repository)
    }

    fn write(&self, commits: &[GraphCommit], repository: &Repository) -> io::Result<()> {
        if commits.len() > MAX_COMMITS {
            return Ok(());
        }
        let Some(bytes) = encode_graph(commits, repository.hash()) else {
            return Ok(());
        };
        eviction::write_within(self.max_bytes, &self.directory, bytes.len() as u64, || {
            write_file(&self.path(), &bytes)
        })
    }

    /// Reads all commits that `heads` reach, the newest first, and the paths that they change, and remembers them. Commits that
    /// are remembered with their paths are not read again. `stop` is asked often; what was done until it
    /// returns true is kept. Returns the number of commits with and without paths.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read, or the file cannot be written.
    pub fn warm(
        &self,
        repository: &Repository,
        heads: &[ObjectId],
        stop: &dyn Fn() -> bool,
    ) -> Result<WarmedHistory, WarmError> {
        let mut reader = repository.reader();
        let mut commits = self.all_commits(repository, heads, &mut reader, stop)?;
        let is_complete = !stop();
        let mut written = Instant::now();
        let mut changed = is_complete;
        for at in 0..commits.len() {
            if stop() {
                break;
            }
            if commits[at].filter.is_some() {
                continue;
            }
            commits[at].filter = filter_of(&mut reader, &commits[at]);
            changed = true;
            if written.elapsed() > WRITTEN_EVERY {
                self.write(&commits, repository)?;
                written = Instant::now();
            }
        }
        let with_paths = commits
            .iter()
            .filter(|commit| commit.filter.is_some())
            .count();
        let warmed = WarmedHistory {
            commits: commits.len(),
            with_paths,
        };
        if changed {
            self.write(&commits, repository)?;
        }
        Ok(warmed)
    }

    /// The commits that `heads` reach and those that are remembered; the order is that in which they were reached.
    fn all_commits(
        &self,
        repository: &Repository,
        heads: &[ObjectId],
        reader: &mut Reader,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<GraphCommit>, WarmError> {
        let mut commits = repository.store().remembered_commits();
        let mut seen: HashSet<ObjectId> = commits.iter().map(|commit| commit.id).collect();
        let parents = commits.iter().flat_map(|commit| commit.parents.iter());
        let mut todo: Vec<ObjectId> = heads.iter().chain(parents).copied().collect();
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            if stop() || commits.len() > MAX_COMMITS {
                break;
            }
            let head = match reader.commit_head(&id) {
                Ok(head) => head,
                // The blame that needs it will report it.
                Err(_) => continue,
            };
            todo.extend(head.parents.iter().copied());
            commits.push(GraphCommit {
                id,
                tree: head.tree,
                time: head.time,
                parents: head.parents,
                filter: None,
            });
        }
        commits.sort_by_key(|commit| std::cmp::Reverse(commit.time));
        Ok(commits)
    }
}

/// What is remembered of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmedHistory {
    /// The number of commits.
    pub commits: usize,
    /// The number of commits whose changed paths are known.
    pub with_paths: usize,
}

/// Why a history could not be remembered.
#[derive(Debug, thiserror::Error)]
pub enum WarmError {
    /// An object cannot be read.
    #[error(transparent)]
    Object(#[from] objects::Error),
    /// The file cannot be written.
    #[error("cannot write the cache: {}", crate::error::os_message(.0))]
    Write(#[from] io::Error),
}

/// The filter of the paths that a commit changed against its first parent. `None` if that cannot be told.
fn filter_of(reader: &mut Reader, commit: &GraphCommit) -> Option<Box<[u8]>> {
    let parent = commit.parents.first();
    let before = match parent {
        Some(parent) => Some(reader.commit_head(parent).ok()?.tree),
        None => None,
    };
    let mut paths: Vec<BString> = Vec::new();
    let changes = &mut |change: objects::TreeChange| {
        if paths.len() < MAX_PATHS {
            paths.push(change.path);
        }
    };
    reader.diff_trees(before, Some(commit.tree), changes).ok()?;
    Some(changed_path_filter(
        paths.iter().map(|path| path.as_slice()),
    ))
}
