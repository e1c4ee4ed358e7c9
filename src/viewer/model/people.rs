//! The people who wrote the lines of a file: authors, and co-authors by the trailers of commits.

use std::{cmp::Reverse, collections::BTreeMap};

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::viewer::model::{relative_dates, source::CommitMetadata};

/// What tells people apart: the mail address, or the name where there is none, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PersonKey(BString);

impl PersonKey {
    fn new(name: &[u8], mail: &[u8]) -> PersonKey {
        let key = if mail.is_empty() { name } else { mail };
        PersonKey(key.to_ascii_lowercase().into())
    }
}

/// An author or co-author of lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What tells this person apart.
    pub key: PersonKey,
    /// The name in the newest of the commits.
    pub name: BString,
    /// The number of lines in whose commits this person took part.
    pub lines: u32,
    /// The author dates of the oldest and of the newest of these commits, in seconds since the epoch.
    pub dates: (i64, i64),
    /// The numbers of lines by year.
    pub years: BTreeMap<i32, u32>,
}

/// The people of commits, each with its number of lines, by falling number of lines. A line of a commit with co-authors counts
/// for each of them.
pub fn people<'a>(commits: impl Iterator<Item = (&'a CommitMetadata, u32)>) -> Vec<Person> {
    let mut people: FxHashMap<PersonKey, Person> = FxHashMap::default();
    for (commit, lines) in commits.filter(|(_, lines)| *lines > 0) {
        let time = commit.author.time;
        let year = relative_dates::within(4, time, commit.author.offset);
        let year = year.parse().unwrap_or(0);
        for (name, key) in participants(commit) {
            let person = people.entry(key.clone()).or_insert_with(|| Person {
                key,
                name: name.clone(),
                lines: 0,
                dates: (time, time),
                years: BTreeMap::new(),
            });
            if time > person.dates.1 {
                person.name = name;
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

/// Whether a person is the author or a co-author of a commit.
pub fn takes_part(commit: &CommitMetadata, key: &PersonKey) -> bool {
    participants(commit).iter().any(|(_, other)| other == key)
}

/// The number of co-authors of a commit.
pub fn count_co_authors(commit: &CommitMetadata) -> usize {
    participants(commit).len() - 1
}

/// The author and the co-authors of a commit, each once.
fn participants(commit: &CommitMetadata) -> Vec<(BString, PersonKey)> {
    let author = &commit.author;
    let key = PersonKey::new(&author.name, &author.mail);
    let mut found = vec![(author.name.clone(), key)];
    for (name, mail) in &commit.co_authors {
        let key = PersonKey::new(name, mail);
        if found.iter().all(|(_, other)| *other != key) {
            found.push((name.clone(), key));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;
    use crate::{repository::commits::trailers, viewer::model::source::Signature};

    fn commit(name: &str, mail: &str, time: i64, message: &str) -> CommitMetadata {
        let author = Signature {
            name: name.into(),
            mail: mail.into(),
            time,
            offset: 0,
        };
        CommitMetadata {
            committer: author.clone(),
            author,
            co_authors: trailers::co_authors(message.as_bytes()),
            message: message.into(),
            root: false,
        }
    }

    #[test]
    fn lines_count_for_authors_and_co_authors() {
        let together = "S\n\nCo-authored-by: Bo <BO@x.org>\nco-authored-by: Ann <ann@x.org>\nCo-authored-by: Cy\n";
        let commits = [
            (commit("Ann", "ann@x.org", 1_000_000_000, together), 10),
            (commit("Bob", "bo@x.org", 1_500_000_000, "S"), 3),
            (commit("Ann L", "Ann@x.org", 1_600_000_000, "S"), 1),
            (commit("Dot", "d@x.org", 1, "S"), 0),
        ];
        let people = people(commits.iter().map(|(commit, lines)| (commit, *lines)));
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
        assert_eq!(count_co_authors(&commits[0].0), 2);
        assert_eq!(count_co_authors(&commits[1].0), 0);
        assert!(takes_part(&commits[0].0, &people[2].key));
        assert!(!takes_part(&commits[1].0, &people[2].key));
    }
}
