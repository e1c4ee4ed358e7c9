//! Finding and opening a repository.

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use bstr::{BStr, BString, ByteSlice, ByteVec};
use gix::sec::Trust;
use tempfile::TempDir;

use crate::{
    error::{Error, Result, os_message},
    objects::{HashKind, ObjectId, Promisor, Reader, Store, StoreOptions},
    repository::{
        open::{
            configuration::sources::{Configuration, Place, RepositoryFiles, Sources},
            environment::{self, EnvironmentUse},
            format::{self, Format},
            git_config::{ConfigCheck, GitConfig},
            gix_configuration, grafts,
            partial_clone::PartialClone,
            paths::WorkTreePaths,
        },
        references::{self, References},
    },
};

/// Where a repository is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenAt {
    /// In the directory or the nearest one above that has a repository.
    OrAbove,
    /// In the directory itself.
    Exactly,
}

/// An open repository. Can be shared between threads and serve many blames.
pub struct Repository {
    pub(crate) gix: gix::ThreadSafeRepository,
    store: Arc<Store>,
    objects_directory: PathBuf,
    settings: GitConfig,
    paths: WorkTreePaths,
    bare: bool,
    grafts: Arc<HashMap<ObjectId, Vec<ObjectId>>>,
    /// git's advice about grafts, until the first blame takes it.
    notes_on_grafts: Mutex<Vec<BString>>,
    partial_clone: Option<Arc<PartialClone>>,
    /// The directory that the repository was searched from.
    started_in: PathBuf,
    /// `GIT_ATTR_SOURCE`.
    attribute_source: Option<BString>,
    /// Temporary directory that lists the object directories of the environment to gix.
    _objects: Option<TempDir>,
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repository")
            .field("git_dir", &self.git_dir())
            .field("paths", &self.paths)
            .finish_non_exhaustive()
    }
}

