//! Answers [`FileHistoryQuery`], [`LineOutcomeQuery`] and [`ParentFilesQuery`] with a git repository.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    engine::{
        Entry, FileHistorySink, FileInParent, FileRevision, Origin, OriginId, Request, Sink, Start,
    },
    repository::revisions::merge_bases::merge_bases,
    text::thousands::line_number,
    viewer::{
        model::{
            background::{
                file_history::{FileHistoryQuery, FoundRevisions, KnownRevision},
                line_outcome::{CommittedLine, LineOutcome, LineOutcomeQuery},
                parent_files::ParentFilesQuery,
                query::{Answers, Found, Stop},
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
        found: Found<'_, FileHistoryQuery>,
        _: Stop<'_>,
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

impl Answers<LineOutcomeQuery> for GitWalks {
    fn run(
        &mut self,
        query: &LineOutcomeQuery,
        _: Found<'_, LineOutcomeQuery>,
        stop: Stop<'_>,
    ) -> Result<LineOutcome, Failure> {
        let request = (self.request)(&query.version)?;
        if matches!(request.start, Start::Uncommitted(_)) {
            return Err(Failure::new("the work tree is the newest version"));
        }
        let head = self.repository.head_commit();
        let head = head.ok_or_else(|| Failure::new("there is no HEAD"))?;
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
        let (engine, commits) = self.parts();
        let blame = engine.blame(&request, &mut WhileWanted(stop));
        engine.release_versions();
        let blame = blame.map_err(Failure::new)?;
        let origin = |id: OriginId| blame.origins.get(id.0 as usize);
        let entry = blame.entries.first();
        let found = entry.and_then(|entry| Some((entry, origin(entry.origin)?)));
        let Some((entry, last)) = found else {
            return Err(Failure::new(format!(
                "there is no line {}",
                line_number(query.line)
            )));
        };
        let next = last.previous.and_then(origin);
        let next = next.map(|next| (next.commit, Arc::clone(&next.path)));
        let metadata = next.as_ref().and_then(|(id, _)| commits.commit(id).ok());
        // A later commit that is found is on the way to HEAD.
        let is_before_head = next.is_some() || {
            let mut reader = self.repository.reader();
            let grafts = self.repository.grafts();
            let bases = merge_bases(&mut reader, grafts, head, last.commit);
            bases.map_err(Failure::new)?.contains(&last.commit)
        };
        Ok(LineOutcome {
            last: CommittedLine {
                commit: last.commit,
                path: Arc::clone(&last.path),
                line: entry.source_start,
            },
            is_at_head: last.commit == head,
            is_before_head,
            next,
            metadata: metadata.map(Arc::new),
        })
    }
}

impl Answers<ParentFilesQuery> for GitWalks {
    fn run(
        &mut self,
        query: &ParentFilesQuery,
        _: Found<'_, ParentFilesQuery>,
        _: Stop<'_>,
    ) -> Result<Vec<FileInParent>, Failure> {
        let request = (self.request)(&query.version)?;
        let (engine, _) = self.parts();
        let files = engine.parent_files(&request);
        engine.release_versions();
        files.map_err(Failure::new)
    }
}

/// Stops a blame when its answer is no longer wanted.
struct WhileWanted<'a>(Stop<'a>);

impl WhileWanted<'_> {
    fn go_on(&self) -> ControlFlow<()> {
        if (self.0)() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Sink for WhileWanted<'_> {
    fn started(&mut self, _: &Arc<[u8]>, _: u32) -> ControlFlow<()> {
        self.go_on()
    }

    fn entry(&mut self, _: &Entry, _: &[Origin], _: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        self.go_on()
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
