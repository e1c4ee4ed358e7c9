//! An index of the lines of a text.

/// A text with the byte offsets of its lines. A last line without newline counts.
#[derive(Debug)]
pub struct LineOffsets<'a> {
    contents: &'a [u8],
    /// The start of each line, then the end of the text.
    bounds: Vec<usize>,
}

/// The most lines that room is made for in advance.
const MAX_EXPECTED: usize = 1 << 20;

impl<'a> LineOffsets<'a> {
    /// Indexes `contents`.
    pub fn new(contents: &'a [u8]) -> Self {
        let mut bounds = Vec::with_capacity((contents.len() / 16 + 2).min(MAX_EXPECTED));
        bounds.push(0);
        bounds.extend(memchr::memchr_iter(b'\n', contents).map(|at| at + 1));
        if bounds.last() != Some(&contents.len()) {
            bounds.push(contents.len());
        }
        LineOffsets { contents, bounds }
    }

    /// The whole text.
    pub fn contents(&self) -> &'a [u8] {
        self.contents
    }

    /// The start of each line, then the end of the text.
    pub fn bounds(&self) -> &[usize] {
        &self.bounds
    }

    /// The start of each line, then the end of the text.
    pub fn into_bounds(self) -> Vec<usize> {
        self.bounds
    }

    /// The number of lines.
    pub fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The offset of a line (0-based); the end of the text beyond the last line.
    pub fn start(&self, line: usize) -> usize {
        let bound = self.bounds.get(line).copied();
        bound.unwrap_or(self.contents.len())
    }

    /// A line (0-based) including its newline; empty beyond the end.
    #[inline]
    pub fn get(&self, line: usize) -> &'a [u8] {
        match (self.bounds.get(line), self.bounds.get(line + 1)) {
            (Some(&start), Some(&end)) => &self.contents[start..end],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_and_without_final_newline() {
        let lines = LineOffsets::new(b"a\nb");
        assert_eq!(lines.count(), 2);
        assert_eq!(lines.get(1), b"b");
        assert_eq!(lines.get(2), b"");
        assert_eq!((lines.start(1), lines.start(2), lines.start(9)), (2, 3, 3));
        assert_eq!(LineOffsets::new(b"").count(), 0);
        assert_eq!(LineOffsets::new(b"\n").count(), 1);
    }
}
