//! Commits by number, with what the walk needs of each.

use std::{collections::HashMap, sync::Arc};

use hashbrown::{HashTable, hash_table::Entry};
use smallvec::SmallVec;

use crate::objects::{self, CommitHead, GraphPosition, ObjectId, Reader, Store, oid};

/// A commit's number in [`Commits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CommitIndex(pub(super) u32);

impl CommitIndex {
    pub(super) fn at(self) -> usize {
        self.0 as usize
    }
}

/// The parents of a commit.
pub(super) type Parents = SmallVec<[CommitIndex; 2]>;

/// What the walk needs of a commit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    tree: RootTree,
    pub(super) time: i64,
    /// A range of [`Commits::parents`].
    parents: (u32, u32),
}

/// Of most commits in the commit-graph the filters say enough, and their trees are never asked for.
#[derive(Debug, Clone, Copy)]
enum RootTree {
    /// A place in [`Commits::trees`].
    Read(u32),
    InGraph(GraphPosition),
}

impl Head {
    /// The commit's place in the commit-graph, when it was read from there.
    pub(super) fn graph(&self) -> Option<GraphPosition> {
        match self.tree {
            RootTree::Read(_) => None,
            RootTree::InGraph(at) => Some(at),
        }
    }
}

/// A commit by its id, or by its position if it is in the commit-graph: then the id is looked up
/// when somebody wants to know it, which for most commits is never.
#[derive(Debug, Clone, Copy)]
enum Name {
    /// A place in [`Commits::ids`].
    Id(u32),
    InGraph(GraphPosition),
}

/// A commit as two threads speak of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CommitName {
    InGraph(GraphPosition),
    /// One that is not in the commit-graph.
    Id(ObjectId),
}

impl CommitName {
    pub(super) fn of(id: ObjectId, store: &Store) -> CommitName {
        match store.graph_position(&id) {
            Some(at) => CommitName::InGraph(at),
            None => CommitName::Id(id),
        }
    }
}

/// Parents that replace the stored ones.
pub(super) type Grafts = Arc<HashMap<ObjectId, Vec<ObjectId>>>;

/// Room for so many commits is asked for at once. Room that is not used costs nothing; lists that
/// grow move, and to touch new memory is what costs.
pub(super) const EXPECTED: usize = 1 << 17;

/// All commits met, kept from one blame to the next.
#[derive(Debug)]
pub(super) struct Commits {
    store: Arc<Store>,
    names: Vec<Name>,
    heads: Vec<Option<Head>>,
    /// Of commits that are not in the commit-graph.
    ids: Vec<ObjectId>,
    trees: Vec<ObjectId>,
    /// Those not in the commit-graph: the place in `ids`, and the number.
    by_id: HashTable<(u32, CommitIndex)>,
    /// Those in the commit-graph by position: their number and one more, or 0.
    by_position: Vec<u32>,
    parents: Vec<CommitIndex>,
    grafts: Grafts,
}

