//! The last changes of lines that were asked for.

use std::collections::VecDeque;

use crate::viewer::model::{
    background::line_change::{LineChangeQuery, LineChangeRows},
    source::Failure,
};

/// Most answers that are kept.
const MAX_KEPT: usize = 100;

/// The last changes of lines, and the pending questions.
#[derive(Debug, Default)]
pub(crate) struct LineChangeCache {
    answers: VecDeque<(LineChangeQuery, LineChangeRows)>,
    asked: Option<(u64, LineChangeQuery)>,
    /// The number of the text whose functions were asked for last, and that of the query.
    pub(crate) functions: Option<(u64, u64)>,
}

impl LineChangeCache {
    /// True if a change is known or asked for.
    pub(crate) fn knows(&self, query: &LineChangeQuery) -> bool {
        let asked = self.asked.as_ref();
        asked.is_some_and(|(_, asked)| asked == query) || self.of(query).is_some()
    }

    /// Registers a question by its number.
    pub(crate) fn ask(&mut self, id: u64, query: LineChangeQuery) {
        self.asked = Some((id, query));
    }

    /// Stores an answer, and returns the question. After a failure there are no rows.
    pub(crate) fn insert(
        &mut self,
        id: u64,
        found: Result<LineChangeRows, Failure>,
    ) -> Option<LineChangeQuery> {
        let (_, query) = self.asked.take_if(|(asked, _)| *asked == id)?;
        self.answers.truncate(MAX_KEPT - 1);
        let answer = (query.clone(), found.unwrap_or_default());
        self.answers.push_front(answer);
        Some(query)
    }

    /// The change of a line, if it is known.
    pub(crate) fn of(&self, query: &LineChangeQuery) -> Option<&LineChangeRows> {
        let found = self.answers.iter().find(|(known, _)| known == query);
        found.map(|(_, rows)| rows)
    }
}
