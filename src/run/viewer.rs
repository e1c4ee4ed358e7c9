//! Starts the viewer.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    io::{self, IsTerminal},
    ops::Range,
    path::PathBuf,
    sync::Arc,
};

use bstr::{BString, ByteSlice};

use crate::{
    cache::{BlameFiles, HistoryFile},
    cli::{CacheAction, Invocation, Output, OutputFormat},
    dates::{
        calendar::Clock,
        date_format::{DateMode, DateNotation},
    },
    engine::{self, Start},
    error::{Error, Result, noted, os_message},
    objects::ObjectId,
    output::profile_report::TimeSpent,
    repository::{
        Repository,
        commits::commit_texts::PseudoCommit,
        open::git_config::GitConfig,
        request::{
            ignored_revisions,
            prepare::{Directory, PreparedRequest, prepare},
        },
    },
    run::{
        cache, output_pager::is_dumb_terminal, places::PlacesRun, shim, standard_output,
        stats::PhaseTimer, warnings::warn,
    },
    system::{self, terminfo},
    viewer::{
        self,
        app::{
            blame::kept_views,
            guide::hints::KeyHints,
            settings::{arguments::ViewerArguments, environment::RepositoryInfo},
        },
        config::{config_file, settings::Config},
        event_loop::ExitReason,
        hint_history,
        model::{
            columns::Columns,
            gutter::Column,
            missing_path::MissingPath,
            relative_dates::{self, DateFormat},
            source::{BlameReport, Failure, FileVersion},
            toggled_options::{IgnoreRevsFile, ToggledOptions},
            web_links::WebLinks,
        },
        repository::git_source::{GitSource, ViewerCache, WorkTreeRequests},
        theme::{
            terminal_colors::{Background, ColorDepth},
            theme_set::ThemeSet,
        },
    },
};

/// True if the viewer is to be opened. `terminal` is true if standard output is a terminal. Adds
/// a hint to `notes` if only the kind of terminal prevents it.
pub(super) fn is_requested(
    invocation: &Invocation,
    terminal: bool,
    notes: &mut Vec<BString>,
) -> bool {
    let default = terminal
        && match &invocation.output {
            Output::Plain => true,
            Output::Places(places) => places.json.is_none(),
            _ => false,
        };
    if invocation.viewer.is_none() && default && is_dumb_terminal(|name| std::env::var_os(name)) {
        let hint = "hint: this terminal cannot show the viewer (TERM); --viewer opens it anyway";
        notes.push(noted(hint.into()));
        return false;
    }
    invocation.viewer.unwrap_or(default)
}

/// For the viewer, starts this program once more with a bound on the arenas of the allocator.
/// Without it, the viewer works as well.
pub(super) fn bound_arenas(program: &OsStr, invocation: &Invocation) {
    let is_terminal = io::stdout().is_terminal();
    let blames = matches!(invocation.cache, CacheAction::Use | CacheAction::Ignore);
    if blames
        && is_requested(invocation, is_terminal, &mut Vec::new())
        && let Some((variable, bound)) = system::arena_bound(|name| std::env::var_os(name))
    {
        let arguments = std::env::args_os().skip(1);
        let _ = shim::run_again(program, arguments, vec![(variable, bound.into())]);
    }
}

/// The viewer's configuration and themes.
pub(super) struct ViewerSettings {
    pub(super) config: Config,
    file: Option<PathBuf>,
    themes: ThemeSet,
}

