//! Discards lines before Myers' algorithm runs: lines that the other side lacks, and frequent lines
//! among them, are marked as changed in advance.
//!
//! Occurrences are counted over whole sides, but most lines need not be counted: an aligned line is
//! not missing on the other side, and frequency matters only among discarded lines.

use std::ops::Range;

use crate::diff::{
    region::{
        changed_runs,
        diff_input::{DiffInput, Region},
    },
    search::{align, occurrence_counts::OccurrenceCounts},
    types::Token,
};

/// Lines examined on either side of a frequent line.
const MAX_CONTEXT: usize = 100;
/// Upper bound of the occurrence limit from which a line is frequent.
const MAX_LIMIT: u32 = 1024;
/// Frequent lines are discarded only if more lines than this have been.
const MIN_DISCARDED: usize = 6;

/// The lines of a window that remain for Myers' algorithm.
#[derive(Debug, Default)]
pub(crate) struct RemainingLines {
    tokens: Vec<Token>,
    /// Indices in the window of the discarded lines, ascending.
    pub(crate) discarded: Vec<u32>,
}

impl RemainingLines {
    /// The remaining lines.
    pub(crate) fn tokens<'a>(&'a self, window: &'a [Token]) -> &'a [Token] {
        if self.discarded.is_empty() {
            window
        } else {
            &self.tokens
        }
    }

    /// Appends the discarded lines and the `changed` remaining lines to `runs`, as line numbers of
    /// the whole side. `changed` counts remaining lines only; the window starts at line `first`.
    pub(crate) fn add_changed(
        &self,
        first: u32,
        changed: &[Range<u32>],
        runs: &mut Vec<Range<u32>>,
    ) {
        let mut passed = 0;
        let push_discarded = |passed: &mut u32, before: u32, runs: &mut Vec<Range<u32>>| {
            while let Some(&line) = self.discarded.get(*passed as usize)
                && line - *passed <= before
            {
                changed_runs::push_run(runs, first + line..first + line + 1);
                *passed += 1;
            }
        };
        for run in changed {
            let mut done = run.start;
            loop {
                push_discarded(&mut passed, done, runs);
                if done == run.end {
                    break;
                }
                let next = self
                    .discarded
                    .get(passed as usize)
                    .map(|line| line - passed);
                let end = next.map_or(run.end, |next| next.min(run.end));
                changed_runs::push_run(runs, first + passed + done..first + passed + end);
                done = end;
            }
        }
        push_discarded(&mut passed, u32::MAX, runs);
    }

    /// Adds the lines of a gap found on this `side` alone as candidates, and their tokens to
    /// `wanted`.
    fn add_candidates(
        &mut self,
        window: &[Token],
        gap: Range<usize>,
        side: SideBits,
        presence: &mut [SideBits],
        wanted: &mut Vec<Token>,
    ) {
        for (line, &token) in gap.clone().zip(&window[gap]) {
            let sides = &mut presence[token as usize];
            if *sides & (OLD | NEW) == side {
                self.discarded.push(line as u32);
                if *sides == side {
                    *sides |= WANTED;
                    wanted.push(token);
                }
            }
        }
    }

    /// Drops the candidates whose tokens turned out to be on both sides.
    fn confirm(&mut self, window: &[Token], presence: &[SideBits]) {
        let both = |line: u32| presence[window[line as usize] as usize] == OLD | NEW;
        self.discarded.retain(|&line| !both(line));
    }

    /// Collects the remaining lines' tokens.
    fn collect_remaining(&mut self, window: &[Token]) {
        if self.discarded.is_empty() {
            return;
        }
        self.tokens.clear();
        let mut start = 0;
        for &line in &self.discarded {
            self.tokens.extend_from_slice(&window[start..line as usize]);
            start = line as usize + 1;
        }
        self.tokens.extend_from_slice(&window[start..]);
    }
}

