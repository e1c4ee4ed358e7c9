//! Which lines the search sees: those that the other side lacks, and those too frequent to help
//! among them, are set aside as changed beforehand.
//!
//! Occurrences count over whole sides, but most lines need not be counted: a line that is aligned
//! with an equal one is not missing, and only a line among missing ones may be too frequent.

use std::ops::Range;

use crate::diff::{
    region::{
        changed_runs,
        sides::{Part, Sides},
    },
    search::{align, frequent::Frequent},
    types::Token,
};

/// How far from a doubtful line its neighbours count.
const REACH: usize = 100;
/// The limit of occurrences never exceeds this.
const MOST: u32 = 1024;
/// With so few dead lines, none else dies.
const DEAD_TOO_FEW: usize = 6;

/// The lines of a window that the search is to see.
#[derive(Debug, Default)]
pub(crate) struct Live {
    tokens: Vec<Token>,
    /// The other lines' places in the window, ascending.
    pub(crate) dead: Vec<u32>,
}

impl Live {
    /// The lines to see.
    pub(crate) fn tokens<'a>(&'a self, window: &'a [Token]) -> &'a [Token] {
        if self.dead.is_empty() {
            window
        } else {
            &self.tokens
        }
    }

    /// Adds to `runs` the dead lines, and those of the others that `changed`, counted without the
    /// dead ones. The window starts at line `first`.
    pub(crate) fn add_changed(
        &self,
        first: u32,
        changed: &[Range<u32>],
        runs: &mut Vec<Range<u32>>,
    ) {
        let mut passed = 0;
        let bury = |passed: &mut u32, before: u32, runs: &mut Vec<Range<u32>>| {
            while let Some(&line) = self.dead.get(*passed as usize)
                && line - *passed <= before
            {
                changed_runs::push(runs, first + line..first + line + 1);
                *passed += 1;
            }
        };
        for run in changed {
            let mut done = run.start;
            loop {
                bury(&mut passed, done, runs);
                if done == run.end {
                    break;
                }
                let next = self.dead.get(passed as usize).map(|line| line - passed);
                let end = next.map_or(run.end, |next| next.min(run.end));
                changed_runs::push(runs, first + passed + done..first + passed + end);
                done = end;
            }
        }
        bury(&mut passed, u32::MAX, runs);
    }

    /// Lists the lines of a gap that have been seen on this `side` alone, and wants their tokens.
    fn suspect(
        &mut self,
        window: &[Token],
        gap: Range<usize>,
        side: Seen,
        seen: &mut [Seen],
        wanted: &mut Vec<Token>,
    ) {
        for (line, &token) in gap.clone().zip(&window[gap]) {
            let seen = &mut seen[token as usize];
            if *seen & (OLD | NEW) == side {
                self.dead.push(line as u32);
                if *seen == side {
                    *seen |= WANTED;
                    wanted.push(token);
                }
            }
        }
    }

    /// Keeps of the dead lines those whose tokens were seen on one side alone.
    fn bury(&mut self, window: &[Token], seen: &[Seen]) {
        let both = |line: u32| seen[window[line as usize] as usize] == OLD | NEW;
        self.dead.retain(|&line| !both(line));
    }

    fn keep(&mut self, window: &[Token]) {
        if self.dead.is_empty() {
            return;
        }
        self.tokens.clear();
        let mut start = 0;
        for &dead in &self.dead {
            self.tokens.extend_from_slice(&window[start..dead as usize]);
            start = dead as usize + 1;
        }
        self.tokens.extend_from_slice(&window[start..]);
    }
}

/// Where a token was seen: bits.
type Seen = u8;
const OLD: Seen = 1;
const NEW: Seen = 2;
const WANTED: Seen = 4;

/// A power of two: the filter is indexed by a token's low bits.
const FILTER: usize = 4096;

/// Sets lines aside.
#[derive(Debug)]
pub(crate) struct Discard {
    /// By token; all 0 between two runs.
    seen: Vec<Seen>,
    gaps: Vec<Part>,
    /// Tokens that one side may lack.
    wanted: Vec<Token>,
    filter: Box<[u8; FILTER]>,
    frequent: Frequent,
    /// By dead line, what it and those behind it weigh.
    ahead: Vec<usize>,
    resolved: Vec<u32>,
    pub(crate) old: Live,
    pub(crate) new: Live,
}

impl Default for Discard {
    fn default() -> Self {
        Discard {
            seen: Vec::new(),
            gaps: Vec::new(),
            wanted: Vec::new(),
            filter: Box::new([0; FILTER]),
            frequent: Frequent::default(),
            ahead: Vec::new(),
            resolved: Vec::new(),
            old: Live::default(),
            new: Live::default(),
        }
    }
}

