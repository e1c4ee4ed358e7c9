//! What a second thread found out ahead of the walk, and how the two tell each other.
//!
//! Everything passed here is a pure function of the repository: a commit's head, its entry for a
//! path, the changes between two blobs. The walk takes what is there and finds out the rest by
//! itself, so results never depend on timing.

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

/// What a commit has by the path that is followed.
#[derive(Debug, Clone)]
pub(crate) enum Lookup {
    /// Not looked up.
    Unknown,
    Absent,
    /// The chain is that of the commit or of one whose entry is the same.
    At(TreeEntry, Option<Arc<PathChain>>),
}

/// Where the walk would like the scout to go on.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) commit: CommitName,
    pub(crate) path: Arc<BString>,
    /// Tells facts about this path from those about the ones before. A counted pointer to the
    /// path in every fact would travel between the cores with each of them.
    pub(crate) path_number: u32,
}

/// What is known of a commit.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) commit: CommitName,
    /// Nothing for a commit in the commit-graph, where each thread looks for itself.
    pub(crate) head: Option<CommitHead>,
    pub(crate) lookup: Lookup,
    /// The number of the call whose path was looked up.
    pub(crate) path_number: u32,
    /// Counts up along the scout's way.
    pub(crate) ordinal: u64,
}

/// Two blobs, the parent's first.
pub(crate) type Pair = (ObjectId, ObjectId);

/// What lies between the two threads.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    inbox: Mutex<Inbox>,
    /// Wakes the scout.
    wake: Condvar,
    call: Mutex<Option<Call>>,
    /// Set without the lock, so that asking costs nothing: something is in `call` or `inbox`.
    called: AtomicBool,
    delivered: AtomicBool,
    done: AtomicBool,
    /// The highest ordinal that the walk has used.
    reached: AtomicU64,
    /// The walk looks at commits of which nothing is known.
    ahead_of_scout: AtomicBool,
    /// Where the walk measures a range.
    measured: Mutex<Option<ObjectId>>,
    /// Files that the walk wants to be looked into.
    search: Mutex<Option<Arc<Search>>>,
    /// Set without the lock: something is in `search`.
    searching: AtomicBool,
}

#[derive(Debug, Default)]
struct Inbox {
    facts: Vec<Fact>,
    changes: Vec<(Pair, Vec<Hunk>)>,
    heads: Vec<(ObjectId, CommitHead)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind these locks is replaced as a whole, so a panic elsewhere leaves it sound.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Exchange {
    pub(crate) fn deliver(&self, facts: &mut Vec<Fact>) {
        if !facts.is_empty() {
            lock(&self.inbox).facts.append(facts);
            self.delivered.store(true, Ordering::Release);
        }
    }

    pub(crate) fn deliver_changes(&self, pair: Pair, hunks: Vec<Hunk>) {
        lock(&self.inbox).changes.push((pair, hunks));
        self.delivered.store(true, Ordering::Release);
    }

    pub(crate) fn deliver_heads(&self, heads: &mut Vec<(ObjectId, CommitHead)>) {
        if !heads.is_empty() {
            lock(&self.inbox).heads.append(heads);
            self.delivered.store(true, Ordering::Release);
        }
    }

    /// Which commit the walk has come to where it measures a range.
    pub(crate) fn measured(&self) -> Option<ObjectId> {
        *lock(&self.measured)
    }

    /// What the walk wants to be searched at once.
    pub(crate) fn searched(&self) -> Option<Arc<Search>> {
        match self.searching.load(Ordering::Acquire) {
            true => lock(&self.search).clone(),
            false => None,
        }
    }

    /// Nothing is left of a search. The walk may have asked for another one meanwhile.
    pub(crate) fn end_search(&self, search: &Arc<Search>) {
        let mut current = lock(&self.search);
        if current.as_ref().is_some_and(|it| Arc::ptr_eq(it, search)) {
            *current = None;
            self.searching.store(false, Ordering::Release);
        }
    }

    /// Ends the scout's work.
    pub(crate) fn finish(&self) {
        self.done.store(true, Ordering::Release);
        self.wake.notify_all();
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Where the walk called the scout to, once.
    pub(crate) fn called_to(&self) -> Option<Call> {
        if !self.called.swap(false, Ordering::AcqRel) {
            return None;
        }
        lock(&self.call).take()
    }

    pub(crate) fn reached(&self) -> u64 {
        self.reached.load(Ordering::Relaxed)
    }

    /// Whether the walk has overtaken the scout, or is where the scout does not go.
    pub(crate) fn is_overtaken(&self) -> bool {
        self.ahead_of_scout.load(Ordering::Relaxed)
    }

    /// Waits until the walk has moved on, or for a short while.
    pub(crate) fn rest(&self) {
        let call = lock(&self.call);
        if call.is_none() && !self.is_done() && !self.searching.load(Ordering::Acquire) {
            // Being woken early or late does no harm.
            let _ = self.wake.wait_timeout(call, Duration::from_micros(500));
        }
    }
}

/// The walk's end of the exchange.
pub(crate) struct Known<'e> {
    exchange: &'e Exchange,
    /// Starts the scout, unless that has been done.
    start: &'e dyn Fn(),
    /// The path that the scout follows.
    path: Arc<BString>,
    path_number: u32,
    facts: FxHashMap<CommitName, Fact>,
    changes: FxHashMap<Pair, Vec<Hunk>>,
    heads: Vec<(ObjectId, CommitHead)>,
    /// The scout comes from the other end of a range, and meets the walk once.
    reverse: bool,
    /// Commits in a row of which nothing was known.
    misses: u32,
    heads_taken: u64,
    entries_taken: u64,
    changes_taken: u64,
}

/// So many commits in a row that are not known are more than a side branch: the scout must hurry.
const OVERTAKEN: u32 = 8;
/// And after so many the scout goes elsewhere, and must be called.
const LOST: u32 = 512;

impl<'e> Known<'e> {
    /// Hears of a scout that is to follow `path`, perhaps from the other end of a range. `start`
    /// starts it, unless that has been done.
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

