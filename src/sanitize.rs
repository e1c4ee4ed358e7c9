//! Makes untrusted bytes safe to write to a terminal, and measures them in columns.
//!
//! All text from a repository passes through here before it reaches the terminal. Control
//! characters become `^X`, bytes that are not UTF-8 `<E9>`, invisible and bidirectional control
//! characters `<U+202E>`, tabs spaces. Every [`Glyph`] has the same width in all terminals:
//! sequences that terminals measure differently (joined emoji, variation selectors) are split or
//! stripped.

use std::{borrow::Cow, cell::Cell};

use unicode_width::UnicodeWidthChar;

/// The usual width of tabs, in columns.
const TAB: usize = 8;

thread_local! {
    /// The width of tabs in the text that this thread shows.
    static TAB_WIDTH: Cell<usize> = const { Cell::new(TAB) };
}

/// The width of tabs in the text that this thread shows, in columns.
pub fn tab_width() -> usize {
    TAB_WIDTH.get()
}

/// Sets the width of tabs in the text that this thread shows, in columns: 1 to 32, or else 8.
/// Columns and rows that were computed before are no longer right.
pub fn set_tab_width(columns: usize) {
    let is_possible = (1..=SPACES.len()).contains(&columns);
    TAB_WIDTH.set(if is_possible { columns } else { TAB });
}

/// Combining marks kept on one character; further ones are dropped.
const MAX_COMBINING: usize = 3;

/// Combining marks consumed with one character, so that glyphs are bounded.
const MAX_CONSUMED: usize = 32;

/// As many blanks as the widest tab has columns.
const SPACES: &str = "                                ";

/// The kind of a glyph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlyphKind {
    /// Text as it is.
    Text,
    /// A visible replacement for something unsafe.
    Escape,
}

/// The smallest unit of text that is drawn or truncated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph<'a> {
    /// Printable text, never empty.
    pub text: Cow<'a, str>,
    /// Its first column in the line (0-based).
    pub column: usize,
    /// Its width in columns (at least 1).
    pub columns: usize,
    /// Byte offset of its start in the line.
    pub start: usize,
    /// Byte offset of its end in the line.
    pub end: usize,
    /// Text or replacement.
    pub kind: GlyphKind,
}

/// The state of [`Glyphs`] at a position in a line, to resume from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    at: usize,
    column: usize,
    after_wide: bool,
}

impl TextPosition {
    /// The start of the line.
    pub const START: TextPosition = TextPosition {
        at: 0,
        column: 0,
        after_wide: false,
    };

    /// The column (0-based) of the next glyph.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The byte offset of the next glyph.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The position after `further` bytes of printable ASCII. The byte after it, if any, must be
    /// printable ASCII too, so that no glyph extends across the position.
    fn after_plain(self, further: usize) -> TextPosition {
        TextPosition {
            at: self.at + further,
            column: self.column + further,
            after_wide: false,
        }
    }

    /// The next `count` bytes, or fewer at the end of the line, if all of them are printable ASCII;
    /// and a function from their indices to positions.
    pub fn plain(
        self,
        line: &[u8],
        count: usize,
    ) -> Option<(&[u8], impl Fn(usize) -> TextPosition)> {
        let rest = line.get(self.at..)?;
        let rest = &rest[..rest.len().min(count)];
        (plain_prefix(rest, count) == rest.len())
            .then_some((rest, move |further| self.after_plain(further)))
    }
}

/// Iterator over the glyphs of a line.
#[derive(Debug, Clone)]
pub struct Glyphs<'a> {
    bytes: &'a [u8],
    at: usize,
    column: usize,
    after_wide: bool,
}

impl<'a> Glyphs<'a> {
    /// The glyphs of `line` (without its newline).
    pub fn new(line: &'a [u8]) -> Self {
        Glyphs {
            bytes: line,
            at: 0,
            column: 0,
            after_wide: false,
        }
    }

    /// The glyphs of `line` from the first one that extends beyond `column`.
    ///
    /// Skips printable ASCII in blocks, so that the end of a line of megabytes can be shown.
    pub fn from_column(line: &'a [u8], column: usize) -> Self {
        Glyphs::new(line).advance_to(column)
    }

