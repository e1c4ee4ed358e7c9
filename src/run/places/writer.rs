//! Writes the lines with who wrote their places.

use std::{io, ops::ControlFlow, sync::Arc, time::Duration};

use bstr::{BString, ByteSlice};

use crate::{
    cache::{BlameFiles, CacheSettings},
    cli::{Invocation, PlacesOutput},
    dates::{calendar::Clock, date_format::DateMode},
    engine,
    error::{Error, Result, os_message},
    output::{
        OutputBuffer,
        commit_provider::CommitProvider,
        json::records::{JsonFields, JsonHeader, JsonKind},
        places::{
            json_places::{JsonPlaces, PlaceRecord},
            place_rows,
        },
        plain::PlainOptions,
        repository_commits::RepositoryCommits,
    },
    repository::{
        Repository,
        commits::{
            cached_texts::CachedTexts,
            commit_texts::{CommitTexts, PseudoCommit},
        },
        places::{escapes::without_escapes, records::search_in_words},
        request::prepare::PreparedRequest,
    },
    run::{
        cache, errors,
        format_options::FormatOptions,
        output_run,
        places::{
            blames::{KeptBlames, is_of_single_lines},
            filter::ResolvedFilter,
            resolver::{Next, PlaceRequest, PlaceResolver, ResolvedLine},
        },
        standard_output::{StandardOutput, stdout},
        warnings::warn,
    },
    system,
    viewer::{
        model::{background::provenance::WrittenLine, file_version::Failure},
        repository::named_places::{PlaceInput, ReadLine, ReadPlace},
    },
};

/// How often it is looked whether the viewer has ended.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// One run of `--places`.
pub(in crate::run) struct PlacesRun<'a> {
    pub(in crate::run) repository: &'a Arc<Repository>,
    pub(in crate::run) invocation: &'a Invocation,
    pub(in crate::run) output: &'a PlacesOutput,
    /// The request for a directory: the work tree, or a commit.
    pub(in crate::run) prepared: &'a PreparedRequest,
    pub(in crate::run) cache: &'a CacheSettings,
    pub(in crate::run) clock: &'a Clock,
}