impl Discard {
    /// Finds what the search is to see of either side; false if the windows have no line in
    /// common, so that there is nothing to search.
    ///
    /// `tokens` is above every token. With `minimal`, frequent lines are no less welcome.
    pub(crate) fn run(&mut self, sides: &Sides<'_>, minimal: bool, tokens: usize) -> bool {
        let (old, new) = (sides.old_window(), sides.new_window());
        if old.is_empty() || new.is_empty() {
            return false;
        }
        if self.seen.len() < tokens {
            self.seen.resize(tokens, 0);
        }
        align::gaps(old, new, &mut self.gaps);
        let aligned = match &self.gaps[..] {
            [gap] => gap.old.len() < old.len() || gap.new.len() < new.len(),
            _ => true,
        };
        let common = self.see_gaps(old, new) || aligned;
        if common {
            self.wanted.clear();
            self.old.dead.clear();
            self.new.dead.clear();
            for gap in &self.gaps {
                let seen = &mut self.seen;
                let wanted = &mut self.wanted;
                self.old.suspect(old, gap.old.clone(), OLD, seen, wanted);
                self.new.suspect(new, gap.new.clone(), NEW, seen, wanted);
            }
            self.look_for_wanted(sides);
            self.old.bury(old, &self.seen);
            self.new.bury(new, &self.seen);
        }
        for gap in &self.gaps {
            for side in [&old[gap.old.clone()], &new[gap.new.clone()]] {
                for &token in side {
                    self.seen[token as usize] = 0;
                }
            }
        }
        if common {
            if !minimal {
                self.resolve(sides, tokens);
            }
            self.old.keep(old);
            self.new.keep(new);
        }
        common
    }

    /// Notes on which sides the lines of the gaps are, and says whether any is on both.
    fn see_gaps(&mut self, old: &[Token], new: &[Token]) -> bool {
        let mut common = 0;
        for gap in &self.gaps {
            for &token in &old[gap.old.clone()] {
                self.seen[token as usize] = OLD;
            }
        }
        for gap in &self.gaps {
            for &token in &new[gap.new.clone()] {
                let seen = &mut self.seen[token as usize];
                common |= *seen & OLD;
                *seen |= NEW;
            }
        }
        common != 0
    }

    /// Looks for the wanted lines among those that are on both sides.
    fn look_for_wanted(&mut self, sides: &Sides<'_>) {
        if self.wanted.is_empty() {
            return;
        }
        for &token in &self.wanted {
            let slot = &mut self.filter[token as usize % FILTER];
            *slot = slot.saturating_add(1);
        }
        let window = sides.old_window();
        let mut search = Look {
            seen: &mut self.seen,
            filter: &mut self.filter,
            missing: self.wanted.len(),
        };
        let mut start = 0;
        for gap in &self.gaps {
            search.look_in(&window[start..gap.old.start]);
            start = gap.old.end;
        }
        search.look_in(&window[start..]);
        search.look_in(sides.start());
        search.look_in(sides.end());
        for &token in &self.wanted {
            self.filter[token as usize % FILTER] = 0;
        }
    }

    /// Buries the frequent lines among dead ones.
    fn resolve(&mut self, sides: &Sides<'_>, tokens: usize) {
        let both = [
            (&mut self.old.dead, sides.old_window(), sides.old, sides.new),
            (&mut self.new.dead, sides.new_window(), sides.new, sides.old),
        ];
        for (dead, window, own, other) in both {
            if dead.len() <= DEAD_TOO_FEW {
                continue;
            }
            self.frequent.reserve(tokens);
            let mut among = Among {
                dead,
                window,
                other,
                limit: square(own.len()).min(MOST),
                frequent: &mut self.frequent,
            };
            self.resolved.clear();
            among.resolve(&mut self.ahead, &mut self.resolved);
            self.frequent.forget(other);
            if !self.resolved.is_empty() {
                dead.append(&mut self.resolved);
                dead.sort_unstable();
            }
        }
    }
}

/// A search for wanted tokens in lines that are on both sides.
struct Look<'a> {
    seen: &'a mut [Seen],
    /// How many missing tokens share a slot.
    filter: &'a mut [u8; FILTER],
    /// How many tokens have not been found.
    missing: usize,
}

