//! A text that others are compared with.

use crate::diff::{
    differ::Differ,
    lines::interner::LineInterner,
    types::{DiffError, DiffOptions, Hunk, Token},
};

/// How many times as many bytes as for the text alone are held before
/// [`ComparedText::has_grown`].
const MAX_GROWTH: usize = 4;

/// A text that others are compared with, one after the other: its lines and those that they have in
/// common with it are read into tokens once.
#[derive(Debug)]
pub struct ComparedText {
    lines: LineInterner,
    tokens: Vec<Token>,
    options: DiffOptions,
    differ: Differ,
    /// The tokens of the other text.
    other: Vec<Token>,
    /// The bytes that the lines of the text take.
    own_bytes: usize,
}

impl ComparedText {
    /// Reads the lines of `text`.
    ///
    /// # Errors
    ///
    /// If it has too many lines, or one that is too long.
    pub fn new(text: &[u8], options: &DiffOptions) -> Result<ComparedText, DiffError> {
        let mut lines = LineInterner::new(options.ignore_whitespace);
        let mut tokens = Vec::new();
        lines.tokenize(text, &mut tokens)?;
        Ok(ComparedText {
            own_bytes: lines.bytes_held(),
            lines,
            tokens,
            options: *options,
            differ: Differ::default(),
            other: Vec::new(),
        })
    }

    /// The hunks that git finds between the text, as the old one, and `other`.
    ///
    /// # Errors
    ///
    /// As those of [`new`](Self::new) and of [`Differ::hunks`].
    pub fn hunks_to(&mut self, other: &[u8]) -> Result<Vec<Hunk>, DiffError> {
        self.other.clear();
        self.lines.tokenize(other, &mut self.other)?;
        let mut hunks = Vec::new();
        let (lines, old, new) = (&self.lines, &self.tokens, &self.other);
        self.differ
            .hunks(lines, old, new, &self.options, &mut hunks)?;
        Ok(hunks)
    }

    /// True if lines of other texts take so much memory that it should be read anew.
    pub fn has_grown(&self) -> bool {
        self.lines.bytes_held() / MAX_GROWTH > self.own_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_texts_are_compared_as_one_is() {
        let options = DiffOptions::default();
        let text: String = (0..50).map(|at| format!("line {}\n", at % 20)).collect();
        let mut kept = ComparedText::new(text.as_bytes(), &options).unwrap();
        let mut compared = 0;
        while !kept.has_grown() {
            let mut other: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
            let at = compared * 7 % 50;
            other.insert(at, format!("new {compared}\n"));
            other.remove((at + 20) % 50);
            let other = other.concat();
            let mut fresh = ComparedText::new(text.as_bytes(), &options).unwrap();
            let hunks = kept.hunks_to(other.as_bytes()).unwrap();
            assert_eq!(hunks, fresh.hunks_to(other.as_bytes()).unwrap());
            assert!(!hunks.is_empty());
            compared += 1;
            assert!(compared < 10_000, "it has not grown");
        }
        assert!(compared > 20, "{compared}");
    }
}
