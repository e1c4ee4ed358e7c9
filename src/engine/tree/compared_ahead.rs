//! Compares the trees of commits with those of their first parents on a second thread, ahead of the
//! planner, which spends more than half of its time with them otherwise.
//!
//! The order in which a plan visits commits is known before. This thread takes runs of commits, as
//! neighbours share their trees; a run that it has not begun when the planner comes to it is left to
//! the planner. Results do not depend on timing: what the planner would not find in the same way, it
//! compares itself.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use bstr::BString;
use rustc_hash::FxHashSet;

use crate::{
    engine::{
        history::commits::CommitIndex,
        tree::{
            compared_trees::{TreeComparison, note_directories},
            visit_order::VisitOrder,
        },
        walk::state::Walk,
    },
    objects::{ObjectId, Reader, Store},
};

/// Commits of a run.
const RUN_LEN: usize = 64;
/// The most commits by which the thread is ahead.
const MAX_LEAD: usize = 16 * RUN_LEN;
/// The most changes that wait for the planner, each of about 100 bytes. It compares the trees of
/// further commits itself.
const MAX_CHANGES: usize = 1 << 16;
/// The thread ends where the planner has left out this many results and a quarter of those that it
/// has used: a directory may be in few commits.
const MAX_LEFT_OUT: usize = 256;

/// How trees are compared ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompareAhead {
    /// Not at all.
    No,
    /// As far as the thread has come.
    Yes,
    /// The planner waits for the thread, whatever the timing. For tests.
    Always,
}

/// A thread that compares trees. It ends soon after this is dropped.
pub(super) struct ComparedAhead {
    exchange: EndsComparison,
    is_waited_for: bool,
    /// What is left of the planner's order after the commits that were handed over.
    order: VisitOrder,
    /// The commits that were handed over, and that the planner has not come to.
    lead: VecDeque<CommitIndex>,
    /// The number of commits that were handed over.
    count: u64,
    /// Paths in whose directories changes are needed from now on.
    paths: Vec<BString>,
    used: usize,
    left_out: usize,
}

/// A commit's tree and that of its first parent.
type TreesToCompare = (ObjectId, ObjectId);

/// What the thread and the planner exchange.
#[derive(Default)]
struct ComparisonExchange {
    state: Mutex<ExchangedComparisons>,
    wake: Condvar,
}

#[derive(Default)]
struct ExchangedComparisons {
    /// The runs that nobody has begun.
    runs: VecDeque<CommitRun>,
    /// As [`ComparedAhead::paths`], those that the thread has not seen.
    paths: Vec<BString>,
    /// The commits that the thread has begun with, and not compared yet: a range of their numbers.
    begun: (u64, u64),
    /// The results by the numbers of their commits, in order.
    done: VecDeque<(u64, TreeComparison)>,
    /// The number of changes in `done`.
    changes: usize,
    is_over: bool,
}

/// Commits that are compared together.
struct CommitRun {
    /// The number of the first one.
    start: u64,
    /// `None` for one that has no tree to be compared with.
    pairs: Vec<Option<TreesToCompare>>,
}

impl ComparedAhead {
    /// Starts the thread for a plan that has this order before it. It compares what is in the
    /// directories of `paths`, or everything without them. `None` if no thread can be started, or
    /// `compare` asks for none.
    pub(super) fn start(
        store: &Arc<Store>,
        compare: CompareAhead,
        order: VisitOrder,
        paths: Option<Vec<BString>>,
    ) -> Option<ComparedAhead> {
        if compare == CompareAhead::No {
            return None;
        }
        let exchange = EndsComparison(Arc::new(ComparisonExchange::default()));
        let shared = EndsComparison(Arc::clone(&exchange.0));
        let mut reader = store.reader();
        // The planner fetches many objects at once.
        reader.set_fetching(false);
        let directories = paths.is_some().then(FxHashSet::default);
        let run = move || compare_runs(reader, directories, &shared.0);
        thread::Builder::new()
            .name("tree comparison".into())
            .spawn(run)
            .ok()?;
        Some(ComparedAhead {
            exchange,
            is_waited_for: compare == CompareAhead::Always,
            order,
            lead: VecDeque::new(),
            count: 0,
            paths: paths.unwrap_or_default(),
            used: 0,
            left_out: 0,
        })
    }

    /// From now on changes are needed in the directories of this path too.
    pub(super) fn add_path(&mut self, path: &BString) {
        self.paths.push(path.clone());
    }

    /// The planner has come to `commit`. Returns false if there is nothing more to be had of this.
    pub(super) fn reach(&mut self, commit: CommitIndex, walk: &Walk<'_>) -> bool {
        while self.lead.len() + RUN_LEN <= MAX_LEAD && self.hand_over(walk) {}
        self.lead.pop_front() == Some(commit) && self.left_out < self.used / 4 + MAX_LEFT_OUT
    }

