//! Lookup of references in both storage formats: files and reftable.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    rc::Rc,
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::os_message,
    objects::{HashKind, ObjectId},
    reftable::{self, Stack, Value},
    repository::{
        open::layout::Layout,
        references::{
            files::{self, InPlace},
            log::ReflogEntry,
            names::{self, Owner},
            packed::{PackedProblem, PackedRefs, PeeledRefs},
            target::Target,
        },
    },
};

/// Symbolic references followed at most, as in git.
const MAX_DEPTH: usize = 5;
/// References listed at most.
const MAX_REFERENCES: usize = 1 << 24;
/// Linked work trees looked at at most.
const MAX_WORK_TREES: usize = 1 << 16;
/// Names that are files in either storage format.
const ALWAYS_FILES: [&str; 2] = ["FETCH_HEAD", "MERGE_HEAD"];

/// Where a chain of symbolic references leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// The full name of the last reference.
    pub(crate) name: BString,
    /// The end of the chain.
    pub(crate) end: End,
}

/// The end of a chain of symbolic references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// An object, which may not exist.
    Object(ObjectId),
    /// The last reference does not exist, cannot have its name, or there are too many.
    Missing,
    /// The last reference cannot be understood.
    Broken,
}

impl Resolved {
    /// The object.
    pub(crate) fn id(&self) -> Option<ObjectId> {
        match self.end {
            End::Object(id) => Some(id),
            _ => None,
        }
    }
}

/// The references of a repository, as they are at the time.
#[derive(Debug)]
pub(crate) struct References {
    own: PathBuf,
    common: PathBuf,
    hash: HashKind,
    is_reftable: bool,
    /// The stacks opened so far, by directory.
    stacks: HashMap<PathBuf, Rc<Stack>>,
    problem: Option<String>,
    /// Opened when it is first needed.
    packed: OnceCell<Option<PackedRefs>>,
    /// What is known of `HEAD` without its file, if that is another work tree's.
    head: Option<Option<ObjectId>>,
}

impl References {
    /// The references of a repository. `GIT_NAMESPACE` does not apply: in git it does only where it
    /// serves a repository to others.
    pub(crate) fn new(layout: &Layout) -> References {
        References {
            own: layout.git_dir.clone(),
            common: layout.common_dir.clone(),
            hash: layout.hash,
            is_reftable: layout.is_reftable,
            stacks: HashMap::new(),
            problem: None,
            packed: OnceCell::new(),
            head: None,
        }
    }

    /// The same with this commit as `HEAD`, or without any: the files of the work tree that the
    /// repository is open for are not in the directory of its references.
    pub(crate) fn with_head(self, head: Option<ObjectId>) -> References {
        References {
            head: Some(head),
            ..self
        }
    }

    /// The target of the reference with exactly this name; `None` if there is none.
    pub(crate) fn read(&mut self, name: &BStr) -> Option<Target> {
        if !names::is_valid(name) {
            return None;
        }
        let (owner, inner) = names::owner(name);
        let names_another = matches!(owner, Owner::Main | Owner::Linked(_));
        if names_another && !names::is_of_work_tree(inner) {
            return None;
        }
        if let Some(head) = self.head.filter(|_| is_head(name)) {
            let is_head = name == "HEAD";
            return head.filter(|_| is_head).map(Target::Object);
        }
        let directory = self.directory(&owner);
        if self.is_reftable && !is_always_file(inner) {
            let value = self.stack(directory).find(inner);
            return self.readable(value).flatten().and_then(target);
        }
        match files::read(&directory, inner, self.hash) {
            InPlace::Reference(target) => Some(target),
            InPlace::DanglingLink => None,
            InPlace::Nothing if self.is_reftable || is_always_file(inner) => None,
            InPlace::Nothing => self.packed(inner),
        }
    }

    fn packed(&self, name: &BStr) -> Option<Target> {
        self.packed_refs()?.find(name).map(Target::Object)
    }

    fn packed_refs(&self) -> Option<&PackedRefs> {
        let open = || PackedRefs::open(&self.common, self.hash).ok().flatten();
        self.packed.get_or_init(open).as_ref()
    }

