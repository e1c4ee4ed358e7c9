//! A table of records of one length in a file, read a block at a time.
//!
//! Indexes are read, not mapped: one that is truncated meanwhile is an error instead of a `SIGBUS`. The blocks are short, as
//! the records that a short blame needs lie far from each other. After some of them, the table is read whole, by one thread
//! while others go on with blocks.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::objects::positioned_file::PositionedFile;

/// The most bytes of a block.
const MAX_BLOCK_LEN: usize = 4 << 10;
/// One of so many blocks is read by itself before the table is read whole.
const BLOCKS_PER_READ: u32 = 8;

/// Bytes of a file, once they are read; `None` if they cannot be.
type ReadBytes = OnceLock<Option<Box<[u8]>>>;

/// The records of a table. Can be read from several threads at once.
pub(crate) struct RecordTable {
    /// Where the table starts in the file.
    start: u64,
    record_len: usize,
    count: u32,
    /// Binary logarithm of the number of records in a block.
    shift: u32,
    blocks: Box<[ReadBytes]>,
    /// How many blocks are still to be read by themselves.
    blocks_left: AtomicU32,
    /// A thread has begun to read the whole table.
    is_read_whole: AtomicBool,
    whole: ReadBytes,
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
            blocks_left: AtomicU32::new(blocks / BLOCKS_PER_READ),
            is_read_whole: AtomicBool::new(false),
            whole: OnceLock::new(),
            is_unreadable: AtomicBool::new(false),
        }
    }

    /// The record at `at`; `None` past the end, or if `file` cannot be read there.
    #[inline]
    pub(crate) fn record(&self, file: &PositionedFile, at: u32) -> Option<&[u8]> {
        let whole = match self.whole.get() {
            Some(whole) => whole,
            None => match self.in_block(file, at) {
                Ok(record) => return record,
                Err(whole) => whole,
            },
        };
        let start = at as usize * self.record_len;
        whole.as_ref()?.get(start..start + self.record_len)
    }

    /// A record in a block, or the whole table.
    #[inline(never)]
    fn in_block(
        &self,
        file: &PositionedFile,
        at: u32,
    ) -> Result<Option<&[u8]>, &Option<Box<[u8]>>> {
        let number = at >> self.shift;
        let Some(block) = self.blocks.get(number as usize) else {
            return Ok(None);
        };
        if block.get().is_none() {
            // Two threads may take the same one, which does no harm.
            let left = self.blocks_left.load(Ordering::Relaxed);
            match left.checked_sub(1) {
                Some(left) => self.blocks_left.store(left, Ordering::Relaxed),
                None if !self.is_read_whole.swap(true, Ordering::Relaxed) => {
                    return Err(self.whole.get_or_init(|| self.read(file, 0, self.count)));
                }
                None => {}
            }
        }
        let first = number << self.shift;
        let count = (self.count - first).min(1 << self.shift);
        let block = block.get_or_init(|| self.read(file, first, count));
        let inside = (at - first) as usize * self.record_len;
        Ok(block
            .as_ref()
            .and_then(|block| block.get(inside..inside + self.record_len)))
    }

    /// Whether a record could not be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.is_unreadable.load(Ordering::Relaxed)
    }

    /// The `count` records from `first` on.
    #[cold]
    fn read(&self, file: &PositionedFile, first: u32, count: u32) -> Option<Box<[u8]>> {
        let mut bytes = vec![0; count as usize * self.record_len];
        let at = self.start + u64::from(first) * self.record_len as u64;
        let read = file.read_exact_at(&mut bytes, at);
        if read.is_err() {
            self.is_unreadable.store(true, Ordering::Relaxed);
        }
        read.is_ok().then(|| bytes.into_boxed_slice())
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
        for at in [2000, 0] {
            assert!(table.record(&file, at).is_none() && table.is_unreadable());
        }
    }
}