impl Repository {
    /// Opens the repository that the environment names, or that contains `directory` (an existing,
    /// absolute path without symbolic links). Warnings are added to `notes`. Configuration values
    /// that the output interprets are passed to `check`.
    ///
    /// # Errors
    ///
    /// If there is none, if another user owns it, or if its configuration is invalid.
    pub fn open(
        directory: &Path,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<Repository> {
        let environment = EnvironmentUse::Apply;
        Repository::open_at(directory, OpenAt::OrAbove, environment, check, notes)
    }

    /// As [`open`](Repository::open), with a choice of where to search and whether the environment
    /// applies.
    ///
    /// # Errors
    ///
    /// As [`open`](Repository::open).
    pub fn open_at(
        directory: &Path,
        location: OpenAt,
        environment: EnvironmentUse,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<Repository> {
        let named = environment.var_os("GIT_DIR");
        let options = open_options(environment);
        let mut gix = match (&named, location, environment) {
            // A repository named explicitly is trusted.
            (Some(path), ..) => options
                .with(Trust::Full)
                .open_path_as_is(true)
                .open(directory.join(path)),
            (None, OpenAt::Exactly, _) => options.open(directory),
            (None, OpenAt::OrAbove, EnvironmentUse::Ignore) => {
                let discovery = gix::discover::upwards::Options::default();
                gix::ThreadSafeRepository::discover_opts(directory, discovery, any_trust(options))
            }
            (None, OpenAt::OrAbove, EnvironmentUse::Apply) => {
                gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
                    directory,
                    discovery_options(),
                    any_trust(options),
                )
            }
        }
        .map_err(|err| {
            let named = named.as_deref().map(Path::new);
            check_common_dir(directory, environment, None)
                .and_then(|()| diagnose(directory, named, environment, notes))
                .err()
                .unwrap_or_else(|| not_opened(&err, directory, named))
        })?
        .to_thread_local();
        check_common_dir(directory, environment, Some(gix.common_dir()))?;
        if named.is_none() {
            let found = gix.workdir().unwrap_or(gix.git_dir());
            if !has_head(gix.git_dir()) {
                return Err(no_repository());
            }
            if is_at_or_above_a_ceiling(found, directory, environment) {
                return Err(no_repository());
            }
            // Of a work tree that does not exist, only the repository's owner counts.
            let trust = match found.exists() {
                true => gix.git_dir_trust(),
                false => Trust::from_path_ownership(gix.git_dir()).unwrap_or(Trust::Reduced),
            };
            check_safety(gix.git_dir(), found, trust, directory, notes, environment)?;
        }
        let files = Files {
            git_dir: gix.git_dir(),
            common_dir: gix.common_dir(),
            work_tree: gix.workdir(),
            directory,
            named: named.as_deref().map(Path::new),
            environment,
        };
        let (configuration, format) = files.read(true, notes)?;
        let work_tree = work_tree(&mut gix, directory, named.is_some(), environment, format);
        Repository::assemble(
            gix,
            work_tree,
            configuration,
            format,
            directory,
            environment,
            check,
            notes,
        )
    }

    /// The same repository for paths relative to the root of the work tree.
    pub(crate) fn at_root(mut self) -> Repository {
        self.paths.prefix.clear();
        self
    }

    /// Opens the repository with a work tree at `root`, which this program created, without user and
    /// system configuration.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn open_own(root: &Path) -> Result<Repository> {
        let gix = gix::open::Options::isolated()
            .with(Trust::Full)
            .open(root)
            .map_err(|err| Error::fatal(format!("cannot open the repository: {err}")))?
            .to_thread_local();
        let work_tree = root.canonicalize().ok();
        let environment = EnvironmentUse::Apply;
        let check: ConfigCheck<'_> = &|_, _, _| Ok(());
        let mut notes = Vec::new();
        let files = Files {
            git_dir: gix.git_dir(),
            common_dir: gix.common_dir(),
            work_tree: gix.workdir(),
            directory: root,
            named: None,
            environment: EnvironmentUse::Ignore,
        };
        let (configuration, format) = files.read(false, &mut notes)?;
        Repository::assemble(
            gix,
            work_tree,
            configuration,
            format,
            root,
            environment,
            check,
            &mut notes,
        )
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one repository, put together once"
    )]
    fn assemble(
        mut gix: gix::Repository,
        work_tree: Option<PathBuf>,
        configuration: Configuration,
        format: Format,
        directory: &Path,
        environment: EnvironmentUse,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<Repository> {
        gix_configuration::replace(&mut gix, &configuration)?;
        let settings = GitConfig::read(&configuration, check, notes)?;
        let replacements = replacements(&gix, &settings, work_tree.as_deref(), environment)?;
        let objects = environment::objects(&mut gix, environment)
            .map_err(|err| Error::fatal(format!("unable to list objects directories: {err}")))?;
        let mut notes_on_grafts = Vec::new();
        let grafts = grafts::stored(&gix, environment, &mut notes_on_grafts)?;
        let partial_clone = PartialClone::new(&gix).map(Arc::new);
        let promisor = partial_clone
            .clone()
            .map(|partial_clone| partial_clone as Arc<dyn Promisor>);
        let options = StoreOptions {
            use_commit_graph: settings.commit_graph && replacements.is_empty() && grafts.is_empty(),
            replacements,
            delta_base_cache_bytes: settings.delta_base_cache,
            read_changed_paths: settings.read_changed_paths && settings.changed_paths_version != 0,
            changed_paths_version: settings.changed_paths_version,
            alternates: environment::alternates(environment),
            promisor,
        };
        let objects_directory = environment::objects_directory(&gix, environment);
        let store = Store::open(&objects_directory, gix.object_hash(), options)
            .map_err(|err| Error::fatal(err.to_string()))?;
        notes.extend(store.warnings().into_iter().map(BString::from));
        Ok(Repository {
            paths: WorkTreePaths {
                prefix: prefix(work_tree.as_deref(), directory),
                shown_root: shown_root(work_tree.as_deref(), gix.git_dir()),
                work_tree,
            },
            bare: format.bare != Some(false),
            store,
            objects_directory,
            settings,
            grafts: Arc::new(grafts),
            notes_on_grafts: Mutex::new(notes_on_grafts),
            partial_clone,
            started_in: directory.to_owned(),
            attribute_source: environment.variable("GIT_ATTR_SOURCE"),
            gix: gix.into_sync(),
            _objects: objects,
        })
    }

    /// The object store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The directory of packs and loose objects, without alternates.
    pub fn objects_directory(&self) -> &Path {
        &self.objects_directory
    }

    /// A new object reader, for one thread.
    pub fn reader(&self) -> Reader {
        self.store.reader()
    }

    /// The hash function of object ids.
    pub fn hash(&self) -> HashKind {
        self.store.hash_kind()
    }

    /// The configuration that affects blames.
    pub fn config(&self) -> &GitConfig {
        &self.settings
    }

    /// The work tree and the current directory in it.
    pub fn paths(&self) -> &WorkTreePaths {
        &self.paths
    }

    /// Whether the repository is bare, as opposed to a command run inside `.git`.
    pub fn is_bare(&self) -> bool {
        self.bare && self.paths.work_tree.is_none()
    }

    /// The `.git` directory of this work tree.
    pub fn git_dir(&self) -> &Path {
        self.gix.git_dir()
    }

    /// Announces that the versions of `path` in the history of `heads` will be read, so that a partial
    /// clone fetches the missing ones in one request.
    pub fn expect(&self, heads: &[ObjectId], path: &BStr) {
        if let Some(partial_clone) = &self.partial_clone {
            partial_clone.expect(heads, path);
        }
    }

    /// Parents that override the stored ones: shallow commits and grafts.
    pub fn grafts(&self) -> &Arc<HashMap<ObjectId, Vec<ObjectId>>> {
        &self.grafts
    }

    /// Moves the advice about grafts to `notes`, once: git prints it when it first parses a commit.
    pub(crate) fn note_grafts(&self, notes: &mut Vec<BString>) {
        if let Ok(mut advice) = self.notes_on_grafts.lock() {
            notes.append(&mut advice);
        }
    }

    /// Where git runs commands and reads `.gitattributes`: the root of the work tree, or else where it was
    /// started.
    pub(crate) fn working_directory(&self) -> &Path {
        self.paths.work_tree.as_deref().unwrap_or(&self.started_in)
    }

    /// The tree that `GIT_ATTR_SOURCE` names for reading attributes.
    pub(crate) fn attribute_source(&self) -> Option<&BStr> {
        self.attribute_source.as_ref().map(|name| name.as_bstr())
    }

    /// The URL of the remote that the current branch follows, or of the only one, with
    /// `url.*.insteadOf` applied.
    pub fn remote_url(&self) -> Option<BString> {
        let gix = self.gix.to_thread_local();
        let remote = gix.find_default_remote(gix::remote::Direction::Fetch)?;
        let remote = remote.ok()?;
        let url = remote.url(gix::remote::Direction::Fetch)?;
        Some(url.to_bstring())
    }

    /// `core.editor`.
    pub fn editor(&self) -> Option<BString> {
        let gix = self.gix.to_thread_local();
        gix.config_snapshot().string("core.editor")
    }

    /// The references, as they are now.
    pub(crate) fn references(&self) -> References {
        References::new(self.local())
    }

    /// gix's handle for the current thread.
    pub(crate) fn local(&self) -> gix::Repository {
        self.gix.to_thread_local()
    }
}

