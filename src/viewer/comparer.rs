//! Compares two versions of a file on a thread of its own, so that a blame need not wait.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread::JoinHandle,
};

use tokio::sync::mpsc::{Receiver, Sender};

use super::{
    app::{
        message::{CompareJob, Compared, Comparison, DiffRow},
        text::Text,
    },
    source::{Failure, Place, Texts},
    worker,
};
use crate::diff::{self, Differ, Hunk, lines::Lines};

/// Unchanged lines that are shown around a change.
const CONTEXT: u32 = 3;

/// The thread that compares.
#[derive(Debug)]
pub struct Comparer {
    jobs: mpsc::Sender<CompareJob>,
    thread: JoinHandle<()>,
}

impl Comparer {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn spawn(mut texts: Box<dyn Texts>, reports: Sender<Compared>) -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<CompareJob>();
        let thread = std::thread::Builder::new()
            .name(worker::THREAD.to_owned())
            .spawn(move || {
                while let Ok(mut job) = queue.recv() {
                    // Only the newest job counts.
                    while let Ok(newer) = queue.try_recv() {
                        job = newer;
                    }
                    let number = job.number;
                    let run = || compare(texts.as_mut(), &job);
                    let result = catch_unwind(AssertUnwindSafe(run));
                    let result = result.unwrap_or_else(|_| {
                        Err(Failure("internal error: the diff failed".to_owned()))
                    });
                    if reports.blocking_send(Compared { number, result }).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Comparer { jobs, thread })
    }

    /// Begins a job; an unfinished one is superseded.
    pub fn compare(&self, job: CompareJob) {
        // A thread that is gone has said why.
        self.jobs.send(job).ok();
    }

    /// Ends the thread and waits for it.
    pub fn join(self, reports: Receiver<Compared>) {
        drop(self.jobs);
        drop(reports);
        self.thread.join().ok();
    }
}

fn compare(texts: &mut dyn Texts, job: &CompareJob) -> Result<Comparison, Failure> {
    let new = texts.contents(&job.new)?;
    let old = match &job.old {
        Some((commit, path)) => texts.contents(&Place::Commit {
            commit: *commit,
            path: path.clone(),
        })?,
        None => Arc::from([]),
    };
    let failure = |error: diff::DiffError| Failure(error.to_string());
    let options = diff::Options {
        ignore_whitespace: job.whitespace,
        ..texts.diff_options()
    };
    let mut lines = Lines::new(job.whitespace);
    let (mut old_tokens, mut new_tokens) = (Vec::new(), Vec::new());
    lines.tokenize(&old, &mut old_tokens).map_err(failure)?;
    lines.tokenize(&new, &mut new_tokens).map_err(failure)?;
    let mut hunks = Vec::new();
    Differ::default()
        .hunks(&lines, &old_tokens, &new_tokens, &options, &mut hunks)
        .map_err(failure)?;
    let (old, new) = (Arc::new(Text::new(old)), Arc::new(Text::new(new)));
    let rows = rows(&hunks, new.line_count(), job.line);
    Ok(Comparison { old, new, rows })
}

/// The rows of a diff whose new side has `count` lines: every change and `line` (0-based) with some
/// unchanged lines around them.
fn rows(hunks: &[Hunk], count: u32, line: u32) -> Vec<DiffRow> {
    let around = |start: u32, end: u32| {
        start.saturating_sub(CONTEXT)..end.saturating_add(CONTEXT).min(count)
    };
    let mut windows: Vec<_> = hunks
        .iter()
        .map(|hunk| around(hunk.new.start, hunk.new.end))
        .collect();
    if line < count {
        windows.push(around(line, line + 1));
    }
    windows.sort_by_key(|window| window.start);
    let mut rows = Vec::new();
    let mut hunks = hunks.iter().peekable();
    // The next line of either side.
    let (mut old, mut new) = (0, 0);
    for window in windows {
        if rows.is_empty() || window.start > new {
            old += window.start - new;
            new = window.start;
            rows.push(DiffRow::Hunk { old, new });
        }
        loop {
            if let Some(hunk) = hunks.next_if(|hunk| hunk.new.start == new) {
                rows.extend(hunk.old.clone().map(DiffRow::Removed));
                rows.extend(hunk.new.clone().map(DiffRow::Added));
                (old, new) = (hunk.old.end, hunk.new.end);
            } else if new < window.end {
                rows.push(DiffRow::Context { old, new });
                (old, new) = (old + 1, new + 1);
            } else {
                break;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(hunks: &[Hunk], count: u32, line: u32) -> String {
        let words = rows(hunks, count, line).into_iter().map(|row| match row {
            DiffRow::Hunk { old, new } => format!("@{old},{new}"),
            DiffRow::Context { old, new } => format!("{old}={new}"),
            DiffRow::Removed(line) => format!("-{line}"),
            DiffRow::Added(line) => format!("+{line}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn changes_have_some_lines_around_them() {
        let hunk = |old, new| Hunk { old, new };
        assert_eq!(
            shown(&[hunk(5..6, 5..7), hunk(20..21, 21..21)], 22, 6),
            "@2,2 2=2 3=3 4=4 -5 +5 +6 6=7 7=8 8=9 @17,18 17=18 18=19 19=20 -20 21=21"
        );
        // Changes that are near share a part, and so does the line that is looked for.
        assert_eq!(
            shown(&[hunk(1..2, 1..2), hunk(5..5, 5..6)], 8, 7),
            "@0,0 0=0 -1 +1 2=2 3=3 4=4 +5 5=6 6=7"
        );
        assert_eq!(shown(&[hunk(0..2, 0..0)], 0, 0), "@0,0 -0 -1");
        assert_eq!(shown(&[hunk(3..5, 3..3)], 3, 2), "@0,0 0=0 1=1 2=2 -3 -4");
        assert_eq!(shown(&[], 9, 8), "@5,5 5=5 6=6 7=7 8=8");
        assert_eq!(shown(&[], 0, 0), "");
    }
}
