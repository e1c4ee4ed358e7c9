//! The queue of commits to visit.

use std::{cmp::Ordering, collections::BinaryHeap};

use crate::engine::history::commits::CommitIndex;

/// The order of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueOrder {
    /// Newest committer date first: a blame.
    NewestFirst,
    /// Oldest first: `--reverse`.
    OldestFirst,
}

/// A priority queue of commits by date; equal dates keep the order of arrival.
///
/// A commit may be queued more than once; the caller skips entries with nothing left to do.
#[derive(Debug)]
pub(crate) struct Queue {
    heap: BinaryHeap<QueuedCommit>,
    direction: QueueOrder,
    arrivals: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct QueuedCommit {
    /// The date, negated for the oldest first; larger ranks come first.
    rank: i128,
    arrival: u64,
    commit: CommitIndex,
}

impl Ord for QueuedCommit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank
            .cmp(&other.rank)
            .then_with(|| other.arrival.cmp(&self.arrival))
    }
}

impl PartialOrd for QueuedCommit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Queue {
    pub(crate) fn new(direction: QueueOrder) -> Self {
        Queue {
            heap: BinaryHeap::new(),
            direction,
            arrivals: 0,
        }
    }

    /// Adds `commit` with its committer date in seconds since the epoch.
    pub(crate) fn push(&mut self, commit: CommitIndex, date: i64) {
        let rank = self.rank(date);
        self.arrivals += 1;
        self.heap.push(QueuedCommit {
            rank,
            arrival: self.arrivals,
            commit,
        });
    }

    pub(crate) fn direction(&self) -> QueueOrder {
        self.direction
    }

    /// The commits that are queued, in no order.
    pub(crate) fn commits(&self) -> impl Iterator<Item = CommitIndex> {
        self.heap.iter().map(|queued| queued.commit)
    }

    pub(crate) fn pop(&mut self) -> Option<CommitIndex> {
        Some(self.heap.pop()?.commit)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// True if a commit of this date, if it were added now, would be the next one.
    pub(crate) fn would_be_next(&self, date: i64) -> bool {
        let rank = self.rank(date);
        self.heap.peek().is_none_or(|first| rank > first.rank)
    }

    fn rank(&self, date: i64) -> i128 {
        match self.direction {
            QueueOrder::NewestFirst => i128::from(date),
            QueueOrder::OldestFirst => -i128::from(date),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(direction: QueueOrder, dates: &[i64]) -> Vec<u32> {
        let mut queue = Queue::new(direction);
        for (at, &date) in dates.iter().enumerate() {
            queue.push(CommitIndex(at as u32), date);
        }
        std::iter::from_fn(|| queue.pop())
            .map(|commit| commit.0)
            .collect()
    }

    #[test]
    fn newest_first_and_stable() {
        assert_eq!(
            order(QueueOrder::NewestFirst, &[5, 7, 5, 9, 7]),
            [3, 1, 4, 0, 2]
        );
    }

    #[test]
    fn oldest_first_and_stable() {
        assert_eq!(
            order(QueueOrder::OldestFirst, &[5, 7, 5, i64::MIN]),
            [3, 0, 2, 1]
        );
    }
}
