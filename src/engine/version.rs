//! One version of a file, as tokens.

use super::error::Error;
use crate::diff::Token;

/// A version's lines.
#[derive(Debug, Default)]
pub(super) struct Version {
    /// A token for each line.
    pub(super) tokens: Vec<Token>,
    /// The byte offset of each line's end.
    pub(super) ends: Vec<u32>,
}

impl Version {
    /// Appends a line of so many bytes; its token is to be set later.
    pub(super) fn push_unknown(&mut self, len: usize) -> Result<(), Error> {
        let len = u32::try_from(len).map_err(|_| Error::TooLarge)?;
        let end = self.len().checked_add(len).ok_or(Error::TooLarge)?;
        self.tokens.push(0);
        self.ends.push(end);
        Ok(())
    }

    /// Tokens and ends, as a diff takes them.
    pub(super) fn numbered(&self) -> (&[Token], Option<&[u32]>) {
        (&self.tokens, Some(&self.ends))
    }

    /// In bytes.
    pub(super) fn len(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Bytes on the heap.
    pub(super) fn bytes_held(&self) -> usize {
        self.tokens.capacity() * 4 + self.ends.capacity() * 4 + 64
    }
}
