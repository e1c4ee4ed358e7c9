//! A file's contents by lines.

/// A file's contents with an index of line starts.
pub(crate) struct Text<'a> {
    pub(crate) contents: &'a [u8],
    /// The start of each line, then the end of the file.
    pub(crate) bounds: Vec<usize>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(contents: &'a [u8]) -> Self {
        let mut bounds = vec![0];
        bounds.extend(memchr::memchr_iter(b'\n', contents).map(|at| at + 1));
        if bounds.last() != Some(&contents.len()) {
            bounds.push(contents.len());
        }
        Text { contents, bounds }
    }

    pub(crate) fn count(&self) -> i64 {
        self.bounds.len() as i64 - 1
    }

    /// Byte offset of a line (0-based); the end of the file beyond the last line.
    pub(crate) fn start(&self, line: i64) -> usize {
        let line = usize::try_from(line).unwrap_or(0);
        let bound = self.bounds.get(line).copied();
        bound.unwrap_or(self.contents.len())
    }

    /// A line (0-based), including its newline.
    pub(crate) fn line(&self, line: i64) -> &'a [u8] {
        &self.contents[self.start(line)..self.start(line + 1)]
    }

    /// The C string at an offset: up to the first NUL.
    pub(crate) fn string_from(&self, start: usize) -> &'a [u8] {
        let rest = &self.contents[start..];
        let end = memchr::memchr(0, rest).unwrap_or(rest.len());
        &rest[..end]
    }
}
