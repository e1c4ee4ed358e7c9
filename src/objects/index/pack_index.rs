//! The index of one pack: `.idx` files of versions 1 and 2.
//!
//! The first lookups in a large index read the few records that they need with positioned reads: to
//! map a file, gix validates its whole offset table, which takes longer than all lookups of a short
//! blame. Later lookups use the mapping. Reading the index into memory instead would take five times
//! as long as mapping it, mostly for fresh memory (15 ms against 3 ms for 24 MB).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use gix_hash::{Kind, ObjectId, oid};
use gix_pack::index::File as MappedIndex;

use crate::objects::{
    file_checksum,
    index::{
        fanout::{FANOUT_LEN, Fanout},
        id_search::{InterpolationSearch, compare, shared_digits},
        sorted_ids::{IdList, SortedIds},
    },
    positioned_file::PositionedFile,
};

/// The mapping pays off after one lookup for each this many ids.
const IDS_PER_PREAD: u32 = 4096;
/// Ids read per probe; interpolation rarely misses by more.
const PROBE_LEN: u32 = 64;
/// The longest distance between two ids: an offset and an id.
const MAX_ID_STRIDE: usize = 4 + 32;
/// Marks an offset in the table of 64-bit ones.
const LARGE: u32 = 1 << 31;
/// Where the entries of a pack begin.
const PACK_HEADER_LEN: u64 = 12;
/// Bytes of a pack that are read at once to compare it.
const READ_LEN: u64 = 64 << 10;
/// Magic number and version at the start of version 2; version 1 starts with the fanout table.
const V2_SIGNATURE: &[u8; 8] = b"\xfftOc\0\0\0\x02";
const V2_MAGIC: &[u8] = b"\xfftOc";

/// The checksum of the pack in the index at `path`; `None` if it cannot be read.
pub(crate) fn pack_checksum(path: &Path, hash: Kind) -> Option<Vec<u8>> {
    checksum_in(&PositionedFile::open(path).ok()?, hash)
}

/// The checksum of the pack, which is before that of the index at its end.
fn checksum_in(file: &PositionedFile, hash: Kind) -> Option<Vec<u8>> {
    let mut checksum = vec![0; hash.len_in_bytes()];
    let at = file.len().checked_sub(2 * checksum.len() as u64)?;
    file.read_exact_at(&mut checksum, at).ok()?;
    Some(checksum)
}

/// A pack index. Can be used by several threads at once.
pub(crate) struct PackIndex {
    path: PathBuf,
    hash: Kind,
    file: PositionedFile,
    layout: Layout,
    ids: SortedIds,
    /// Lookups left that use positioned reads.
    preads_left: AtomicU32,
    mapping: OnceLock<Option<MappedIndex>>,
    /// The file was removed before it could be mapped.
    was_removed: AtomicBool,
}

/// Offsets of the tables in the file, in bytes.
struct Layout {
    id_len: usize,
    ids: u64,
    id_stride: usize,
    offsets: u64,
    offset_stride: usize,
    /// The table of CRC-32 checksums of entries. Version 1 has none.
    checksums: Option<u64>,
    /// The table of 64-bit offsets: its start and number of entries. Version 1 has none, and its
    /// offsets are plain 32-bit numbers.
    large_offsets: Option<(u64, u64)>,
}

