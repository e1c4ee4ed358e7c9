//! The index of one pack: `.idx` files of versions 1 and 2.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use gix_hash::{Kind, ObjectId, Prefix, oid};

use crate::objects::{
    file_checksum,
    index::{
        fanout::{FANOUT_LEN, Fanout},
        id_search::prefix_of_bytes,
        record_table::RecordTable,
        sorted_ids::{IdList, IdWindow, SortedIds},
    },
    positioned_file::PositionedFile,
};

/// Marks an offset in the table of 64-bit ones.
const LARGE: u32 = 1 << 31;
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
    hash: Kind,
    ids: SortedIds,
    tables: IndexTables,
    /// All positions by their ids.
    by_id: OnceLock<Vec<u32>>,
    is_intact: OnceLock<bool>,
}

/// The tables of the file.
struct IndexTables {
    file: PositionedFile,
    id_len: usize,
    /// Ids; in version 1 each has its offset before it.
    ids: RecordTable,
    /// Offsets and 64-bit offsets. Version 1 has none, and its offsets are plain 32-bit numbers.
    offsets: Option<(RecordTable, RecordTable)>,
}

impl PackIndex {
    /// Opens the index at `path`; `None` unless its header, fanout table and length are consistent.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub(crate) fn open(path: &Path, hash: Kind) -> io::Result<Option<PackIndex>> {
        let file = PositionedFile::open(path)?;
        Ok(PackIndex::of_file(file, hash))
    }

    fn of_file(file: PositionedFile, hash: Kind) -> Option<PackIndex> {
        let mut header = [0; V2_SIGNATURE.len() + FANOUT_LEN];
        file.read_exact_at(&mut header, 0).ok()?;
        let is_v2 = header.starts_with(V2_SIGNATURE);
        if !is_v2 && header.starts_with(V2_MAGIC) {
            return None;
        }
        let start = if is_v2 { V2_SIGNATURE.len() } else { 0 };
        let fanout = Fanout::decode(header[start..].first_chunk()?)?;
        Some(PackIndex {
            hash,
            tables: IndexTables::new(is_v2, fanout.count(), hash, file)?,
            ids: SortedIds::new(fanout),
            by_id: OnceLock::new(),
            is_intact: OnceLock::new(),
        })
    }

    /// The checksum of the pack that it is the index of.
    pub(crate) fn pack_checksum(&self) -> Option<Vec<u8>> {
        checksum_in(&self.tables.file, self.hash)
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> u32 {
        self.ids.len()
    }

    /// The offset of `id` in the pack.
    #[inline]
    pub(crate) fn lookup(&self, id: &oid) -> Option<u64> {
        self.tables.offset(self.ids.find(id, &self.tables)?)
    }

    /// See [`SortedIds::expect_many_lookups`].
    pub(crate) fn expect_many_lookups(&self) {
        self.ids.expect_many_lookups();
    }

    /// True if a part of the file could not be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.tables.is_unreadable()
    }

    /// True if the ids among which `id` is searched are in order.
    pub(crate) fn is_sorted_around(&self, id: &oid) -> bool {
        self.ids.is_sorted_around(id, &self.tables)
    }

    /// True if the file has its checksum, its ids are in order, and each has an offset. Reads all
    /// of it once.
    pub(crate) fn is_intact(&self) -> bool {
        let tables = &self.tables;
        let is_intact = || {
            tables.load();
            file_checksum::is_valid(&tables.file, self.hash)
                && self.ids.is_sorted(tables)
                && (0..self.len()).all(|at| tables.offset(at).is_some())
        };
        *self.is_intact.get_or_init(is_intact) && !tables.is_unreadable()
    }

    /// The offsets of `id`, whatever the order of ids and the fanout table. Sorts all ids once.
    pub(crate) fn offsets_of(&self, id: &oid) -> impl Iterator<Item = u64> {
        let tables = &self.tables;
        let by_id = self.by_id.get_or_init(|| {
            tables.load();
            let mut all: Vec<u32> = (0..self.len()).collect();
            // Reading each id for each comparison would take too long, and each time anything could
            // be read.
            if tables.is_loaded() {
                all.sort_by_key(|&at| tables.id(at))
            } else {
                all.clear()
            }
            all
        });
        let first = by_id.partition_point(|&at| tables.id(at) < Some(id));
        let equal = by_id[first..].iter();
        equal
            .take_while(move |&&at| tables.id(at) == Some(id))
            .filter_map(|&at| tables.offset(at))
    }

    /// Length of the longest prefix, in hex digits, that `id` shares with another id.
    pub(crate) fn shared_digits(&self, id: &oid) -> Option<usize> {
        self.ids.shared_digits(id, &self.tables)
    }

    /// Adds the ids that begin with `wanted` to `found`; `None` if they cannot be read.
    pub(crate) fn with_prefix(&self, wanted: &Prefix, found: &mut Vec<ObjectId>) -> Option<()> {
        self.ids.with_prefix(wanted, &self.tables, found)
    }

    /// Prefetches what [`PackIndex::lookup`] of `id` will read.
    #[inline]
    pub(crate) fn prefetch(&self, id: &oid) {
        self.ids.prefetch(id, &self.tables);
    }

    /// The offsets of all objects with their positions in the index, in the order of ids.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = (u32, u64)> {
        const PER_READ: u32 = 4096;
        let firsts = (0..self.len()).step_by(PER_READ as usize);
        firsts.flat_map(|first| {
            let count = (self.len() - first).min(PER_READ);
            self.tables.offsets(first, count).unwrap_or_default()
        })
    }

    /// The id at a position of the index.
    pub(crate) fn id(&self, at: u32) -> Option<ObjectId> {
        self.ids.id(at, &self.tables)
    }
}

