//! Blames, or follows a history, and writes what is found in the requested format.

use std::{
    io::{self, IsTerminal},
    sync::Arc,
};

use bstr::{BString, ByteSlice};

use crate::{
    cache::CacheSettings,
    cli::{Invocation, Output},
    dates::calendar::Clock,
    engine::{self, Blame, Engine, Request, Sink},
    error::{Error, Result},
    output::{
        self, OutputBuffer,
        incremental::Incremental,
        json::{
            lines::JsonLines,
            records::{JsonFields, JsonHeader, JsonKind},
        },
        list_row::ListStyle,
        people::counted_people::CountedPeople,
        plain, porcelain,
        repository_commits::RepositoryCommits,
        stream::{EntryFormat, EntryStream},
        tree::node_order::NodeOrder,
    },
    repository::{
        Repository,
        agents::finder::AgentFinder,
        commits::commit_texts::{CommitTexts, PseudoCommit},
        content::work_tree_files::WorkTreeFiles,
        open::environment::EnvironmentUse,
        provenance::finder::ProvenanceFinder,
        request::prepare::PreparedRequest,
        revisions::peel::unreadable_parent,
    },
    run::{
        cache::{self, RunCache, RunTrees},
        diagnosis::terminal_size,
        errors::{blame_error, output_error},
        format_options::FormatOptions,
        history::HistoryRun,
        output_pager,
        progress::ProgressReporter,
        standard_output::{self, StandardOutput, stdout},
        stats::PhaseTimer,
        tree::TreeRun,
        warnings::warn,
    },
    system::cpu_time,
};

