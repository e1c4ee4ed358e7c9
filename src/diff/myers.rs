//! Myers' search from both ends in linear space, with git's two shortcuts for costly cases.

use std::ops::Range;

use super::discard::{Discard, square};
use super::sides::Sides;
use super::{Token, equal};

/// The cost from which on shortcuts are considered, at the earliest.
const PATIENCE: u32 = 256;
/// A run of more equal lines than this makes a good place to split.
const SNAKE: isize = 20;
/// How much further than its cost a diagonal must have come to be split there.
const WORTH: isize = 4;

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

/// The furthest points of one direction, by diagonal `x - y`.
#[derive(Debug, Default)]
struct Front {
    points: Vec<i32>,
    /// What makes a diagonal an index.
    shift: isize,
    /// The diagonals reached with the current cost: every second one of these.
    lowest: isize,
    highest: isize,
}

/// The search, with its buffers.
#[derive(Debug, Default)]
pub(super) struct Myers {
    discard: Discard,
    forward: Front,
    backward: Front,
    areas: Vec<Area>,
    /// What changed among the live lines, counting these alone.
    live_old: Vec<Range<u32>>,
    live_new: Vec<Range<u32>>,
    /// The runs of changed old lines, ascending, that were found last.
    pub(super) old: Vec<Range<u32>>,
    /// The same of the new lines.
    pub(super) new: Vec<Range<u32>>,
}

impl Myers {
    /// Finds what changed between two sides. `tokens` is above every token.
    pub(super) fn run(&mut self, sides: &Sides<'_>, minimal: bool, tokens: usize) {
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
        let most = x.len() + y.len() + 3;
        let cutoff = square(most).max(PATIENCE);
        self.forward.prepare(most, y.len());
        self.backward.prepare(most, y.len());
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
                x,
                y,
                area,
                cutoff,
                forward: &mut self.forward,
                backward: &mut self.backward,
            };
            let split = search.split();
            // The first half is searched first, so that changes are found in order.
            self.areas.push(Area {
                x0: split.x,
                y0: split.y,
                exact: split.exact.1,
                ..area
            });
            self.areas.push(Area {
                x1: split.x,
                y1: split.y,
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
        let start = equal::prefix(x, y);
        let end = equal::suffix(&x[start..], &y[start..]);
        self.x0 += start as isize;
        self.y0 += start as isize;
        self.x1 -= end as isize;
        self.y1 -= end as isize;
        self
    }
}

impl Front {
    fn prepare(&mut self, most: usize, y_len: usize) {
        if self.points.len() < most {
            self.points.resize(most, 0);
        }
        self.shift = y_len as isize + 1;
    }

    fn get(&self, diagonal: isize) -> isize {
        self.points[(diagonal + self.shift) as usize] as isize
    }

    fn set(&mut self, diagonal: isize, x: isize) {
        self.points[(diagonal + self.shift) as usize] = x as i32;
    }

    /// Starts on one diagonal; `missing` stands for points outside of `allowed`.
    fn start(&mut self, diagonal: isize, x: isize, missing: isize, allowed: (isize, isize)) {
        self.lowest = diagonal;
        self.highest = diagonal;
        self.set(allowed.0 - 1, missing);
        self.set(allowed.1 + 1, missing);
        self.set(diagonal, x);
    }

    /// One diagonal more to either side, as far as allowed.
    fn widen(&mut self, missing: isize, allowed: (isize, isize)) {
        if self.lowest > allowed.0 {
            self.lowest -= 1;
            self.set(self.lowest - 1, missing);
        } else {
            self.lowest += 1;
        }
        if self.highest < allowed.1 {
            self.highest += 1;
            self.set(self.highest + 1, missing);
        } else {
            self.highest -= 1;
        }
    }

    /// The points of the current cost, each after the one of the diagonal below, and the point
    /// of the diagonal above the highest.
    fn pairs(&mut self) -> (&mut [[i32; 2]], i32) {
        let first = (self.lowest - 1 + self.shift) as usize;
        let last = (self.highest + self.shift) as usize;
        let above = self.points[last + 1];
        (self.points[first..=last].as_chunks_mut().0, above)
    }