impl Look<'_> {
    fn look_in(&mut self, lines: &[Token]) {
        if self.missing == 0 {
            return;
        }
        let (blocks, rest) = lines.as_chunks::<16>();
        for block in blocks {
            let hit = block
                .iter()
                .fold(0, |hit, &token| hit | self.filter[token as usize % FILTER]);
            if hit != 0 {
                self.look_at(block);
                if self.missing == 0 {
                    return;
                }
            }
        }
        self.look_at(rest);
    }

    fn look_at(&mut self, lines: &[Token]) {
        for &token in lines {
            let slot = &mut self.filter[token as usize % FILTER];
            if *slot == 0 {
                continue;
            }
            let seen = &mut self.seen[token as usize];
            if *seen & WANTED != 0 {
                *seen = OLD | NEW;
                self.missing -= 1;
                // A full slot may stand for more: it stays.
                if *slot < u8::MAX {
                    *slot -= 1;
                }
            }
        }
    }
}

/// A window's lines among dead ones.
struct Among<'a> {
    dead: &'a [u32],
    window: &'a [Token],
    /// The whole other side.
    other: &'a [Token],
    /// How often a line must be there to be doubtful.
    limit: u32,
    frequent: &'a mut Frequent,
}

/// What is around a doubtful line, in one direction.
struct Around {
    dead: usize,
    doubtful: usize,
}

impl Among<'_> {
    /// Finds the doubtful lines that stand among so many dead ones, on both sides, that they go
    /// with them.
    ///
    /// A live line is not looked past, so lines die only where all between two dead ones are
    /// doubtful; and as the doubtful count against, there must not be many of them. To ask whether a
    /// line is frequent takes counting, so that is asked last.
    fn resolve(&mut self, ahead: &mut Vec<usize>, resolved: &mut Vec<u32>) {
        let gap = |next: usize| (self.dead[next] - self.dead[next - 1] - 1) as usize;
        ahead.clear();
        ahead.resize(self.dead.len(), 1);
        for next in (1..self.dead.len()).rev() {
            ahead[next - 1] = weight(ahead[next], gap(next));
        }
        let mut behind = 1;
        for (next, ahead) in ahead.iter().enumerate().skip(1) {
            let gap = gap(next);
            let around = behind + ahead;
            behind = weight(behind, gap);
            if gap == 0 || 3 * (gap + 1) >= around {
                continue;
            }
            let (start, end) = (self.dead[next] as usize - gap, self.dead[next] as usize);
            if !(start..end).all(|line| self.doubts(line)) {
                continue;
            }
            for line in start..end {
                let before = self.before(line, next);
                let after = self.after(line, next);
                if before.dead > 0
                    && after.dead > 0
                    && 3 * (before.doubtful + after.doubtful + 2) < before.dead + after.dead
                {
                    resolved.push(line as u32);
                }
            }
        }
    }

    fn doubts(&mut self, line: usize) -> bool {
        self.frequent.is(self.window[line], self.other, self.limit)
    }

    /// Looks back from a line before the dead line number `next`.
    fn before(&mut self, line: usize, next: usize) -> Around {
        let mut around = Around {
            dead: 0,
            doubtful: 0,
        };
        let mut dead = next;
        for line in (line.saturating_sub(REACH)..line).rev() {
            if dead > 0 && self.dead[dead - 1] as usize == line {
                dead -= 1;
                around.dead += 1;
            } else if self.doubts(line) {
                around.doubtful += 1;
            } else {
                break;
            }
        }
        around
    }

    /// Looks ahead from a line before the dead line number `next`.
    fn after(&mut self, line: usize, next: usize) -> Around {
        let mut around = Around {
            dead: 0,
            doubtful: 0,
        };
        let mut dead = next;
        for line in line + 1..self.window.len().min(line + 1 + REACH) {
            if dead < self.dead.len() && self.dead[dead] as usize == line {
                dead += 1;
                around.dead += 1;
            } else if self.doubts(line) {
                around.doubtful += 1;
            } else {
                break;
            }
        }
        around
    }
}

/// By how much dead lines can outweigh doubtful ones, of which each counts three times, on the side
/// of a line that begins with a dead one: the best of all stretches from there on, with what is known of
/// the next dead line, `others` lines further.
fn weight(next: usize, others: usize) -> usize {
    1 + next.saturating_sub(3 * others)
}

/// Two to the number of base-4 digits: roughly a square root, and what git bounds effort by.
pub(crate) fn square(n: usize) -> u32 {
    let digits = (usize::BITS - n.leading_zeros()).div_ceil(2);
    1 << digits.min(31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares() {
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
            assert_eq!(square(n), expected, "{n}");
        }
    }
}
