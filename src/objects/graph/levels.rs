//! Levels of commits: how long the longest way is from a commit to one without parents.
//!
//! A commit's ancestors all have lower ones, so it contains no other commit of its level, or of a
//! higher one.

use crate::objects::{graph::edges::DATES, types::CommitTable};

/// It was not looked at.
const UNSEEN: u32 = u32::MAX;
/// Its parents are looked at.
const OPEN: u32 = u32::MAX - 1;

/// The first level that a record of a commit-graph cannot hold.
const END: u32 = 1 << 30;

/// The levels of commits by their numbers: 1 without parents, or else one more than the highest of
/// the parents. 0 where an ancestor is known by its id alone, or has no record as
/// its date is too large, or is the commit itself, as damaged objects may have it.
pub(crate) fn levels(commits: &impl CommitTable) -> Vec<u32> {
    let count = commits.count();
    let mut levels = vec![UNSEEN; count];
    let mut parents = Vec::new();
    let mut pending = Vec::new();
    // Most have lower numbers than their parents.
    for start in (0..count).rev() {
        pending.push(start);
        while let Some(&at) = pending.last() {
            if levels[at] < OPEN {
                pending.pop();
                continue;
            }
            let record = commits.record(at, &mut parents);
            let is_known = record.is_some_and(|(_, time)| DATES.contains(&time));
            let unseen = |parent: &&u32| levels[**parent as usize] == UNSEEN;
            let waits_for: Vec<u32> = match levels[at] {
                UNSEEN => parents.iter().filter(unseen).copied().collect(),
                _ => Vec::new(),
            };
            levels[at] = if waits_for.is_empty() {
                pending.pop();
                let of_parents = parents.iter().map(|parent| levels[*parent as usize]);
                let are_known = is_known && of_parents.clone().all(|it| (1..END - 1).contains(&it));
                if are_known {
                    of_parents.max().unwrap_or(0) + 1
                } else {
                    0
                }
            } else {
                pending.extend(waits_for.iter().map(|parent| *parent as usize));
                OPEN
            };
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::types::{CommitList, CommitRecord};
    use gix_hash::{Kind, ObjectId};

    /// Commits with these parents; `None` for those that are known by their ids alone.
    fn list(parents: &[Option<&[u32]>]) -> CommitList {
        let null = ObjectId::null(Kind::Sha1);
        let mut list = CommitList::default();
        for parents in parents {
            let number = list.push_id(null) as usize;
            let start = list.parents.len() as u32;
            list.parents.extend(parents.unwrap_or_default());
            let end = list.parents.len() as u32;
            list.records[number] = parents.map(|_| CommitRecord {
                tree: null,
                time: 0,
                parents: start..end,
            });
        }
        list
    }

    #[test]
    fn a_level_is_one_more_than_the_highest_of_the_parents() {
        let merged: [Option<&[u32]>; 5] =
            [Some(&[1, 2]), Some(&[3]), Some(&[4]), Some(&[4]), Some(&[])];
        assert_eq!(levels(&list(&merged)), [4, 3, 2, 2, 1]);
        let oldest_first: [Option<&[u32]>; 4] =
            [Some(&[]), Some(&[0]), Some(&[0, 1]), Some(&[2, 0, 1])];
        assert_eq!(levels(&list(&oldest_first)), [1, 2, 3, 4]);
    }

    #[test]
    fn what_is_before_an_unknown_commit_is_not_known() {
        let parents: [Option<&[u32]>; 5] = [Some(&[1, 3]), Some(&[2]), None, Some(&[4]), Some(&[])];
        assert_eq!(levels(&list(&parents)), [0, 0, 0, 2, 1]);
    }

    #[test]
    fn a_cycle_has_no_levels() {
        let parents: [Option<&[u32]>; 5] = [
            Some(&[1]),
            Some(&[2, 4]),
            Some(&[1, 4]),
            Some(&[3]),
            Some(&[]),
        ];
        assert_eq!(levels(&list(&parents)), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_long_history_needs_no_deep_stack() {
        let count = 300_000;
        let ways: [&dyn Fn(u32) -> Option<u32>; 2] = [&|at| at.checked_sub(1), &|at| {
            Some(at + 1).filter(|it| *it < count)
        }];
        for parent in ways {
            let parents: Vec<Vec<u32>> = (0..count)
                .map(|at| parent(at).into_iter().collect())
                .collect();
            let parents: Vec<Option<&[u32]>> =
                parents.iter().map(|it| Some(it.as_slice())).collect();
            let found = levels(&list(&parents));
            assert_eq!(found.iter().max(), Some(&count));
            assert_eq!(found.iter().min(), Some(&1));
        }
    }
}
