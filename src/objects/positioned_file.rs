//! Positioned reads from several threads.

use std::{fs::File, io, path::Path};

use crate::system;

/// A file opened for positioned reads.
pub(crate) struct PositionedFile {
    file: File,
    len: u64,
}

impl PositionedFile {
    /// Opens the file at `path`.
    pub(crate) fn open(path: &Path) -> io::Result<PositionedFile> {
        let (file, metadata) = system::open_with_metadata(path)?;
        let len = metadata.len();
        Ok(PositionedFile { file, len })
    }

    /// File length in bytes at the time of opening.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The `N` bytes at offset `at`; `None` if they cannot be read.
    pub(crate) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut out = [0; N];
        self.read_exact_at(&mut out, at).ok()?;
        Some(out)
    }

    /// Fills `out` from offset `at`.
    pub(crate) fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        system::read_exact_at(&self.file, out, at)
    }
}
