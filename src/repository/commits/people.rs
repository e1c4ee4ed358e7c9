//! The people who wrote lines: authors, and co-authors by the trailers of commits.

use std::{cmp::Reverse, collections::BTreeMap};

use bstr::{BStr, BString};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{dates::moment::Moment, objects::ObjectId, repository::agents::signature, sorting};

/// The key that tells people apart: the mail address, or the name where there is none, in lower
/// case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PersonKey(BString);

/// The words in place of the name of people who have none.
const NO_NAME: &str = "(no name)";

impl PersonKey {
    /// Its bytes, which are different for different people.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn new(name: &[u8], mail: &[u8]) -> PersonKey {
        let key = if mail.is_empty() { name } else { mail };
        PersonKey(key.to_ascii_lowercase().into())
    }
}

/// Who made a commit, and when. Names and addresses are those after the mailmap; addresses have no
/// angle brackets.
#[derive(Debug, Clone, Copy)]
pub struct CommitPeople<'a> {
    /// The author's name.
    pub name: &'a BStr,
    /// The author's address; empty if there is none.
    pub mail: &'a BStr,
    /// Names and addresses of the co-authors.
    pub co_authors: &'a [(BString, BString)],
    /// The author date.
    pub date: Moment,
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

    /// True if a person is the author or a co-author.
    pub fn have(&self, key: &PersonKey) -> bool {
        self.participants().iter().any(|(.., other)| other == key)
    }

    /// The number of co-authors.
    pub fn count_co_authors(&self) -> usize {
        self.participants().len() - 1
    }

    /// The number of co-authors that are AI agents.
    pub fn count_agents(&self) -> usize {
        let others = self.participants().into_iter().skip(1);
        let agents = others.filter(|(name, mail, _)| signature::is_agent(name, mail, false));
        agents.count()
    }

    /// The author's name, or words for one who has none.
    pub fn shown_name(&self) -> &'a BStr {
        named(self.name)
    }

    /// The key that tells the author apart.
    pub fn author(&self) -> PersonKey {
        PersonKey::new(self.name, self.mail)
    }
}

/// An author or co-author of lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The key that tells this person apart.
    pub key: PersonKey,
    /// The name as on most of the lines; of several, that of the newest commit. Empty if there is
    /// none.
    pub name: BString,
    /// The address, chosen likewise, without angle brackets; empty if there is none.
    pub mail: BString,
    /// The number of lines in whose commits this person took part.
    pub lines: u32,
    /// The author dates of the oldest and of the newest of these commits.
    pub dates: (Moment, Moment),
    /// The numbers of lines by year of the author's clock; 0 stands for dates outside of the
    /// calendar's years.
    pub years: BTreeMap<i32, u32>,
    /// It is an AI agent, by its address or its name.
    pub is_agent: bool,
}

/// For who reads it on a screen, stands in place of the last change of what is new, and is the author
/// of its lines: a name that fits a column, in place of git's.
pub(crate) const UNCOMMITTED: &str = "uncommitted";

/// In place of git's summary of such lines.
pub(crate) const UNCOMMITTED_CHANGES: &str = "Uncommitted changes";

/// That name for the author of a commit, if it is git's of uncommitted lines.
pub(crate) fn uncommitted_name(commit: &ObjectId, author: &[u8]) -> Option<&'static str> {
    (commit.is_null() && author == b"Not Committed Yet").then_some(UNCOMMITTED)
}

impl Person {
    /// True if this is nobody, but the author of lines that are not committed, by the name above. It
    /// has no address.
    pub(crate) fn is_uncommitted(&self) -> bool {
        self.name == UNCOMMITTED && self.mail.is_empty()
    }

    /// The name, or words for a person who has none.
    pub fn shown_name(&self) -> &BStr {
        named(self.name.as_ref())
    }
}

fn named(name: &BStr) -> &BStr {
    if name.is_empty() {
        NO_NAME.into()
    } else {
        name
    }
}

/// A share in percent, rounded: `12%`; what is not nothing but less than one percent is `<1%`, and what is
/// not all but more than 99 percent is `>99%`.
pub fn share(lines: u64, of: u64) -> String {
    let of = of.max(1);
    let hundredfold = lines.saturating_mul(100);
    if lines > 0 && hundredfold < of {
        return "<1%".to_owned();
    }
    if lines < of && hundredfold > of.saturating_mul(99) {
        return ">99%".to_owned();
    }
    format!("{}%", hundredfold.saturating_add(of / 2) / of)
}

/// How a name or an address is spelled: with the number of lines and the newest commit of each
/// spelling.
#[derive(Debug, Default)]
struct Spellings<'a>(FxHashMap<&'a BStr, (u32, i64)>);

impl<'a> Spellings<'a> {
    fn add(&mut self, spelling: &'a BStr, lines: u32, time: i64) {
        let known = self.0.entry(spelling).or_insert((0, time));
        *known = (known.0.saturating_add(lines), known.1.max(time));
    }

    /// That of most lines; of several, that of the newest commit, and then the first one in the
    /// order of bytes.
    fn usual(&self) -> BString {
        let usual = self
            .0
            .iter()
            .max_by_key(|(text, known)| (**known, Reverse(**text)));
        usual
            .map(|(text, _)| BString::from(*text))
            .unwrap_or_default()
    }
}

