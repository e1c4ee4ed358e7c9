//! Which lines stand out in a file, or are counted in a directory: those of a person, a span of dates,
//! a request, a release, an agent, or of commits about something.
//!
//! A filter is typed as words that are separated by blanks; a line must satisfy all of them.
//!
//! | word | lines of commits |
//! | --- | --- |
//! | `2019..2021`, `2020-03`, `3 years ago..yesterday` | authored in that span, both ends included, in the author's time zone |
//! | `#12`, `!12` | brought by that request |
//! | `merge:1a2b3c4` | brought by the merge whose id begins so |
//! | `v2.31`, `7.2-rc1`, `release:NAME`, with `*` at the end for all that begin so | first contained in that release |
//! | `agent:`, `agent:claude` | of which an agent is recorded to have written them, or one with that in its name |
//! | `/fix` | whose summary matches that pattern |
//! | `-formatted` | not ignored, neither by the ignore-revs file in use nor by key, and not only reindented |
//! | other words | whose author or a co-author matches them in name and address |
//!
//! Patterns are those of a search ([`Pattern`]).

use std::fmt;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    dates::{
        calendar::{Clock, civil_from_days, days_from_civil},
        typed_date,
    },
    repository::{
        agents::agent::Agent,
        commits::people::{CommitPeople, Person, PersonKey},
        provenance::{finder::Arrival, request_number::RequestNumber},
    },
    viewer::model::{relative_dates, texts::pattern::Pattern},
};

/// Most words of a span.
const MAX_SPAN_WORDS: usize = 16;

/// A span of days, as beginnings of dates: `2019`, `2019-03` or `2019-03-24`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DateSpan {
    /// The first day; empty for no bound.
    pub from: String,
    /// The last day; empty for no bound.
    pub to: String,
}

impl DateSpan {
    /// Parses `FROM..TO`, where one of them may be missing, or one date for both.
    fn parse(text: &str, clock: &Clock) -> Option<DateSpan> {
        let (from, to) = text.split_once("..").unwrap_or((text, text));
        let (from, to) = (bound(from, clock)?, bound(to, clock)?);
        (from.len() + to.len() > 0).then_some(DateSpan { from, to })
    }

    /// The span that most of the first words are, and their number.
    fn first_of(words: &[&str], clock: &Clock) -> Option<(DateSpan, usize)> {
        let mut lens = (1..=words.len().min(MAX_SPAN_WORDS)).rev();
        lens.find_map(|len| Some((DateSpan::parse(&words[..len].join(" "), clock)?, len)))
    }

    /// The first and the last year, as far as there are bounds.
    pub fn years(&self) -> (Option<i32>, Option<i32>) {
        let year = |bound: &str| bound.get(..4)?.parse().ok();
        (year(&self.from), year(&self.to))
    }

    /// True if a moment is in the span, in its own time zone, which is `offset` seconds ahead of
    /// UTC.
    pub fn contains(&self, time: i64, offset: i32) -> bool {
        let day = relative_dates::day(time, offset);
        let begins = |bound: &str| day.get(..bound.len()).unwrap_or(&day);
        is_date(&day)
            && begins(&self.from) >= self.from.as_str()
            && begins(&self.to) <= self.to.as_str()
    }
}

impl fmt::Display for DateSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == self.to {
            f.write_str(&self.from)
        } else {
            write!(f, "{}..{}", self.from, self.to)
        }
    }
}

/// A bound of a span: none, a date of the calendar, or the day of [one in words](typed_date).
fn bound(text: &str, clock: &Clock) -> Option<String> {
    if text.is_empty() || is_date(text) {
        return Some(text.to_owned());
    }
    let time = typed_date::parse(text.as_bytes(), clock)?;
    let offset = i32::try_from(clock.offset(time)).ok()?;
    Some(relative_dates::day(time, offset))
}

