//! Blames on a thread of its own, and reports in batches.
//!
//! The channel of reports is bounded: when the interface does not keep up, the blame waits. The
//! number of the newest job is shared, so that an older one ends at its next commit or diff.

use std::{
    any::Any,
    io,
    ops::{ControlFlow, Range},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use rustc_hash::FxHashSet;
use tokio::sync::mpsc::{Receiver, Sender};

use super::{
    app::{
        message::{BlameEvent, BlameKind, Chunk, Footing, Guilty, GuiltyLines, Job, Landing},
        text::Text,
    },
    landing,
    source::{Failure, Outcome, Source, Texts},
};
use crate::{
    diff,
    engine::{Entry, Focus, Origin, OriginId, Sink},
    objects::ObjectId,
};

/// Reports that may wait for the interface.
pub const CAPACITY: usize = 8;

/// Entries in a batch, unless its time comes first.
const BATCH: usize = 256;

/// Time after which a batch is sent.
const PATIENCE: Duration = Duration::from_millis(16);

/// The name of the thread; a panic on it is reported, not printed.
pub const THREAD: &str = "tblame-worker";

/// The thread that blames.
#[derive(Debug)]
pub struct Worker {
    jobs: mpsc::Sender<Job>,
    newest: Arc<AtomicU64>,
    focus: Arc<Focus>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn spawn(source: Box<dyn Source>, reports: Sender<BlameEvent>) -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let newest = Arc::new(AtomicU64::new(0));
        let shared = newest.clone();
        let focus = Arc::new(Focus::default());
        let looked_at = focus.clone();
        let thread = std::thread::Builder::new()
            .name(THREAD.to_owned())
            .spawn(move || work(source, &queue, &reports, &shared, &looked_at))?;
        Ok(Worker {
            jobs,
            newest,
            focus,
            thread,
        })
    }

    /// These lines (0-based, half-open) come first from now on.
    pub fn look_at(&self, lines: Range<u32>) {
        self.focus.look_at(lines);
    }

    /// Begins a job; the one that runs ends.
    pub fn blame(&self, job: Job) {
        self.newest.store(job.generation, Ordering::Relaxed);
        // A worker that is gone has said why.
        self.jobs.send(job).ok();
    }

    /// Ends the job that runs if it is older than `generation`.
    pub fn cancel(&self, generation: u64) {
        self.newest.store(generation, Ordering::Relaxed);
    }

    /// Ends everything and waits for the thread. Takes the receiver because a worker that waits
    /// for room in the channel would never end while somebody holds it.
    pub fn join(self, reports: Receiver<BlameEvent>) {
        self.cancel(u64::MAX);
        drop(self.jobs);
        drop(reports);
        // A panic was reported by the thread itself.
        self.thread.join().ok();
    }
}

fn work(
    mut source: Box<dyn Source>,
    queue: &mpsc::Receiver<Job>,
    reports: &Sender<BlameEvent>,
    newest: &AtomicU64,
    focus: &Arc<Focus>,
) {
    while let Ok(job) = queue.recv() {
        let generation = job.generation;
        if newest.load(Ordering::Relaxed) != generation {
            continue;
        }
        let run = || blame(source.as_mut(), &job, reports, newest, focus);
        let result = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let words = format!("internal error: {}", panic_words(panic.as_ref()));
            Some(BlameKind::Failed(Failure(words)))
        });
        if let Some(kind) = result {
            let event = BlameEvent { generation, kind };
            if reports.blocking_send(event).is_err() {
                return;
            }
        }
    }
}

fn panic_words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown")
}

/// Runs one job. What remains to be said at its end is returned: nothing if it was cancelled.
fn blame(
    source: &mut dyn Source,
    job: &Job,
    reports: &Sender<BlameEvent>,
    newest: &AtomicU64,
    focus: &Arc<Focus>,
) -> Option<BlameKind> {
    let begun = Instant::now();
    let contents = match source.contents(&job.place) {
        Ok(contents) => contents,
        Err(failure) => return Some(BlameKind::Failed(failure)),
    };
    let landing = job
        .from
        .as_ref()
        .and_then(|from| land(source, from, job.switches.whitespace, &contents));
    let mut sink = Batches {
        generation: job.generation,
        newest,
        reports,
        texts: source.texts(),
        known: FxHashSet::default(),
        open: None,
        chunk: Chunk::default(),
        entries: 0,
        flushed: None,
        frontier: None,
        told: None,
    };
    let text = Arc::new(Text::new(contents));
    if sink.send(BlameKind::Started { text, landing }).is_break() {
        return None;
    }
    let result = source.blame(&job.place, &job.switches, focus, &mut sink);
    if sink.is_stale() || sink.flush().is_break() {
        return None;
    }
    Some(match result {
        Ok(account) => BlameKind::Finished(Outcome {
            stats: account.stats,
            profile: Box::new(account.profile),
            elapsed: begun.elapsed(),
        }),
        Err(failure) => BlameKind::Failed(failure),
    })
}

