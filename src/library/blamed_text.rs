//! The text of a file, by lines.

use std::sync::Arc;

use crate::text::line_offsets::LineOffsets;

/// The contents that were blamed, after filters and text conversion. Clones share them.
///
/// Lines end at `\n`, as in git; a last line without one counts.
#[derive(Debug, Clone)]
pub struct BlamedText {
    contents: Arc<[u8]>,
    /// The start of each line, then the end of the text.
    bounds: Arc<[usize]>,
}

impl BlamedText {
    pub(super) fn new(contents: Arc<[u8]>) -> BlamedText {
        let bounds = LineOffsets::new(&contents).into_bounds().into();
        BlamedText { contents, bounds }
    }

    /// The whole contents.
    pub fn as_bytes(&self) -> &[u8] {
        &self.contents
    }

    /// The number of lines.
    pub fn line_count(&self) -> u32 {
        // A blame counts lines in 32 bits, and refuses a file with more.
        (self.bounds.len() - 1) as u32
    }

    /// A line (0-based) without its `\n`, if there is one of this number.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let start = *self.bounds.get(number as usize)?;
        let end = *self.bounds.get(number as usize + 1)?;
        let line = &self.contents[start..end];
        Some(line.strip_suffix(b"\n").unwrap_or(line))
    }

    /// All lines in their order, each without its `\n`.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.line_count()).filter_map(|number| self.line(number))
    }
}
