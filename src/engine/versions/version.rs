//! One version of a file, as tokens.

use crate::{diff::Token, engine::api::error::Error};

/// The lines of one version of a file.
#[derive(Debug, Default)]
pub(crate) struct Version {
    /// The token of each line.
    pub(crate) tokens: Vec<Token>,
    /// The end of each line, as a byte offset.
    pub(crate) ends: Vec<u32>,
}

impl Version {
    /// Appends a line of `len` bytes whose token is set later.
    pub(crate) fn push_pending(&mut self, len: usize) -> Result<(), Error> {
        let len = u32::try_from(len).map_err(|_| Error::TooLarge)?;
        let end = self.len().checked_add(len).ok_or(Error::TooLarge)?;
        self.tokens.push(0);
        self.ends.push(end);
        Ok(())
    }

    /// Tokens and ends, as the diff takes them.
    pub(crate) fn tokens_and_ends(&self) -> (&[Token], Option<&[u32]>) {
        (&self.tokens, Some(&self.ends))
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Approximate heap size, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.tokens.capacity() * 4 + self.ends.capacity() * 4 + 64
    }

    /// The start of a line, as a byte offset.
    pub(crate) fn start(&self, line: usize) -> u32 {
        match line.checked_sub(1) {
            Some(before) => self.ends[before],
            None => 0,
        }
    }

    /// The average length of a line in bytes, at least 1.
    pub(crate) fn mean_line_len(&self) -> u32 {
        (self.len() / self.ends.len().max(1) as u32).max(1)
    }

    /// Reserves for a version that has grown a little since `base`, so that most never reallocate.
    pub(crate) fn reserve_like(&mut self, base: &Version) {
        let capacity = base.tokens.len() + base.tokens.len() / 16 + 8;
        self.tokens.reserve(capacity);
        self.ends.reserve(capacity);
    }

    /// Appends a line of `len` bytes.
    pub(crate) fn push(&mut self, token: Token, len: usize) -> Result<(), Error> {
        self.push_pending(len)?;
        if let Some(last) = self.tokens.last_mut() {
            *last = token;
        }
        Ok(())
    }

    /// Appends the lines `from..to` of another version.
    pub(crate) fn copy_lines(&mut self, base: &Version, from: usize, to: usize) {
        let shift = self.len().wrapping_sub(base.start(from));
        self.tokens.extend_from_slice(&base.tokens[from..to]);
        let ends = base.ends[from..to].iter();
        self.ends.extend(ends.map(|end| end.wrapping_add(shift)));
    }
}

/// The number of lines around the estimated one that are compared at once.
const WINDOW: usize = 16;

/// The first line from `from` on that ends after the byte `at`. The search starts at an estimate by
/// the average length `mean_line_len`, which is at least 1.
#[inline]
pub(crate) fn first_after(ends: &[u32], from: usize, at: u32, mean_line_len: u32) -> usize {
    let start = if from == 0 { 0 } else { ends[from - 1] };
    let guess = from + (at.saturating_sub(start) / mean_line_len) as usize;
    let low = guess.saturating_sub(WINDOW / 2).clamp(from, ends.len());
    let (before, after) = ends[from..].split_at(low - from);
    if before.last().is_none_or(|&end| end <= at) {
        if let Some(window) = after.first_chunk::<WINDOW>()
            && window[WINDOW - 1] > at
        {
            // Branch-free, so that it compiles to SIMD.
            let before = window.iter().map(|&end| usize::from(end <= at));
            return low + before.sum::<usize>();
        }
        low + galloping_search(after, at)
    } else {
        let (mut low, mut high, mut step) = (0, before.len(), WINDOW);
        while let Some(probe) = high.checked_sub(step) {
            if before[probe] <= at {
                low = probe;
                break;
            }
            high = probe;
            step *= 2;
        }
        from + low + before[low..high].partition_point(|&end| end <= at)
    }
}

/// The first of `ends` after the byte `at`, by galloping search, as it is usually near.
fn galloping_search(ends: &[u32], at: u32) -> usize {
    let (mut low, mut step) = (0, WINDOW);
    while let Some(&end) = ends.get(low + step - 1) {
        if end > at {
            break;
        }
        low += step;
        step *= 2;
    }
    let high = ends.len().min(low + step);
    low + ends[low..high].partition_point(|&end| end <= at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_after_a_byte() {
        let mut ends = Vec::new();
        for line in 0..200_u32 {
            ends.push(ends.last().unwrap_or(&0) + 1 + line * line % 97);
        }
        for from in (0..ends.len()).step_by(7) {
            for at in 0..ends[ends.len() - 1] + 3 {
                let expected = from.max(ends.partition_point(|&end| end <= at));
                for mean_line_len in [1, 45, 9000] {
                    assert_eq!(first_after(&ends, from, at, mean_line_len), expected);
                }
            }
        }
        assert_eq!(first_after(&[], 0, 9, 1), 0);
    }
}
