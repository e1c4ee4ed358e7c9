//! Interned commits, with their dates, parents and trees.

use std::{collections::HashMap, sync::Arc};

use hashbrown::{HashTable, hash_table::Entry};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::objects::{self, CommitHead, CommitTable, GraphPosition, ObjectId, Reader, Store, oid};

/// Index of a commit in [`Commits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CommitIndex(pub(crate) u32);

impl CommitIndex {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The element of `commit` in a list indexed by commit, which grows on demand.
pub(crate) fn slot<T: Default + Clone>(list: &mut Vec<T>, commit: CommitIndex) -> &mut T {
    if list.len() <= commit.index() {
        if list.is_empty() {
            list.reserve(INITIAL_CAPACITY);
        }
        list.resize(commit.index() + 1, T::default());
    }
    &mut list[commit.index()]
}

/// The parents of a commit.
pub(crate) type ParentIndexes = SmallVec<[CommitIndex; 2]>;

/// A commit's header as the walk needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InternedHeader {
    tree: RootTree,
    pub(crate) time: i64,
    /// The parents; or the start and end of their range in [`Commits::parents`].
    parents: [CommitIndex; 2],
    /// The number of parents, or [`IN_LIST`].
    count: u32,
}

/// The parents are a range of [`Commits::parents`].
const IN_LIST: u32 = u32::MAX;

/// The root tree. For most commits in the commit-graph the filters suffice and it is never needed.
#[derive(Debug, Clone, Copy)]
enum RootTree {
    /// Index in [`Commits::trees`].
    Read(u32),
    InGraph(GraphPosition),
}

impl InternedHeader {
    /// The commit's position in the commit-graph, if it was read from there.
    pub(crate) fn graph_position(&self) -> Option<GraphPosition> {
        match self.tree {
            RootTree::Read(_) => None,
            RootTree::InGraph(at) => Some(at),
        }
    }
}

/// Identifies a commit across threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CommitKey {
    InGraph(GraphPosition),
    /// A commit that is not in the commit-graph.
    Id(ObjectId),
}

impl CommitKey {
    pub(crate) fn new(id: ObjectId, store: &Store) -> CommitKey {
        match store.graph_position(&id) {
            Some(at) => CommitKey::InGraph(at),
            None => CommitKey::Id(id),
        }
    }
}

/// Replacement parents by commit.
pub(crate) type SharedGrafts = Arc<HashMap<ObjectId, Vec<ObjectId>>>;

/// Initial capacity of lists indexed by commit. Unused capacity is never touched and costs nothing;
/// growing moves the list into fresh memory, which is what costs.
const INITIAL_CAPACITY: usize = 1 << 17;

/// All commits interned so far, kept from one blame to the next.
///
/// A commit in the commit-graph has its position there as index, and nothing of it is copied: the
/// graph is quick to read again, and touching fresh memory is expensive. Other commits follow.
#[derive(Debug)]
pub(crate) struct Commits {
    store: Arc<Store>,
    /// The number of commits in the commit-graph; 0 with grafts, which disable it.
    in_graph: u32,
    /// By index less `in_graph`.
    ids: Vec<ObjectId>,
    /// By index less `in_graph`.
    headers: Vec<Option<InternedHeader>>,
    trees: Vec<ObjectId>,
    /// Indexes in `ids`.
    by_id: HashTable<u32>,
    parents: Vec<CommitIndex>,
    /// Commits of the commit-graph with more than two parents or damaged records.
    irregular: FxHashMap<CommitIndex, InternedHeader>,
    grafts: SharedGrafts,
}

