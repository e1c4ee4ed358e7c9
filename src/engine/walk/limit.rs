//! Limits the history of a range: marks the ancestors of negative revisions as uninteresting.
//!
//! How far they have to be followed is decided by dates: both sides are walked newest first until
//! no queued commit is interesting. Like git, the walk then goes a few commits further to tolerate
//! skewed dates.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    engine::{
        api::{error::Error, profile::Phase},
        history::commits::{CommitIndex, Head, Parents, slot},
        walk::traversal::{Stop, Walk},
    },
    objects,
};

/// After this many commits the range prefetch is told about the walk's position.
const POSITION_AFTER: u64 = 256;
/// After this many commits the prefetch thread is started: starting one takes longer than a short
/// range.
const START_PREFETCH_AFTER: u64 = 16;
/// The position is sent again every so many commits.
const POSITION_INTERVAL: u64 = 32;

/// How many more uninteresting commits are visited once no interesting one is queued.
const SLOP: u32 = 5;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LimitState {
    #[default]
    Unseen,
    Queued,
    Visited,
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
    /// Marks the commits that `negatives` exclude from the range of `positives`.
    pub(crate) fn limit(
        &mut self,
        positives: &[CommitIndex],
        negatives: &[CommitIndex],
    ) -> Result<(), Stop> {
        if negatives.is_empty() {
            return Ok(());
        }
        let mut queue = LimitQueue::default();
        for &commit in negatives {
            self.board.mark_uninteresting(commit);
        }
        for &commit in negatives.iter().chain(positives) {
            self.enqueue(commit, &mut queue)?;
        }
        let (mut slop, mut last_interesting) = (SLOP, None);
        while let Some((time, _, commit)) = queue.heap.pop() {
            self.tell(|sink| sink.progress(time))?;
            queue.visited += 1;
            if queue.visited == START_PREFETCH_AFTER
                && let Some(known) = &self.known
            {
                known.start();
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
            let Some(head) = self.header_to_limit(commit)? else {
                continue;
            };
            let parents = Parents::from_slice(self.caches.commits.parents(&head));
            let uninteresting = self.request.left_out_with(&parents).len();
            for (nth, parent) in parents.into_iter().enumerate() {
                if !interesting && nth < uninteresting {
                    self.mark_uninteresting_from(parent, &mut queue);
                }
                self.enqueue(parent, &mut queue)?;
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
        if let Some(known) = &mut self.known {
            known.measure_at(None);
        }
        Ok(())
    }

    /// Sends the walk's position to the range prefetch. Commits in the commit-graph need none.
    fn send_position(&mut self, commit: CommitIndex) {
        if let Some(known) = &mut self.known {
            let commits = &self.caches.commits;
            let stored = !commits.is_in_graph(commit);
            known.measure_at(stored.then(|| commits.id(commit)));
        }
    }

    fn enqueue(&mut self, commit: CommitIndex, queue: &mut LimitQueue) -> Result<(), Stop> {
        if *queue.state(commit) != LimitState::Unseen {
            return Ok(());
        }
        *queue.state(commit) = LimitState::Visited;
        if let Some(head) = self.header_to_limit(commit)? {
            *queue.state(commit) = LimitState::Queued;
            queue.arrivals += 1;
            queue
                .heap
                .push((head.time, Reverse(queue.arrivals), commit));
            queue.interesting += usize::from(!self.board.is_uninteresting(commit));
        }
        Ok(())
    }

    /// [`Walk::parent_head`] where the tree is not needed.
    fn header_to_limit(&mut self, commit: CommitIndex) -> Result<Option<Head>, Error> {
        self.mark_read(commit);
        let before = self.watch.enter(Phase::Walk);
        let caches = &mut *self.caches;
        if let Some(known) = &mut self.known
            && caches.commits.known_head(commit).is_none()
        {
            for (id, head) in known.heads() {
                caches.commits.offer(id, &head);
            }
        }
        let head = caches.commits.lone_head(commit, &mut caches.reader);
        self.watch.enter(before);
        match head {
            // git does not report missing uninteresting commits.
            Err(objects::Error::Missing { .. }) => Ok(None),
            head => self.unless_absent(commit, head),
        }
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
                && let Some(head) = self.caches.commits.known_head(commit)
            {
                let parents = self.caches.commits.parents(&head);
                todo.extend_from_slice(self.request.left_out_with(parents));
            }
        }
    }
}
