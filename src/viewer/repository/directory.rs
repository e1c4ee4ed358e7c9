//! Answers [`DirectoryQuery`] with a git repository.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashSet;

use crate::{
    engine::{DirectoryEntry, LastCommit, LastCommitSink, Request},
    objects::{ObjectId, ObjectKind, TreeEntry, file_type, formats::tree},
    repository::content::work_tree_files::{FileFinder, StagedPlace, tracked_type},
    sorting,
    viewer::{
        model::{
            background::{
                directory::{
                    DirectoryQuery, EntryChange, EntryKind, FoundEntries, LinelessEntry,
                    LinelessState, NamedEntry,
                },
                query::{AnswerTaker, Answers, Found},
            },
            source::{Failure, FileVersion, VersionReader},
        },
        repository::{git_history::REPOSITORY_GONE, untracked, walks::GitWalks},
    },
};

/// The time between two parts of an answer.
const PART_INTERVAL: Duration = Duration::from_millis(16);

impl Answers<DirectoryQuery> for GitWalks {
    fn run(
        &mut self,
        query: &DirectoryQuery,
        AnswerTaker { found, .. }: AnswerTaker<'_, DirectoryQuery>,
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
                self.staged(&path)?
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
            commit,
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
        let ChangeSender { found, removed, .. } = sink;
        if let (Some(directory), ControlFlow::Continue(())) = (in_work_tree, flow) {
            let (untracked, more) = untracked::entries(&repository, &directory, &known);
            let _ = found(FoundEntries::Lineless(lineless(removed, untracked), more));
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
                REPOSITORY_GONE
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
                left_out: None,
            }));
        }
        sort(&mut names, |entry| entry);
        Ok(names)
    }

    /// The entries of a directory of the work tree that the index has. `None` without a work tree.
    pub(super) fn staged(&self, directory: &[u8]) -> Result<Option<StagedEntries>, Failure> {
        let Some(root) = self.repository.paths().work_tree.as_ref() else {
            return Ok(None);
        };
        let mut work_tree = FileFinder::new(root);
        let mut staged = StagedEntries::default();
        for indexed in self.repository.index_paths() {
            let mut below = indexed.path.as_slice();
            // The index may have a directory as a whole, all of which is left out.
            let is_sparse = below.ends_with(b"/");
            let inside = [directory, b"/"].concat();
            if is_sparse && let Some(rest) = inside.strip_prefix(below) {
                self.list_left_out(indexed.id, rest, &mut staged)?;
                continue;
            }
            if !directory.is_empty() {
                let rest = below.strip_prefix(directory);
                match rest.and_then(|rest| rest.strip_prefix(b"/")) {
                    Some(rest) => below = rest,
                    None => continue,
                }
            }
            let end = below.find_byte(b'/');
            let name = below[..end.unwrap_or(below.len())].as_bstr();
            let known = staged.present.get(name);
            if known.is_some_and(|entry| !entry.is_left_out) {
                continue;
            }
            let mode = indexed.mode;
            let place = if is_sparse {
                Some(StagedPlace::LeftOut)
            } else {
                let kind = (mode, indexed.is_left_out);
                StagedPlace::of(&mut work_tree, indexed.path.as_bstr(), kind)
            };
            let kind = |mode| end.map_or(kind_of(mode), |_| EntryKind::Directory);
            match place {
                Some(StagedPlace::There(mode, _)) => staged.add(name, kind(mode), false),
                Some(StagedPlace::LeftOut) => staged.add(name, kind(mode), true),
                None => drop(staged.missing.insert(name.to_owned())),
            }
        }
        Ok(Some(staged))
    }

    /// Adds the entries of a directory in a tree that the index has as a whole, because a sparse
    /// checkout leaves it out. The path of the directory there is empty or ends with a slash.
    fn list_left_out(
        &self,
        tree: ObjectId,
        directory: &[u8],
        staged: &mut StagedEntries,
    ) -> Result<(), Failure> {
        let mut reader = self.repository.reader();
        let mut tree = Some(tree);
        if let Some(directory) = directory.strip_suffix(b"/")
            && let Some(above) = tree
        {
            let found = reader.find_path(above, directory, None);
            let found = found.map_err(Failure::new)?.map(|found| found.entry);
            tree = found.filter(TreeEntry::is_tree).map(|entry| entry.id);
        }
        let Some(tree) = tree else { return Ok(()) };
        let object = reader.object_of_kind(&tree, ObjectKind::Tree);
        let data = object.map_err(Failure::new)?.data;
        for entry in tree::entries(&data, self.repository.hash()) {
            let entry = entry.map_err(Failure::new)?;
            staged.add(entry.name, kind_of(entry.mode), true);
        }
        Ok(())
    }
}

