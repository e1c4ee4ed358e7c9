//! Runs a blame and collects what the library returns of it.

use std::{cell::Cell, ops::ControlFlow, sync::Arc};

use bstr::BString;

use super::{
    blamed_text::BlamedText,
    builder::BlameBuilder,
    cancellation::Cancellation,
    commit::CommitInfo,
    entries::{BlameEntry, BlamedOrigin},
    error::{Error, Result},
    file_blame::{EditedFile, FileBlame, KnownVersion},
    kept_blames::BlameKeeper,
    repository::{Opened, Session},
};
use crate::{
    dates::calendar::Clock,
    engine::{Blame, Engine, Entry, Origin, Sink},
    repository::{
        commits::commit_texts::{CommitTexts, PseudoCommit},
        request::prepare::{PreparedRequest, prepare},
        revisions::peel::unreadable_parent,
    },
};

/// What is found of a file while it is blamed.
#[derive(Debug)]
#[non_exhaustive]
pub enum BlameItem {
    /// The text whose lines are blamed. It comes first. If the repository turns out to be damaged
    /// before the first entry, the blame begins anew, and a text that differs comes again.
    Text(BlamedText),
    /// Lines whose origin is found.
    Entry(BlameEntry),
    /// The committer's date of the commit that the blame has come to, in seconds since 1970-01-01
    /// 00:00 UTC: lines that are still open are about as old or older. It comes often.
    Frontier(i64),
}

impl BlameBuilder {
    /// Blames, and returns all entries in the order of their lines.
    ///
    /// # Errors
    ///
    /// If the request is invalid, an object cannot be read, or the blame is cancelled.
    pub fn run(self) -> Result<FileBlame> {
        self.check()?;
        run(&self)
    }

    /// Blames, and passes what is found to `on_item` at once: first the [text](BlameItem::Text),
    /// then each entry in the order of `git blame --incremental`, newest commits first, and between
    /// them how far the blame has come. It ends early when `on_item` returns
    /// [`ControlFlow::Break`]. What is returned has all of it, with the entries in the order of
    /// their lines. [Kept](crate::Repository::with_cache) entries come at once, in any order.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use tblame::BlameItem;
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = example_repository();
    /// # let repository = tblame::Repository::open(directory.path())?;
    /// let blame = repository.blame("src/main.rs").stream(|item| {
    ///     match item {
    ///         BlameItem::Text(text) => println!("{} lines", text.line_count()),
    ///         BlameItem::Entry(entry) => println!("{:?}", entry.lines()),
    ///         _ => {}
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(blame.is_complete());
    /// assert_eq!(blame.text().line(2), Some(&b"    println!(\"two\");"[..]));
    /// assert_eq!(blame.entry_at(2).unwrap().commit().summary(), "Print two");
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
        mut on_item: impl FnMut(BlameItem) -> ControlFlow<()>,
    ) -> Result<FileBlame> {
        self.check()?;
        stream(&self, &mut on_item)
    }
}

fn run(builder: &BlameBuilder) -> Result<FileBlame> {
    with_session(builder, &|| true, |run| {
        let mut sink = CancellableSink(builder.cancellation.as_ref());
        let blame = blame(
            builder,
            run.opened,
            &mut run.session.engine,
            run.prepared,
            &mut sink,
        )?;
        sink.check()?;
        finish(builder, run, blame)
    })
}

fn stream(
    builder: &BlameBuilder,
    on_item: &mut dyn FnMut(BlameItem) -> ControlFlow<()>,
) -> Result<FileBlame> {
    let has_entries = Cell::new(false);
    let mut text = None;
    with_session(builder, &|| !has_entries.get(), |run| {
        let session = &mut *run.session;
        let mut sink = StreamSink {
            cancellable: CancellableSink(builder.cancellation.as_ref()),
            texts: &mut session.texts,
            on_item: &mut *on_item,
            has_entries: &has_entries,
            text: &mut text,
            error: None,
        };
        let blame = blame(
            builder,
            run.opened,
            &mut session.engine,
            run.prepared,
            &mut sink,
        )?;
        if let Some(error) = sink.error.take() {
            return Err(error);
        }
        sink.cancellable.check()?;
        finish(builder, run, blame)
    })
}

