//! Finds the merge that brought a commit into a branch.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    objects::{CommitHead, Error, ObjectId, Reader},
    repository::open::grafts::{Grafts, parents},
};

/// Clock skew allowed for, in seconds.
const MAX_CLOCK_SKEW: i64 = 86_400;

/// Consecutive commits of the branch that must be old enough before reading ends: a single date
/// may be wrong.
const OLD_COMMITS_TO_STOP: usize = 64;

/// Finds merges into one branch: the first-parent chain of its tip.
#[derive(Debug)]
pub struct MergeFinder {
    /// These override parents.
    grafts: Arc<Grafts>,
    /// The branch as far as it was read, tip first, with committer dates.
    branch: Vec<(ObjectId, i64)>,
    /// The first parent of the last commit of `branch`.
    next: Option<ObjectId>,
    members: HashMap<ObjectId, usize>,
}

impl MergeFinder {
    /// A finder for the branch that ends at `tip`.
    pub fn new(tip: ObjectId, grafts: Arc<Grafts>) -> Self {
        MergeFinder {
            grafts,
            branch: Vec::new(),
            next: Some(tip),
            members: HashMap::new(),
        }
    }

    /// The oldest commit of the branch that has `commit` among its ancestors. `None` if `commit` is
    /// on the branch itself, was not merged, or `stop` returned true. Commits more than a day older
    /// than `commit` are not searched.
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
        let since = reader
            .commit_head(commit)?
            .time
            .saturating_sub(MAX_CLOCK_SKEW);
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
            let mut open = self.parents(reader, &merge)?.0;
            open.drain(..open.len().min(1));
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
                let (parents, head) = self.parents(reader, &id)?;
                if head.time >= since {
                    open.extend(parents);
                }
            }
        }
        Ok(None)
    }

    fn parents(
        &self,
        reader: &mut Reader,
        id: &ObjectId,
    ) -> Result<(Vec<ObjectId>, CommitHead), Error> {
        let head = reader.commit_head(id)?;
        Ok((parents(&self.grafts, id, &head), head))
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
        while old < OLD_COMMITS_TO_STOP
            && let Some(id) = self.next
            && !stop()
        {
            let (parents, head) = self.parents(reader, &id)?;
            let entry = (id, head.time);
            old = if is_old(&entry) { old + 1 } else { 0 };
            self.members.insert(id, self.branch.len());
            self.branch.push(entry);
            // A corrupt history may have a cycle.
            let parent = parents.first().copied();
            self.next = parent.filter(|parent| !self.members.contains_key(parent));
        }
        Ok(())
    }
}
