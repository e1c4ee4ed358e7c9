//! One run of the program, from the command line to the output or the viewer.

mod cache;
mod cache_verification;
mod commits;
pub mod demo;
mod errors;
mod format_options;
mod git_compat;
mod history;
pub mod launcher;
mod output_pager;
mod progress;
mod shim;
mod signals;
mod standard_output;
mod stats;
mod terminal_writer;
mod tree;
mod viewer;
mod warnings;

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, IsTerminal, Write},
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use bstr::{BString, ByteSlice};

use crate::{
    cache::CacheSettings,
    cli::{
        self, CacheAction, Command, Invocation, Output,
        git_options::{self, Grammar},
        help,
    },
    dates::calendar::Clock,
    engine::{self, Blame, Engine, Request, Sink},
    error::{Error, Kind, Result},
    objects::{Begun, Store},
    output::{
        self, OutputBuffer,
        incremental::Incremental,
        json::{
            lines::JsonLines,
            records::{JsonFields, JsonHeader, JsonKind},
        },
        people::{json_people::JsonPeople, people_rows::PeopleRows},
        plain, porcelain,
        stream::{EntryFormat, EntryStream},
    },
    repository::{
        Repository,
        agents::finder::AgentFinder,
        commits::commit_texts::{CommitTexts, PseudoCommit},
        open::{environment::EnvironmentUse, git_config::ConfigCheck, paths::current_directory},
        provenance::finder::ProvenanceFinder,
        request::{
            options::BlameOptions,
            prepare::{PreparedRequest, prepare},
        },
        revisions::peel::unreadable_parent,
    },
    run::{
        cache::RunCache,
        commits::RepositoryCommits,
        demo::Demo,
        errors::{blame_error, output_error},
        format_options::FormatOptions,
        git_compat::GitCompat,
        history::HistoryRun,
        progress::ProgressReporter,
        shim::ShimCall,
        standard_output::StandardOutput,
        stats::PhaseTimer,
        tree::TreeRun,
        warnings::warn,
    },
    system::{self, cpu_time},
    viewer::terminal::watcher,
};

/// The exit status for invalid arguments.
const USAGE_STATUS: u8 = 129;

/// The program's `main`.
pub fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    if let Some(status) = watcher::run(&args).or_else(|| system::run_detached(&args)) {
        return status;
    }
    signals::remove_leftovers_at_ends();
    if program_name(&program) == "git" {
        return match shim::read(&args) {
            Some(call) => report(answer(&program, call)),
            None => shim::run_git(&args),
        };
    }
    report(run(&program, args))
}

/// The exit status after reporting an error.
fn report(result: Result<ExitCode>) -> ExitCode {
    let err = match result {
        Ok(code) => return code,
        Err(err) => err,
    };
    let mut stderr = io::stderr().lock();
    let terminal = io::stderr().is_terminal();
    let printed = match err.stdout() {
        Some(text) => io::stdout().write_all(text.as_bytes()),
        None => Ok(()),
    };
    let reported = err.report(&mut stderr, terminal);
    standard_output::end_if_closed(&printed.and(reported));
    if err.kind() == Kind::BrokenPipe {
        standard_output::end_by_closed_pipe();
    }
    ExitCode::from(err.exit_status())
}

/// Answers `git blame` in place of git; `program` is what this program was started as.
fn answer(program: &OsStr, call: ShimCall) -> Result<ExitCode> {
    let began = Instant::now();
    let variables = call.options.apply()?;
    if !variables.is_empty() {
        return shim::run_again(program, cli::os_strings(&call.args), variables);
    }
    match run_command(program, Ok(Command::Blame(call.invocation)), began) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // The usage text is git's too; nothing was written yet.
        Err(err) if err.exit_status() == USAGE_STATUS => {
            let args: Vec<OsString> = cli::os_strings(&call.args).collect();
            Ok(shim::run_git(&args))
        }
        Err(err) => Err(err),
    }
}

/// Runs the program with `args`; `program` is what it was started as. Output goes to standard
/// output, warnings to standard error.
///
/// # Errors
///
/// The error to report before exiting.
fn run(program: &OsStr, args: Vec<OsString>) -> Result<ExitCode> {
    let began = Instant::now();
    let args = cli::bytes(args)?;
    let annotate = args.iter().any(|arg| arg == "--annotate");
    let command = usage_command(program, annotate);
    let mut rest = &*args;
    // git has read them before it starts `git-tblame`.
    if !command.starts_with("git") {
        let options = git_options::parse(&args, Grammar::WithoutCommand);
        let (options, words) = options.map_err(|err| with_usage(err, command))?;
        let variables = options.apply()?;
        rest = &args[words..];
        if !variables.is_empty() {
            return shim::run_again(program, cli::os_strings(rest), variables);
        }
    }
    run_command(program, cli::parse(command, rest), began)
        .map_err(|err| with_usage(err, command))?;
    Ok(ExitCode::SUCCESS)
}

