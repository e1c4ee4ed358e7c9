//! The order of a commit list.
//!
//! A range is read newest first. The other orders list children before parents: the candidates are
//! the commits whose children are all listed, and the orders differ in which of them is next.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    engine::{
        api::{error::Error, request::CommitOrder},
        history::commits::{CommitIndex, Commits},
    },
    objects::{self, Reader, author_time},
};

/// Commits whose children are all listed.
enum ReadyCommits {
    /// Last in, first out.
    Stack(Vec<CommitIndex>),
    /// Newest first; equal dates in order of arrival.
    Queue(BinaryHeap<(i64, Reverse<usize>, CommitIndex)>),
}

impl ReadyCommits {
    fn pop(&mut self) -> Option<CommitIndex> {
        match self {
            ReadyCommits::Stack(stack) => stack.pop(),
            ReadyCommits::Queue(queue) => queue.pop().map(|(_, _, commit)| commit),
        }
    }
}

/// Sorts `listed`, which is newest first and whose headers were read, into `order`. With
/// `first_parent`, only first parents count.
pub(crate) fn sort(
    listed: Vec<CommitIndex>,
    order: CommitOrder,
    first_parent: bool,
    commits: &mut Commits,
    reader: &mut Reader,
) -> Result<Vec<CommitIndex>, Error> {
    if order == CommitOrder::Chronological {
        return Ok(listed);
    }
    // By commit: 0 if it is not listed, or else one more than the number of its children that are
    // not sorted yet.
    let mut waiting = vec![0_u32; commits.count()];
    for commit in &listed {
        waiting[commit.index()] = 1;
    }
    for commit in &listed {
        for parent in commits.known_parents(*commit, first_parent) {
            let waiting = &mut waiting[parent.index()];
            *waiting += u32::from(*waiting > 0);
        }
    }
    let mut ready = match order {
        CommitOrder::Chronological | CommitOrder::Topological => ReadyCommits::Stack(Vec::new()),
        CommitOrder::Date | CommitOrder::AuthorDate => ReadyCommits::Queue(BinaryHeap::new()),
    };
    let mut arrivals = 0;
    let mut push = |commit, ready: &mut ReadyCommits, commits: &mut Commits| {
        match ready {
            ReadyCommits::Stack(stack) => stack.push(commit),
            ReadyCommits::Queue(queue) => {
                arrivals += 1;
                let date = match order {
                    CommitOrder::AuthorDate => author_date(commits.id(commit), reader)?,
                    _ => commits.header_without_tree(commit, reader)?.time,
                };
                queue.push((date, Reverse(arrivals), commit));
            }
        }
        Ok::<(), Error>(())
    };
    for &commit in &listed {
        if waiting[commit.index()] == 1 {
            push(commit, &mut ready, commits)?;
        }
    }
    if let ReadyCommits::Stack(tips) = &mut ready {
        tips.reverse();
    }
    let mut sorted = Vec::with_capacity(listed.len());
    drop(listed);
    while let Some(commit) = ready.pop() {
        for parent in commits.known_parents(commit, first_parent) {
            let waiting = &mut waiting[parent.index()];
            if *waiting > 1 {
                *waiting -= 1;
                if *waiting == 1 {
                    push(parent, &mut ready, commits)?;
                }
            }
        }
        sorted.push(commit);
    }
    Ok(sorted)
}

fn author_date(id: objects::ObjectId, reader: &mut Reader) -> Result<i64, Error> {
    Ok(author_time(&reader.object(&id)?.data))
}
