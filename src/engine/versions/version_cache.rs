//! A cache of file versions as tokens, derived from each other along the pack's delta chains.
//!
//! A packed version is usually a delta: ranges to copy from a base and a few bytes to insert.
//! Copied lines are copied as tokens, so only lines that are new in a version are ever hashed, and
//! its text is never built.

use std::{hash::BuildHasher, ops::Range, sync::Arc};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    diff::LineInterner,
    engine::{
        api::{error::Error, profile::ThreadProfile},
        versions::{
            builder::VersionBuilder, pending_lines::PendingLines, poor_deltas::PoorDeltas,
            version::Version,
        },
    },
    objects::{ObjectId, PackPosition, Reader, ResolvedEntryType},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum VersionKey {
    Packed(PackPosition),
    Loose(ObjectId),
}

/// A cache with two generations: a used version moves to the young one; when that is full, the old
/// one is dropped.
#[derive(Debug, Default)]
struct Generations {
    young: FxHashMap<VersionKey, Arc<Version>>,
    old: FxHashMap<VersionKey, Arc<Version>>,
    young_bytes: usize,
}

impl Generations {
    /// Removes a version from the old generation; the caller puts it back with
    /// [`Generations::put`].
    fn get(&mut self, key: VersionKey) -> Option<Arc<Version>> {
        match self.young.get(&key) {
            Some(version) => Some(Arc::clone(version)),
            None => self.old.remove(&key),
        }
    }

    /// `limit` is the size of a generation in bytes. Dropped versions go to `spare`.
    fn put(
        &mut self,
        key: VersionKey,
        version: &Arc<Version>,
        limit: usize,
        spare: &mut Vec<Version>,
    ) {
        if self.young.insert(key, Arc::clone(version)).is_none() {
            self.young_bytes += version.heap_bytes();
        }
        if self.young_bytes > limit {
            std::mem::swap(&mut self.old, &mut self.young);
            self.young_bytes = 0;
            let dropped = self.young.drain();
            spare.extend(dropped.filter_map(|(_, version)| Arc::into_inner(version)));
            spare.truncate(CHAIN_LEN);
        }
    }
}

/// Which versions will be asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum VersionReuse {
    /// Bases of deltas, soon.
    #[default]
    Soon,
    /// Those of many files (`-C`).
    ManyFiles,
    /// All of a file, by the next walk.
    NextWalk,
}

impl VersionReuse {
    /// In one walk, which follows copies (`-C`) or not.
    pub(crate) fn of_copies(copies: bool) -> Self {
        if copies {
            VersionReuse::ManyFiles
        } else {
            VersionReuse::Soon
        }
    }
}

/// A bounded cache of versions by their location in the object store.
#[derive(Debug, Default)]
pub(crate) struct VersionCache {
    /// Versions derived by small deltas.
    cheap: Generations,
    /// Versions made from whole blobs or large deltas, or made repeatedly; kept longer.
    costly: Generations,
    /// Dropped versions, whose buffers are reused: fresh memory is expensive.
    spare: Vec<Version>,
    pending_lines: PendingLines,
    poor_deltas: PoorDeltas,
    /// Buffer for the inflated deltas of a chain.
    inflated: Vec<u8>,
    counts: VersionCounts,
    /// Hashes of the keys of versions made, at most [`MAX_KEYS`].
    made_keys: FxHashSet<u64>,
    reuse: VersionReuse,
    /// True if too many versions were made again since the counters were reset.
    often_again: bool,
}

/// Counters since [`VersionCache::reset_counters`].
#[derive(Debug, Default)]
struct VersionCounts {
    derived: u64,
    whole: u64,
    held: u64,
    again: u64,
}

