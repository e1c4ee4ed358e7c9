//! Which lines the search sees: those that the other side lacks, and those too frequent to help
//! among them, are set aside as changed beforehand.

use std::ops::Range;

use super::{Token, equal};

/// How far from a doubtful line its neighbours count.
const REACH: usize = 100;
/// The limit of occurrences never exceeds this.
const MOST: u32 = 1024;
/// A doubtful line needs more dead neighbours than this to die.
const DEAD_ENOUGH: usize = 6;

/// Two whole sides with what is left between their common start and end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) old: &'a [Token],
    pub(super) new: &'a [Token],
    /// Equal lines at the start.
    pub(super) prefix: usize,
    /// Equal lines at the end, not overlapping those at the start.
    pub(super) suffix: usize,
}

impl<'a> Sides<'a> {
    pub(super) fn new(old: &'a [Token], new: &'a [Token]) -> Self {
        let prefix = equal::prefix(old, new);
        let suffix = equal::suffix(&old[prefix..], &new[prefix..]);
        Sides {
            old,
            new,
            prefix,
            suffix,
        }
    }

    /// As [`Sides::new`], if it is known how many lines are equal at the end, those at the start
    /// perhaps among them.
    pub(super) fn with_suffix(old: &'a [Token], new: &'a [Token], suffix: usize) -> Self {
        let prefix = equal::prefix(old, new);
        let suffix = suffix.min(old.len().min(new.len()) - prefix);
        Sides {
            old,
            new,
            prefix,
            suffix,
        }
    }

    pub(super) fn old_window(&self) -> Range<usize> {
        self.prefix..self.old.len() - self.suffix
    }

    pub(super) fn new_window(&self) -> Range<usize> {
        self.prefix..self.new.len() - self.suffix
    }
}

/// The lines of a window that the search is to see.
#[derive(Debug, Default)]
pub(super) struct Live {
    pub(super) tokens: Vec<Token>,
    /// Where in the window each of them is.
    pub(super) lines: Vec<u32>,
}

/// How often a token occurs on each side, up to [`MOST`].
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    old: u16,
    new: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Dead,
    Live,
    Doubtful,
}

/// Sets lines aside.
#[derive(Debug, Default)]
pub(super) struct Discard {
    /// By token; all zero between two runs.
    counts: Vec<Count>,
    statuses: Vec<Status>,
    pub(super) old: Live,
    pub(super) new: Live,
}

impl Discard {
    /// Fills `old` and `new` with what the search is to see; false if the windows have no line in
    /// common, so that there is nothing to search.
    ///
    /// `tokens` is above every token. With `minimal`, frequent lines are no less welcome.
    pub(super) fn run(&mut self, sides: &Sides<'_>, minimal: bool, tokens: usize) -> bool {
        let old = &sides.old[sides.old_window()];
        let new = &sides.new[sides.new_window()];
        if old.is_empty() || new.is_empty() {
            return false;
        }
        if self.counts.len() < tokens {
            self.counts.resize(tokens, Count::default());
        }
        let common = self.count_windows(old, new);
        if common {
            let old_doubts = !minimal && self.missing(old, |count| count.new) > DEAD_ENOUGH;
            let new_doubts = !minimal && self.missing(new, |count| count.old) > DEAD_ENOUGH;
            self.count_common(&sides.old[..sides.prefix]);
            self.count_common(&sides.old[sides.old.len() - sides.suffix..]);
            let limit = limit(sides.old.len(), old_doubts);
            classify(old, limit, &mut self.statuses, |t| {
                self.counts[t as usize].new
            });
            keep(old, &mut self.statuses, &mut self.old);
            let limit = self::limit(sides.new.len(), new_doubts);
            classify(new, limit, &mut self.statuses, |t| {
                self.counts[t as usize].old
            });
            keep(new, &mut self.statuses, &mut self.new);
        }
        for &token in old.iter().chain(new) {
            self.counts[token as usize] = Count::default();
        }
        common
    }

    /// Counts the windows, and says whether they share a line.
    fn count_windows(&mut self, old: &[Token], new: &[Token]) -> bool {
        for &token in old {
            let count = &mut self.counts[token as usize].old;
            *count = (*count + 1).min(MOST as u16);
        }
        let mut common = false;
        for &token in new {
            let count = &mut self.counts[token as usize];
            count.new = (count.new + 1).min(MOST as u16);
            common |= count.old > 0;
        }
        common
    }

    /// How many lines of a window are not in the other.
    fn missing(&self, window: &[Token], other: impl Fn(Count) -> u16) -> usize {
        let missing = |&&token: &&Token| other(self.counts[token as usize]) == 0;
        window.iter().filter(missing).count()
    }

    /// Counts lines that are on both sides, but only those that are in a window as well.
    fn count_common(&mut self, lines: &[Token]) {
        for &token in lines {
            let count = &mut self.counts[token as usize];
            if *count != Count::default() {
                count.old = (count.old + 1).min(MOST as u16);
                count.new = (count.new + 1).min(MOST as u16);
            }
        }
    }
}

/// From how many occurrences on the other side on a line of a side of `len` lines is doubtful.
fn limit(len: usize, doubts: bool) -> u32 {
    match doubts {
        true => square(len).min(MOST),
        false => u32::MAX,
    }
}

fn classify(
    window: &[Token],
    limit: u32,
    statuses: &mut Vec<Status>,
    count: impl Fn(Token) -> u16,
) {
    statuses.clear();
    statuses.extend(window.iter().map(|&token| match u32::from(count(token)) {
        0 => Status::Dead,
        count if count < limit => Status::Live,
        _ => Status::Doubtful,
    }));
}

fn keep(window: &[Token], statuses: &mut [Status], live: &mut Live) {
    live.tokens.clear();
    live.lines.clear();
    for (at, &token) in window.iter().enumerate() {
        let keep = match statuses[at] {
            Status::Dead => false,
            Status::Live => true,
            Status::Doubtful => !dies(statuses, at),
        };
        if keep {
            live.tokens.push(token);
            live.lines.push(at as u32);
        }
    }
}

/// Whether a doubtful line stands among so many dead ones, on both sides, that it goes with them.
fn dies(statuses: &[Status], at: usize) -> bool {
    let before = around(statuses[..at].iter().rev());
    if before.dead == 0 {
        return false;
    }
    let after = around(statuses[at + 1..].iter());
    after.dead > 0 && 3 * (before.doubtful + after.doubtful + 2) < before.dead + after.dead
}

struct Around {
    dead: usize,
    doubtful: usize,
}

fn around<'a>(neighbours: impl Iterator<Item = &'a Status>) -> Around {
    let mut around = Around {
        dead: 0,
        doubtful: 0,
    };
    for status in neighbours.take(REACH) {
        match status {
            Status::Dead => around.dead += 1,
            Status::Doubtful => around.doubtful += 1,
            Status::Live => break,
        }
    }
    around
}

/// Two to the number of base-4 digits: roughly a square root, and what git bounds effort by.
pub(super) fn square(n: usize) -> u32 {
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
