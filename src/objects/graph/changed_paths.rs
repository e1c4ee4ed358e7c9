//! What the changed-path filters of a commit-graph say of one path.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::objects::graph::bloom::BloomKey;

/// So many commits are looked at together.
pub(crate) const BLOCK: u32 = 2048;
/// A path that was asked for more often than this will be asked for at most commits.
const OFTEN: u32 = 128;
/// The bits of filters with fewer bytes than this are worked out in advance.
const SHORT: usize = 128;

/// One bit for each commit of a block: set when the commit did not change the path.
pub(crate) type Unchanged = Box<[u64; BLOCK as usize / 64]>;

/// A path, and what is known so far of the commits that did not change it.
///
/// Commits lie in the order of their ids, so one walk touches the filters of all parts of the file.
/// What it wants to know of each is one bit. So the filters of a block of commits are looked through
/// at once, and not kept.
pub struct PathFilter {
    path: Box<[u8]>,
    key: BloomKey,
    /// Those of the directories above it, the nearest first. Filters hold them too.
    above: Box<[BloomKey]>,
    /// How many bits of a filter stand for a path.
    hashes: u32,
    /// By the length of a filter: its bits for this path.
    bits: Box<[[u16; 8]; SHORT]>,
    blocks: Vec<OnceLock<Option<Unchanged>>>,
    asked: AtomicU32,
}

impl PathFilter {
    /// For a graph with so many blocks of commits, whose filters have this version, and so many
    /// bits for a path.
    pub(crate) fn new(path: &[u8], version: u32, hashes: u32, blocks: u32) -> PathFilter {
        let key = BloomKey::new(path, version);
        let mut bits = Box::new([[0; 8]; SHORT]);
        for (len, bits) in (1u32..).zip(bits[1..].iter_mut()) {
            for (bit, hash) in bits.iter_mut().zip(key.hashes(hashes.min(8))) {
                *bit = (hash % (len * 8)) as u16;
            }
        }
        let slashes = memchr::memrchr_iter(b'/', path);
        PathFilter {
            path: path.into(),
            key,
            above: slashes
                .map(|end| BloomKey::new(&path[..end], version))
                .collect(),
            hashes,
            bits,
            blocks: (0..blocks).map(|_| OnceLock::new()).collect(),
            asked: AtomicU32::new(0),
        }
    }

    /// The path, from the root.
    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Whether the `nth` commit of `block` certainly did not change the path, from the block that
    /// `look` makes; `None` while it is not worth to look through a block, or when that is not
    /// possible.
    #[inline]
    pub(crate) fn known(
        &self,
        block: u32,
        nth: u32,
        look: impl FnOnce() -> Option<Unchanged>,
    ) -> Option<bool> {
        let place = self.blocks.get(block as usize)?;
        let unchanged = match place.get() {
            Some(unchanged) => unchanged,
            None => {
                let asked = self.asked.load(Ordering::Relaxed);
                if asked < OFTEN {
                    self.asked.store(asked + 1, Ordering::Relaxed);
                    return None;
                }
                place.get_or_init(look)
            }
        };
        let unchanged = unchanged.as_ref()?;
        Some(unchanged[nth as usize / 64] >> (nth % 64) & 1 != 0)
    }

    /// Whether these bytes of a filter, at least one, say that the path may have been changed.
    ///
    /// The directories are asked for too, because the hashes of some paths meet the same few bits of
    /// short filters again and again: of lib/http.c in curl 36,000 commits had to be looked into, and
    /// with the directories 30,000.
    #[inline]
    pub(crate) fn is_in(&self, filter: &[u8]) -> bool {
        self.has_path(filter) && self.has_directories(filter)
    }

    fn has_directories(&self, filter: &[u8]) -> bool {
        self.above.iter().all(|key| self.has_key(filter, key))
    }

    #[inline]
    fn has_path(&self, filter: &[u8]) -> bool {
        match self.bits.get(filter.len()) {
            Some(known) if self.hashes <= 8 => {
                let mut known = known[..self.hashes as usize].iter();
                known.all(|&bit| is_set(filter, u32::from(bit)))
            }
            _ => self.has_key(filter, &self.key),
        }
    }

    fn has_key(&self, filter: &[u8], key: &BloomKey) -> bool {
        let bits = filter.len() as u32 * 8;
        let mut hashes = key.hashes(self.hashes);
        hashes.all(|hash| is_set(filter, hash % bits))
    }
}

#[inline]
fn is_set(filter: &[u8], bit: u32) -> bool {
    filter[bit as usize / 8] >> (bit & 7) & 1 != 0
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
    fn short_and_long_filters_are_read_alike() {
        for hashes in [1, 7, 8, 9, 30] {
            let filter = PathFilter::new(b"src/main.rs", 1, hashes, 0);
            let mut noise = 7u32;
            for len in [1, 2, 9, SHORT - 1, SHORT, SHORT + 1, 700] {
                let mut bytes = vec![0u8; len];
                assert!(!filter.is_in(&bytes));
                for key in [filter.key, filter.above[0]] {
                    let bits = key.hashes(hashes).map(|hash| hash as usize % (len * 8));
                    for bit in bits {
                        bytes[bit / 8] |= 1 << (bit % 8);
                    }
                    assert!(filter.has_path(&bytes), "{hashes} {len}");
                }
                assert!(filter.is_in(&bytes), "{hashes} {len}");
                for _ in 0..50 {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let mut bytes = vec![(noise >> 9) as u8; len];
                    bytes[noise as usize % len] = (noise >> 17) as u8;
                    let mut hashes = filter
                        .key
                        .hashes(hashes)
                        .chain(filter.above[0].hashes(hashes));
                    let expected = hashes.all(|hash| {
                        let bit = hash as usize % (len * 8);
                        bytes[bit / 8] >> (bit % 8) & 1 != 0
                    });
                    assert_eq!(filter.is_in(&bytes), expected);
                }
            }
        }
    }

    #[test]
    fn a_path_is_not_changed_where_its_directory_is_not() {
        let filter = PathFilter::new(b"a/b/c", 1, 7, 0);
        assert_eq!(filter.above.len(), 2);
        let mut bytes = vec![0u8; 100];
        for path in [&b"a/b/c"[..], b"a/b", b"a"] {
            assert!(!filter.is_in(&bytes));
            for hash in BloomKey::new(path, 1).hashes(7) {
                bytes[hash as usize % 800 / 8] |= 1 << (hash % 8);
            }
        }
        assert!(filter.is_in(&bytes));
    }
}
