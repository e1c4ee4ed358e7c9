//! The commits that the prefetch thread visits next.

use std::{cmp::Ordering, collections::BinaryHeap};

/// Visits by date, the newest first; of the same date, in the order of their arrival.
///
/// Most commits have one parent, which is visited next: the first of the queue is kept apart from the others, so that such a
/// parent is not moved into a heap and out again.
#[derive(Debug)]
pub(crate) struct VisitQueue<T> {
    /// Not after any of `rest`; `None` only if that is empty.
    first: Option<Queued<T>>,
    rest: BinaryHeap<Queued<T>>,
}

/// A visit with what decides its place.
#[derive(Debug)]
struct Queued<T> {
    time: i64,
    arrival: u64,
    visit: T,
}

impl<T> Queued<T> {
    fn key(&self) -> (i64, std::cmp::Reverse<u64>) {
        (self.time, std::cmp::Reverse(self.arrival))
    }
}

impl<T> PartialEq for Queued<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl<T> Eq for Queued<T> {}
impl<T> PartialOrd for Queued<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Queued<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<T> Default for VisitQueue<T> {
    fn default() -> Self {
        VisitQueue {
            first: None,
            rest: BinaryHeap::new(),
        }
    }
}

impl<T> VisitQueue<T> {
    /// Adds a visit of a commit with the date `time`; a lower `arrival` goes first at the same date.
    pub(crate) fn push(&mut self, time: i64, arrival: u64, visit: T) {
        let new = Queued {
            time,
            arrival,
            visit,
        };
        match &mut self.first {
            None => self.first = Some(new),
            Some(first) if new > *first => {
                let second = std::mem::replace(first, new);
                self.rest.push(second);
            }
            Some(_) => self.rest.push(new),
        }
    }

    /// Takes the first visit.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let first = self.first.take()?;
        self.first = self.rest.pop();
        Some(first.visit)
    }

    /// The first visit.
    pub(crate) fn peek(&self) -> Option<&T> {
        self.first.as_ref().map(|first| &first.visit)
    }

    /// Whether a visit in the queue goes before one with this date and arrival.
    pub(crate) fn has_before(&self, time: i64, arrival: u64) -> bool {
        let key = (time, std::cmp::Reverse(arrival));
        self.first.as_ref().is_some_and(|first| first.key() > key)
    }

    pub(crate) fn clear(&mut self) {
        *self = VisitQueue::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_first_and_the_earliest_of_the_same_date() {
        let mut queue = VisitQueue::default();
        let mut seed = 1_u32;
        let mut expected = Vec::new();
        for arrival in 0..500 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let time = i64::from(seed >> 20) % 50;
            queue.push(time, arrival, (time, arrival));
            expected.push((time, arrival));
            expected.sort_by_key(|(time, arrival)| (-time, *arrival));
            assert_eq!(queue.peek(), expected.first());
            assert!(queue.has_before(-1, 0) && !queue.has_before(50, 0));
            if seed >> 16 & 3 == 0 {
                assert_eq!(queue.pop(), Some(expected.remove(0)));
            }
        }
        while !expected.is_empty() {
            assert_eq!(queue.pop(), Some(expected.remove(0)));
        }
        assert_eq!(queue.pop(), None);
    }
}
