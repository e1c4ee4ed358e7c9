//! Answers [`DirectoryHistoryQuery`] and [`DeletedNamesQuery`] with a git repository.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::BString;
use rustc_hash::FxHashSet;

use crate::{
    engine::{DirectoryChange, DirectoryHistorySink},
    objects::{self, HashKind, ObjectId, ObjectKind, Reader, TreeEntry, formats::tree},
    viewer::{
        model::{
            background::{
                directory_history::{
                    DeletedName, DeletedNamesQuery, DirectoryHistoryQuery, FoundCommits,
                    FoundNames, KnownCommit,
                },
                query::{AnswerTaker, Answers},
            },
            source::{Failure, FileVersion, VersionReader},
        },
        repository::{directory::kind_of, walks::GitWalks},
    },
};

/// The time between two parts of an answer.
const PART_INTERVAL: Duration = Duration::from_millis(16);

impl Answers<DirectoryHistoryQuery> for GitWalks {
    fn run(
        &mut self,
        query: &DirectoryHistoryQuery,
        AnswerTaker { found, .. }: AnswerTaker<'_, DirectoryHistoryQuery>,
    ) -> Result<bool, Failure> {
        let (commit, path) = self.committed(&query.version)?;
        let mut commits = Vec::new();
        self.follow_directory(commit, path, &mut |step, reader| {
            if let WalkStep::Change(change) = &step {
                commits.push(known(change, reader));
            }
            match step.due() {
                Some(frontier) => found(FoundCommits {
                    commits: std::mem::take(&mut commits),
                    frontier,
                }),
                None => ControlFlow::Continue(()),
            }
        })
    }
}

impl Answers<DeletedNamesQuery> for GitWalks {
    fn run(
        &mut self,
        query: &DeletedNamesQuery,
        AnswerTaker { found, .. }: AnswerTaker<'_, DeletedNamesQuery>,
    ) -> Result<bool, Failure> {
        let (commit, path) = self.committed(&query.version)?;
        let reader = self.repository.reader();
        let mut seen = FxHashSet::default();
        if !matches!(query.version, FileVersion::Commit { .. }) {
            let staged = self.staged(&path)?.unwrap_or_default();
            seen.extend(staged.present.into_keys());
        }
        let start = self.repository.directory_tree(&commit, &path);
        let start = start.map_err(Failure::new)?;
        let mut finder = DeletionFinder {
            reader,
            seen,
            dropped: BTreeMap::new(),
        };
        if let Some(tree) = start {
            let names = finder.names(&tree).map_err(Failure::new)?;
            finder.seen.extend(names.into_iter().map(|(name, _)| name));
        }
        let mut names = Vec::new();
        let mut failure = None;
        let end = self.follow_directory(commit, path, &mut |step, commits| {
            if let WalkStep::Change(change) = &step {
                match finder.visit(change, commits) {
                    Ok(found) => names.extend(found),
                    Err(error) => {
                        failure = Some(error);
                        return ControlFlow::Break(());
                    }
                }
            }
            if let WalkStep::End = step {
                let dropped = std::mem::take(&mut finder.dropped);
                names.extend(dropped.into_values());
            }
            match step.due() {
                Some(frontier) => found(FoundNames {
                    names: std::mem::take(&mut names),
                    frontier,
                }),
                None => ControlFlow::Continue(()),
            }
        });
        match failure {
            Some(failure) => Err(failure),
            None => end,
        }
    }
}

/// A step of the walk through the history of a directory.
enum WalkStep<'a> {
    Change(&'a DirectoryChange<'a>),
    /// The date of a commit that is visited, if a part of the answer is due.
    Progress(Option<i64>),
    /// Nothing more comes.
    End,
}

impl WalkStep<'_> {
    /// The date for the part of the answer that is due; `None` if none is.
    fn due(&self) -> Option<Option<i64>> {
        match self {
            WalkStep::Change(_) => None,
            WalkStep::Progress(due) => due.map(Some),
            WalkStep::End => Some(None),
        }
    }
}

/// Is told the steps of a walk.
type OnStep<'a> = dyn FnMut(WalkStep<'_>, &mut dyn VersionReader) -> ControlFlow<()> + 'a;

impl GitWalks {
    /// Follows a directory through its history. Returns whether it was followed to its end.
    fn follow_directory(
        &mut self,
        commit: ObjectId,
        path: Arc<BString>,
        on_step: &mut OnStep<'_>,
    ) -> Result<bool, Failure> {
        let request = (self.request)(&FileVersion::Commit { commit, path })?;
        let (engine, commits) = self.parts();
        let mut sink = StepSender {
            commits,
            on_step,
            // The first change is sent at once.
            sent: None,
        };
        let end = engine.directory_history(&request, &mut sink);
        // A break means that the task was cancelled, and nobody reads the answer.
        let _ = (sink.on_step)(WalkStep::End, sink.commits);
        engine.release_versions();
        Ok(!end.map_err(Failure::new)?.limited)
    }
}