/// About how many versions the young generations hold, within these bounds in bytes. A delta chain
/// of git is up to 50 long. More would only be fresh memory, which costs more than deriving a
/// version again: with 64 versions made from small deltas and 12 MiB of costly ones, first looks at
/// warmed files took 6 % more CPU time (25 files).
const CHEAP_LEN: usize = 32;
const COSTLY_LEN: usize = 128;
const MIN_CHEAP: usize = 1 << 18;
const MIN_COSTLY: usize = 4 << 20;
const MAX_GENERATION: usize = 12 << 20;
/// The generations may be this many times larger where more is needed: with versions of many files,
/// and once a fourth of the versions was made again. On config.c of git.git `-C` made 3,575 of
/// 10,958 versions again without this, and some 500 with it. After a repack that sorted similar
/// versions by size, the base of a version may be any of them: of 10,000 versions of 10,700 lines,
/// 8,400 were made again.
const WIDE_FACTOR: usize = 4;
const AGAIN_FRACTION: u64 = 4;
/// The number of versions made before the share counts.
const AGAIN_AFTER: u64 = 512;
/// A version is costly to make if more bytes were inflated for it than its size divided by this.
/// Without this distinction, 11 of 19 MB inflated for vim's src/eval.c were inflated again.
const COSTLY_FRACTION: usize = 2;

/// The number of versions remembered as made once; this finds the few that are bases again and
/// again. On vim's runtime/doc/options.txt `-C` made 68,000 of 90,000 versions again, one of them
/// 131 times.
const MAX_KEYS: usize = 1 << 17;

/// Dropped versions kept for their buffers, and the distance of the versions kept longer in a long
/// chain.
const CHAIN_LEN: usize = 64;

/// A larger buffer for inflated deltas is freed after use.
const MAX_INFLATED: usize = 16 << 20;

/// A delta chain longer than git ever writes is taken for a cycle.
const MAX_CHAIN_LEN: usize = 1 << 16;

impl VersionCache {
    /// Drops everything; needed when tokens change their meaning.
    pub(crate) fn clear(&mut self) {
        *self = VersionCache::default();
    }

    /// Sets which versions will be asked for again: it decides how many are kept.
    pub(crate) fn set_reuse(&mut self, reuse: VersionReuse) {
        self.reuse = reuse;
    }

    /// Resets the counters.
    pub(crate) fn reset_counters(&mut self) {
        self.counts = VersionCounts::default();
        self.often_again = false;
        self.made_keys.clear();
    }

    /// Adds the counters to `work`.
    pub(crate) fn add_counters(&self, work: &mut ThreadProfile) {
        work.versions_derived = self.counts.derived;
        work.versions_whole = self.counts.whole;
        work.versions_held = self.counts.held;
        work.versions_again = self.counts.again;
    }

    /// The lines of a stored blob.
    pub(crate) fn blob(
        &mut self,
        id: &ObjectId,
        reader: &mut Reader,
        lines: &mut LineInterner,
    ) -> Result<Arc<Version>, Error> {
        match reader.position(id)? {
            Some(position) => self.packed(position, reader, lines),
            None => {
                if let Some(version) = self.cached(VersionKey::Loose(*id)) {
                    return Ok(version);
                }
                let object = reader.object(id)?;
                self.make_whole(VersionKey::Loose(*id), &object.data, lines)
            }
        }
    }

    fn packed(
        &mut self,
        position: PackPosition,
        reader: &mut Reader,
        lines: &mut LineInterner,
    ) -> Result<Arc<Version>, Error> {
        let mut inflated = std::mem::take(&mut self.inflated);
        let version = self.derive(position, &mut inflated, reader, lines);
        if let Err(Error::Object(error)) = &version {
            reader.doubt_place(error);
        }
        if inflated.len() <= MAX_INFLATED {
            self.inflated = inflated;
        }
        version
    }

