//! The parts that rows of commits have in common.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    dates::calendar::{DAY, days_from_civil},
    objects::ObjectId,
    output::people::year_bars::YearBars,
    sanitize,
    viewer::{
        model::{
            abbreviation::short,
            background::{directory_lines::AgeSpan, line_history::HistoryProgress},
            relative_dates,
            source::{CommitMetadata, Failure, Signature},
        },
        pages::list::{KeyHelp, ListRow},
        theme::{roles::Foreground, tint},
    },
};

/// Stands before the name of what is not as in HEAD.
pub(crate) const UNCOMMITTED_MARK: &str = "*";

/// The keys that the lists of commits with a change beside them have in common.
pub(crate) const WHOLE_COMMIT_HELP: KeyHelp =
    ("{commit-diff}", "whole commit: the diff of all its files");
pub(crate) const SCROLL_HELP: KeyHelp =
    ("{scroll-down}  {scroll-up}", "scroll the change by a row");
pub(crate) const SCROLL_HALF_HELP: KeyHelp = (
    "{next-filtered}  {previous-filtered}",
    "scroll it by half a screen",
);
pub(crate) const COPY_ID_HELP: KeyHelp = ("{copy-id}", "copy the id of the commit");
pub(crate) const BROWSE_HELP: KeyHelp = ("{browse}", "open the commit in the browser");

/// The help for it.
pub(crate) const UNCOMMITTED_HELP: KeyHelp = (
    "“*”",
    "not as in HEAD: the last change is that of HEAD, and new lines are uncommitted",
);

/// Stands before the name of what a sparse checkout leaves out.
pub(crate) const LEFT_OUT_MARK: &str = "-";

/// The help for it.
pub(crate) const LEFT_OUT_HELP: KeyHelp = (
    "“-”",
    "not checked out: a sparse checkout leaves it out, so that it is as in the index",
);

/// The widths of a date and of authors, in columns.
pub(crate) const DATE_COLUMNS: usize = 10;
const AUTHOR_COLUMNS: usize = 16;
/// The greatest width of authors, where there is room for long names.
const MAX_AUTHOR_COLUMNS: usize = 24;
/// The columns that the text behind keeps.
const MIN_TEXT: usize = 60;
/// The least columns of a row for authors.
const MIN_FOR_AUTHORS: usize = 61;

/// The columns of authors in a row of a width, where the longest name has a width. Names longer than
/// usual are whole as far as date and text have room beside them. The width is that without other columns.
pub(crate) fn author_columns_of(longest: usize, width: usize) -> usize {
    let most = width.saturating_sub(DATE_COLUMNS + MIN_TEXT + 2);
    longest.clamp(
        AUTHOR_COLUMNS,
        most.clamp(AUTHOR_COLUMNS, MAX_AUTHOR_COLUMNS),
    )
}

/// The columns of a date and an author, of whom the longest name has a width, in a row of a width in which
/// others take some; of a date alone where there is no room.
pub(crate) fn change_columns(longest: usize, width: usize, others: usize) -> usize {
    if width < MIN_FOR_AUTHORS {
        DATE_COLUMNS
    } else {
        DATE_COLUMNS + 1 + author_columns_of(longest, width.saturating_sub(others))
    }
}

/// The width of the longest name of the authors of commits that can be read.
pub(crate) fn longest_author<'a>(
    commits: impl Iterator<Item = &'a Result<Arc<CommitMetadata>, Failure>>,
) -> usize {
    let names = commits.filter_map(|metadata| Some(&metadata.as_ref().ok()?.author.name));
    names.map(|name| sanitize::width(name)).max().unwrap_or(0)
}

/// What stands before a name in the work tree.
pub(crate) fn work_tree_mark(is_uncommitted: bool, is_left_out: bool) -> &'static str {
    match (is_uncommitted, is_left_out) {
        (true, _) => UNCOMMITTED_MARK,
        (_, true) => LEFT_OUT_MARK,
        _ => " ",
    }
}

/// Why the last change of an entry or file is not known.
pub(crate) fn unknown_change(is_committed: bool, is_boundary: bool) -> &'static str {
    match (is_committed, is_boundary) {
        (false, _) => "this is not committed yet",
        (_, true) => "its last commit may be older than this history",
        _ => "its last commit is not known",
    }
}

/// Adds the date and the author's name, in so many columns. What is uncommitted has no date.
pub(crate) fn author_within(
    row: ListRow,
    (id, metadata): (&ObjectId, &CommitMetadata),
    foreground: Foreground,
    columns: usize,
) -> ListRow {
    let author = &metadata.author;
    let date = if id.is_null() {
        " ".repeat(DATE_COLUMNS)
    } else {
        relative_dates::day(author.time, author.offset)
    };
    put_author(row, date, author, (foreground, columns))
}

fn put_author(
    row: ListRow,
    date: String,
    author: &Signature,
    (foreground, columns): (Foreground, usize),
) -> ListRow {
    let name = sanitize::clip(&author.name, columns);
    let missing = columns.saturating_sub(sanitize::width(name.as_bytes()));
    row.put(format!("{date} "), Foreground::Date)
        .put(name + &" ".repeat(missing), foreground)
}

