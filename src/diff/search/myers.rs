//! Myers' search from both ends in linear space, with git's two shortcuts for costly cases.

use std::ops::Range;

use crate::diff::{
    region::{equal_runs, sides::Sides},
    search::discard::{Discard, square},
    types::Token,
};

/// The cost from which on shortcuts are considered, at the earliest.
const PATIENCE: u32 = 256;
/// A run of more equal lines than this makes a good place to split.
const SNAKE: i32 = 20;
/// How much further than its cost a diagonal must have come to be split there.
const WORTH: i32 = 4;

/// Part of the search: lines `x0..x1` of one side against `y0..y1` of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Area {
    x0: isize,
    x1: isize,
    y0: isize,
    y1: isize,
    /// No shortcuts.
    exact: bool,
}

/// Where an area is split into two, and which of these are searched without shortcuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Split {
    x: isize,
    y: isize,
    exact: (bool, bool),
}

/// The furthest points of one direction that were reached with the current cost. These are on every
/// second diagonal `x - y`.
#[derive(Debug, Default)]
struct Front {
    /// The `x` of each, from the highest diagonal down to the lowest, after some that have been left.
    points: Vec<i32>,
    /// How many have been left.
    left: usize,
    highest: i32,
}

/// The search, with its buffers.
#[derive(Debug, Default)]
pub(crate) struct Myers {
    discard: Discard,
    forward: Front,
    backward: Front,
    areas: Vec<Area>,
    /// What changed among the live lines, counting these alone.
    live_old: Vec<Range<u32>>,
    live_new: Vec<Range<u32>>,
    /// The runs of changed old lines, ascending, that were found last.
    pub(crate) old: Vec<Range<u32>>,
    /// The same of the new lines.
    pub(crate) new: Vec<Range<u32>>,
}

impl Myers {
    /// Finds what changed between two sides. `tokens` is above every token.
    pub(crate) fn run(&mut self, sides: &Sides<'_>, minimal: bool, tokens: usize) {
        let (old, new) = (sides.old_window(), sides.new_window());
        self.old.clear();
        self.new.clear();
        let first = sides.prefix as u32;
        if self.discard.run(sides, minimal, tokens) {
            self.search(old, new, minimal);
            let Discard { old, new, .. } = &self.discard;
            old.add_changed(first, &self.live_old, &mut self.old);
            new.add_changed(first, &self.live_new, &mut self.new);
            return;
        }
        if !old.is_empty() {
            self.old.push(first..first + old.len() as u32);
        }
        if !new.is_empty() {
            self.new.push(first..first + new.len() as u32);
        }
    }

    /// Finds what changed among the live lines of two windows, counting these alone.
    fn search(&mut self, old: &[Token], new: &[Token], minimal: bool) {
        self.live_old.clear();
        self.live_new.clear();
        let x = self.discard.old.tokens(old);
        let y = self.discard.new.tokens(new);
        let cutoff = square(x.len() + y.len() + 3).max(PATIENCE);
        self.areas.push(Area {
            x0: 0,
            x1: x.len() as isize,
            y0: 0,
            y1: y.len() as isize,
            exact: minimal,
        });
        while let Some(area) = self.areas.pop() {
            let area = area.without_ends(x, y);
            if area.x0 == area.x1 || area.y0 == area.y1 {
                if area.x0 < area.x1 {
                    self.live_old.push(area.x0 as u32..area.x1 as u32);
                }
                if area.y0 < area.y1 {
                    self.live_new.push(area.y0 as u32..area.y1 as u32);
                }
                continue;
            }
            let mut search = Search {
                x: &x[area.x0 as usize..area.x1 as usize],
                y: &y[area.y0 as usize..area.y1 as usize],
                exact: area.exact,
                cutoff,
                forward: &mut self.forward,
                backward: &mut self.backward,
            };
            let split = search.split();
            let (x, y) = (area.x0 + split.x, area.y0 + split.y);
            // The first half is searched first, so that changes are found in order.
            self.areas.push(Area {
                x0: x,
                y0: y,
                exact: split.exact.1,
                ..area
            });
            self.areas.push(Area {
                x1: x,
                y1: y,
                exact: split.exact.0,
                ..area
            });
        }
    }
}

