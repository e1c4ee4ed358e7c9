//! Guessing, for an ignored commit, which old line each changed line stood for.
//!
//! Lines are compared by their fingerprints: the multiset of neighbouring byte pairs. Within a
//! hunk the surest pair is fixed first and divides the rest; what finds nothing there is looked
//! for in the whole parent.

use std::{collections::hash_map::Entry, sync::Arc};

use rustc_hash::FxHashMap;

use crate::diff::{Hunk, Token, lines::interner::Lines};

/// How far from its expected place a line is looked for within a hunk.
const REACH: u32 = 10;
/// A full similarity is weighed by this, less its distance from the expected place.
const WEIGHT: i64 = 1000;
/// How much a line must have in common with one outside of its hunk.
const ELSEWHERE_MINIMUM: u32 = 10;

/// A line's byte pairs with their counts, sorted by pair.
type Fingerprint = Vec<(u16, u32)>;

/// Guesses for one pair of versions. What an old line gave to one new line it cannot give again,
/// so hunks must be asked for in ascending order.
pub(crate) struct Guesser<'a> {
    lines: &'a Lines,
    old: &'a [Token],
    new: &'a [Token],
    by_token: FxHashMap<Token, Arc<Fingerprint>>,
    /// Fingerprints of old lines that gave something away.
    consumed: FxHashMap<u32, Arc<Fingerprint>>,
    postings: Option<Postings>,
}

impl<'a> Guesser<'a> {
    pub(crate) fn new(lines: &'a Lines, old: &'a [Token], new: &'a [Token]) -> Self {
        Guesser {
            lines,
            old,
            new,
            by_token: FxHashMap::default(),
            consumed: FxHashMap::default(),
            postings: None,
        }
    }

    /// For each new line of `hunk`, the old line it stood for.
    pub(crate) fn hunk(&mut self, hunk: &Hunk) -> Vec<Option<u32>> {
        let mut found = vec![None; hunk.new.len()];
        if !hunk.old.is_empty() {
            Alignment::new(hunk, self).solve(self, &mut found);
        }
        for (at, found) in found.iter_mut().enumerate() {
            if found.is_none() {
                *found = self.elsewhere(hunk.new.start + at as u32);
            }
        }
        found
    }

    /// The old line anywhere that is most like the new one, the nearest among equals.
    fn elsewhere(&mut self, new: u32) -> Option<u32> {
        let wanted = self.new_print(new);
        if total(&wanted) < ELSEWHERE_MINIMUM {
            return None;
        }
        if self.postings.is_none() {
            let prints = (0..self.old.len() as u32)
                .map(|line| self.old_print(line))
                .collect();
            self.postings = Some(Postings::new(prints));
        }
        self.postings.as_mut()?.most_alike(&wanted, new)
    }

