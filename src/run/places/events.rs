//! What the threads report.

use std::{io, time::Duration};

use bstr::BString;

use crate::{
    cache::RequestCache, engine::CachedBlame, error::Result, repository::places::finder::LinePlace,
    run::places::answers::FileAnswer,
};

/// A report of a thread.
pub(super) enum Event {
    Line(InputLine),
    File(Box<FileOutcome>),
    /// The input has ended.
    End(io::Result<()>),
}

/// A line that was read.
#[derive(Debug)]
pub(super) struct InputLine {
    /// 1-based; of SARIF, the number of the finding.
    pub(super) number: u64,
    /// With its line ending, or the next part of a long line.
    pub(super) text: BString,
    pub(super) place: LinePlace<usize>,
    /// The line goes on, in later parts.
    pub(super) is_cut: bool,
}

/// A blame that may be kept, and how long it took.
pub(super) struct FoundBlame {
    pub(super) cache: RequestCache,
    pub(super) blame: CachedBlame,
    pub(super) elapsed: Duration,
}

impl FoundBlame {
    /// Keeps it. A home that cannot be written to is no reason to complain about.
    pub(super) fn keep(&self) {
        let _ = self.cache.keep(&self.blame, self.elapsed);
    }
}

/// The outcome of a blame of a file.
pub(super) struct FileOutcome {
    pub(super) file: usize,
    pub(super) answer: Result<FileAnswer>,
    /// The failure is a sign of damage.
    pub(super) is_damaged: bool,
    pub(super) notes: Vec<BString>,
    pub(super) found: Option<FoundBlame>,
}
