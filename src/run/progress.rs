//! The progress report on standard error: `Blaming lines:  25% (1/4)`.

use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    engine::{Entry, Origin, Request, Sink},
    error::{Error, Result},
    repository::open::{configuration::value, environment},
};

const TITLE: &str = "Blaming lines: ";

/// Reports the progress of a blame after a delay, or never.
#[derive(Debug)]
pub(super) struct ProgressReporter {
    /// When the first report may be written; `None` if reports are disabled.
    start_at: Option<Instant>,
    /// Lines to attribute: those of the ranges, or of the whole file.
    total: Option<u64>,
    attributed: u64,
    last: Option<Report>,
}

#[derive(Debug)]
struct Report {
    percent: u64,
    at: Instant,
    width: usize,
}

impl ProgressReporter {
    /// `enabled` is `--[no-]progress`; the default depends on whether standard error is a terminal.
    ///
    /// # Errors
    ///
    /// If `GIT_PROGRESS_DELAY` is not a number of seconds.
    pub(super) fn new(enabled: Option<bool>, request: &Request) -> Result<ProgressReporter> {
        let on = enabled.unwrap_or_else(|| io::stderr().is_terminal());
        let start_at = if on {
            Instant::now().checked_add(delay()?)
        } else {
            None
        };
        let ranges = request.ranges.as_ref();
        Ok(ProgressReporter {
            start_at,
            total: ranges.map(|ranges| {
                ranges
                    .iter()
                    .map(|range| u64::from(range.end - range.start))
                    .sum()
            }),
            attributed: 0,
            last: None,
        })
    }

    /// Completes the last report, if there is one.
    pub(super) fn finish(mut self) {
        if self.last.is_some() {
            self.write(", done.\n");
        }
    }

    fn write(&mut self, end: &str) {
        let total = self.total.unwrap_or(self.attributed).max(1);
        let percent = self.attributed.saturating_mul(100) / total;
        let text = format!("{percent:3}% ({}/{total})", self.attributed);
        let width = self.last.as_ref().map_or(0, |last| last.width);
        let pad = width.saturating_sub(text.len() + end.trim_end().len());
        // Progress is not worth failing for.
        write!(io::stderr(), "{TITLE}{text}{}{end}", " ".repeat(pad)).ok();
        self.last = Some(Report {
            percent,
            at: Instant::now(),
            width: text.len(),
        });
    }
}

fn delay() -> Result<Duration> {
    match environment::variable("GIT_PROGRESS_DELAY") {
        None => Ok(Duration::from_secs(1)),
        Some(text) => match value::unsigned_long(&text) {
            Ok(seconds) => Ok(Duration::from_secs(seconds)),
            Err(_) => Err(Error::fatal("failed to parse GIT_PROGRESS_DELAY")),
        },
    }
}

impl Sink for ProgressReporter {
    fn started(&mut self, _contents: &Arc<[u8]>, line_count: u32) -> ControlFlow<()> {
        self.total.get_or_insert(u64::from(line_count));
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, _origins: &[Origin], _boundary: bool) -> ControlFlow<()> {
        self.attributed += u64::from(entry.lines.end.saturating_sub(entry.lines.start));
        let Some(start_at) = self.start_at else {
            return ControlFlow::Continue(());
        };
        let now = Instant::now();
        if now >= start_at {
            let percent = self.attributed.saturating_mul(100) / self.total.unwrap_or(1).max(1);
            let due = self.last.as_ref().is_none_or(|last| {
                last.percent != percent || now - last.at >= Duration::from_secs(1)
            });
            if due {
                self.write("\r");
            }
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
