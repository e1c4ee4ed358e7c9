//! The state of one blame: which origins are suspected of which lines, and who was found guilty.

use std::{collections::HashMap, num::NonZeroU32, sync::Arc};

use bstr::BString;

use crate::{
    engine::{
        api::blame::{Entry, Origin, OriginId},
        board::split::{self, Pending},
        history::commits::{CommitIndex, slot},
    },
    objects::{ObjectId, PathChain, TreeEntry},
};

/// An origin's number, from 1 on, while its lines are still looked for; guilty ones get an
/// [`OriginId`] too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Suspect(NonZeroU32);

impl Suspect {
    fn at(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A path's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PathIndex(u32);

/// A file in a commit.
#[derive(Debug)]
pub(crate) struct Suspected {
    pub(crate) commit: CommitIndex,
    pub(crate) path: PathIndex,
    pub(crate) entry: TreeEntry,
    /// The trees on the way to the file, of this commit or of one whose file is the same.
    pub(crate) chain: Option<Arc<PathChain>>,
    pub(crate) previous: Option<Suspect>,
    /// By source line; entries may overlap.
    pub(crate) pending: Vec<Pending>,
    /// git would hold the text in memory now: decides what counts as a read.
    pub(crate) loaded: bool,
    /// Somebody looks at a line of what is pending.
    pub(crate) seen: bool,
    guilty: u32,
    forgotten: bool,
    /// How many suspects that are being kept name this one as their `previous`.
    named: u32,
    published: Option<OriginId>,
    /// The origin of the same commit that was made before.
    next: Option<Suspect>,
}

/// A commit is a boundary.
const UNINTERESTING: u8 = 1;
/// This blame has read the commit (its caches may know more).
const READ: u8 = 2;

/// Everything a blame has found out so far.
#[derive(Debug, Default)]
pub(crate) struct Scoreboard {
    suspects: Vec<Suspected>,
    /// Places in `suspects` that nothing refers to any longer: most commits leave a file alone,
    /// and their origins live for two steps.
    free: Vec<Suspect>,
    /// Of each commit the origin made last.
    newest: Vec<Option<Suspect>>,
    /// What is known of each commit, in bits.
    marks: Vec<u8>,
    paths: Vec<Arc<BString>>,
    path_numbers: HashMap<Arc<BString>, PathIndex>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) guilty: Vec<Entry>,
}

impl Scoreboard {
    pub(crate) fn path_index(&mut self, path: &BString) -> PathIndex {
        if let Some(&index) = self.path_numbers.get(path) {
            return index;
        }
        let index = PathIndex(self.paths.len() as u32);
        let path = Arc::new(path.clone());
        self.paths.push(Arc::clone(&path));
        self.path_numbers.insert(path, index);
        index
    }

    /// The number of a path that was met before.
    pub(crate) fn known_path(&self, path: &BString) -> Option<PathIndex> {
        self.path_numbers.get(path).copied()
    }

    pub(crate) fn path(&self, path: PathIndex) -> &Arc<BString> {
        &self.paths[path.0 as usize]
    }

    pub(crate) fn get(&self, suspect: Suspect) -> &Suspected {
        &self.suspects[suspect.at()]
    }

    pub(crate) fn get_mut(&mut self, suspect: Suspect) -> &mut Suspected {
        &mut self.suspects[suspect.at()]
    }

    fn is_marked(&self, commit: CommitIndex, mark: u8) -> bool {
        self.marks
            .get(commit.at())
            .is_some_and(|marks| marks & mark != 0)
    }

    /// Says whether the commit was not marked so before.
    fn mark(&mut self, commit: CommitIndex, mark: u8) -> bool {
        let marks = slot(&mut self.marks, commit);
        let is_new = *marks & mark == 0;
        *marks |= mark;
        is_new
    }

    pub(crate) fn is_uninteresting(&self, commit: CommitIndex) -> bool {
        self.is_marked(commit, UNINTERESTING)
    }

    /// Marks a commit as a boundary; says whether it was not one before.
    pub(crate) fn mark_uninteresting(&mut self, commit: CommitIndex) -> bool {
        self.mark(commit, UNINTERESTING)
    }

    /// Notes that this blame has read the commit; says whether it had not before.
    pub(crate) fn mark_read(&mut self, commit: CommitIndex) -> bool {
        self.mark(commit, READ)
    }

    pub(crate) fn is_read(&self, commit: CommitIndex) -> bool {
        self.is_marked(commit, READ)
    }

