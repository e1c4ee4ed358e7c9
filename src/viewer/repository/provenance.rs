//! Answers [`ProvenanceQuery`] with a git repository.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    repository::{
        Repository,
        agents::finder::AgentFinder,
        provenance::finder::{KnownHeads, ProvenanceFinder},
    },
    viewer::model::{
        background::{
            provenance::{FoundProvenance, MergeCommit, ProvenanceQuery},
            query::{AnswerTaker, Answers, Stop, wait},
        },
        source::{Failure, VersionReader},
    },
};

/// How long the first query of a reading waits. It reads all references and many commits, which
/// would delay the frames of the complete blame and the keys that come right after them.
const READ_AFTER: Duration = Duration::from_millis(100);

/// The commits that blames have read from their objects, shared between threads.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownCommits(Arc<Mutex<Option<KnownHeads>>>);

impl KnownCommits {
    /// Replaces them.
    pub(super) fn set(&self, commits: KnownHeads) {
        if let Ok(mut known) = self.0.lock() {
            *known = Some(commits);
        }
    }

    fn get(&self) -> Option<KnownHeads> {
        self.0.lock().ok()?.clone()
    }
}

/// Finds what brought commits, and keeps what was read for later queries.
pub(super) struct GitProvenance {
    repository: Arc<Repository>,
    /// The commit of the command line's version; `None` means `HEAD`.
    command_line_commit: Option<ObjectId>,
    /// The number of the last reading of references, with its finder.
    finder: Option<(u64, ProvenanceFinder, AgentFinder)>,
    /// The commits that blames have read, so that they need not be read again.
    known: KnownCommits,
    threads: usize,
    /// Reads merges.
    commits: Box<dyn VersionReader>,
}

impl GitProvenance {
    pub(super) fn new(
        repository: Arc<Repository>,
        command_line_commit: Option<ObjectId>,
        known: KnownCommits,
        threads: usize,
        commits: Box<dyn VersionReader>,
    ) -> GitProvenance {
        GitProvenance {
            repository,
            command_line_commit,
            finder: None,
            known,
            threads,
            commits,
        }
    }
}

impl Answers<ProvenanceQuery> for GitProvenance {
    fn run(
        &mut self,
        query: &ProvenanceQuery,
        AnswerTaker { stop, .. }: AnswerTaker<'_, ProvenanceQuery>,
    ) -> Result<FoundProvenance, Failure> {
        let last = self.finder.as_ref().map(|(reading, ..)| *reading);
        if last != Some(query.reading) && wait(READ_AFTER, stop).is_break() {
            return Ok(FoundProvenance::default());
        }
        let found = self.find(query, stop);
        if let Some((_, finder, _)) = &mut self.finder {
            finder.end_reading_ahead();
        }
        Ok(found)
    }
}

impl GitProvenance {
    /// The provenance that is found until `stop` returns true.
    fn find(&mut self, query: &ProvenanceQuery, stop: Stop<'_>) -> FoundProvenance {
        self.finder
            .take_if(|(reading, ..)| *reading != query.reading);
        let (repository, commit) = (&self.repository, self.command_line_commit);
        let (_, finder, agents) = self.finder.get_or_insert_with(|| {
            let head = repository.head_commit();
            let tip = commit.or(head);
            let mut finder = ProvenanceFinder::new(Arc::clone(repository), tip, self.threads);
            // Newer versions than the first may be looked at.
            if let Some(head) = head.filter(|&head| tip != Some(head)) {
                finder.set_other_tip(head);
            }
            if let Some(known) = self.known.get() {
                finder.set_known(known);
            }
            let agents = AgentFinder::new(Arc::clone(repository));
            (query.reading, finder, agents)
        });
        let mut found = FoundProvenance {
            has_agent_notes: agents.has_notes(),
            ..FoundProvenance::default()
        };
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
            let Ok(commit) = self.commits.commit(&written.commit) else {
                continue;
            };
            let lines = written.line..written.line.saturating_add(1);
            let parts = agents.lines(
                &written.commit,
                written.path.as_bstr(),
                lines,
                commit.signature(),
            );
            found
                .agents
                .push((written.clone(), parts.into_iter().next()));
        }
        let mut merges = BTreeSet::new();
        for &commit in &query.arrivals {
            if stop() {
                return found;
            }
            if let Ok(arrival) = finder.arrival(&commit, stop) {
                found.arrivals.push((commit, arrival));
                merges.extend(arrival.merge);
            }
        }
        for id in merges {
            if let Ok(merge) = self.commits.commit(&id) {
                let summary = merge.summary();
                found.merges.push(MergeCommit { id, summary });
            }
        }
        found
    }
}
