//! Wrapping of long lines into rows.
//!
//! A row ends after whitespace near its end, or else after punctuation or next to a wide character,
//! or else at the last column. Continuation rows have a hanging indent slightly deeper than the
//! indentation of the line, with a mark.

use rustc_hash::FxHashMap;

use crate::sanitize::{Glyph, GlyphKind, Glyphs, TextPosition};

/// Punctuation after which a row may end.
const PUNCTUATION: &[u8] = b",;:()[]{}<>/|&=+?!-";

/// Distance in columns from the end of a row in which whitespace is searched, or a third of the row
/// if that is more.
const MAX_BLANK_DISTANCE: usize = 16;

/// The same for punctuation, or a sixth of the row.
const MAX_PUNCTUATION_DISTANCE: usize = 12;

/// Interval in rows between the cached break positions of a line.
const CACHE_INTERVAL: u32 = 32;

/// Length in bytes from which the breaks of a line are cached.
const MIN_CACHED_LEN: usize = 512;

/// Most lines in the cache.
const MAX_CACHED_LINES: usize = 1000;

/// Parameters of wrapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wrap {
    /// Columns of a row.
    width: usize,
}

/// One row of a wrapped line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Position of its start in the line.
    pub start: TextPosition,
    /// End of its bytes in the line.
    pub end: usize,
    /// Hanging indent in columns.
    pub hang: usize,
}

impl Wrap {
    /// Wraps to rows of `width` columns, at least one.
    pub fn new(width: usize) -> Self {
        Wrap {
            width: width.max(1),
        }
    }

    /// The hanging indent of continuation rows.
    fn hang(self, line: &[u8]) -> usize {
        if self.width < 24 {
            return usize::from(self.width > 4);
        }
        let blank = |glyph: &Glyph<'_>| glyph.text.trim_start().is_empty();
        let most = self.width / 3;
        let indent = Glyphs::new(line).take_while(blank).take(most).last();
        let indent = indent.map_or(0, |glyph| glyph.column + glyph.columns);
        (indent + 2).min(most)
    }

    /// Start of the row after the one at `from`; `None` if that is the last.
    fn next(self, line: &[u8], from: TextPosition, hang: usize) -> Option<TextPosition> {
        let width = match from.offset() {
            0 => self.width,
            _ => (self.width - hang).max(1),
        };
        if let Some((bytes, place)) = from.plain(line, width + 2) {
            return end_of_plain(bytes, width).map(place);
        }
        let (mut space, mut sign, mut begun) = (None, None, false);
        // Whether the previous glyph is punctuation.
        let mut after = false;
        let near = |position: Option<TextPosition>, columns: usize| {
            position.filter(|position| position.column() - from.column() + columns >= width)
        };
        let mut glyphs = Glyphs::from_position(line, from);
        loop {
            let before = glyphs.position();
            let glyph = glyphs.next()?;
            let blank = glyph.kind == GlyphKind::Text && glyph.text.trim_start().is_empty();
            let is_sign = glyph.text.len() == 1 && PUNCTUATION.contains(&glyph.text.as_bytes()[0]);
            let wide = glyph.columns == 2;
            if (after && !is_sign || wide) && begun {
                sign = Some(before);
            }
            if glyph.column + glyph.columns - from.column() > width {
                let alone = before == from;
                let found = near(space, MAX_BLANK_DISTANCE.max(width / 3))
                    .or_else(|| near(sign, MAX_PUNCTUATION_DISTANCE.max(width / 6)))
                    .unwrap_or(before);
                let found = if alone || blank {
                    glyphs.position()
                } else {
                    found
                };
                return (found.offset() < line.len()).then_some(found);
            }
            begun |= !blank;
            after = is_sign || wide;
            if blank && begun {
                space = Some(glyphs.position());
            }
        }
    }

    /// The rows of a line from `from` on.
    fn pieces(self, line: &[u8], from: TextPosition) -> impl Iterator<Item = Piece> {
        let hang = self.hang(line);
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let start = next?;
            next = self.next(line, start, hang);
            Some(Piece {
                start,
                end: next.map_or(line.len(), |next| next.offset()),
                hang: if start.offset() == 0 { 0 } else { hang },
            })
        })
    }

    /// Number of rows of a line.
    pub fn height(self, line: &[u8]) -> u32 {
        if line.len() <= self.width && line.iter().all(|byte| (0x20..0x7f).contains(byte)) {
            return 1;
        }
        u32::try_from(self.pieces(line, TextPosition::START).count()).unwrap_or(u32::MAX)
    }

    /// A row of a line (0-based).
    pub fn piece(self, line: &[u8], row: u32) -> Option<Piece> {
        self.pieces(line, TextPosition::START).nth(row as usize)
    }

    /// The row (0-based) that shows a byte of a line.
    pub fn row_of(self, line: &[u8], byte: usize) -> u32 {
        let before = self.pieces(line, TextPosition::START);
        let before = before.take_while(|piece| piece.end <= byte).count();
        u32::try_from(before).unwrap_or(u32::MAX)
    }
}

