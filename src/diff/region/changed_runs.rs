//! A gap buffer of the runs of changed lines on one side.

use std::ops::Range;

use memchr::memchr;

/// The changed lines of one side: ascending runs separated by at least one unchanged line, with a
/// movable cursor between two runs where all edits happen.
///
/// The *key* of a run is the number of unchanged lines before it. Runs of both sides with the same
/// key are counterparts.
#[derive(Debug, Default)]
pub(crate) struct ChangedRuns {
    before: Vec<Range<u32>>,
    /// The runs after the cursor, in reverse order.
    after: Vec<Range<u32>>,
    /// Number of changed lines before the cursor.
    changed: u32,
}

impl ChangedRuns {
    /// Replaces the contents with ascending `runs` and moves the cursor to the start.
    pub(crate) fn reset_to_runs(&mut self, runs: &[Range<u32>]) {
        self.before.clear();
        self.after.clear();
        self.after.extend(runs.iter().rev().cloned());
        self.changed = 0;
    }

    /// Replaces the contents with the runs of 1 in per-line flags and moves the cursor to the
    /// start.
    pub(crate) fn reset_to_flags(&mut self, changed: &[u8]) {
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

    /// Moves the cursor to the start.
    pub(crate) fn rewind(&mut self) {
        while let Some(run) = self.before.pop() {
            self.after.push(run);
        }
        self.changed = 0;
    }

    /// Removes and returns the run after the cursor.
    pub(crate) fn take_next(&mut self) -> Option<Range<u32>> {
        self.after.pop()
    }

    /// Removes and returns the run after the cursor if it starts at `line`.
    pub(crate) fn take_next_at(&mut self, line: u32) -> Option<Range<u32>> {
        self.after.pop_if(|run| run.start == line)
    }

    /// Removes and returns the run before the cursor if it ends at `line`.
    pub(crate) fn take_previous_at(&mut self, line: u32) -> Option<Range<u32>> {
        let run = self.before.pop_if(|run| run.end == line)?;
        self.changed -= run.end - run.start;
        Some(run)
    }

    /// Inserts a run before the cursor.
    pub(crate) fn insert(&mut self, run: Range<u32>) {
        self.changed += run.end - run.start;
        self.before.push(run);
    }

    /// Number of changed lines before the cursor. A line at the cursor minus this is its key.
    pub(crate) fn changed_before(&self) -> u32 {
        self.changed
    }

    /// Moves the cursor before the run with this key; returns whether there is one.
    pub(crate) fn seek(&mut self, key: u32) -> bool {
        while let Some(run) = self.after.pop_if(|run| run.start - self.changed < key) {
            self.insert(run);
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

    /// The runs after the cursor, ascending.
    pub(crate) fn following(&self) -> impl Iterator<Item = Range<u32>> {
        self.after.iter().rev().cloned()
    }
}

/// Appends a run to ascending ones, merging it with an adjacent last one.
pub(crate) fn push_run(runs: &mut Vec<Range<u32>>, run: Range<u32>) {
    match runs.last_mut() {
        Some(last) if last.end == run.start => last.end = run.end,
        _ => runs.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_seek_and_edit() {
        let mut runs = ChangedRuns::default();
        runs.reset_to_flags(&[0, 1, 1, 0, 0, 1, 0, 1]);
        let all = [1..3, 5..6, 7..8];
        assert!(runs.following().eq(all.clone()));
        runs.reset_to_runs(&all);
        assert!(runs.following().eq(all));
        let keys: Vec<u32> = (0..10).filter(|&key| runs.seek(key)).collect();
        assert_eq!(keys, [1, 3, 4]);
        let keys: Vec<u32> = (0..10).rev().filter(|&key| runs.seek(key)).collect();
        assert_eq!(keys, [4, 3, 1]);
        assert!(runs.seek(3));
        assert_eq!(runs.changed_before(), 2);
        assert_eq!(runs.take_next_at(4), None);
        assert_eq!(runs.take_next_at(5), Some(5..6));
        assert_eq!(runs.take_previous_at(3), Some(1..3));
        runs.insert(2..4);
        assert!(runs.seek(5));
        runs.rewind();
        assert!(runs.following().eq([2..4, 7..8]));
    }
}
