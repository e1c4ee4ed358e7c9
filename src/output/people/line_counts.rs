//! The lines of each commit of a blame, and who made these commits.

use bstr::{BString, ByteSlice};
use rustc_hash::FxHashMap;

use crate::{
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