impl PackIndex {
    /// Opens the index at `path`; `None` unless its header, fanout table and length are consistent.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub(crate) fn open(path: PathBuf, hash: Kind) -> io::Result<Option<PackIndex>> {
        let file = PositionedFile::open(&path)?;
        Ok(PackIndex::of_file(path, file, hash))
    }

    fn of_file(path: PathBuf, file: PositionedFile, hash: Kind) -> Option<PackIndex> {
        let mut header = [0; V2_SIGNATURE.len() + FANOUT_LEN];
        file.read_exact_at(&mut header, 0).ok()?;
        let is_v2 = header.starts_with(V2_SIGNATURE);
        if !is_v2 && header.starts_with(V2_MAGIC) {
            return None;
        }
        let start = if is_v2 { V2_SIGNATURE.len() } else { 0 };
        let fanout = Fanout::decode(header[start..].first_chunk()?)?;
        let layout = Layout::new(is_v2, fanout.count(), hash, file.len())?;
        Some(PackIndex {
            path,
            hash,
            file,
            layout,
            preads_left: AtomicU32::new(fanout.count() / IDS_PER_PREAD),
            ids: SortedIds::new(fanout),
            mapping: OnceLock::new(),
            was_removed: AtomicBool::new(false),
        })
    }

    /// The checksum of the pack that it is the index of.
    pub(crate) fn pack_checksum(&self) -> Option<Vec<u8>> {
        checksum_in(&self.file, self.hash)
    }

    /// Length of the file in bytes.
    pub(crate) fn file_len(&self) -> u64 {
        self.file.len()
    }

    /// The offsets, ascending, at which `pack` does not have what the index says, by its order and its checksums of
    /// entries. An index of version 1 has no such checksums: all are wrong if its own is. Reads both files. `None` if one cannot
    /// be read.
    pub(crate) fn wrong_offsets(&self, pack: &PositionedFile) -> Option<Vec<u64>> {
        let mut bytes = vec![0; usize::try_from(self.file.len()).ok()?];
        self.file.read_exact_at(&mut bytes, 0).ok()?;
        let table = IndexTable {
            bytes: &bytes,
            layout: &self.layout,
        };
        let count = self.ids.len();
        let mut entries: Vec<(u64, u32)> = Vec::with_capacity(count as usize);
        for at in 0..count {
            entries.push((table.offset(at).unwrap_or(u64::MAX), at));
        }
        entries.sort_unstable();
        let mut wrong: Vec<u64> = match table.layout.checksums {
            Some(_) => Vec::new(),
            None if file_checksum::is_valid(&bytes, self.hash) => Vec::new(),
            None => return Some(entries.iter().map(|(offset, _)| *offset).collect()),
        };
        for first in 0..=255 {
            let (low, high) = self.ids.bucket_of(usize::from(first));
            table.misplaced(first, low..high, |at| wrong.extend(table.offset(at)));
        }
        let end = pack.len().checked_sub(self.hash.len_in_bytes() as u64)?;
        let mut sums = PackSums::new(pack);
        for (nth, &(offset, at)) in entries.iter().enumerate() {
            let next = entries.get(nth + 1).map_or(end, |next| next.0.min(end));
            let is_right = offset >= PACK_HEADER_LEN
                && offset < next
                && table
                    .checksum(at)
                    .is_none_or(|sum| sums.of(offset..next) == Some(sum));
            if !is_right {
                wrong.push(offset);
            }
        }
        // Wherever an offset is wrong, another entry ends elsewhere or is another one too. This is damage of a checksum, or
        // of the entry, which is noticed when it is read.
        if wrong.len() == 1 {
            wrong.clear();
        }
        wrong.sort_unstable();
        Some(wrong)
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> u32 {
        self.ids.len()
    }

    /// The offset of `id` in the pack.
    #[inline]
    pub(crate) fn lookup(&self, id: &oid) -> Option<u64> {
        match self.mapping.get() {
            Some(Some(mapping)) => self.lookup_in(mapping, id),
            Some(None) => self.lookup_unmapped(id),
            None => self.first_lookup(id),
        }
    }

    /// Whether gix has found it damaged: then it has no object.
    pub(crate) fn is_damaged(&self) -> bool {
        matches!(self.mapping.get(), Some(None)) && !self.was_removed.load(Ordering::Relaxed)
    }

    /// Length of the longest prefix, in hex digits, that `id` shares with another id.
    pub(crate) fn shared_digits(&self, id: &oid) -> Option<usize> {
        if self.mapping.get().is_none() && self.take_pread() {
            let (low, high) = self.ids.bucket(id);
            let shared = shared_digits(id, low, high, self.id_reader(low, high));
            if shared.is_some() {
                return shared;
            }
        }
        self.ids.shared_digits(id, self.mapping()?)
    }

    /// Prefetches what [`PackIndex::lookup`] of `id` will read, if the index is mapped.
    #[inline]
    pub(crate) fn prefetch(&self, id: &oid) {
        if let Some(Some(mapping)) = self.mapping.get() {
            self.ids.prefetch(id, mapping);
        }
    }

    /// The offsets of all objects with their positions in the index, in the order of ids. Maps the
    /// index.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = (u32, u64)> {
        let mapping = self.mapping();
        mapping.into_iter().flat_map(|mapping| {
            (0..mapping.num_objects()).map(|at| (at, mapping.pack_offset_at_index(at)))
        })
    }

    /// The id at a position of the index. Maps the index.
    pub(crate) fn id(&self, at: u32) -> Option<ObjectId> {
        let mapping = self.mapping()?;
        (at < mapping.num_objects()).then(|| mapping.oid_at_index(at).to_owned())
    }

    /// The mapped index; `None` if gix finds it damaged.
    #[inline]
    fn mapping(&self) -> Option<&MappedIndex> {
        self.mapping.get_or_init(|| self.map()).as_ref()
    }

    #[cold]
    fn map(&self) -> Option<MappedIndex> {
        let Ok(mapping) = MappedIndex::at(&self.path, self.hash) else {
            self.was_removed
                .store(!self.path.exists(), Ordering::Relaxed);
            return None;
        };
        (mapping.num_objects() == self.len()).then_some(mapping)
    }

    #[inline]
    fn lookup_in(&self, mapping: &MappedIndex, id: &oid) -> Option<u64> {
        let at = self.ids.find(id, mapping)?;
        Some(mapping.pack_offset_at_index(at))
    }

    #[cold]
    fn first_lookup(&self, id: &oid) -> Option<u64> {
        if self.take_pread()
            && let Some(offset) = self.lookup_by_pread(id)
        {
            return offset;
        }
        match self.mapping() {
            Some(mapping) => self.lookup_in(mapping, id),
            None => self.lookup_unmapped(id),
        }
    }

    /// The offset of `id` if the file cannot be mapped because it was removed after it had been opened.
    #[cold]
    fn lookup_unmapped(&self, id: &oid) -> Option<u64> {
        let was_removed = self.was_removed.load(Ordering::Relaxed);
        was_removed.then(|| self.lookup_by_pread(id))?.flatten()
    }

    /// Uses up one of the lookups by positioned reads; false if none are left.
    fn take_pread(&self) -> bool {
        // Two threads may take the same one, which does no harm.
        let left = self.preads_left.load(Ordering::Relaxed);
        self.preads_left
            .store(left.saturating_sub(1), Ordering::Relaxed);
        left > 0
    }

    /// The offset of `id`, `Some(None)` if it is not in the index, `None` on a read error or an
    /// invalid offset.
    fn lookup_by_pread(&self, id: &oid) -> Option<Option<u64>> {
        let (low, high) = self.ids.bucket(id);
        let mut read_id = self.id_reader(low, high);
        let mut search = InterpolationSearch::new(id, low, high);
        search.run(|at| Some(compare(&read_id(at)?, id)))?;
        match search.found {
            Some(at) => self.read_offset(at).map(Some),
            None => Some(None),
        }
    }

    /// Reads ids at positions in `low..high`, [`PROBE_LEN`] at a time.
    fn id_reader(&self, low: u32, high: u32) -> impl FnMut(u32) -> Option<ObjectId> {
        let Layout {
            id_len,
            ids,
            id_stride,
            ..
        } = self.layout;
        let mut bytes = [0; PROBE_LEN as usize * MAX_ID_STRIDE];
        let (mut start, mut end) = (0, 0);
        move |at| {
            if !(start..end).contains(&at) {
                start = at.saturating_sub(PROBE_LEN / 2).max(low);
                end = start.saturating_add(PROBE_LEN).min(high);
                let bytes = bytes.get_mut(..end.checked_sub(start)? as usize * id_stride)?;
                let offset = ids + u64::from(start) * id_stride as u64;
                self.file.read_exact_at(bytes, offset).ok()?;
            }
            let index = at.checked_sub(start)? as usize * id_stride;
            ObjectId::try_from(bytes.get(index..index + id_len)?).ok()
        }
    }

    /// Reads the pack offset at a position of the index.
    fn read_offset(&self, at: u32) -> Option<u64> {
        let layout = &self.layout;
        let mut bytes = [0; 4];
        let start = layout.offsets + u64::from(at) * layout.offset_stride as u64;
        self.file.read_exact_at(&mut bytes, start).ok()?;
        let offset = u32::from_be_bytes(bytes);
        match layout.large_offsets {
            Some((start, count)) if offset & LARGE != 0 => {
                let index = u64::from(offset & !LARGE);
                if index >= count {
                    return None;
                }
                let mut bytes = [0; 8];
                self.file
                    .read_exact_at(&mut bytes, start + index * 8)
                    .ok()?;
                Some(u64::from_be_bytes(bytes))
            }
            _ => Some(u64::from(offset)),
        }
    }

    #[cfg(test)]
    fn is_mapped(&self) -> bool {
        self.mapping.get().is_some()
    }
}

