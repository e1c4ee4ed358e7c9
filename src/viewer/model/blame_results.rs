//! The results of a blame: lines with the commits that they are attributed to, and a report.

use std::{
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::BString;

use crate::{
    engine::{Profile, Stats},
    objects::ObjectId,
    viewer::model::file_version::{CommitMetadata, Failure},
};

/// The engine's statistics of a blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlameStats {
    /// Counters of the engine.
    pub stats: Stats,
    /// Where the engine's time went.
    pub profile: Profile,
}

/// A finished blame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlameReport {
    /// Counters of the engine.
    pub stats: Stats,
    /// Where the engine's time went.
    pub profile: Box<Profile>,
    /// Time from the request to the last attributed line.
    pub elapsed: Duration,
}

impl BlameReport {
    /// The report of a blame that has just ended.
    pub fn new(stats: BlameStats, started_at: Instant) -> BlameReport {
        BlameReport {
            stats: stats.stats,
            profile: Box::new(stats.profile),
            elapsed: started_at.elapsed(),
        }
    }
}

/// A batch of attributed lines, with all entries of each origin.
#[derive(Debug, Clone, Default)]
pub struct BlameBatch {
    /// Commits that were not in an earlier batch, or were shortened there.
    pub commits: Vec<(ObjectId, Result<CommitMetadata, Failure>)>,
    /// Origins with their lines.
    pub origins: Vec<AttributedOrigin>,
}

/// An origin, and the lines that are attributed to it.
#[derive(Debug, Clone)]
pub struct AttributedOrigin {
    /// The commit.
    pub commit: ObjectId,
    /// The file's path in it.
    pub path: Arc<BString>,
    /// Commit and path of the parent, for a blame before this commit.
    pub previous: Option<(ObjectId, Arc<BString>)>,
    /// True if this is a boundary commit.
    pub boundary: bool,
    /// The lines.
    pub entries: Vec<AttributedLines>,
}

/// A run of lines of the final image, and its position in the origin (0-based).
#[derive(Debug, Clone)]
pub struct AttributedLines {
    /// Lines of the final image.
    pub lines: Range<u32>,
    /// The first of them in the origin's version.
    pub source_start: u32,
    /// Attributed through an ignored commit by similarity.
    pub ignored: bool,
    /// Attributed to an ignored commit, since no counterpart was found.
    pub unblamable: bool,
}
