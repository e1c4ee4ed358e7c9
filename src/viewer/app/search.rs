//! Searching the file, a slice at a time.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};

use super::text::Text;

/// Bytes looked at before other messages get their turn.
const SLICE: usize = 1 << 20;

/// Matching lines that are remembered; counting ends there.
const LINES: usize = 1 << 20;

/// A search through one file.
#[derive(Debug, Clone)]
pub struct Search {
    pattern: String,
    regex: Regex,
    lines: Vec<u32>,
    scanned: u32,
    total: u32,
}

impl Search {
    /// Begins a search. A pattern that is no expression is taken literally; one without capitals
    /// finds either case. `None` for an empty or monstrous pattern.
    pub fn new(pattern: &str, line_count: u32) -> Option<Self> {
        if pattern.is_empty() {
            return None;
        }
        let any_case = !pattern.chars().any(char::is_uppercase);
        let build = |pattern: &str| {
            RegexBuilder::new(pattern)
                .case_insensitive(any_case)
                .size_limit(1 << 20)
                .build()
        };
        let regex = build(pattern).or_else(|_| build(&regex::escape(pattern)));
        Some(Search {
            pattern: pattern.to_owned(),
            regex: regex.ok()?,
            lines: Vec::new(),
            scanned: 0,
            total: line_count,
        })
    }

    /// The same search through another file.
    pub fn again(&self, line_count: u32) -> Self {
        Search {
            lines: Vec::new(),
            scanned: 0,
            total: line_count,
            pattern: self.pattern.clone(),
            regex: self.regex.clone(),
        }
    }

    /// What is searched for, as typed.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Looks at a further slice of the file.
    pub fn advance(&mut self, text: &Text) {
        let mut looked = 0;
        while !self.is_complete() && looked < SLICE {
            let line = text.line(self.scanned);
            if self.regex.is_match(line) {
                self.lines.push(self.scanned);
            }
            looked += line.len() + 16;
            self.scanned += 1;
        }
    }

    /// The whole file was looked at.
    pub fn is_complete(&self) -> bool {
        self.scanned >= self.total || self.lines.len() >= LINES
    }

    /// How many lines match, as far as is known.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The place of a line among those that match (1-based).
    pub fn ordinal(&self, line: u32) -> Option<usize> {
        self.lines.binary_search(&line).ok().map(|index| index + 1)
    }

    /// The next matching line after `line`, around the end if need be. `None` inside means that it
    /// is not known yet; outside, that nothing matches.
    pub fn next(&self, line: u32) -> Option<Option<u32>> {
        let index = self.lines.partition_point(|&found| found <= line);
        match (self.lines.get(index), self.is_complete()) {
            (Some(&found), _) => Some(Some(found)),
            (None, false) => Some(None),
            (None, true) => self.lines.first().map(|&first| Some(first)),
        }
    }

    /// The matching line before `line`, around the start if need be; `None` as for
    /// [`next`](Self::next).
    pub fn previous(&self, line: u32) -> Option<Option<u32>> {
        if self.scanned < line && !self.is_complete() {
            return Some(None);
        }
        let index = self.lines.partition_point(|&found| found < line);
        match (index.checked_sub(1), self.is_complete()) {
            (Some(index), _) => Some(Some(self.lines[index])),
            (None, false) => Some(None),
            (None, true) => self.lines.last().map(|&last| Some(last)),
        }
    }

    /// Where the pattern is found in some bytes of a line.
    pub fn matches(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let found = self.regex.find_iter(bytes).map(|found| found.range());
        found.filter(|range| !range.is_empty()).take(500).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn search(pattern: &str, text: &[u8]) -> Search {
        let text = Text::new(Arc::from(text));
        let mut search = Search::new(pattern, text.line_count()).expect("a pattern");
        while !search.is_complete() {
            search.advance(&text);
        }
        search
    }

    #[test]
    fn it_goes_around() {
        let found = search("b", b"a\nB\nc\nab\n");
        assert_eq!(found.count(), 2);
        assert_eq!(found.next(0), Some(Some(1)));
        assert_eq!(found.next(3), Some(Some(1)));
        assert_eq!(found.previous(1), Some(Some(3)));
        assert_eq!(found.ordinal(3), Some(2));
        assert_eq!(search("B", b"b\nB").next(0), Some(Some(1)));
        assert_eq!(search("x", b"b\n").next(0), None);
    }

    #[test]
    fn what_is_no_expression_is_literal() {
        assert_eq!(search("f(", b"f(x)\nfx\n").count(), 1);
        assert_eq!(search("^f.$", b"f(x)\nfx\n").next(0), Some(Some(1)));
    }
}
