//! Runs a blame and collects what the library returns of it.

use std::{cell::Cell, ops::ControlFlow, sync::Arc};

use bstr::BString;

use super::{
    builder::BlameBuilder,
    cancellation::Cancellation,
    commit::{CommitId, CommitInfo},
    entries::BlameEntry,
    error::{Error, Result},
    repository::{Opened, Session},
};
use crate::{
    dates::calendar::Clock,
    engine::{Blame, Entry, Origin, Sink},
    objects::ObjectId,
    repository::{
        commits::commit_texts::{CommitTexts, PseudoCommit},
        request::prepare::{PreparedRequest, prepare},
        revisions::peel::unreadable_parent,
    },
};

/// A finished blame of one file. Iterate over it for the entries.
#[derive(Debug, Clone)]
pub struct FileBlame {
    contents: Arc<[u8]>,
    entries: Vec<BlameEntry>,
    warnings: Vec<String>,
}

impl FileBlame {
    /// The entries in the order of their lines. They cover every line, or the lines asked for,
    /// once.
    pub fn entries(&self) -> &[BlameEntry] {
        &self.entries
    }

    /// The entry of a line (0-based), if it was blamed.
    pub fn entry_at(&self, line: u32) -> Option<&BlameEntry> {
        let after = self
            .entries
            .partition_point(|entry| entry.lines().end <= line);
        let entry = self.entries.get(after)?;
        entry.lines().contains(&line).then_some(entry)
    }

    /// The contents that were blamed, after filters and text conversion. Lines end at `\n`.
    pub fn contents(&self) -> &[u8] {
        &self.contents
    }

    /// Warnings and errors that did not end the blame, in git's words.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl IntoIterator for FileBlame {
    type Item = BlameEntry;
    type IntoIter = std::vec::IntoIter<BlameEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a> IntoIterator for &'a FileBlame {
    type Item = &'a BlameEntry;
    type IntoIter = std::slice::Iter<'a, BlameEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

/// The outcome of a blame whose entries were [streamed](BlameBuilder::stream).
#[derive(Debug, Clone)]
pub struct BlameSummary {
    contents: Arc<[u8]>,
    complete: bool,
    warnings: Vec<String>,
}

impl BlameSummary {
    /// True if all lines were blamed, false if the callback stopped the blame.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The contents that were blamed, after filters and text conversion. Lines end at `\n`.
    pub fn contents(&self) -> &[u8] {
        &self.contents
    }

    /// Warnings and errors that did not end the blame, in git's words.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl BlameBuilder<'_> {
    /// Blames, and returns all entries in the order of their lines.
    ///
    /// # Errors
    ///
    /// If the request is invalid, an object cannot be read, or the blame is cancelled.
    pub fn run(self) -> Result<FileBlame> {
        self.check()?;
        run(&self)
    }

