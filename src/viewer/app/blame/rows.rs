//! Which rows of the screen the lines take: one each, or more where long lines are wrapped.

use crate::viewer::{app::state::App, model::wrap::Wrap};

/// From so many rows on a way is measured in lines, which takes no time.
const FAR: u64 = 100_000;

/// A row of a line: the line, and which of its rows (both 0-based).
pub type Spot = (u32, u32);

/// Lines below each other, each as high as a function says.
pub struct Stack<'a> {
    /// The last line (0-based).
    pub last: u32,
    /// How many rows a line takes, at least 1; without one, each takes one.
    pub height: Option<&'a dyn Fn(u32) -> u32>,
}

impl Stack<'_> {
    fn height(&self, line: u32) -> u32 {
        self.height.map_or(1, |height| height(line))
    }

    /// The row `rows` below another one, or the last.
    pub fn below(&self, (mut line, row): Spot, rows: u64) -> Spot {
        let last = self.last;
        if self.height.is_none() || rows > FAR {
            let line = u64::from(line).saturating_add(rows).min(u64::from(last));
            return (u32::try_from(line).unwrap_or(last), 0);
        }
        let mut left = u64::from(row) + rows;
        loop {
            let height = self.height(line);
            if left < u64::from(height) {
                return (line, u32::try_from(left).unwrap_or(height - 1));
            }
            if line >= last {
                return (line, height - 1);
            }
            left -= u64::from(height);
            line += 1;
        }
    }

    /// The row `rows` above another one, or the first.
    pub fn above(&self, (mut line, row): Spot, rows: u64) -> Spot {
        if self.height.is_none() || rows > FAR {
            let line = u64::from(line).saturating_sub(rows);
            return (u32::try_from(line).unwrap_or(0), 0);
        }
        let mut left = rows;
        let mut row = u64::from(row);
        while left > row && line > 0 {
            left -= row + 1;
            line -= 1;
            row = u64::from(self.height(line)) - 1;
        }
        (line, u32::try_from(row.saturating_sub(left)).unwrap_or(0))
    }

    /// The last row of a line.
    pub fn end_of(&self, line: u32) -> Spot {
        (line, self.height(line) - 1)
    }
}

impl App {
    /// Columns for the code, right of the gutter.
    pub fn code_room(&self) -> u16 {
        let lines = self.view().map_or(0, |view| view.text.line_count());
        let bar = self.size.0 >= 20 && (self.wrap || lines > u32::from(self.layout().code.height));
        let room = self.size.0.saturating_sub(self.gutter().width());
        room.saturating_sub(u16::from(bar))
    }

    /// How lines are broken; `None` if they are not wrapped.
    pub fn wrapping(&self) -> Option<Wrap> {
        let room = usize::from(self.code_room());
        (self.wrap && room > 0).then(|| Wrap::new(room))
    }

    /// How many rows a line takes.
    pub fn height(&self, line: u32) -> u32 {
        match (self.wrapping(), self.view()) {
            (Some(wrap), Some(view)) => view.height(line, wrap),
            _ => 1,
        }
    }

    fn stacked<T>(&self, run: impl FnOnce(&Stack<'_>) -> T) -> T {
        let last = self.last_line();
        match (self.wrapping(), self.view()) {
            (Some(wrap), Some(view)) => run(&Stack {
                last,
                height: Some(&|line| view.height(line, wrap)),
            }),
            _ => run(&Stack { last, height: None }),
        }
    }

    /// The row `rows` below another one, or the file's last.
    pub fn below(&self, spot: Spot, rows: u64) -> Spot {
        self.stacked(|stack| stack.below(spot, rows))
    }

    /// The row `rows` above another one, or the file's first.
    pub fn above(&self, spot: Spot, rows: u64) -> Spot {
        self.stacked(|stack| stack.above(spot, rows))
    }

    /// The last row of a line.
    pub(crate) fn end_of(&self, line: u32) -> Spot {
        self.stacked(|stack| stack.end_of(line))
    }

    /// The first row on the screen.
    pub fn top(&self) -> Spot {
        let position = self.view().map(|view| view.position).unwrap_or_default();
        (position.top, position.row)
    }

    pub(crate) fn set_top(&mut self, (line, row): Spot) {
        if let Some(view) = self.view_mut() {
            (view.position.top, view.position.row) = (line, row);
        }
    }

    /// The last row that may be the first on the screen: the screen stays full.
    pub(crate) fn lowest_top(&self, rows: u32) -> Spot {
        let end = self.end_of(self.last_line());
        self.above(end, u64::from(rows.saturating_sub(1)))
    }

    /// The row that is shown in a row of the code (0-based), if there is one.
    pub fn shown_at(&self, row: u32) -> Option<Spot> {
        let top = self.top();
        let spot = self.below(top, u64::from(row));
        let is_there = row == 0 || self.below(top, u64::from(row) - 1) != spot;
        is_there.then_some(spot)
    }

    /// Wraps long lines, or no longer.
    pub(crate) fn turn_wrap(&mut self) {
        self.wrap = !self.wrap;
        if let Some(view) = self.view_mut() {
            view.position.left = 0;
            view.position.row = 0;
        }
        if let Some(change) = &mut self.change {
            change.left = 0;
            change.top.1 = 0;
        }
        self.say(match self.wrap {
            true => "long lines are wrapped",
            false => "long lines are cut: h and l scroll to the side",
        });
    }
}