impl Commits {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Commits {
            in_graph: store.graph_len(),
            store,
            ids: Vec::new(),
            headers: Vec::new(),
            trees: Vec::new(),
            by_id: HashTable::new(),
            parents: Vec::new(),
            irregular: FxHashMap::default(),
            grafts: SharedGrafts::default(),
        }
    }

    /// Switches to these grafts and drops what was read under others. Returns whether they are
    /// others.
    pub(crate) fn set_grafts(&mut self, grafts: &SharedGrafts) -> bool {
        if *self.grafts == **grafts {
            return false;
        }
        *self = Commits::new(Arc::clone(&self.store));
        self.grafts = Arc::clone(grafts);
        if !grafts.is_empty() {
            self.in_graph = 0;
        }
        true
    }

    /// The index of `id`, which need not exist as an object.
    pub(crate) fn intern(&mut self, id: ObjectId) -> CommitIndex {
        if let Some(commit) = self.in_graph(&id) {
            return commit;
        }
        let Commits { ids, by_id, .. } = self;
        let is_same = |index: &u32| ids[*index as usize] == id;
        let hash = |index: &u32| hash_prefix(&ids[*index as usize]);
        let at = match by_id.entry(hash_prefix(&id), is_same, hash) {
            Entry::Occupied(index) => *index.get(),
            Entry::Vacant(position) => {
                let at = ids.len() as u32;
                position.insert(at);
                if ids.is_empty() {
                    ids.reserve(INITIAL_CAPACITY);
                    self.headers.reserve(INITIAL_CAPACITY);
                    self.trees.reserve(INITIAL_CAPACITY);
                }
                ids.push(id);
                self.headers.push(None);
                at
            }
        };
        CommitIndex(self.in_graph + at)
    }

    /// The index of `id` if it is in the commit-graph.
    pub(crate) fn in_graph(&self, id: &oid) -> Option<CommitIndex> {
        let is_used = self.in_graph > 0;
        let at = is_used.then(|| self.store.graph_position(id))??;
        Some(CommitIndex(at.0))
    }

    /// The commit's position in the commit-graph, or its index among the others.
    fn position(&self, commit: CommitIndex) -> Result<GraphPosition, usize> {
        match commit.0.checked_sub(self.in_graph) {
            None => Ok(GraphPosition(commit.0)),
            Some(at) => Err(at as usize),
        }
    }

    pub(crate) fn id(&self, commit: CommitIndex) -> ObjectId {
        match self.position(commit) {
            Ok(at) => self.store.graph_id(at),
            Err(at) => self.ids[at],
        }
    }

    /// The commit's key for the prefetch thread, which does not run with grafts.
    pub(crate) fn key(&self, commit: CommitIndex) -> CommitKey {
        match self.position(commit) {
            Ok(at) => CommitKey::InGraph(at),
            Err(at) => CommitKey::Id(self.ids[at]),
        }
    }

    /// True if the commit is in the commit-graph, where reading it is nearly free.
    pub(crate) fn is_in_graph(&self, commit: CommitIndex) -> bool {
        self.position(commit).is_ok()
    }

    /// The commit's level, by the commit-graph: higher than those of its ancestors, which all have
    /// one. `None` if it is not known.
    #[inline]
    pub(crate) fn level(&self, commit: CommitIndex) -> Option<u32> {
        self.store.graph_level(self.position(commit).ok()?)
    }

    /// True if the commit's level is known to be below `floor`.
    #[inline]
    pub(crate) fn is_below(&self, commit: CommitIndex, floor: u32) -> bool {
        self.level(commit).is_some_and(|level| level < floor)
    }

    /// The level below which no commit contains this one, as far as it is known.
    pub(crate) fn floor(&self, commit: CommitIndex) -> u32 {
        let is_in_graph = self.is_in_graph(commit);
        // A commit-graph has all ancestors of its commits, at least those with a level.
        self.level(commit)
            .unwrap_or(if is_in_graph { 0 } else { u32::MAX })
    }

    /// The commit's header, read on first use.
    pub(crate) fn header(
        &mut self,
        commit: CommitIndex,
        reader: &mut Reader,
    ) -> Result<InternedHeader, objects::Error> {
        self.header_by(commit, reader, Reader::commit_head)
    }

    /// [`Commits::header`] where the commit's tree is not read next.
    pub(crate) fn header_without_tree(
        &mut self,
        commit: CommitIndex,
        reader: &mut Reader,
    ) -> Result<InternedHeader, objects::Error> {
        self.header_by(commit, reader, Reader::commit_head_only)
    }

    /// The commit's header, on first use by `read`.
    pub(crate) fn header_by(
        &mut self,
        commit: CommitIndex,
        reader: &mut Reader,
        read: impl Fn(&mut Reader, &oid) -> Result<CommitHead, objects::Error>,
    ) -> Result<InternedHeader, objects::Error> {
        if let Some(header) = self.cached_header(commit) {
            return Ok(header);
        }
        if let Ok(at) = self.position(commit)
            && let Some((time, positions)) = reader.graph_edges(at)?
        {
            let start = self.parents.len() as u32;
            self.parents
                .extend(positions.iter().map(|&at| CommitIndex(at)));
            return Ok(self.record(commit, RootTree::InGraph(at), time, start));
        }
        let stored = read(reader, &self.id(commit))?;
        Ok(self.insert_header(commit, &stored))
    }

    /// Records a header that was read.
    pub(crate) fn insert_header(
        &mut self,
        commit: CommitIndex,
        stored: &CommitHead,
    ) -> InternedHeader {
        if self.grafts.is_empty() {
            return self.set_header(commit, stored.tree, stored.time, &stored.parents);
        }
        let grafts = Arc::clone(&self.grafts);
        let parents = grafts
            .get(&self.id(commit))
            .map_or(stored.parents.as_slice(), Vec::as_slice);
        self.set_header(commit, stored.tree, stored.time, parents)
    }

    /// Records a header that was read, unless the commit has one, and returns the commit's index.
    pub(crate) fn insert_new_header(&mut self, id: ObjectId, stored: &CommitHead) -> CommitIndex {
        let commit = self.intern(id);
        if self.cached_header(commit).is_none() {
            self.insert_header(commit, stored);
        }
        commit
    }

    /// Records a commit's tree, date and parents.
    pub(crate) fn set_header(
        &mut self,
        commit: CommitIndex,
        tree: ObjectId,
        time: i64,
        parents: &[ObjectId],
    ) -> InternedHeader {
        let start = self.parents.len() as u32;
        for parent in parents {
            let parent = self.intern(*parent);
            self.parents.push(parent);
        }
        let at = self.trees.len() as u32;
        self.trees.push(tree);
        self.record(commit, RootTree::Read(at), time, start)
    }

    /// Records a commit whose parents are the last of `self.parents`, from `start` on.
    fn record(
        &mut self,
        commit: CommitIndex,
        tree: RootTree,
        time: i64,
        start: u32,
    ) -> InternedHeader {
        let end = self.parents.len() as u32;
        // Made twice: a copy of what was just written, field by field, would wait for it.
        let header = || InternedHeader {
            tree,
            time,
            parents: [start, end].map(CommitIndex),
            count: IN_LIST,
        };
        match self.position(commit) {
            Ok(_) => drop(self.irregular.insert(commit, header())),
            Err(at) => self.headers[at] = Some(header()),
        }
        header()
    }

    /// The number of commits that have an index.
    pub(crate) fn count(&self) -> usize {
        self.in_graph as usize + self.ids.len()
    }

    /// The number of commits that were read from their objects. 0 with grafts: they are not as
    /// stored.
    pub(crate) fn count_read(&self) -> usize {
        if self.grafts.is_empty() {
            self.headers.iter().flatten().count() + self.irregular.len()
        } else {
            0
        }
    }

    /// The ids of the commits that were read, without those of the commit-graph.
    pub(crate) fn read_ids(&self) -> impl Iterator<Item = &ObjectId> {
        let read = self.ids.iter().zip(&self.headers);
        read.filter_map(|(id, header)| header.is_some().then_some(id))
    }

    /// The commits that were read from their objects, without those of the commit-graph. None with
    /// grafts: they are not as stored.
    pub(crate) fn read_heads(&self) -> Vec<(ObjectId, CommitHead)> {
        let heads = self.ids.iter().enumerate();
        let heads = heads.filter_map(|(at, id)| Some((*id, self.read_head_at(at)?)));
        heads.collect()
    }

    /// A commit that was read from its object. `None` for others, and with grafts.
    pub(crate) fn read_head(&self, id: &ObjectId) -> Option<CommitHead> {
        let is_same = |index: &u32| self.ids[*index as usize] == *id;
        let found = self.by_id.find(hash_prefix(id), is_same)?;
        self.read_head_at(*found as usize)
    }

    /// The commit at `at` among those that are not in the commit-graph, as
    /// [`read_head`](Self::read_head).
    fn read_head_at(&self, at: usize) -> Option<CommitHead> {
        let at = self.in_graph as usize + at;
        let (header, tree) = self.read_header(at).filter(|_| self.grafts.is_empty())?;
        let parents = self.parents(header).iter();
        Some(CommitHead {
            tree,
            parents: parents.map(|&parent| self.id(parent)).collect(),
            time: header.time,
            graph: None,
        })
    }

    /// The header of a commit that was read from its object, and its root tree.
    fn read_header(&self, at: usize) -> Option<(&InternedHeader, ObjectId)> {
        let header = match at.checked_sub(self.in_graph as usize) {
            None => self.irregular.get(&CommitIndex(at as u32)),
            Some(at) => self.headers[at].as_ref(),
        }?;
        match header.tree {
            RootTree::Read(tree) => Some((header, self.trees[tree as usize])),
            RootTree::InGraph(_) => None,
        }
    }

    /// The remembered history, if it has a commit of this index.
    fn remembered(&self, at: usize) -> Option<&impl CommitTable> {
        let is_there = at < self.in_graph as usize;
        self.store.remembered().filter(|_| is_there)
    }

    /// The root tree of the commit with this header.
    pub(crate) fn tree(&self, header: &InternedHeader) -> ObjectId {
        match header.tree {
            RootTree::Read(at) => self.trees[at as usize],
            RootTree::InGraph(at) => self.store.graph_tree(at),
        }
    }

    /// The parents of the commit with this header.
    pub(crate) fn parents<'a>(&'a self, header: &'a InternedHeader) -> &'a [CommitIndex] {
        match header.count {
            IN_LIST => &self.parents[header.parents[0].index()..header.parents[1].index()],
            count => &header.parents[..count as usize],
        }
    }

    /// The parents that a walk follows: all, or with `first_parent` the first.
    pub(crate) fn followed_parents(
        &self,
        header: &InternedHeader,
        first_parent: bool,
    ) -> ParentIndexes {
        let mut parents = ParentIndexes::from_slice(self.parents(header));
        if first_parent {
            parents.truncate(1);
        }
        parents
    }

    /// [`followed_parents`](Self::followed_parents) of a commit; none if its header was not read.
    pub(crate) fn known_parents(&self, commit: CommitIndex, first_parent: bool) -> ParentIndexes {
        let header = self.cached_header(commit);
        header.map_or_else(ParentIndexes::new, |header| {
            self.followed_parents(&header, first_parent)
        })
    }

    /// The header, if it was read before or is in the commit-graph.
    #[inline]
    pub(crate) fn cached_header(&self, commit: CommitIndex) -> Option<InternedHeader> {
        let at = match self.position(commit) {
            Ok(at) => at,
            Err(at) => return self.headers[at],
        };
        let Some(edges) = self.store.graph_edges(at) else {
            return self.irregular.get(&commit).copied();
        };
        Some(InternedHeader {
            tree: RootTree::InGraph(at),
            time: edges.time,
            parents: edges.parents.map(CommitIndex),
            count: edges.count,
        })
    }
}

/// The commits of the remembered history, and all that were read from their objects.
impl CommitTable for Commits {
    fn count(&self) -> usize {
        Commits::count(self)
    }

    fn id(&self, at: usize) -> ObjectId {
        Commits::id(self, CommitIndex(at as u32))
    }

    fn parent_count(&self, at: usize) -> usize {
        match self.read_header(at) {
            Some((header, _)) => self.parents(header).len(),
            None => self.remembered(at).map_or(0, |it| it.parent_count(at)),
        }
    }

    fn record(&self, at: usize, parents: &mut Vec<u32>) -> Option<(ObjectId, i64)> {
        parents.clear();
        match self.read_header(at) {
            Some((header, tree)) => {
                parents.extend(self.parents(header).iter().map(|parent| parent.0));
                Some((tree, header.time))
            }
            None => self.remembered(at)?.record(at, parents),
        }
    }
}

/// Ids are hashes themselves. Crafted collisions cost time, not correctness.
pub(crate) fn hash_prefix(id: &oid) -> u64 {
    let bytes = id.as_bytes().first_chunk();
    u64::from_ne_bytes(*bytes.expect("an id has at least 20 bytes"))
}
