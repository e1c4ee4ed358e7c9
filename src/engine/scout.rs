//! A second thread that runs ahead of the walk.
//!
//! It follows one path through history by the walk's own rule (a parent with the same bytes takes
//! everything), without knowing which lines are still open. Two threads that start at the same
//! place would do the same work, so the scout leaps: it reads only the heads of the next few
//! hundred first parents, leaves their trees to the walk, and begins where they end. When the walk
//! catches up, the scout leaps again. When it is far ahead, it compares versions instead, leaping
//! in the same way.

use std::{
    collections::{BinaryHeap, VecDeque},
    sync::Arc,
};

use bstr::BString;
use rustc_hash::FxHashSet;

use super::{
    facts::{Call, Exchange, Fact, GAP, Lookup, Pair},
    profile::{Phase, Watch, Work},
    versions::Versions,
};
use crate::{
    diff::{self, Differ, lines::Lines},
    objects::{self, BloomKey, CommitHead, ObjectId, PathChain, Reader, Store, TreeEntry},
};

/// How many commits the scout may be ahead before it turns to comparing versions.
const LEAD: u64 = 8192;
/// Facts are handed over in batches of this many.
const BATCH: usize = 32;

/// What the scout follows, and how.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) start: ObjectId,
    pub(super) path: Arc<BString>,
    pub(super) first_parent: bool,
    pub(super) diff: diff::Options,
    /// Versions as they are stored are what is compared (no text conversion).
    pub(super) compares: bool,
}

pub(super) struct Scout<'e> {
    exchange: &'e Exchange,
    task: Task,
    store: Arc<Store>,
    reader: Reader,
    bloom: Option<BloomKey>,
    queue: BinaryHeap<Stop>,
    seen: FxHashSet<ObjectId>,
    ordinal: u64,
    path_number: u32,
    facts: Vec<Fact>,
    /// Versions to compare, with the ordinal of the older one's commit.
    pairs: VecDeque<(u64, Pair)>,
    /// The ordinal of the pair compared last.
    compared: u64,
    lines: Lines,
    versions: Versions,
    differ: Differ,
    watch: Watch,
    work: Work,
}

/// A commit whose parents come next, with its entry for the path.
struct Stop {
    commit: ObjectId,
    head: CommitHead,
    entry: TreeEntry,
    chain: Option<Arc<PathChain>>,
    arrival: u64,
}

impl PartialEq for Stop {
    fn eq(&self, other: &Self) -> bool {
        self.arrival == other.arrival
    }
}
impl Eq for Stop {}
impl PartialOrd for Stop {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Stop {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.head
            .time
            .cmp(&other.head.time)
            .then(other.arrival.cmp(&self.arrival))
    }
}

impl<'e> Scout<'e> {
    pub(super) fn new(exchange: &'e Exchange, store: Arc<Store>, task: Task) -> Self {
        Scout {
            exchange,
            reader: store.reader(),
            bloom: store.bloom_key(&task.path),
            store,
            queue: BinaryHeap::new(),
            seen: FxHashSet::default(),
            ordinal: 0,
            path_number: 0,
            facts: Vec::new(),
            pairs: VecDeque::new(),
            compared: 0,
            lines: Lines::new(task.diff.ignore_whitespace),
            versions: Versions::default(),
            differ: Differ::default(),
            watch: Watch::default(),
            work: Work::default(),
            task,
        }
    }

    /// Runs until the walk is done. What cannot be read is left to the walk, which will say so.
    pub(super) fn run(mut self, watch: Watch) -> Work {
        self.versions.begin_count(watch.is_running());
        self.watch = watch;
        let path = Arc::clone(&self.task.path);
        let mut from = Some(Call {
            commit: self.task.start,
            path,
            path_number: 0,
        });
        while !self.exchange.is_done() {
            if let Some(call) = self.exchange.called_to().or(from.take()) {
                self.answer(call);
            }
            let far = self.ordinal.saturating_sub(self.exchange.reached()) > LEAD;
            let stop = if far { None } else { self.queue.pop() };
            match stop {
                Some(stop) => {
                    // An unreadable object ends this branch of the scout's way.
                    let _ = self.look_at_parents(&stop);
                }
                None => {
                    self.exchange.deliver(&mut self.facts);
                    if !self.compare_a_pair() {
                        self.watch.enter(Phase::Pass);
                        self.exchange.rest();
                        self.watch.skip();
                    }
                }
            }
        }
        self.versions.report(&mut self.work);
        self.work.times = self.watch.stop();
        self.work
    }

    fn head(&mut self, commit: &ObjectId) -> Result<CommitHead, objects::Error> {
        let before = self.watch.enter(Phase::Walk);
        let head = self.reader.commit_head(commit);
        self.watch.enter(before);
        head
    }

    fn find_path(
        &mut self,
        root: ObjectId,
        known: Option<&PathChain>,
    ) -> Result<Option<PathChain>, objects::Error> {
        let before = self.watch.enter(Phase::Trees);
        let found = self.reader.find_path(root, &self.task.path, known);
        self.watch.enter(before);
        found
    }

    fn answer(&mut self, call: Call) {
        self.queue.clear();
        self.pairs.clear();
        if call.path != self.task.path {
            self.bloom = self.store.bloom_key(&call.path);
            self.task.path = call.path;
            self.seen.clear();
        }
        self.path_number = call.path_number;
        // An unreadable object ends the scout's way until the walk calls again.
        let _ = self.leap(call.commit);
    }

