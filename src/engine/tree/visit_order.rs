//! The order in which a plan visits commits: children before their parents, otherwise newer ones
//! first.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::engine::history::commits::{CommitIndex, slot};

/// What is left of the order.
#[derive(Debug, Clone, Default)]
pub(super) struct VisitOrder {
    ready: BinaryHeap<(i64, Reverse<CommitIndex>)>,
    /// By commit: the number of children that are still to be visited.
    children: Vec<u32>,
}

impl VisitOrder {
    /// Counts a child of `parent`.
    pub(super) fn add_child(&mut self, parent: CommitIndex) {
        *slot(&mut self.children, parent) += 1;
    }

    /// True if the commit has children that are still to be visited.
    pub(super) fn has_children(&mut self, commit: CommitIndex) -> bool {
        *slot(&mut self.children, commit) > 0
    }

    /// A child of `parent` was visited. True if that was the last one.
    pub(super) fn remove_child(&mut self, parent: CommitIndex) -> bool {
        let children = slot(&mut self.children, parent);
        *children -= 1;
        *children == 0
    }

    /// Adds a commit of this time, all of whose children were visited.
    pub(super) fn push(&mut self, commit: CommitIndex, time: i64) {
        self.ready.push((time, Reverse(commit)));
    }

    /// The next commit to visit.
    pub(super) fn pop(&mut self) -> Option<CommitIndex> {
        let (_, Reverse(commit)) = self.ready.pop()?;
        Some(commit)
    }
}