    /// Blames, and passes each entry to `on_entry` as soon as it is found, in the order of
    /// `git blame --incremental`: newest commits first. The blame ends early when `on_entry`
    /// returns [`ControlFlow::Break`].
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = example_repository();
    /// # let repository = tblame::Repository::open(directory.path())?;
    /// let mut newest = None;
    /// let summary = repository.blame("src/main.rs").stream(|entry| {
    ///     newest = Some(entry);
    ///     ControlFlow::Break(())
    /// })?;
    /// assert!(!summary.is_complete());
    /// assert_eq!(newest.unwrap().commit().summary(), "Print two");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the request is invalid, an object cannot be read, or the blame is cancelled. Entries
    /// passed before are valid.
    pub fn stream(
        self,
        mut on_entry: impl FnMut(BlameEntry) -> ControlFlow<()>,
    ) -> Result<BlameSummary> {
        self.check()?;
        stream(&self, &mut on_entry)
    }
}

fn run(builder: &BlameBuilder<'_>) -> Result<FileBlame> {
    with_session(builder, &|| true, |run| {
        let (session, request) = (&mut *run.session, &run.prepared.request);
        let mut sink = CancellableSink(builder.cancellation.as_ref());
        let blame = session.engine.blame(request, &mut sink)?;
        sink.check()?;
        let mut entries = Vec::with_capacity(blame.entries.len());
        for entry in &blame.entries {
            let boundary = |origin: &Origin| blame.boundaries.contains(&origin.commit);
            let built = build_entry(entry, &blame.origins, &mut session.texts, boundary)?;
            entries.push(built);
        }
        note_unreadable_parents(&blame, run.notes);
        Ok(FileBlame {
            contents: blame.contents,
            entries,
            warnings: run.warnings(),
        })
    })
}

fn stream(
    builder: &BlameBuilder<'_>,
    on_entry: &mut dyn FnMut(BlameEntry) -> ControlFlow<()>,
) -> Result<BlameSummary> {
    let has_entries = Cell::new(false);
    with_session(builder, &|| !has_entries.get(), |run| {
        let (session, request) = (&mut *run.session, &run.prepared.request);
        let mut sink = StreamSink {
            cancellable: CancellableSink(builder.cancellation.as_ref()),
            texts: &mut session.texts,
            on_entry,
            has_entries: &has_entries,
            error: None,
        };
        let blame = session.engine.blame(request, &mut sink)?;
        if let Some(error) = sink.error.take() {
            return Err(error);
        }
        sink.cancellable.check()?;
        note_unreadable_parents(&blame, run.notes);
        Ok(BlameSummary {
            contents: blame.contents,
            complete: !blame.stopped,
            warnings: run.warnings(),
        })
    })
}

/// What one blame works with.
pub(super) struct BlameRun<'a> {
    pub(super) opened: &'a Opened,
    pub(super) session: &'a mut Session,
    pub(super) prepared: &'a PreparedRequest,
    /// The warnings so far.
    pub(super) notes: &'a mut Vec<BString>,
}

impl BlameRun<'_> {
    /// All warnings, at the end.
    pub(super) fn warnings(&mut self) -> Vec<String> {
        self.notes.extend(self.session.texts.take_notes());
        if let Some(conversion) = &self.prepared.request.text_conversion {
            self.notes.extend(conversion.take_notes());
        }
        let lossy = |note: &BString| String::from_utf8_lossy(note).into_owned();
        self.notes.iter().map(lossy).collect()
    }
}

