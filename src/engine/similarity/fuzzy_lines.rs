//! Fuzzy line matching for ignored commits: finds the old line that a changed line replaced.
//!
//! Lines are compared by fingerprints: multisets of adjacent byte pairs. Within a hunk the most
//! certain pair is fixed first and divides the rest. A line without a match there is searched in
//! the whole parent.

use std::{collections::hash_map::Entry, sync::Arc};

use rustc_hash::FxHashMap;

use crate::diff::{Hunk, LineInterner, Token};

/// Search distance from the expected line within a hunk, in lines.
const MAX_DISTANCE: u32 = 10;
/// The weight of a common byte pair at the expected line; each line of distance takes 1 off.
const FULL_WEIGHT: i64 = 1000;
/// The minimum number of common byte pairs with a line outside of the hunk.
const MIN_COMMON_PAIRS: u32 = 10;

/// A line's byte pairs and their counts, sorted by pair.
type Fingerprint = Vec<(u16, u32)>;

/// Matches the lines of two versions. Byte pairs of an old line that matched once are consumed, so
/// hunks must be matched in ascending order.
pub(crate) struct FuzzyMatcher<'a> {
    lines: &'a LineInterner,
    old: &'a [Token],
    new: &'a [Token],
    by_token: FxHashMap<Token, Arc<Fingerprint>>,
    /// Remaining fingerprints of old lines that were matched.
    consumed: FxHashMap<u32, Arc<Fingerprint>>,
    postings: Option<Postings>,
}

impl<'a> FuzzyMatcher<'a> {
    pub(crate) fn new(lines: &'a LineInterner, old: &'a [Token], new: &'a [Token]) -> Self {
        FuzzyMatcher {
            lines,
            old,
            new,
            by_token: FxHashMap::default(),
            consumed: FxHashMap::default(),
            postings: None,
        }
    }

    /// For each new line of `hunk`, the old line it replaced.
    pub(crate) fn match_hunk(&mut self, hunk: &Hunk) -> Vec<Option<u32>> {
        let mut found = vec![None; hunk.new.len()];
        if !hunk.old.is_empty() {
            HunkAlignment::new(hunk, self).solve(self, &mut found);
        }
        for (at, found) in found.iter_mut().enumerate() {
            if found.is_none() {
                *found = self.most_similar_anywhere(hunk.new.start + at as u32);
            }
        }
        found
    }

    /// The most similar old line of the whole file, the nearest among equals.
    fn most_similar_anywhere(&mut self, new: u32) -> Option<u32> {
        let wanted = self.new_fingerprint(new);
        if pair_count(&wanted) < MIN_COMMON_PAIRS {
            return None;
        }
        if self.postings.is_none() {
            let fingerprints = (0..self.old.len() as u32)
                .map(|line| self.old_fingerprint(line))
                .collect();
            self.postings = Some(Postings::new(fingerprints));
        }
        self.postings.as_mut()?.most_similar(&wanted, new)
    }

    fn token_fingerprint(&mut self, token: Token) -> Arc<Fingerprint> {
        match self.by_token.entry(token) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(slot) => {
                Arc::clone(slot.insert(Arc::new(fingerprint(self.lines.bytes(token)))))
            }
        }
    }

    fn new_fingerprint(&mut self, line: u32) -> Arc<Fingerprint> {
        self.token_fingerprint(self.new[line as usize])
    }

    fn old_fingerprint(&mut self, line: u32) -> Arc<Fingerprint> {
        if let Some(left) = self.consumed.get(&line) {
            return Arc::clone(left);
        }
        self.token_fingerprint(self.old[line as usize])
    }

    fn consume(&mut self, old: u32, new: u32) {
        let taken = self.new_fingerprint(new);
        let left = subtract(&self.old_fingerprint(old), &taken);
        if let Some(postings) = &mut self.postings {
            postings.set(old, &left);
        }
        self.consumed.insert(old, Arc::new(left));
    }
}

fn fingerprint(line: &[u8]) -> Fingerprint {
    let fold = |byte: u8| match byte {
        b' ' | b'\t' | b'\n' | b'\r' => 0,
        byte => byte.to_ascii_lowercase(),
    };
    let mut pairs = Vec::with_capacity(line.len() + 1);
    let mut before = 0;
    for byte in line.iter().map(|&byte| fold(byte)).chain([0]) {
        if before != 0 || byte != 0 {
            pairs.push(u16::from_be_bytes([before, byte]));
        }
        before = byte;
    }
    pairs.sort_unstable();
    let mut counted: Fingerprint = Vec::new();
    for pair in pairs {
        match counted.last_mut() {
            Some((last, count)) if *last == pair => *count += 1,
            _ => counted.push((pair, 1)),
        }
    }
    counted
}