impl Commits {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Commits {
            store,
            names: Vec::new(),
            heads: Vec::new(),
            ids: Vec::new(),
            trees: Vec::new(),
            by_id: HashTable::new(),
            by_position: Vec::new(),
            parents: Vec::new(),
            grafts: Grafts::default(),
        }
    }

    /// Uses these grafts from now on; forgets what was read under others.
    pub(super) fn set_grafts(&mut self, grafts: &Grafts) {
        if *self.grafts != **grafts {
            *self = Commits {
                grafts: Arc::clone(grafts),
                ..Commits::new(Arc::clone(&self.store))
            };
        }
    }

    pub(super) fn has_grafts(&self) -> bool {
        !self.grafts.is_empty()
    }

    /// The number of `id`, which need not exist as an object.
    pub(super) fn intern(&mut self, id: ObjectId) -> CommitIndex {
        // With grafts the commit-graph is not used.
        if !self.has_grafts()
            && let Some(at) = self.store.graph_position(&id)
        {
            return self.intern_position(at);
        }
        let Commits { ids, by_id, .. } = self;
        let is_it = |known: &(u32, CommitIndex)| ids[known.0 as usize] == id;
        let hash = |known: &(u32, CommitIndex)| first_bytes(&ids[known.0 as usize]);
        match by_id.entry(first_bytes(&id), is_it, hash) {
            Entry::Occupied(known) => known.get().1,
            Entry::Vacant(place) => {
                let at = ids.len() as u32;
                let index = CommitIndex(self.names.len() as u32);
                place.insert((at, index));
                if ids.is_empty() {
                    ids.reserve(EXPECTED);
                    self.trees.reserve(EXPECTED);
                }
                ids.push(id);
                self.add(Name::Id(at));
                index
            }
        }
    }

    fn intern_position(&mut self, at: GraphPosition) -> CommitIndex {
        if self.by_position.is_empty() {
            self.by_position = vec![0; self.store.graph_len() as usize];
        }
        let place = &mut self.by_position[at.0 as usize];
        match place.checked_sub(1) {
            Some(index) => CommitIndex(index),
            None => {
                let index = CommitIndex(self.names.len() as u32);
                *place = index.0 + 1;
                self.add(Name::InGraph(at));
                index
            }
        }
    }

    fn add(&mut self, name: Name) {
        if self.names.is_empty() {
            self.names.reserve(EXPECTED);
            self.heads.reserve(EXPECTED);
        }
        self.names.push(name);
        self.heads.push(None);
    }

    pub(super) fn id(&self, commit: CommitIndex) -> ObjectId {
        match self.names[commit.at()] {
            Name::Id(at) => self.ids[at as usize],
            Name::InGraph(at) => self.store.graph_id(at),
        }
    }

    /// What another thread calls the commit. With grafts there is no such thread.
    pub(super) fn name(&self, commit: CommitIndex) -> CommitName {
        match self.names[commit.at()] {
            Name::Id(at) => CommitName::Id(self.ids[at as usize]),
            Name::InGraph(at) => CommitName::InGraph(at),
        }
    }

    /// Whether the commit is found in the commit-graph, where it is read in no time.
    pub(super) fn is_in_graph(&self, commit: CommitIndex) -> bool {
        matches!(self.names[commit.at()], Name::InGraph(_))
    }

    /// Reads the commit, once.
    pub(super) fn head(
        &mut self,
        commit: CommitIndex,
        reader: &mut Reader,
    ) -> Result<Head, objects::Error> {
        self.head_by(commit, reader, Reader::commit_head)
    }

    /// [`Commits::head`] for one who will not look into the commit's tree next.
    pub(super) fn lone_head(
        &mut self,
        commit: CommitIndex,
        reader: &mut Reader,
    ) -> Result<Head, objects::Error> {
        self.head_by(commit, reader, Reader::lone_commit_head)
    }

    fn head_by(
        &mut self,
        commit: CommitIndex,
        reader: &mut Reader,
        read: impl Fn(&mut Reader, &oid) -> Result<CommitHead, objects::Error>,
    ) -> Result<Head, objects::Error> {
        if let Some(head) = self.heads[commit.at()] {
            return Ok(head);
        }
        if let Name::InGraph(at) = self.names[commit.at()]
            && let Some((time, places)) = reader.graph_links(at)
        {
            let start = self.parents.len() as u32;
            for &place in places {
                let parent = self.intern_position(GraphPosition(place));
                self.parents.push(parent);
            }
            return Ok(self.record(commit, RootTree::InGraph(at), time, start));
        }
        let stored = read(reader, &self.id(commit))?;
        Ok(self.supply(commit, &stored))
    }

    /// Takes what a reader said of the commit.
    pub(super) fn supply(&mut self, commit: CommitIndex, stored: &CommitHead) -> Head {
        let grafts = Arc::clone(&self.grafts);
        let parents = grafts
            .get(&self.id(commit))
            .map_or(stored.parents.as_slice(), Vec::as_slice);
        self.set_head(commit, stored.tree, stored.time, parents)
    }

    /// Takes what a reader said of a commit that was perhaps not met yet.
    pub(super) fn offer(&mut self, id: ObjectId, stored: &CommitHead) {
        let commit = self.intern(id);
        if self.heads[commit.at()].is_none() && !self.is_in_graph(commit) {
            self.supply(commit, stored);
        }
    }

    /// Sets what is known of a commit.
    pub(super) fn set_head(
        &mut self,
        commit: CommitIndex,
        tree: ObjectId,
        time: i64,
        parents: &[ObjectId],
    ) -> Head {
        let start = self.parents.len() as u32;
        for parent in parents {
            let parent = self.intern(*parent);
            self.parents.push(parent);
        }
        let at = self.trees.len() as u32;
        self.trees.push(tree);
        self.record(commit, RootTree::Read(at), time, start)
    }

    /// `parents` is where the commit's parents, the last ones so far, begin.
    fn record(&mut self, commit: CommitIndex, tree: RootTree, time: i64, parents: u32) -> Head {
        let head = Head {
            tree,
            time,
            parents: (parents, self.parents.len() as u32),
        };
        self.heads[commit.at()] = Some(head);
        head
    }

    /// The root tree of a commit whose head was read.
    pub(super) fn tree(&self, head: &Head) -> ObjectId {
        match head.tree {
            RootTree::Read(at) => self.trees[at as usize],
            RootTree::InGraph(at) => self.store.graph_tree(at),
        }
    }

    /// The parents of a commit whose head was read.
    pub(super) fn parents(&self, head: &Head) -> &[CommitIndex] {
        &self.parents[head.parents.0 as usize..head.parents.1 as usize]
    }

    /// The head, if it was read before.
    pub(super) fn known_head(&self, commit: CommitIndex) -> Option<&Head> {
        self.heads[commit.at()].as_ref()
    }
}

/// Ids are hashes themselves. An id that was made to collide costs time, not truth.
fn first_bytes(id: &ObjectId) -> u64 {
    let bytes = id.as_slice().first_chunk();
    u64::from_ne_bytes(*bytes.expect("an id has at least 20 bytes"))
}
