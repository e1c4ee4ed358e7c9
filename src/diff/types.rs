//! The types of a diff: tokens, hunks, algorithms and options.

use std::ops::Range;

/// The id of an interned line: equal bytes, equal token.
pub type Token = u32;

/// One change: a range of old lines replaced by a range of new lines (0-based, half-open).
///
/// An empty range is positioned at the unchanged line that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old side.
    pub old: Range<u32>,
    /// Lines of the new side.
    pub new: Range<u32>,
}

/// The diff algorithm (`--diff-algorithm`, `--minimal`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "internals"), non_exhaustive)]
pub enum Algorithm {
    /// Myers' O(ND) algorithm with git's heuristics for expensive inputs; the default.
    #[default]
    Myers,
    /// Myers without these heuristics: the smallest possible diff.
    Minimal,
    /// Lines that are unique on both sides are anchors.
    Patience,
    /// The common region with the rarest lines is the anchor.
    Histogram,
}

impl Algorithm {
    /// The algorithm of this name, in any letter case.
    pub(crate) fn from_name(name: &[u8]) -> Option<Algorithm> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"myers" | b"default" => Algorithm::Myers,
            b"minimal" => Algorithm::Minimal,
            b"patience" => Algorithm::Patience,
            b"histogram" => Algorithm::Histogram,
            _ => return None,
        })
    }
}

/// Diff options that affect a blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffOptions {
    /// The diff algorithm.
    pub algorithm: Algorithm,
    /// `-w`: ignore all whitespace when comparing lines.
    pub ignore_whitespace: bool,
    /// Slide ambiguous changes according to indentation.
    pub indent_heuristic: bool,
    /// Differences of older gits.
    pub older: OlderDiff,
}

/// Rules of older gits that were changed since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OlderDiff {
    /// [`Algorithm::Minimal`] sets frequent lines aside, as before git 2.50.
    pub minimal: bool,
    /// [`Algorithm::Histogram`] compares nothing again, as before git 2.54.
    pub histogram: bool,
}

impl Default for DiffOptions {
    fn default() -> Self {
        DiffOptions {
            algorithm: Algorithm::Myers,
            ignore_whitespace: false,
            indent_heuristic: true,
            older: OlderDiff::default(),
        }
    }
}

/// Why two texts could not be diffed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// One side exceeds git's limit of 1023 MiB.
    #[error("cannot diff a file of more than 1023 MiB")]
    TooLarge,
    /// Too many distinct lines, or too long a line, for 32-bit ids and lengths.
    #[error("too many lines, or a line of 4 GiB or more")]
    TooManyLines,
    /// Too many distinct lines hash to one histogram bucket; only adversarial input does that.
    #[error("too many lines in one histogram bucket")]
    Histogram,
    /// The hunks do not leave as many lines on both sides: a defect of this program.
    #[error("the lines of a diff do not fit together")]
    Inconsistent,
}