/// Loads the configuration and the themes.
///
/// # Errors
///
/// If the configuration or the theme is invalid.
pub(super) fn load_settings(
    invocation: &Invocation,
    git: &GitConfig,
    date: &DateMode,
) -> Result<ViewerSettings> {
    let file = invocation.config.as_ref().map(|file| file.to_path_lossy());
    let var = |name: &str| std::env::var_os(name);
    let columns = columns_of_git(git, date);
    let mut config = Config::load(file.as_deref(), var, columns).map_err(Error::fatal)?;
    choose_columns(&mut config.columns, &invocation.format, date);
    let theme = invocation.theme.as_ref().map(|name| name.to_str_lossy());
    let theme = theme.as_deref().or(config.theme.as_deref());
    let text = |name: &str| std::env::var(name).ok();
    let (depth, background) = (depth_of_terminal(text), Background::detect(text));
    let (name, directory) = (theme.unwrap_or("auto"), config_file::directory(var));
    let themes = ThemeSet::new(name, directory.as_deref(), depth, background);
    let themes = themes.map_err(Error::fatal)?;
    let file = config_file::file(file.as_deref(), var);
    Ok(ViewerSettings {
        config,
        file,
        themes,
    })
}

fn depth_of_terminal(var: impl Fn(&str) -> Option<String>) -> ColorDepth {
    ColorDepth::detect(&var, |term| terminfo::colors(term, &var))
}

/// The columns by git's configuration, which that of the viewer overrides.
fn columns_of_git(git: &GitConfig, date: &DateMode) -> Columns {
    let mut columns = Columns::default();
    if git.date.is_some() {
        columns.date = nearest_format(date);
    }
    if git.show_email {
        columns.show_in_place(Column::Email, Column::Author);
    }
    columns
}

/// Applies the options of columns on the command line.
fn choose_columns(columns: &mut Columns, given: &OutputFormat, date: &DateMode) {
    if given.date.is_some() {
        columns.date = nearest_format(date);
    }
    match given.show_email {
        Some(true) => columns.show_in_place(Column::Email, Column::Author),
        Some(false) => columns.show_in_place(Column::Author, Column::Email),
        None => {}
    }
    if given.no_author {
        for column in [Column::Author, Column::Email, Column::Date] {
            columns.show(column, false);
        }
    }
    if given.show_number {
        columns.show(Column::OriginalLine, true);
    }
    if given.show_name {
        columns.show(Column::Path, true);
    }
}

/// The viewer's format of dates that says most of what a format of git says.
fn nearest_format(date: &DateMode) -> DateFormat {
    match date.notation {
        DateNotation::Relative => DateFormat::Relative,
        DateNotation::Short | DateNotation::Human => DateFormat::Short,
        _ => DateFormat::Iso,
    }
}

