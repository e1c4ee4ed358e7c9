//! Which columns the gutter has: their selection, order and widths.
//!
//! Widths depend only on the settings, the screen, and the number and the length of lines, so that
//! nothing moves while the blame runs or while one scrolls.

use crate::viewer::model::{
    gutter::{Column, Gutter},
    relative_dates::DateFormat,
};

/// Allowed widths of text columns.
pub const WIDTHS: std::ops::RangeInclusive<u16> = 3..=200;

/// Allowed share of the screen's width for all columns together, in percent.
pub const SHARES: std::ops::RangeInclusive<u16> = 10..=80;

/// Screens narrower than this give the columns [`NARROW_SHARE`], for author and date, unless they
/// are configured to have much less.
const NARROW_WIDTH: u16 = 50;

/// The smallest share of the columns on a narrow screen, in percent.
const NARROW_SHARE: u16 = 50;

/// Minimum screen width at which the summary is shown without being asked for.
const MIN_WIDTH_FOR_SUMMARY: u16 = 140;

/// The default share of the screen's width for all columns, in percent, and with such a summary.
const DEFAULT_SHARE: u16 = 40;
const SHARE_WITH_SUMMARY: u16 = 53;

/// Default width of authors, and beside such a summary, before which names become whole.
const AUTHOR_WIDTH: u16 = 30;
const AUTHOR_WIDTH_WITH_SUMMARY: u16 = 24;

/// Width of ids while names are cut.
const SHORT_ID_WIDTH: u16 = 6;

/// Width of authors before dates become longer: many names that people give themselves have it.
const SHORT_AUTHOR_WIDTH: u16 = 8;

/// Smallest width of the code.
const MIN_CODE_WIDTH: u16 = 18;

/// Columns beside the longest line of code: a blank, and the scrollbar.
const CODE_MARGIN: u16 = 2;

/// The selected columns and their widths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Every column from left to right, and whether it is shown.
    pub order: Vec<(Column, bool)>,
    /// True if the summary is shown as well on a screen that is wide enough for it.
    pub auto_summary: bool,
    /// The format of dates.
    pub date: DateFormat,
    /// Largest share of the screen's width for all columns, in percent, within [`SHARES`].
    pub share: u16,
    /// Widths of the text columns where there is room, within [`WIDTHS`].
    pub widths: Widths,
}

/// Widths of the text columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    pub id: u16,
    pub author: u16,
    pub email: u16,
    pub summary: u16,
    pub path: u16,
}

impl Widths {
    /// The width of a text column.
    pub fn width_mut(&mut self, column: Column) -> Option<&mut u16> {
        match column {
            Column::Id => Some(&mut self.id),
            Column::Author => Some(&mut self.author),
            Column::Email => Some(&mut self.email),
            Column::Summary => Some(&mut self.summary),
            Column::Path => Some(&mut self.path),
            Column::Date
            | Column::OriginalLine
            | Column::Release
            | Column::Request
            | Column::Origin
            | Column::Agent
            | Column::Change
            | Column::Line => None,
        }
    }
}

/// An order of all columns that starts with the shown ones. A line number next to the code stays
/// there when further columns are shown.
pub fn order(shown: &[Column]) -> Vec<(Column, bool)> {
    let (before, last) = match shown.split_last() {
        Some((Column::Line, before)) => (before, &[Column::Line][..]),
        _ => (shown, &[][..]),
    };
    let columns = Column::ALL.iter().map(|(_, column)| column);
    let hidden = columns.filter(|column| !shown.contains(column));
    before
        .iter()
        .map(|&column| (column, true))
        .chain(hidden.map(|&column| (column, false)))
        .chain(last.iter().map(|&column| (column, true)))
        .collect()
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            order: order(&[Column::Id, Column::Author, Column::Date, Column::Line]),
            auto_summary: true,
            date: DateFormat::default(),
            share: DEFAULT_SHARE,
            widths: Widths {
                id: 8,
                author: AUTHOR_WIDTH,
                email: 30,
                summary: 50,
                path: 30,
            },
        }
    }
}

/// The possible widths of one column.
#[derive(Debug, Clone, Copy)]
struct WidthRange {
    column: Column,
    normal: u16,
    wide: u16,
    configured: u16,
    /// The width so far, at first the smallest one.
    width: u16,
}

