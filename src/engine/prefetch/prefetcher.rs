//! The prefetch thread, which reads ahead of the walk.
//!
//! It follows one path through history by the walk's own rule (a parent with the identical blob
//! takes all lines), without knowing which lines are still open. Two threads that start at the same
//! commit would do the same work, so its lead over the walk, in commits, decides what it does:
//!
//! - Below [`HEADERS_ONLY_LEAD`]: it follows first parents and reads only headers. That is less
//!   than half of the work, so it gets ahead, and the walk does the tree lookups.
//! - Up to [`DIFF_LEAD`]: it does the tree lookups too, so that the walk finds everything done and
//!   catches up.
//! - Beyond: it diffs versions, those well ahead of the walk.
//!
//! With changed-path filters in the commit-graph a commit costs a few bits, and both threads skip
//! those that leave the file alone. The lead then counts only the others.

use std::{collections::VecDeque, sync::Arc};

use bstr::BString;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::{
    diff::{self, Differ, LineInterner},
    engine::{
        api::profile::{Phase, ThreadProfile, ThreadTimer},
        history::commits::CommitKey,
        prefetch::{
            chains::SpareChains,
            exchange::{PrefetchExchange, Redirect},
            prefetched::{BlobPair, PathLookup, PrefetchedCommit, PrefetchedCommits},
            range_prefetch::RangePrefetch,
            visit::{FoundPath, ReadCommit, Visit},
            visit_queue::VisitQueue,
        },
        similarity::copy_search::{CopySearchContext, CopySearcher},
        versions::version_cache::{VersionCache, VersionReuse},
    },
    objects::{
        self, BitSet, CommitHead, GraphPosition, ObjectId, PathChain, PathHistory, Reader, Store,
    },
    system::test_panic,
};

/// The lead, in commits, below which only headers are read.
const HEADERS_ONLY_LEAD: u64 = 256;
/// A walk that met nothing prefetched lately has overtaken this thread if the lead is below this.
/// With a larger lead the walk is only slow, on a side branch.
const OVERTAKEN_LEAD: u64 = 4 * HEADERS_ONLY_LEAD;
/// The lead beyond which versions are diffed.
const DIFF_LEAD: u64 = 8192;
/// The number of headers read in one run along first parents.
const HEADER_RUN: u64 = 64;
/// The number of commits visited before the lead is looked at again.
const VISIT_RUN: u64 = 32;
/// The cost of a commit without filters.
const COST_PLAIN: u64 = 1;
/// With filters, the cost of a commit that may have changed the file.
const COST_FILTERED: u64 = 64;
/// [`DIFF_LEAD`] with filters. Tree lookups are then most of a commit's cost, and most commits
/// looked up have another version, so diffs can wait longer; this gained 3 %.
const DIFF_LEAD_FILTERED: u64 = 16 * DIFF_LEAD;
/// Results are sent in batches of this cost.
const BATCH_COST: u64 = 32;

/// The work of the prefetch thread.
#[derive(Debug, Clone)]
pub(crate) struct PrefetchTask {
    pub(crate) start: ObjectId,
    pub(crate) path: Arc<BString>,
    pub(crate) first_parent: bool,
    pub(crate) diff: diff::DiffOptions,
    /// True if versions are diffed; not with text conversion, which compares other texts.
    pub(crate) diffs_versions: bool,
    /// `--reverse`: the walk comes from the other end of the range.
    pub(crate) reverse: bool,
    /// True if lines are searched in other files too (`-C`).
    pub(crate) copies: bool,
}

/// The state of the prefetch thread.
pub(crate) struct Prefetcher<'e> {
    exchange: &'e PrefetchExchange,
    task: PrefetchTask,
    store: Arc<Store>,
    reader: Reader,
    /// The commit-graph's knowledge of the path.
    history: Option<Arc<PathHistory>>,
    queue: VisitQueue<Visit>,
    visited: FxHashSet<ObjectId>,
    /// Bit set of visited commits of the commit-graph, by position.
    visited_in_graph: BitSet,
    /// The summed cost of the commits read so far.
    ordinal: u64,
    path_number: u32,
    results: PrefetchedCommits,
    spare_chains: SpareChains,
    /// Versions to diff, with the ordinal of the older one's commit.
    pairs: VecDeque<(u64, BlobPair)>,
    /// Pairs nearer to the walk, left to it at first.
    near_pairs: Vec<(u64, BlobPair)>,
    /// The ordinal of the last pair diffed.
    last_diffed: u64,
    lines: LineInterner,
    versions: VersionCache,
    differ: Differ,
    range_prefetch: RangePrefetch,
    copy_searcher: CopySearcher,
    /// The time that follows a commit or a tree until the next one counts with it: to read the
    /// clock takes about as long.
    timer: ThreadTimer,
    work: ThreadProfile,
}

