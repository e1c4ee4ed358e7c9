//! Finding the repository of a directory.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use bstr::{BString, ByteSlice};
use gix::sec::Trust;

use crate::{
    error::{Error, Result},
    repository::open::{
        configuration_files::ConfigurationFiles,
        discovery_errors::{
            ceiling_directories, check_common_dir_file, diagnose, has_missing_common_dir,
            no_repository, no_repository_at, not_opened, searched_directories,
        },
        endless_files,
        environment::EnvironmentUse,
        format::RepositoryFormat,
        git_config::ConfigCheck,
        large_configuration::FoundRepository,
        paths::check_parents,
        repository::Repository,
        safety::check_safety,
    },
    system,
};

/// Packs that gix finds at most where alternates lead to themselves.
const MAX_PACKS_OF_CYCLES: u16 = 1024;

/// Where a repository is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenAt {
    /// In the directory or the nearest one above that has a repository.
    OrAbove,
    /// In the directory itself.
    Exactly,
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
        let named_path = named.as_deref().map(Path::new);
        let mut gix = find(directory, named_path, location, environment, notes)?;
        check_common_dir(directory, environment, Some(gix.common_dir()))?;
        if named.is_none() {
            let found = gix.workdir().unwrap_or(gix.git_dir());
            if is_at_or_above_a_ceiling(found, directory, environment) {
                return Err(no_repository(directory, environment));
            }
            check_safety(gix.git_dir(), directory, notes, environment)?;
        }
        let files = ConfigurationFiles {
            git_dir: gix.git_dir(),
            common_dir: gix.common_dir(),
            work_tree: gix.workdir(),
            directory,
            named: named_path,
            environment,
            gix: Some(&gix),
        };
        let (configuration, format) = files.read(true, notes)?;
        let names = files.names();
        let work_tree = work_tree(&mut gix, directory, named.is_some(), environment, format)?;
        Repository::assemble(
            gix,
            work_tree,
            configuration,
            format,
            names,
            directory,
            environment,
            check,
            notes,
        )
    }
}

/// Searches for the repository and opens it.
fn find(
    directory: &Path,
    named: Option<&Path>,
    location: OpenAt,
    environment: EnvironmentUse,
    notes: &mut Vec<BString>,
) -> Result<gix::Repository> {
    check_variables(directory, named, environment)?;
    let has_large_configuration = endless_files::check_around(directory, named)?;
    let open = |start: &Path, options: gix::open::Options| match (named, location, environment) {
        // A repository named explicitly is trusted.
        (Some(path), ..) => options
            .with(Trust::Full)
            .open_path_as_is(true)
            .open(start.join(path)),
        (None, OpenAt::Exactly, _) => options.open(start),
        (None, OpenAt::OrAbove, EnvironmentUse::Ignore) => {
            let discovery = gix::discover::upwards::Options::default();
            gix::ThreadSafeRepository::discover_opts(start, discovery, any_trust(options))
        }
        (None, OpenAt::OrAbove, EnvironmentUse::Apply) => {
            gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
                start,
                discovery_options(EnvironmentUse::Ignore),
                any_trust(options),
            )
        }
    };
    let options = open_options(environment);
    // Alternates that lead to themselves are an error unless gix is told how many packs there may be.
    let slots = gix::odb::store::init::Slots::Given(MAX_PACKS_OF_CYCLES);
    let mut start = directory;
    loop {
        let opened = has_large_configuration
            .then(|| {
                let discovery = match location {
                    OpenAt::OrAbove => Some(discovery_options(environment)),
                    OpenAt::Exactly => None,
                };
                let found = FoundRepository::find(start, named, discovery)?;
                found.open(options.clone())
            })
            .flatten()
            .map_or_else(|| open(start, options.clone()), Ok);
        let opened = opened
            .or_else(|err| open(start, options.clone().object_store_slots(slots)).map_err(|_| err));
        // git searches above what is no repository for it, but is one for gix.
        let is_one = match &opened {
            Ok(gix) => has_head(gix.git_dir()),
            Err(_) => !has_missing_common_dir(start, named, environment),
        };
        if let (false, Some(named)) = (is_one, named) {
            return Err(no_repository_at(named));
        }
        let searches = location == OpenAt::OrAbove;
        if is_one || (opened.is_err() && !searches) {
            let gix = opened.map_err(|err| {
                if location == OpenAt::Exactly && named.is_none() && !is_repository(directory) {
                    return no_repository(directory, environment);
                }
                check_common_dir(directory, environment, None)
                    .and_then(|()| diagnose(directory, named, environment, notes))
                    .and_then(|()| check_work_tree_variable(directory, named, environment))
                    .err()
                    .unwrap_or_else(|| not_opened(&err, directory, named, environment))
            })?;
            return Ok(gix.to_thread_local());
        }
        start = searches
            .then(|| next_start(start, directory, environment))
            .flatten()
            .ok_or_else(|| no_repository(directory, environment))?;
    }
}

