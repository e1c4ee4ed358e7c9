//! Finding the repository of a directory.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use bstr::{BString, ByteSlice};

use crate::{
    error::{Error, Result},
    repository::open::{
        configuration_files::ConfigurationFiles,
        discovery_errors::{
            ceiling_directories, check_common_dir_file, common_dir_of, has_missing_common_dir,
            no_repository, no_repository_at, searched_directories,
        },
        endless_files,
        environment::EnvironmentUse,
        format::RepositoryFormat,
        git_config::ConfigCheck,
        layout::Layout,
        paths::{check_parents, normalize},
        repository::Repository,
        safety::check_safety,
    },
    system,
};

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
        let mut layout = find(directory, named_path, location, environment)?;
        check_common_dir(directory, environment, Some(&layout.common_dir))?;
        if named.is_none() {
            if is_at_or_above_a_ceiling(&layout.found, directory, environment) {
                return Err(no_repository(directory, environment));
            }
            check_safety(&layout.real.git_dir, directory, notes, environment)?;
        }
        let files = ConfigurationFiles {
            layout: &layout,
            directory,
            named: named_path,
            environment,
        };
        let (configuration, format) = files.read(true, notes)?;
        let names = files.names();
        let work_tree = work_tree(&mut layout, directory, named.is_some(), environment, format)?;
        Repository::assemble(
            layout,
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

/// Searches for the repository.
fn find(
    directory: &Path,
    named: Option<&Path>,
    location: OpenAt,
    environment: EnvironmentUse,
) -> Result<Layout> {
    check_variables(directory, named, environment)?;
    endless_files::check_around(directory, named)?;
    let searches = location == OpenAt::OrAbove;
    let mut start = directory;
    loop {
        let discovery = searches.then(|| discovery_options(environment));
        let found = Layout::find(start, directory, named, discovery, environment);
        // git searches above what is no repository for it, but is one for gix.
        let is_one = match &found {
            Some(found) => has_head(&found.git_dir),
            None => !has_missing_common_dir(start, named, environment),
        };
        if let (false, Some(named)) = (is_one, named) {
            return Err(no_repository_at(named));
        }
        if is_one || (found.is_none() && !searches) {
            return match (found, named) {
                (Some(found), _) => Ok(found),
                (None, Some(named)) => {
                    common_dir_of(&directory.join(named))?;
                    Err(no_repository_at(named))
                }
                (None, None) => {
                    check_common_dir_file(directory, environment)?;
                    Err(no_repository(directory, environment))
                }
            };
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
    layout: &mut Layout,
    directory: &Path,
    named: bool,
    environment: EnvironmentUse,
    format: RepositoryFormat,
) -> Result<Option<PathBuf>> {
    let variable = environment.var_os("GIT_WORK_TREE");
    if variable.as_ref().is_some_and(|root| root.is_empty()) {
        return Err(Error::fatal("The empty string is not a valid path"));
    }
    let chosen = variable.is_some() || format.has_work_tree;
    if !chosen && environment == EnvironmentUse::Apply {
        let inside_git_dir = directory.starts_with(&layout.real.git_dir);
        match (named, format.bare) {
            (true, Some(true)) => layout.work_tree = None,
            // `git --bare` sets it.
            (true, _) if environment.boolean("GIT_IMPLICIT_WORK_TREE") == Ok(Some(false)) => {
                layout.work_tree = None;
            }
            (true, _) => {
                layout.work_tree = Some(directory.to_owned());
                layout.real.work_tree = layout.work_tree.clone();
            }
            (false, _) if inside_git_dir => layout.work_tree = None,
            (false, _) => {}
        }
    }
    let Some(root) = &layout.work_tree else {
        return Ok(None);
    };
    if let Some(real) = &layout.real.work_tree {
        return Ok(Some(real.clone()));
    }
    let root = directory.join(root);
    let normal = normalize(&system::path_bytes(&root));
    let root = normal
        .and_then(|root| system::path_from_bytes(root.into()))
        .unwrap_or(root);
    check_parents(system::path_bytes(&root).as_bstr())?;
    Ok(Some(root))
}
