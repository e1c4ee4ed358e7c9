//! The merge that brought a commit into a branch.

use std::collections::{HashMap, HashSet};

use crate::objects::{CommitHead, Error, ObjectId, Reader};

/// Seconds by which clocks may have been wrong.
const SLOP: i64 = 86_400;

/// Commits of a branch that are read beyond one that is old enough: a single one may have had a
/// wrong clock.
const FURTHER: usize = 64;

/// Finds the merges of one branch: the commits that are reached by first parents from its tip.
#[derive(Debug)]
pub struct Merges {
    /// The branch as far as it was needed, the tip first, with the dates.
    branch: Vec<(ObjectId, i64)>,
    /// The commit before the last of `branch`, if there is one.
    next: Option<ObjectId>,
    members: HashMap<ObjectId, usize>,
}

impl Merges {
    /// The merges of the branch that ends at `tip`.
    pub fn new(tip: ObjectId) -> Self {
        Merges {
            branch: Vec::new(),
            next: Some(tip),
            members: HashMap::new(),
        }
    }

    /// The oldest commit of the branch that has `commit` among its ancestors. None if it is one of
    /// the branch itself, if nothing merged it, or if `stop` said so. Commits whose dates are more
    /// than a day before that of `commit` are not looked at.
    ///
    /// # Errors
    ///
    /// A commit is missing or damaged.
    pub fn find(
        &mut self,
        reader: &mut Reader,
        commit: &ObjectId,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<ObjectId>, Error> {
        let since = reader.commit_head(commit)?.time.saturating_sub(SLOP);
        self.extend(reader, since, stop)?;
        if self.members.contains_key(commit) || stop() {
            return Ok(None);
        }
        let first = self.branch.iter().rposition(|&(_, time)| time >= since);
        let Some(first) = first else {
            return Ok(None);
        };
        let mut seen = HashSet::new();
        for &(merge, _) in self.branch[..=first].iter().rev() {
            let parents = reader.commit_head(&merge)?.parents;
            let mut open: Vec<ObjectId> = parents.iter().skip(1).copied().collect();
            while let Some(id) = open.pop() {
                if id == *commit {
                    return Ok(Some(merge));
                }
                if self.members.contains_key(&id) || !seen.insert(id) {
                    continue;
                }
                if stop() {
                    return Ok(None);
                }
                let CommitHead { parents, time, .. } = reader.commit_head(&id)?;
                if time >= since {
                    open.extend(parents);
                }
            }
        }
        Ok(None)
    }

    /// Reads the branch until it is older than `since`.
    fn extend(
        &mut self,
        reader: &mut Reader,
        since: i64,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let is_old = |&(_, time): &(ObjectId, i64)| time < since;
        let mut old = self.branch.iter().rev().take_while(|it| is_old(it)).count();
        while old < FURTHER
            && let Some(id) = self.next
            && !stop()
        {
            let head = reader.commit_head(&id)?;
            let entry = (id, head.time);
            old = if is_old(&entry) { old + 1 } else { 0 };
            self.members.insert(id, self.branch.len());
            self.branch.push(entry);
            // Damaged history may go around.
            let parent = head.parents.first().copied();
            self.next = parent.filter(|parent| !self.members.contains_key(parent));
        }
        Ok(())
    }
}
