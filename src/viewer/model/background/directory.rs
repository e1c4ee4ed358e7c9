//! The entries of a directory, with the last commit that changed each.

use std::sync::Arc;

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        background::query::Query,
        file_version::{CommitMetadata, Failure, FileVersion},
    },
};

/// A request for the entries of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryQuery {
    /// The directory, its path without a slash at its end; empty, it is the root.
    pub version: FileVersion,
}

impl Query for DirectoryQuery {
    type Item = FoundEntries;
    /// True if the last commit of each entry is known, false if a limit of the range ended the
    /// search for some.
    type End = bool;
}

/// A part of what is known of a directory.
#[derive(Debug, Clone)]
pub enum FoundEntries {
    /// All entries, first: directories before files, both in the order of their names. In the work
    /// tree they may come a second time, with what the index has.
    Names(Vec<NamedEntry>),
    /// The last commits of some of them. Those still to come are about as old as the date
    /// (seconds since the epoch), once known, or older.
    Changes(Vec<EntryChange>, Option<i64>),
    /// In the work tree: the entries that git does not know, ignored ones last, and the number of
    /// those beyond a bound.
    Untracked(Vec<UntrackedEntry>, usize),
}

/// An entry of a directory of the work tree that is not in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntrackedEntry {
    /// Its name in the directory.
    pub name: BString,
    /// What it is.
    pub kind: EntryKind,
    /// git is told to ignore it.
    pub is_ignored: bool,
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEntry {
    /// Its name in the directory.
    pub name: BString,
    /// What it is.
    pub kind: EntryKind,
    /// False if it is in the index, but not in the commit.
    pub is_committed: bool,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// A symbolic link.
    Link,
    /// Another repository.
    Submodule,
}

impl EntryKind {
    /// What follows the name of an entry of this kind.
    pub fn mark(self) -> &'static str {
        match self {
            EntryKind::Directory => "/",
            EntryKind::File => "",
            EntryKind::Link => " (link)",
            EntryKind::Submodule => " (submodule)",
        }
    }
}

/// The path of a name in a directory, which is empty for the root.
pub fn path_below(directory: &BString, name: &[u8]) -> BString {
    let mut path = directory.clone();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// The last commit that changed an entry.
#[derive(Debug, Clone)]
pub struct EntryChange {
    /// The entry's position among all (0-based).
    pub at: usize,
    /// The commit.
    pub commit: ObjectId,
    /// Its author, date and message.
    pub metadata: Result<Arc<CommitMetadata>, Failure>,
    /// The commit is beyond a limit of the range: it has the entry, and this or an older commit was
    /// the last that changed it.
    pub is_boundary: bool,
}
