//! Lookup of a path in a tree.

use gix_hash::{ObjectId, oid};
use smallvec::SmallVec;

use crate::objects::{
    error::Error,
    pack::pack_file::ResolvedEntryType,
    store::{
        lookup_cache::TreeLookups,
        projection::{self, LookupResult},
        reader::Reader,
    },
    types::{ObjectKind, PackPosition, PathChain, TreeEntry},
};

/// The result of reading one tree entry of a delta chain.
enum TreeRead {
    Result(LookupResult),
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
        self.lookups.get_or_insert_default().requested += 1;
        if let Some(at) = self.position(tree)? {
            // Moved out, to borrow it along with the reader.
            let mut lookups = self.lookups.take().unwrap_or_default();
            let found = self.find_packed_entry(at, name, &mut lookups);
            self.lookups = Some(lookups);
            if let Some(entry) = found {
                return Ok(entry);
            }
        }
        // Loose, or the packed copy is damaged.
        let object = self.object_of_kind(tree, ObjectKind::Tree)?;
        let found = projection::find_in_tree(&object.data, self.hash(), name);
        let found = found.map_err(|reason| {
            self.doubt(tree, &object);
            Error::object(tree, reason)
        });
        Ok(found?.entry())
    }

    /// The entry `name` of a packed tree; `None` if it cannot be read.
    fn find_packed_entry(
        &mut self,
        at: PackPosition,
        name: &[u8],
        lookups: &mut TreeLookups,
    ) -> Option<Option<TreeEntry>> {
        let number = lookups.cache.intern(name);
        if let Some(result) = lookups.cache.get(at, number) {
            lookups.cached += 1;
            return Some(result.entry());
        }
        let mut result = self.descend(at, name, number, lookups).ok()?;
        if lookups.deltas.is_empty() {
            return Some(result.entry());
        }
        let mut entry = None;
        while let Some((position, start)) = lookups.deltas.pop() {
            let delta = &lookups.bytes[start..];
            let segments = &mut lookups.segments;
            result = match projection::project(&result, delta, self.hash(), name, segments) {
                Some(result) => {
                    lookups.projected += 1;
                    result
                }
                None => self.rebuild_and_find(position, name).ok()?,
            };
            lookups.bytes.truncate(start);
            entry = lookups.cache.put(position, number, result);
        }
        Some(entry)
    }

    /// Follows the delta chain from the tree at `at` to one with a known result or without a delta.
    /// Leaves the deltas on the way in `lookups`.
    fn descend(
        &mut self,
        at: PackPosition,
        name: &[u8],
        number: u32,
        lookups: &mut TreeLookups,
    ) -> Result<LookupResult, Error> {
        lookups.deltas.clear();
        lookups.bytes.clear();
        let mut position = at;
        loop {
            if position != at
                && let Some(result) = lookups.cache.get(position, number)
            {
                return Ok(result);
            }
            match self.tree_entry(position, name, lookups)? {
                TreeRead::Result(result) => {
                    lookups.cache.put(position, number, result);
                    return Ok(result);
                }
                TreeRead::Base(base) => {
                    if lookups.deltas.len() > self.max_delta_depth(at) {
                        return Err(self.corrupt_entry(at, "deltas form a cycle"));
                    }
                    position.offset = base;
                }
            }
        }
    }

    /// Reads the entry at `at`. Without a delta, looks up `name`, inflating no more than is needed
    /// to be certain of the result; otherwise appends the delta to `lookups`.
    fn tree_entry(
        &mut self,
        at: PackPosition,
        name: &[u8],
        lookups: &mut TreeLookups,
    ) -> Result<TreeRead, Error> {
        let hash = self.hash();
        let start = lookups.bytes.len();
        self.with_entry(at, |inflater, entry_type, size, input| match entry_type {
            ResolvedEntryType::Whole(ObjectKind::Tree) => {
                if lookups.tree_buffer.len() < size {
                    lookups.tree_buffer.resize(size, 0);
                }
                let output = &mut lookups.tree_buffer[..size];
                let (mut from, mut found) = (0, None);
                // Without `Some`, the whole stream is read, and its checksum is right.
                let is_part = inflater.inflate_until(input, output, |data| {
                    if found.is_none() {
                        match projection::find_in_prefix(data, from, hash, name)? {
                            Ok(result) => found = Some(result),
                            Err(at) => from = at,
                        }
                    }
                    let certain = found.filter(|found| found.is_certain(data, hash, name));
                    Ok(certain.map(|_| ()))
                })?;
                let found = found.unwrap_or(LookupResult::Absent);
                if is_part.is_none() {
                    found.check_tree(output, hash, name)?;
                }
                Ok(TreeRead::Result(found))
            }
            ResolvedEntryType::Whole(_) => Err("the object is not a tree"),
            ResolvedEntryType::Delta(base) => {
                lookups.bytes.resize(start + size, 0);
                inflater.inflate_exact(input, &mut lookups.bytes[start..])?;
                lookups.deltas.push((at, start));
                Ok(TreeRead::Base(base))
            }
        })
    }

    fn rebuild_and_find(&mut self, at: PackPosition, name: &[u8]) -> Result<LookupResult, Error> {
        let object = self.object_at(at)?;
        projection::find_in_tree(&object.data, self.hash(), name)
            .map_err(|reason| self.corrupt_entry(at, reason))
    }
}
