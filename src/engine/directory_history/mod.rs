//! The commits that changed a directory, or any other path, as `git log REV -- PATH` finds them.
//!
//! A commit that has the directory as one of its parents has it goes on to the first such parent
//! alone. Any other commit changed it, and goes on to all parents: the directory may have been
//! removed, and been there before. A sink may want all commits, as with `--full-history`.

use std::{cell::RefCell, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    engine::{
        api::{
            directory_history::{DirectoryChange, DirectoryHistorySink},
            error::Error,
            line_history::HistoryEnd,
            profile::Phase,
        },
        history::commits::{CommitIndex, InternedHeader},
        last_commits::directory_walk::{directory_key, find_at, find_start_of_path},
        walk::{
            state::{Interrupt, Walk, check_flow},
            unchanged::COMMITS_PER_PROGRESS,
        },
    },
    objects::{BloomKey, ObjectId, PathChain, TreeEntry},
};

/// What a commit has at the path of the directory, with the way to it; `None` for nothing.
type MaybeChain = Option<Arc<PathChain>>;

/// Finds the commits that changed a directory.
pub(crate) struct DirectoryHistory<'a, 's, 'k> {
    walk: Walk<'a>,
    sink: &'s RefCell<&'k mut dyn DirectoryHistorySink>,
    /// What filters are asked for the directory. `None` for the root, and without filters.
    key: Option<BloomKey>,
    /// By queued commit: what it has.
    open: FxHashMap<CommitIndex, MaybeChain>,
    /// The commits that were queued.
    queued: FxHashSet<CommitIndex>,
    /// All commits go on to all parents.
    visits_all: bool,
    is_limited: bool,
}

impl<'a, 's, 'k> DirectoryHistory<'a, 's, 'k> {
    /// Finds the commits that changed the requested directory.
    pub(crate) fn run(
        mut walk: Walk<'a>,
        sink: &'s RefCell<&'k mut dyn DirectoryHistorySink>,
    ) -> Result<HistoryEnd, Error> {
        let (start, chain) = find_start_of_path(&mut walk)?;
        let mut this = DirectoryHistory {
            key: directory_key(&walk),
            walk,
            sink,
            open: FxHashMap::default(),
            queued: FxHashSet::default(),
            visits_all: sink.borrow().visits_all_parents(),
            is_limited: false,
        };
        let followed = this.follow(start, chain);
        this.walk.end_history(followed, this.is_limited)
    }

    fn follow(&mut self, start: CommitIndex, chain: MaybeChain) -> Result<(), Interrupt> {
        self.walk.mark_limits(start)?;
        let header = self.walk.header(start)?;
        self.queue(start, &header, chain);
        while let Some(commit) = self.walk.queue.pop() {
            if let Some(place) = self.open.remove(&commit) {
                self.visit(commit, place)?;
            }
        }
        Ok(())
    }

    fn queue(&mut self, commit: CommitIndex, header: &InternedHeader, place: MaybeChain) {
        if self.queued.insert(commit) {
            self.open.insert(commit, place);
            self.walk.queue.push(commit, header.time);
        }
    }

    fn visit(&mut self, commit: CommitIndex, place: MaybeChain) -> Result<(), Interrupt> {
        let header = self.walk.header(commit)?;
        self.walk.count_visit(commit)?;
        if self.walk.stats.visited % u64::from(COMMITS_PER_PROGRESS) == 1 {
            self.walk.notify(|sink| sink.progress(header.time))?;
        }
        if self.walk.is_beyond_boundary(commit, &header) {
            self.is_limited = true;
            return Ok(());
        }
        let (mut found, mut has_same) = (Vec::new(), false);
        for (nth, parent) in self.walk.parents_of(&header).into_iter().enumerate() {
            let parent_header = self.walk.header(parent)?;
            let there = if nth == 0 && self.is_ruled_out(&header) {
                place.clone()
            } else {
                self.find(&parent_header, place.as_ref())?
            };
            if is_same(&place, &there) {
                self.queue(parent, &parent_header, there);
                if self.visits_all {
                    has_same = true;
                    continue;
                }
                return Ok(());
            }
            found.push((parent, parent_header, there));
        }
        // A first commit without files in the directory did not change it.
        let is_empty = |chain: &Arc<PathChain>| {
            let kind = self.walk.caches.store.hash_kind();
            chain.entry.id == ObjectId::empty_tree(kind)
        };
        let begins_empty = found.is_empty() && place.as_ref().is_none_or(is_empty);
        let is_same_in_all = found.is_empty() && has_same;
        if !begins_empty && !is_same_in_all {
            self.report(commit, &header, &place, &found)?;
        }
        for (parent, header, there) in found {
            self.queue(parent, &header, there);
        }
        Ok(())
    }

    /// True if the filter of a commit rules out that it changed the directory since its first
    /// parent.
    fn is_ruled_out(&self, header: &InternedHeader) -> bool {
        let asked = self.key.zip(header.graph_position());
        let not_ruled_out =
            asked.and_then(|(key, at)| self.walk.caches.store.not_ruled_out(at, &[0], |_| key));
        not_ruled_out.is_some_and(|numbers| numbers.is_empty())
    }

    /// What a commit has at the path. `known` is what a neighbouring one has.
    fn find(
        &mut self,
        header: &InternedHeader,
        known: Option<&Arc<PathChain>>,
    ) -> Result<MaybeChain, Interrupt> {
        let before = self.walk.timer.enter(Phase::Trees);
        let root = self.walk.caches.commits.tree(header);
        let path = &self.walk.request.path;
        let found = find_at(root, path, known, &mut self.walk.caches.reader);
        self.walk.timer.enter(before);
        Ok(found.map_err(Error::in_trees)?)
    }

    fn report(
        &mut self,
        commit: CommitIndex,
        header: &InternedHeader,
        place: &MaybeChain,
        parents: &[(CommitIndex, InternedHeader, MaybeChain)],
    ) -> Result<(), Interrupt> {
        self.walk.check_graph()?;
        let commits = &self.walk.caches.commits;
        let parents = parents
            .iter()
            .map(|(parent, _, place)| (commits.id(*parent), entry(place)));
        let parents: Vec<_> = parents.collect();
        let flow = self.sink.borrow_mut().change(&DirectoryChange {
            commit: commits.id(commit),
            time: header.time,
            entry: entry(place),
            parents: &parents,
        });
        check_flow(flow)
    }
}

fn entry(place: &MaybeChain) -> Option<TreeEntry> {
    place.as_ref().map(|chain| chain.entry)
}

fn is_same(one: &MaybeChain, other: &MaybeChain) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => one.entry.is_same(&other.entry),
        _ => false,
    }
}