/// Runs the viewer until the user quits.
pub(super) fn run(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    settings: ViewerSettings,
    prepared: PreparedRequest,
    missing: Option<MissingPath>,
    timer: Option<PhaseTimer>,
    clock: &Clock,
) -> Result<()> {
    let revision = match &prepared.request.start {
        Start::Commit(_) => prepared.final_name.to_str_lossy().into_owned(),
        Start::Uncommitted(_) if invocation.options.contents.is_some() => "--contents".to_owned(),
        Start::Uncommitted(_) => "work tree".to_owned(),
    };
    let command_line_changes = match &prepared.request.start {
        // The abbreviated or full id of HEAD keeps meaning the same commit.
        Start::Commit(commit) => {
            let is_id = commit.to_string().starts_with(&revision);
            repository.head_commit().as_ref() == Some(commit) && !is_id
        }
        Start::Uncommitted(_) => {
            invocation.options.contents.is_none() && repository.paths().work_tree.is_some()
        }
    };
    let command_line_commit = command_line_commit(&prepared);
    let line = prepared.lines.map(|(first, _)| first.saturating_sub(1));
    let ranges = prepared.request.ranges.clone();
    let is_reversed = prepared.request.reverse.is_some();
    let revision = with_limits(revision, &prepared);
    let revision = described(revision, ranges.as_deref(), is_reversed);
    let ignored = &prepared.request.ignored;
    let is_ignore_file_used = prepared.root_file.is_some();
    let file = prepared.root_file.clone();
    let file = file.or_else(|| ignored_revisions::root_file(repository, (**ignored).clone()));
    let hint_file =
        hint_history::file(|name| std::env::var_os(name)).filter(|_| settings.config.teach);
    let arguments = ViewerArguments {
        path: prepared.request.path.clone(),
        directory: prepared.directory.as_ref().map(directory_version),
        places: matches!(invocation.output, Output::Places(_)),
        place_filter: match &invocation.output {
            Output::Places(output) => output.filter.in_words(),
            _ => String::new(),
        },
        missing,
        revision,
        line: line.or(ranges
            .as_ref()
            .and_then(|ranges| Some(ranges.first()?.start))),
        ranges,
        is_reversed,
        now: clock.now(),
        options: ToggledOptions {
            whitespace: prepared.request.diff.ignore_whitespace,
            moves: prepared.request.movement.moves.is_some(),
            copies: prepared.request.movement.copy_level,
            ignore_revs_file: is_ignore_file_used,
            ignored: BTreeSet::new(),
        },
        ignore_revs_file: file.as_ref().map(|file| IgnoreRevsFile {
            count: file.count,
            problem: file.problem.clone(),
        }),
        max_len: kept_views::MAX_LEN,
        repository: repository_info(
            repository,
            command_line_commit,
            command_line_changes,
            &settings.config,
        ),
        notice: invocation.notice.clone(),
        tour: invocation.demo,
        hints: hint_file
            .as_deref()
            .map(|file| KeyHints::new(&hint_history::load(file))),
        config: Arc::new(settings.config),
        config_file: settings.file,
    };
    let cache_settings = cache::settings(invocation, Some(&arguments.config));
    let cache = cache::directory(&cache_settings).and_then(|directory| {
        let directory = directory.of_repository(repository, &cache_settings)?;
        let blames = BlameFiles::new(&directory, &cache_settings);
        let history = HistoryFile::new(repository, &directory, &cache_settings);
        if let Some(history) = &history {
            history.attach(repository);
        }
        Some(ViewerCache { blames, history })
    });
    let threads = invocation.threads.unwrap_or_else(engine::default_threads);
    if let Some(conversion) = &prepared.request.text_conversion {
        conversion.silence();
    }
    let contents = invocation.options.contents.clone();
    let pseudo = if prepared.is_of_work_tree() {
        PseudoCommit::of_files(clock)
    } else {
        PseudoCommit::new(&prepared.request, contents, clock)
    };
    let places = match &invocation.output {
        Output::Places(output) => {
            let run = PlacesRun {
                repository,
                invocation,
                output,
                prepared: &prepared,
                cache: &cache_settings,
                clock,
            };
            let kept = cache.as_ref().map(|cache| cache.blames.clone());
            Some(run.viewer_input(kept)?)
        }
        _ => None,
    };
    let mut source = GitSource::new(
        repository,
        prepared.request,
        work_tree(repository, invocation, clock),
        pseudo,
        file,
        cache,
        threads,
    );
    if let Some(places) = places {
        source.set_places(places);
    }
    standard_output::note_begin();
    let ending = viewer::run(
        arguments,
        settings.themes,
        Box::new(source),
        hint_file.as_deref(),
        clock.clone(),
    );
    let ending = ending.map(|(ending, outcome)| {
        if let (Some(timer), Some(outcome)) = (timer, outcome) {
            let BlameReport {
                stats,
                profile,
                elapsed,
            } = outcome;
            timer.print_blame(elapsed, TimeSpent::default(), stats, *profile);
        }
        ending
    });
    if let Some(warning) = repository.store().damage_warning() {
        warn(&mut vec![warning.into()]);
    }
    match ending {
        Ok(ExitReason::Quit | ExitReason::Idle | ExitReason::External(_)) => Ok(()),
        Ok(ExitReason::Signal(number)) => Err(Error::signal(number)),
        Ok(ExitReason::Failed(words)) => Err(Error::fatal(words)),
        Err(error) => Err(Error::fatal(format!(
            "cannot use the terminal: {}",
            os_message(&error)
        ))),
    }
}