impl<'e> Prefetcher<'e> {
    pub(crate) fn new(
        exchange: &'e PrefetchExchange,
        store: Arc<Store>,
        task: PrefetchTask,
    ) -> Self {
        let mut reader = store.reader();
        // The walk may never need what this thread is ahead for, and fetches many objects at once.
        reader.set_fetching(false);
        Prefetcher {
            exchange,
            reader,
            history: store.path_history_for(&task.path, task.copies),
            store,
            queue: VisitQueue::default(),
            visited: FxHashSet::default(),
            visited_in_graph: BitSet::default(),
            ordinal: 0,
            path_number: 0,
            results: PrefetchedCommits::default(),
            spare_chains: SpareChains::default(),
            pairs: VecDeque::new(),
            near_pairs: Vec::new(),
            last_diffed: 0,
            lines: LineInterner::new(task.diff.ignore_whitespace),
            versions: VersionCache::default(),
            differ: Differ::default(),
            range_prefetch: RangePrefetch::default(),
            copy_searcher: CopySearcher::default(),
            timer: ThreadTimer::default(),
            work: ThreadProfile::default(),
            task,
        }
    }

    /// Runs until the walk is done. Read errors are ignored: the walk will report them.
    pub(crate) fn run(mut self, timer: ThreadTimer) -> ThreadProfile {
        test_panic::reached("prefetch");
        self.store.expect_long_walk();
        self.begin(timer);
        while !self.exchange.is_done() {
            if !self.step() {
                self.timer.enter(Phase::Pass);
                self.exchange.wait();
                self.timer.skip();
            }
        }
        self.finish()
    }

    /// Prefetches all that can be prefetched before the walk begins.
    pub(crate) fn run_before_walk(mut self, timer: ThreadTimer) -> ThreadProfile {
        self.begin(timer);
        while self.step() {}
        self.finish()
    }

    fn begin(&mut self, timer: ThreadTimer) {
        self.versions.reset_counters();
        self.versions
            .set_reuse(VersionReuse::of_copies(self.task.copies));
        self.timer = timer;
        // A walk that starts this thread late has said where it is.
        let redirect = self.exchange.take_redirect().unwrap_or_else(|| Redirect {
            commit: CommitKey::new(self.task.start, &self.store),
            path: Arc::clone(&self.task.path),
            path_number: 0,
        });
        self.follow_redirect(redirect);
    }

    fn finish(mut self) -> ThreadProfile {
        self.versions.add_counters(&mut self.work);
        self.work.times = self.timer.stop();
        self.work
    }

    /// Does what the lead over the walk asks for. Returns whether there was anything to do.
    fn step(&mut self) -> bool {
        if self.search_next_file() || self.read_range() {
            return true;
        }
        if let Some(redirect) = self.exchange.take_redirect() {
            self.follow_redirect(redirect);
        }
        let lead = self.ordinal.saturating_sub(self.exchange.reached());
        let headers_only =
            lead < HEADERS_ONLY_LEAD || lead < OVERTAKEN_LEAD && self.exchange.is_overtaken();
        let headers_only = headers_only && !self.task.reverse;
        let visit = if headers_only || lead < self.diff_lead() {
            self.queue.pop()
        } else {
            None
        };
        // A read error ends this line of history.
        match visit {
            Some(visit) if headers_only => drop(self.read_headers(visit)),
            Some(visit) => drop(self.visit_run(visit)),
            None => {
                self.exchange.send_commits(&mut self.results);
                return self.diff_next_pair();
            }
        }
        true
    }