/// Blames, with kept blames if there are to be some.
fn blame(
    builder: &BlameBuilder,
    opened: &Opened,
    engine: &mut Engine,
    prepared: &PreparedRequest,
    sink: &mut dyn Sink,
) -> Result<Blame> {
    let request = &prepared.request;
    let mut kept = BlameKeeper::of(opened, builder.repository.cache(), request);
    let cache = kept.as_mut().map(BlameKeeper::blames);
    let mut blame = engine.blame_with_cache(request, cache, sink)?;
    if let Some(kept) = kept {
        kept.keep(opened, &mut blame);
    }
    Ok(blame)
}

/// What is returned of a blame.
fn finish(builder: &BlameBuilder, run: &mut BlameRun<'_>, blame: Blame) -> Result<FileBlame> {
    note_unreadable_parents(&blame, run.notes);
    let boundary = |origin: &Origin| blame.boundaries.contains(&origin.commit);
    let texts = &mut run.session.texts;
    let entries = Arc::new(build_entries(
        &blame.entries,
        &blame.origins,
        texts,
        boundary,
    )?);
    let text = BlamedText::new(blame.contents);
    let request = &run.prepared.request;
    let is_whole = !blame.stopped && request.ranges.is_none();
    let version = is_whole.then(|| KnownVersion {
        text: text.clone(),
        entries: Arc::clone(&entries),
    });
    Ok(FileBlame {
        edited: Arc::new(EditedFile::new(builder, request, version)),
        text,
        entries,
        is_complete: !blame.stopped,
        warnings: run.warnings(),
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
    builder: &BlameBuilder,
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
    builder: &BlameBuilder,
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
        PseudoCommit::of_files(&clock)
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
    builder: &BlameBuilder,
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
fn build_entry(
    entry: &Entry,
    origins: &[Origin],
    texts: &mut CommitTexts,
    boundary: impl FnOnce(&Origin) -> bool,
) -> Result<BlameEntry> {
    let origin = &origins[entry.origin.0 as usize];
    let commit = CommitInfo::read(&origin.commit, texts)?;
    let boundary = boundary(origin);
    let origin = BlamedOrigin::new(origin, origins, commit, boundary);
    Ok(BlameEntry {
        entry: entry.clone(),
        origin: Arc::new(origin),
    })
}

/// The public entries for all entries of a blame.
pub(super) fn build_entries(
    entries: &[Entry],
    origins: &[Origin],
    texts: &mut CommitTexts,
    boundary: impl Fn(&Origin) -> bool,
) -> Result<Vec<BlameEntry>> {
    let mut known: Vec<Option<Arc<BlamedOrigin>>> = vec![None; origins.len()];
    let mut built = Vec::with_capacity(entries.len());
    for entry in entries {
        let known = &mut known[entry.origin.0 as usize];
        built.push(match known {
            Some(origin) => BlameEntry {
                entry: entry.clone(),
                origin: Arc::clone(origin),
            },
            None => {
                let first = build_entry(entry, origins, texts, &boundary)?;
                *known = Some(Arc::clone(&first.origin));
                first
            }
        });
    }
    Ok(built)
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

/// Passes what is found on to the callback.
struct StreamSink<'a> {
    cancellable: CancellableSink<'a>,
    texts: &'a mut CommitTexts,
    on_item: &'a mut dyn FnMut(BlameItem) -> ControlFlow<()>,
    has_entries: &'a Cell<bool>,
    /// The text that was passed on.
    text: &'a mut Option<Arc<[u8]>>,
    /// A commit's text that could not be read.
    error: Option<Error>,
}

impl Sink for StreamSink<'_> {
    fn started(&mut self, contents: &Arc<[u8]>, _line_count: u32) -> ControlFlow<()> {
        self.cancellable.flow()?;
        if self.text.as_ref() == Some(contents) {
            return ControlFlow::Continue(());
        }
        *self.text = Some(Arc::clone(contents));
        (self.on_item)(BlameItem::Text(BlamedText::new(Arc::clone(contents))))
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], boundary: bool) -> ControlFlow<()> {
        self.cancellable.flow()?;
        match build_entry(entry, origins, self.texts, |_| boundary) {
            Ok(built) => {
                self.has_entries.set(true);
                (self.on_item)(BlameItem::Entry(built))
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.cancellable.flow()?;
        (self.on_item)(BlameItem::Frontier(frontier))
    }
}
