//! Commits by number, with what the walk needs of each.

use std::{collections::HashMap, sync::Arc};

use hashbrown::{HashTable, hash_table::Entry};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::objects::{self, CommitHead, GraphPosition, ObjectId, Reader, Store, oid};

/// A commit's number in [`Commits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CommitIndex(pub(crate) u32);

impl CommitIndex {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// A commit's place in a list that has one for each, and grows as they are met.
pub(crate) fn slot<T: Default + Clone>(list: &mut Vec<T>, commit: CommitIndex) -> &mut T {
    if list.len() <= commit.at() {
        if list.is_empty() {
            list.reserve(EXPECTED);
        }
        list.resize(commit.at() + 1, T::default());
    }
    &mut list[commit.at()]
}

/// The parents of a commit.
pub(crate) type Parents = SmallVec<[CommitIndex; 2]>;

/// What the walk needs of a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    tree: RootTree,
    pub(crate) time: i64,
    /// The parents; or where in [`Commits::parents`] they begin and end.
    parents: [CommitIndex; 2],
    /// How many parents there are, or [`LISTED`].
    count: u32,
}

/// The parents of a commit are in the list.
const LISTED: u32 = u32::MAX;

/// Of most commits in the commit-graph the filters say enough, and their trees are never asked for.
#[derive(Debug, Clone, Copy)]
enum RootTree {
    /// A place in [`Commits::trees`].
    Read(u32),
    InGraph(GraphPosition),
}

impl Head {
    /// The commit's place in the commit-graph, when it was read from there.
    pub(crate) fn graph(&self) -> Option<GraphPosition> {
        match self.tree {
            RootTree::Read(_) => None,
            RootTree::InGraph(at) => Some(at),
        }
    }
}

/// A commit as two threads speak of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CommitName {
    InGraph(GraphPosition),
    /// One that is not in the commit-graph.
    Id(ObjectId),
}

impl CommitName {
    pub(crate) fn of(id: ObjectId, store: &Store) -> CommitName {
        match store.graph_position(&id) {
            Some(at) => CommitName::InGraph(at),
            None => CommitName::Id(id),
        }
    }
}

/// Parents that replace the stored ones.
pub(crate) type Grafts = Arc<HashMap<ObjectId, Vec<ObjectId>>>;

/// Room for so many commits is asked for at once. Room that is not used costs nothing; lists that
/// grow move, and to touch new memory is what costs.
const EXPECTED: usize = 1 << 17;

/// All commits met, kept from one blame to the next.
///
/// Commits in the commit-graph have their position there as number, and nothing of them is kept:
/// what the graph says is quickly asked for again, and memory that was never touched is dear. The
/// numbers of others begin behind these.
#[derive(Debug)]
pub(crate) struct Commits {
    store: Arc<Store>,
    /// How many commits the commit-graph has. With grafts it is not used.
    in_graph: u32,
    /// Of the others.
    ids: Vec<ObjectId>,
    /// Of the others.
    heads: Vec<Option<Head>>,
    trees: Vec<ObjectId>,
    /// The others' places in `ids`.
    by_id: HashTable<u32>,
    parents: Vec<CommitIndex>,
    /// Commits of the commit-graph with more parents than two, or whose records are damaged.
    apart: FxHashMap<CommitIndex, Head>,
    grafts: Grafts,
}

