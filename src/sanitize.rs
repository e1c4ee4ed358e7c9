//! Makes bytes of a repository safe to write to a terminal, and says how many columns they take.
//!
//! Nothing that came from a repository reaches the terminal without passing here. Control
//! characters become `^X`, bytes that are not UTF-8 become `<E9>`, characters that hide, reorder or
//! join others become `<U+202E>`, tabs become spaces. Every [`Glyph`] has a fixed number of columns
//! in every terminal: sequences that terminals measure differently (joined emoji, variation
//! selectors) are taken apart.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// Columns between two tab stops.
pub const TAB: usize = 8;

/// Combining marks shown on one character; further ones are dropped.
const MARKS: usize = 3;

/// Marks that are read together with one character at most, so that a glyph is never unbounded.
const READ: usize = 32;

const SPACES: &str = "        ";

/// What a glyph stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlyphKind {
    /// The text itself.
    Text,
    /// A visible stand-in for something that must not reach the terminal.
    Escape,
}

/// The smallest unit that is drawn or cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph<'a> {
    /// What to write: printable, never empty.
    pub text: Cow<'a, str>,
    /// The first column it takes, counted from the line's start (0-based).
    pub column: usize,
    /// How many columns it takes (at least 1).
    pub columns: usize,
    /// Where its bytes start in the line.
    pub start: usize,
    /// Where its bytes end in the line.
    pub end: usize,
    /// Text or stand-in.
    pub kind: GlyphKind,
}

/// A place in a long line from which its glyphs can be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    at: usize,
    column: usize,
    after_wide: bool,
}

impl Mark {
    /// The line's beginning.
    pub const START: Mark = Mark {
        at: 0,
        column: 0,
        after_wide: false,
    };

    /// The column (0-based) that the next glyph begins in.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Where the bytes of the next glyph start in the line.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The place `further` bytes of printable ASCII behind this one, if what is between is that and
    /// the byte behind it, if any, is too: then no glyph reaches across the place.
    fn behind_plain(self, further: usize) -> Mark {
        Mark {
            at: self.at + further,
            column: self.column + further,
            after_wide: false,
        }
    }

    /// The bytes from here on, and the places in them, if the first `count` of them (or all, if they
    /// are fewer) are printable ASCII.
    pub fn plain(self, line: &[u8], count: usize) -> Option<(&[u8], impl Fn(usize) -> Mark)> {
        let rest = line.get(self.at..)?;
        let rest = &rest[..rest.len().min(count)];
        (plain_prefix(rest, count) == rest.len())
            .then_some((rest, move |further| self.behind_plain(further)))
    }
}

