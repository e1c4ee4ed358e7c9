//! Myers' O(ND) algorithm in its linear-space form: the middle snake is searched from both ends,
//! and the two halves are solved recursively. With git's two heuristics for expensive inputs.

use std::ops::Range;

use crate::diff::{
    region::{common_ends, diff_input::DiffInput},
    search::discard::{LineDiscarder, approx_sqrt},
    types::Token,
};

/// Minimal cost (number of edits) at which the heuristics apply.
const HEURISTIC_MIN_COST: u32 = 256;
/// A diagonal run of more equal lines than this is a long snake.
const LONG_SNAKE: i32 = 20;
/// A split at a long snake needs progress of more than this times the cost.
const MIN_PROGRESS: i32 = 4;

/// A subproblem: lines `x0..x1` of the old side against `y0..y1` of the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EditBox {
    x0: isize,
    x1: isize,
    y0: isize,
    y1: isize,
    /// Solve without heuristics.
    exact: bool,
}

/// The point that divides a box into two, and which of these to solve without heuristics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SplitPoint {
    x: isize,
    y: isize,
    exact: (bool, bool),
}

/// Myers' furthest reaching points of one direction at the current cost, on every second diagonal
/// `x - y`.
#[derive(Debug, Default)]
struct Frontier {
    /// The `x` of each point, from the highest diagonal down to the lowest, after `dropped` stale
    /// ones.
    points: Vec<i32>,
    dropped: usize,
    highest: i32,
}

/// The algorithm with its buffers.
#[derive(Debug, Default)]
pub(crate) struct Myers {
    discard: LineDiscarder,
    forward: Frontier,
    backward: Frontier,
    boxes: Vec<EditBox>,
    /// Runs of changed lines, counted in remaining (not discarded) lines.
    changed_old: Vec<Range<u32>>,
    changed_new: Vec<Range<u32>>,
    /// The result: runs of changed old lines, ascending.
    pub(crate) old: Vec<Range<u32>>,
    /// The result: runs of changed new lines, ascending.
    pub(crate) new: Vec<Range<u32>>,
}

impl Myers {
    /// Computes the changed lines. `tokens` is an exclusive upper bound of the tokens. With `exact`
    /// it searches as long as it takes; with `keeps_frequent` frequent lines are not set aside
    /// before.
    pub(crate) fn run(
        &mut self,
        sides: &DiffInput<'_>,
        exact: bool,
        keeps_frequent: bool,
        tokens: usize,
    ) {
        let (old, new) = (sides.old_window(), sides.new_window());
        self.old.clear();
        self.new.clear();
        let first = sides.prefix as u32;
        if self.discard.run(sides, keeps_frequent, tokens) {
            self.search(old, new, exact);
            let LineDiscarder { old, new, .. } = &self.discard;
            old.add_changed(first, &self.changed_old, &mut self.old);
            new.add_changed(first, &self.changed_new, &mut self.new);
            return;
        }
        if !old.is_empty() {
            self.old.push(first..first + old.len() as u32);
        }
        if !new.is_empty() {
            self.new.push(first..first + new.len() as u32);
        }
    }

    /// Computes the changed lines among the remaining ones, counted in remaining lines.
    fn search(&mut self, old: &[Token], new: &[Token], exact: bool) {
        self.changed_old.clear();
        self.changed_new.clear();
        let x = self.discard.old.tokens(old);
        let y = self.discard.new.tokens(new);
        let cutoff = approx_sqrt(x.len() + y.len() + 3).max(HEURISTIC_MIN_COST);
        self.boxes.push(EditBox {
            x0: 0,
            x1: x.len() as isize,
            y0: 0,
            y1: y.len() as isize,
            exact,
        });
        while let Some(edit_box) = self.boxes.pop() {
            let edit_box = edit_box.without_ends(x, y);
            if edit_box.x0 == edit_box.x1 || edit_box.y0 == edit_box.y1 {
                if edit_box.x0 < edit_box.x1 {
                    self.changed_old
                        .push(edit_box.x0 as u32..edit_box.x1 as u32);
                }
                if edit_box.y0 < edit_box.y1 {
                    self.changed_new
                        .push(edit_box.y0 as u32..edit_box.y1 as u32);
                }
                continue;
            }
            let mut search = MiddleSnake {
                x: &x[edit_box.x0 as usize..edit_box.x1 as usize],
                y: &y[edit_box.y0 as usize..edit_box.y1 as usize],
                exact: edit_box.exact,
                cutoff,
                forward: &mut self.forward,
                backward: &mut self.backward,
            };
            let split = search.split();
            let (x, y) = (edit_box.x0 + split.x, edit_box.y0 + split.y);
            // The first half is solved first, so that changes are found in ascending order.
            self.boxes.push(EditBox {
                x0: x,
                y0: y,
                exact: split.exact.1,
                ..edit_box
            });
            self.boxes.push(EditBox {
                x1: x,
                y1: y,
                exact: split.exact.0,
                ..edit_box
            });
        }
    }
}

