//! Remembering a whole history: its commits, and the paths that each of them changes.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    time::{Duration, Instant},
};

use hashbrown::{HashTable, hash_table::Entry};

use crate::{
    cache::history::{HistoryFile, MAX_COMMITS},
    engine::{Engine, PlanChanges, hash_prefix},
    error::{Error, Result, os_message},
    objects::{
        self, ChangedPaths, CommitHead, CommitList, CommitRecord, GraphPosition, ObjectId, Reader,
        TreeChange,
    },
    repository::Repository,
};

/// What was found is written this often, so that an interruption loses little,
const WRITTEN_EVERY: Duration = Duration::from_secs(10);

/// and not more often than after so many times the time that writing takes.
const WRITING_SHARE: u32 = 20;

/// Where commits and their changes come from.
pub trait HistorySource {
    /// A commit; `None` if it cannot be read.
    fn head(&mut self, id: &ObjectId) -> Option<CommitHead>;

    /// The changes of the commit `id`, which has this `tree`, against its first parent's tree
    /// `before`, in byte order of their paths. `None` if they cannot be told.
    fn changes(
        &mut self,
        id: &ObjectId,
        before: Option<ObjectId>,
        tree: ObjectId,
    ) -> Option<Vec<TreeChange>>;
}

/// From the objects. The hashes of commits are compared.
impl HistorySource for Reader {
    fn head(&mut self, id: &ObjectId) -> Option<CommitHead> {
        self.verified_commit_head(id).ok()
    }

    fn changes(
        &mut self,
        _: &ObjectId,
        before: Option<ObjectId>,
        tree: ObjectId,
    ) -> Option<Vec<TreeChange>> {
        let mut changes = Vec::new();
        let visit = &mut |change| changes.push(change);
        let compared = self.diff_sorted_trees(before, Some(tree), visit);
        compared.ok().map(|()| changes)
    }
}

/// What a plan of all files has read and compared, and the objects for the rest.
pub struct PlannedHistory<'a> {
    /// The engine that made the plan.
    pub engine: &'a Engine,
    /// What it compared.
    pub changes: &'a PlanChanges,
    /// Reads the rest.
    pub reader: Reader,
}

impl HistorySource for PlannedHistory<'_> {
    fn head(&mut self, id: &ObjectId) -> Option<CommitHead> {
        let head = self.engine.read_head(id);
        head.or_else(|| self.reader.head(id))
    }

    fn changes(
        &mut self,
        id: &ObjectId,
        before: Option<ObjectId>,
        tree: ObjectId,
    ) -> Option<Vec<TreeChange>> {
        let known = self.changes.of(id);
        known.or_else(|| self.reader.changes(id, before, tree))
    }
}

/// A history that is being remembered. What is remembered already is not read again.
#[derive(Debug)]
pub struct Warming {
    file: HistoryFile,
    commits: CommitList,
    paths: ChangedPaths,
    /// The commits that are still to be read, unless all are.
    unread: Option<UnreadCommits>,
    /// The commits whose changes are to be found, the newest last.
    uncompared: Vec<u32>,
    /// There is something that is not written yet.
    is_changed: bool,
    written: Instant,
    /// The time from one writing to the next.
    pause: Duration,
}

impl Warming {
    /// Begins with what is remembered, of all commits that `heads` reach.
    pub fn new(file: &HistoryFile, repository: &Repository, heads: &[ObjectId]) -> Warming {
        let remembered = repository.store().remembered();
        let mut commits = remembered.map_or_else(CommitList::default, CommitList::new);
        Warming {
            file: file.clone(),
            unread: Some(UnreadCommits::new(&mut commits, heads)),
            commits,
            paths: repository.store().remembered_paths().unwrap_or_default(),
            uncompared: Vec::new(),
            is_changed: false,
            written: Instant::now(),
            pause: WRITTEN_EVERY,
        }
    }

    /// Reads all commits and finds what they change, the newest first, and writes it. Ends early
    /// when `stop` is true, to go on when it is called again. Returns whether all was done.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or a file of the repository is damaged: through a wrong index,
    /// another commit's paths could be remembered.
    pub fn run(
        &mut self,
        repository: &Repository,
        source: &mut dyn HistorySource,
        stop: &dyn Fn() -> bool,
    ) -> Result<bool> {
        if let Some(unread) = &mut self.unread {
            if !unread.read(&mut self.commits, source, stop) {
                return Ok(false);
            }
            self.is_changed |= unread.have_changed;
            self.unread = None;
            self.uncompared = self.newest_last();
        }
        while let Some(at) = self.uncompared.pop() {
            if stop() {
                self.uncompared.push(at);
                return Ok(false);
            }
            let Some(found) = self.changes(at, source) else {
                continue;
            };
            if !self.paths.add(at, found) {
                break;
            }
            self.is_changed = true;
            if self.written.elapsed() > self.pause {
                self.write(repository)?;
            }
        }
        if self.is_changed {
            self.write(repository)?;
        }
        Ok(true)
    }

    /// What is known by now.
    pub fn warmed(&self) -> WarmedHistory {
        WarmedHistory {
            commits: self.commits.known(),
            with_paths: self.paths.count_known(),
        }
    }

