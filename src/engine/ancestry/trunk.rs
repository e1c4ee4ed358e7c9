//! The first-parent history of a commit.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::{
    engine::{
        ancestry::{read_ahead::ReadAhead, search::StopChecks},
        history::commits::{CommitIndex, Commits, hash_prefix, slot},
    },
    objects::{self, CommitHead, ObjectId, Reader, Store, oid},
};

/// The commits that one reaches from a commit by first parents alone, and what their other parents
/// tell of the history: each commit of it contains all that follow.
#[derive(Debug, Default)]
pub(super) struct Trunk {
    /// The newest first.
    commits: Vec<CommitIndex>,
    /// The committer dates of those that are dated.
    dates: Vec<i64>,
    dated: DatedCommits,
    /// The commit to read next.
    next: Option<CommitIndex>,
    /// By commit: see [`Trunk::depth`].
    depths: Vec<u32>,
    /// The thread that reads the older part.
    ahead: Option<ReadAhead>,
    /// What was taken from it.
    read_ahead: FxHashSet<CommitIndex>,
}

/// Commits that are read with their dates, as others take less time.
#[derive(Debug, Clone, Default)]
pub(super) struct DatedCommits {
    /// The first bytes of their ids, unless they are all. It does not matter if those of another
    /// commit are the same.
    prefixes: Option<Arc<FxHashSet<u64>>>,
}

impl DatedCommits {
    /// These, or all.
    pub(super) fn new<'a>(ids: Option<impl Iterator<Item = &'a ObjectId>>) -> DatedCommits {
        DatedCommits {
            prefixes: ids.map(|ids| Arc::new(ids.map(|id| hash_prefix(id)).collect())),
        }
    }

    pub(super) fn are_all(&self) -> bool {
        self.prefixes.is_none()
    }

    pub(super) fn read(&self, reader: &mut Reader, id: &oid) -> Result<CommitHead, objects::Error> {
        let prefixes = self.prefixes.as_ref();
        if prefixes.is_none_or(|prefixes| prefixes.contains(&hash_prefix(id))) {
            reader.commit_head_only(id)
        } else {
            reader.commit_parents(id)
        }
    }
}

impl Trunk {
    pub(super) fn new(tip: Option<CommitIndex>, dated: DatedCommits) -> Trunk {
        Trunk {
            next: tip,
            dated,
            ..Trunk::default()
        }
    }

    /// Starts a thread that reads the older half of what was not read, as far as `marks` tell it:
    /// commits of the history, the oldest first, or nearly so.
    pub(super) fn begin(&mut self, store: &Arc<Store>, commits: &mut Commits, marks: &[ObjectId]) {
        let unread = marks.partition_point(|&mark| {
            let mark = commits.intern(mark);
            commits.cached_header(mark).is_none()
        });
        if let Some(&middle) = marks[..unread].get(unread / 2)
            && self.next.is_some()
        {
            let dated = self.dated.clone();
            let read = move |reader: &mut Reader, id: &oid| dated.read(reader, id);
            self.ahead = ReadAhead::along_first_parents(store, middle, read);
        }
    }

    /// Reads to the end, or to the first commit below the level `floor`. Where a commit cannot be
    /// read the trunk ends, as what follows is not known to be on it. Returns false if it is to stop
    /// before.
    pub(super) fn read(
        &mut self,
        commits: &mut Commits,
        reader: &mut Reader,
        floor: u32,
        checks: &mut StopChecks<'_>,
    ) -> bool {
        while let Some(next) = self.next.filter(|&it| !commits.is_below(it, floor)) {
            if checks.should_stop() {
                return false;
            }
            if self.read_ahead.contains(&next) {
                // The two have met.
                if let Some(ahead) = self.ahead.take() {
                    self.add_read(ahead.wait(), commits);
                }
            } else if checks.are_due()
                && let Some(ahead) = &self.ahead
            {
                let read = ahead.take();
                self.add_read(read, commits);
            }
            self.read_next(commits, reader);
        }
        self.ahead = None;
        true
    }

    fn add_read(&mut self, read: Vec<(ObjectId, CommitHead)>, commits: &mut Commits) {
        for (id, head) in read {
            self.read_ahead.insert(commits.insert_new_header(id, &head));
        }
    }

    fn read_next(&mut self, commits: &mut Commits, reader: &mut Reader) {
        // Grafts and replacements can make a cycle.
        let Some(commit) = self.next.take().filter(|&it| self.position(it).is_none()) else {
            return;
        };
        let read = |reader: &mut Reader, id: &oid| self.dated.read(reader, id);
        let Ok(header) = commits.header_by(commit, reader, read) else {
            return;
        };
        self.commits.push(commit);
        self.dates.push(header.time);
        let depth = self.len();
        *slot(&mut self.depths, commit) = depth;
        let mut parents = commits.parents(&header).iter();
        self.next = parents.next().copied();
        for &parent in parents {
            if self.position(parent).is_none() {
                *slot(&mut self.depths, parent) = depth;
            }
        }
    }

    /// The newest commit.
    pub(super) fn tip(&self) -> Option<CommitIndex> {
        self.get(0).or(self.next)
    }

    /// The number of its commits.
    pub(super) fn len(&self) -> u32 {
        // A commit has an index of 32 bits.
        self.commits.len() as u32
    }

    /// The commit at a position, 0 being the newest one.
    pub(super) fn get(&self, position: u32) -> Option<CommitIndex> {
        self.commits.get(position as usize).copied()
    }

    /// The position of a commit of the trunk.
    pub(super) fn position(&self, commit: CommitIndex) -> Option<u32> {
        let position = self.depth(commit).checked_sub(1)?;
        (self.get(position) == Some(commit)).then_some(position)
    }

    /// The committer date of a dated commit of the trunk.
    pub(super) fn date(&self, commit: CommitIndex) -> Option<i64> {
        self.dates.get(self.position(commit)? as usize).copied()
    }

    /// The number of commits from the newest one to the oldest that is known to be `commit` or to
    /// have it as a parent; 0 if there is none.
    pub(super) fn depth(&self, commit: CommitIndex) -> u32 {
        self.depths.get(commit.index()).copied().unwrap_or(0)
    }
}
