//! The commits that change one path, and what they leave there.

use gix_hash::Kind;

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
    entries: Vec<TreeEntry>,
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
        let from = self.entries.len().saturating_sub(SEARCHED_ENTRIES);
        let at = match self.entries[from..].iter().rposition(|it| *it == entry) {
            Some(at) => from + at,
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        };
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
            self.entries.get(at).copied()
        }))
    }

    /// Appends the records of `path` to `out`; `positions` has the positions of the commits by
    /// their numbers.
    pub(crate) fn encode(&self, path: &[u8], positions: &[u32], out: &mut Vec<u8>) {
        push_bytes(out, path);
        push_number(out, self.entries.len() as u64);
        for entry in &self.entries {
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
        records.entries.reserve_exact(count);
        for _ in 0..count {
            let mode = reader.small()?;
            let id = reader.id(hash)?;
            records.entries.push(TreeEntry { mode, id });
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
