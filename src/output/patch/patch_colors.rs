//! The colors of a patch: those that `git diff` has where none are configured.

use bstr::ByteSlice;

use crate::output::{
    buffer::OutputBuffer,
    color::{BOLD, GREEN, RED, push_colored},
};

const YELLOW: &[u8] = b"\x1b[33m";
const CYAN: &[u8] = b"\x1b[36m";

/// Colors the lines of a patch, or leaves them as they are.
pub(super) struct PatchColors {
    are_on: bool,
    /// The next lines are headers of a file.
    is_in_header: bool,
}

impl PatchColors {
    pub(super) fn new(are_on: bool) -> PatchColors {
        PatchColors {
            are_on,
            is_in_header: false,
        }
    }

    pub(super) fn are_on(&self) -> bool {
        self.are_on
    }

    /// Writes text between the lines of hunks, or headers of hunks.
    pub(super) fn push_text(&mut self, out: &mut OutputBuffer<'_>, text: &[u8]) {
        if !self.are_on {
            return out.bytes(text);
        }
        for line in text.lines_with_terminator() {
            let is_of_hunk = line.starts_with(b"@@");
            if is_of_hunk || line.trim_ascii().is_empty() {
                self.is_in_header = false;
            } else if line.starts_with(b"diff ") || line.starts_with(b"--- ") {
                self.is_in_header = true;
            }
            if is_of_hunk {
                // The name of the function is not colored.
                let range = line.find(b" @@").map_or(line.len(), |at| {
                    at + 1
                        + line[at + 1..]
                            .iter()
                            .take_while(|&&byte| byte == b'@')
                            .count()
                });
                let (range, function) = line.split_at(range);
                push_colored(out, CYAN, range);
                out.bytes(function);
            } else if self.is_in_header {
                push_colored(out, BOLD, line);
            } else if line.starts_with(b"commit ") {
                push_colored(out, YELLOW, line);
            } else {
                out.bytes(line);
            }
        }
    }

    /// Writes a line of a hunk with so many old sides.
    pub(super) fn push_line(&self, out: &mut OutputBuffer<'_>, line: &[u8], sides: usize) {
        let marks = line.get(..sides).unwrap_or_default();
        let color: &[u8] = match () {
            () if !self.are_on => &[],
            () if marks.contains(&b'-') => RED,
            () if marks.contains(&b'+') => GREEN,
            () => &[],
        };
        push_colored(out, color, line);
    }
}
