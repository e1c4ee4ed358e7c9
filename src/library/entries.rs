//! Entries of a blame as the library returns them.

use std::{borrow::Cow, ops::Range, path::Path, sync::Arc};

use bstr::{BString, ByteSlice};

use super::commit::{CommitId, CommitInfo};
use crate::{
    engine::{Entry, Origin, OriginId},
    objects::ObjectId,
};

/// Consecutive lines that come from the same commit and file.
///
/// Line numbers are 0-based and ranges half-open. Clones are cheap.
#[derive(Debug, Clone)]
pub struct BlameEntry {
    /// The id of its origin tells the origins of one blame apart.
    pub(super) entry: Entry,
    pub(super) origin: Arc<BlamedOrigin>,
}

/// Where lines come from.
#[derive(Debug)]
pub(super) struct BlamedOrigin {
    pub(super) commit: CommitInfo,
    pub(super) path: Arc<BString>,
    pub(super) previous: Option<PreviousVersion>,
    pub(super) boundary: bool,
}

impl BlamedOrigin {
    /// `origins` are all origins of the blame; `commit` is the commit of the origin.
    pub(super) fn new(
        origin: &Origin,
        origins: &[Origin],
        commit: CommitInfo,
        boundary: bool,
    ) -> BlamedOrigin {
        let previous = origin.previous;
        let previous = previous.and_then(|OriginId(at)| origins.get(at as usize));
        BlamedOrigin {
            commit,
            path: Arc::clone(&origin.path),
            previous: previous
                .map(|previous| PreviousVersion::new(&previous.commit, &previous.path)),
            boundary,
        }
    }
}

impl BlameEntry {
    /// The lines in the blamed contents.
    pub fn lines(&self) -> Range<u32> {
        self.entry.lines.clone()
    }

    /// The same lines in the file of the commit they come from.
    pub fn original_lines(&self) -> Range<u32> {
        let Range { start, end } = self.entry.lines;
        let first = self.entry.source_start;
        first..first.saturating_add(end.saturating_sub(start))
    }

    /// The id of the commit that the lines come from.
    pub fn commit_id(&self) -> CommitId {
        self.origin.commit.id()
    }

    /// The commit that the lines come from.
    pub fn commit(&self) -> &CommitInfo {
        &self.origin.commit
    }

    /// The path of the file in that commit, from the root of the tree.
    pub fn path(&self) -> Cow<'_, Path> {
        self.origin.path.to_path_lossy()
    }

    /// The bytes of the path, separated by slashes on every system.
    pub fn path_bytes(&self) -> &[u8] {
        &self.origin.path
    }

    /// The version of the file before that commit, for stepping back through history. `None` if the
    /// commit added the file or is a boundary.
    pub fn previous(&self) -> Option<&PreviousVersion> {
        self.origin.previous.as_ref()
    }

    /// True if the commit is a boundary: the walk did not look beyond it, because it has no
    /// parents, or because of a range, a date limit or a shallow clone. In
    /// [`stream`](crate::BlameBuilder::stream), as far as known at that time.
    pub fn is_boundary(&self) -> bool {
        self.origin.boundary
    }

    /// True if the lines were passed through an ignored revision, to the lines that match best.
    pub fn is_ignored(&self) -> bool {
        self.entry.ignored
    }

    /// True if an ignored revision changed the lines and no earlier lines match.
    pub fn is_unblamable(&self) -> bool {
        self.entry.unblamable
    }

    /// True if the lines are not committed yet.
    pub fn is_uncommitted(&self) -> bool {
        self.commit_id().is_uncommitted()
    }
}

/// A version of a file: a commit and the path there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PreviousVersion {
    commit: CommitId,
    path: Arc<BString>,
}

impl PreviousVersion {
    pub(super) fn new(commit: &ObjectId, path: &Arc<BString>) -> PreviousVersion {
        PreviousVersion {
            commit: CommitId::new(*commit),
            path: Arc::clone(path),
        }
    }

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