/// The sides that a token is known to occur on, and [`WANTED`].
type SideBits = u8;
const OLD: SideBits = 1;
const NEW: SideBits = 2;
/// The token is being looked for on the other side.
const WANTED: SideBits = 4;

/// Slots of the filter; a power of two, as it is indexed by a token's low bits.
const FILTER_LEN: usize = 4096;

/// The discarding step with its buffers.
#[derive(Debug)]
pub(crate) struct LineDiscarder {
    /// By token; all 0 between two diffs.
    presence: Vec<SideBits>,
    /// The regions that could not be aligned.
    gaps: Vec<Region>,
    /// Tokens that one side may lack.
    wanted: Vec<Token>,
    /// By low bits of a token, the number of wanted tokens not found yet, saturating.
    filter: Box<[u8; FILTER_LEN]>,
    counts: OccurrenceCounts,
    /// By discarded line, the score of the lines from it on; see [`extend_score`].
    ahead: Vec<usize>,
    /// Frequent lines of a window that are to be discarded.
    to_discard: Vec<u32>,
    pub(crate) old: RemainingLines,
    pub(crate) new: RemainingLines,
}

impl Default for LineDiscarder {
    fn default() -> Self {
        LineDiscarder {
            presence: Vec::new(),
            gaps: Vec::new(),
            wanted: Vec::new(),
            filter: Box::new([0; FILTER_LEN]),
            counts: OccurrenceCounts::default(),
            ahead: Vec::new(),
            to_discard: Vec::new(),
            old: RemainingLines::default(),
            new: RemainingLines::default(),
        }
    }
}

impl LineDiscarder {
    /// Determines the remaining lines of both windows; false if the windows have no line in common,
    /// so that everything changed.
    ///
    /// `tokens` is an exclusive upper bound of the tokens. With `keeps_frequent`, frequent lines
    /// are kept.
    pub(crate) fn run(
        &mut self,
        sides: &DiffInput<'_>,
        keeps_frequent: bool,
        tokens: usize,
    ) -> bool {
        let (old, new) = (sides.old_window(), sides.new_window());
        if old.is_empty() || new.is_empty() {
            return false;
        }
        if self.presence.len() < tokens {
            self.presence.resize(tokens, 0);
        }
        align::unaligned_regions(old, new, &mut self.gaps);
        let aligned = match &self.gaps[..] {
            [gap] => gap.old.len() < old.len() || gap.new.len() < new.len(),
            _ => true,
        };
        let common = self.mark_gaps(old, new) || aligned;
        if common {
            self.wanted.clear();
            self.old.discarded.clear();
            self.new.discarded.clear();
            for gap in &self.gaps {
                let presence = &mut self.presence;
                let wanted = &mut self.wanted;
                self.old
                    .add_candidates(old, gap.old.clone(), OLD, presence, wanted);
                self.new
                    .add_candidates(new, gap.new.clone(), NEW, presence, wanted);
            }
            self.search_wanted(sides);
            self.old.confirm(old, &self.presence);
            self.new.confirm(new, &self.presence);
        }
        for gap in &self.gaps {
            for side in [&old[gap.old.clone()], &new[gap.new.clone()]] {
                for &token in side {
                    self.presence[token as usize] = 0;
                }
            }
        }
        if common {
            if !keeps_frequent {
                self.discard_frequent(sides, tokens);
            }
            self.old.collect_remaining(old);
            self.new.collect_remaining(new);
        }
        common
    }

    /// Records on which sides the lines of the gaps occur; returns whether any occurs on both.
    fn mark_gaps(&mut self, old: &[Token], new: &[Token]) -> bool {
        let mut common = 0;
        for gap in &self.gaps {
            for &token in &old[gap.old.clone()] {
                self.presence[token as usize] = OLD;
            }
        }
        for gap in &self.gaps {
            for &token in &new[gap.new.clone()] {
                let sides = &mut self.presence[token as usize];
                common |= *sides & OLD;
                *sides |= NEW;
            }
        }
        common != 0
    }

