//! The scoreboard: suspects with their pending entries, and the entries decided so far.

use std::{collections::HashMap, num::NonZeroU32, sync::Arc};

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::blame::{Entry, Origin, OriginId},
        board::split::{self, PendingEntry},
        history::commits::{CommitIndex, slot},
    },
    objects::{ObjectId, PathChain, TreeEntry},
};

/// Index of a suspect, from 1 on. Only suspects that are reported get a public [`OriginId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SuspectId(NonZeroU32);

impl SuspectId {
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Index of an interned path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PathIndex(u32);

impl PathIndex {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A file in a commit, with the lines it is suspected of.
#[derive(Debug)]
pub(crate) struct Suspect {
    pub(crate) commit: CommitIndex,
    pub(crate) path: PathIndex,
    pub(crate) entry: TreeEntry,
    /// The trees along the path, of this commit or of one with the identical file.
    pub(crate) chain: Option<Arc<PathChain>>,
    pub(crate) previous: Option<SuspectId>,
    /// Sorted by original line; entries may overlap.
    pub(crate) pending: Vec<PendingEntry>,
    /// True if git would have the text in memory now; decides what counts as a read.
    pub(crate) loaded: bool,
    /// While the text is loaded, it is that of the uncommitted contents. The stored blob may have
    /// another text, as it may be replaced.
    pub(crate) holds_image: bool,
    /// While the text is loaded, it is that of the same blob at this path, which may have another
    /// conversion.
    pub(crate) text_path: Option<PathIndex>,
    /// The number of entries that it is guilty of.
    guilty: u32,
    released: bool,
    /// The number of live suspects whose `previous` is this one.
    previous_of: u32,
    origin_id: Option<OriginId>,
    /// The next older suspect of the same commit.
    next_in_commit: Option<SuspectId>,
}

impl Suspect {
    /// git frees the text.
    pub(crate) fn free(&mut self) {
        (self.loaded, self.holds_image, self.text_path) = (false, false, None);
    }
}

/// The commit is a boundary.
const UNINTERESTING: u8 = 1;
/// This blame has read the commit; its header may also be cached from an earlier blame.
const READ: u8 = 2;
/// The commit has or had suspects.
const SUSPECTED: u8 = 4;

/// All suspects and decided entries of one blame.
#[derive(Debug, Default)]
pub(crate) struct Scoreboard {
    suspects: Vec<Suspect>,
    /// Released indexes of `suspects`, reused first: most commits leave a file alone, so their
    /// suspects are soon released.
    free: Vec<SuspectId>,
    /// By commit: the most recently made suspect.
    first_in_commit: Vec<Option<SuspectId>>,
    /// By commit: the bits [`UNINTERESTING`], [`READ`] and [`SUSPECTED`].
    marks: Vec<u8>,
    paths: Vec<Arc<BString>>,
    path_numbers: HashMap<Arc<BString>, PathIndex>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) guilty: Vec<Entry>,
    /// Once there are origins of a cached blame: all origins, so that none gets two ids.
    origin_ids: Option<FxHashMap<(ObjectId, Arc<BString>), OriginId>>,
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

    /// The index of a path, if it is interned.
    pub(crate) fn find_path_index(&self, path: &BString) -> Option<PathIndex> {
        self.path_numbers.get(path).copied()
    }

    /// All interned paths.
    pub(crate) fn paths(&self) -> &[Arc<BString>] {
        &self.paths
    }

    pub(crate) fn path(&self, path: PathIndex) -> &Arc<BString> {
        &self.paths[path.index()]
    }

    pub(crate) fn get(&self, suspect: SuspectId) -> &Suspect {
        &self.suspects[suspect.index()]
    }

    pub(crate) fn get_mut(&mut self, suspect: SuspectId) -> &mut Suspect {
        &mut self.suspects[suspect.index()]
    }

    fn is_marked(&self, commit: CommitIndex, mark: u8) -> bool {
        self.marks
            .get(commit.index())
            .is_some_and(|marks| marks & mark != 0)
    }