/// End of the first row of `bytes`, which are printable ASCII and either extend at least two
/// columns beyond `width` or end with the line.
fn end_of_plain(bytes: &[u8], width: usize) -> Option<usize> {
    if bytes.len() <= width {
        return None;
    }
    if bytes[width] == b' ' {
        return (bytes.len() > width + 1).then_some(width + 1);
    }
    let first = bytes.iter().position(|&byte| byte != b' ').unwrap_or(width);
    let start = width
        .saturating_sub(MAX_BLANK_DISTANCE.max(width / 3) + 1)
        .max(first);
    let space = bytes
        .get(start..width)?
        .iter()
        .rposition(|&byte| byte == b' ');
    let space = space.map(|at| start + at + 1);
    let found = space.or_else(|| {
        let start = width
            .saturating_sub(MAX_PUNCTUATION_DISTANCE.max(width / 6) + 1)
            .max(first);
        let ends = |pair: &[u8]| PUNCTUATION.contains(&pair[0]) && !PUNCTUATION.contains(&pair[1]);
        let found = bytes.get(start..=width)?.windows(2).rposition(ends);
        found.map(|at| start + at + 1)
    });
    Some(found.unwrap_or(width))
}

/// A cache of the breaks of long lines.
#[derive(Debug, Clone, Default)]
pub struct BreakCache {
    lines: FxHashMap<u32, LineBreaks>,
}

impl BreakCache {
    /// Caches a line under a number of the caller's choice, if it is long.
    pub fn cache_line(&mut self, line: u32, bytes: &[u8], wrap: Wrap) {
        if bytes.len() >= MIN_CACHED_LEN && self.breaks(line, wrap).is_none() {
            if self.lines.len() >= MAX_CACHED_LINES {
                self.lines.clear();
            }
            self.lines.insert(line, LineBreaks::new(wrap, bytes));
        }
    }

    fn breaks(&self, line: u32, wrap: Wrap) -> Option<&LineBreaks> {
        let breaks = self.lines.get(&line);
        breaks.filter(|breaks| breaks.wrap == wrap)
    }

    /// Number of rows of a line.
    pub fn height(&self, line: u32, bytes: &[u8], wrap: Wrap) -> u32 {
        match self.breaks(line, wrap) {
            Some(breaks) => breaks.height(),
            None => wrap.height(bytes),
        }
    }

    /// A row of a line (0-based).
    pub fn piece(&self, (line, row): (u32, u32), bytes: &[u8], wrap: Wrap) -> Option<Piece> {
        match self.breaks(line, wrap) {
            Some(breaks) => breaks.piece(bytes, row),
            None => wrap.piece(bytes, row),
        }
    }

    /// The row (0-based) that shows a byte of a line.
    pub fn row_of(&self, line: u32, bytes: &[u8], wrap: Wrap, byte: usize) -> u32 {
        match self.breaks(line, wrap) {
            Some(breaks) => breaks.row_of(bytes, byte),
            None => wrap.row_of(bytes, byte),
        }
    }
}

/// Cached positions in a long line, so that finding a row takes constant time.
#[derive(Debug, Clone)]
struct LineBreaks {
    wrap: Wrap,
    places: Vec<TextPosition>,
    count: u32,
}

impl LineBreaks {
    /// Scans the whole line.
    fn new(wrap: Wrap, line: &[u8]) -> Self {
        let (mut places, mut count) = (Vec::new(), 0u32);
        for piece in wrap.pieces(line, TextPosition::START) {
            if count.is_multiple_of(CACHE_INTERVAL) {
                places.push(piece.start);
            }
            count = count.saturating_add(1);
        }
        LineBreaks {
            wrap,
            places,
            count,
        }
    }

    fn height(&self) -> u32 {
        self.count
    }

    /// A row (0-based) of the line, which must be the one passed to `new`.
    fn piece(&self, line: &[u8], row: u32) -> Option<Piece> {
        let place = *self.places.get((row / CACHE_INTERVAL) as usize)?;
        let mut pieces = self.wrap.pieces(line, place);
        pieces.nth((row % CACHE_INTERVAL) as usize)
    }

