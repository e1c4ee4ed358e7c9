//! The first-parent history of a commit.

use crate::{
    engine::history::commits::{CommitIndex, Commits, slot},
    objects::Reader,
};

/// The commits that one reaches from a commit by first parents alone, and what their other parents
/// tell of the history: each commit of it contains all that follow.
#[derive(Debug, Default)]
pub(super) struct Trunk {
    /// The newest first.
    commits: Vec<CommitIndex>,
    /// Their committer dates.
    dates: Vec<i64>,
    /// The commit to read next.
    next: Option<CommitIndex>,
    /// By commit: see [`Trunk::depth`].
    depths: Vec<u32>,
}

impl Trunk {
    pub(super) fn new(tip: Option<CommitIndex>) -> Trunk {
        Trunk {
            next: tip,
            ..Trunk::default()
        }
    }

    /// The commit to read next; `None` if all were read.
    pub(super) fn next(&self) -> Option<CommitIndex> {
        self.next
    }

    /// Reads the next commit. Where one cannot be read the trunk ends, as what follows is not known
    /// to be on it.
    pub(super) fn read_next(&mut self, commits: &mut Commits, reader: &mut Reader) {
        // Grafts and replacements can make a cycle.
        let Some(commit) = self.next.take().filter(|&it| self.position(it).is_none()) else {
            return;
        };
        let Ok(header) = commits.header_without_tree(commit, reader) else {
            return;
        };
        self.commits.push(commit);
        self.dates.push(header.time);
        let depth = self.len();
        *slot(&mut self.depths, commit) = depth;
        let mut parents = commits.parents(&header).iter();
        self.next = parents.next().copied();
        for &parent in parents {
            if self.position(parent).is_none() {
                *slot(&mut self.depths, parent) = depth;
            }
        }
    }

    /// The number of its commits.
    pub(super) fn len(&self) -> u32 {
        // A commit has an index of 32 bits.
        self.commits.len() as u32
    }

    /// The commit at a position, 0 being the newest one.
    pub(super) fn get(&self, position: u32) -> Option<CommitIndex> {
        self.commits.get(position as usize).copied()
    }

    /// The position of a commit of the trunk.
    pub(super) fn position(&self, commit: CommitIndex) -> Option<u32> {
        let position = self.depth(commit).checked_sub(1)?;
        (self.get(position) == Some(commit)).then_some(position)
    }

    /// The committer date of a commit of the trunk.
    pub(super) fn date(&self, commit: CommitIndex) -> Option<i64> {
        self.dates.get(self.position(commit)? as usize).copied()
    }

    /// The number of commits from the newest one to the oldest that is known to be `commit` or to
    /// have it as a parent; 0 if there is none.
    pub(super) fn depth(&self, commit: CommitIndex) -> u32 {
        self.depths.get(commit.index()).copied().unwrap_or(0)
    }
}
