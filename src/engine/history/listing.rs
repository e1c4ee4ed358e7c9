//! The order of a commit list.
//!
//! A range is read newest first. The other orders list children before parents: the candidates are
//! the commits whose children are all listed, and the orders differ in which of them is next.

use std::{cmp::Reverse, collections::BinaryHeap};

use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::{error::Error, request::CommitOrder},
        history::commits::{CommitIndex, Commits, ParentIndexes},
    },
    objects::{self, Reader, author_time},
};

/// A listed commit and its parents.
pub(crate) type ListedCommit = (CommitIndex, ParentIndexes);

/// Commits whose children are all listed.
enum ReadyCommits {
    /// Last in, first out.
    Stack(Vec<usize>),
    /// Newest first; equal dates in order of arrival.
    Queue(BinaryHeap<(i64, Reverse<usize>, usize)>),
}

impl ReadyCommits {
    fn pop(&mut self) -> Option<usize> {
        match self {
            ReadyCommits::Stack(stack) => stack.pop(),
            ReadyCommits::Queue(queue) => queue.pop().map(|(_, _, position)| position),
        }
    }
}

/// Sorts `listed`, which is newest first, into `order`.
pub(crate) fn sort(
    listed: Vec<ListedCommit>,
    order: CommitOrder,
    commits: &mut Commits,
    reader: &mut Reader,
) -> Result<Vec<ListedCommit>, Error> {
    if order == CommitOrder::Chronological {
        return Ok(listed);
    }
    let mut dates = Vec::new();
    for (commit, _) in &listed {
        match order {
            CommitOrder::Date => dates.push(commits.header_without_tree(*commit, reader)?.time),
            CommitOrder::AuthorDate => dates.push(author_date(commits.id(*commit), reader)?),
            CommitOrder::Chronological | CommitOrder::Topological => {}
        }
    }
    let positions = listed.iter().enumerate();
    let positions: FxHashMap<CommitIndex, usize> = positions
        .map(|(position, (commit, _))| (*commit, position))
        .collect();
    let mut children = vec![0_usize; listed.len()];
    for parent in listed.iter().flat_map(|(_, parents)| parents) {
        if let Some(&position) = positions.get(parent) {
            children[position] += 1;
        }
    }
    let mut ready = match order {
        CommitOrder::Chronological | CommitOrder::Topological => ReadyCommits::Stack(Vec::new()),
        CommitOrder::Date | CommitOrder::AuthorDate => ReadyCommits::Queue(BinaryHeap::new()),
    };
    let mut arrivals = 0;
    let mut push = |position: usize, ready: &mut ReadyCommits| match ready {
        ReadyCommits::Stack(stack) => stack.push(position),
        ReadyCommits::Queue(queue) => {
            arrivals += 1;
            queue.push((dates[position], Reverse(arrivals), position));
        }
    };
    for position in (0..listed.len()).filter(|&position| children[position] == 0) {
        push(position, &mut ready);
    }
    if let ReadyCommits::Stack(tips) = &mut ready {
        tips.reverse();
    }
    let mut sorted = Vec::with_capacity(listed.len());
    while let Some(position) = ready.pop() {
        let (commit, parents) = &listed[position];
        for parent in parents {
            if let Some(&parent) = positions.get(parent) {
                children[parent] -= 1;
                if children[parent] == 0 {
                    push(parent, &mut ready);
                }
            }
        }
        sorted.push((*commit, parents.clone()));
    }
    Ok(sorted)
}

fn author_date(id: objects::ObjectId, reader: &mut Reader) -> Result<i64, Error> {
    Ok(author_time(&reader.object(&id)?.data))
}
