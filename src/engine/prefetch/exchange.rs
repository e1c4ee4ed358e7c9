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
        api::profile::Profile,
        history::commits::CommitKey,
        prefetch::{
            chains::{ReceivedChains, SpareChains},
            prefetched::{BlobPair, PathLookup, PrefetchedCommits},
            received::ReceivedCommits,
        },
        similarity::copy_search::CopySearch,
    },
    objects::{CommitHead, ObjectId, PathChain, TreeEntry},
};

/// A request to go on from another commit or path.
#[derive(Debug, Clone)]
pub(crate) struct Redirect {
    pub(crate) commit: CommitKey,
    pub(crate) path: Arc<BString>,
    /// Distinguishes results for this path from those for earlier ones. A shared path in every
    /// result would move its reference count between the cores.
    pub(crate) path_number: u32,
}

/// State shared by the two threads.
#[derive(Debug, Default)]
pub(crate) struct PrefetchExchange {
    results: Mutex<PrefetchResults>,
    /// Chains that the walk has used.
    returned: Mutex<Vec<Arc<PathChain>>>,
    has_returned: AtomicBool,
    /// Wakes the prefetch thread.
    wake: Condvar,
    redirect: Mutex<Option<Redirect>>,
    /// True if `redirect` is set; readable without the lock.
    has_redirect: AtomicBool,
    has_results: AtomicBool,
    done: AtomicBool,
    /// The highest ordinal that the walk has used.
    reached: AtomicU64,
    /// The walk visits commits that were not prefetched.
    overtaken: AtomicBool,
    /// The walk's position while it limits a range.
    limit_position: Mutex<Option<ObjectId>>,
    /// Files to search for copied lines.
    search: Mutex<Option<Arc<CopySearch>>>,
    /// True if `search` is set; readable without the lock.
    has_search: AtomicBool,
}

#[derive(Debug, Default)]
struct PrefetchResults {
    commits: PrefetchedCommits,
    diffs: Vec<(BlobPair, Vec<Hunk>)>,
    headers: Vec<(ObjectId, CommitHead)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // These values are only replaced as a whole, so they are consistent even after a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PrefetchExchange {
    pub(crate) fn send_commits(&self, commits: &mut PrefetchedCommits) {
        if commits.len() > 0 {
            lock(&self.results).commits.append(commits);
            self.has_results.store(true, Ordering::Release);
        }
    }

    pub(crate) fn send_diff(&self, pair: BlobPair, hunks: Vec<Hunk>) {
        lock(&self.results).diffs.push((pair, hunks));
        self.has_results.store(true, Ordering::Release);
    }

    pub(crate) fn send_headers(&self, headers: &mut Vec<(ObjectId, CommitHead)>) {
        if !headers.is_empty() {
            lock(&self.results).headers.append(headers);
            self.has_results.store(true, Ordering::Release);
        }
    }

    /// Takes the chains that the walk has used.
    pub(crate) fn take_returned(&self, spare: &mut SpareChains) {
        if self.has_returned.swap(false, Ordering::AcqRel) {
            spare.add(&mut lock(&self.returned));
        }
    }

    /// The commit that the walk has reached while it limits a range.
    pub(crate) fn limit_position(&self) -> Option<ObjectId> {
        *lock(&self.limit_position)
    }

    /// The search that the walk has requested.
    pub(crate) fn requested_search(&self) -> Option<Arc<CopySearch>> {
        if self.has_search.load(Ordering::Acquire) {
            lock(&self.search).clone()
        } else {
            None
        }
    }

    /// Removes a search without files left, unless the walk has requested another one meanwhile.
    pub(crate) fn end_search(&self, search: &Arc<CopySearch>) {
        let mut current = lock(&self.search);
        if current.as_ref().is_some_and(|it| Arc::ptr_eq(it, search)) {
            *current = None;
            self.has_search.store(false, Ordering::Release);
        }
    }

    /// Asks the prefetch thread to end.
    pub(crate) fn stop(&self) {
        self.done.store(true, Ordering::Release);
        self.wake.notify_all();
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Takes the walk's last redirect.
    pub(crate) fn take_redirect(&self) -> Option<Redirect> {
        if !self.has_redirect.swap(false, Ordering::AcqRel) {
            return None;
        }
        lock(&self.redirect).take()
    }

    pub(crate) fn reached(&self) -> u64 {
        self.reached.load(Ordering::Relaxed)
    }

    /// True if the walk has overtaken the prefetch thread or is on another line of history.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.overtaken.load(Ordering::Relaxed)
    }

