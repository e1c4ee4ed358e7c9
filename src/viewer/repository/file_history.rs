//! Answers [`FileHistoryQuery`] and [`ParentFilesQuery`] with a git repository.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    engine::{FileHistorySink, FileInParent, FileRevision},
    viewer::{
        model::{
            background::{
                file_history::{FileHistoryQuery, FoundRevisions, KnownRevision},
                parent_files::ParentFilesQuery,
                query::{AnswerTaker, Answers},
            },
            source::{Failure, VersionReader},
        },
        repository::walks::GitWalks,
    },
};

/// The time between two parts of an answer.
const PART_INTERVAL: Duration = Duration::from_millis(16);
/// Most versions of a part.
const PART_LEN: usize = 256;

impl Answers<FileHistoryQuery> for GitWalks {
    fn run(
        &mut self,
        query: &FileHistoryQuery,
        AnswerTaker { found, .. }: AnswerTaker<'_, FileHistoryQuery>,
    ) -> Result<bool, Failure> {
        let mut request = (self.request)(&query.version)?;
        request.diff.ignore_whitespace = query.whitespace;
        let search = query.search.as_ref();
        let search = search.map(|pattern| pattern.regex().clone());
        let (engine, commits) = self.parts();
        let mut sink = Revisions {
            commits,
            found,
            revisions: Vec::new(),
            // The first version is sent at once.
            sent: None,
        };
        let end = engine.file_history(&request, search, &mut sink);
        engine.release_versions();
        // A break means that the task was cancelled, and nobody reads the answer.
        let _ = sink.send(None);
        Ok(!end.map_err(Failure::new)?.limited)
    }
}

impl Answers<ParentFilesQuery> for GitWalks {
    fn run(
        &mut self,
        query: &ParentFilesQuery,
        _: AnswerTaker<'_, ParentFilesQuery>,
    ) -> Result<Vec<FileInParent>, Failure> {
        let request = (self.request)(&query.version)?;
        let (engine, _) = self.parts();
        let files = engine.parent_files(&request);
        engine.release_versions();
        files.map_err(Failure::new)
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
        if is_due {
            self.send(Some(frontier))
        } else {
            ControlFlow::Continue(())
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
