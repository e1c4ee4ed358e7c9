//! The trees of a commit and of a parent, compared.

use bstr::BString;
use rustc_hash::FxHashSet;

use crate::{
    engine::{
        api::error::Error,
        board::scoreboard::{PathIndex, Scoreboard},
        history::commits::InternedHeader,
        tree::changed_file::PathInParent,
        walk::state::Walk,
    },
    objects::{self, ObjectId, Reader, TreeChange, TreeEntry},
};

/// A commit's tree that is compared with a parent's.
pub(super) struct ComparedTrees<'a> {
    pub(super) parent: &'a InternedHeader,
    pub(super) tree: ObjectId,
    /// Only these directories are compared,
    pub(super) directories: &'a FxHashSet<BString>,
    /// unless all changes are put here.
    pub(super) all: Option<&'a mut Vec<TreeChange>>,
}

impl ComparedTrees<'_> {
    /// Passes the paths of the plan that the tree has, and that differ in the parent, to `visit`,
    /// with what the parent has there.
    ///
    /// # Errors
    ///
    /// A tree cannot be read.
    pub(super) fn visit(
        mut self,
        walk: &mut Walk<'_>,
        visit: &mut dyn FnMut(PathIndex, PathInParent),
    ) -> Result<(), Error> {
        let board = &walk.board;
        let parent_tree = walk.caches.commits.tree(self.parent);
        let compares_all = self.all.is_some();
        let differ = walk.caches.reader.diff_sorted_trees_within(
            Some(parent_tree),
            Some(self.tree),
            &mut |directory| compares_all || self.directories.contains(directory),
            &mut |path, old, new| {
                visit_planned(path, [old, new], board, visit);
                if let Some(all) = &mut self.all {
                    let path = path.clone();
                    all.push(TreeChange { path, old, new });
                }
            },
        );
        differ.map_err(Error::in_trees)
    }
}

/// Passes a change of a path of the plan to `visit`, unless it removes it.
pub(super) fn visit_planned(
    path: &BString,
    [old, new]: [Option<TreeEntry>; 2],
    board: &Scoreboard,
    visit: &mut dyn FnMut(PathIndex, PathInParent),
) {
    if new.is_some()
        && let Some(path) = board.find_path_index(path)
    {
        visit(path, old.map_or(PathInParent::Absent, PathInParent::Entry));
    }
}

/// What a tree changes against another one.
pub(super) struct TreeComparison {
    pub(super) changes: Vec<TreeChange>,
    /// The directories, with a slash at the end, in which it has changes that are not here.
    pub(super) left_out: Vec<BString>,
}

impl TreeComparison {
    /// Compares the tree `new` with `old` in these directories, or everywhere without them.
    ///
    /// # Errors
    ///
    /// A tree cannot be read.
    pub(super) fn new(
        [old, new]: [ObjectId; 2],
        directories: Option<&FxHashSet<BString>>,
        reader: &mut Reader,
    ) -> Result<TreeComparison, objects::Error> {
        let (mut changes, mut left_out) = (Vec::new(), Vec::new());
        reader.diff_sorted_trees_within(
            Some(old),
            Some(new),
            &mut |directory| {
                let enters = directories.is_none_or(|it| it.contains(directory));
                if !enters {
                    left_out.push(directory.to_owned());
                }
                enters
            },
            &mut |path, old, new| {
                let path = path.clone();
                changes.push(TreeChange { path, old, new });
            },
        )?;
        Ok(TreeComparison { changes, left_out })
    }
}

/// Adds the directories of a path.
pub(super) fn note_directories(directories: &mut FxHashSet<BString>, path: &[u8]) {
    for at in memchr::memrchr_iter(b'/', path) {
        if !directories.insert(BString::from(&path[..=at])) {
            break;
        }
    }
}
