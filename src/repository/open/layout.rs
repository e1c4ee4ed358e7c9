//! Where a repository is and how it is stored: found once, before its configuration is read as a
//! whole.

use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Result, quoted},
    objects::HashKind,
    repository::open::{
        configuration::{syntax, value::boolean},
        environment::EnvironmentUse,
        jj_workspace::JjWorkspace,
        optional_file::{FileText, read_configuration},
        search::FoundRepository,
    },
};

/// A repository that was found.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The directory of this work tree in the repository.
    pub(crate) git_dir: PathBuf,
    /// The directory that all work trees share.
    pub(crate) common_dir: PathBuf,
    /// The root of the work tree.
    pub(crate) work_tree: Option<PathBuf>,
    /// These three without symbolic links, as far as they exist.
    pub(super) real: RealPaths,
    /// The index file.
    pub(crate) index: PathBuf,
    /// The hash function of object ids (`extensions.objectFormat`).
    pub(crate) hash: HashKind,
    /// The references are in reftables (`extensions.refStorage`).
    pub(crate) is_reftable: bool,
    /// The workspace of jj that led to the repository.
    pub(crate) workspace: Option<JjWorkspace>,
}

/// Directories of a repository without symbolic links.
#[derive(Debug, Clone, Default)]
pub(super) struct RealPaths {
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    /// `None` also if it does not exist.
    pub(super) work_tree: Option<PathBuf>,
}

impl Layout {
    /// The layout of a repository with the configuration `config` that was found from `directory`,
    /// where relative paths of the environment start.
    ///
    /// # Errors
    ///
    /// `core.worktree` names a work tree that git cannot enter.
    pub(super) fn new(
        place: FoundRepository,
        config: &FileText,
        directory: &Path,
        environment: EnvironmentUse,
    ) -> Result<Layout> {
        let own = own_settings(&place, config);
        let real_git_dir = if place.is_real {
            place.git_dir.clone()
        } else {
            real(&place.git_dir)
        };
        let real_common_dir = place.common_dir.as_ref().map(|path| real(path));
        let named = environment.path("GIT_WORK_TREE", directory);
        let named = named.filter(|root| !root.as_os_str().is_empty());
        let is_bare = own.bare == Some(true);
        let is_chosen = !is_bare && environment.var_os("GIT_WORK_TREE").is_none();
        let chosen = match own.work_tree.filter(|_| is_chosen) {
            Some(root) => Some(chosen_root(&real_git_dir, root.as_bstr())?),
            None => None,
        };
        // Where the environment does not apply, the directory `.git` opens the work tree too.
        let is_below = environment == EnvironmentUse::Ignore && place.git_dir.ends_with(".git");
        let above = place.git_dir.parent().filter(|_| is_below);
        let found = place.root.or(above.map(ToOwned::to_owned));
        let found = found.filter(|_| !is_bare);
        let (work_tree, real_work_tree) = match named.or(chosen) {
            Some(root) => {
                let real = directory.join(&root).canonicalize().ok();
                let real = real.filter(|root| root.is_dir());
                (Some(root), real)
            }
            None => (found.clone(), found),
        };
        let mut layout = Layout {
            index: match &place.workspace {
                Some(workspace) => workspace.index(),
                None => place.git_dir.join("index"),
            },
            common_dir: place.common_dir.unwrap_or_else(|| place.git_dir.clone()),
            real: RealPaths {
                common_dir: real_common_dir.unwrap_or_else(|| real_git_dir.clone()),
                git_dir: real_git_dir,
                work_tree: real_work_tree,
            },
            git_dir: place.git_dir,
            work_tree,
            hash: own.hash,
            is_reftable: own.is_reftable,
            workspace: place.workspace,
        };
        let root = layout.working_directory(directory);
        if let Some(index) = environment.path("GIT_INDEX_FILE", root) {
            layout.index = std::path::absolute(&index).unwrap_or(index);
        }
        Ok(layout)
    }

    /// Where git works if it is started in `directory`: at the root of the work tree that has it,
    /// or else there.
    pub(super) fn working_directory<'a>(&'a self, directory: &'a Path) -> &'a Path {
        let root = self.real.work_tree.as_deref();
        let root = root.filter(|root| directory.starts_with(root));
        root.unwrap_or(directory)
    }
}

/// The root of the work tree that `core.worktree` names. git enters one that is given by a relative
/// path.
fn chosen_root(git_dir: &Path, root: &BStr) -> Result<PathBuf> {
    let path = git_dir.join(root.to_path_lossy());
    let is_relative = root.to_path_lossy().is_relative();
    if is_relative && (root.is_empty() || !path.is_dir()) {
        let reason = ": No such file or directory";
        Err(Error::fatal(quoted("cannot chdir to ", root, reason)))
    } else {
        Ok(path)
    }
}

/// The settings in the repository's own files that have to be known before all configuration is
/// read.
struct OwnSettings {
    bare: Option<bool>,
    work_tree: Option<BString>,
    hash: HashKind,
    is_reftable: bool,
}

/// Invalid values and lines are reported later, when all configuration is read.
fn own_settings(place: &FoundRepository, config: &FileText) -> OwnSettings {
    let mut own = OwnSettings {
        bare: None,
        work_tree: None,
        hash: HashKind::Sha1,
        is_reftable: false,
    };
    let is_true = |value: Option<&BString>| value.is_none_or(|it| boolean(it) == Some(true));
    let is = |value: Option<&BString>, word: &str| {
        value.is_some_and(|value| value.eq_ignore_ascii_case(word.as_bytes()))
    };
    let variables = |text: &FileText| match text {
        Ok(Some(text)) => syntax::variables(text),
        _ => Vec::new(),
    };
    let mut has_own_file = false;
    for (key, value) in variables(config) {
        let value = value.as_ref();
        match key.as_bytes() {
            b"core.bare" => own.bare = Some(is_true(value)),
            b"core.worktree" => own.work_tree = value.cloned(),
            b"extensions.objectformat" => {
                own.hash = if is(value, "sha256") {
                    HashKind::Sha256
                } else {
                    HashKind::Sha1
                }
            }
            b"extensions.refstorage" => own.is_reftable = is(value, "reftable"),
            b"extensions.worktreeconfig" => has_own_file = is_true(value),
            _ => {}
        }
    }
    // Without settings of their own, linked work trees and workspaces have the roots where they
    // were found.
    let is_linked = place.common_dir.is_some() || place.workspace.is_some();
    if is_linked && !has_own_file {
        own.bare = None;
        own.work_tree = None;
    }
    if has_own_file {
        for (key, value) in variables(&read_configuration(&place.git_dir.join("config.worktree"))) {
            match key.as_bytes() {
                b"core.bare" => own.bare = Some(is_true(value.as_ref())),
                b"core.worktree" => own.work_tree = value,
                _ => {}
            }
        }
    }
    own
}

/// A path without symbolic links, or as it is if it does not exist.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
