//! Rows for people: one line for each person.

use std::sync::Arc;

use crate::{
    dates::moment::Moment,
    engine::{Entry, Origin},
    objects::ObjectId,
    output::{
        buffer::OutputBuffer, commit_provider::CommitProvider, error::OutputError,
        people::year_bars::YearBars, stream::EntryFormat,
    },
    repository::commits::{
        line_counts::LineCounts,
        people::{self, Person},
    },
    sanitize,
};

/// Room for the bars of the years, in columns.
const YEARS_WIDTH: usize = 30;

/// The format of `--people` for people: the number of lines, their share, the days of the first and
/// the last commit by the clocks of their authors, a bar for each year, name and address.
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
        let authors = |id: &ObjectId| self.commits.authors(id);
        let added = self.counts.add(entry, origins, authors);
        added.map_err(OutputError::Commit)
    }

    fn end(&mut self, out: &mut OutputBuffer<'_>) {
        push_people(out, &self.counts);
    }
}

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
