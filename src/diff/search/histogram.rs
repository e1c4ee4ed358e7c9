//! Histogram diff: keeps the common region with the rarest lines, and recurses before and after it.

use std::ops::Range;

use crate::diff::{
    region::sides::Part,
    search::{marked_sides::Marked, myers::Myers},
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
    parts: Vec<Part>,
}

/// The best common region of two sides.
enum CommonRegion {
    /// The sides have no line in common.
    None,
    /// All common lines are too frequent.
    TooFrequent,
    /// The region to keep.
    Found(Part),
}

impl Histogram {
    /// Flags the changed lines. `numbers` is an exclusive upper bound of the line ids, which must
    /// follow first appearance: whether git's hash table overflows depends on them.
    pub(crate) fn run(
        &mut self,
        marked: &mut Marked<'_>,
        numbers: usize,
        myers: &mut Myers,
    ) -> Result<(), DiffError> {
        if self.occurrences.len() < numbers {
            self.occurrences.resize(numbers, NO_OCCURRENCES);
        }
        if self.next.len() < marked.old.len() {
            self.next.resize(marked.old.len(), NONE);
        }
        self.parts.clear();
        self.parts.push(marked.whole());
        while let Some(part) = self.parts.pop() {
            if part.old.is_empty() || part.new.is_empty() {
                marked.mark(part);
                continue;
            }
            let old = &marked.old[part.old.clone()];
            if !self.index(old, part.old.start) {
                self.forget(old);
                return Err(DiffError::Histogram);
            }
            let found = self.find(marked, &part);
            self.forget(old);
            match found {
                CommonRegion::None => marked.mark(part),
                CommonRegion::TooFrequent => marked.search(part, myers, numbers),
                CommonRegion::Found(region) => {
                    self.parts.push(Part {
                        old: part.old.start..region.old.start,
                        new: part.new.start..region.new.start,
                    });
                    self.parts.push(Part {
                        old: region.old.end..part.old.end,
                        new: region.new.end..part.new.end,
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

    fn forget(&mut self, old: &[u32]) {
        for &line in old {
            self.occurrences[line as usize] = NO_OCCURRENCES;
        }
    }

    /// Finds the region to keep: the longest, unless another contains a rarer line.
    fn find(&self, marked: &Marked<'_>, part: &Part) -> CommonRegion {
        let mut common = false;
        let mut low = MAX_OCCURRENCES + 1;
        let mut best: Option<Part> = None;
        let mut span = 0;
        let mut j = part.new.start;
        while j < part.new.end {
            let occurrences = self.occurrences[marked.new[j] as usize];
            let mut furthest = j + 1;
            common |= occurrences.count > 0;
            if occurrences.count > 0 && occurrences.count <= low {
                let mut i = occurrences.first;
                while i != NONE {
                    let (region, rarest) = self.extend(marked, part, i as usize, j);
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
    fn extend(&self, marked: &Marked<'_>, part: &Part, i: usize, j: usize) -> (Part, u32) {
        let before = {
            let old = marked.old[part.old.start..i].iter().rev();
            let new = marked.new[part.new.start..j].iter().rev();
            old.zip(new).take_while(|(old, new)| old == new).count()
        };
        let after = {
            let old = &marked.old[i..part.old.end];
            let new = &marked.new[j..part.new.end];
            old.iter().zip(new).take_while(|(old, new)| old == new)
        }
        .count();
        let old: Range<usize> = i - before..i + after;
        let rarest = marked.old[old.clone()]
            .iter()
            .map(|&line| self.occurrences[line as usize].count)
            .min()
            .unwrap_or(NONE);
        let new = j - before..j + after;
        (Part { old, new }, rarest)
    }
}
