//! What the walks of one answer have looked up and compared, for those that come after them.

use std::sync::Arc;

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    diff::{DiffOptions, Hunk},
    engine::history::commits::{CommitIndex, slot},
    objects::{ObjectId, TreeEntry},
};

/// Most hunks that are kept: 32 MiB.
const MAX_HUNKS: usize = 2 << 20;

/// Most paths and entries of each.
const MAX_PATHS: usize = 16;
const MAX_ENTRIES: usize = 1 << 20;

/// The hunks between two blobs, by the options of the diff.
type KnownDiffs = Vec<(DiffOptions, Vec<Hunk>)>;

/// Entries of paths in commits, and diffs. Both are pure functions of the repository, so that
/// walks with different options share them.
#[derive(Debug, Default)]
pub(crate) struct SharedWork {
    paths: Vec<PathEntries>,
    diffs: FxHashMap<(ObjectId, ObjectId), KnownDiffs>,
    hunks: usize,
}

/// The entries of a path in commits.
#[derive(Debug)]
struct PathEntries {
    path: Arc<BString>,
    /// In the order in which they were found; a commit seldom has another one than its child.
    entries: Vec<Option<TreeEntry>>,
    /// By commit, the number of its entry from 1 on; 0 if it was not looked up.
    of_commit: Vec<u32>,
}

impl SharedWork {
    /// True before anything was kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The entry of a path in a commit; the outer `None` if it was not looked up.
    pub(crate) fn entry(&self, path: &BString, commit: CommitIndex) -> Option<Option<TreeEntry>> {
        let known = self.paths.iter().find(|known| *known.path == *path)?;
        let number = known.of_commit.get(commit.index())?.checked_sub(1)?;
        known.entries.get(number as usize).copied()
    }

    /// Keeps the entry of a path in a commit.
    pub(crate) fn keep_entry(
        &mut self,
        path: &Arc<BString>,
        commit: CommitIndex,
        entry: Option<TreeEntry>,
    ) {
        let at = self.paths.iter().position(|known| *known.path == **path);
        let at = match at {
            Some(at) => at,
            None if self.paths.len() == MAX_PATHS => return,
            None => {
                self.paths.push(PathEntries {
                    path: Arc::clone(path),
                    entries: Vec::new(),
                    of_commit: Vec::new(),
                });
                self.paths.len() - 1
            }
        };
        let known = &mut self.paths[at];
        if known.entries.last() != Some(&entry) {
            if known.entries.len() == MAX_ENTRIES {
                return;
            }
            known.entries.push(entry);
        }
        *slot(&mut known.of_commit, commit) = known.entries.len() as u32;
    }

    /// The hunks between two blobs, the older one first.
    pub(crate) fn diff(
        &self,
        pair: &(ObjectId, ObjectId),
        options: &DiffOptions,
    ) -> Option<&[Hunk]> {
        let known = self.diffs.get(pair)?.iter();
        let mut known = known.filter(|(of, _)| of == options);
        known.next().map(|(_, hunks)| hunks.as_slice())
    }

    /// Keeps the hunks between two blobs.
    pub(crate) fn keep_diff(
        &mut self,
        pair: (ObjectId, ObjectId),
        options: DiffOptions,
        hunks: &[Hunk],
    ) {
        // Where there are none, the pair takes room too.
        let hunks_after = self.hunks + hunks.len() + 1;
        if hunks_after > MAX_HUNKS || self.diff(&pair, &options).is_some() {
            return;
        }
        self.hunks = hunks_after;
        let known = self.diffs.entry(pair).or_default();
        known.push((options, hunks.to_vec()));
    }
}
