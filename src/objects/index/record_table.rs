//! A table of records of one length in a file, read a block at a time.
//!
//! Indexes are read, not mapped: one that is truncated meanwhile is an error instead of a `SIGBUS`. The blocks are short, as
//! the records that a short blame needs lie far from each other.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::objects::positioned_file::PositionedFile;

/// The most bytes of a block.
const MAX_BLOCK_LEN: usize = 16 << 10;

/// The records of a table. Can be read from several threads at once.
pub(crate) struct RecordTable {
    /// Where the table starts in the file.
    start: u64,
    record_len: usize,
    count: u32,
    /// Binary logarithm of the number of records in a block.
    shift: u32,
    /// Empty ones cannot be read.
    blocks: Box<[OnceLock<Box<[u8]>>]>,
    is_unreadable: AtomicBool,
}

impl RecordTable {
    /// The table of `count` records of `record_len` bytes, at most 64, from `start` on in a file.
    pub(crate) fn new(start: u64, record_len: usize, count: u32) -> RecordTable {
        let shift = (MAX_BLOCK_LEN / record_len.clamp(1, 64)).ilog2();
        let blocks = count.div_ceil(1 << shift);
        RecordTable {
            start,
            record_len,
            count,
            shift,
            blocks: (0..blocks).map(|_| OnceLock::new()).collect(),
            is_unreadable: AtomicBool::new(false),
        }
    }

    /// The record at `at`; `None` past the end, or if `file` cannot be read there.
    #[inline]
    pub(crate) fn record(&self, file: &PositionedFile, at: u32) -> Option<&[u8]> {
        let number = at >> self.shift;
        let block = self.blocks.get(number as usize)?;
        let block = match block.get() {
            Some(block) => block,
            None => self.fill(block, file, number),
        };
        let inside = (at & ((1 << self.shift) - 1)) as usize * self.record_len;
        block.get(inside..inside + self.record_len)
    }

    /// Whether a record could not be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.is_unreadable.load(Ordering::Relaxed)
    }

    #[cold]
    #[inline(never)]
    fn fill<'a>(
        &self,
        block: &'a OnceLock<Box<[u8]>>,
        file: &PositionedFile,
        number: u32,
    ) -> &'a [u8] {
        let first = number << self.shift;
        let count = (self.count - first).min(1 << self.shift);
        block.get_or_init(|| {
            let mut bytes = vec![0; count as usize * self.record_len];
            let at = self.start + u64::from(first) * self.record_len as u64;
            if file.read_exact_at(&mut bytes, at).is_err() {
                self.is_unreadable.store(true, Ordering::Relaxed);
                bytes.clear();
            }
            bytes.into_boxed_slice()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_is_read() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        let bytes: Vec<u8> = (0..100_000).map(|at: u32| (at * 7 / 3) as u8).collect();
        std::fs::write(&path, &bytes).expect("written");
        let file = PositionedFile::open(&path).expect("it exists");
        for record_len in [4, 8, 20, 24, 32] {
            let count = (bytes.len() - 5) / record_len;
            let table = RecordTable::new(5, record_len, count as u32);
            for (at, expected) in bytes[5..].chunks_exact(record_len).enumerate() {
                assert_eq!(table.record(&file, at as u32), Some(expected));
            }
            assert_eq!(table.record(&file, count as u32), None);
            assert!(!table.is_unreadable());
        }
    }

    #[test]
    fn a_truncated_file_has_no_records() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        std::fs::write(&path, vec![1; 50_000]).expect("written");
        let file = PositionedFile::open(&path).expect("it exists");
        let table = RecordTable::new(0, 20, 2500);
        assert!(table.record(&file, 0).is_some());
        std::fs::write(&path, b"").expect("written");
        assert!(table.record(&file, 0).is_some() && !table.is_unreadable());
        assert!(table.record(&file, 2000).is_none() && table.is_unreadable());
    }
}
