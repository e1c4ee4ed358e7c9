//! The histogram search: the common region with the rarest lines stays, and what lies before and
//! after it is searched in the same way.

use std::ops::Range;

use crate::diff::{
    region::sides::Part,
    search::{marked_sides::Marked, myers::Myers},
    types::DiffError,
};

/// Lines that occur more often on the old side are no anchors.
const MOST: u32 = 64;
/// So many different lines in one bucket are too many.
const BUCKET: u32 = 65;
const NONE: u32 = u32::MAX;

/// What is known of a line's occurrences on the old side of a part.
#[derive(Debug, Clone, Copy)]
struct Seen {
    count: u32,
    /// The first place.
    first: u32,
}

const UNSEEN: Seen = Seen {
    count: 0,
    first: NONE,
};

/// The search, with its buffers.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// By line number; all [`UNSEEN`] between two parts.
    seen: Vec<Seen>,
    /// For each old line, the next one that is equal.
    next: Vec<u32>,
    buckets: Vec<u32>,
    parts: Vec<Part>,
}

/// What [`Histogram`] found in a part.
enum Found {
    /// The sides have no line in common.
    Nothing,
    /// All common lines are too frequent.
    Frequent,
    /// The region to keep.
    Region(Part),
}

impl Histogram {
    /// Marks what changed. All lines are numbers below `numbers`, by first appearance: some
    /// contrived numberings fail.
    pub(crate) fn run(
        &mut self,
        marked: &mut Marked<'_>,
        numbers: usize,
        myers: &mut Myers,
    ) -> Result<(), DiffError> {
        if self.seen.len() < numbers {
            self.seen.resize(numbers, UNSEEN);
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
                Found::Nothing => marked.mark(part),
                Found::Frequent => marked.search(part, myers, numbers),
                Found::Region(region) => {
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

    /// Notes where the lines of the old side are; false if they cannot be told apart.
    fn index(&mut self, old: &[u32], start: usize) -> bool {
        let mut highest = 0;
        for (at, &line) in old.iter().enumerate().rev() {
            let seen = &mut self.seen[line as usize];
            self.next[start + at] = seen.first;
            seen.first = (start + at) as u32;
            seen.count += 1;
            highest = highest.max(line);
        }
        let bits = old.len().next_power_of_two().trailing_zeros().max(1);
        // Numbers that follow each other fall into different buckets.
        if highest >> bits < BUCKET - 1 {
            return true;
        }
        self.buckets.clear();
        self.buckets.resize(1 << bits, 0);
        old.iter().enumerate().all(|(at, &line)| {
            if self.seen[line as usize].first != (start + at) as u32 {
                return true;
            }
            let bucket = (u64::from(line) + u64::from(line >> bits)) & ((1 << bits) - 1);
            self.buckets[bucket as usize] += 1;
            self.buckets[bucket as usize] < BUCKET
        })
    }

    fn forget(&mut self, old: &[u32]) {
        for &line in old {
            self.seen[line as usize] = UNSEEN;
        }
    }

    /// Finds the region to keep: the longest, unless another has a rarer line.
    fn find(&self, marked: &Marked<'_>, part: &Part) -> Found {
        let mut common = false;
        let mut low = MOST + 1;
        let mut best: Option<Part> = None;
        let mut span = 0;
        let mut j = part.new.start;
        while j < part.new.end {
            let seen = self.seen[marked.new[j] as usize];
            let mut furthest = j + 1;
            common |= seen.count > 0;
            if seen.count > 0 && seen.count <= low {
                let mut i = seen.first;
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
            _ if !common => Found::Nothing,
            Some(region) if low <= MOST => Found::Region(region),
            _ => Found::Frequent,
        }
    }

    /// The region of equal lines around a pair of them, and the count of its rarest line.
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
            .map(|&line| self.seen[line as usize].count)
            .min()
            .unwrap_or(NONE);
        let new = j - before..j + after;
        (Part { old, new }, rarest)
    }
}
