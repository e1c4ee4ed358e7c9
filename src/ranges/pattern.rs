//! Compiled patterns.

use std::ops::Range;

use regex::bytes::Regex;

use crate::ranges::syntax::Syntax;

/// A compiled pattern.
#[derive(Debug)]
pub(super) enum Pattern {
    Plain(Regex),
    /// It asks for what a group matched once more, which takes a search that goes back.
    BackReferences(BackReferences),
}

impl Pattern {
    /// Where the first match lies in `text`.
    pub(super) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        match self {
            Pattern::Plain(regex) => regex.find(text).map(|found| found.range()),
            Pattern::BackReferences(pattern) => pattern.find(text),
        }
    }

    /// Whether it matches anywhere in `text`.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Pattern::Plain(regex) => regex.is_match(text),
            Pattern::BackReferences(pattern) => pattern.find(text).is_some(),
        }
    }
}

/// A pattern with back references. It is matched against characters; where the text is not in UTF-8,
/// each byte counts as one.
#[derive(Debug)]
pub(super) struct BackReferences {
    regex: fancy_regex::Regex,
    utf8: bool,
}

impl BackReferences {
    /// `pattern` is in the syntax of `regex`.
    pub(super) fn new(pattern: &str, syntax: Syntax, utf8: bool) -> Option<Self> {
        let case = if syntax.ignore_case { "i" } else { "" };
        let lines = if syntax.by_lines { "m" } else { "s" };
        let regex = fancy_regex::Regex::new(&format!("(?{case}{lines}){pattern}"));
        regex.ok().map(|regex| BackReferences { regex, utf8 })
    }

    /// A character for each byte.
    pub(super) fn widened(text: &[u8]) -> String {
        text.iter().copied().map(char::from).collect()
    }

    /// Where the first match lies; none if the search would take too long.
    fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        if self.utf8
            && let Ok(text) = std::str::from_utf8(text)
        {
            return Some(self.regex.find(text).ok()??.range());
        }
        let wide = BackReferences::widened(text);
        let found = self.regex.find(&wide).ok()??;
        let bytes = |end: usize| wide[..end].chars().count();
        Some(bytes(found.start())..bytes(found.end()))
    }
}
