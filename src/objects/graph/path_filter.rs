//! Changed-path filter query for one path, evaluated in blocks of commits.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::objects::graph::bloom::{BloomKey, is_set};

/// Commits evaluated at a time.
pub(crate) const COMMITS_PER_BLOCK: u32 = 2048;
/// After this many single queries, whole blocks are evaluated.
const BLOCKS_AFTER: u32 = 128;
/// Bit positions are precomputed for filters shorter than this many bytes.
const SHORT_FILTER_LEN: usize = 128;

/// One bit per commit of a block, set if the filter rules out a change of the path.
pub(crate) type UnchangedBits = Box<[u64; COMMITS_PER_BLOCK as usize / 64]>;

/// The hashes of a path, and cached results for blocks of commits.
///
/// Commits are sorted by id, so a walk touches filters all over the file but needs one bit of each.
/// So the filters of a block are evaluated together, and only the results are kept.
pub struct PathFilter {
    path: Box<[u8]>,
    key: BloomKey,
    /// Bits set per path.
    hashes: u32,
    /// By filter length: the bit positions for this path.
    bits: Box<[[u16; 8]; SHORT_FILTER_LEN]>,
    blocks: Vec<OnceLock<Option<UnchangedBits>>>,
    queries: AtomicU32,
}

impl PathFilter {
    /// For a graph with `blocks` blocks of commits, and filters of this version with this many
    /// `hashes` per path.
    pub(crate) fn new(path: &[u8], version: u32, hashes: u32, blocks: u32) -> PathFilter {
        let key = BloomKey::new(path, version);
        let mut bits = Box::new([[0; 8]; SHORT_FILTER_LEN]);
        for (len, bits) in (1u32..).zip(bits[1..].iter_mut()) {
            for (bit, hash) in bits.iter_mut().zip(key.hashes(hashes.min(8))) {
                *bit = (hash % (len * 8)) as u16;
            }
        }
        PathFilter {
            path: path.into(),
            key,
            hashes,
            bits,
            blocks: (0..blocks).map(|_| OnceLock::new()).collect(),
            queries: AtomicU32::new(0),
        }
    }

    /// The path from the root.
    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// True if the filter of the `nth` commit of `block` rules out a change. `evaluate` computes
    /// the block if it is not cached; `None` while queries are too few for that, or if `evaluate`
    /// fails.
    #[inline]
    pub(crate) fn is_unchanged(
        &self,
        block: u32,
        nth: u32,
        evaluate: impl FnOnce() -> Option<UnchangedBits>,
    ) -> Option<bool> {
        let cell = self.blocks.get(block as usize)?;
        let unchanged = match cell.get() {
            Some(unchanged) => unchanged,
            None => {
                let queries = self.queries.load(Ordering::Relaxed);
                if queries < BLOCKS_AFTER {
                    self.queries.store(queries + 1, Ordering::Relaxed);
                    return None;
                }
                cell.get_or_init(evaluate)
            }
        };
        let unchanged = unchanged.as_ref()?;
        Some(unchanged[nth as usize / 64] >> (nth % 64) & 1 != 0)
    }

    /// True if the non-empty `filter` contains the path, so that it may have changed.
    ///
    /// The directories of the path, which filters contain too, are not asked for, as git does not:
    /// in a filter that is wrong in spite of its checksum the answer is git's.
    #[inline]
    pub(crate) fn may_contain(&self, filter: &[u8]) -> bool {
        match self.bits.get(filter.len()) {
            Some(positions) if self.hashes <= 8 => {
                let mut positions = positions[..self.hashes as usize].iter();
                positions.all(|&bit| is_set(filter, u32::from(bit)))
            }
            _ => self.key.is_in(filter, self.hashes),
        }
    }
}

impl std::fmt::Debug for PathFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PathFilter")
            .field("path", &String::from_utf8_lossy(&self.path))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_filters_agree_with_a_plain_test() {
        for hashes in [1, 7, 8, 9, 30] {
            let filter = PathFilter::new(b"src/main.rs", 1, hashes, 0);
            let mut seed = 7u32;
            for len in [
                1,
                2,
                9,
                SHORT_FILTER_LEN - 1,
                SHORT_FILTER_LEN,
                SHORT_FILTER_LEN + 1,
                700,
            ] {
                let mut bytes = vec![0u8; len];
                assert!(!filter.may_contain(&bytes));
                let hashed = filter.key.hashes(hashes);
                for bit in hashed.map(|hash| hash as usize % (len * 8)) {
                    bytes[bit / 8] |= 1 << (bit % 8);
                }
                assert!(filter.may_contain(&bytes), "{hashes} {len}");
                for _ in 0..50 {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let mut bytes = vec![(seed >> 9) as u8; len];
                    bytes[seed as usize % len] = (seed >> 17) as u8;
                    let mut hashes = filter.key.hashes(hashes);
                    let expected = hashes.all(|hash| {
                        let bit = hash as usize % (len * 8);
                        bytes[bit / 8] >> (bit % 8) & 1 != 0
                    });
                    assert_eq!(filter.may_contain(&bytes), expected);
                }
            }
        }
    }
}