    /// The glyphs of `line` from a position on.
    pub fn from_position(line: &'a [u8], position: TextPosition) -> Self {
        Glyphs {
            bytes: line,
            at: position.at.min(line.len()),
            column: position.column,
            after_wide: position.after_wide,
        }
    }

    /// The position of the next glyph.
    pub fn position(&self) -> TextPosition {
        TextPosition {
            at: self.at,
            column: self.column,
            after_wide: self.after_wide,
        }
    }

    /// Like [`from_column`](Self::from_column), starting at the nearest of the line's `positions`.
    pub fn from_positions(line: &'a [u8], positions: &[TextPosition], column: usize) -> Self {
        let before = positions.partition_point(|position| position.column <= column);
        let position = before.checked_sub(1).and_then(|last| positions.get(last));
        let position = position.filter(|position| position.at <= line.len());
        let glyphs = position.map(|position| Glyphs::from_position(line, *position));
        glyphs.unwrap_or(Glyphs::new(line)).advance_to(column)
    }

    /// Positions about every `step` bytes. Linear in the length of the line.
    pub fn positions(line: &'a [u8], step: usize) -> Vec<TextPosition> {
        let mut glyphs = Glyphs::new(line);
        let mut positions = Vec::new();
        let mut wanted = step;
        while glyphs.at < line.len() {
            glyphs.skip_plain(step);
            if glyphs.next().is_none() {
                break;
            }
            if glyphs.at >= wanted {
                wanted = glyphs.at + step;
                positions.push(glyphs.position());
            }
        }
        positions
    }

    fn advance_to(mut self, column: usize) -> Self {
        while self.column < column {
            self.skip_plain(column - self.column);
            let before = self.clone();
            match self.next() {
                Some(glyph) if glyph.column + glyph.columns > column => return before,
                Some(_) => {}
                None => break,
            }
        }
        self
    }

    /// Skips at most `limit` bytes of printable ASCII, except the last one, which may be followed
    /// by combining marks.
    fn skip_plain(&mut self, limit: usize) {
        let plain = plain_prefix(&self.bytes[self.at..], limit);
        if plain > 1 {
            self.at += plain - 1;
            self.column += plain - 1;
            self.after_wide = false;
        }
    }

    fn decode(&self, at: usize) -> (Option<char>, usize) {
        match self.bytes.get(at) {
            None => (None, 0),
            Some(&byte) if byte < 0x80 => (Some(char::from(byte)), 1),
            Some(_) => {
                let end = self.bytes.len().min(at + 4);
                bstr::decode_utf8(&self.bytes[at..end])
            }
        }
    }

    /// End offsets of the combining marks that follow a character: of those shown, and of all.
    fn combined(&self, mut at: usize) -> (usize, usize) {
        let mut shown = at;
        let mut count = 0;
        let mut dropped = false;
        while let (Some(c), size) = self.decode(at)
            && count < MAX_CONSUMED
        {
            let selector = is_variation_selector(c);
            if !selector && (c.is_ascii() || is_hidden(c) || c.width() != Some(0)) {
                break;
            }
            at += size;
            count += 1;
            dropped |= selector || count > MAX_COMBINING;
            if !dropped {
                shown = at;
            }
        }
        (shown, at)
    }
}

impl<'a> Iterator for Glyphs<'a> {
    type Item = Glyph<'a>;

