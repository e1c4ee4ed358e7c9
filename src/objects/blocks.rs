//! A file read in blocks, each when it is first needed, and then kept.
//!
//! Commit-graphs are megabytes of which a short blame needs little; mapping them would take unsafe
//! code.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use super::positioned::Positioned;

const BLOCK: u64 = 1 << 16;

/// The file. May be read from several threads at once.
pub(crate) struct Blocks {
    file: Positioned,
    blocks: Vec<OnceLock<Option<Box<[u8]>>>>,
}

impl Blocks {
    /// Open the file at `path`; reads nothing yet.
    pub(crate) fn open(path: &Path) -> io::Result<Blocks> {
        let file = Positioned::open(path)?;
        let count = usize::try_from(file.len().div_ceil(BLOCK)).map_err(io::Error::other)?;
        Ok(Blocks {
            file,
            blocks: (0..count).map(|_| OnceLock::new()).collect(),
        })
    }

    /// The length of the file in bytes, when it was opened.
    pub(crate) fn len(&self) -> u64 {
        self.file.len()
    }

    /// Copy the bytes from `at` on into `out`; `None` where the file has none or cannot be read.
    #[inline]
    pub(crate) fn read(&self, mut at: u64, mut out: &mut [u8]) -> Option<()> {
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

    /// The `N` bytes from `at` on.
    #[inline]
    pub(crate) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let inside = (at % BLOCK) as usize;
        if let Some(bytes) = self.block(at)?.get(inside..inside + N) {
            return bytes.first_chunk().copied();
        }
        let mut out = [0; N];
        self.read(at, &mut out)?;
        Some(out)
    }

    /// The big-endian number at `at`.
    #[inline]
    pub(crate) fn u32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    #[inline]
    fn block(&self, at: u64) -> Option<&[u8]> {
        let number = usize::try_from(at / BLOCK).ok()?;
        let block = self.blocks.get(number)?;
        block.get_or_init(|| self.load(number as u64)).as_deref()
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
