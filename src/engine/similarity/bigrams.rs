//! How similar two lines are, by the pairs of bytes that they have in common.

use std::{cmp::Ordering, ops::Range};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bigrams {
    /// In ascending order, so that two lines are compared in one pass.
    sorted: Vec<[u8; 2]>,
}

impl Bigrams {
    /// The bigrams of a line, up to [`MAX_COMPARED_LEN`]. A single byte is paired with 0.
    pub fn new(line: &[u8]) -> Self {
        let bytes = line.iter().filter(|byte| !byte.is_ascii_whitespace());
        let bytes: Vec<u8> = bytes.take(MAX_COMPARED_LEN).copied().collect();
        let mut sorted: Vec<[u8; 2]> = match *bytes {
            [single] => vec![[single, 0]],
            _ => bytes.windows(2).map(|pair| [pair[0], pair[1]]).collect(),
        };
        sorted.sort_unstable();
        Bigrams { sorted }
    }

    /// Sørensen–Dice coefficient with another line, in percent.
    pub fn similarity(&self, other: &Bigrams) -> u8 {
        let (mut left, mut right) = (&*self.sorted, &*other.sorted);
        let total = left.len() + right.len();
        let mut common = 0;
        while let ([one, left_rest @ ..], [two, right_rest @ ..]) = (left, right) {
            let order = one.cmp(two);
            common += usize::from(order == Ordering::Equal);
            if order != Ordering::Greater {
                left = left_rest;
            }
            if order != Ordering::Less {
                right = right_rest;
            }
        }
        // Two blank lines are equal.
        (200 * common)
            .checked_div(total)
            .map_or(100, |percent| percent as u8)
    }

    /// At most this many percent are possible, by the numbers of bigrams.
    pub fn most_possible(&self, other: &Bigrams) -> u8 {
        let (one, two) = (self.sorted.len(), other.sorted.len());
        (200 * one.min(two))
            .checked_div(one + two)
            .map_or(100, |percent| percent as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_pairs_count_twice_and_whitespace_does_not() {
        let similarity = |one: &str, two: &str| {
            let (one, two) = (Bigrams::new(one.as_bytes()), Bigrams::new(two.as_bytes()));
            let percent = one.similarity(&two);
            assert_eq!(percent, two.similarity(&one));
            assert!(percent <= one.most_possible(&two));
            percent
        };
        assert_eq!(similarity("a b c", "abc"), 100);
        assert_eq!(similarity("abcd", "bcde"), 66);
        assert_eq!(similarity("aaaa", "aa"), 50);
        assert_eq!(similarity("ab", "cd"), 0);
        assert_eq!(similarity("", " "), 100);
        assert_eq!(similarity("x", "x"), 100);
        assert_eq!(similarity("x", ""), 0);
    }
}