/// Where a search from `directory` goes on that found no repository for git in what it found from `start` on.
fn next_start<'a>(
    start: &Path,
    directory: &'a Path,
    environment: EnvironmentUse,
) -> Option<&'a Path> {
    let (searched, _) = searched_directories(directory, environment);
    let mut above = searched.into_iter().skip_while(|path| *path != start);
    above.find(|path| is_repository(path) || path.join(".git/HEAD").exists());
    above.next()
}

/// Checks the variables that git looks at before it opens a repository.
fn check_variables(
    directory: &Path,
    named: Option<&Path>,
    environment: EnvironmentUse,
) -> Result<()> {
    if named.is_none() {
        // git reads the protected configuration first.
        environment.boolean("GIT_CONFIG_NOSYSTEM")?;
        environment.boolean("GIT_DISCOVERY_ACROSS_FILESYSTEM")?;
    }
    let objects = environment.var_os("GIT_OBJECT_DIRECTORY");
    if objects.is_some_and(|objects| objects.is_empty() || !directory.join(objects).is_dir()) {
        if named.is_none() {
            check_common_dir_file(directory, environment)?;
        }
        return Err(named.map_or_else(|| no_repository(directory, environment), no_repository_at));
    }
    Ok(())
}

/// Checks `GIT_WORK_TREE`, which git looks at when it has found a repository, and with which gix opens none if it is empty.
fn check_work_tree_variable(
    directory: &Path,
    named: Option<&Path>,
    environment: EnvironmentUse,
) -> Result<()> {
    let root = environment.var_os("GIT_WORK_TREE");
    if root.is_none_or(|root| !root.is_empty()) {
        return Ok(());
    }
    let is_one = |git_dir: &Path| {
        gix::discover::is_git(git_dir).is_ok()
            && has_head(git_dir)
            && !has_missing_common_dir(directory, Some(git_dir), environment)
    };
    let is_found = match named {
        Some(path) => is_one(&directory.join(path)),
        None => {
            let (searched, _) = searched_directories(directory, environment);
            let mut searched = searched.into_iter();
            searched.any(|path| is_one(path) || is_one(&path.join(".git")))
        }
    };
    Err(match (is_found, named) {
        (true, _) => Error::fatal("The empty string is not a valid path"),
        (false, Some(path)) => no_repository_at(path),
        (false, None) => no_repository(directory, environment),
    })
}

/// Whether there is a repository in `directory`, bare or not.
fn is_repository(directory: &Path) -> bool {
    gix::discover::is_git(directory).is_ok()
        || gix::discover::is_git(&directory.join(".git")).is_ok()
}

/// Options of a search, those of the environment included if it applies.
fn discovery_options(environment: EnvironmentUse) -> gix::discover::upwards::Options<'static> {
    let options = gix::discover::upwards::Options {
        match_ceiling_dir_or_error: false,
        ..Default::default()
    };
    match environment {
        EnvironmentUse::Apply => {
            let mut options = options.apply_environment();
            let cross_fs = environment.boolean("GIT_DISCOVERY_ACROSS_FILESYSTEM");
            options.cross_fs = cross_fs.ok().flatten().unwrap_or(options.cross_fs);
            options
        }
        EnvironmentUse::Ignore => options,
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

/// Whether discovery from `directory` passed one of `GIT_CEILING_DIRECTORIES` on its way up to `found`;
/// the ceilings themselves are excluded.
fn is_at_or_above_a_ceiling(found: &Path, directory: &Path, environment: EnvironmentUse) -> bool {
    let ceilings = ceiling_directories(environment);
    if ceilings.is_empty() {
        return false;
    }
    let found = found.canonicalize().unwrap_or_else(|_| found.to_owned());
    ceilings.into_iter().any(|ceiling| {
        directory != ceiling && directory.starts_with(&ceiling) && ceiling.starts_with(&found)
    })
}

/// The work tree by git's rules.
///
/// # Errors
///
/// If a directory on the way to it does not exist.
fn work_tree(
    gix: &mut gix::Repository,
    directory: &Path,
    named: bool,
    environment: EnvironmentUse,
    format: RepositoryFormat,
) -> Result<Option<PathBuf>> {
    let chosen = environment.var_os("GIT_WORK_TREE").is_some() || format.has_work_tree;
    if !chosen && environment == EnvironmentUse::Apply {
        let inside_git_dir = gix
            .git_dir()
            .canonicalize()
            .is_ok_and(|git_dir| directory.starts_with(git_dir));
        let root = match (named, format.bare) {
            (true, Some(true)) => None,
            // `git --bare` sets it.
            (true, _) if environment.boolean("GIT_IMPLICIT_WORK_TREE") == Ok(Some(false)) => None,
            (true, _) => Some(directory.to_owned()),
            (false, _) if inside_git_dir => None,
            (false, _) => gix.workdir().map(ToOwned::to_owned),
        };
        if root.as_deref() != gix.workdir() {
            // An unreadable directory is reported when the file is read.
            gix.set_workdir(root).ok();
        }
    }
    let Some(root) = gix.workdir() else {
        return Ok(None);
    };
    if let Ok(real) = root.canonicalize() {
        return Ok(Some(real));
    }
    let root = directory.join(root);
    check_parents(system::path_bytes(&root).as_bstr())?;
    Ok(Some(root))
}
