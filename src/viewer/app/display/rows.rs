//! Rows of wrapped lines and distances in rows, and the columns of a part of a line.

use std::ops::Range;

use crate::sanitize::Glyphs;

/// Distances above this many rows are measured in lines instead: O(1), and close enough.
const MAX_EXACT_ROWS: u64 = 100_000;

/// A row of a line: the line, and the row within it (both 0-based).
pub type LineRow = (u32, u32);

/// Moves up and down by rows in wrapped lines.
pub struct WrappedRows<'a> {
    /// The last line (0-based).
    pub last: u32,
    /// Number of rows of a line, at least 1; `None` if every line has one row.
    pub height: Option<&'a dyn Fn(u32) -> u32>,
}

impl WrappedRows<'_> {
    fn height(&self, line: u32) -> u32 {
        self.height.map_or(1, |height| height(line))
    }

    /// The row `rows` rows below another one, at most the last.
    pub fn below(&self, (mut line, row): LineRow, rows: u64) -> LineRow {
        let last = self.last;
        if self.height.is_none() || rows > MAX_EXACT_ROWS {
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

    /// The row `rows` rows above another one, at least the first.
    pub fn above(&self, (mut line, row): LineRow, rows: u64) -> LineRow {
        if self.height.is_none() || rows > MAX_EXACT_ROWS {
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

/// The columns of ranges of bytes of a line, of the first one and of those before a column. The glyphs are
/// those of the whole line.
pub(crate) fn columns_of(
    glyphs: Glyphs<'_>,
    ranges: &[Range<usize>],
    before: usize,
) -> Vec<Range<usize>> {
    let (mut ranges, mut start) = (ranges.iter().peekable(), None);
    let mut columns = Vec::new();
    for glyph in glyphs {
        while let Some(range) = ranges.peek().filter(|range| glyph.end > range.start) {
            let first = *start.get_or_insert(glyph.column);
            if glyph.end < range.end {
                break;
            }
            columns.push(first..glyph.column + glyph.columns);
            start = None;
            ranges.next();
        }
        if ranges.peek().is_none() || glyph.column > before && !columns.is_empty() {
            break;
        }
    }
    columns
}
