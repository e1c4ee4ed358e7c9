//! Rows for people: one line for each person.

use std::sync::Arc;

use crate::{
    engine::{Entry, Origin},
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        people::{line_counts::LineCounts, year_bars::YearBars},
        stream::EntryFormat,
    },
    repository::commits::people::Person,
    sanitize,
};

/// Room for the bars of the years, in columns.
const YEARS_WIDTH: usize = 30;

/// The format of `--people` for people: the number of lines, their share, the days of the first and the last commit in UTC,
/// a bar for each year, name and address.
#[derive(Debug)]
pub struct PeopleRows<'a, C> {
    commits: &'a mut C,
    counts: LineCounts,
}

impl<'a, C: CommitProvider> PeopleRows<'a, C> {
    /// Creates the format; commit metadata come from `commits`.
    pub fn new(commits: &'a mut C) -> Self {
        PeopleRows {
            commits,
            counts: LineCounts::default(),
        }
    }
}

impl<C: CommitProvider> EntryFormat for PeopleRows<'_, C> {
    fn started(&mut self, _: &Arc<[u8]>) {}

    fn write(
        &mut self,
        _: &mut OutputBuffer<'_>,
        entry: &Entry,
        origins: &[Origin],
        _: bool,
    ) -> Result<(), OutputError> {
        self.counts.add(self.commits, entry, origins)
    }

    fn end(&mut self, out: &mut OutputBuffer<'_>) {
        let people = self.counts.people();
        let years = YearBars::new(&people, YEARS_WIDTH);
        for person in &people {
            let row = row(person, self.counts.lines(), &years.of(person));
            out.bytes(row.as_bytes());
        }
    }
}

fn row(person: &Person, total: u64, years: &str) -> String {
    let share = u64::from(person.lines) * 100 / total.max(1);
    let (first, last) = (day(person.dates.0), day(person.dates.1));
    let name = sanitize::line(&person.name);
    let mail = match person.mail.is_empty() {
        true => String::new(),
        false => format!(" <{}>", sanitize::line(&person.mail)),
    };
    let lines = person.lines;
    format!("{lines:>7} {share:>3}% {first} {last} {years} {name}{mail}\n")
}

/// The day of a time in UTC.
fn day(time: i64) -> String {
    let time = jiff::Timestamp::from_second(time);
    time.map_or_else(
        |_| "          ".to_owned(),
        |time| time.strftime("%Y-%m-%d").to_string(),
    )
}