    /// Waits for a redirect, for at most 0.5 ms.
    pub(crate) fn wait(&self) {
        let redirect = lock(&self.redirect);
        if redirect.is_none() && !self.is_done() && !self.has_search.load(Ordering::Acquire) {
            // Early and late wakeups are harmless.
            let _ = self.wake.wait_timeout(redirect, Duration::from_micros(500));
        }
    }
}

/// The walk's side of the exchange.
pub(crate) struct PrefetchClient<'e> {
    exchange: &'e PrefetchExchange,
    /// Starts the prefetch thread on the first call.
    start: &'e dyn Fn(),
    /// The path that is being prefetched.
    path: Arc<BString>,
    path_number: u32,
    commits: ReceivedCommits,
    chains: ReceivedChains,
    /// Buffer for what is received.
    received: PrefetchedCommits,
    diffs: FxHashMap<BlobPair, Vec<Hunk>>,
    headers: Vec<(ObjectId, CommitHead)>,
    /// `--reverse`: the threads start from opposite ends of the range and meet once.
    reverse: bool,
    /// Consecutive commits that were not prefetched.
    misses: u32,
    headers_used: u64,
    entries_used: u64,
    diffs_used: u64,
}

/// More consecutive misses than a side branch causes: the prefetch thread must get ahead.
const OVERTAKEN_MISSES: u32 = 8;
/// After this many consecutive misses the prefetch thread is redirected.
const LOST_MISSES: u32 = 512;

impl<'e> PrefetchClient<'e> {
    /// For a prefetch thread that follows `path`. `start` starts the thread on its first call.
    pub(crate) fn new(
        exchange: &'e PrefetchExchange,
        start: &'e dyn Fn(),
        path: Arc<BString>,
        reverse: bool,
    ) -> Self {
        PrefetchClient {
            exchange,
            start,
            path,
            path_number: 0,
            commits: ReceivedCommits::default(),
            chains: ReceivedChains::default(),
            received: PrefetchedCommits::default(),
            diffs: FxHashMap::default(),
            headers: Vec::new(),
            reverse,
            misses: 0,
            headers_used: 0,
            entries_used: 0,
            diffs_used: 0,
        }
    }

    /// Starts the prefetch thread, unless it runs.
    pub(crate) fn start(&self) {
        (self.start)();
    }

    /// Ends prefetching and reports how many results were used.
    pub(crate) fn finish(self, profile: &mut Profile) {
        profile.headers_used = self.headers_used;
        profile.entries_used = self.entries_used;
        profile.diffs_used = self.diffs_used;
    }

    /// The prefetched header of a commit.
    pub(crate) fn header(&mut self, commit: &ObjectId) -> Option<&CommitHead> {
        let key = CommitKey::Id(*commit);
        let slot = match self.commits.find(&key) {
            Some(slot) => slot,
            None => {
                self.receive();
                self.commits.find(&key)?
            }
        };
        let header = self.commits.header(slot)?;
        self.headers_used += 1;
        Some(header)
    }

    /// The prefetched entry of `path` in a commit, which can be taken once. Redirects the prefetch
    /// thread after too many misses.
    pub(crate) fn lookup(&mut self, commit: CommitKey, path: &Arc<BString>) -> PathLookup {
        // For other commits, `header` has just called `receive`.
        if matches!(commit, CommitKey::InGraph(_)) {
            self.receive();
        }
        let Some((lookup, path_number, ordinal)) = self.commits.take(&commit) else {
            self.miss(commit, path);
            return PathLookup::Unknown;
        };
        self.was_met(ordinal);
        if path_number != self.path_number || self.path != *path {
            return PathLookup::Unknown;
        }
        if !matches!(lookup, PathLookup::Unknown) {
            self.entries_used += 1;
        }
        lookup
    }

    /// Takes the prefetched entry of `path` in a commit if it is `entry`, and returns its chain.
    /// With `None`, nothing has changed.
    pub(crate) fn take_same(
        &mut self,
        commit: CommitKey,
        path: &Arc<BString>,
        entry: &TreeEntry,
    ) -> Option<Option<Arc<PathChain>>> {
        if self.path != *path {
            return None;
        }
        let taken = self.commits.take_same(&commit, self.path_number, entry);
        let (chain, ordinal) = taken?;
        self.entries_used += 1;
        self.was_met(ordinal);
        Some(chain)
    }

