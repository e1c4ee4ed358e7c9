//! Line interning: each distinct line is stored once and identified by a token.

use memchr::memchr;

use crate::diff::{
    lines::{
        line_predictor::LinePredictor,
        token_table::{self, TokenTable},
        whitespace::{self, Indent},
    },
    types::{DiffError, Token},
};

/// Stored instead of an indent for blank lines.
const BLANK: u8 = u8::MAX;

/// A line interner. Tokens are consecutive from 0 in order of first appearance.
///
/// A line includes its LF. A last line without LF is distinct from the same line with one.
#[derive(Debug)]
pub struct LineInterner {
    bytes: Vec<u8>,
    /// Start of each line in `bytes`, followed by the end of the last one. Start and end of a line
    /// are adjacent, so a lookup costs one cache miss instead of two.
    starts: Vec<usize>,
    lens: Vec<u32>,
    /// Indent in columns, or [`BLANK`].
    indents: Vec<u8>,
    predictor: LinePredictor,
    table: TokenTable,
    longest: u32,
    classes: Option<WhitespaceClasses>,
}

/// Equivalence classes of lines under `-w`.
#[derive(Debug, Default)]
struct WhitespaceClasses {
    /// By token, the first token of its class.
    representative: Vec<Token>,
    table: TokenTable,
    stripped: Vec<u8>,
}

impl Default for LineInterner {
    fn default() -> Self {
        LineInterner::new(false)
    }
}

impl LineInterner {
    /// Creates an empty interner. `ignore_whitespace` is required for diffs with
    /// [`DiffOptions::ignore_whitespace`](crate::diff::types::DiffOptions::ignore_whitespace).
    pub fn new(ignore_whitespace: bool) -> Self {
        LineInterner {
            bytes: Vec::new(),
            starts: vec![0],
            lens: Vec::new(),
            indents: Vec::new(),
            predictor: LinePredictor::default(),
            table: TokenTable::default(),
            longest: 0,
            classes: ignore_whitespace.then(WhitespaceClasses::default),
        }
    }

    /// The number of distinct lines; every token is below it.
    pub fn count(&self) -> usize {
        self.lens.len()
    }

    /// Allocated heap bytes, to bound memory use.
    pub fn bytes_held(&self) -> usize {
        let per_line = size_of::<usize>() + size_of::<u32>() + 1;
        let classes = self.classes.as_ref().map_or(0, |classes| {
            classes.representative.capacity() * size_of::<Token>() + classes.table.bytes_held()
        });
        self.bytes.capacity()
            + self.predictor.bytes_held()
            + self.starts.capacity() * per_line
            + self.table.bytes_held()
            + classes
    }

    /// The line's bytes, including its LF if it has one.
    pub fn bytes(&self, token: Token) -> &[u8] {
        let token = token as usize;
        &self.bytes[self.starts[token]..self.starts[token + 1]]
    }

    /// The length of [`LineInterner::bytes`].
    pub fn len(&self, token: Token) -> u32 {
        self.lens[token as usize]
    }

    /// Length of the longest line in bytes.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// Indent of the line, for the indent heuristic.
    pub fn indent(&self, token: Token) -> Indent {
        let column = self.indents[token as usize];
        (column != BLANK).then_some(column)
    }

    /// The line's equivalence class under `-w`; the token itself unless this interner ignores
    /// whitespace.
    pub fn class(&self, token: Token) -> Token {
        match &self.classes {
            Some(classes) => classes.representative[token as usize],
            None => token,
        }
    }

    /// Returns the token of a line, adding it if new. No byte but the last may be LF.
    ///
    /// Fails beyond 2³²−1 distinct lines and for lines of 4 GiB or more.
    pub fn intern(&mut self, line: &[u8]) -> Result<Token, DiffError> {
        let hash = token_table::hash(line);
        match self.table.find(hash, |token| self.bytes(token) == line) {
            Some(token) => Ok(token),
            None => self.add(line, hash),
        }
    }