    /// The row (0-based) that shows a byte of the line.
    fn row_of(&self, line: &[u8], byte: usize) -> u32 {
        let before = self.places.partition_point(|place| place.offset() <= byte);
        let Some(at) = before.checked_sub(1) else {
            return 0;
        };
        let pieces = self.wrap.pieces(line, self.places[at]);
        let further = pieces.take_while(|piece| piece.end <= byte).count();
        let row = (at as u32).saturating_mul(CACHE_INTERVAL);
        row.saturating_add(further as u32)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(line: &str, width: usize) -> Vec<String> {
        let pieces = Wrap::new(width).pieces(line.as_bytes(), TextPosition::START);
        let text = |piece: Piece| {
            let text = &line.as_bytes()[piece.start.offset()..piece.end];
            " ".repeat(piece.hang) + &String::from_utf8_lossy(text)
        };
        pieces.map(text).collect()
    }

    #[test]
    fn rows_break_between_words() {
        assert_eq!(
            rows("    the quick brown fox jumps over it", 24),
            ["    the quick brown fox ", "      jumps over it"]
        );
        // A blank at the edge belongs to the row before it.
        assert_eq!(rows("abcdef ghi", 6), ["abcdef ", " ghi"]);
        assert_eq!(rows("abcdef ", 6), ["abcdef "]);
        // White space far from the edge is ignored; punctuation counts only very near to it.
        assert_eq!(
            rows("ab cdefghijklmnopqrstuvwx", 22),
            ["ab cdefghijklmnopqrstu", " vwx"]
        );
        assert_eq!(rows("ab cdefghijkl", 10), ["ab ", " cdefghijk", " l"]);
        assert_eq!(rows("f(abcdefghi,jk)", 12), ["f(abcdefghi,", " jk)"]);
        assert_eq!(rows("日本語日本", 5), ["日本", " 語日", " 本"]);
        assert_eq!(rows("éa bcde", 6), ["éa ", " bcde"]);
        assert_eq!(rows("éabc de", 6), ["éabc ", " de"]);
        assert_eq!(rows("", 6), [""]);
    }

    #[test]
    fn a_glyph_wider_than_a_row_has_its_own_row() {
        assert_eq!(rows("a\u{202e}b", 4), ["a", "\u{202e}", "b"]);
        assert_eq!(rows("日本", 1), ["日", "本"]);
        assert_eq!(rows("\tx", 4), ["\t", "x"]);
    }

    #[test]
    fn rows_of_a_huge_line_are_found_quickly() {
        let line = b"let it be, ".repeat(1 << 20);
        let begun = std::time::Instant::now();
        let breaks = LineBreaks::new(Wrap::new(80), &line);
        let piece = breaks.piece(&line, breaks.height() - 1).expect("a row");
        assert_eq!(piece.end, line.len());
        assert!(begun.elapsed().as_secs() < 3);
    }

    proptest! {
        #[test]
        fn rows_are_the_whole_line(
            line in "[ab ,\t\u{301}é日\u{1b}]{0,300}",
            width in 1usize..60,
        ) {
            let (wrap, line) = (Wrap::new(width), line.as_bytes());
            let breaks = LineBreaks::new(wrap, line);
            let pieces: Vec<_> = wrap.pieces(line, TextPosition::START).collect();
            prop_assert_eq!(breaks.height() as usize, pieces.len());
            prop_assert_eq!(wrap.height(line) as usize, pieces.len());
            let mut at = 0;
            for (row, piece) in pieces.iter().enumerate() {
                prop_assert_eq!(piece.start.offset(), at);
                prop_assert!(piece.end > at || line.is_empty());
                at = piece.end;
                prop_assert_eq!(wrap.piece(line, row as u32), Some(*piece));
                prop_assert_eq!(breaks.piece(line, row as u32), Some(*piece));
                for byte in piece.start.offset()..piece.end {
                    prop_assert_eq!(wrap.row_of(line, byte), row as u32);
                    prop_assert_eq!(breaks.row_of(line, byte), row as u32);
                }
                // It fits, except for a glyph wider than the row or a trailing blank.
                let glyphs: Vec<_> = Glyphs::from_position(line, piece.start)
                    .take_while(|glyph| glyph.start < piece.end)
                    .collect();
                let seen = glyphs.iter().rposition(|glyph| !glyph.text.trim_start().is_empty());
                let seen = seen.map_or(0, |last| last + 1);
                if seen > 1 {
                    let last = &glyphs[seen - 1];
                    let columns = last.column + last.columns - piece.start.column();
                    prop_assert!(piece.hang + columns <= width.max(piece.hang + 1));
                }
            }
            prop_assert_eq!(at, line.len());
        }
    }
}
