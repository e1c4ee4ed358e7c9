//! Compiled POSIX patterns.

use std::ops::Range;

use regex::bytes::Regex;

use crate::ranges::syntax::Syntax;

/// A compiled pattern.
#[derive(Debug)]
pub(super) enum Pattern {
    /// No back references: a linear-time engine.
    Plain(Regex),
    /// Back references need a backtracking engine.
    BackReferences(BackReferences),
}

impl Pattern {
    /// The byte range of the first match.
    pub(super) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        match self {
            Pattern::Plain(regex) => regex.find(text).map(|found| found.range()),
            Pattern::BackReferences(pattern) => pattern.find(text),
        }
    }

    /// Whether the pattern matches anywhere in `text`.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Pattern::Plain(regex) => regex.is_match(text),
            Pattern::BackReferences(pattern) => pattern.find(text).is_some(),
        }
    }
}

/// A pattern with back references. The engine matches characters; text that is not UTF-8 is decoded
/// as Latin-1, one character for each byte.
#[derive(Debug)]
pub(super) struct BackReferences {
    regex: fancy_regex::Regex,
    utf8: bool,
}

impl BackReferences {
    /// `pattern` is in the syntax of the `regex` crate. `None` if the engine rejects it.
    pub(super) fn new(pattern: &str, syntax: Syntax, utf8: bool) -> Option<Self> {
        let case = if syntax.ignore_case { "i" } else { "" };
        let lines = if syntax.by_lines { "m" } else { "s" };
        let regex = fancy_regex::Regex::new(&format!("(?{case}{lines}){pattern}"));
        regex.ok().map(|regex| BackReferences { regex, utf8 })
    }

    /// Decodes Latin-1.
    pub(super) fn widened(text: &[u8]) -> String {
        text.iter().copied().map(char::from).collect()
    }

    /// The byte range of the first match; `None` also if the engine's backtracking limit is reached.
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
