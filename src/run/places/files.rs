//! The files that names in a text stand for.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    objects::{ObjectId, Reader},
    repository::{
        Repository,
        content::work_tree::find_entry,
        open::paths::{WorkTreePaths, normalize},
        places::finder::PlaceFiles,
    },
    run::places::{
        classes::ClassFiles,
        jobs::Jobs,
        place_file::{NamedRevision, PlaceFile},
        revisions::RevisionNames,
    },
    system,
};

/// A longer name is no name of a file.
const MAX_NAME: usize = 4096;

/// Most bytes of names that are remembered. Beyond that, all are looked up again.
const MAX_NAMES_LEN: usize = 16 << 20;

/// About the bytes that a name needs beside its own.
const NAME_LEN: usize = 64;

/// Looks up files by the names that programs write. Only names below the root of the work tree are
/// looked up: a text from elsewhere must not make this program touch other places.
pub(super) struct NamedFiles {
    /// From the current directory, then from the root: compilers are often started there.
    bases: [WorkTreePaths; 2],
    /// The root as it may be written, with a slash at its end: without symbolic links, and as the
    /// shell names it.
    roots: Vec<BString>,
    lookup: Lookup,
    reader: Reader,
    repository: Arc<Repository>,
    revisions: RevisionNames,
    /// Read when the first stack trace names one.
    classes: Option<ClassFiles>,
    jobs: Arc<Jobs>,
    known: HashMap<BString, Option<usize>>,
    /// About how many bytes the known names have.
    known_len: usize,
    files: HashMap<(Option<ObjectId>, BString), usize>,
}

/// Where files are looked up.
enum Lookup {
    WorkTree(PathBuf),
    Commit(ObjectId),
}

impl NamedFiles {
    /// The files of a commit, or without one of the work tree.
    pub(super) fn new(
        repository: &Arc<Repository>,
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
                Lookup::Commit(head.unwrap_or(null))
            }
        };
        NamedFiles {
            roots: roots(paths),
            bases: [paths.clone(), at_root],
            lookup,
            reader: repository.reader(),
            repository: Arc::clone(repository),
            revisions: RevisionNames::new(repository),
            classes: None,
            jobs: Arc::clone(jobs),
            known: HashMap::new(),
            known_len: 0,
            files: HashMap::new(),
        }
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
        let mut found: Vec<BString> = Vec::new();
        if is_absolute {
            found.extend(self.below_root(&typed));
        } else {
            for base in &self.bases {
                match base.resolve(typed.as_bstr()) {
                    Ok(path) => found.push(path),
                    // The way may lead back.
                    Err(_) => found.extend(self.roots.iter().flat_map(|root| {
                        self.below_root(&[root.as_slice(), &base.prefix, &typed].concat())
                    })),
                }
            }
        }
        found.dedup();
        found.into_iter()
    }

    /// The paths from the root that an absolute name can stand for.
    fn below_root(&self, name: &[u8]) -> Vec<BString> {
        let Some(name) = normalize(name) else {
            return Vec::new();
        };
        let roots = self.roots.iter();
        let below = roots.filter_map(|root| Some(name.strip_prefix(root.as_slice())?.into()));
        below.collect()
    }

    fn look_up(&mut self, name: &BStr) -> Option<usize> {
        let paths: Vec<BString> = self.paths(name).collect();
        if let Some(path) = paths.into_iter().find(|path| self.exists(path.as_bstr())) {
            return Some(self.file(path, None));
        }
        let (revision, rest) = self.revisions.split(name)?;
        // `git grep` in a tree such as `HEAD:src` writes `HEAD:src:FILE`.
        let in_tree = rest.replacen(":", "/", 1);
        let in_tree = in_tree.strip_prefix(b"/").unwrap_or(&in_tree).as_bstr();
        let mut paths: Vec<BString> = self.paths(rest).chain(self.paths(in_tree)).collect();
        paths.dedup();
        let mut paths = paths.into_iter();
        let path = paths.find(|path| self.is_in(revision.commit, path.as_bstr()))?;
        Some(self.file(path, Some(revision)))
    }

    /// The number of a file that exists.
    fn file(&mut self, path: BString, revision: Option<NamedRevision>) -> usize {
        let commit = revision.as_ref().map(|revision| revision.commit);
        let jobs = &self.jobs;
        let file = self.files.entry((commit, path));
        *file.or_insert_with_key(|(_, path)| {
            let path = path.clone();
            jobs.add_file(PlaceFile { path, revision })
        })
    }

    fn exists(&mut self, path: &BStr) -> bool {
        match &self.lookup {
            _ if path.is_empty() || path.ends_with(b"/") => false,
            Lookup::WorkTree(root) => {
                let file = root.join(path.to_path_lossy()).symlink_metadata();
                // A link has a text too, of one line.
                file.is_ok_and(|it| it.is_file() || it.is_symlink())
            }
            Lookup::Commit(commit) => self.is_in(*commit, path),
        }
    }

    fn is_in(&mut self, commit: ObjectId, path: &BStr) -> bool {
        let found = find_entry(&mut self.reader, &commit, path);
        found.is_ok_and(|entry| entry.is_some())
    }
}

impl PlaceFiles for NamedFiles {
    type File = usize;

    fn find(&mut self, name: &BStr) -> Option<usize> {
        if name.is_empty() || name.len() > MAX_NAME || name.contains(&0) {
            return None;
        }
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let file = self.look_up(name);
        if self.known_len > MAX_NAMES_LEN {
            self.known.clear();
            self.known_len = 0;
        }
        self.known_len += name.len() + NAME_LEN;
        self.known.insert(name.to_owned(), file);
        file
    }

    fn find_class(&mut self, package: &BStr, name: &BStr) -> Option<usize> {
        // Without a package, it is a name like any other.
        let named = package.is_empty().then(|| self.find(name)).flatten();
        if named.is_some() {
            return named;
        }
        let commit = match self.lookup {
            Lookup::WorkTree(_) => None,
            Lookup::Commit(commit) => Some(commit),
        };
        let read = || ClassFiles::read(&self.repository, commit, &mut self.reader);
        let classes = self.classes.get_or_insert_with(read);
        let path = classes.find(package, name)?.clone();
        let exists = self.exists(path.as_bstr());
        exists.then(|| self.file(path, None))
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
