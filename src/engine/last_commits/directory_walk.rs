//! The walk that finds the last commit of each entry of a directory.

use std::{cell::RefCell, sync::Arc};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    engine::{
        api::{
            error::Error,
            last_commits::{LastCommit, LastCommitSink},
            line_history::HistoryEnd,
            profile::Phase,
        },
        board::scoreboard::PathIndex,
        history::commits::{CommitIndex, InternedHeader},
        last_commits::directory_tree::{DirectoryEntries, DirectoryTree},
        walk::{
            state::{Interrupt, Walk, check_flow},
            unchanged::COMMITS_PER_PROGRESS,
        },
    },
    objects::{self, BloomKey, ObjectId, ObjectKind, PathChain, TreeEntry},
};

/// Once no more entries than these are left, they are looked up one by one, which is quick for names
/// that were looked up in the trees before. For more, a tree is read whole.
const FEW_ENTRIES: usize = 4;

/// Finds the last commit of each entry of a directory.
pub(crate) struct DirectoryWalk<'a, 's, 'k> {
    walk: Walk<'a>,
    sink: &'s RefCell<&'k mut dyn LastCommitSink>,
    path: PathIndex,
    directory: DirectoryEntries,
    /// The tree that was read last, with its id.
    tree: Option<(ObjectId, DirectoryTree)>,
    /// What filters are asked for the directory. `None` for the root, and without filters.
    directory_key: Option<BloomKey>,
    /// By number: what filters are asked for the entry. Empty without filters.
    keys: Vec<BloomKey>,
    /// By commit: the entries that have come to it.
    open: FxHashMap<CommitIndex, OpenEntries>,
    /// The number of entries whose last commits are not known.
    left: usize,
    is_limited: bool,
}

/// Entries that have come to a commit, which has them as they were where the walk started.
struct OpenEntries {
    numbers: Vec<u32>,
    /// The way to a tree of the directory that has them, mostly the commit's own.
    chain: Option<Arc<PathChain>>,
}

impl<'a, 's, 'k> DirectoryWalk<'a, 's, 'k> {
    /// Finds the last commits of the requested directory's entries.
    pub(crate) fn run(
        mut walk: Walk<'a>,
        sink: &'s RefCell<&'k mut dyn LastCommitSink>,
    ) -> Result<HistoryEnd, Error> {
        let (start, chain) = find_start(&mut walk)?;
        let reader = &mut walk.caches.reader;
        let parse = |data: Arc<[u8]>, hash| DirectoryEntries::new(&data, hash);
        let directory = read_tree(&chain.entry.id, reader, parse).map_err(Error::in_trees)?;
        let path = walk.board.path_index(&walk.request.path);
        let mut this = DirectoryWalk {
            directory_key: directory_key(&walk),
            keys: filter_keys(&walk, &directory),
            left: directory.entries().len(),
            walk,
            sink,
            path,
            directory,
            tree: None,
            open: FxHashMap::default(),
            is_limited: false,
        };
        let followed = this.follow(start, chain);
        this.walk.end_history(followed, this.is_limited)
    }

    fn follow(&mut self, start: CommitIndex, chain: Arc<PathChain>) -> Result<(), Interrupt> {
        check_flow(self.sink.borrow_mut().started(self.directory.entries()))?;
        self.walk.mark_limits(start)?;
        let numbers = (0..self.directory.entries().len() as u32).collect();
        let header = self.walk.header(start)?;
        self.pass(start, &header, numbers, Some(chain));
        while let Some(commit) = self.walk.queue.pop() {
            // It may be queued again before it is visited.
            if let Some(open) = self.open.remove(&commit) {
                self.visit(commit, open)?;
            }
        }
        Ok(())
    }

    /// Passes the entries that have come to a commit to its parents; the commit changed the rest.
    fn visit(&mut self, commit: CommitIndex, open: OpenEntries) -> Result<(), Interrupt> {
        let header = self.walk.header(commit)?;
        self.walk.count_visit(commit)?;
        if self.walk.stats.visited % u64::from(COMMITS_PER_PROGRESS) == 1 {
            self.walk.notify(|sink| sink.progress(header.time))?;
        }
        let OpenEntries { mut numbers, chain } = open;
        if self.walk.is_beyond_boundary(commit, &header) {
            self.is_limited = true;
            return self.report(commit, &header, numbers, true);
        }
        for (nth, parent) in self.walk.parents_of(&header).into_iter().enumerate() {
            if numbers.is_empty() {
                return Ok(());
            }
            let parent_header = self.walk.header(parent)?;
            let asked = match nth {
                0 => self.not_ruled_out(&header, &numbers),
                _ => None,
            };
            let (changed, chain) = match &asked {
                Some(asked) if asked.is_empty() => (Vec::new(), chain.clone()),
                _ => {
                    let asked = asked.as_ref().unwrap_or(&numbers);
                    self.changed(asked, parent, &parent_header, chain.as_ref())?
                }
            };
            let passed = if changed.is_empty() {
                std::mem::take(&mut numbers)
            } else {
                let mut next = changed.iter().peekable();
                numbers.retain(|number| next.next_if_eq(&number).is_none());
                std::mem::replace(&mut numbers, changed)
            };
            self.pass(parent, &parent_header, passed, chain);
        }
        self.report(commit, &header, numbers, false)
    }