    /// Searches one file for copied lines on behalf of the walk. Returns whether there was one.
    fn search_next_file(&mut self) -> bool {
        let Some(search) = self.exchange.requested_search() else {
            return false;
        };
        let mut context = CopySearchContext {
            reader: &mut self.reader,
            lines: &mut self.lines,
            versions: &mut self.versions,
            differ: &mut self.differ,
            options: &self.task.diff,
        };
        let before = self.timer.enter(Phase::Rebuild);
        let found_one = self.copy_searcher.search_next_file(&search, &mut context);
        self.timer.enter(before);
        if !found_one {
            self.exchange.end_search(&search);
        }
        found_one
    }

    /// Reads headers ahead of a walk that limits a range. Returns whether there is more to read.
    fn read_range(&mut self) -> bool {
        let Some(commit) = self.exchange.limit_position() else {
            return false;
        };
        let before = self.timer.enter(Phase::Walk);
        let read = self
            .range_prefetch
            .read(commit, &mut self.reader, self.exchange);
        self.timer.enter(before);
        read
    }

    /// Reads a commit; `without_tree` if its tree is not read next. The header is for the walk: it
    /// is there for a commit that is not in the commit-graph, and not kept with the commit, as
    /// visits are moved often.
    fn read(
        &mut self,
        key: CommitKey,
        without_tree: bool,
    ) -> Result<(ReadCommit, Option<CommitHead>), objects::Error> {
        if let CommitKey::InGraph(at) = key
            && let Some(edges) = self.store.graph_edges(at)
        {
            self.reader.count_head_from_graph();
            let parents = edges.parents[..edges.count as usize].iter();
            let parents = parents.map(|at| CommitKey::InGraph(GraphPosition(*at)));
            let commit = ReadCommit {
                key,
                time: edges.time,
                parents: parents.collect(),
                tree: None,
            };
            return Ok((commit, None));
        }
        let id = match key {
            CommitKey::InGraph(at) => self.store.graph_id(at),
            CommitKey::Id(id) => id,
        };
        self.timer.enter(Phase::Walk);
        let header = if without_tree {
            self.reader.commit_head_only(&id)?
        } else {
            self.reader.commit_head(&id)?
        };
        let parents = header.parents.iter();
        let parents = parents.map(|id| CommitKey::new(*id, &self.store));
        let commit = ReadCommit {
            key,
            time: header.time,
            parents: parents.collect(),
            tree: Some(header.tree),
        };
        Ok((commit, Some(header)))
    }

    fn tree(&self, commit: &ReadCommit) -> ObjectId {
        match (commit.tree, commit.key) {
            (Some(tree), _) => tree,
            (None, CommitKey::InGraph(at)) => self.store.graph_tree(at),
            (None, CommitKey::Id(id)) => ObjectId::null(id.kind()),
        }
    }

    /// Marks a commit as visited; returns whether it was not before.
    fn mark_visited(&mut self, commit: CommitKey) -> bool {
        match commit {
            CommitKey::Id(id) => self.visited.insert(id),
            CommitKey::InGraph(at) => self.visited_in_graph.insert(at.0),
        }
    }

    /// True if the commit-graph rules out a change against the first parent.
    fn is_unchanged(&self, commit: CommitKey) -> bool {
        match (&self.history, commit) {
            (Some(history), CommitKey::InGraph(at)) => self.store.is_unchanged(at, history),
            _ => false,
        }
    }

    /// The lead beyond which versions are diffed, at the next commit.
    fn diff_lead(&self) -> u64 {
        match self.queue.peek().map(|visit| self.cost(visit.commit.key)) {
            Some(COST_FILTERED) => DIFF_LEAD_FILTERED,
            _ => DIFF_LEAD,
        }
    }

    /// The steps by which a commit raises the ordinal.
    fn cost(&self, commit: CommitKey) -> u64 {
        match commit {
            CommitKey::InGraph(_) if self.history.is_some() => COST_FILTERED,
            _ => COST_PLAIN,
        }
    }

