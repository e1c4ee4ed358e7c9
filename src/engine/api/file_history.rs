//! The result of following a file through history, and the interface that receives it version by
//! version.

use std::{ops::ControlFlow, sync::Arc};

use bstr::BString;

use crate::objects::{ObjectId, TreeEntry};

/// A commit that made a version of the file.
#[derive(Debug)]
pub struct FileRevision<'a> {
    /// The commit; the null id for the uncommitted one.
    pub commit: ObjectId,
    /// The committer's date, in seconds since the epoch.
    pub time: i64,
    /// The file's path in the commit, relative to the root of its tree.
    pub path: &'a Arc<BString>,
    /// Mode and blob of the version.
    pub entry: TreeEntry,
    /// The commit has several parents.
    pub is_merge: bool,
    /// The number of lines that were added since the previous version; all lines if there is none.
    pub added: u32,
    /// The number of lines that were removed since the previous version.
    pub removed: u32,
    /// The version in the first parent that has the file; `None` if none has it.
    pub previous: Option<PreviousRevision<'a>>,
    /// The versions that were made from this one. Empty for the newest.
    pub children: &'a [ChildRevision],
    /// The occurrences of the text that is searched for, if any is.
    pub occurrences: Option<TextOccurrences>,
}

/// How often a version contains a text. TextOccurrences do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOccurrences {
    /// The number in the version.
    pub count: u64,
    /// The number in the previous version; 0 if there is none.
    pub previous: u64,
    /// True if the number is another one in every parent, as for `git log -S`. A parent without the
    /// file has none.
    pub is_changed: bool,
}

/// A version that was made from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildRevision {
    /// Its number in the order in which versions are passed to the sink (0-based).
    pub number: u32,
    /// True if the other one is its [`previous`](FileRevision::previous) version.
    pub is_of_previous: bool,
}

/// A commit's change of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevisionChange {
    /// No parent has the file.
    Added,
    /// Its contents or mode changed.
    Modified,
    /// It had another path.
    Renamed,
    /// It was of another type, such as a symbolic link.
    TypeChanged,
}

impl RevisionChange {
    /// The change in a word, for programs.
    pub fn name(self) -> &'static str {
        match self {
            RevisionChange::Added => "added",
            RevisionChange::Modified => "modified",
            RevisionChange::Renamed => "renamed",
            RevisionChange::TypeChanged => "typeChanged",
        }
    }

    /// The letter of `git log --name-status`.
    pub fn letter(self) -> u8 {
        match self {
            RevisionChange::Added => b'A',
            RevisionChange::Modified => b'M',
            RevisionChange::Renamed => b'R',
            RevisionChange::TypeChanged => b'T',
        }
    }
}

impl FileRevision<'_> {
    /// The change of the file since that of the first parent that has it.
    pub fn change(&self) -> RevisionChange {
        match &self.previous {
            None => RevisionChange::Added,
            Some(previous) if previous.path != self.path => RevisionChange::Renamed,
            Some(previous) if previous.entry.file_type() != self.entry.file_type() => {
                RevisionChange::TypeChanged
            }
            Some(_) => RevisionChange::Modified,
        }
    }
}

/// The file before a commit.
#[derive(Debug, Clone, Copy)]
pub struct PreviousRevision<'a> {
    /// The parent. Another commit may have made its version.
    pub commit: ObjectId,
    /// The file's path in the parent.
    pub path: &'a Arc<BString>,
    /// Mode and blob of the version.
    pub entry: TreeEntry,
}

/// Receives the versions of a file as they are found. Every method can stop the walk.
pub trait FileHistorySink {
    /// A commit made a version of the file. Children come before their parents, otherwise newer
    /// commits first.
    fn revision(&mut self, revision: &FileRevision<'_>) -> ControlFlow<()>;
    /// Called for each visited commit, with its date: the versions that are still to come are about
    /// as old or older.
    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
