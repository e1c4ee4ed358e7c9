//! The order in which a range is listed.
//!
//! A range is met newest first. The other orders put no commit before its children: what waits are
//! the commits whose children are all listed, and they differ in which of these is next.

use std::{cmp::Reverse, collections::BinaryHeap};

use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::{error::Error, request::Order},
        history::commits::{CommitIndex, Commits, Parents},
    },
    objects::{self, Reader, author_time},
};

/// A commit of a range, with its parents.
pub(crate) type Listed = (CommitIndex, Parents);

/// Commits whose children are all listed.
enum Waiting {
    /// The one that came last is next.
    Stack(Vec<usize>),
    /// The newest is next; of the same date, the one that came first.
    Queue(BinaryHeap<(i64, Reverse<usize>, usize)>),
}

impl Waiting {
    fn pop(&mut self) -> Option<usize> {
        match self {
            Waiting::Stack(stack) => stack.pop(),
            Waiting::Queue(queue) => queue.pop().map(|(_, _, place)| place),
        }
    }
}

/// Brings `listed`, which is in the order in which it was met, into `order`.
pub(crate) fn sort(
    listed: Vec<Listed>,
    order: Order,
    commits: &mut Commits,
    reader: &mut Reader,
) -> Result<Vec<Listed>, Error> {
    if order == Order::Met {
        return Ok(listed);
    }
    let mut dates = Vec::new();
    for (commit, _) in &listed {
        match order {
            Order::Date => dates.push(commits.lone_head(*commit, reader)?.time),
            Order::AuthorDate => dates.push(author_date(commits.id(*commit), reader)?),
            Order::Met | Order::Topological => {}
        }
    }
    let places = listed.iter().enumerate();
    let places: FxHashMap<CommitIndex, usize> = places
        .map(|(place, (commit, _))| (*commit, place))
        .collect();
    let mut children = vec![0_usize; listed.len()];
    for place in listed.iter().flat_map(|(_, parents)| parents) {
        if let Some(&place) = places.get(place) {
            children[place] += 1;
        }
    }
    let mut waiting = match order {
        Order::Met | Order::Topological => Waiting::Stack(Vec::new()),
        Order::Date | Order::AuthorDate => Waiting::Queue(BinaryHeap::new()),
    };
    let mut arrivals = 0;
    let mut wait = |place: usize, waiting: &mut Waiting| match waiting {
        Waiting::Stack(stack) => stack.push(place),
        Waiting::Queue(queue) => {
            arrivals += 1;
            queue.push((dates[place], Reverse(arrivals), place));
        }
    };
    for place in (0..listed.len()).filter(|&place| children[place] == 0) {
        wait(place, &mut waiting);
    }
    if let Waiting::Stack(tips) = &mut waiting {
        tips.reverse();
    }
    let mut sorted = Vec::with_capacity(listed.len());
    while let Some(place) = waiting.pop() {
        let (commit, parents) = &listed[place];
        for parent in parents {
            if let Some(&parent) = places.get(parent) {
                children[parent] -= 1;
                if children[parent] == 0 {
                    wait(parent, &mut waiting);
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
