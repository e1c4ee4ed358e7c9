//! A commit-graph's knowledge of one path.

use std::sync::atomic::{AtomicBool, Ordering};

use gix_hash::Kind;

use crate::objects::{
    graph::{
        bits::BitSet, block_file::BlockFile, path_filter::PathFilter, path_records::PathRecords,
        path_table::PathTable,
    },
    types::{GraphPosition, TreeEntry},
};

/// A commit-graph's knowledge of one path.
#[derive(Debug)]
pub enum PathHistory {
    /// git's commit-graph: filters, which rule out that most commits change the path.
    Filter(PathFilter),
    /// A remembered history: the commits that change the path, and what they leave there.
    Changes(PathChanges),
}

impl PathHistory {
    /// The path from the root.
    pub(crate) fn path(&self) -> &[u8] {
        match self {
            PathHistory::Filter(filter) => filter.path(),
            PathHistory::Changes(changes) => &changes.path,
        }
    }

    /// True if it is a filter, which can be wrong.
    pub(crate) fn is_filter(&self) -> bool {
        matches!(self, PathHistory::Filter(_))
    }

    /// The entry that the commit at `at`, which has `entry` at the path, replaces there. The outer
    /// `None` means that this is not known, or that the commit has the entry of its first parent.
    pub(crate) fn replaced(
        &self,
        at: GraphPosition,
        entry: TreeEntry,
    ) -> Option<Option<TreeEntry>> {
        let PathHistory::Changes(changes) = self else {
            return None;
        };
        let [old, new] = changes.change_of(at.0)?;
        if new != Some(entry) {
            changes.contradict();
            return None;
        }
        Some(old)
    }
}

/// The changes of one path in a remembered history.
#[derive(Debug)]
pub struct PathChanges {
    path: Box<[u8]>,
    records: PathRecords,
    /// The commits, by position, that are known to leave the path as their first parents have it.
    unchanged: BitSet,
    /// True if something else was found than it says.
    is_contradicted: AtomicBool,
}

impl PathChanges {
    /// Reads the changes of `path`; `None` if they are damaged.
    pub(crate) fn read(
        table: &PathTable,
        file: &BlockFile,
        hash: Kind,
        path: &[u8],
    ) -> Option<PathChanges> {
        let records = table.find(file, hash, path)?;
        let mut unchanged = table.known(file)?;
        for commit in records.commits() {
            // Only known commits have records.
            if !unchanged.contains(commit) {
                return None;
            }
            unchanged.remove(commit);
        }
        Some(PathChanges {
            path: path.into(),
            records,
            unchanged,
            is_contradicted: AtomicBool::new(false),
        })
    }

    /// True if the commit at this position is known to have the same entry as its first parent.
    #[inline]
    pub(crate) fn is_unchanged(&self, position: u32) -> bool {
        self.unchanged.contains(position) && !self.is_contradicted.load(Ordering::Relaxed)
    }

    /// The entries of the first parent and of the commit at this position, if they differ.
    pub(crate) fn change_of(&self, position: u32) -> Option<[Option<TreeEntry>; 2]> {
        let change = self.records.change_of(position);
        change.filter(|_| !self.is_contradicted.load(Ordering::Relaxed))
    }

    /// From now on nothing is known any more: the commit at some position has another entry.
    fn contradict(&self) {
        self.is_contradicted.store(true, Ordering::Relaxed);
    }
}