impl Area {
    /// Cuts off what is equal at the start, then at the end.
    fn without_ends(mut self, x: &[Token], y: &[Token]) -> Area {
        let x = &x[self.x0 as usize..self.x1 as usize];
        let y = &y[self.y0 as usize..self.y1 as usize];
        let start = equal_runs::prefix(x, y);
        let end = equal_runs::suffix(&x[start..], &y[start..]);
        self.x0 += start as isize;
        self.y0 += start as isize;
        self.x1 -= end as isize;
        self.y1 -= end as isize;
        self
    }
}

impl Front {
    /// Starts with one point.
    fn start(&mut self, diagonal: i32, x: i32) {
        self.points.clear();
        self.points.push(x);
        self.left = 0;
        self.highest = diagonal;
    }

    /// Makes room for the points of the next cost: one diagonal more to either side, as far as the
    /// allowed ones go. `missing` stands for points that are outside of these.
    ///
    /// Until a point is set, the one of the diagonal below is in its place; the one of the diagonal
    /// above the highest is returned.
    fn widen(&mut self, missing: i32, (lowest, highest): (i32, i32)) -> i32 {
        if self.lowest() > lowest {
            self.points.push(missing);
        }
        if self.highest < highest {
            self.highest += 1;
            return missing;
        }
        self.highest -= 1;
        self.left += 1;
        self.points[self.left - 1]
    }

    fn points(&self) -> &[i32] {
        &self.points[self.left..]
    }

    fn lowest(&self) -> i32 {
        self.highest - 2 * (self.points().len() as i32 - 1)
    }

    /// The points with their diagonals, the highest one first.
    fn with_diagonals(&self) -> impl Iterator<Item = (i32, i32)> {
        let diagonals = (0..).map(|nth| self.highest - 2 * nth);
        self.points().iter().copied().zip(diagonals)
    }

    /// The highest diagonal on which a point is not before the other front's, if any.
    /// Points of the two fronts must be on the same diagonals.
    fn meets(&self, behind: &Front) -> Option<i32> {
        let highest = self.highest.min(behind.highest);
        let skip = |front: &Front| (front.highest - highest) as usize / 2;
        let (own, other) = (
            self.points().get(skip(self)..)?,
            behind.points().get(skip(behind)..)?,
        );
        let pairs = || own.iter().zip(other);
        if !pairs().fold(false, |met, (own, other)| met | (own >= other)) {
            return None;
        }
        let nth = pairs().position(|(own, other)| own >= other)?;
        Some(highest - 2 * nth as i32)
    }
}

/// The search for one area's split. All `x` and `y` count from the area's start.
struct Search<'a> {
    x: &'a [Token],
    y: &'a [Token],
    exact: bool,
    /// The cost to stop at, unless the search is exact.
    cutoff: u32,
    forward: &'a mut Front,
    backward: &'a mut Front,
}

const BEFORE_ALL: i32 = -1;
const AFTER_ALL: i32 = i32::MAX;