    /// Remembers that the walk has met a prefetched commit.
    fn was_met(&mut self, ordinal: u64) {
        if self.misses >= OVERTAKEN_MISSES {
            self.exchange.overtaken.store(false, Ordering::Relaxed);
        }
        self.misses = 0;
        if !self.reverse {
            let reached = &self.exchange.reached;
            reached.fetch_max(ordinal, Ordering::Relaxed);
        }
    }

    fn miss(&mut self, commit: CommitKey, path: &Arc<BString>) {
        if self.reverse {
            return;
        }
        let before = self.misses;
        self.misses += match commit {
            CommitKey::Id(_) => 1,
            // The walk skipped the commits in between by their filters.
            CommitKey::InGraph(_) => OVERTAKEN_MISSES,
        };
        if self.misses >= LOST_MISSES {
            self.redirect_to(commit, path);
        } else if before < OVERTAKEN_MISSES && self.misses >= OVERTAKEN_MISSES {
            self.exchange.overtaken.store(true, Ordering::Relaxed);
        }
    }

    /// Redirects the prefetch thread to `path` from `commit` on.
    pub(crate) fn redirect_to(&mut self, commit: CommitKey, path: &Arc<BString>) {
        if self.reverse {
            return;
        }
        self.misses = 0;
        if self.path != *path {
            self.path = Arc::clone(path);
            self.path_number += 1;
        }
        *lock(&self.exchange.redirect) = Some(Redirect {
            commit,
            path: Arc::clone(path),
            path_number: self.path_number,
        });
        self.exchange.has_redirect.store(true, Ordering::Release);
        self.exchange.wake.notify_all();
    }

    /// Requests a search of other files, which comes before all other prefetching.
    pub(crate) fn search(&self, search: &Arc<CopySearch>) {
        self.start();
        *lock(&self.exchange.search) = Some(Arc::clone(search));
        // Under the lock that `wait` waits with, so that the wakeup is not lost.
        let redirect = lock(&self.exchange.redirect);
        self.exchange.has_search.store(true, Ordering::Release);
        drop(redirect);
        self.exchange.wake.notify_all();
    }

    /// The prefetched diff of two blobs.
    pub(crate) fn diff(&mut self, pair: &BlobPair) -> Option<Vec<Hunk>> {
        self.receive();
        let hunks = self.diffs.remove(pair)?;
        self.diffs_used += 1;
        Some(hunks)
    }

    /// Sets the walk's position in the range it limits, or `None` when that is done.
    pub(crate) fn set_limit_position(&mut self, commit: Option<ObjectId>) {
        *lock(&self.exchange.limit_position) = commit;
        self.exchange.wake.notify_all();
    }

    /// The headers prefetched while a range is limited.
    pub(crate) fn headers(&mut self) -> std::vec::Drain<'_, (ObjectId, CommitHead)> {
        self.receive();
        self.headers_used += self.headers.len() as u64;
        self.headers.drain(..)
    }

    fn receive(&mut self) {
        if !self.exchange.has_results.load(Ordering::Relaxed) {
            return;
        }
        if !self.exchange.has_results.swap(false, Ordering::AcqRel) {
            return;
        }
        let mut results = lock(&self.exchange.results);
        std::mem::swap(&mut results.commits, &mut self.received);
        let diffs = std::mem::take(&mut results.diffs);
        let headers = std::mem::take(&mut results.headers);
        drop(results);
        for commit in self.received.in_graph.drain(..) {
            self.chains.add(&commit.lookup);
            self.commits.insert(commit, None);
        }
        for (commit, header) in self.received.with_headers.drain(..) {
            self.chains.add(&commit.lookup);
            self.commits.insert(commit, Some(header));
        }
        self.diffs.extend(diffs);
        self.headers.extend(headers);
        self.chains.give_back(|chains| {
            lock(&self.exchange.returned).extend(chains);
            self.exchange.has_returned.store(true, Ordering::Release);
        });
    }
}

impl Drop for PrefetchClient<'_> {
    fn drop(&mut self) {
        self.exchange.stop();
    }
}
