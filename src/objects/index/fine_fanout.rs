//! Fine fanout: narrows a first-byte bucket to about six ids.

use std::ops::Range;

/// Target number of ids per part.
const IDS_PER_PART: u32 = 6;

/// A second-level fanout table for the sorted ids of one first-byte bucket.
///
/// Interpolation is off by about ten positions, and each probe waits for uncached memory. This
/// table stays in the CPU caches and narrows the range at once.
pub(crate) struct FineFanout {
    /// Right shift that turns the bits after the first byte into a part number.
    shift: u32,
    /// Number of ids before each part, then the total.
    starts: Box<[u16]>,
}

impl FineFanout {
    /// Builds the table from the ids' prefixes; `None` for more than 65,535 ids.
    pub(crate) fn new(ids: impl ExactSizeIterator<Item = u64>) -> Option<FineFanout> {
        let count = u16::try_from(ids.len()).ok()?;
        let bits = (u32::from(count) / IDS_PER_PART).max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut starts = vec![0_u16; (1 << bits) + 1].into_boxed_slice();
        for id in ids {
            starts[(id << 8 >> shift) as usize + 1] += 1;
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        Some(FineFanout { shift, starts })
    }

    /// The range of positions that an id with this prefix can have.
    #[inline]
    pub(crate) fn part(&self, id: u64) -> Range<u32> {
        let part = (id << 8 >> self.shift) as usize;
        u32::from(self.starts[part])..u32::from(self.starts[part + 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_their_ranges() {
        for count in [0, 1, 5, 13, 700, 65_535] {
            let mut ids: Vec<u64> = (1..=count)
                .map(|nth: u64| nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8 | 7 << 56)
                .collect();
            ids.sort_unstable();
            let starts = FineFanout::new(ids.iter().copied()).expect("not too many");
            for (nth, &id) in (0..).zip(&ids) {
                let part = starts.part(id);
                assert!(part.contains(&nth) && part.len() < 50, "{part:?} {nth}");
            }
        }
        assert!(
            FineFanout::new((0..65_536).map(|_| 0_u64).collect::<Vec<_>>().into_iter()).is_none()
        );
    }

    #[test]
    fn unsorted_ids_never_panic() {
        let starts = FineFanout::new([9_u64 << 50, 1 << 50, 3 << 52].into_iter()).expect("few");
        for id in [0, 1 << 50, 3 << 52, u64::MAX] {
            assert!(starts.part(id).end <= 3);
        }
    }
}
