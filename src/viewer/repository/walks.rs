//! Walks through the history of files and lines, beside a blame that may be running.

use std::sync::Arc;

use crate::{
    engine::{Engine, Request},
    repository::Repository,
    viewer::model::source::{Failure, FileVersion, VersionReader},
};

/// Makes the blame request for a version of a file.
type MakeVersionRequest = dyn FnMut(&FileVersion) -> Result<Request, Failure> + Send;

/// Follows files and lines with an engine of its own.
pub struct GitWalks {
    pub(super) repository: Arc<Repository>,
    pub(super) threads: usize,
    /// Made when it is first needed.
    engine: Option<Engine>,
    /// Makes the request for a version.
    pub(super) request: Box<MakeVersionRequest>,
    commits: Box<dyn VersionReader>,
}

impl GitWalks {
    pub(super) fn new(
        repository: Arc<Repository>,
        threads: usize,
        request: Box<MakeVersionRequest>,
        commits: Box<dyn VersionReader>,
    ) -> GitWalks {
        GitWalks {
            repository,
            threads,
            engine: None,
            request,
            commits,
        }
    }

    /// The engine, and the reader of commits.
    pub(super) fn parts(&mut self) -> (&mut Engine, &mut dyn VersionReader) {
        let (store, threads) = (self.repository.store(), self.threads);
        let new = || Engine::new(Arc::clone(store), threads);
        (self.engine.get_or_insert_with(new), self.commits.as_mut())
    }
}
