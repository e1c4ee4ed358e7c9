//! Lookup of references in both storage formats: files and reftable.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    rc::Rc,
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Result},
    objects::{HashKind, ObjectId},
    reftable::{self, Stack, Value},
    repository::references::{
        files,
        log::LogEntry,
        names::{self, Owner},
    },
};

/// Symbolic references followed at most, as in git.
const MAX_DEPTH: usize = 5;
/// References listed at most.
const MAX_REFERENCES: usize = 1 << 24;
/// Names that are files in either storage format.
const ALWAYS_FILES: [&str; 2] = ["FETCH_HEAD", "MERGE_HEAD"];

/// What a reference holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// An object.
    Object(ObjectId),
    /// The full name of another reference.
    Symbolic(BString),
    /// Something that cannot be understood.
    Broken,
}

/// A reference that exists, or the end of a chain of symbolic ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// The full name of the last reference.
    pub(crate) name: BString,
    /// Its object; `None` if the last reference does not exist.
    pub(crate) id: Option<ObjectId>,
    /// The last reference cannot be understood, or there are too many.
    pub(crate) is_broken: bool,
}

/// The references of a repository, as they are at the time.
#[derive(Debug)]
pub(crate) struct References {
    gix: gix::Repository,
    own: PathBuf,
    common: PathBuf,
    hash: HashKind,
    is_reftable: bool,
    /// The stacks opened so far, by directory.
    stacks: HashMap<PathBuf, Rc<Stack>>,
}

impl References {
    /// The references of the repository that `gix` opened.
    pub(crate) fn new(mut gix: gix::Repository) -> References {
        // git applies GIT_NAMESPACE only where it serves a repository to others.
        gix.clear_namespace();
        let config = gix.config_snapshot();
        let format = config.string("extensions.refStorage");
        let is_reftable = format.is_some_and(|format| format.eq_ignore_ascii_case(b"reftable"));
        drop(config);
        References {
            own: gix.git_dir().to_owned(),
            common: gix.common_dir().to_owned(),
            hash: gix.object_hash(),
            is_reftable,
            stacks: HashMap::new(),
            gix,
        }
    }

    /// What the reference with exactly this name holds; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the tables cannot be read.
    pub(crate) fn read(&mut self, name: &BStr) -> Result<Option<Target>> {
        if !names::is_valid(name) {
            return Ok(None);
        }
        let (owner, inner) = names::owner(name);
        let names_another = matches!(owner, Owner::Main | Owner::Linked(_));
        if names_another && !names::is_of_work_tree(inner) {
            return Ok(None);
        }
        let directory = self.directory(&owner);
        if self.is_reftable && !is_always_file(inner) {
            let value = self.stack(directory)?.find(inner).map_err(unreadable)?;
            return Ok(value.and_then(target));
        }
        if let Some(target) = files::read(&directory, inner, self.hash) {
            return Ok(Some(target));
        }
        if files::exists(&directory, inner) {
            return Ok(Some(Target::Broken));
        }
        if self.is_reftable || !inner.starts_with(b"refs/") {
            return Ok(None);
        }
        Ok(self.packed(inner))
    }

    fn packed(&self, name: &BStr) -> Option<Target> {
        let full = <&gix::refs::FullNameRef>::try_from(name).ok()?;
        let packed = self.gix.refs.cached_packed_buffer().ok()??;
        let found = packed.try_find(full.as_partial_name()).ok()??;
        Some(Target::Object(found.target()))
    }

