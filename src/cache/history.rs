//! A remembered history: the commits that blames have read, in a file like a commit-graph.
//!
//! It saves later blames of other files from reading these commits from their objects. With the
//! paths that they change, the trees need not be read either.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    fs, io,
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    cache::{
        directory::{RepositoryDirectory, write_file_by},
        eviction,
        settings::CacheSettings,
    },
    engine::Engine,
    error::{Error, Result, os_message},
    objects::{
        ChangedPaths, CommitList, CommitRecord, CommitTable, GraphFile, ObjectId, Reader,
        TreeChange,
    },
    repository::Repository,
};

/// The file in a repository's directory.
const HISTORY: &str = "history";

/// The file is written anew if at least this many commits are new, and at least one in
/// [`MIN_SHARE`].
const MIN_COMMITS: usize = 256;
const MIN_SHARE: usize = 16;

/// Most commits that are remembered. Each takes about 60 bytes, and some 30 with the paths that it
/// changes.
const MAX_COMMITS: usize = 4 << 20;

/// The progress of [`HistoryFile::warm`] is written this often, so that an interruption loses
/// little.
const WRITTEN_EVERY: Duration = Duration::from_secs(10);

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
            repository.store().remember(&path);
            eviction::note_used(&path);
        }
    }

    /// Remembers the commits that `engine` has read from their objects, if they are many.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn keep(&self, repository: &Repository, engine: &Engine) -> io::Result<()> {
        // Then the ids of commits are missing.
        if repository.store().is_graph_lost() || repository.store().is_careful() {
            return Ok(());
        }
        let (read, known) = (engine.count_commits_read(), repository.store().graph_len());
        if read >= MIN_COMMITS && read >= known as usize / MIN_SHARE {
            let paths = repository.store().remembered_paths().unwrap_or_default();
            self.write(engine.commit_table(), &paths, repository)
        } else {
            Ok(())
        }
    }

    fn write(
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

    /// Reads all commits that `heads` reach, the newest first, and the paths that they change, and
    /// remembers them. Commits that are remembered with their paths are not read again. Returns the
    /// number of commits with and without paths.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or a file of the repository is damaged: through a wrong
    /// index, another commit's paths could be remembered.
    pub fn warm(&self, repository: &Repository, heads: &[ObjectId]) -> Result<WarmedHistory> {
        let check_and_write = |commits: &CommitList, paths: &ChangedPaths| {
            if let Some(sign) = repository.store().damage() {
                return Err(Error::fatal(format!("nothing is kept: {sign}")));
            }
            let cannot_write = |err| format!("cannot write the cache: {}", os_message(&err));
            let written = self.write(commits, paths, repository);
            written.map_err(|err| Error::fatal(cannot_write(err)))
        };
        let mut reader = repository.reader();
        let remembered = repository.store().remembered();
        let mut commits = remembered.map_or_else(CommitList::default, CommitList::new);
        let mut paths = repository.store().remembered_paths().unwrap_or_default();
        let mut changed = read_commits(&mut commits, heads, &mut reader);
        let mut written = Instant::now();
        let mut newest_first: Vec<(i64, usize)> = Vec::new();
        for (at, record) in commits.records.iter().enumerate() {
            let missing = record.as_ref().filter(|_| !paths.knows(at as u32));
            newest_first.extend(missing.map(|record| (-record.time, at)));
        }
        newest_first.sort_unstable();
        for (_, at) in newest_first {
            let Some(found) = changes_of(&mut reader, &commits, at) else {
                continue;
            };
            if !paths.add(at as u32, found) {
                break;
            }
            changed = true;
            if written.elapsed() > WRITTEN_EVERY {
                check_and_write(&commits, &paths)?;
                written = Instant::now();
            }
        }
        if changed {
            check_and_write(&commits, &paths)?;
        }
        Ok(WarmedHistory {
            commits: commits.known(),
            with_paths: paths.count_known(),
        })
    }
}