impl PlacesRun<'_> {
    /// Reads standard input, and writes to standard output.
    ///
    /// # Errors
    ///
    /// If the input cannot be read or the output cannot be written; at the end, if a file could not
    /// be blamed because of damage.
    pub(in crate::run) fn write(&self, format_options: FormatOptions) -> Result<()> {
        let kept = self.kept();
        let fields = self.output.json.unwrap_or_default();
        let threads = self.threads();
        let request = &self.prepared.request;
        let pseudo = PseudoCommit::of_files(self.clock);
        let mut commits =
            output_run::commits(self.repository, self.invocation, request, pseudo, threads);
        if let Some((_, texts)) = kept.as_ref().filter(|_| !fields.trailers) {
            commits.set_cached_texts(Arc::clone(texts));
        }
        let mut stdout = StandardOutput::new(stdout()?, None);
        let mut writer = PlaceWriter {
            filter: ResolvedFilter::new(&self.output.filter, self.clock)?,
            options: self.row_options(format_options)?,
            commits: &mut commits,
            out: OutputBuffer::new(&mut stdout),
            json: self
                .output
                .json
                .map(|fields| JsonPlaces::new(self.header(fields))),
            is_shown: true,
            lines: 0,
        };
        let mut resolver = PlaceResolver::start(self.request(kept), io::stdin());
        let written = writer.write(&mut resolver);
        let flushed = writer.out.flush().map_err(|err| Error::write(&err));
        warn(&mut commits.take_notes());
        written.and(flushed)?;
        if let Some(err) = &resolver.failed_input {
            let reason = os_message(err);
            return Err(Error::fatal(format!(
                "cannot read standard input: {reason}"
            )));
        }
        if resolver.is_damaged {
            let message = format!("{} files could not be blamed", resolver.failed);
            return Err(Error::fatal(message));
        }
        self.keep(&resolver);
        commits.leak_texts();
        Ok(())
    }

    fn threads(&self) -> usize {
        self.invocation
            .threads
            .unwrap_or_else(engine::default_threads)
    }

    fn header(&self, fields: JsonFields) -> JsonHeader<'_> {
        JsonHeader {
            kind: JsonKind::Places,
            request: &self.prepared.request,
            is_uncommitted: self.prepared.is_of_work_tree(),
            fields,
        }
    }

    /// How columns are written: days, unless another format was chosen.
    fn row_options(&self, format_options: FormatOptions) -> Result<PlainOptions> {
        let mut options = format_options.plain;
        let format = &self.invocation.format;
        if format.date.is_none() && self.repository.config().date.is_none() {
            let day = DateMode::parse("short".into(), false);
            options.date = day.map_err(|err| Error::fatal(err.to_string()))?;
        }
        if self.output.color == Some(false) {
            options.coloring.by_age = None;
        }
        Ok(options)
    }

    fn request(&self, kept: KeptBlames) -> PlaceRequest {
        let mut options = self.invocation.options.clone();
        options.file_and_line = false;
        options.suggest_paths = false;
        options.operands.retain(|word| word != "--");
        let directory = self.prepared.directory.as_ref();
        PlaceRequest {
            repository: Arc::clone(self.repository),
            options,
            commit: directory.and_then(|directory| directory.commit),
            clock: self.clock.clone(),
            kept,
            threads: self.threads(),
            only_whole: !is_of_single_lines(&self.prepared.request),
            sarif: self.output.sarif,
        }
    }

    /// The input of the viewer's list.
    ///
    /// # Errors
    ///
    /// If a date of the filter is not known.
    pub(in crate::run) fn viewer_input(&self, kept: Option<BlameFiles>) -> Result<PlaceInput> {
        let texts = Arc::<CachedTexts>::default();
        let request = self.request(kept.map(|files| (files, texts)));
        let filter = ResolvedFilter::new(&self.output.filter, self.clock)?;
        let pseudo = PseudoCommit::of_files(self.clock);
        let mut commits = CommitTexts::new(Arc::clone(self.repository), None, pseudo);
        let mut request = Some(request);
        Ok(Box::new(move |take| {
            let Some(request) = request.take() else {
                return Ok(());
            };
            let mut resolver = PlaceResolver::start(request, io::stdin());
            let mut last = BString::default();
            loop {
                let line = match resolver.next(LOOK_INTERVAL) {
                    Next::Line(mut line) => {
                        line.add_message(&last);
                        last.clear();
                        if line.place.is_none() {
                            last.extend_from_slice(&line.text);
                        }
                        Some(read_line(line, &filter, &mut commits)?)
                    }
                    Next::Later => None,
                    Next::End => break,
                };
                if take(line) == ControlFlow::Break(()) {
                    return Ok(());
                }
            }
            let failed = resolver.failed_input.take();
            failed.map_or(Ok(()), |err| {
                Err(Failure::new(format!("cannot read: {}", os_message(&err))))
            })
        }))
    }

    /// The kept blames, if they are used. The remembered history is used from now on.
    fn kept(&self) -> KeptBlames {
        let (directory, _) = cache::directory_with_history(self.repository, self.cache)?;
        let files = BlameFiles::new(&directory, self.cache);
        Some((files, Arc::<CachedTexts>::default()))
    }

    /// Keeps what was blamed. The reader of standard output has all of it before.
    fn keep(&self, resolver: &PlaceResolver) {
        let store = self.repository.store();
        if resolver.found.is_empty() || store.is_careful() || store.damage().is_some() {
            return;
        }
        system::close_stdout();
        for found in &resolver.found {
            found.keep();
        }
    }
}

impl ResolvedLine {
    /// To a place that stands alone below its message, as rustc writes it, adds the message.
    fn add_message(&mut self, line_before: &[u8]) {
        let text = without_escapes(&self.text);
        let message = without_escapes(line_before);
        if let Some(place) = text.trim().strip_prefix(b"--> ")
            && !message.trim().is_empty()
        {
            self.text = [place, b": ", message.trim()].concat().into();
        }
    }
}