    /// Looks for the wanted tokens among the lines known to be on both sides: aligned lines and the
    /// common prefix and suffix.
    fn search_wanted(&mut self, sides: &DiffInput<'_>) {
        if self.wanted.is_empty() {
            return;
        }
        for &token in &self.wanted {
            let slot = &mut self.filter[token as usize % FILTER_LEN];
            *slot = slot.saturating_add(1);
        }
        let window = sides.old_window();
        let mut search = WantedSearch {
            presence: &mut self.presence,
            filter: &mut self.filter,
            missing: self.wanted.len(),
        };
        let mut start = 0;
        for gap in &self.gaps {
            search.scan(&window[start..gap.old.start]);
            start = gap.old.end;
        }
        search.scan(&window[start..]);
        search.scan(sides.start());
        search.scan(sides.end());
        for &token in &self.wanted {
            self.filter[token as usize % FILTER_LEN] = 0;
        }
    }

    /// Discards the frequent lines among discarded ones.
    fn discard_frequent(&mut self, sides: &DiffInput<'_>, tokens: usize) {
        let both = [
            (
                &mut self.old.discarded,
                sides.old_window(),
                sides.old,
                sides.new,
            ),
            (
                &mut self.new.discarded,
                sides.new_window(),
                sides.new,
                sides.old,
            ),
        ];
        for (discarded, window, own, other) in both {
            if discarded.len() <= MIN_DISCARDED {
                continue;
            }
            self.counts.reserve(tokens);
            let mut filter = FrequentFilter {
                discarded,
                window,
                other,
                limit: approx_sqrt(own.len()).min(MAX_LIMIT),
                counts: &mut self.counts,
            };
            self.to_discard.clear();
            filter.run(&mut self.ahead, &mut self.to_discard);
            self.counts.clear(other);
            if !self.to_discard.is_empty() {
                discarded.append(&mut self.to_discard);
                discarded.sort_unstable();
            }
        }
    }
}

/// A scan for wanted tokens in lines that are on both sides.
struct WantedSearch<'a> {
    presence: &'a mut [SideBits],
    filter: &'a mut [u8; FILTER_LEN],
    /// Number of wanted tokens not found yet.
    missing: usize,
}

impl WantedSearch<'_> {
    /// Scans `lines`, testing whole blocks against the filter first, without branches.
    fn scan(&mut self, lines: &[Token]) {
        if self.missing == 0 {
            return;
        }
        let (blocks, rest) = lines.as_chunks::<16>();
        for block in blocks {
            let hit = block.iter().fold(0, |hit, &token| {
                hit | self.filter[token as usize % FILTER_LEN]
            });
            if hit != 0 {
                self.check_each(block);
                if self.missing == 0 {
                    return;
                }
            }
        }
        self.check_each(rest);
    }

    fn check_each(&mut self, lines: &[Token]) {
        for &token in lines {
            let slot = &mut self.filter[token as usize % FILTER_LEN];
            if *slot == 0 {
                continue;
            }
            let sides = &mut self.presence[token as usize];
            if *sides & WANTED != 0 {
                *sides = OLD | NEW;
                self.missing -= 1;
                // A saturated slot may count more tokens and stays.
                if *slot < u8::MAX {
                    *slot -= 1;
                }
            }
        }
    }
}

/// Finds the frequent lines of a window to discard.
struct FrequentFilter<'a> {
    /// Indices of the lines discarded so far.
    discarded: &'a [u32],
    window: &'a [Token],
    /// The whole other side.
    other: &'a [Token],
    /// Occurrences on the other side from which a line is frequent.
    limit: u32,
    counts: &'a mut OccurrenceCounts,
}

/// Line counts next to a frequent line, in one direction.
struct Neighbourhood {
    discarded: usize,
    frequent: usize,
}

