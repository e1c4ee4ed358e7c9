//! The children of each commit of a range, for `--reverse`.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    engine::{
        api::{error::Error, request::RevListOptions},
        history::{
            commits::{CommitIndex, Commits, ParentIndexes, slot},
            listing,
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
    /// Reads the commits reachable from `heads` that are not `excluded`. `listing` says which of
    /// them count as children, and in which order.
    pub(crate) fn find(
        heads: &[CommitIndex],
        excluded: impl Fn(CommitIndex) -> bool,
        listing: &RevListOptions,
        commits: &mut Commits,
        reader: &mut Reader,
    ) -> Result<Children, Error> {
        // Newest first; equal dates in order of arrival.
        let mut queue = BinaryHeap::new();
        let mut seen = Vec::new();
        let mut is_new = |commit| !std::mem::replace(slot(&mut seen, commit), true);
        let mut listed = Vec::new();
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
            let Some((time, _, commit)) = queue.pop() else {
                break;
            };
            todo = commits.known_parents(commit, false);
            if listing.includes(time) {
                listed.push(commit);
            }
        }
        let listed = listing::sort(listed, listing.order, false, commits, reader)?;
        Ok(Children::of_listed(&listed, false, commits))
    }

    /// The children on the chain of first parents from `heads` to `start`. Limits of the history do
    /// not count, but as in git the chain has to consist of commits that were `read` for them.
    pub(crate) fn of_chain(
        start: CommitIndex,
        heads: &[CommitIndex],
        read: impl Fn(CommitIndex) -> bool,
        commits: &Commits,
    ) -> Result<Children, Error> {
        let mut chain = Vec::new();
        let mut next = heads.first().copied();
        while next != Some(start) {
            // Grafts can form cycles.
            let is_acyclic = chain.len() <= commits.count();
            let commit = next.filter(|commit| is_acyclic && read(*commit));
            let commit = commit.ok_or(Error::NotAChain)?;
            chain.push(commit);
            next = commits.known_parents(commit, true).first().copied();
        }
        Ok(Children::of_listed(&chain, true, commits))
    }

    fn of_listed(listed: &[CommitIndex], first_parent: bool, commits: &Commits) -> Children {
        let followed = |commit: &CommitIndex| commits.known_parents(*commit, first_parent);
        let mut ends = vec![0_u32; commits.count() + 1];
        for parent in listed.iter().flat_map(followed) {
            ends[parent.index() + 1] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        // `ends` now holds the starts; filling moves each to its end.
        let mut all = vec![CommitIndex(0); end as usize];
        for child in listed.iter().rev() {
            for parent in followed(child) {
                let end = &mut ends[parent.index()];
                all[*end as usize] = *child;
                *end += 1;
            }
        }
        Children { all, ends }
    }

    /// The children of `commit`, last listed first.
    pub(crate) fn list(&self, commit: CommitIndex) -> &[CommitIndex] {
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
