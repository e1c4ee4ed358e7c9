//! The lines of each commit of a blame, and who made these commits.

use std::{collections::BTreeMap, sync::Arc};

use bstr::{BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    dates::moment::Moment,
    engine::{Entry, Origin},
    objects::ObjectId,
    repository::commits::{
        commit_text::{CommitText, Ident},
        people::{self, CommitPeople, Person, uncommitted_name},
    },
};

/// The commits of a blame with their numbers of lines.
#[derive(Debug, Default)]
pub(crate) struct LineCounts {
    commits: FxHashMap<ObjectId, CountedCommit>,
    lines: u64,
}

/// A commit with its number of lines.
#[derive(Debug)]
struct CountedCommit {
    authors: Arc<CommitAuthors>,
    lines: u32,
}

/// Who made a commit, and when.
#[derive(Debug)]
pub struct CommitAuthors {
    author: Ident,
    co_authors: Vec<(BString, BString)>,
}

impl CommitAuthors {
    /// Those of a commit with these co-authors.
    pub(crate) fn new(text: &CommitText, co_authors: Vec<(BString, BString)>) -> CommitAuthors {
        CommitAuthors {
            author: text.author.clone(),
            co_authors,
        }
    }

    /// As a screen names those of a commit: uncommitted lines have an author without an address.
    pub(crate) fn on_screen(mut self, commit: &ObjectId) -> CommitAuthors {
        if let Some(name) = uncommitted_name(commit, &self.author.name) {
            self.author.name = name.into();
            self.author.mail.clear();
        }
        self
    }

    /// As others know them.
    pub(crate) fn people(&self) -> CommitPeople<'_> {
        CommitPeople {
            name: self.author.name.as_bstr(),
            mail: self.author.address().as_bstr(),
            co_authors: &self.co_authors,
            date: self.author.date(),
        }
    }
}

impl LineCounts {
    /// Counts the lines of an entry. `authors` tells who made a commit.
    ///
    /// # Errors
    ///
    /// That of `authors`.
    pub(crate) fn add<E>(
        &mut self,
        entry: &Entry,
        origins: &[Origin],
        authors: impl FnOnce(&ObjectId) -> Result<CommitAuthors, E>,
    ) -> Result<(), E> {
        let Some(origin) = origins.get(entry.origin.0 as usize) else {
            return Ok(());
        };
        let lines = entry.lines.end.saturating_sub(entry.lines.start);
        if let Some(known) = self.commits.get_mut(&origin.commit) {
            known.lines = known.lines.saturating_add(lines);
            self.lines += u64::from(lines);
            return Ok(());
        }
        let authors = authors(&origin.commit)?;
        self.add_lines(&origin.commit, &Arc::new(authors), lines);
        Ok(())
    }

    /// Counts lines of a commit.
    pub(crate) fn add_lines(
        &mut self,
        commit: &ObjectId,
        authors: &Arc<CommitAuthors>,
        lines: u32,
    ) {
        let counted = self
            .commits
            .entry(*commit)
            .or_insert_with(|| CountedCommit {
                authors: Arc::clone(authors),
                lines: 0,
            });
        counted.lines = counted.lines.saturating_add(lines);
        self.lines += u64::from(lines);
    }

    /// The commits with their numbers of lines, in no order.
    pub(crate) fn commits(&self) -> impl Iterator<Item = (&ObjectId, &Arc<CommitAuthors>, u32)> {
        let commits = self.commits.iter();
        commits.map(|(id, counted)| (id, &counted.authors, counted.lines))
    }

    /// The author date, in seconds since the epoch, such that half of the lines are as old or older,
    /// and half as new or newer.
    pub(crate) fn median_time(&self) -> Option<i64> {
        let commits = self.commits.values();
        let mut times: Vec<(i64, u32)> = commits
            .map(|counted| (counted.authors.author.seconds(), counted.lines))
            .collect();
        times.sort_unstable();
        let mut before = 0;
        let middle = times.iter().find(|(_, lines)| {
            before += u64::from(*lines);
            before * 2 >= self.lines
        });
        middle.map(|(time, _)| *time)
    }

    /// The number of all lines.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// The author dates of the oldest and of the newest commit.
    pub(crate) fn dates(&self) -> Option<(Moment, Moment)> {
        let commits = self.commits.values();
        let dates = commits.map(|counted| counted.authors.author.date());
        let dates = dates.map(|date| (date, date));
        dates.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// The number of lines by year of the authors' clocks; 0 stands for dates outside of the
    /// calendar's years.
    pub(crate) fn years(&self) -> BTreeMap<i32, u32> {
        let mut years = BTreeMap::new();
        for counted in self.commits.values() {
            let year = counted.authors.author.date().year().unwrap_or(0);
            let lines: &mut u32 = years.entry(year).or_default();
            *lines = lines.saturating_add(counted.lines);
        }
        years
    }

    /// The people, those with most lines first.
    pub(crate) fn people(&self) -> Vec<Person> {
        let commits = self.commits.values();
        people::people(commits.map(|counted| (counted.authors.people(), counted.lines)))
    }
}
