//! The children of each commit of a range, for `--reverse`.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    engine::{
        api::{error::Error, request::RevListOptions},
        history::{
            commits::{CommitIndex, Commits, ParentIndexes, slot},
            listing::{self, ListedCommit},
        },
    },
    objects::Reader,
};

/// The children of each commit of a range, last listed first.
#[derive(Debug, Default)]
pub(crate) struct Children {
    all: Vec<CommitIndex>,
    /// By commit: the end of its children in `all`. They start at the end of the commit before.
    ends: Vec<u32>,
}

impl Children {
    /// Reads the commits reachable from `heads` that are not `excluded`.
    ///
    /// With `first_parent`, only the first-parent chain counts, and it must lead to `start`.
    /// Otherwise `listing` says which commits count as children, and in which order.
    pub(crate) fn find(
        start: CommitIndex,
        heads: &[CommitIndex],
        excluded: impl Fn(CommitIndex) -> bool,
        listing: &RevListOptions,
        first_parent: bool,
        commits: &mut Commits,
        reader: &mut Reader,
    ) -> Result<Children, Error> {
        // Newest first; equal dates in order of arrival.
        let mut queue = BinaryHeap::new();
        let mut seen = Vec::new();
        let mut is_new = |commit| !std::mem::replace(slot(&mut seen, commit), true);
        let mut listed: Vec<ListedCommit> = Vec::new();
        let mut arrivals = 0_u64;
        let mut todo = ParentIndexes::from_slice(heads);
        loop {
            for commit in todo.drain(..) {
                if !excluded(commit) && is_new(commit) {
                    arrivals += 1;
                    let time = commits.header_without_tree(commit, reader)?.time;
                    queue.push((time, Reverse(arrivals), commit));
                }
            }
            let Some((_, _, commit)) = queue.pop() else {
                break;
            };
            let header = commits.header_without_tree(commit, reader)?;
            let parents = commits.parents(&header);
            let count = if first_parent {
                parents.len().min(1)
            } else {
                parents.len()
            };
            todo.extend_from_slice(&parents[..count]);
            if first_parent || listing.includes(header.time) {
                listed.push((commit, todo.clone()));
            }
        }
        let listed = listing::sort(listed, listing.order, commits, reader)?;
        let children = Children::of_parents(&listed);
        if first_parent && !heads.contains(&start) && children.of(start).is_empty() {
            return Err(Error::NotAChain);
        }
        Ok(children)
    }

    fn of_parents(listed: &[ListedCommit]) -> Children {
        let parents = || listed.iter().flat_map(|(_, parents)| parents);
        let commits = parents().map(|parent| parent.index() + 1).max();
        let mut ends = vec![0_u32; commits.unwrap_or(0) + 1];
        for parent in parents() {
            ends[parent.index() + 1] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        // `ends` now holds the starts; filling moves each to its end.
        let mut all = vec![CommitIndex(0); end as usize];
        for (child, parents) in listed.iter().rev() {
            for parent in parents {
                let end = &mut ends[parent.index()];
                all[*end as usize] = *child;
                *end += 1;
            }
        }
        Children { all, ends }
    }

    /// The children of `commit`, last listed first.
    pub(crate) fn of(&self, commit: CommitIndex) -> &[CommitIndex] {
        let Some(&end) = self.ends.get(commit.index()) else {
            return &[];
        };
        let before = commit
            .index()
            .checked_sub(1)
            .map(|before| self.ends[before]);
        &self.all[before.unwrap_or(0) as usize..end as usize]
    }
}