fn pair_count(fingerprint: &Fingerprint) -> u32 {
    fingerprint.iter().map(|(_, count)| count).sum()
}

fn common_pairs(one: &Fingerprint, other: &Fingerprint) -> u32 {
    let mut common = 0;
    let mut others = other.iter().copied().peekable();
    for &(pair, count) in one {
        while others.next_if(|&(other, _)| other < pair).is_some() {}
        if let Some((_, theirs)) = others.next_if(|&(other, _)| other == pair) {
            common += count.min(theirs);
        }
    }
    common
}

fn subtract(from: &Fingerprint, taken: &Fingerprint) -> Fingerprint {
    let mut taken = taken.iter().copied().peekable();
    let mut left = Vec::with_capacity(from.len());
    for &(pair, count) in from {
        while taken.next_if(|&(other, _)| other < pair).is_some() {}
        let gone = taken
            .next_if(|&(other, _)| other == pair)
            .map_or(0, |(_, count)| count);
        if count > gone {
            left.push((pair, count - gone));
        }
    }
    left
}

/// Alignment of one hunk's lines, from the most certain pair outwards.
struct HunkAlignment<'h> {
    hunk: &'h Hunk,
    max_distance: u32,
    common_pairs_by_lines: FxHashMap<(u32, u32), u32>,
    /// Segment tree over the new lines: the most certain match of any range in O(log n).
    tree: Vec<LineMatch>,
    leaves: usize,
}

/// The best match of a new line.
#[derive(Debug, Clone, Copy, Default)]
struct LineMatch {
    /// Twice the weight of the best old line less that of the second best; `None` without a match.
    certainty: Option<i64>,
    new: u32,
    old: u32,
}

impl LineMatch {
    fn more_certain(self, later: LineMatch) -> LineMatch {
        if later.certainty > self.certainty {
            later
        } else {
            self
        }
    }
}

/// New lines (offsets in the hunk) and the old lines they may match.
type SubHunk = (std::ops::Range<u32>, std::ops::RangeInclusive<u32>);

impl<'h> HunkAlignment<'h> {
    fn new(hunk: &'h Hunk, matcher: &mut FuzzyMatcher<'_>) -> Self {
        let leaves = hunk.new.len().next_power_of_two();
        let mut alignment = HunkAlignment {
            hunk,
            max_distance: MAX_DISTANCE.min(hunk.old.len() as u32 - 1),
            common_pairs_by_lines: FxHashMap::default(),
            tree: vec![LineMatch::default(); 2 * leaves],
            leaves,
        };
        let old = hunk.old.start..=hunk.old.end - 1;
        for at in 0..hunk.new.len() as u32 {
            alignment.score_line(at, &old, matcher);
        }
        alignment
    }

    fn solve(&mut self, matcher: &mut FuzzyMatcher<'_>, found: &mut [Option<u32>]) {
        let whole = 0..self.hunk.new.len() as u32;
        let mut parts: Vec<SubHunk> = vec![(whole, self.hunk.old.start..=self.hunk.old.end - 1)];
        while let Some(part) = parts.pop() {
            self.rescore_borders(&part, matcher);
            let (new, old) = part;
            let best = self.most_certain(&new);
            if best.certainty.is_none() {
                continue;
            }
            found[best.new as usize] = Some(best.old);
            matcher.consume(best.old, self.hunk.new.start + best.new);
            // The upper part is settled first: both may take from the dividing old line.
            parts.push((best.new + 1..new.end, best.old..=*old.end()));
            parts.push((new.start..best.new, *old.start()..=best.old));
        }
    }

    /// The old line of a new line if lines were spread evenly.
    fn expected(&self, new: u32) -> u32 {
        let (new_len, old_len) = (self.hunk.new.len() as u64, self.hunk.old.len() as u64);
        self.hunk.old.start + ((2 * u64::from(new) + 1) * old_len / (2 * new_len)) as u32
    }