    /// Sets a mark; returns whether it was not set before.
    fn mark(&mut self, commit: CommitIndex, mark: u8) -> bool {
        let marks = slot(&mut self.marks, commit);
        let is_new = *marks & mark == 0;
        *marks |= mark;
        is_new
    }

    pub(crate) fn is_uninteresting(&self, commit: CommitIndex) -> bool {
        self.is_marked(commit, UNINTERESTING)
    }

    /// Marks a commit as a boundary; returns whether it was not one before.
    pub(crate) fn mark_uninteresting(&mut self, commit: CommitIndex) -> bool {
        self.mark(commit, UNINTERESTING)
    }

    /// Marks a commit as read by this blame; returns whether it was not before.
    pub(crate) fn mark_read(&mut self, commit: CommitIndex) -> bool {
        self.mark(commit, READ)
    }

    pub(crate) fn is_read(&self, commit: CommitIndex) -> bool {
        self.is_marked(commit, READ)
    }

    /// The suspects of a commit, most recently made first.
    fn suspects_of(&self, commit: CommitIndex) -> impl Iterator<Item = SuspectId> + '_ {
        let first_in_commit = self.first_in_commit.get(commit.index()).copied().flatten();
        std::iter::successors(first_in_commit, |&suspect| self.get(suspect).next_in_commit)
    }

    /// The suspect for `path` in `commit`, if it is live.
    pub(crate) fn find(&self, commit: CommitIndex, path: PathIndex) -> Option<SuspectId> {
        self.find_linked(commit, path)
            .filter(|&found| self.is_live(found))
    }

    fn find_linked(&self, commit: CommitIndex, path: PathIndex) -> Option<SuspectId> {
        self.suspects_of(commit)
            .find(|&suspect| self.get(suspect).path == path)
    }

    /// The suspect for `path` in `commit`, made on demand and moved to the front of its commit's
    /// list.
    pub(crate) fn make(
        &mut self,
        commit: CommitIndex,
        path: PathIndex,
        entry: TreeEntry,
        chain: Option<Arc<PathChain>>,
    ) -> SuspectId {
        let suspect = match self.find_linked(commit, path) {
            Some(suspect) => suspect,
            None => self.insert(Suspect {
                commit,
                path,
                entry,
                chain,
                previous: None,
                pending: Vec::new(),
                loaded: false,
                holds_image: false,
                text_path: None,
                guilty: 0,
                released: false,
                previous_of: 0,
                origin_id: None,
                next_in_commit: None,
            }),
        };
        self.unlink(suspect);
        self.link(suspect);
        suspect
    }

    /// Pushes a suspect to the front of its commit's list.
    fn link(&mut self, suspect: SuspectId) {
        self.mark(self.get(suspect).commit, SUSPECTED);
        let first_in_commit = slot(
            &mut self.first_in_commit,
            self.suspects[suspect.index()].commit,
        );
        self.suspects[suspect.index()].next_in_commit = first_in_commit.replace(suspect);
    }

    /// Removes a suspect from its commit's list, if it is there.
    fn unlink(&mut self, suspect: SuspectId) {
        let next = self.get(suspect).next_in_commit;
        let first_in_commit = slot(
            &mut self.first_in_commit,
            self.suspects[suspect.index()].commit,
        );
        if *first_in_commit == Some(suspect) {
            *first_in_commit = next;
            return;
        }
        let mut at = *first_in_commit;
        while let Some(other) = at {
            at = self.get(other).next_in_commit;
            if at == Some(suspect) {
                self.get_mut(other).next_in_commit = next;
            }
        }
    }

