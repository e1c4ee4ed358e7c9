//! Entries with their marks.

use crate::{
    engine::{Blame, Entry, Origin},
    output::plain::options::PlainOptions,
    text::line_offsets::LineOffsets,
};

/// An entry with its origin and marks.
pub(super) struct MarkedEntry<'a> {
    pub(super) entry: &'a Entry,
    pub(super) origin: &'a Origin,
    pub(super) boundary: bool,
    /// Any of `^`, `*` and `?`.
    pub(super) marks: &'static [u8],
}

impl<'a> MarkedEntry<'a> {
    pub(super) fn new(
        entry: &'a Entry,
        origin: &'a Origin,
        blame: &Blame,
        options: &PlainOptions,
    ) -> Self {
        let boundary = blame.boundaries.contains(&origin.commit);
        let caret = boundary && !options.blank_boundary && !options.annotate;
        let star = options.marks.unblamable && entry.unblamable;
        let question = options.marks.ignored && entry.ignored;
        let marks: &[u8] = match (caret, star, question) {
            (false, false, false) => b"",
            (true, false, false) => b"^",
            (false, true, false) => b"*",
            (false, false, true) => b"?",
            (true, true, false) => b"^*",
            (true, false, true) => b"^?",
            (false, true, true) => b"*?",
            (true, true, true) => b"^*?",
        };
        MarkedEntry {
            entry,
            origin,
            boundary,
            marks,
        }
    }

    pub(super) fn line_count(&self) -> u32 {
        self.entry.lines.end.saturating_sub(self.entry.lines.start)
    }

    /// The score of `--score-debug`: 1 + the number of ASCII letters and digits.
    pub(super) fn score(&self, lines: &LineOffsets<'_>) -> u64 {
        let alphanumerics = |line| {
            let bytes = lines.get(line as usize).iter();
            bytes.filter(|byte| byte.is_ascii_alphanumeric()).count() as u64
        };
        1 + self.entry.lines.clone().map(alphanumerics).sum::<u64>()
    }
}
