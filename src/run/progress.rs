//! `Blaming lines:  25% (1/4)` on standard error, for people who wait.

use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    engine::{Entry, Origin, Request, Sink},
    error::{Error, Result},
};

const TITLE: &str = "Blaming lines: ";

/// Says how far a blame is, once it has taken a while; keeps quiet if it is switched off.
#[derive(Debug)]
pub(super) struct Progress {
    /// When the first word may be said; `None` where nothing ever is.
    begin: Option<Instant>,
    /// Lines to decide, from the ranges or the whole file.
    total: Option<u64>,
    decided: u64,
    said: Option<Said>,
}

#[derive(Debug)]
struct Said {
    percent: u64,
    at: Instant,
    width: usize,
}

impl Progress {
    /// For a blame of `request`; `asked` is `--progress` or `--no-progress`.
    ///
    /// # Errors
    ///
    /// If the environment delays it by no number of seconds.
    pub(super) fn new(asked: Option<bool>, request: &Request) -> Result<Progress> {
        let on = asked.unwrap_or_else(|| io::stderr().is_terminal());
        let begin = match on {
            true => Instant::now().checked_add(delay()?),
            false => None,
        };
        let ranges = request.ranges.as_ref();
        Ok(Progress {
            begin,
            total: ranges.map(|ranges| {
                ranges
                    .iter()
                    .map(|range| u64::from(range.end - range.start))
                    .sum()
            }),
            decided: 0,
            said: None,
        })
    }

    /// The last word, if there was a first one.
    pub(super) fn finish(mut self) {
        if self.said.is_some() {
            self.say(", done.\n");
        }
    }

    fn say(&mut self, end: &str) {
        let total = self.total.unwrap_or(self.decided).max(1);
        let percent = self.decided.saturating_mul(100) / total;
        let text = format!("{percent:3}% ({}/{total})", self.decided);
        let width = self.said.as_ref().map_or(0, |said| said.width);
        let pad = width.saturating_sub(text.len() + end.trim_end().len());
        // A reader of standard error that went away misses nothing that matters.
        write!(io::stderr(), "{TITLE}{text}{}{end}", " ".repeat(pad)).ok();
        self.said = Some(Said {
            percent,
            at: Instant::now(),
            width: text.len(),
        });
    }
}

fn delay() -> Result<Duration> {
    match std::env::var("GIT_PROGRESS_DELAY") {
        Err(_) => Ok(Duration::from_secs(1)),
        Ok(text) => match text.trim().parse() {
            Ok(seconds) => Ok(Duration::from_secs(seconds)),
            Err(_) => Err(Error::fatal("failed to parse GIT_PROGRESS_DELAY")),
        },
    }
}

impl Sink for Progress {
    fn started(&mut self, _contents: &Arc<[u8]>, line_count: u32) -> ControlFlow<()> {
        self.total.get_or_insert(u64::from(line_count));
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, _origins: &[Origin], _boundary: bool) -> ControlFlow<()> {
        self.decided += u64::from(entry.lines.end.saturating_sub(entry.lines.start));
        let Some(begin) = self.begin else {
            return ControlFlow::Continue(());
        };
        let now = Instant::now();
        if now >= begin {
            let percent = self.decided.saturating_mul(100) / self.total.unwrap_or(1).max(1);
            let due = self.said.as_ref().is_none_or(|said| {
                said.percent != percent || now - said.at >= Duration::from_secs(1)
            });
            if due {
                self.say("\r");
            }
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _frontier: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
