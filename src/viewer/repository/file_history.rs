//! Implements [`FileHistoryReader`] with a git repository.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    engine::{Engine, FileHistorySink, FileRevision},
    objects::Store,
    viewer::{
        model::{
            file_history::{FileHistoryQuery, FileHistoryReader, FoundRevisions, KnownRevision},
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
    store: Arc<Store>,
    threads: usize,
    /// Made when it is first needed.
    engine: Option<Engine>,
    /// Makes the request for a version.
    request: Box<MakeVersionRequest>,
    commits: Box<dyn VersionReader>,
}

impl GitFileHistory {
    pub(super) fn new(
        store: Arc<Store>,
        threads: usize,
        request: Box<MakeVersionRequest>,
        commits: Box<dyn VersionReader>,
    ) -> GitFileHistory {
        GitFileHistory {
            store,
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
        let (store, threads) = (&self.store, self.threads);
        let engine = self
            .engine
            .get_or_insert_with(|| Engine::new(Arc::clone(store), threads));
        let end = engine.file_history(&request, &mut sink);
        // A break means that the task was cancelled, and nobody reads the answer.
        let _ = sink.send(None);
        Ok(!end.map_err(Failure::new)?.limited)
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
        });
        self.send_when_due(revision.time)
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.send_when_due(frontier)
    }
}
