//! Entries of a blame as the library returns them.

use std::{borrow::Cow, ops::Range, path::Path, sync::Arc};

use bstr::{BString, ByteSlice};

use super::commit::{CommitId, CommitInfo};
use crate::engine::{Entry, Origin, OriginId};

/// Consecutive lines that come from the same commit and file.
///
/// Line numbers are 0-based and ranges half-open.
#[derive(Debug, Clone)]
pub struct BlameEntry {
    lines: Range<u32>,
    original_start: u32,
    commit: CommitInfo,
    path: Arc<BString>,
    previous: Option<PreviousVersion>,
    boundary: bool,
    ignored: bool,
    unblamable: bool,
}

impl BlameEntry {
    /// `origins` are all origins of the blame; `commit` is the commit of the entry's origin.
    pub(super) fn new(
        entry: &Entry,
        origin: &Origin,
        origins: &[Origin],
        commit: CommitInfo,
        boundary: bool,
    ) -> BlameEntry {
        let previous = origin.previous;
        let previous = previous.and_then(|OriginId(at)| origins.get(at as usize));
        BlameEntry {
            lines: entry.lines.clone(),
            original_start: entry.source_start,
            commit,
            path: Arc::clone(&origin.path),
            previous: previous.map(|previous| PreviousVersion {
                commit: CommitId::new(previous.commit),
                path: Arc::clone(&previous.path),
            }),
            boundary,
            ignored: entry.ignored,
            unblamable: entry.unblamable,
        }
    }

    /// The lines in the blamed contents.
    pub fn lines(&self) -> Range<u32> {
        self.lines.clone()
    }

    /// The same lines in the file of the commit they come from.
    pub fn original_lines(&self) -> Range<u32> {
        let count = self.lines.end.saturating_sub(self.lines.start);
        self.original_start..self.original_start.saturating_add(count)
    }

    /// The id of the commit that the lines come from.
    pub fn commit_id(&self) -> CommitId {
        self.commit.id()
    }

    /// The commit that the lines come from.
    pub fn commit(&self) -> &CommitInfo {
        &self.commit
    }

    /// The path of the file in that commit, from the root of the tree.
    pub fn path(&self) -> Cow<'_, Path> {
        self.path.to_path_lossy()
    }

    /// The bytes of the path, separated by slashes on every system.
    pub fn path_bytes(&self) -> &[u8] {
        &self.path
    }

    /// The version of the file before that commit, for stepping back through history. `None` if the
    /// commit added the file or is a boundary.
    pub fn previous(&self) -> Option<&PreviousVersion> {
        self.previous.as_ref()
    }

    /// True if the commit is a boundary: the walk did not look beyond it, because it has no
    /// parents, or because of a range, a date limit or a shallow clone. In
    /// [`stream`](crate::BlameBuilder::stream), as far as known at that time.
    pub fn is_boundary(&self) -> bool {
        self.boundary
    }

    /// True if the lines were passed through an ignored revision, to the lines that match best.
    pub fn is_ignored(&self) -> bool {
        self.ignored
    }

    /// True if an ignored revision changed the lines and no earlier lines match.
    pub fn is_unblamable(&self) -> bool {
        self.unblamable
    }

    /// True if the lines are not committed yet.
    pub fn is_uncommitted(&self) -> bool {
        self.commit.id().is_uncommitted()
    }
}

/// A version of a file: a commit and the path there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PreviousVersion {
    commit: CommitId,
    path: Arc<BString>,
}

impl PreviousVersion {
    /// The id of the commit.
    pub fn commit_id(&self) -> CommitId {
        self.commit
    }

    /// The path of the file in that commit, from the root of the tree.
    pub fn path(&self) -> Cow<'_, Path> {
        self.path.to_path_lossy()
    }

    /// The bytes of the path, separated by slashes on every system.
    pub fn path_bytes(&self) -> &[u8] {
        &self.path
    }
}
