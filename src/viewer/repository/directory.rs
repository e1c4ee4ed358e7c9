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
    engine::{DirectoryEntry, LastCommit, LastCommitSink, Request},
    objects::{ObjectId, ObjectKind, file_type, formats::tree},
    repository::content::work_tree_files::{FileFinder, tracked_type},
    viewer::{
        model::{
            background::{
                directory::{
                    DirectoryQuery, EntryChange, EntryKind, FoundEntries, LinelessEntry,
                    LinelessState, NamedEntry,
                },
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
        let present = staged.iter().flat_map(|staged| &staged.present);
        known.extend(present.map(|(name, _)| name.clone()));
        let in_work_tree = staged.is_some().then(|| Arc::clone(&path));
        let request = (self.request)(&FileVersion::Commit { commit, path })?;
        let repository = Arc::clone(&self.repository);
        let (engine, commits) = self.parts();
        let mut sink = ChangeSender {
            commits,
            found,
            request: &request,
            staged,
            removed: Vec::new(),
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
                    index.any(|it| it.path == *path && kind_of(it.mode) == EntryKind::Submodule)
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
            let _ = (sink.found)(FoundEntries::Lineless(entries, more));
            return Ok(true);
        }
        let end = engine.last_commits(&request, &mut sink);
        engine.release_versions();
        let flow = sink.send(None);
        let ChangeSender {
            found, mut removed, ..
        } = sink;
        if let (Some(directory), ControlFlow::Continue(())) = (in_work_tree, flow) {
            let (mut untracked, more) = untracked::entries(&repository, &directory, &known);
            // A name has one row: what is new under it counts for more than what is gone, and that
            // for more than what is ignored.
            let is_new = |it: &&LinelessEntry| it.state == LinelessState::Untracked;
            let new = untracked.iter().filter(is_new).map(|it| it.name.clone());
            let new: FxHashSet<BString> = new.collect();
            removed.retain(|it| !new.contains(&it.name));
            let gone: FxHashSet<&BString> = removed.iter().map(|it| &it.name).collect();
            untracked.retain(|it| !gone.contains(&it.name));
            removed.append(&mut untracked);
            let _ = found(FoundEntries::Lineless(removed, more));
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
            let kind = kind_in_work_tree(&place, &entry);
            names.extend(kind.map(|kind| NamedEntry {
                name: entry.name.to_owned(),
                kind,
                is_committed: true,
            }));
        }
        sort(&mut names, |entry| entry);
        Ok(names)
    }

    /// The entries of a directory of the work tree that the index has. `None` without a work tree.
    pub(super) fn staged(&self, directory: &[u8]) -> Option<StagedEntries> {
        let root = self.repository.paths().work_tree.as_ref()?;
        let mut work_tree = FileFinder::new(root);
        let mut staged = StagedEntries::default();
        for indexed in self.repository.index_paths() {
            let mut below = indexed.path.as_slice();
            // The index may have a directory as a whole, all of which is left out.
            let is_sparse = below.ends_with(b"/");
            staged.is_left_out |= is_sparse && [directory, b"/"].concat().starts_with(below);
            if !directory.is_empty() {
                let rest = below.strip_prefix(directory);
                match rest.and_then(|rest| rest.strip_prefix(b"/")) {
                    Some(rest) => below = rest,
                    None => continue,
                }
            }
            let end = below.find_byte(b'/');
            let name = below[..end.unwrap_or(below.len())].as_bstr();
            if staged.present.contains_key(name) {
                continue;
            }
            let there = work_tree.find(indexed.path.as_bstr());
            match there.filter(|_| !is_sparse) {
                Some(there) => {
                    let mode = tracked_type(&there, indexed.mode);
                    staged.present.extend(mode.map(|mode| {
                        let kind = end.map_or(kind_of(mode), |_| EntryKind::Directory);
                        (name.to_owned(), kind)
                    }));
                }
                None if indexed.is_left_out => {
                    staged.left_out.insert(name.to_owned());
                }
                None => {}
            }
        }
        Some(staged)
    }
}

/// The entries of a directory that the index has.
#[derive(Debug, Default)]
pub(super) struct StagedEntries {
    /// Those that are there; of a directory, a file that the index has is there.
    pub(super) present: BTreeMap<BString, EntryKind>,
    /// Those of which a sparse checkout leaves something out of the work tree.
    left_out: FxHashSet<BString>,
    /// It leaves out all of them.
    is_left_out: bool,
}

impl StagedEntries {
    /// True if the work tree was to have an entry of HEAD that is not there.
    fn lacks(&self, name: &BString) -> bool {
        !self.is_left_out && !self.left_out.contains(name)
    }
}

/// What an entry of a tree is in the work tree; `None` if that is not there, or a directory in place
/// of a file or the reverse.
fn kind_in_work_tree(directory: &Path, entry: &tree::TreeEntryRef<'_>) -> Option<EntryKind> {
    let there = directory.join(entry.name.to_path().ok()?);
    let there = there.symlink_metadata().ok()?;
    match kind_of(entry.mode) {
        EntryKind::Directory => there.is_dir().then_some(EntryKind::Directory),
        _ => tracked_type(&there, entry.mode).map(kind_of),
    }
}

/// What an entry of a mode is.
pub(super) fn kind_of(mode: u32) -> EntryKind {
    match file_type(mode) {
        0o040_000 => EntryKind::Directory,
        0o100_000 => EntryKind::File,
        0o120_000 => EntryKind::Link,
        _ => EntryKind::Submodule,
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
    request: &'a Request,
    /// In the work tree: the entries that the index has.
    staged: Option<StagedEntries>,
    /// The commit's entries that the work tree lacks.
    removed: Vec<LinelessEntry>,
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
                Some(staged) => staged.present.remove(&it.name),
                None => Some(committed),
            };
            let name = it.name.clone();
            if let Some(kind) = kind {
                // What was a directory and is a file now is another entry.
                let is_directory = |kind| kind == EntryKind::Directory;
                let is_committed = is_directory(committed) == is_directory(kind);
                let entry = NamedEntry {
                    name,
                    kind,
                    is_committed,
                };
                named.push((entry, Some(number).filter(|_| is_committed)));
            } else if staged.as_ref().is_some_and(|it| it.lacks(&name)) {
                self.removed.push(LinelessEntry {
                    name,
                    kind: committed,
                    state: LinelessState::Removed,
                });
            }
        }
        for (name, kind) in staged.into_iter().flat_map(|staged| staged.present) {
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
                is_boundary: found.is_boundary || self.request.is_cut_off(&found.commit),
            });
        }
        self.send_when_due(found.time)
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.send_when_due(frontier)
    }
}
