//! Where a repository is and how it is stored: found once, before its configuration is read as a whole.

use std::{
    io,
    path::{Path, PathBuf},
};

use bstr::{BString, ByteSlice};

use crate::{
    objects::HashKind,
    repository::open::{
        configuration::{syntax, value::boolean},
        environment::EnvironmentUse,
    },
    system,
};

/// The largest configuration file that is read, in bytes.
const MAX_FILE: u64 = 1 << 28;

/// A repository that was found.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The directory of this work tree in the repository.
    pub(crate) git_dir: PathBuf,
    /// The directory that all work trees share.
    pub(crate) common_dir: PathBuf,
    /// What was found: a directory that has the repository's directory, or that directory itself.
    pub(super) found: PathBuf,
    /// The root of the work tree.
    pub(crate) work_tree: Option<PathBuf>,
    /// These three without symbolic links, as far as they exist.
    pub(super) real: RealPaths,
    /// The index file.
    pub(crate) index: PathBuf,
    /// `core.bare`, if the repository's own file sets it.
    pub(super) bare: Option<bool>,
    /// `core.worktree` of the repository's own file.
    pub(super) chosen_work_tree: Option<BString>,
    /// The hash function of object ids (`extensions.objectFormat`).
    pub(crate) hash: HashKind,
    /// The references are in reftables (`extensions.refStorage`).
    pub(crate) is_reftable: bool,
    /// Reads `packed-refs`.
    pub(crate) references: gix::RefStore,
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
    /// Finds the repository `named`, or the one in `start` or, with options for that, above it. `None` if there is none.
    /// Relative paths of the environment start at `directory`.
    pub(super) fn find(
        start: &Path,
        directory: &Path,
        named: Option<&Path>,
        discovery: Option<gix::discover::upwards::Options<'_>>,
        environment: EnvironmentUse,
    ) -> Option<Layout> {
        let path = match (named, discovery) {
            (Some(named), _) => at(directory.join(named))?,
            (None, Some(discovery)) => gix::discover::upwards_opts(start, discovery).ok()?.0,
            (None, None) => {
                let below = start.join(gix::discover::DOT_GIT_DIR);
                at(below).or_else(|| at(start.to_owned()))?
            }
        };
        let (git_dir, work_tree) = path.into_repository_and_work_tree_directories();
        let common_dir = match system::read_file(&git_dir.join("commondir")) {
            Ok(text) => {
                let common_dir = git_dir.join(text.trim().to_path_lossy());
                Some(common_dir.is_dir().then_some(common_dir)?)
            }
            Err(err) if err.kind() == io::ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        let own = own_settings(&git_dir, common_dir.as_deref());
        let store = gix::refs::store::init::Options::default();
        let mut references = match &common_dir {
            Some(common_dir) => gix::RefStore::for_linked_worktree_opts(
                git_dir.clone(),
                common_dir.clone(),
                own.hash,
                store,
            ),
            None => gix::RefStore::at_opts(git_dir.clone(), own.hash, store),
        };
        // A mapping of a file that is truncated meanwhile would end the process.
        references.set_packed_buffer_mmap_threshold(u64::MAX);
        let mut layout = Layout {
            common_dir: common_dir.unwrap_or_else(|| git_dir.clone()),
            found: work_tree.as_ref().unwrap_or(&git_dir).clone(),
            index: git_dir.join("index"),
            git_dir,
            work_tree,
            real: RealPaths::default(),
            bare: own.bare,
            chosen_work_tree: own.work_tree,
            hash: own.hash,
            is_reftable: own.is_reftable,
            references,
        };
        layout.real.git_dir = real(&layout.git_dir);
        layout.real.common_dir = match layout.is_linked() {
            true => real(&layout.common_dir),
            false => layout.real.git_dir.clone(),
        };
        layout.choose_work_tree(directory, environment);
        let root = layout.work_tree.as_ref();
        let root = root.and_then(|root| directory.join(root).canonicalize().ok());
        layout.real.work_tree = root;
        // git works at the root of the work tree that it was started in.
        let root = layout.real.work_tree.as_deref();
        let root = root
            .filter(|root| directory.starts_with(root))
            .unwrap_or(directory);
        let index = environment.path("GIT_INDEX_FILE", root);
        let index = index.unwrap_or(layout.index);
        layout.index = std::path::absolute(&index).unwrap_or(index);
        Some(layout)
    }

    /// Whether this is one of several work trees that share a directory.
    fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// Replaces the work tree that was found by the one that `GIT_WORK_TREE` or `core.worktree` names.
    fn choose_work_tree(&mut self, directory: &Path, environment: EnvironmentUse) {
        let named = environment.path("GIT_WORK_TREE", directory);
        let named = named.filter(|root| !root.as_os_str().is_empty());
        let chosen = self.chosen_work_tree.as_ref();
        let chosen = chosen.filter(|root| !root.is_empty() && self.bare != Some(true));
        let chosen = chosen.map(|root| self.real.git_dir.join(root.to_path_lossy()));
        let is_bare = self.bare == Some(true) && !self.is_linked();
        let found = self.work_tree.take().filter(|_| !is_bare);
        self.work_tree = named.or(chosen).or(found);
    }
}

/// What the repository's own files say that has to be known before all configuration is read.
struct OwnSettings {
    bare: Option<bool>,
    work_tree: Option<BString>,
    hash: HashKind,
    is_reftable: bool,
}

/// Invalid values and lines are reported later, when all configuration is read.
fn own_settings(git_dir: &Path, common_dir: Option<&Path>) -> OwnSettings {
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
    let read = |path: &Path| {
        let text = system::read_file_within(path, MAX_FILE);
        syntax::variables(&text.unwrap_or_default())
    };
    let mut has_own_file = false;
    // Linked work trees have roots of their own.
    let is_linked = common_dir.is_some();
    for (key, value) in read(&common_dir.unwrap_or(git_dir).join("config")) {
        let value = value.as_ref();
        match key.as_bytes() {
            b"core.bare" if !is_linked => own.bare = Some(is_true(value)),
            b"core.worktree" if !is_linked => own.work_tree = value.cloned(),
            b"extensions.objectformat" => {
                own.hash = match is(value, "sha256") {
                    true => HashKind::Sha256,
                    false => HashKind::Sha1,
                }
            }
            b"extensions.refstorage" => own.is_reftable = is(value, "reftable"),
            b"extensions.worktreeconfig" => has_own_file = is_true(value),
            _ => {}
        }
    }
    if has_own_file {
        for (key, value) in read(&git_dir.join("config.worktree")) {
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

/// The repository whose directory, or file `.git`, `path` is.
fn at(path: PathBuf) -> Option<gix::discover::repository::Path> {
    let kind = gix::discover::is_git(&path).ok()?;
    let current = std::env::current_dir().ok()?;
    gix::discover::repository::Path::from_dot_git_dir(path, kind, &current)
}
