//! A table of records of one length in a file.
//!
//! Indexes are read, not mapped: one that is truncated meanwhile is an error instead of a `SIGBUS`.
//! As long as few records are needed, each is read alone; then the table is read whole, into large
//! pages where there are any. The first use of a page takes longer than reading what is in it, so
//! that tables in blocks took longer than either (docs/measurements.md). It is read in parts, one
//! for each further record that is needed, so that nobody who is done waits for the rest.

use std::ops::Range;
use std::slice::ChunksExact;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

use crate::{
    objects::positioned_file::PositionedFile,
    system::{self, memory},
};

/// The records of a table. Can be read from several threads at once.
pub(crate) struct RecordTable {
    /// Where the table starts in the file.
    start: u64,
    record_len: usize,
    count: u32,
    /// All records, once they are loaded; `None` if they could not be.
    loaded: OnceLock<Option<system::LargeBuffer>>,
    /// The records until all are loaded, and the number of bytes that are.
    loading: Mutex<(Option<system::LargeBuffer>, usize)>,
    is_unreadable: AtomicBool,
}

type Loading<'a> = MutexGuard<'a, (Option<system::LargeBuffer>, usize)>;

/// The bytes that one record more reads of a table that is being loaded: about 0.1 ms, and some
/// hundred records for the largest index of usual repositories.
const PART_LEN: usize = 256 << 10;

impl RecordTable {
    /// The table of `count` records of `record_len` bytes from `start` on in a file.
    pub(crate) fn new(start: u64, record_len: usize, count: u32) -> RecordTable {
        RecordTable {
            start,
            record_len,
            count,
            loaded: OnceLock::new(),
            loading: Mutex::new((None, 0)),
            is_unreadable: AtomicBool::new(false),
        }
    }

    /// Reads the whole table. If that fails, or there is no memory for it, records are still read
    /// one by one.
    pub(crate) fn load(&self, file: &PositionedFile) {
        if let Ok(mut loading) = self.loading.lock() {
            while !self.read_part(file, &mut loading) {}
        }
    }

    /// Reads a part of the table, unless another thread does. True once [`RecordTable::load`] has
    /// nothing more to do.
    pub(crate) fn load_part(&self, file: &PositionedFile) -> bool {
        if self.loaded.get().is_some() {
            return true;
        }
        let loading = self.loading.try_lock();
        loading.is_ok_and(|mut loading| self.read_part(file, &mut loading))
    }

    fn read_part(&self, file: &PositionedFile, loading: &mut Loading<'_>) -> bool {
        if self.loaded.get().is_some() {
            return true;
        }
        let loaded = match self.next_part(file, loading) {
            Some(is_whole) if !is_whole => return false,
            Some(_) => loading.0.take(),
            None => None,
        };
        self.loaded.get_or_init(|| loaded);
        true
    }

    /// True if this part was the last; `None` if it cannot be read.
    fn next_part(&self, file: &PositionedFile, loading: &mut Loading<'_>) -> Option<bool> {
        let len = usize::try_from(self.len()).ok()?;
        let (buffer, filled) = &mut **loading;
        if buffer.is_none() {
            *buffer = memory::is_available(len).then(|| system::large_buffer(len))?;
        }
        let end = len.min(*filled + PART_LEN);
        self.fill(
            file,
            *filled as u64,
            buffer.as_mut()?.get_mut(*filled..end)?,
        )?;
        *filled = end;
        Some(end == len)
    }

    /// True if the table was loaded.
    #[inline]
    pub(crate) fn is_loaded(&self) -> bool {
        matches!(self.loaded.get(), Some(Some(_)))
    }

    /// The record at `at`; `None` past the end, or if the table is not loaded.
    #[inline]
    pub(crate) fn record(&self, at: u32) -> Option<&[u8]> {
        if at >= self.count {
            return None;
        }
        let start = at as usize * self.record_len;
        (self.loaded.get()?.as_ref()?).get(start..start + self.record_len)
    }

