//! Options of the human-readable formats.

use crate::{
    dates::{calendar::Clock, date_format},
    output::{
        abbreviation::{Abbrev, MarkColumns},
        color::Coloring,
    },
    repository::commits::commit_text::CommitText,
};

/// The marks of ignored revisions that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IgnoreMarks {
    /// `blame.markIgnoredLines`: `?`, or `ignored` in porcelain.
    pub ignored: bool,
    /// `blame.markUnblamableLines`: `*`, or `unblamable` in porcelain.
    pub unblamable: bool,
}

/// Options of the human-readable formats.
#[derive(Debug, Clone)]
pub struct PlainOptions {
    /// `--abbrev`, `core.abbrev`.
    pub abbrev: Abbrev,
    /// Columns added for marks.
    pub mark_columns: MarkColumns,
    /// A line is repeated only after a line of its own entry (git up to 2.53).
    pub repeats_in_entries: bool,
    /// `-l`: full ids.
    pub long: bool,
    /// `-t`: raw timestamps and zones.
    pub raw_time: bool,
    /// `-s`: no author and date.
    pub no_author: bool,
    /// `-e`, `blame.showEmail`: the email instead of the name.
    pub email: bool,
    /// `-f`: the original path, even if no line has another one.
    pub name: bool,
    /// `-n`: the original line number.
    pub number: bool,
    /// `-b`, `blame.blankBoundary`: blank ids of boundary commits.
    pub blank_boundary: bool,
    /// `--score-debug`.
    pub score: bool,
    /// `-c`, `annotate`.
    pub annotate: bool,
    /// Marks of ignored revisions.
    pub marks: IgnoreMarks,
    /// `--date`.
    pub date: date_format::DateMode,
    /// Current time and local time zone.
    pub clock: Clock,
    /// `--color-lines`, `--color-by-age`.
    pub coloring: Coloring,
}

impl PlainOptions {
    /// git's defaults.
    pub fn new(clock: Clock) -> Self {
        PlainOptions {
            abbrev: Abbrev::default(),
            mark_columns: MarkColumns::default(),
            repeats_in_entries: false,
            long: false,
            raw_time: false,
            no_author: false,
            email: false,
            name: false,
            number: false,
            blank_boundary: false,
            score: false,
            annotate: false,
            marks: IgnoreMarks::default(),
            date: date_format::DateMode::default(),
            clock,
            coloring: Coloring::default(),
        }
    }

    /// The author's name or email.
    pub(super) fn author<'t>(&self, text: &'t CommitText) -> &'t [u8] {
        if self.email {
            &text.author.mail
        } else {
            &text.author.name
        }
    }
}
