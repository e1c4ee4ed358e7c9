//! The pager: a selected line, and a window that scrolls over lines of text. It serves every view
//! and list: the blame, the diff, the help, and the commit's details.

use std::{cell::OnceCell, ops::Range};

use rustc_hash::FxHashMap;

use crate::{
    sanitize::{self, Glyphs, TextPosition},
    viewer::{
        app::display::rows::{LineRow, WrappedRows, columns_of},
        model::texts::{
            text::Text,
            wrap::{BreakCache, Piece, Wrap},
        },
    },
};

/// Columns per step of horizontal scrolling.
const SIDE_STEP: usize = 8;

/// Columns kept visible beside a match that is scrolled to.
const MATCH_CONTEXT: usize = 4;

/// Lines kept visible above and below the selected one, if the window is high enough.
const MARGIN: u32 = 3;

/// Minimum length, in bytes, of lines whose glyphs are indexed for horizontal scrolling.
const MIN_INDEXED_LEN: usize = 1 << 16;

/// Maximum number of lines with a glyph index.
const MAX_INDEXED_LINES: usize = 1000;

/// The lines that a pager shows.
pub trait Lines {
    /// Number of lines.
    fn count(&self) -> u32;

    /// The text of a line (0-based); empty beyond the end, and for lines that never wrap.
    fn bytes(&self, line: u32) -> &[u8];
}

impl Lines for Text {
    fn count(&self) -> u32 {
        self.line_count()
    }

    fn bytes(&self, line: u32) -> &[u8] {
        self.line(line)
    }
}

/// A number of lines that never wrap.
#[derive(Debug, Clone, Copy)]
pub struct Unwrapped(pub usize);

impl Lines for Unwrapped {
    fn count(&self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }

    fn bytes(&self, _: u32) -> &[u8] {
        &[]
    }
}

/// The part of the screen that a pager draws in.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Rows, at least 1.
    pub rows: u32,
    /// Columns for text.
    pub columns: usize,
    /// How lines wrap; `None` if they are truncated.
    pub wrap: Option<Wrap>,
}

/// A horizontal scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sideways {
    /// A number of steps to the left.
    Left(u32),
    /// A number of steps to the right.
    Right(u32),
    /// To the start of the lines.
    Start,
    /// To the end of the selected line.
    End,
}

/// A place in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowPlace {
    Top,
    Middle,
    Bottom,
}

/// The selected line and the window's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// The selected line (0-based).
    pub line: u32,
    /// The first line in the window (0-based).
    pub top: u32,
    /// Rows of that line above the window; 0 unless lines wrap.
    pub row: u32,
    /// The first column in the window (0-based).
    pub left: usize,
}

/// The selected line, and the first row in the window.
pub type LineAndTop = (u32, LineRow);

/// A position in lines of text, with caches for long lines.
#[derive(Debug, Clone, Default)]
pub struct Pager {
    /// The position.
    pub position: Position,
    /// Where it was moved to last. The window leaves that where it has too little room, and returns
    /// with more.
    wanted: LineAndTop,
    /// Where it was when it was made visible last.
    revealed: LineAndTop,
    /// Break positions of long lines.
    breaks: BreakCache,
    /// Glyph positions of very long lines, at intervals.
    indexed: FxHashMap<u32, Vec<TextPosition>>,
    /// The columns of the longest line, once they were counted.
    longest: OnceCell<usize>,
}

impl Pager {
    pub fn at(position: Position) -> Self {
        Pager {
            position,
            ..Pager::default()
        }
    }

    /// Clears the caches, after the lines have changed.
    pub fn clear_caches(&mut self) {
        (self.breaks, self.longest) = Default::default();
        self.indexed.clear();
    }

    /// At least about how many columns the longest line of a text takes.
    pub fn longest(&self, text: &Text) -> usize {
        let measure = || text.longest(sanitize::tab_width());
        *self.longest.get_or_init(measure)
    }

    fn line_and_top(&self) -> LineAndTop {
        (self.position.line, self.top())
    }

    /// Where it was moved to last.
    pub fn wanted(&self) -> LineAndTop {
        let now = self.line_and_top();
        if now == self.revealed {
            self.wanted
        } else {
            now
        }
    }

