//! The lines of each commit of a blame, and who made these commits.

use std::collections::BTreeMap;

use bstr::{BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
    dates::moment::Moment,
    engine::{Entry, Origin},
    objects::ObjectId,
    output::{commit_provider::CommitProvider, error::OutputError},
    repository::commits::{
        commit_text::Ident,
        people::{self, CommitPeople, Person},
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
    author: Ident,
    co_authors: Vec<(BString, BString)>,
    lines: u32,
}

impl LineCounts {
    /// Counts the lines of an entry.
    ///
    /// # Errors
    ///
    /// If the commit cannot be read.
    pub(crate) fn add(
        &mut self,
        commits: &mut impl CommitProvider,
        entry: &Entry,
        origins: &[Origin],
    ) -> Result<(), OutputError> {
        let Some(origin) = origins.get(entry.origin.0 as usize) else {
            return Ok(());
        };
        let lines = entry.lines.end.saturating_sub(entry.lines.start);
        self.lines += u64::from(lines);
        if let Some(known) = self.commits.get_mut(&origin.commit) {
            known.lines = known.lines.saturating_add(lines);
            return Ok(());
        }
        let text = commits.text(&origin.commit).map_err(OutputError::Commit)?;
        let counted = CountedCommit {
            author: text.author.clone(),
            co_authors: commits.co_authors(text.message.as_bstr()),
            lines,
        };
        self.commits.insert(origin.commit, counted);
        Ok(())
    }

    /// The number of all lines.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// The author dates of the oldest and of the newest commit.
    pub(crate) fn dates(&self) -> Option<(Moment, Moment)> {
        let dates = self.commits.values().map(|counted| counted.author.date());
        let dates = dates.map(|date| (date, date));
        dates.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// The number of lines by year of the authors' clocks; 0 stands for dates outside of the
    /// calendar's years.
    pub(crate) fn years(&self) -> BTreeMap<i32, u32> {
        let mut years = BTreeMap::new();
        for counted in self.commits.values() {
            let year = counted.author.date().year().unwrap_or(0);
            let lines: &mut u32 = years.entry(year).or_default();
            *lines = lines.saturating_add(counted.lines);
        }
        years
    }

    /// The people, those with most lines first.
    pub(crate) fn people(&self) -> Vec<Person> {
        people::people(self.commits.values().map(|counted| {
            let author = &counted.author;
            let people = CommitPeople {
                name: author.name.as_bstr(),
                mail: author.address().as_bstr(),
                co_authors: &counted.co_authors,
                date: author.date(),
            };
            (people, counted.lines)
        }))
    }
}
