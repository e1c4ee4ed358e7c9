//! A file that several threads read at any place at once.

use std::fs::File;
use std::io;
use std::path::Path;

/// The file; opened for reading.
pub(crate) struct Positioned {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
    len: u64,
}

impl Positioned {
    /// Open the file at `path`.
    pub(crate) fn open(path: &Path) -> io::Result<Positioned> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(Positioned { file, len })
    }

    /// The length of the file in bytes, when it was opened.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Fill `out` with the bytes from `at` on.
    #[cfg(unix)]
    pub(crate) fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, at)
    }

    /// Fill `out` with the bytes from `at` on.
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
