//! The files of a parent that a renamed or copied file may come from.

use std::{cell::Cell, collections::HashMap};

use bstr::{BStr, BString};

use crate::{
    engine::api::{error::Error, request::Uncommitted},
    objects::{ObjectId, Reader, TreeChange, TreeEntry},
};

/// A file of the parent's tree.
pub(crate) type SourceFile = (BString, TreeEntry);

/// The memory for the files of one parent, in bytes: about five million. A repository can list as
/// many as it likes in a few kilobytes.
const MAX_BYTES: usize = 1 << 30;

/// About the memory for a file and what is measured of it, without its path.
const FILE_BYTES: usize = 160;

/// A commit's tree.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CommitTree<'a> {
    /// A stored tree.
    Stored(ObjectId),
    /// The index, with the blamed path replaced by the uncommitted contents.
    Index(&'a Uncommitted, &'a BString),
}

impl CommitTree<'_> {
    /// The id of a stored tree.
    pub(crate) fn stored(self) -> Option<ObjectId> {
        match self {
            CommitTree::Stored(tree) => Some(tree),
            CommitTree::Index(..) => None,
        }
    }
}

/// The paths of `parent` that `commit` lacks, sorted bytewise.
pub(crate) fn rename_sources(
    parent: ObjectId,
    commit: CommitTree<'_>,
    reader: &mut Reader,
) -> Result<Vec<SourceFile>, Error> {
    let mut sources = Vec::new();
    for_each_changed(parent, commit, reader, &mut |path, old, new| {
        if new.is_none() {
            sources.push((path, old));
        }
    })?;
    Ok(sources)
}

/// The paths of `parent` that lines may have been copied from, sorted bytewise: those that `commit`
/// changed or removed, or all.
pub(crate) fn copy_sources(
    parent: ObjectId,
    commit: CommitTree<'_>,
    all: bool,
    reader: &mut Reader,
) -> Result<Vec<SourceFile>, Error> {
    let mut sources = Vec::new();
    let mut keep = |path: BString, old: TreeEntry| {
        if !old.is_submodule() {
            sources.push((path, old));
        }
    };
    if all {
        let mut listed = |change: TreeChange| {
            if let Some(old) = change.old {
                keep(change.path, old);
            }
        };
        diff_trees(reader, parent, None, &mut listed)?;
    } else {
        for_each_changed(parent, commit, reader, &mut |path, old, _| keep(path, old))?;
    }
    Ok(sources)
}

/// Calls `each` for every path of `parent` that differs in `commit` or is missing there.
fn for_each_changed(
    parent: ObjectId,
    commit: CommitTree<'_>,
    reader: &mut Reader,
    each: &mut dyn FnMut(BString, TreeEntry, Option<TreeEntry>),
) -> Result<(), Error> {
    match commit {
        CommitTree::Stored(tree) => diff_trees(reader, parent, Some(tree), &mut |change| {
            if let Some(old) = change.old {
                each(change.path, old, change.new);
            }
        }),
        CommitTree::Index(start, blamed) => {
            let mut kept: HashMap<BString, TreeEntry> = start.index.entries().into_iter().collect();
            kept.insert(blamed.clone(), start.entry);
            diff_trees(reader, parent, None, &mut |change| {
                if let Some(old) = change.old {
                    let new = kept.get(&change.path).copied();
                    if new != Some(old) {
                        each(change.path, old, new);
                    }
                }
            })
        }
    }
}

/// Calls `each` for every path that differs.
///
/// # Errors
///
/// Too many paths of `old` differ.
fn diff_trees(
    reader: &mut Reader,
    old: ObjectId,
    new: Option<ObjectId>,
    each: &mut dyn FnMut(TreeChange),
) -> Result<(), Error> {
    let bytes = Cell::new(0);
    let mut enters = |_: &BStr| bytes.get() <= MAX_BYTES;
    let mut count = |change: TreeChange| {
        if change.old.is_some() {
            bytes.set(bytes.get() + FILE_BYTES + change.path.len());
        }
        if bytes.get() <= MAX_BYTES {
            each(change);
        }
    };
    let differ = reader.diff_trees_within(Some(old), new, &mut enters, &mut count);
    differ.map_err(Error::in_trees)?;
    if bytes.get() > MAX_BYTES {
        Err(Error::TooManyFiles)
    } else {
        Ok(())
    }
}