    /// Gives entries to a commit, and queues it.
    fn pass(
        &mut self,
        to: CommitIndex,
        header: &InternedHeader,
        mut numbers: Vec<u32>,
        chain: Option<Arc<PathChain>>,
    ) {
        if numbers.is_empty() {
            return;
        }
        if let Some(open) = self.open.get_mut(&to) {
            open.numbers.append(&mut numbers);
            // Its tree may lack what has come by another way, if filters are wrong.
            let tree = |chain: &Option<Arc<PathChain>>| chain.as_ref().map(|it| it.entry.id);
            if tree(&open.chain) != tree(&chain) {
                open.chain = None;
            }
            return;
        }
        self.open.insert(to, OpenEntries { numbers, chain });
        self.walk.queue.push(to, header.time);
    }

    /// Those of `numbers` that the filter of a commit does not rule out to be changed since its
    /// first parent; `None` without a filter.
    fn not_ruled_out(&self, header: &InternedHeader, numbers: &[u32]) -> Option<Vec<u32>> {
        let at = header.graph_position().filter(|_| !self.keys.is_empty())?;
        let store = &self.walk.caches.store;
        // Filters have the directories of the paths that a commit changes, too.
        if let Some(key) = self.directory_key
            && store.not_ruled_out(at, &numbers[..1], |_| key)?.is_empty()
        {
            return Some(Vec::new());
        }
        store.not_ruled_out(at, numbers, |number| self.keys[number as usize])
    }

    /// Those of `numbers` that a parent does not have as they were where the walk started, in the
    /// same order, and the way to its tree. `known` leads to a tree that has them all.
    fn changed(
        &mut self,
        numbers: &[u32],
        parent: CommitIndex,
        parent_header: &InternedHeader,
        known: Option<&Arc<PathChain>>,
    ) -> Result<(Vec<u32>, Option<Arc<PathChain>>), Interrupt> {
        self.walk.fetch_ahead(parent, self.path);
        let before = self.walk.timer.enter(Phase::Trees);
        let root = self.walk.caches.commits.tree(parent_header);
        let path = self.walk.board.path(self.path);
        let chain = find_directory(root, path, known, &mut self.walk.caches.reader);
        let changed = match chain.map_err(Error::in_trees)? {
            None => (numbers.to_vec(), None),
            Some(chain) => {
                let tree = chain.entry.id;
                let changed = match known {
                    Some(known) if known.entry.id == tree => Vec::new(),
                    _ => self.changed_in(tree, numbers).map_err(Error::in_trees)?,
                };
                (changed, Some(chain))
            }
        };
        self.walk.timer.enter(before);
        Ok(changed)
    }

    /// Those of `numbers` that a tree does not have as they were where the walk started.
    fn changed_in(&mut self, tree: ObjectId, numbers: &[u32]) -> Result<Vec<u32>, objects::Error> {
        self.walk.stats.commits += 1;
        let reader = &mut self.walk.caches.reader;
        let is_read = self.tree.as_ref().is_some_and(|(id, _)| *id == tree);
        if self.left <= FEW_ENTRIES && !is_read {
            let mut changed = Vec::new();
            for &number in numbers {
                let wanted = self.directory.entry(number);
                let found = reader.find_entry(&tree, &wanted.name)?;
                if !found.is_some_and(|found| found.is_same(&wanted.entry)) {
                    changed.push(number);
                }
            }
            return Ok(changed);
        }
        let directory = &self.directory;
        if !is_read {
            let known = self.tree.take().map(|(_, tree)| tree);
            let read = read_tree(&tree, reader, |data, _| directory.find_like(known, data))?;
            self.tree = Some((tree, read));
        }
        let here = self.tree.iter().map(|(_, tree)| tree);
        let changed = here.flat_map(|tree| {
            let numbers = numbers.iter().copied();
            numbers.filter(move |number| !directory.has_same(tree, *number))
        });
        Ok(changed.collect())
    }