/// The glyphs of one line, from left to right.
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

    /// The glyphs of `line` from the first that reaches beyond `column`.
    ///
    /// Printable ASCII is skipped without being looked at character by character, so that the far
    /// end of a line of megabytes can be shown.
    pub fn from_column(line: &'a [u8], column: usize) -> Self {
        Glyphs::new(line).advance_to(column)
    }

    /// The glyphs of `line` from a place in it on.
    pub fn from_mark(line: &'a [u8], mark: Mark) -> Self {
        Glyphs {
            bytes: line,
            at: mark.at.min(line.len()),
            column: mark.column,
            after_wide: mark.after_wide,
        }
    }

    /// The place before the next glyph.
    pub fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            column: self.column,
            after_wide: self.after_wide,
        }
    }

    /// As [`from_column`](Self::from_column), beginning at the nearest of the line's `marks`.
    pub fn from_marks(line: &'a [u8], marks: &[Mark], column: usize) -> Self {
        let before = marks.partition_point(|mark| mark.column <= column);
        let mark = before.checked_sub(1).and_then(|last| marks.get(last));
        let mark = mark.filter(|mark| mark.at <= line.len());
        let glyphs = mark.map(|mark| Glyphs::from_mark(line, *mark));
        glyphs.unwrap_or(Glyphs::new(line)).advance_to(column)
    }

    /// A mark about every `step` bytes. Takes time in proportion to the line.
    pub fn marks(line: &'a [u8], step: usize) -> Vec<Mark> {
        let mut glyphs = Glyphs::new(line);
        let mut marks = Vec::new();
        let mut wanted = step;
        while glyphs.at < line.len() {
            glyphs.skip_plain(step);
            if glyphs.next().is_none() {
                break;
            }
            if glyphs.at >= wanted {
                wanted = glyphs.at + step;
                marks.push(glyphs.mark());
            }
        }
        marks
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

    /// Skips printable ASCII, `limit` bytes at most. The last character may carry combining marks,
    /// so it is left.
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

    /// Where the marks that follow a character end: those shown, and all of them.
    fn combined(&self, mut at: usize) -> (usize, usize) {
        let mut shown = at;
        let mut count = 0;
        let mut dropped = false;
        while let (Some(c), size) = self.decode(at)
            && count < READ
        {
            let selector = is_variation_selector(c);
            if !selector && (c.is_ascii() || is_hidden(c) || c.width() != Some(0)) {
                break;
            }
            at += size;
            count += 1;
            dropped |= selector || count > MARKS;
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
        let (decoded, size) = self.decode(start);
        if size == 0 {
            return None;
        }
        let after_wide = std::mem::take(&mut self.after_wide);
        let (text, columns, end, kind) = match decoded {
            None => escape(format!("<{:02X}>", self.bytes[start]), start + 1),
            Some('\t') => {
                let columns = TAB - self.column % TAB;
                let text = Cow::Borrowed(&SPACES[..columns]);
                (text, columns, start + 1, GlyphKind::Text)
            }
            Some(c) if c.is_ascii_control() => {
                let shown = char::from((c as u8) ^ 0x40);
                escape(format!("^{shown}"), start + size)
            }
            // A joiner between two emoji: shown as the two, which every terminal can measure.
            Some('\u{200d}') if after_wide && self.wide_at(start + size) => {
                self.at = start + size;
                return self.next();
            }
            Some(c) if is_hidden(c) || is_variation_selector(c) => {
                escape(format!("<U+{:04X}>", c as u32), start + size)
            }
            Some(c) => match c.width() {
                // A mark with nothing to stand on.
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

impl Glyphs<'_> {
    fn wide_at(&self, at: usize) -> bool {
        matches!(self.decode(at), (Some(c), _) if c.width() == Some(2))
    }
}

fn escape<'a>(text: String, end: usize) -> (Cow<'a, str>, usize, usize, GlyphKind) {
    let columns = text.len();
    (Cow::Owned(text), columns, end, GlyphKind::Escape)
}

/// How many of the first `limit` bytes are printable ASCII.
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

/// Characters that show nothing, or change how their neighbours are shown.
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
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// `bytes` as one line of safe text, cut to `columns` with an ellipsis.
pub fn clip(bytes: &[u8], columns: usize) -> String {
    let mut text = String::new();
    let mut last = 0;
    for glyph in Glyphs::new(bytes) {
        if glyph.column + glyph.columns > columns {
            if columns == 0 {
                return String::new();
            }
            // The ellipsis needs a column: take back the last glyph where it stands in the way.
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

/// `bytes` as one line of safe text, whole.
pub fn line(bytes: &[u8]) -> String {
    Glyphs::new(bytes).map(|glyph| glyph.text).collect()
}

/// How many columns `bytes` take.
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
    fn attacks_become_visible() {
        assert_eq!(line(b"\x1b[2J\x07\x7f"), "^[[2J^G^?");
        assert_eq!(line("a\u{202e}b\u{200b}c\u{85}".as_bytes()), {
            "a<U+202E>b<U+200B>c<U+0085>"
        });
        assert_eq!(line(b"caf\xe9 \xff\xfe"), "caf<E9> <FF><FE>");
        assert_eq!(line(b"\xe2\x82"), "<E2><82>");
        assert_eq!(line(b"a\rb"), "a^Mb");
    }

    #[test]
    fn tabs_reach_their_stops() {
        assert_eq!(line(b"\tx\ty"), "        x       y");
        assert_eq!(line("é\ty".as_bytes()), "é       y");
    }

    #[test]
    fn marks_stay_on_their_letter_and_are_bounded() {
        assert_eq!(width("e\u{301}x".as_bytes()), 2);
        assert_eq!(line("e\u{301}\u{302}\u{303}\u{304}\u{305}x".as_bytes()), {
            "e\u{301}\u{302}\u{303}x"
        });
        assert_eq!(line("\u{301}x".as_bytes()), "<U+0301>x");
    }

    #[test]
    fn emoji_are_taken_apart() {
        assert_eq!(line("👩\u{200d}🚀".as_bytes()), "👩🚀");
        assert_eq!(line("❤\u{fe0f}!".as_bytes()), "❤!");
        assert_eq!(line("x\u{200d}y".as_bytes()), "x<U+200D>y");
    }

    #[test]
    fn clipping_counts_columns() {
        assert_eq!(clip("日本語".as_bytes(), 6), "日本語");
        assert_eq!(clip("日本語".as_bytes(), 5), "日本…");
        assert_eq!(clip("日本語".as_bytes(), 4), "日…");
        assert_eq!(clip(b"abcdef", 4), "abc…");
        assert_eq!(clip(b"abcdef", 0), "");
    }

    proptest! {
        #[test]
        fn any_bytes_are_safe_and_measured(bytes: Vec<u8>) {
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
        fn starting_in_the_middle_is_the_same(text in "[a-c\t\u{301}é日\u{1b}]{0,80}", from in 0usize..100) {
            let bytes = text.as_bytes();
            let expected: Vec<_> =
                Glyphs::new(bytes).filter(|g| g.column + g.columns > from).collect();
            let found: Vec<_> = Glyphs::from_column(bytes, from).collect();
            prop_assert_eq!(&found, &expected);
            let marks = Glyphs::marks(bytes, 7);
            let found: Vec<_> = Glyphs::from_marks(bytes, &marks, from).collect();
            prop_assert_eq!(&found, &expected);
        }
    }
}
