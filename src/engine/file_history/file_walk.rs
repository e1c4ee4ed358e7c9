//! The walk that follows a file.

use smallvec::SmallVec;

use crate::{
    engine::{
        api::{
            error::Error,
            file_history::{ChildRevision, FileHistorySink, FileRevision, PreviousRevision},
            line_history::HistoryEnd,
            profile::Profile,
        },
        board::{scoreboard::SuspectId, split::PendingEntry},
        history::commits::{CommitIndex, InternedHeader},
        walk::{
            corrected_dates::ChildrenFirst,
            parents::ParentFile,
            state::{Interrupt, Walk, check_flow},
        },
    },
    objects::TreeEntry,
};

/// Follows a file. The pending entries of a suspect are the versions that were made from it; their lines are not used.
pub(crate) struct FileWalk<'a, 's> {
    walk: Walk<'a>,
    sink: &'s mut dyn FileHistorySink,
    order: ChildrenFirst,
    is_limited: bool,
    /// The number of versions found.
    found: u32,
}

/// What the parents have of a suspect's file.
enum InParents {
    /// The suspect was reused as the origin of this parent, which has the same file.
    Reused(CommitIndex),
    /// A parent has the same file.
    Same(SuspectId),
    /// The files of the parents that have one.
    Different(SmallVec<[SuspectId; 2]>),
}

impl<'a, 's> FileWalk<'a, 's> {
    pub(crate) fn new(walk: Walk<'a>, sink: &'s mut dyn FileHistorySink) -> Self {
        FileWalk {
            walk,
            sink,
            order: ChildrenFirst::new(),
            is_limited: false,
            found: 0,
        }
    }

    /// Follows the requested file to where it was added.
    pub(crate) fn run(mut self) -> Result<HistoryEnd, Error> {
        let stopped = match self.follow() {
            Ok(()) => false,
            Err(Interrupt::Stopped) => true,
            Err(Interrupt::Failed(error)) => return Err(error),
        };
        let mut profile = Profile::default();
        if let Some(prefetch) = self.walk.prefetch.take() {
            prefetch.finish(&mut profile);
        }
        self.walk.caches.versions.add_counters(&mut self.walk.work);
        self.walk.work.times = self.walk.timer.stop();
        profile.walk = self.walk.work;
        Ok(HistoryEnd {
            stopped,
            limited: self.is_limited,
            stats: self.walk.stats,
            profile,
        })
    }

    fn follow(&mut self) -> Result<(), Interrupt> {
        let (suspect, contents) = self.walk.final_image()?;
        self.walk.begin(suspect, &contents)?;
        self.add(suspect, &[newest()])?;
        while let Some(commit) = self.walk.queue.pop() {
            let mut next = Some(commit);
            while let Some(commit) = next {
                next = self.visit(commit)?;
            }
        }
        Ok(())
    }

    /// Visits a commit. Returns the commit to visit next, if that is certain.
    fn visit(&mut self, commit: CommitIndex) -> Result<Option<CommitIndex>, Interrupt> {
        let suspects: SmallVec<[SuspectId; 1]> = self.walk.board.pending_suspects(commit).collect();
        if suspects.is_empty() {
            return Ok(None);
        }
        let header = self.walk.header(commit)?;
        self.walk.count_visit()?;
        check_flow(self.sink.progress(header.time))?;
        self.order.frontier = header.time;
        let is_limit = self.walk.is_beyond_boundary(commit, &header);
        self.is_limited |= is_limit;
        for suspect in suspects {
            if !is_limit {
                match self.find_in_parents(suspect, &header)? {
                    InParents::Reused(parent) => return Ok(Some(parent)),
                    InParents::Same(parent) => {
                        let children = self.walk.board.get(suspect).pending.clone();
                        self.add(parent, &children)?;
                    }
                    InParents::Different(parents) => {
                        self.walk.stats.commits += 1;
                        self.report(suspect, &header, &parents)?;
                        let number = self.found;
                        self.found += 1;
                        for (nth, parent) in parents.into_iter().enumerate() {
                            self.add(parent, &[made_from(number, nth == 0)])?;
                        }
                    }
                }
            }
            let suspected = self.walk.board.get_mut(suspect);
            suspected.pending.clear();
            suspected.chain = None;
            self.walk.board.release(suspect);
        }
        Ok(None)
    }