    /// A commit's entry at the path. `own` is that of its child.
    fn find_path(
        &mut self,
        commit: &ReadCommit,
        own: Option<&FoundPath>,
    ) -> Result<Option<FoundPath>, objects::Error> {
        if let (Some(history), CommitKey::InGraph(at)) = (&self.history, commit.key)
            && let Some(entry) = self.store.entry_at(at, history)
        {
            return Ok(entry.map(|entry| FoundPath { entry, chain: None }));
        }
        self.timer.enter(Phase::Trees);
        let known = own.and_then(|own| own.chain.as_ref());
        let root = self.tree(commit);
        let found = self
            .reader
            .find_path(root, &self.task.path, known.map(|it| &**it));
        if self.spare_chains.is_empty() {
            self.exchange.take_returned(&mut self.spare_chains);
        }
        let spare = &mut self.spare_chains;
        Ok(found?.map(|chain| FoundPath::new(spare.share(chain, known))))
    }

    /// The entry at the path of the first parent of `commit`, which has `own` there, if that is
    /// known.
    fn known_replaced(&self, commit: &ReadCommit, own: &FoundPath) -> Option<Option<FoundPath>> {
        let (Some(history), CommitKey::InGraph(at)) = (&self.history, commit.key) else {
            return None;
        };
        let replaced = history.replaced(at, own.entry)?;
        Some(replaced.map(|entry| FoundPath { entry, chain: None }))
    }

    fn follow_redirect(&mut self, redirect: Redirect) {
        if redirect.path != self.task.path {
            self.history = self
                .store
                .path_history_for(&redirect.path, self.task.copies);
            self.task.path = redirect.path;
            self.visited.clear();
            self.visited_in_graph.clear();
            self.queue.clear();
            self.pairs.clear();
            self.near_pairs.clear();
        }
        self.path_number = redirect.path_number;
        // After a read error this thread waits for the next redirect.
        if self.mark_visited(redirect.commit)
            && let Ok((commit, _)) = self.read(redirect.commit, false)
        {
            self.push(commit, None);
        }
    }

    fn push(&mut self, commit: ReadCommit, found: Option<FoundPath>) {
        let arrival = self.ordinal;
        self.queue.push(Visit {
            commit,
            found,
            arrival,
        });
    }

    /// Reads the headers of the next first parents and leaves their trees to the walk.
    fn read_headers(&mut self, visit: Visit) -> Result<(), objects::Error> {
        let mut commit = visit.commit;
        let end = self.ordinal + HEADER_RUN;
        while self.ordinal < end {
            let Some(&parent) = commit.parents.first() else {
                return Ok(());
            };
            if !self.mark_visited(parent) {
                return Ok(());
            }
            let is_unchanged = self.is_unchanged(commit.key);
            let header;
            (commit, header) = self.read(parent, true)?;
            if !is_unchanged {
                self.record(commit.key, header, PathLookup::Unknown);
            }
        }
        self.exchange.send_commits(&mut self.results);
        self.push(commit, None);
        Ok(())
    }

    /// Visits a commit, and, without going through the queue, some of those after it that leave the
    /// file alone.
    fn visit_run(&mut self, visit: Visit) -> Result<(), objects::Error> {
        let mut next = Some(visit);
        for _ in 0..VISIT_RUN {
            let Some(visit) = next else {
                return Ok(());
            };
            next = self.visit_parents(visit)?;
        }
        if let Some(visit) = next {
            self.queue.push(visit);
        }
        Ok(())
    }