    /// Follows `name` through symbolic references; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn resolve(&mut self, name: &BStr) -> Result<Option<Resolved>> {
        let mut resolved = Resolved {
            name: name.to_owned(),
            id: None,
            is_broken: false,
        };
        for depth in 0..=MAX_DEPTH {
            match self.read(resolved.name.as_bstr())? {
                Some(Target::Object(id)) if !id.is_null() => {
                    resolved.id = Some(id);
                    return Ok(Some(resolved));
                }
                Some(Target::Symbolic(target)) if names::is_valid(&target) => {
                    resolved.name = target;
                }
                Some(_) => break,
                None if depth == 0 => return Ok(None),
                None => return Ok(Some(resolved)),
            }
        }
        resolved.is_broken = true;
        Ok(Some(resolved))
    }

    /// The object that the reference with exactly this name leads to.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn object(&mut self, name: &BStr) -> Result<Option<ObjectId>> {
        Ok(self.resolve(name)?.and_then(|resolved| resolved.id))
    }

    /// The references below `prefix` and the objects that they lead to, in order of their names.
    /// Broken ones are left out.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn below(&mut self, prefix: &BStr) -> Result<Vec<(BString, ObjectId)>> {
        match self.is_reftable {
            true => self.in_tables(prefix),
            false => Ok(self.in_files(prefix)),
        }
    }

    fn in_tables(&mut self, prefix: &BStr) -> Result<Vec<(BString, ObjectId)>> {
        let mut all = BTreeMap::new();
        let shared = self.directory(&Owner::Shared);
        let own = self.directory(&Owner::Current);
        for directory in [shared, own] {
            let is_own = directory == self.own;
            let is_shared = directory == self.common;
            for (name, value) in self.stack(directory)?.refs(prefix).map_err(unreadable)? {
                let belongs = match names::is_of_work_tree(&name) {
                    true => is_own,
                    false => is_shared,
                };
                if belongs && name.starts_with(b"refs/") {
                    all.insert(BString::from(name), value);
                }
            }
        }
        let mut found = Vec::with_capacity(all.len());
        for (name, value) in all {
            let id = match value {
                Value::Object(id) | Value::Peeled(id, _) => Some(id).filter(|id| !id.is_null()),
                _ => self.object(name.as_bstr())?,
            };
            found.extend(id.map(|id| (name, id)));
        }
        Ok(found)
    }

    fn in_files(&mut self, prefix: &BStr) -> Vec<(BString, ObjectId)> {
        let mut found = Vec::new();
        if let Ok(platform) = self.gix.references()
            && let Ok(references) = platform.prefixed(prefix)
        {
            for reference in references.flatten().take(MAX_REFERENCES) {
                let name = reference.name().as_bstr().to_owned();
                match reference.target().try_id() {
                    Some(id) if !id.is_null() => found.push((name, id.to_owned())),
                    Some(_) => {}
                    None => found.push((name, ObjectId::null(self.hash))),
                }
            }
        }
        found.retain_mut(|(name, id)| {
            if id.is_null()
                && let Ok(Some(resolved)) = self.object(name.as_bstr())
            {
                *id = resolved;
            }
            !id.is_null()
        });
        found
    }

    /// The log of the reference with exactly this name, oldest entry first; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub(crate) fn log(&mut self, name: &BStr) -> Result<Option<Vec<LogEntry>>> {
        let (owner, inner) = names::owner(name);
        let directory = self.directory(&owner);
        if !self.is_reftable {
            return files::log(&directory, inner)
                .map_err(|err| Error::fatal(format!("unable to read the log of {name}: {err}")));
        }
        let log = self.stack(directory)?.log(inner).map_err(unreadable)?;
        Ok(log.map(|log| log.into_iter().map(entry).collect()))
    }

    /// Whether the reference with exactly this name has a log.
    ///
    /// # Errors
    ///
    /// As [`log`](Self::log).
    pub(crate) fn has_log(&mut self, name: &BStr) -> Result<bool> {
        if self.is_reftable {
            return Ok(self.log(name)?.is_some());
        }
        let (owner, inner) = names::owner(name);
        Ok(files::has_log(&self.directory(&owner), inner))
    }

    /// All logs of the current work tree.
    ///
    /// # Errors
    ///
    /// As [`log`](Self::log).
    pub(crate) fn logs(&mut self) -> Result<Vec<Vec<LogEntry>>> {
        let mut all = BTreeMap::new();
        let shared = self.directory(&Owner::Shared);
        let own = self.directory(&Owner::Current);
        for directory in [shared, own] {
            let names = match self.is_reftable {
                true => {
                    let names = self.stack(directory)?.names_of_logs().map_err(unreadable)?;
                    names.into_iter().map(BString::from).collect()
                }
                false => files::names_of_logs(&directory),
            };
            for name in names {
                if let Some(log) = self.log(name.as_bstr())? {
                    all.insert(name, log);
                }
            }
        }
        Ok(all.into_values().collect())
    }

    /// The branch that `HEAD` names, as a full name; `None` if it is detached.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn current_branch(&mut self) -> Result<Option<BString>> {
        let resolved = self.resolve("HEAD".into())?;
        let name = resolved.map(|resolved| resolved.name);
        Ok(name.filter(|name| name.starts_with(b"refs/heads/")))
    }

    /// The directory with the references of `owner`.
    fn directory(&self, owner: &Owner) -> PathBuf {
        match owner {
            Owner::Shared | Owner::Main => self.common.clone(),
            Owner::Current => self.own.clone(),
            Owner::Linked(id) => self.common.join("worktrees").join(id.to_path_lossy()),
        }
    }

    fn stack(&mut self, directory: PathBuf) -> Result<Rc<Stack>> {
        if let Some(stack) = self.stacks.get(&directory) {
            return Ok(Rc::clone(stack));
        }
        let stack = Stack::open(&directory.join("reftable"), self.hash).map_err(unreadable)?;
        let stack = Rc::new(stack);
        self.stacks.insert(directory, Rc::clone(&stack));
        Ok(stack)
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

fn entry(entry: reftable::LogEntry) -> LogEntry {
    let offset = i32::from(entry.offset);
    LogEntry {
        old: entry.old,
        new: entry.new,
        time: entry.time,
        zone: offset / 60 * 100 + offset % 60,
        message: entry.message.into(),
    }
}

fn unreadable(err: reftable::Error) -> Error {
    Error::fatal(err.to_string())
}
