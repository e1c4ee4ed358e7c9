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

/// A priority queue of commits by date that keeps the order of arrival among equals. Those that
/// are looked at go before all others.
///
/// A commit may wait more than once; the caller skips places at which nothing is left to do.
#[derive(Debug)]
pub(super) struct Queue {
    heap: BinaryHeap<Place>,
    direction: Direction,
    arrivals: u64,
    /// How many of those that wait nobody looks at.
    unseen: usize,
    /// The highest rank among these, or among some that are gone.
    newest_unseen: i128,
    ahead: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// Somebody looks at one of its lines.
    seen: bool,
    /// Larger comes first: the date, negated when the oldest comes first.
    rank: i128,
    arrival: u64,
    commit: CommitIndex,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        self.seen
            .cmp(&other.seen)
            .then_with(|| self.rank.cmp(&other.rank))
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
            unseen: 0,
            newest_unseen: i128::MIN,
            ahead: false,
        }
    }

    /// Adds `commit` with its committer date in seconds since the epoch. `seen` if somebody looks at
    /// one of its lines.
    pub(super) fn push(&mut self, commit: CommitIndex, date: i64, seen: bool) {
        let rank = self.rank(date);
        self.arrivals += 1;
        if !seen {
            self.unseen += 1;
            self.newest_unseen = self.newest_unseen.max(rank);
        }
        self.heap.push(Place {
            seen,
            rank,
            arrival: self.arrivals,
            commit,
        });
    }

    /// The next commit.
    pub(super) fn pop(&mut self) -> Option<CommitIndex> {
        let place = self.heap.pop()?;
        if !place.seen {
            self.unseen -= 1;
            // They come in order, so what still waits is no higher.
            self.newest_unseen = place.rank;
        }
        self.ahead = place.seen && self.unseen > 0;
        Some(place.commit)
    }

    /// Whether a commit of this date, if it were added now, would be the next one.
    pub(super) fn would_be_next(&self, date: i64, seen: bool) -> bool {
        let place = (seen, self.rank(date));
        self.heap
            .peek()
            .is_none_or(|first| place > (first.seen, first.rank))
    }

    fn rank(&self, date: i64) -> i128 {
        match self.direction {
            Direction::NewestFirst => i128::from(date),
            Direction::OldestFirst => -i128::from(date),
        }
    }

    /// Whether the commit taken last went before others that nobody looks at: their lines may come
    /// to it later.
    pub(super) fn is_ahead(&self) -> bool {
        self.ahead
    }

    /// The date that nothing which waits is newer than, where the commit taken last is of `date`.
    pub(super) fn frontier(&self, date: i64) -> i64 {
        match (self.direction, i64::try_from(self.newest_unseen)) {
            (Direction::NewestFirst, Ok(newest)) if self.ahead => date.max(newest),
            _ => date,
        }
    }

    /// Asks again which of those that wait are looked at.
    pub(super) fn look_again(&mut self, mut sees: impl FnMut(CommitIndex) -> bool) {
        let mut places = std::mem::take(&mut self.heap).into_vec();
        for place in &mut places {
            place.seen = sees(place.commit);
        }
        let unseen = places.iter().filter(|place| !place.seen);
        self.unseen = unseen.clone().count();
        let newest = unseen.map(|place| place.rank).max();
        self.newest_unseen = newest.unwrap_or(i128::MIN);
        self.heap = places.into();
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
    fn what_is_looked_at_comes_first() {
        let mut queue = Queue::new(Direction::NewestFirst);
        for (at, seen) in [false, true, true, false].into_iter().enumerate() {
            queue.push(CommitIndex(at as u32), at as i64, seen);
        }
        assert_eq!(queue.pop(), Some(CommitIndex(2)));
        assert_eq!((queue.is_ahead(), queue.frontier(2)), (true, 3));
        assert!(queue.would_be_next(2, true) && !queue.would_be_next(1, true));
        assert!(!queue.would_be_next(4, false));
        queue.look_again(|commit| commit.0 == 0);
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|it| it.0).collect();
        assert_eq!(rest, [0, 3, 1]);
    }

    #[test]
    fn oldest_first_and_stable() {
        assert_eq!(
            order(Direction::OldestFirst, &[5, 7, 5, i64::MIN]),
            [3, 0, 2, 1]
        );
    }
}
