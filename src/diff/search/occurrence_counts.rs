//! Lazy occurrence counts: whether a line is frequent in a text.

use crate::diff::types::Token;

/// Tokens counted by one scan each before all tokens are counted in one pass.
const MAX_SCANS: usize = 16;
/// Tokens scanned between checks whether the limit is reached.
const SCAN_BLOCK: usize = 512;

/// Memoized occurrence counts of tokens in one text.
#[derive(Debug, Default)]
pub(crate) struct OccurrenceCounts {
    /// By token, 1 + a lower bound of its count, or 0 if not counted; all 0 between two texts.
    counts: Vec<u32>,
    /// The tokens counted by a scan.
    scanned: Vec<Token>,
    /// All tokens have been counted.
    complete: bool,
}

impl OccurrenceCounts {
    /// True if `token` occurs at least `limit` times in `text`, which must stay the same until
    /// [`OccurrenceCounts::clear`].
    pub(crate) fn has_at_least(&mut self, token: Token, text: &[Token], limit: u32) -> bool {
        let count = self.counts[token as usize];
        if count > 0 {
            return count > limit;
        }
        if self.complete {
            return limit == 0;
        }
        if self.scanned.len() == MAX_SCANS {
            self.count_all(text);
            return self.counts[token as usize] > limit;
        }
        let mut count = 0;
        for block in text.chunks(SCAN_BLOCK) {
            let same = block.iter().map(|&other| u32::from(other == token));
            count += same.sum::<u32>();
            if count >= limit {
                break;
            }
        }
        self.counts[token as usize] = count + 1;
        self.scanned.push(token);
        count >= limit
    }

    /// Allocates counts for tokens below `tokens`.
    pub(crate) fn reserve(&mut self, tokens: usize) {
        if self.counts.len() < tokens {
            self.counts.resize(tokens, 0);
        }
    }

    /// Clears the counts, before another text.
    pub(crate) fn clear(&mut self, text: &[Token]) {
        if self.complete {
            for &token in text {
                self.counts[token as usize] = 0;
            }
        }
        for token in self.scanned.drain(..) {
            self.counts[token as usize] = 0;
        }
        self.complete = false;
    }

    fn count_all(&mut self, text: &[Token]) {
        for token in self.scanned.drain(..) {
            self.counts[token as usize] = 0;
        }
        for &token in text {
            let count = &mut self.counts[token as usize];
            *count = (*count).max(1) + 1;
        }
        self.complete = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_and_full_count_agree() {
        let text: Vec<Token> = (0..21).flat_map(|n| vec![n; n as usize]).collect();
        let mut counts = OccurrenceCounts::default();
        counts.reserve(21);
        for round in 1..=21 {
            for token in 0..round {
                assert!(counts.has_at_least(token, &text, token.max(1)) || token == 0);
                assert!(!counts.has_at_least(token, &text, token + 1));
            }
            counts.clear(&text);
        }
    }
}
