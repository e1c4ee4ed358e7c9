//! Which commits a range leaves out.
//!
//! Everything that leads to a negative revision is uninteresting. How far that has to be followed is
//! decided by dates: newest first from both ends, until no commit that waits is interesting. A few
//! steps more catch dates that are slightly wrong; git goes on for as many.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    engine::{
        api::{error::Error, profile::Phase},
        history::commits::{CommitIndex, Head, Parents, slot},
        walk::traversal::{Stop, Walk},
    },
    objects,
};

/// A range is a long one from so many commits on, and worth another thread's help.
const LONG: u64 = 256;
/// From so many on it is worth to start one.
const SHORT: u64 = 16;
/// That thread is told after so many commits how far the walk has come.
const TELL: u64 = 32;

/// How many uninteresting commits in a row are looked at when nothing interesting is left.
const SLOP: u32 = 5;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Seen {
    #[default]
    Not,
    Waits,
    LookedAt,
}

#[derive(Default)]
struct Waiting {
    heap: BinaryHeap<(i64, Reverse<u64>, CommitIndex)>,
    /// By commit.
    seen: Vec<Seen>,
    /// How many of those that wait are interesting.
    interesting: usize,
    arrivals: u64,
    looked_at: u64,
}

impl Waiting {
    fn seen(&mut self, commit: CommitIndex) -> &mut Seen {
        slot(&mut self.seen, commit)
    }
}

impl Walk<'_> {
    /// Marks what the range of `positives` without `negatives` leaves out.
    pub(crate) fn limit(
        &mut self,
        positives: &[CommitIndex],
        negatives: &[CommitIndex],
    ) -> Result<(), Stop> {
        if negatives.is_empty() {
            return Ok(());
        }
        let mut waiting = Waiting::default();
        for &commit in negatives {
            self.board.mark_uninteresting(commit);
        }
        for &commit in negatives.iter().chain(positives) {
            self.wait(commit, &mut waiting)?;
        }
        let (mut slop, mut last_interesting) = (SLOP, None);
        while let Some((time, _, commit)) = waiting.heap.pop() {
            self.tell(|sink| sink.progress(time))?;
            waiting.looked_at += 1;
            if waiting.looked_at == SHORT
                && let Some(known) = &self.known
            {
                known.start();
            }
            if waiting.looked_at >= LONG && waiting.looked_at.is_multiple_of(TELL) {
                self.measured(commit);
            }
            *waiting.seen(commit) = Seen::LookedAt;
            let mut interesting = !self.board.is_uninteresting(commit);
            waiting.interesting -= usize::from(interesting);
            if interesting && self.request.since.is_some_and(|since| time < since) {
                self.board.mark_uninteresting(commit);
                interesting = false;
            }
            let Some(head) = self.head_to_limit(commit)? else {
                continue;
            };
            let parents = Parents::from_slice(self.caches.commits.parents(&head));
            let left_out = self.request.left_out_with(&parents).len();
            for (nth, parent) in parents.into_iter().enumerate() {
                if !interesting && nth < left_out {
                    self.leave_out(parent, &mut waiting);
                }
                self.wait(parent, &mut waiting)?;
            }
            if interesting {
                last_interesting = Some(time);
                slop = SLOP;
                continue;
            }
            let newest = waiting.heap.peek().map(|(time, _, _)| *time);
            let may_connect = last_interesting.is_some_and(|last| newest >= Some(last));
            if waiting.interesting > 0 || may_connect {
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

    /// Tells the other thread how far the range is measured. What is in the commit-graph is read
    /// in no time.
    fn measured(&mut self, commit: CommitIndex) {
        if let Some(known) = &mut self.known {
            let commits = &self.caches.commits;
            let stored = !commits.is_in_graph(commit);
            known.measure_at(stored.then(|| commits.id(commit)));
        }
    }

    fn wait(&mut self, commit: CommitIndex, waiting: &mut Waiting) -> Result<(), Stop> {
        if *waiting.seen(commit) != Seen::Not {
            return Ok(());
        }
        *waiting.seen(commit) = Seen::LookedAt;
        if let Some(head) = self.head_to_limit(commit)? {
            *waiting.seen(commit) = Seen::Waits;
            waiting.arrivals += 1;
            waiting
                .heap
                .push((head.time, Reverse(waiting.arrivals), commit));
            waiting.interesting += usize::from(!self.board.is_uninteresting(commit));
        }
        Ok(())
    }

    /// [`Walk::parent_head`], where trees are of no interest.
    fn head_to_limit(&mut self, commit: CommitIndex) -> Result<Option<Head>, Error> {
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
            // git says nothing of what a range leaves out anyway.
            Err(objects::Error::Missing { .. }) => Ok(None),
            head => self.unless_absent(commit, head),
        }
    }

    /// Marks a commit, and what it is known to lead to.
    fn leave_out(&mut self, commit: CommitIndex, waiting: &mut Waiting) {
        let mut todo = vec![commit];
        while let Some(commit) = todo.pop() {
            if !self.board.mark_uninteresting(commit) {
                continue;
            }
            if *waiting.seen(commit) == Seen::Waits {
                waiting.interesting -= 1;
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
