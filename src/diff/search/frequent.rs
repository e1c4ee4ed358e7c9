//! Whether a line is frequent in a text, counting no more than is asked for.

use crate::diff::types::Token;

/// So many lines are counted one at a time before all of them are.
const ONE_BY_ONE: usize = 16;
/// So many lines are looked at before it is asked whether these are enough.
const STRETCH: usize = 512;

/// Remembers what was counted.
#[derive(Debug, Default)]
pub(crate) struct Frequent {
    /// By token, one more than the count as far as it is known, or 0; all 0 between two texts.
    known: Vec<u32>,
    asked: Vec<Token>,
    all: bool,
}

impl Frequent {
    /// Whether `token` occurs in `text`, always the same one until [`Frequent::forget`], at least
    /// `limit` times.
    pub(crate) fn is(&mut self, token: Token, text: &[Token], limit: u32) -> bool {
        let known = self.known[token as usize];
        if known > 0 {
            return known > limit;
        }
        if self.all {
            return limit == 0;
        }
        if self.asked.len() == ONE_BY_ONE {
            self.count_all(text);
            return self.known[token as usize] > limit;
        }
        let mut count = 0;
        for stretch in text.chunks(STRETCH) {
            let same = stretch.iter().map(|&other| u32::from(other == token));
            count += same.sum::<u32>();
            if count >= limit {
                break;
            }
        }
        self.known[token as usize] = count + 1;
        self.asked.push(token);
        count >= limit
    }

    /// Prepares for tokens below `tokens`.
    pub(crate) fn reserve(&mut self, tokens: usize) {
        if self.known.len() < tokens {
            self.known.resize(tokens, 0);
        }
    }

    /// Prepares for another text.
    pub(crate) fn forget(&mut self, text: &[Token]) {
        if self.all {
            for &token in text {
                self.known[token as usize] = 0;
            }
        }
        for token in self.asked.drain(..) {
            self.known[token as usize] = 0;
        }
        self.all = false;
    }

    fn count_all(&mut self, text: &[Token]) {
        for token in self.asked.drain(..) {
            self.known[token as usize] = 0;
        }
        for &token in text {
            let known = &mut self.known[token as usize];
            *known = (*known).max(1) + 1;
        }
        self.all = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_right_however_many_are_asked_for() {
        let text: Vec<Token> = (0..21).flat_map(|n| vec![n; n as usize]).collect();
        let mut frequent = Frequent::default();
        frequent.reserve(21);
        for round in 1..=21 {
            for token in 0..round {
                assert!(frequent.is(token, &text, token.max(1)) || token == 0);
                assert!(!frequent.is(token, &text, token + 1));
            }
            frequent.forget(&text);
        }
    }
}
