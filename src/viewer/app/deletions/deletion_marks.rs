//! The places of a view where lines were deleted.

use std::collections::BTreeMap;

use crate::viewer::model::background::{
    deletions::{DeletionQuery, KnownDeletion},
    line_history::HistoryProgress,
};

/// The deletions of a view, as far as they were found.
#[derive(Debug)]
pub struct DeletionMarks {
    /// The number of the query.
    pub(crate) id: u64,
    /// The query.
    pub query: DeletionQuery,
    /// How far the history is known.
    pub progress: HistoryProgress,
    /// The deletions below each line (0-based), and before the first one (`None`).
    places: BTreeMap<Option<u32>, Vec<KnownDeletion>>,
}

impl DeletionMarks {
    pub(crate) fn new(id: u64, query: DeletionQuery) -> DeletionMarks {
        DeletionMarks {
            id,
            query,
            progress: HistoryProgress::Running(None),
            places: BTreeMap::new(),
        }
    }

    /// Adds deletions.
    pub(crate) fn add(&mut self, deletions: Vec<KnownDeletion>) {
        for deletion in deletions {
            self.places
                .entry(deletion.below)
                .or_default()
                .push(deletion);
        }
    }

    /// True if more may be found.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.progress, HistoryProgress::Running(_))
    }

    /// The number of places.
    pub fn place_count(&self) -> usize {
        self.places.len()
    }

    /// The lines (0-based) that have marks, in order.
    pub(crate) fn lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = self.places.keys().map(|line| line.unwrap_or(0)).collect();
        lines.dedup();
        lines
    }

    /// The deletions below a line (0-based), or before the first line (`None`).
    pub fn below(&self, line: Option<u32>) -> &[KnownDeletion] {
        self.places.get(&line).map_or(&[], Vec::as_slice)
    }

    /// The deletions at a line: those below it, and at the first line those before it too.
    pub fn at(&self, line: u32) -> impl Iterator<Item = &KnownDeletion> {
        let before = match line {
            0 => self.below(None),
            _ => &[],
        };
        before.iter().chain(self.below(Some(line)))
    }

    /// Where the deletions at a line were.
    pub fn place_in_words(&self, line: u32) -> &'static str {
        let is_before = line == 0 && !self.below(None).is_empty();
        match (is_before, self.below(Some(line)).is_empty()) {
            (true, false) => "around",
            (true, true) => "above",
            (false, _) => "below",
        }
    }

    /// How many lines were deleted at a line.
    pub fn line_count(&self, line: u32) -> u64 {
        self.at(line)
            .map(|deletion| u64::from(deletion.line_count))
            .sum()
    }
}