    /// There is work for two: starts the scout, unless that has been done.
    pub(crate) fn start(&self) {
        (self.start)();
    }

    /// Ends the scout's work, and says of how much use it was.
    pub(crate) fn report(self, profile: &mut Profile) {
        profile.heads_taken = self.heads_taken;
        profile.entries_taken = self.entries_taken;
        profile.diffs_taken = self.changes_taken;
    }

    /// What is known of a commit's head.
    pub(crate) fn head(&mut self, commit: &ObjectId) -> Option<&CommitHead> {
        let name = CommitName::Id(*commit);
        if !self.facts.contains_key(&name) {
            self.receive();
        }
        let head = self.facts.get(&name)?.head.as_ref()?;
        self.heads_taken += 1;
        Some(head)
    }

    /// What is known of a commit's entry for `path`; the commit is not asked for again. Calls the
    /// scout when it has gone elsewhere.
    pub(crate) fn lookup(&mut self, commit: CommitName, path: &Arc<BString>) -> Lookup {
        // Of others the head was asked for before.
        if matches!(commit, CommitName::InGraph(_)) {
            self.receive();
        }
        let Some(fact) = self.facts.remove(&commit) else {
            self.miss(commit, path);
            return Lookup::Unknown;
        };
        if self.misses >= OVERTAKEN {
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
            // Those in between were not looked up.
            CommitName::InGraph(_) => OVERTAKEN,
        };
        if self.misses >= LOST {
            self.follow(commit, path);
        } else if before < OVERTAKEN && self.misses >= OVERTAKEN {
            self.exchange.ahead_of_scout.store(true, Ordering::Relaxed);
        }
    }

    /// Calls the scout: it shall follow `path` from `commit` on.
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

    /// Has the scout look into other files, before all else.
    pub(crate) fn search(&self, search: &Arc<Search>) {
        self.start();
        *lock(&self.exchange.search) = Some(Arc::clone(search));
        // Under the lock that the scout rests with, so that it does not fall asleep meanwhile.
        let call = lock(&self.exchange.call);
        self.exchange.searching.store(true, Ordering::Release);
        drop(call);
        self.exchange.wake.notify_all();
    }

    /// The changes between two blobs, if they are known.
    pub(crate) fn changes(&mut self, pair: &Pair) -> Option<Vec<Hunk>> {
        self.receive();
        let changes = self.changes.remove(pair)?;
        self.changes_taken += 1;
        Some(changes)
    }

    /// Says where a range is being measured, or that it is no longer.
    pub(crate) fn measure_at(&mut self, commit: Option<ObjectId>) {
        *lock(&self.exchange.measured) = commit;
        self.exchange.wake.notify_all();
    }

    /// What was read ahead while a range is measured.
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
        let inbox = std::mem::take(&mut *lock(&self.exchange.inbox));
        for fact in inbox.facts {
            self.facts.insert(fact.commit, fact);
        }
        self.changes.extend(inbox.changes);
        self.heads.extend(inbox.heads);
    }
}

impl Drop for Known<'_> {
    fn drop(&mut self) {
        self.exchange.finish();
    }
}
