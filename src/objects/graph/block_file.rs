//! A file read with positioned reads: a few small ones at first, then whole cached blocks.
//!
//! Commit-graphs have megabytes, of which a short blame needs little. A small read costs 0.4 µs,
//! caching a block 30 µs, most of it page faults on fresh memory. Mapping the file would need
//! unsafe code.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::objects::positioned_file::PositionedFile;

const BLOCK_LEN: u64 = 1 << 16;
/// Budget of small reads: this many bytes of file length per read. Beyond it, caching every block
/// would have cost about as much.
const BYTES_PER_SMALL_READ: u64 = 1024;

/// A file with lazily cached blocks. Can be read from several threads at once.
pub(crate) struct BlockFile {
    file: PositionedFile,
    blocks: Vec<OnceLock<Option<Box<[u8]>>>>,
    /// Small reads left before blocks are cached.
    small_reads: AtomicU64,
    /// Buffer of [`BlockFile::with_bytes`].
    scratch: Mutex<Vec<u8>>,
}

impl BlockFile {
    /// Opens the file at `path` without reading from it.
    pub(crate) fn open(path: &Path) -> io::Result<BlockFile> {
        let file = PositionedFile::open(path)?;
        let count = usize::try_from(file.len().div_ceil(BLOCK_LEN)).map_err(io::Error::other)?;
        Ok(BlockFile {
            blocks: (0..count).map(|_| OnceLock::new()).collect(),
            small_reads: AtomicU64::new(file.len() / BYTES_PER_SMALL_READ),
            file,
            scratch: Mutex::default(),
        })
    }

    /// File length in bytes at the time of opening.
    pub(crate) fn len(&self) -> u64 {
        self.file.len()
    }

    /// The `N` bytes at offset `at`.
    #[inline]
    pub(crate) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let inside = (at % BLOCK_LEN) as usize;
        if let Some(Some(bytes)) = self.cell(at)?.get()
            && let Some(bytes) = bytes.get(inside..inside + N)
        {
            return bytes.first_chunk().copied();
        }
        let mut out = [0; N];
        self.read(at, &mut out)?;
        Some(out)
    }

    /// Copies the bytes at offset `at` into `out`; `None` past the end or on a read error.
    pub(crate) fn read(&self, at: u64, out: &mut [u8]) -> Option<()> {
        match self.small_reads.load(Ordering::Relaxed).checked_sub(1) {
            Some(left) => {
                self.small_reads.store(left, Ordering::Relaxed);
                self.file.read_exact_at(out, at).ok()
            }
            None => self.copy(at, out),
        }
    }

    /// Copies from cached blocks, across their borders.
    fn copy(&self, mut at: u64, mut out: &mut [u8]) -> Option<()> {
        while !out.is_empty() {
            let bytes = self.block(at)?.get((at % BLOCK_LEN) as usize..)?;
            let len = bytes.len().min(out.len());
            if len == 0 {
                return None;
            }
            let (now, later) = out.split_at_mut(len);
            now.copy_from_slice(&bytes[..len]);
            out = later;
            at += len as u64;
        }
        Some(())
    }

    /// Passes the `len` bytes at offset `at` to `visit`, without caching them.
    pub(crate) fn with_bytes<T>(
        &self,
        at: u64,
        len: usize,
        visit: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        let end = at.checked_add(len as u64)?;
        if end > self.file.len() {
            return None;
        }
        let mut bytes = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes.len() < len {
            bytes.resize(len, 0);
        }
        self.file.read_exact_at(&mut bytes[..len], at).ok()?;
        Some(visit(&bytes[..len]))
    }

    /// The big-endian `u32` at offset `at`.
    #[inline]
    pub(crate) fn u32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    fn block(&self, at: u64) -> Option<&[u8]> {
        let block = self.cell(at)?;
        block.get_or_init(|| self.load(at / BLOCK_LEN)).as_deref()
    }

    #[inline]
    fn cell(&self, at: u64) -> Option<&OnceLock<Option<Box<[u8]>>>> {
        self.blocks.get(usize::try_from(at / BLOCK_LEN).ok()?)
    }

    #[cold]
    fn load(&self, number: u64) -> Option<Box<[u8]>> {
        let start = number * BLOCK_LEN;
        let mut bytes = vec![0; usize::try_from(BLOCK_LEN.min(self.file.len() - start)).ok()?];
        self.file.read_exact_at(&mut bytes, start).ok()?;
        Some(bytes.into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_within_across_and_past_blocks() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        let data: Vec<u8> = (0..BLOCK_LEN * 2 + 100)
            .map(|at| (at * 7 / 3) as u8)
            .collect();
        std::fs::write(&path, &data).expect("written");
        let blocks = BlockFile::open(&path).expect("file exists");
        assert_eq!(blocks.len(), data.len() as u64);
        assert_eq!(
            blocks.with_bytes(BLOCK_LEN - 1, 5, <[u8]>::to_vec),
            Some(data[BLOCK_LEN as usize - 1..][..5].to_vec())
        );
        assert_eq!(blocks.with_bytes(BLOCK_LEN * 2 + 98, 3, |_| ()), None);
        // Small reads and cached blocks agree.
        assert!(blocks.small_reads.load(Ordering::Relaxed) > 0);
        while blocks.small_reads.load(Ordering::Relaxed) > 0 {
            assert_eq!(blocks.array(7), data[7..].first_chunk::<9>().copied());
        }
        for at in [
            0,
            5,
            BLOCK_LEN - 2,
            BLOCK_LEN,
            BLOCK_LEN * 2 - 1,
            BLOCK_LEN * 2 + 96,
        ] {
            let start = at as usize;
            let expected: [u8; 4] = data[start..start + 4].try_into().expect("four");
            assert_eq!(blocks.array(at), Some(expected));
        }
        let mut long = vec![0; BLOCK_LEN as usize + 50];
        assert_eq!(blocks.read(30, &mut long), Some(()));
        assert!(long == data[30..30 + long.len()]);
        assert_eq!(blocks.array::<4>(BLOCK_LEN * 2 + 97), None);
        assert_eq!(blocks.u32(u64::MAX), None);
        assert_eq!(blocks.read(BLOCK_LEN * 2 + 100, &mut [0]), None);
    }
}