impl Layout {
    /// The layout of an index with `count` ids and `len` bytes; `None` if the length is wrong.
    fn new(is_v2: bool, count: u32, hash: Kind, len: u64) -> Option<Layout> {
        let id_len = hash.len_in_bytes();
        let count = u64::from(count);
        let trailer = 2 * id_len as u64;
        let fanout_len = FANOUT_LEN as u64;
        if !is_v2 {
            let stride = 4 + id_len;
            let end = fanout_len + count * stride as u64;
            return (len == end + trailer).then_some(Layout {
                id_len,
                ids: fanout_len + 4,
                id_stride: stride,
                offsets: fanout_len,
                offset_stride: stride,
                checksums: None,
                large_offsets: None,
            });
        }
        let ids = V2_SIGNATURE.len() as u64 + fanout_len;
        let checksums = ids + count * id_len as u64;
        let offsets = checksums + count * 4;
        let large = offsets + count * 4;
        let large_len = len.checked_sub(large + trailer)?;
        large_len.is_multiple_of(8).then_some(Layout {
            id_len,
            ids,
            id_stride: id_len,
            offsets,
            offset_stride: 4,
            checksums: Some(checksums),
            large_offsets: Some((large, large_len / 8)),
        })
    }
}

/// The tables of an index that was read whole.
struct IndexTable<'a> {
    bytes: &'a [u8],
    layout: &'a Layout,
}

