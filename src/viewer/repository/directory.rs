//! Answers [`DirectoryQuery`] with a git repository.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::{BString, ByteSlice};
use rustc_hash::FxHashSet;

use crate::{
    engine::{DirectoryEntry, LastCommit, LastCommitSink},
    objects::{ObjectId, ObjectKind, formats::tree},
    viewer::{
        model::{
            background::{
                directory::{DirectoryQuery, EntryChange, EntryKind, FoundEntries, NamedEntry},
                query::{Answers, Found, Stop},
            },
            source::{Failure, FileVersion, VersionReader},
        },
        repository::{untracked, walks::GitWalks},
    },
};

/// The time between two parts of an answer.
const PART_INTERVAL: Duration = Duration::from_millis(16);

impl Answers<DirectoryQuery> for GitWalks {
    fn run(
        &mut self,
        query: &DirectoryQuery,
        found: Found<'_, DirectoryQuery>,
        _: Stop<'_>,
    ) -> Result<bool, Failure> {
        let (commit, path) = self.committed(&query.version)?;
        let tree = self.repository.directory_tree(&commit, &path);
        let tree = tree.map_err(Failure::new)?;
        let staged = match &query.version {
            FileVersion::Commit { .. } => None,
            _ => {
                let names = tree.map_or(Ok(Vec::new()), |tree| self.checked_out(&tree, &path))?;
                // The index of a large repository takes a while.
                if !names.is_empty() && found(FoundEntries::Names(names)).is_break() {
                    return Ok(true);
                }
                self.staged(&path)
            }
        };
        let mut known: FxHashSet<BString> = FxHashSet::default();
        known.extend(staged.iter().flatten().map(|(name, _)| name.clone()));
        let in_work_tree = staged.is_some().then(|| Arc::clone(&path));
        let request = (self.request)(&FileVersion::Commit { commit, path })?;
        let repository = Arc::clone(&self.repository);
        let (engine, commits) = self.parts();
        let mut sink = ChangeSender {
            commits,
            found,
            staged,
            positions: Vec::new(),
            changes: Vec::new(),
            sent: Instant::now(),
        };
        if tree.is_none() {
            let (entries, more) = match &in_work_tree {
                Some(directory) => untracked::entries(&repository, directory, &known),
                None => (Vec::new(), 0),
            };
            if known.is_empty() && entries.is_empty() {
                let mut index = repository.index_paths().into_iter();
                let is_submodule = in_work_tree.is_some_and(|path| {
                    index.any(|(it, mode)| it == *path && kind_of(mode) == EntryKind::Submodule)
                });
                let words = if is_submodule {
                    "a submodule that is not checked out: its files are in a repository of its own"
                } else {
                    "nothing here is committed"
                };
                return Err(Failure::new(words));
            }
            // A break means that the task was cancelled, and nobody reads the answer.
            let _ = sink.started(&[]);
            let _ = (sink.found)(FoundEntries::Untracked(entries, more));
            return Ok(true);
        }
        let end = engine.last_commits(&request, &mut sink);
        engine.release_versions();
        let flow = sink.send(None);
        let found = sink.found;
        if let (Some(directory), ControlFlow::Continue(())) = (in_work_tree, flow) {
            let (entries, more) = untracked::entries(&repository, &directory, &known);
            let _ = found(FoundEntries::Untracked(entries, more));
        }
        Ok(!end.map_err(Failure::new)?.limited)
    }
}

impl GitWalks {
    /// The commit and the path of a directory; in the work tree, the commit is HEAD.
    pub(super) fn committed(
        &self,
        version: &FileVersion,
    ) -> Result<(ObjectId, Arc<BString>), Failure> {
        let head = || self.repository.head_commit();
        let (commit, path) = match version {
            FileVersion::Commit { commit, path } => (Some(*commit), Arc::clone(path)),
            FileVersion::WorkTree { path } | FileVersion::Reloaded { path, .. } => {
                (head(), Arc::clone(path))
            }
            FileVersion::CommandLine => (head(), Arc::default()),
        };
        let commit = commit.ok_or_else(|| {
            let words = if self.repository.git_dir().exists() {
                "there is no commit yet"
            } else {
                "the repository is gone"
            };
            Failure::new(words)
        })?;
        Ok((commit, path))
    }

    /// The entries of a tree that exist in the work tree.
    fn checked_out(&self, tree: &ObjectId, directory: &[u8]) -> Result<Vec<NamedEntry>, Failure> {
        let Some(root) = self.repository.paths().work_tree.as_ref() else {
            return Ok(Vec::new());
        };
        let place = root.join(directory.to_path_lossy());
        let mut reader = self.repository.reader();
        let object = reader.object_of_kind(tree, ObjectKind::Tree);
        let data = object.map_err(Failure::new)?.data;
        let mut names = Vec::new();
        for entry in tree::entries(&data, self.repository.hash()) {
            let entry = entry.map_err(Failure::new)?;
            let kind = kind_in_work_tree(&place, entry.name, kind_of(entry.mode));
            names.extend(kind.map(|kind| NamedEntry {
                name: entry.name.to_owned(),
                kind,
                is_committed: true,
            }));
        }
        sort(&mut names, |entry| entry);
        Ok(names)
    }