    /// Reuses `suspect` for the same file in another commit, if that has no suspects yet, `suspect`
    /// is its commit's only one, and nothing refers to it. Returns whether it did.
    pub(crate) fn reuse_for_parent(
        &mut self,
        suspect: SuspectId,
        to: CommitIndex,
        entry: TreeEntry,
        chain: Option<&Arc<PathChain>>,
    ) -> bool {
        let suspected = self.get(suspect);
        let from = suspected.commit;
        let is_alone = suspected.next_in_commit.is_none()
            && self.first_in_commit[from.index()] == Some(suspect)
            && self.suspects_of(to).next().is_none();
        let is_bare = suspected.guilty == 0
            && suspected.previous_of == 0
            && suspected.previous.is_none()
            && suspected.origin_id.is_none();
        if !(is_alone && is_bare) {
            return false;
        }
        self.get_mut(suspect).entry = entry;
        self.move_to(suspect, to, chain.cloned());
        true
    }

    /// True if a commit has or had suspects.
    pub(crate) fn had_suspects(&self, commit: CommitIndex) -> bool {
        self.is_marked(commit, SUSPECTED)
    }

    /// Moves `suspect`, the only one of its commit, to a commit without suspects that has the
    /// identical file. `chain` is the chain of that commit's trees, or of one with the identical
    /// file.
    pub(crate) fn move_to(
        &mut self,
        suspect: SuspectId,
        to: CommitIndex,
        chain: Option<Arc<PathChain>>,
    ) {
        let from = self.get(suspect).commit;
        self.first_in_commit[from.index()] = None;
        *slot(&mut self.first_in_commit, to) = Some(suspect);
        self.mark(to, SUSPECTED);
        let suspected = self.get_mut(suspect);
        (suspected.commit, suspected.chain) = (to, chain);
    }

    fn insert(&mut self, suspected: Suspect) -> SuspectId {
        if let Some(suspect) = self.free.pop() {
            self.suspects[suspect.index()] = suspected;
            return suspect;
        }
        self.suspects.push(suspected);
        SuspectId(NonZeroU32::new(self.suspects.len() as u32).expect("one was just added"))
    }

    fn is_live(&self, suspect: SuspectId) -> bool {
        let suspected = self.get(suspect);
        !suspected.pending.is_empty() || suspected.guilty > 0 || suspected.previous_of > 0
    }

    /// Frees a suspect that nothing refers to, as git does. A suspect made again counts as new,
    /// which decides the order in which a commit's suspects are visited.
    pub(crate) fn release(&mut self, suspect: SuspectId) {
        let mut next = Some(suspect);
        while let Some(suspect) = next {
            if self.is_live(suspect) || self.get(suspect).released {
                break;
            }
            let suspected = self.get_mut(suspect);
            suspected.released = true;
            suspected.chain = None;
            next = suspected.previous.take();
            self.unlink(suspect);
            self.free.push(suspect);
            if let Some(previous) = next {
                self.get_mut(previous).previous_of -= 1;
            }
        }
    }

    /// Sets `previous`, unless it is set.
    pub(crate) fn set_previous(&mut self, suspect: SuspectId, previous: SuspectId) {
        if self.get(suspect).previous.is_none() {
            self.get_mut(suspect).previous = Some(previous);
            self.get_mut(previous).previous_of += 1;
        }
    }