fn with_usage(err: Error, command: &str) -> Error {
    match err.kind() {
        Kind::Usage | Kind::UnknownOption => err.with_usage(help::usage(command)),
        Kind::ShortUsage => err.with_usage(help::short_usage(command)),
        _ => err,
    }
}

/// The name that the program was started under.
fn program_name(program: &OsStr) -> &OsStr {
    Path::new(program).file_stem().unwrap_or_default()
}

/// The command that the usage text describes: git's if the program was started in place of git.
fn usage_command(program: &OsStr, annotate: bool) -> &'static str {
    let in_place_of_git = program_name(program).as_encoded_bytes().starts_with(b"git");
    match (in_place_of_git, annotate) {
        (true, false) => "git blame",
        (true, true) => "git annotate",
        (false, false) => "tblame",
        (false, true) => "tblame --annotate",
    }
}

/// Does what a command line asks for.
fn run_command(program: &OsStr, parsed: Result<Command>, began: Instant) -> Result<()> {
    // As in git, errors of discovery come before those of options; help needs no repository.
    match parsed {
        Ok(Command::Print(text)) => print(&text),
        Ok(Command::Blame(invocation)) if invocation.shim.is_some() => {
            let change = invocation.shim.as_ref().map(|it| shim::change(program, it));
            change.map_or(Ok(()), |text| print(&text?))
        }
        Ok(Command::Blame(invocation)) if invocation.cache == CacheAction::List => {
            cache::list(&cache::settings(&invocation, None))
        }
        Ok(Command::Blame(invocation)) if invocation.cache == CacheAction::Clear => {
            let settings = cache::settings(&invocation, None);
            cache::clear(&settings, &invocation.options.operands)
        }
        Ok(Command::Blame(mut invocation)) => {
            // For git, `+5` and `file:5` are names.
            let name = program_name(program);
            invocation.options.file_and_line = name != "git" && name != "git-blame";
            viewer::bound_arenas(program, &invocation);
            match (invocation.demo, invocation.cache) {
                (true, _) => run_demo(*invocation, began),
                (false, CacheAction::Warm) => {
                    let mut notes = Vec::new();
                    let repository = open(&Clock::system(), &mut notes)?;
                    let warmed = cache::warm(&repository, &cache::settings(&invocation, None));
                    warmed.map_err(|err| with_notes(&mut notes, err))
                }
                _ => blame_with_care(&invocation, began),
            }
        }
        Err(err) => {
            let mut notes = Vec::new();
            open(&Clock::system(), &mut notes)?;
            Err(with_notes(&mut notes, err))
        }
    }
}

/// Opens the repository of the current directory.
fn open(clock: &Clock, notes: &mut Vec<BString>) -> Result<Repository> {
    let terminal = io::stdout().is_terminal();
    let check: ConfigCheck<'_> =
        &|key, value, notes| format_options::check_variable(key, value, terminal, clock, notes);
    Repository::open(&current_directory()?, check, notes).map_err(|err| with_notes(notes, err))
}

/// Blames in the repository of the current directory. Begins again, with care, where a sign of
/// damage ended it before there was output.
fn blame_with_care(invocation: &Invocation, began: Instant) -> Result<()> {
    let clock = Clock::system();
    let mut failed: Option<(Arc<Store>, Error)> = None;
    loop {
        let is_first = failed.is_none();
        let damaged = failed.as_ref().map(|(store, _)| store);
        let warning = damaged.and_then(|store| store.damage_warning());
        let mut notes = Vec::from_iter(warning.map(BString::from));
        let repository = open(&clock, &mut notes)?;
        if let Some((damaged, error)) = failed {
            if !invocation.options.is_repeatable(&repository) {
                return Err(error);
            }
            let sign = damaged.sign_of_damage().unwrap_or_default();
            repository.store().be_careful(sign.to_owned());
            warnings::begin_again();
        }
        let store = Arc::clone(repository.store());
        let options = &mut invocation.clone();
        let blamed = blame(repository, options, began, &clock, &mut notes);
        let blamed = blamed.map_err(|err| with_notes(&mut notes, err));
        let is_damaged = store.sign_of_damage().is_some();
        match blamed {
            Err(error) if is_first && is_damaged && !standard_output::has_begun() => {
                failed = Some((store, error));
            }
            blamed => return blamed,
        }
    }
}

