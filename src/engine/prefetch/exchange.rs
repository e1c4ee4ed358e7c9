//! The exchange between the walk and the prefetch thread.
//!
//! Every result is a pure function of the repository: a commit header, a tree entry, a diff of two
//! blobs. The walk takes what is there and computes the rest itself, so its result never depends on
//! timing.

use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use std::time::Duration;

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    diff::Hunk,
    engine::{
        api::profile::Profile, history::commits::CommitName, similarity::copy_search::Search,
    },
    objects::{CommitHead, ObjectId, PathChain, TreeEntry},
};

/// What a commit has at the followed path.
#[derive(Debug, Clone)]
pub(crate) enum Lookup {
    /// Not looked up.
    Unknown,
    Absent,
    /// The chain is that of the commit or of one with the same entry.
    At(TreeEntry, Option<Arc<PathChain>>),
}

/// A request to go on from another commit or path.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) commit: CommitName,
    pub(crate) path: Arc<BString>,
    /// Distinguishes results for this path from those for earlier ones. A shared path in every
    /// result would move its reference count between the cores.
    pub(crate) path_number: u32,
}

/// What was read of a commit.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) commit: CommitName,
    /// `None` for a commit in the commit-graph, which both threads read themselves.
    pub(crate) head: Option<CommitHead>,
    pub(crate) lookup: Lookup,
    /// The number of the path that was looked up.
    pub(crate) path_number: u32,
    /// Position in the order of prefetching.
    pub(crate) ordinal: u64,
}

/// The blobs of a diff, the parent's first.
pub(crate) type Pair = (ObjectId, ObjectId);

/// State shared by the two threads.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    results: Mutex<PrefetchResults>,
    /// Wakes the prefetch thread.
    wake: Condvar,
    call: Mutex<Option<Call>>,
    /// Whether `call` is set; readable without the lock.
    called: AtomicBool,
    delivered: AtomicBool,
    done: AtomicBool,
    /// The highest ordinal that the walk has used.
    reached: AtomicU64,
    /// The walk visits commits that were not prefetched.
    ahead_of_scout: AtomicBool,
    /// The walk's position while it limits a range.
    measured: Mutex<Option<ObjectId>>,
    /// Files to search for copied lines.
    search: Mutex<Option<Arc<Search>>>,
    /// Whether `search` is set; readable without the lock.
    searching: AtomicBool,
}

#[derive(Debug, Default)]
struct PrefetchResults {
    facts: Vec<Fact>,
    changes: Vec<(Pair, Vec<Hunk>)>,
    heads: Vec<(ObjectId, CommitHead)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // These values are only replaced as a whole, so they are consistent even after a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Exchange {
    pub(crate) fn deliver(&self, facts: &mut Vec<Fact>) {
        if !facts.is_empty() {
            lock(&self.results).facts.append(facts);
            self.delivered.store(true, Ordering::Release);
        }
    }

    pub(crate) fn deliver_changes(&self, pair: Pair, hunks: Vec<Hunk>) {
        lock(&self.results).changes.push((pair, hunks));
        self.delivered.store(true, Ordering::Release);
    }

    pub(crate) fn deliver_heads(&self, heads: &mut Vec<(ObjectId, CommitHead)>) {
        if !heads.is_empty() {
            lock(&self.results).heads.append(heads);
            self.delivered.store(true, Ordering::Release);
        }
    }

    /// The commit that the walk has reached while it limits a range.
    pub(crate) fn measured(&self) -> Option<ObjectId> {
        *lock(&self.measured)
    }

    /// The search that the walk has requested.
    pub(crate) fn searched(&self) -> Option<Arc<Search>> {
        match self.searching.load(Ordering::Acquire) {
            true => lock(&self.search).clone(),
            false => None,
        }
    }

    /// Removes a search without files left, unless the walk has requested another one meanwhile.
    pub(crate) fn end_search(&self, search: &Arc<Search>) {
        let mut current = lock(&self.search);
        if current.as_ref().is_some_and(|it| Arc::ptr_eq(it, search)) {
            *current = None;
            self.searching.store(false, Ordering::Release);
        }
    }

    /// Asks the prefetch thread to end.
    pub(crate) fn finish(&self) {
        self.done.store(true, Ordering::Release);
        self.wake.notify_all();
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Takes the walk's last redirect.
    pub(crate) fn called_to(&self) -> Option<Call> {
        if !self.called.swap(false, Ordering::AcqRel) {
            return None;
        }
        lock(&self.call).take()
    }

    pub(crate) fn reached(&self) -> u64 {
        self.reached.load(Ordering::Relaxed)
    }

    /// Whether the walk has overtaken the prefetch thread or is on another line of history.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.ahead_of_scout.load(Ordering::Relaxed)
    }

    /// Waits for a redirect, for at most 0.5 ms.
    pub(crate) fn rest(&self) {
        let call = lock(&self.call);
        if call.is_none() && !self.is_done() && !self.searching.load(Ordering::Acquire) {
            // Early and late wakeups are harmless.
            let _ = self.wake.wait_timeout(call, Duration::from_micros(500));
        }
    }
}

/// The walk's side of the exchange.
pub(crate) struct Known<'e> {
    exchange: &'e Exchange,
    /// Starts the prefetch thread on the first call.
    start: &'e dyn Fn(),
    /// The path that is being prefetched.
    path: Arc<BString>,
    path_number: u32,
    facts: FxHashMap<CommitName, Fact>,
    changes: FxHashMap<Pair, Vec<Hunk>>,
    heads: Vec<(ObjectId, CommitHead)>,
    /// `--reverse`: the threads start from opposite ends of the range and meet once.
    reverse: bool,
    /// Consecutive commits that were not prefetched.
    misses: u32,
    heads_taken: u64,
    entries_taken: u64,
    changes_taken: u64,
}

