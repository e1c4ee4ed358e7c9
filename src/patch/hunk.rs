//! The hunks of a patch and their lines.

use std::ops::Range;

use bstr::ByteSlice;

/// Most old sides of a combined diff.
pub(super) const MAX_SIDES: usize = 128;

/// A hunk. Its old sides are in the order of the parents; there is one, unless the diff is combined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHunk {
    /// The bytes of the header line in the patch.
    pub header: Range<usize>,
    /// The bytes of its lines, which follow the header.
    pub body: Range<usize>,
    /// The number of the header line in the patch (1-based).
    pub line: u32,
    /// The shown lines of each old side (0-based, half-open).
    pub old: Vec<Range<u32>>,
    /// How many lines of each old side the patch counts directly before these, and does not show.
    pub left_out: Vec<u32>,
    /// It may have context that the patch neither shows nor counts: see
    /// [`hidden_lines`](super::hidden_lines).
    pub hides_context: bool,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkLine<'a> {
    /// All of it, with marks and newline.
    pub whole: &'a [u8],
    /// The mark for each old side: `-`, `+` or a space. Empty for a remark such as
    /// `\ No newline at end of file`.
    pub marks: &'a [u8],
    /// Without marks and newline.
    pub text: &'a [u8],
}

impl HunkLine<'_> {
    /// A line of context, on so many old sides, that is not shown.
    pub fn hidden(sides: usize) -> HunkLine<'static> {
        static BLANKS: [u8; MAX_SIDES] = [b' '; MAX_SIDES];
        HunkLine {
            whole: b"",
            marks: &BLANKS[..sides.min(MAX_SIDES)],
            text: b"",
        }
    }

    /// True for a line that is not shown.
    pub fn is_hidden(&self) -> bool {
        self.whole.is_empty()
    }

    /// True if all sides have it.
    pub(crate) fn is_context(&self) -> bool {
        !self.marks.is_empty() && self.marks.iter().all(|&mark| mark == b' ')
    }

    /// True if the new side does not have it.
    pub fn is_removed(&self) -> bool {
        self.marks.contains(&b'-')
    }

    /// True if no old side has it.
    pub fn is_new(&self) -> bool {
        !self.marks.is_empty() && self.marks.iter().all(|&mark| mark == b'+')
    }

    /// True if the old side of `parent` has it.
    pub fn is_in_old(&self, parent: usize) -> bool {
        let wanted = if self.is_removed() { b'-' } else { b' ' };
        self.marks.get(parent) == Some(&wanted)
    }

    /// True if the new side has it.
    pub(crate) fn is_in_new(&self) -> bool {
        !self.marks.is_empty() && !self.is_removed()
    }
}

impl PatchHunk {
    /// The lines of the hunk. `patch` is the text that it was found in.
    pub fn lines<'a>(&self, patch: &'a [u8]) -> impl Iterator<Item = HunkLine<'a>> + use<'a> {
        let sides = self.old.len();
        let body = patch.get(self.body.clone()).unwrap_or_default();
        let lines = body.lines_with_terminator();
        lines.filter_map(move |line| hunk_line(line, sides))
    }
}

/// Reads a line of a hunk with this number of old sides. `None` if it is none.
pub(super) fn hunk_line(whole: &[u8], sides: usize) -> Option<HunkLine<'_>> {
    let line = whole.strip_suffix(b"\n").unwrap_or(whole);
    if line.starts_with(b"\\") {
        return Some(HunkLine {
            whole,
            marks: b"",
            text: line,
        });
    }
    // Programs that remove trailing spaces leave nothing of an empty line.
    if sides == 1 && matches!(line, b"" | b"\r") {
        return Some(HunkLine {
            whole,
            marks: b" ",
            text: line,
        });
    }
    let (marks, text) = line.split_at_checked(sides)?;
    let kind = if marks.contains(&b'-') { b'-' } else { b'+' };
    let are_marks = marks.iter().all(|&mark| mark == kind || mark == b' ');
    are_marks.then_some(HunkLine { whole, marks, text })
}
