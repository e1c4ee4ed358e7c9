//! Which commits a range leaves out.
//!
//! Everything that leads to a negative revision is uninteresting. How far that has to be followed is
//! decided by dates: newest first from both ends, until no commit that waits is interesting. A few
//! steps more catch dates that are slightly wrong; git goes on for as many.

use std::{cmp::Reverse, collections::BinaryHeap};

use rustc_hash::FxHashSet;

use super::{
    commits::{CommitIndex, Head},
    error::Error,
    profile::Phase,
    walk::{Stop, Walk},
};
use crate::objects;

/// How many uninteresting commits in a row are looked at when nothing interesting is left.
const SLOP: u32 = 5;

#[derive(Default)]
struct Waiting {
    heap: BinaryHeap<(i64, Reverse<u64>, CommitIndex)>,
    seen: FxHashSet<CommitIndex>,
    queued: FxHashSet<CommitIndex>,
    /// How many of those that wait are interesting.
    interesting: usize,
    arrivals: u64,
}

impl Walk<'_> {
    /// Marks what the range of `positives` without `negatives` leaves out.
    pub(super) fn limit(
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
            waiting.queued.remove(&commit);
            let mut interesting = !self.board.is_uninteresting(commit);
            waiting.interesting -= usize::from(interesting);
            if interesting && self.request.since.is_some_and(|since| time < since) {
                self.board.mark_uninteresting(commit);
                interesting = false;
            }
            let Some(head) = self.head_to_limit(commit)? else {
                continue;
            };
            let parents = self.caches.commits.parents(&head).to_vec();
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
        Ok(())
    }

    fn wait(&mut self, commit: CommitIndex, waiting: &mut Waiting) -> Result<(), Stop> {
        if waiting.seen.insert(commit)
            && let Some(head) = self.head_to_limit(commit)?
        {
            waiting.arrivals += 1;
            waiting
                .heap
                .push((head.time, Reverse(waiting.arrivals), commit));
            waiting.queued.insert(commit);
            waiting.interesting += usize::from(!self.board.is_uninteresting(commit));
        }
        Ok(())
    }

    /// [`Walk::parent_head`], where trees are of no interest.
    fn head_to_limit(&mut self, commit: CommitIndex) -> Result<Option<Head>, Error> {
        self.board.mark_read(commit);
        let before = self.watch.enter(Phase::Walk);
        let caches = &mut *self.caches;
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
            if waiting.queued.contains(&commit) {
                waiting.interesting -= 1;
            }
            if self.board.is_read(commit)
                && let Some(head) = self.caches.commits.known_head(commit)
            {
                let parents = self.caches.commits.parents(head);
                todo.extend_from_slice(self.request.left_out_with(parents));
            }
        }
    }
}