impl IndexTable<'_> {
    fn id(&self, at: u32) -> Option<&[u8]> {
        let start = self.layout.ids as usize + at as usize * self.layout.id_stride;
        self.bytes.get(start..start + self.layout.id_len)
    }

    fn number(&self, start: u64) -> Option<u32> {
        let bytes = self.bytes.get(usize::try_from(start).ok()?..)?;
        Some(u32::from_be_bytes(*bytes.first_chunk()?))
    }

    fn checksum(&self, at: u32) -> Option<u32> {
        self.number(self.layout.checksums? + u64::from(at) * 4)
    }

    fn offset(&self, at: u32) -> Option<u64> {
        let start = self.layout.offsets + u64::from(at) * self.layout.offset_stride as u64;
        let offset = self.number(start)?;
        match self.layout.large_offsets {
            Some((start, count)) if offset & LARGE != 0 => {
                let index = u64::from(offset & !LARGE);
                let start = (index < count).then_some(start + index * 8)?;
                let high = u64::from(self.number(start)?);
                Some(high << 32 | u64::from(self.number(start + 4)?))
            }
            _ => Some(u64::from(offset)),
        }
    }

    /// Reports the positions among those of ids with the byte `first` whose id begins with another byte, or is not between
    /// all before it and all after it.
    fn misplaced(&self, first: u8, positions: std::ops::Range<u32>, mut report: impl FnMut(u32)) {
        let is_own = |id: &[u8]| id.first() == Some(&first);
        let mut highest: Option<&[u8]> = None;
        for at in positions.clone() {
            let id = self.id(at).unwrap_or_default();
            if !is_own(id) || highest.is_some_and(|highest| id <= highest) {
                report(at);
            }
            highest = highest.max(Some(id).filter(|id| is_own(id)));
        }
        let mut lowest: Option<&[u8]> = None;
        for at in positions.rev() {
            let id = self.id(at).unwrap_or_default();
            if lowest.is_some_and(|lowest| id >= lowest) {
                report(at);
            }
            if is_own(id) && lowest.is_none_or(|lowest| id < lowest) {
                lowest = Some(id);
            }
        }
    }
}

