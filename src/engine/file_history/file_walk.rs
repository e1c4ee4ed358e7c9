//! The walk that follows a file.

use smallvec::SmallVec;

use crate::{
    engine::{
        api::{
            error::Error, file_history::ChildRevision, line_history::HistoryEnd, profile::Profile,
            request::CommitOrder,
        },
        board::{scoreboard::SuspectId, split::PendingEntry},
        file_history::version_visitor::{FoundVersion, VersionVisitor},
        history::commits::{CommitIndex, InternedHeader},
        walk::{
            children_first::ChildrenFirst,
            parents::ParentFile,
            state::{Interrupt, Walk, check_flow},
        },
    },
    objects::TreeEntry,
};

/// Follows a file. The pending entries of a suspect are the versions that were made from it; their lines are not used.
pub(crate) struct FileWalk<'a, V> {
    walk: Walk<'a>,
    visitor: V,
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

impl<'a, V: VersionVisitor> FileWalk<'a, V> {
    pub(crate) fn new(walk: Walk<'a>, visitor: V) -> Self {
        FileWalk {
            walk,
            visitor,
            order: ChildrenFirst::new(CommitOrder::Chronological),
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
        self.visitor.begin(&self.walk, suspect);
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
        self.walk.count_visit(commit)?;
        check_flow(self.visitor.progress(header.time))?;
        self.order.frontier = header.time;
        let is_limit = self.walk.is_beyond_boundary(commit, &header);
        self.is_limited |= is_limit;
        for suspect in suspects {
            if is_limit {
                self.visitor.limit(&mut self.walk, suspect)?;
            } else {
                match self.find_in_parents(suspect, &header)? {
                    InParents::Reused(parent) => return Ok(Some(parent)),
                    InParents::Same(parent) => {
                        self.visitor.same_in_parent(suspect, parent);
                        let children = self.walk.board.get(suspect).pending.clone();
                        self.add(parent, &children)?;
                    }
                    InParents::Different(parents) => {
                        self.walk.stats.commits += 1;
                        let found = FoundVersion {
                            suspect,
                            header: &header,
                            parents: &parents,
                        };
                        self.visitor.version(&mut self.walk, &found)?;
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
        let visitor = &mut self.visitor;
        let progress = &mut |frontier| visitor.progress(frontier);
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

/// The versions that were made from a suspect.
pub(crate) fn versions_made_from<'w>(
    walk: &'w Walk<'_>,
    suspect: SuspectId,
) -> impl Iterator<Item = ChildRevision> + 'w {
    let children = walk.board.get(suspect).pending.iter();
    let children = children.filter(|child| child.len > 0);
    children.map(|child| ChildRevision {
        number: child.source,
        is_of_previous: child.start == child.source,
    })
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