    /// The commit's suspects with pending entries.
    pub(crate) fn pending_suspects(
        &self,
        commit: CommitIndex,
    ) -> impl Iterator<Item = SuspectId> + '_ {
        self.suspects_of(commit)
            .filter(|&suspect| !self.get(suspect).pending.is_empty())
    }

    /// The commit's first suspect with pending entries.
    pub(crate) fn next_suspect(&self, commit: CommitIndex) -> Option<SuspectId> {
        self.pending_suspects(commit).next()
    }

    /// Adds entries, sorted by original line. Returns whether the commit must be queued, because
    /// none of its suspects had pending entries.
    pub(crate) fn add_pending(&mut self, to: SuspectId, entries: &mut Vec<PendingEntry>) -> bool {
        let queue = self.next_suspect(self.get(to).commit).is_none();
        split::merge_entries(&mut self.get_mut(to).pending, entries);
        queue
    }

    /// The public id of a guilty suspect; its `previous` gets one too.
    pub(crate) fn publish_origin(
        &mut self,
        suspect: SuspectId,
        id_of: &dyn Fn(CommitIndex) -> ObjectId,
    ) -> OriginId {
        let origin = self.publish_suspect(suspect, id_of);
        if let Some(previous) = self.get(suspect).previous {
            let previous = self.publish_suspect(previous, id_of);
            self.origins[origin.0 as usize].previous = Some(previous);
        }
        origin
    }

    /// Completes `previous` of the public origins, which may be chains of origins guilty of
    /// nothing.
    pub(crate) fn publish_previous(&mut self, id_of: &dyn Fn(CommitIndex) -> ObjectId) {
        let all = (1..=self.suspects.len() as u32)
            .filter_map(NonZeroU32::new)
            .map(SuspectId);
        let mut todo: Vec<SuspectId> = all
            .filter(|&suspect| self.get(suspect).origin_id.is_some())
            .collect();
        while let Some(suspect) = todo.pop() {
            let (origin_id, previous) = (self.get(suspect).origin_id, self.get(suspect).previous);
            let (Some(origin), Some(previous)) = (origin_id, previous) else {
                continue;
            };
            if self.get(previous).origin_id.is_none() {
                todo.push(previous);
            }
            let previous = self.publish_suspect(previous, id_of);
            self.origins[origin.0 as usize].previous = Some(previous);
        }
    }

    fn publish_suspect(
        &mut self,
        suspect: SuspectId,
        id_of: &dyn Fn(CommitIndex) -> ObjectId,
    ) -> OriginId {
        let suspected = self.get(suspect);
        if let Some(origin) = suspected.origin_id {
            return origin;
        }
        let commit = id_of(suspected.commit);
        let path = Arc::clone(self.path(suspected.path));
        let origin = self.origin_id(commit, path);
        self.get_mut(suspect).origin_id = Some(origin);
        origin
    }

    /// A new origin, or that of a cached blame.
    fn origin_id(&mut self, commit: ObjectId, path: Arc<BString>) -> OriginId {
        let new = OriginId(self.origins.len() as u32);
        if let Some(ids) = &mut self.origin_ids {
            let id = *ids.entry((commit, Arc::clone(&path))).or_insert(new);
            if id != new {
                return id;
            }
        }
        self.origins.push(Origin {
            commit,
            path,
            previous: None,
        });
        new
    }

    /// Makes room for the origins and entries of a cached blame.
    pub(crate) fn reserve_cached(&mut self, origins: usize, entries: usize) {
        self.guilty.reserve(entries);
        self.origins.reserve(origins);
        if let Some(ids) = &mut self.origin_ids {
            ids.reserve(origins);
        }
    }

    /// The public id of an origin of a cached blame.
    pub(crate) fn publish_cached(
        &mut self,
        origin: &Origin,
        previous: Option<&Origin>,
    ) -> OriginId {
        if self.origin_ids.is_none() {
            let known = self.origins.iter().enumerate();
            let known = known.map(|(at, origin)| {
                let key = (origin.commit, Arc::clone(&origin.path));
                (key, OriginId(at as u32))
            });
            self.origin_ids = Some(known.collect());
        }
        let id = self.origin_id(origin.commit, Arc::clone(&origin.path));
        if let Some(previous) = previous {
            let previous = self.origin_id(previous.commit, Arc::clone(&previous.path));
            self.origins[id.0 as usize].previous.get_or_insert(previous);
        }
        id
    }

    /// Records that `suspect` is guilty of `entry`.
    pub(crate) fn push_guilty(&mut self, suspect: SuspectId, entry: Entry) {
        self.get_mut(suspect).guilty += 1;
        self.guilty.push(entry);
    }

    /// All commits marked as boundaries.
    pub(crate) fn boundaries(&self) -> impl Iterator<Item = CommitIndex> + '_ {
        let marked = self
            .marks
            .iter()
            .enumerate()
            .filter(|(_, marks)| *marks & UNINTERESTING != 0);
        marked.map(|(at, _)| CommitIndex(at as u32))
    }
}

/// Sorts by final line and joins entries that continue each other.
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
