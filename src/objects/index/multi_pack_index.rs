//! The multi-pack-index: one list of the objects of many packs.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gix_hash::{Kind, ObjectId, Prefix, oid};

use crate::{
    objects::{
        chunk_table::ChunkTable,
        error::Reason,
        file_checksum,
        index::{
            fanout::Fanout,
            id_search::prefix_of_bytes,
            record_table::RecordTable,
            sorted_ids::{IdList, IdWindow, SortedIds},
        },
        positioned_file::PositionedFile,
    },
    system::{self, memory},
};

const HEADER_LEN: u64 = 12;
/// Marks an offset in the table of 64-bit ones, if there is one.
const LARGE: u32 = 1 << 31;

const DAMAGED: Reason = "the multi-pack-index has an invalid record";

/// A multi-pack-index. Can be used by several threads at once.
pub(crate) struct MultiPackIndex {
    path: PathBuf,
    hash: Kind,
    ids: SortedIds,
    tables: MultiIndexTables,
    /// Pack numbers in the store, by pack id in the index.
    packs: Vec<u32>,
    is_intact: OnceLock<bool>,
}

/// The tables of the file.
struct MultiIndexTables {
    file: PositionedFile,
    ids: RecordTable,
    /// Pack ids and offsets.
    places: RecordTable,
    large_offsets: Option<RecordTable>,
}

