//! Rows for people, one for each: the number of lines, their share, the days of the first and the last commit by the
//! clocks of their authors, a bar for each year, name and address.

use crate::{
    dates::moment::Moment,
    output::{
        buffer::OutputBuffer,
        color::BOLD,
        list_row::{FittedRow, ListStyle},
        people::year_bars::YearBars,
    },
    repository::commits::{line_counts::LineCounts, people},
    sanitize,
};

/// Room for the bars of the years, in columns.
const YEARS_WIDTH: usize = 30;

/// The same on narrow terminals.
const NARROW_YEARS_WIDTH: usize = 12;

/// Writes the people who wrote lines.
pub(crate) fn push_people(out: &mut OutputBuffer<'_>, counts: &LineCounts, style: &ListStyle) {
    let people = counts.people();
    let room = if style.is_narrow() {
        NARROW_YEARS_WIDTH
    } else {
        YEARS_WIDTH
    };
    let years = YearBars::new(people.iter().map(|person| &person.years), room);
    if !people.is_empty() {
        let (lines, share, first, last) = ("lines", "", "first", "last");
        let bars = ListStyle::head_of_bars(years);
        let head = format!("{lines:>7} {share:>4} {first:10} {last:10} {bars} name");
        style.push_head(out, head);
    }
    for person in &people {
        let mut row = FittedRow::default();
        let share = people::share(person.lines.into(), counts.lines());
        let (first, last) = person.dates;
        let lines = person.lines;
        row.add(format!("{lines:>7} {share:>4} "), b"");
        let has_dates = style.terminal.is_none() || !person.is_uncommitted();
        for date in [first, last] {
            let age = u64::try_from(date.time).unwrap_or(0);
            let day = if has_dates { day(date) } else { no_day() };
            row.add(day + " ", style.of_age(age));
        }
        row.add(style.bars(years, &person.years) + " ", b"");
        row.add(sanitize::line(person.shown_name()), style.color(BOLD));
        if !person.mail.is_empty() {
            row.add(format!(" <{}>", sanitize::line(&person.mail)), b"");
        }
        row.push(out, style);
    }
}

fn day(date: Moment) -> String {
    let day = date.format("%Y-%m-%d");
    day.unwrap_or_else(no_day)
}

fn no_day() -> String {
    " ".repeat(10)
}