fn discovery_options() -> gix::discover::upwards::Options<'static> {
    gix::discover::upwards::Options {
        match_ceiling_dir_or_error: false,
        ..Default::default()
    }
}

/// The same options for every level of trust: [`Repository::open_at`] checks the owner itself.
fn any_trust(options: gix::open::Options) -> gix::sec::trust::Mapping<gix::open::Options> {
    gix::sec::trust::Mapping {
        full: options.clone(),
        reduced: options,
    }
}

/// gix reads the repository's own file alone: the configuration is read here.
fn open_options(environment: EnvironmentUse) -> gix::open::Options {
    let mut permissions = gix::open::Permissions::all();
    permissions.config = gix::open::permissions::Config::isolated();
    if environment == EnvironmentUse::Ignore {
        permissions.env.git_prefix = gix::sec::Permission::Deny;
        permissions.env.objects = gix::sec::Permission::Deny;
    }
    gix::open::Options::default()
        .lossy_config(true)
        .permissions(permissions)
}

/// The files of a repository that was found, for reading its configuration.
struct Files<'a> {
    git_dir: &'a Path,
    common_dir: &'a Path,
    work_tree: Option<&'a Path>,
    /// The current directory.
    directory: &'a Path,
    /// `GIT_DIR`.
    named: Option<&'a Path>,
    environment: EnvironmentUse,
}

