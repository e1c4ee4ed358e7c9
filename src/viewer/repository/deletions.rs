//! Answers [`DeletionQuery`] with a git repository.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    engine::{Deletion, DeletionSink, OwnChange},
    objects::ObjectId,
    viewer::{
        model::{
            background::{
                deletions::{DeletionQuery, FoundDeletions, KnownDeletion},
                line_history::HistoryChange,
                query::{AnswerTaker, Answers},
            },
            source::{CommitMetadata, Failure, VersionReader},
        },
        repository::{line_changes::rows_of_deletion, walks::GitWalks},
    },
};

/// The time between two parts of an answer.
const PART_INTERVAL: Duration = Duration::from_millis(16);
/// Most deletions of a part.
const PART_LEN: usize = 256;
/// The rows of all deletions have at most this many bytes; later ones are listed without rows.
const MAX_TEXT_LEN: usize = 32 << 20;

impl Answers<DeletionQuery> for GitWalks {
    fn run(
        &mut self,
        query: &DeletionQuery,
        AnswerTaker { found, .. }: AnswerTaker<'_, DeletionQuery>,
    ) -> Result<bool, Failure> {
        let mut request = (self.request)(&query.version)?;
        request.diff.ignore_whitespace = query.whitespace;
        let (engine, commits) = self.parts();
        let mut sink = Deletions {
            commits,
            found,
            deletions: Vec::new(),
            last_commit: None,
            sent: Instant::now(),
            text_len: 0,
        };
        let end = engine.deletions(&request, &mut sink);
        engine.release_versions();
        // A break means that the task was cancelled, and nobody reads the answer.
        let _ = sink.send(None);
        Ok(!end.map_err(Failure::new)?.limited)
    }
}

/// Passes deletions on with their commits.
struct Deletions<'a> {
    commits: &'a mut dyn VersionReader,
    found: &'a mut dyn FnMut(FoundDeletions) -> ControlFlow<()>,
    deletions: Vec<KnownDeletion>,
    /// A commit often deletes lines in several places.
    last_commit: Option<(ObjectId, Result<Arc<CommitMetadata>, Failure>)>,
    /// When the last part was sent.
    sent: Instant,
    text_len: usize,
}

impl Deletions<'_> {
    fn send(&mut self, frontier: Option<i64>) -> ControlFlow<()> {
        self.sent = Instant::now();
        (self.found)(FoundDeletions {
            deletions: std::mem::take(&mut self.deletions),
            frontier,
        })
    }

    fn send_when_due(&mut self, frontier: i64) -> ControlFlow<()> {
        if self.deletions.len() >= PART_LEN || self.sent.elapsed() >= PART_INTERVAL {
            self.send(Some(frontier))
        } else {
            ControlFlow::Continue(())
        }
    }

    fn metadata(&mut self, commit: ObjectId) -> Result<Arc<CommitMetadata>, Failure> {
        match &self.last_commit {
            Some((last, metadata)) if *last == commit => metadata.clone(),
            _ => {
                let metadata = self.commits.commit(&commit).map(Arc::new);
                self.last_commit = Some((commit, metadata.clone()));
                metadata
            }
        }
    }
}

impl DeletionSink for Deletions<'_> {
    fn deletion(&mut self, deletion: &Deletion<'_>) -> ControlFlow<()> {
        let mut rows = rows_of_deletion(deletion);
        self.text_len += rows.iter().map(|line| line.text.len() + 64).sum::<usize>();
        if self.text_len > MAX_TEXT_LEN {
            rows = Vec::new();
        }
        let metadata = self.metadata(deletion.commit);
        let place = deletion.place..deletion.place;
        let previous = (
            deletion.parent,
            Arc::clone(deletion.parent_path),
            vec![deletion.lines.clone()],
        );
        self.deletions.push(KnownDeletion {
            below: deletion.before,
            line_count: deletion.lines.end - deletion.lines.start,
            change: HistoryChange {
                commit: deletion.commit,
                metadata,
                path: Arc::clone(deletion.path),
                lines: vec![place],
                previous: Some(previous),
                is_birth: false,
                is_merge: deletion.is_merge,
                is_inferred: false,
                own_lines: Vec::new(),
                old_own_lines: Vec::new(),
                own_change: OwnChange::Changed(100),
                counts: (0, deletion.lines.end - deletion.lines.start),
                rows,
            },
        });
        self.send_when_due(deletion.time)
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.send_when_due(frontier)
    }
}