    /// Skips to the first commit that may have changed the file, and looks the path up in its
    /// parents. Returns the next visit, if it is that of a parent with the identical file.
    fn visit_parents(&mut self, mut visit: Visit) -> Result<Option<Visit>, objects::Error> {
        while self.is_unchanged(visit.commit.key) {
            let Some(&parent) = visit.commit.parents.first() else {
                return Ok(None);
            };
            if !self.mark_visited(parent) {
                return Ok(None);
            }
            (visit.commit, _) = self.read(parent, false)?;
            self.work.filtered += 1;
            if self.queue.peek().is_some_and(|other| *other > visit) {
                self.queue.push(visit);
                return Ok(None);
            }
        }
        let own = match visit.found.take() {
            Some(found) => found,
            None => match self.find_path(&visit.commit, None)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        let mut parents = visit.commit.parents.as_slice();
        if self.task.first_parent {
            parents = &parents[..parents.len().min(1)];
        }
        let mut follow: SmallVec<[(ReadCommit, FoundPath, u64); 2]> = SmallVec::new();
        let replaced = self.known_replaced(&visit.commit, &own);
        for (nth, &parent) in parents.iter().enumerate() {
            let (commit, header) = self.read(parent, false)?;
            let found = match replaced.as_ref().filter(|_| nth == 0) {
                Some(replaced) => replaced.clone(),
                None => self.find_path(&commit, Some(&own))?,
            };
            let lookup = match &found {
                // The walk comes from a commit with the same chain.
                Some(found) => {
                    let is_own = |chain: &&Arc<PathChain>| {
                        let own = own.chain.as_ref();
                        own.is_some_and(|own| Arc::ptr_eq(own, chain))
                    };
                    let chain = found.chain.as_ref().filter(|chain| !is_own(chain));
                    PathLookup::At(found.entry, chain.cloned())
                }
                None => PathLookup::Absent,
            };
            self.record(commit.key, header, lookup);
            let Some(found) = found else {
                continue;
            };
            if found.entry.id == own.entry.id {
                if !self.mark_visited(commit.key) {
                    return Ok(None);
                }
                return Ok(self.queue.push_or_first(Visit {
                    commit,
                    found: Some(found),
                    arrival: self.ordinal,
                }));
            }
            follow.push((commit, found, self.ordinal));
        }
        for (commit, found, arrival) in follow {
            if self.task.diffs_versions {
                let pair = if self.task.reverse {
                    (own.entry.id, found.entry.id)
                } else {
                    (found.entry.id, own.entry.id)
                };
                self.pairs.push_back((arrival, pair));
            }
            if self.mark_visited(commit.key) {
                self.queue.push(Visit {
                    commit,
                    found: Some(found),
                    arrival,
                });
            }
        }
        Ok(None)
    }

    fn record(&mut self, commit: CommitKey, header: Option<CommitHead>, lookup: PathLookup) {
        let cost = self.cost(commit);
        self.ordinal += cost;
        let result = PrefetchedCommit {
            commit,
            lookup,
            path_number: self.path_number,
            ordinal: self.ordinal,
        };
        self.results.push(result, header);
        if self.results.len() as u64 * cost >= BATCH_COST {
            self.exchange.send_commits(&mut self.results);
        }
    }

    /// Diffs one pair of versions; returns whether there was one.
    fn diff_next_pair(&mut self) -> bool {
        let Some((ordinal, pair)) = self.next_pair() else {
            return false;
        };
        self.last_diffed = ordinal;
        if let Ok(hunks) = self.diff_pair(&pair) {
            self.exchange.send_diff(pair, hunks);
        }
        true
    }

    /// The pair to diff next. Both threads share the pairs ahead: the walk starts at the near end,
    /// this thread goes from the middle to the far end, then from the middle back towards the walk.
    fn next_pair(&mut self) -> Option<(u64, BlobPair)> {
        let reached = self.exchange.reached();
        let passed = |pair: &(u64, BlobPair)| pair.0 <= reached;
        let done = self.pairs.partition_point(passed);
        self.pairs.drain(..done);
        // With `--reverse` the walk comes from the other end, and the newest pairs are the
        // farthest.
        if self.last_diffed <= reached && !self.task.reverse {
            let half = self.pairs.len() / 2;
            self.near_pairs.clear();
            self.near_pairs.extend(self.pairs.drain(..half));
        }
        let next = self.pairs.pop_front();
        next.or_else(|| self.near_pairs.pop().filter(|pair| !passed(pair)))
    }

    fn diff_pair(
        &mut self,
        (old, new): &BlobPair,
    ) -> Result<Vec<diff::Hunk>, crate::engine::api::error::Error> {
        let before = self.timer.enter(Phase::Rebuild);
        let new = self.versions.blob(new, &mut self.reader, &mut self.lines);
        let old = self.versions.blob(old, &mut self.reader, &mut self.lines);
        self.timer.enter(Phase::Diff);
        let (new, old) = (new?, old?);
        let mut hunks = Vec::new();
        let options = &self.task.diff;
        let diffed = self.differ.hunks_by_ends(
            &self.lines,
            old.tokens_and_ends(),
            &new.tokens,
            options,
            &mut hunks,
        );
        self.timer.enter(before);
        self.work.diffs += 1;
        diffed.map_err(|_| crate::engine::api::error::Error::TooLarge)?;
        Ok(hunks)
    }
}