impl Files<'_> {
    /// Reads the configuration. `outer`: with the system's and the user's files.
    fn read(&self, outer: bool, notes: &mut Vec<BString>) -> Result<(Configuration, Format)> {
        let file =
            |directory: &Path, name: &str| (directory.join(name), self.name_of(directory, name));
        let sources = Sources {
            environment: self.environment,
            outer,
            repository: Some(RepositoryFiles {
                config: file(self.common_dir, "config"),
                worktree: file(self.git_dir, "config.worktree"),
            }),
            place: Place {
                git_dir: Some(self.directory.join(self.git_dir)),
                work_tree: self.work_tree.map(|root| self.directory.join(root)),
            },
        };
        let configuration = sources.read(notes)?;
        let has_other_root = self.environment.var_os("GIT_WORK_TREE").is_some();
        let git_dir = (!has_other_root).then(|| self.directory.join(self.git_dir));
        let format = format::check(&configuration, git_dir.as_deref())?;
        Ok((configuration, format))
    }

    /// The name of a file in git's messages: git works in the root of the work tree, or in a bare
    /// repository.
    fn name_of(&self, directory: &Path, name: &str) -> BString {
        let path = match self.named {
            Some(named) if directory == self.git_dir => named.join(name),
            Some(_) => directory.join(name),
            None if self.environment.var_os("GIT_WORK_TREE").is_some() => directory.join(name),
            None => {
                let directory = directory
                    .canonicalize()
                    .unwrap_or_else(|_| directory.to_owned());
                let root = self.work_tree.and_then(|root| root.canonicalize().ok());
                let shown = match root {
                    _ if self.directory == directory => Some(Path::new("")),
                    _ if self.directory.starts_with(&directory) => None,
                    Some(root) if directory == root.join(".git") => Some(Path::new(".git")),
                    _ => None,
                };
                shown.unwrap_or(&directory).join(name)
            }
        };
        path.as_os_str().as_encoded_bytes().into()
    }
}

/// Checks the owner of a repository that was found, and whether bare ones may be used.
fn check_safety(
    git_dir: &Path,
    found: &Path,
    trust: Trust,
    directory: &Path,
    notes: &mut Vec<BString>,
    environment: EnvironmentUse,
) -> Result<()> {
    let git_dir = git_dir
        .canonicalize()
        .unwrap_or_else(|_| git_dir.to_owned());
    let is_inside = directory.starts_with(&git_dir);
    if trust == Trust::Full && !is_inside {
        return Ok(());
    }
    let protected = Sources::protected(environment).read(notes)?;
    if trust != Trust::Full {
        let found = if is_inside { git_dir.as_path() } else { found };
        let found = found.canonicalize().unwrap_or_else(|_| found.to_owned());
        if !protected.is_safe_directory(&found, notes)? {
            return Err(dubious_ownership(&found));
        }
    }
    let is_bare = is_inside && !git_dir.components().any(|part| part.as_os_str() == ".git");
    if protected.refuses_implicit_bare()? && is_bare {
        let mut message = b"cannot use bare repository '".to_vec();
        message.push_str(git_dir.as_os_str().as_encoded_bytes());
        message.push_str("' (safe.bareRepository is 'explicit')");
        return Err(Error::fatal(message));
    }
    Ok(())
}

/// Finds the error in a repository that gix could not open: an owner, or the configuration.
fn diagnose(
    directory: &Path,
    named: Option<&Path>,
    environment: EnvironmentUse,
    notes: &mut Vec<BString>,
) -> Result<()> {
    let (git_dir, work_tree) = match named {
        Some(named) => (directory.join(named), None),
        None => {
            let Ok((found, trust)) = gix::discover::upwards(directory) else {
                // A file `commondir` that leads nowhere.
                let mut found = directory.ancestors().map(|above| above.join(".git"));
                let found = found.find(|git_dir| git_dir.join("HEAD").exists());
                return found.map_or(Ok(()), |git_dir| common_dir_of(&git_dir).map(drop));
            };
            let (git_dir, work_tree) = found.into_repository_and_work_tree_directories();
            let root = work_tree.as_deref().unwrap_or(&git_dir);
            check_safety(&git_dir, root, trust, directory, notes, environment)?;
            (git_dir, work_tree)
        }
    };
    let common_dir = common_dir_of(&git_dir)?;
    let files = Files {
        git_dir: &git_dir,
        common_dir: &common_dir,
        work_tree: work_tree.as_deref(),
        directory,
        named,
        environment,
    };
    files.read(true, notes).map(drop)
}