impl EditBox {
    /// Removes the common prefix, then the common suffix.
    fn without_ends(mut self, x: &[Token], y: &[Token]) -> EditBox {
        let x = &x[self.x0 as usize..self.x1 as usize];
        let y = &y[self.y0 as usize..self.y1 as usize];
        let start = common_ends::common_prefix(x, y);
        let end = common_ends::common_suffix(&x[start..], &y[start..]);
        self.x0 += start as isize;
        self.y0 += start as isize;
        self.x1 -= end as isize;
        self.y1 -= end as isize;
        self
    }
}

impl Frontier {
    /// Starts with one point.
    fn start(&mut self, diagonal: i32, x: i32) {
        self.points.clear();
        self.points.push(x);
        self.dropped = 0;
        self.highest = diagonal;
    }

    /// Shifts the points for the next cost: one more diagonal on either side, within the allowed
    /// ones. `missing` stands for points outside of these.
    ///
    /// Each slot then holds the previous point of the diagonal below, until it is set; returns the
    /// previous point of the diagonal above the highest.
    fn widen(&mut self, missing: i32, (lowest, highest): (i32, i32)) -> i32 {
        if self.lowest() > lowest {
            self.points.push(missing);
        }
        if self.highest < highest {
            self.highest += 1;
            return missing;
        }
        self.highest -= 1;
        self.dropped += 1;
        self.points[self.dropped - 1]
    }

    fn points(&self) -> &[i32] {
        &self.points[self.dropped..]
    }

    fn lowest(&self) -> i32 {
        self.highest - 2 * (self.points().len() as i32 - 1)
    }

    /// The points with their diagonals, highest first.
    fn with_diagonals(&self) -> impl Iterator<Item = (i32, i32)> {
        let diagonals = (0..).map(|nth| self.highest - 2 * nth);
        self.points().iter().copied().zip(diagonals)
    }

    /// The highest diagonal on which this frontier overlaps the `backward` one. Both must be on
    /// diagonals of the same parity.
    fn meets(&self, backward: &Frontier) -> Option<i32> {
        let highest = self.highest.min(backward.highest);
        let skip = |frontier: &Frontier| (frontier.highest - highest) as usize / 2;
        let (own, other) = (
            self.points().get(skip(self)..)?,
            backward.points().get(skip(backward)..)?,
        );
        let pairs = || own.iter().zip(other);
        if !pairs().fold(false, |met, (own, other)| met | (own >= other)) {
            return None;
        }
        let nth = pairs().position(|(own, other)| own >= other)?;
        Some(highest - 2 * nth as i32)
    }
}

/// The search for the split point of one box. All `x` and `y` are relative to the box.
struct MiddleSnake<'a> {
    x: &'a [Token],
    y: &'a [Token],
    exact: bool,
    /// The cost at which the search is cut off, unless it is exact.
    cutoff: u32,
    forward: &'a mut Frontier,
    backward: &'a mut Frontier,
}

/// Stand-ins for points outside the allowed diagonals.
const BEFORE_ALL: i32 = -1;
const AFTER_ALL: i32 = i32::MAX;