impl Columns {
    /// Lays out the columns on a screen of `width` columns for a file of `lines` lines, of which the
    /// longest has `longest` columns.
    ///
    /// Together they take at most their share, or what the longest line leaves free if the share was
    /// not made smaller. If their smallest widths do not fit, columns are dropped by priority. The
    /// remaining width is distributed by priority: first until each has its normal width, then its
    /// wide width, then, within the share, its configured width.
    pub fn fit(&self, width: u16, lines: u32, longest: u16) -> Gutter {
        let share = match width {
            0..NARROW_WIDTH if self.share >= NARROW_SHARE - 10 => self.share.max(NARROW_SHARE),
            _ if self.adds_summary(width) && self.share == DEFAULT_SHARE => SHARE_WITH_SUMMARY,
            _ => self.share,
        };
        let most = u32::from(width) * u32::from(share) / 100;
        let most = u16::try_from(most).unwrap_or(width);
        let most = most.min(width.saturating_sub(MIN_CODE_WIDTH));
        let free = width.saturating_sub(longest.max(MIN_CODE_WIDTH).saturating_add(CODE_MARGIN));
        let beyond_share = match self.share {
            DEFAULT_SHARE.. => free.saturating_sub(most),
            _ => 0,
        };
        let most = most + beyond_share;
        let mut kept: Vec<WidthRange> = Column::PRIORITY
            .iter()
            .filter(|&&column| self.shows(column, width))
            .map(|&column| self.width_range(column, lines, self.adds_summary(width)))
            .collect();
        let gutter = |kept: &[WidthRange]| {
            let width = |(column, _): &(Column, bool)| {
                let found = kept.iter().find(|range| range.column == *column);
                found.map(|range| (*column, range.width))
            };
            let columns = self.order.iter().filter_map(width).collect();
            Gutter { columns }
        };
        while !kept.is_empty() && gutter(&kept).width() > most {
            let mut order = Column::KEPT.iter().rev();
            let dropped = order.find(|&&column| kept.iter().any(|range| range.column == column));
            kept.retain(|range| Some(&range.column) != dropped);
        }
        for id in kept.iter_mut().filter(|range| range.column == Column::Id) {
            id.width = id.width.min(SHORT_ID_WIDTH);
        }
        let mut spare = most.saturating_sub(gutter(&kept).width());
        let wanted = |range: &WidthRange| {
            let first = match range.column {
                Column::Author => range.normal.min(SHORT_AUTHOR_WIDTH),
                _ => range.width,
            };
            [first, range.normal, range.wide, range.configured]
        };
        for round in 0..4 {
            if round == 3 {
                spare = spare.saturating_sub(beyond_share);
            }
            for range in &mut kept {
                let wanted = wanted(range)[round];
                let most = wanted.min(range.width.saturating_add(spare));
                let wider = self.widest(range.column, most).max(range.width);
                spare -= wider - range.width;
                range.width = wider;
                // Stop here: otherwise a later column would shrink again on a wider screen.
                if wider < wanted {
                    spare = 0;
                }
            }
        }
        gutter(&kept)
    }

    /// True if the summary is shown without being asked for.
    fn adds_summary(&self, width: u16) -> bool {
        let asked = self.order.contains(&(Column::Summary, true));
        self.auto_summary && !asked && width >= MIN_WIDTH_FOR_SUMMARY
    }

    /// True if a column is wanted on a screen of `width` columns.
    pub fn shows(&self, column: Column, width: u16) -> bool {
        self.order.contains(&(column, true))
            || column == Column::Summary && self.adds_summary(width)
    }

    /// Shows or hides a column.
    pub fn show(&mut self, column: Column, shown: bool) {
        let found = self.order.iter_mut().find(|(other, _)| *other == column);
        if let Some((_, is_shown)) = found {
            *is_shown = shown;
        }
    }

    /// Shows a column in place of another one, if that is shown.
    pub fn show_in_place(&mut self, column: Column, hidden: Column) {
        let place = |order: &[(Column, bool)], wanted| {
            order.iter().position(|(column, _)| *column == wanted)
        };
        let Some(to) = place(&self.order, hidden) else {
            return;
        };
        if let (true, Some(from)) = (self.order[to].1, place(&self.order, column)) {
            self.order.swap(from, to);
            self.show(column, true);
            self.show(hidden, false);
        }
    }

