//! Looking through an ignored commit: lines that it changed pass to the old lines they stood for.

use crate::{
    diff::Hunk,
    engine::{
        board::{
            scoreboard::Suspect,
            split::{self, Pending},
        },
        similarity::fuzzy_lines::Guesser,
        walk::traversal::{Retained, Stop, Walk},
    },
};

/// For the new lines from `start`, the old line each of them stood for.
struct Guesses {
    start: u32,
    old: Vec<Option<u32>>,
}

impl Walk<'_> {
    /// Passes changed lines to each retained parent by guessing, while any are pending.
    pub(crate) fn pass_ignored(
        &mut self,
        suspect: Suspect,
        retained: &Retained,
    ) -> Result<(), Stop> {
        for &parent in retained.iter().flatten() {
            if !self.has_pending(suspect) {
                break;
            }
            let mut hunks = Vec::new();
            self.compare(suspect, parent, &mut hunks)?;
            self.stats.patches += 1;
            let (old, new) = (self.text(parent)?, self.text(suspect)?);
            let mut guesser = Guesser::new(&self.caches.lines, &old.tokens, &new.tokens);
            let guesses: Vec<Guesses> = hunks
                .iter()
                .filter(|hunk| !hunk.new.is_empty())
                .map(|hunk: &Hunk| Guesses {
                    start: hunk.new.start,
                    old: guesser.hunk(hunk),
                })
                .collect();
            let pending = std::mem::take(&mut self.board.get_mut(suspect).pending);
            // What stays keeps its order, which need not be that of the lines any longer.
            let (stays, mut moved) = apply(pending, &guesses);
            split::sort_by_source(&mut moved);
            self.board.get_mut(suspect).pending = stays;
            self.hand_over(parent, &mut moved)?;
            // git reads the parent's text again after this.
            self.board.get_mut(parent).loaded = false;
        }
        Ok(())
    }
}

/// Cuts entries into runs of lines that go to consecutive old lines, or nowhere.
fn apply(pending: Vec<Pending>, guesses: &[Guesses]) -> (Vec<Pending>, Vec<Pending>) {
    let (mut stays, mut moved) = (Vec::new(), Vec::new());
    for entry in pending {
        let mut from = 0;
        while from < entry.len {
            let first = guessed(guesses, entry.source + from);
            let mut to = from + 1;
            while to < entry.len && continues(first, to - from, guessed(guesses, entry.source + to))
            {
                to += 1;
            }
            let mut part = entry.part(from, to - from);
            match first {
                Some(old) => {
                    part.source = old;
                    part.ignored = true;
                    moved.push(part);
                }
                None => {
                    part.unblamable = true;
                    stays.push(part);
                }
            }
            from = to;
        }
    }
    (stays, moved)
}

fn guessed(guesses: &[Guesses], line: u32) -> Option<u32> {
    let at = guesses
        .partition_point(|guess| guess.start <= line)
        .checked_sub(1)?;
    let guess = &guesses[at];
    guess
        .old
        .get((line - guess.start) as usize)
        .copied()
        .flatten()
}

fn continues(first: Option<u32>, ahead: u32, guess: Option<u32>) -> bool {
    guess == first.map(|first| first + ahead)
}
