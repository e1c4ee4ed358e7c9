//! A second thread that runs ahead of the walk.
//!
//! It follows one path through history by the walk's own rule (a parent with the same bytes takes
//! everything), without knowing which lines are still open. Two threads that start at the same
//! place would do the same work, so the scout shares it by how far it is ahead of the walk:
//!
//! - Hardly: it runs along first parents and reads only their heads. That is less than half of the
//!   work, so it gets ahead, and the walk has the trees to look into.
//! - Some way: it looks into the trees too, so that nothing of that is left to the walk, which
//!   comes nearer again.
//! - Far: it compares versions, those well ahead of the walk.
//!
//! Where a commit-graph has filters of changed paths, commits are nothing but bits, and both threads
//! slide along those that leave the file alone. There only the others count.

use std::{
    collections::{BinaryHeap, VecDeque},
    sync::Arc,
};

use bstr::BString;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::{
    diff::{self, Differ, lines::interner::Lines},
    engine::{
        api::profile::{Phase, Watch, Work},
        history::commits::CommitName,
        prefetch::{
            exchange::{Call, Exchange, Fact, Lookup, Pair},
            range_prefetch::Stretch,
        },
        similarity::copy_search::{Seeker, Tools},
        versions::version_cache::Versions,
    },
    objects::{
        self, CommitHead, GraphPosition, ObjectId, PathChain, PathFilter, Reader, Store, TreeEntry,
    },
};

/// How many commits the scout wants to be ahead before it looks into trees.
const NEAR: u64 = 256;
/// What it seems to be ahead may be behind a walk that met nothing known lately. But the walk may
/// also be slow, on a side branch.
const LOST_LEAD: u64 = 4 * NEAR;
/// How many it may be ahead before it turns to comparing versions.
const FAR: u64 = 8192;
/// Of so many commits at once the scout reads only the heads.
const RUN: u64 = 64;
/// What a commit that filters do not speak of costs. One that may have changed the file counts as
/// many where there are filters.
const PLAIN: u64 = 1;
const FILTERED: u64 = 64;
/// [`FAR`] where there are filters. To look a path up is then most of what a commit costs, and most
/// that are looked at have another version, so comparing can wait longer: 3 % were gained by it.
const FAR_FILTERED: u64 = 16 * FAR;
/// Facts are handed over in batches that cost so much.
const BATCH: u64 = 32;

/// What the scout follows, and how.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) start: ObjectId,
    pub(crate) path: Arc<BString>,
    pub(crate) first_parent: bool,
    pub(crate) diff: diff::Options,
    /// Versions as they are stored are what is compared (no text conversion).
    pub(crate) compares: bool,
    /// The walk comes from the other end of a range: what is found is for later.
    pub(crate) reverse: bool,
    /// Lines are looked for in other files too.
    pub(crate) copies: bool,
}

pub(crate) struct Scout<'e> {
    exchange: &'e Exchange,
    task: Task,
    store: Arc<Store>,
    reader: Reader,
    filter: Option<Arc<PathFilter>>,
    queue: BinaryHeap<Stop>,
    seen: FxHashSet<ObjectId>,
    /// Those in the commit-graph that were seen, in bits.
    seen_in_graph: Vec<u64>,
    /// How far the scout is on its way.
    ordinal: u64,
    path_number: u32,
    facts: Vec<Fact>,
    /// Versions to compare, with the ordinal of the older one's commit.
    pairs: VecDeque<(u64, Pair)>,
    /// Those that come before, and are left to the walk at first.
    left: Vec<(u64, Pair)>,
    /// The ordinal of the pair compared last.
    compared: u64,
    lines: Lines,
    versions: Versions,
    differ: Differ,
    stretch: Stretch,
    seeker: Seeker,
    watch: Watch,
    work: Work,
}

/// A commit whose parents come next.
struct Stop {
    commit: Commit,
    /// Its entry for the path, unless only its head was looked at.
    found: Option<Found>,
    arrival: u64,
}

/// A commit that was read.
struct Commit {
    name: CommitName,
    time: i64,
    parents: SmallVec<[CommitName; 2]>,
    /// Of commits that are not in the commit-graph.
    head: Option<CommitHead>,
}

