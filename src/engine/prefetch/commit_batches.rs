//! The prefetched commits that the walk has not used yet.

use hashbrown::{
    HashTable,
    hash_table::{Entry, OccupiedEntry},
};

use crate::{
    engine::{history::commits::CommitKey, prefetch::exchange::PathLookup},
    objects::CommitHead,
};

/// The usual length of a batch.
pub(crate) const BATCH_LEN: usize = 32;

/// What was read of a commit.
#[derive(Debug)]
pub(crate) struct PrefetchedCommit {
    pub(crate) commit: CommitKey,
    /// `None` for a commit in the commit-graph, which both threads read themselves.
    pub(crate) header: Option<CommitHead>,
    pub(crate) lookup: PathLookup,
    /// The number of the path that was looked up.
    pub(crate) path_number: u32,
    /// The summed cost of the commits prefetched up to this one.
    pub(crate) ordinal: u64,
}

/// Batches as they were received, with an index of their commits. A batch whose commits were all
/// taken is given back for reuse: commits are large, and fresh memory is expensive.
#[derive(Debug, Default)]
pub(crate) struct CommitBatches {
    batches: Vec<Batch>,
    /// Numbers of batches without commits.
    vacant: Vec<u32>,
    slots: HashTable<Slot>,
    emptied: Vec<Vec<PrefetchedCommit>>,
}

#[derive(Debug, Default)]
struct Batch {
    commits: Vec<PrefetchedCommit>,
    /// How many of them are in the index.
    indexed: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    batch: u32,
    at: u32,
}

impl Slot {
    fn of(self, batches: &[Batch]) -> &PrefetchedCommit {
        &batches[self.batch as usize].commits[self.at as usize]
    }
}

impl CommitBatches {
    /// Adds a batch. Its commits replace earlier ones with the same key.
    pub(crate) fn insert(&mut self, commits: Vec<PrefetchedCommit>) {
        let batch = match self.vacant.pop() {
            Some(batch) => batch,
            None => {
                self.batches.push(Batch::default());
                self.batches.len() as u32 - 1
            }
        };
        self.batches[batch as usize] = Batch {
            indexed: commits.len() as u32,
            commits,
        };
        for at in 0..self.batches[batch as usize].commits.len() as u32 {
            let slot = Slot { batch, at };
            let batches = &self.batches;
            let key = slot.of(batches).commit;
            let is_same = |slot: &Slot| slot.of(batches).commit == key;
            let hash = |slot: &Slot| slot.of(batches).commit.hash();
            match self.slots.entry(key.hash(), is_same, hash) {
                Entry::Vacant(entry) => drop(entry.insert(slot)),
                Entry::Occupied(mut entry) => {
                    let replaced = std::mem::replace(entry.get_mut(), slot);
                    self.forget(replaced);
                }
            }
        }
    }

    pub(crate) fn get(&self, key: &CommitKey) -> Option<&PrefetchedCommit> {
        let is_same = |slot: &Slot| slot.of(&self.batches).commit == *key;
        let slot = self.slots.find(key.hash(), is_same)?;
        Some(slot.of(&self.batches))
    }

    /// The header of the commit after this one in its batch, mostly of its first parent.
    pub(crate) fn next_header(&self, key: &CommitKey) -> Option<&CommitHead> {
        let is_same = |slot: &Slot| slot.of(&self.batches).commit == *key;
        let slot = self.slots.find(key.hash(), is_same)?;
        let batch = &self.batches[slot.batch as usize];
        batch.commits.get(slot.at as usize + 1)?.header.as_ref()
    }

    /// Removes a commit: its lookup, the number of the path that was looked up, and its ordinal.
    pub(crate) fn take(&mut self, key: &CommitKey) -> Option<(PathLookup, u32, u64)> {
        let is_same = |slot: &Slot| slot.of(&self.batches).commit == *key;
        let entry = self.slots.find_entry(key.hash(), is_same).ok()?;
        let (slot, _) = OccupiedEntry::remove(entry);
        let commit = &mut self.batches[slot.batch as usize].commits[slot.at as usize];
        let lookup = std::mem::replace(&mut commit.lookup, PathLookup::Unknown);
        let taken = (lookup, commit.path_number, commit.ordinal);
        self.forget(slot);
        Some(taken)
    }

    /// Batches to fill again.
    pub(crate) fn emptied(&mut self) -> &mut Vec<Vec<PrefetchedCommit>> {
        &mut self.emptied
    }

    /// Counts a commit that is no longer in the index.
    fn forget(&mut self, slot: Slot) {
        let batch = &mut self.batches[slot.batch as usize];
        batch.indexed -= 1;
        if batch.indexed == 0 {
            let mut commits = std::mem::take(&mut batch.commits);
            commits.clear();
            self.emptied.push(commits);
            self.vacant.push(slot.batch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::GraphPosition;

    fn batch(range: std::ops::Range<u32>) -> Vec<PrefetchedCommit> {
        let commit = |at| PrefetchedCommit {
            commit: CommitKey::InGraph(GraphPosition(at)),
            header: None,
            lookup: PathLookup::Absent,
            path_number: 0,
            ordinal: u64::from(at),
        };
        range.map(commit).collect()
    }

    #[test]
    fn batches_are_given_back_when_all_their_commits_were_taken_or_replaced() {
        let mut commits = CommitBatches::default();
        commits.insert(batch(0..8));
        commits.insert(batch(4..12));
        for at in 0..12 {
            let key = CommitKey::InGraph(GraphPosition(at));
            assert_eq!(commits.get(&key).unwrap().ordinal, u64::from(at));
            let (lookup, _, ordinal) = commits.take(&key).unwrap();
            assert!(matches!(lookup, PathLookup::Absent));
            assert_eq!(ordinal, u64::from(at));
            assert!(commits.take(&key).is_none());
            let expected = usize::from(at >= 3) + usize::from(at >= 11);
            assert_eq!(commits.emptied().len(), expected, "after {at}");
        }
        commits.insert(batch(0..1));
        assert_eq!(commits.batches.len(), 2, "numbers are used again");
    }
}
