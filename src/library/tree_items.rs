//! What the library returns of a directory: its entries and files.

use std::{borrow::Cow, collections::BTreeMap, path::Path};

use bstr::{BString, ByteSlice};

use super::{
    commit::CommitInfo,
    entries::BlameEntry,
    error::{Error, Result},
};
use crate::repository::{
    commits::people::Person,
    tree::node::{Node, NodeKind},
};

/// What is found of a directory.
#[derive(Debug)]
#[non_exhaustive]
pub enum TreeItem {
    /// An entry, all files of which are counted.
    Node(TreeNode),
    /// A file. It comes before the entry that it is, or is below.
    File(BlamedFile),
}

/// An entry of a directory, with what is known of the lines of its files.
///
/// Lines of generated files are counted apart, unless
/// [they count with the others](crate::TreeBuilder::count_generated).
#[derive(Debug)]
pub struct TreeNode {
    node: Node,
    last_commit: Option<CommitInfo>,
}

impl TreeNode {
    pub(super) fn new(node: Node, last_commit: Option<CommitInfo>) -> TreeNode {
        TreeNode { node, last_commit }
    }

    /// The path from the root of the tree.
    pub fn path(&self) -> Cow<'_, Path> {
        self.node.path.to_path_lossy()
    }

    /// The bytes of the path, separated by slashes on every system.
    pub fn path_bytes(&self) -> &[u8] {
        &self.node.path
    }

    /// What it is.
    pub fn kind(&self) -> NodeKind {
        self.node.kind
    }

    /// The last commit that changed it or something in it, as `git log -1 -- PATH` finds it. `None`
    /// if it is not committed, or the commit is beyond a limit of the history, or not known.
    pub fn last_commit(&self) -> Option<&CommitInfo> {
        self.last_commit.as_ref()
    }

    /// True if the history was cut off at the last commit, as in a shallow clone: an older one may
    /// have changed it.
    pub fn is_boundary(&self) -> bool {
        self.node.is_boundary
    }

    /// True if it, or something in it, was changed, added or removed in the work tree since `HEAD`.
    pub fn is_uncommitted(&self) -> bool {
        self.node.is_uncommitted == Some(true)
    }

    /// The number of files whose lines are counted.
    pub fn file_count(&self) -> u64 {
        self.node.files
    }

    /// The number of files that could not be blamed, and are not counted.
    pub fn failed_files(&self) -> u64 {
        self.node.failed
    }

    /// The number of lines.
    pub fn lines(&self) -> u64 {
        self.node.counts.lines()
    }

    /// The number of generated files, which are counted apart.
    pub fn generated_files(&self) -> u64 {
        self.node.generated_files
    }

    /// The number of lines of generated files.
    pub fn generated_lines(&self) -> u64 {
        self.node.generated_lines
    }

    /// The author dates of the oldest and of the newest commit of the lines, in seconds since
    /// 1970-01-01 00:00 UTC. `None` if there are no lines.
    pub fn seconds(&self) -> Option<(i64, i64)> {
        let (first, last) = self.node.counts.dates()?;
        Some((first.time, last.time))
    }

    /// The author date such that half of the lines are as old or older, in seconds since
    /// 1970-01-01 00:00 UTC. `None` if there are no lines.
    pub fn median_seconds(&self) -> Option<i64> {
        self.node.counts.median_time()
    }

    /// The numbers of lines by year of the authors' clocks. The year 0 stands for dates that no
    /// calendar has.
    pub fn years(&self) -> BTreeMap<i32, u32> {
        self.node.counts.years()
    }

    /// The people who wrote the lines, those with the most first. A line of a commit with the
    /// trailer `Co-authored-by` counts for its author and for each co-author.
    pub fn people(&self) -> Vec<LineAuthor> {
        let people = self.node.counts.people();
        people.into_iter().map(LineAuthor).collect()
    }
}

/// An author or co-author of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineAuthor(Person);

impl LineAuthor {
    /// The name as on most of the lines, after the mailmap; empty if there is none. Invalid UTF-8
    /// is replaced by U+FFFD.
    pub fn name(&self) -> Cow<'_, str> {
        self.0.name.to_str_lossy()
    }

    /// The bytes of the name.
    pub fn name_bytes(&self) -> &[u8] {
        &self.0.name
    }

    /// The mail address without angle brackets; empty if there is none. Invalid UTF-8 is replaced by
    /// U+FFFD.
    pub fn email(&self) -> Cow<'_, str> {
        self.0.mail.to_str_lossy()
    }

    /// The bytes of the mail address without angle brackets.
    pub fn email_bytes(&self) -> &[u8] {
        &self.0.mail
    }

    /// The number of lines.
    pub fn lines(&self) -> u32 {
        self.0.lines
    }

    /// The author dates of the oldest and of the newest commit of these lines, in seconds since
    /// 1970-01-01 00:00 UTC.
    pub fn seconds(&self) -> (i64, i64) {
        (self.0.dates.0.time, self.0.dates.1.time)
    }
}

/// A file or symbolic link of a directory, with its entries.
#[derive(Debug)]
pub struct BlamedFile {
    path: BString,
    is_generated: bool,
    entries: Result<Vec<BlameEntry>>,
}

impl BlamedFile {
    pub(super) fn new(
        path: BString,
        is_generated: bool,
        entries: Result<Vec<BlameEntry>>,
    ) -> BlamedFile {
        BlamedFile {
            path,
            is_generated,
            entries,
        }
    }

    /// The path from the root of the tree.
    pub fn path(&self) -> Cow<'_, Path> {
        self.path.to_path_lossy()
    }

    /// The bytes of the path, separated by slashes on every system.
    pub fn path_bytes(&self) -> &[u8] {
        &self.path
    }

    /// True if the file was generated or copied from elsewhere, by its attributes or its name.
    pub fn is_generated(&self) -> bool {
        self.is_generated
    }

    /// The entries in the order of their lines. They cover every line once.
    ///
    /// # Errors
    ///
    /// If the file could not be blamed.
    pub fn entries(&self) -> Result<&[BlameEntry], &Error> {
        self.entries.as_deref()
    }
}