    /// Makes the columns that are wanted on a screen of `width` columns the chosen ones.
    pub fn choose_shown(&mut self, width: u16) {
        if self.adds_summary(width) {
            let summary = self
                .order
                .iter_mut()
                .find(|(column, _)| *column == Column::Summary);
            if let Some((_, shown)) = summary {
                *shown = true;
            }
        }
        self.auto_summary = false;
    }

    fn width_range(&self, column: Column, lines: u32, adds_summary: bool) -> WidthRange {
        let mut widths = self.widths;
        if adds_summary && widths.author == AUTHOR_WIDTH {
            widths.author = AUTHOR_WIDTH_WITH_SUMMARY;
        }
        let digits = u16::try_from(lines.max(1).ilog10() + 1).unwrap_or(10);
        let (min, normal, configured) = match column {
            // Names become whole before ids become longer.
            Column::Id => (7, SHORT_ID_WIDTH, widths.id),
            Column::Author if adds_summary => (6, 16, widths.author),
            Column::Author => (6, 12, widths.author),
            Column::Email => (8, 16, widths.email),
            Column::Summary if adds_summary => (10, 32, widths.summary),
            Column::Summary => (10, 20, widths.summary),
            Column::Path => (8, 16, widths.path),
            Column::Release => (6, 8, 14),
            Column::Request => (6, 7, 7),
            Column::Origin => (8, 10, 20),
            Column::Agent => (6, 8, 14),
            Column::Change => (7, 8, 8),
            Column::Line => (digits.max(3), 0, digits.max(3)),
            // Line numbers of older versions may be longer.
            Column::OriginalLine => (digits.max(5), 0, digits.max(5)),
            Column::Date => {
                let widths = self.date.widths();
                (
                    widths[0],
                    self.date.normal_width(),
                    widths[widths.len() - 1],
                )
            }
        };
        // A narrow configured width is respected.
        let chosen = widths.width_mut(column).is_some();
        let narrow = |width: u16| if chosen { width.min(configured) } else { width };
        WidthRange {
            column,
            normal: narrow(normal),
            wide: narrow(match column {
                Column::Author => 20,
                Column::Email | Column::Path => 24,
                Column::Summary => 40,
                _ => configured,
            }),
            configured,
            width: narrow(min),
        }
    }

