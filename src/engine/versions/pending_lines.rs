//! Lines of a version that are not interned yet. Interning many at once is faster than one by one.

use crate::{
    diff::{LineInterner, Token},
    engine::{api::error::Error, versions::version::Version},
};

/// The lines are interned when they exceed this many bytes: a buffer of this size stays in the
/// L1/L2 caches.
const INTERN_AFTER: usize = 32 << 10;

/// New lines of one version, and an unfinished one.
#[derive(Debug, Default)]
pub(crate) struct PendingLines {
    text: Vec<u8>,
    /// End offsets of the lines in `text`. The rest is an unfinished line.
    ends: Vec<usize>,
    /// The line number in the version of each line in `text`.
    line_numbers: Vec<usize>,
    tokens: Vec<Token>,
    /// The unfinished line has no LF before this offset.
    scanned: usize,
}

impl PendingLines {
    /// True if there is an unfinished line.
    pub(crate) fn is_open(&self) -> bool {
        self.text.len() > self.ends.last().copied().unwrap_or(0)
    }

    /// Appends bytes, without searching them for LF until [`PendingLines::split_lines`].
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// True if the last byte appended is an LF.
    pub(crate) fn ends_line(&self) -> bool {
        self.text.last() == Some(&b'\n')
    }

    /// Appends a whole file and splits it into lines.
    pub(crate) fn append_text(
        &mut self,
        bytes: &[u8],
        version: &mut Version,
        lines: &mut LineInterner,
    ) -> Result<(), Error> {
        for part in bytes.chunks(INTERN_AFTER) {
            self.append(part);
            self.split_lines(version, lines)?;
        }
        Ok(())
    }

    /// Splits the appended bytes into lines. An unfinished line may remain.
    pub(crate) fn split_lines(
        &mut self,
        version: &mut Version,
        lines: &mut LineInterner,
    ) -> Result<(), Error> {
        let mut at = self.scanned;
        self.scanned = self.text.len();
        // Lines are short, so calling memchr for each LF would cost more than the search itself.
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
        if self.ends.last().is_some_and(|&end| end > INTERN_AFTER) {
            self.intern(version, lines)?;
        }
        Ok(())
    }

    /// Ends a line at the offset `end` of `text`.
    #[inline]
    fn end_line(&mut self, end: usize, version: &mut Version) -> Result<(), Error> {
        let start = self.ends.last().copied().unwrap_or(0);
        self.line_numbers.push(version.tokens.len());
        self.ends.push(end);
        version.push_pending(end - start)
    }

    /// Ends the last line and interns all that remain.
    pub(crate) fn finish(
        &mut self,
        version: &mut Version,
        lines: &mut LineInterner,
    ) -> Result<(), Error> {
        self.split_lines(version, lines)?;
        if self.is_open() {
            self.end_line(self.text.len(), version)?;
        }
        self.intern(version, lines)
    }

    fn intern(&mut self, version: &mut Version, lines: &mut LineInterner) -> Result<(), Error> {
        self.tokens.clear();
        lines
            .intern_all(&self.text, &self.ends, &mut self.tokens)
            .map_err(|_| Error::TooLarge)?;
        for (&line, &token) in self.line_numbers.iter().zip(&self.tokens) {
            version.tokens[line] = token;
        }
        let end = self.ends.last().copied().unwrap_or(0);
        self.text.drain(..end);
        self.scanned -= end;
        self.ends.clear();
        self.line_numbers.clear();
        Ok(())
    }

    /// Empties the buffers and keeps their capacity.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.line_numbers.clear();
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
    fn line_feeds_are_found_in_words() {
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