    /// A commit's origins, the most recently made one first.
    fn of(&self, commit: CommitIndex) -> impl Iterator<Item = Suspect> + '_ {
        let newest = self.newest.get(commit.at()).copied().flatten();
        std::iter::successors(newest, |&suspect| self.get(suspect).next)
    }

    /// The origin of `path` in `commit`, if it is being kept.
    pub(crate) fn find(&self, commit: CommitIndex, path: PathIndex) -> Option<Suspect> {
        self.listed(commit, path)
            .filter(|&found| self.is_alive(found))
    }

    fn listed(&self, commit: CommitIndex, path: PathIndex) -> Option<Suspect> {
        self.of(commit)
            .find(|&suspect| self.get(suspect).path == path)
    }

    /// The origin of `path` in `commit`, made if need be, and put first among its commit's.
    pub(crate) fn make(
        &mut self,
        commit: CommitIndex,
        path: PathIndex,
        entry: TreeEntry,
        chain: Option<Arc<PathChain>>,
    ) -> Suspect {
        let suspect = match self.listed(commit, path) {
            Some(suspect) => suspect,
            None => self.add(Suspected {
                commit,
                path,
                entry,
                chain,
                previous: None,
                pending: Vec::new(),
                loaded: false,
                seen: false,
                guilty: 0,
                forgotten: false,
                named: 0,
                published: None,
                next: None,
            }),
        };
        self.unlist(suspect);
        self.list(suspect);
        suspect
    }

    /// Puts an origin first among its commit's.
    fn list(&mut self, suspect: Suspect) {
        let newest = slot(&mut self.newest, self.suspects[suspect.at()].commit);
        self.suspects[suspect.at()].next = newest.replace(suspect);
    }

    /// Takes an origin off its commit's list, if it is there.
    fn unlist(&mut self, suspect: Suspect) {
        let next = self.get(suspect).next;
        let newest = slot(&mut self.newest, self.suspects[suspect.at()].commit);
        if *newest == Some(suspect) {
            *newest = next;
            return;
        }
        let mut at = *newest;
        while let Some(other) = at {
            at = self.get(other).next;
            if at == Some(suspect) {
                self.get_mut(other).next = next;
            }
        }
    }

    /// Makes `suspect` the origin of the same file in another commit, which has no origins yet, if
    /// nobody would notice: it is its commit's only one, and nothing refers to it. Says whether it
    /// did.
    pub(crate) fn slide(
        &mut self,
        suspect: Suspect,
        to: CommitIndex,
        entry: TreeEntry,
        chain: Option<&Arc<PathChain>>,
    ) -> bool {
        let suspected = self.get(suspect);
        let from = suspected.commit;
        let is_alone = suspected.next.is_none()
            && self.newest[from.at()] == Some(suspect)
            && self.of(to).next().is_none();
        let is_bare = suspected.guilty == 0
            && suspected.named == 0
            && suspected.previous.is_none()
            && suspected.published.is_none();
        if !(is_alone && is_bare) {
            return false;
        }
        self.newest[from.at()] = None;
        *slot(&mut self.newest, to) = Some(suspect);
        let suspected = self.get_mut(suspect);
        suspected.commit = to;
        suspected.entry = entry;
        suspected.chain = chain.cloned();
        true
    }

    fn add(&mut self, suspected: Suspected) -> Suspect {
        if let Some(suspect) = self.free.pop() {
            self.suspects[suspect.at()] = suspected;
            return suspect;
        }
        self.suspects.push(suspected);
        Suspect(NonZeroU32::new(self.suspects.len() as u32).expect("one was just added"))
    }

    fn is_alive(&self, suspect: Suspect) -> bool {
        let suspected = self.get(suspect);
        !suspected.pending.is_empty() || suspected.guilty > 0 || suspected.named > 0
    }

    /// Forgets an origin that nothing refers to any longer, as git does: when it is met again it
    /// counts as new, which decides the order in which a commit's origins are looked at.
    pub(crate) fn release(&mut self, suspect: Suspect) {
        let mut next = Some(suspect);
        while let Some(suspect) = next {
            if self.is_alive(suspect) || self.get(suspect).forgotten {
                break;
            }
            let suspected = self.get_mut(suspect);
            suspected.forgotten = true;
            suspected.chain = None;
            next = suspected.previous.take();
            self.unlist(suspect);
            self.free.push(suspect);
            if let Some(previous) = next {
                self.get_mut(previous).named -= 1;
            }
        }
    }