    fn next(&mut self) -> Option<Glyph<'a>> {
        let start = self.at;
        if let Some(text) = self.plain_text() {
            let column = self.column;
            self.at += 1;
            self.column += 1;
            self.after_wide = false;
            return Some(Glyph {
                text: Cow::Borrowed(text),
                column,
                columns: 1,
                start,
                end: self.at,
                kind: GlyphKind::Text,
            });
        }
        let (decoded, size) = self.decode(start);
        if size == 0 {
            return None;
        }
        let after_wide = std::mem::take(&mut self.after_wide);
        let (text, columns, end, kind) = match decoded {
            None => escape(format!("<{:02X}>", self.bytes[start]), start + 1),
            Some('\t') => {
                let width = tab_width();
                let columns = width - self.column % width;
                let text = Cow::Borrowed(&SPACES[..columns]);
                (text, columns, start + 1, GlyphKind::Text)
            }
            Some(c) if c.is_ascii_control() => {
                let shown = char::from((c as u8) ^ 0x40);
                escape(format!("^{shown}"), start + size)
            }
            // A joiner between two emoji is dropped: all terminals agree about the single emoji.
            Some('\u{200d}') if after_wide && self.wide_at(start + size) => {
                self.at = start + size;
                return self.next();
            }
            Some(c) if is_hidden(c) || is_variation_selector(c) => {
                escape(format!("<U+{:04X}>", c as u32), start + size)
            }
            Some(c) => match c.width() {
                // A combining mark without a base character.
                Some(0) | None => escape(format!("<U+{:04X}>", c as u32), start + size),
                Some(columns) => {
                    let (shown, end) = self.combined(start + size);
                    self.after_wide = columns == 2;
                    let text = String::from_utf8_lossy(&self.bytes[start..shown]);
                    (text, columns, end, GlyphKind::Text)
                }
            },
        };
        let glyph = Glyph {
            text,
            column: self.column,
            columns,
            start,
            end,
            kind,
        };
        self.at = end;
        self.column += columns;
        Some(glyph)
    }
}

impl<'a> Glyphs<'a> {
    /// The next character, if it is printable ASCII that nothing combines with: most text.
    fn plain_text(&self) -> Option<&'a str> {
        let mut next = self.bytes[self.at..].iter();
        let is_plain = matches!(next.next(), Some(0x20..0x7f));
        if !is_plain || !next.next().is_none_or(u8::is_ascii) {
            return None;
        }
        std::str::from_utf8(&self.bytes[self.at..=self.at]).ok()
    }

    fn wide_at(&self, at: usize) -> bool {
        matches!(self.decode(at), (Some(c), _) if c.width() == Some(2))
    }
}

fn escape<'a>(text: String, end: usize) -> (Cow<'a, str>, usize, usize, GlyphKind) {
    let columns = text.len();
    (Cow::Owned(text), columns, end, GlyphKind::Escape)
}

/// Length of the prefix of printable ASCII, at most `limit`.
fn plain_prefix(bytes: &[u8], limit: usize) -> usize {
    let bytes = &bytes[..bytes.len().min(limit)];
    let plain = |byte: &u8| (0x20..0x7f).contains(byte);
    let whole = bytes
        .chunks_exact(64)
        .take_while(|chunk| chunk.iter().fold(true, |all, byte| all & plain(byte)))
        .count()
        * 64;
    whole + bytes[whole..].iter().take_while(|byte| plain(byte)).count()
}

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// Characters that are invisible, affect how others are displayed, or have another width in each
/// terminal, as U+302E has.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{302e}'
            | '\u{302f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Sanitizes `bytes` to one line, truncated to `columns` with an ellipsis.
