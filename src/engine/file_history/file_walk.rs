//! The walk that follows a file.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    engine::{
        api::{
            error::Error, file_history::ChildRevision, line_history::HistoryEnd,
            request::CommitOrder,
        },
        board::{
            scoreboard::{PathIndex, SuspectId},
            split::PendingEntry,
        },
        file_history::version_visitor::{FoundVersion, VersionVisitor},
        history::commits::{CommitIndex, InternedHeader},
        walk::{
            children_first::ChildrenFirst,
            parents::ParentFile,
            state::{Interrupt, Walk, check_flow},
        },
    },
    sorting,
};

/// Follows a file.
pub(crate) struct FileWalk<'a, V> {
    walk: Walk<'a>,
    visitor: V,
    /// The versions that were made from the suspects that are still to be visited, in order.
    children: FxHashMap<SuspectId, Vec<ChildRevision>>,
    order: ChildrenFirst,
    /// The files that were visited while the order may have been wrong.
    visited: FxHashSet<(CommitIndex, PathIndex)>,
    is_limited: bool,
    /// The number of versions found.
    found: u32,
}

/// A suspect's file in the parents.
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
        let order = ChildrenFirst::new(CommitOrder::Chronological);
        FileWalk::in_order(order, walk, visitor)
    }

    /// A walk that reads no more commits than it has to. It is stopped, as if by the visitor, where
    /// more would have to be read to know the order.
    pub(crate) fn nearby(walk: Walk<'a>, visitor: V) -> Self {
        FileWalk::in_order(ChildrenFirst::nearby(), walk, visitor)
    }

    fn in_order(order: ChildrenFirst, walk: Walk<'a>, visitor: V) -> Self {
        FileWalk {
            walk,
            visitor,
            children: FxHashMap::default(),
            order,
            visited: FxHashSet::default(),
            is_limited: false,
            found: 0,
        }
    }

    /// Follows the requested file to where it was added.
    pub(crate) fn run(mut self) -> Result<HistoryEnd, Error> {
        let followed = self.follow();
        self.walk.end_history(followed, self.is_limited)
    }

    fn follow(&mut self) -> Result<(), Interrupt> {
        let (suspect, contents) = self.walk.final_image()?;
        self.walk.begin(suspect, &contents)?;
        self.visitor.begin(&self.walk, suspect);
        self.add(suspect, Vec::new())?;
        while let Some(commit) = self.walk.queue.pop() {
            let mut next = Some(commit);
            while let Some(commit) = next {
                let found = self.found;
                next = self.visit(commit)?;
                if self.found > found && self.visitor.is_done() {
                    return Ok(());
                }
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
            if self.order.may_be_wrong() {
                let path = self.walk.board.get(suspect).path;
                self.visited.insert((commit, path));
            }
            let children = self.children.remove(&suspect);
            if is_limit {
                self.visitor.limit(&mut self.walk, suspect)?;
            } else {
                match self.find_in_parents(suspect, &header)? {
                    InParents::Reused(parent) => {
                        self.children.extend(children.map(|it| (suspect, it)));
                        return Ok(Some(parent));
                    }
                    InParents::Same(parent) => {
                        self.visitor.same_in_parent(suspect, parent);
                        self.add(parent, children.unwrap_or_default())?;
                    }
                    InParents::Different(parents) => {
                        self.walk.stats.commits += 1;
                        let found = FoundVersion {
                            suspect,
                            header: &header,
                            parents: &parents,
                            children: &children.unwrap_or_default(),
                        };
                        self.visitor.version(&mut self.walk, &found)?;
                        for (nth, parent) in parents.into_iter().enumerate() {
                            let this = ChildRevision {
                                number: self.found,
                                is_of_previous: nth == 0,
                            };
                            self.add(parent, vec![this])?;
                        }
                        self.found += 1;
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
                ParentFile::At(other) if self.walk.board.get(other).entry.is_same(&entry) => {
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
    fn add(&mut self, to: SuspectId, mut children: Vec<ChildRevision>) -> Result<(), Interrupt> {
        let known = self.children.entry(to).or_default();
        known.append(&mut children);
        sorting::sort_by_key(known, |child| (child.number, !child.is_of_previous));
        known.dedup_by_key(|child| child.number);
        let board = &mut self.walk.board;
        let (commit, path) = (board.get(to).commit, board.get(to).path);
        if self.visited.contains(&(commit, path)) {
            return Err(Interrupt::Stopped);
        }
        let is_queued = board.next_suspect(commit).is_some();
        // The walk visits suspects with pending lines; which lines those are does not matter here.
        board.get_mut(to).pending = vec![PendingEntry::of_lines(&(0..1))];
        if is_queued {
            return Ok(());
        }
        let visitor = &mut self.visitor;
        let progress = &mut |frontier| visitor.progress(frontier);
        self.order.enqueue(commit, &mut self.walk, progress)
    }
}
