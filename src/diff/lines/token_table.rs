//! The hash table of the line interner: hash to token, with open addressing and linear probing.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::diff::types::Token;

/// An empty slot. Slots hold the hash in the upper half and the token in the lower, and no token is
/// `u32::MAX`.
const EMPTY: u64 = u64::MAX;
/// Initial number of slots.
const MIN_SLOTS: usize = 1024;

/// Maps hashes to tokens. The caller stores the lines and compares them.
#[derive(Debug, Default)]
pub(crate) struct TokenTable {
    slots: Vec<u64>,
    used: usize,
}

/// The hash of a line for [`TokenTable`].
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

impl TokenTable {
    /// The token stored under `hash` for which `is_equal` holds.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_equal: impl Fn(Token) -> bool) -> Option<Token> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return None;
            }
            if (slot >> 32) as u32 == hash && is_equal(slot as Token) {
                return Some(slot as Token);
            }
            at = (at + 1) & mask;
        }
    }

    /// The first token stored under `hash`, most likely the right one; `Token::MAX` if none.
    #[inline]
    pub(crate) fn candidate(&self, hash: u32) -> Token {
        self.find(hash, |_| true).unwrap_or(Token::MAX)
    }

    /// Adds a token that is not in the table.
    pub(crate) fn insert(&mut self, hash: u32, token: Token) {
        if (self.used + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.used += 1;
        self.place(u64::from(hash) << 32 | u64::from(token));
    }

    /// Allocated heap bytes.
    pub(crate) fn bytes_held(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; (self.slots.len() * 2).max(MIN_SLOTS)];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot != EMPTY {
                self.place(slot);
            }
        }
    }

    fn place(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while self.slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}