pub fn clip(bytes: &[u8], columns: usize) -> String {
    if bytes.len() <= columns && plain_prefix(bytes, columns) == bytes.len() {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut text = String::new();
    let mut last = 0;
    for glyph in Glyphs::new(bytes) {
        if glyph.column + glyph.columns > columns {
            if columns == 0 {
                return String::new();
            }
            // The ellipsis needs a column: drop the last glyph if there is none left.
            if glyph.column == columns {
                text.truncate(last);
            }
            text.push('…');
            return text;
        }
        last = text.len();
        text.push_str(&glyph.text);
    }
    text
}

/// Clips the start of a sanitized path, whose end is more informative, behind an ellipsis.
pub fn clip_left(path: &str, width: usize) -> String {
    let columns = self::width(path.as_bytes());
    if columns <= width {
        return path.to_owned();
    }
    if width == 0 {
        return String::new();
    }
    let fits = |glyph: &Glyph<'_>| columns - glyph.column < width;
    let first = Glyphs::new(path.as_bytes()).find(fits);
    let kept = first.map_or("", |glyph| &path[glyph.start..]);
    format!("…{kept}")
}

/// Sanitizes `bytes` to one line.
pub fn line(bytes: &[u8]) -> String {
    Glyphs::new(bytes).map(|glyph| glyph.text).collect()
}

/// The width of the sanitized `bytes` in columns.
pub fn width(bytes: &[u8]) -> usize {
    let plain = plain_prefix(bytes, bytes.len());
    if plain == bytes.len() {
        return plain;
    }
    let skipped = plain.saturating_sub(1);
    Glyphs::from_column(bytes, skipped)
        .last()
        .map_or(skipped, |glyph| glyph.column + glyph.columns)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn unsafe_bytes_become_visible() {
        assert_eq!(line(b"\x1b[2J\x07\x7f"), "^[[2J^G^?");
        assert_eq!(line("a\u{202e}b\u{200b}c\u{85}d\u{302e}".as_bytes()), {
            "a<U+202E>b<U+200B>c<U+0085>d<U+302E>"
        });
        assert_eq!(line(b"caf\xe9 \xff\xfe"), "caf<E9> <FF><FE>");
        assert_eq!(line(b"\xe2\x82"), "<E2><82>");
        assert_eq!(line(b"a\rb"), "a^Mb");
    }

    #[test]
    fn the_end_of_a_path_begins_with_a_whole_letter() {
        let path = "e\u{301}".repeat(4);
        for width in 0..6 {
            let clipped = clip_left(&path, width);
            let expected = match width {
                0 => String::new(),
                1..4 => format!("…{}", "e\u{301}".repeat(width - 1)),
                _ => path.clone(),
            };
            assert_eq!(clipped, expected, "{width}");
        }
        // A wide letter that has half the room.
        assert_eq!(clip_left("深い/path", 8), "…い/path");
        assert_eq!(clip_left("深い/path", 7), "…/path");
    }

    #[test]
    fn tabs_expand_to_tab_stops() {
        assert_eq!(line(b"\tx\ty"), "        x       y");
        assert_eq!(line("é\ty".as_bytes()), "é       y");
    }

    #[test]
    fn combining_marks_are_bounded() {
        assert_eq!(width("e\u{301}x".as_bytes()), 2);
        assert_eq!(line("e\u{301}\u{302}\u{303}\u{304}\u{305}x".as_bytes()), {
            "e\u{301}\u{302}\u{303}x"
        });
        assert_eq!(line("\u{301}x".as_bytes()), "<U+0301>x");
    }

    #[test]
    fn joined_emoji_are_split() {
        assert_eq!(line("👩\u{200d}🚀".as_bytes()), "👩🚀");
        assert_eq!(line("❤\u{fe0f}!".as_bytes()), "❤!");
        assert_eq!(line("x\u{200d}y".as_bytes()), "x<U+200D>y");
    }

    #[test]
    fn clip_counts_columns() {
        assert_eq!(clip("日本語".as_bytes(), 6), "日本語");
        assert_eq!(clip("日本語".as_bytes(), 5), "日本…");
        assert_eq!(clip("日本語".as_bytes(), 4), "日…");
        assert_eq!(clip(b"abcdef", 4), "abc…");
        assert_eq!(clip(b"abcdef", 0), "");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_safe_and_measured(bytes: Vec<u8>) {
            let mut column = 0;
            let mut at = 0;
            for glyph in Glyphs::new(&bytes) {
                prop_assert_eq!(glyph.column, column);
                prop_assert!(glyph.start >= at && glyph.end > glyph.start);
                prop_assert!(!glyph.text.chars().any(|c| c.is_control() || is_hidden(c)));
                prop_assert_eq!(glyph.text.width(), glyph.columns);
                column += glyph.columns;
                at = glyph.end;
            }
            prop_assert_eq!(at, bytes.len());
            prop_assert_eq!(width(&bytes), column);
        }

        #[test]
        fn resuming_in_the_middle_gives_the_same_glyphs(text in "[a-c\t\u{301}é日\u{1b}]{0,80}", from in 0usize..100) {
            let bytes = text.as_bytes();
            let expected: Vec<_> =
                Glyphs::new(bytes).filter(|g| g.column + g.columns > from).collect();
            let found: Vec<_> = Glyphs::from_column(bytes, from).collect();
            prop_assert_eq!(&found, &expected);
            let positions = Glyphs::positions(bytes, 7);
            let found: Vec<_> = Glyphs::from_positions(bytes, &positions, from).collect();
            prop_assert_eq!(&found, &expected);
        }
    }
}
