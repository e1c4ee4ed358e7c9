//! Positioned reads (`pread`) from several threads.

use std::fs::File;
use std::io;
use std::path::Path;

/// A file opened for positioned reads.
pub(crate) struct PositionedFile {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
    len: u64,
}

impl PositionedFile {
    /// Opens the file at `path`.
    pub(crate) fn open(path: &Path) -> io::Result<PositionedFile> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(PositionedFile { file, len })
    }

    /// File length in bytes at the time of opening.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Fills `out` from offset `at`.
    #[cfg(unix)]
    pub(crate) fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, at)
    }

    /// Fills `out` from offset `at`.
    #[cfg(not(unix))]
    pub(crate) fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self
            .file
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(out)
    }
}