/// The directory that the file `commondir` in `git_dir` names, or `git_dir` itself.
///
/// # Errors
///
/// If it does not exist; in git's words.
fn common_dir_of(git_dir: &Path) -> Result<PathBuf> {
    let file = git_dir.join("commondir");
    let common_dir = match std::fs::read(&file) {
        Ok(path) if path.is_empty() => {
            let message = format!(
                "failed to read {}: No such file or directory",
                file.display()
            );
            return Err(Error::fatal(message));
        }
        Ok(path) => git_dir.join(
            path.trim_end_with(|end| matches!(end, '\n' | '\r'))
                .to_path_lossy(),
        ),
        Err(_) => return Ok(git_dir.to_owned()),
    };
    if !common_dir.exists() {
        // git resolves the path up to its last component.
        let parents: Vec<&Path> = common_dir.ancestors().skip(1).collect();
        let missing = parents.into_iter().rev().find(|parent| !parent.exists());
        return Err(match missing {
            None => no_repository(),
            Some(parent) => Error::fatal(format!(
                "Invalid path '{}': No such file or directory",
                parent.display()
            )),
        });
    }
    Ok(common_dir)
}

/// Whether `HEAD` is a symbolic reference or begins with an id: git takes no other directory for a
/// repository.
fn has_head(git_dir: &Path) -> bool {
    let path = git_dir.join("HEAD");
    let Ok(mut file) = File::open(&path) else {
        return path.is_symlink();
    };
    let mut start = [0; 64];
    let read = file.read(&mut start).unwrap_or(0);
    let start = &start[..read];
    match start.strip_prefix(b"ref:") {
        Some(name) => name.trim_ascii_start().starts_with(b"refs/"),
        None => start.len() >= 40 && start[..40].iter().all(u8::is_ascii_hexdigit),
    }
}

/// Checks `GIT_COMMON_DIR` against `found`: gix finds the common directory by the file `commondir`
/// alone.
fn check_common_dir(
    directory: &Path,
    environment: EnvironmentUse,
    found: Option<&Path>,
) -> Result<()> {
    let wanted = environment.var_os("GIT_COMMON_DIR");
    let Some(wanted) = wanted.filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let wanted = directory.join(wanted).canonicalize().ok();
    let found = found.and_then(|found| found.canonicalize().ok());
    if wanted.is_some() && wanted == found {
        return Ok(());
    }
    Err(Error::fatal(
        "GIT_COMMON_DIR is not supported unless the file 'commondir' of GIT_DIR says the same",
    ))
}

/// git's error for a repository that gix could not open. `named` is `GIT_DIR`.
fn not_opened(err: &gix::Error, directory: &Path, named: Option<&Path>) -> Error {
    use gix::discover::upwards::Error as Discovery;
    if let Some(path) = named {
        let mut message = b"not a git repository: '".to_vec();
        message.push_str(path.as_os_str().as_encoded_bytes());
        message.push(b'\'');
        if gix::discover::is_git(path).is_err() {
            return Error::no_repository(message);
        }
    }
    match err.downcast_any_ref::<Discovery>() {
        Some(Discovery::NoGitRepositoryWithinFs { limit, .. }) => {
            let mut message = b"not a git repository (or any parent up to mount point ".to_vec();
            message.push_str(limit.as_os_str().as_encoded_bytes());
            message.push_str(
                ")\nStopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
            );
            Error::no_repository(message)
        }
        Some(Discovery::NoTrustedGitRepository { candidate, .. }) => dubious_ownership(candidate),
        Some(_) => no_repository(),
        None if gix::discover::is_git(directory).is_err()
            && gix::discover::is_git(&directory.join(".git")).is_err()
            && gix::discover::upwards(directory).is_err() =>
        {
            no_repository()
        }
        None => Error::fatal(format!("cannot open the repository: {err}")),
    }
}

fn no_repository() -> Error {
    Error::no_repository("not a git repository (or any of the parent directories): .git")
        .with_hint("tblame --demo shows a small history anywhere")
}

/// Whether discovery from `directory` passed one of `GIT_CEILING_DIRECTORIES` on its way up to `found`;
/// the ceilings themselves are excluded.
fn is_at_or_above_a_ceiling(found: &Path, directory: &Path, environment: EnvironmentUse) -> bool {
    let Some(ceilings) = environment.var_os("GIT_CEILING_DIRECTORIES") else {
        return false;
    };
    let found = found.canonicalize().unwrap_or_else(|_| found.to_owned());
    std::env::split_paths(&ceilings)
        .filter(|ceiling| ceiling.is_absolute())
        .map(|ceiling| ceiling.canonicalize().unwrap_or(ceiling))
        .any(|ceiling| {
            directory != ceiling && directory.starts_with(&ceiling) && ceiling.starts_with(&found)
        })
}

