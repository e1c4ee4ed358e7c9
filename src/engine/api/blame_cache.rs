//! Finished blames of earlier runs, which a walk may take instead of following lines further.
//!
//! The origin of a line depends on its commit, path and line number alone, since whole versions are
//! compared. A walk for a newer commit can therefore stop where it meets a version whose blame is
//! known. `-M` and `-C` are the exception: they score the range that is still open, so that only a
//! blame of the whole file can be taken.

use std::{collections::HashSet, fmt};

use bstr::BStr;

use crate::{engine::api::blame::CachedBlame, objects::ObjectId};

/// Finds cached blames that were made with the options of the current request.
pub trait BlameCache: fmt::Debug {
    /// Another file is blamed than before.
    fn begin_file(&mut self) {}

    /// The commits that have a cached blame of `path`. Asked once for each path of a blame.
    fn commits(&mut self, path: &BStr) -> HashSet<ObjectId>;

    /// The cached blame of `path` in `commit`, where it has the blob `blob`. `None` if it cannot be
    /// read or is not valid.
    fn get(&mut self, commit: &ObjectId, path: &BStr, blob: &ObjectId) -> Option<CachedBlame>;
}

/// Opens the cached blames for a thread that blames files of a plan; `None` if there are none.
pub type OpenBlameCache<'a> = dyn Fn() -> Option<Box<dyn BlameCache>> + Sync + 'a;
