//! The people who wrote lines: authors, and co-authors by the trailers of commits.

use std::{cmp::Reverse, collections::BTreeMap};

use bstr::{BStr, BString};
use jiff::{Timestamp, tz::Offset};
use rustc_hash::FxHashMap;

/// What tells people apart: the mail address, or the name where there is none, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PersonKey(BString);

impl PersonKey {
    fn new(name: &[u8], mail: &[u8]) -> PersonKey {
        let key = if mail.is_empty() { name } else { mail };
        PersonKey(key.to_ascii_lowercase().into())
    }
}

/// Who made a commit, and when. Names and addresses are those after the mailmap; addresses have no angle brackets.
#[derive(Debug, Clone, Copy)]
pub struct CommitPeople<'a> {
    /// The author's name.
    pub name: &'a BStr,
    /// The author's address; empty if there is none.
    pub mail: &'a BStr,
    /// Names and addresses of the co-authors.
    pub co_authors: &'a [(BString, BString)],
    /// The author date in seconds since the epoch.
    pub time: i64,
    /// Its time zone, in seconds ahead of UTC.
    pub offset: i32,
}

/// The name, the address and the key of a person.
type Participant<'a> = (&'a BStr, &'a BStr, PersonKey);

impl<'a> CommitPeople<'a> {
    /// The author and the co-authors, each once.
    fn participants(&self) -> Vec<Participant<'a>> {
        let mut found: Vec<Participant<'a>> = Vec::new();
        let others = self.co_authors.iter();
        let others = others.map(|(name, mail)| (name.as_ref(), mail.as_ref()));
        for (name, mail) in [(self.name, self.mail)].into_iter().chain(others) {
            let key = PersonKey::new(name, mail);
            if found.iter().all(|(.., other)| *other != key) {
                found.push((name, mail, key));
            }
        }
        found
    }

    /// Whether a person is the author or a co-author.
    pub fn have(&self, key: &PersonKey) -> bool {
        self.participants().iter().any(|(.., other)| other == key)
    }

    /// The number of co-authors.
    pub fn count_co_authors(&self) -> usize {
        self.participants().len() - 1
    }

    /// The year of the author date, in its time zone; 0 if the date is out of the calendar's range.
    fn year(&self) -> i32 {
        let offset = Offset::from_seconds(self.offset).unwrap_or(Offset::UTC);
        let time = Timestamp::from_second(self.time);
        time.map_or(0, |time| offset.to_datetime(time).year().into())
    }
}

/// An author or co-author of lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What tells this person apart.
    pub key: PersonKey,
    /// The name in the newest of the commits.
    pub name: BString,
    /// The address there, without angle brackets; empty if there is none.
    pub mail: BString,
    /// The number of lines in whose commits this person took part.
    pub lines: u32,
    /// The author dates of the oldest and of the newest of these commits, in seconds since the epoch.
    pub dates: (i64, i64),
    /// The numbers of lines by year.
    pub years: BTreeMap<i32, u32>,
}

/// The people of commits, each with its number of lines, by falling number of lines. A line of a commit with co-authors counts
/// for each of them.
pub fn people<'a>(commits: impl Iterator<Item = (CommitPeople<'a>, u32)>) -> Vec<Person> {
    let mut people: FxHashMap<PersonKey, Person> = FxHashMap::default();
    for (commit, lines) in commits.filter(|(_, lines)| *lines > 0) {
        let (time, year) = (commit.time, commit.year());
        for (name, mail, key) in commit.participants() {
            let person = people.entry(key.clone()).or_insert_with(|| Person {
                key,
                name: name.to_owned(),
                mail: mail.to_owned(),
                lines: 0,
                dates: (time, time),
                years: BTreeMap::new(),
            });
            if time > person.dates.1 {
                person.name = name.to_owned();
                person.mail = mail.to_owned();
            }
            person.lines = person.lines.saturating_add(lines);
            person.dates = (person.dates.0.min(time), person.dates.1.max(time));
            let count = person.years.entry(year).or_default();
            *count = count.saturating_add(lines);
        }
    }
    let mut people: Vec<Person> = people.into_values().collect();
    people.sort_by(|a, b| (Reverse(a.lines), &a.key).cmp(&(Reverse(b.lines), &b.key)));
    people
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;
    use crate::repository::commits::trailers;

    #[test]
    fn lines_count_for_authors_and_co_authors() {
        let together = b"S\n\nCo-authored-by: Bo <BO@x.org>\nco-authored-by: Ann <ann@x.org>\nCo-authored-by: Cy\n";
        let together = trailers::co_authors(together);
        let commit = |name: &'static str, mail: &'static str, time: i64| CommitPeople {
            name: name.into(),
            mail: mail.into(),
            co_authors: &[],
            time,
            offset: 0,
        };
        let first = CommitPeople {
            co_authors: &together,
            ..commit("Ann", "ann@x.org", 1_000_000_000)
        };
        let commits = [
            (first, 10),
            (commit("Bob", "bo@x.org", 1_500_000_000), 3),
            (commit("Ann L", "Ann@x.org", 1_600_000_000), 1),
            (commit("Dot", "d@x.org", 1), 0),
        ];
        let people = people(commits.into_iter());
        let facts: Vec<_> = people
            .iter()
            .map(|it| (it.name.to_str_lossy(), it.lines, it.dates))
            .collect();
        assert_eq!(
            facts,
            [
                ("Bob".into(), 13, (1_000_000_000, 1_500_000_000)),
                ("Ann L".into(), 11, (1_000_000_000, 1_600_000_000)),
                ("Cy".into(), 10, (1_000_000_000, 1_000_000_000)),
            ]
        );
        assert_eq!(people[0].years, BTreeMap::from([(2001, 10), (2017, 3)]));
        assert_eq!(people[1].mail, "Ann@x.org");
        assert_eq!(first.count_co_authors(), 2);
        assert_eq!(commits[1].0.count_co_authors(), 0);
        assert!(first.have(&people[2].key));
        assert!(!commits[1].0.have(&people[2].key));
    }

    #[test]
    fn the_year_is_that_of_the_time_zone() {
        let new_year = 1_577_836_800;
        let year = |time, offset| {
            let commit = CommitPeople {
                name: "A".into(),
                mail: "a@x.org".into(),
                co_authors: &[],
                time,
                offset,
            };
            commit.year()
        };
        assert_eq!(year(new_year, 0), 2020);
        assert_eq!(year(new_year, -3600), 2019);
        assert_eq!(year(new_year - 1, 3600), 2020);
        assert_eq!(year(i64::MAX, 0), 0);
    }
}