    fn find_in_parents(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
    ) -> Result<InParents, Interrupt> {
        let entry = self.walk.board.get(suspect).entry;
        let parents = self.walk.parents_of(header);
        let mut found: SmallVec<[Option<SuspectId>; 2]> = SmallVec::new();
        let mut absent: SmallVec<[usize; 2]> = SmallVec::new();
        for (at, &parent) in parents.iter().enumerate() {
            let file = match self.walk.parent_header(parent)? {
                Some(parent_header) => {
                    let file =
                        self.walk
                            .find_same_path(suspect, header, parent, &parent_header, at)?;
                    match file {
                        ParentFile::OtherType => {
                            self.walk.find_other_type(suspect, parent, &parent_header)?
                        }
                        file => file,
                    }
                }
                None => ParentFile::Absent,
            };
            found.push(match file {
                ParentFile::Reused => return Ok(InParents::Reused(parent)),
                ParentFile::At(other) if is_same(self.walk.board.get(other).entry, entry) => {
                    for other in found.into_iter().flatten() {
                        self.walk.board.release(other);
                    }
                    return Ok(InParents::Same(other));
                }
                ParentFile::At(other) => Some(other),
                ParentFile::OtherType => None,
                ParentFile::Absent => {
                    absent.push(at);
                    None
                }
            });
        }
        if self.walk.request.follow {
            for at in absent {
                found[at] = self.walk.find_renamed(suspect, header, parents[at])?;
            }
        }
        Ok(InParents::Different(found.into_iter().flatten().collect()))
    }

    /// Passes the version of a suspect to the sink, with the difference to that of the first of `parents`.
    fn report(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        parents: &[SuspectId],
    ) -> Result<(), Interrupt> {
        let entry = self.walk.board.get(suspect).entry;
        let previous = parents.first().copied();
        let (added, removed) = match previous {
            None => (self.walk.text(suspect)?.tokens.len() as u32, 0),
            Some(parent) if self.walk.board.get(parent).entry.id == entry.id => (0, 0),
            Some(parent) => self.count_changes(suspect, parent)?,
        };
        let children = self.walk.board.get(suspect).pending.iter();
        let children = children.filter(|child| child.len > 0);
        let children = children.map(|child| ChildRevision {
            number: child.source,
            is_of_previous: child.start == child.source,
        });
        let children: SmallVec<[ChildRevision; 2]> = children.collect();
        let walk = &self.walk;
        let place = |suspect| {
            let suspected = walk.board.get(suspect);
            let commit = walk.caches.commits.id(suspected.commit);
            (commit, walk.board.path(suspected.path), suspected.entry)
        };
        let (commit, path, _) = place(suspect);
        check_flow(self.sink.revision(&FileRevision {
            commit,
            time: header.time,
            path,
            entry,
            is_merge: walk.caches.commits.parents(header).len() > 1,
            added,
            removed,
            previous: previous.map(|parent| {
                let (commit, path, entry) = place(parent);
                PreviousRevision {
                    commit,
                    path,
                    entry,
                }
            }),
            children: &children,
        }))
    }

    /// The numbers of lines that were added and removed.
    fn count_changes(
        &mut self,
        suspect: SuspectId,
        parent: SuspectId,
    ) -> Result<(u32, u32), Interrupt> {
        let mut hunks = std::mem::take(&mut self.walk.buffers.hunks);
        hunks.clear();
        self.walk.stats.patches += 1;
        self.walk.compare(suspect, parent, &mut hunks)?;
        let added = hunks.iter().map(|hunk| hunk.new.end - hunk.new.start);
        let removed = hunks.iter().map(|hunk| hunk.old.end - hunk.old.start);
        let counts = (added.sum(), removed.sum());
        self.walk.buffers.hunks = hunks;
        Ok(counts)
    }

    /// Adds versions that were made from a suspect, and queues its commit.
    fn add(&mut self, to: SuspectId, children: &[PendingEntry]) -> Result<(), Interrupt> {
        let board = &mut self.walk.board;
        let commit = board.get(to).commit;
        let is_queued = board.next_suspect(commit).is_some();
        let pending = &mut board.get_mut(to).pending;
        pending.extend_from_slice(children);
        pending.sort_unstable_by_key(|child| (child.source, child.len, child.start));
        pending.dedup_by_key(|child| (child.source, child.len));
        if is_queued {
            return Ok(());
        }
        let sink = &mut *self.sink;
        let progress = &mut |frontier| sink.progress(frontier);
        self.order.enqueue(commit, &mut self.walk, progress)
    }
}

/// Whether two versions at the same path are the same to git, which knows two modes of regular files.
fn is_same(one: TreeEntry, other: TreeEntry) -> bool {
    let is_executable = |entry: TreeEntry| entry.is_regular() && entry.mode & 0o100 != 0;
    one.id == other.id
        && one.file_type() == other.file_type()
        && is_executable(one) == is_executable(other)
}

/// The newest version, of which no other was made.
fn newest() -> PendingEntry {
    PendingEntry {
        len: 0,
        ..made_from(0, true)
    }
}

/// The version of a number as one that was made from a suspect. `start` is another number unless the suspect is its
/// previous version.
fn made_from(number: u32, is_of_previous: bool) -> PendingEntry {
    PendingEntry {
        start: number + u32::from(!is_of_previous),
        len: 1,
        source: number,
        ignored: false,
        unblamable: false,
    }
}
