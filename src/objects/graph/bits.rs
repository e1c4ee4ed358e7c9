//! A set of commits by position, as bits.

/// A set of small numbers, which grows on demand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BitSet(Vec<u64>);

impl BitSet {
    /// From bytes as [`to_bytes`](Self::to_bytes) returns them.
    pub(crate) fn from_bytes(bytes: &[u8]) -> BitSet {
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        BitSet(bytes.chunks(8).map(word).collect())
    }

    /// A bit for each number below `end`, the lowest first; the rest of the last byte is 0.
    pub(crate) fn to_bytes(&self, end: u32) -> Vec<u8> {
        let bytes = self.0.iter().flat_map(|word| word.to_le_bytes());
        let len = end.div_ceil(8) as usize;
        let mut bytes: Vec<u8> = bytes.take(len).collect();
        bytes.resize(len, 0);
        bytes
    }

    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        let word = self.0.get(number as usize / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// Returns whether the number was not in the set before.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let at = number as usize / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        let bit = 1 << (number % 64);
        let is_new = self.0[at] & bit == 0;
        self.0[at] |= bit;
        is_new
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// The number of numbers in the set.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_were_written() {
        let mut set = BitSet::default();
        for number in [0, 7, 8, 63, 64, 99] {
            assert!(set.insert(number));
            assert!(!set.insert(number));
        }
        set.remove(7);
        set.remove(7000);
        let bytes = set.to_bytes(101);
        assert_eq!(bytes.len(), 13);
        assert_eq!(BitSet::from_bytes(&bytes), set);
        assert_eq!(set.count(), 5);
        let members: Vec<u32> = (0..200).filter(|number| set.contains(*number)).collect();
        assert_eq!(members, [0, 8, 63, 64, 99]);
        assert_eq!(set.to_bytes(300).len(), 38);
        set.clear();
        assert_eq!(set.to_bytes(9), [0, 0]);
    }
}