    fn of_token(&mut self, token: Token) -> Arc<Fingerprint> {
        match self.by_token.entry(token) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(place) => {
                Arc::clone(place.insert(Arc::new(fingerprint(self.lines.bytes(token)))))
            }
        }
    }

    fn new_print(&mut self, line: u32) -> Arc<Fingerprint> {
        self.of_token(self.new[line as usize])
    }

    fn old_print(&mut self, line: u32) -> Arc<Fingerprint> {
        if let Some(left) = self.consumed.get(&line) {
            return Arc::clone(left);
        }
        self.of_token(self.old[line as usize])
    }

    fn consume(&mut self, old: u32, new: u32) {
        let taken = self.new_print(new);
        let left = without(&self.old_print(old), &taken);
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

fn total(print: &Fingerprint) -> u32 {
    print.iter().map(|(_, count)| count).sum()
}

fn similarity(one: &Fingerprint, other: &Fingerprint) -> u32 {
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

fn without(from: &Fingerprint, taken: &Fingerprint) -> Fingerprint {
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

/// One hunk's lines, aligned from the surest pair outwards.
struct Alignment<'h> {
    hunk: &'h Hunk,
    reach: u32,
    similarities: FxHashMap<(u32, u32), u32>,
    /// A tournament over the new lines: the surest one of any range is found in few steps.
    tree: Vec<Best>,
    leaves: usize,
}

/// How sure the match of a new line is; among equals the earlier line is first.
#[derive(Debug, Clone, Copy, Default)]
struct Best {
    certainty: Option<i64>,
    new: u32,
    old: u32,
}

impl Best {
    fn surer(self, later: Best) -> Best {
        if later.certainty > self.certainty {
            later
        } else {
            self
        }
    }
}

/// New lines (as offsets in the hunk) and the old lines they may be matched with.
type Part = (std::ops::Range<u32>, std::ops::RangeInclusive<u32>);

impl<'h> Alignment<'h> {
    fn new(hunk: &'h Hunk, guesser: &mut Guesser<'_>) -> Self {
        let leaves = hunk.new.len().next_power_of_two();
        let mut alignment = Alignment {
            hunk,
            reach: REACH.min(hunk.old.len() as u32 - 1),
            similarities: FxHashMap::default(),
            tree: vec![Best::default(); 2 * leaves],
            leaves,
        };
        let old = hunk.old.start..=hunk.old.end - 1;
        for at in 0..hunk.new.len() as u32 {
            alignment.weigh(at, &old, guesser);
        }
        alignment
    }

    fn solve(&mut self, guesser: &mut Guesser<'_>, found: &mut [Option<u32>]) {
        let whole = 0..self.hunk.new.len() as u32;
        let mut parts: Vec<Part> = vec![(whole, self.hunk.old.start..=self.hunk.old.end - 1)];
        while let Some(part) = parts.pop() {
            self.weigh_again(&part, guesser);
            let (new, old) = part;
            let best = self.surest(&new);
            if best.certainty.is_none() {
                continue;
            }
            found[best.new as usize] = Some(best.old);
            guesser.consume(best.old, self.hunk.new.start + best.new);
            // The upper part is settled first: both may take from the dividing old line.
            parts.push((best.new + 1..new.end, best.old..=*old.end()));
            parts.push((new.start..best.new, *old.start()..=best.old));
        }
    }

    /// Where a new line would stand if lines were spread evenly.
    fn expected(&self, new: u32) -> u32 {
        let (new_len, old_len) = (self.hunk.new.len() as u64, self.hunk.old.len() as u64);
        self.hunk.old.start + ((2 * u64::from(new) + 1) * old_len / (2 * new_len)) as u32
    }

    /// Only lines that can reach a border of their part see a change: the old line there may have
    /// given something away, to this part or to the one beyond, and what lies beyond is lost.
    fn weigh_again(&mut self, (new, old): &Part, guesser: &mut Guesser<'_>) {
        let borders = [*old.start(), *old.end()];
        for at in new.clone() {
            let expected = self.expected(at);
            let reaches = |border: &u32| expected.abs_diff(*border) <= self.reach;
            if borders.iter().any(reaches) {
                for border in borders {
                    self.similarities.remove(&(at, border));
                }
                self.weigh(at, old, guesser);
            }
        }
    }

    fn weigh(&mut self, at: u32, old: &std::ops::RangeInclusive<u32>, guesser: &mut Guesser<'_>) {
        let expected = self.expected(at);
        let from = expected.saturating_sub(self.reach).max(*old.start());
        let to = (expected + self.reach).min(*old.end());
        let (mut best, mut second, mut best_old) = (0_i64, 0_i64, 0);
        for candidate in from..=to {
            let alike = *self.similarities.entry((at, candidate)).or_insert_with(|| {
                let new = guesser.new_print(self.hunk.new.start + at);
                similarity(&new, &guesser.old_print(candidate))
            });
            let distance = i64::from(candidate.abs_diff(expected));
            let weight = i64::from(alike) * (WEIGHT - distance);
            if weight > best {
                (second, best, best_old) = (best, weight, candidate);
            } else if weight > second {
                second = weight;
            }
        }
        let certainty = (best > 0).then_some(2 * best - second);
        self.set(
            at,
            Best {
                certainty,
                new: at,
                old: best_old,
            },
        );
    }

    fn set(&mut self, at: u32, best: Best) {
        let mut node = self.leaves + at as usize;
        self.tree[node] = best;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].surer(self.tree[2 * node + 1]);
        }
    }

    fn surest(&self, range: &std::ops::Range<u32>) -> Best {
        let (mut from, mut to) = (
            self.leaves + range.start as usize,
            self.leaves + range.end as usize,
        );
        let (mut left, mut right) = (Best::default(), Best::default());
        while from < to {
            if from % 2 == 1 {
                left = left.surer(self.tree[from]);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                right = self.tree[to].surer(right);
            }
            from /= 2;
            to /= 2;
        }
        left.surer(right)
    }
}

/// Which old lines have a byte pair, and how often.
struct Postings {
    lines: FxHashMap<u16, Vec<(u32, u32)>>,
    prints: Vec<Arc<Fingerprint>>,
    common: Vec<u32>,
}

impl Postings {
    fn new(prints: Vec<Arc<Fingerprint>>) -> Self {
        let mut lines: FxHashMap<u16, Vec<(u32, u32)>> = FxHashMap::default();
        for (line, print) in prints.iter().enumerate() {
            for &(pair, count) in print.iter() {
                lines.entry(pair).or_default().push((line as u32, count));
            }
        }
        Postings {
            lines,
            common: vec![0; prints.len()],
            prints,
        }
    }

    /// Replaces a line's fingerprint by one with fewer pairs.
    fn set(&mut self, line: u32, left: &Fingerprint) {
        let before = std::mem::replace(&mut self.prints[line as usize], Arc::new(left.clone()));
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

    fn most_alike(&mut self, wanted: &Fingerprint, near: u32) -> Option<u32> {
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
        (common >= ELSEWHERE_MINIMUM).then_some(line as u32)
    }
}
