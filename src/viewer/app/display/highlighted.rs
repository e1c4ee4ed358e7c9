//! The colours of a text, as far as they are known.

use std::ops::Range;

use crate::viewer::protocol::{Colours, Spans, SyntaxClass};

/// What is known of a text's colours.
#[derive(Debug, Clone, Default)]
pub struct Coloured {
    /// Why the text has no colours, if it has none; empty where that needs no words.
    pub plain: Option<String>,
    spans: Vec<Option<Spans>>,
}

impl Coloured {
    /// Takes the spans of lines of a text with `count` lines.
    pub fn take(&mut self, colours: Colours, count: u32) {
        let start = colours.start as usize;
        let end = (start + colours.lines.len()).min(count as usize);
        if self.spans.len() < end {
            self.spans.resize(end, None);
        }
        for (slot, spans) in self.spans.iter_mut().skip(start).zip(colours.lines) {
            *slot = Some(spans);
        }
        self.plain = colours.plain.or(self.plain.take());
    }

    /// The colours of a line, when they are known.
    pub fn line(&self, line: u32) -> &[(u32, SyntaxClass)] {
        let spans = self.spans.get(line as usize);
        spans.and_then(Option::as_deref).unwrap_or_default()
    }

    /// Nothing needs to be asked for these lines of a text with `count` lines.
    pub fn covers(&self, lines: &Range<u32>, count: u32) -> bool {
        let (start, end) = (lines.start as usize, lines.end.min(count) as usize);
        let known = self.spans.get(start..end);
        let known = known.is_some_and(|known| known.iter().all(Option::is_some));
        self.plain.is_some() || start >= end || known
    }
}
