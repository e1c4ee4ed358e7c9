//! Repositories with a large configuration file. gix takes ten times as long as git to read one, so it opens a
//! directory in place of the repository, with the variables that are read from gix, and is then given the paths
//! of the repository.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bstr::{BString, ByteSlice};
use gix::{ThreadSafeRepository, sec::Trust};

use crate::{
    leftovers::TemporaryDirectory,
    repository::open::{
        configuration::{excerpt::excerpt, variable::Variable},
        gix_configuration::is_used,
    },
    system,
};

/// From so many bytes on a configuration file is large: gix reads 3 MB in a second.
const LARGE: u64 = 1 << 18;

/// Whether the repository has a large configuration file in one of its directories.
pub(super) fn is_large(directory: &Path) -> bool {
    let is_large = |name| fs::metadata(directory.join(name)).is_ok_and(|file| file.len() >= LARGE);
    ["config", "config.worktree"].into_iter().any(is_large)
}

/// A repository that was found, and not read yet.
pub(super) struct FoundRepository {
    git_dir: PathBuf,
    /// If it is another one.
    common_dir: Option<PathBuf>,
    /// The work tree, if the configuration names no other one.
    work_tree: Option<PathBuf>,
    trust: Trust,
}

impl FoundRepository {
    /// Finds what gix would open: the repository `named`, or the one in `directory` or, with options for that, above it.
    /// `None` if there is none, as an error of gix says.
    pub(super) fn find(
        directory: &Path,
        named: Option<&Path>,
        discovery: Option<gix::discover::upwards::Options<'_>>,
    ) -> Option<FoundRepository> {
        let (path, trust) = match (named, discovery) {
            (Some(named), _) => (at(directory.join(named))?, Trust::Full),
            (None, Some(discovery)) => gix::discover::upwards_opts(directory, discovery).ok()?,
            (None, None) => {
                let below = directory.join(gix::discover::DOT_GIT_DIR);
                let path = at(below).or_else(|| at(directory.to_owned()))?;
                let (git_dir, work_tree) = path.clone().into_repository_and_work_tree_directories();
                let candidate = (directory, None);
                let root = work_tree.as_deref();
                let trust = gix::discover::repository::trust(&git_dir, root, directory, candidate);
                (path, trust.ok()?)
            }
        };
        let (git_dir, work_tree) = path.into_repository_and_work_tree_directories();
        let common_dir = match system::read_file(&git_dir.join("commondir")) {
            Ok(text) => Some(git_dir.join(text.trim().to_path_lossy())),
            Err(err) if err.kind() == io::ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        Some(FoundRepository {
            git_dir,
            common_dir,
            work_tree,
            trust,
        })
    }

    /// Opens it. `None` if that is not possible: the error of gix that opens the repository itself counts.
    pub(super) fn open(self, options: gix::open::Options) -> Option<ThreadSafeRepository> {
        let (made, ()) = TemporaryDirectory::new("tblame-config-", |root| self.fill(root)).ok()?;
        let root = made.path().canonicalize().ok()?;
        let index = self.git_dir.join("index");
        let index = std::path::absolute(index).ok()?;
        let index = [
            b"gitoxide.core.indexFile=",
            index.as_os_str().as_encoded_bytes(),
        ]
        .concat();
        let options = options
            .with(self.trust)
            .open_path_as_is(true)
            .cli_overrides([BString::from(index)]);
        let mut opened = options.open(root.join(gix::discover::DOT_GIT_DIR)).ok()?;
        let settings = gix::refs::store::init::Options {
            write_reflog: opened.refs.write_reflog,
            precompose_unicode: opened.refs.precompose_unicode,
            prohibit_windows_device_names: opened.refs.prohibit_windows_device_names,
        };
        let hash = opened.to_thread_local().object_hash();
        let git_dir = self.git_dir.clone();
        let mut references = match &self.common_dir {
            Some(common_dir) => {
                gix::RefStore::for_linked_worktree_opts(git_dir, common_dir.clone(), hash, settings)
            }
            None => gix::RefStore::at_opts(git_dir, hash, settings),
        };
        references.namespace.clone_from(&opened.refs.namespace);
        opened.refs = references;
        let objects = self
            .common_dir
            .as_ref()
            .unwrap_or(&self.git_dir)
            .join("objects");
        let store = gix::odb::Store::at_opts(
            objects,
            hash,
            &mut replacements(&opened).into_iter(),
            gix::odb::store::init::Options::default(),
        );
        opened.objects = Arc::new(store.ok()?);
        if opened.work_tree.as_deref() == Some(&root) {
            opened.work_tree = self.work_tree;
        }
        opened.common_dir = self.common_dir;
        Some(opened)
    }

    /// Makes the directory `.git` in `root`.
    fn fill(&self, root: &Path) -> io::Result<()> {
        let git_dir = root.join(gix::discover::DOT_GIT_DIR);
        fs::create_dir(&git_dir)?;
        fs::create_dir(git_dir.join("objects"))?;
        fs::create_dir(git_dir.join("refs"))?;
        fs::write(
            git_dir.join("HEAD"),
            system::read_file(&self.git_dir.join("HEAD"))?,
        )?;
        let common_dir = self.common_dir.as_ref().unwrap_or(&self.git_dir);
        for (directory, name) in [(common_dir, "config"), (&self.git_dir, "config.worktree")] {
            match system::read_file(&directory.join(name)) {
                Ok(text) => fs::write(git_dir.join(name), self.excerpt(&text))?,
                Err(err) if err.kind() == io::ErrorKind::NotFound => {}
                Err(err) => return Err(err),
            }
        }
        Ok(())
    }

    /// What gix is to read of a configuration file.
    fn excerpt(&self, text: &[u8]) -> Vec<u8> {
        // A linked work tree has a root even if the repository is bare.
        let is_linked = self.common_dir.is_some();
        let is_wanted =
            |it: &Variable| is_used(it.section()) && !(is_linked && it.key == "core.bare");
        excerpt(text, is_wanted, |it| self.work_tree_of(it))
    }

    /// The absolute path of `core.worktree`.
    fn work_tree_of(&self, variable: &Variable) -> Option<BString> {
        let value = variable.value.as_ref()?;
        if variable.key != "core.worktree" || value.is_empty() {
            return None;
        }
        // As gix does, the directory itself is not resolved if that leads to the same.
        let named = self.git_dir.join(value.to_path_lossy());
        let resolved = self.git_dir.canonicalize().ok();
        let resolved = resolved.map(|git_dir| git_dir.join(value.to_path_lossy()));
        let is_same = resolved.as_ref().is_none_or(|resolved| {
            resolved
                .canonicalize()
                .is_ok_and(|resolved| named.canonicalize().is_ok_and(|named| named == resolved))
        });
        let path = resolved.filter(|_| !is_same).unwrap_or(named);
        Some(path.as_os_str().as_encoded_bytes().into())
    }
}

/// The replacement objects, for reading attributes.
fn replacements(opened: &ThreadSafeRepository) -> Vec<(gix::ObjectId, gix::ObjectId)> {
    let local = opened.to_thread_local();
    let settings = local.config_snapshot();
    if settings.boolean("core.useReplaceRefs") == Some(false) {
        return Vec::new();
    }
    let base = settings.string("gitoxide.objects.replaceRefBase");
    let base = base.unwrap_or_else(|| "refs/replace/".into());
    let pairs = local.references().ok().and_then(|references| {
        let named = references.prefixed(base.as_bstr()).ok()?;
        let pair = |reference: gix::Reference<'_>| {
            let name = reference
                .name()
                .as_bstr()
                .strip_prefix(base.as_slice())?
                .to_owned();
            let target = reference.target().try_id()?.to_owned();
            Some((gix::ObjectId::from_hex(&name).ok()?, target))
        };
        Some(named.filter_map(|one| pair(one.ok()?)).collect())
    });
    pairs.unwrap_or_default()
}

/// The repository whose directory, or file `.git`, `path` is.
fn at(path: PathBuf) -> Option<gix::discover::repository::Path> {
    let kind = gix::discover::is_git(&path).ok()?;
    let current = std::env::current_dir().ok()?;
    gix::discover::repository::Path::from_dot_git_dir(path, kind, &current)
}