    /// Tells the sink that a commit was the last one to change entries; for a boundary, that it or
    /// an older one was.
    fn report(
        &mut self,
        commit: CommitIndex,
        header: &InternedHeader,
        mut numbers: Vec<u32>,
        is_boundary: bool,
    ) -> Result<(), Interrupt> {
        self.walk.check_graph()?;
        numbers.sort_unstable();
        self.left -= numbers.len();
        let id = self.walk.caches.commits.id(commit);
        let before = self.walk.timer.enter(Phase::Output);
        let flow = numbers.into_iter().try_for_each(|number| {
            self.sink.borrow_mut().last_commit(&LastCommit {
                number,
                entry: self.directory.entry(number),
                commit: id,
                time: header.time,
                is_boundary,
            })
        });
        self.walk.timer.enter(before);
        check_flow(flow)
    }
}

/// The commit where the walk starts, and the way to the directory's tree in it.
pub(crate) fn find_start(walk: &mut Walk<'_>) -> Result<(CommitIndex, Arc<PathChain>), Error> {
    let (start, chain) = find_start_of_path(walk)?;
    let chain = chain.filter(|chain| chain.entry.is_tree());
    Ok((start, chain.ok_or_else(|| no_such_path(walk))?))
}

/// The commit where the walk starts, and the way to what it has at the path, if anything.
pub(crate) fn find_start_of_path(
    walk: &mut Walk<'_>,
) -> Result<(CommitIndex, Option<Arc<PathChain>>), Error> {
    let request = walk.request;
    let id = request.start.heads().first().copied();
    let id = id.filter(|id| !id.is_null());
    let start = id.ok_or_else(|| no_such_path(walk))?;
    let start = walk.caches.commits.intern(start);
    let header = walk.header(start)?;
    let root = walk.caches.commits.tree(&header);
    let chain = find_at(root, &request.path, None, &mut walk.caches.reader);
    Ok((start, chain.map_err(Error::in_trees)?))
}

fn no_such_path(walk: &Walk<'_>) -> Error {
    let start = walk.request.start.heads().first().copied();
    let null = ObjectId::null(walk.caches.store.hash_kind());
    Error::NoSuchPath {
        path: walk.request.path.clone(),
        commit: start.unwrap_or(null),
    }
}

/// The way to the directory at `path` in the tree `root`; `None` if there is no directory. `known`
/// is the way in a neighbouring commit.
fn find_directory(
    root: ObjectId,
    path: &[u8],
    known: Option<&Arc<PathChain>>,
    reader: &mut objects::Reader,
) -> Result<Option<Arc<PathChain>>, objects::Error> {
    let found = find_at(root, path, known, reader)?;
    Ok(found.filter(|found| found.entry.is_tree()))
}

/// As [`find_directory`], for whatever is there. An empty path is the root.
pub(crate) fn find_at(
    root: ObjectId,
    path: &[u8],
    known: Option<&Arc<PathChain>>,
    reader: &mut objects::Reader,
) -> Result<Option<Arc<PathChain>>, objects::Error> {
    let found = if path.is_empty() {
        let entry = TreeEntry {
            mode: 0o040_000,
            id: root,
        };
        Some(PathChain {
            trees: SmallVec::new(),
            entry,
        })
    } else {
        reader.find_path(root, path, known.map(Arc::as_ref))?
    };
    Ok(found.map(|found| found.share(known)))
}

/// Reads a tree, and parses it.
fn read_tree<T>(
    id: &ObjectId,
    reader: &mut objects::Reader,
    parse: impl FnOnce(Arc<[u8]>, objects::HashKind) -> Result<T, &'static str>,
) -> Result<T, objects::Error> {
    let object = reader.object_of_kind(id, ObjectKind::Tree)?;
    parse(Arc::clone(&object.data), reader.hash()).map_err(|reason| {
        reader.doubt(id, &object);
        objects::Error::object(id, reason)
    })
}

/// What filters are asked for the requested directory. `None` for the root, and without filters.
pub(crate) fn directory_key(walk: &Walk<'_>) -> Option<BloomKey> {
    let path = &walk.request.path;
    if path.is_empty() {
        return None;
    }
    walk.caches.store.filter_key(path)
}

/// What filters are asked for the entries of a directory. Empty without filters.
fn filter_keys(walk: &Walk<'_>, directory: &DirectoryEntries) -> Vec<BloomKey> {
    let mut path = walk.request.path.clone();
    if !path.is_empty() {
        path.push(b'/');
    }
    let len = path.len();
    let keys = directory.entries().iter().map_while(|entry| {
        path.truncate(len);
        path.extend_from_slice(&entry.name);
        walk.caches.store.filter_key(&path)
    });
    keys.collect()
}
