//! Opening a repository.

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use crate::{
    error::{Error, Result},
    repository::open::{
        environment::EnvironmentUse,
        git_config::ConfigCheck,
        layout::Layout,
        paths::{check_parents, normalize},
        repository::{Beginnings, Repository},
        safety::{Root, check_safety},
        search::{self, OpenAt},
    },
    system,
};

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
        let place = search::find(
            directory,
            named.as_deref().map(Path::new),
            location,
            environment,
        )?;
        let (root, is_linked) = (place.root.clone(), place.is_linked);
        let entry = match place.workspace {
            Some(_) => ".jj",
            None => ".git",
        };
        let config = place.configuration();
        let layout = Layout::new(place, &config, directory, environment)?;
        check_common_dir(directory, environment, &layout.common_dir)?;
        if named.is_none() {
            let root = root.as_deref().map(|path| Root {
                path,
                entry,
                is_linked,
            });
            check_safety(&layout.real.git_dir, root, directory, notes, environment)?;
        }
        let beginnings = Beginnings {
            work_tree: work_tree(&layout, directory, environment)?,
            layout,
            config,
            directory,
            environment,
            reads_outer_configuration: true,
        };
        Repository::assemble(beginnings, check, notes)
    }

    /// Opens the repository with a work tree at `root`, which this program created, without user
    /// and system configuration.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn open_own(root: &Path) -> Result<Repository> {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let environment = EnvironmentUse::Ignore;
        let place = search::find(&root, None, OpenAt::Exactly, environment)?;
        let config = place.configuration();
        let layout = Layout::new(place, &config, &root, environment)?;
        let beginnings = Beginnings {
            work_tree: layout.work_tree.clone(),
            layout,
            config,
            directory: &root,
            environment,
            reads_outer_configuration: false,
        };
        Repository::assemble(beginnings, &|_, _, _| Ok(()), &mut Vec::new())
    }
}

/// Checks `GIT_COMMON_DIR` against the directory that was found by the file `commondir`.
fn check_common_dir(directory: &Path, environment: EnvironmentUse, found: &Path) -> Result<()> {
    let wanted = environment.var_os("GIT_COMMON_DIR");
    let Some(wanted) = wanted.filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let wanted = directory.join(wanted).canonicalize().ok();
    if wanted.is_some() && wanted == found.canonicalize().ok() {
        return Ok(());
    }
    Err(Error::fatal(
        "GIT_COMMON_DIR is not supported unless the file 'commondir' of GIT_DIR says the same",
    ))
}

/// The root of the work tree, without symbolic links where it exists.
///
/// # Errors
///
/// If a directory on the way to it does not exist.
fn work_tree(
    layout: &Layout,
    directory: &Path,
    environment: EnvironmentUse,
) -> Result<Option<PathBuf>> {
    let variable = environment.var_os("GIT_WORK_TREE");
    if variable.is_some_and(|root| root.is_empty()) {
        return Err(Error::fatal("The empty string is not a valid path"));
    }
    let (Some(root), None) = (&layout.work_tree, &layout.real.work_tree) else {
        return Ok(layout.real.work_tree.clone());
    };
    let root = directory.join(root);
    let normal = normalize(&system::path_bytes(&root));
    let root = normal
        .and_then(|root| system::path_from_bytes(root.into()))
        .unwrap_or(root);
    check_parents(system::path_bytes(&root).as_bstr())?;
    Ok(Some(root))
}
