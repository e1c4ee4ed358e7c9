//! Where ids start that begin with the same bits.

use std::ops::Range;

/// So many ids should begin with the same bits.
const IN_PART: u32 = 6;

/// A table for sorted ids with the same first byte, much finer than the one that indexes have.
///
/// A guess at the place of an id is off by some ten, and what is waited for at each is memory that
/// no cache has. A table that the caches hold says at once which few ids it can be.
pub(crate) struct Starts {
    /// Of the bits behind the first byte so many are not looked at.
    shift: u32,
    /// How many ids are before each part, and how many there are.
    all: Box<[u16]>,
}

impl Starts {
    /// The table for ids that start with these bytes; `None` if there are too many.
    pub(crate) fn new(ids: impl ExactSizeIterator<Item = u64>) -> Option<Starts> {
        let count = u16::try_from(ids.len()).ok()?;
        let bits = (u32::from(count) / IN_PART).max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut all = Vec::with_capacity((1 << bits) + 1);
        for (nth, id) in (0..count).zip(ids) {
            let part = (id << 8 >> shift) as usize;
            while all.len() <= part {
                all.push(nth);
            }
        }
        all.resize((1 << bits) + 1, count);
        let all = all.into_boxed_slice();
        Some(Starts { shift, all })
    }

    /// Which of the ids an id can be that starts with these bytes.
    #[inline]
    pub(crate) fn part(&self, id: u64) -> Range<u32> {
        let part = (id << 8 >> self.shift) as usize;
        u32::from(self.all[part])..u32::from(self.all[part + 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_their_parts() {
        for count in [0, 1, 5, 13, 700, 65_535] {
            let mut ids: Vec<u64> = (1..=count)
                .map(|nth: u64| nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8 | 7 << 56)
                .collect();
            ids.sort_unstable();
            let starts = Starts::new(ids.iter().copied()).expect("not too many");
            for (nth, &id) in (0..).zip(&ids) {
                let part = starts.part(id);
                assert!(part.contains(&nth) && part.len() < 50, "{part:?} {nth}");
            }
        }
        assert!(Starts::new((0..65_536).map(|_| 0_u64).collect::<Vec<_>>().into_iter()).is_none());
    }

    #[test]
    fn ids_out_of_order_are_lost_but_do_no_harm() {
        let starts = Starts::new([9_u64 << 50, 1 << 50, 3 << 52].into_iter()).expect("few");
        for id in [0, 1 << 50, 3 << 52, u64::MAX] {
            assert!(starts.part(id).end <= 3);
        }
    }
}