/// Runs `--demo`.
fn run_demo(mut invocation: Invocation, began: Instant) -> Result<()> {
    let demo = Demo::create()?;
    let repository = Repository::open_own(demo.root())?;
    if invocation.options.operands.is_empty() {
        invocation.options.operands.push(demo::FILE.into());
    }
    // The demonstration leaves nothing behind.
    invocation.cache = CacheAction::Ignore;
    let clock = Clock::system();
    blame(repository, &mut invocation, began, &clock, &mut Vec::new())
}

fn with_notes(notes: &mut Vec<BString>, err: Error) -> Error {
    err.after(warnings::take_new(notes))
}

fn blame(
    mut repository: Repository,
    invocation: &mut Invocation,
    began: Instant,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<()> {
    let terminal = io::stdout().is_terminal();
    let compat = GitCompat::new(invocation, repository.config())?;
    let has_older_dates = compat.has_older_dates(&invocation.options, repository.config());
    repository.set_older_dates(has_older_dates);
    let clock = &clock.clone().with_older_dates(has_older_dates);
    let mut format_options = FormatOptions::new(repository.config(), invocation, clock, terminal)?;
    let viewer = if viewer::is_requested(invocation, terminal, notes) {
        Some(viewer::load_settings(invocation)?)
    } else {
        None
    };
    // --no-ignore-revs-file applies to this file too.
    let ignore_files = !invocation.options.forget_configured_ignored_files;
    invocation
        .options
        .root_ignored_file
        .get_or_insert(ignore_files && viewer.as_ref().is_some_and(|it| it.config.ignore_revs));
    invocation.options.suggest_paths = io::stderr().is_terminal();
    compat.change_options(&mut invocation.options, repository.config());
    let begun = repository.store().begin();
    let prepared = match invocation.output {
        Output::Tree { .. } => prepare_tree(&repository, &invocation.options, clock, notes),
        _ => prepare(&repository, &invocation.options, clock, notes),
    };
    end_reads(&repository, begun)?;
    compat.change_notes(notes);
    let mut prepared = match prepared {
        Err(err) if viewer.is_some() => {
            prepare_directory(&repository, &invocation.options, clock, notes).ok_or(err)?
        }
        prepared => prepared?,
    };
    if let (None, Some(file)) = (&viewer, &prepared.root_file) {
        let problem = file.problem.iter();
        notes.extend(problem.map(|problem| format!("warning: {problem}").into()));
    }
    warn(notes);
    let repository = Arc::new(repository);
    if invocation.cache == CacheAction::Verify {
        let settings = cache::settings(invocation, None);
        return cache_verification::verify(&repository, &prepared.request, &settings);
    }
    let timer = invocation.stats.then(|| PhaseTimer::opened(began));
    if let Some(settings) = viewer {
        let contents = invocation.options.contents.clone();
        let pseudo = PseudoCommit::new(&prepared.request, contents, clock);
        return viewer::run(
            &repository,
            invocation,
            settings,
            prepared,
            pseudo,
            timer,
            clock,
        );
    }
    let cache = cache::settings(invocation, None);
    compat.change_format(&mut format_options);
    write(
        &repository,
        invocation,
        &mut prepared,
        &cache,
        &format_options,
        timer,
        clock,
    )?;
    // What was written before may be wrong.
    end_reads(&repository, begun)
}

/// Ends if a sign of damage appeared meanwhile, or an object of a damaged repository could not be
/// had.
fn end_reads(repository: &Repository, begun: Begun) -> Result<()> {
    let ended = repository.store().end(begun);
    ended.map_err(|err| Error::fatal(err.to_string()))
}

/// For the viewer: a directory, or nothing for the current one, in which the user chooses a file.
/// `None` if the options name none or need a file.
fn prepare_directory(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Option<PreparedRequest> {
    if options.reverse || options.contents.is_some() || !options.ranges.is_empty() {
        return None;
    }
    let mut of_directory = options.clone();
    of_directory.directory = true;
    if of_directory.operands.is_empty() {
        of_directory.operands.push(".".into());
    }
    let noted = notes.len();
    let prepared = prepare(repository, &of_directory, clock, notes).ok();
    if prepared.is_none() {
        notes.truncate(noted);
    }
    prepared
}

/// For `--tree`: a directory, or nothing for the current one.
fn prepare_tree(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<PreparedRequest> {
    let mut of_directory = options.clone();
    of_directory.directory = true;
    let operands = &mut of_directory.operands;
    let is_named = operands.last().is_some_and(|last| last != "--");
    if !is_named {
        operands.push(".".into());
        return prepare(repository, &of_directory, clock, notes);
    }
    let noted = notes.len();
    let prepared = prepare(repository, &of_directory, clock, notes);
    prepared.or_else(|err| {
        // The only word may be a revision.
        let failed = notes.split_off(noted);
        of_directory.operands.push(".".into());
        prepare(repository, &of_directory, clock, notes).map_err(|_| {
            notes.truncate(noted);
            notes.extend(failed);
            err
        })
    })
}

/// Blames, or follows a history, and writes the requested format to standard output.
fn write(
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
    let cache = open_cache(repository, invocation, request, cache, fields);
    let threads = invocation.threads.unwrap_or_else(engine::default_threads);
    let mut commits = commits(repository, invocation, request, clock, threads);
    // What a kept blame has of commits is not their messages.
    let needs_messages = fields.trailers || fields.agent || matches!(output, Output::People { .. });
    if let Some(cache) = cache.as_ref().filter(|_| !needs_messages) {
        commits.set_cached_texts(Arc::clone(&cache.texts));
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
        fields,
    };
    let result = match output {
        Output::History { kind, json } => {
            let history = HistoryRun {
                engine: &mut run.engine,
                request,
                kind,
                json: *json,
            };
            let has_date = invocation.format.date.is_some() || repository.config().date.is_some();
            let followed = history.write(format_options, has_date, &mut commits, &mut stdout);
            followed.map(|end| {
                if let Some(timer) = &mut run.timer {
                    timer.walked(end.stats, end.profile);
                }
            })
        }
        Output::Tree { json, recursive } => {
            let directory = prepared.directory.as_ref();
            let tree = TreeRun {
                engine: &mut run.engine,
                store: repository.store(),
                request: Request {
                    path: directory.map_or_else(BString::default, |it| it.path.clone()),
                    ..request.clone()
                },
                json: *json,
                recursive: *recursive,
                threads,
            };
            tree.write(&mut commits, &mut stdout)
        }
        Output::People { json: true } => {
            let format = JsonPeople::new(&mut commits, header(JsonKind::People));
            run.stream(format, &mut stdout)
        }
        Output::People { json: false } => run.stream(PeopleRows::new(&mut commits), &mut stdout),
        Output::Json(_) => {
            let format = JsonLines::new(&mut commits, header(JsonKind::Blame));
            run.stream(format, &mut stdout)
        }
        Output::Incremental => {
            let quote = repository.config().quote_path;
            run.stream(Incremental::new(&mut commits, quote), &mut stdout)
        }
        Output::Plain | Output::Porcelain { .. } => {
            run.write_at_end(invocation, format_options, &mut commits, &mut stdout)
        }
    };
    // The pager ends first, which has the terminal for itself.
    drop(stdout);
    warn(&mut notes_of(&mut commits, request));
    if let Some(timer) = &run.timer {
        timer.print();
    }
    if let (Some(cache), Ok(())) = (run.cache, &result) {
        cache.keep(repository, &run.engine);
    }
    // The process ends: to free all this would only take time.
    commits.leak_texts();
    std::mem::forget(run.engine);
    result
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
    let is_of_walk = format.show_stats
        || format.score_debug
        || matches!(
            invocation.output,
            Output::History { .. } | Output::Tree { .. }
        );
    if is_of_walk || repository.store().is_careful() {
        return None;
    }
    let directory = cache::repository_directory(repository, settings)?;
    let needs_history = fields.release || fields.request;
    RunCache::open(repository, request, &directory, settings, needs_history)
}

/// The commits for the output formats.
fn commits(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    request: &Request,
    clock: &Clock,
    threads: usize,
) -> RepositoryCommits {
    let pseudo = PseudoCommit::new(request, invocation.options.contents.clone(), clock);
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

    /// Writes each entry as soon as it is found.
    fn stream(&mut self, format: impl EntryFormat, stdout: &mut StandardOutput) -> Result<()> {
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
            return blamed.map(drop).map_err(blame_error);
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
        blamed.map(drop).map_err(blame_error)
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

fn print(text: &str) -> Result<()> {
    let mut out = stdout()?;
    out.write_all(text.as_bytes())
        .map_err(|err| Error::write(&err))
}

/// Standard output without the line buffer of the standard library.
fn stdout() -> Result<File> {
    system::stdout().map_err(|err| Error::write(&err))
}
