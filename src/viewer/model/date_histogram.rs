//! How many lines were written when.

use std::ops::Range;

use crate::{
    dates::calendar::{DAY, civil_from_days, days_from_civil},
    viewer::model::{line_filter::DateSpan, relative_dates},
};

/// The lengths of spans, the shortest first.
const LENGTHS: [SpanLength; 15] = [
    SpanLength::Days(1),
    SpanLength::Days(7),
    SpanLength::Months(1),
    SpanLength::Months(3),
    SpanLength::Months(6),
    SpanLength::Months(12),
    SpanLength::Months(2 * 12),
    SpanLength::Months(5 * 12),
    SpanLength::Months(10 * 12),
    SpanLength::Months(20 * 12),
    SpanLength::Months(50 * 12),
    SpanLength::Months(100 * 12),
    SpanLength::Months(500 * 12),
    SpanLength::Months(1000 * 12),
    SpanLength::Months(5000 * 12),
];

/// The first Monday after the epoch, in days.
const MONDAY: i64 = 4;

/// The moments of the years 0 to 9999, which dates have words for, in seconds since the epoch.
const CALENDAR: Range<i64> = -62_167_219_200..253_402_300_800;

/// The length of a span of the calendar. A week begins on Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpanLength {
    Days(i64),
    Months(i64),
}

impl SpanLength {
    /// The number of the span that has a moment; later spans have greater ones.
    fn number(self, time: i64) -> i64 {
        let days = time.div_euclid(DAY);
        match self {
            SpanLength::Days(length) => (days - MONDAY).div_euclid(length),
            SpanLength::Months(length) => {
                let (year, month, _) = civil_from_days(days);
                (year * 12 + i64::from(month) - 1).div_euclid(length)
            }
        }
    }

    /// The first moment of a span.
    fn start(self, number: i64) -> i64 {
        match self {
            SpanLength::Days(length) => (number * length + MONDAY) * DAY,
            SpanLength::Months(length) => {
                let months = number * length;
                let month = months.rem_euclid(12) as u8 + 1;
                days_from_civil(months.div_euclid(12), month, 1) * DAY
            }
        }
    }

    /// The columns of a date that tell spans apart: those of a year, a month or a day.
    fn date_columns(self) -> usize {
        match self {
            SpanLength::Days(_) => 10,
            SpanLength::Months(length) if length % 12 == 0 => 4,
            SpanLength::Months(_) => 7,
        }
    }
}

/// The numbers of lines in spans of the calendar, from the oldest line to the newest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateHistogram {
    /// The dates of the oldest and the newest line, in seconds since the epoch. Clocks show them in
    /// UTC.
    pub ends: (i64, i64),
    /// The numbers of lines, the oldest span first.
    pub counts: Vec<u64>,
    /// The first moments of the spans; the first one begins with the oldest line.
    starts: Vec<i64>,
    /// The columns of dates that tell the spans apart.
    date_columns: usize,
}

impl DateHistogram {
    /// Of dates with numbers of lines, in at most `columns` spans: days, weeks, months, quarters, half
    /// years, years or several years, the shortest of which there are not more. `None` without lines or
    /// columns.
    pub fn new(
        dates: impl Iterator<Item = (i64, u32)> + Clone,
        columns: u16,
    ) -> Option<DateHistogram> {
        let dates = dates.filter(|(_, lines)| *lines > 0);
        let times = || dates.clone().map(|(time, _)| time);
        let ends = (times().min()?, times().max()?);
        let (starts, date_columns) = spans(ends, columns.into());
        let mut histogram = DateHistogram {
            ends,
            counts: vec![0; starts.len()],
            starts,
            date_columns,
        };
        for (time, lines) in dates {
            let at = histogram.column(time);
            *histogram.counts.get_mut(at)? += u64::from(lines);
        }
        Some(histogram)
    }

    /// The index of the span that has a date.
    pub fn column(&self, time: i64) -> usize {
        let after = self.starts.partition_point(|start| *start <= time);
        after.saturating_sub(1)
    }

    /// The first moment of a span.
    pub fn start(&self, column: usize) -> i64 {
        self.starts.get(column).copied().unwrap_or(self.ends.1)
    }

    /// The last moment of a span: of the last one, the date of the newest line.
    pub fn newest(&self, column: usize) -> i64 {
        let next = self.starts.get(column + 1);
        next.map_or(self.ends.1, |next| next.saturating_sub(1))
    }

    /// The dates at the ends of a span: years, months or days.
    fn dates(&self, column: usize) -> DateSpan {
        let date = |time| {
            if CALENDAR.contains(&time) {
                relative_dates::within(self.date_columns, time, 0)
            } else {
                relative_dates::day(time, 0)
            }
        };
        DateSpan {
            from: date(self.start(column)),
            to: date(self.newest(column)),
        }
    }

