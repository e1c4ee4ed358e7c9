//! Passes each version of a file to a sink, with its place in the graph of versions.

use std::ops::ControlFlow;

use regex::bytes::Regex;
use smallvec::SmallVec;

use crate::engine::{
    api::{
        error::Error,
        file_history::{FileHistorySink, FileRevision, PreviousRevision, TextOccurrences},
    },
    board::scoreboard::SuspectId,
    file_history::{
        occurrences::OccurrenceCounter,
        version_visitor::{FoundVersion, VersionVisitor, place},
    },
    walk::state::{Interrupt, Walk, check_flow},
};

/// The visitor of `--file-history`.
pub(crate) struct ReportedRevisions<'s> {
    sink: &'s mut dyn FileHistorySink,
    search: Option<OccurrenceCounter>,
}

impl<'s> ReportedRevisions<'s> {
    pub(crate) fn new(sink: &'s mut dyn FileHistorySink, search: Option<Regex>) -> Self {
        let search = search.map(OccurrenceCounter::new);
        ReportedRevisions { sink, search }
    }

    fn occurrences(
        &mut self,
        walk: &mut Walk<'_>,
        found: &FoundVersion<'_>,
    ) -> Result<Option<TextOccurrences>, Error> {
        let Some(counter) = &mut self.search else {
            return Ok(None);
        };
        let mut count = |suspect| -> Result<u64, Error> {
            let version = walk.text(suspect)?;
            Ok(counter.count(&version, &walk.caches.lines))
        };
        let here = count(found.suspect)?;
        let mut before: SmallVec<[u64; 2]> = SmallVec::new();
        for &parent in found.parents {
            before.push(count(parent)?);
        }
        let previous = before.first().copied().unwrap_or(0);
        if found.parents.is_empty() || walk.parents_of(found.header).len() > found.parents.len() {
            before.push(0);
        }
        Ok(Some(TextOccurrences {
            count: here,
            previous,
            is_changed: before.iter().all(|&before| before != here),
        }))
    }
}

impl VersionVisitor for ReportedRevisions<'_> {
    /// Passes a version on, with the difference to that of the first parent that has the file.
    fn version(&mut self, walk: &mut Walk<'_>, found: &FoundVersion<'_>) -> Result<(), Interrupt> {
        let suspect = found.suspect;
        let entry = walk.board.get(suspect).entry;
        let previous = found.parents.first().copied();
        let (added, removed) = match previous {
            None => (walk.text(suspect)?.tokens.len() as u32, 0),
            Some(parent) if walk.board.get(parent).entry.id == entry.id => (0, 0),
            Some(parent) => count_changes(walk, suspect, parent)?,
        };
        let occurrences = self.occurrences(walk, found)?;
        let (commit, path) = place(walk, suspect);
        let previous = previous.map(|parent| (place(walk, parent), walk.board.get(parent).entry));
        check_flow(
            self.sink.revision(&FileRevision {
                commit,
                time: found.header.time,
                path: &path,
                entry,
                is_merge: walk.caches.commits.parents(found.header).len() > 1,
                added,
                removed,
                previous: previous
                    .as_ref()
                    .map(|((commit, path), entry)| PreviousRevision {
                        commit: *commit,
                        path,
                        entry: *entry,
                    }),
                children: found.children,
                occurrences,
            }),
        )
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.sink.progress(frontier)
    }
}

/// The numbers of lines that were added and removed.
fn count_changes(
    walk: &mut Walk<'_>,
    suspect: SuspectId,
    parent: SuspectId,
) -> Result<(u32, u32), Interrupt> {
    let mut hunks = std::mem::take(&mut walk.buffers.hunks);
    hunks.clear();
    walk.stats.patches += 1;
    walk.compare(suspect, parent, &mut hunks)?;
    let added = hunks.iter().map(|hunk| hunk.new.end - hunk.new.start);
    let removed = hunks.iter().map(|hunk| hunk.old.end - hunk.old.start);
    let counts = (added.sum(), removed.sum());
    walk.buffers.hunks = hunks;
    Ok(counts)
}
