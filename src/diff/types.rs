//! The types of a diff: tokens, hunks, algorithms and options.

use std::ops::Range;

/// A distinct line's number in [`Lines`](crate::diff::lines::interner::Lines): equal bytes, equal token.
pub type Token = u32;

/// One change: these old lines were replaced by these new ones (0-based, half-open).
///
/// With an empty side, the position is that of the following unchanged line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old side.
    pub old: Range<u32>,
    /// Lines of the new side.
    pub new: Range<u32>,
}

/// How changes are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// git's default.
    #[default]
    Myers,
    /// Myers without its shortcuts.
    Minimal,
    /// Lines that occur once on each side are anchors.
    Patience,
    /// Rare lines are anchors.
    Histogram,
}

/// The settings that reach a blame's diffs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How changes are searched.
    pub algorithm: Algorithm,
    /// `-w`: lines are equal when they are equal without any white space.
    pub ignore_whitespace: bool,
    /// Slide ambiguous changes to where indentation suggests.
    pub indent_heuristic: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::Myers,
            ignore_whitespace: false,
            indent_heuristic: true,
        }
    }
}

/// Why two texts could not be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// A side exceeds git's limit of 1023 MiB.
    #[error("a text of more than 1023 MiB cannot be compared")]
    TooLarge,
    /// More lines, or longer ones, than 32 bits can count.
    #[error("the text has more or longer lines than can be counted")]
    TooManyLines,
    /// Too many lines share a bucket of the histogram; only contrived texts do that.
    #[error("the lines cannot be told apart by a histogram")]
    Histogram,
}
