//! Move and copy detection (`-M`, `-C`).
//!
//! The final lines of an entry are diffed against a whole file of the parent. The unchanged run
//! with the highest score is taken; the lines before and after it are searched again.

use std::sync::Arc;

use crate::{
    diff::{DiffError, DiffOptions, Differ, Hunk, LineInterner, Token},
    engine::{board::split::PendingEntry, versions::version::Version},
};

/// Scores of runs of final lines: prefix sums of ASCII letters and digits.
#[derive(Debug, Default)]
pub(crate) struct LineScores {
    before: Vec<u32>,
}

impl LineScores {
    pub(crate) fn new(tokens: &[Token], lines: &LineInterner) -> LineScores {
        let mut sum = 0_u32;
        let mut before = Vec::with_capacity(tokens.len() + 1);
        before.push(0);
        for &token in tokens {
            let letters = lines
                .bytes(token)
                .iter()
                .filter(|byte| byte.is_ascii_alphanumeric());
            sum = sum.saturating_add(letters.count() as u32);
            before.push(sum);
        }
        LineScores { before }
    }

    /// The score of `len` final lines from `start`.
    pub(crate) fn score(&self, start: u32, len: u32) -> u32 {
        1 + self.before[(start + len) as usize] - self.before[start as usize]
    }

    pub(crate) fn entry_score(&self, entry: &PendingEntry) -> u32 {
        self.score(entry.start, entry.len)
    }
}

/// The final image, prepared for move detection.
#[derive(Debug)]
pub(crate) struct FinalImage {
    pub(crate) contents: Arc<[u8]>,
    pub(crate) version: Version,
    pub(crate) scores: LineScores,
}

/// A run of an entry's lines found in a file of the parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MovedRun {
    pub(crate) score: u32,
    /// First line of the run, relative to the entry.
    skip: u32,
    len: u32,
    /// First line of the run in the parent's file.
    source: u32,
}

impl MovedRun {
    #[cfg(test)]
    pub(crate) fn of_score(score: u32) -> MovedRun {
        MovedRun {
            score,
            skip: 0,
            len: 1,
            source: 0,
        }
    }

    /// The entry's parts before, in and after the run; the middle one with the parent's line
    /// numbers.
    pub(crate) fn split(
        &self,
        entry: &PendingEntry,
    ) -> (Option<PendingEntry>, PendingEntry, Option<PendingEntry>) {
        let after = self.skip + self.len;
        let mut taken = entry.part(self.skip, self.len);
        taken.source = self.source;
        (
            (self.skip > 0).then(|| entry.part(0, self.skip)),
            taken,
            (after < entry.len).then(|| entry.part(after, entry.len - after)),
        )
    }
}

/// The set of lines of one file. Most files have too few lines of an entry for a diff to be needed
/// (src/networking.c of redis with `-C`: nine tenths of all diffs).
#[derive(Debug, Default)]
pub(crate) struct LineSet {
    /// By line class: the last file that has it.
    seen_in: Vec<u32>,
    file: u32,
}

impl LineSet {
    /// Replaces the set by the lines of `text`.
    pub(crate) fn load(&mut self, text: &[Token], lines: &LineInterner) {
        self.file = self.file.wrapping_add(1);
        if self.file == 0 {
            self.seen_in.fill(0);
            self.file = 1;
        }
        self.seen_in
            .resize(lines.count().max(self.seen_in.len()), 0);
        for &token in text {
            self.seen_in[lines.class(token) as usize] = self.file;
        }
    }

    fn has(&self, token: Token, lines: &LineInterner) -> bool {
        self.seen_in.get(lines.class(token) as usize) == Some(&self.file)
    }
}

/// Searches files of the parents for entries.
pub(crate) struct MoveMatcher<'a> {
    pub(crate) lines: &'a LineInterner,
    pub(crate) differ: &'a mut Differ,
    pub(crate) options: &'a DiffOptions,
    pub(crate) scores: &'a LineScores,
    /// The final image.
    pub(crate) image: &'a [Token],
    pub(crate) hunks: &'a mut Vec<Hunk>,
}

impl MoveMatcher<'_> {
    /// An upper bound for the score of `entry` in a file with these lines.
    pub(crate) fn max_score(&self, entry: &PendingEntry, presence: &LineSet) -> u32 {
        let (mut most, mut from) = (0, entry.start);
        for line in entry.start..entry.start + entry.len {
            if !presence.has(self.image[line as usize], self.lines) {
                most = most.max(self.scores.score(from, line - from));
                from = line + 1;
            }
        }
        most.max(self.scores.score(from, entry.start + entry.len - from))
    }

    /// The run of `entry` in `text` with the highest score, the last one among equals.
    pub(crate) fn best_run(
        &mut self,
        entry: &PendingEntry,
        text: &[Token],
    ) -> Result<Option<MovedRun>, DiffError> {
        let image = &self.image[entry.start as usize..(entry.start + entry.len) as usize];
        self.hunks.clear();
        self.differ
            .hunks(self.lines, text, image, self.options, self.hunks)?;
        let mut best: Option<MovedRun> = None;
        let (mut from, mut source) = (0, 0);
        let end = (entry.len, text.len() as u32);
        let borders = self
            .hunks
            .iter()
            .map(|hunk| (hunk.new.start, hunk.old.start))
            .chain([end]);
        for (at, (to, _)) in borders.enumerate() {
            if to > from {
                let score = self.scores.score(entry.start + from, to - from);
                if best.is_none_or(|best| score >= best.score) {
                    best = Some(MovedRun {
                        score,
                        skip: from,
                        len: to - from,
                        source,
                    });
                }
            }
            if let Some(hunk) = self.hunks.get(at) {
                (from, source) = (hunk.new.end, hunk.old.end);
            }
        }
        Ok(best)
    }
}

/// Removes and returns the entries that score at most `threshold`.
pub(crate) fn take_low_scoring(
    entries: &mut Vec<PendingEntry>,
    threshold: u32,
    scores: &LineScores,
) -> Vec<PendingEntry> {
    entries
        .extract_if(.., |entry| scores.entry_score(entry) <= threshold)
        .collect()
}

/// Outcome of one search of a parent.
#[derive(Debug, Default)]
pub(crate) struct MoveRound {
    /// Entries found, with the index of the file; original lines are the file's.
    pub(crate) taken: Vec<(usize, PendingEntry)>,
    /// Parts that score too low to search for.
    pub(crate) low_scoring: Vec<PendingEntry>,
    /// Entries that no file has.
    pub(crate) finished: Vec<PendingEntry>,
    /// Parts to search in the next round.
    pub(crate) next: Vec<PendingEntry>,
}

/// Splits `entries` at their matches: the index of a file and the run found there.
pub(crate) fn split_found(
    entries: Vec<PendingEntry>,
    found: Vec<Option<(usize, MovedRun)>>,
    threshold: u32,
    scores: &LineScores,
) -> MoveRound {
    let mut round = MoveRound::default();
    for (entry, found) in entries.into_iter().zip(found) {
        match found {
            Some((file, found)) if found.score > threshold => {
                let (before, taken, after) = found.split(&entry);
                round.taken.push((file, taken));
                round.next.extend(before.into_iter().chain(after));
            }
            _ => round.finished.push(entry),
        }
    }
    round.low_scoring = take_low_scoring(&mut round.next, threshold, scores);
    round
}