    /// Notes the first parent's origin that has the file, once.
    pub(crate) fn name_previous(&mut self, suspect: Suspect, previous: Suspect) {
        if self.get(suspect).previous.is_none() {
            self.get_mut(suspect).previous = Some(previous);
            self.get_mut(previous).named += 1;
        }
    }

    /// The commit's first origin with something pending.
    pub(crate) fn next_suspect(&self, commit: CommitIndex) -> Option<Suspect> {
        self.of(commit)
            .find(|&suspect| !self.get(suspect).pending.is_empty())
    }

    /// Asks again whether somebody looks at what a commit's origins have pending.
    pub(crate) fn look_again(
        &mut self,
        commit: CommitIndex,
        sees: impl Fn(&[Pending]) -> bool,
    ) -> bool {
        let mut any = false;
        let mut next = self.of(commit).next();
        while let Some(suspect) = next {
            let suspected = self.get_mut(suspect);
            suspected.seen = sees(&suspected.pending);
            any |= suspected.seen;
            next = suspected.next;
        }
        any
    }

    /// Hands entries, sorted by source line, to an origin. Says whether its commit has to be put
    /// into the queue: it had nothing pending before.
    pub(crate) fn hand_over(&mut self, to: Suspect, entries: &mut Vec<Pending>) -> bool {
        let queue = self.next_suspect(self.get(to).commit).is_none();
        split::merge(&mut self.get_mut(to).pending, entries);
        queue
    }

    /// The public number of an origin that is guilty, and of the one it names as previous.
    pub(crate) fn publish(
        &mut self,
        suspect: Suspect,
        id_of: &dyn Fn(CommitIndex) -> ObjectId,
    ) -> OriginId {
        let origin = self.publish_one(suspect, id_of);
        if let Some(previous) = self.get(suspect).previous {
            let previous = self.publish_one(previous, id_of);
            self.origins[origin.0 as usize].previous = Some(previous);
        }
        origin
    }

    /// Completes the public origins: one that is not guilty itself may name a previous one too.
    pub(crate) fn publish_previous(&mut self, id_of: &dyn Fn(CommitIndex) -> ObjectId) {
        let all = (1..=self.suspects.len() as u32)
            .filter_map(NonZeroU32::new)
            .map(Suspect);
        let mut todo: Vec<Suspect> = all
            .filter(|&suspect| self.get(suspect).published.is_some())
            .collect();
        while let Some(suspect) = todo.pop() {
            let (published, previous) = (self.get(suspect).published, self.get(suspect).previous);
            let (Some(origin), Some(previous)) = (published, previous) else {
                continue;
            };
            if self.get(previous).published.is_none() {
                todo.push(previous);
            }
            let previous = self.publish_one(previous, id_of);
            self.origins[origin.0 as usize].previous = Some(previous);
        }
    }

    fn publish_one(
        &mut self,
        suspect: Suspect,
        id_of: &dyn Fn(CommitIndex) -> ObjectId,
    ) -> OriginId {
        let suspected = self.get(suspect);
        if let Some(origin) = suspected.published {
            return origin;
        }
        let origin = OriginId(self.origins.len() as u32);
        self.origins.push(Origin {
            commit: id_of(suspected.commit),
            path: Arc::clone(self.path(suspected.path)),
            previous: None,
        });
        self.get_mut(suspect).published = Some(origin);
        origin
    }

    /// Records that `suspect` is guilty of `entry`.
    pub(crate) fn convict(&mut self, suspect: Suspect, entry: Entry) {
        self.get_mut(suspect).guilty += 1;
        self.guilty.push(entry);
    }

    /// How many commits of `commits` are marked as boundaries.
    pub(crate) fn uninteresting(&self) -> impl Iterator<Item = CommitIndex> + '_ {
        let marked = self
            .marks
            .iter()
            .enumerate()
            .filter(|(_, marks)| *marks & UNINTERESTING != 0);
        marked.map(|(at, _)| CommitIndex(at as u32))
    }
}

/// Joins neighbours that continue each other, after sorting by final line.
pub(crate) fn coalesce(entries: &mut Vec<Entry>) {
    entries.sort_unstable_by_key(|entry| entry.lines.start);
    entries.dedup_by(|next, entry| {
        let continues = entry.origin == next.origin
            && entry.lines.end == next.lines.start
            && entry.source_start + (entry.lines.end - entry.lines.start) == next.source_start
            && entry.ignored == next.ignored
            && entry.unblamable == next.unblamable;
        if continues {
            entry.lines.end = next.lines.end;
        }
        continues
    });
}