    /// The entries of a directory of the work tree that the index has and that exist. `None`
    /// without a work tree.
    pub(super) fn staged(&self, directory: &[u8]) -> Option<BTreeMap<BString, EntryKind>> {
        let root = self.repository.paths().work_tree.as_ref()?;
        let place = root.join(directory.to_path_lossy());
        let mut staged = BTreeMap::new();
        for (path, mode) in self.repository.index_paths() {
            let mut below = path.as_slice();
            if !directory.is_empty() {
                let rest = below.strip_prefix(directory);
                match rest.and_then(|rest| rest.strip_prefix(b"/")) {
                    Some(rest) => below = rest,
                    None => continue,
                }
            }
            let (name, staged_kind) = match below.find_byte(b'/') {
                Some(end) => (&below[..end], EntryKind::Directory),
                None => (below, kind_of(mode)),
            };
            if staged.contains_key(name.as_bstr()) {
                continue;
            }
            if let Some(kind) = kind_in_work_tree(&place, name, staged_kind) {
                staged.insert(name.into(), kind);
            }
        }
        Some(staged)
    }
}

/// What an entry of the index is in the work tree; `None` if that is not there, or a directory in
/// place of a file or the reverse.
fn kind_in_work_tree(directory: &Path, name: &[u8], staged: EntryKind) -> Option<EntryKind> {
    let there = directory.join(name.to_path().ok()?).symlink_metadata();
    let kind = there.ok()?.file_type();
    match (staged, kind.is_dir()) {
        (EntryKind::Directory | EntryKind::Submodule, true) => Some(staged),
        (EntryKind::File | EntryKind::Link, false) if kind.is_symlink() => Some(EntryKind::Link),
        (EntryKind::File | EntryKind::Link, false) => Some(EntryKind::File),
        _ => None,
    }
}

/// What an entry of a mode is.
pub(super) fn kind_of(mode: u32) -> EntryKind {
    match mode & 0o170_000 {
        0o040_000 => EntryKind::Directory,
        0o120_000 => EntryKind::Link,
        0o160_000 => EntryKind::Submodule,
        _ => EntryKind::File,
    }
}

/// Sorts entries: directories before files, both in the order of their names.
fn sort<T>(named: &mut [T], entry: impl Fn(&T) -> &NamedEntry) {
    let is_file = |kind: EntryKind| kind != EntryKind::Directory;
    named.sort_by(|a, b| {
        let (a, b) = (entry(a), entry(b));
        (is_file(a.kind), &a.name).cmp(&(is_file(b.kind), &b.name))
    });
}

/// Passes last commits on with their metadata.
struct ChangeSender<'a> {
    commits: &'a mut dyn VersionReader,
    found: Found<'a, DirectoryQuery>,
    /// In the work tree: the entries that are there.
    staged: Option<BTreeMap<BString, EntryKind>>,
    /// The positions of the commit's entries among all that are shown.
    positions: Vec<Option<usize>>,
    changes: Vec<EntryChange>,
    sent: Instant,
}

impl ChangeSender<'_> {
    fn send(&mut self, frontier: Option<i64>) -> ControlFlow<()> {
        self.sent = Instant::now();
        let changes = std::mem::take(&mut self.changes);
        (self.found)(FoundEntries::Changes(changes, frontier))
    }

    fn send_when_due(&mut self, frontier: i64) -> ControlFlow<()> {
        if self.sent.elapsed() < PART_INTERVAL {
            return ControlFlow::Continue(());
        }
        self.send(Some(frontier))
    }
}

impl LastCommitSink for ChangeSender<'_> {
    fn started(&mut self, entries: &[DirectoryEntry]) -> ControlFlow<()> {
        let mut staged = self.staged.take();
        // With the number of a committed one.
        let mut named: Vec<(NamedEntry, Option<usize>)> = Vec::new();
        for (number, it) in entries.iter().enumerate() {
            let committed = kind_of(it.entry.mode);
            let kind = match &mut staged {
                Some(staged) => staged.remove(&it.name),
                None => Some(committed),
            };
            if let Some(kind) = kind {
                let name = it.name.clone();
                // What was a directory and is a file now is another entry.
                let is_directory = |kind| kind == EntryKind::Directory;
                let is_committed = is_directory(committed) == is_directory(kind);
                let entry = NamedEntry {
                    name,
                    kind,
                    is_committed,
                };
                named.push((entry, Some(number).filter(|_| is_committed)));
            }
        }
        for (name, kind) in staged.into_iter().flatten() {
            let is_committed = false;
            let entry = NamedEntry {
                name,
                kind,
                is_committed,
            };
            named.push((entry, None));
        }
        sort(&mut named, |(entry, _)| entry);
        self.positions = vec![None; entries.len()];
        for (at, (_, number)) in named.iter().enumerate() {
            if let Some(number) = number {
                self.positions[*number] = Some(at);
            }
        }
        let names = named.into_iter().map(|(entry, _)| entry).collect();
        (self.found)(FoundEntries::Names(names))
    }

    fn last_commit(&mut self, found: &LastCommit<'_>) -> ControlFlow<()> {
        let position = self.positions.get(found.number as usize);
        if let Some(at) = position.copied().flatten() {
            self.changes.push(EntryChange {
                at,
                commit: found.commit,
                metadata: self.commits.commit(&found.commit).map(Arc::new),
                is_boundary: found.is_boundary,
            });
        }
        self.send_when_due(found.time)
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.send_when_due(frontier)
    }
}