impl MultiPackIndex {
    /// Opens the index at `path` if it uses this hash and its tables are consistent. `number` maps
    /// the name of a pack's own index to the pack's number in the store.
    pub(crate) fn open(
        path: &Path,
        hash: Kind,
        number: impl FnMut(PathBuf) -> u32,
    ) -> Option<MultiPackIndex> {
        let file = PositionedFile::open(path).ok()?;
        let header: [u8; HEADER_LEN as usize] = file.array(0)?;
        let kind = match hash {
            Kind::Sha1 => 1,
            _ => 2,
        };
        let [b'M', b'I', b'D', b'X', 1, of_hash, chunks, _, packs @ ..] = header else {
            return None;
        };
        if of_hash != kind {
            return None;
        }
        let end = file.len().checked_sub(hash.len_in_bytes() as u64)?;
        let table = ChunkTable::read(HEADER_LEN, chunks, end, |at| file.array(at)).ok()?;
        let fanout = Fanout::decode(&file.array(table.chunk(b"OIDF")?.start)?)?;
        let names = pack_names(&file, &table, u32::from_be_bytes(packs))?;
        let records = |name: &[u8; 4], len: usize, count: u32| {
            let chunk = table.chunk(name)?;
            let is_right = chunk.len == u64::from(count) * len as u64;
            is_right.then(|| RecordTable::new(chunk.start, len, count))
        };
        let large = table.chunk(b"LOFF").map(|chunk| chunk.len / 8);
        let tables = MultiIndexTables {
            ids: records(b"OIDL", hash.len_in_bytes(), fanout.count())?,
            places: records(b"OOFF", 8, fanout.count())?,
            large_offsets: match large {
                Some(count) => Some(records(b"LOFF", 8, u32::try_from(count).ok()?)?),
                None => None,
            },
            file,
        };
        Some(MultiPackIndex {
            path: path.to_owned(),
            hash,
            ids: SortedIds::new(fanout),
            tables,
            packs: names.into_iter().map(number).collect(),
            is_intact: OnceLock::new(),
        })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The store's numbers of the covered packs.
    pub(crate) fn packs(&self) -> &[u32] {
        &self.packs
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> u32 {
        self.ids.len()
    }

    /// True if the file has its checksum, its ids are in order, and each has a place. Reads all of
    /// it once.
    pub(crate) fn is_intact(&self) -> bool {
        let tables = &self.tables;
        let is_intact = || {
            tables.load();
            file_checksum::is_valid(&tables.file, self.hash)
                && self.ids.is_sorted(tables)
                && (0..self.len()).all(|at| self.place(at).is_some())
        };
        *self.is_intact.get_or_init(is_intact) && !tables.is_unreadable()
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

    /// Length of the longest prefix, in hex digits, that `id` shares with another id.
    pub(crate) fn shared_digits(&self, id: &oid) -> Option<usize> {
        self.ids.shared_digits(id, &self.tables)
    }

    /// Pack number in the store and offset in the pack; `None` if `id` is not listed.
    ///
    /// # Errors
    ///
    /// The index is damaged: `id` is listed, but where it is cannot be told.
    #[inline]
    pub(crate) fn lookup(&self, id: &oid) -> Result<Option<(u32, u64)>, Reason> {
        match self.ids.find(id, &self.tables) {
            Some(at) => self.place(at).ok_or(DAMAGED).map(Some),
            None => Ok(None),
        }
    }

    /// Adds the ids that begin with `wanted` to `found`; `None` if they cannot be read.
    pub(crate) fn with_prefix(&self, wanted: &Prefix, found: &mut Vec<ObjectId>) -> Option<()> {
        self.ids.with_prefix(wanted, &self.tables, found)
    }

    /// Prefetches what [`MultiPackIndex::lookup`] of `id` will read.
    #[inline]
    pub(crate) fn prefetch(&self, id: &oid) {
        self.ids.prefetch(id, &self.tables);
    }

    #[inline]
    fn place(&self, at: u32) -> Option<(u32, u64)> {
        let (pack, offset) = self.tables.place(at)?;
        Some((*self.packs.get(pack as usize)?, offset))
    }
}

impl MultiIndexTables {
    /// Pack id and offset at a position.
    #[inline]
    fn place(&self, at: u32) -> Option<(u32, u64)> {
        let place = u64::from_be_bytes(self.places.array(&self.file, at)?);
        let (pack, offset) = ((place >> 32) as u32, place as u32);
        match &self.large_offsets {
            Some(large) if offset & LARGE != 0 => {
                let offset = large.array(&self.file, offset & !LARGE)?;
                Some((pack, u64::from_be_bytes(offset)))
            }
            _ => Some((pack, u64::from(offset))),
        }
    }

    /// All tables, the ids last.
    fn all(&self) -> impl Iterator<Item = &RecordTable> {
        let large = self.large_offsets.as_ref();
        large.into_iter().chain([&self.places, &self.ids])
    }

    fn load(&self) {
        self.all().for_each(|table| table.load(&self.file));
    }

    fn is_unreadable(&self) -> bool {
        self.all().any(RecordTable::is_unreadable)
    }
}

impl IdList for MultiIndexTables {
    #[inline]
    fn id(&self, at: u32) -> Option<&oid> {
        oid::try_from_bytes(self.ids.record(at)?).ok()
    }

    fn prefixes(&self, range: Range<u32>) -> Option<impl ExactSizeIterator<Item = u64>> {
        Some(self.ids.records(range)?.map(prefix_of_bytes))
    }

    #[inline]
    fn prefetch(&self, at: u32) {
        std::hint::black_box(self.place(at));
    }

    fn read(&self, range: Range<u32>, window: &mut IdWindow) -> Option<()> {
        window.fill((&self.ids, self.ids.record_len()), &self.file, range)
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

/// The names of the packs' own indexes; `None` unless there are `count` in ascending order.
fn pack_names(file: &PositionedFile, table: &ChunkTable, count: u32) -> Option<Vec<PathBuf>> {
    let chunk = table.chunk(b"PNAM")?;
    let len = usize::try_from(chunk.len).ok()?;
    if !memory::is_available(len) {
        return None;
    }
    let mut bytes = vec![0; len];
    file.read_exact_at(&mut bytes, chunk.start).ok()?;
    let mut rest = &*bytes;
    let mut names: Vec<PathBuf> = Vec::new();
    for _ in 0..count {
        let (name, after) = rest.split_at_checked(memchr::memchr(0, rest)?)?;
        let name = system::path_from_bytes(name.to_vec())?;
        if names.last().is_some_and(|last| *last >= name) {
            return None;
        }
        names.push(name);
        rest = &after[1..];
    }
    Some(names)
}
