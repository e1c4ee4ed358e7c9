//! Blames on a thread of its own, and reports in batches.
//!
//! The channel of reports is bounded: when the interface does not keep up, the blame waits. The
//! number of the newest job is shared, so that an older one ends at its next commit or diff.

use std::{
    any::Any,
    io,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use bstr::ByteSlice;
use rustc_hash::FxHashSet;
use tokio::sync::mpsc::{Receiver, Sender};

use crate::{
    diff,
    engine::{Entry, Origin, OriginId, Sink},
    objects::ObjectId,
    viewer::{
        model::{
            encodings::Encoding,
            source::{BlameReport, BlameSource, BlameStats, ContentReader, Failure, FileVersion},
            switches::Switches,
            text::Text,
        },
        protocol::{BlameEvent, BlameKind, Chunk, Guilty, GuiltyLines, Job, LineRef, MappedLine},
        tasks::line_map,
    },
};

/// Reports that may wait for the interface.
pub const CAPACITY: usize = 8;

/// Entries in a batch, unless its time comes first.
const BATCH: usize = 256;

/// Time after which a batch is sent.
const PATIENCE: Duration = Duration::from_millis(16);

/// The name of the thread; a panic on it is reported, not printed.
pub const THREAD: &str = "tblame-worker";

/// What the thread is given to do.
enum Work {
    Blame(Job),
    Ahead(FileVersion, Arc<Switches>),
}

/// The thread that blames.
#[derive(Debug)]
pub struct Worker {
    jobs: mpsc::Sender<Work>,
    /// Nobody does anything: there is time to look ahead.
    idle: Arc<AtomicBool>,
    newest: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn spawn(source: Box<dyn BlameSource>, reports: Sender<BlameEvent>) -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let newest = Arc::new(AtomicU64::new(0));
        let idle = Arc::new(AtomicBool::new(false));
        let signs = Signs {
            newest: newest.clone(),
            idle: idle.clone(),
        };
        let thread = std::thread::Builder::new()
            .name(THREAD.to_owned())
            .spawn(move || work(source, &queue, &reports, &signs))?;
        Ok(Worker {
            jobs,
            idle,
            newest,
            thread,
        })
    }

    /// Begins a job; the one that runs ends.
    pub fn blame(&self, job: Job) {
        self.newest.store(job.generation, Ordering::Relaxed);
        // A worker that is gone has said why.
        self.jobs.send(Work::Blame(job)).ok();
    }

    /// Blames a place that will probably be asked for, while nobody does anything.
    pub fn look_ahead(&self, version: FileVersion, switches: Arc<Switches>) {
        self.idle.store(true, Ordering::Relaxed);
        self.jobs.send(Work::Ahead(version, switches)).ok();
    }

    /// Somebody did something: ends looking ahead.
    pub fn stop_looking_ahead(&self) {
        self.idle.store(false, Ordering::Relaxed);
    }

    /// Ends the job that runs if it is older than `generation`.
    pub fn cancel(&self, generation: u64) {
        self.newest.store(generation, Ordering::Relaxed);
    }

    /// Ends everything and waits for the thread. Takes the receiver because a worker that waits
    /// for room in the channel would never end while somebody holds it.
    pub fn join(self, reports: Receiver<BlameEvent>) {
        self.cancel(u64::MAX);
        self.stop_looking_ahead();
        drop(self.jobs);
        drop(reports);
        // A panic was reported by the thread itself.
        self.thread.join().ok();
    }
}

/// What the thread is told while it works.
struct Signs {
    newest: Arc<AtomicU64>,
    idle: Arc<AtomicBool>,
}

impl Signs {
    fn newest(&self) -> u64 {
        self.newest.load(Ordering::Relaxed)
    }
}