fn dubious_ownership(path: &Path) -> Error {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = path.as_os_str().as_encoded_bytes();
    let mut message = b"detected dubious ownership in repository at '".to_vec();
    message.push_str(path);
    message.push_str("'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory ");
    message.push_str(path);
    Error::fatal(message)
}

/// The work tree by git's rules.
fn work_tree(
    gix: &mut gix::Repository,
    directory: &Path,
    named: bool,
    environment: EnvironmentUse,
    format: Format,
) -> Option<PathBuf> {
    let chosen = environment.var_os("GIT_WORK_TREE").is_some() || format.has_work_tree;
    if !chosen && environment == EnvironmentUse::Apply {
        let inside_git_dir = gix
            .git_dir()
            .canonicalize()
            .is_ok_and(|git_dir| directory.starts_with(git_dir));
        let root = match (named, format.bare) {
            (true, Some(true)) => None,
            (true, _) => Some(directory.to_owned()),
            (false, _) if inside_git_dir => None,
            (false, _) => gix.workdir().map(ToOwned::to_owned),
        };
        if root.as_deref() != gix.workdir() {
            // An unreadable directory is reported when the file is read.
            gix.set_workdir(root).ok();
        }
    }
    let root = gix.workdir()?;
    Some(root.canonicalize().unwrap_or_else(|_| root.to_owned()))
}

fn prefix(work_tree: Option<&Path>, directory: &Path) -> BString {
    let below = work_tree.and_then(|root| directory.strip_prefix(root).ok());
    let mut prefix = match below {
        Some(below) => BString::from(below.as_os_str().as_encoded_bytes()),
        None => return BString::default(),
    };
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    prefix
}

/// The root as shown in messages: the work tree, or else the repository.
fn shown_root(work_tree: Option<&Path>, git_dir: &Path) -> BString {
    match work_tree {
        Some(root) => root.as_os_str().as_encoded_bytes().into(),
        None => {
            let git_dir = git_dir
                .canonicalize()
                .unwrap_or_else(|_| git_dir.to_owned());
            let mut shown = BString::from(git_dir.as_os_str().as_encoded_bytes());
            shown.push_str("/.");
            shown
        }
    }
}

/// Replacement objects, from the references of `git replace`. The null id replaces an object whose
/// reference is broken: git then takes the object for missing.
///
/// # Errors
///
/// If `packed-refs` has a line that git refuses: this is where git first reads it.
fn replacements(
    gix: &gix::Repository,
    settings: &GitConfig,
    work_tree: Option<&Path>,
    environment: EnvironmentUse,
) -> Result<HashMap<ObjectId, ObjectId>> {
    if !settings.use_replace_refs || environment.var_os("GIT_NO_REPLACE_OBJECTS").is_some() {
        return Ok(HashMap::new());
    }
    if let Some((problem, line)) = references::files::packed_problem(gix.common_dir()) {
        let file = gix.common_dir().join("packed-refs");
        let shown = work_tree.and_then(|root| file.strip_prefix(root).ok());
        let mut message = BString::from(format!("{problem} line in "));
        message.push_str(shown.unwrap_or(&file).as_os_str().as_encoded_bytes());
        message.push_str(": ");
        message.push_str(line);
        return Err(Error::fatal(message));
    }
    let base = environment
        .var_os("GIT_REPLACE_REF_BASE")
        .and_then(|base| Vec::from_os_string(base).ok())
        .unwrap_or_else(|| b"refs/replace/".to_vec());
    let mut references = References::new(gix.clone());
    let names = references.names(base.as_bstr()).into_iter();
    let pairs = names.filter_map(|name| {
        let replaced = ObjectId::from_hex(name.strip_prefix(base.as_slice())?).ok()?;
        let replacement = references.object(name.as_bstr());
        Some((
            replaced,
            replacement.unwrap_or(ObjectId::null(gix.object_hash())),
        ))
    });
    Ok(pairs.collect())
}

/// The current directory, symbolic links resolved.
///
/// # Errors
///
/// If it was removed.
pub fn current_directory() -> Result<PathBuf> {
    std::env::current_dir().map_err(|err| {
        Error::fatal(format!(
            "Unable to read current working directory: {}",
            os_message(&err)
        ))
    })
}
