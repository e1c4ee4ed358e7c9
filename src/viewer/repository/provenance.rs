//! Implements [`ProvenanceReader`] with a git repository.

use std::sync::Arc;

use crate::{
    objects::ObjectId,
    repository::{Repository, provenance::finder::ProvenanceFinder},
    viewer::model::provenance::{FoundProvenance, ProvenanceQuery, ProvenanceReader},
};

/// Finds what brought commits, and keeps what was read for later queries.
pub(super) struct GitProvenance {
    repository: Arc<Repository>,
    /// The commit of the command line's version; `None` means `HEAD`.
    command_line_commit: Option<ObjectId>,
    /// The number of the last reading of references, with its finder.
    finder: Option<(u64, ProvenanceFinder)>,
}

impl GitProvenance {
    pub(super) fn new(
        repository: Arc<Repository>,
        command_line_commit: Option<ObjectId>,
    ) -> GitProvenance {
        GitProvenance {
            repository,
            command_line_commit,
            finder: None,
        }
    }
}

impl ProvenanceReader for GitProvenance {
    fn provenance(&mut self, query: &ProvenanceQuery, stop: &dyn Fn() -> bool) -> FoundProvenance {
        self.finder
            .take_if(|(reading, _)| *reading != query.reading);
        let (repository, commit) = (&self.repository, self.command_line_commit);
        let (_, finder) = self.finder.get_or_insert_with(|| {
            let tip = commit.or_else(|| repository.head_commit());
            let finder = ProvenanceFinder::new(Arc::clone(repository), tip);
            (query.reading, finder)
        });
        let mut found = FoundProvenance::default();
        for &commit in &query.releases {
            if stop() {
                return found;
            }
            if let Ok(release) = finder.release(&commit, stop) {
                found.releases.push((commit, release));
            }
        }
        for &commit in &query.arrivals {
            if stop() {
                return found;
            }
            if let Ok(arrival) = finder.arrival(&commit, stop) {
                found.arrivals.push((commit, arrival));
            }
        }
        found
    }
}
