//! The blame task: blames files, reports them in batches, and prefetches the likely next blame.
//!
//! A cancelled blame ends at its next commit or diff.

use std::{
    io,
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::ByteSlice;
use tokio::sync::mpsc::Sender;

use crate::{
    diff,
    objects::ObjectId,
    viewer::{
        model::{
            source::{BlameReport, BlameSource, Failure, FileVersion, VersionReader},
            texts::{
                encodings::Encoding,
                line_map::{self, ChangedPlaces, MappedLine},
                text::Text,
            },
            toggled_options::ToggledOptions,
        },
        protocol::{BlameBatch, BlameEvent, BlameEventKind, BlameJob, LineRef, Message, PeelJob},
        tasks::{
            batches::Batches,
            task::{Handler, Task, TaskContext, TaskRequest},
        },
    },
};

/// How long the text waits for a kept blame, so that the first frame shows both.
const KEPT_WAIT: Duration = Duration::from_millis(15);

/// Commits in a batch that completes shortened ones.
const COMPLETED_LEN: usize = 64;

/// A request to the blame task.
#[derive(Debug)]
pub enum BlameRequest {
    /// Blame a file and report it.
    Blame(BlameJob),
    /// Blame a file that will probably be requested next, and keep the result.
    Prefetch(FileVersion, Arc<ToggledOptions>),
    /// Blame some lines of a file past commits, and report them.
    Peel(PeelJob),
}

impl BlameRequest {
    /// The kind of requests for whole files.
    pub const WHOLE: usize = 0;

    /// The kind of requests for some lines.
    pub const LINES: usize = 1;
}

impl TaskRequest for BlameRequest {
    const KINDS: usize = 2;

    fn kind(&self) -> usize {
        match self {
            BlameRequest::Blame(_) | BlameRequest::Prefetch(..) => BlameRequest::WHOLE,
            BlameRequest::Peel(_) => BlameRequest::LINES,
        }
    }
}

/// Blames files, and keeps the last prefetched blame.
struct Blamer {
    source: Box<dyn BlameSource>,
    prefetched: Option<Prefetched>,
}

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(
    source: Box<dyn BlameSource>,
    messages: Sender<Message>,
) -> io::Result<Task<BlameRequest>> {
    let blamer = Blamer {
        source,
        prefetched: None,
    };
    Task::spawn(blamer, messages)
}

impl Handler for Blamer {
    type Request = BlameRequest;

    fn handle(&mut self, request: &BlameRequest, context: &TaskContext<'_>) {
        match request {
            BlameRequest::Blame(job) => {
                self.source.set_fetching(true);
                if let Some((kind, shortened)) = self.blame(job, context) {
                    let mut send = |kind| {
                        let id = job.id;
                        context.send(Message::Blame(BlameEvent { id, kind }))
                    };
                    // A break means that the event loop has ended.
                    let _ = send(kind);
                    if let Some(shortened) = shortened {
                        shortened.complete(context, &mut send);
                    }
                }
                self.source.keep_blame();
            }
            BlameRequest::Prefetch(version, options) => {
                let known = self.prefetched.as_ref();
                if !known.is_some_and(|it| it.matches(version, options)) {
                    // Nobody has asked for it.
                    self.source.set_fetching(false);
                    let new = self.prefetch(version.clone(), options.clone(), context);
                    self.prefetched = new.or(self.prefetched.take());
                }
            }
            BlameRequest::Peel(job) => {
                self.source.set_fetching(true);
                let found = self.peel(job, context);
                if !context.is_cancelled() {
                    // A break means that the event loop has ended.
                    let _ = context.send(Message::Peeled(job.id, found));
                }
            }
        }
    }

    fn panicked(&mut self, request: &BlameRequest, panic: &str, context: &TaskContext<'_>) {
        let failure = Failure::new(format!("internal error: {panic}"));
        let message = match request {
            BlameRequest::Blame(job) => Message::Blame(BlameEvent {
                id: job.id,
                kind: BlameEventKind::Failed(failure),
            }),
            BlameRequest::Peel(job) => Message::Peeled(job.id, Err(failure)),
            // A failed prefetch is not reported: the blame itself will fail in the same way.
            BlameRequest::Prefetch(..) => return,
        };
        let _ = context.send(message);
    }
}

impl Blamer {
    /// Blames a file and sends all events but the last, which is returned with the commits that
    /// were shortened; `None` if the request was cancelled.
    fn blame(
        &mut self,
        job: &BlameJob,
        context: &TaskContext<'_>,
    ) -> Option<(BlameEventKind, Option<ShortenedCommits>)> {
        let (started_at, stop) = (Instant::now(), &|| context.is_cancelled());
        let prefetched = self
            .prefetched
            .take_if(|it| !job.is_known && it.matches(&job.version, &job.options));
        let source = self.source.as_mut();
        let contents = match &prefetched {
            Some(prefetched) => Ok(Arc::clone(&prefetched.contents)),
            None => source.contents(&job.version),
        };
        let contents = match contents {
            Ok(contents) => contents,
            Err(failure) => return Some((BlameEventKind::Failed(failure), None)),
        };
        let mapped = job
            .from
            .as_ref()
            .and_then(|from| map_line(source, from, job.options.whitespace, &contents));
        let (mapped_line, changes) = mapped.unzip();
        // ASCII text needs no conversion: nearly every encoding contains ASCII.
        let named = if contents.is_ascii() {
            None
        } else {
            source.encoding(&job.version, &contents)
        };
        let encoding = named.and_then(|name| Encoding::named(&name.to_str_lossy()));
        // The text is on the screen sooner where nothing depends on it.
        let has_tabs = memchr::memchr(b'\t', &contents).is_some();
        let tab_width = has_tabs.then(|| source.tab_width(&job.version)).flatten();
        let is_kept =
            prefetched.is_none() && !job.is_known && source.is_kept(&job.version, &job.options);
        let mut held = is_kept.then(Vec::new);
        let id = job.id;
        let mut send = |kind| {
            let kind = match &mut held {
                Some(events) if started_at.elapsed() < KEPT_WAIT => {
                    events.push(kind);
                    return ControlFlow::Continue(());
                }
                Some(events) => {
                    events.push(kind);
                    BlameEventKind::Kept(std::mem::take(events))
                }
                None => kind,
            };
            held = None;
            context.send(Message::Blame(BlameEvent { id, kind }))
        };
        let text = Arc::new(Text::new(contents));
        let started = BlameEventKind::Started {
            text,
            mapped_line,
            changes: changes.unwrap_or_default(),
            encoding,
            tab_width,
        };
        if send(started).is_break() || job.is_known {
            return None;
        }
        if let Some(mut prefetched) = prefetched {
            let last = prefetched.events.pop();
            return match prefetched.events.into_iter().try_for_each(send) {
                ControlFlow::Continue(()) => last.map(|last| (last, None)),
                ControlFlow::Break(()) => None,
            };
        }
        let mut sink = Batches::new(source.version_reader(), stop, &mut send);
        sink.shortened = is_kept.then(Vec::new);
        let result = source.blame(&job.version, &job.options, &mut sink);
        if sink.flush().is_break() || context.is_cancelled() {
            return None;
        }
        let Batches {
            shortened, texts, ..
        } = sink;
        let last = match result {
            Ok(stats) => BlameEventKind::Finished(BlameReport::new(stats, started_at)),
            Err(failure) => BlameEventKind::Failed(failure),
        };
        let last = match held.take() {
            Some(mut events) => {
                events.push(last);
                BlameEventKind::Kept(events)
            }
            None => last,
        };
        Some((last, shortened.map(|ids| ShortenedCommits { ids, texts })))
    }

    /// Blames the lines of a job; incomplete if the request was cancelled.
    fn peel(&mut self, job: &PeelJob, context: &TaskContext<'_>) -> Result<BlameBatch, Failure> {
        let mut found = BlameBatch::default();
        let mut collect = |kind| {
            if let BlameEventKind::Batch(batch) = kind {
                found.commits.extend(batch.commits);
                found.origins.extend(batch.origins);
            }
            ControlFlow::Continue(())
        };
        let (source, stop) = (self.source.as_mut(), &|| context.is_cancelled());
        for (lines, options) in &job.parts {
            let mut sink = Batches::new(source.version_reader(), stop, &mut collect);
            source.blame_lines(&job.version, options, lines.clone(), &mut sink)?;
            // The closure above never breaks.
            let _ = sink.flush();
        }
        Ok(found)
    }

    /// Blames a file and collects the events; `None` if the request was cancelled or failed.
    fn prefetch(
        &mut self,
        version: FileVersion,
        options: Arc<ToggledOptions>,
        context: &TaskContext<'_>,
    ) -> Option<Prefetched> {
        let (started_at, stop) = (Instant::now(), &|| context.is_cancelled());
        let source = self.source.as_mut();
        let contents = source.contents(&version).ok()?;
        let mut events = Vec::new();
        let mut keep = |kind| {
            // The events are sent all at once later, so progress events are useless.
            if !matches!(kind, BlameEventKind::Progress(_)) {
                events.push(kind);
            }
            ControlFlow::Continue(())
        };
        let mut sink = Batches::new(source.version_reader(), stop, &mut keep);
        let stats = source.blame(&version, &options, &mut sink);
        let complete = sink.flush().is_continue() && !context.is_cancelled();
        events.push(BlameEventKind::Finished(BlameReport::new(
            stats.ok()?,
            started_at,
        )));
        complete.then_some(Prefetched {
            version,
            options,
            contents,
            events,
        })
    }
}

/// The commits of a kept blame, of which the view has only what the cache has.
struct ShortenedCommits {
    ids: Vec<ObjectId>,
    texts: Box<dyn VersionReader>,
}

impl ShortenedCommits {
    /// Reads the commits and sends them.
    fn complete(
        mut self,
        context: &TaskContext<'_>,
        send: &mut dyn FnMut(BlameEventKind) -> ControlFlow<()>,
    ) {
        for ids in self.ids.chunks(COMPLETED_LEN) {
            if context.is_cancelled() {
                return;
            }
            let commits = ids.iter().map(|id| (*id, self.texts.commit(id)));
            let batch = BlameBatch {
                commits: commits.collect(),
                origins: Vec::new(),
            };
            if send(BlameEventKind::Batch(batch)).is_break() {
                return;
            }
        }
    }
}

/// The result of a prefetch.
struct Prefetched {
    version: FileVersion,
    options: Arc<ToggledOptions>,
    contents: Arc<[u8]>,
    /// All events but the first.
    events: Vec<BlameEventKind>,
}

impl Prefetched {
    fn matches(&self, version: &FileVersion, options: &ToggledOptions) -> bool {
        self.version == *version && *self.options == *options
    }
}

/// Maps the previously selected line to the new text. Returns `None` if the old file can no longer
/// be read or compared; the new view then opens at its start.
fn map_line(
    source: &mut dyn BlameSource,
    from: &LineRef,
    ignore_whitespace: bool,
    contents: &[u8],
) -> Option<(MappedLine, ChangedPlaces)> {
    let before = source.contents(&from.version).ok()?;
    let options = diff::DiffOptions {
        ignore_whitespace,
        ..source.diff_options()
    };
    line_map::map_with_changes(from.line, &before, contents, &options).ok()
}
