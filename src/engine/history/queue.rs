//! Commits waiting to be looked at.

use std::{cmp::Ordering, collections::BinaryHeap};

use crate::engine::history::commits::CommitIndex;

/// Which commits come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Newest committer date first: a blame.
    NewestFirst,
    /// Oldest first: `--reverse`.
    OldestFirst,
}

/// A priority queue of commits by date that keeps the order of arrival among equals. Those that
/// are looked at may be taken before all others.
///
/// A commit may wait more than once; the caller skips places at which nothing is left to do.
#[derive(Debug)]
pub(crate) struct Queue {
    /// Somebody looks at one of their lines.
    seen: BinaryHeap<QueuedCommit>,
    unseen: BinaryHeap<QueuedCommit>,
    direction: Direction,
    arrivals: u64,
    /// What is looked at comes first.
    eager: bool,
    /// The commit taken last is looked at.
    took_seen: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct QueuedCommit {
    /// Larger comes first: the date, negated when the oldest comes first.
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
    pub(crate) fn new(direction: Direction) -> Self {
        Queue {
            seen: BinaryHeap::new(),
            unseen: BinaryHeap::new(),
            direction,
            arrivals: 0,
            eager: true,
            took_seen: false,
        }
    }

    /// Adds `commit` with its committer date in seconds since the epoch. `seen` if somebody looks
    /// at one of its lines.
    pub(crate) fn push(&mut self, commit: CommitIndex, date: i64, seen: bool) {
        let rank = self.rank(date);
        self.arrivals += 1;
        let heap = if seen {
            &mut self.seen
        } else {
            &mut self.unseen
        };
        heap.push(QueuedCommit {
            rank,
            arrival: self.arrivals,
            commit,
        });
    }

    /// The next commit: by its date, or, if `eager`, one that is looked at.
    pub(crate) fn pop(&mut self, eager: bool) -> Option<CommitIndex> {
        self.eager = eager;
        self.took_seen = match (self.seen.peek(), self.unseen.peek()) {
            (Some(seen), Some(unseen)) => eager || seen > unseen,
            (seen, _) => seen.is_some(),
        };
        let heap = match self.took_seen {
            true => &mut self.seen,
            false => &mut self.unseen,
        };
        Some(heap.pop()?.commit)
    }

    /// Whether a commit of this date, if it were added now, would be the next one.
    pub(crate) fn would_be_next(&self, date: i64, seen: bool) -> bool {
        let rank = self.rank(date);
        let is_before =
            |heap: &BinaryHeap<QueuedCommit>| heap.peek().is_none_or(|it| rank > it.rank);
        match (self.eager, seen) {
            (true, true) => is_before(&self.seen),
            (true, false) => self.seen.is_empty() && is_before(&self.unseen),
            (false, _) => is_before(&self.seen) && is_before(&self.unseen),
        }
    }

    fn rank(&self, date: i64) -> i128 {
        match self.direction {
            Direction::NewestFirst => i128::from(date),
            Direction::OldestFirst => -i128::from(date),
        }
    }

    /// Whether what comes first is what is looked at.
    pub(crate) fn is_eager(&self) -> bool {
        self.eager
    }

    /// Whether the commit taken last is looked at.
    pub(crate) fn took_seen(&self) -> bool {
        self.took_seen
    }

    /// Whether the commit of this date that is visited goes before others that nobody looks at:
    /// their lines may come to it later.
    pub(crate) fn is_ahead(&self, date: i64) -> bool {
        let rank = self.rank(date);
        self.took_seen && self.unseen.peek().is_some_and(|first| first.rank > rank)
    }

    /// The date that nothing which waits is newer than, where the commit visited is of `date`.
    pub(crate) fn frontier(&self, date: i64) -> i64 {
        let newest = self.unseen.peek().map(|first| i64::try_from(first.rank));
        match (self.direction, newest) {
            (Direction::NewestFirst, Some(Ok(newest))) if self.took_seen => date.max(newest),
            _ => date,
        }
    }

    /// Asks again which of those that wait are looked at.
    pub(crate) fn look_again(&mut self, mut sees: impl FnMut(CommitIndex) -> bool) {
        let seen = std::mem::take(&mut self.seen).into_iter();
        let all = seen.chain(std::mem::take(&mut self.unseen));
        let (seen, unseen) = all.partition(|place| sees(place.commit));
        (self.seen, self.unseen) = (seen, unseen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(direction: Direction, dates: &[i64]) -> Vec<u32> {
        let mut queue = Queue::new(direction);
        for (at, &date) in dates.iter().enumerate() {
            queue.push(CommitIndex(at as u32), date, false);
        }
        std::iter::from_fn(|| queue.pop(false))
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
    fn what_is_looked_at_comes_first() {
        let mut queue = Queue::new(Direction::NewestFirst);
        for (at, seen) in [false, true, true, false].into_iter().enumerate() {
            queue.push(CommitIndex(at as u32), at as i64, seen);
        }
        assert_eq!(queue.pop(true), Some(CommitIndex(2)));
        assert_eq!((queue.is_ahead(2), queue.frontier(2)), (true, 3));
        assert_eq!((queue.is_ahead(3), queue.frontier(4)), (false, 4));
        assert!(queue.would_be_next(2, true) && !queue.would_be_next(1, true));
        assert!(!queue.would_be_next(4, false));
        queue.look_again(|commit| commit.0 == 0);
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop(true))
            .map(|it| it.0)
            .collect();
        assert_eq!(rest, [0, 3, 1]);
    }

    #[test]
    fn others_catch_up_where_nobody_is_eager() {
        let mut queue = Queue::new(Direction::NewestFirst);
        for (at, seen) in [true, false, true, false].into_iter().enumerate() {
            queue.push(CommitIndex(at as u32), at as i64, seen);
        }
        let mut pop = || Some((queue.pop(false)?.0, queue.took_seen(), queue.is_ahead(0)));
        assert_eq!(pop(), Some((3, false, false)));
        assert_eq!(pop(), Some((2, true, true)));
        assert_eq!(pop(), Some((1, false, false)));
        assert!(queue.would_be_next(1, false) && !queue.would_be_next(0, false));
    }

    #[test]
    fn oldest_first_and_stable() {
        assert_eq!(
            order(Direction::OldestFirst, &[5, 7, 5, i64::MIN]),
            [3, 0, 2, 1]
        );
    }
}