/// True if a text is a year, a month or a day of the calendar.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut number = |len: usize| -> Option<i64> {
        let part = parts.next().filter(|part| part.len() == len)?;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| is_number)
    };
    let (year, month, day) = match text.len() {
        4 => (number(4), Some(1), Some(1)),
        7 => (number(4), number(2), Some(1)),
        10 => (number(4), number(2), number(2)),
        _ => return false,
    };
    let (Some(year), Some(month @ 1..=12), Some(day)) = (year, month, day) else {
        return false;
    };
    let month = month as u8;
    civil_from_days(days_from_civil(year, month, day)) == (year, month, day as u8)
}

/// True if a text looks like a date, of the calendar or not: numbers with hyphens between them.
fn resembles_date(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    text.contains('-') && text.split('-').all(is_number)
}

/// True if a word can only be the name of a release: `v2`, `2.31`, `7.2-rc1`, `v2.*`, `2.*`.
fn is_version(word: &str) -> bool {
    let (number, is_marked) = word
        .strip_prefix('v')
        .map_or((word, false), |number| (number, true));
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let next = rest.strip_prefix('.').unwrap_or_default();
    let has_next = next == "*" || next.starts_with(|c: char| c.is_ascii_digit());
    rest.len() < number.len() && (is_marked || has_next && !word.contains('@'))
}

/// The first release that is named in a span of releases: `v1.0..`, `..v2`, `release:1.0..1.1`.
fn release_of_span(word: &str) -> Option<&str> {
    let named = word.strip_prefix("release:");
    let (from, to) = named.unwrap_or(word).split_once("..")?;
    let is_release = |name: &&str| is_version(name) || named.is_some() && !name.is_empty();
    [from, to].into_iter().find(is_release)
}

/// A request or a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bringer {
    /// A request by its number.
    Request(RequestNumber),
    /// A merge by the beginning of its id, in lower case.
    Merge(String),
}

/// The conditions for lines to stand out; without any, all lines are alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineFilter {
    /// The person who must be the author or a co-author of the commit, and the name to show.
    pub person: Option<(PersonKey, String)>,
    /// Matches names and addresses of those who took part.
    pub author: Option<Pattern>,
    /// The author date.
    pub dates: Option<DateSpan>,
    /// The merge or request that brought the commit.
    pub bringer: Option<Bringer>,
    /// The first release that contains the commit; `*` at its end stands for any text.
    pub release: Option<String>,
    /// A part of the name of the agent that wrote the line, in lower case.
    pub agent: Option<String>,
    /// Match the summary of the commit.
    pub summary: Vec<Pattern>,
    /// The commit is not an ignored one.
    pub unformatted: bool,
}