/// A line for the viewer's list.
fn read_line(
    line: ResolvedLine,
    filter: &ResolvedFilter,
    commits: &mut CommitTexts,
) -> std::result::Result<ReadLine, Failure> {
    let Some(place) = line.place else {
        return Ok(ReadLine::Other);
    };
    if let Ok(written) = &place.written {
        let text = commits.get(&written.commit);
        let text = text.map_err(Failure::new)?;
        if !filter.takes(&text.author) {
            return Ok(ReadLine::LeftOut);
        }
    }
    let mut text = line.text;
    while text.ends_with(b"\n") || text.ends_with(b"\r") {
        text.pop();
    }
    let text = search_in_words(text.as_bstr()).unwrap_or(text);
    Ok(ReadLine::Place(ReadPlace {
        before: place.written.as_ref().ok().and_then(|it| it.before.clone()),
        path: place.path,
        revision: place.revision,
        line: place.line,
        text,
        written: place.written.map(|written| WrittenLine {
            commit: written.commit,
            path: written.path.as_ref().clone(),
            line: written.line,
        }),
    }))
}

/// Writes lines.
struct PlaceWriter<'a, 'w> {
    filter: ResolvedFilter,
    options: PlainOptions,
    commits: &'a mut RepositoryCommits,
    out: OutputBuffer<'w>,
    json: Option<JsonPlaces<'a>>,
    /// The last place was written, so that what follows it is too.
    is_shown: bool,
    /// The number of the last line.
    lines: u64,
}

impl PlaceWriter<'_, '_> {
    fn write(&mut self, resolver: &mut PlaceResolver) -> Result<()> {
        if let Some(json) = &self.json {
            json.begin(&mut self.out);
        }
        let mut wait = Duration::ZERO;
        loop {
            match resolver.next(wait) {
                Next::Line(line) => {
                    self.line(&line)?;
                    wait = Duration::ZERO;
                }
                Next::Later if !wait.is_zero() => wait = Duration::ZERO,
                // All that is known goes out before this waits.
                Next::Later => {
                    self.out.flush().map_err(|err| Error::write(&err))?;
                    warn(&mut resolver.notes);
                    wait = Duration::MAX;
                }
                Next::End => break,
            }
        }
        warn(&mut resolver.notes);
        if let Some(json) = self
            .json
            .as_ref()
            .filter(|_| resolver.failed_input.is_none())
        {
            json.end(&mut self.out, self.lines);
        }
        Ok(())
    }

    fn line(&mut self, line: &ResolvedLine) -> Result<()> {
        self.lines = line.number;
        let commit = line.place.as_ref().and_then(|it| it.written.as_ref().ok());
        if let Some(written) = commit {
            let text = self.commits.text(&written.commit);
            let text = text.map_err(|err| Error::fatal(err.to_string()))?;
            self.is_shown = self.filter.takes(&text.author);
        } else if line.place.is_some() {
            // In doubt it is not left out.
            self.is_shown = true;
        }
        if !self.is_shown {
            return Ok(());
        }
        match &mut self.json {
            Some(json) => {
                let Some(place) = &line.place else {
                    return Ok(());
                };
                let text = line.text.strip_suffix(b"\n").unwrap_or(&line.text);
                let record = PlaceRecord {
                    input_line: line.number,
                    path: place.path.as_bstr(),
                    revision: place.revision,
                    line: place.line,
                    column: place.column,
                    written: match &place.written {
                        Ok(written) => Ok((written.commit, written.boundary)),
                        Err(problem) => Err(problem.as_bstr()),
                    },
                    text: text.strip_suffix(b"\r").unwrap_or(text),
                    is_cut: line.is_cut,
                };
                let written = json.place(&mut self.out, &record, self.commits);
                written.map_err(errors::output_error)?;
            }
            None => {
                if let Some(written) = commit {
                    let commit = &written.commit;
                    let (out, commits) = (&mut self.out, &mut *self.commits);
                    let pushed = place_rows::push_columns(out, commit, commits, &self.options);
                    pushed.map_err(errors::output_error)?;
                }
                self.out.bytes(&line.text);
            }
        }
        self.out.spill().map_err(|err| Error::write(&err))
    }
}