/// Where the line that was looked at is in the new text. A file that cannot be read any more, or
/// not be compared, is no reason to stay: the view then opens at its start.
fn land(
    source: &mut dyn Source,
    from: &Footing,
    ignore_whitespace: bool,
    contents: &[u8],
) -> Option<Landing> {
    let before = source.contents(&from.place).ok()?;
    let options = diff::Options {
        ignore_whitespace,
        ..source.diff_options()
    };
    landing::find(contents, &before, from.line, &options).ok()
}

/// Collects what the engine says. Entries of an origin that come in a row are kept together.
struct Batches<'a> {
    generation: u64,
    newest: &'a AtomicU64,
    reports: &'a Sender<BlameEvent>,
    texts: Box<dyn Texts>,
    /// Commits whose words were sent.
    known: FxHashSet<ObjectId>,
    /// The origin whose entries are coming.
    open: Option<(OriginId, Guilty)>,
    chunk: Chunk,
    entries: usize,
    /// When the last batch was sent; the first one is not to wait.
    flushed: Option<Instant>,
    frontier: Option<i64>,
    /// The frontier that was sent last.
    told: Option<i64>,
}

impl Batches<'_> {
    fn is_stale(&self) -> bool {
        self.newest.load(Ordering::Relaxed) != self.generation
    }

    fn send(&self, kind: BlameKind) -> ControlFlow<()> {
        let event = BlameEvent {
            generation: self.generation,
            kind,
        };
        match self.reports.blocking_send(event) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn close_origin(&mut self) {
        let Some((_, guilty)) = self.open.take() else {
            return;
        };
        if self.known.insert(guilty.commit) {
            let words = self.texts.commit(&guilty.commit);
            self.chunk.commits.push((guilty.commit, words));
        }
        self.entries += guilty.entries.len();
        self.chunk.origins.push(guilty);
    }

    fn flush(&mut self) -> ControlFlow<()> {
        self.close_origin();
        if !self.chunk.origins.is_empty() {
            let chunk = std::mem::take(&mut self.chunk);
            self.entries = 0;
            self.send(BlameKind::Chunk(chunk))?;
        }
        if self.frontier != self.told
            && let Some(frontier) = self.frontier
        {
            self.told = self.frontier;
            self.send(BlameKind::Progress(frontier))?;
        }
        self.flushed = Some(Instant::now());
        ControlFlow::Continue(())
    }

    fn flush_when_due(&mut self) -> ControlFlow<()> {
        let due = match self.flushed {
            None => !self.chunk.origins.is_empty(),
            Some(flushed) => self.entries >= BATCH || flushed.elapsed() >= PATIENCE,
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
        // The text is on the screen already.
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()> {
        if self.is_stale() {
            return ControlFlow::Break(());
        }
        if self.open.as_ref().is_none_or(|(id, _)| *id != entry.origin) {
            self.close_origin();
            self.flush_when_due()?;
            let Some(origin) = origins.get(entry.origin.0 as usize) else {
                return ControlFlow::Continue(());
            };
            let previous = origin.previous.and_then(|id| origins.get(id.0 as usize));
            let guilty = Guilty {
                commit: origin.commit,
                path: origin.path.clone(),
                previous: previous.map(|previous| (previous.commit, previous.path.clone())),
                boundary,
                entries: Vec::new(),
            };
            self.open = Some((entry.origin, guilty));
        }
        if let Some((_, guilty)) = &mut self.open {
            guilty.entries.push(GuiltyLines {
                lines: entry.lines.clone(),
                source_start: entry.source_start,
                ignored: entry.ignored,
                unblamable: entry.unblamable,
            });
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        if self.is_stale() {
            return ControlFlow::Break(());
        }
        self.close_origin();
        self.frontier = Some(frontier);
        self.flush_when_due()
    }
}
