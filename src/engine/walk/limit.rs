//! Limits the history of a range: marks the ancestors of negative revisions as uninteresting.
//!
//! How far they have to be followed is decided by dates: both sides are walked newest first until
//! no queued commit is interesting. Like git, the walk then goes a few commits further to tolerate
//! skewed dates.

use std::{cmp::Reverse, collections::BinaryHeap, sync::Arc};

use crate::{
    engine::{
        api::{error::Error, profile::Phase},
        history::commits::{CommitIndex, InternedHeader, ParentIndexes, slot},
        walk::state::{Interrupt, Walk},
    },
    objects,
};

/// After this many commits the range prefetch is sent the walk's position.
const POSITION_AFTER: u64 = 256;
/// After this many commits the prefetch thread is started: starting one takes longer than a short
/// range.
const START_PREFETCH_AFTER: u64 = 16;
/// The number of commits after which the position is sent again.
const POSITION_INTERVAL: u64 = 32;

/// How many more uninteresting commits are visited once no interesting one is queued.
const SLOP: u32 = 5;

/// How far the limiting of a range has come with a commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LimitState {
    #[default]
    Unseen,
    Queued,
    Visited,
    /// Only uninteresting commits led to it, and it could not be read.
    Unreadable,
}

#[derive(Default)]
struct LimitQueue {
    heap: BinaryHeap<(i64, Reverse<u64>, CommitIndex)>,
    /// By commit.
    state: Vec<LimitState>,
    /// The number of interesting commits in the queue.
    interesting: usize,
    arrivals: u64,
    visited: u64,
}

impl LimitQueue {
    fn state(&mut self, commit: CommitIndex) -> &mut LimitState {
        slot(&mut self.state, commit)
    }
}

impl Walk<'_> {
    /// Marks the commits that `negatives` and `--since` exclude from the range of `positives`.
    pub(crate) fn limit(
        &mut self,
        positives: &[CommitIndex],
        negatives: &[CommitIndex],
    ) -> Result<(), Interrupt> {
        let mut queue = LimitQueue::default();
        for &commit in negatives {
            self.board.mark_uninteresting(commit);
        }
        for &commit in negatives.iter().chain(positives) {
            self.enqueue(commit, true, &mut queue)?;
        }
        let (mut slop, mut last_interesting) = (SLOP, None);
        while let Some((time, _, commit)) = queue.heap.pop() {
            self.notify(|sink| sink.progress(time))?;
            queue.visited += 1;
            if queue.visited == START_PREFETCH_AFTER
                && let Some(prefetch) = &self.prefetch
            {
                prefetch.start();
            }
            if queue.visited >= POSITION_AFTER && queue.visited.is_multiple_of(POSITION_INTERVAL) {
                self.send_position(commit);
            }
            *queue.state(commit) = LimitState::Visited;
            let mut interesting = !self.board.is_uninteresting(commit);
            queue.interesting -= usize::from(interesting);
            if interesting && self.request.since.is_some_and(|since| time < since) {
                self.board.mark_uninteresting(commit);
                interesting = false;
            }
            let header = self.limit_header(commit)?;
            let mut parents = ParentIndexes::from_slice(self.caches.commits.parents(&header));
            if interesting && self.request.first_parent {
                parents.truncate(1);
            }
            for parent in parents {
                let is_new = *queue.state(parent) == LimitState::Unseen;
                if !interesting {
                    self.mark_uninteresting_from(parent, &mut queue);
                }
                self.enqueue(parent, interesting, &mut queue)?;
                // git looks at the option after a parent that it has queued: one that was queued
                // before is followed by the next one.
                let is_queued = is_new && *queue.state(parent) == LimitState::Queued;
                if !interesting && is_queued && self.request.exclude_first_parent_only {
                    break;
                }
            }
            if interesting {
                last_interesting = Some(time);
                slop = SLOP;
                continue;
            }
            let newest = queue.heap.peek().map(|(time, _, _)| *time);
            let may_connect = last_interesting.is_some_and(|last| newest >= Some(last));
            if queue.interesting > 0 || may_connect {
                slop = SLOP;
                continue;
            }
            slop -= 1;
            if slop == 0 {
                break;
            }
        }
        if let Some(prefetch) = &mut self.prefetch {
            prefetch.set_limit_position(None);
        }
        Ok(())
    }

    /// Sends the walk's position to the range prefetch. Commits in the commit-graph need none.
    fn send_position(&mut self, commit: CommitIndex) {
        if let Some(prefetch) = &mut self.prefetch {
            let commits = &self.caches.commits;
            let stored = !commits.is_in_graph(commit);
            prefetch.set_limit_position(stored.then(|| commits.id(commit)));
        }
    }

    /// Queues a commit that was not seen before. Like git, goes on without one that is missing or
    /// not a commit if only uninteresting commits lead to it.
    fn enqueue(
        &mut self,
        commit: CommitIndex,
        from_interesting: bool,
        queue: &mut LimitQueue,
    ) -> Result<(), Interrupt> {
        match *queue.state(commit) {
            // git tries again to read it.
            LimitState::Unseen | LimitState::Unreadable => {}
            LimitState::Queued | LimitState::Visited => return Ok(()),
        }
        match self.limit_header(commit) {
            Ok(header) => {
                *queue.state(commit) = LimitState::Queued;
                queue.arrivals += 1;
                queue
                    .heap
                    .push((header.time, Reverse(queue.arrivals), commit));
                queue.interesting += usize::from(!self.board.is_uninteresting(commit));
                Ok(())
            }
            Err(error) if error.is_skipped_parent() => {
                *queue.state(commit) = LimitState::Unreadable;
                if from_interesting {
                    return Err(Error::RangeWalk { source: error }.into());
                }
                if !matches!(error, objects::Error::Missing { .. }) {
                    self.unreadable_parents.push(Arc::new(error));
                }
                Ok(())
            }
            Err(error) => Err(Error::from(error).into()),
        }
    }

    /// [`Walk::header`] where the tree is not needed.
    fn limit_header(&mut self, commit: CommitIndex) -> Result<InternedHeader, objects::Error> {
        self.mark_read(commit);
        let before = self.timer.enter(Phase::Walk);
        let caches = &mut *self.caches;
        if let Some(prefetch) = &mut self.prefetch
            && caches.commits.cached_header(commit).is_none()
        {
            for (id, header) in prefetch.headers() {
                caches.commits.insert_new_header(id, &header);
            }
        }
        let header = caches
            .commits
            .header_without_tree(commit, &mut caches.reader);
        self.timer.enter(before);
        header
    }

    /// Marks a commit and those of its ancestors that were read.
    fn mark_uninteresting_from(&mut self, commit: CommitIndex, queue: &mut LimitQueue) {
        let mut todo = vec![commit];
        while let Some(commit) = todo.pop() {
            if !self.board.mark_uninteresting(commit) {
                continue;
            }
            if *queue.state(commit) == LimitState::Queued {
                queue.interesting -= 1;
            }
            if self.board.is_read(commit)
                && let Some(header) = self.caches.commits.cached_header(commit)
            {
                let parents = self.caches.commits.parents(&header);
                todo.extend_from_slice(self.request.uninteresting_parents(parents));
            }
        }
    }
}