    /// Interns consecutive lines of `text` that end at the offsets `ends`, appending their tokens
    /// to `out`.
    ///
    /// A lookup is a chain of cache misses (hash slot, offset, bytes). Processing lines in batches,
    /// one step at a time, lets these misses overlap.
    ///
    /// Fails as [`LineInterner::intern`] does; `out` then holds the tokens up to the failure.
    pub fn intern_all(
        &mut self,
        text: &[u8],
        ends: &[usize],
        out: &mut Vec<Token>,
    ) -> Result<(), DiffError> {
        const BATCH: usize = 16;
        let mut start = 0;
        for ends in ends.chunks(BATCH) {
            let mut lines = [&text[..0]; BATCH];
            let mut hashes = [0; BATCH];
            for ((&end, line), hash) in ends.iter().zip(&mut lines).zip(&mut hashes) {
                *line = &text[start..end];
                *hash = token_table::hash(line);
                start = end;
            }
            let batch = ends.len();
            let candidates = hashes.map(|hash| self.table.candidate(hash));
            let stored = candidates.map(|token| self.get(token).unwrap_or_default());
            let same: [bool; BATCH] = std::array::from_fn(|nth| stored[nth] == lines[nth]);
            for nth in 0..batch {
                out.push(if same[nth] && candidates[nth] != Token::MAX {
                    candidates[nth]
                } else {
                    self.intern(lines[nth])?
                });
            }
        }
        Ok(())
    }

    /// Splits a text into lines and appends their tokens to `out`.
    ///
    /// Fails as [`LineInterner::intern`] does; `out` then holds the tokens up to the failure.
    pub fn tokenize(&mut self, text: &[u8], out: &mut Vec<Token>) -> Result<(), DiffError> {
        self.each_line(text, |token, _| out.push(token))
    }

    /// Like [`LineInterner::tokenize`], and appends the byte offset of each line's end to `ends`.
    ///
    /// Also fails if the text has 4 GiB or more.
    pub fn tokenize_with_ends(
        &mut self,
        text: &[u8],
        out: &mut Vec<Token>,
        ends: &mut Vec<u32>,
    ) -> Result<(), DiffError> {
        if u32::try_from(text.len()).is_err() {
            return Err(DiffError::TooManyLines);
        }
        self.each_line(text, |token, end| {
            out.push(token);
            ends.push(end as u32);
        })
    }

    fn each_line(
        &mut self,
        text: &[u8],
        mut emit: impl FnMut(Token, usize),
    ) -> Result<(), DiffError> {
        let mut predictor = std::mem::take(&mut self.predictor);
        predictor.start_text();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let token = if let Some(predicted) =
                predictor.predict(|predicted| self.starts_with_line(rest, predicted))
            {
                predicted
            } else {
                let len = memchr(b'\n', rest).map_or(rest.len(), |lf| lf + 1);
                let token = self.intern(&rest[..len])?;
                predictor.resync(token);
                token
            };
            at += self.lens[token as usize] as usize;
            predictor.record(token);
            emit(token, at);
        }
        self.predictor = predictor;
        Ok(())
    }

    /// True if `rest` starts with the line `predicted`.
    #[inline]
    fn starts_with_line(&self, rest: &[u8], predicted: Token) -> bool {
        let Some(line) = self.get(predicted) else {
            return false;
        };
        rest.starts_with(line) && (rest.len() == line.len() || line.ends_with(b"\n"))
    }

    #[inline]
    fn get(&self, token: Token) -> Option<&[u8]> {
        match self.starts.get(token as usize..)? {
            &[start, end, ..] => self.bytes.get(start..end),
            _ => None,
        }
    }

    #[cold]
    fn add(&mut self, line: &[u8], hash: u32) -> Result<Token, DiffError> {
        let token = Token::try_from(self.lens.len())
            .ok()
            .filter(|&token| token != Token::MAX)
            .ok_or(DiffError::TooManyLines)?;
        let len = u32::try_from(line.len()).map_err(|_| DiffError::TooManyLines)?;
        self.lens.push(len);
        self.bytes.extend_from_slice(line);
        self.starts.push(self.bytes.len());
        self.indents.push(whitespace::indent(line).unwrap_or(BLANK));
        self.longest = self.longest.max(len);
        self.table.insert(hash, token);
        if let Some(mut classes) = self.classes.take() {
            classes.add(self, token);
            self.classes = Some(classes);
        }
        Ok(token)
    }
}

