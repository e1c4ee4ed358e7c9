//! One run of the program, from the command line to the output or the viewer.

mod cache;
pub mod demo;
mod diagnosis;
mod elsewhere;
mod errors;
mod format_options;
mod git_compat;
mod history;
pub mod launcher;
mod missing_path;
mod output_pager;
mod output_run;
mod patch;
mod places;
mod progress;
mod shim;
mod signals;
mod standard_output;
mod stats;
mod terminal_writer;
mod tree;
mod viewer;
mod warnings;
mod why;

use std::{
    ffi::{OsStr, OsString},
    io::{self, IsTerminal, Write},
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use bstr::{BString, ByteSlice, ByteVec};

use crate::{
    cli::{
        self, CacheAction, Command, Invocation, Output,
        git_options::{self, Grammar},
        help,
    },
    dates::calendar::Clock,
    error::{Error, Kind, Result, noted, os_message, quoted},
    objects::{Begun, Store, without_directories},
    repository::{
        Repository,
        open::{
            git_config::{ConfigCheck, GitConfig},
            paths::current_directory,
        },
        request::{
            options::BlameOptions,
            prepare::{NO_COMMIT, PreparedRequest, prepare},
        },
    },
    run::{
        demo::Demo, elsewhere::PathElsewhere, format_options::FormatOptions, git_compat::GitCompat,
        places::PlacesRun, shim::ShimCall, standard_output::StandardOutput, stats::PhaseTimer,
        warnings::warn,
    },
    sanitize,
    system::{self, run_log},
    text::shell_quotes,
    viewer::{model::missing_path::MissingPath, terminal::watcher},
};

/// The exit status for invalid arguments.
const USAGE_STATUS: u8 = 129;

/// Tells this program, when it is run again, which options of git it was run with.
const GIT_OPTIONS: &str = "TBLAME_GIT_OPTIONS";

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
    let before = std::env::var_os(GIT_OPTIONS).and_then(|text| Vec::from_os_string(text).ok());
    let mut git_options = before.unwrap_or_default();
    // git has read them before it starts `git-tblame`.
    if !command.starts_with("git") {
        let options = git_options::parse(&args, Grammar::WithoutCommand);
        let (options, words) = options.map_err(|err| with_usage(err, command))?;
        let mut variables = options.apply()?;
        if words > 0 {
            git_options.clear();
            for word in &args[..words] {
                shell_quotes::push_word(&mut git_options, word);
                git_options.push(b' ');
            }
        }
        rest = &args[words..];
        if !variables.is_empty() {
            let words = git_options.to_os_str_lossy().into_owned();
            variables.push((GIT_OPTIONS, words));
            return shim::run_again(program, cli::os_strings(rest), variables);
        }
    }
    let mut parsed = cli::parse(command, rest);
    if let Ok(Command::Blame(invocation)) = &mut parsed {
        invocation.git_options = git_options.into();
    }
    run_command(program, parsed, began).map_err(|err| with_usage(err, command))?;
    Ok(ExitCode::SUCCESS)
}

