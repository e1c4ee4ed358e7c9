//! What a query has found that begins anew when its page is seen again.

use crate::viewer::model::background::line_history::HistoryProgress;

/// The items that are known.
#[derive(Debug)]
pub(super) struct ResumedItems<T> {
    pub(super) items: Vec<T>,
    pub(super) progress: HistoryProgress,
    /// The number of the query; 0 once its answer is not awaited.
    pub(super) id: u64,
    /// How many items come again that are known.
    known: usize,
}

impl<T> ResumedItems<T> {
    /// No items, for a query that is still to be asked.
    pub(super) fn new() -> ResumedItems<T> {
        ResumedItems {
            items: Vec::new(),
            progress: HistoryProgress::Running(None),
            id: 0,
            known: 0,
        }
    }

    /// Notes that the query of this number was asked.
    pub(super) fn asked(&mut self, id: u64) {
        self.id = id;
        self.known = self.items.len();
    }

    /// Takes further items, and the date before which the others are.
    pub(super) fn add(&mut self, items: Vec<T>, frontier: Option<i64>) {
        self.extend(items);
        self.progress = HistoryProgress::Running(frontier);
    }

    /// Takes further items.
    pub(super) fn extend(&mut self, items: Vec<T>) {
        let again = self.known.min(items.len());
        self.known -= again;
        self.items.extend(items.into_iter().skip(again));
    }

    /// True until the query has ended.
    pub(super) fn is_running(&self) -> bool {
        matches!(self.progress, HistoryProgress::Running(_))
    }
}