struct StepSender<'a, 'b> {
    commits: &'a mut dyn VersionReader,
    on_step: &'a mut OnStep<'b>,
    /// When the last part was sent.
    sent: Option<Instant>,
}

impl DirectoryHistorySink for StepSender<'_, '_> {
    fn change(&mut self, change: &DirectoryChange<'_>) -> ControlFlow<()> {
        (self.on_step)(WalkStep::Change(change), self.commits)?;
        self.progress(change.time)
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        if self.sent.is_some_and(|sent| sent.elapsed() < PART_INTERVAL) {
            return ControlFlow::Continue(());
        }
        self.sent = Some(Instant::now());
        (self.on_step)(WalkStep::Progress(Some(frontier)), self.commits)
    }
}

fn known(change: &DirectoryChange<'_>, commits: &mut dyn VersionReader) -> KnownCommit {
    KnownCommit {
        id: change.commit,
        metadata: commits.commit(&change.commit).map(Arc::new),
        is_merge: change.parents.len() > 1,
    }
}

/// Finds the newest deletion of each name.
struct DeletionFinder {
    reader: Reader,
    /// The names that are there, and those whose deletion is known.
    seen: FxHashSet<BString>,
    /// Names that only some parents of a merge have. An older commit deleted them, or else it was
    /// the merge.
    dropped: BTreeMap<BString, DeletedName>,
}

impl DeletionFinder {
    /// The names that a commit deleted, unless a newer one did.
    fn visit(
        &mut self,
        change: &DirectoryChange<'_>,
        commits: &mut dyn VersionReader,
    ) -> Result<Vec<DeletedName>, Failure> {
        let mut gone: BTreeMap<BString, (u32, ObjectId, usize)> = BTreeMap::new();
        for (parent, entry) in change.parents {
            let names = self.gone(*entry, change.entry).map_err(Failure::new)?;
            for (name, mode) in names {
                let (_, _, count) = gone.entry(name).or_insert((mode, *parent, 0));
                *count += 1;
            }
        }
        gone.retain(|name, _| !self.seen.contains(name));
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let commit = known(change, commits);
        let mut deleted = Vec::new();
        for (name, (mode, parent, count)) in gone {
            let found = DeletedName {
                kind: kind_of(mode),
                commit: commit.clone(),
                parent,
                name: name.clone(),
            };
            if count == change.parents.len() {
                self.dropped.remove(&name);
                self.seen.insert(name);
                deleted.push(found);
            } else {
                self.dropped.entry(name).or_insert(found);
            }
        }
        Ok(deleted)
    }

    /// The names of an entry, if it is a directory, that another one does not have, with their
    /// modes.
    fn gone(
        &mut self,
        before: Option<TreeEntry>,
        after: Option<TreeEntry>,
    ) -> Result<Vec<(BString, u32)>, objects::Error> {
        let hash = self.reader.hash();
        let Some(before) = before.filter(TreeEntry::is_tree) else {
            return Ok(Vec::new());
        };
        let Some(after) = after.filter(TreeEntry::is_tree) else {
            return self.names(&before.id);
        };
        let old = self
            .reader
            .object_of_kind(&before.id, ObjectKind::Tree)?
            .data;
        let new = self
            .reader
            .object_of_kind(&after.id, ObjectKind::Tree)?
            .data;
        gone_names(&old, &new, hash).map_err(|reason| objects::Error::object(&before.id, reason))
    }

    /// The names in a directory, with their modes.
    fn names(&mut self, id: &ObjectId) -> Result<Vec<(BString, u32)>, objects::Error> {
        let hash = self.reader.hash();
        let data = self.reader.object_of_kind(id, ObjectKind::Tree)?.data;
        gone_names(&data, b"", hash).map_err(|reason| objects::Error::object(id, reason))
    }
}

/// The names in a tree that another one does not have, with their modes.
fn gone_names(old: &[u8], new: &[u8], hash: HashKind) -> Result<Vec<(BString, u32)>, &'static str> {
    let (mut old, mut new) = (tree::entries(old, hash), tree::entries(new, hash));
    // Mostly, both have the same names.
    let (first_old, first_new) = loop {
        let next = (old.next().transpose()?, new.next().transpose()?);
        match next {
            (None, _) => return Ok(Vec::new()),
            (Some(one), Some(other)) if one.name == other.name => {}
            (Some(one), other) => break (one, other),
        }
    };
    let mut there = FxHashSet::default();
    for entry in first_new.map(Ok).into_iter().chain(new) {
        there.insert(entry?.name);
    }
    let mut gone = Vec::new();
    for entry in std::iter::once(Ok(first_old)).chain(old) {
        let entry = entry?;
        if !there.contains(entry.name) {
            gone.push((entry.name.to_owned(), entry.entry().mode));
        }
    }
    Ok(gone)
}