fn with_usage(err: Error, command: &str) -> Error {
    match err.kind() {
        Kind::Usage => err.with_usage(help::usage(command)),
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

/// Does what a command line asks for, and notes in the log how it ended.
fn run_command(program: &OsStr, parsed: Result<Command>, began: Instant) -> Result<()> {
    if let Ok(Command::Blame(invocation)) = &parsed
        && invocation.shim.is_none()
        && !invocation.report
    {
        viewer::bound_arenas(program, invocation);
    }
    diagnosis::open_log(program, &parsed, began)?;
    let result = perform(program, parsed, began);
    diagnosis::note_end(&result);
    result
}

/// Does what a command line asks for.
fn perform(program: &OsStr, parsed: Result<Command>, began: Instant) -> Result<()> {
    // As in git, errors of discovery come before those of options; help needs no repository.
    match parsed {
        Ok(Command::Print(text)) => print(&text),
        Ok(Command::Help) => print_help(),
        Ok(Command::NoDocument(name)) => {
            let expected = "option `generate' expects man, a document, or complete-SHELL for bash, \
                            zsh, fish, powershell or elvish, not ";
            Err(Error::option(quoted(expected, name.as_bstr(), "")))
        }
        Ok(Command::Blame(invocation)) if invocation.shim.is_some() => {
            let change = invocation.shim.as_ref().map(|it| shim::change(program, it));
            change.map_or(Ok(()), |text| print(&text?))
        }
        Ok(Command::Blame(invocation)) if invocation.report => {
            let repository = open(&Clock::system(), &mut Vec::new());
            print(&diagnosis::report(program, &invocation, &repository)?)
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
            match (invocation.demo, invocation.cache) {
                (true, _) => run_demo(*invocation, began),
                (false, CacheAction::Warm) => {
                    let mut notes = Vec::new();
                    let repository = open(&Clock::system(), &mut notes)?;
                    let warmed = cache::warm(&repository, &cache::settings(&invocation, None));
                    warmed.map_err(|err| with_notes(&mut notes, err))
                }
                _ => blame_somewhere(invocation, began),
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

/// Blames in the repository of the current directory, or in another one that the path belongs to,
/// unless git would have to.
fn blame_somewhere(mut invocation: Box<Invocation>, began: Instant) -> Result<()> {
    let elsewhere = PathElsewhere::named_by(&invocation);
    let is_directory = elsewhere.as_ref().is_some_and(PathElsewhere::is_directory);
    // A file may be tracked by a repository around another one.
    let here = if is_directory {
        None
    } else {
        Some(blame_with_care(&invocation, began))
    };
    match (elsewhere, here) {
        (Some(elsewhere), None | Some(Err(_))) if !standard_output::has_begun() => {
            let entered = elsewhere.enter(&mut invocation);
            entered.map_err(|err| Error::fatal(os_message(&err)))?;
            blame_with_care(&invocation, began)
        }
        (_, here) => here.unwrap_or(Ok(())),
    }
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
            let reads_input = matches!(invocation.output, Output::Places(_));
            if reads_input || !invocation.options.is_repeatable(&repository) {
                return Err(error);
            }
            let sign = damaged.sign_of_damage().unwrap_or_default();
            let noted = without_directories(sign);
            run_log::note("damage", format_args!("{noted}; once more, with care"));
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
    diagnosis::note_repository(&repository, invocation, &compat);
    let has_older_dates = compat.has_older_dates(&invocation.options, repository.config());
    repository.set_older_dates(has_older_dates);
    let repository = Arc::new(repository);
    let clock = &clock.clone().with_older_dates(has_older_dates);
    let is_dumb = output_pager::is_dumb_terminal(|name| std::env::var_os(name));
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let may_color = terminal && !is_dumb && !is_plain;
    invocation.decide_colors(may_color, repository.config().colored_diffs);
    let mut format_options = FormatOptions::new(repository.config(), invocation, clock, terminal)?;
    let viewer = if viewer::is_requested(invocation, terminal, notes) {
        let date = &format_options.plain.date;
        Some(viewer::load_settings(
            invocation,
            repository.config(),
            date,
        )?)
    } else {
        None
    };
    // --no-ignore-revs-file applies to this file too.
    let ignore_files = !invocation.options.forget_configured_ignored_files;
    invocation
        .options
        .root_ignored_file
        .get_or_insert(ignore_files && viewer.as_ref().is_some_and(|it| it.config.ignore_revs));
    invocation.options.tolerates_missing_lists =
        viewer.is_some() || invocation.output.is_of_one_path();
    invocation.options.suggest_paths = io::stderr().is_terminal();
    compat.change_options(&mut invocation.options, repository.config());
    let begun = repository.store().begin();
    if let Output::Patch { .. } = invocation.output {
        warn(notes);
        compat.change_format(&mut format_options);
        patch::run(&repository, invocation, &format_options, clock)?;
        return end_reads(&repository, begun);
    }
    let prepared = match invocation.output {
        Output::Places(_) => {
            places::operands::prepared(&repository, &invocation.options, clock, notes)
        }
        Output::Why { .. } => prepare(&repository, &invocation.options, clock, notes)
            .map_err(|err| why::explained(&repository, &invocation.options, err)),
        Output::Tree { .. } => tree::prepared(&repository, &invocation.options, clock, notes),
        _ => prepare(&repository, &invocation.options, clock, notes),
    };
    end_reads(&repository, begun)?;
    compat.change_notes(notes);
    let is_of_people = matches!(invocation.output, Output::People { .. });
    let is_of_places = matches!(invocation.output, Output::Places(_));
    let may_be_directory = (viewer.is_some() && !is_of_places) || is_of_people;
    let prepared = match prepared {
        Err(err) if may_be_directory => {
            let prepare = if is_of_people {
                tree::prepared
            } else {
                prepare
            };
            let directory =
                prepare_directory(&repository, &invocation.options, prepare, clock, notes);
            directory.unwrap_or(Err(err))
        }
        prepared => prepared,
    };
    let may_be_missing = (viewer.is_some() && !is_of_places)
        || is_of_people
        || matches!(invocation.output, Output::History { .. });
    let prepared = match prepared {
        Err(err) if may_be_missing => {
            prepare_missing(&repository, invocation, viewer.is_some(), clock, notes, err)
        }
        prepared => prepared.map(|prepared| (prepared, None)),
    };
    let (mut prepared, missing) = prepared.map_err(|err| {
        missing_path::with_meant(&repository, &invocation.options, viewer.is_some(), err)
    })?;
    diagnosis::note_request(invocation, &prepared);
    if let (None, Some(file)) = (&viewer, &prepared.root_file) {
        let problem = file.problem.iter();
        notes.extend(problem.map(|problem| format!("warning: {problem}").into()));
    }
    if viewer.is_some() && invocation.notice.is_none() {
        let warning = notes
            .iter()
            .find_map(|note| note.strip_prefix(b"warning: "));
        invocation.notice = warning.map(sanitize::line);
    }
    if let (None, Some(notice)) = (&viewer, &invocation.notice) {
        notes.push(noted(format!("note: {notice}").into()));
    }
    warn(notes);
    if invocation.cache == CacheAction::Verify {
        let settings = cache::settings(invocation, None);
        return match invocation.output {
            Output::Tree { .. } => {
                let request = prepared.of_directory();
                cache::tree_verification::verify(&repository, &request, &settings)
            }
            _ => cache::blame_verification::verify(&repository, &prepared.request, &settings),
        };
    }
    let is_timed = invocation.stats || run_log::is_open();
    let timer = is_timed.then(|| PhaseTimer::opened(began, invocation.stats));
    if let Some(settings) = viewer {
        return viewer::run(
            &repository,
            invocation,
            settings,
            prepared,
            missing,
            timer,
            clock,
        );
    }
    if let Output::Why { .. } = invocation.output {
        why::run(&repository, invocation, &prepared, &format_options, clock)?;
        return end_reads(&repository, begun);
    }
    let cache = cache::settings(invocation, None);
    compat.change_format(&mut format_options);
    if let Output::Places(output) = &invocation.output {
        let run = PlacesRun {
            repository: &repository,
            invocation,
            output,
            prepared: &prepared,
            cache: &cache,
            clock,
        };
        run.write(format_options)?;
        return end_reads(&repository, begun);
    }
    output_run::write(
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
    ended.map_err(|err| Error::fatal(err.to_string()).with_cause(err.without_names()))
}

/// For the viewer and `--people`: a directory, or nothing for the current one, as `prepare` finds it.
/// `None` if the options name none or need a file; an error if there is no commit.
fn prepare_directory(
    repository: &Repository,
    options: &BlameOptions,
    prepare: impl Fn(&Repository, &BlameOptions, &Clock, &mut Vec<BString>) -> Result<PreparedRequest>,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Option<Result<PreparedRequest>> {
    if options.reverse || options.contents.is_some() || !options.ranges.is_empty() {
        return None;
    }
    let mut of_directory = options.of_directory();
    if of_directory.operands.is_empty() {
        of_directory.operands.push(".".into());
    }
    let noted = notes.len();
    let prepared = prepare(repository, &of_directory, clock, notes);
    let is_meant = |err: &Error| err.message() == NO_COMMIT;
    if prepared.as_ref().is_err_and(|err| !is_meant(err)) {
        notes.truncate(noted);
        return None;
    }
    Some(prepared)
}

/// For a path that is not there, with the error for it: the nearest directory, in which the viewer
/// says what became of it, or what was there last.
fn prepare_missing(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    is_viewer: bool,
    clock: &Clock,
    notes: &mut Vec<BString>,
    err: Error,
) -> Result<(PreparedRequest, Option<MissingPath>)> {
    let Some(found) = missing_path::find(repository, &invocation.options, clock) else {
        return Err(err);
    };
    if is_viewer {
        return Ok((found.directory, Some(found.missing)));
    }
    let missing = &found.missing;
    let mut note = format!("{} was {}", sanitize::line(&missing.path), missing.fate());
    if let Some(commit) = missing.commit() {
        note = format!("{note} ({commit}); this is the version before");
    }
    notes.push(noted(format!("note: {note}").into()));
    let prepared = if missing.is_directory {
        prepare_directory(repository, &found.options, prepare, clock, notes)
    } else {
        Some(prepare(repository, &found.options, clock, notes))
    };
    Ok((prepared.unwrap_or(Err(err))?, None))
}

/// Prints the help, for the terminal that there is.
fn print_help() -> Result<()> {
    let mut stdout = StandardOutput::new(standard_output::stdout()?, None);
    let mut columns = help::MOST_COLUMNS;
    if !stdout.is_direct() {
        let size = diagnosis::terminal_size();
        columns = size.map_or(columns, |(width, _)| columns.min(width.into()));
        // Outside of repositories there is help too.
        let repository = open(&Clock::system(), &mut Vec::new());
        let default = GitConfig::default();
        let config = repository.as_ref().map_or(&default, Repository::config);
        let pager = output_pager::command(config, false, |name| std::env::var_os(name));
        stdout = StandardOutput::new(standard_output::stdout()?, pager);
    }
    let text = help::help(columns);
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|err| Error::write(&err))
}

fn print(text: &str) -> Result<()> {
    let mut out = standard_output::stdout()?;
    out.write_all(text.as_bytes())
        .map_err(|err| Error::write(&err))
}
