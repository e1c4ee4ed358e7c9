//! The cache in one run of the program: its settings, taking and keeping blames, `--cache`.

pub(super) mod blame_verification;
pub(super) mod tree_verification;

use std::{
    env::var_os,
    ffi::OsStr,
    io::Write,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use bstr::{BString, ByteSlice};

use crate::{
    cache::{
        BlameFiles, CacheDirectory, CacheSettings, HistoryFile, PlannedHistory,
        RepositoryDirectory, RequestCache, TreeBlames, WarmedHistory, Warming, eviction,
    },
    cli::{CacheAction, Invocation},
    engine::{Blame, BlameCache, CachedBlame, Engine, PlanChanges, Request, Start, TreePlan},
    error::{Error, Result, os_message},
    objects::ObjectId,
    repository::{Repository, commits::cached_texts::CachedTexts},
    sanitize, sorting, system,
    viewer::{config::settings::Config, model::columns::Columns},
};

/// The variable that turns the cache off.
const VARIABLE: &str = "TBLAME_CACHE";

fn is_off(value: &OsStr) -> bool {
    ["off", "false", "no", "0"].iter().any(|off| value == *off)
}

/// The settings of the cache for this run; `config` is the viewer's configuration if it was read.
pub(super) fn settings(invocation: &Invocation, config: Option<&Config>) -> CacheSettings {
    let var = |name: &str| var_os(name);
    let read = || {
        let file = invocation.config.as_ref().map(|file| file.to_path_lossy());
        match Config::load(file.as_deref(), var, Columns::default()) {
            Ok(config) => config.cache,
            // Output in place of git's must not fail for it. It may say that the cache is off.
            Err(_) => CacheSettings {
                enabled: false,
                ..CacheSettings::default()
            },
        }
    };
    // Of the one command line of a process.
    static READ: OnceLock<CacheSettings> = OnceLock::new();
    let mut settings = match config {
        Some(config) => config.cache.clone(),
        None => READ.get_or_init(read).clone(),
    };
    if invocation.cache == CacheAction::Ignore || var(VARIABLE).is_some_and(|it| is_off(&it)) {
        settings.enabled = false;
    }
    settings
}

/// The directory of the cache by `settings`; `None` if there is no place for it.
pub(super) fn directory(settings: &CacheSettings) -> Option<CacheDirectory> {
    CacheDirectory::new(settings, |name| var_os(name))
}

/// Whether the cache is used, and why it is not, for reports.
pub(super) fn described(invocation: &Invocation, repository: Option<&Repository>) -> String {
    let settings = settings(invocation, None);
    let of_environment = var_os(VARIABLE).is_some_and(|it| is_off(&it));
    let of_repository = repository.is_some_and(|it| it.config().cache == Some(false));
    let Some(directory) = directory(&settings) else {
        return "off: there is no place for it".to_owned();
    };
    let reasons = [
        (invocation.cache == CacheAction::Ignore, "--no-cache"),
        (of_environment, VARIABLE),
        (!settings.enabled, "config.toml says so, or cannot be read"),
        (of_repository, "tblame.cache"),
    ];
    if let Some((_, reason)) = reasons.into_iter().find(|(is_so, _)| *is_so) {
        return format!("off: {reason}");
    }
    let Some(repository) = repository else {
        return "on".to_owned();
    };
    let Some(directory) = directory.of_repository(repository, &settings) else {
        return "off: this repository cannot be told from a later one in its place".to_owned();
    };
    let unused = directory.unused_for();
    let state = unused.map_or("on".to_owned(), |reason| format!("on, but {reason}"));
    let files = eviction::files(directory.path());
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let (count, kib) = (files.len(), bytes.div_ceil(1024));
    let history = match HistoryFile::new(repository, &directory, &settings) {
        Some(_) => "for the history too",
        None => "not for the history, as the repository has a commit-graph or its own commits",
    };
    format!("{state}; {count} files of this repository, {kib} KiB; {history}")
}

/// The directory of a repository in it; `None` if it is off, or there is no place for it.
pub(super) fn repository_directory(
    repository: &Repository,
    settings: &CacheSettings,
) -> Option<RepositoryDirectory> {
    directory(settings)?.of_repository(repository, settings)
}

pub(super) fn print(text: &str) -> Result<()> {
    std::io::stdout()
        .write_all(text.as_bytes())
        .map_err(|err| Error::write(&err))
}

/// The remembered history; `None` if the cache keeps none. If it `is_needed`, the repository reads
/// commits from it from now on.
pub(super) fn open_history(
    repository: &Repository,
    directory: &RepositoryDirectory,
    settings: &CacheSettings,
    is_needed: bool,
) -> Option<HistoryFile> {
    let history = HistoryFile::new(repository, directory, settings)?;
    if is_needed {
        history.attach(repository);
    }
    Some(history)
}

/// The directory of a repository in the cache, and its remembered history, from which commits are read
/// from now on; `None` if the cache is off, or what is kept may be wrong as the repository is.
pub(super) fn directory_with_history(
    repository: &Repository,
    settings: &CacheSettings,
) -> Option<(RepositoryDirectory, Option<HistoryFile>)> {
    if repository.store().is_careful() {
        return None;
    }
    let directory = repository_directory(repository, settings)?;
    let history = open_history(repository, &directory, settings, true);
    Some((directory, history))
}

/// Remembers the commits that `engine` has read, if they are many. The reader of standard output has
/// all of it before.
pub(super) fn keep_history(history: &HistoryFile, repository: &Repository, engine: &Engine) {
    system::close_stdout();
    // A home that cannot be written to is no reason to complain about.
    let _ = history.keep(repository, engine);
}

/// The cache of one blame.
#[derive(Debug)]
pub(super) struct RunCache {
    blames: RequestCache,
    history: Option<HistoryFile>,
    pub(super) texts: Arc<CachedTexts>,
    began: Instant,
    /// The blame to keep, and how long it took.
    found: Option<(CachedBlame, Duration)>,
}

impl RunCache {
    /// The cache for `request`; `None` if it is off, or such blames are not kept. The remembered
    /// history is used unless the blame of the very commit is kept and nothing else
    /// `needs_history`.
    pub(super) fn open(
        repository: &Repository,
        request: &Request,
        directory: &RepositoryDirectory,
        settings: &CacheSettings,
        needs_history: bool,
    ) -> Option<RunCache> {
        let mut cache = RunCache::of_blames(repository, request, directory, settings);
        let (path, heads) = (request.path.as_bstr(), request.start.heads());
        let knows = |cache: &RunCache| cache.blames.knows(path, heads.first());
        let is_needed = needs_history || !cache.as_ref().is_some_and(knows);
        let history = open_history(repository, directory, settings, is_needed);
        if let Some(cache) = &mut cache {
            cache.history = history;
        }
        cache
    }

    /// The kept blames alone.
    fn of_blames(
        repository: &Repository,
        request: &Request,
        directory: &RepositoryDirectory,
        settings: &CacheSettings,
    ) -> Option<RunCache> {
        let texts: Arc<CachedTexts> = Arc::default();
        let files = BlameFiles::new(directory, settings);
        let blames = files.of_request(repository, request, Arc::clone(&texts));
        Some(RunCache {
            blames: blames?,
            history: None,
            texts,
            began: Instant::now(),
            found: None,
        })
    }

    pub(super) fn blames(&mut self) -> &mut dyn BlameCache {
        &mut self.blames
    }

    /// Takes what can be kept of a finished blame.
    pub(super) fn blamed(&mut self, blame: &mut Blame) {
        let elapsed = self.began.elapsed();
        self.found = blame.to_cache.take().map(|blame| (blame, elapsed));
    }

    /// Keeps the blame, and the commits that `engine` read for it. The reader of standard output
    /// has all of it before.
    pub(super) fn keep(self, repository: &Repository, engine: &Engine) {
        if let Some((blame, elapsed)) = &self.found
            && self.blames.is_kept(*elapsed)
        {
            system::close_stdout();
            // Through a wrong index, it may be another blame.
            if repository.store().is_careful() || repository.store().damage().is_some() {
                return;
            }
            // A home that cannot be written to is no reason to complain about.
            let _ = self.blames.keep(blame, *elapsed);
            if let Some(history) = self
                .history
                .as_ref()
                .filter(|_| !self.texts.have_wrong_hash())
            {
                let _ = history.keep(repository, engine);
            }
        }
    }
}

/// A plan, and the last commits of the directory's entries if they were looked for.
type FoundTree = (TreePlan, Option<Vec<(BString, ObjectId)>>);

/// The cache of one run of `--tree`.
#[derive(Debug, Default)]
pub(super) struct RunTrees {
    pub(super) blames: TreeBlames,
    history: Option<HistoryFile>,
    /// What the plan has compared, if that may be all that `--warm` would compare.
    pub(super) changes: Option<PlanChanges>,
    pub(super) texts: Arc<CachedTexts>,
    /// The plan whose blames may be kept.
    pub(super) found: Option<FoundTree>,
}

impl RunTrees {
    /// The cache for `request`, whose path is the directory's. The remembered history is used unless
    /// all is kept and nothing else `needs_history`.
    pub(super) fn open(
        repository: &Repository,
        request: &Request,
        directory: &RepositoryDirectory,
        settings: &CacheSettings,
        needs_history: bool,
    ) -> RunTrees {
        let texts: Arc<CachedTexts> = Arc::default();
        let files = BlameFiles::new(directory, settings);
        let blames = TreeBlames::open(Some(&files), repository, request, Arc::clone(&texts));
        let is_needed = needs_history || !blames.knows_all_lines();
        let history = open_history(repository, directory, settings, is_needed);
        let mut changes = None;
        if history.is_some() && is_needed {
            let is_remembered = repository.store().count_remembered_paths() > 0;
            let is_wanted = !is_remembered && is_of_whole_history(repository, request);
            changes = is_wanted.then(PlanChanges::default);
        }
        RunTrees {
            blames,
            history,
            changes,
            texts,
            found: None,
        }
    }

    /// Keeps the blames, and the commits that `engine` read for them; with what they change, as
    /// `--warm` does, if the plan has compared nearly all trees and the history is long. The reader
    /// of standard output has all of it before.
    pub(super) fn keep(mut self, repository: &Repository, engine: &Engine) {
        let Some((plan, last_commits)) = self.found else {
            return;
        };
        system::close_stdout();
        let are_right = !self.texts.have_wrong_hash();
        let was_known = self.blames.is_known();
        self.blames.keep(repository, &plan, last_commits.as_deref());
        // What is kept of all lines needed no commits.
        let Some(history) = self.history.filter(|_| are_right && !was_known) else {
            return;
        };
        if repository.store().damage().is_some() {
            return;
        }
        let read = engine.count_commits_read();
        let met = read + repository.store().graph_len() as usize;
        let whole = self.changes.filter(|changes| {
            changes.commit_count() >= met / 8 * 7 && history.is_warming_worthwhile(repository, read)
        });
        // A home that cannot be written to is no reason to complain about.
        if let (Some(changes), Some(head)) = (whole, repository.head_commit()) {
            let mut planned = PlannedHistory {
                engine,
                changes: &changes,
                reader: repository.reader(),
            };
            let mut warming = Warming::new(&history, repository, &[head]);
            let _ = warming.run(repository, &mut planned, &|| false);
        } else {
            let _ = history.keep(repository, engine);
        }
    }
}

/// True if a plan for `request` compares the trees of the whole history of HEAD.
fn is_of_whole_history(repository: &Repository, request: &Request) -> bool {
    let head = repository.head_commit();
    request.path.is_empty()
        && matches!(request.start, Start::Commit(start) if Some(start) == head)
        && request.negatives.is_empty()
        && request.since.is_none()
        && request.boundaries.is_empty()
        && !request.first_parent
        && request.grafts.is_empty()
}

/// Runs `--cache`: one line for each repository, the largest first.
pub(super) fn list(settings: &CacheSettings) -> Result<()> {
    let mut repositories = Vec::new();
    for (directory, common_dir) in directory(settings)
        .iter()
        .flat_map(CacheDirectory::repositories)
    {
        let files = eviction::files(&directory);
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        repositories.push((bytes, files.len(), common_dir));
    }
    sorting::sort_by(&mut repositories, |a, b| b.cmp(a));
    let mut out = Vec::new();
    for (bytes, files, common_dir) in &repositories {
        let name = common_dir.as_ref().map_or_else(
            || "(unknown)".to_owned(),
            |path| sanitize::line(path.as_os_str().as_encoded_bytes()),
        );
        line(&mut out, *bytes, *files, &name);
    }
    let bytes = repositories.iter().map(|(bytes, ..)| bytes).sum();
    let files = repositories.iter().map(|(_, files, _)| files).sum();
    line(&mut out, bytes, files, "in all");
    std::io::stdout()
        .write_all(&out)
        .map_err(|err| Error::write(&err))
}

fn line(out: &mut Vec<u8>, bytes: u64, files: usize, name: &str) {
    let kib = bytes.div_ceil(1024);
    out.extend_from_slice(format!("{kib:>9} KiB {files:>6} files  {name}\n").as_bytes());
}

/// Runs `--cache-clear` for the directories of repositories in `operands`, or for all.
pub(super) fn clear(settings: &CacheSettings, operands: &[BString]) -> Result<()> {
    let Some(cache) = directory(settings) else {
        return Ok(());
    };
    let directories: Vec<PathBuf> = match operands {
        [] => vec![cache.root().to_owned()],
        operands => {
            let mut found = Vec::new();
            for operand in operands {
                found.extend(of_place(&cache, operand)?);
            }
            found
        }
    };
    for directory in directories {
        eviction::clear(&directory).map_err(|err| {
            let name = directory.display();
            Error::fatal(format!("cannot clear '{name}': {}", os_message(&err)))
        })?;
    }
    Ok(())
}

/// The directories of the repository at `operand`, and of others that were there before it.
fn of_place(cache: &CacheDirectory, operand: &BString) -> Result<Vec<PathBuf>> {
    let given = operand.to_path_lossy();
    let place = given.canonicalize();
    let place = place.as_deref().unwrap_or(&given);
    let candidates = [place.to_owned(), place.join(".git")];
    let mut found = Vec::new();
    for (directory, of) in cache.repositories() {
        found.extend(of.filter(|of| candidates.contains(of)).map(|_| directory));
    }
    if found.is_empty() {
        Err(Error::fatal(format!(
            "nothing is kept of a repository at '{operand}'"
        )))
    } else {
        Ok(found)
    }
}

/// The memory for bases of deltas of `--warm`, in bytes. The trees of each commit are compared with
/// those of a parent, which are near.
const WARMING_BASES: usize = 32 << 20;

/// Runs `--warm`.
///
/// # Errors
///
/// If there is no place for a cache, the history cannot be read or it cannot be written.
pub(super) fn warm(repository: &Repository, settings: &CacheSettings) -> Result<()> {
    let fatal = |words: &str| Error::fatal(words.to_owned());
    let directory = directory(settings).ok_or_else(|| fatal("there is no place for a cache"))?;
    let directory = directory.of_repository(repository, settings);
    let directory = directory.ok_or_else(|| fatal("the cache is off"))?;
    let history = HistoryFile::new(repository, &directory, settings).ok_or_else(|| {
        fatal(if repository.store().graph_len() > 0 {
            "the repository has a commit-graph, which is read in place of a remembered history"
        } else {
            "the history is not remembered with replaced, grafted or shallow commits, in a partial clone, or \
             where core.commitGraph is off"
        })
    })?;
    history.attach(repository);
    repository.store().lower_delta_base_cache(WARMING_BASES);
    let head = repository.head_commit();
    let heads: Vec<ObjectId> = head.into_iter().collect();
    let WarmedHistory {
        commits,
        with_paths,
    } = history.warm(repository, &heads)?;
    let text = format!("{commits} commits, {with_paths} of them with the paths that they change\n");
    print(&text)
}
