//! Implements [`ProvenanceReader`] with a git repository.

use std::sync::Arc;

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    repository::{Repository, agents::finder::AgentFinder, provenance::finder::ProvenanceFinder},
    viewer::model::provenance::{FoundProvenance, ProvenanceQuery, ProvenanceReader},
};

/// Finds what brought commits, and keeps what was read for later queries.
pub(super) struct GitProvenance {
    repository: Arc<Repository>,
    /// The commit of the command line's version; `None` means `HEAD`.
    command_line_commit: Option<ObjectId>,
    /// The number of the last reading of references, with its finder.
    finder: Option<(u64, ProvenanceFinder, AgentFinder)>,
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
            .take_if(|(reading, ..)| *reading != query.reading);
        let (repository, commit) = (&self.repository, self.command_line_commit);
        let (_, finder, agents) = self.finder.get_or_insert_with(|| {
            let tip = commit.or_else(|| repository.head_commit());
            let finder = ProvenanceFinder::new(Arc::clone(repository), tip);
            let agents = AgentFinder::new(Arc::clone(repository));
            (query.reading, finder, agents)
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
        for written in &query.agents {
            if stop() {
                return found;
            }
            let Ok(message) = finder.message(&written.commit) else {
                continue;
            };
            let lines = written.line..written.line.saturating_add(1);
            let parts = agents.lines(&written.commit, written.path.as_bstr(), lines, &message);
            found
                .agents
                .push((written.clone(), parts.into_iter().next()));
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
