//! The places of commits in the list of a history.

use std::ops::ControlFlow;

use crate::engine::{
    api::request::CommitOrder,
    history::{
        commits::{CommitIndex, slot},
        listing,
    },
    walk::{
        corrected_dates::{ASK_AFTER, header},
        state::{Interrupt, Walk, check_flow},
    },
};

/// The places of commits in the list of a history, in which children come before their parents.
#[derive(Debug)]
pub(super) struct CommitPlaces {
    /// By commit, from 1 on; 0 for commits that are not in the list.
    places: Vec<u32>,
}

impl CommitPlaces {
    /// Lists the history of `start` as far as the walk may go. `ask` can stop it.
    pub(super) fn read(
        start: CommitIndex,
        order: CommitOrder,
        walk: &mut Walk<'_>,
        ask: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<CommitPlaces, Interrupt> {
        let mut seen = Vec::new();
        *slot(&mut seen, start) = true;
        let mut listed = vec![start];
        let mut read = 0;
        while let Some(&commit) = listed.get(read) {
            if (read as u64).is_multiple_of(ASK_AFTER) {
                check_flow(ask())?;
            }
            // The walk ends where a commit cannot be read.
            let Some(header) = header(commit, walk)? else {
                listed.swap_remove(read);
                continue;
            };
            read += 1;
            if walk.is_beyond_boundary(commit, &header) {
                continue;
            }
            for parent in walk.parents_of(&header) {
                if !std::mem::replace(slot(&mut seen, parent), true) {
                    listed.push(parent);
                }
            }
        }
        let first_parent = walk.request.first_parent;
        let caches = &mut *walk.caches;
        let (commits, reader) = (&mut caches.commits, &mut caches.reader);
        let sorted = listing::sort(listed, order, first_parent, commits, reader)?;
        let mut places = vec![0; commits.count()];
        for (commit, place) in sorted.into_iter().zip(1..) {
            places[commit.index()] = place;
        }
        Ok(CommitPlaces { places })
    }

    /// A rank that is higher for commits that are listed earlier, and higher than the date of any
    /// commit.
    pub(super) fn rank(&self, commit: CommitIndex) -> i64 {
        match self.places.get(commit.index()) {
            None | Some(0) => i64::MIN,
            Some(&place) => i64::MAX - i64::from(place),
        }
    }
}
