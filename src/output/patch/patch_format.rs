//! The interface of the formats of a patch.

use crate::{
    objects::ObjectId,
    output::{
        buffer::OutputBuffer,
        error::OutputError,
        patch::{
            attributed::{AttributedHunk, PatchBase},
            summary::PatchSummary,
        },
    },
    repository::commits::line_counts::CommitAuthors,
};

/// A format of an attributed patch.
pub(crate) trait PatchFormat {
    /// Who made a commit.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn authors(&mut self, commit: &ObjectId) -> Result<CommitAuthors, OutputError>;

    /// Begins the output.
    fn begin(&mut self, _out: &mut OutputBuffer<'_>) {}

    /// Text of the patch between its hunks, and hunks of which nothing is known.
    fn text(&mut self, _out: &mut OutputBuffer<'_>, _text: &[u8]) {}

    /// The base of a file was found.
    fn base(&mut self, _out: &mut OutputBuffer<'_>, _base: &PatchBase) {}

    /// A hunk with the commits of its lines.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read.
    fn hunk(
        &mut self,
        out: &mut OutputBuffer<'_>,
        hunk: &AttributedHunk<'_>,
    ) -> Result<(), OutputError>;

    /// Nothing is said about a hunk, whose header is a line of the patch (1-based).
    fn unapplied(&mut self, _out: &mut OutputBuffer<'_>, _line: u32, _reason: &str) {}

    /// Ends the output.
    ///
    /// # Errors
    ///
    /// If a commit cannot be read.
    fn end(
        &mut self,
        out: &mut OutputBuffer<'_>,
        summary: &PatchSummary,
    ) -> Result<(), OutputError>;
}
