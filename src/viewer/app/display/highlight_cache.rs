//! The syntax highlighting of a text.

use std::ops::Range;

use crate::viewer::{
    model::texts::syntax::{Spans, SyntaxClass},
    protocol::HighlightedLines,
};

/// Highlighted lines of a text.
#[derive(Debug, Clone, Default)]
pub struct HighlightCache {
    /// Why the text is not highlighted, if so; empty if there is nothing to report.
    pub unhighlighted_reason: Option<String>,
    spans: Vec<Option<Spans>>,
    /// The number of spans of all lines.
    count: usize,
}

impl HighlightCache {
    /// Stores the spans of lines of a text with `count` lines.
    pub fn insert(&mut self, highlighted: HighlightedLines, count: u32) {
        let start = highlighted.start as usize;
        let end = (start + highlighted.lines.len()).min(count as usize);
        if self.spans.len() < end {
            self.spans.resize(end, None);
        }
        for (slot, spans) in self.spans.iter_mut().skip(start).zip(highlighted.lines) {
            self.count += spans.len();
            self.count -= slot.replace(spans).map_or(0, |before| before.len());
        }
        self.unhighlighted_reason = highlighted
            .unhighlighted_reason
            .or(self.unhighlighted_reason.take());
    }

    /// About how many bytes it has in memory.
    pub(crate) fn memory_len(&self) -> usize {
        self.spans.len() * (size_of::<Option<Spans>>() + 16)
            + self.count * size_of::<(u32, SyntaxClass)>()
    }

    /// The spans of a line, if known.
    pub fn line(&self, line: u32) -> &[(u32, SyntaxClass)] {
        let spans = self.spans.get(line as usize);
        spans.and_then(Option::as_deref).unwrap_or_default()
    }

    /// True if these lines of a text with `count` lines are highlighted.
    pub fn covers(&self, lines: &Range<u32>, count: u32) -> bool {
        let (start, end) = (lines.start as usize, lines.end.min(count) as usize);
        let known = self.spans.get(start..end);
        let known = known.is_some_and(|known| known.iter().all(Option::is_some));
        self.unhighlighted_reason.is_some() || start >= end || known
    }
}
