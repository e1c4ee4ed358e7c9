//! Versions of files as tokens, derived from each other the way the pack stores them.
//!
//! A packed version is usually a delta against another one: stretches to copy and a few bytes to
//! insert. Copied stretches are copied as tokens, so only lines that are new to a version are ever
//! hashed, and its bytes are never put together.

use std::{hash::BuildHasher, ops::Range, sync::Arc};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    diff::lines::interner::Lines,
    engine::{
        api::{error::Error, profile::Work},
        versions::{
            builder::Builder, pending_lines::Unknown, poor_deltas::Texts, version::Version,
        },
    },
    objects::{Form, ObjectId, ObjectKind, PackPosition, Reader},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Packed(PackPosition),
    Loose(ObjectId),
}

/// Some of the versions by where they are stored.
///
/// Two halves: what is used moves to the young one; when that is full the old one is dropped.
#[derive(Debug, Default)]
struct Held {
    young: FxHashMap<Key, Arc<Version>>,
    old: FxHashMap<Key, Arc<Version>>,
    young_bytes: usize,
}

impl Held {
    /// Whoever takes a version from the old half puts it back with [`Held::put`].
    fn get(&mut self, key: Key) -> Option<Arc<Version>> {
        match self.young.get(&key) {
            Some(version) => Some(Arc::clone(version)),
            None => self.old.remove(&key),
        }
    }

    /// `half` is the size of a half in bytes. Dropped versions go to `spare`.
    fn put(&mut self, key: Key, version: &Arc<Version>, half: usize, spare: &mut Vec<Version>) {
        if self.young.insert(key, Arc::clone(version)).is_none() {
            self.young_bytes += version.bytes_held();
        }
        if self.young_bytes > half {
            std::mem::swap(&mut self.old, &mut self.young);
            self.young_bytes = 0;
            let dropped = self.young.drain();
            spare.extend(dropped.filter_map(|(_, version)| Arc::into_inner(version)));
            spare.truncate(CHAIN);
        }
    }
}

/// A bounded cache of versions.
#[derive(Debug, Default)]
pub(crate) struct Versions {
    /// Derived by small deltas.
    cheap: Held,
    /// Made from whole files, from large deltas or more than once, and held longer.
    costly: Held,
    /// Dropped versions, whose memory is used again: fresh memory is expensive.
    spare: Vec<Version>,
    unknown: Unknown,
    texts: Texts,
    /// Room for the inflated deltas of a chain.
    inflated: Vec<u8>,
    counts: Counts,
    /// Hashes of what was made, at most [`MOST_MADE`].
    made: FxHashSet<u64>,
    /// Versions of other files are looked at too.
    many_files: bool,
}

/// What was made how often since the count began.
#[derive(Debug, Default)]
struct Counts {
    derived: u64,
    whole: u64,
    held: u64,
    again: u64,
}

/// Half of the cache holds about as many versions as a delta chain is long, within these bounds in
/// bytes: more would only be fresh memory, which costs more than deriving a version again.
const CHAIN: usize = 64;
const SMALLEST_HALF: usize = 1 << 20;
const LARGEST_HALF: usize = 12 << 20;
/// A version is costly to make again if more bytes than this part of its size had to be inflated
/// for it. Without that distinction, 11 of 19 MB inflated for vim's src/eval.c were inflated again.
const COSTLY: usize = 2;

/// Of so many versions it is known that they were made: the few that serve as bases again and again
/// are found so. On vim's runtime/doc/options.txt `-C` made 68,000 of 90,000 versions again, one of
/// them 131 times.
const MOST_MADE: usize = 1 << 17;

/// When lines are looked for in other files, what one file needs is multiplied by this. On config.c
/// of git.git `-C` made 3,575 of 10,958 versions again, and makes some 500.
const MANY: usize = 3;

/// A larger buffer for inflated deltas is not kept.
const MOST_INFLATED: usize = 16 << 20;

/// Longer chains than git ever writes are taken for a circle.
const LONGEST_CHAIN: usize = 1 << 16;

impl Versions {
    /// Forgets everything: tokens changed their meaning.
    pub(crate) fn clear(&mut self) {
        *self = Versions::default();
    }

    /// Says whether other files are looked at too: then more versions are held.
    pub(crate) fn expect_many_files(&mut self, many: bool) {
        self.many_files = many;
    }

    /// Counts from here.
    pub(crate) fn begin_count(&mut self) {
        self.counts = Counts::default();
        self.made.clear();
    }

    /// Tells what was counted.
    pub(crate) fn report(&self, work: &mut Work) {
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
        lines: &mut Lines,
    ) -> Result<Arc<Version>, Error> {
        match reader.position(id)? {
            Some(position) => self.packed(position, reader, lines),
            None => {
                if let Some(version) = self.cached(Key::Loose(*id)) {
                    return Ok(version);
                }
                let object = reader.object(id)?;
                self.whole(Key::Loose(*id), object.kind, &object.data, lines)
            }
        }
    }