/// Checksums of the entries of a pack, which is read from its start to its end.
struct PackSums<'a> {
    pack: &'a PositionedFile,
    /// What was read last, and where it begins.
    bytes: Vec<u8>,
    start: u64,
}

impl PackSums<'_> {
    fn new(pack: &PositionedFile) -> PackSums<'_> {
        PackSums {
            pack,
            bytes: Vec::new(),
            start: 0,
        }
    }

    /// The CRC-32 of a range; `None` if it cannot be read.
    fn of(&mut self, range: std::ops::Range<u64>) -> Option<u32> {
        let (mut sum, mut at) = (0, range.start);
        while at < range.end {
            let known = at
                .checked_sub(self.start)
                .and_then(|skipped| self.bytes.get(usize::try_from(skipped).ok()?..));
            let Some(known) = known.filter(|known| !known.is_empty()) else {
                let len = (self.pack.len() - at).min(READ_LEN);
                self.bytes.resize(len as usize, 0);
                self.start = at;
                if self.pack.read_exact_at(&mut self.bytes, at).is_err() {
                    self.bytes.clear();
                    return None;
                }
                continue;
            };
            let known = &known[..known.len().min((range.end - at) as usize)];
            sum = zlib_rs::crc32::crc32(sum, known);
            at += known.len() as u64;
        }
        Some(sum)
    }
}

impl IdList for MappedIndex {
    #[inline]
    fn id(&self, at: u32) -> &oid {
        self.oid_at_index(at)
    }