/// Blames, or follows a history, and writes the requested format to standard output.
pub(super) fn write(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    prepared: &mut PreparedRequest,
    cache: &CacheSettings,
    format_options: &FormatOptions,
    timer: Option<PhaseTimer>,
    clock: &Clock,
) -> Result<()> {
    let output = &invocation.output;
    prepared.request.in_order = *output == Output::Incremental;
    let prepared = &*prepared;
    let request = &prepared.request;
    let fields = match output {
        Output::Json(fields) => *fields,
        Output::Tree { json, .. } => json.unwrap_or_default(),
        _ => JsonFields::default(),
    };
    let mut trees = open_trees(repository, prepared, cache, fields);
    let mut remembered = None;
    let cache = match output {
        Output::History { .. } => {
            let kept = cache::directory_with_history(repository, cache);
            remembered = kept.and_then(|(_, history)| history);
            None
        }
        _ if prepared.directory.is_some() => None,
        _ => open_cache(repository, invocation, request, cache, fields),
    };
    let threads = invocation.threads.unwrap_or_else(engine::default_threads);
    let work_tree = work_tree(repository, invocation, prepared, clock)?;
    let pseudo = match &work_tree {
        Some(_) => PseudoCommit::of_files(clock),
        None => PseudoCommit::new(request, invocation.options.contents.clone(), clock),
    };
    let mut commits = commits(repository, invocation, request, pseudo, threads);
    // What a kept blame has of commits is not their messages.
    let needs_messages = fields.trailers || fields.agent || matches!(output, Output::People { .. });
    if let Some(cache) = cache.as_ref().filter(|_| !needs_messages) {
        commits.set_cached_texts(Arc::clone(&cache.texts));
    }
    let texts = Arc::clone(&trees.texts);
    if needs_messages {
        commits.add_texts_to(texts);
    } else if prepared.directory.is_some() {
        commits.set_cached_texts(texts);
    }
    // As in git, entries are shown as they are found, without a pager.
    let pager = if output.is_stream() {
        None
    } else {
        let annotates = invocation.format.annotate_command;
        output_pager::command(repository.config(), annotates, |name| {
            std::env::var_os(name)
        })
    };
    let mut stdout = StandardOutput::new(stdout()?, pager);
    let mut run = OutputRun {
        engine: Engine::new(Arc::clone(repository.store()), threads),
        prepared,
        cache,
        timer,
    };
    if run.timer.is_some() {
        run.engine.measure_times(cpu_time::of_thread);
    }
    let header = |kind| JsonHeader {
        kind,
        request,
        is_uncommitted: false,
        fields,
    };
    let style = list_style(&stdout, output, format_options);
    let mut remark = None;
    let has_date = invocation.format.date.is_some() || repository.config().date.is_some();
    let result = match output {
        Output::History { kind, json, .. } => {
            let history = HistoryRun {
                engine: &mut run.engine,
                request,
                kind,
                json: *json,
                style: &style,
            };
            let followed = history.write(format_options, has_date, &mut commits, &mut stdout);
            followed.map(|(end, note)| {
                remark = note;
                if let Some(timer) = &mut run.timer {
                    timer.walked(end.stats, end.profile);
                }
            })
        }
        Output::Tree { .. } | Output::People { .. } if prepared.directory.is_some() => {
            let (people, json, recursive, order, counts_generated) = match *output {
                Output::Tree {
                    json,
                    recursive,
                    order,
                    generated,
                    ..
                } => (false, json, recursive, order, generated),
                Output::People {
                    json, generated, ..
                } => {
                    let fields = json.then(JsonFields::default);
                    (true, fields, true, NodeOrder::Name, generated == Some(true))
                }
                _ => (false, None, false, NodeOrder::Name, false),
            };
            let tree = TreeRun {
                engine: &mut run.engine,
                repository,
                work_tree,
                trees: &mut trees,
                request: prepared.of_directory(),
                people,
                json,
                recursive,
                order,
                counts_generated,
                dates: has_date.then(|| format_options.plain.clone()),
                style,
                threads,
                stats: invocation.stats,
            };
            let note = tree.write(&mut commits, &mut stdout);
            note.map(|note| remark = note)
        }
        Output::People {
            generated: Some(_), ..
        } => Err(Error::fatal("--generated needs a directory")),
        Output::People { json, .. } => {
            let header = json.then(|| header(JsonKind::People));
            let format = CountedPeople::new(&mut commits, header, &style);
            run.stream(format, &mut stdout).map(|has_entries| {
                let note = || "note: the file has no lines".into();
                remark = (!has_entries && !json).then(note);
            })
        }
        Output::Json(_) => {
            let format = JsonLines::new(&mut commits, header(JsonKind::Blame));
            run.stream(format, &mut stdout).map(drop)
        }
        Output::Incremental => {
            let quote = repository.config().quote_path;
            let format = Incremental::new(&mut commits, quote);
            run.stream(format, &mut stdout).map(drop)
        }
        // `--places` and `--patch` have runs of their own.
        Output::Plain
        | Output::Porcelain { .. }
        | Output::Tree { .. }
        | Output::Patch { .. }
        | Output::Places(_)
        | Output::Why { .. } => {
            run.write_at_end(invocation, format_options, &mut commits, &mut stdout)
        }
    };
    // The pager ends first, which has the terminal for itself.
    drop(stdout);
    let remark = remark.filter(|_| io::stderr().is_terminal());
    warn(&mut remark.into_iter().collect());
    warn(&mut notes_of(&mut commits, request));
    if let Some(timer) = &run.timer {
        timer.print();
    }
    if let (Some(cache), Ok(())) = (run.cache, &result) {
        cache.keep(repository, &run.engine);
    }
    if let (Some(history), Ok(())) = (remembered, &result) {
        cache::keep_history(&history, repository, &run.engine);
    }
    // Also if some of its files could not be blamed.
    trees.keep(repository, &run.engine);
    // The process ends: to free all this would only take time.
    commits.leak_texts();
    std::mem::forget(run.engine);
    result
}