    /// Recomputes the lines that can reach a border of their part: the old line there may have been
    /// consumed in part, by this part or its neighbour, and lines beyond it are out of reach.
    fn rescore_borders(&mut self, (new, old): &SubHunk, matcher: &mut FuzzyMatcher<'_>) {
        let borders = [*old.start(), *old.end()];
        for at in new.clone() {
            let expected = self.expected(at);
            let can_reach = |border: &u32| expected.abs_diff(*border) <= self.max_distance;
            if borders.iter().any(can_reach) {
                for border in borders {
                    self.common_pairs_by_lines.remove(&(at, border));
                }
                self.score_line(at, old, matcher);
            }
        }
    }

    /// Finds the best of the `old` lines for the new line `at`.
    fn score_line(
        &mut self,
        at: u32,
        old: &std::ops::RangeInclusive<u32>,
        matcher: &mut FuzzyMatcher<'_>,
    ) {
        let expected = self.expected(at);
        let from = expected.saturating_sub(self.max_distance).max(*old.start());
        let to = (expected + self.max_distance).min(*old.end());
        let (mut best, mut second, mut best_old) = (0_i64, 0_i64, 0);
        for candidate in from..=to {
            let common = *self
                .common_pairs_by_lines
                .entry((at, candidate))
                .or_insert_with(|| {
                    let new = matcher.new_fingerprint(self.hunk.new.start + at);
                    common_pairs(&new, &matcher.old_fingerprint(candidate))
                });
            let distance = i64::from(candidate.abs_diff(expected));
            let weight = i64::from(common) * (FULL_WEIGHT - distance);
            if weight > best {
                (second, best, best_old) = (best, weight, candidate);
            } else if weight > second {
                second = weight;
            }
        }
        let certainty = (best > 0).then_some(2 * best - second);
        self.set(
            at,
            LineMatch {
                certainty,
                new: at,
                old: best_old,
            },
        );
    }

    fn set(&mut self, at: u32, best: LineMatch) {
        let mut node = self.leaves + at as usize;
        self.tree[node] = best;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].more_certain(self.tree[2 * node + 1]);
        }
    }

    fn most_certain(&self, range: &std::ops::Range<u32>) -> LineMatch {
        let (mut from, mut to) = (
            self.leaves + range.start as usize,
            self.leaves + range.end as usize,
        );
        let (mut left, mut right) = (LineMatch::default(), LineMatch::default());
        while from < to {
            if from % 2 == 1 {
                left = left.more_certain(self.tree[from]);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                right = self.tree[to].more_certain(right);
            }
            from /= 2;
            to /= 2;
        }
        left.more_certain(right)
    }
}

/// Inverted index: the old lines that have a byte pair, and how often.
struct Postings {
    lines: FxHashMap<u16, Vec<(u32, u32)>>,
    fingerprints: Vec<Arc<Fingerprint>>,
    /// Buffer: by old line, the pairs in common with the wanted line.
    common: Vec<u32>,
}

impl Postings {
    fn new(fingerprints: Vec<Arc<Fingerprint>>) -> Self {
        let mut lines: FxHashMap<u16, Vec<(u32, u32)>> = FxHashMap::default();
        for (line, fingerprint) in fingerprints.iter().enumerate() {
            for &(pair, count) in fingerprint.iter() {
                lines.entry(pair).or_default().push((line as u32, count));
            }
        }
        Postings {
            lines,
            common: vec![0; fingerprints.len()],
            fingerprints,
        }
    }

    /// Replaces a line's fingerprint by a subset of it.
    fn set(&mut self, line: u32, left: &Fingerprint) {
        let before = std::mem::replace(
            &mut self.fingerprints[line as usize],
            Arc::new(left.clone()),
        );
        for &(pair, _) in before.iter() {
            let count = left.binary_search_by_key(&pair, |&(pair, _)| pair);
            let count = count.map_or(0, |at| left[at].1);
            if let Some(posting) = self.lines.get_mut(&pair)
                && let Ok(at) = posting.binary_search_by_key(&line, |&(line, _)| line)
            {
                posting[at].1 = count;
            }
        }
    }

    fn most_similar(&mut self, wanted: &Fingerprint, near: u32) -> Option<u32> {
        self.common.fill(0);
        for (pair, count) in wanted {
            for &(line, theirs) in self.lines.get(pair).map_or(&[][..], Vec::as_slice) {
                self.common[line as usize] += theirs.min(*count);
            }
        }
        let rank = |&(line, &common): &(usize, &u32)| {
            (
                common,
                std::cmp::Reverse((line as u32).abs_diff(near)),
                line,
            )
        };
        let (line, &common) = self.common.iter().enumerate().max_by_key(rank)?;
        (common >= MIN_COMMON_PAIRS).then_some(line as u32)
    }
}