    /// Hands over the next run. False if there is none.
    fn hand_over(&mut self, walk: &Walk<'_>) -> bool {
        let mut run = CommitRun {
            start: self.count,
            pairs: Vec::with_capacity(RUN_LEN),
        };
        while run.pairs.len() < RUN_LEN {
            let Some((commit, pair)) = self.next_pair(walk) else {
                break;
            };
            self.lead.push_back(commit);
            run.pairs.push(pair);
        }
        if run.pairs.is_empty() {
            return false;
        }
        self.count += run.pairs.len() as u64;
        let reached = self.count - self.lead.len() as u64;
        let mut state = self.exchange.0.lock();
        self.left_out += state.drop_before(reached);
        state.runs.push_back(run);
        state.paths.append(&mut self.paths);
        drop(state);
        self.exchange.0.wake.notify_all();
        true
    }

    /// The next commit of the order, and its trees.
    fn next_pair(&mut self, walk: &Walk<'_>) -> Option<(CommitIndex, Option<TreesToCompare>)> {
        let commits = &walk.caches.commits;
        let commit = self.order.pop()?;
        let header = commits.cached_header(commit)?;
        if walk.is_beyond_boundary(commit, &header) {
            return Some((commit, None));
        }
        let parents = walk.parents_of(&header);
        for &parent in &parents {
            if self.order.remove_child(parent)
                && let Some(header) = commits.cached_header(parent)
            {
                self.order.push(parent, header.time);
            }
        }
        let first = parents.first().and_then(|it| commits.cached_header(*it));
        let pair = first.map(|first| (commits.tree(&header), commits.tree(&first)));
        Some((commit, pair))
    }

    /// The changes of the commit that was reached last, against its first parent; `None` if the
    /// planner has to compare them, for which it waits if the thread has begun with them.
    /// `is_needed` says of a directory with a slash at its end that changes in it are needed.
    pub(super) fn take(&mut self, is_needed: impl Fn(&BString) -> bool) -> Option<TreeComparison> {
        let number = self.count - self.lead.len() as u64 - 1;
        let found = self.exchange.0.take(number, self.is_waited_for)?;
        self.used += 1;
        (!found.left_out.iter().any(is_needed)).then_some(found)
    }
}

impl ComparisonExchange {
    fn lock(&self) -> MutexGuard<'_, ExchangedComparisons> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, number: u64, is_waited_for: bool) -> Option<TreeComparison> {
        let mut state = self.lock();
        loop {
            state.drop_before(number);
            if state.done.front().is_some_and(|(at, _)| *at == number) {
                let (_, found) = state.done.pop_front()?;
                state.changes -= found.changes.len();
                return Some(found);
            }
            let (start, end) = state.begun;
            let is_waiting = is_waited_for && !state.is_over && !state.runs.is_empty();
            if !(start..end).contains(&number) && !is_waiting {
                // The planner compares the rest of the run too.
                state.runs.retain(|run| run.start > number);
                return None;
            }
            let waited = self.wake.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next run, for which the thread waits, and the paths that are new; `None` at the end.
    fn next_run(&self) -> Option<(CommitRun, Vec<BString>)> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            if let Some(run) = state.runs.pop_front() {
                state.begun = (run.start, run.start + run.pairs.len() as u64);
                return Some((run, std::mem::take(&mut state.paths)));
            }
            let waited = self.wake.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Adds the result for the next commit of the run. Returns whether more are wanted.
    fn add(&self, number: u64, found: Option<TreeComparison>) -> bool {
        let mut state = self.lock();
        state.begun.0 = number + 1;
        if let Some(found) = found
            && state.changes + found.changes.len() <= MAX_CHANGES
        {
            state.changes += found.changes.len();
            state.done.push_back((number, found));
        }
        let is_over = state.is_over;
        drop(state);
        self.wake.notify_all();
        !is_over
    }
}

impl ExchangedComparisons {
    /// Drops what there is for commits before this one; returns how many results.
    fn drop_before(&mut self, number: u64) -> usize {
        let mut count = 0;
        let is_past = |run: &CommitRun| run.start + run.pairs.len() as u64 <= number;
        while self.runs.front().is_some_and(is_past) {
            self.runs.pop_front();
        }
        while self.done.front().is_some_and(|(at, _)| *at < number)
            && let Some((_, found)) = self.done.pop_front()
        {
            self.changes -= found.changes.len();
            count += 1;
        }
        count
    }
}

/// Ends the exchange for both sides.
struct EndsComparison(Arc<ComparisonExchange>);

impl Drop for EndsComparison {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_over = true;
        state.begun = (0, 0);
        drop(state);
        self.0.wake.notify_all();
    }
}

/// Compares runs until there are no more, or something cannot be read: what that means is for the
/// planner to find out.
fn compare_runs(
    mut reader: Reader,
    mut directories: Option<FxHashSet<BString>>,
    exchange: &ComparisonExchange,
) {
    while let Some((run, paths)) = exchange.next_run() {
        if let Some(directories) = &mut directories {
            paths
                .iter()
                .for_each(|it| note_directories(directories, it));
        }
        for (number, pair) in (run.start..).zip(run.pairs) {
            let directories = directories.as_ref();
            let compare =
                |(tree, parent)| TreeComparison::new([parent, tree], directories, &mut reader);
            let found = match pair.map(compare).transpose() {
                Ok(found) => found,
                Err(_) => return,
            };
            if !exchange.add(number, found) {
                return;
            }
        }
    }
}