impl WhitespaceClasses {
    fn add(&mut self, lines: &LineInterner, token: Token) {
        whitespace::strip(lines.bytes(token), &mut self.stripped);
        let hash = token_table::hash(&self.stripped);
        let existing = self.table.find(hash, |class| {
            whitespace::strips_to(lines.bytes(class), &self.stripped)
        });
        if existing.is_none() {
            self.table.insert(hash, token);
        }
        self.representative.push(existing.unwrap_or(token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(lines: &mut LineInterner, text: &str) -> Vec<Token> {
        let mut out = Vec::new();
        lines.tokenize(text.as_bytes(), &mut out).unwrap();
        out
    }

    #[test]
    fn equal_lines_share_a_token() {
        let mut lines = LineInterner::default();
        assert_eq!(tokens(&mut lines, ""), []);
        assert_eq!(tokens(&mut lines, "a\nb\na\nb\n\na"), [0, 1, 0, 1, 2, 3]);
        assert_eq!(tokens(&mut lines, "a\nb\na\n"), [0, 1, 0]);
        assert_eq!(tokens(&mut lines, "a"), [3]);
        assert_eq!(tokens(&mut lines, "a\n\n"), [0, 2]);
        assert_eq!(tokens(&mut lines, "a\rb\n\0\n"), [4, 5]);
        assert_eq!(lines.bytes(4), b"a\rb\n");
        assert_eq!(lines.len(4), 4);
        assert_eq!(lines.longest(), 4);
        assert_eq!(lines.intern(b"\n").unwrap(), 2);
        assert_eq!(lines.count(), 6);
    }

    #[test]
    fn tokens_survive_table_growth() {
        let mut lines = LineInterner::default();
        let text: String = (0..10_000).map(|n| format!("{}\n", n % 7_000)).collect();
        let first = tokens(&mut lines, &text);
        assert!(first.iter().copied().eq((0..10_000).map(|n| n % 7_000)));
        assert_eq!(tokens(&mut lines, &text), first);
        assert!(lines.bytes_held() > 7_000 * 21);
    }

    #[test]
    fn prediction_never_changes_tokens() {
        let mut state = 7_u32;
        let mut below = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % n
        };
        let mut lines = LineInterner::default();
        let mut text: Vec<String> = (0..300).map(|n| format!("{}\n", n % 70)).collect();
        for _ in 0..500 {
            let at = below(text.len());
            let end = (at + below(40)).min(text.len());
            match below(5) {
                0 if text.len() > 200 => drop(text.drain(at..end)),
                1 => text
                    .splice(at..at, (0..at).map(|n| format!("{n}\n")))
                    .for_each(drop),
                2 => text[at] = format!("{}", below(1000)),
                3 => text[at..end].rotate_left((end - at) / 3),
                _ => text.truncate(below(100) + 300),
            }
            let bytes = text.concat();
            let found = tokens(&mut lines, &bytes);
            let split = bytes.split_inclusive('\n').map(str::as_bytes);
            assert!(found.iter().map(|&token| lines.bytes(token)).eq(split));
        }
        let all: Vec<&[u8]> = (0..lines.count())
            .map(|n| lines.bytes(n as Token))
            .collect();
        let mut distinct = all.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn line_ends_are_byte_offsets() {
        let mut lines = LineInterner::default();
        let (mut out, mut ends) = (Vec::new(), Vec::new());
        lines
            .tokenize_with_ends(b"ab\n\nc", &mut out, &mut ends)
            .unwrap();
        assert_eq!(ends, [3, 4, 5]);
        assert_eq!(out, [0, 1, 2]);
    }

    #[test]
    fn whitespace_classes() {
        let mut lines = LineInterner::new(true);
        let all = tokens(&mut lines, "a b\nab\n\n \t\r\n\x0c\n  a b");
        let classes: Vec<Token> = all.iter().map(|&token| lines.class(token)).collect();
        assert_eq!(classes, [0, 0, 2, 2, 4, 0]);
        let mut exact = LineInterner::new(false);
        let all = tokens(&mut exact, "a b\nab\n");
        assert_eq!((exact.class(all[0]), exact.class(all[1])), (0, 1));
    }
}
