//! Commits waiting to be looked at.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::commits::CommitIndex;

/// Which commits come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Newest committer date first: a blame.
    NewestFirst,
    /// Oldest first: `--reverse`.
    OldestFirst,
}

/// A priority queue of commits by date that keeps the order of arrival among equals.
///
/// A commit may wait more than once; the caller skips places at which nothing is left to do.
#[derive(Debug)]
pub(super) struct Queue {
    heap: BinaryHeap<Place>,
    direction: Direction,
    arrivals: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// Larger comes first: the date, negated when the oldest comes first.
    rank: i128,
    arrival: u64,
    commit: CommitIndex,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank
            .cmp(&other.rank)
            .then_with(|| other.arrival.cmp(&self.arrival))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Queue {
    pub(super) fn new(direction: Direction) -> Self {
        Queue {
            heap: BinaryHeap::new(),
            direction,
            arrivals: 0,
        }
    }

    /// Adds `commit` with its committer date in seconds since the epoch.
    pub(super) fn push(&mut self, commit: CommitIndex, date: i64) {
        let rank = match self.direction {
            Direction::NewestFirst => i128::from(date),
            Direction::OldestFirst => -i128::from(date),
        };
        self.arrivals += 1;
        self.heap.push(Place {
            rank,
            arrival: self.arrivals,
            commit,
        });
    }

    /// The next commit.
    pub(super) fn pop(&mut self) -> Option<CommitIndex> {
        self.heap.pop().map(|place| place.commit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(direction: Direction, dates: &[i64]) -> Vec<u32> {
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
            order(Direction::NewestFirst, &[5, 7, 5, 9, 7]),
            [3, 1, 4, 0, 2]
        );
    }

    #[test]
    fn oldest_first_and_stable() {
        assert_eq!(
            order(Direction::OldestFirst, &[5, 7, 5, i64::MIN]),
            [3, 0, 2, 1]
        );
    }
}
