//! Parents, dates and levels of the commits of a commit-graph file.
//!
//! A record has 36 bytes, of which walks need 16. git sorts commits by id, so a walk of its
//! files soon touches all records, and memory traffic dominates: blocks of records are unpacked on
//! first use.

use std::{ops::Range, sync::OnceLock};

use crate::objects::graph::block_file::BlockFile;

/// Marker for "no parent".
pub(crate) const NO_PARENT: u32 = 0x7000_0000;
/// In the second parent: an index into the EDGE chunk. In an EDGE record: the last parent.
pub(crate) const HIGH_BIT: u32 = 0x8000_0000;

/// Bits of a record's last number that are the date. Those above are the level.
pub(super) const DATE_BITS: u32 = 34;
/// The dates that a record can hold.
pub(super) const DATES: Range<i64> = 0..1 << DATE_BITS;

/// Commits unpacked at a time.
const BLOCK_LEN: u32 = 2048;

/// Dates from this value on are not cached, but read from the file.
const UNCACHED_TIME: u32 = u32::MAX;

/// An unpacked record. Parents are encoded as in the file.
#[derive(Debug, Clone, Copy)]
struct EdgeRecord {
    parents: [u32; 2],
    time: u32,
    level: u32,
}

/// The unpacked records of one file. Can be read from several threads at once.
pub(crate) struct GraphEdges {
    blocks: Vec<OnceLock<Option<Box<[EdgeRecord]>>>>,
    /// Offset of the first record in the file.
    start: u64,
    id_len: u64,
    count: u32,
}

impl GraphEdges {
    /// For `count` commits, whose records start at offset `start`.
    pub(crate) fn new(start: u64, id_len: u64, count: u32) -> GraphEdges {
        GraphEdges {
            blocks: (0..count.div_ceil(BLOCK_LEN))
                .map(|_| OnceLock::new())
                .collect(),
            start,
            id_len,
            count,
        }
    }

    /// Offset of the `nth` commit's record, which starts with the id of its tree.
    pub(crate) fn record(&self, nth: u32) -> u64 {
        self.start + u64::from(nth) * (self.id_len + 16)
    }

    /// The two parent fields of the `nth` commit, and its date.
    #[inline]
    pub(crate) fn parents_and_date(&self, file: &BlockFile, nth: u32) -> Option<([u32; 2], i64)> {
        let record = self.unpacked(file, nth)?;
        if record.time == UNCACHED_TIME {
            let numbers = file.array(self.record(nth) + self.id_len)?;
            return Some((record.parents, date(&numbers)));
        }
        Some((record.parents, i64::from(record.time)))
    }

    /// The level of the `nth` commit: more than those of its parents. 0 if it is not known.
    pub(crate) fn level(&self, file: &BlockFile, nth: u32) -> u32 {
        self.unpacked(file, nth).map_or(0, |record| record.level)
    }

    #[inline]
    fn unpacked(&self, file: &BlockFile, nth: u32) -> Option<&EdgeRecord> {
        let block = self.blocks.get((nth / BLOCK_LEN) as usize)?;
        let unpack = || self.unpack(file, nth / BLOCK_LEN);
        let records = block.get_or_init(unpack).as_ref()?;
        records.get((nth % BLOCK_LEN) as usize)
    }

    #[cold]
    fn unpack(&self, file: &BlockFile, block: u32) -> Option<Box<[EdgeRecord]>> {
        let first = block * BLOCK_LEN;
        let count = BLOCK_LEN.min(self.count - first);
        let (record_len, id_len) = (self.id_len as usize + 16, self.id_len as usize);
        file.with_bytes(self.record(first), count as usize * record_len, |records| {
            let numbers = records.chunks_exact(record_len).map(|record| {
                let numbers = record[id_len..].first_chunk().unwrap_or(&[0; 16]);
                let parsed = u128::from_be_bytes(*numbers);
                EdgeRecord {
                    parents: [(parsed >> 96) as u32, (parsed >> 64) as u32],
                    time: u32::try_from(date(numbers)).unwrap_or(UNCACHED_TIME),
                    level: (parsed as u64 >> DATE_BITS) as u32,
                }
            });
            numbers.collect()
        })
    }
}

/// The date in a record after its tree id: after two parents, below the level.
#[inline]
fn date(numbers: &[u8; 16]) -> i64 {
    (u128::from_be_bytes(*numbers) as u64 & ((1 << DATE_BITS) - 1)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_all_dates_in_all_blocks() {
        let count = BLOCK_LEN + 3;
        let date_of = |nth: u32| match nth % 5 {
            0 => (1 << 34) - 1,
            1 => i64::from(UNCACHED_TIME),
            _ => 1_700_000_000 + i64::from(nth),
        };
        let mut data = b"before".to_vec();
        for nth in 0..count {
            data.extend([nth as u8; 20]);
            data.extend(nth.to_be_bytes());
            data.extend((nth + 1).to_be_bytes());
            // The level is above the date.
            data.extend((date_of(nth) as u64 | 77 << 34).to_be_bytes());
        }
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("graph");
        std::fs::write(&path, &data).expect("written");
        let file = BlockFile::open(&path).expect("there");
        let edges = GraphEdges::new(6, 20, count);
        for nth in (0..count).rev() {
            let expected = ([nth, nth + 1], date_of(nth));
            assert_eq!(edges.parents_and_date(&file, nth), Some(expected));
            assert_eq!(edges.level(&file, nth), 77);
        }
        assert_eq!(edges.parents_and_date(&file, count), None);
        assert_eq!(
            GraphEdges::new(7, 20, count).parents_and_date(&file, count - 1),
            None
        );
    }
}