    fn packed(
        &mut self,
        position: PackPosition,
        reader: &mut Reader,
        lines: &mut Lines,
    ) -> Result<Arc<Version>, Error> {
        let mut inflated = std::mem::take(&mut self.inflated);
        let version = self.derived(position, &mut inflated, reader, lines);
        if inflated.len() <= MOST_INFLATED {
            self.inflated = inflated;
        }
        version
    }

    fn derived(
        &mut self,
        position: PackPosition,
        inflated: &mut Vec<u8>,
        reader: &mut Reader,
        lines: &mut Lines,
    ) -> Result<Arc<Version>, Error> {
        let mut at = position;
        let mut chain: SmallVec<[(PackPosition, Range<usize>); 4]> = SmallVec::new();
        let mut start = 0;
        let mut version = loop {
            if let Some(version) = self.cached(Key::Packed(at)) {
                break version;
            }
            let (form, end) = reader.inflate_at(at, inflated, start)?;
            match form {
                Form::Whole(kind) => {
                    break self.whole(Key::Packed(at), kind, &inflated[start..end], lines)?;
                }
                Form::Delta(base) => {
                    if chain.len() == LONGEST_CHAIN {
                        return Err(Error::Damaged("a delta chain never ends"));
                    }
                    chain.push((at, start..end));
                    at.offset = base;
                    start = end;
                }
            }
        };
        let long = chain.len() > CHAIN;
        self.texts.see(at, &version, None);
        while let Some((at, delta)) = chain.pop() {
            let mut builder = self.builder();
            // Of a chain that is longer than the cache every so many versions are held longer:
            // without these, each part of it would be derived from its beginning again.
            let milestone = long && chain.len().is_multiple_of(CHAIN);
            let cost = if milestone { usize::MAX } else { delta.len() };
            let delta = &inflated[delta];
            self.counts.derived += 1;
            let text = self.texts.derive(delta, lines, &mut builder)?;
            if text.is_none() {
                builder.derive(&version, delta, lines)?;
            }
            version = Arc::new(self.finish(builder, lines)?);
            self.texts.see(at, &version, text);
            self.hold(Key::Packed(at), &version, cost);
        }
        Ok(version)
    }

    fn finish(&mut self, builder: Builder, lines: &mut Lines) -> Result<Version, Error> {
        let (version, unknown) = builder.finish(lines)?;
        self.unknown = unknown;
        Ok(version)
    }

    fn whole(
        &mut self,
        key: Key,
        kind: ObjectKind,
        data: &[u8],
        lines: &mut Lines,
    ) -> Result<Arc<Version>, Error> {
        if kind != ObjectKind::Blob {
            return Err(Error::Damaged("a tree names an object that is not a blob"));
        }
        let mut builder = self.builder();
        builder.insert(data, lines)?;
        self.counts.whole += 1;
        let version = Arc::new(self.finish(builder, lines)?);
        self.hold(key, &version, data.len());
        Ok(version)
    }

    /// As if there were so many files.
    fn files(&self) -> usize {
        if self.many_files { MANY } else { 1 }
    }

    fn cached(&mut self, key: Key) -> Option<Arc<Version>> {
        if let Some(version) = self.cheap.get(key) {
            self.counts.held += 1;
            self.remember(key, &version, 0);
            return Some(version);
        }
        let version = self.costly.get(key)?;
        self.counts.held += 1;
        self.remember(key, &version, usize::MAX);
        Some(version)
    }

    /// Holds a version that was made now, from so many inflated bytes.
    fn hold(&mut self, key: Key, version: &Arc<Version>, inflated: usize) {
        if self.made.len() == MOST_MADE {
            self.made.clear();
        }
        let again = !self.made.insert(FxBuildHasher.hash_one(key));
        self.counts.again += u64::from(again);
        self.remember(key, version, if again { usize::MAX } else { inflated });
    }

    fn remember(&mut self, key: Key, version: &Arc<Version>, inflated: usize) {
        if inflated > version.bytes_held() / COSTLY {
            let half = LARGEST_HALF * self.files();
            self.costly.put(key, version, half, &mut self.spare);
        } else {
            let half = CHAIN * version.bytes_held();
            let half = half.clamp(SMALLEST_HALF, LARGEST_HALF) * self.files();
            self.cheap.put(key, version, half, &mut self.spare);
        }
    }

    fn builder(&mut self) -> Builder {
        let version = self.spare.pop().unwrap_or_default();
        Builder::new(version, std::mem::take(&mut self.unknown))
    }
}