    /// The records of a range; `None` past the end, or if the table is not loaded.
    pub(crate) fn records(&self, range: Range<u32>) -> Option<ChunksExact<'_, u8>> {
        let bytes = range.start as usize * self.record_len..range.end as usize * self.record_len;
        let in_table = range.end <= self.count;
        let records = (self.loaded.get()?.as_ref()?)
            .get(bytes)
            .filter(|_| in_table)?;
        Some(records.chunks_exact(self.record_len))
    }

    /// The first `N` bytes of the record at `at`; `None` past the end, or if `file` cannot be read
    /// there.
    #[inline]
    pub(crate) fn array<const N: usize>(&self, file: &PositionedFile, at: u32) -> Option<[u8; N]> {
        if let Some(record) = self.record(at) {
            return record.first_chunk().copied();
        }
        let mut bytes = [0; N];
        self.read(file, at, &mut bytes)?;
        Some(bytes)
    }

    /// Fills `out` with the bytes from the record at `first` on; `None` past the end, or if `file`
    /// cannot be read there.
    pub(crate) fn read(&self, file: &PositionedFile, first: u32, out: &mut [u8]) -> Option<()> {
        let at = u64::from(first) * self.record_len as u64;
        if at + out.len() as u64 <= self.len() {
            self.fill(file, at, out)
        } else {
            None
        }
    }

    fn fill(&self, file: &PositionedFile, at: u64, out: &mut [u8]) -> Option<()> {
        let read = file.read_exact_at(out, self.start + at);
        if read.is_err() {
            self.is_unreadable.store(true, Ordering::Relaxed);
        }
        read.ok()
    }

    fn len(&self) -> u64 {
        u64::from(self.count) * self.record_len as u64
    }

    /// Length of a record in bytes.
    pub(crate) fn record_len(&self) -> usize {
        self.record_len
    }

    /// True if a record could not be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.is_unreadable.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_is_read() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        let bytes: Vec<u8> = (0..400_000).map(|at: u32| (at * 7 / 3) as u8).collect();
        std::fs::write(&path, &bytes).expect("written");
        let file = PositionedFile::open(&path).expect("it exists");
        for record_len in [4, 8, 20, 24, 32] {
            let count = (bytes.len() - 5) / record_len;
            let table = RecordTable::new(5, record_len, count as u32);
            for is_loaded in [false, true] {
                assert_eq!(table.is_loaded(), is_loaded);
                for (at, expected) in (0..).zip(bytes[5..].chunks_exact(record_len)) {
                    let record = table.record(at);
                    assert_eq!(record, is_loaded.then_some(expected));
                    assert_eq!(table.array::<4>(&file, at), expected.first_chunk().copied());
                }
                assert_eq!(table.record(count as u32), None);
                assert_eq!(table.array::<4>(&file, count as u32), None);
                let mut parts = 1;
                while !table.load_part(&file) {
                    parts += 1;
                }
                assert!(
                    parts
                        == if is_loaded {
                            1
                        } else {
                            bytes.len().div_ceil(PART_LEN)
                        }
                );
            }
            assert!(!table.is_unreadable());
        }
    }

    #[test]
    fn a_truncated_file_has_no_records() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        std::fs::write(&path, vec![1; 50_000]).expect("written");
        let file = PositionedFile::open(&path).expect("it exists");
        let [table, loaded] = [(); 2].map(|()| RecordTable::new(0, 20, 2500));
        loaded.load(&file);
        assert!(table.array::<4>(&file, 0).is_some());
        std::fs::write(&path, b"").expect("written");
        assert!(loaded.record(2000).is_some() && !loaded.is_unreadable());
        assert!(!table.is_unreadable() && table.array::<4>(&file, 0).is_none());
        table.load(&file);
        assert!(table.is_unreadable() && !table.is_loaded());
    }
}