/// The directory whose files the user chooses from, as a version.
fn directory_version(directory: &Directory) -> FileVersion {
    let path = Arc::new(directory.path.clone());
    match directory.commit {
        Some(commit) => FileVersion::Commit { commit, path },
        None => FileVersion::WorkTree { path },
    }
}

/// The commit that the command line names; `None` for the work tree.
fn command_line_commit(prepared: &PreparedRequest) -> Option<ObjectId> {
    match (&prepared.directory, &prepared.request.start) {
        (Some(directory), _) => directory.commit,
        (None, Start::Commit(commit)) => Some(*commit),
        (None, Start::Uncommitted(_)) => None,
    }
}

/// A revision for the header, with the words that limit the history of a blame that goes back: lines that
/// are older belong to where it begins.
fn with_limits(revision: String, prepared: &PreparedRequest) -> String {
    let request = &prepared.request;
    let is_limited = !request.negatives.is_empty() || request.since.is_some();
    if !is_limited || request.reverse.is_some() {
        return revision;
    }
    let words = prepared.revisions.iter();
    let words = words.map(|word| word.to_str_lossy().into_owned());
    let mut words: Vec<_> = words.filter(|word| *word != revision).collect();
    let range = format!("..{revision}");
    if !matches!(&words[..], [word] if word.ends_with(&range)) {
        words.insert(0, revision);
    }
    if let Some(since) = request.since {
        words.push(format!("since {}", relative_dates::day(since, 0)));
    }
    words.join(" ")
}

/// A revision for the header, with the lines that are blamed and the direction of the blame.
fn described(revision: String, ranges: Option<&[Range<u32>]>, is_reversed: bool) -> String {
    let mut words = revision;
    if is_reversed {
        words = format!("{words} --reverse: when lines were last there");
    }
    let lines = ranges.unwrap_or_default().iter().map(|range| {
        let first = u64::from(range.start) + 1;
        match range.len() {
            0 | 1 => first.to_string(),
            _ => format!("{first}–{}", range.end),
        }
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        words = format!("{words}, lines {}", lines.join(", "));
    }
    words
}

/// The facts of the repository that actions on other programs need.
fn repository_info(
    repository: &Repository,
    command_line_commit: Option<ObjectId>,
    command_line_changes: bool,
    config: &Config,
) -> RepositoryInfo {
    let remote = repository.remote_url();
    RepositoryInfo {
        command_line_commit,
        command_line_changes,
        root: repository.paths().work_tree.clone(),
        ignore_revs_target: ignored_revisions::list_to_save_to(repository),
        editor: repository.editor(),
        web: WebLinks::new(remote.as_ref().map(|url| url.as_bstr()), config.web.clone()),
    }
}

/// Prepares blames of the command line's file, read again, and of other files of the work tree with
/// the same options.
fn work_tree(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    clock: &Clock,
) -> WorkTreeRequests {
    let repository = Arc::clone(repository);
    let mut given = invocation.options.clone();
    given.silences_commands = true;
    let clock = clock.clone();
    WorkTreeRequests::new(move |path| {
        let mut options = given.clone();
        if let Some(path) = path {
            let root = repository.paths().work_tree.as_ref();
            let root = root.ok_or_else(|| Failure::new("there is no work tree"))?;
            let file = root.join(path.to_path_lossy());
            let metadata = file.symlink_metadata();
            metadata.map_err(|err| Failure::of_file(&err))?;
            options.contents = None;
            options.ranges.clear();
            options.operands = vec!["--".into(), file.as_os_str().as_encoded_bytes().into()];
        }
        let prepared = prepare(&repository, &options, &clock, &mut Vec::new());
        let prepared = prepared.map_err(Failure::new)?;
        let request = prepared.request;
        if let Some(conversion) = &request.text_conversion {
            conversion.silence();
        }
        Ok(request)
    })
}
