//! Histogram diff: keeps the common region with the rarest lines, and recurses before and after it.

use std::ops::Range;

use crate::diff::{
    region::diff_input::Region,
    search::{change_flags::ChangeFlags, myers::Myers},
    types::DiffError,
};

/// Lines with more occurrences on the old side are not used as anchors.
const MAX_OCCURRENCES: u32 = 64;
/// Distinct lines in one hash bucket at which git's histogram fails.
const BUCKET_OVERFLOW: u32 = 65;
const NONE: u32 = u32::MAX;

/// A line's occurrences on the old side of a region.
#[derive(Debug, Clone, Copy)]
struct Occurrences {
    count: u32,
    /// Line number of the first one.
    first: u32,
}

const NO_OCCURRENCES: Occurrences = Occurrences {
    count: 0,
    first: NONE,
};

/// The algorithm with its buffers.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// By line id; all [`NO_OCCURRENCES`] between two regions.
    occurrences: Vec<Occurrences>,
    /// By old line, the next equal one.
    next: Vec<u32>,
    buckets: Vec<u32>,
    pending: Vec<Region>,
}

/// The best common region of two sides.
enum CommonRegion {
    /// The sides have no line in common.
    None,
    /// All common lines are too frequent.
    TooFrequent,
    /// The region to keep.
    Found(Region),
}

impl Histogram {
    /// Flags the changed lines. `ids` is an exclusive upper bound of the line ids, which must
    /// follow first appearance: whether git's hash table overflows depends on them.
    pub(crate) fn run(
        &mut self,
        flags: &mut ChangeFlags<'_>,
        ids: usize,
        myers: &mut Myers,
    ) -> Result<(), DiffError> {
        if self.occurrences.len() < ids {
            self.occurrences.resize(ids, NO_OCCURRENCES);
        }
        if self.next.len() < flags.old.len() {
            self.next.resize(flags.old.len(), NONE);
        }
        self.pending.clear();
        self.pending.push(flags.whole());
        while let Some(outer) = self.pending.pop() {
            if outer.old.is_empty() || outer.new.is_empty() {
                flags.mark_changed(outer);
                continue;
            }
            let old = &flags.old[outer.old.clone()];
            if !self.index(old, outer.old.start) {
                self.clear(old);
                return Err(DiffError::Histogram);
            }
            let found = self.find(flags, &outer);
            self.clear(old);
            match found {
                CommonRegion::None => flags.mark_changed(outer),
                CommonRegion::TooFrequent => flags.run_myers(outer, myers, ids),
                CommonRegion::Found(region) => {
                    self.pending.push(Region {
                        old: outer.old.start..region.old.start,
                        new: outer.new.start..region.new.start,
                    });
                    self.pending.push(Region {
                        old: region.old.end..outer.old.end,
                        new: region.new.end..outer.new.end,
                    });
                }
            }
        }
        Ok(())
    }

    /// Indexes the old side; false if a bucket of git's hash table would overflow.
    fn index(&mut self, old: &[u32], start: usize) -> bool {
        let mut highest = 0;
        for (at, &line) in old.iter().enumerate().rev() {
            let occurrences = &mut self.occurrences[line as usize];
            self.next[start + at] = occurrences.first;
            occurrences.first = (start + at) as u32;
            occurrences.count += 1;
            highest = highest.max(line);
        }
        let bits = old.len().next_power_of_two().trailing_zeros().max(1);
        // Consecutive ids fall into different buckets.
        if highest >> bits < BUCKET_OVERFLOW - 1 {
            return true;
        }
        self.buckets.clear();
        self.buckets.resize(1 << bits, 0);
        old.iter().enumerate().all(|(at, &line)| {
            if self.occurrences[line as usize].first != (start + at) as u32 {
                return true;
            }
            let bucket = (u64::from(line) + u64::from(line >> bits)) & ((1 << bits) - 1);
            self.buckets[bucket as usize] += 1;
            self.buckets[bucket as usize] < BUCKET_OVERFLOW
        })
    }

    fn clear(&mut self, old: &[u32]) {
        for &line in old {
            self.occurrences[line as usize] = NO_OCCURRENCES;
        }
    }

    /// Finds the region to keep: the longest, unless another contains a rarer line.
    fn find(&self, flags: &ChangeFlags<'_>, outer: &Region) -> CommonRegion {
        let mut common = false;
        let mut low = MAX_OCCURRENCES + 1;
        let mut best: Option<Region> = None;
        let mut span = 0;
        let mut j = outer.new.start;
        while j < outer.new.end {
            let occurrences = self.occurrences[flags.new[j] as usize];
            let mut furthest = j + 1;
            common |= occurrences.count > 0;
            if occurrences.count > 0 && occurrences.count <= low {
                let mut i = occurrences.first;
                while i != NONE {
                    let (region, rarest) = self.extend(flags, outer, i as usize, j);
                    furthest = furthest.max(region.new.end);
                    let end = region.old.end;
                    if region.old.len() - 1 > span || rarest < low {
                        span = region.old.len() - 1;
                        low = rarest;
                        best = Some(region);
                    }
                    i = self.next[i as usize];
                    while i != NONE && (i as usize) < end {
                        i = self.next[i as usize];
                    }
                }
            }
            j = furthest;
        }
        match best {
            _ if !common => CommonRegion::None,
            Some(region) if low <= MAX_OCCURRENCES => CommonRegion::Found(region),
            _ => CommonRegion::TooFrequent,
        }
    }

    /// The maximal common region around a pair of equal lines, and the count of its rarest line.
    fn extend(&self, flags: &ChangeFlags<'_>, outer: &Region, i: usize, j: usize) -> (Region, u32) {
        let before = {
            let old = flags.old[outer.old.start..i].iter().rev();
            let new = flags.new[outer.new.start..j].iter().rev();
            old.zip(new).take_while(|(old, new)| old == new).count()
        };
        let after = {
            let old = &flags.old[i..outer.old.end];
            let new = &flags.new[j..outer.new.end];
            old.iter().zip(new).take_while(|(old, new)| old == new)
        }
        .count();
        let old: Range<usize> = i - before..i + after;
        let rarest = flags.old[old.clone()]
            .iter()
            .map(|&line| self.occurrences[line as usize].count)
            .min()
            .unwrap_or(NONE);
        let new = j - before..j + after;
        (Region { old, new }, rarest)
    }
}