/// How a list is shown.
fn list_style(
    stdout: &StandardOutput,
    output: &Output,
    format_options: &FormatOptions,
) -> ListStyle {
    let is_colored = match output {
        Output::People { color, .. }
        | Output::Tree { color, .. }
        | Output::History { color, .. } => *color == Some(true),
        _ => return ListStyle::default(),
    };
    let size = (!stdout.is_direct()).then(terminal_size).flatten();
    let ages = format_options.plain.coloring.by_age.as_ref();
    ListStyle {
        terminal: size.map(|(columns, _)| usize::from(columns)),
        ages: ages.filter(|_| is_colored).cloned(),
    }
}

/// The cache for a request, if it can be answered from one.
fn open_cache(
    repository: &Repository,
    invocation: &Invocation,
    request: &Request,
    settings: &CacheSettings,
    fields: JsonFields,
) -> Option<RunCache> {
    let format = &invocation.format;
    // What these print depends on how the walk went.
    let is_of_walk =
        format.show_stats || format.score_debug || matches!(invocation.output, Output::Tree { .. });
    if is_of_walk || repository.store().is_careful() {
        return None;
    }
    let directory = cache::repository_directory(repository, settings)?;
    let needs_history = fields.release || fields.request;
    RunCache::open(repository, request, &directory, settings, needs_history)
}

/// The work tree, if `--tree` is of it.
fn work_tree(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    prepared: &PreparedRequest,
    clock: &Clock,
) -> Result<Option<Arc<WorkTreeFiles>>> {
    let request = &prepared.request;
    let heads = request.start.heads();
    let Some(&head) = heads.first().filter(|_| prepared.is_of_work_tree()) else {
        return Ok(None);
    };
    let options = &invocation.options;
    if !options.ancestry_path.is_empty() || options.simplify_by_decoration {
        let message = "--ancestry-path and --simplify-by-decoration need a revision with --tree";
        return Err(Error::fatal(message));
    }
    let converts = request.text_conversion.is_some();
    let files = WorkTreeFiles::new(repository, head, converts, clock.system_now())?;
    Ok(Some(Arc::new(files)))
}

/// The cache for `--tree`.
fn open_trees(
    repository: &Repository,
    prepared: &PreparedRequest,
    settings: &CacheSettings,
    fields: JsonFields,
) -> RunTrees {
    let directory = match prepared.directory {
        Some(_) => cache::repository_directory(repository, settings),
        None => None,
    };
    let needs_history = fields.release || fields.request;
    let request = prepared.of_directory();
    directory.map_or_else(RunTrees::default, |directory| {
        RunTrees::open(repository, &request, &directory, settings, needs_history)
    })
}

/// The commits for the output formats.
pub(super) fn commits(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    request: &Request,
    pseudo: PseudoCommit,
    threads: usize,
) -> RepositoryCommits {
    let encoding = invocation.format.encoding.as_ref();
    let encoding = encoding.map(|encoding| encoding.as_bstr());
    let heads = request.reverse.as_deref();
    let tip = heads.unwrap_or(request.start.heads()).first().copied();
    RepositoryCommits::new(
        CommitTexts::new(Arc::clone(repository), encoding, pseudo),
        ProvenanceFinder::new(Arc::clone(repository), tip, threads),
        AgentFinder::new(Arc::clone(repository)),
    )
}

/// A blame whose result goes to standard output.
struct OutputRun<'a> {
    engine: Engine,
    prepared: &'a PreparedRequest,
    cache: Option<RunCache>,
    timer: Option<PhaseTimer>,
}

