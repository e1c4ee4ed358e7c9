//! Rows for people, one for each: the number of lines, their share, the days of the first and the last commit by the
//! clocks of their authors, a bar for each year, name and address.

use crate::{
    dates::moment::Moment,
    output::{buffer::OutputBuffer, people::year_bars::YearBars},
    repository::commits::{
        line_counts::LineCounts,
        people::{self, Person},
    },
    sanitize,
};

/// Room for the bars of the years, in columns.
const YEARS_WIDTH: usize = 30;

/// Writes the people who wrote lines.
pub(crate) fn push_people(out: &mut OutputBuffer<'_>, counts: &LineCounts) {
    let people = counts.people();
    let years = YearBars::new(people.iter().map(|person| &person.years), YEARS_WIDTH);
    for person in &people {
        let row = row(person, counts.lines(), &years.bars(&person.years));
        out.bytes(row.as_bytes());
    }
}

fn row(person: &Person, total: u64, years: &str) -> String {
    let share = people::share(person.lines.into(), total);
    let (first, last) = (day(person.dates.0), day(person.dates.1));
    let name = sanitize::line(person.shown_name());
    let mail = if person.mail.is_empty() {
        String::new()
    } else {
        format!(" <{}>", sanitize::line(&person.mail))
    };
    let lines = person.lines;
    format!("{lines:>7} {share:>4} {first} {last} {years} {name}{mail}\n")
}

fn day(date: Moment) -> String {
    let day = date.format("%Y-%m-%d");
    day.unwrap_or_else(|| " ".repeat(10))
}
