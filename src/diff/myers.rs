//! Myers' search from both ends in linear space, with git's two shortcuts for costly cases.

use super::discard::{Discard, Live, Sides, square};
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
}

impl Myers {
    /// Marks with 1 what changed between the windows of two sides. The flags are those of the
    /// windows, and were 0. `tokens` is above every token.
    pub(super) fn run(
        &mut self,
        sides: &Sides<'_>,
        minimal: bool,
        tokens: usize,
        old_changed: &mut [u8],
        new_changed: &mut [u8],
    ) {
        old_changed.fill(1);
        new_changed.fill(1);
        if !self.discard.run(sides, minimal, tokens) {
            return;
        }
        let Discard {
            old: ref x,
            new: ref y,
            ..
        } = self.discard;
        let most = (x.tokens.len() + y.tokens.len() + 3) as isize;
        self.forward.prepare(most, y.tokens.len());
        self.backward.prepare(most, y.tokens.len());
        let cutoff = square(most as usize).max(PATIENCE);
        self.areas.push(Area {
            x0: 0,
            x1: x.tokens.len() as isize,
            y0: 0,
            y1: y.tokens.len() as isize,
            exact: minimal,
        });
        while let Some(area) = self.areas.pop() {
            let (start, area) = area.without_start(&x.tokens, &y.tokens);
            let (area, end) = area.without_end(&x.tokens, &y.tokens);
            for run in [start, end] {
                unmark(x, run.x0, run.x1, old_changed);
                unmark(y, run.y0, run.y1, new_changed);
            }
            if area.x0 == area.x1 || area.y0 == area.y1 {
                continue;
            }
            let mut search = Search {
                x: &x.tokens,
                y: &y.tokens,
                area,
                cutoff,
                forward: &mut self.forward,
                backward: &mut self.backward,
            };
            let split = search.split();
            self.areas.push(Area {
                x1: split.x,
                y1: split.y,
                exact: split.exact.0,
                ..area
            });
            self.areas.push(Area {
                x0: split.x,
                y0: split.y,
                exact: split.exact.1,
                ..area
            });
        }
    }
}

fn unmark(side: &Live, start: isize, end: isize, changed: &mut [u8]) {
    for &line in &side.lines[start as usize..end as usize] {
        changed[line as usize] = 0;
    }
}

impl Area {
    fn sides<'a>(&self, x: &'a [Token], y: &'a [Token]) -> (&'a [Token], &'a [Token]) {
        (
            &x[self.x0 as usize..self.x1 as usize],
            &y[self.y0 as usize..self.y1 as usize],
        )
    }

    /// Cuts off what is equal at the start.
    fn without_start(self, x: &[Token], y: &[Token]) -> (Area, Area) {
        let (x, y) = self.sides(x, y);
        let equal = equal::prefix(x, y) as isize;
        let (x, y) = (self.x0 + equal, self.y0 + equal);
        let start = Area {
            x1: x,
            y1: y,
            ..self
        };
        let rest = Area {
            x0: x,
            y0: y,
            ..self
        };
        (start, rest)
    }

    /// Cuts off what is equal at the end.
    fn without_end(self, x: &[Token], y: &[Token]) -> (Area, Area) {
        let (x, y) = self.sides(x, y);
        let equal = equal::suffix(x, y) as isize;
        let (x, y) = (self.x1 - equal, self.y1 - equal);
        let rest = Area {
            x1: x,
            y1: y,
            ..self
        };
        let end = Area {
            x0: x,
            y0: y,
            ..self
        };
        (rest, end)
    }
}

impl Front {
    fn prepare(&mut self, most: isize, y_len: usize) {
        if self.points.len() < most as usize {
            self.points.resize(most as usize, 0);
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

    fn reaches(&self, diagonal: isize) -> bool {
        (self.lowest..=self.highest).contains(&diagonal)
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
            let mut snake = false;
            self.forward.widen(BEFORE_ALL, allowed);
            for diagonal in self.forward.diagonals() {
                let (x, advanced) = self.advance(diagonal);
                snake |= advanced > SNAKE;
                if odd && self.backward.reaches(diagonal) && self.backward.get(diagonal) <= x {
                    return meeting(diagonal, x);
                }
            }
            self.backward.widen(AFTER_ALL, allowed);
            for diagonal in self.backward.diagonals() {
                let (x, retreated) = self.retreat(diagonal);
                snake |= retreated > SNAKE;
                if !odd && self.forward.reaches(diagonal) && x <= self.forward.get(diagonal) {
                    return meeting(diagonal, x);
                }
            }
            if self.area.exact {
                continue;
            }
            if snake
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

    /// The furthest point on a diagonal with one more change, and how many equal lines led to it.
    fn advance(&mut self, diagonal: isize) -> (isize, isize) {
        let Area { x1, y1, .. } = self.area;
        let (below, above) = (
            self.forward.get(diagonal - 1),
            self.forward.get(diagonal + 1),
        );
        let x = if below >= above { below + 1 } else { above };
        let y = x - diagonal;
        let advanced = if x < x1 && y < y1 {
            let x = &self.x[x as usize..x1 as usize];
            let y = &self.y[y as usize..y1 as usize];
            equal::prefix(x, y) as isize
        } else {
            0
        };
        self.forward.set(diagonal, x + advanced);
        (x + advanced, advanced)
    }

    /// As [`Search::advance`], from the other end.
    fn retreat(&mut self, diagonal: isize) -> (isize, isize) {
        let Area { x0, y0, .. } = self.area;
        let (below, above) = (
            self.backward.get(diagonal - 1),
            self.backward.get(diagonal + 1),
        );
        let x = if below < above { below } else { above - 1 };
        let y = x - diagonal;
        let retreated = if x > x0 && y > y0 {
            let x = &self.x[x0 as usize..x as usize];
            let y = &self.y[y0 as usize..y as usize];
            equal::suffix(x, y) as isize
        } else {
            0
        };
        self.backward.set(diagonal, x - retreated);
        (x - retreated, retreated)
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

fn meeting(diagonal: isize, x: isize) -> Split {
    Split {
        x,
        y: x - diagonal,
        exact: (true, true),
    }
}
