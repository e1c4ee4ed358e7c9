//! What the walk has received from the prefetch thread and not used yet.

use hashbrown::{HashTable, hash_table::Entry};

use crate::{
    engine::{
        history::commits::{CommitKey, hash_prefix},
        prefetch::prefetched::{PathLookup, PrefetchedCommit},
    },
    objects::CommitHead,
};

/// Prefetched commits by key.
///
/// The table has numbers of slots, as a commit takes some 300 bytes: moving those whenever the table grows took a tenth of the
/// walk's time.
#[derive(Debug, Default)]
pub(crate) struct ReceivedCommits {
    slots: Vec<PrefetchedCommit>,
    /// Slots of commits that were taken.
    free: Vec<u32>,
    by_key: HashTable<u32>,
}

impl ReceivedCommits {
    /// Adds a commit, in place of one with the same key.
    pub(crate) fn insert(&mut self, commit: PrefetchedCommit) {
        let ReceivedCommits {
            slots,
            free,
            by_key,
        } = self;
        let is_same = |slot: &u32| slots[*slot as usize].commit == commit.commit;
        let rehash = |slot: &u32| hash(&slots[*slot as usize].commit);
        match by_key.entry(hash(&commit.commit), is_same, rehash) {
            Entry::Occupied(slot) => slots[*slot.get() as usize] = commit,
            Entry::Vacant(place) => match free.pop() {
                Some(slot) => {
                    place.insert(slot);
                    slots[slot as usize] = commit;
                }
                None => {
                    place.insert(slots.len() as u32);
                    slots.push(commit);
                }
            },
        }
    }

    /// The slot of a commit.
    pub(crate) fn find(&self, key: &CommitKey) -> Option<u32> {
        let is_same = |slot: &u32| self.slots[*slot as usize].commit == *key;
        self.by_key.find(hash(key), is_same).copied()
    }

    /// The header of the commit in a slot.
    pub(crate) fn header(&self, slot: u32) -> Option<&CommitHead> {
        self.slots[slot as usize].header.as_ref()
    }

    /// Takes a commit: what it has at the path, the number of the path, and the commit's ordinal.
    pub(crate) fn take(&mut self, key: &CommitKey) -> Option<(PathLookup, u32, u64)> {
        let slots = &mut self.slots;
        let is_same = |slot: &u32| slots[*slot as usize].commit == *key;
        let (slot, _) = self.by_key.find_entry(hash(key), is_same).ok()?.remove();
        self.free.push(slot);
        let commit = &mut slots[slot as usize];
        let lookup = std::mem::replace(&mut commit.lookup, PathLookup::Unknown);
        Some((lookup, commit.path_number, commit.ordinal))
    }
}

fn hash(key: &CommitKey) -> u64 {
    match key {
        CommitKey::Id(id) => hash_prefix(id),
        // Neighbours in the graph get different upper bits, too.
        CommitKey::InGraph(at) => u64::from(at.0).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    }
}
