//! Guessing the next line of a text from the text before it.

use crate::diff::types::Token;

/// The lines of the text before: texts come as versions of each other, and to compare with one
/// line is faster than to look for it among all.
#[derive(Debug, Default)]
pub(crate) struct Guesses {
    last: Vec<Token>,
    /// What in `last` is next.
    at: usize,
    /// How many lines in a row were not in `last` as expected.
    missed: usize,
    /// The lines of this text, which will be the last one.
    seen: Vec<Token>,
    /// Where each token was seen most recently.
    places: Vec<u32>,
}

impl Guesses {
    /// So many lines of the last text may be passed over at once.
    const REACH: usize = 16;
    /// After so many lines that were not expected, any place is as good.
    const PATIENCE: usize = 3;

    /// Begins a text.
    pub(crate) fn start(&mut self) {
        std::mem::swap(&mut self.last, &mut self.seen);
        self.seen.clear();
        self.at = 0;
        self.missed = 0;
    }

    /// The next line if it is as expected: other lines may have replaced those of the last text,
    /// or been inserted before them.
    #[inline]
    pub(crate) fn guess(&mut self, is_it: impl Fn(Token) -> bool) -> Option<Token> {
        let guess = self
            .last
            .get(self.at)
            .copied()
            .filter(|&guess| is_it(guess));
        if guess.is_some() {
            self.at += 1;
            self.missed = 0;
            return guess;
        }
        if self.missed == 0 {
            return None;
        }
        let at = self.at - self.missed;
        let guess = self.last.get(at).copied().filter(|&guess| is_it(guess))?;
        self.at = at + 1;
        self.missed = 0;
        Some(guess)
    }

    /// The next line is `token`, guessed or not.
    #[inline]
    pub(crate) fn see(&mut self, token: Token) {
        let at = token as usize;
        if at >= self.places.len() {
            self.places.resize(at + 1, 0);
        }
        self.places[at] = self.seen.len() as u32;
        self.seen.push(token);
    }

    /// The next line is `token`, which was not guessed.
    pub(crate) fn correct(&mut self, token: Token) {
        let ahead = self.last.get(self.at..).unwrap_or_default();
        let ahead = &ahead[..ahead.len().min(Self::REACH)];
        match ahead.iter().position(|&other| other == token) {
            Some(passed) => {
                self.at += passed + 1;
                self.missed = 0;
            }
            None if self.missed >= Self::PATIENCE => {
                let place = self.places.get(token as usize).map(|&place| place as usize);
                if let Some(place) = place
                    && self.last.get(place) == Some(&token)
                {
                    self.at = place;
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

    /// Bytes on the heap.
    pub(crate) fn bytes_held(&self) -> usize {
        let Guesses {
            last, seen, places, ..
        } = self;
        (last.capacity() + seen.capacity() + places.capacity()) * size_of::<Token>()
    }
}
