//! Merge bases: the best common ancestors of two commits (git-merge-base(1)).

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet, hash_map::Entry},
};

use crate::{
    objects::{Error, ObjectId, Reader},
    repository::open::grafts::{self, Grafts},
    sorting,
};

/// A commit is an ancestor of the one commit, or that commit.
const ONE: u8 = 1;
/// A commit is an ancestor of the others, or one of them.
const OTHERS: u8 = 2;
/// A commit is an ancestor of a common one.
const STALE: u8 = 4;

/// The best common ancestors of `one` and `other`, the newest first; `grafts` override parents.
///
/// # Errors
///
/// A commit on the way to them cannot be read.
pub(crate) fn merge_bases(
    reader: &mut Reader,
    grafts: &Grafts,
    one: ObjectId,
    other: ObjectId,
) -> Result<Vec<ObjectId>, Error> {
    if one == other {
        return Ok(vec![one]);
    }
    let mut bases = Ancestry::of(reader, grafts, one, &[other])?.bases();
    // With unusual dates, one that was found is an ancestor of another.
    let mut redundant = HashSet::new();
    for one in &bases {
        let others = bases.iter().filter(|it| *it != one);
        let others = others.filter(|it| !redundant.contains(*it)).copied();
        let others: Vec<ObjectId> = others.collect();
        if others.is_empty() || redundant.contains(one) {
            continue;
        }
        let ancestry = Ancestry::of(reader, grafts, *one, &others)?;
        redundant.extend(others.into_iter().filter(|it| ancestry.is(it, ONE)));
        if ancestry.is(one, OTHERS) {
            redundant.insert(*one);
        }
    }
    bases.retain(|base| !redundant.contains(base));
    Ok(bases)
}

/// True if `commit` is `ancestor` or descends from it.
///
/// # Errors
///
/// A commit on the way cannot be read.
pub(crate) fn is_ancestor(
    reader: &mut Reader,
    grafts: &Grafts,
    ancestor: ObjectId,
    commit: ObjectId,
) -> Result<bool, Error> {
    Ok(merge_bases(reader, grafts, commit, ancestor)?.contains(&ancestor))
}

/// A child of `parent` on the way to `tip`, which descends from that: the oldest that is no merge, or
/// the oldest merge. `None` if there is none.
///
/// # Errors
///
/// A commit on the way cannot be read.
pub(crate) fn oldest_child(
    reader: &mut Reader,
    grafts: &Grafts,
    parent: ObjectId,
    tip: ObjectId,
) -> Result<Option<ObjectId>, Error> {
    let ancestry = Ancestry::of(reader, grafts, tip, &[parent])?;
    let children = ancestry.commits.iter().filter(|(id, commit)| {
        ancestry.is(id, ONE) && !ancestry.is(id, OTHERS) && commit.parents.contains(&parent)
    });
    let age = |(id, commit): &(&ObjectId, &Ancestor)| (commit.parents.len() > 1, commit.time, **id);
    Ok(children.min_by_key(age).map(|(id, _)| *id))
}

/// The ancestors of one commit and of others, as far as common ones need them.
#[derive(Default)]
struct Ancestry {
    commits: HashMap<ObjectId, Ancestor>,
    /// The newest first, and of those of one date the first that was found.
    queue: BinaryHeap<(i64, Reverse<usize>, ObjectId)>,
    /// How many of the commits in the queue are not stale.
    fresh: usize,
    /// Common ancestors with their dates, in the order in which they were found.
    common: Vec<(i64, ObjectId)>,
}

struct Ancestor {
    time: i64,
    parents: Vec<ObjectId>,
    marks: u8,
    is_queued: bool,
    is_common: bool,
}

impl Ancestry {
    fn of(
        reader: &mut Reader,
        grafts: &Grafts,
        one: ObjectId,
        others: &[ObjectId],
    ) -> Result<Ancestry, Error> {
        let mut ancestry = Ancestry::default();
        ancestry.mark((reader, grafts), one, ONE)?;
        for other in others {
            ancestry.mark((reader, grafts), *other, OTHERS)?;
        }
        while ancestry.fresh > 0
            && let Some((_, _, id)) = ancestry.queue.pop()
        {
            let (parents, marks) = ancestry.visit(id);
            for parent in parents {
                ancestry.mark((reader, grafts), parent, marks)?;
            }
        }
        Ok(ancestry)
    }

    /// Adds marks to a commit, which is visited (again) if that changes it.
    fn mark(
        &mut self,
        (reader, grafts): (&mut Reader, &Grafts),
        id: ObjectId,
        marks: u8,
    ) -> Result<(), Error> {
        let count = self.commits.len();
        let commit = match self.commits.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let head = reader.commit_head_only(&id)?;
                unknown.insert(Ancestor {
                    time: head.time,
                    parents: grafts::parents(grafts, &id, &head),
                    marks: 0,
                    is_queued: false,
                    is_common: false,
                })
            }
        };
        if commit.marks & marks == marks {
            return Ok(());
        }
        let was_stale = commit.marks & STALE != 0;
        commit.marks |= marks;
        let is_stale = commit.marks & STALE != 0;
        if std::mem::replace(&mut commit.is_queued, true) {
            self.fresh -= usize::from(is_stale && !was_stale)
        } else {
            self.fresh += usize::from(!is_stale);
            self.queue.push((commit.time, Reverse(count), id));
        }
        Ok(())
    }

    /// The parents of a commit from the queue, and the marks for them.
    fn visit(&mut self, id: ObjectId) -> (Vec<ObjectId>, u8) {
        let Some(commit) = self.commits.get_mut(&id) else {
            return (Vec::new(), 0);
        };
        commit.is_queued = false;
        self.fresh -= usize::from(commit.marks & STALE == 0);
        let mut marks = commit.marks;
        if marks == ONE | OTHERS {
            marks |= STALE;
            if !std::mem::replace(&mut commit.is_common, true) {
                self.common.push((commit.time, id));
            }
        }
        (commit.parents.clone(), marks)
    }

    fn is(&self, id: &ObjectId, mark: u8) -> bool {
        let commit = self.commits.get(id);
        commit.is_some_and(|commit| commit.marks & mark != 0)
    }

    /// The common ancestors that are not known to be ancestors of others.
    fn bases(mut self) -> Vec<ObjectId> {
        sorting::sort_by_key(&mut self.common, |(time, _)| Reverse(*time));
        let ids = self.common.iter().map(|(_, id)| *id);
        ids.filter(|id| !self.is(id, STALE)).collect()
    }
}