impl MiddleSnake<'_> {
    /// Finds the split point. Both sides must be non-empty, without common prefix or suffix.
    fn split(&mut self) -> SplitPoint {
        let (x1, y1) = (self.x.len() as i32, self.y.len() as i32);
        let allowed = (-y1, x1);
        let end_diagonal = x1 - y1;
        let odd = end_diagonal % 2 != 0;
        self.forward.start(0, 0);
        self.backward.start(end_diagonal, x1);
        let mut cost = 0;
        loop {
            cost += 1;
            let forward = self.advance(allowed);
            if odd && let Some(diagonal) = self.forward.meets(self.backward) {
                return SplitPoint::on_diagonal(self.forward, diagonal);
            }
            let backward = self.retreat(allowed);
            if !odd && let Some(diagonal) = self.forward.meets(self.backward) {
                return SplitPoint::on_diagonal(self.backward, diagonal);
            }
            if self.exact {
                continue;
            }
            if forward.max(backward) > LONG_SNAKE as usize
                && cost > HEURISTIC_MIN_COST
                && let Some(split) = self.split_at_snake(cost as i32)
            {
                return split;
            }
            if cost >= self.cutoff {
                return self.cut_off();
            }
        }
    }

    /// Advances the forward frontier by one edit and the snakes after it. Returns the length of the
    /// longest snake.
    #[inline(never)]
    fn advance(&mut self, allowed: (i32, i32)) -> usize {
        let mut above = self.forward.widen(BEFORE_ALL, allowed);
        let points = &mut self.forward.points[self.forward.dropped..];
        for point in points.iter_mut() {
            let below = *point;
            *point = above.max(below + 1);
            above = below;
        }
        let mut longest = 0;
        let mut diagonal = self.forward.highest;
        for point in points {
            let (a, b) = (*point as u32 as usize, (*point - diagonal) as u32 as usize);
            if let (Some(one), Some(other)) = (self.x.get(a), self.y.get(b))
                && one == other
            {
                let equal = 1 + equal_after(&self.x[a + 1..], &self.y[b + 1..]);
                longest = longest.max(equal);
                *point += equal as i32;
            }
            diagonal -= 2;
        }
        longest
    }

    /// Like [`MiddleSnake::advance`], for the backward frontier.
    #[inline(never)]
    fn retreat(&mut self, allowed: (i32, i32)) -> usize {
        let mut above = self.backward.widen(AFTER_ALL, allowed);
        let points = &mut self.backward.points[self.backward.dropped..];
        for point in points.iter_mut() {
            let below = *point;
            *point = below.min(above - 1);
            above = below;
        }
        let mut longest = 0;
        let mut diagonal = self.backward.highest;
        for point in points {
            // Negative values wrap to indices that are out of range.
            let (a, b) = (*point - 1, *point - 1 - diagonal);
            let (a, b) = (a as u32 as usize, b as u32 as usize);
            if let (Some(one), Some(other)) = (self.x.get(a), self.y.get(b))
                && one == other
            {
                let equal = 1 + equal_before(&self.x[..a], &self.y[..b]);
                longest = longest.max(equal);
                *point -= equal as i32;
            }
            diagonal -= 2;
        }
        longest
    }

    /// The snake heuristic: the point with the most progress at the end of a long snake, as seen
    /// from the start of its frontier.
    fn split_at_snake(&self, cost: i32) -> Option<SplitPoint> {
        let (x1, y1) = (self.x.len() as i32, self.y.len() as i32);
        let mut best = MIN_PROGRESS * cost;
        let mut found = None;
        for (x, diagonal) in self.forward.with_diagonals() {
            let y = x - diagonal;
            let gain = x + y - diagonal.abs();
            if gain > best
                && (LONG_SNAKE..x1).contains(&x)
                && (LONG_SNAKE..y1).contains(&y)
                && self.same(x - LONG_SNAKE, y - LONG_SNAKE)
            {
                best = gain;
                found = Some(SplitPoint::new(x, y, (true, false)));
            }
        }
        if found.is_some() {
            return found;
        }
        for (x, diagonal) in self.backward.with_diagonals() {
            let y = x - diagonal;
            let gain = (x1 - x) + (y1 - y) - (diagonal - (x1 - y1)).abs();
            if gain > best
                && (1..=x1 - LONG_SNAKE).contains(&x)
                && (1..=y1 - LONG_SNAKE).contains(&y)
                && self.same(x, y)
            {
                best = gain;
                found = Some(SplitPoint::new(x, y, (false, true)));
            }
        }
        found
    }

    /// True if a long snake starts at this point.
    fn same(&self, x: i32, y: i32) -> bool {
        let run = |from: i32| from as usize..(from + LONG_SNAKE) as usize;
        self.x[run(x)] == self.y[run(y)]
    }

    /// The cut-off heuristic: the point with the most progress in either direction.
    fn cut_off(&self) -> SplitPoint {
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
            SplitPoint::new(forward.1, forward.0 - forward.1, (true, false))
        } else {
            SplitPoint::new(backward.1, backward.0 - backward.1, (false, true))
        }
    }
}

/// Length of the snake after a point. Not inlined: most points have none.
#[inline(never)]
fn equal_after(x: &[Token], y: &[Token]) -> usize {
    common_ends::common_prefix(x, y)
}

/// Like [`equal_after`], backward.
#[inline(never)]
fn equal_before(x: &[Token], y: &[Token]) -> usize {
    common_ends::common_suffix(x, y)
}

impl SplitPoint {
    fn new(x: i32, y: i32, exact: (bool, bool)) -> SplitPoint {
        SplitPoint {
            x: x as isize,
            y: y as isize,
            exact,
        }
    }

    /// The point where the frontiers overlap.
    fn on_diagonal(frontier: &Frontier, diagonal: i32) -> SplitPoint {
        let x = frontier.points()[(frontier.highest - diagonal) as usize / 2];
        SplitPoint::new(x, x - diagonal, (true, true))
    }
}