    /// Takes another place for the [wanted](Self::wanted) one: that of the same lines, after others
    /// before them were replaced.
    pub fn follow(&mut self, (line, top): LineAndTop) {
        self.position.line = line;
        self.set_top(top);
        (self.wanted, self.revealed) = ((line, top), (line, top));
        self.clear_caches();
    }

    /// Goes back to the first line.
    pub fn rewind(&mut self) {
        self.follow(LineAndTop::default());
    }

    /// True if it is at the first line, and was not moved from there.
    pub fn is_at_start(&self) -> bool {
        let places = [self.line_and_top(), self.revealed, self.wanted];
        places.iter().all(|it| *it == LineAndTop::default())
    }

    /// The first row in the window.
    pub fn top(&self) -> LineRow {
        (self.position.top, self.position.row)
    }

    /// Makes this the first row in the window.
    pub fn set_top(&mut self, (line, row): LineRow) {
        (self.position.top, self.position.row) = (line, row);
    }

    fn stacked<T>(
        &self,
        lines: &impl Lines,
        wrap: Option<Wrap>,
        run: impl FnOnce(&WrappedRows<'_>) -> T,
    ) -> T {
        let last = lines.count().saturating_sub(1);
        match wrap {
            Some(wrap) => run(&WrappedRows {
                last,
                height: Some(&|line| self.height(lines, line, wrap)),
            }),
            None => run(&WrappedRows { last, height: None }),
        }
    }

    /// The row `rows` rows below another one, at most the last.
    pub fn below(
        &self,
        lines: &impl Lines,
        wrap: Option<Wrap>,
        spot: LineRow,
        rows: u64,
    ) -> LineRow {
        self.stacked(lines, wrap, |stack| stack.below(spot, rows))
    }

    /// The row `rows` rows above another one, at least the first.
    pub fn above(
        &self,
        lines: &impl Lines,
        wrap: Option<Wrap>,
        spot: LineRow,
        rows: u64,
    ) -> LineRow {
        self.stacked(lines, wrap, |stack| stack.above(spot, rows))
    }

    /// The row of a line that is drawn in a row of the window (0-based); `None` below the last
    /// line.
    pub fn row_at(&self, lines: &impl Lines, wrap: Option<Wrap>, row: u32) -> Option<LineRow> {
        self.stacked(lines, wrap, |stack| {
            let top = self.top();
            let spot = stack.below(top, u64::from(row));
            let is_there = row == 0 || stack.below(top, u64::from(row) - 1) != spot;
            is_there.then_some(spot)
        })
    }

    /// Scrolls so that the selected line is visible with [`MARGIN`] lines around it, and the window
    /// is full. With another window, the first row is the one that was moved to last, if that can be.
    pub fn reveal(&mut self, lines: &impl Lines, window: Window) {
        let rows = window.rows;
        let last = lines.count().saturating_sub(1);
        self.position.line = self.position.line.min(last);
        let (line, left) = (self.position.line, self.position.left);
        let is_moved = self.line_and_top() != self.revealed;
        let (_, (top, row)) = self.wanted();
        let top = top.min(last);
        let near = |line: u32, before: u32| {
            line.saturating_sub(before)..line.saturating_add(rows).min(last + 1)
        };
        if let Some(wrap) = window.wrap {
            self.cache_breaks(lines, near(top, rows), wrap);
            self.cache_breaks(lines, near(line, rows), wrap);
        } else if left > 0 {
            self.index_glyphs(lines, near(top, 0));
        }
        let margin = u64::from((rows.saturating_sub(1) / 2).min(MARGIN));
        let height = u64::from(rows) - 1;
        let top = self.stacked(lines, window.wrap, |stack| {
            let top = (top, row).min(stack.end_of(top));
            let lowest = stack.above((line, 0), margin);
            let highest = stack.above(stack.below(stack.end_of(line), margin), height);
            // Any row of a line that is taller than the window may be at the top.
            let top = top.clamp(highest.min(lowest), highest.max(lowest));
            top.min(stack.above(stack.end_of(last), height))
        });
        self.set_top(top);
        self.note_revealed(is_moved);
    }

    /// Keeps the window full, regardless of the selection. With another window, the first row is
    /// the one that was scrolled to last, if that can be.
    pub fn fill_window(&mut self, lines: &impl Lines, rows: u32) {
        let is_moved = self.line_and_top() != self.revealed;
        let (_, (top, _)) = self.wanted();
        let highest = lines.count().saturating_sub(rows);
        self.position.top = top.min(highest);
        self.note_revealed(is_moved);
    }

    /// Takes the place at which it is visible now, which is wanted if it was moved there.
    fn note_revealed(&mut self, is_moved: bool) {
        self.revealed = self.line_and_top();
        if is_moved {
            self.wanted = self.revealed;
        }
    }

    /// Scrolls the window without the selection. [`fill_window`](Self::fill_window) limits it.
    pub fn scroll_window(&mut self, lines: i32) {
        self.position.top = self.position.top.saturating_add_signed(lines);
    }

    /// Selects a line, and centres it if it is outside the window.
    pub fn jump(&mut self, lines: &impl Lines, window: Window, line: u32) {
        self.position.line = line.min(lines.count().saturating_sub(1));
        let line = self.position.line;
        let rows = u64::from(window.rows);
        let top = self.stacked(lines, window.wrap, |stack| {
            let top = self.top();
            let (last, _) = stack.below(top, rows - 1);
            if (top.0..=last).contains(&line) {
                top
            } else {
                stack.above((line, 0), rows / 2)
            }
        });
        self.set_top(top);
    }

    /// As [`jump`](Self::jump), to the first row of the line.
    pub fn jump_to_start(&mut self, lines: &impl Lines, window: Window, line: u32) {
        self.jump(lines, window, line);
        let start = (self.position.line, 0);
        self.set_top(self.top().min(start));
    }

    /// Moves the selection by lines. A selected line that is taller than the window is scrolled by
    /// rows first.
    pub fn step(&mut self, lines: &impl Lines, window: Window, by: i64) {
        let line = self.position.line;
        let further = self.stacked(lines, window.wrap, |stack| {
            if stack.end_of(line).1 < window.rows {
                return None;
            }
            let (top, rows) = (self.top(), by.unsigned_abs());
            let bottom = stack.below(top, u64::from(window.rows) - 1);
            match by < 0 {
                true if top > (line, 0) => Some(stack.above(top, rows).max((line, 0))),
                false if bottom < stack.end_of(line) => Some(stack.below(top, rows)),
                _ => None,
            }
        });
        match further {
            Some(top) => self.set_top(top),
            None => {
                let last = i64::from(lines.count().saturating_sub(1));
                let line = i64::from(line).saturating_add(by).clamp(0, last);
                self.position.line = u32::try_from(line).unwrap_or(u32::MAX);
            }
        }
    }

    /// Moves the window and the selection together by rows.
    pub fn page(&mut self, lines: &impl Lines, window: Window, by: i64) {
        let (line, rows) = (self.position.line, by.unsigned_abs());
        let (top, line) = self.stacked(lines, window.wrap, |stack| {
            let before = self.top();
            let lowest = stack.above(stack.end_of(stack.last), u64::from(window.rows) - 1);
            let top = if by < 0 {
                stack.above(before, rows)
            } else {
                stack.below(before, rows).min(lowest)
            };
            // When the window cannot move, count from the far end of the line, so that a line
            // taller than the window is passed.
            let from = match by < 0 {
                true if top == before => (line, 0),
                false if top == before => stack.end_of(line),
                _ => before.max((line, 0)),
            };
            let (line, _) = if by < 0 {
                stack.above(from, rows)
            } else {
                stack.below(from, rows)
            };
            (top, line)
        });
        self.set_top(top);
        self.position.line = line;
    }

    /// Scrolls by rows. The selection moves only if it would leave the window.
    pub fn scroll(&mut self, lines: &impl Lines, window: Window, by: i32) {
        let rows = u64::from(by.unsigned_abs());
        let (top, line) = self.stacked(lines, window.wrap, |stack| {
            let lowest = stack.above(stack.end_of(stack.last), u64::from(window.rows) - 1);
            let top = if by < 0 {
                stack.above(self.top(), rows)
            } else {
                stack.below(self.top(), rows).min(lowest)
            };
            let line = nearest_whole(stack, window.rows, top, self.position.line, by < 0);
            (top, line)
        });
        self.set_top(top);
        self.position.line = line;
    }

    /// Scrolls the selected line to a place in the window. [`reveal`](Self::reveal) keeps the
    /// margin.
    pub fn scroll_line_to(&mut self, lines: &impl Lines, window: Window, place: WindowPlace) {
        let (line, rows) = (self.position.line, u64::from(window.rows));
        let top = self.stacked(lines, window.wrap, |stack| match place {
            WindowPlace::Top => (line, 0),
            WindowPlace::Middle => stack.above((line, 0), rows / 2),
            WindowPlace::Bottom => stack.above(stack.end_of(line), rows - 1),
        });
        self.set_top(top);
    }

    /// Selects the line at a place in the window, inside the margin.
    pub fn select_at(&mut self, lines: &impl Lines, window: Window, place: WindowPlace) {
        let last_row = window.rows - 1;
        let margin = (last_row / 2).min(MARGIN);
        let (line, _) = self.stacked(lines, window.wrap, |stack| {
            let top = self.top();
            let end = stack.end_of(stack.last);
            let bottom = stack.below(top, u64::from(last_row));
            match place {
                WindowPlace::Top if top == (0, 0) => top,
                WindowPlace::Top => stack.below(top, u64::from(margin)),
                WindowPlace::Middle if bottom == end => ((top.0 + end.0) / 2, 0),
                WindowPlace::Middle => stack.below(top, u64::from(window.rows / 2)),
                WindowPlace::Bottom if bottom == end => end,
                WindowPlace::Bottom => stack.above(bottom, u64::from(margin)),
            }
        });
        self.position.line = line;
    }

    /// Scrolls horizontally.
    pub fn scroll_sideways(&mut self, lines: &impl Lines, window: Window, by: Sideways) {
        let Position {
            line, top, left, ..
        } = self.position;
        let to = match by {
            Sideways::Left(times) => left.saturating_sub(SIDE_STEP * times as usize),
            Sideways::Right(times) => left + SIDE_STEP * times as usize,
            Sideways::Start => 0,
            Sideways::End => {
                self.index_glyphs(lines, line..line + 1);
                let width = self.width(lines, line);
                width.saturating_sub(window.columns.saturating_sub(1))
            }
        };
        if matches!(by, Sideways::Right(_)) {
            // Not beyond the widest visible line.
            let shown = top..(top + window.rows).min(lines.count());
            self.index_glyphs(lines, shown.clone());
            let is_there = |line| self.glyphs(lines, line, to).next().is_some();
            if !shown.clone().any(is_there) {
                let widest = shown.map(|line| self.width(lines, line)).max();
                let end = widest.unwrap_or(0).saturating_sub(window.columns / 2);
                self.position.left = left.max(end);
                return;
            }
        }
        self.position.left = to;
    }

    /// Scrolls so that a byte of a line is visible.
    pub fn show_byte(&mut self, lines: &impl Lines, window: Window, line: u32, byte: usize) {
        let (left, range) = (self.position.left, byte..byte + 1);
        self.show_bytes(lines, window, line, (std::slice::from_ref(&range), left));
    }

    /// Scrolls so that one of several ranges of bytes of a line is visible, by what is needed: not beyond
    /// the first column `home` if one is visible from there, since the beginnings of other lines say
    /// where one is.
    pub fn show_bytes(
        &mut self,
        lines: &impl Lines,
        window: Window,
        line: u32,
        (ranges, home): (&[Range<usize>], usize),
    ) {
        if let Some(wrap) = window.wrap {
            let Some(first) = ranges.first() else { return };
            self.cache_breaks(lines, line..line + 1, wrap);
            let bytes = lines.bytes(line);
            let row = self.breaks.row_of(line, bytes, wrap, first.start);
            let rows = u64::from(window.rows);
            let top = self.stacked(lines, window.wrap, |stack| {
                let top = self.top();
                if (top..=stack.below(top, rows - 1)).contains(&(line, row)) {
                    top
                } else {
                    stack.above((line, row), rows / 2)
                }
            });
            return self.set_top(top);
        }
        self.index_glyphs(lines, line..line + 1);
        let end = home + window.columns;
        let columns = columns_of(self.glyphs(lines, line, 0), ranges, end);
        let is_seen = |left: usize| {
            let mut all = columns.iter();
            all.any(|it| it.start >= left && it.end <= left + window.columns)
        };
        let left = self.position.left;
        self.position.left = match columns.first() {
            None => home,
            Some(_) if is_seen(home) => home,
            Some(_) if is_seen(left) => left,
            Some(first) if first.end <= window.columns => 0,
            Some(first) => {
                let start = first.start.saturating_sub(MATCH_CONTEXT);
                let needed = (first.end + MATCH_CONTEXT).saturating_sub(window.columns);
                if first.start < home {
                    start
                } else {
                    needed.min(start)
                }
            }
        };
    }

    /// Number of rows of a line.
    pub fn height(&self, lines: &impl Lines, line: u32, wrap: Wrap) -> u32 {
        self.breaks.height(line, lines.bytes(line), wrap)
    }

    /// A row of a line.
    pub fn piece(&self, lines: &impl Lines, spot: LineRow, wrap: Wrap) -> Option<Piece> {
        self.breaks.piece(spot, lines.bytes(spot.0), wrap)
    }

    /// The glyphs of a line, from the first that ends after `column`.
    pub fn glyphs<'a>(&self, lines: &'a impl Lines, line: u32, column: usize) -> Glyphs<'a> {
        let positions = self.indexed.get(&line).map(Vec::as_slice);
        Glyphs::from_positions(lines.bytes(line), positions.unwrap_or_default(), column)
    }

    /// The width of a line in columns.
    fn width(&self, lines: &impl Lines, line: u32) -> usize {
        match self
            .indexed
            .get(&line)
            .and_then(|positions| positions.last())
        {
            None => sanitize::width(lines.bytes(line)),
            Some(position) => {
                let last = self.glyphs(lines, line, position.column()).last();
                last.map_or(position.column(), |glyph| glyph.column + glyph.columns)
            }
        }
    }

    /// Indexes the glyphs of very long lines, so that drawing their ends is as fast as their
    /// starts.
    fn index_glyphs(&mut self, lines: &impl Lines, range: Range<u32>) {
        for line in range {
            let bytes = lines.bytes(line);
            if bytes.len() >= MIN_INDEXED_LEN && !self.indexed.contains_key(&line) {
                if self.indexed.len() >= MAX_INDEXED_LINES {
                    self.indexed.clear();
                }
                self.indexed
                    .insert(line, Glyphs::positions(bytes, MIN_INDEXED_LEN / 4));
            }
        }
    }

    /// Caches the breaks of long lines.
    fn cache_breaks(&mut self, lines: &impl Lines, range: Range<u32>, wrap: Wrap) {
        for line in range {
            self.breaks.cache_line(line, lines.bytes(line), wrap);
        }
    }
}

/// The line nearest to `line` that is completely visible outside the margins when `top` is the
/// first row of the window. If there is none, `up` prefers lines above.
fn nearest_whole(stack: &WrappedRows<'_>, rows: u32, top: LineRow, line: u32, up: bool) -> u32 {
    let margin = (rows.saturating_sub(1) / 2).min(MARGIN);
    let end = stack.end_of(stack.last);
    let bottom = stack.below(top, u64::from(rows) - 1);
    let low = match top {
        (0, 0) => (0, 0),
        top => stack.below(top, u64::from(margin)),
    };
    let high = if bottom == end {
        bottom
    } else {
        stack.below(top, u64::from(rows - 1 - margin))
    };
    let first = low.0 + u32::from(low.1 > 0);
    let last = if high == stack.end_of(high.0) {
        high.0
    } else {
        high.0.saturating_sub(1)
    };
    match (first <= last, up) {
        (true, _) => line.clamp(first, last),
        (false, true) if last >= top.0 => last,
        (false, false) if first <= bottom.0 => first,
        // One line is taller than the window.
        (false, true) => top.0,
        (false, false) => bottom.0,
    }
}
