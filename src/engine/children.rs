//! Children instead of parents: what `--reverse` walks along.

use std::collections::{BinaryHeap, HashSet};

use rustc_hash::FxHashMap;

use super::{
    commits::{CommitIndex, Commits},
    error::Error,
};
use crate::objects::Reader;

/// The children of each commit of a range, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Children {
    of: FxHashMap<CommitIndex, Vec<CommitIndex>>,
}

impl Children {
    /// Reads the commits that `heads` reach and `excluded` does not hold for.
    ///
    /// With `first_parent`, only the chain of first parents counts.
    pub(super) fn find(
        heads: &[CommitIndex],
        excluded: impl Fn(CommitIndex) -> bool,
        first_parent: bool,
        commits: &mut Commits,
        reader: &mut Reader,
    ) -> Result<Children, Error> {
        // Newest first; among equal dates in order of arrival.
        let mut queue = BinaryHeap::new();
        let mut seen = HashSet::new();
        let mut listed = Vec::new();
        let mut arrivals = 0_u64;
        let mut todo: Vec<CommitIndex> = heads.to_vec();
        loop {
            for commit in todo.drain(..) {
                if !excluded(commit) && seen.insert(commit) {
                    arrivals += 1;
                    let time = commits.head(commit, reader)?.time;
                    queue.push((time, std::cmp::Reverse(arrivals), commit));
                }
            }
            let Some((_, _, commit)) = queue.pop() else {
                break;
            };
            listed.push(commit);
            let head = commits.head(commit, reader)?;
            let parents = commits.parents(&head);
            let parents = if first_parent {
                &parents[..parents.len().min(1)]
            } else {
                parents
            };
            todo.extend_from_slice(parents);
        }
        let mut children = Children::default();
        for &child in listed.iter().rev() {
            let head = commits.head(child, reader)?;
            let parents = commits.parents(&head);
            let parents = if first_parent {
                &parents[..parents.len().min(1)]
            } else {
                parents
            };
            for &parent in parents {
                children.of.entry(parent).or_default().push(child);
            }
        }
        Ok(children)
    }

    /// The children of `commit`.
    pub(super) fn of(&self, commit: CommitIndex) -> &[CommitIndex] {
        self.of.get(&commit).map_or(&[], Vec::as_slice)
    }
}
