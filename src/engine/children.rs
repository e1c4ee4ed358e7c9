//! Children instead of parents: what `--reverse` walks along.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
};

use rustc_hash::FxHashMap;

use super::{
    commits::{CommitIndex, Commits},
    error::Error,
    listing::{self, Listed},
    request::Listing,
};
use crate::objects::Reader;

/// The children of each commit of a range, the last listed first.
#[derive(Debug, Default)]
pub(super) struct Children {
    of: FxHashMap<CommitIndex, Vec<CommitIndex>>,
}

impl Children {
    /// Reads the commits that `heads` reach and `excluded` does not hold for.
    ///
    /// With `first_parent`, only the chain of first parents counts; it has to lead to `start`.
    /// Otherwise `listing` says which of them are anybody's child, and in which order.
    pub(super) fn find(
        start: CommitIndex,
        heads: &[CommitIndex],
        excluded: impl Fn(CommitIndex) -> bool,
        listing: &Listing,
        first_parent: bool,
        commits: &mut Commits,
        reader: &mut Reader,
    ) -> Result<Children, Error> {
        // Newest first; among equal dates in order of arrival.
        let mut queue = BinaryHeap::new();
        let mut seen = HashSet::new();
        let mut listed: Vec<Listed> = Vec::new();
        let mut arrivals = 0_u64;
        let mut todo: Vec<CommitIndex> = heads.to_vec();
        loop {
            for commit in todo.drain(..) {
                if !excluded(commit) && seen.insert(commit) {
                    arrivals += 1;
                    let time = commits.lone_head(commit, reader)?.time;
                    queue.push((time, Reverse(arrivals), commit));
                }
            }
            let Some((_, _, commit)) = queue.pop() else {
                break;
            };
            let head = commits.lone_head(commit, reader)?;
            let parents = commits.parents(&head);
            let count = if first_parent {
                parents.len().min(1)
            } else {
                parents.len()
            };
            todo.extend_from_slice(&parents[..count]);
            if first_parent || listing.has(head.time) {
                listed.push((commit, todo.clone()));
            }
        }
        let listed = listing::sort(listed, listing.order, commits, reader)?;
        let mut children = Children::default();
        for (child, parents) in listed.into_iter().rev() {
            for parent in parents {
                children.of.entry(parent).or_default().push(child);
            }
        }
        if first_parent && !heads.contains(&start) && children.of(start).is_empty() {
            return Err(Error::NotAChain);
        }
        Ok(children)
    }

    /// The children of `commit`.
    pub(super) fn of(&self, commit: CommitIndex) -> &[CommitIndex] {
        self.of.get(&commit).map_or(&[], Vec::as_slice)
    }
}
