//! The paths that the commits of a history change, as they are found and written.

use std::collections::HashMap;

use bstr::BString;

use crate::objects::{
    graph::{bits::BitSet, path_records::PathRecords, path_table::EncodedPaths},
    types::TreeChange,
};

/// Most changes that are remembered. Each takes 12 bytes of memory, and the entry that it leaves
/// 24.
const MAX_CHANGES: usize = 8 << 20;

/// The paths that commits change against their first parents, by path. Commits are known by
/// numbers.
#[derive(Debug, Clone, Default)]
pub struct ChangedPaths {
    paths: HashMap<BString, PathRecords>,
    /// The commits whose changes are known.
    known: BitSet,
    count: usize,
}

impl ChangedPaths {
    /// Of the commits `known`, which are known by their positions.
    pub(crate) fn new(paths: HashMap<BString, PathRecords>, known: BitSet) -> ChangedPaths {
        let changes = paths.values().map(|records| records.commits().count());
        ChangedPaths {
            count: changes.sum(),
            paths,
            known,
        }
    }

    /// True if the changes of `commit` are known.
    pub fn knows(&self, commit: u32) -> bool {
        self.known.contains(commit)
    }

    /// The number of commits whose changes are known.
    pub fn count_known(&self) -> usize {
        self.known.count()
    }

    /// True if all these are changes of `commit`. For paths that were read from a file.
    pub fn has(&self, commit: u32, changes: &[TreeChange]) -> bool {
        changes.iter().all(|change| {
            let records = self.paths.get(&change.path);
            let found = records.and_then(|records| records.change_of(commit));
            found == Some([change.old, change.new])
        })
    }

    /// How many changes each of `count` commits has.
    pub fn change_counts(&self, count: usize) -> Vec<usize> {
        let mut counts = vec![0; count];
        for commit in self.paths.values().flat_map(PathRecords::commits) {
            if let Some(count) = counts.get_mut(commit as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// Adds all changes of a commit that was not known, unless there are too many. Returns whether
    /// they were added.
    pub fn add(&mut self, commit: u32, changes: Vec<TreeChange>) -> bool {
        if self.count + changes.len() > MAX_CHANGES {
            return false;
        }
        self.count += changes.len();
        self.known.insert(commit);
        for change in changes {
            let records = self.paths.entry(change.path).or_default();
            records.add(commit, change.old, change.new);
        }
        true
    }

    /// The chunks of a file in which the commits have these `positions` below `end`, by their
    /// numbers.
    pub(crate) fn encode(&self, positions: &[u32], end: u32) -> EncodedPaths<'_> {
        let mut known = BitSet::default();
        for (number, position) in positions.iter().enumerate() {
            if self.known.contains(number as u32) {
                known.insert(*position);
            }
        }
        let paths = self.paths.iter();
        EncodedPaths::new(
            known.to_bytes(end),
            paths.map(|(path, records)| (path.as_slice(), records)),
            positions,
        )
    }
}