/// Reads the commits that `heads` and the ids of `commits` reach, and numbers new ones about in the
/// order in which a walk meets them. Returns whether any was read.
fn read_commits(commits: &mut CommitList, heads: &[ObjectId], reader: &mut Reader) -> bool {
    let numbered = commits.ids.iter().enumerate();
    let mut numbers: HashMap<ObjectId, u32> = numbered.map(|(at, id)| (*id, at as u32)).collect();
    let mut number_of = |id: ObjectId, commits: &mut CommitList| {
        *numbers.entry(id).or_insert_with(|| commits.push_id(id))
    };
    let unknown = commits.records.iter().enumerate();
    let unknown = unknown.filter(|(_, record)| record.is_none());
    // With the date of the child.
    let mut todo: BinaryHeap<(i64, Reverse<u32>)> = unknown
        .map(|(at, _)| (i64::MIN, Reverse(at as u32)))
        .collect();
    for head in heads {
        todo.push((i64::MAX, Reverse(number_of(*head, commits))));
    }
    let mut changed = false;
    while let Some((_, Reverse(at))) = todo.pop() {
        if commits.ids.len() > MAX_COMMITS {
            break;
        }
        if commits.records[at as usize].is_some() {
            continue;
        }
        // The blame that needs a commit reports that it cannot be read.
        let Ok(head) = reader.verified_commit_head(&commits.ids[at as usize]) else {
            continue;
        };
        let start = commits.parents.len() as u32;
        for parent in &head.parents {
            let parent = number_of(*parent, commits);
            commits.parents.push(parent);
            todo.push((head.time, Reverse(parent)));
        }
        commits.records[at as usize] = Some(CommitRecord {
            tree: head.tree,
            time: head.time,
            parents: start..commits.parents.len() as u32,
        });
        changed = true;
    }
    changed
}

/// A remembered history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmedHistory {
    /// The number of commits.
    pub commits: usize,
    /// The number of commits whose changed paths are known.
    pub with_paths: usize,
}

impl WarmedHistory {
    /// Compares the remembered history that `repository` uses with its objects, but for commits
    /// that are gone. Returns what was compared.
    ///
    /// # Errors
    ///
    /// The id of a commit that is remembered as it is not.
    pub fn verify(repository: &Repository) -> std::result::Result<WarmedHistory, ObjectId> {
        let mut reader = repository.reader();
        let remembered = repository.store().remembered();
        let commits = remembered.map_or_else(CommitList::default, CommitList::new);
        let paths = repository.store().remembered_paths().unwrap_or_default();
        let change_counts = paths.change_counts(commits.ids.len());
        let mut compared = WarmedHistory {
            commits: 0,
            with_paths: 0,
        };
        for (at, record) in commits.records.iter().enumerate() {
            let id = commits.ids[at];
            let Some(record) = record else { continue };
            let Ok(head) = reader.verified_commit_head(&id) else {
                continue;
            };
            let parents = commits.parents_of(at).iter();
            let parents = parents.map(|parent| &commits.ids[*parent as usize]);
            if (head.tree, head.time) != (record.tree, record.time) || !parents.eq(&head.parents) {
                return Err(id);
            }
            compared.commits += 1;
            if paths.knows(at as u32)
                && let Some(changes) = changes_of(&mut reader, &commits, at)
            {
                if changes.len() != change_counts[at] || !paths.has(at as u32, &changes) {
                    return Err(id);
                }
                compared.with_paths += 1;
            }
        }
        Ok(compared)
    }
}

/// The changes of the commit at `at` against its first parent. `None` if that cannot be told.
fn changes_of(reader: &mut Reader, commits: &CommitList, at: usize) -> Option<Vec<TreeChange>> {
    let tree_of = |at: usize| Some(commits.records[at].as_ref()?.tree);
    let before = match commits.parents_of(at).first() {
        Some(parent) => Some(tree_of(*parent as usize)?),
        None => None,
    };
    let mut changes = Vec::new();
    let visit = &mut |change| changes.push(change);
    let compared = reader.diff_sorted_trees(before, tree_of(at), visit);
    compared.ok().map(|()| changes)
}