impl OutputRun<'_> {
    fn blame(&mut self, sink: &mut dyn Sink) -> std::result::Result<Blame, engine::Error> {
        let request = &self.prepared.request;
        let blames = self.cache.as_mut().map(RunCache::blames);
        let mut blamed = self.engine.blame_with_cache(request, blames, sink);
        if let (Some(cache), Ok(blame)) = (&mut self.cache, &mut blamed) {
            cache.blamed(blame);
        }
        if let (Some(timer), Ok(blame)) = (&mut self.timer, &blamed) {
            timer.blamed(blame);
        }
        blamed
    }

    /// Writes each entry as soon as it is found. Returns whether there is one.
    fn stream(&mut self, format: impl EntryFormat, stdout: &mut StandardOutput) -> Result<bool> {
        // As in git: without the variable, everything but regular files is flushed after each
        // commit.
        let chosen = EnvironmentUse::Apply.boolean("GIT_FLUSH");
        let eager = match chosen {
            Ok(Some(eager)) => eager,
            _ => !stdout.is_regular_file(),
        };
        let mut sink = EntryStream::new(OutputBuffer::new(stdout), format, eager);
        if chosen.is_err() {
            // git reads the variable after it has written an entry.
            sink.stop_after_first_entry();
        }
        let blamed = self.blame(&mut sink);
        if let Err(err) = &blamed
            && err.is_sign_of_damage()
            && !standard_output::has_begun()
        {
            // It begins again.
            return blamed.map(|_| false).map_err(blame_error);
        }
        warn_of_unreadable_parents(blamed.as_ref().ok());
        if blamed.as_ref().is_ok_and(|blame| !blame.stopped) {
            sink.end();
        }
        let has_entries = sink.has_entries();
        sink.finish().map_err(output_error)?;
        if has_entries {
            chosen?;
        }
        blamed.map(|_| has_entries).map_err(blame_error)
    }

    /// Writes the finished blame.
    fn write_at_end(
        &mut self,
        invocation: &Invocation,
        format_options: &FormatOptions,
        commits: &mut RepositoryCommits,
        stdout: &mut StandardOutput,
    ) -> Result<()> {
        let progress = match invocation.output {
            Output::Plain => invocation.format.progress,
            _ => Some(false),
        };
        let mut progress = ProgressReporter::new(progress, &self.prepared.request)?;
        let blame = self.blame(&mut progress).map_err(blame_error)?;
        progress.finish();
        warn_of_unreadable_parents(Some(&blame));
        stdout.begin()?;
        let mut out = OutputBuffer::new(stdout);
        let written = write_blame(
            &mut out,
            &blame,
            commits,
            invocation,
            self.prepared,
            format_options,
        );
        // As git, output written before a failure is kept.
        let flushed = out.flush().map_err(|err| Error::write(&err));
        std::mem::forget(blame);
        written.map_err(output_error).and(flushed)
    }
}

fn write_blame(
    out: &mut OutputBuffer<'_>,
    blame: &Blame,
    commits: &mut RepositoryCommits,
    invocation: &Invocation,
    prepared: &PreparedRequest,
    format_options: &FormatOptions,
) -> Result<(), output::OutputError> {
    if let Output::Porcelain { every_line } = invocation.output {
        let options = porcelain::PorcelainOptions {
            every_line,
            ..format_options.porcelain
        };
        porcelain::write(out, blame, commits, options)?;
    } else {
        let path = prepared.request.path.as_bstr();
        plain::write(out, blame, path, commits, &format_options.plain)?;
    }
    if invocation.format.show_stats {
        output::write_stats(out, &blame.stats)?;
    }
    Ok(())
}

/// Prints an error for each parent that could not be read, which does not end the blame.
fn warn_of_unreadable_parents(blame: Option<&Blame>) {
    let errors = blame
        .into_iter()
        .flat_map(|blame| &blame.unreadable_parents);
    warn(&mut errors.map(|err| unreadable_parent(err)).collect());
}

/// Messages about problems of reading commits and converting blobs to text that do not end the
/// blame.
fn notes_of(commits: &mut RepositoryCommits, request: &Request) -> Vec<BString> {
    let mut notes = commits.take_notes();
    if let Some(conversion) = &request.text_conversion {
        notes.extend(conversion.take_notes());
    }
    notes
}
