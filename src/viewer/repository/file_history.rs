//! Implements [`FileHistoryReader`] with a git repository.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    engine::{
        Engine, Entry, FileHistorySink, FileRevision, Origin, OriginId, Request, Sink, Start,
    },
    repository::Repository,
    viewer::{
        model::{
            file_history::{FileHistoryQuery, FileHistoryReader, FoundRevisions, KnownRevision},
            line_outcome::{CommittedLine, LineOutcome, LineOutcomeQuery},
            source::{Failure, VersionReader},
        },
        repository::line_history::MakeVersionRequest,
    },
};

/// The time between two parts of an answer.
const PART_INTERVAL: Duration = Duration::from_millis(16);
/// Most versions of a part.
const PART_LEN: usize = 256;

/// Follows files with an engine of its own, beside a blame that may be running.
pub(super) struct GitFileHistory {
    repository: Arc<Repository>,
    threads: usize,
    /// Made when it is first needed.
    engine: Option<Engine>,
    /// Makes the request for a version.
    request: Box<MakeVersionRequest>,
    commits: Box<dyn VersionReader>,
}

impl GitFileHistory {
    pub(super) fn new(
        repository: Arc<Repository>,
        threads: usize,
        request: Box<MakeVersionRequest>,
        commits: Box<dyn VersionReader>,
    ) -> GitFileHistory {
        GitFileHistory {
            repository,
            threads,
            engine: None,
            request,
            commits,
        }
    }
}

impl FileHistoryReader for GitFileHistory {
    fn file_history(
        &mut self,
        query: &FileHistoryQuery,
        found: &mut dyn FnMut(FoundRevisions) -> ControlFlow<()>,
    ) -> Result<bool, Failure> {
        let mut request = (self.request)(&query.version)?;
        request.diff.ignore_whitespace = query.whitespace;
        let mut sink = Revisions {
            commits: self.commits.as_mut(),
            found,
            revisions: Vec::new(),
            // The first version is sent at once.
            sent: None,
        };
        let engine = engine(&mut self.engine, &self.repository, self.threads);
        let end = engine.file_history(&request, query.search.clone(), &mut sink);
        engine.release_versions();
        // A break means that the task was cancelled, and nobody reads the answer.
        let _ = sink.send(None);
        Ok(!end.map_err(Failure::new)?.limited)
    }

    fn line_outcome(
        &mut self,
        query: &LineOutcomeQuery,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<LineOutcome, Failure> {
        let request = (self.request)(&query.version)?;
        if matches!(request.start, Start::Uncommitted(_)) {
            return Err(Failure("the work tree is the newest version".to_owned()));
        }
        let head = self.repository.head_commit();
        let head = head.ok_or_else(|| Failure("there is no HEAD".to_owned()))?;
        let line = query.line..query.line.saturating_add(1);
        // The range is that from the version to HEAD, whatever the command line's is.
        let mut request = Request {
            ranges: Some(vec![line]),
            reverse: Some(vec![head]),
            negatives: Vec::new(),
            boundaries: Vec::new(),
            since: None,
            ..request
        };
        request.diff.ignore_whitespace = query.whitespace;
        let engine = engine(&mut self.engine, &self.repository, self.threads);
        let blame = engine.blame(&request, &mut WhileWanted(go_on));
        engine.release_versions();
        let blame = blame.map_err(Failure::new)?;
        let origin = |id: OriginId| blame.origins.get(id.0 as usize);
        let entry = blame.entries.first();
        let found = entry.and_then(|entry| Some((entry, origin(entry.origin)?)));
        let Some((entry, last)) = found else {
            return Err(Failure(format!("there is no line {}", query.line + 1)));
        };
        let next = last.previous.and_then(origin);
        let next = next.map(|next| (next.commit, Arc::clone(&next.path)));
        let metadata = next
            .as_ref()
            .and_then(|(id, _)| self.commits.commit(id).ok());
        Ok(LineOutcome {
            last: CommittedLine {
                commit: last.commit,
                path: Arc::clone(&last.path),
                line: entry.source_start,
            },
            is_at_head: last.commit == head,
            next,
            metadata: metadata.map(Arc::new),
        })
    }
}

/// The engine, which is made when it is first needed.
fn engine<'a>(
    engine: &'a mut Option<Engine>,
    repository: &Repository,
    threads: usize,
) -> &'a mut Engine {
    engine.get_or_insert_with(|| Engine::new(Arc::clone(repository.store()), threads))
}

/// Stops a blame when its answer is no longer wanted.
struct WhileWanted<'a>(&'a mut dyn FnMut() -> ControlFlow<()>);

impl Sink for WhileWanted<'_> {
    fn started(&mut self, _: &Arc<[u8]>, _: u32) -> ControlFlow<()> {
        (self.0)()
    }

    fn entry(&mut self, _: &Entry, _: &[Origin], _: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        (self.0)()
    }
}

/// Passes versions on with their commits.
struct Revisions<'a> {
    commits: &'a mut dyn VersionReader,
    found: &'a mut dyn FnMut(FoundRevisions) -> ControlFlow<()>,
    revisions: Vec<KnownRevision>,
    /// When the last part was sent.
    sent: Option<Instant>,
}

impl Revisions<'_> {
    fn send(&mut self, frontier: Option<i64>) -> ControlFlow<()> {
        self.sent = Some(Instant::now());
        (self.found)(FoundRevisions {
            revisions: std::mem::take(&mut self.revisions),
            frontier,
        })
    }

    fn send_when_due(&mut self, frontier: i64) -> ControlFlow<()> {
        let is_due = match self.sent {
            None => !self.revisions.is_empty(),
            Some(sent) => self.revisions.len() >= PART_LEN || sent.elapsed() >= PART_INTERVAL,
        };
        match is_due {
            true => self.send(Some(frontier)),
            false => ControlFlow::Continue(()),
        }
    }
}

impl FileHistorySink for Revisions<'_> {
    fn revision(&mut self, revision: &FileRevision<'_>) -> ControlFlow<()> {
        let previous = revision.previous.as_ref();
        self.revisions.push(KnownRevision {
            commit: revision.commit,
            metadata: self.commits.commit(&revision.commit).map(Arc::new),
            time: revision.time,
            path: Arc::clone(revision.path),
            change: revision.change(),
            is_merge: revision.is_merge,
            added: revision.added,
            removed: revision.removed,
            previous: previous.map(|previous| (previous.commit, Arc::clone(previous.path))),
            children: revision.children.to_vec(),
            occurrences: revision.occurrences,
        });
        self.send_when_due(revision.time)
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.send_when_due(frontier)
    }
}