    fn derive(
        &mut self,
        position: PackPosition,
        inflated: &mut Vec<u8>,
        reader: &mut Reader,
        lines: &mut LineInterner,
    ) -> Result<Arc<Version>, Error> {
        let mut at = position;
        let mut chain: SmallVec<[(PackPosition, Range<usize>); 4]> = SmallVec::new();
        let mut start = 0;
        let mut version = loop {
            if let Some(version) = self.cached(VersionKey::Packed(at)) {
                break version;
            }
            let (entry_type, end) = reader.inflate_at(at, inflated, start)?;
            match entry_type {
                // Whatever its kind: as in git, the bytes of a tree that an entry calls a file are
                // its text.
                ResolvedEntryType::Whole(_) => {
                    break self.make_whole(VersionKey::Packed(at), &inflated[start..end], lines)?;
                }
                ResolvedEntryType::Delta(base) => {
                    if chain.len() == MAX_CHAIN_LEN {
                        return Err(Error::Damaged("delta chain contains a cycle"));
                    }
                    chain.push((at, start..end));
                    at.offset = base;
                    start = end;
                }
            }
        };
        let long = chain.len() > CHAIN_LEN;
        self.poor_deltas.touch(at, &version, None);
        while let Some((at, delta)) = chain.pop() {
            let mut builder = self.builder();
            // In a chain longer than the cache some versions are kept longer: without these, each
            // part of it would be derived from its start again.
            let kept_longer = long && chain.len().is_multiple_of(CHAIN_LEN);
            let cost = if kept_longer { usize::MAX } else { delta.len() };
            let delta = &inflated[delta];
            self.counts.derived += 1;
            let text = self.poor_deltas.derive(delta, lines, &mut builder)?;
            if text.is_none() {
                builder.derive(&version, delta, lines)?;
            }
            version = Arc::new(self.finish(builder, lines)?);
            self.poor_deltas.touch(at, &version, text);
            self.insert_made(VersionKey::Packed(at), &version, cost);
        }
        Ok(version)
    }

    fn finish(
        &mut self,
        builder: VersionBuilder,
        lines: &mut LineInterner,
    ) -> Result<Version, Error> {
        let (version, pending_lines) = builder.finish(lines)?;
        self.pending_lines = pending_lines;
        Ok(version)
    }

    fn make_whole(
        &mut self,
        key: VersionKey,
        data: &[u8],
        lines: &mut LineInterner,
    ) -> Result<Arc<Version>, Error> {
        let mut builder = self.builder();
        builder.insert(data, lines)?;
        self.counts.whole += 1;
        let version = Arc::new(self.finish(builder, lines)?);
        self.insert_made(key, &version, data.len());
        Ok(version)
    }

    /// The size of a generation, in bytes, for about `len` versions like `version`.
    fn generation_limit(&self, version: &Version, len: usize, min: usize) -> usize {
        let limit = (len * version.heap_bytes()).clamp(min, MAX_GENERATION);
        match self.reuse {
            // Each walk goes from the newest to the oldest: fewer than all are of no use to it.
            VersionReuse::NextWalk => MAX_GENERATION * WIDE_FACTOR,
            VersionReuse::Soon if !self.often_again => limit,
            VersionReuse::Soon | VersionReuse::ManyFiles => limit * WIDE_FACTOR,
        }
    }

    fn cached(&mut self, key: VersionKey) -> Option<Arc<Version>> {
        if let Some(version) = self.cheap.get(key) {
            self.counts.held += 1;
            self.insert(key, &version, 0);
            return Some(version);
        }
        let version = self.costly.get(key)?;
        self.counts.held += 1;
        self.insert(key, &version, usize::MAX);
        Some(version)
    }

    /// Caches a version that was just made from `inflated` bytes.
    fn insert_made(&mut self, key: VersionKey, version: &Arc<Version>, inflated: usize) {
        if self.made_keys.len() == MAX_KEYS {
            self.made_keys.clear();
        }
        let again = !self.made_keys.insert(FxBuildHasher.hash_one(key));
        self.counts.again += u64::from(again);
        let made = self.counts.derived + self.counts.whole;
        self.often_again |= made >= AGAIN_AFTER && self.counts.again > made / AGAIN_FRACTION;
        self.insert(key, version, if again { usize::MAX } else { inflated });
    }

    fn insert(&mut self, key: VersionKey, version: &Arc<Version>, inflated: usize) {
        if inflated > version.heap_bytes() / COSTLY_FRACTION {
            let limit = self.generation_limit(version, COSTLY_LEN, MIN_COSTLY);
            self.costly.put(key, version, limit, &mut self.spare);
        } else {
            let limit = self.generation_limit(version, CHEAP_LEN, MIN_CHEAP);
            self.cheap.put(key, version, limit, &mut self.spare);
        }
    }

    fn builder(&mut self) -> VersionBuilder {
        let version = self.spare.pop().unwrap_or_default();
        VersionBuilder::new(version, std::mem::take(&mut self.pending_lines))
    }
}