    /// All diagonals between the outermost ones.
    fn reached(&self) -> Range<isize> {
        self.lowest..self.highest + 1
    }

    /// The diagonals of the current cost.
    fn diagonals(&self) -> impl Iterator<Item = isize> + use<> {
        (self.lowest..=self.highest).rev().step_by(2)
    }
}

/// The search for one area's split.
struct Search<'a> {
    x: &'a [Token],
    y: &'a [Token],
    area: Area,
    cutoff: u32,
    forward: &'a mut Front,
    backward: &'a mut Front,
}

const BEFORE_ALL: isize = -1;
const AFTER_ALL: isize = i32::MAX as isize;

impl Search<'_> {
    /// Splits an area whose sides are not empty and differ at the start and at the end.
    fn split(&mut self) -> Split {
        let Area { x0, x1, y0, y1, .. } = self.area;
        let allowed = (x0 - y1, x1 - y0);
        let (first, last) = (x0 - y0, x1 - y1);
        let odd = (last - first) % 2 != 0;
        self.forward.start(first, x0, BEFORE_ALL, allowed);
        self.backward.start(last, x1, AFTER_ALL, allowed);
        let mut cost = 0;
        loop {
            cost += 1;
            self.forward.widen(BEFORE_ALL, allowed);
            let step = match odd {
                true => self.advance::<true>(),
                false => self.advance::<false>(),
            };
            let forward = match step {
                Step::Met(split) => return split,
                Step::Furthest(advanced) => advanced,
            };
            self.backward.widen(AFTER_ALL, allowed);
            let step = match odd {
                true => self.retreat::<false>(),
                false => self.retreat::<true>(),
            };
            let backward = match step {
                Step::Met(split) => return split,
                Step::Furthest(retreated) => retreated,
            };
            if self.area.exact {
                continue;
            }
            if forward.max(backward) > SNAKE as usize
                && cost > PATIENCE
                && let Some(split) = self.split_at_snake(cost as isize)
            {
                return split;
            }
            if cost >= self.cutoff {
                return self.cut_off();
            }
        }
    }

    /// Moves every point of the forward front on by one change and the equal lines after it.
    /// With `MEET`, it may come upon the backward front.
    #[inline(never)]
    fn advance<const MEET: bool>(&mut self) -> Step {
        let Area { x1, y1, .. } = self.area;
        let (xs, ys) = (&self.x[..x1 as usize], &self.y[..y1 as usize]);
        let met = self.backward.reached();
        let mut furthest = 0;
        let mut diagonal = self.forward.highest;
        let (points, mut above) = self.forward.pairs();
        for pair in points.iter_mut().rev() {
            let below = pair[0];
            let mut x = if below >= above { below + 1 } else { above };
            above = below;
            let (a, b) = (x as usize, (x as isize - diagonal) as usize);
            if let (Some(one), Some(other)) = (xs.get(a), ys.get(b))
                && one == other
            {
                let equal = 1 + equal_after(&xs[a + 1..], &ys[b + 1..]);
                furthest = furthest.max(equal);
                x += equal as i32;
            }
            pair[1] = x;
            if MEET && met.contains(&diagonal) && self.backward.get(diagonal) <= x as isize {
                return Step::meeting(diagonal, x);
            }
            diagonal -= 2;
        }
        Step::Furthest(furthest)
    }

    /// As [`Search::advance`], from the other end.
    #[inline(never)]
    fn retreat<const MEET: bool>(&mut self) -> Step {
        let Area { x0, y0, .. } = self.area;
        let (xs, ys) = (&self.x[x0 as usize..], &self.y[y0 as usize..]);
        let met = self.forward.reached();
        let mut furthest = 0;
        let mut diagonal = self.backward.highest;
        let (points, mut above) = self.backward.pairs();
        for pair in points.iter_mut().rev() {
            let below = pair[0];
            let mut x = if below < above { below } else { above - 1 };
            above = below;
            // Before the start, these are out of range.
            let a = (x as isize - x0 - 1) as usize;
            let b = (x as isize - diagonal - y0 - 1) as usize;
            if let (Some(one), Some(other)) = (xs.get(a), ys.get(b))
                && one == other
            {
                let equal = 1 + equal_before(&xs[..a], &ys[..b]);
                furthest = furthest.max(equal);
                x -= equal as i32;
            }
            pair[1] = x;
            if MEET && met.contains(&diagonal) && x as isize <= self.forward.get(diagonal) {
                return Step::meeting(diagonal, x);
            }
            diagonal -= 2;
        }
        Step::Furthest(furthest)
    }

    /// The first shortcut: the furthest point that has a long run of equal lines behind it.
    fn split_at_snake(&self, cost: isize) -> Option<Split> {
        let Area { x0, x1, y0, y1, .. } = self.area;
        let mut best = WORTH * cost;
        let mut found = None;
        for diagonal in self.forward.diagonals() {
            let x = self.forward.get(diagonal);
            let y = x - diagonal;
            let gain = (x - x0) + (y - y0) - (diagonal - (x0 - y0)).abs();
            if gain > best
                && (x0 + SNAKE..x1).contains(&x)
                && (y0 + SNAKE..y1).contains(&y)
                && self.same(x - SNAKE, y - SNAKE)
            {
                best = gain;
                let exact = (true, false);
                found = Some(Split { x, y, exact });
            }
        }
        if found.is_some() {
            return found;
        }
        for diagonal in self.backward.diagonals() {
            let x = self.backward.get(diagonal);
            let y = x - diagonal;
            let gain = (x1 - x) + (y1 - y) - (diagonal - (x1 - y1)).abs();
            if gain > best
                && (x0 + 1..=x1 - SNAKE).contains(&x)
                && (y0 + 1..=y1 - SNAKE).contains(&y)
                && self.same(x, y)
            {
                best = gain;
                let exact = (false, true);
                found = Some(Split { x, y, exact });
            }
        }
        found
    }

    /// Whether a whole snake of lines is equal from there on.
    fn same(&self, x: isize, y: isize) -> bool {
        let run = |from: isize| from as usize..(from + SNAKE) as usize;
        self.x[run(x)] == self.y[run(y)]
    }

    /// The second shortcut: the point that has come furthest so far.
    fn cut_off(&self) -> Split {
        let Area { x0, x1, y0, y1, .. } = self.area;
        let mut forward = (isize::MIN, 0);
        for diagonal in self.forward.diagonals() {
            let x = self.forward.get(diagonal).min(x1).min(y1 + diagonal);
            let sum = x + x - diagonal;
            if sum > forward.0 {
                forward = (sum, x);
            }
        }
        let mut backward = (isize::MAX, 0);
        for diagonal in self.backward.diagonals() {
            let x = self.backward.get(diagonal).max(x0).max(y0 + diagonal);
            let sum = x + x - diagonal;
            if sum < backward.0 {
                backward = (sum, x);
            }
        }
        let (sum, x, exact) = if forward.0 - (x0 + y0) > (x1 + y1) - backward.0 {
            (forward.0, forward.1, (true, false))
        } else {
            (backward.0, backward.1, (false, true))
        };
        let y = sum - x;
        Split { x, y, exact }
    }
}

/// Out of line: most points do not move.
#[inline(never)]
fn equal_after(x: &[Token], y: &[Token]) -> usize {
    equal::prefix(x, y)
}

/// As [`equal_after`].
#[inline(never)]
fn equal_before(x: &[Token], y: &[Token]) -> usize {
    equal::suffix(x, y)
}

/// What one more change leads to.
enum Step {
    /// The fronts met.
    Met(Split),
    /// They did not; so many equal lines followed each other at the most.
    Furthest(usize),
}

impl Step {
    fn meeting(diagonal: isize, x: i32) -> Step {
        let x = x as isize;
        Step::Met(Split {
            x,
            y: x - diagonal,
            exact: (true, true),
        })
    }
}
