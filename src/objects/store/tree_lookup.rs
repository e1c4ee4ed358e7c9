//! Lookup of a path in a tree.

use gix_hash::{ObjectId, oid};
use smallvec::SmallVec;

use crate::objects::{
    error::Error,
    store::{
        projection::{self, Answer, Memory},
        reader::{Form, Reader},
    },
    types::{ObjectKind, PackPosition, PathChain, TreeEntry},
};

/// Cached lookups of one reader, and scratch buffers.
#[derive(Default)]
pub(crate) struct Lookups {
    memory: Memory,
    /// The delta chain down to a tree with a known answer, outermost first: position of each delta,
    /// and where it starts in `bytes`.
    deltas: Vec<(PackPosition, usize)>,
    bytes: Vec<u8>,
    /// Scratch buffer for undeltified trees; keeps its size.
    tree_buffer: Vec<u8>,
    pub(crate) asked: u64,
    pub(crate) remembered: u64,
    pub(crate) projected: u64,
}

/// The result of reading one tree entry of a delta chain.
enum TreeRead {
    Answer(Answer),
    /// A delta against the tree at this offset.
    Base(u64),
}

impl Reader {
    /// Looks up `path` (separated by slashes) in the tree `root`; `None` if it does not exist.
    ///
    /// `known` is the chain of the same path in another, usually neighbouring commit: from the
    /// first tree that both have in common, the rest is taken from it.
    ///
    /// # Errors
    ///
    /// A tree on the way is missing or damaged.
    pub fn find_path(
        &mut self,
        root: ObjectId,
        path: &[u8],
        known: Option<&PathChain>,
    ) -> Result<Option<PathChain>, Error> {
        let mut trees = SmallVec::new();
        let mut tree = root;
        let mut names = path.split(|&byte| byte == b'/');
        let mut name = names.next().unwrap_or_default();
        loop {
            if let Some(known) = known
                && known.trees.get(trees.len()) == Some(&tree)
            {
                trees.extend_from_slice(&known.trees[trees.len()..]);
                return Ok(Some(PathChain {
                    trees,
                    entry: known.entry,
                }));
            }
            trees.push(tree);
            let Some(entry) = self.find_entry(&tree, name)? else {
                return Ok(None);
            };
            match names.next() {
                None => return Ok(Some(PathChain { trees, entry })),
                Some(_) if !entry.is_tree() => return Ok(None),
                Some(next) => {
                    name = next;
                    tree = entry.id;
                }
            }
        }
    }

    /// Looks up `name` in one tree.
    ///
    /// # Errors
    ///
    /// The tree is missing or damaged.
    pub fn find_entry(&mut self, tree: &oid, name: &[u8]) -> Result<Option<TreeEntry>, Error> {
        self.lookups.get_or_insert_default().asked += 1;
        let answer = match self.position(tree)? {
            Some(at) => {
                // Moved out, to borrow it along with the reader.
                let mut lookups = self.lookups.take().unwrap_or_default();
                let answer = self.find_packed_entry(at, name, &mut lookups);
                self.lookups = Some(lookups);
                answer.ok()
            }
            None => None,
        };
        let answer = match answer {
            Some(answer) => answer,
            // Loose, or the packed copy is damaged.
            None => {
                let object = self.object_of_kind(tree, ObjectKind::Tree)?;
                projection::scan(&object.data, self.hash(), name)
                    .map_err(|reason| Error::object(tree, reason))?
            }
        };
        Ok(match answer {
            Answer::Absent => None,
            Answer::Present { what, .. } => Some(what.entry),
        })
    }

    fn find_packed_entry(
        &mut self,
        at: PackPosition,
        name: &[u8],
        lookups: &mut Lookups,
    ) -> Result<Answer, Error> {
        let number = lookups.memory.name(name);
        if let Some(answer) = lookups.memory.get(at, number) {
            lookups.remembered += 1;
            return Ok(answer);
        }
        let mut answer = self.descend(at, name, number, lookups)?;
        while let Some((place, start)) = lookups.deltas.pop() {
            let delta = &lookups.bytes[start..];
            let pieces = &mut lookups.memory.pieces;
            answer = match projection::project(&answer, delta, self.hash(), name, pieces) {
                Some(answer) => {
                    lookups.projected += 1;
                    answer
                }
                None => self.rebuild_and_find(place, name)?,
            };
            lookups.bytes.truncate(start);
            lookups.memory.put(place, number, answer);
        }
        Ok(answer)
    }

    /// Follows the delta chain from the tree at `at` to one with a known answer or without a delta.
    /// Leaves the deltas on the way in `lookups`.
    fn descend(
        &mut self,
        at: PackPosition,
        name: &[u8],
        number: u32,
        lookups: &mut Lookups,
    ) -> Result<Answer, Error> {
        lookups.deltas.clear();
        lookups.bytes.clear();
        let mut place = at;
        loop {
            if place != at
                && let Some(answer) = lookups.memory.get(place, number)
            {
                return Ok(answer);
            }
            match self.tree_entry(place, name, lookups)? {
                TreeRead::Answer(answer) => {
                    lookups.memory.put(place, number, answer);
                    return Ok(answer);
                }
                TreeRead::Base(base) => {
                    if lookups.deltas.len() > self.longest_chain(at) {
                        return Err(self.wrong(at, "deltas form a cycle"));
                    }
                    place.offset = base;
                }
            }
        }
    }

    /// Reads the entry at `at`. Without a delta, looks up `name`, inflating no more than needed;
    /// otherwise appends the delta to `lookups`.
    fn tree_entry(
        &mut self,
        at: PackPosition,
        name: &[u8],
        lookups: &mut Lookups,
    ) -> Result<TreeRead, Error> {
        let hash = self.hash();
        let start = lookups.bytes.len();
        self.with_entry(at, |inflater, form, size, input| match form {
            Form::Whole(ObjectKind::Tree) => {
                if lookups.tree_buffer.len() < size {
                    lookups.tree_buffer.resize(size, 0);
                }
                let output = &mut lookups.tree_buffer[..size];
                let mut from = 0;
                let found =
                    inflater.until(input, output, |data| {
                        match projection::scan_start(data, from, hash, name)? {
                            Ok(answer) => Ok(Some(answer)),
                            Err(at) => {
                                from = at;
                                Ok(None)
                            }
                        }
                    })?;
                match found {
                    Some(answer) => Ok(TreeRead::Answer(answer)),
                    None if from == size => Ok(TreeRead::Answer(Answer::Absent)),
                    None => Err("a tree ends within an entry"),
                }
            }
            Form::Whole(_) => Err("the object is not a tree"),
            Form::Delta(base) => {
                lookups.bytes.resize(start + size, 0);
                inflater.exact(input, &mut lookups.bytes[start..])?;
                lookups.deltas.push((at, start));
                Ok(TreeRead::Base(base))
            }
        })
    }

    fn rebuild_and_find(&mut self, at: PackPosition, name: &[u8]) -> Result<Answer, Error> {
        let object = self.object_at(at)?;
        projection::scan(&object.data, self.hash(), name).map_err(|reason| self.wrong(at, reason))
    }
}
