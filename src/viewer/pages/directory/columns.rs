//! The columns of a directory: which are shown, and how wide they are.

use crate::{
    output::{people::year_bars::YearBars, tree::node_order::NodeOrder},
    viewer::{
        model::relative_dates::DateFormat,
        pages::{commit_row::author_columns_of, directory::listing::Listing},
    },
};

/// The least columns for long dates and for names of authors: those of a screen of 60, without a
/// scrollbar and the blank before it.
const WIDE: usize = 58;
/// The least columns for the lines beside the last change, likewise.
const MIN_FOR_BOTH: usize = 98;
/// The least width of names where there is room, which is that of the title.
const MIN_NAME: usize = 4;
/// The width of numbers of lines.
const LINES_COLUMNS: usize = 9;
/// The width of shares.
const SHARE_COLUMNS: usize = 5;
/// The width of ages.
const AGE_COLUMNS: usize = 10;
/// The most bars of years, by the least columns of the row.
const BARS: [(usize, usize); 3] = [(178, 30), (138, 24), (0, 12)];
/// The fewest columns of years that are still named.
const MIN_BARS: usize = 5;
/// The least and the greatest width of people.
const PEOPLE_COLUMNS: [usize; 2] = [13, 48];
/// The columns that a summary keeps before there are bars, ages, or people.
const SUMMARY_COLUMNS: [usize; 3] = [20, 20, 36];

/// The least width of summaries, in which with the author there are the words for an unknown change.
const MIN_SUMMARY: usize = 14;

/// Which columns are wanted beside the name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ShownColumns {
    /// As many as there is room for.
    #[default]
    All,
    /// The last change.
    Change,
    /// The lines.
    Lines,
}

impl ShownColumns {
    /// The next choice.
    pub(super) fn next(self) -> ShownColumns {
        match self {
            ShownColumns::All => ShownColumns::Change,
            ShownColumns::Change => ShownColumns::Lines,
            ShownColumns::Lines => ShownColumns::All,
        }
    }
}

/// The widths of the columns, without the blank before each; 0 for those that are not shown. They
/// depend on the names, the screen and the years, not on what is found in rows, so that nothing moves.
/// Only once all last changes are found, names get what these leave.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowLayout {
    pub(super) name: usize,
    pub(super) date: usize,
    pub(super) author: usize,
    /// The rest of the last change.
    pub(super) summary: usize,
    pub(super) lines: usize,
    /// The share of the lines that the filter has.
    pub(super) share: usize,
    pub(super) bars: usize,
    pub(super) age: usize,
    pub(super) people: usize,
}

impl RowLayout {
    /// For rows of `width` columns, of which the first is that of the mark. `is_filtered` if a filter
    /// holds, whose lines need not be counted yet.
    pub(super) fn new(
        listing: &Listing,
        shown: ShownColumns,
        dates: DateFormat,
        is_filtered: bool,
        width: usize,
    ) -> RowLayout {
        let is_filtered = is_filtered || listing.lines.are_filtered();
        let is_by_lines = is_filtered || matches!(listing.by, NodeOrder::Lines | NodeOrder::Age);
        let (has_change, has_lines) = match shown {
            _ if listing.lines.failure().is_some() => (true, false),
            ShownColumns::All if width >= MIN_FOR_BOTH => (true, true),
            ShownColumns::All => (!is_by_lines, is_by_lines),
            ShownColumns::Change => (true, false),
            ShownColumns::Lines => (false, true),
        };
        let most = match has_change && has_lines {
            true => width / 4,
            false if width >= WIDE => width / 3,
            false => width / 2,
        };
        let mut layout = RowLayout {
            name: listing.name_width.max(MIN_NAME).min(most).max(1),
            ..RowLayout::default()
        };
        // The mark and a blank before the name, and another one after it.
        let mut room = Room(width.saturating_sub(layout.name + 3));
        let spare = SUMMARY_COLUMNS.map(|columns| if has_change { columns } else { 0 });
        if has_change {
            layout.date = room.take(date_columns(dates, width >= WIDE), 0);
            let author = match width {
                ..WIDE => 0,
                // Beside the lines, there is less room.
                _ if has_lines => author_columns_of(listing.longest_author, width / 2),
                _ => author_columns_of(listing.longest_author, width - layout.name),
            };
            layout.author = room.take(author, 0);
        }
        if has_lines {
            layout.lines = room.take(LINES_COLUMNS, 0);
            let share = if is_filtered { SHARE_COLUMNS } else { 0 };
            layout.share = room.take(share, spare[0]);
            let bars = BARS.iter().find(|(least, _)| width >= *least);
            let bars = bars.map_or(0, |(_, bars)| *bars);
            // Nothing stands in these columns until the years are known.
            let years = listing.lines.years_of_bars();
            let bars = years.map_or(bars, |_| YearBars::between(years, bars).width());
            let [least, most] = PEOPLE_COLUMNS;
            // Years share columns before those who wrote most are left out.
            let left = room.0.saturating_sub(AGE_COLUMNS + least + 3);
            let bars = if has_change || left < MIN_BARS {
                bars
            } else {
                bars.min(left)
            };
            layout.bars = room.take(bars, spare[0]);
            layout.age = room.take(AGE_COLUMNS, spare[1]);
            let people = room.0.saturating_sub(spare[2] + 1).clamp(least, most);
            layout.people = room.take(people, spare[2]);
        }
        let rest = room.0;
        if has_change {
            let most = listing.summary_width.unwrap_or(usize::MAX);
            layout.summary = rest.saturating_sub(1).min(most.max(MIN_SUMMARY));
        }
        let used = if has_change { layout.summary + 1 } else { 0 };
        layout.name = listing
            .name_width
            .max(layout.name)
            .min(layout.name + rest.saturating_sub(used));
        layout
    }

    /// What is shown, for a message.
    pub(super) fn words(&self) -> &'static str {
        match (self.date > 0, self.lines > 0) {
            (true, true) => "columns: the last change and the lines",
            (false, true) => "columns: the lines",
            _ => "columns: the last change",
        }
    }

    /// The width of the last change, of all its columns; 0 if it is not shown.
    pub(super) fn change(&self) -> usize {
        match self.date {
            0 => 0,
            date if self.author > 0 => date + self.author + self.summary + 2,
            date => date + self.summary + 1,
        }
    }
}

/// The columns that are left.
struct Room(usize);

impl Room {
    /// Takes a column and a blank before it, if at least `spare` are left. Returns its width.
    fn take(&mut self, width: usize, spare: usize) -> usize {
        if width == 0 || self.0 < width + 1 + spare {
            return 0;
        }
        self.0 -= width + 1;
        width
    }
}

/// The width of dates.
fn date_columns(dates: DateFormat, is_wide: bool) -> usize {
    match dates {
        DateFormat::Relative if is_wide => 10,
        DateFormat::Relative | DateFormat::Age => 4,
        DateFormat::Iso if is_wide => 16,
        DateFormat::Short | DateFormat::Iso => 10,
    }
}