/// As [`author_within`], in so many columns as [`change_columns`] says.
pub(crate) fn date_and_author(row: ListRow, metadata: &CommitMetadata, columns: usize) -> ListRow {
    let author = &metadata.author;
    let date = relative_dates::day(author.time, author.offset);
    match columns {
        DATE_COLUMNS => row.put(date, Foreground::Date),
        _ => put_author(
            row,
            date,
            author,
            (Foreground::Author, columns - DATE_COLUMNS - 1),
        ),
    }
}

/// Adds how many lines were written when, as bars in the colors of their ages.
pub(crate) fn year_bars(
    row: ListRow,
    bars: YearBars,
    lines: &BTreeMap<i32, u32>,
    (ages, now): (&AgeSpan, i64),
) -> ListRow {
    let symbols = bars.bars(lines);
    let symbols = symbols.chars().enumerate();
    symbols.fold(row, |row, (bar, symbol)| {
        row.put(symbol, Foreground::Age(bar_step(bars, bar, (ages, now))))
    })
}

/// The step of the color of a bar (0-based).
pub(crate) fn bar_step(bars: YearBars, bar: usize, (ages, now): (&AgeSpan, i64)) -> u8 {
    // The newest line that it can have, so that a year has one color wherever it ends a bar.
    let (_, last) = bars.years_at(bar);
    let end = days_from_civil(i64::from(last) + 1, 1, 1) * DAY - 1;
    tint::age_step(ages.age_up_to(end, now))
}

/// Adds a commit that cannot be read, and why.
pub(crate) fn unreadable(row: ListRow, commit: &ObjectId, failure: &Failure) -> ListRow {
    let failure = sanitize::line(failure.0.as_bytes());
    row.put(format!("{}  {failure}", short(commit)), Foreground::Text)
}

/// The line below the last commit, unless everything was found.
pub(crate) fn looking(progress: &HistoryProgress) -> Option<String> {
    Some(match progress {
        HistoryProgress::Running(None) => "looking…".to_owned(),
        HistoryProgress::Running(Some(date)) => {
            format!("looking before {}…", relative_dates::day(*date, 0))
        }
        HistoryProgress::Failed(failure) => sanitize::line(failure.0.as_bytes()),
        HistoryProgress::Finished(false) => "older history is not looked at".to_owned(),
        HistoryProgress::Finished(true) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::pages::list::Tone;

    #[test]
    fn names_are_whole_where_the_text_has_room() {
        let columns = |longest| [61, 80, 90, 120, 200].map(|it| author_columns_of(longest, it));
        assert_eq!(columns(3), [16; 5]);
        assert_eq!(columns(20), [16, 16, 18, 20, 20]);
        assert_eq!(columns(99), [16, 16, 18, 24, 24]);
        assert_eq!(change_columns(99, 60, 0), DATE_COLUMNS);
        assert_eq!(change_columns(99, 80, 20), DATE_COLUMNS + 1 + 16);
    }

    /// Steps of a year's color where it ends a bar, in any number of columns.
    #[test]
    fn a_year_has_one_color_at_all_widths() {
        let day = |year, month, day| days_from_civil(year, month, day) * DAY;
        let now = day(2026, 11, 28);
        let lines: BTreeMap<i32, u32> = (2006..=2026).map(|year| (year, 1)).collect();
        let mut compared = 0;
        for (newest, until, step) in [
            (None, None, tint::AGE_STEPS as u8 - 1),
            (Some(now), None, tint::AGE_STEPS as u8 - 1),
            // As lines of that day have.
            (Some(day(2026, 8, 28)), None, tint::age_step(92 * DAY)),
            (
                Some(day(2026, 8, 28)),
                Some(day(2026, 9, 1)),
                tint::AGE_STEPS as u8 - 1,
            ),
            // Clocks were wrong.
            (Some(day(2037, 1, 1)), None, tint::AGE_STEPS as u8 - 1),
        ] {
            let ages = AgeSpan { newest, until };
            let mut colors: BTreeMap<i32, Foreground> = BTreeMap::new();
            for columns in 1..=30 {
                let bars = YearBars::between(Some((2006, 2026)), columns);
                let row = year_bars(ListRow::new(" "), bars, &lines, (&ages, now));
                assert_eq!(row.pieces.len(), bars.count());
                for (bar, (_, tone)) in row.pieces.iter().enumerate() {
                    let (_, last) = bars.years_at(bar);
                    assert!(last <= 2026, "{last}");
                    let Tone::Text(color) = *tone else {
                        panic!("{tone:?}")
                    };
                    assert_eq!(*colors.entry(last).or_insert(color), color, "{last}");
                    compared += 1;
                }
            }
            assert_eq!(colors[&2026], Foreground::Age(step), "{ages:?}");
        }
        assert!(compared > 1000, "{compared}");
    }
}
