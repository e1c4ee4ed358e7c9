//! Lines of a version whose tokens are still to be found.
//!
//! They are collected and looked for many at once, which is faster than one by one.

use crate::{
    diff::{Token, lines::interner::Lines},
    engine::{api::error::Error, versions::version::Version},
};

/// When so many bytes are collected their lines are looked for: a buffer of this size stays in the
/// nearest caches.
const ENOUGH: usize = 32 << 10;

/// New lines of one version, and the beginning of a further one.
#[derive(Debug, Default)]
pub(crate) struct Unknown {
    text: Vec<u8>,
    /// Where the lines end in `text`. What follows the last is a line that is not complete.
    ends: Vec<usize>,
    /// Which line of the version each of them is.
    places: Vec<usize>,
    found: Vec<Token>,
    /// There is no LF in the incomplete line up to here.
    scanned: usize,
}

impl Unknown {
    /// Whether a line has begun and not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.text.len() > self.ends.last().copied().unwrap_or(0)
    }

    /// Appends bytes, which are not looked at until [`Unknown::cut`].
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Whether the last byte appended ends a line.
    pub(crate) fn ends_line(&self) -> bool {
        self.text.last() == Some(&b'\n')
    }

    /// Appends the bytes of a whole file and cuts them into lines.
    pub(crate) fn append_file(
        &mut self,
        bytes: &[u8],
        version: &mut Version,
        lines: &mut Lines,
    ) -> Result<(), Error> {
        for part in bytes.chunks(ENOUGH) {
            self.append(part);
            self.cut(version, lines)?;
        }
        Ok(())
    }

    /// Cuts what was appended into lines. The beginning of a line may be left.
    pub(crate) fn cut(&mut self, version: &mut Version, lines: &mut Lines) -> Result<(), Error> {
        let mut at = self.scanned;
        self.scanned = self.text.len();
        // Stretches are short, so a call for each LF would cost more than the look.
        while let Some(word) = self.text[at..].first_chunk() {
            let mut found = line_feeds(u64::from_le_bytes(*word));
            while found != 0 {
                self.end_line(at + found.trailing_zeros() as usize / 8 + 1, version)?;
                found &= found - 1;
            }
            at += 8;
        }
        for end in at + 1..=self.text.len() {
            if self.text[end - 1] == b'\n' {
                self.end_line(end, version)?;
            }
        }
        if self.ends.last().is_some_and(|&end| end > ENOUGH) {
            self.find(version, lines)?;
        }
        Ok(())
    }

    /// Ends a line where `end` is in `text`.
    #[inline]
    fn end_line(&mut self, end: usize, version: &mut Version) -> Result<(), Error> {
        let start = self.ends.last().copied().unwrap_or(0);
        self.places.push(version.tokens.len());
        self.ends.push(end);
        version.push_unknown(end - start)
    }

    /// Ends the last line and finds all that are left.
    pub(crate) fn finish(&mut self, version: &mut Version, lines: &mut Lines) -> Result<(), Error> {
        self.cut(version, lines)?;
        if self.is_open() {
            self.end_line(self.text.len(), version)?;
        }
        self.find(version, lines)
    }

    fn find(&mut self, version: &mut Version, lines: &mut Lines) -> Result<(), Error> {
        self.found.clear();
        lines
            .intern_all(&self.text, &self.ends, &mut self.found)
            .map_err(|_| Error::TooLarge)?;
        for (&place, &token) in self.places.iter().zip(&self.found) {
            version.tokens[place] = token;
        }
        let end = self.ends.last().copied().unwrap_or(0);
        self.text.drain(..end);
        self.scanned -= end;
        self.ends.clear();
        self.places.clear();
        Ok(())
    }

    /// Forgets everything but the memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.places.clear();
        self.scanned = 0;
    }
}

/// The highest bit of each byte that is an LF.
#[inline]
fn line_feeds(word: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let other = word ^ 0x0a0a_0a0a_0a0a_0a0a;
    !(((other & LOW) + LOW) | other | LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_feeds_are_seen() {
        for byte in 0..=255_u8 {
            for nth in 0..8 {
                let mut word = [b'\n'; 8];
                word[nth] = byte;
                let seen = line_feeds(u64::from_le_bytes(word)).to_le_bytes();
                assert_eq!(seen[nth] != 0, byte == b'\n');
                assert_eq!(
                    seen.iter().filter(|&&byte| byte == 0x80).count(),
                    7 + usize::from(byte == b'\n')
                );
            }
        }
    }
}
