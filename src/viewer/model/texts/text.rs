//! File contents with an index of lines.

use std::sync::Arc;

use crate::text::binary::is_binary;

/// Most bytes of a file whose lines are measured.
const MAX_MEASURED_LEN: usize = 4 << 20;

/// The bytes of a file and the start of each line.
#[derive(Debug, Clone)]
pub struct Text {
    bytes: Arc<[u8]>,
    starts: Box<[usize]>,
    crlf: bool,
    mixed_ends: bool,
}

impl Text {
    /// Indexes the lines of `bytes`. Linear in the size of the file: not for the UI thread.
    pub fn new(bytes: Arc<[u8]>) -> Self {
        let mut starts = Vec::new();
        let mut crlf = 0;
        let mut start = 0;
        for newline in memchr::memchr_iter(b'\n', &bytes) {
            crlf += usize::from(newline > start && bytes[newline - 1] == b'\r');
            starts.push(start);
            start = newline + 1;
        }
        let mixed_ends = crlf > 0 && crlf < starts.len();
        let crlf = !starts.is_empty() && crlf == starts.len();
        if start < bytes.len() {
            starts.push(start);
        }
        Text {
            bytes,
            starts: starts.into(),
            crlf,
            mixed_ends,
        }
    }

    /// Converts every line separately: `read` gets the bytes of a line and its offset in the file,
    /// and appends the converted line.
    pub fn converted(&self, read: impl Fn(&[u8], usize, &mut Vec<u8>)) -> Self {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut starts = Vec::with_capacity(self.starts.len());
        for line in 0..self.line_count() {
            let start = bytes.len();
            starts.push(start);
            read(self.line(line), self.start(line), &mut bytes);
            // The carriage return of a CRLF in an encoding whose line ends are wider than one byte,
            // such as UTF-16.
            if bytes[start..].last() == Some(&b'\r') {
                bytes.pop();
            }
            for byte in &mut bytes[start..] {
                if *byte == b'\n' {
                    *byte = b' ';
                }
            }
            bytes.push(b'\n');
        }
        Text {
            bytes: bytes.into(),
            starts: starts.into(),
            crlf: false,
            mixed_ends: false,
        }
    }

    /// The bytes that it has in memory.
    pub fn memory_len(&self) -> usize {
        self.bytes.len() + self.starts.len() * size_of::<usize>()
    }

    /// The whole file.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// Number of lines, including a last line without a newline.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// True if git takes it for binary.
    pub fn is_binary(&self) -> bool {
        is_binary(&self.bytes)
    }

    /// True if some lines end with a carriage return and a newline, but not all.
    pub fn has_mixed_ends(&self) -> bool {
        self.mixed_ends
    }

    /// Two texts with the carriage returns at the ends of their lines, if every line of only one has one.
    pub(crate) fn with_differing_ends(mut texts: [Text; 2]) -> [Text; 2] {
        let has_lines = texts.iter().all(|text| !text.starts.is_empty());
        if has_lines && texts[0].crlf != texts[1].crlf {
            texts.iter_mut().for_each(|text| text.crlf = false);
        }
        texts
    }

    /// A line (0-based) without its newline, and without the carriage return if every line has one.
    /// Empty beyond the end.
    pub fn line(&self, line: u32) -> &[u8] {
        let line = line as usize;
        let Some(&start) = self.starts.get(line) else {
            return &[];
        };
        let end = self.starts.get(line + 1).copied();
        let end = end.unwrap_or(self.bytes.len());
        let bytes = &self.bytes[start..end];
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        match bytes.strip_suffix(b"\r") {
            Some(bytes) if self.crlf => bytes,
            _ => bytes,
        }
    }

    /// At least about how many columns the longest line takes with tabs of some columns: exactly for
    /// ASCII with tabs at the start of lines. `usize::MAX` for a large file, which is not measured.
    pub fn longest(&self, tab_width: usize) -> usize {
        if self.bytes.len() > MAX_MEASURED_LEN {
            return usize::MAX;
        }
        let columns = |line| {
            let line = self.line(line);
            let tabs = memchr::memchr_iter(b'\t', line).count();
            line.len() + tabs * tab_width.saturating_sub(1)
        };
        (0..self.line_count()).map(columns).max().unwrap_or(0)
    }

    /// Byte offset of a line (0-based); the file's length beyond the end.
    pub fn start(&self, line: u32) -> usize {
        let start = self.starts.get(line as usize);
        start.copied().unwrap_or(self.bytes.len())
    }
}

/// A shared text, equal only to itself.
#[derive(Debug, Clone)]
pub struct SharedText(pub Arc<Text>);

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedText {}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Text {
        Text::new(Arc::from(bytes))
    }

    #[test]
    fn lines_are_indexed() {
        let file = text(b"a\n\nb");
        assert_eq!(file.line_count(), 3);
        assert_eq!(
            [file.line(0), file.line(1), file.line(2)],
            [&b"a"[..], b"", b"b"]
        );
        assert_eq!(file.line(3), b"");
        assert_eq!(text(b"").line_count(), 0);
        assert_eq!(text(b"\n").line_count(), 1);
    }

    #[test]
    fn the_longest_line_is_measured() {
        assert_eq!(text(b"").longest(8), 0);
        assert_eq!(text(b"a\n\tbc\nlonger").longest(8), 10);
        assert_eq!(text(b"a\n\tbc\nlonger").longest(1), 6);
        assert_eq!(
            text(&vec![b'\n'; MAX_MEASURED_LEN + 1]).longest(8),
            usize::MAX
        );
    }

    #[test]
    fn carriage_returns_are_stripped_only_if_all_lines_have_them() {
        assert_eq!(text(b"a\r\nb\r\n").line(1), b"b");
        assert_eq!(text(b"a\r\nb\n").line(0), b"a\r");
        for (old, new, first) in [
            (&b"a\n"[..], &b"a\r\n"[..], [&b"a"[..], b"a\r"]),
            (b"a\r\n", b"a\n", [b"a\r", b"a"]),
            (b"a\r\n", b"b\r\n", [b"a", b"b"]),
            (b"", b"b\r\n", [b"", b"b"]),
            (b"a\r\n", b"b\r\nc\n", [b"a\r", b"b\r"]),
        ] {
            let texts = Text::with_differing_ends([text(old), text(new)]);
            assert_eq!([texts[0].line(0), texts[1].line(0)], first);
        }
    }
}