/// More consecutive misses than a side branch causes: the prefetch thread must get ahead.
const OVERTAKEN_MISSES: u32 = 8;
/// After this many consecutive misses the prefetch thread is redirected.
const LOST_MISSES: u32 = 512;

impl<'e> Known<'e> {
    /// For a prefetch thread that follows `path`. `start` starts the thread on its first call.
    pub(crate) fn new(
        exchange: &'e Exchange,
        start: &'e dyn Fn(),
        path: Arc<BString>,
        reverse: bool,
    ) -> Self {
        Known {
            exchange,
            start,
            path,
            path_number: 0,
            facts: FxHashMap::default(),
            changes: FxHashMap::default(),
            heads: Vec::new(),
            reverse,
            misses: 0,
            heads_taken: 0,
            entries_taken: 0,
            changes_taken: 0,
        }
    }

    /// Starts the prefetch thread, unless it runs.
    pub(crate) fn start(&self) {
        (self.start)();
    }

    /// Ends prefetching and reports how many results were used.
    pub(crate) fn report(self, profile: &mut Profile) {
        profile.heads_taken = self.heads_taken;
        profile.entries_taken = self.entries_taken;
        profile.diffs_taken = self.changes_taken;
    }

    /// The prefetched header of a commit.
    pub(crate) fn head(&mut self, commit: &ObjectId) -> Option<&CommitHead> {
        let name = CommitName::Id(*commit);
        if !self.facts.contains_key(&name) {
            self.receive();
        }
        let head = self.facts.get(&name)?.head.as_ref()?;
        self.heads_taken += 1;
        Some(head)
    }

    /// The prefetched entry of `path` in a commit, which is asked for once. Redirects the prefetch
    /// thread after too many misses.
    pub(crate) fn lookup(&mut self, commit: CommitName, path: &Arc<BString>) -> Lookup {
        // For other commits, `head` has just received.
        if matches!(commit, CommitName::InGraph(_)) {
            self.receive();
        }
        let Some(fact) = self.facts.remove(&commit) else {
            self.miss(commit, path);
            return Lookup::Unknown;
        };
        if self.misses >= OVERTAKEN_MISSES {
            self.exchange.ahead_of_scout.store(false, Ordering::Relaxed);
        }
        self.misses = 0;
        if !self.reverse {
            let reached = &self.exchange.reached;
            reached.fetch_max(fact.ordinal, Ordering::Relaxed);
        }
        if fact.path_number != self.path_number || self.path != *path {
            return Lookup::Unknown;
        }
        if !matches!(fact.lookup, Lookup::Unknown) {
            self.entries_taken += 1;
        }
        fact.lookup
    }

    fn miss(&mut self, commit: CommitName, path: &Arc<BString>) {
        if self.reverse {
            return;
        }
        let before = self.misses;
        self.misses += match commit {
            CommitName::Id(_) => 1,
            // The walk skipped the commits in between by their filters.
            CommitName::InGraph(_) => OVERTAKEN_MISSES,
        };
        if self.misses >= LOST_MISSES {
            self.follow(commit, path);
        } else if before < OVERTAKEN_MISSES && self.misses >= OVERTAKEN_MISSES {
            self.exchange.ahead_of_scout.store(true, Ordering::Relaxed);
        }
    }

    /// Redirects the prefetch thread to `path` from `commit` on.
    pub(crate) fn follow(&mut self, commit: CommitName, path: &Arc<BString>) {
        if self.reverse {
            return;
        }
        self.misses = 0;
        if self.path != *path {
            self.path = Arc::clone(path);
            self.path_number += 1;
        }
        *lock(&self.exchange.call) = Some(Call {
            commit,
            path: Arc::clone(path),
            path_number: self.path_number,
        });
        self.exchange.called.store(true, Ordering::Release);
        self.exchange.wake.notify_all();
    }

    /// Requests a search of other files, which comes before all other prefetching.
    pub(crate) fn search(&self, search: &Arc<Search>) {
        self.start();
        *lock(&self.exchange.search) = Some(Arc::clone(search));
        // Under the lock that `rest` waits with, so that the wakeup is not lost.
        let call = lock(&self.exchange.call);
        self.exchange.searching.store(true, Ordering::Release);
        drop(call);
        self.exchange.wake.notify_all();
    }

    /// The prefetched diff of two blobs.
    pub(crate) fn changes(&mut self, pair: &Pair) -> Option<Vec<Hunk>> {
        self.receive();
        let changes = self.changes.remove(pair)?;
        self.changes_taken += 1;
        Some(changes)
    }

    /// Sets the walk's position in the range it limits, or `None` when that is done.
    pub(crate) fn measure_at(&mut self, commit: Option<ObjectId>) {
        *lock(&self.exchange.measured) = commit;
        self.exchange.wake.notify_all();
    }

    /// The headers prefetched while a range is limited.
    pub(crate) fn heads(&mut self) -> std::vec::Drain<'_, (ObjectId, CommitHead)> {
        self.receive();
        self.heads_taken += self.heads.len() as u64;
        self.heads.drain(..)
    }

    fn receive(&mut self) {
        if !self.exchange.delivered.load(Ordering::Relaxed) {
            return;
        }
        if !self.exchange.delivered.swap(false, Ordering::AcqRel) {
            return;
        }
        let results = std::mem::take(&mut *lock(&self.exchange.results));
        for fact in results.facts {
            self.facts.insert(fact.commit, fact);
        }
        self.changes.extend(results.changes);
        self.heads.extend(results.heads);
    }
}

impl Drop for Known<'_> {
    fn drop(&mut self) {
        self.exchange.finish();
    }
}