impl LineFilter {
    /// Parses a typed filter.
    ///
    /// # Errors
    ///
    /// A word that is not as described above, in plain words.
    pub fn parse(text: &str) -> Result<LineFilter, String> {
        let mut filter = LineFilter::default();
        let mut author: Vec<&str> = Vec::new();
        let words: Vec<&str> = text.split_whitespace().collect();
        let (clock, mut rest) = (Clock::system(), &words[..]);
        while let Some(&word) = rest.first() {
            let span = DateSpan::first_of(rest, &clock);
            let len = span.as_ref().map_or(1, |(_, len)| *len);
            rest = &rest[len..];
            let release = word.strip_prefix("release:");
            let release = release.or_else(|| is_version(word).then_some(word));
            if let Some((dates, _)) = span {
                filter.dates = Some(dates);
            } else if word.starts_with(['#', '!']) {
                let number = word[1..].parse();
                let number =
                    number.map_err(|_| format!("“{word}” is not the number of a request"))?;
                let make = if word.starts_with('#') {
                    RequestNumber::Pull
                } else {
                    RequestNumber::Merge
                };
                filter.bringer = Some(Bringer::Request(make(number)));
            } else if let Some(id) = word.strip_prefix("merge:") {
                if id.len() < 4 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Err(format!("“{id}” is not the beginning of an id"));
                }
                filter.bringer = Some(Bringer::Merge(id.to_ascii_lowercase()));
            } else if let Some(name) = word.strip_prefix("agent:") {
                filter.agent = Some(name.to_lowercase());
            } else if let Some(text) = word.strip_prefix('/').and_then(Pattern::new) {
                filter.summary.push(text);
            } else if let Some(name) = release.filter(|name| !name.contains("..")) {
                filter.release = Some(name.to_owned());
            } else if word == "-formatted" {
                filter.unformatted = true;
            } else if let Some(name) = release_of_span(word) {
                return Err(format!(
                    "“{word}” is a span, and releases have none: {name} is one, {name}* all that \
                     begin so, 2024.. dates"
                ));
            } else if word.contains("..") {
                return Err(format!(
                    "“{word}” is not a span of dates such as 2019..2021-03"
                ));
            } else if resembles_date(word) {
                return Err(format!(
                    "“{word}” is not a date such as 2021-03 or 2021-03-24"
                ));
            } else {
                author.push(word);
            }
        }
        filter.author = Pattern::new(&author.join(" "));
        Ok(filter)
    }

    /// True if all lines are alike.
    pub fn is_empty(&self) -> bool {
        *self == LineFilter::default()
    }

    /// True if more than the blame must be known to tell which lines it has.
    pub fn asks(&self) -> bool {
        self.bringer.is_some() || self.release.is_some() || self.agent.is_some() || self.unformatted
    }

    /// The word for an author that could be the name of a release: a single one with a number.
    pub(crate) fn release_like_author(&self) -> Option<&str> {
        let typed = self.author.as_ref()?.typed();
        let has_number = typed.contains(|c: char| c.is_ascii_digit());
        (has_number && !typed.contains(char::is_whitespace)).then_some(typed)
    }

    /// True if a person is among those whom it asks for, if it asks for people.
    pub fn names(&self, person: &Person) -> bool {
        let (chosen, typed) = (&self.person, &self.author);
        (chosen.is_some() || typed.is_some())
            && chosen.as_ref().is_none_or(|(key, _)| *key == person.key)
            && typed
                .as_ref()
                .is_none_or(|part| is_named(part, person.name.as_ref(), person.mail.as_ref()))
    }

    /// True if the right people took part in a commit, at the right date.
    pub fn admits(&self, commit: &CommitPeople<'_>) -> bool {
        let (person, author, dates) = (&self.person, &self.author, &self.dates);
        let date = commit.date;
        person.as_ref().is_none_or(|(key, _)| commit.have(key))
            && author.as_ref().is_none_or(|part| has_named(commit, part))
            && dates
                .as_ref()
                .is_none_or(|dates| dates.contains(date.time, date.offset))
    }

    /// True if a commit's summary has the right texts.
    pub fn admits_summary(&self, summary: &BStr) -> bool {
        self.summary.iter().all(|text| text.is_match(summary))
    }

    /// True if the right request or merge brought a commit.
    pub fn admits_arrival(&self, arrival: &Arrival) -> bool {
        match &self.bringer {
            None => true,
            Some(Bringer::Request(number)) => arrival.request == Some(*number),
            Some(Bringer::Merge(beginning)) => {
                let merge = arrival.merge.map(|merge| merge.to_string());
                merge.is_some_and(|merge| merge.starts_with(beginning))
            }
        }
    }

    /// True if the first release with a commit is the right one; there may be none.
    pub fn admits_release(&self, name: Option<&BStr>) -> bool {
        let Some(wanted) = &self.release else {
            return true;
        };
        name.is_some_and(|name| match wanted.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning.as_bytes()),
            None => name == wanted.as_bytes(),
        })
    }

    /// True if the right agent wrote a line, or no agent if none is asked for.
    pub fn admits_agent(&self, agent: Option<&Agent>) -> bool {
        self.agent.as_ref().is_none_or(|part| {
            agent.is_some_and(|agent| agent.name().to_lowercase().contains(part.as_str()))
        })
    }

    /// The filter in words that say what is compared with what was typed.
    pub fn in_words(&self) -> String {
        let bringer = self.bringer.as_ref().map(|bringer| match bringer {
            Bringer::Request(number) => format!("request {number}"),
            Bringer::Merge(id) => format!("merge {id}"),
        });
        let (author, release) = (self.author.as_ref(), self.release.as_ref());
        let agent = self.agent.as_ref().map(|name| match name.as_str() {
            "" => "agents".to_owned(),
            name => format!("agents like {name}"),
        });
        let summary = self.summary.iter();
        let summary = summary.map(|text| format!("summaries like {}", text.typed()));
        let parts = [
            self.person.as_ref().map(|(_, name)| name.clone()),
            author.map(|text| format!("authors like {}", text.typed())),
            self.dates.as_ref().map(|dates| format!("dates {dates}")),
            bringer,
            release.map(|name| format!("release {name}")),
            agent,
            self.unformatted.then(|| "-formatted".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().chain(summary).collect();
        parts.join(", ")
    }
}

/// True if the author or a co-author matches in name and address.
fn has_named(commit: &CommitPeople<'_>, pattern: &Pattern) -> bool {
    let others = commit.co_authors.iter();
    let others = others.map(|(name, mail)| (name.as_bstr(), mail.as_bstr()));
    [(commit.name, commit.mail)]
        .into_iter()
        .chain(others)
        .any(|(name, mail)| is_named(pattern, name, mail))
}

/// True if a name with its address matches.
fn is_named(pattern: &Pattern, name: &BStr, mail: &BStr) -> bool {
    let mut both = BString::from(name);
    both.push(b' ');
    both.extend_from_slice(mail);
    pattern.is_match(&both)
}

impl fmt::Display for LineFilter {
    /// The filter as it is typed; with `#`, in words for a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bringer = self.bringer.as_ref().map(|bringer| match bringer {
            Bringer::Request(number) => number.to_string(),
            Bringer::Merge(id) => format!("merge:{id}"),
        });
        let release = self.release.as_ref().map(|name| {
            let is_version = LineFilter::parse(name).is_ok_and(|it| it.release.is_some());
            let prefix = if is_version { "" } else { "release:" };
            format!("{prefix}{name}")
        });
        let agent = self.agent.as_ref().map(|name| match name.as_str() {
            "" if f.alternate() => "agents".to_owned(),
            name => format!("agent:{name}"),
        });
        let summary = self.summary.iter();
        let summary = summary.map(|text| format!("/{}", text.typed()));
        let parts = [
            self.person.as_ref().map(|(_, name)| name.clone()),
            self.author.as_ref().map(|it| it.typed().to_owned()),
            self.dates.as_ref().map(DateSpan::to_string),
            bringer,
            release,
            agent,
            self.unformatted.then(|| "-formatted".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().chain(summary).collect();
        f.write_str(&parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_displayed_as_they_are_typed() {
        for text in [
            "2019",
            "2019..2021-03",
            "..2020-01-31",
            "ada lovelace 2020.. #12 v2.31* agent:claude -formatted /fix /leak",
            "agent:",
            "/",
            "!7",
            "2024-02-29",
            "a-1 49699333+b 20-x",
            "merge:1a2b",
            "release:stable-1",
            "7.2-rc1",
            "2.*",
            "v7",
            "",
        ] {
            let filter = LineFilter::parse(text).expect("a filter");
            assert_eq!(filter.to_string(), text);
            assert_eq!(filter.is_empty(), text.is_empty());
        }
        for text in [
            "#",
            "#a",
            "!99999999999",
            "merge:12",
            "merge:xyzw",
            "2019..x",
            "v8.0.0..",
            "release:v8.0.0..",
            "release:stable-1..",
            "..v7",
            "v7.0..v8.0",
            "7.0..8.0",
            "..",
            "a..b",
            "2026-13",
            "2026-00",
            "2026-1",
            "2025-02-29",
            "2026-04-31..",
            "ada 12-31",
        ] {
            assert!(LineFilter::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn dates_in_words_are_days_in_every_place_of_a_span() {
        let clock = Clock::system();
        let day = |text: &str| {
            let time = typed_date::parse(text.as_bytes(), &clock).expect("a date");
            relative_dates::day(time, clock.offset(time) as i32)
        };
        let (years, weeks) = (day("5 years ago"), day("two weeks 1 day ago"));
        assert!(years < weeks, "{years} {weeks}");
        for (text, from, to) in [
            ("5 years ago..", &*years, ""),
            ("..5 years ago", "", &years),
            ("5.years.ago..two weeks 1 day ago", &years, &weeks),
            ("2019..two weeks 1 day ago", "2019", &weeks),
            ("5 years ago..2030-01", &years, "2030-01"),
            ("5 years ago", &years, &years),
        ] {
            for text in [text.to_owned(), format!("ada {text} /fix")] {
                let filter = LineFilter::parse(&text).expect("a filter");
                let (from, to) = (from.to_owned(), to.to_owned());
                assert_eq!(filter.dates, Some(DateSpan { from, to }), "{text}");
                let others = (filter.author.is_some(), filter.summary.len());
                let is_alone = !text.starts_with("ada");
                assert_eq!(others == (false, 0), is_alone, "{text}");
            }
        }
        for text in ["5 years..", "..5 lines ago", "5 ago..", "ada..5 years ago"] {
            assert!(LineFilter::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn words_say_what_is_compared() {
        for (text, words) in [
            ("2.+", "authors like 2.+"),
            ("1.2.3@x", "authors like 1.2.3@x"),
            ("2", "authors like 2"),
            ("v2.*", "release v2.*"),
            ("2.*", "release 2.*"),
            ("7.2-rc1", "release 7.2-rc1"),
            ("release:7.2-rc1", "release 7.2-rc1"),
            ("2019..", "dates 2019.."),
            ("#12 agent:", "request #12, agents"),
            (
                "ada b 2020 merge:1a2b agent:x /fix -formatted",
                "authors like ada b, dates 2020, merge 1a2b, agents like x, -formatted, summaries like fix",
            ),
        ] {
            let filter = LineFilter::parse(text).expect("a filter");
            assert_eq!(filter.in_words(), words);
        }
    }

    #[test]
    fn a_span_of_releases_says_what_to_type_instead() {
        for (text, name) in [
            ("v8.0.0..", "v8.0.0"),
            ("release:v8.0.0..", "v8.0.0"),
            ("release:stable-1..", "stable-1"),
            ("..v7", "v7"),
            ("v7.0..v8.0", "v7.0"),
            ("8.0..9.0", "8.0"),
        ] {
            let problem = LineFilter::parse(text).expect_err("a span");
            let words = format!("“{text}” is a span, and releases have none: {name} is one");
            assert!(problem.starts_with(&words), "{problem}");
        }
    }

    #[test]
    fn spans_include_both_ends() {
        let clock = Clock::system();
        // 2020-02-29 23:30 UTC.
        let time = 1_583_019_000;
        for (span, offset, inside) in [
            ("2020", 0, true),
            ("2019..2020-02", 0, true),
            ("2020-02-29", 0, true),
            ("2020-02-29", 3600, false),
            ("2020-03..", 3600, true),
            ("2020-03..", 0, false),
            ("..2020-02-28", 0, false),
            ("2021..2019", 0, false),
        ] {
            let span = DateSpan::parse(span, &clock).expect("a span");
            assert_eq!(span.contains(time, offset), inside, "{span}");
        }
        let ever = DateSpan::parse("0000..9999", &clock).expect("a span");
        assert!(!ever.contains(i64::MIN, 0) && !ever.contains(i64::MAX, 0));
    }
}