impl Commits {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Commits {
            in_graph: store.graph_len(),
            store,
            ids: Vec::new(),
            heads: Vec::new(),
            trees: Vec::new(),
            by_id: HashTable::new(),
            parents: Vec::new(),
            apart: FxHashMap::default(),
            grafts: Grafts::default(),
        }
    }

    /// Uses these grafts from now on; forgets what was read under others.
    pub(crate) fn set_grafts(&mut self, grafts: &Grafts) {
        if *self.grafts != **grafts {
            *self = Commits::new(Arc::clone(&self.store));
            self.grafts = Arc::clone(grafts);
            if !grafts.is_empty() {
                self.in_graph = 0;
            }
        }
    }

    /// The number of `id`, which need not exist as an object.
    pub(crate) fn intern(&mut self, id: ObjectId) -> CommitIndex {
        if self.in_graph > 0
            && let Some(at) = self.store.graph_position(&id)
        {
            return CommitIndex(at.0);
        }
        let Commits { ids, by_id, .. } = self;
        let is_it = |known: &u32| ids[*known as usize] == id;
        let hash = |known: &u32| first_bytes(&ids[*known as usize]);
        let at = match by_id.entry(first_bytes(&id), is_it, hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let at = ids.len() as u32;
                place.insert(at);
                if ids.is_empty() {
                    ids.reserve(EXPECTED);
                    self.heads.reserve(EXPECTED);
                    self.trees.reserve(EXPECTED);
                }
                ids.push(id);
                self.heads.push(None);
                at
            }
        };
        CommitIndex(self.in_graph + at)
    }

    /// The commit's place in the commit-graph, or among the others.
    fn place(&self, commit: CommitIndex) -> Result<GraphPosition, usize> {
        match commit.0.checked_sub(self.in_graph) {
            None => Ok(GraphPosition(commit.0)),
            Some(at) => Err(at as usize),
        }
    }

    pub(crate) fn id(&self, commit: CommitIndex) -> ObjectId {
        match self.place(commit) {
            Ok(at) => self.store.graph_id(at),
            Err(at) => self.ids[at],
        }
    }

    /// What another thread calls the commit. With grafts there is no such thread.
    pub(crate) fn name(&self, commit: CommitIndex) -> CommitName {
        match self.place(commit) {
            Ok(at) => CommitName::InGraph(at),
            Err(at) => CommitName::Id(self.ids[at]),
        }
    }

    /// Whether the commit is found in the commit-graph, where it is read in no time.
    pub(crate) fn is_in_graph(&self, commit: CommitIndex) -> bool {
        self.place(commit).is_ok()
    }

    /// Reads the commit, once.
    pub(crate) fn head(
        &mut self,
        commit: CommitIndex,
        reader: &mut Reader,
    ) -> Result<Head, objects::Error> {
        self.head_by(commit, reader, Reader::commit_head)
    }

    /// [`Commits::head`] for one who will not look into the commit's tree next.
    pub(crate) fn lone_head(
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
        if let Some(head) = self.known_head(commit) {
            return Ok(head);
        }
        if let Ok(at) = self.place(commit)
            && let Some((time, places)) = reader.graph_links(at)
        {
            let start = self.parents.len() as u32;
            self.parents
                .extend(places.iter().map(|&at| CommitIndex(at)));
            return Ok(self.record(commit, RootTree::InGraph(at), time, start));
        }
        let stored = read(reader, &self.id(commit))?;
        Ok(self.supply(commit, &stored))
    }

    /// Takes what a reader said of the commit.
    pub(crate) fn supply(&mut self, commit: CommitIndex, stored: &CommitHead) -> Head {
        let grafts = Arc::clone(&self.grafts);
        let parents = grafts
            .get(&self.id(commit))
            .map_or(stored.parents.as_slice(), Vec::as_slice);
        self.set_head(commit, stored.tree, stored.time, parents)
    }

    /// Takes what a reader said of a commit that was perhaps not met yet.
    pub(crate) fn offer(&mut self, id: ObjectId, stored: &CommitHead) {
        let commit = self.intern(id);
        if self.known_head(commit).is_none() {
            self.supply(commit, stored);
        }
    }

    /// Sets what is known of a commit.
    pub(crate) fn set_head(
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

    /// `start` is where the commit's parents, the last ones so far, begin.
    fn record(&mut self, commit: CommitIndex, tree: RootTree, time: i64, start: u32) -> Head {
        let head = Head {
            tree,
            time,
            parents: [start, self.parents.len() as u32].map(CommitIndex),
            count: LISTED,
        };
        match self.place(commit) {
            Ok(_) => drop(self.apart.insert(commit, head)),
            Err(at) => self.heads[at] = Some(head),
        }
        head
    }

    /// The root tree of a commit whose head was read.
    pub(crate) fn tree(&self, head: &Head) -> ObjectId {
        match head.tree {
            RootTree::Read(at) => self.trees[at as usize],
            RootTree::InGraph(at) => self.store.graph_tree(at),
        }
    }

    /// The parents of a commit whose head was read.
    pub(crate) fn parents<'a>(&'a self, head: &'a Head) -> &'a [CommitIndex] {
        match head.count {
            LISTED => &self.parents[head.parents[0].at()..head.parents[1].at()],
            count => &head.parents[..count as usize],
        }
    }

    /// The head, if it was read before or takes no reading.
    #[inline]
    pub(crate) fn known_head(&self, commit: CommitIndex) -> Option<Head> {
        let at = match self.place(commit) {
            Ok(at) => at,
            Err(at) => return self.heads[at],
        };
        let Some(links) = self.store.graph_links(at) else {
            return self.apart.get(&commit).copied();
        };
        Some(Head {
            tree: RootTree::InGraph(at),
            time: links.time,
            parents: links.parents.map(CommitIndex),
            count: links.count,
        })
    }
}

/// Ids are hashes themselves. An id that was made to collide costs time, not truth.
fn first_bytes(id: &ObjectId) -> u64 {
    let bytes = id.as_slice().first_chunk();
    u64::from_ne_bytes(*bytes.expect("an id has at least 20 bytes"))
}