    /// The commits that were read and whose changes are not known, the newest last.
    fn newest_last(&self) -> Vec<u32> {
        let records = self.commits.records.iter().enumerate();
        let missing =
            records.filter(|(at, record)| record.is_some() && !self.paths.knows(*at as u32));
        let mut missing: Vec<u32> = missing.map(|(at, _)| at as u32).collect();
        let time = |at: u32| self.commits.records[at as usize].as_ref().map(|it| it.time);
        missing.sort_unstable_by_key(|&at| (time(at), Reverse(at)));
        missing
    }

    /// The changes of the commit at `at` against its first parent. `None` if that cannot be told.
    fn changes(&self, at: u32, source: &mut dyn HistorySource) -> Option<Vec<TreeChange>> {
        changes_of(source, &self.commits, at as usize)
    }

    fn write(&mut self, repository: &Repository) -> Result<()> {
        if let Some(sign) = repository.store().damage() {
            return Err(Error::fatal(format!("nothing is kept: {sign}")));
        }
        let begun = Instant::now();
        let written = self.file.write(&self.commits, &self.paths, repository);
        written
            .map_err(|err| Error::fatal(format!("cannot write the cache: {}", os_message(&err))))?;
        self.is_changed = false;
        self.written = Instant::now();
        self.pause = WRITTEN_EVERY.max(begun.elapsed() * WRITING_SHARE);
        Ok(())
    }
}

impl HistoryFile {
    /// Reads all commits that `heads` reach, and the paths that they change, and remembers them.
    /// Returns what is remembered then.
    ///
    /// # Errors
    ///
    /// Those of [`Warming::run`].
    pub fn warm(&self, repository: &Repository, heads: &[ObjectId]) -> Result<WarmedHistory> {
        let mut warming = Warming::new(self, repository, heads);
        warming.run(repository, &mut repository.reader(), &|| false)?;
        Ok(warming.warmed())
    }
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
        let levels = objects::levels(&commits);
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
            let level = repository.store().graph_level(GraphPosition(at as u32));
            if (head.tree, head.time) != (record.tree, record.time)
                || !parents.eq(&head.parents)
                || level.is_some_and(|level| level != levels[at])
            {
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
fn changes_of(
    source: &mut dyn HistorySource,
    commits: &CommitList,
    at: usize,
) -> Option<Vec<TreeChange>> {
    let tree_of = |at: usize| Some(commits.records[at].as_ref()?.tree);
    let before = match commits.parents_of(at).first() {
        Some(parent) => Some(tree_of(*parent as usize)?),
        None => None,
    };
    source.changes(&commits.ids[at], before, tree_of(at)?)
}

/// The commits of a list that are still to be read.
#[derive(Debug)]
struct UnreadCommits {
    /// The numbers of all commits of the list, by their ids.
    numbers: HashTable<u32>,
    /// The numbers of those to be read, with the date of a child.
    todo: BinaryHeap<(i64, Reverse<u32>)>,
    have_changed: bool,
}

impl UnreadCommits {
    /// Those whose ids are in `commits`, and `heads`, which are added.
    fn new(commits: &mut CommitList, heads: &[ObjectId]) -> UnreadCommits {
        let mut unread = UnreadCommits {
            numbers: HashTable::new(),
            todo: BinaryHeap::new(),
            have_changed: false,
        };
        for (at, id) in commits.ids.iter().enumerate() {
            let hash = |at: &u32| hash_prefix(&commits.ids[*at as usize]);
            unread
                .numbers
                .insert_unique(hash_prefix(id), at as u32, hash);
        }
        for (at, record) in commits.records.iter().enumerate() {
            if record.is_none() {
                unread.todo.push((i64::MIN, Reverse(at as u32)));
            }
        }
        for head in heads {
            let head = unread.number_of(*head, commits);
            unread.todo.push((i64::MAX, Reverse(head)));
        }
        unread
    }

    /// The number of a commit in `commits`, to which it is added if it is new.
    fn number_of(&mut self, id: ObjectId, commits: &mut CommitList) -> u32 {
        let is_same = |at: &u32| commits.ids[*at as usize] == id;
        let hash = |at: &u32| hash_prefix(&commits.ids[*at as usize]);
        match self.numbers.entry(hash_prefix(&id), is_same, hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let at = commits.ids.len() as u32;
                place.insert(at);
                commits.push_id(id)
            }
        }
    }

    /// Reads them, and those that they reach, and numbers new ones about in the order in which a
    /// walk meets them. Ends early when `stop` is true. Returns whether all were read.
    fn read(
        &mut self,
        commits: &mut CommitList,
        source: &mut dyn HistorySource,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        while let Some((time, Reverse(at))) = self.todo.pop() {
            if commits.ids.len() > MAX_COMMITS {
                break;
            }
            if stop() {
                self.todo.push((time, Reverse(at)));
                return false;
            }
            if commits.records[at as usize].is_some() {
                continue;
            }
            // The blame that needs a commit reports that it cannot be read.
            let Some(head) = source.head(&commits.ids[at as usize]) else {
                continue;
            };
            let start = commits.parents.len() as u32;
            for parent in &head.parents {
                let parent = self.number_of(*parent, commits);
                commits.parents.push(parent);
                self.todo.push((head.time, Reverse(parent)));
            }
            commits.records[at as usize] = Some(CommitRecord {
                tree: head.tree,
                time: head.time,
                parents: start..commits.parents.len() as u32,
            });
            self.have_changed = true;
        }
        true
    }
}