    /// The references of a repository whose `packed-refs` is read at once.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(crate) fn with_packed(layout: &Layout) -> Result<References, PackedProblem> {
        let packed = PackedRefs::open(&layout.common_dir, layout.hash)?;
        Ok(References {
            packed: OnceCell::from(packed),
            ..References::new(layout)
        })
    }

    /// Follows `name` through symbolic references; `None` if it does not exist.
    pub(crate) fn resolve(&mut self, name: &BStr) -> Option<Resolved> {
        let mut name = name.to_owned();
        let mut depth = 0;
        let end = loop {
            match self.read(name.as_bstr()) {
                Some(Target::Object(id)) => break End::Object(id),
                Some(Target::Symbolic(_)) if depth + 1 == MAX_DEPTH => break End::Missing,
                Some(Target::Symbolic(target)) if names::is_valid(&target) => name = target,
                Some(Target::Symbolic(_)) => break End::Missing,
                Some(Target::Broken) => break End::Broken,
                None if depth == 0 => return None,
                None => break End::Missing,
            }
            depth += 1;
        };
        Some(Resolved { name, end })
    }

    /// The object that the reference with exactly this name leads to.
    pub(crate) fn object(&mut self, name: &BStr) -> Option<ObjectId> {
        self.resolve(name).and_then(|resolved| resolved.id())
    }

    /// The references below `prefix` and the objects that they lead to, in order of their names. A
    /// broken one has the null id.
    pub(crate) fn below(&mut self, prefix: &BStr) -> Vec<(BString, ObjectId)> {
        let listed = self.listed(prefix);
        let mut found = Vec::with_capacity(listed.len());
        for (name, packed) in listed {
            if let Some(id) = packed {
                found.push((name, id));
                continue;
            }
            let Some(resolved) = self.resolve(name.as_bstr()) else {
                continue;
            };
            match resolved.end {
                End::Object(id) => found.push((name, id)),
                End::Missing => {}
                End::Broken => found.push((name, ObjectId::null(self.hash))),
            }
        }
        found
    }

    /// The names of the references below `prefix`, whether they lead to an object or not, in order.
    pub(crate) fn names(&mut self, prefix: &BStr) -> Vec<BString> {
        let listed = self.listed(prefix).into_iter();
        listed.map(|(name, _)| name).collect()
    }

    /// The names of the references below `prefix` that are files: they hide those of `packed-refs`.
    fn names_of_files(&self, prefix: &BStr) -> BTreeSet<BString> {
        let mut all = BTreeSet::new();
        for name in files::names(&self.common, prefix) {
            if self.common == self.own || !names::is_of_work_tree(&name) {
                all.insert(name);
            }
        }
        if self.common != self.own {
            let own = files::names(&self.own, prefix);
            all.extend(own.into_iter().filter(|name| names::is_of_work_tree(name)));
        }
        all
    }

    /// The references that are packed, and the names of the files that hide some of them; `None`
    /// unless all tags are peeled, or with reftables.
    pub(crate) fn peeled(&self) -> Option<(PeeledRefs, BTreeSet<BString>)> {
        if self.is_reftable {
            return None;
        }
        let packed = PeeledRefs::read(&self.common)?;
        Some((packed, self.names_of_files("refs/".into())))
    }

    /// The names below `prefix`, in order, with the object of those that are in `packed-refs` alone:
    /// no file need be opened for these.
    fn listed(&mut self, prefix: &BStr) -> Vec<(BString, Option<ObjectId>)> {
        if self.is_reftable {
            self.listed_in_tables(prefix).into_iter().collect()
        } else {
            self.listed_in_files(prefix)
        }
    }

    fn listed_in_tables(&mut self, prefix: &BStr) -> BTreeMap<BString, Option<ObjectId>> {
        let mut all = BTreeMap::new();
        let shared = self.directory(&Owner::Shared);
        let own = self.directory(&Owner::Current);
        for directory in [shared, own] {
            let is_own = directory == self.own;
            let is_shared = directory == self.common;
            for name in self.refs_of(directory, prefix).into_keys() {
                let belongs = if names::is_of_work_tree(&name) {
                    is_own
                } else {
                    is_shared
                };
                if belongs && name.starts_with(b"refs/") {
                    all.insert(BString::from(name), None);
                }
            }
        }
        all
    }

    fn listed_in_files(&mut self, prefix: &BStr) -> Vec<(BString, Option<ObjectId>)> {
        let files = self.names_of_files(prefix).into_iter();
        let mut all: Vec<(BString, Option<ObjectId>)> = files.map(|name| (name, None)).collect();
        let null = ObjectId::null(self.hash);
        if let Some(packed) = self.packed_refs() {
            packed.visit(prefix, |name, id| {
                let is_listed = name.starts_with(prefix) && all.len() < MAX_REFERENCES;
                if is_listed {
                    let is_valid = names::is_valid(name);
                    let id = if is_valid { id } else { null };
                    all.push((name.to_owned(), Some(id)));
                }
                is_listed
            });
        }
        // Of several with one name the first counts: a file, or the first line.
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all.dedup_by(|(later, _), (first, _)| later == first);
        all
    }

    /// The log of the reference with exactly this name, oldest entry first; `None` if it has none.
    pub(crate) fn log(&mut self, name: &BStr) -> Option<Vec<ReflogEntry>> {
        if self.head.is_some() && is_head(name) {
            return None;
        }
        let (owner, inner) = names::owner(name);
        let directory = self.directory(&owner);
        self.log_in(directory, inner)
    }

    fn log_in(&mut self, directory: PathBuf, name: &BStr) -> Option<Vec<ReflogEntry>> {
        if !self.is_reftable {
            return files::log(&directory, name);
        }
        let log = self.stack(directory).log(name);
        let log = self.readable(log).flatten();
        log.map(|log| log.into_iter().map(entry).collect())
    }

    /// True if the reference with exactly this name has a log.
    pub(crate) fn has_log(&mut self, name: &BStr) -> bool {
        if self.is_reftable || self.head.is_some() {
            return self.log(name).is_some();
        }
        let (owner, inner) = names::owner(name);
        files::has_log(&self.directory(&owner), inner)
    }

    /// All logs of all work trees.
    pub(crate) fn logs(&mut self) -> Vec<Vec<ReflogEntry>> {
        let mut all = BTreeMap::new();
        let mut directories = vec![self.common.clone(), self.own.clone()];
        directories.dedup();
        let others = self.other_linked_work_trees();
        directories.extend(others.into_iter().map(|(_, path)| path));
        for directory in directories {
            let names: Vec<BString> = if self.is_reftable {
                let names = self.stack(directory.clone()).names_of_logs();
                let names = self.readable(names).unwrap_or_default();
                names.into_iter().map(BString::from).collect()
            } else {
                files::names_of_logs(&directory)
            };
            for name in names {
                if let Some(log) = self.log_in(directory.clone(), name.as_bstr()) {
                    all.insert((directory.clone(), name), log);
                }
            }
        }
        all.into_values().collect()
    }

    /// The full names of the `HEAD`s of the work trees other than the current one.
    pub(crate) fn heads_of_other_work_trees(&self) -> Vec<BString> {
        let mut names = Vec::new();
        if self.own != self.common {
            names.push("main-worktree/HEAD".into());
        }
        for (id, _) in self.other_linked_work_trees() {
            names.push([b"worktrees/", id.as_bytes(), b"/HEAD"].concat().into());
        }
        names
    }

    /// The ids of the linked work trees other than the current one, and their directories in the
    /// repository, in order.
    fn other_linked_work_trees(&self) -> Vec<(BString, PathBuf)> {
        let own = self.own.canonicalize().ok();
        let list = std::fs::read_dir(self.common.join("worktrees"));
        let entries = list.into_iter().flatten().flatten().take(MAX_WORK_TREES);
        let mut found: Vec<(BString, PathBuf)> = entries
            .map(|entry| {
                let id = entry.file_name();
                (id.as_encoded_bytes().into(), entry.path())
            })
            .filter(|(_, path)| path.canonicalize().ok() != own)
            .collect();
        found.sort();
        found
    }

    /// The branch that `HEAD` leads to, as a full name, even if it has no commits yet; `None` if
    /// `HEAD` is detached, or leads to nothing.
    pub(crate) fn current_branch(&mut self) -> Option<BString> {
        let Resolved { name, end } = self.resolve("HEAD".into())?;
        let leads_there = match end {
            End::Object(_) => true,
            End::Missing => self.read(name.as_bstr()).is_none(),
            End::Broken => false,
        };
        (leads_there && name.starts_with(b"refs/heads/")).then_some(name)
    }

    /// The directory with the references of `owner`.
    fn directory(&self, owner: &Owner) -> PathBuf {
        match owner {
            Owner::Shared | Owner::Main => self.common.clone(),
            Owner::Current => self.own.clone(),
            Owner::Linked(id) => self.common.join("worktrees").join(id.to_path_lossy()),
        }
    }

    fn stack(&mut self, directory: PathBuf) -> Rc<Stack> {
        if let Some(stack) = self.stacks.get(&directory) {
            return Rc::clone(stack);
        }
        let opened = Stack::open(&directory.join("reftable"), self.hash);
        let stack = Rc::new(self.readable(opened).unwrap_or_default());
        self.stacks.insert(directory, Rc::clone(&stack));
        stack
    }

    fn refs_of(&mut self, directory: PathBuf, prefix: &BStr) -> BTreeMap<Vec<u8>, Value> {
        let refs = self.stack(directory).refs(prefix);
        self.readable(refs).unwrap_or_default()
    }

    /// The value that was read; otherwise keeps the reason. git takes damaged tables for empty
    /// ones.
    fn readable<T>(&mut self, read: reftable::Result<T>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(err) => {
                self.problem.get_or_insert_with(|| match err {
                    reftable::Error::Io { path, source } => {
                        format!("cannot read {}: {}", path.display(), os_message(&source))
                    }
                    err => err.to_string(),
                });
                None
            }
        }
    }

    /// Why references may seem not to exist: the first error of reading tables.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

fn is_always_file(name: &BStr) -> bool {
    ALWAYS_FILES.iter().any(|file| name == file)
}

fn target(value: Value) -> Option<Target> {
    match value {
        Value::Object(id) | Value::Peeled(id, _) => Some(Target::Object(id)),
        Value::Symbolic(target) => Some(Target::Symbolic(target.into())),
        Value::Deletion => None,
    }
}

/// True for the references that belong to the commit of a work tree.
fn is_head(name: &BStr) -> bool {
    name == "HEAD" || name == "MERGE_HEAD"
}

fn entry(entry: reftable::LogEntry) -> ReflogEntry {
    ReflogEntry {
        old: entry.old,
        new: entry.new,
        time: entry.time,
        zone: entry.zone.into(),
        message: entry.message.into(),
    }
}