fn work(
    mut source: Box<dyn BlameSource>,
    queue: &mpsc::Receiver<Work>,
    reports: &Sender<BlameEvent>,
    signs: &Signs,
) {
    let mut ready: Option<Ready> = None;
    while let Ok(work) = queue.recv() {
        let job = match work {
            Work::Blame(job) => job,
            Work::Ahead(version, switches) => {
                if !ready.as_ref().is_some_and(|it| it.is(&version, &switches)) {
                    let run = || Ready::make(source.as_mut(), version, switches, signs);
                    // What goes wrong is said when somebody asks for it.
                    let made = catch_unwind(AssertUnwindSafe(run)).ok().flatten();
                    ready = made.or(ready);
                }
                continue;
            }
        };
        let generation = job.generation;
        if signs.newest() != generation {
            continue;
        }
        let made = ready.take_if(|ready| ready.is(&job.version, &job.switches));
        let run = || blame(source.as_mut(), &job, made, reports, signs);
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
    source: &mut dyn BlameSource,
    job: &Job,
    made: Option<Ready>,
    reports: &Sender<BlameEvent>,
    signs: &Signs,
) -> Option<BlameKind> {
    let begun = Instant::now();
    let contents = match &made {
        Some(made) => Ok(Arc::clone(&made.contents)),
        None => source.contents(&job.version),
    };
    let contents = match contents {
        Ok(contents) => contents,
        Err(failure) => return Some(BlameKind::Failed(failure)),
    };
    let mapped_line = job
        .from
        .as_ref()
        .and_then(|from| land(source, from, job.switches.whitespace, &contents));
    // Most files look the same in every encoding.
    let named = match contents.is_ascii() {
        true => None,
        false => source.encoding(&job.version, &contents),
    };
    let encoding = named.and_then(|name| Encoding::named(&name.to_str_lossy()));
    let generation = job.generation;
    let mut send = |kind| match reports.blocking_send(BlameEvent { generation, kind }) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let text = Arc::new(Text::new(contents));
    let started = BlameKind::Started {
        text,
        mapped_line,
        encoding,
    };
    if send(started).is_break() {
        return None;
    }
    if let Some(mut made) = made {
        let last = made.news.pop();
        let mut news = made.news.into_iter();
        return match news.try_for_each(send) {
            ControlFlow::Continue(()) => last,
            ControlFlow::Break(()) => None,
        };
    }
    let stale = || signs.newest() != generation;
    let mut sink = Batches::new(source.content_reader(), &stale, &mut send);
    let result = source.blame(&job.version, &job.switches, &mut sink);
    if sink.flush().is_break() || stale() {
        return None;
    }
    Some(match result {
        Ok(account) => finished(account, begun),
        Err(failure) => BlameKind::Failed(failure),
    })
}

fn finished(account: BlameStats, begun: Instant) -> BlameKind {
    BlameKind::Finished(BlameReport {
        stats: account.stats,
        profile: Box::new(account.profile),
        elapsed: begun.elapsed(),
    })
}

/// A blame that was made before anybody asked for it.
struct Ready {
    version: FileVersion,
    switches: Arc<Switches>,
    contents: Arc<[u8]>,
    news: Vec<BlameKind>,
}

impl Ready {
    fn is(&self, version: &FileVersion, switches: &Switches) -> bool {
        self.version == *version && *self.switches == *switches
    }

    /// Blames until somebody does something.
    fn make(
        source: &mut dyn BlameSource,
        version: FileVersion,
        switches: Arc<Switches>,
        signs: &Signs,
    ) -> Option<Ready> {
        let begun = Instant::now();
        let generation = signs.newest();
        let stale = || signs.newest() != generation || !signs.idle.load(Ordering::Relaxed);
        if stale() {
            return None;
        }
        let contents = source.contents(&version).ok()?;
        let mut news = Vec::new();
        let mut keep = |kind| {
            // Nobody waits for it: it comes as a whole.
            if !matches!(kind, BlameKind::Progress(_)) {
                news.push(kind);
            }
            ControlFlow::Continue(())
        };
        let mut sink = Batches::new(source.content_reader(), &stale, &mut keep);
        let account = source.blame(&version, &switches, &mut sink);
        let whole = sink.flush().is_continue() && !stale();
        news.push(finished(account.ok()?, begun));
        whole.then_some(Ready {
            version,
            switches,
            contents,
            news,
        })
    }
}

/// Where the line that was looked at is in the new text. A file that cannot be read any more, or
/// not be compared, is no reason to stay: the view then opens at its start.
fn land(
    source: &mut dyn BlameSource,
    from: &LineRef,
    ignore_whitespace: bool,
    contents: &[u8],
) -> Option<MappedLine> {
    let before = source.contents(&from.version).ok()?;
    let options = diff::DiffOptions {
        ignore_whitespace,
        ..source.diff_options()
    };
    line_map::find(contents, &before, from.line, &options).ok()
}

/// Collects what the engine says. Entries of an origin that come in a row are kept together.
struct Batches<'a> {
    stale: &'a dyn Fn() -> bool,
    send: &'a mut dyn FnMut(BlameKind) -> ControlFlow<()>,
    texts: Box<dyn ContentReader>,
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

impl<'a> Batches<'a> {
    fn new(
        texts: Box<dyn ContentReader>,
        stale: &'a dyn Fn() -> bool,
        send: &'a mut dyn FnMut(BlameKind) -> ControlFlow<()>,
    ) -> Self {
        Batches {
            stale,
            send,
            texts,
            known: FxHashSet::default(),
            open: None,
            chunk: Chunk::default(),
            entries: 0,
            flushed: None,
            frontier: None,
            told: None,
        }
    }

    fn is_stale(&self) -> bool {
        (self.stale)()
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
            (self.send)(BlameKind::Chunk(chunk))?;
        }
        if self.frontier != self.told
            && let Some(frontier) = self.frontier
        {
            self.told = self.frontier;
            (self.send)(BlameKind::Progress(frontier))?;
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