    /// A span in words: `2015`, `2015-04..2015-06`.
    pub fn words(&self, column: usize) -> String {
        self.dates(column).to_string()
    }

    /// The days from one span to another one, in either order; both are in it. The first span has
    /// no beginning and the last one no end; `None` for all of them.
    pub fn days(&self, one: usize, other: usize) -> Option<DateSpan> {
        let last = self.counts.len().saturating_sub(1);
        let (first, end) = (one.min(other).min(last), one.max(other).min(last));
        let bound = |text: String, is_open: bool| if is_open { String::new() } else { text };
        let days = DateSpan {
            from: bound(self.dates(first).from, first == 0),
            to: bound(self.dates(end).to, end == last),
        };
        (days != DateSpan::default()).then_some(days)
    }
}

/// The first moments of at most so many spans from one moment to another, and the columns of dates that
/// tell them apart. Beyond the calendar, they are of equal lengths.
fn spans((first, last): (i64, i64), columns: usize) -> (Vec<i64>, usize) {
    let is_in_calendar = CALENDAR.contains(&first) && CALENDAR.contains(&last);
    let lengths = LENGTHS.iter().filter(|_| is_in_calendar);
    for length in lengths {
        let (from, to) = (length.number(first), length.number(last));
        if to - from < columns as i64 {
            let starts = (from..=to).map(|number| length.start(number).max(first));
            return (starts.collect(), length.date_columns());
        }
    }
    let length = i128::from(last) - i128::from(first) + 1;
    let starts = (0..columns as i128).map(|column| {
        let passed = (length * column).div_euclid(columns as i128);
        let rest = (length * column).rem_euclid(columns as i128);
        let time = i128::from(first) + passed + i128::from(rest > 0);
        i64::try_from(time).unwrap_or(last)
    });
    (starts.collect(), SpanLength::Days(1).date_columns())
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
            assert!(histogram.counts.len() <= columns.into(), "{ends:?}");
            for column in 0..histogram.counts.len() {
                let start = histogram.start(column);
                let next = histogram.starts.get(column + 1);
                if start <= ends.1 && next.is_none_or(|next| start < *next) {
                    assert_eq!(histogram.column(start), column, "{ends:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 20, "{checked}");
        assert_eq!(DateHistogram::new([(1, 0)].into_iter(), 8), None);
    }

    #[test]
    fn spans_are_of_the_calendar() {
        let day = |year, month, day| days_from_civil(year, month, day) * DAY;
        let words = |first: i64, last: i64, columns| {
            let dates = [(first, 1), (last, 1)].into_iter();
            let histogram = DateHistogram::new(dates, columns).expect("it has lines");
            let words = (0..histogram.counts.len()).map(|at| histogram.words(at));
            let words: Vec<String> = words.collect();
            let all = words.len();
            (all, words[0].clone(), words[all - 1].clone())
        };
        let expected = |all, first: &str, last: &str| (all, first.to_owned(), last.to_owned());
        let (old, new) = (day(2010, 6, 5), day(2024, 11, 3));
        assert_eq!(words(old, new, 15), expected(15, "2010", "2024"));
        assert_eq!(words(old, new, 10), expected(8, "2010..2011", "2024"));
        assert_eq!(words(old, new, 4), expected(3, "2010..2014", "2020..2024"));
        let new = day(2011, 2, 1);
        assert_eq!(
            words(old, new, 4),
            expected(4, "2010-06", "2011-01..2011-02")
        );
        assert_eq!(words(old, new, 9), expected(9, "2010-06", "2011-02"));
        let new = day(2010, 6, 15);
        assert_eq!(
            words(old, new, 12),
            expected(11, "2010-06-05", "2010-06-15")
        );
        let weeks = expected(3, "2010-06-05..2010-06-06", "2010-06-14..2010-06-15");
        assert_eq!(words(old, new, 4), weeks);
        assert_eq!(words(old, old, 4), expected(1, "2010-06-05", "2010-06-05"));
        // All of the calendar.
        let (first, last) = (CALENDAR.start, CALENDAR.end - 1);
        assert_eq!(words(first, last, 4).0, 2);
    }

    #[test]
    fn chosen_spans_are_open_at_the_ends_of_the_file() {
        // 2020-01-01 to 2020-01-05, both at midnight.
        let dates = [(1_577_836_800, 1), (1_577_836_800 + 4 * 86_400, 1)];
        let histogram = DateHistogram::new(dates.into_iter(), 5).expect("it has lines");
        let days = |one, other| histogram.days(one, other).map(|days| days.to_string());
        assert_eq!(days(0, 4), None);
        assert_eq!(days(0, 0).as_deref(), Some("..2020-01-01"));
        assert_eq!(days(3, 1).as_deref(), Some("2020-01-02..2020-01-04"));
        assert_eq!(days(2, 2).as_deref(), Some("2020-01-03"));
        assert_eq!(days(9, 9).as_deref(), Some("2020-01-05.."));
    }
}