/// An entry, and how it was found.
#[derive(Clone)]
struct Found {
    entry: TreeEntry,
    chain: Option<Arc<PathChain>>,
}

impl Found {
    fn new(chain: Arc<PathChain>) -> Self {
        Found {
            entry: chain.entry,
            chain: Some(chain),
        }
    }
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
        self.commit
            .time
            .cmp(&other.commit.time)
            .then(other.arrival.cmp(&self.arrival))
    }
}

impl<'e> Scout<'e> {
    pub(crate) fn new(exchange: &'e Exchange, store: Arc<Store>, task: Task) -> Self {
        Scout {
            exchange,
            reader: store.reader(),
            filter: store.path_filter(&task.path),
            store,
            queue: BinaryHeap::new(),
            seen: FxHashSet::default(),
            seen_in_graph: Vec::new(),
            ordinal: 0,
            path_number: 0,
            facts: Vec::new(),
            pairs: VecDeque::new(),
            left: Vec::new(),
            compared: 0,
            lines: Lines::new(task.diff.ignore_whitespace),
            versions: Versions::default(),
            differ: Differ::default(),
            stretch: Stretch::default(),
            seeker: Seeker::default(),
            watch: Watch::default(),
            work: Work::default(),
            task,
        }
    }

    /// Runs until the walk is done. What cannot be read is left to the walk, which will say so.
    pub(crate) fn run(mut self, watch: Watch) -> Work {
        self.versions.begin_count();
        self.versions.expect_many_files(self.task.copies);
        self.watch = watch;
        let path = Arc::clone(&self.task.path);
        let mut from = Some(Call {
            commit: CommitName::of(self.task.start, &self.store),
            path,
            path_number: 0,
        });
        while !self.exchange.is_done() {
            if self.search() || self.read_stretch() {
                continue;
            }
            if let Some(call) = self.exchange.called_to().or(from.take()) {
                self.answer(call);
            }
            let lead = self.ordinal.saturating_sub(self.exchange.reached());
            let hurry = lead < NEAR || lead < LOST_LEAD && self.exchange.is_overtaken();
            let hurry = hurry && !self.task.reverse;
            let stop = match hurry || lead < self.far() {
                true => self.queue.pop(),
                false => None,
            };
            // An unreadable object ends this branch of the scout's way.
            match stop {
                Some(stop) if hurry => drop(self.run_ahead(stop)),
                Some(stop) => drop(self.look_at_parents(stop)),
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

    /// Looks into a file that the walk wants to be looked into. Says whether there was one.
    fn search(&mut self) -> bool {
        let Some(search) = self.exchange.searched() else {
            return false;
        };
        let mut tools = Tools {
            reader: &mut self.reader,
            lines: &mut self.lines,
            versions: &mut self.versions,
            differ: &mut self.differ,
            options: &self.task.diff,
        };
        let before = self.watch.enter(Phase::Rebuild);
        let looked = self.seeker.look(&search, &mut tools);
        self.watch.enter(before);
        if !looked {
            self.exchange.end_search(&search);
        }
        looked
    }

    /// Reads heads for a walk that measures a range. Says whether there is more to read.
    fn read_stretch(&mut self) -> bool {
        let Some(commit) = self.exchange.measured() else {
            return false;
        };
        let before = self.watch.enter(Phase::Walk);
        let read = self.stretch.read(commit, &mut self.reader, self.exchange);
        self.watch.enter(before);
        read
    }

    /// Reads a commit; `lone` if its tree will not be looked into next.
    fn read(&mut self, name: CommitName, lone: bool) -> Result<Commit, objects::Error> {
        if let CommitName::InGraph(at) = name
            && let Some(links) = self.store.graph_links(at)
        {
            self.reader.count_graph_head();
            let parents = links.parents[..links.count as usize].iter();
            let parents = parents.map(|at| CommitName::InGraph(GraphPosition(*at)));
            return Ok(Commit {
                name,
                time: links.time,
                parents: parents.collect(),
                head: None,
            });
        }
        let id = match name {
            CommitName::InGraph(at) => self.store.graph_id(at),
            CommitName::Id(id) => id,
        };
        let before = self.watch.enter(Phase::Walk);
        let head = match lone {
            true => self.reader.lone_commit_head(&id),
            false => self.reader.commit_head(&id),
        };
        self.watch.enter(before);
        let head = head?;
        let parents = head.parents.iter();
        let parents = parents.map(|id| CommitName::of(*id, &self.store));
        Ok(Commit {
            name,
            time: head.time,
            parents: parents.collect(),
            head: Some(head),
        })
    }

    fn tree(&self, commit: &Commit) -> ObjectId {
        match (&commit.head, commit.name) {
            (None, CommitName::InGraph(at)) => self.store.graph_tree(at),
            (None, CommitName::Id(id)) => ObjectId::null(id.kind()),
            (Some(head), _) => head.tree,
        }
    }

    /// Says whether the commit was not seen before.
    fn see(&mut self, commit: CommitName) -> bool {
        match commit {
            CommitName::Id(id) => self.seen.insert(id),
            CommitName::InGraph(at) => {
                if self.seen_in_graph.is_empty() {
                    let words = self.store.graph_len().div_ceil(64);
                    self.seen_in_graph = vec![0; words as usize];
                }
                let word = &mut self.seen_in_graph[at.0 as usize / 64];
                let bit = 1 << (at.0 % 64);
                let is_new = *word & bit == 0;
                *word |= bit;
                is_new
            }
        }
    }

    /// Whether the commit certainly has the same file as its first parent.
    fn is_unchanged(&self, commit: CommitName) -> bool {
        match (&self.filter, commit) {
            (Some(filter), CommitName::InGraph(at)) => self.store.is_unchanged(at, filter),
            _ => false,
        }
    }

    /// How far ahead is far enough, at the commit that comes next.
    fn far(&self) -> u64 {
        match self.queue.peek().map(|stop| self.cost(stop.commit.name)) {
            Some(FILTERED) => FAR_FILTERED,
            _ => FAR,
        }
    }

    /// What it costs to look at a commit.
    fn cost(&self, commit: CommitName) -> u64 {
        match commit {
            CommitName::InGraph(_) if self.filter.is_some() => FILTERED,
            _ => PLAIN,
        }
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
        if call.path != self.task.path {
            self.filter = self.store.path_filter(&call.path);
            self.task.path = call.path;
            self.seen.clear();
            self.seen_in_graph.clear();
            self.queue.clear();
            self.pairs.clear();
            self.left.clear();
        }
        self.path_number = call.path_number;
        // An unreadable object ends the scout's way until the walk calls again.
        if self.see(call.commit)
            && let Ok(commit) = self.read(call.commit, false)
        {
            self.put(commit, None);
        }
    }

    fn put(&mut self, commit: Commit, found: Option<Found>) {
        let arrival = self.ordinal;
        self.queue.push(Stop {
            commit,
            found,
            arrival,
        });
    }

    /// Reads the heads of the next first parents and leaves their trees to the walk.
    fn run_ahead(&mut self, stop: Stop) -> Result<(), objects::Error> {
        let mut commit = stop.commit;
        let end = self.ordinal + RUN;
        while self.ordinal < end {
            let Some(&parent) = commit.parents.first() else {
                return Ok(());
            };
            if !self.see(parent) {
                return Ok(());
            }
            let slides = self.is_unchanged(commit.name);
            commit = self.read(parent, true)?;
            if !slides {
                self.note(&commit, Lookup::Unknown);
            }
        }
        self.exchange.deliver(&mut self.facts);
        self.put(commit, None);
        Ok(())
    }

    /// Goes on to the first commit that may have changed the file, and looks at its parents.
    fn look_at_parents(&mut self, mut stop: Stop) -> Result<(), objects::Error> {
        while self.is_unchanged(stop.commit.name) {
            let Some(&parent) = stop.commit.parents.first() else {
                return Ok(());
            };
            if !self.see(parent) {
                return Ok(());
            }
            stop.commit = self.read(parent, false)?;
            self.work.filtered += 1;
            if self.queue.peek().is_some_and(|other| *other > stop) {
                self.queue.push(stop);
                return Ok(());
            }
        }
        let own = match stop.found.take() {
            Some(found) => found,
            None => match self.find_path(self.tree(&stop.commit), None)? {
                Some(chain) => Found::new(Arc::new(chain)),
                None => return Ok(()),
            },
        };
        let mut parents = stop.commit.parents.as_slice();
        if self.task.first_parent {
            parents = &parents[..parents.len().min(1)];
        }
        let mut follow: SmallVec<[(Commit, Found, u64); 2]> = SmallVec::new();
        for &parent in parents {
            let commit = self.read(parent, false)?;
            let found = self.find_path(self.tree(&commit), own.chain.as_deref())?;
            let found = found.map(|chain| Found::new(chain.share(own.chain.as_ref())));
            let lookup = match &found {
                // The walk comes from a commit that has the same.
                Some(found) => {
                    let is_own = |chain: &&Arc<PathChain>| {
                        let own = own.chain.as_ref();
                        own.is_some_and(|own| Arc::ptr_eq(own, chain))
                    };
                    let chain = found.chain.as_ref().filter(|chain| !is_own(chain));
                    Lookup::At(found.entry, chain.cloned())
                }
                None => Lookup::Absent,
            };
            self.note(&commit, lookup);
            let Some(found) = found else {
                continue;
            };
            let is_same = found.entry.id == own.entry.id;
            if is_same {
                follow.clear();
            }
            follow.push((commit, found, self.ordinal));
            if is_same {
                break;
            }
        }
        for (commit, found, arrival) in follow {
            if found.entry.id != own.entry.id && self.task.compares {
                let pair = match self.task.reverse {
                    true => (own.entry.id, found.entry.id),
                    false => (found.entry.id, own.entry.id),
                };
                self.pairs.push_back((arrival, pair));
            }
            if self.see(commit.name) {
                self.queue.push(Stop {
                    commit,
                    found: Some(found),
                    arrival,
                });
            }
        }
        Ok(())
    }

    fn note(&mut self, commit: &Commit, lookup: Lookup) {
        let cost = self.cost(commit.name);
        self.ordinal += cost;
        self.facts.push(Fact {
            commit: commit.name,
            head: commit.head.clone(),
            lookup,
            path_number: self.path_number,
            ordinal: self.ordinal,
        });
        if self.facts.len() as u64 * cost >= BATCH {
            self.exchange.deliver(&mut self.facts);
        }
    }

    /// Compares a pair of versions ahead of the walk; says whether there was one.
    fn compare_a_pair(&mut self) -> bool {
        let Some((ordinal, pair)) = self.next_pair() else {
            return false;
        };
        self.compared = ordinal;
        if let Ok(hunks) = self.hunks(&pair) {
            self.exchange.deliver_changes(pair, hunks);
        }
        true
    }

    /// The pair to compare next. The walk and the scout share what lies ahead: the walk begins in
    /// front, the scout in the middle, and where it has come to the end it goes from the middle
    /// towards the walk.
    fn next_pair(&mut self) -> Option<(u64, Pair)> {
        let reached = self.exchange.reached();
        let passed = |pair: &(u64, Pair)| pair.0 <= reached;
        let done = self.pairs.partition_point(passed);
        self.pairs.drain(..done);
        // In a reverse blame the walk comes from the other end, and the newest are the farthest.
        if self.compared <= reached && !self.task.reverse {
            let half = self.pairs.len() / 2;
            self.left.clear();
            self.left.extend(self.pairs.drain(..half));
        }
        let next = self.pairs.pop_front();
        next.or_else(|| self.left.pop().filter(|pair| !passed(pair)))
    }

    fn hunks(
        &mut self,
        (old, new): &Pair,
    ) -> Result<Vec<diff::Hunk>, crate::engine::api::error::Error> {
        let before = self.watch.enter(Phase::Rebuild);
        let new = self.versions.blob(new, &mut self.reader, &mut self.lines);
        let old = self.versions.blob(old, &mut self.reader, &mut self.lines);
        self.watch.enter(Phase::Diff);
        let (new, old) = (new?, old?);
        let mut hunks = Vec::new();
        let options = &self.task.diff;
        let diffed = self.differ.hunks_by_ends(
            &self.lines,
            old.numbered(),
            &new.tokens,
            options,
            &mut hunks,
        );
        self.watch.enter(before);
        self.work.diffs += 1;
        diffed.map_err(|_| crate::engine::api::error::Error::TooLarge)?;
        Ok(hunks)
    }
}
