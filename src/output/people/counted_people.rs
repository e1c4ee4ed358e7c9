//! The format of `--people`: counts the lines of entries, and writes the people in the end.

use std::sync::Arc;

use crate::{
    engine::{Entry, Origin},
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        commit_provider::CommitProvider,
        error::OutputError,
        json::records::JsonHeader,
        list_row::ListStyle,
        people::{json_people, people_rows},
        stream::EntryFormat,
    },
    repository::commits::line_counts::LineCounts,
};

/// Counts lines by person.
#[derive(Debug)]
pub struct CountedPeople<'a, C> {
    commits: &'a mut C,
    /// `None` for rows that people read.
    json: Option<JsonHeader<'a>>,
    style: &'a ListStyle,
    counts: LineCounts,
}

impl<'a, C: CommitProvider> CountedPeople<'a, C> {
    /// Creates the format; commit metadata come from `commits`. It writes JSON lines if it has their header, or else rows.
    pub fn new(commits: &'a mut C, json: Option<JsonHeader<'a>>, style: &'a ListStyle) -> Self {
        CountedPeople {
            commits,
            json,
            style,
            counts: LineCounts::default(),
        }
    }
}

impl<C: CommitProvider> EntryFormat for CountedPeople<'_, C> {
    fn started(&mut self, _: &Arc<[u8]>) {}

    fn write(
        &mut self,
        _: &mut OutputBuffer<'_>,
        entry: &Entry,
        origins: &[Origin],
        _: bool,
    ) -> Result<(), OutputError> {
        let is_screen = self.json.is_none() && self.style.terminal.is_some();
        let authors = |id: &ObjectId| {
            let authors = self.commits.authors(id);
            authors.map(|it| if is_screen { it.on_screen(id) } else { it })
        };
        let added = self.counts.add(entry, origins, authors);
        added.map_err(OutputError::Commit)
    }

    fn end(&mut self, out: &mut OutputBuffer<'_>) {
        match &self.json {
            Some(header) => json_people::push_people(out, header, &self.counts, None),
            None => people_rows::push_people(out, &self.counts, self.style),
        }
    }
}
