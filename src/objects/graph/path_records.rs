//! The commits that change one path, and what they leave there.

use gix_hash::{Kind, ObjectId};

use crate::{
    objects::types::TreeEntry,
    text::byte_codec::{ByteReader, push_bytes, push_number},
};

/// How many of the entries that were added last are looked through for an equal one. A branch and
/// its merge leave the same.
const SEARCHED_ENTRIES: usize = 64;

/// The changes of one path.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathRecords {
    /// The entries that the changes replace, and those that they leave.
    entries: PackedEntries,
    changes: Vec<PathChange>,
}

/// A commit with another entry than its first parent, or than the empty tree if it has no parent.
#[derive(Debug, Clone, Copy)]
struct PathChange {
    /// The commit's number or position.
    commit: u32,
    old: EntryNumber,
    new: EntryNumber,
}

/// The index of an entry and 1, or 0 for none.
type EntryNumber = u32;

impl PathRecords {
    /// Adds the change of `commit`, which has none yet.
    pub(crate) fn add(&mut self, commit: u32, old: Option<TreeEntry>, new: Option<TreeEntry>) {
        // A walk from new to old meets what a commit replaces next as what another one leaves.
        let new = self.number_of(new);
        let old = self.number_of(old);
        self.changes.push(PathChange { commit, old, new });
    }

    fn number_of(&mut self, entry: Option<TreeEntry>) -> EntryNumber {
        let Some(entry) = entry else { return 0 };
        let known = self.entries.find_late(&entry, SEARCHED_ENTRIES);
        let at = known.unwrap_or_else(|| {
            self.entries.push(&entry);
            self.entries.len() - 1
        });
        at as u32 + 1
    }

    /// The commits with a change.
    pub(crate) fn commits(&self) -> impl Iterator<Item = u32> {
        self.changes.iter().map(|change| change.commit)
    }

    /// The entries that `commit` replaces and leaves, if it has a change. For records that were
    /// [decoded](Self::decode).
    pub(crate) fn change_of(&self, commit: u32) -> Option<[Option<TreeEntry>; 2]> {
        let at = self.changes.binary_search_by_key(&commit, |it| it.commit);
        let PathChange { old, new, .. } = self.changes[at.ok()?];
        Some([old, new].map(|number| {
            let at = number.checked_sub(1)? as usize;
            self.entries.get(at)
        }))
    }

    /// Appends the records of `path` to `out`; `positions` has the positions of the commits by
    /// their numbers.
    pub(crate) fn encode(&self, path: &[u8], positions: &[u32], out: &mut Vec<u8>) {
        push_bytes(out, path);
        push_number(out, self.entries.len() as u64);
        for entry in (0..self.entries.len()).filter_map(|at| self.entries.get(at)) {
            push_number(out, u64::from(entry.mode));
            out.extend_from_slice(entry.id.as_slice());
        }
        let position = |change: &PathChange| positions[change.commit as usize];
        let mut changes: Vec<_> = self.changes.iter().map(|it| (position(it), it)).collect();
        changes.sort_unstable_by_key(|(position, _)| *position);
        push_number(out, changes.len() as u64);
        let mut next = 0;
        for (position, change) in changes {
            push_number(out, u64::from(position - next));
            push_number(out, u64::from(change.old));
            push_number(out, u64::from(change.new));
            next = position + 1;
        }
    }

    /// The path and its records, whose commits are known by their positions, in ascending order and
    /// below `end`. `None` if the bytes are not what [`encode`](Self::encode) makes.
    pub(crate) fn decode(bytes: &[u8], hash: Kind, end: u32) -> Option<(&[u8], PathRecords)> {
        let mut reader = ByteReader::new(bytes);
        let path = reader.bytes()?;
        let mut records = PathRecords::default();
        let count = reader.count_of(1 + hash.len_in_bytes())?;
        records.entries.reserve(count, hash);
        for _ in 0..count {
            let mode = reader.small()?;
            let id = reader.id(hash)?;
            records.entries.push(&TreeEntry { mode, id });
        }
        let numbers = records.entries.len() + 1;
        let count = reader.count_of(3)?;
        records.changes.reserve_exact(count);
        let mut next = 0_u32;
        for _ in 0..count {
            let commit = next.checked_add(reader.small()?)?;
            if commit >= end {
                return None;
            }
            records.changes.push(PathChange {
                commit,
                old: reader.index(numbers)? as u32,
                new: reader.index(numbers)? as u32,
            });
            next = commit + 1;
        }
        reader.is_empty().then_some((path, records))
    }
}

/// Entries of one kind of hash, in as few bytes as they need: there are millions of them.
#[derive(Debug, Clone, Default)]
struct PackedEntries {
    /// Of each the mode and the id.
    bytes: Vec<u8>,
    /// The length of one; 0 as long as there is none.
    entry_len: usize,
}

/// The length of a mode.
const MODE_LEN: usize = 4;

/// The most that an entry needs.
const MAX_ENTRY_LEN: usize = MODE_LEN + 32;

impl PackedEntries {
    fn len(&self) -> usize {
        self.bytes.len().checked_div(self.entry_len).unwrap_or(0)
    }

    fn reserve(&mut self, count: usize, hash: Kind) {
        let entry_len = MODE_LEN + hash.len_in_bytes();
        self.bytes.reserve_exact(count * entry_len);
    }

    fn push(&mut self, entry: &TreeEntry) {
        let (bytes, len) = packed(entry);
        self.entry_len = len;
        self.bytes.extend_from_slice(&bytes[..len]);
    }

    fn get(&self, at: usize) -> Option<TreeEntry> {
        let start = at * self.entry_len;
        let bytes = self.bytes.get(start..start + self.entry_len)?;
        let (mode, id) = bytes.split_first_chunk()?;
        Some(TreeEntry {
            mode: u32::from_ne_bytes(*mode),
            id: ObjectId::try_from(id).ok()?,
        })
    }

    /// The last entry that is the same, among the last `count`.
    fn find_late(&self, entry: &TreeEntry, count: usize) -> Option<usize> {
        let (bytes, len) = packed(entry);
        let from = self.len().saturating_sub(count);
        let late = self.bytes[from * self.entry_len..].chunks_exact(len);
        late.rev()
            .position(|it| *it == bytes[..len])
            .map(|back| self.len() - 1 - back)
    }
}

/// The bytes of an entry, and how many there are.
fn packed(entry: &TreeEntry) -> ([u8; MAX_ENTRY_LEN], usize) {
    let id = entry.id.as_slice();
    let mut bytes = [0; MAX_ENTRY_LEN];
    bytes[..MODE_LEN].copy_from_slice(&entry.mode.to_ne_bytes());
    bytes[MODE_LEN..][..id.len()].copy_from_slice(id);
    (bytes, MODE_LEN + id.len())
}