    #[inline]
    fn prefetch(&self, at: u32) {
        std::hint::black_box(self.pack_offset_at_index(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::{index::sorted_ids::tests::many_ids, test_rng::TestRng};

    /// An index of these ids, the `nth` of which is at the offset that `offset` gives.
    fn index(version: u32, ids: &[ObjectId], offset: impl Fn(u64) -> u64) -> Vec<u8> {
        let mut fanout = Vec::new();
        for first in 0..=255 {
            let count = ids.iter().filter(|id| id.first_byte() <= first).count();
            fanout.extend((count as u32).to_be_bytes());
        }
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for nth in 0..ids.len() as u64 {
            let offset = offset(nth);
            match u32::try_from(offset) {
                Ok(offset) if version == 1 || offset >> 31 == 0 => small.push(offset),
                _ => {
                    small.push(1 << 31 | large.len() as u32);
                    large.push(offset);
                }
            }
        }
        let mut data = Vec::new();
        if version == 1 {
            data.extend(fanout);
            for (id, offset) in ids.iter().zip(small) {
                data.extend(offset.to_be_bytes());
                data.extend(id.as_slice());
            }
        } else {
            data.extend(V2_SIGNATURE);
            data.extend(fanout);
            ids.iter().for_each(|id| data.extend(id.as_slice()));
            data.resize(data.len() + 4 * ids.len(), 0);
            small.iter().for_each(|it| data.extend(it.to_be_bytes()));
            large.iter().for_each(|it| data.extend(it.to_be_bytes()));
        }
        let trailer = ids.first().map_or(20, |id| id.as_slice().len()) * 2;
        data.resize(data.len() + trailer, 0);
        data
    }

    fn sha256(ids: &[ObjectId]) -> Vec<ObjectId> {
        let widen = |id: &ObjectId| {
            let mut bytes = [7; 32];
            bytes[..20].copy_from_slice(id.as_slice());
            ObjectId::from(bytes)
        };
        ids.iter().map(widen).collect()
    }

    #[test]
    fn first_lookups_do_not_map_the_index_and_later_ones_agree() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("it.idx");
        let ids = many_ids();
        let small = |nth: u64| nth * 3 + 12;
        let large = |nth: u64| {
            if nth.is_multiple_of(3) {
                nth << 33
            } else {
                nth + 12
            }
        };
        let high = |nth: u64| u64::from(u32::MAX) - nth;
        type Offset<'a> = &'a dyn Fn(u64) -> u64;
        let cases: [(u32, &[ObjectId], Offset<'_>); 6] = [
            (1, &ids, &small),
            (1, &ids, &high),
            (1, &sha256(&ids), &small),
            (2, &ids, &small),
            (2, &ids, &large),
            (2, &sha256(&ids), &large),
        ];
        for (version, ids, offset) in cases {
            let missing = ObjectId::from_bytes_or_panic(&[0x77; 32][..ids[0].as_slice().len()]);
            std::fs::write(&path, index(version, ids, offset)).expect("written");
            for (at, id) in (0u64..).zip(ids).step_by(97) {
                let index = PackIndex::open(path.clone(), missing.kind());
                let index = index.expect("it exists").expect("valid");
                assert_eq!(index.len() as usize, ids.len());
                assert_eq!(index.lookup(id), Some(offset(at)));
                assert_eq!(index.lookup(&missing), None);
                let shared = index.shared_digits(id);
                assert!(!index.is_mapped());
                assert_eq!((0..9).find_map(|_| index.lookup(&missing)), None);
                assert!(index.is_mapped());
                assert_eq!(index.lookup(id), Some(offset(at)));
                assert_eq!(index.shared_digits(id), shared);
                assert!(shared > Some(0));
                assert_eq!(index.id(at as u32).as_ref(), Some(id));
            }
            let index = PackIndex::open(path.clone(), missing.kind());
            let index = index.expect("it exists").expect("valid");
            let offsets: Vec<_> = index.offsets().collect();
            let expected = (0..ids.len() as u64).map(|nth| (nth as u32, offset(nth)));
            assert!(offsets == expected.collect::<Vec<_>>());
            assert_eq!(index.id(ids.len() as u32), None);
        }
    }

    #[test]
    fn damaged_indexes_have_no_objects() {
        let ids = many_ids();
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("it.idx");
        let valid = index(2, &ids, |nth| nth * 3);
        let lookup = |index: &[u8]| {
            std::fs::write(&path, index).expect("written");
            PackIndex::open(path.clone(), Kind::Sha1)
                .ok()??
                .lookup(&ids[5])
        };
        assert_eq!(lookup(&valid), Some(15));
        assert_eq!(lookup(&valid[..valid.len() - 1]), None);
        assert_eq!(lookup(&valid[..100]), None);
        let mut large_offset = valid.clone();
        large_offset[1032 + ids.len() * 24 + 20] = 0x80;
        assert_eq!(lookup(&large_offset), None);
        let mut fanout = valid.clone();
        fanout[8] = 0xff;
        assert_eq!(lookup(&fanout), None);
        let mut count = valid.clone();
        count[8 + 1020] = 0xff;
        assert_eq!(lookup(&count), None);
        let mut version = valid;
        version[7] = 3;
        assert_eq!(lookup(&version), None);
    }

    #[test]
    fn random_damage_never_panics() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("it.idx");
        let ids: Vec<ObjectId> = many_ids().into_iter().step_by(401).collect();
        let mut rng = TestRng(3);
        for round in 0..600 {
            let version = 1 + (round % 2);
            let mut data = index(version, &ids, |nth| nth << (round % 40));
            for _ in 0..=round % 3 {
                let at = rng.below(data.len());
                data[at] = rng.below(256) as u8;
            }
            if round % 5 == 0 {
                data.truncate(rng.below(data.len()));
            }
            std::fs::write(&path, &data).expect("written");
            let Ok(Some(index)) = PackIndex::open(path.clone(), Kind::Sha1) else {
                continue;
            };
            index.preads_left.store(ids.len() as u32, Ordering::Relaxed);
            for id in ids.iter().chain(&ids) {
                index.lookup(id);
                index.shared_digits(id);
                index.prefetch(id);
            }
            assert!(index.offsets().count() <= ids.len());
        }
    }
}
