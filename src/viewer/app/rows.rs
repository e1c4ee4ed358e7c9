//! The rows that lines take in a window: one each, or several where lines wrap.

/// Distances of so many rows and more are measured in lines: that takes no time, and is close.
const FAR: u64 = 100_000;

/// A row of a line: the line, and which of its rows (both 0-based).
pub type LineRow = (u32, u32);

/// Lines stacked as rows: walks up and down by rows.
pub struct RowStack<'a> {
    /// The last line (0-based).
    pub last: u32,
    /// How many rows a line takes, at least 1; without one, each takes one.
    pub height: Option<&'a dyn Fn(u32) -> u32>,
}

impl RowStack<'_> {
    fn height(&self, line: u32) -> u32 {
        self.height.map_or(1, |height| height(line))
    }

    /// The row `rows` below another one, or the last.
    pub fn below(&self, (mut line, row): LineRow, rows: u64) -> LineRow {
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
    pub fn above(&self, (mut line, row): LineRow, rows: u64) -> LineRow {
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
    pub fn end_of(&self, line: u32) -> LineRow {
        (line, self.height(line) - 1)
    }
}
