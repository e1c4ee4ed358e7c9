//! The scale that shows where in time a version is.

use std::ops::Range;

/// Columns before and after the axis, for a year each.
const LABEL_COLUMNS: u16 = 6;

/// A scale of time in columns of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionScale {
    /// The columns of the axis.
    pub columns: Range<u16>,
    /// The dates of its ends, in seconds since the epoch.
    pub span: (i64, i64),
}

impl VersionScale {
    /// The scale of a screen of `width` columns; `None` if that is too narrow.
    pub fn new(width: u16, span: (i64, i64)) -> Option<VersionScale> {
        let columns = LABEL_COLUMNS..width.saturating_sub(LABEL_COLUMNS);
        (columns.len() >= 8).then_some(VersionScale { columns, span })
    }

    /// The column of a date.
    pub fn column(&self, time: i64) -> u16 {
        let (first, last) = self.span;
        let steps = i128::from(self.columns.end - self.columns.start - 1);
        let length = (i128::from(last) - i128::from(first)).max(1);
        let passed = (i128::from(time) - i128::from(first)).clamp(0, length);
        let step = (2 * passed * steps + length) / (2 * length);
        self.columns.start + u16::try_from(step).unwrap_or(u16::MAX)
    }

    /// The date of a column, the nearest end for columns outside.
    pub fn time(&self, column: u16) -> i64 {
        let (first, last) = self.span;
        let column = column.clamp(self.columns.start, self.columns.end - 1);
        let steps = i128::from(self.columns.end - self.columns.start - 1).max(1);
        let length = i128::from(last) - i128::from(first);
        let passed = length * i128::from(column - self.columns.start) / steps;
        i64::try_from(i128::from(first) + passed).unwrap_or(last)
    }

    /// Half of the time that a column stands for, in seconds.
    pub fn margin(&self) -> i64 {
        let (first, last) = self.span;
        let steps = i64::from(self.columns.end - self.columns.start);
        last.saturating_sub(first) / steps.max(1) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_that_of_its_time() {
        for span in [(0, 1_000_000), (5, 700), (i64::MIN, i64::MAX)] {
            let scale = VersionScale::new(80, span).expect("it is wide enough");
            assert_eq!((scale.time(0), scale.time(79)), span);
            for column in scale.columns.clone() {
                assert_eq!(scale.column(scale.time(column)), column, "{span:?}");
            }
        }
        let scale = VersionScale::new(80, (7, 7)).expect("it is wide enough");
        assert_eq!((scale.column(7), scale.time(40)), (6, 7));
        assert_eq!(VersionScale::new(19, (0, 9)), None);
    }
}