impl Search<'_> {
    /// Splits an area whose sides are not empty and differ at the start and at the end.
    fn split(&mut self) -> Split {
        let (x1, y1) = (self.x.len() as i32, self.y.len() as i32);
        let allowed = (-y1, x1);
        let last = x1 - y1;
        let odd = last % 2 != 0;
        self.forward.start(0, 0);
        self.backward.start(last, x1);
        let mut cost = 0;
        loop {
            cost += 1;
            let forward = self.advance(allowed);
            if odd && let Some(diagonal) = self.forward.meets(self.backward) {
                return Split::at(self.forward, diagonal);
            }
            let backward = self.retreat(allowed);
            if !odd && let Some(diagonal) = self.forward.meets(self.backward) {
                return Split::at(self.backward, diagonal);
            }
            if self.exact {
                continue;
            }
            if forward.max(backward) > SNAKE as usize
                && cost > PATIENCE
                && let Some(split) = self.split_at_snake(cost as i32)
            {
                return split;
            }
            if cost >= self.cutoff {
                return self.cut_off();
            }
        }
    }

    /// Moves every point of the forward front on by one change and the equal lines after it. Tells
    /// how many of these followed each other at the most.
    #[inline(never)]
    fn advance(&mut self, allowed: (i32, i32)) -> usize {
        let mut above = self.forward.widen(BEFORE_ALL, allowed);
        let points = &mut self.forward.points[self.forward.left..];
        for point in points.iter_mut() {
            let below = *point;
            *point = above.max(below + 1);
            above = below;
        }
        let mut furthest = 0;
        let mut diagonal = self.forward.highest;
        for point in points {
            let (a, b) = (*point as u32 as usize, (*point - diagonal) as u32 as usize);
            if let (Some(one), Some(other)) = (self.x.get(a), self.y.get(b))
                && one == other
            {
                let equal = 1 + equal_after(&self.x[a + 1..], &self.y[b + 1..]);
                furthest = furthest.max(equal);
                *point += equal as i32;
            }
            diagonal -= 2;
        }
        furthest
    }

    /// As [`Search::advance`], from the other end.
    #[inline(never)]
    fn retreat(&mut self, allowed: (i32, i32)) -> usize {
        let mut above = self.backward.widen(AFTER_ALL, allowed);
        let points = &mut self.backward.points[self.backward.left..];
        for point in points.iter_mut() {
            let below = *point;
            *point = below.min(above - 1);
            above = below;
        }
        let mut furthest = 0;
        let mut diagonal = self.backward.highest;
        for point in points {
            // Before the start, these are out of range.
            let (a, b) = (*point - 1, *point - 1 - diagonal);
            let (a, b) = (a as u32 as usize, b as u32 as usize);
            if let (Some(one), Some(other)) = (self.x.get(a), self.y.get(b))
                && one == other
            {
                let equal = 1 + equal_before(&self.x[..a], &self.y[..b]);
                furthest = furthest.max(equal);
                *point -= equal as i32;
            }
            diagonal -= 2;
        }
        furthest
    }

    /// The first shortcut: the furthest point that has a long run of equal lines behind it.
    fn split_at_snake(&self, cost: i32) -> Option<Split> {
        let (x1, y1) = (self.x.len() as i32, self.y.len() as i32);
        let mut best = WORTH * cost;
        let mut found = None;
        for (x, diagonal) in self.forward.with_diagonals() {
            let y = x - diagonal;
            let gain = x + y - diagonal.abs();
            if gain > best
                && (SNAKE..x1).contains(&x)
                && (SNAKE..y1).contains(&y)
                && self.same(x - SNAKE, y - SNAKE)
            {
                best = gain;
                found = Some(Split::new(x, y, (true, false)));
            }
        }
        if found.is_some() {
            return found;
        }
        for (x, diagonal) in self.backward.with_diagonals() {
            let y = x - diagonal;
            let gain = (x1 - x) + (y1 - y) - (diagonal - (x1 - y1)).abs();
            if gain > best
                && (1..=x1 - SNAKE).contains(&x)
                && (1..=y1 - SNAKE).contains(&y)
                && self.same(x, y)
            {
                best = gain;
                found = Some(Split::new(x, y, (false, true)));
            }
        }
        found
    }

    /// Whether a whole snake of lines is equal from there on.
    fn same(&self, x: i32, y: i32) -> bool {
        let run = |from: i32| from as usize..(from + SNAKE) as usize;
        self.x[run(x)] == self.y[run(y)]
    }

    /// The second shortcut: the point that has come furthest so far.
    fn cut_off(&self) -> Split {
        let (x1, y1) = (self.x.len() as i32, self.y.len() as i32);
        let mut forward = (i32::MIN, 0);
        for (x, diagonal) in self.forward.with_diagonals() {
            let x = x.min(x1).min(y1 + diagonal);
            let sum = x + x - diagonal;
            if sum > forward.0 {
                forward = (sum, x);
            }
        }
        let mut backward = (i32::MAX, 0);
        for (x, diagonal) in self.backward.with_diagonals() {
            let x = x.max(0).max(diagonal);
            let sum = x + x - diagonal;
            if sum < backward.0 {
                backward = (sum, x);
            }
        }
        if forward.0 > x1 + y1 - backward.0 {
            Split::new(forward.1, forward.0 - forward.1, (true, false))
        } else {
            Split::new(backward.1, backward.0 - backward.1, (false, true))
        }
    }
}

/// Out of line: most points do not move.
#[inline(never)]
fn equal_after(x: &[Token], y: &[Token]) -> usize {
    equal_runs::prefix(x, y)
}

/// As [`equal_after`].
#[inline(never)]
fn equal_before(x: &[Token], y: &[Token]) -> usize {
    equal_runs::suffix(x, y)
}

impl Split {
    fn new(x: i32, y: i32, exact: (bool, bool)) -> Split {
        Split {
            x: x as isize,
            y: y as isize,
            exact,
        }
    }

    /// Where a front has met the other one.
    fn at(front: &Front, diagonal: i32) -> Split {
        let x = front.points()[(front.highest - diagonal) as usize / 2];
        Split::new(x, x - diagonal, (true, true))
    }
}
