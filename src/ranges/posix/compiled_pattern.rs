//! Compiled POSIX patterns.

use std::ops::Range;

use regex::bytes::Regex;

use crate::ranges::posix::syntax::RegexSyntax;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) enum CompiledPattern {
    /// No back references: a linear-time engine.
    Plain(Regex),
    /// Back references need a backtracking engine.
    BackReferences(BackReferencePattern),
}

impl CompiledPattern {
    /// The byte range of the first match.
    pub(crate) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        match self {
            CompiledPattern::Plain(regex) => regex.find(text).map(|found| found.range()),
            CompiledPattern::BackReferences(pattern) => pattern.find(text),
        }
    }

    /// The byte range of the first group in the first match; that of the match if there is no group
    /// or it takes no part.
    pub(crate) fn find_first_group(&self, text: &[u8]) -> Option<Range<usize>> {
        match self {
            CompiledPattern::Plain(regex) => {
                let found = regex.captures(text)?;
                Some(found.get(1).or(found.get(0))?.range())
            }
            CompiledPattern::BackReferences(pattern) => pattern.find_first_group(text),
        }
    }

    /// True if the pattern matches anywhere in `text`.
    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        match self {
            CompiledPattern::Plain(regex) => regex.is_match(text),
            CompiledPattern::BackReferences(pattern) => pattern.find(text).is_some(),
        }
    }
}

/// A pattern with back references. The engine matches characters; text that is not UTF-8 is decoded
/// as Latin-1, one character for each byte.
#[derive(Debug)]
pub(crate) struct BackReferencePattern {
    regex: fancy_regex::Regex,
    utf8: bool,
}

impl BackReferencePattern {
    /// `pattern` is in the syntax of the `regex` crate. `None` if the engine rejects it.
    pub(crate) fn new(pattern: &str, syntax: RegexSyntax, utf8: bool) -> Option<Self> {
        let case = if syntax.ignore_case { "i" } else { "" };
        let lines = if syntax.by_lines { "m" } else { "s" };
        let regex = fancy_regex::Regex::new(&format!("(?{case}{lines}){pattern}"));
        regex.ok().map(|regex| BackReferencePattern { regex, utf8 })
    }

    /// Decodes Latin-1.
    pub(crate) fn widened(text: &[u8]) -> String {
        text.iter().copied().map(char::from).collect()
    }

    /// The byte range of the first match; `None` also if the engine's backtracking limit is
    /// reached.
    fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        self.find_in(text, |text| Some(self.regex.find(text).ok()??.range()))
    }

    /// As [`CompiledPattern::find_first_group`]; `None` also if the engine's backtracking limit is
    /// reached.
    fn find_first_group(&self, text: &[u8]) -> Option<Range<usize>> {
        self.find_in(text, |text| {
            let found = self.regex.captures(text).ok()??;
            Some(found.get(1).or(found.get(0))?.range())
        })
    }

    /// Runs a search in characters, and returns its result in bytes.
    fn find_in(
        &self,
        text: &[u8],
        find: impl Fn(&str) -> Option<Range<usize>>,
    ) -> Option<Range<usize>> {
        if self.utf8
            && let Ok(text) = std::str::from_utf8(text)
        {
            return find(text);
        }
        let wide = BackReferencePattern::widened(text);
        let found = find(&wide)?;
        let bytes = |end: usize| wide[..end].chars().count();
        Some(bytes(found.start)..bytes(found.end))
    }
}
