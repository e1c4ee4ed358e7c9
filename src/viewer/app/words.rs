//! Text in words: a commit's message broken to a width.

use crate::sanitize;

/// Bytes of a message that are shown.
const LIMIT: usize = 1 << 18;

/// The lines of `message`, made safe and broken between words where they are wider than `width`.
pub fn wrap(message: &[u8], width: usize) -> Vec<String> {
    let width = width.max(1);
    let message = message.trim_ascii_end();
    let cut = message.len() > LIMIT;
    let message = &message[..message.len().min(LIMIT)];
    let mut lines = Vec::new();
    for line in message.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        wrap_line(line, width, &mut lines);
    }
    if cut {
        lines.push("… (the message goes on)".to_owned());
    }
    lines
}

fn wrap_line(line: &[u8], width: usize, lines: &mut Vec<String>) {
    let indent = line.iter().take_while(|&&byte| byte == b' ').count();
    let indent = if indent < width / 2 { indent } else { 0 };
    let mut text = String::new();
    let mut columns = 0;
    // Where the line could be broken: bytes and columns up to and with the last space.
    let mut space = None;
    for glyph in sanitize::Glyphs::new(line) {
        if columns + glyph.columns > width && columns > indent {
            let rest = match space.take() {
                Some((bytes, broken)) if bytes > indent => {
                    let rest = text.split_off(bytes);
                    columns -= broken;
                    rest
                }
                _ => {
                    columns = 0;
                    String::new()
                }
            };
            lines.push(text.trim_end().to_owned());
            text = " ".repeat(indent) + &rest;
            columns += indent;
        }
        text.push_str(&glyph.text);
        columns += glyph.columns;
        if glyph.text == " " && columns > indent {
            space = Some((text.len(), columns));
        }
    }
    lines.push(text);
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
}