    /// Passes over the next first parents that nothing is known of, reading only their heads.
    fn leap(&mut self, from: ObjectId) -> Result<(), objects::Error> {
        let mut commit = from;
        let mut skipped = 0;
        let head = loop {
            // Replaced commits can form a circle.
            if self.exchange.is_done() {
                return Ok(());
            }
            let head = self.head(&commit)?;
            let known = self.seen.contains(&commit);
            if skipped == GAP && !known {
                break head;
            }
            let Some(&parent) = head.parents.first() else {
                return Ok(());
            };
            if !known {
                skipped += 1;
                self.note(commit, head, Lookup::Unknown);
            }
            commit = parent;
        };
        self.exchange.deliver(&mut self.facts);
        let chain = self.find_path(head.tree, None)?;
        self.seen.insert(commit);
        if let Some(chain) = chain {
            let (entry, chain) = (chain.entry, Some(Arc::new(chain)));
            self.note(commit, head.clone(), Lookup::At(entry, chain.clone()));
            let arrival = self.ordinal;
            self.queue.push(Stop {
                commit,
                head,
                entry,
                chain,
                arrival,
            });
        }
        Ok(())
    }

    fn look_at_parents(&mut self, stop: &Stop) -> Result<(), objects::Error> {
        let mut parents = stop.head.parents.as_slice();
        if self.task.first_parent {
            parents = &parents[..parents.len().min(1)];
        }
        let mut follow = Vec::with_capacity(parents.len());
        for (at, parent) in parents.iter().enumerate() {
            let head = self.head(parent)?;
            let found = self.entry_of(stop, at, &head)?;
            let lookup = match &found {
                Some((entry, chain)) => Lookup::At(*entry, chain.clone()),
                None => Lookup::Absent,
            };
            self.note(*parent, head.clone(), lookup);
            let Some((entry, chain)) = found else {
                continue;
            };
            let arrival = self.ordinal;
            let next = Stop {
                commit: *parent,
                head,
                entry,
                chain,
                arrival,
            };
            if entry.id == stop.entry.id {
                follow.clear();
                follow.push(next);
                break;
            }
            follow.push(next);
        }
        for next in follow {
            if next.entry.id != stop.entry.id && self.task.compares {
                self.pairs
                    .push_back((next.arrival, (next.entry.id, stop.entry.id)));
            }
            if self.seen.insert(next.commit) {
                self.queue.push(next);
            }
        }
        Ok(())
    }

    #[expect(clippy::type_complexity, reason = "an entry and how it was found")]
    fn entry_of(
        &mut self,
        stop: &Stop,
        at: usize,
        head: &CommitHead,
    ) -> Result<Option<(TreeEntry, Option<Arc<PathChain>>)>, objects::Error> {
        if at == 0
            && let (Some(key), Some(position)) = (&self.bloom, stop.head.graph)
            && self
                .store
                .may_have_changed(position, std::slice::from_ref(key))
                == Some(false)
        {
            self.work.filtered += 1;
            return Ok(Some((stop.entry, stop.chain.clone())));
        }
        let known = stop.chain.as_deref();
        let found = self.find_path(head.tree, known)?;
        Ok(found.map(|chain| (chain.entry, Some(Arc::new(chain)))))
    }

    fn note(&mut self, commit: ObjectId, head: CommitHead, lookup: Lookup) {
        self.ordinal += 1;
        self.facts.push(Fact {
            commit,
            head,
            lookup,
            path_number: self.path_number,
            ordinal: self.ordinal,
        });
        if self.facts.len() >= BATCH {
            self.exchange.deliver(&mut self.facts);
        }
    }

    /// Compares a pair of versions well ahead of the walk; says whether there was one.
    fn compare_a_pair(&mut self) -> bool {
        let reached = self.exchange.reached();
        while self
            .pairs
            .front()
            .is_some_and(|(ordinal, _)| *ordinal <= reached)
        {
            self.pairs.pop_front();
        }
        // Where the walk has caught up, half of what is known is left to it.
        if self.compared <= reached {
            self.pairs.drain(..self.pairs.len() / 2);
        }
        let Some((ordinal, pair)) = self.pairs.pop_front() else {
            return false;
        };
        self.compared = ordinal;
        if let Ok(hunks) = self.hunks(&pair) {
            self.exchange.deliver_changes(pair, hunks);
        }
        true
    }

    fn hunks(&mut self, (old, new): &Pair) -> Result<Vec<diff::Hunk>, super::error::Error> {
        let before = self.watch.enter(Phase::Rebuild);
        let new = self.versions.blob(new, &mut self.reader, &mut self.lines);
        let old = self.versions.blob(old, &mut self.reader, &mut self.lines);
        self.watch.enter(Phase::Diff);
        let (new, old) = (new?, old?);
        let mut hunks = Vec::new();
        let options = &self.task.diff;
        let diffed = self
            .differ
            .hunks(&self.lines, &old.tokens, &new.tokens, options, &mut hunks);
        self.watch.enter(before);
        self.work.diffs += 1;
        diffed.map_err(|_| super::error::Error::TooLarge)?;
        Ok(hunks)
    }
}
