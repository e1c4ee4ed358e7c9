//! Opening the viewer.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use bstr::ByteSlice;

use crate::{
    cli::Invocation,
    dates::calendar::Clock,
    engine::Start,
    error::{Error, Result, os_message},
    output::profile_report::Spent,
    repository::{
        Repository,
        commits::commit_reader::Pseudo,
        request::{
            ignored_revisions,
            prepare::{Prepared, prepare},
        },
    },
    run::{format_options, ranges, stats::Account},
    viewer::{
        self,
        app::{external_actions::Surroundings, overlays::hints::Lessons, state::Opening},
        config::{
            hint_history,
            settings::{self, Config},
        },
        event_loop::Ending,
        model::{
            source::{Failure, Outcome},
            switches::{IgnoredFile, Switches},
            web_links::Web,
        },
        repository::git_source::{RepositorySource, WorkTree},
        theme::{
            styles::{Background, Depth},
            theme_set::Wardrobe,
        },
    },
};

/// The viewer is to be opened, and not a format to be written.
pub(super) fn is_wanted(invocation: &Invocation, terminal: bool) -> bool {
    let unless_asked = terminal && !invocation.format.is_for_machines();
    invocation.viewer.unwrap_or(unless_asked)
}

/// What is set for the viewer.
pub(super) struct Settings {
    pub(super) config: Config,
    file: Option<PathBuf>,
    wardrobe: Wardrobe,
}

/// Read what is set for the viewer.
pub(super) fn configure(invocation: &Invocation) -> Result<Settings> {
    let file = invocation.config.as_ref().map(|file| file.to_path_lossy());
    let var = |name: &str| std::env::var_os(name);
    let config = Config::load(file.as_deref(), var).map_err(Error::fatal)?;
    let theme = invocation.theme.as_ref().map(|name| name.to_str_lossy());
    let theme = theme.as_deref().or(config.theme.as_deref());
    let text = |name: &str| std::env::var(name).ok();
    let (depth, background) = (Depth::detect(text), Background::detect(text));
    let (name, directory) = (theme.unwrap_or("auto"), settings::directory(var));
    let wardrobe = Wardrobe::new(name, directory.as_deref(), depth, background);
    let wardrobe = wardrobe.map_err(Error::fatal)?;
    let file = settings::file(file.as_deref(), var);
    Ok(Settings {
        config,
        file,
        wardrobe,
    })
}

/// Run the viewer until the person leaves it.
pub(super) fn open(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    settings: Settings,
    prepared: Prepared,
    pseudo: Pseudo,
    account: Option<Account>,
    clock: &Clock,
) -> Result<()> {
    let revision = match &prepared.request.start {
        Start::Commit(_) => prepared.final_name.to_str_lossy().into_owned(),
        Start::Uncommitted(_) if invocation.options.contents.is_some() => "--contents".to_owned(),
        Start::Uncommitted(_) => "work tree".to_owned(),
    };
    let ignored = &prepared.request.ignored;
    let wanted = prepared.root_file.is_some();
    let file = prepared.root_file;
    let file = file.or_else(|| ignored_revisions::root_file(repository, (**ignored).clone()));
    let memory =
        hint_history::file(|name| std::env::var_os(name)).filter(|_| settings.config.teach);
    let opening = Opening {
        path: prepared.request.path.clone(),
        revision,
        line: prepared.line.map(|line| line.saturating_sub(1)),
        now: clock.now(),
        switches: Switches {
            whitespace: prepared.request.diff.ignore_whitespace,
            moves: prepared.request.movement.moves.is_some(),
            copies: prepared.request.movement.copy_level,
            ignored_file: wanted,
            ignored: BTreeSet::new(),
        },
        ignored_file: file.as_ref().map(|file| IgnoredFile {
            count: file.count,
            problem: file.problem.clone(),
        }),
        around: surroundings(repository, &prepared.request.start, &settings.config),
        tour: invocation.demo,
        lessons: memory
            .as_deref()
            .map(|file| Lessons::new(&hint_history::load(file))),
        config: Arc::new(settings.config),
        config_file: settings.file,
    };
    let threads = super::threads(invocation);
    if let Some(conversion) = &prepared.request.text_conversion {
        conversion.silence();
    }
    let source = RepositorySource::new(
        repository,
        prepared.request,
        others(repository, invocation, clock),
        pseudo,
        file,
        threads,
    );
    let ending = viewer::run(
        opening,
        settings.wardrobe,
        Box::new(source),
        memory.as_deref(),
    );
    let ending = ending.map(|(ending, outcome)| {
        if let (Some(account), Some(outcome)) = (account, outcome) {
            let Outcome {
                stats,
                profile,
                elapsed,
            } = outcome;
            account.show_blame(elapsed, Spent::default(), stats, *profile);
        }
        ending
    });
    match ending {
        Ok(Ending::Quit | Ending::Idle | Ending::Errand(_)) => Ok(()),
        Ok(Ending::Signal(number)) => Err(Error::signal(number)),
        Ok(Ending::Failed(words)) => Err(Error::fatal(words)),
        Err(error) => Err(Error::fatal(format!(
            "cannot use the terminal: {}",
            os_message(&error)
        ))),
    }
}

fn surroundings(repository: &Repository, start: &Start, config: &Config) -> Surroundings {
    let remote = repository.remote_url();
    Surroundings {
        start: match start {
            Start::Commit(commit) => Some(*commit),
            Start::Uncommitted(_) => None,
        },
        head: repository.head_commit(),
        root: repository.place().work_tree.clone(),
        ignore_list: ignored_revisions::list_to_save_to(repository),
        editor: repository.editor(),
        web: Web::new(remote.as_ref().map(|url| url.as_bstr()), config.web.clone()),
    }
}

/// What the program was started with, anew, and the other files of the work tree, blamed with the
/// same options.
fn others(repository: &Arc<Repository>, invocation: &Invocation, clock: &Clock) -> WorkTree {
    let repository = Arc::clone(repository);
    let (given, lines) = (invocation.options.clone(), invocation.ranges.clone());
    let clock = clock.clone();
    WorkTree::new(move |path| {
        let mut options = given.clone();
        if let Some(path) = path {
            let root = repository.place().work_tree.as_ref();
            let root = root.ok_or_else(|| Failure("there is no work tree".to_owned()))?;
            let file = root.join(path.to_path_lossy());
            options.contents = None;
            options.words = vec!["--".into(), file.as_os_str().as_encoded_bytes().into()];
        }
        let since = format_options::since(&options, &clock);
        let prepared = prepare(
            &repository,
            &options,
            since,
            clock.system_now(),
            &mut Vec::new(),
        );
        let failed = |err: Error| Failure(err.message().to_str_lossy().into_owned());
        let mut request = prepared.map_err(failed)?.request;
        format_options::listed(&mut request.listing, &options, &clock);
        if path.is_none() {
            request.ranges = ranges::resolve(&repository, &request, &lines).map_err(failed)?;
        }
        if let Some(conversion) = &request.text_conversion {
            conversion.silence();
        }
        Ok(request)
    })
}
