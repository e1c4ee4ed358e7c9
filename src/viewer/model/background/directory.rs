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
    /// In the work tree: the entries without lines, in the order of their states, and the number of
    /// those beyond a bound.
    Lineless(Vec<LinelessEntry>, usize),
}

/// An entry of a directory of the work tree of which no lines are blamed, as it is not among the
/// files that git tracks and that are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinelessEntry {
    /// Its name in the directory.
    pub name: BString,
    /// What it is, or was in HEAD.
    pub kind: EntryKind,
    /// Why it is not among these.
    pub state: LinelessState,
}

/// Why an entry is not among the files that git tracks and that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinelessState {
    /// HEAD has it, but the work tree has not: of a directory, no file that git tracks.
    Removed,
    /// HEAD and the work tree have it, but git does not track it any more.
    Unstaged,
    /// git does not track it.
    Untracked,
    /// git is told to ignore it.
    Ignored,
}

impl LinelessState {
    /// The word after its name.
    pub fn name(self) -> &'static str {
        match self {
            LinelessState::Removed => "removed",
            LinelessState::Unstaged => "removed from the index",
            LinelessState::Untracked => "untracked",
            LinelessState::Ignored => "ignored",
        }
    }
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
    /// The commit that has it, if a sparse checkout leaves all of it out of the work tree.
    pub left_out: Option<ObjectId>,
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

/// The path below a directory, which is empty for the root; `None` if it is elsewhere.
pub(crate) fn name_below<'a>(directory: &[u8], path: &'a [u8]) -> Option<&'a [u8]> {
    match directory {
        [] => Some(path),
        above => path.strip_prefix(above)?.strip_prefix(b"/"),
    }
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
    /// The history ends there because of a limit of the range, or was cut off as in a shallow clone:
    /// the commit has the entry, and this or an older one was the last that changed it.
    pub is_boundary: bool,
}
