//! Runs of changed lines on one side, with a place among them.

use std::ops::Range;

use memchr::memchr;

/// The changed lines of one side as ascending runs with at least one unchanged line between them.
///
/// Runs are found by their *key*, the number of unchanged lines before them: runs of both sides
/// with the same key are counterparts. There is a place between two runs, that moves: all edits
/// happen there.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    before: Vec<Range<u32>>,
    /// The runs after the place, last first.
    after: Vec<Range<u32>>,
    /// Lines in the runs before the place.
    changed: u32,
}

impl Runs {
    /// Takes over ascending runs. The place is before them.
    pub(crate) fn take(&mut self, runs: &[Range<u32>]) {
        self.before.clear();
        self.after.clear();
        self.after.extend(runs.iter().rev().cloned());
        self.changed = 0;
    }

    /// Takes the runs from one flag per line, which is 1 if the line changed. The place is
    /// before them.
    pub(crate) fn read(&mut self, changed: &[u8]) {
        self.before.clear();
        self.after.clear();
        let mut at = 0;
        while let Some(start) = memchr(1, &changed[at..]) {
            let start = at + start;
            let end = memchr(0, &changed[start..]).map_or(changed.len(), |len| start + len);
            self.before.push(start as u32..end as u32);
            at = end;
        }
        self.rewind();
    }

    /// Moves the place to the start.
    pub(crate) fn rewind(&mut self) {
        while let Some(run) = self.before.pop() {
            self.after.push(run);
        }
        self.changed = 0;
    }

    /// Takes out the run after the place.
    pub(crate) fn take_next(&mut self) -> Option<Range<u32>> {
        self.after.pop()
    }

    /// Takes out the run after the place if it starts at `line`.
    pub(crate) fn take_next_at(&mut self, line: u32) -> Option<Range<u32>> {
        self.after.pop_if(|run| run.start == line)
    }

    /// Takes out the run before the place if it ends at `line`.
    pub(crate) fn take_previous_at(&mut self, line: u32) -> Option<Range<u32>> {
        let run = self.before.pop_if(|run| run.end == line)?;
        self.changed -= run.end - run.start;
        Some(run)
    }

    /// Adds a run before the place.
    pub(crate) fn put(&mut self, run: Range<u32>) {
        self.changed += run.end - run.start;
        self.before.push(run);
    }

    /// How many lines before the place are changed: a line there minus this is its key.
    pub(crate) fn changed(&self) -> u32 {
        self.changed
    }

    /// Moves the place to before the run with this key, and says whether there is one.
    pub(crate) fn seek(&mut self, key: u32) -> bool {
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
    pub(crate) fn following(&self) -> impl Iterator<Item = Range<u32>> {
        self.after.iter().rev().cloned()
    }
}

/// Adds a run to ascending ones, joining it with the last if that ends where it starts.
pub(crate) fn push(runs: &mut Vec<Range<u32>>, run: Range<u32>) {
    match runs.last_mut() {
        Some(last) if last.end == run.start => last.end = run.end,
        _ => runs.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_and_seeking() {
        let mut runs = Runs::default();
        runs.read(&[0, 1, 1, 0, 0, 1, 0, 1]);
        let all = [1..3, 5..6, 7..8];
        assert!(runs.following().eq(all.clone()));
        runs.take(&all);
        assert!(runs.following().eq(all));
        let keys: Vec<u32> = (0..10).filter(|&key| runs.seek(key)).collect();
        assert_eq!(keys, [1, 3, 4]);
        let keys: Vec<u32> = (0..10).rev().filter(|&key| runs.seek(key)).collect();
        assert_eq!(keys, [4, 3, 1]);
        assert!(runs.seek(3));
        assert_eq!(runs.changed(), 2);
        assert_eq!(runs.take_next_at(4), None);
        assert_eq!(runs.take_next_at(5), Some(5..6));
        assert_eq!(runs.take_previous_at(3), Some(1..3));
        runs.put(2..4);
        assert!(runs.seek(5));
        runs.rewind();
        assert!(runs.following().eq([2..4, 7..8]));
    }
}
