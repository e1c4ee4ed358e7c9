//! Collects the engine's results into batches for the event loop.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use rustc_hash::FxHashSet;

use crate::{
    engine::{Entry, Origin, OriginId, Sink},
    objects::ObjectId,
    viewer::{
        model::{
            background::query::Stop,
            source::{CommitMetadata, Failure, VersionReader},
        },
        protocol::{AttributedLines, AttributedOrigin, BlameBatch, BlameEventKind},
    },
};

/// Entries after which a batch is sent.
const BATCH_LEN: usize = 256;

/// Time after which a smaller batch is sent.
const BATCH_INTERVAL: Duration = Duration::from_millis(16);

/// Collects the engine's results into batches. Consecutive entries of one origin are grouped.
pub(super) struct Batches<'a> {
    stop: Stop<'a>,
    send: &'a mut dyn FnMut(BlameEventKind) -> ControlFlow<()>,
    pub(super) texts: Box<dyn VersionReader>,
    /// Commits whose metadata was sent.
    sent_commits: FxHashSet<ObjectId>,
    /// The commits that were sent as the cache has them; `None` to send only whole ones.
    pub(super) shortened: Option<Vec<ObjectId>>,
    /// The origin of the latest entries.
    open: Option<(OriginId, AttributedOrigin)>,
    batch: BlameBatch,
    entries: usize,
    /// When the last batch was sent; `None` sends the first one at once.
    flushed: Option<Instant>,
    frontier: Option<i64>,
    /// The last frontier sent.
    sent_frontier: Option<i64>,
}

impl<'a> Batches<'a> {
    pub(super) fn new(
        texts: Box<dyn VersionReader>,
        stop: Stop<'a>,
        send: &'a mut dyn FnMut(BlameEventKind) -> ControlFlow<()>,
    ) -> Self {
        Batches {
            stop,
            send,
            texts,
            sent_commits: FxHashSet::default(),
            shortened: None,
            open: None,
            batch: BlameBatch::default(),
            entries: 0,
            flushed: None,
            frontier: None,
            sent_frontier: None,
        }
    }

    fn close_origin(&mut self) {
        let Some((_, origin)) = self.open.take() else {
            return;
        };
        if self.sent_commits.insert(origin.commit) {
            let metadata = self.metadata(&origin);
            self.batch.commits.push((origin.commit, metadata));
        }
        self.entries += origin.entries.len();
        self.batch.origins.push(origin);
    }

    fn metadata(&mut self, origin: &AttributedOrigin) -> Result<CommitMetadata, Failure> {
        // Whether a boundary is a root decides how it is drawn, which must not change.
        if let Some(shortened) = self.shortened.as_mut().filter(|_| !origin.boundary)
            && let Some(metadata) = self.texts.shortened_commit(&origin.commit)
        {
            shortened.push(origin.commit);
            return Ok(metadata);
        }
        self.texts.commit(&origin.commit)
    }

    pub(super) fn flush(&mut self) -> ControlFlow<()> {
        self.close_origin();
        if !self.batch.origins.is_empty() {
            let batch = std::mem::take(&mut self.batch);
            self.entries = 0;
            (self.send)(BlameEventKind::Batch(batch))?;
        }
        if self.frontier != self.sent_frontier
            && let Some(frontier) = self.frontier
        {
            self.sent_frontier = self.frontier;
            (self.send)(BlameEventKind::Progress(frontier))?;
        }
        self.flushed = Some(Instant::now());
        ControlFlow::Continue(())
    }

    fn flush_when_due(&mut self) -> ControlFlow<()> {
        let due = match self.flushed {
            None => !self.batch.origins.is_empty(),
            Some(flushed) => self.entries >= BATCH_LEN || flushed.elapsed() >= BATCH_INTERVAL,
        };
        if due {
            self.flush()
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Sink for Batches<'_> {
    fn started(&mut self, _: &Arc<[u8]>, _: u32) -> ControlFlow<()> {
        // The text was already sent with `BlameEventKind::Started`.
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()> {
        if (self.stop)() {
            return ControlFlow::Break(());
        }
        if self.open.as_ref().is_none_or(|(id, _)| *id != entry.origin) {
            self.close_origin();
            self.flush_when_due()?;
            let Some(origin) = origins.get(entry.origin.0 as usize) else {
                return ControlFlow::Continue(());
            };
            let previous = origin.previous.and_then(|id| origins.get(id.0 as usize));
            let origin = AttributedOrigin {
                commit: origin.commit,
                path: origin.path.clone(),
                previous: previous.map(|previous| (previous.commit, previous.path.clone())),
                boundary,
                entries: Vec::new(),
            };
            self.open = Some((entry.origin, origin));
        }
        if let Some((_, origin)) = &mut self.open {
            origin.entries.push(AttributedLines {
                lines: entry.lines.clone(),
                source_start: entry.source_start,
                ignored: entry.ignored,
                unblamable: entry.unblamable,
            });
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        if (self.stop)() {
            return ControlFlow::Break(());
        }
        self.close_origin();
        self.frontier = Some(frontier);
        self.flush_when_due()
    }
}