/// Resolves the request and calls `blame` with it. Does it once more with care after a sign of
/// damage, if it `can_repeat`.
pub(super) fn with_session<T>(
    builder: &BlameBuilder<'_>,
    can_repeat: &dyn Fn() -> bool,
    mut blame: impl FnMut(&mut BlameRun<'_>) -> Result<T>,
) -> Result<T> {
    let opened = builder.repository.current()?;
    let store = opened.repository.store();
    let is_careful = store.is_careful();
    let blamed = once(builder, &mut blame);
    let is_repeatable = || builder.options.is_repeatable(&opened.repository);
    match store.sign_of_damage() {
        Some(_) if !is_careful && can_repeat() && is_repeatable() => once(builder, &mut blame),
        Some(sign) if !is_careful => blamed.and_then(|_| Err(Error::of_damage(sign))),
        _ => blamed,
    }
}

fn once<T>(
    builder: &BlameBuilder<'_>,
    blame: impl FnOnce(&mut BlameRun<'_>) -> Result<T>,
) -> Result<T> {
    let cancellable = CancellableSink(builder.cancellation.as_ref());
    cancellable.check()?;
    let opened = builder.repository.current()?;
    let mut notes = opened.notes.clone();
    notes.extend(
        opened
            .repository
            .store()
            .damage_warning()
            .map(BString::from),
    );
    let clock = Clock::system();
    let prepared = resolve(builder, &opened, &clock, &mut notes).map_err(Error::of_request)?;
    cancellable.check()?;
    let mut session = opened.session(builder.threads);
    let pseudo = if prepared.is_of_work_tree() {
        PseudoCommit::of_directory(&prepared.request, &clock)
    } else {
        PseudoCommit::new(&prepared.request, None, &clock)
    };
    let encoding = builder.encoding.as_ref().map(AsRef::as_ref);
    session.texts.reset(encoding, pseudo);
    let result = blame(&mut BlameRun {
        opened: &opened,
        session: &mut session,
        prepared: &prepared,
        notes: &mut notes,
    });
    opened.give_back(session);
    result
}

/// Resolves the options to a request for the engine, ranges included, or for a directory.
fn resolve(
    builder: &BlameBuilder<'_>,
    opened: &Opened,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> crate::error::Result<PreparedRequest> {
    let mut options = builder.options.clone();
    options.operands = Vec::from_iter(builder.revision.clone());
    options.operands.extend_from_slice(&builder.excluded);
    options.operands.extend(["--".into(), builder.path.clone()]);
    let prepared = prepare(&opened.repository, &options, clock, notes)?;
    if let Some(conversion) = &prepared.request.text_conversion {
        conversion.silence();
    }
    Ok(prepared)
}

/// The public entry for an entry of the engine; reads its commit.
pub(super) fn build_entry(
    entry: &Entry,
    origins: &[Origin],
    texts: &mut CommitTexts,
    boundary: impl FnOnce(&Origin) -> bool,
) -> Result<BlameEntry> {
    let origin = &origins[entry.origin.0 as usize];
    let commit = commit_info(&origin.commit, texts)?;
    let boundary = boundary(origin);
    Ok(BlameEntry::new(entry, origin, origins, commit, boundary))
}

/// Reads a commit.
pub(super) fn commit_info(id: &ObjectId, texts: &mut CommitTexts) -> Result<CommitInfo> {
    let text = texts.get(id).map_err(Error::of_commit)?;
    Ok(CommitInfo::new(CommitId::new(*id), text))
}

/// Adds an error for each parent that could not be read.
fn note_unreadable_parents(blame: &Blame, notes: &mut Vec<BString>) {
    let errors = blame.unreadable_parents.iter();
    notes.extend(errors.map(|err| unreadable_parent(err)));
}

/// Stops when the blame is cancelled.
pub(super) struct CancellableSink<'a>(pub(super) Option<&'a Cancellation>);

impl CancellableSink<'_> {
    pub(super) fn is_cancelled(&self) -> bool {
        self.0.is_some_and(Cancellation::is_cancelled)
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            Err(Error::cancelled())
        } else {
            Ok(())
        }
    }

    pub(super) fn flow(&self) -> ControlFlow<()> {
        if self.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Sink for CancellableSink<'_> {
    fn started(&mut self, _contents: &Arc<[u8]>, _line_count: u32) -> ControlFlow<()> {
        self.flow()
    }

    fn entry(&mut self, _entry: &Entry, _origins: &[Origin], _boundary: bool) -> ControlFlow<()> {
        self.flow()
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        self.flow()
    }
}

/// Passes entries on to the callback.
struct StreamSink<'a> {
    cancellable: CancellableSink<'a>,
    texts: &'a mut CommitTexts,
    on_entry: &'a mut dyn FnMut(BlameEntry) -> ControlFlow<()>,
    has_entries: &'a Cell<bool>,
    /// A commit's text that could not be read.
    error: Option<Error>,
}

impl Sink for StreamSink<'_> {
    fn started(&mut self, _contents: &Arc<[u8]>, _line_count: u32) -> ControlFlow<()> {
        self.cancellable.flow()
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()> {
        self.cancellable.flow()?;
        match build_entry(entry, origins, self.texts, |_| boundary) {
            Ok(built) => {
                self.has_entries.set(true);
                (self.on_entry)(built)
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        self.cancellable.flow()
    }
}