impl FrequentFilter<'_> {
    /// Appends to `to_discard` the frequent lines whose neighbourhood, up to the nearest kept line
    /// in either direction, has more than three times as many discarded lines as frequent ones.
    ///
    /// So lines are discarded only where all lines between two discarded ones are frequent, and an
    /// upper bound of the ratio follows from the positions of discarded lines alone. It is tested
    /// first, as testing for frequency means counting.
    fn run(&mut self, ahead: &mut Vec<usize>, to_discard: &mut Vec<u32>) {
        let gap = |next: usize| (self.discarded[next] - self.discarded[next - 1] - 1) as usize;
        ahead.clear();
        ahead.resize(self.discarded.len(), 1);
        for next in (1..self.discarded.len()).rev() {
            ahead[next - 1] = extend_score(ahead[next], gap(next));
        }
        let mut behind = 1;
        for (next, ahead) in ahead.iter().enumerate().skip(1) {
            let gap = gap(next);
            let bound = behind + ahead;
            behind = extend_score(behind, gap);
            if gap == 0 || 3 * (gap + 1) >= bound {
                continue;
            }
            let (start, end) = (
                self.discarded[next] as usize - gap,
                self.discarded[next] as usize,
            );
            if !(start..end).all(|line| self.is_frequent(line)) {
                continue;
            }
            for line in start..end {
                let before = self.before(line, next);
                let after = self.after(line, next);
                let frequent = before.frequent + after.frequent;
                let discarded = before.discarded + after.discarded;
                if before.discarded > 0 && after.discarded > 0 && 3 * (frequent + 2) < discarded {
                    to_discard.push(line as u32);
                }
            }
        }
    }

    fn is_frequent(&mut self, line: usize) -> bool {
        self.counts
            .has_at_least(self.window[line], self.other, self.limit)
    }

    /// Counts back from `line`, which precedes `discarded[next]`.
    fn before(&mut self, line: usize, next: usize) -> Neighbourhood {
        let lines = (line.saturating_sub(MAX_CONTEXT)..line).rev();
        self.neighbourhood(lines, self.discarded[..next].iter().rev())
    }

    /// Counts ahead from `line`, which precedes `discarded[next]`.
    fn after(&mut self, line: usize, next: usize) -> Neighbourhood {
        let lines = line + 1..self.window.len().min(line + 1 + MAX_CONTEXT);
        self.neighbourhood(lines, self.discarded[next..].iter())
    }

    /// Counts in `lines` up to the nearest kept one; `discarded` are the discarded lines in their order.
    fn neighbourhood<'d>(
        &mut self,
        lines: impl Iterator<Item = usize>,
        discarded: impl Iterator<Item = &'d u32>,
    ) -> Neighbourhood {
        let mut context = Neighbourhood {
            discarded: 0,
            frequent: 0,
        };
        let mut discarded = discarded.peekable();
        for line in lines {
            if discarded.next_if(|at| **at as usize == line).is_some() {
                context.discarded += 1;
            } else if self.is_frequent(line) {
                context.frequent += 1;
            } else {
                break;
            }
        }
        context
    }
}

/// Upper bound of (discarded lines − 3 × frequent lines) over all prefixes of the lines from a
/// discarded one on, given that bound, `next`, for the following discarded line after `others`
/// lines.
fn extend_score(next: usize, others: usize) -> usize {
    1 + next.saturating_sub(3 * others)
}

/// 2 to the power of the number of base-4 digits: git's approximation of a square root, used to
/// bound effort.
pub(crate) fn approx_sqrt(n: usize) -> u32 {
    let digits = (usize::BITS - n.leading_zeros()).div_ceil(2);
    1 << digits.min(31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximate_square_roots() {
        for (n, expected) in [
            (0, 1),
            (1, 2),
            (3, 2),
            (4, 4),
            (15, 4),
            (16, 8),
            (63, 8),
            (64, 16),
            (255, 16),
            (256, 32),
            (1023, 32),
            (1024, 64),
            (4095, 64),
            (65535, 256),
            (65536, 512),
            (262143, 512),
        ] {
            assert_eq!(approx_sqrt(n), expected, "{n}");
        }
    }
}
