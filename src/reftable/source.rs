//! Where a table's bytes come from.

use std::{fs::File, io};

use crate::system;

/// Bytes that can be read at any position.
pub trait Source {
    /// The number of bytes.
    ///
    /// # Errors
    ///
    /// If it cannot be found out.
    fn size(&self) -> io::Result<u64>;

    /// Fills `out` with the bytes from `at`.
    ///
    /// # Errors
    ///
    /// If there are fewer bytes, or they cannot be read.
    fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()>;
}

impl Source for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        system::read_exact_at(self, out, at)
    }
}

impl Source for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.as_slice().len() as u64)
    }

    fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        let start = usize::try_from(at).ok();
        let bytes = start.and_then(|start| self.get(start..)?.get(..out.len()));
        let bytes = bytes.ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }
}
