//! Predicts the next line of a text from the previously tokenized text.

use crate::diff::types::Token;

/// Line predictor. Consecutive texts are versions of the same file, and comparing with the expected
/// line is faster than hashing and looking it up.
#[derive(Debug, Default)]
pub(crate) struct LinePredictor {
    /// The tokens of the previous text.
    last: Vec<Token>,
    /// Index in `last` of the expected line.
    at: usize,
    /// Mispredictions in a row.
    missed: usize,
    /// The tokens of this text so far; `last` for the next one.
    current: Vec<Token>,
    /// By token, its most recent line number.
    last_lines: Vec<u32>,
}

impl LinePredictor {
    /// Lines of the previous text that may be skipped to resynchronize.
    const LOOKAHEAD: usize = 16;
    /// Mispredictions in a row after which the most recent occurrence anywhere is taken.
    const MAX_MISSES: usize = 3;

    /// Starts a new text.
    pub(crate) fn start_text(&mut self) {
        std::mem::swap(&mut self.last, &mut self.current);
        self.current.clear();
        self.at = 0;
        self.missed = 0;
    }

    /// The next line's token if it is as predicted. After mispredictions, tries both hypotheses:
    /// lines were replaced, or inserted.
    #[inline]
    pub(crate) fn predict(&mut self, is_next: impl Fn(Token) -> bool) -> Option<Token> {
        let token = self
            .last
            .get(self.at)
            .copied()
            .filter(|&token| is_next(token));
        if token.is_some() {
            self.at += 1;
            self.missed = 0;
            return token;
        }
        if self.missed == 0 {
            return None;
        }
        let at = self.at - self.missed;
        let token = self.last.get(at).copied().filter(|&token| is_next(token))?;
        self.at = at + 1;
        self.missed = 0;
        Some(token)
    }

    /// Records the next line's token, whether predicted or not.
    #[inline]
    pub(crate) fn record(&mut self, token: Token) {
        let at = token as usize;
        if at >= self.last_lines.len() {
            self.last_lines.resize(at + 1, 0);
        }
        self.last_lines[at] = self.current.len() as u32;
        self.current.push(token);
    }

    /// Resynchronizes with the previous text after a misprediction of `token`.
    pub(crate) fn resync(&mut self, token: Token) {
        let ahead = self.last.get(self.at..).unwrap_or_default();
        let ahead = &ahead[..ahead.len().min(Self::LOOKAHEAD)];
        match ahead.iter().position(|&other| other == token) {
            Some(skipped) => {
                self.at += skipped + 1;
                self.missed = 0;
            }
            None if self.missed >= Self::MAX_MISSES => {
                let line = self
                    .last_lines
                    .get(token as usize)
                    .map(|&line| line as usize);
                if let Some(line) = line
                    && self.last.get(line) == Some(&token)
                {
                    self.at = line;
                    self.missed = 0;
                }
                self.at += 1;
            }
            None => {
                self.at += 1;
                self.missed += 1;
            }
        }
    }

    /// Allocated heap bytes.
    pub(crate) fn bytes_held(&self) -> usize {
        let LinePredictor {
            last,
            current,
            last_lines,
            ..
        } = self;
        (last.capacity() + current.capacity() + last_lines.capacity()) * size_of::<Token>()
    }
}
