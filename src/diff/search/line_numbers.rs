//! Lines numbered by first appearance, for the searches that look at whole texts.

use crate::diff::types::Token;

const NONE: u32 = u32::MAX;

/// Numbers the lines of both sides 0, 1, 2 and so on.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// By token; all [`NONE`] between two runs.
    of: Vec<u32>,
    pub(crate) old: Vec<u32>,
    pub(crate) new: Vec<u32>,
    /// How many numbers there are.
    pub(crate) count: usize,
}

impl Numbers {
    /// Numbers the old lines first, then the new ones. `tokens` is above every token.
    pub(crate) fn run(&mut self, old: &[Token], new: &[Token], tokens: usize) {
        if self.of.len() < tokens {
            self.of.resize(tokens, NONE);
        }
        let mut count = 0;
        for (side, numbers) in [(old, &mut self.old), (new, &mut self.new)] {
            numbers.clear();
            numbers.extend(side.iter().map(|&token| {
                let number = &mut self.of[token as usize];
                if *number == NONE {
                    *number = count;
                    count += 1;
                }
                *number
            }));
        }
        for &token in old.iter().chain(new) {
            self.of[token as usize] = NONE;
        }
        self.count = count as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_lines_first() {
        let mut numbers = Numbers::default();
        for _ in 0..2 {
            numbers.run(&[7, 3, 7], &[9, 3, 1, 9], 10);
            assert_eq!(numbers.old, [0, 1, 0]);
            assert_eq!(numbers.new, [2, 1, 3, 2]);
            assert_eq!(numbers.count, 4);
        }
    }
}
