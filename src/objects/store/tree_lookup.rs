//! Looking a path up in a tree.

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

/// What a reader remembers of its path lookups, and room to work in.
#[derive(Default)]
pub(crate) struct Lookups {
    memory: Memory,
    /// The deltas between a tree and one that is known, the outermost first: where each lies, and
    /// where its instructions start in `bytes`.
    deltas: Vec<(PackPosition, usize)>,
    bytes: Vec<u8>,
    /// Room for a tree that is stored whole; keeps its size.
    whole: Vec<u8>,
    pub(crate) asked: u64,
    pub(crate) remembered: u64,
    pub(crate) projected: u64,
}

/// One step down from a tree to what it is made of.
enum Step {
    Answer(Answer),
    /// It is a delta over the tree at this offset.
    Base(u64),
}

impl Reader {
    /// Look `path` (slash separated) up from the tree `root`, or `None` if it is not there.
    ///
    /// `known` is the answer for the same path in another commit, usually a neighbour: where both
    /// pass through the same tree, the rest of the answer is the same too.
    ///
    /// # Errors
    ///
    /// When a tree on the way is missing or damaged.
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

    /// Look `name` up in one tree.
    ///
    /// # Errors
    ///
    /// When the tree is missing or damaged.
    pub fn find_entry(&mut self, tree: &oid, name: &[u8]) -> Result<Option<TreeEntry>, Error> {
        self.lookups.get_or_insert_default().asked += 1;
        let answer = match self.position(tree)? {
            Some(at) => {
                // Taken out, so that it can be used along with the rest of the reader.
                let mut lookups = self.lookups.take().unwrap_or_default();
                let answer = self.find_packed(at, name, &mut lookups);
                self.lookups = Some(lookups);
                answer.ok()
            }
            None => None,
        };
        let answer = match answer {
            Some(answer) => answer,
            // Not packed, or its copy in the pack is damaged.
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

    fn find_packed(
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
        let mut answer = self.known_base(at, name, number, lookups)?;
        while let Some((place, start)) = lookups.deltas.pop() {
            let delta = &lookups.bytes[start..];
            let pieces = &mut lookups.memory.pieces;
            answer = match projection::project(&answer, delta, self.hash(), name, pieces) {
                Some(answer) => {
                    lookups.projected += 1;
                    answer
                }
                None => self.find_whole(place, name)?,
            };
            lookups.bytes.truncate(start);
            lookups.memory.put(place, number, answer);
        }
        Ok(answer)
    }

    /// Go down from the tree at `at` to one of which the answer is known or that is stored whole.
    /// Leaves the deltas in between in `lookups`.
    fn known_base(
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
                Step::Answer(answer) => {
                    lookups.memory.put(place, number, answer);
                    return Ok(answer);
                }
                Step::Base(base) => {
                    if lookups.deltas.len() > self.longest_chain(at) {
                        return Err(self.wrong(at, "deltas go in circles"));
                    }
                    place.offset = base;
                }
            }
        }
    }

    /// Read the entry at `at`: look `name` up if it is a whole tree, inflating no more than needed;
    /// keep it in `lookups` if it is a delta.
    fn tree_entry(
        &mut self,
        at: PackPosition,
        name: &[u8],
        lookups: &mut Lookups,
    ) -> Result<Step, Error> {
        let hash = self.hash();
        let start = lookups.bytes.len();
        self.with_entry(at, |inflater, form, size, input| match form {
            Form::Whole(ObjectKind::Tree) => {
                if lookups.whole.len() < size {
                    lookups.whole.resize(size, 0);
                }
                let output = &mut lookups.whole[..size];
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
                    Some(answer) => Ok(Step::Answer(answer)),
                    None if from == size => Ok(Step::Answer(Answer::Absent)),
                    None => Err("a tree ends in the middle of an entry"),
                }
            }
            Form::Whole(_) => Err("this is not a tree"),
            Form::Delta(base) => {
                lookups.bytes.resize(start + size, 0);
                inflater.exact(input, &mut lookups.bytes[start..])?;
                lookups.deltas.push((at, start));
                Ok(Step::Base(base))
            }
        })
    }

    fn find_whole(&mut self, at: PackPosition, name: &[u8]) -> Result<Answer, Error> {
        let object = self.object_at(at)?;
        projection::scan(&object.data, self.hash(), name).map_err(|reason| self.wrong(at, reason))
    }
}
