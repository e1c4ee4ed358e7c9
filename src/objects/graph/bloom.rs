//! Hash functions of changed-path Bloom filters.

/// Bits that git sets for each path of a filter.
pub(crate) const FILTER_HASHES: u32 = 7;
/// Bits that git gives a filter for each of its paths.
pub(crate) const FILTER_BITS: u32 = 10;

/// The double hash of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BloomKey {
    first: u32,
    second: u32,
}

impl BloomKey {
    /// Hashes `path` for filters of this version (1 or 2).
    pub(crate) fn new(path: &[u8], version: u32) -> BloomKey {
        BloomKey {
            first: murmur(path, 0x293a_e76f, version),
            second: murmur(path, 0x7e64_6e2c, version),
        }
    }

    /// True if the non-empty `filter`, in which each path has this many `hashes`, contains the
    /// path.
    #[inline]
    pub(crate) fn is_in(self, filter: &[u8], hashes: u32) -> bool {
        let bits = filter.len() as u32 * 8;
        self.hashes(hashes).all(|hash| is_set(filter, hash % bits))
    }

    /// The first `count` hashes of the path, each to be reduced modulo the filter's size in bits.
    #[inline]
    pub(crate) fn hashes(self, count: u32) -> impl Iterator<Item = u32> {
        (0..count).map(move |nth| self.first.wrapping_add(nth.wrapping_mul(self.second)))
    }
}

#[inline]
pub(crate) fn is_set(filter: &[u8], bit: u32) -> bool {
    filter[bit as usize / 8] >> (bit & 7) & 1 != 0
}

/// 32-bit MurmurHash3. Version 1 has git's bug of sign-extending bytes from 0x80 on.
fn murmur(data: &[u8], seed: u32, version: u32) -> u32 {
    let widen = |byte: u8| match version {
        1 => i32::from(byte as i8) as u32,
        _ => u32::from(byte),
    };
    let scramble = |word: u32| {
        word.wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593)
    };
    let (words, rest) = data.as_chunks::<4>();
    let mut hash = seed;
    for word in words {
        let word = (0..4).fold(0, |sum, at| sum | widen(word[at]) << (8 * at));
        hash = (hash ^ scramble(word))
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    if !rest.is_empty() {
        let word = (0..rest.len()).fold(0, |sum, at| sum ^ widen(rest[at]) << (8 * at));
        hash ^= scramble(word);
    }
    hash ^= data.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_of_a_known_path() {
        let hashes: Vec<u32> = BloomKey::new(b"a/f", 1).hashes(3).collect();
        assert_eq!(hashes, [0xa196_cc52, 0xeeec_9d4a, 0x3c42_6e42]);
        assert_eq!(BloomKey::new(b"a/f", 2), BloomKey::new(b"a/f", 1));
        assert_ne!(BloomKey::new(b"\xc3\xa4", 2), BloomKey::new(b"\xc3\xa4", 1));
    }

    #[test]
    fn murmur_is_the_standard_one() {
        assert_eq!(murmur(b"", 0, 2), 0);
        assert_eq!(murmur(b"Hello world!", 0, 2), 0x627b_0c2c);
        assert_eq!(
            murmur(b"The quick brown fox jumps over the lazy dog", 0, 2),
            0x2e4f_f723
        );
    }
}
