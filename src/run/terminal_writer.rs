//! Makes output safe for a terminal.

use std::io::{self, Write};

use crate::sanitize;

/// An unfinished line of this length is written nevertheless.
const MAX_LINE: usize = 1 << 20;

/// Writes text to a terminal. Control characters and invisible ones become visible, as in the
/// viewer, except line feeds, tabs and colors.
#[derive(Debug)]
pub(super) struct TerminalWriter<W: Write> {
    terminal: W,
    /// The line that is not finished.
    line: Vec<u8>,
}

impl<W: Write> TerminalWriter<W> {
    /// A writer in front of `terminal`.
    pub(super) fn new(terminal: W) -> Self {
        TerminalWriter {
            terminal,
            line: Vec::new(),
        }
    }

    /// Writes the first `len` bytes that are held.
    fn write_first(&mut self, len: usize) -> io::Result<()> {
        let lines: Vec<u8> = self.line.drain(..len).collect();
        self.terminal.write_all(&safe(&lines))
    }
}

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        let end = memchr::memrchr(b'\n', &self.line).map(|at| at + 1);
        let end = end.or((self.line.len() > MAX_LINE).then_some(self.line.len()));
        if let Some(end) = end {
            self.write_first(end)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_first(self.line.len())?;
        self.terminal.flush()
    }
}

impl<W: Write> Drop for TerminalWriter<W> {
    fn drop(&mut self) {
        // Who needs to know of errors flushes before.
        let _ = self.flush();
    }
}

/// The text with visible replacements.
fn safe(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let kept = match rest[0] {
            b'\n' | b'\t' => 1,
            0x1b => color_len(rest),
            _ => 0,
        };
        let (kept, after) = rest.split_at(kept);
        out.extend_from_slice(kept);
        // An escape that is no color is part of the text.
        let from = usize::from(kept.is_empty());
        let len = after
            .get(from..)
            .and_then(|after| memchr::memchr3(b'\n', b'\t', 0x1b, after));
        let (plain, after) = after.split_at(len.map_or(after.len(), |len| from + len));
        out.extend_from_slice(sanitize::line(plain).as_bytes());
        rest = after;
    }
    out
}

/// The length of the color sequence that `text` starts with; 0 if it does not.
fn color_len(text: &[u8]) -> usize {
    let Some(parameters) = text.strip_prefix(b"\x1b[") else {
        return 0;
    };
    let is_parameter = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
    let count = parameters.iter().take_while(is_parameter).count();
    match parameters.get(count) {
        Some(b'm') => b"\x1b[".len() + count + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[&[u8]]) -> Vec<u8> {
        let mut terminal = Vec::new();
        let mut writer = TerminalWriter::new(&mut terminal);
        for piece in pieces {
            writer.write_all(piece).expect("memory takes everything");
        }
        drop(writer);
        terminal
    }

    #[test]
    fn text_tabs_and_colors_stay() {
        let text = "a\tb\n\x1b[36m\u{e9}\x1b[m\n\n\x1b[1;31mx\x1b[0m".as_bytes();
        assert_eq!(written(&[text]), text);
    }

    #[test]
    fn control_characters_become_visible() {
        let text = b"\x1b]0;title\x07\x1b[2Jx\x1b\x1b[m\r\n\xc2\x9b\x9b\xe2\x80\xaey\x1b[3";
        let shown = "^[]0;title^G^[[2Jx^[\x1b[m^M\n<U+009B><9B><U+202E>y^[[3";
        assert_eq!(String::from_utf8_lossy(&written(&[text])), shown);
    }

    /// No byte of a terminal's control sequences comes through, however the output is cut.
    #[test]
    fn pieces_do_not_matter() {
        let text = "a\u{e9}\x1b[31mb\x1b[2J\u{202e}c\td\n\u{9b}e\r\n".as_bytes();
        let whole = written(&[text]);
        for first in 0..text.len() {
            for second in first..text.len() {
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(written(&pieces), whole);
            }
        }
    }
}