impl IndexTables {
    /// The tables of a file with `count` ids; `None` if its length is wrong.
    fn new(is_v2: bool, count: u32, hash: Kind, file: PositionedFile) -> Option<IndexTables> {
        let id_len = hash.len_in_bytes();
        let trailer = 2 * id_len as u64;
        if !is_v2 {
            let stride = 4 + id_len;
            let end = FANOUT_LEN as u64 + u64::from(count) * stride as u64;
            return (file.len() == end + trailer).then(|| IndexTables {
                id_len,
                ids: RecordTable::new(FANOUT_LEN as u64, stride, count),
                offsets: None,
                file,
            });
        }
        let ids = (V2_SIGNATURE.len() + FANOUT_LEN) as u64;
        // CRC-32 checksums of the entries are between them.
        let offsets = ids + u64::from(count) * (id_len as u64 + 4);
        let large = offsets + u64::from(count) * 4;
        let large_len = file.len().checked_sub(large + trailer)?;
        let large_count = u32::try_from(large_len / 8).ok()?;
        large_len.is_multiple_of(8).then(|| IndexTables {
            id_len,
            ids: RecordTable::new(ids, id_len, count),
            offsets: Some((
                RecordTable::new(offsets, 4, count),
                RecordTable::new(large, 8, large_count),
            )),
            file,
        })
    }

    /// The offset at a position; `None` if it is not valid or cannot be read.
    #[inline]
    fn offset(&self, at: u32) -> Option<u64> {
        let offset = self.small_offsets().array(&self.file, at)?;
        self.whole_offset(u32::from_be_bytes(offset))
    }

    /// The offsets of `count` objects from the position `first` on, with their positions, without
    /// those that are not valid; `None` if they cannot be read.
    fn offsets(&self, first: u32, count: u32) -> Option<Vec<(u32, u64)>> {
        let table = self.small_offsets();
        let mut records = vec![0; count as usize * table.record_len()];
        table.read(&self.file, first, &mut records)?;
        let offsets = (first..).zip(records.chunks_exact(table.record_len()));
        let whole = offsets.filter_map(|(at, record)| {
            let offset = u32::from_be_bytes(*record.first_chunk()?);
            Some((at, self.whole_offset(offset)?))
        });
        Some(whole.collect())
    }

    /// The table whose records begin with the offsets.
    #[inline]
    fn small_offsets(&self) -> &RecordTable {
        match &self.offsets {
            Some((offsets, _)) => offsets,
            None => &self.ids,
        }
    }

