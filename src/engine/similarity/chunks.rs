//! Similarity of two files, for rename detection.
//!
//! Both files are split into short chunks; the score is the share of bytes in common chunks. Chunk
//! borders, hash and scale are git's, since the winner among several candidates depends on each of
//! them.

use rustc_hash::FxHashMap;

use crate::text::binary::is_binary;

/// The score of two equal files.
pub(crate) const MAX_SCORE: u64 = 60_000;
/// The minimum score of a rename: half of the scale.
pub(crate) const MINIMUM: u64 = 30_000;
/// From this score on, the only candidate with the same base name wins at once.
pub(crate) const SAME_NAME_MINIMUM: u64 = 45_000;

const HASH_BASE: u32 = 107_927;
const MAX_CHUNK_LEN: u32 = 64;

/// Bytes per chunk hash, sorted by hash.
#[derive(Debug)]
pub struct Chunks {
    size: u64,
    counts: Vec<(u32, u64)>,
}

impl Chunks {
    /// The chunks of a file, which is text or binary by its contents.
    pub fn new(data: &[u8]) -> Chunks {
        Chunks::of_kind(data, None)
    }

    /// The chunks of a file, which is text or not, or as its contents say.
    pub(crate) fn of_kind(data: &[u8], is_text: Option<bool>) -> Chunks {
        let text = is_text.unwrap_or_else(|| !is_binary(data));
        let mut counts: FxHashMap<u32, u64> = FxHashMap::default();
        let (mut x, mut y, mut counted) = (0_u32, 0_u32, 0_u32);
        for (at, &byte) in data.iter().enumerate() {
            if text && byte == b'\r' && data.get(at + 1) == Some(&b'\n') {
                continue;
            }
            (x, y) = (
                (x << 7 ^ y >> 25).wrapping_add(u32::from(byte)),
                y << 7 ^ x >> 25,
            );
            counted += 1;
            if counted == MAX_CHUNK_LEN || byte == b'\n' {
                *counts.entry(chunk_hash(x, y)).or_default() += u64::from(counted);
                (x, y, counted) = (0, 0, 0);
            }
        }
        if counted > 0 {
            *counts.entry(chunk_hash(x, y)).or_default() += u64::from(counted);
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable();
        Chunks {
            size: data.len() as u64,
            counts,
        }
    }

    /// The number of different chunks.
    pub(crate) fn count(&self) -> usize {
        self.counts.len()
    }

    /// git's similarity index, 0 to 100; git takes 50 and more for a rename.
    pub fn percent(&self, other: &Chunks) -> u8 {
        u8::try_from(self.score(other) * 100 / MAX_SCORE).unwrap_or(100)
    }

    /// The score of two files, 0 to [`MAX_SCORE`].
    pub(crate) fn score(&self, other: &Chunks) -> u64 {
        let largest = self.size.max(other.size);
        if largest == 0 {
            return 0;
        }
        let mut common = 0_u64;
        let mut others = other.counts.iter().peekable();
        for &(hash, count) in &self.counts {
            while others.next_if(|&&(other, _)| other < hash).is_some() {}
            if let Some(&(_, theirs)) = others.next_if(|&&(other, _)| other == hash) {
                common += count.min(theirs);
            }
        }
        common.saturating_mul(MAX_SCORE) / largest
    }
}

/// True if files of these sizes can reach `minimum` at all.
pub(crate) fn sizes_allow(one: u64, other: u64, minimum: u64) -> bool {
    let (largest, smallest) = (one.max(other), one.min(other));
    let lost = u128::from(largest - smallest) * u128::from(MAX_SCORE);
    u128::from(largest) * u128::from(MAX_SCORE - minimum) >= lost
}

fn chunk_hash(x: u32, y: u32) -> u32 {
    x.wrapping_add(y.wrapping_mul(97)) % HASH_BASE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(one: &[u8], other: &[u8]) -> u64 {
        Chunks::new(one).score(&Chunks::new(other))
    }

    #[test]
    fn equal_and_disjoint() {
        assert_eq!(score(b"a\nb\n", b"a\nb\n"), MAX_SCORE);
        assert_eq!(score(b"aaaa\n", b"bbbb\n"), 0);
        assert_eq!(score(b"", b""), 0);
    }

    #[test]
    fn half_of_the_lines() {
        assert_eq!(score(b"one1\ntwo2\n", b"one1\nsix6\n"), 30_000);
    }

    #[test]
    fn carriage_returns_of_text_are_not_counted() {
        assert_eq!(score(b"ab\r\n", b"ab\n"), 45_000);
        assert_eq!(score(b"\0ab\r\n", b"\0ab\n"), 0);
    }

    #[test]
    fn exactly_half_the_size_still_passes() {
        assert!(sizes_allow(100, 50, MINIMUM));
        assert!(!sizes_allow(100, 49, MINIMUM));
        assert!(sizes_allow(0, 0, MINIMUM));
    }
}
