//! Visitors of the versions that a walk of a file finds.

use std::{ops::ControlFlow, sync::Arc};

use bstr::BString;

use crate::{
    engine::{
        api::file_history::ChildRevision,
        board::scoreboard::SuspectId,
        history::commits::InternedHeader,
        walk::state::{Interrupt, Walk},
    },
    objects::ObjectId,
};

/// A version that a walk has found: its file differs from that of every parent.
pub(crate) struct FoundVersion<'v> {
    pub(crate) suspect: SuspectId,
    pub(crate) header: &'v InternedHeader,
    /// The file of each parent that has it.
    pub(crate) parents: &'v [SuspectId],
    /// The versions that were made from it. Empty for the newest.
    pub(crate) children: &'v [ChildRevision],
}

/// Is called for each version, children before their parents.
pub(crate) trait VersionVisitor {
    /// The walk begins with a file. Other than the version of it, this may be a commit that left it
    /// alone.
    fn begin(&mut self, _walk: &Walk<'_>, _suspect: SuspectId) {}

    /// A version was found.
    fn version(&mut self, walk: &mut Walk<'_>, found: &FoundVersion<'_>) -> Result<(), Interrupt>;

    /// A parent has the same file: `to` takes the place of `from`.
    fn same_in_parent(&mut self, _from: SuspectId, _to: SuspectId) {}

    /// The file of a suspect is beyond a limit: it is not followed further.
    fn limit(&mut self, _walk: &mut Walk<'_>, _suspect: SuspectId) -> Result<(), Interrupt> {
        Ok(())
    }

    /// True if no version that is still to be found matters.
    fn is_done(&self) -> bool {
        false
    }

    /// The walk has come to this date (seconds since the epoch).
    fn progress(&mut self, frontier: i64) -> ControlFlow<()>;
}

/// Commit and path of a suspect.
pub(crate) fn place(walk: &Walk<'_>, suspect: SuspectId) -> (ObjectId, Arc<BString>) {
    let suspected = walk.board.get(suspect);
    let commit = walk.caches.commits.id(suspected.commit);
    (commit, Arc::clone(walk.board.path(suspected.path)))
}
