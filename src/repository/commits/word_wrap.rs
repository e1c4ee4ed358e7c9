//! Word wrapping of commit messages.

use std::ops::Range;

use crate::sanitize;

/// Length of the prefix of a message that is shown, in bytes.
const LIMIT: usize = 1 << 18;

/// A line of wrapped text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrappedLine {
    /// Sanitized text.
    pub text: String,
    /// For each byte its offset in the message; `None` for added text.
    from: Vec<Option<u32>>,
}

impl WrappedLine {
    fn push(&mut self, text: &str, from: Option<usize>) {
        let from = from.and_then(|from| u32::try_from(from).ok());
        self.text.push_str(text);
        self.from.resize(self.text.len(), from);
    }

    /// The range of a part of the message in this line, clipped to the line.
    pub fn place(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let mut known = self.from.iter().flatten();
        let (first, last) = (*known.next()? as usize, known.next_back());
        let last = last.map_or(first, |last| *last as usize);
        if part.start > last || part.end <= first {
            return None;
        }
        let is_in = |from: &Option<u32>| from.is_some_and(|from| part.contains(&(from as usize)));
        let start = self.from.iter().position(is_in)?;
        let end = self.from.iter().rposition(is_in)? + 1;
        self.text.is_char_boundary(end).then_some(start..end)
    }
}

/// Sanitizes a message and wraps lines wider than `width` between words.
pub fn wrap(message: &[u8], width: usize) -> Vec<String> {
    let lines = wrap_with_offsets(message, width).into_iter();
    lines.map(|line| line.text).collect()
}

/// The same with the source offsets.
pub fn wrap_with_offsets(message: &[u8], width: usize) -> Vec<WrappedLine> {
    let width = width.max(1);
    let message = message.trim_ascii_end();
    let cut = message.len() > LIMIT;
    let message = &message[..message.len().min(LIMIT)];
    let mut lines = Vec::new();
    let mut at = 0;
    for line in message.split(|&byte| byte == b'\n') {
        let start = at;
        at += line.len() + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        wrap_line((line, start), width, &mut lines);
    }
    if cut {
        let mut last = WrappedLine::default();
        last.push("… (message truncated)", None);
        lines.push(last);
    }
    lines
}

/// The same for a paragraph that is filled as if it were one line, in at most `most` lines, of which the
/// last ends with `…` if there are more.
pub fn fill_with_offsets(paragraph: &[u8], width: usize, most: usize) -> Vec<WrappedLine> {
    let mut line = paragraph[..paragraph.len().min(LIMIT)].to_vec();
    for byte in line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
    let mut lines = wrap_with_offsets(&line, width);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while sanitize::width(last.text.as_bytes()) >= width.max(1) {
                last.text.pop();
            }
            last.from.truncate(last.text.len());
            last.push("…", None);
        }
    }
    lines
}

/// Wraps one line of the message.
fn wrap_line((line, start): (&[u8], usize), width: usize, lines: &mut Vec<WrappedLine>) {
    let indent = line.iter().take_while(|&&byte| byte == b' ').count();
    let indent = if indent < width / 2 { indent } else { 0 };
    let mut current = WrappedLine::default();
    let mut columns = 0;
    // The last break opportunity: bytes and columns through the last space.
    let mut space = None;
    for glyph in sanitize::Glyphs::new(line) {
        if columns + glyph.columns > width && columns > indent {
            let mut rest = WrappedLine::default();
            rest.push(&" ".repeat(indent), None);
            match space.take() {
                Some((bytes, broken)) if bytes > indent => {
                    rest.text.push_str(&current.text.split_off(bytes));
                    rest.from.extend(current.from.split_off(bytes));
                    columns -= broken;
                }
                _ => columns = 0,
            }
            current.text.truncate(current.text.trim_end().len());
            current.from.truncate(current.text.len());
            lines.push(std::mem::replace(&mut current, rest));
            columns += indent;
        }
        current.push(&glyph.text, Some(start + glyph.start));
        columns += glyph.columns;
        if glyph.text == " " && columns > indent {
            space = Some((current.text.len(), columns));
        }
    }
    lines.push(current);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_whole() {
        assert_eq!(
            wrap(b"one two three\n\nfour\n", 8),
            ["one two", "three", "", "four"]
        );
        assert_eq!(wrap(b"abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap(b"  one two", 6), ["  one", "  two"]);
        assert_eq!(wrap("日本語".as_bytes(), 4), ["日本", "語"]);
        assert_eq!(wrap(b"", 4), [""]);
    }

    #[test]
    fn paragraphs_are_filled() {
        let fill = |text: &str, width, most| -> Vec<String> {
            let lines = fill_with_offsets(text.as_bytes(), width, most).into_iter();
            lines.map(|line| line.text).collect()
        };
        let text = "one two\nthree four\nfive";
        assert_eq!(fill(text, 9, 9), ["one two", "three", "four five"]);
        assert_eq!(fill(text, 9, 3), ["one two", "three", "four five"]);
        assert_eq!(fill(text, 9, 2), ["one two", "three…"]);
        assert_eq!(fill(text, 13, 1), ["one two…"]);
        assert_eq!(fill("日本語日本語", 4, 1), ["日…"]);
        assert_eq!(fill("a b c", 1, 2), ["a", "…"]);
        let cut = fill_with_offsets(b"one\ntwo #12 four", 12, 1);
        assert_eq!(cut[0].place(&(8..11)), Some(8..11));
    }

    #[test]
    fn parts_of_a_message_are_found_again() {
        let message = "one \u{1b} #12\n  see https://x.org/abc".as_bytes();
        let lines = wrap_with_offsets(message, 12);
        let found = |part: &str| -> Vec<String> {
            let at = bstr::ByteSlice::find(message, part).expect("a part");
            let part = at..at + part.len();
            let places = lines
                .iter()
                .filter_map(|line| Some((line, line.place(&part)?)));
            places
                .map(|(line, place)| line.text[place].to_owned())
                .collect()
        };
        assert_eq!(found("#12"), ["#12"]);
        assert_eq!(found("https://x.org/abc"), ["https://x.", "org/abc"]);
        assert_eq!(found("\u{1b}"), ["^["]);
    }
}
