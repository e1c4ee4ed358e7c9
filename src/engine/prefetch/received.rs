//! Findings of the prefetch thread that the walk has received and not used yet.

use std::sync::Arc;

use hashbrown::{HashTable, hash_table::Entry};

use crate::{
    engine::{
        history::commits::{CommitKey, hash_prefix},
        prefetch::prefetched::{PathLookup, PrefetchedCommit},
    },
    objects::{CommitHead, PathChain, TreeEntry},
};

/// Prefetched commits by key.
///
/// The table has numbers of slots: moving the commits whenever the table grows took a tenth of the
/// walk's time.
#[derive(Debug, Default)]
pub(crate) struct ReceivedCommits {
    slots: Vec<ReceivedCommit>,
    /// Slots of commits that were taken.
    free: Vec<u32>,
    headers: Vec<CommitHead>,
    /// Places in `headers` whose commits were taken.
    free_headers: Vec<u32>,
    by_key: HashTable<u32>,
}

#[derive(Debug)]
struct ReceivedCommit {
    commit: PrefetchedCommit,
    /// Its place in the headers, unless both threads read its header themselves.
    header: Option<u32>,
}

impl ReceivedCommits {
    /// Adds a commit, in place of one with the same key.
    pub(crate) fn insert(&mut self, commit: PrefetchedCommit, header: Option<CommitHead>) {
        let header = header.map(|header| self.insert_header(header));
        let ReceivedCommits {
            slots,
            free,
            free_headers,
            by_key,
            ..
        } = self;
        let is_same = |slot: &u32| slots[*slot as usize].commit.commit == commit.commit;
        let rehash = |slot: &u32| hash(&slots[*slot as usize].commit.commit);
        match by_key.entry(hash(&commit.commit), is_same, rehash) {
            Entry::Occupied(slot) => {
                let slot = &mut slots[*slot.get() as usize];
                free_headers.extend(slot.header);
                *slot = ReceivedCommit { commit, header };
            }
            Entry::Vacant(place) => match free.pop() {
                Some(slot) => {
                    place.insert(slot);
                    slots[slot as usize] = ReceivedCommit { commit, header };
                }
                None => {
                    place.insert(slots.len() as u32);
                    slots.push(ReceivedCommit { commit, header });
                }
            },
        }
    }

    /// Adds a header and returns its place.
    fn insert_header(&mut self, header: CommitHead) -> u32 {
        if let Some(at) = self.free_headers.pop() {
            self.headers[at as usize] = header;
            return at;
        }
        self.headers.push(header);
        self.headers.len() as u32 - 1
    }

    /// The slot of a commit.
    pub(crate) fn find(&self, key: &CommitKey) -> Option<u32> {
        let is_same = |slot: &u32| self.slots[*slot as usize].commit.commit == *key;
        self.by_key.find(hash(key), is_same).copied()
    }

    /// The header of the commit in a slot.
    pub(crate) fn header(&self, slot: u32) -> Option<&CommitHead> {
        let at = self.slots[slot as usize].header?;
        self.headers.get(at as usize)
    }

    /// Takes a commit if it was found to have `entry` at the path of this number: its chain, and
    /// the commit's ordinal.
    pub(crate) fn take_same(
        &mut self,
        key: &CommitKey,
        path_number: u32,
        entry: &TreeEntry,
    ) -> Option<(Option<Arc<PathChain>>, u64)> {
        let slots = &mut self.slots;
        let is_same = |slot: &u32| slots[*slot as usize].commit.commit == *key;
        let found = self.by_key.find_entry(hash(key), is_same).ok()?;
        let ReceivedCommit { commit, header } = &mut slots[*found.get() as usize];
        match &mut commit.lookup {
            PathLookup::At(own, chain) if own == entry && commit.path_number == path_number => {
                let taken = (chain.take(), commit.ordinal);
                self.free_headers.extend(header.take());
                self.free.push(found.remove().0);
                Some(taken)
            }
            _ => None,
        }
    }

    /// Takes a commit: what it has at the path, the number of the path, and the commit's ordinal.
    pub(crate) fn take(&mut self, key: &CommitKey) -> Option<(PathLookup, u32, u64)> {
        let slots = &mut self.slots;
        let is_same = |slot: &u32| slots[*slot as usize].commit.commit == *key;
        let (slot, _) = self.by_key.find_entry(hash(key), is_same).ok()?.remove();
        self.free.push(slot);
        let ReceivedCommit { commit, header } = &mut slots[slot as usize];
        self.free_headers.extend(header.take());
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
