//! Versions of files as tokens, derived from each other the way the pack stores them.
//!
//! A packed version is usually a delta against another one: stretches to copy and a few bytes to
//! insert. Copied stretches are copied as tokens, so only lines that are new to a version are ever
//! hashed, and its bytes are never put together.

use std::{ops::Range, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{error::Error, profile::Work, unknown::Unknown, version::Version};
use crate::{
    diff::lines::Lines,
    objects::{
        Form, ObjectId, ObjectKind, PackPosition, Reader,
        delta::{Instruction, Instructions},
    },
};

impl Version {
    /// Cuts whole bytes into lines.
    pub(super) fn of(bytes: &[u8], lines: &mut Lines) -> Result<Version, Error> {
        let mut builder = Builder::default();
        builder.insert(bytes, lines)?;
        Ok(builder.finish(lines)?.0)
    }
}

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
pub(super) struct Versions {
    /// Derived by small deltas.
    cheap: Held,
    /// Made from whole files, from large deltas or by many, and held longer.
    costly: Held,
    /// Dropped versions, whose memory is used again: fresh memory is expensive.
    spare: Vec<Version>,
    unknown: Unknown,
    /// Room for the inflated deltas of a chain.
    inflated: Vec<u8>,
    counts: Counts,
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
    /// What was made, where that is to be known.
    made: Option<FxHashSet<Key>>,
}

impl Counts {
    fn note(&mut self, key: Key) {
        if let Some(made) = &mut self.made
            && !made.insert(key)
        {
            self.again += 1;
        }
    }
}

/// Half of the cache holds about as many versions as a delta chain is long, within these bounds in
/// bytes: more would only be fresh memory, which costs more than deriving a version again.
const CHAIN: usize = 64;
const SMALLEST_HALF: usize = 1 << 20;
const LARGEST_HALF: usize = 12 << 20;
/// A version is costly to make again if more bytes than this part of its size had to be inflated
/// for it. Without that distinction, 11 of 19 MB inflated for vim's src/eval.c were inflated again.
const COSTLY: usize = 2;

/// When lines are looked for in other files, what one file needs is multiplied by this. On config.c
/// of git.git `-C` made 3,575 of 10,958 versions again, and makes some 500.
const MANY: usize = 3;

/// A larger buffer for inflated deltas is not kept.
const MOST_INFLATED: usize = 16 << 20;

/// Longer chains than git ever writes are taken for a circle.
const LONGEST_CHAIN: usize = 1 << 16;

impl Versions {
    /// Forgets everything: tokens changed their meaning.
    pub(super) fn clear(&mut self) {
        *self = Versions::default();
    }

    /// Says whether other files are looked at too: then more versions are held.
    pub(super) fn expect_many_files(&mut self, many: bool) {
        self.many_files = many;
    }

    /// Counts from here. `closely`: what is made again too, which takes memory.
    pub(super) fn begin_count(&mut self, closely: bool) {
        self.counts = Counts {
            made: closely.then(FxHashSet::default),
            ..Counts::default()
        };
    }

    /// Tells what was counted.
    pub(super) fn report(&self, work: &mut Work) {
        work.versions_derived = self.counts.derived;
        work.versions_whole = self.counts.whole;
        work.versions_held = self.counts.held;
        work.versions_again = self.counts.again;
    }

    /// The lines of a stored blob.
    pub(super) fn blob(
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
        while let Some((at, delta)) = chain.pop() {
            let mut builder = self.builder();
            // Of a chain that is longer than the cache every so many versions are held longer:
            // without these, each part of it would be derived from its beginning again.
            let milestone = long && chain.len().is_multiple_of(CHAIN);
            let cost = if milestone { usize::MAX } else { delta.len() };
            builder.derive(&version, &inflated[delta], lines)?;
            self.counts.derived += 1;
            self.counts.note(Key::Packed(at));
            version = Arc::new(self.finish(builder, lines)?);
            self.remember(Key::Packed(at), &version, cost);
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
        self.counts.note(key);
        let version = Arc::new(self.finish(builder, lines)?);
        self.remember(key, &version, data.len());
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

    /// Holds a version that was made from so many inflated bytes.
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
        let mut version = self.spare.pop().unwrap_or_default();
        version.tokens.clear();
        version.ends.clear();
        let mut unknown = std::mem::take(&mut self.unknown);
        unknown.clear();
        Builder {
            version,
            unknown,
            cursor: 0,
            per_line: 1,
        }
    }
}

/// Puts a version together from whole lines and from pieces of lines.
#[derive(Debug, Default)]
struct Builder {
    version: Version,
    /// Lines that are not the base's, and the beginning of one.
    unknown: Unknown,
    /// The base's line after the one copied last: where the next copy probably begins.
    cursor: usize,
    /// How long the base's lines are on the average.
    per_line: u32,
}

/// The first line from `from` on that ends after the byte `at`. It is looked for from where it
/// should be if lines were `per_line` bytes long, at least one.
#[inline]
fn first_after(ends: &[u32], from: usize, at: u32, per_line: u32) -> usize {
    let start = if from == 0 { 0 } else { ends[from - 1] };
    let guess = from + (at.saturating_sub(start) / per_line) as usize;
    let mut step = 1;
    let (mut low, mut high) = (from, ends.len());
    if ends.get(guess).is_some_and(|&end| end <= at) {
        low = guess + 1;
        while let Some(&end) = ends.get(low + step - 1) {
            if end > at {
                high = low + step - 1;
                break;
            }
            low += step;
            step *= 2;
        }
    } else {
        high = guess.min(high);
        while let Some(probe) = high.checked_sub(step).filter(|&probe| probe >= from) {
            if ends[probe] <= at {
                low = probe + 1;
                break;
            }
            high = probe;
            step *= 2;
        }
    }
    low + ends[low..high].partition_point(|&end| end <= at)
}

impl Builder {
    /// Applies a delta to lines instead of bytes.
    fn derive(&mut self, base: &Version, delta: &[u8], lines: &mut Lines) -> Result<(), Error> {
        // Room for some more lines, so that versions that grow slowly need not move.
        let room = base.tokens.len() + base.tokens.len() / 16 + 8;
        self.version.tokens.reserve(room);
        self.version.ends.reserve(room);
        self.per_line = (base.len() / base.ends.len().max(1) as u32).max(1);
        let instructions = Instructions::new(delta).map_err(Error::Damaged)?;
        if instructions.base_len() != base.len() as usize {
            return Err(Error::Damaged("a delta was made against another base"));
        }
        for instruction in instructions {
            match instruction.map_err(Error::Damaged)? {
                Instruction::Copy { offset, len } => {
                    if self.unknown.is_open() {
                        self.unknown.cut(&mut self.version, lines)?;
                    }
                    self.copy(base, offset, len, lines)?;
                }
                // An instruction inserts 127 bytes at most: cutting into lines waits until the
                // last in a row, so that few lines are in pieces.
                Instruction::Insert(bytes) => self.unknown.append(bytes),
            }
        }
        Ok(())
    }

    /// Appends a whole text.
    fn insert(&mut self, bytes: &[u8], lines: &mut Lines) -> Result<(), Error> {
        self.unknown.append_file(bytes, &mut self.version, lines)
    }

    /// Copies `len` bytes of `base` from `offset`; both were checked against its length.
    fn copy(
        &mut self,
        base: &Version,
        offset: usize,
        len: usize,
        lines: &mut Lines,
    ) -> Result<(), Error> {
        let (from, to) = (offset as u32, (offset + len) as u32);
        let mut line = match self.cursor.checked_sub(1) {
            Some(before) if base.ends[before] > from => {
                first_after(&base.ends[..before], 0, from, self.per_line)
            }
            _ => first_after(&base.ends, self.cursor, from, self.per_line),
        };
        let mut at = from;
        while at < to {
            let start = if line == 0 { 0 } else { base.ends[line - 1] };
            let end = base.ends[line];
            if at == start && !self.unknown.is_open() {
                let whole = first_after(&base.ends, line, to, self.per_line);
                // The last line may lack its newline, and then something may follow it.
                let whole = if whole == base.ends.len() {
                    whole - 1
                } else {
                    whole
                };
                if whole > line {
                    self.copy_lines(base, line, whole);
                    at = base.ends[whole - 1];
                    line = whole;
                    continue;
                }
            }
            let stop = end.min(to);
            let piece =
                &lines.bytes(base.tokens[line])[(at - start) as usize..(stop - start) as usize];
            self.unknown.append(piece);
            if self.unknown.ends_line() {
                self.unknown.cut(&mut self.version, lines)?;
            }
            at = stop;
            line += 1;
        }
        self.cursor = line.min(base.ends.len());
        Ok(())
    }

    fn copy_lines(&mut self, base: &Version, from: usize, to: usize) {
        let start = if from == 0 { 0 } else { base.ends[from - 1] };
        let shift = self.version.len().wrapping_sub(start);
        self.version
            .tokens
            .extend_from_slice(&base.tokens[from..to]);
        self.version.ends.extend(
            base.ends[from..to]
                .iter()
                .map(|end| end.wrapping_add(shift)),
        );
    }

    /// Ends the last line. Gives the buffers back too.
    fn finish(mut self, lines: &mut Lines) -> Result<(Version, Unknown), Error> {
        self.unknown.finish(&mut self.version, lines)?;
        Ok((self.version, self.unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derive(base: &Version, delta: &[u8], lines: &mut Lines) -> Result<Version, Error> {
        let mut builder = Builder::default();
        builder.derive(base, delta, lines)?;
        Ok(builder.finish(lines)?.0)
    }

    /// Writes a delta: sizes, then for each step a copy (offset and length) or an insertion.
    fn delta(base: &[u8], steps: &[Result<(usize, usize), &[u8]>]) -> (Vec<u8>, Vec<u8>) {
        let mut result = Vec::new();
        let mut body = Vec::new();
        for step in steps {
            match step {
                Ok((offset, len)) => {
                    result.extend_from_slice(&base[*offset..offset + len]);
                    body.push(0x80 | 0x01 | 0x02 | 0x10);
                    body.extend([*offset as u8, (*offset >> 8) as u8, *len as u8]);
                }
                Err(bytes) => {
                    result.extend_from_slice(bytes);
                    body.push(bytes.len() as u8);
                    body.extend_from_slice(bytes);
                }
            }
        }
        let mut delta = Vec::new();
        for mut size in [base.len(), result.len()] {
            while size >= 0x80 {
                delta.push(size as u8 | 0x80);
                size >>= 7;
            }
            delta.push(size as u8);
        }
        delta.extend(body);
        (delta, result)
    }

    /// Deriving lines through a delta gives the lines of the bytes that the delta makes.
    #[track_caller]
    fn check(base: &[u8], steps: &[Result<(usize, usize), &[u8]>]) {
        let mut lines = Lines::new(false);
        let (delta, bytes) = delta(base, steps);
        let version = Version::of(base, &mut lines).expect("it is small");
        let derived = derive(&version, &delta, &mut lines).expect("the delta is sound");
        let whole = Version::of(&bytes, &mut lines).expect("it is small");
        assert_eq!(derived.tokens, whole.tokens);
        assert_eq!(derived.ends, whole.ends);
    }

    #[test]
    fn whole_lines_and_pieces() {
        let base = b"one\ntwo\nthree\nfour\n";
        check(base, &[Ok((0, 8)), Err(b"new\n"), Ok((8, 11))]);
        check(base, &[Ok((0, 5)), Err(b"ea"), Ok((6, 3)), Ok((2, 3))]);
        check(base, &[Err(b"x"), Ok((0, 19))]);
        check(base, &[]);
    }

    #[test]
    fn the_first_line_after_a_byte() {
        let mut ends = Vec::new();
        for line in 0..200_u32 {
            ends.push(ends.last().unwrap_or(&0) + 1 + line * line % 97);
        }
        for from in (0..ends.len()).step_by(7) {
            for at in 0..ends[ends.len() - 1] + 3 {
                let expected = from.max(ends.partition_point(|&end| end <= at));
                for per_line in [1, 45, 9000] {
                    assert_eq!(first_after(&ends, from, at, per_line), expected);
                }
            }
        }
        assert_eq!(first_after(&[], 0, 9, 1), 0);
    }

    #[test]
    fn a_last_line_without_its_newline_goes_on() {
        let base = b"one\ntwo";
        check(base, &[Ok((0, 7)), Err(b" and more\n"), Ok((0, 7))]);
        check(base, &[Ok((0, 7)), Ok((0, 7)), Ok((3, 4))]);
    }

    #[test]
    fn copies_that_go_back_and_repeat() {
        let base = b"a\nbb\nccc\ndddd\neeeee\n";
        check(
            base,
            &[Ok((9, 11)), Ok((0, 9)), Ok((2, 7)), Ok((2, 7)), Ok((5, 3))],
        );
    }

    #[test]
    fn random_deltas() {
        let base: Vec<u8> = (0..240_u32)
            .map(|at| if at * at % 7 == 3 { b'\n' } else { b'a' })
            .collect();
        let mut seed = 7_u32;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % below
        };
        for _ in 0..2000 {
            let inserts: [&[u8]; 4] = [b"x", b"\n", b"yy\nz", b"a\n\na"];
            let steps: Vec<_> = (0..next(6))
                .map(|_| match next(3) {
                    0 => Err(inserts[next(4)]),
                    _ => {
                        let offset = next(base.len() - 1);
                        Ok((offset, 1 + next((base.len() - offset).min(200))))
                    }
                })
                .collect();
            check(&base, &steps);
        }
    }

    #[test]
    fn a_delta_for_another_base_is_refused() {
        let mut lines = Lines::new(false);
        let version = Version::of(b"short\n", &mut lines).expect("it is small");
        let (delta, _) = delta(b"another one\n", &[Ok((0, 5))]);
        assert!(derive(&version, &delta, &mut lines).is_err());
    }
}
