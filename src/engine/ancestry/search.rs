//! Searches through the ancestors of commits.

use crate::engine::history::commits::{CommitIndex, slot};

/// Commits visited between two questions whether to stop.
const COMMITS_PER_CHECK: u32 = 256;

/// A search that begins again more often is one for many commits: it leaves out nothing from then
/// on, and so serves all of them.
const MAX_RESTARTS: u32 = 32;

/// A depth-first search from several commits, one after the other. It visits a commit once, and
/// marks it with the number of the one that it was reached from first.
#[derive(Debug, Default)]
pub(super) struct AncestorSearch {
    /// By commit: the number plus one, or 0.
    marks: Vec<u32>,
    marked: Vec<CommitIndex>,
    /// Marked commits whose parents were not looked at.
    pub(super) pending: Vec<CommitIndex>,
    restarts: u32,
}

impl AncestorSearch {
    /// Forgets what was visited. Returns false if this search should leave out nothing from now
    /// on.
    pub(super) fn restart(&mut self) -> bool {
        for commit in self.marked.drain(..) {
            *slot(&mut self.marks, commit) = 0;
        }
        self.pending.clear();
        self.restarts += 1;
        self.restarts <= MAX_RESTARTS
    }

    /// Visits a commit that was reached from the one with this number.
    pub(super) fn visit(&mut self, commit: CommitIndex, number: u32) {
        let mark = slot(&mut self.marks, commit);
        if *mark == 0 {
            *mark = number + 1;
            self.marked.push(commit);
            self.pending.push(commit);
        }
    }

    /// The number of the first one that the commit was reached from.
    pub(super) fn mark(&self, commit: CommitIndex) -> Option<u32> {
        self.marks.get(commit.index())?.checked_sub(1)
    }
}

/// Asks now and then whether to stop.
pub(super) struct StopChecks<'a> {
    stop: &'a dyn Fn() -> bool,
    visited: u32,
}

impl<'a> StopChecks<'a> {
    pub(super) fn new(stop: &'a dyn Fn() -> bool) -> StopChecks<'a> {
        StopChecks { stop, visited: 0 }
    }

    /// Counts a commit that is visited.
    pub(super) fn should_stop(&mut self) -> bool {
        self.visited = self.visited.wrapping_add(1);
        self.are_due() && (self.stop)()
    }

    pub(super) fn are_due(&self) -> bool {
        self.visited.is_multiple_of(COMMITS_PER_CHECK)
    }
}
