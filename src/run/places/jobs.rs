//! The queue of files that are to be blamed.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::run::places::place_file::PlaceFile;

/// A file is blamed so long after the first of its places was read, so that those after it are
/// blamed with it: a search writes all places of a file at once.
const SETTLING: Duration = Duration::from_millis(15);

/// The files, and those that wait.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    state: Mutex<JobState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct JobState {
    files: Vec<WantedFile>,
    /// The files that wait, those whose places were read first first.
    waiting: VecDeque<usize>,
    /// No more places come.
    has_ended: bool,
    /// Nobody needs the answers any more.
    is_cancelled: bool,
    /// Files are always blamed as a whole.
    only_whole: bool,
}

#[derive(Debug)]
struct WantedFile {
    file: PlaceFile,
    /// The lines that wait (0-based), unless all lines are blamed.
    lines: Vec<u32>,
    /// When the first of them was read.
    since: Option<Instant>,
    was_blamed: bool,
    is_whole: bool,
}

/// A file for the next thread that is free to blame it.
#[derive(Debug)]
pub(super) struct Job {
    /// Its number.
    pub(super) file: usize,
    pub(super) blamed: PlaceFile,
    /// The lines (0-based). `None` for all, also where other lines were blamed before, so that no
    /// third blame is needed.
    pub(super) lines: Option<Vec<u32>>,
    /// No other file waits.
    pub(super) is_alone: bool,
}

impl Jobs {
    /// A queue without files. Some options find something else for a line alone than for the line
    /// among all; with these, files are blamed as a whole (`only_whole`).
    pub(super) fn new(only_whole: bool) -> Jobs {
        let jobs = Jobs::default();
        jobs.state().only_whole = only_whole;
        jobs
    }

    fn state(&self) -> MutexGuard<'_, JobState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a file. Files are numbered in the order in which they are added.
    pub(super) fn add_file(&self, file: PlaceFile) -> usize {
        let mut state = self.state();
        state.files.push(WantedFile {
            file,
            lines: Vec::new(),
            since: None,
            was_blamed: false,
            is_whole: false,
        });
        state.files.len() - 1
    }

    /// The file of a number, if it was added.
    pub(super) fn file(&self, number: usize) -> Option<PlaceFile> {
        let state = self.state();
        state.files.get(number).map(|wanted| wanted.file.clone())
    }

    /// Wants a line (0-based) of a file.
    pub(super) fn want(&self, file: usize, line: u32) {
        let state = &mut *self.state();
        let Some(wanted) = state.files.get_mut(file).filter(|it| !it.is_whole) else {
            return;
        };
        wanted.lines.push(line);
        if wanted.since.is_none() {
            wanted.since = Some(Instant::now());
            state.waiting.push_back(file);
            self.changed.notify_one();
        }
    }

    /// No more places come.
    pub(super) fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_all();
    }

    /// Lets the threads that blame end.
    pub(super) fn cancel(&self) {
        self.state().is_cancelled = true;
        self.changed.notify_all();
    }

    /// The next file; waits for it. `None` after the last one.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if state.is_cancelled {
                return None;
            }
            let since = state
                .waiting
                .front()
                .and_then(|&file| state.files.get(file)?.since);
            let left = since.map(|since| SETTLING.saturating_sub(since.elapsed()));
            let wait = self.changed.wait_timeout(
                match (left, state.has_ended) {
                    (None, true) => return None,
                    (Some(Duration::ZERO), _) | (Some(_), true) => return take(&mut state),
                    _ => state,
                },
                left.unwrap_or(Duration::MAX),
            );
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn take(state: &mut JobState) -> Option<Job> {
    let file = state.waiting.pop_front()?;
    let is_alone = state.waiting.is_empty();
    let only_whole = state.only_whole;
    let wanted = state.files.get_mut(file)?;
    wanted.since = None;
    wanted.is_whole = wanted.was_blamed || only_whole;
    wanted.was_blamed = true;
    let lines = std::mem::take(&mut wanted.lines);
    Some(Job {
        file,
        blamed: wanted.file.clone(),
        lines: (!wanted.is_whole).then_some(lines),
        is_alone,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_blamed_at_most_twice() {
        let jobs = Jobs::default();
        let [one, other] = ["a", "b"].map(|path| {
            jobs.add_file(PlaceFile {
                path: path.into(),
                revision: None,
            })
        });
        jobs.want(one, 7);
        jobs.want(other, 1);
        jobs.want(one, 3);
        let job = jobs.next().unwrap();
        assert_eq!(
            (job.file, job.lines, job.is_alone),
            (one, Some(vec![7, 3]), false)
        );
        let job = jobs.next().unwrap();
        assert_eq!(
            (job.file, job.lines, job.is_alone),
            (other, Some(vec![1]), true)
        );
        jobs.want(one, 5);
        let job = jobs.next().unwrap();
        assert_eq!((job.blamed.path, job.lines), ("a".into(), None));
        jobs.want(one, 9);
        jobs.end();
        assert!(jobs.next().is_none());
    }
}
