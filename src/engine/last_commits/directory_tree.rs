//! Which entries a tree of a directory has in common with the one where the walk started.

use std::sync::Arc;

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    engine::api::last_commits::DirectoryEntry,
    objects::{HashKind, TreeEntry, formats::tree::entries},
    text::common_prefix::common_prefix_len,
};

/// The entries of the directory where the walk started, by number.
#[derive(Debug)]
pub(crate) struct DirectoryEntries {
    hash: HashKind,
    entries: Vec<DirectoryEntry>,
    numbers: FxHashMap<BString, u32>,
}

/// A tree of the directory, with the places of the entries in it.
#[derive(Debug)]
pub(crate) struct DirectoryTree {
    data: Arc<[u8]>,
    /// Where each entry ends.
    ends: Vec<usize>,
    /// By number: where the id of the entry is. `None` if there is none of the name and the mode
    /// that it had where the walk started.
    ids_at: Vec<Option<usize>>,
}

impl DirectoryEntries {
    /// Reads the tree where the walk starts. Of several entries with one name, only the first
    /// counts.
    ///
    /// # Errors
    ///
    /// It is not a list of entries.
    pub(crate) fn new(data: &[u8], hash: HashKind) -> Result<DirectoryEntries, &'static str> {
        let mut directory = DirectoryEntries {
            hash,
            entries: Vec::new(),
            numbers: FxHashMap::default(),
        };
        for found in entries(data, hash) {
            let found = found?;
            let number = directory.entries.len() as u32;
            if directory.numbers.contains_key(found.name) {
                continue;
            }
            directory.numbers.insert(found.name.to_owned(), number);
            directory.entries.push(DirectoryEntry {
                name: found.name.to_owned(),
                entry: found.entry(),
            });
        }
        Ok(directory)
    }

    pub(crate) fn entries(&self) -> &[DirectoryEntry] {
        &self.entries
    }

    pub(crate) fn entry(&self, number: u32) -> &DirectoryEntry {
        &self.entries[number as usize]
    }

    /// Finds the entries in a tree.
    ///
    /// # Errors
    ///
    /// It is not a list of entries.
    fn find_all(&self, data: Arc<[u8]>) -> Result<DirectoryTree, &'static str> {
        let mut ends = Vec::with_capacity(self.entries.len());
        let mut ids_at = vec![None; self.entries.len()];
        let mut is_found = vec![false; self.entries.len()];
        let mut rest = entries(&data, self.hash);
        while let Some(found) = rest.next() {
            let found = found?;
            ends.push(rest.offset());
            let Some(&number) = self.numbers.get(found.name) else {
                continue;
            };
            if std::mem::replace(&mut is_found[number as usize], true) {
                continue;
            }
            let there = self.entry(number).entry;
            let with_same_id = TreeEntry {
                id: there.id,
                ..found.entry()
            };
            if with_same_id.is_same(&there) {
                ids_at[number as usize] = Some(rest.offset() - self.hash.len_in_bytes());
            }
        }
        Ok(DirectoryTree { data, ends, ids_at })
    }

    /// Finds the entries in a tree. `known` is another one, mostly with the same names and modes;
    /// then their places are not searched for.
    ///
    /// # Errors
    ///
    /// It is not a list of entries.
    pub(crate) fn find_like(
        &self,
        known: Option<DirectoryTree>,
        data: Arc<[u8]>,
    ) -> Result<DirectoryTree, &'static str> {
        match known {
            Some(known) if known.differs_in_ids(&data, self.hash) => {
                Ok(DirectoryTree { data, ..known })
            }
            _ => self.find_all(data),
        }
    }

    /// True if a tree has the entry that had this number where the walk started.
    pub(crate) fn has_same(&self, tree: &DirectoryTree, number: u32) -> bool {
        let id = self.entry(number).entry.id;
        tree.ids_at[number as usize]
            .is_some_and(|at| tree.data[at..at + self.hash.len_in_bytes()] == *id.as_bytes())
    }
}

impl DirectoryTree {
    /// True if another tree has the same names and modes at the same places.
    fn differs_in_ids(&self, other: &[u8], hash: HashKind) -> bool {
        if other.len() != self.data.len() {
            return false;
        }
        let mut at = 0;
        loop {
            at += common_prefix_len(&self.data[at..], &other[at..]);
            let entry = self.ends.partition_point(|end| *end <= at);
            let Some(&end) = self.ends.get(entry) else {
                return true;
            };
            if at < end - hash.len_in_bytes() {
                return false;
            }
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of entries such as `100644 a 1`, whose ids consist of one digit.
    fn tree(entries: &[&str]) -> Arc<[u8]> {
        let entries = entries.iter().map(|entry| {
            let (entry, digit) = entry.rsplit_once(' ').expect("an id");
            [entry.as_bytes(), b"\0", &[digit.as_bytes()[0]; 20]].concat()
        });
        entries.collect::<Vec<_>>().concat().into()
    }

    fn numbers(directory: &DirectoryEntries, tree: &DirectoryTree) -> Vec<u32> {
        let all = 0..directory.entries().len() as u32;
        all.filter(|number| directory.has_same(tree, *number))
            .collect()
    }

    #[test]
    fn entries_are_the_same_with_their_mode_and_id() {
        let start = tree(&["100644 a 1", "40000 b 2", "100755 c 3", "100644 a 9"]);
        let directory = DirectoryEntries::new(&start, HashKind::Sha1).expect("a tree");
        assert_eq!(directory.entries().len(), 3);
        let others: [(&[&str], &[u32]); 6] = [
            (&["100644 a 1", "40000 b 2", "100755 c 3"], &[0, 1, 2]),
            (&["100644 a 1", "40000 b 4", "100755 c 3"], &[0, 2]),
            (&["100664 a 1", "100644 b 2", "100644 c 3"], &[0]),
            (&["100644 a 5", "100644 a 1", "40000 b 2"], &[1]),
            (&["100644 0 1", "100755 c 3"], &[2]),
            (&[], &[]),
        ];
        let mut known = None;
        for (entries, same) in others {
            let found = directory.find_like(known, tree(entries)).expect("a tree");
            assert_eq!(numbers(&directory, &found), same, "{entries:?}");
            known = Some(found);
        }
        let damaged = start[..start.len() - 1].into();
        assert!(directory.find_like(known, damaged).is_err());
        assert!(DirectoryEntries::new(&start[..9], HashKind::Sha1).is_err());
    }

    #[test]
    fn places_are_kept_where_only_ids_differ() {
        let start = tree(&["100644 a 1", "100644 b 2", "100644 c 3"]);
        let directory = DirectoryEntries::new(&start, HashKind::Sha1).expect("a tree");
        let known = directory
            .find_like(None, Arc::clone(&start))
            .expect("a tree");
        assert!(known.differs_in_ids(&start, HashKind::Sha1));
        for at in 0..start.len() {
            let mut other = start.to_vec();
            other[at] ^= 0x20;
            let is_in_id = at % 29 >= 9;
            assert_eq!(
                known.differs_in_ids(&other, HashKind::Sha1),
                is_in_id,
                "{at}"
            );
        }
        assert!(!known.differs_in_ids(&start[..29], HashKind::Sha1));
    }
}
