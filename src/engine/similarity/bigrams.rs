//! How similar two lines are, by the pairs of bytes that they have in common.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Longest part of a line that is compared, in bytes without whitespace.
pub const MAX_COMPARED_LEN: usize = 400;

/// Smallest similarity in percent of a line that was rewritten and not replaced.
pub const MIN_SIMILARITY: u8 = 30;

/// The line of `to` at the relative position of `line` in `from`; `to` must not be empty.
pub fn proportional(line: u32, from: &Range<u32>, to: &Range<u32>) -> u32 {
    let scaled = u64::from(line - from.start) * u64::from(to.end - to.start);
    let offset = scaled / u64::from((from.end - from.start).max(1));
    to.start + offset as u32
}

/// Multiset of the bigrams of adjacent bytes of a line, ignoring whitespace.
#[derive(Debug)]
pub struct Bigrams {
    counts: FxHashMap<[u8; 2], u32>,
    total: u32,
}

fn without_blanks(line: &[u8]) -> Vec<u8> {
    let bytes = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    bytes.take(MAX_COMPARED_LEN).copied().collect()
}

impl Bigrams {
    /// Counts the bigrams of a line, up to [`MAX_COMPARED_LEN`].
    pub fn new(line: &[u8]) -> Self {
        let line = without_blanks(line);
        let mut counts = FxHashMap::default();
        for pair in bigrams(&line) {
            *counts.entry(pair).or_default() += 1;
        }
        let total = bigrams(&line).count() as u32;
        Bigrams { counts, total }
    }

    /// Sørensen–Dice coefficient with another line, in percent.
    pub fn similarity(&self, other: &[u8]) -> u8 {
        let other = without_blanks(other);
        let mut left = self.counts.clone();
        let mut common = 0;
        let mut total = self.total;
        for pair in bigrams(&other) {
            total += 1;
            if let Some(count) = left.get_mut(&pair).filter(|count| **count > 0) {
                *count -= 1;
                common += 1;
            }
        }
        // Two blank lines are equal.
        (200u32 * common)
            .checked_div(total)
            .map_or(100, |percent| percent as u8)
    }
}

/// The bigrams of a line; a single byte is paired with 0.
fn bigrams(line: &[u8]) -> impl Iterator<Item = [u8; 2]> {
    let single = (line.len() == 1).then(|| [line[0], 0]);
    line.windows(2).map(|pair| [pair[0], pair[1]]).chain(single)
}
