//! The files that names in a text stand for.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    objects::{ObjectId, Reader},
    repository::{Repository, content::work_tree::find_entry, open::paths::WorkTreePaths},
    run::places::jobs::Jobs,
    system,
};

/// A longer name is no name of a file.
const MAX_NAME: usize = 4096;

/// Most names that are remembered. Beyond that, all are looked up again.
const MAX_NAMES: usize = 1 << 17;

/// Looks up files by the names that programs write. Only names below the root of the work tree are
/// looked up: a text from elsewhere must not make this program touch other places.
pub(super) struct NamedFiles {
    /// From the current directory, then from the root: compilers are often started there.
    bases: [WorkTreePaths; 2],
    /// The root as it may be written, with a slash at its end: without symbolic links, and as the
    /// shell names it.
    roots: Vec<BString>,
    lookup: Lookup,
    jobs: Arc<Jobs>,
    known: HashMap<BString, Option<usize>>,
    files: HashMap<BString, usize>,
}

/// Where files are looked up.
enum Lookup {
    WorkTree(PathBuf),
    Commit(ObjectId, Box<Reader>),
}

impl NamedFiles {
    /// The files of a commit, or without one of the work tree.
    pub(super) fn new(
        repository: &Repository,
        commit: Option<ObjectId>,
        jobs: &Arc<Jobs>,
    ) -> NamedFiles {
        let paths = repository.paths();
        let at_root = WorkTreePaths {
            prefix: BString::default(),
            ..paths.clone()
        };
        let lookup = match (commit, &paths.work_tree) {
            (None, Some(root)) => Lookup::WorkTree(root.clone()),
            (commit, _) => {
                let head = commit.or_else(|| repository.head_commit());
                let null = ObjectId::null(repository.hash());
                Lookup::Commit(head.unwrap_or(null), Box::new(repository.reader()))
            }
        };
        NamedFiles {
            roots: roots(paths),
            bases: [paths.clone(), at_root],
            lookup,
            jobs: Arc::clone(jobs),
            known: HashMap::new(),
            files: HashMap::new(),
        }
    }

    /// The file of a name, if there is one.
    pub(super) fn find(&mut self, name: &BStr) -> Option<usize> {
        if name.is_empty() || name.len() > MAX_NAME || name.contains(&0) {
            return None;
        }
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let file = self.look_up(name);
        if self.known.len() >= MAX_NAMES {
            self.known.clear();
        }
        self.known.insert(name.to_owned(), file);
        file
    }

    /// True if there could be a file of this name in the repository.
    pub(super) fn is_inside(&self, name: &BStr) -> bool {
        self.paths(name).next().is_some()
    }

    /// The paths from the root that a name can stand for.
    fn paths(&self, name: &BStr) -> impl Iterator<Item = BString> {
        let path = name.to_path_lossy();
        let is_absolute = name.starts_with(b"/") || path.has_root() || path.is_absolute();
        let typed = system::typed_path(name).into_owned();
        let roots = self.roots.iter().filter(move |_| is_absolute);
        let below = roots.filter_map({
            let typed = typed.clone();
            move |root| Some(BString::from(typed.strip_prefix(root.as_slice())?))
        });
        let below: Vec<BString> = below.collect();
        let resolve = |base: &WorkTreePaths, name: &[u8]| base.resolve(name.as_bstr()).ok();
        let mut found: Vec<BString> = Vec::new();
        if is_absolute {
            found.extend(
                below
                    .iter()
                    .filter_map(|rest| resolve(&self.bases[1], rest)),
            );
        } else {
            found.extend(self.bases.iter().filter_map(|base| resolve(base, &typed)));
        }
        found.dedup();
        found.into_iter()
    }

    fn look_up(&mut self, name: &BStr) -> Option<usize> {
        let path = self.paths(name).collect::<Vec<_>>();
        let path = path.into_iter().find(|path| self.exists(path.as_bstr()))?;
        let jobs = &self.jobs;
        let file = self.files.entry(path);
        let file = file.or_insert_with_key(|path| jobs.add_file(path.clone()));
        Some(*file)
    }

    fn exists(&mut self, path: &BStr) -> bool {
        match &mut self.lookup {
            _ if path.is_empty() || path.ends_with(b"/") => false,
            Lookup::WorkTree(root) => {
                let file = root.join(path.to_path_lossy()).symlink_metadata();
                file.is_ok_and(|it| it.is_file())
            }
            Lookup::Commit(commit, reader) => {
                find_entry(reader, commit, path).is_ok_and(|entry| entry.is_some())
            }
        }
    }
}

/// The root of the work tree as programs may write it, each with a slash at its end.
fn roots(paths: &WorkTreePaths) -> Vec<BString> {
    let Some(root) = &paths.work_tree else {
        return Vec::new();
    };
    let mut roots = vec![BString::from(&*system::path_bytes(root))];
    // The shell's name of the current directory keeps symbolic links.
    let shell = std::env::var_os("PWD").map(PathBuf::from);
    if let Some(shell) = shell.filter(|it| it.is_absolute()) {
        let depth = paths.prefix.find_iter("/").count();
        let above = shell.ancestors().nth(depth);
        let is_root = |it: &&std::path::Path| it.canonicalize().is_ok_and(|it| it == *root);
        roots.extend(
            above
                .filter(is_root)
                .map(|it| BString::from(&*system::path_bytes(it))),
        );
    }
    for root in &mut roots {
        if !root.ends_with(b"/") {
            root.push_char('/');
        }
    }
    roots.dedup();
    roots
}