/// The people of commits, each with its number of lines, by falling number of lines. A line of a
/// commit with co-authors counts for each of them.
pub fn people<'a>(commits: impl Iterator<Item = (CommitPeople<'a>, u32)>) -> Vec<Person> {
    let mut people: FxHashMap<PersonKey, (Person, [Spellings<'a>; 2])> = FxHashMap::default();
    let mut authors: FxHashSet<PersonKey> = FxHashSet::default();
    for (commit, lines) in commits.filter(|(_, lines)| *lines > 0) {
        let date = commit.date;
        authors.insert(commit.author());
        for (name, mail, key) in commit.participants() {
            let (person, spellings) = people.entry(key.clone()).or_insert_with(|| {
                let person = Person {
                    key,
                    name: BString::default(),
                    mail: BString::default(),
                    lines: 0,
                    dates: (date, date),
                    years: BTreeMap::new(),
                    is_agent: false,
                };
                (person, Default::default())
            });
            for (spellings, spelling) in spellings.iter_mut().zip([name, mail]) {
                spellings.add(spelling, lines, date.time);
            }
            person.lines = person.lines.saturating_add(lines);
            person.dates = (person.dates.0.min(date), person.dates.1.max(date));
            let count = person.years.entry(date.year().unwrap_or(0)).or_default();
            *count = count.saturating_add(lines);
        }
    }
    let people = people.into_values();
    let mut people: Vec<Person> = people
        .map(|(person, [name, mail])| {
            let (name, mail) = (name.usual(), mail.usual());
            Person {
                is_agent: signature::is_agent(&name, &mail, authors.contains(&person.key)),
                name,
                mail,
                ..person
            }
        })
        .collect();
    sorting::sort_by(&mut people, |a, b| {
        (Reverse(a.lines), &a.key).cmp(&(Reverse(b.lines), &b.key))
    });
    people
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;
    use crate::repository::commits::trailers;

    fn commit(name: &'static str, mail: &'static str, time: i64) -> CommitPeople<'static> {
        CommitPeople {
            name: name.into(),
            mail: mail.into(),
            co_authors: &[],
            date: Moment { time, offset: 0 },
        }
    }

    #[test]
    fn lines_count_for_authors_and_co_authors() {
        let together = b"S\n\nCo-authored-by: Bo <BO@x.org>\nco-authored-by: Ann <ann@x.org>\nCo-authored-by: Cy\n";
        let together = trailers::co_authors(together);
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
            .map(|it| {
                (
                    it.name.to_str_lossy(),
                    it.lines,
                    (it.dates.0.time, it.dates.1.time),
                )
            })
            .collect();
        assert_eq!(
            facts,
            [
                ("Bo".into(), 13, (1_000_000_000, 1_500_000_000)),
                ("Ann".into(), 11, (1_000_000_000, 1_600_000_000)),
                ("Cy".into(), 10, (1_000_000_000, 1_000_000_000)),
            ]
        );
        assert_eq!(people[0].years, BTreeMap::from([(2001, 10), (2017, 3)]));
        assert_eq!(people[1].mail, "ann@x.org");
        assert_eq!(first.count_co_authors(), 2);
        assert_eq!(commits[1].0.count_co_authors(), 0);
        assert!(first.have(&people[2].key));
        assert!(!commits[1].0.have(&people[2].key));
    }

    #[test]
    fn people_have_the_name_of_most_lines() {
        let names = |commits: &[(CommitPeople<'static>, u32)]| {
            let mut found = BTreeMap::new();
            // In any order of the commits.
            for turn in 0..commits.len() {
                let (late, early) = (&commits[turn..], &commits[..turn]);
                for person in people(late.iter().chain(early).copied()) {
                    let name = person.shown_name().to_string();
                    *found.entry((name, person.mail.to_string())).or_insert(0) += 1;
                }
            }
            found
                .into_iter()
                .map(|((name, mail), _)| format!("{name}/{mail}"))
                .collect::<Vec<_>>()
        };
        let usual = commit("Ann Lee", "ann@x.org", 5);
        assert_eq!(
            names(&[(usual, 9), (commit("annl", "Ann@x.org", 7), 8)]),
            ["Ann Lee/ann@x.org"]
        );
        // Two commits together have more lines, and a tie is the newest commit's.
        let twice = [
            (commit("annl", "ann@x.org", 1), 5),
            (commit("annl", "ann@x.org", 2), 5),
            (usual, 9),
        ];
        assert_eq!(names(&twice), ["annl/ann@x.org"]);
        assert_eq!(
            names(&[(usual, 9), (commit("annl", "ann@x.org", 6), 9)]),
            ["annl/ann@x.org"]
        );
        assert_eq!(
            names(&[(usual, 9), (commit("Ann", "ann@x.org", 5), 9)]),
            ["Ann/ann@x.org"]
        );
        assert_eq!(
            names(&[(commit("", "", 5), 1), (commit("", "a@b", 5), 1)]),
            ["(no name)/", "(no name)/a@b"]
        );
    }

    #[test]
    fn shares_are_rounded() {
        let shares = [
            (0, 9),
            (1, 1000),
            (9, 1000),
            (10, 1000),
            (14, 1000),
            (15, 1000),
            (1, 6),
            (990, 1000),
            (991, 1000),
            (999, 1000),
            (9_106, 9_107),
            (9, 9),
            // Of two people with co-authors.
            (11, 9),
            (0, 0),
        ];
        let shares = shares.map(|(lines, of)| share(lines, of));
        assert_eq!(
            shares,
            [
                "0%", "<1%", "<1%", "1%", "1%", "2%", "17%", "99%", ">99%", ">99%", ">99%", "100%",
                "122%", "0%"
            ]
        );
    }
}
