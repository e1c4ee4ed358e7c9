//! A small history of lines by year, drawn with bars.

use std::collections::BTreeMap;

/// Bars from nothing to most.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Most bars.
const MAX_BARS: usize = 30;

/// How the years of several counts are drawn: from the first year of all to the last one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct YearBars {
    years: Option<(i32, i32)>,
    years_per_bar: usize,
    count: usize,
    /// The columns that there are.
    columns: usize,
}

impl YearBars {
    /// The bars for these numbers of lines by year, at most `columns` wide. Several years share a bar where there is
    /// not enough room.
    pub(crate) fn new<'a>(
        counts: impl Iterator<Item = &'a BTreeMap<i32, u32>>,
        columns: usize,
    ) -> YearBars {
        let years = counts.flat_map(BTreeMap::keys);
        let years = years.fold(None, |range: Option<(i32, i32)>, &year| {
            let (first, last) = range.unwrap_or((year, year));
            Some((first.min(year), last.max(year)))
        });
        YearBars::between(years, columns)
    }

    /// As [`new`](YearBars::new), from the first year to the last one of a range.
    pub(crate) fn between(years: Option<(i32, i32)>, columns: usize) -> YearBars {
        let (first, last) = years.unwrap_or((0, 0));
        let year_count = last.abs_diff(first) as usize + 1;
        let columns = columns.min(MAX_BARS);
        let years_per_bar = year_count.div_ceil(columns.max(1)).max(1);
        YearBars {
            years,
            years_per_bar,
            count: match columns {
                0 => 0,
                _ => year_count.div_ceil(years_per_bar),
            },
            columns,
        }
    }

    /// The first and the last year that a bar (0-based) stands for, in the range.
    pub(crate) fn years_at(self, bar: usize) -> (i32, i32) {
        let (first, last) = self.years.unwrap_or((0, 0));
        let step = i32::try_from(self.years_per_bar).unwrap_or(i32::MAX);
        let bar = i32::try_from(bar).unwrap_or(i32::MAX);
        let begin = first.saturating_add(bar.saturating_mul(step));
        (begin, begin.saturating_add(step - 1).min(last))
    }

    /// Their number.
    pub(crate) fn count(self) -> usize {
        self.count
    }

    /// The columns of the bars with their title.
    pub(crate) fn width(self) -> usize {
        let title = match self.years {
            Some((first, last)) if first < last => 9,
            Some(_) => 4,
            None => 0,
        };
        self.count.max(title).min(self.columns)
    }

    /// The first and the last year above the bars, as far as there is room.
    pub(crate) fn title(self) -> String {
        match (self.years, self.width()) {
            (Some((first, last)), width @ 9..) if first < last => {
                format!("{first:<0$}{last}", width - 4)
            }
            (Some((first, last)), 5..) if first >= 0 && first < last => {
                format!("{:02}–{:02}", first % 100, last % 100)
            }
            (Some((first, _)), 4..) => first.to_string(),
            _ => String::new(),
        }
    }

    /// The bar (0-based) of a year. The first bar has the years before, too, and the last one those after.
    pub(crate) fn bar_of(self, year: i32) -> usize {
        let (first, _) = self.years.unwrap_or((0, 0));
        let after = year.max(first).abs_diff(first) as usize;
        (after / self.years_per_bar).min(self.count.saturating_sub(1))
    }

    /// The bars of numbers of lines by year, relative to the highest one.
    pub(crate) fn bars(self, lines: &BTreeMap<i32, u32>) -> String {
        let mut counts = vec![0u64; self.count];
        for (&year, &lines) in lines {
            if let Some(count) = counts.get_mut(self.bar_of(year)) {
                *count += u64::from(lines);
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let steps = BARS.len() as u64 - 1;
        let bar = |count: u64| BARS[(count * steps).div_ceil(most) as usize];
        counts.into_iter().map(bar).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_named_where_they_fit() {
        let title = |years, columns| YearBars::between(Some(years), columns).title();
        assert_eq!(title((2010, 2024), 15), "2010       2024");
        assert_eq!(title((2018, 2025), 8), "18–25");
        assert_eq!(title((1999, 2003), 5), "99–03");
        assert_eq!(title((2021, 2024), 4), "2021");
        assert_eq!(title((2021, 2023), 3), "");
    }

    #[test]
    fn the_first_and_the_last_year_stand_above_few_bars_too() {
        let of = |years, columns| {
            let bars = YearBars::between(Some(years), columns);
            (bars.count(), bars.width(), bars.title())
        };
        assert_eq!(of((2016, 2016), 12), (1, 4, "2016".to_owned()));
        assert_eq!(of((2016, 2019), 12), (4, 9, "2016 2019".to_owned()));
        assert_eq!(of((2016, 2019), 6), (4, 6, "16–19".to_owned()));
        assert_eq!(of((2016, 2025), 12), (10, 10, "2016  2025".to_owned()));
        assert_eq!(of((2016, 2019), 3), (2, 3, String::new()));
        assert_eq!(of((2016, 2019), 0), (0, 0, String::new()));
        // A column of this width has the same bars.
        for (columns, count) in
            (9..=30).flat_map(|columns| (1..60).map(move |count| (columns, count)))
        {
            let bars = YearBars::between(Some((2000, 1999 + count)), columns);
            let again = YearBars::between(Some((2000, 1999 + count)), bars.width());
            assert_eq!(bars.years_at(1), again.years_at(1), "{columns} {count}");
            assert_eq!(bars.count(), again.count(), "{columns} {count}");
        }
    }
}
