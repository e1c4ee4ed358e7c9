//! The commits that the prefetch thread visits next.

use std::collections::BinaryHeap;

/// Visits, the greatest first.
///
/// Most commits have one parent, which is visited next: the first of the queue is kept apart from
/// the others, so that such a parent is not moved into a heap and out again.
#[derive(Debug)]
pub(crate) struct VisitQueue<T> {
    /// Not less than any of `rest`; `None` only if that is empty.
    first: Option<T>,
    rest: BinaryHeap<T>,
}

impl<T: Ord> Default for VisitQueue<T> {
    fn default() -> Self {
        VisitQueue {
            first: None,
            rest: BinaryHeap::new(),
        }
    }
}

impl<T: Ord> VisitQueue<T> {
    pub(crate) fn push(&mut self, visit: T) {
        match &mut self.first {
            None => self.first = Some(visit),
            Some(first) if visit > *first => {
                let second = std::mem::replace(first, visit);
                self.rest.push(second);
            }
            Some(_) => self.rest.push(visit),
        }
    }

    /// Gives `visit` back if it is the first, as [`push`](Self::push) and [`pop`](Self::pop) would,
    /// and adds it otherwise.
    pub(crate) fn push_or_first(&mut self, visit: T) -> Option<T> {
        if self.first.as_ref().is_none_or(|first| visit > *first) {
            return Some(visit);
        }
        self.rest.push(visit);
        None
    }

    /// Takes the first visit.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let first = self.first.take()?;
        self.first = self.rest.pop();
        Some(first)
    }

    /// The first visit.
    pub(crate) fn peek(&self) -> Option<&T> {
        self.first.as_ref()
    }

    pub(crate) fn clear(&mut self) {
        *self = VisitQueue::default();
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use super::*;

    #[test]
    fn the_newest_is_first_and_the_earliest_of_the_same_date() {
        let mut queue = VisitQueue::default();
        let mut seed = 1_u32;
        let mut expected = Vec::new();
        for arrival in 0..500 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let visit = (i64::from(seed >> 20) % 50, Reverse(arrival));
            if let Some(first) = queue.push_or_first(visit) {
                assert!(expected.iter().all(|other| *other < first));
                queue.push(first);
            }
            expected.push(visit);
            expected.sort_by_key(|visit| Reverse(*visit));
            assert_eq!(queue.peek(), expected.first());
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