    /// The offset that one of the table stands for; `None` if it is not valid or cannot be read.
    #[inline]
    fn whole_offset(&self, offset: u32) -> Option<u64> {
        match &self.offsets {
            Some((_, large)) if offset & LARGE != 0 => {
                let offset = large.array(&self.file, offset & !LARGE)?;
                Some(u64::from_be_bytes(offset))
            }
            _ => Some(u64::from(offset)),
        }
    }

    /// All tables, the ids last.
    fn all(&self) -> impl Iterator<Item = &RecordTable> {
        let offsets = self.offsets.iter();
        let offsets = offsets.flat_map(|(offsets, large)| [offsets, large]);
        offsets.chain([&self.ids])
    }

    fn load(&self) {
        self.all().for_each(|table| table.load(&self.file));
    }

    fn is_unreadable(&self) -> bool {
        self.all().any(RecordTable::is_unreadable)
    }
}

impl IdList for IndexTables {
    #[inline]
    fn id(&self, at: u32) -> Option<&oid> {
        let record = self.ids.record(at)?;
        oid::try_from_bytes(&record[record.len() - self.id_len..]).ok()
    }

    fn prefixes(&self, range: Range<u32>) -> Option<impl ExactSizeIterator<Item = u64>> {
        let before = self.ids.record_len() - self.id_len;
        let records = self.ids.records(range)?;
        Some(records.map(move |record| prefix_of_bytes(&record[before..])))
    }

    #[inline]
    fn prefetch(&self, at: u32) {
        std::hint::black_box(self.offset(at));
    }

    fn read(&self, range: Range<u32>, window: &mut IdWindow) -> Option<()> {
        window.fill((&self.ids, self.id_len), &self.file, range)
    }

    #[inline]
    fn is_loaded(&self) -> bool {
        self.ids.is_loaded()
    }

    #[cold]
    fn load_part(&self) {
        self.all().all(|table| table.load_part(&self.file));
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
    fn objects_are_found() {
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
            let index = PackIndex::open(&path, missing.kind());
            let index = index.expect("it exists").expect("valid");
            assert_eq!(index.len() as usize, ids.len());
            for (at, id) in (0u64..).zip(ids).step_by(97) {
                assert_eq!(index.lookup(id), Some(offset(at)));
                assert_eq!(index.offsets_of(id).collect::<Vec<_>>(), [offset(at)]);
                assert_eq!(index.lookup(&missing), None);
                assert!(index.shared_digits(id) > Some(0) && index.is_sorted_around(id));
                assert_eq!(index.id(at as u32).as_ref(), Some(id));
            }
            assert!(!index.is_intact(), "it has no checksum");
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
            PackIndex::open(&path, Kind::Sha1).ok()??.lookup(&ids[5])
        };
        assert_eq!(lookup(&valid), Some(15));
        assert_eq!(lookup(&valid[..valid.len() - 1]), None);
        assert_eq!(lookup(&valid[..100]), None);
        let mut exchanged = valid.clone();
        exchanged[1032..1072].rotate_left(20);
        std::fs::write(&path, &exchanged).expect("written");
        let index = PackIndex::open(&path, Kind::Sha1);
        let index = index
            .expect("it exists")
            .expect("its tables are consistent");
        assert!(!index.is_sorted_around(&ids[0]) && index.is_sorted_around(&ids[5000]));
        for (nth, id) in [1, 0, 2].into_iter().zip(&ids) {
            assert_eq!(index.offsets_of(id).collect::<Vec<_>>(), [nth * 3]);
        }
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
            let Ok(Some(index)) = PackIndex::open(&path, Kind::Sha1) else {
                continue;
            };
            for id in ids.iter().chain(&ids) {
                index.lookup(id);
                index.shared_digits(id);
                index.prefetch(id);
                index.is_sorted_around(id);
                assert!(index.offsets_of(id).count() <= ids.len());
            }
            index.is_intact();
            assert!(index.offsets().count() <= ids.len());
        }
    }
}
