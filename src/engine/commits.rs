//! Commits by number, with what the walk needs of each.

use std::{collections::HashMap, sync::Arc};

use hashbrown::{HashTable, hash_table::Entry};

use crate::objects::{self, CommitHead, GraphPosition, ObjectId, Reader};

/// A commit's number in [`Commits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CommitIndex(pub(super) u32);

impl CommitIndex {
    pub(super) fn at(self) -> usize {
        self.0 as usize
    }
}

/// What the walk needs of a commit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) tree: ObjectId,
    pub(super) time: i64,
    pub(super) graph: Option<GraphPosition>,
    /// A range of [`Commits::parents`].
    parents: (u32, u32),
}

/// Parents that replace the stored ones.
pub(super) type Grafts = Arc<HashMap<ObjectId, Vec<ObjectId>>>;

/// Room for so many commits is asked for at once. Room that is not used costs nothing; lists that
/// grow move, and to touch new memory is what costs.
const EXPECTED: usize = 1 << 17;

/// All commits met, kept from one blame to the next.
#[derive(Debug, Default)]
pub(super) struct Commits {
    ids: Vec<ObjectId>,
    heads: Vec<Option<Head>>,
    /// Numbers only; ids are compared where they are kept already.
    by_id: HashTable<CommitIndex>,
    parents: Vec<CommitIndex>,
    grafts: Grafts,
}

impl Commits {
    /// Uses these grafts from now on; forgets what was read under others.
    pub(super) fn set_grafts(&mut self, grafts: &Grafts) {
        if *self.grafts != **grafts {
            *self = Commits {
                grafts: Arc::clone(grafts),
                ..Commits::default()
            };
        }
    }

    pub(super) fn has_grafts(&self) -> bool {
        !self.grafts.is_empty()
    }

    /// The number of `id`, which need not exist as an object.
    pub(super) fn intern(&mut self, id: ObjectId) -> CommitIndex {
        let Commits {
            ids, heads, by_id, ..
        } = self;
        let known = by_id.entry(
            first_bytes(&id),
            |commit| ids[commit.at()] == id,
            |commit| first_bytes(&ids[commit.at()]),
        );
        match known {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let index = CommitIndex(ids.len() as u32);
                place.insert(index);
                if ids.is_empty() {
                    ids.reserve(EXPECTED);
                    heads.reserve(EXPECTED);
                }
                ids.push(id);
                heads.push(None);
                index
            }
        }
    }

    pub(super) fn id(&self, commit: CommitIndex) -> ObjectId {
        self.ids[commit.at()]
    }

    /// Reads the commit, once.
    pub(super) fn head(
        &mut self,
        commit: CommitIndex,
        reader: &mut Reader,
    ) -> Result<Head, objects::Error> {
        if let Some(head) = self.heads[commit.at()] {
            return Ok(head);
        }
        let stored = reader.commit_head(&self.ids[commit.at()])?;
        Ok(self.supply(commit, &stored))
    }

    /// Takes what a reader said of the commit.
    pub(super) fn supply(&mut self, commit: CommitIndex, stored: &CommitHead) -> Head {
        let grafts = Arc::clone(&self.grafts);
        let parents = grafts
            .get(&self.ids[commit.at()])
            .map_or(stored.parents.as_slice(), Vec::as_slice);
        self.record(commit, stored.tree, stored.time, stored.graph, parents)
    }

    /// Sets what is known of a commit that is not stored: the uncommitted one.
    pub(super) fn set_head(
        &mut self,
        commit: CommitIndex,
        tree: ObjectId,
        time: i64,
        parents: &[ObjectId],
    ) {
        self.record(commit, tree, time, None, parents);
    }

    fn record(
        &mut self,
        commit: CommitIndex,
        tree: ObjectId,
        time: i64,
        graph: Option<GraphPosition>,
        parents: &[ObjectId],
    ) -> Head {
        let start = self.parents.len() as u32;
        for parent in parents {
            let parent = self.intern(*parent);
            self.parents.push(parent);
        }
        let head = Head {
            tree,
            time,
            graph,
            parents: (start, self.parents.len() as u32),
        };
        self.heads[commit.at()] = Some(head);
        head
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
