//! One run of the program: from the command line to what is written.

mod commits;
mod demo;
mod format_options;
mod progress;
mod ranges;
mod stats;
mod viewer;

use std::{
    ffi::OsString,
    fs::File,
    io::{self, IsTerminal, Write},
    sync::Arc,
    time::Instant,
};

use bstr::{BString, ByteSlice};

use crate::{
    cli::{self, Command, Invocation, table},
    cpu_time,
    dates::calendar::Clock,
    engine::{self, Blame, Engine, Start},
    error::{Error, Kind, Result},
    objects,
    output::{
        self, Buffer,
        incremental::Incremental,
        json::Json,
        plain, porcelain,
        stream::{EntryFormat, Stream},
    },
    repository::{
        Repository,
        commits::commit_reader::{CommitTexts, Pseudo},
        open::{
            discovery::current_directory,
            settings::{self, Check},
        },
        request::{
            option_conflicts,
            prepare::{Prepared, prepare},
        },
        revisions::resolver::{damaged, note_of},
    },
    run::{
        commits::Provider, demo::Demo, format_options::Look, progress::Progress, stats::Account,
    },
};

/// Run the program with `args`, which do not include its name. Writes to standard output, and to
/// standard error what is no reason to stop.
///
/// # Errors
///
/// What is to be reported before the program ends.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<()> {
    let began = Instant::now();
    let args: Vec<OsString> = args.into_iter().collect();
    let annotate = args.iter().any(|arg| arg == "--annotate");
    let command = if annotate { "annotate" } else { "blame" };
    run_command(args, began).map_err(|err| match err.kind() {
        Kind::Usage => err.with_usage(table::usage(command)),
        Kind::ShortUsage => err.with_usage(table::short_usage(command)),
        _ => err,
    })
}

fn run_command(args: Vec<OsString>, began: Instant) -> Result<()> {
    // git finds the repository before it looks at options, and help needs none.
    let invocation = match cli::parse(args) {
        Ok(Command::Print(text)) => return print(&text),
        Ok(Command::Blame(invocation)) if invocation.demo => {
            return demonstrate(*invocation, began);
        }
        Ok(Command::Blame(invocation)) => Ok(invocation),
        Err(refusal) => Err(refusal),
    };
    let mut notes = Vec::new();
    let clock = Clock::system();
    let terminal = io::stdout().is_terminal();
    let check: Check<'_> =
        &|key, value, notes| format_options::check(key, value, terminal, &clock, notes);
    let repository = Repository::open(&current_directory()?, check, &mut notes)
        .map_err(|err| after(&mut notes, err))?;
    let result = match invocation {
        Ok(mut invocation) => blame(repository, &mut invocation, began, &clock, &mut notes),
        Err(refusal) => {
            let first = option_conflicts::check_values(&repository, &refusal.accepted);
            first.and(Err(refusal.error))
        }
    };
    result.map_err(|err| after(&mut notes, err))
}

/// `--demo`: blame a file of the history that comes with the program.
fn demonstrate(mut invocation: Invocation, began: Instant) -> Result<()> {
    let demo = Demo::create()?;
    let repository = Repository::open_own(demo.root())?;
    if invocation.options.words.is_empty() {
        invocation.options.words.push(demo::FILE.into());
    }
    let clock = Clock::system();
    blame(repository, &mut invocation, began, &clock, &mut Vec::new())
}

fn after(notes: &mut Vec<BString>, err: Error) -> Error {
    err.after(std::mem::take(notes))
}

