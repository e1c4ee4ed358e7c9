//! The hash table under [`Lines`](crate::diff::lines::interner::Lines): hash to token, open addressing.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::diff::types::Token;

/// Slots hold the hash in the upper half and the token in the lower; never this, as no token is
/// `u32::MAX`.
const EMPTY: u64 = u64::MAX;
const SMALLEST: usize = 1024;

/// Finds a token by the hash of its bytes. The caller keeps the bytes and compares them.
#[derive(Debug, Default)]
pub(crate) struct Table {
    slots: Vec<u64>,
    used: usize,
}

/// The hash that [`Table`] wants.
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

impl Table {
    /// The token stored with `hash` for which `is_it` holds.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_it: impl Fn(Token) -> bool) -> Option<Token> {
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
            if (slot >> 32) as u32 == hash && is_it(slot as Token) {
                return Some(slot as Token);
            }
            at = (at + 1) & mask;
        }
    }

    /// The first token stored with `hash`, whose bytes are probably those looked for; `Token::MAX`
    /// if there is none.
    #[inline]
    pub(crate) fn candidate(&self, hash: u32) -> Token {
        self.find(hash, |_| true).unwrap_or(Token::MAX)
    }

    /// Adds a token that [`Table::find`] did not find.
    pub(crate) fn insert(&mut self, hash: u32, token: Token) {
        if (self.used + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.used += 1;
        self.place(u64::from(hash) << 32 | u64::from(token));
    }

    /// Bytes on the heap.
    pub(crate) fn bytes_held(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    fn grow(&mut self) {
        let wider = vec![EMPTY; (self.slots.len() * 2).max(SMALLEST)];
        let narrow = std::mem::replace(&mut self.slots, wider);
        for slot in narrow {
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
