//! Marks of ignored revisions.

/// Which marks of ignored revisions to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IgnoreMarks {
    /// `blame.markIgnoredLines`: `?`, or `ignored` in porcelain.
    pub ignored: bool,
    /// `blame.markUnblamableLines`: `*`, or `unblamable` in porcelain.
    pub unblamable: bool,
}
