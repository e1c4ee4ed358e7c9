//! Dense ids for the lines of one diff, as the patience and histogram algorithms need them.

use crate::diff::types::Token;

const UNASSIGNED: u32 = u32::MAX;

/// Ids of the lines of both sides, consecutive from 0 in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct DenseIds {
    /// By token; all [`UNASSIGNED`] between two diffs.
    by_token: Vec<u32>,
    pub(crate) old: Vec<u32>,
    pub(crate) new: Vec<u32>,
    /// The number of distinct ids.
    pub(crate) count: usize,
}

impl DenseIds {
    /// Assigns ids, to old lines first. `tokens` is an exclusive upper bound of the tokens.
    pub(crate) fn assign(&mut self, old: &[Token], new: &[Token], tokens: usize) {
        if self.by_token.len() < tokens {
            self.by_token.resize(tokens, UNASSIGNED);
        }
        let mut count = 0;
        for (side, ids) in [(old, &mut self.old), (new, &mut self.new)] {
            ids.clear();
            ids.extend(side.iter().map(|&token| {
                let id = &mut self.by_token[token as usize];
                if *id == UNASSIGNED {
                    *id = count;
                    count += 1;
                }
                *id
            }));
        }
        for &token in old.iter().chain(new) {
            self.by_token[token as usize] = UNASSIGNED;
        }
        self.count = count as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_first_appearance_old_side_first() {
        let mut ids = DenseIds::default();
        for _ in 0..2 {
            ids.assign(&[7, 3, 7], &[9, 3, 1, 9], 10);
            assert_eq!(ids.old, [0, 1, 0]);
            assert_eq!(ids.new, [2, 1, 3, 2]);
            assert_eq!(ids.count, 4);
        }
    }
}
