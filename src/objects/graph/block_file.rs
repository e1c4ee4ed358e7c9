//! A file of which little is read at first, and later whole blocks, which are then kept.
//!
//! Commit-graphs are megabytes of which a short blame needs little. To read a few bytes costs 0.4 µs,
//! to keep a block 30 µs, most of it for memory that was never touched before. Mapping the file would
//! take unsafe code.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::objects::positioned_file::Positioned;

const BLOCK: u64 = 1 << 16;
/// One small read for so many bytes of the file costs about what keeping all blocks does.
const BYTES_PER_SMALL_READ: u64 = 1024;

/// The file. May be read from several threads at once.
pub(crate) struct Blocks {
    file: Positioned,
    blocks: Vec<OnceLock<Option<Box<[u8]>>>>,
    /// How many small reads are left before blocks are kept.
    small_reads: AtomicU64,
    scratch: Mutex<Vec<u8>>,
}

impl Blocks {
    /// Open the file at `path`; reads nothing yet.
    pub(crate) fn open(path: &Path) -> io::Result<Blocks> {
        let file = Positioned::open(path)?;
        let count = usize::try_from(file.len().div_ceil(BLOCK)).map_err(io::Error::other)?;
        Ok(Blocks {
            blocks: (0..count).map(|_| OnceLock::new()).collect(),
            small_reads: AtomicU64::new(file.len() / BYTES_PER_SMALL_READ),
            file,
            scratch: Mutex::default(),
        })
    }

    /// The length of the file in bytes, when it was opened.
    pub(crate) fn len(&self) -> u64 {
        self.file.len()
    }

    /// The `N` bytes from `at` on.
    #[inline]
    pub(crate) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let inside = (at % BLOCK) as usize;
        if let Some(Some(bytes)) = self.kept(at)?.get()
            && let Some(bytes) = bytes.get(inside..inside + N)
        {
            return bytes.first_chunk().copied();
        }
        let mut out = [0; N];
        self.read(at, &mut out)?;
        Some(out)
    }

    /// Copy the bytes from `at` on into `out`; `None` where the file has none or cannot be read.
    pub(crate) fn read(&self, at: u64, out: &mut [u8]) -> Option<()> {
        match self.small_reads.load(Ordering::Relaxed).checked_sub(1) {
            Some(left) => {
                self.small_reads.store(left, Ordering::Relaxed);
                self.file.read_exact_at(out, at).ok()
            }
            None => self.copy(at, out),
        }
    }

    fn copy(&self, mut at: u64, mut out: &mut [u8]) -> Option<()> {
        while !out.is_empty() {
            let bytes = self.block(at)?.get((at % BLOCK) as usize..)?;
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

    /// What `look` makes of the `len` bytes from `at` on, which are not kept.
    pub(crate) fn look_at<T>(
        &self,
        at: u64,
        len: usize,
        look: impl FnOnce(&[u8]) -> T,
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
        Some(look(&bytes[..len]))
    }

    /// The big-endian number at `at`.
    #[inline]
    pub(crate) fn u32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    fn block(&self, at: u64) -> Option<&[u8]> {
        let block = self.kept(at)?;
        block.get_or_init(|| self.load(at / BLOCK)).as_deref()
    }

    #[inline]
    fn kept(&self, at: u64) -> Option<&OnceLock<Option<Box<[u8]>>>> {
        self.blocks.get(usize::try_from(at / BLOCK).ok()?)
    }

    #[cold]
    fn load(&self, number: u64) -> Option<Box<[u8]>> {
        let start = number * BLOCK;
        let mut bytes = vec![0; usize::try_from(BLOCK.min(self.file.len() - start)).ok()?];
        self.file.read_exact_at(&mut bytes, start).ok()?;
        Some(bytes.into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_within_across_and_beyond_blocks() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        let data: Vec<u8> = (0..BLOCK * 2 + 100).map(|at| (at * 7 / 3) as u8).collect();
        std::fs::write(&path, &data).expect("written");
        let blocks = Blocks::open(&path).expect("there");
        assert_eq!(blocks.len(), data.len() as u64);
        assert_eq!(
            blocks.look_at(BLOCK - 1, 5, <[u8]>::to_vec),
            Some(data[BLOCK as usize - 1..][..5].to_vec())
        );
        assert_eq!(blocks.look_at(BLOCK * 2 + 98, 3, |_| ()), None);
        // Small reads first, and blocks later, say the same.
        assert!(blocks.small_reads.load(Ordering::Relaxed) > 0);
        while blocks.small_reads.load(Ordering::Relaxed) > 0 {
            assert_eq!(blocks.array(7), data[7..].first_chunk::<9>().copied());
        }
        for at in [0, 5, BLOCK - 2, BLOCK, BLOCK * 2 - 1, BLOCK * 2 + 96] {
            let start = at as usize;
            let expected: [u8; 4] = data[start..start + 4].try_into().expect("four");
            assert_eq!(blocks.array(at), Some(expected));
        }
        let mut long = vec![0; BLOCK as usize + 50];
        assert_eq!(blocks.read(30, &mut long), Some(()));
        assert!(long == data[30..30 + long.len()]);
        assert_eq!(blocks.array::<4>(BLOCK * 2 + 97), None);
        assert_eq!(blocks.u32(u64::MAX), None);
        assert_eq!(blocks.read(BLOCK * 2 + 100, &mut [0]), None);
    }
}