fn blame(
    repository: Repository,
    invocation: &mut Invocation,
    began: Instant,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<()> {
    let terminal = io::stdout().is_terminal();
    let look = Look::new(repository.settings(), &invocation.format, clock, terminal)?;
    let viewer = match viewer::is_wanted(invocation, terminal) {
        true => Some(viewer::configure(invocation)?),
        false => None,
    };
    // Who says that configured lists do not count means this one too.
    let lists = !invocation.options.forget_configured_ignored_files;
    invocation
        .options
        .root_ignored_file
        .get_or_insert(lists && viewer.as_ref().is_some_and(|it| it.config.ignore_revs));
    let since = format_options::since(&invocation.options, clock);
    let mut prepared = prepare(
        &repository,
        &invocation.options,
        since,
        clock.system_now(),
        notes,
    )?;
    format_options::listed(&mut prepared.request.listing, &invocation.options, clock);
    prepared.request.ranges = ranges::resolve(&repository, &prepared.request, &invocation.ranges)?;
    if let (None, Some(file)) = (&viewer, &prepared.root_file) {
        let problem = file.problem.iter();
        notes.extend(problem.map(|problem| format!("warning: {problem}").into()));
    }
    warn(notes);
    let repository = Arc::new(repository);
    let account = invocation.stats.then(|| Account::open(began));
    if let Some(settings) = viewer {
        let pseudo = pseudo(invocation, &prepared, clock);
        return viewer::open(
            &repository,
            invocation,
            settings,
            prepared,
            pseudo,
            account,
            clock,
        );
    }
    write(&repository, invocation, &prepared, &look, account, clock)
}

/// What is said of the commit that does not exist yet.
fn pseudo(invocation: &Invocation, prepared: &Prepared, clock: &Clock) -> Pseudo {
    Pseudo {
        path: prepared.request.path.clone(),
        contents: invocation.options.contents.clone(),
        time: u64::try_from(clock.system_now()).unwrap_or(0),
        // The local zone takes time to find out; only uncommitted lines show it.
        zone: match prepared.request.start {
            Start::Uncommitted(_) => {
                format!("{:+05}", clock.zone_number(clock.system_now())).into()
            }
            Start::Commit(_) => BString::default(),
        },
    }
}

fn threads(invocation: &Invocation) -> usize {
    invocation
        .threads
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
}

/// Write the blame to standard output in the format asked for.
fn write(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    prepared: &Prepared,
    look: &Look,
    mut account: Option<Account>,
    clock: &Clock,
) -> Result<()> {
    let pseudo = pseudo(invocation, prepared, clock);
    let encoding = invocation.format.encoding.as_ref();
    let texts = CommitTexts::new(
        Arc::clone(repository),
        encoding.map(|encoding| encoding.as_bstr()),
        pseudo,
    );
    let mut provider = Provider::new(texts);
    let mut stdout = stdout()?;
    let mut engine = Engine::new(Arc::clone(repository.store()), threads(invocation));
    if account.is_some() {
        engine.take_times(cpu_time::of_thread);
    }
    let format = &invocation.format;
    let result = match (format.json, format.incremental) {
        (true, _) => {
            let format = Json::new(&mut provider);
            stream(&mut engine, prepared, format, &mut account, &mut stdout)
        }
        (_, true) => {
            let quote = repository.settings().quote_path;
            let format = Incremental::new(&mut provider, quote);
            stream(&mut engine, prepared, format, &mut account, &mut stdout)
        }
        _ => write_whole(
            &mut engine,
            prepared,
            invocation,
            look,
            &mut account,
            &mut provider,
            &mut stdout,
        ),
    };
    warn(&mut provider.take_notes());
    if let Some(account) = &account {
        account.show();
    }
    result
}

/// Write each entry as it is decided.
fn stream(
    engine: &mut Engine,
    prepared: &Prepared,
    format: impl EntryFormat,
    account: &mut Option<Account>,
    stdout: &mut File,
) -> Result<()> {
    let eager = match std::env::var("GIT_FLUSH") {
        Ok(value) => settings::boolean(value.as_bytes()).unwrap_or(true),
        Err(_) => !stdout.metadata().is_ok_and(|metadata| metadata.is_file()),
    };
    let mut sink = Stream::new(Buffer::new(stdout), format, eager);
    let blamed = engine.blame(&prepared.request, &mut sink);
    warn_of_absence(blamed.as_ref().ok());
    if let (Some(account), Ok(blame)) = (account, &blamed) {
        account.blamed(blame);
    }
    sink.finish().map_err(not_written)?;
    blamed.map(drop).map_err(not_blamed)
}

fn write_whole(
    engine: &mut Engine,
    prepared: &Prepared,
    invocation: &Invocation,
    look: &Look,
    account: &mut Option<Account>,
    provider: &mut Provider,
    stdout: &mut File,
) -> Result<()> {
    let asked = match invocation.format.is_for_machines() {
        true => Some(false),
        false => invocation.format.progress,
    };
    let mut progress = Progress::new(asked, &prepared.request)?;
    let blame = engine
        .blame(&prepared.request, &mut progress)
        .map_err(not_blamed)?;
    progress.finish();
    warn_of_absence(Some(&blame));
    if let Some(account) = account {
        account.blamed(&blame);
    }
    let mut out = Buffer::new(stdout);
    let written = write_blame(&mut out, &blame, provider, invocation, prepared, look);
    // What git wrote before it failed, it wrote.
    let flushed = out.flush().map_err(|err| Error::write(&err));
    written.map_err(not_written).and(flushed)
}

fn write_blame(
    out: &mut Buffer<'_>,
    blame: &Blame,
    provider: &mut Provider,
    invocation: &Invocation,
    prepared: &Prepared,
    look: &Look,
) -> Result<(), output::Error> {
    let format = &invocation.format;
    if format.porcelain || format.line_porcelain {
        let options = porcelain::Options {
            every_line: format.line_porcelain,
            ..look.porcelain
        };
        porcelain::write(out, blame, provider, options)?;
    } else {
        let path = prepared.request.path.as_bstr();
        plain::write(out, blame, path, provider, &look.plain)?;
    }
    if format.show_stats {
        output::write_stats(out, &blame.stats)?;
    }
    Ok(())
}

fn not_blamed(err: engine::Error) -> Error {
    match err {
        engine::Error::Conversion(err) => Error::from_conversion(err),
        engine::Error::Object(err) => damaged(err),
        err => Error::fatal(err.to_string()),
    }
}

fn not_written(err: output::Error) -> Error {
    match err {
        output::Error::Write(err) => Error::write(&err),
        err => Error::fatal(err.to_string()),
    }
}

/// Say which parents are not there.
fn warn_of_absence(blame: Option<&Blame>) {
    let absent = blame.into_iter().flat_map(|blame| &blame.absent);
    let note = |err: &Arc<objects::Error>| note_of(err).unwrap_or_else(|| could_not_read(err));
    warn(&mut absent.map(note).collect());
}

fn could_not_read(err: &objects::Error) -> BString {
    match err {
        objects::Error::Missing { id } => format!("error: Could not read {id}").into(),
        err => format!("error: {err}").into(),
    }
}

/// Say what git says on standard error and goes on after.
fn warn(notes: &mut Vec<BString>) {
    let mut stderr = io::stderr().lock();
    for note in notes.drain(..) {
        // Nobody is left to hear of it if this fails.
        stderr.write_all(&crate::error::printable(&note)).ok();
        stderr.write_all(b"\n").ok();
    }
}

fn print(text: &str) -> Result<()> {
    let mut out = stdout()?;
    out.write_all(text.as_bytes())
        .map_err(|err| Error::write(&err))
}

/// Standard output without the line buffer that the standard library puts before it.
fn stdout() -> Result<File> {
    #[cfg(unix)]
    let file = {
        use std::os::fd::AsFd;
        io::stdout().as_fd().try_clone_to_owned().map(File::from)
    };
    #[cfg(windows)]
    let file = {
        use std::os::windows::io::AsHandle;
        io::stdout()
            .as_handle()
            .try_clone_to_owned()
            .map(File::from)
    };
    file.map_err(|err| Error::write(&err))
}