    /// The largest possible width of a column up to `most`.
    fn widest(&self, column: Column, most: u16) -> u16 {
        match column {
            Column::Date => {
                let fitting = self
                    .date
                    .widths()
                    .iter()
                    .rev()
                    .find(|&&width| width <= most);
                fitting.copied().unwrap_or(0)
            }
            _ => most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(columns: &Columns, width: u16) -> String {
        let gutter = columns.fit(width, 500, u16::MAX);
        let columns = gutter.columns.iter();
        let names: Vec<String> = columns
            .map(|(column, width)| format!("{} {width}", column.name()))
            .collect();
        names.join(", ")
    }

    fn everything() -> Columns {
        Columns {
            order: Column::ALL.map(|(_, column)| (column, true)).to_vec(),
            ..Columns::default()
        }
    }

    #[test]
    fn columns_are_dropped_by_priority() {
        let columns = Columns::default();
        let at = |width| shown(&columns, width);
        assert_eq!(at(20), "");
        assert_eq!(at(30), "date 4, line 3");
        assert_eq!(at(40), "author 7, date 4, line 3");
        assert_eq!(at(60), "author 11, date 4, line 3");
        assert_eq!(at(80), "id 6, author 12, date 4, line 3");
        assert_eq!(at(100), "id 8, author 12, date 10, line 3");
        assert_eq!(at(120), "id 8, author 20, date 10, line 3");
        assert_eq!(at(139), "id 8, author 27, date 10, line 3");
        assert_eq!(at(140), "id 8, author 16, date 4, summary 32, line 3");
        assert_eq!(at(160), "id 8, author 20, date 10, summary 35, line 3");
        assert_eq!(at(200), "id 8, author 24, date 10, summary 50, line 3");
        assert_eq!(at(300), at(200));
        let chosen = Columns {
            auto_summary: false,
            ..Columns::default()
        };
        assert_eq!(shown(&chosen, 160), "id 8, author 30, date 10, line 3");
        let columns = everything();
        let mut kept: Vec<Column> = Column::ALL.map(|(_, column)| column).to_vec();
        for width in (10..300).rev() {
            let gutter = columns.fit(width, 500, u16::MAX);
            for &gone in kept.iter().filter(|&&column| gutter.width_of(column) == 0) {
                let last = Column::KEPT
                    .iter()
                    .rev()
                    .find(|column| kept.contains(column));
                // Several may be dropped at once; those that stay have a higher priority.
                let place = |column| Column::KEPT.iter().position(|&other| other == column);
                let stays = gutter
                    .columns
                    .iter()
                    .map(|&(column, _)| place(column))
                    .max();
                assert!(stays.flatten() < place(gone) && last.is_some());
            }
            kept.retain(|&column| gutter.width_of(column) > 0);
        }
        assert!(kept.is_empty());
    }

    #[test]
    fn the_code_keeps_its_smallest_width() {
        let mut columns = everything();
        for date in DateFormat::ALL {
            for share in [10, 40, 80] {
                (columns.date, columns.share) = (date.1, share);
                for width in 20..300 {
                    let gutter = columns.fit(width, 5_000_000, u16::MAX).width();
                    let share = match (share, width) {
                        (40, ..NARROW_WIDTH) => NARROW_SHARE,
                        _ => share,
                    };
                    assert!(
                        gutter <= (width * share / 100).max(1),
                        "{gutter} of {width}"
                    );
                    assert!(width - gutter >= 18, "{gutter} of {width}");
                }
            }
        }
    }

    #[test]
    fn columns_take_what_the_longest_line_leaves_free() {
        let mut columns = Columns::default();
        let widths = |columns: &Columns, width, longest| {
            let gutter = columns.fit(width, 500, longest);
            let width_of = |column| gutter.width_of(column);
            [Column::Id, Column::Author, Column::Date].map(width_of)
        };
        assert_eq!(widths(&columns, 80, 48), [6, 12, 4]);
        assert_eq!(widths(&columns, 80, 43), [8, 12, 4]);
        assert_eq!(widths(&columns, 80, 33), [8, 17, 10]);
        assert_eq!(widths(&columns, 80, 5), [8, 20, 10]);
        assert_eq!(widths(&columns, 60, 20), [8, 12, 4]);
        let mut grown = 0;
        for date in DateFormat::ALL {
            for (share, width) in [30, 40, 60]
                .into_iter()
                .flat_map(|it| (20..250).step_by(9).map(move |w| (it, w)))
            {
                (columns.date, columns.share) = (date.1, share);
                let least = columns.fit(width, 500, u16::MAX);
                let mut last = least.clone();
                for longest in (0..width).rev() {
                    let gutter = columns.fit(width, 500, longest);
                    if gutter != least {
                        assert!(share >= 40 && gutter.width() + longest + 2 <= width);
                        grown += 1;
                    }
                    // A column that comes back takes room from others.
                    let is_wider =
                        |(column, width): &(Column, u16)| gutter.width_of(*column) >= *width;
                    let has_more = gutter.columns.len() > last.columns.len();
                    assert!(
                        has_more || last.columns.iter().all(is_wider),
                        "{last:?} {gutter:?}"
                    );
                    last = gutter;
                }
            }
        }
        assert!(grown > 1000);
        columns.share = 39;
        assert_eq!(columns.fit(80, 500, 5), columns.fit(80, 500, u16::MAX));
    }

    #[test]
    fn short_names_are_whole_before_dates_are() {
        for date in [DateFormat::Short, DateFormat::Iso] {
            let columns = Columns {
                date,
                ..Columns::default()
            };
            assert_eq!(shown(&columns, 80), "id 6, author 8, date 7, line 3");
        }
    }

    #[test]
    fn configured_widths_are_respected() {
        let mut columns = Columns::default();
        columns.widths.author = 3;
        columns.widths.id = 40;
        columns.date = DateFormat::Iso;
        columns.auto_summary = false;
        assert_eq!(shown(&columns, 200), "id 40, author 3, date 16, line 3");
        assert_eq!(shown(&columns, 80), "id 9, author 3, date 10, line 3");
    }

    #[test]
    fn positions_are_mapped_to_columns() {
        let gutter = Columns::default().fit(80, 500, u16::MAX);
        assert_eq!(gutter.column_at(0), Some(Column::Id));
        assert_eq!(gutter.column_at(5), Some(Column::Id));
        assert_eq!(gutter.column_at(6), None);
        assert_eq!(gutter.column_at(7), Some(Column::Author));
        assert_eq!(gutter.column_at(70), None);
    }
}
