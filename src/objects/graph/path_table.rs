//! The changed paths in the file of a remembered history.
//!
//! Three chunks follow those of a commit-graph: which commits are known, a table of paths sorted by
//! hash, and their records. Each record has a CRC-32 in the table, so that a blame reads only that
//! of its path; the file's own covers the rest.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use bstr::BString;
use gix_hash::Kind;

use crate::objects::{
    chunk_table::ChunkRange,
    graph::{bits::BitSet, block_file::BlockFile, path_records::PathRecords},
};

/// Length in bytes of an entry of the table: the hash of a path, the start and the length of its
/// record, and the record's CRC-32.
const ENTRY_LEN: u64 = 24;

/// Where the changed paths are in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathTable {
    known: ChunkRange,
    table: ChunkRange,
    records: ChunkRange,
    /// The number of commits in the file.
    commits: u32,
}

/// An entry of the table.
struct TableEntry {
    hash: u64,
    start: u64,
    len: u32,
    crc: u32,
}

impl PathTable {
    /// The names of the chunks.
    pub(crate) const CHUNKS: [[u8; 4]; 3] = [*b"PKNO", *b"PTAB", *b"PREC"];

    /// `None` if the lengths of the chunks are not right for so many commits.
    pub(crate) fn new(
        known: ChunkRange,
        table: ChunkRange,
        records: ChunkRange,
        commits: u32,
    ) -> Option<PathTable> {
        let fits = known.len == u64::from(commits.div_ceil(8))
            && table.len.is_multiple_of(ENTRY_LEN)
            && u32::try_from(table.len / ENTRY_LEN).is_ok();
        fits.then_some(PathTable {
            known,
            table,
            records,
            commits,
        })
    }

    /// Where the records start, which have checksums of their own.
    pub(crate) fn records_start(&self) -> u64 {
        self.records.start
    }

    /// The commits whose changes are known.
    pub(crate) fn known(&self, file: &BlockFile) -> Option<BitSet> {
        file.with_bytes(
            self.known.start,
            self.known.len as usize,
            BitSet::from_bytes,
        )
    }

    /// The records of `path`, which are empty if no known commit changes it. `None` if they are
    /// damaged.
    pub(crate) fn find(&self, file: &BlockFile, hash: Kind, path: &[u8]) -> Option<PathRecords> {
        let wanted = path_hash(path);
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(file, middle)?.hash < wanted {
                low = middle + 1
            } else {
                high = middle
            }
        }
        // Paths of the same hash follow each other.
        for at in low..self.len() {
            let entry = self.entry(file, at)?;
            if entry.hash != wanted {
                break;
            }
            let (found, records) = self.read(file, hash, &entry)?;
            if found == path {
                return Some(records);
            }
        }
        Some(PathRecords::default())
    }

    /// The records of all paths. `None` if anything is damaged.
    pub(crate) fn read_all(
        &self,
        file: &BlockFile,
        hash: Kind,
    ) -> Option<HashMap<BString, PathRecords>> {
        let mut paths = HashMap::new();
        for at in 0..self.len() {
            let entry = self.entry(file, at)?;
            let (path, records) = self.read(file, hash, &entry)?;
            paths.insert(path, records);
        }
        Some(paths)
    }

    /// The number of paths.
    fn len(&self) -> u64 {
        self.table.len / ENTRY_LEN
    }

    fn entry(&self, file: &BlockFile, at: u64) -> Option<TableEntry> {
        let bytes: [u8; ENTRY_LEN as usize] = file.array(self.table.start + at * ENTRY_LEN)?;
        let word = |at: usize| u64::from_be_bytes(std::array::from_fn(|nth| bytes[at + nth]));
        Some(TableEntry {
            hash: word(0),
            start: word(8),
            len: (word(16) >> 32) as u32,
            crc: word(16) as u32,
        })
    }

    fn read(
        &self,
        file: &BlockFile,
        hash: Kind,
        entry: &TableEntry,
    ) -> Option<(BString, PathRecords)> {
        let end = entry.start.checked_add(u64::from(entry.len))?;
        if end > self.records.len {
            return None;
        }
        let at = self.records.start + entry.start;
        let read = |bytes: &[u8]| {
            if zlib_rs::crc32::crc32(0, bytes) != entry.crc {
                return None;
            }
            let (path, records) = PathRecords::decode(bytes, hash, self.commits)?;
            Some((BString::from(path), records))
        };
        file.with_bytes(at, entry.len as usize, read)?
    }
}

/// The chunks of changed paths, to be written. The records are as large as all the others together,
/// so that they are encoded twice instead of kept: for their lengths, and when they are written.
#[derive(Debug, Default)]
pub(crate) struct EncodedPaths<'a> {
    /// The chunks before the records.
    known: Vec<u8>,
    table: Vec<u8>,
    /// The paths in the order of the table.
    paths: Vec<(&'a [u8], &'a PathRecords)>,
    records_len: usize,
}

impl<'a> EncodedPaths<'a> {
    /// `known` are the bits of the commits that are known, by position. `paths` have each its
    /// records, whose commits have these `positions` by their numbers. Records that are too long
    /// are left out, with all that is known; without a path there is no chunk.
    pub(crate) fn new(
        known: Vec<u8>,
        paths: impl Iterator<Item = (&'a [u8], &'a PathRecords)>,
        positions: &[u32],
    ) -> EncodedPaths<'a> {
        let mut sorted: Vec<_> = paths.map(|it| (path_hash(it.0), it)).collect();
        sorted.sort_unstable_by_key(|(hash, (path, _))| (*hash, *path));
        if sorted.is_empty() {
            return EncodedPaths::default();
        }
        let mut encoded = EncodedPaths {
            known,
            table: Vec::with_capacity(sorted.len() * ENTRY_LEN as usize),
            paths: Vec::with_capacity(sorted.len()),
            records_len: 0,
        };
        let mut record = Vec::new();
        for (hash, (path, records)) in sorted {
            record.clear();
            records.encode(path, positions, &mut record);
            let Ok(len) = u32::try_from(record.len()) else {
                return EncodedPaths::default();
            };
            let crc = zlib_rs::crc32::crc32(0, &record);
            let table = &mut encoded.table;
            table.extend(hash.to_be_bytes());
            table.extend((encoded.records_len as u64).to_be_bytes());
            table.extend(len.to_be_bytes());
            table.extend(crc.to_be_bytes());
            encoded.paths.push((path, records));
            encoded.records_len += record.len();
        }
        encoded
    }

    /// The chunks before the records, and the length of the records, in the order of
    /// [`PathTable::CHUNKS`].
    pub(crate) fn parts(&self) -> (&[u8], &[u8], usize) {
        (&self.known, &self.table, self.records_len)
    }

    /// Writes the records in parts of about `part_len` bytes. `positions` are those of
    /// [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub(crate) fn write_records(
        &self,
        positions: &[u32],
        part_len: usize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut part = Vec::new();
        for (path, records) in &self.paths {
            records.encode(path, positions, &mut part);
            if part.len() >= part_len {
                out.write_all(&part)?;
                part.clear();
            }
        }
        out.write_all(&part)
    }
}

/// The 64-bit FNV-1a hash. Crafted collisions cost time, not correctness.
fn path_hash(path: &[u8]) -> u64 {
    path.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
