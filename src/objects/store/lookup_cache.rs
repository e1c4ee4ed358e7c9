//! Cache of tree entry lookups.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::objects::{
    store::projection::{DeltaSegment, EntryContext, LookupResult},
    types::{PackPosition, TreeEntry},
};

/// The cache is cleared after this many results, to bound its memory.
const MAX_RESULTS: usize = 1 << 20;
/// Initial capacity of `results`; unused capacity costs nothing.
const INITIAL_CAPACITY: usize = 1 << 17;

/// An entry of a tree takes some 40 bytes of the pack, and in the index as much room as this shift
/// leaves of them: five places, for chance neighbours from elsewhere in the pack.
const OFFSET_SHIFT: u32 = 3;

/// Cached lookups of one reader, and scratch buffers.
#[derive(Default)]
pub(crate) struct TreeLookups {
    pub(crate) cache: LookupCache,
    /// The delta chain down to a tree with a known answer, outermost first: position of each delta,
    /// and where it starts in `bytes`.
    pub(crate) deltas: Vec<(PackPosition, usize)>,
    pub(crate) bytes: Vec<u8>,
    /// Scratch buffer for undeltified trees; keeps its size.
    pub(crate) tree_buffer: Vec<u8>,
    /// Scratch buffer for [`project`](super::projection::project).
    pub(crate) segments: Vec<DeltaSegment>,
    pub(crate) requested: u64,
    pub(crate) cached: u64,
    pub(crate) projected: u64,
}

/// Cache of lookup results by pack position of the tree and by name.
#[derive(Default)]
pub(crate) struct LookupCache {
    names: FxHashMap<Box<[u8]>, u32>,
    results: Vec<CachedLookup>,
    /// Indices into `results`, hashed by position and name.
    index: HashTable<u32>,
    contexts: Vec<EntryContext>,
    /// By name number: index of the last entry added to [`LookupCache::contexts`], or [`ABSENT`].
    last: Vec<u32>,
}

/// A cached lookup and its result.
struct CachedLookup {
    at: PackPosition,
    name: u32,
    /// Offset of the entry in the tree.
    start: u32,
    /// Index into [`LookupCache::contexts`], or [`ABSENT`].
    context: u32,
}

/// The place in the index follows the pack: trees that are near each other are mostly looked up
/// after each other, and then their places are in the processor's caches (−6 % of the time in
/// 200,000 commits that were remembered). The table takes the place from the low bits and tells
/// lookups with the same place apart by the upper seven.
fn key_hash(at: PackPosition, name: u32) -> u64 {
    const TAG: u32 = 7;
    let mixed = FxBuildHasher.hash_one((at, name));
    let names_apart = u64::from(name).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let place = (at.offset >> OFFSET_SHIFT).wrapping_add(names_apart >> TAG);
    mixed << (u64::BITS - TAG) | place & (u64::MAX >> TAG)
}

/// Marks a missing entry, in place of an index into [`LookupCache::contexts`].
const ABSENT: u32 = u32::MAX;

impl LookupCache {
    /// Interns `name`.
    pub(crate) fn intern(&mut self, name: &[u8]) -> u32 {
        if let Some(&number) = self.names.get(name) {
            return number;
        }
        if self.names.len() >= MAX_RESULTS {
            self.names.clear();
            self.clear();
        }
        let number = self.names.len() as u32;
        self.names.insert(name.into(), number);
        number
    }

    pub(crate) fn get(&self, at: PackPosition, name: u32) -> Option<LookupResult> {
        let results = &self.results;
        let is_match = |number: &u32| {
            let lookup = &results[*number as usize];
            lookup.at == at && lookup.name == name
        };
        let &number = self.index.find(key_hash(at, name), is_match)?;
        let CachedLookup { start, context, .. } = results[number as usize];
        match context {
            ABSENT => Some(LookupResult::Absent),
            context => Some(LookupResult::Present {
                start: start as usize,
                context: *self.contexts.get(context as usize)?,
            }),
        }
    }

    /// Keeps a result, and returns its entry: the copy that is kept, which is mostly an older one.
    /// Copying what was just written would wait until that, and what was written before, has
    /// reached the processor's cache.
    pub(crate) fn put(
        &mut self,
        at: PackPosition,
        name: u32,
        result: LookupResult,
    ) -> Option<TreeEntry> {
        if self.results.len() >= MAX_RESULTS {
            self.clear();
        }
        if self.results.is_empty() {
            self.results.reserve(INITIAL_CAPACITY);
        }
        let (start, context) = match result {
            LookupResult::Absent => (0, ABSENT),
            LookupResult::Present { start, context } => {
                let Ok(start) = u32::try_from(start) else {
                    return Some(context.entry);
                };
                if self.last.len() <= name as usize {
                    self.last.resize(name as usize + 1, ABSENT);
                }
                let last = &mut self.last[name as usize];
                // In neighbouring commits the entry and the one before it are mostly the same.
                if self.contexts.get(*last as usize) != Some(&context) {
                    self.contexts.push(context);
                    *last = self.contexts.len() as u32 - 1;
                }
                (start, *last)
            }
        };
        let number = self.results.len() as u32;
        let lookup = CachedLookup {
            at,
            name,
            start,
            context,
        };
        self.results.push(lookup);
        let results = &self.results;
        self.index
            .insert_unique(key_hash(at, name), number, |&number| {
                let lookup = &results[number as usize];
                key_hash(lookup.at, lookup.name)
            });
        self.contexts.get(context as usize).map(|kept| kept.entry)
    }

    fn clear(&mut self) {
        self.results.clear();
        self.index.clear();
        self.contexts.clear();
        self.last.clear();
    }
}

#[cfg(test)]
mod tests {
    use gix_hash::Kind;

    use super::*;
    use crate::objects::store::projection::find_in_tree;

    #[test]
    fn cached_results_are_returned() {
        let mut cache = LookupCache::default();
        let name = cache.intern(b"x");
        assert_ne!(cache.intern(b"y"), name);
        assert_eq!(cache.intern(b"x"), name);
        let at = |offset| PackPosition { pack: 1, offset };
        let data = [&b"100644 x\0"[..], &[3; 20]].concat();
        let result = find_in_tree(&data, Kind::Sha1, b"x").expect("valid");
        cache.put(at(5), name, result);
        cache.put(at(6), name, LookupResult::Absent);
        cache.put(at(7), name, result);
        assert_eq!(cache.get(at(5), name), Some(result));
        assert_eq!(cache.get(at(6), name), Some(LookupResult::Absent));
        assert_eq!(cache.get(at(7), name), Some(result));
        assert_eq!(cache.get(at(8), name), None);
        assert_eq!(cache.get(at(5), name + 1), None);
    }
}
