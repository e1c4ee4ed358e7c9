//! Runs of changed lines on one side, with a place among them.

use std::ops::Range;

use memchr::memchr;

/// The changed lines of one side as ascending runs with at least one unchanged line between them.
///
/// Runs are found by their *key*, the number of unchanged lines before them: runs of both sides
/// with the same key are counterparts. There is a place between two runs, that moves: all edits
/// happen there.
#[derive(Debug, Default)]
pub(super) struct Runs {
    before: Vec<Range<u32>>,
    /// The runs after the place, last first.
    after: Vec<Range<u32>>,
    /// Lines in the runs before the place.
    changed: u32,
}

impl Runs {
    /// Takes the runs from one flag per line, the first of which is line `first`. The place is
    /// at the start.
    pub(super) fn read(&mut self, changed: &[u8], first: usize) {
        self.clear();
        each_run(changed, first, |run| self.before.push(run));
        self.rewind();
    }

    /// No runs.
    pub(super) fn clear(&mut self) {
        self.before.clear();
        self.after.clear();
        self.changed = 0;
    }

    /// Moves the place to the start.
    pub(super) fn rewind(&mut self) {
        while let Some(run) = self.before.pop() {
            self.after.push(run);
        }
        self.changed = 0;
    }

    /// Takes out the run after the place.
    pub(super) fn take_next(&mut self) -> Option<Range<u32>> {
        self.after.pop()
    }

    /// Takes out the run after the place if it starts at `line`.
    pub(super) fn take_next_at(&mut self, line: u32) -> Option<Range<u32>> {
        self.after.pop_if(|run| run.start == line)
    }

    /// Takes out the run before the place if it ends at `line`.
    pub(super) fn take_previous_at(&mut self, line: u32) -> Option<Range<u32>> {
        let run = self.before.pop_if(|run| run.end == line)?;
        self.changed -= run.end - run.start;
        Some(run)
    }

    /// Adds a run before the place.
    pub(super) fn put(&mut self, run: Range<u32>) {
        self.changed += run.end - run.start;
        self.before.push(run);
    }

    /// How many lines before the place are changed: a line there minus this is its key.
    pub(super) fn changed(&self) -> u32 {
        self.changed
    }

    /// Moves the place to before the run with this key, and says whether there is one.
    pub(super) fn seek(&mut self, key: u32) -> bool {
        while let Some(run) = self.after.pop_if(|run| run.start - self.changed < key) {
            self.put(run);
        }
        loop {
            let changed = self.changed;
            let previous = self.before.pop_if(|run| run.end - changed >= key);
            let Some(run) = previous else { break };
            self.changed -= run.end - run.start;
            self.after.push(run);
        }
        self.after
            .last()
            .is_some_and(|run| run.start - self.changed == key)
    }

    /// All runs, from the place on.
    pub(super) fn following(&self) -> impl Iterator<Item = Range<u32>> {
        self.after.iter().rev().cloned()
    }
}

/// Calls `see` with each run of non-zero flags; the first flag is that of line `first`.
pub(super) fn each_run(changed: &[u8], first: usize, mut see: impl FnMut(Range<u32>)) {
    let mut at = 0;
    while let Some(start) = memchr(1, &changed[at..]) {
        let start = at + start;
        let end = memchr(0, &changed[start..]).map_or(changed.len(), |len| start + len);
        see((first + start) as u32..(first + end) as u32);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_and_seeking() {
        let mut runs = Runs::default();
        runs.read(&[0, 1, 1, 0, 0, 1, 0, 1], 10);
        let all = [11..13, 15..16, 17..18];
        assert!(runs.following().eq(all));
        let keys: Vec<u32> = (8..20).filter(|&key| runs.seek(key)).collect();
        assert_eq!(keys, [11, 13, 14]);
        let keys: Vec<u32> = (8..20).rev().filter(|&key| runs.seek(key)).collect();
        assert_eq!(keys, [14, 13, 11]);
        assert!(runs.seek(13));
        assert_eq!(runs.changed(), 2);
        assert_eq!(runs.take_next_at(14), None);
        assert_eq!(runs.take_next_at(15), Some(15..16));
        assert_eq!(runs.take_previous_at(13), Some(11..13));
        runs.put(12..14);
        assert!(runs.seek(15));
        runs.rewind();
        assert!(runs.following().eq([12..14, 17..18]));
    }
}