/// The entries of a directory that the index has.
#[derive(Debug, Default)]
pub(super) struct StagedEntries {
    /// Those that are there, or that a sparse checkout leaves out; of a directory, a file that the index
    /// has is there.
    pub(super) present: BTreeMap<BString, StagedEntry>,
    /// Those of which something is not there.
    missing: FxHashSet<BString>,
}

/// An entry of a directory that the index has.
#[derive(Debug, Clone, Copy)]
pub(super) struct StagedEntry {
    kind: EntryKind,
    /// A sparse checkout leaves all of it out.
    is_left_out: bool,
}

impl StagedEntries {
    /// Adds an entry, which counts for more than what is left out under the same name.
    fn add(&mut self, name: &BStr, kind: EntryKind, is_left_out: bool) {
        let entry = StagedEntry { kind, is_left_out };
        if is_left_out {
            self.present.entry(name.to_owned()).or_insert(entry);
        } else {
            self.present.insert(name.to_owned(), entry);
        }
    }
}

/// The entries without lines, in the order of their states. A name has one row: what is new under it
/// counts for more than what is gone, and that for more than what is ignored. What the index alone
/// has not is both, gone and new.
fn lineless(gone: Vec<LinelessEntry>, others: Vec<LinelessEntry>) -> Vec<LinelessEntry> {
    let is_alike = |one: EntryKind, other: EntryKind| {
        let is_file = |kind| matches!(kind, EntryKind::File | EntryKind::Link);
        one == other || is_file(one) && is_file(other)
    };
    let mut entries: BTreeMap<BString, LinelessEntry> = BTreeMap::new();
    entries.extend(others.into_iter().map(|it| (it.name.clone(), it)));
    for mut entry in gone {
        let there = entries.get(&entry.name);
        let is_unstaged = entry.state == LinelessState::Unstaged;
        if is_unstaged && there.is_none_or(|there| !is_alike(there.kind, entry.kind)) {
            entry.state = LinelessState::Removed;
        }
        let is_new = there.is_some_and(|it| it.state == LinelessState::Untracked);
        if !is_new || entry.state == LinelessState::Unstaged {
            entries.insert(entry.name.clone(), entry);
        }
    }
    let mut entries: Vec<LinelessEntry> = entries.into_values().collect();
    sorting::sort_by_key(&mut entries, |entry| entry.state);
    entries
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
    sorting::sort_by(named, |a, b| {
        let (a, b) = (entry(a), entry(b));
        (is_file(a.kind), &a.name).cmp(&(is_file(b.kind), &b.name))
    });
}

/// Passes last commits on with their metadata.
struct ChangeSender<'a> {
    commits: &'a mut dyn VersionReader,
    found: Found<'a, DirectoryQuery>,
    request: &'a Request,
    /// The commit whose entries are found.
    commit: ObjectId,
    /// In the work tree: the entries that the index has.
    staged: Option<StagedEntries>,
    /// The commit's entries that the work tree or the index lacks.
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
            let found = match &mut staged {
                Some(staged) => staged.present.remove(&it.name),
                None => Some(StagedEntry {
                    kind: committed,
                    is_left_out: false,
                }),
            };
            let name = it.name.clone();
            if let Some(StagedEntry { kind, is_left_out }) = found {
                // What was a directory and is a file now is another entry.
                let is_directory = |kind| kind == EntryKind::Directory;
                let is_committed = is_directory(committed) == is_directory(kind);
                let entry = NamedEntry {
                    name,
                    kind,
                    is_committed,
                    left_out: is_left_out.then_some(self.commit),
                };
                named.push((entry, Some(number).filter(|_| is_committed)));
            } else {
                let is_staged = staged.as_ref().is_some_and(|it| it.missing.contains(&name));
                self.removed.push(LinelessEntry {
                    name,
                    kind: committed,
                    state: if is_staged {
                        LinelessState::Removed
                    } else {
                        LinelessState::Unstaged
                    },
                });
            }
        }
        for (name, staged) in staged.into_iter().flat_map(|staged| staged.present) {
            let entry = NamedEntry {
                name,
                kind: staged.kind,
                is_committed: false,
                left_out: staged.is_left_out.then_some(self.commit),
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
