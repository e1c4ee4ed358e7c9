//! What the commits of a plan change, for who remembers it.

use std::{collections::HashSet, ops::Range, sync::Arc};

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::objects::{ObjectId, TreeChange, TreeEntry};

/// Most changes that are recorded. Each takes about 90 bytes.
const MAX_CHANGES: usize = 1 << 20;

/// The changes of commits against their first parents, which a plan finds while it compares their
/// trees.
#[derive(Debug, Default)]
pub struct PlanChanges {
    changes: Vec<RecordedChange>,
    /// By commit: a range of `changes`.
    commits: FxHashMap<ObjectId, Range<u32>>,
    /// Crafted paths must not make this slow.
    paths: HashSet<Arc<BString>>,
}

#[derive(Debug)]
struct RecordedChange {
    path: Arc<BString>,
    old: Option<TreeEntry>,
    new: Option<TreeEntry>,
}

impl PlanChanges {
    /// The number of commits whose changes are known.
    pub fn commit_count(&self) -> usize {
        self.commits.len()
    }

    /// All changes of a commit, in byte order of their paths; `None` if they are not known.
    pub fn of(&self, commit: &ObjectId) -> Option<Vec<TreeChange>> {
        let range = self.commits.get(commit)?;
        let changes = &self.changes[range.start as usize..range.end as usize];
        let change = |it: &RecordedChange| TreeChange {
            path: it.path.as_ref().clone(),
            old: it.old,
            new: it.new,
        };
        Some(changes.iter().map(change).collect())
    }

    /// Adds all changes of a commit, unless there are too many.
    pub(super) fn add(&mut self, commit: ObjectId, changes: Vec<TreeChange>) {
        let start = self.changes.len();
        if start + changes.len() > MAX_CHANGES {
            return;
        }
        for TreeChange { path, old, new } in changes {
            let path = match self.paths.get(&path) {
                Some(path) => Arc::clone(path),
                None => {
                    let path = Arc::new(path);
                    self.paths.insert(Arc::clone(&path));
                    path
                }
            };
            self.changes.push(RecordedChange { path, old, new });
        }
        let end = self.changes.len();
        self.commits.insert(commit, start as u32..end as u32);
    }
}
