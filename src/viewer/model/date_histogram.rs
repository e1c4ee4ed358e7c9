//! How many lines were written when.

use crate::viewer::model::{line_filter::DateSpan, relative_dates};

/// The numbers of lines in equal spans of time, from the oldest line to the newest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateHistogram {
    /// The dates of the oldest and the newest line, in seconds since the epoch. Clocks show them in
    /// UTC.
    pub ends: (i64, i64),
    /// The numbers of lines, the oldest span first.
    pub counts: Vec<u64>,
}

impl DateHistogram {
    /// Of dates with numbers of lines, in `columns` spans; `None` without lines or columns.
    pub fn new(
        dates: impl Iterator<Item = (i64, u32)> + Clone,
        columns: u16,
    ) -> Option<DateHistogram> {
        let dates = dates.filter(|(_, lines)| *lines > 0);
        let times = || dates.clone().map(|(time, _)| time);
        let ends = (times().min()?, times().max()?);
        let mut histogram = DateHistogram {
            ends,
            counts: vec![0; usize::from(columns)],
        };
        for (time, lines) in dates {
            let at = histogram.column(time);
            *histogram.counts.get_mut(at)? += u64::from(lines);
        }
        Some(histogram)
    }

    /// The index of the span that has a date.
    pub fn column(&self, time: i64) -> usize {
        let length = i128::from(self.ends.1) - i128::from(self.ends.0) + 1;
        let passed = i128::from(time) - i128::from(self.ends.0);
        let at = passed * self.counts.len() as i128 / length;
        usize::try_from(at).unwrap_or(0)
    }

    /// The first moment of a span.
    pub fn start(&self, column: usize) -> i64 {
        let count = self.counts.len().max(1) as i128;
        let length = i128::from(self.ends.1) - i128::from(self.ends.0) + 1;
        let passed = (length * column as i128).div_euclid(count);
        let rest = (length * column as i128).rem_euclid(count);
        let time = i128::from(self.ends.0) + passed + i128::from(rest > 0);
        i64::try_from(time).unwrap_or(self.ends.1)
    }

    /// The days from one span to another one, in either order; both are in it. The first span has
    /// no beginning and the last one no end; `None` for all of them.
    pub fn days(&self, one: usize, other: usize) -> Option<DateSpan> {
        let last = self.counts.len().saturating_sub(1);
        let (first, end) = (one.min(other).min(last), one.max(other).min(last));
        let day = |time| relative_dates::day(time, 0);
        let days = DateSpan {
            from: match first {
                0 => String::new(),
                first => day(self.start(first)),
            },
            to: if end == last {
                String::new()
            } else {
                day(self.start(end + 1).saturating_sub(1))
            },
        };
        (days != DateSpan::default()).then_some(days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_counted_in_the_span_of_its_date() {
        let mut checked = 0;
        for (ends, columns) in [
            ((0, 9), 4),
            ((5, 5), 8),
            ((0, 1 << 40), 24),
            ((i64::MIN, i64::MAX), 9),
        ] {
            let dates = [(ends.0, 1), (ends.1, 2), (ends.0, 0)];
            let histogram = DateHistogram::new(dates.into_iter(), columns).expect("it has lines");
            assert_eq!(histogram.counts.iter().sum::<u64>(), 3);
            for column in 0..usize::from(columns) {
                let start = histogram.start(column);
                if start <= ends.1 && start < histogram.start(column + 1) {
                    assert_eq!(histogram.column(start), column, "{ends:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 30, "{checked}");
        assert_eq!(DateHistogram::new([(1, 0)].into_iter(), 8), None);
    }

    #[test]
    fn spans_are_days() {
        // 2020-01-01 to 2020-01-11, both at midnight.
        let dates = [(1_577_836_800, 1), (1_577_836_800 + 10 * 86_400, 1)];
        let histogram = DateHistogram::new(dates.into_iter(), 5).expect("it has lines");
        let days = |one, other| histogram.days(one, other).map(|days| days.to_string());
        assert_eq!(days(0, 4), None);
        assert_eq!(days(0, 0).as_deref(), Some("..2020-01-03"));
        assert_eq!(days(3, 1).as_deref(), Some("2020-01-03..2020-01-09"));
        assert_eq!(days(9, 9).as_deref(), Some("2020-01-09.."));
    }
}
