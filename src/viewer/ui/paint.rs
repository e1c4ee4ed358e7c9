//! Writing safe text into cells.

use std::ops::Range;

use ratatui::{buffer::Buffer, style::Style};
use unicode_width::UnicodeWidthStr;

use crate::{
    sanitize::{self, Glyph, Glyphs},
    viewer::{app::display::layout::Area, model::wrap::Piece, protocol::SyntaxClass},
};

/// Gives a whole area a style and nothing else.
pub(super) fn fill(buffer: &mut Buffer, area: Area, style: Style) {
    for y in area.y..area.y + area.height {
        for x in area.x..area.x + area.width {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }
}

/// Writes text that was made safe at a cell, in at most `width` columns. Returns how many it took.
pub(super) fn text(
    buffer: &mut Buffer,
    at: (u16, u16),
    width: u16,
    text: &str,
    style: Style,
) -> u16 {
    if width == 0 || !buffer.area.contains(at.into()) {
        return 0;
    }
    let clipped = sanitize::clip(text.as_bytes(), usize::from(width));
    let (end, _) = buffer.set_stringn(at.0, at.1, clipped, usize::from(width), style);
    end - at.0
}

/// The end of a path matters more than its beginning.
pub(super) fn clip_left(path: &str, room: usize) -> String {
    if path.width() <= room {
        return path.to_owned();
    }
    let mut kept: String = path.chars().rev().collect();
    kept = sanitize::clip(kept.as_bytes(), room);
    kept.chars().rev().collect()
}

/// What is seen of a line in a row of the screen.
#[derive(Debug)]
pub(super) struct VisiblePart {
    /// Its columns that are seen.
    pub(super) columns: Range<usize>,
    /// Where its bytes end that may be seen.
    end: usize,
    /// Columns that are left free before it, with a mark.
    hang: u16,
    at: (u16, u16),
}

impl VisiblePart {
    /// A piece of a line, or the line from its column `left` on, in an area of one row.
    pub(super) fn new(piece: Option<Piece>, left: usize, area: Area) -> Self {
        let hang = piece.map_or(0, |piece| piece.hang);
        let hang = u16::try_from(hang).unwrap_or(u16::MAX).min(area.width);
        let start = piece.map_or(left, |piece| piece.start.column());
        VisiblePart {
            columns: start..start + usize::from(area.width - hang),
            end: piece.map_or(usize::MAX, |piece| piece.end),
            hang,
            at: (area.x + hang, area.y),
        }
    }

    /// Those of a line's glyphs that are seen.
    pub(super) fn glyphs<'a>(&self, glyphs: Glyphs<'a>) -> Vec<Glyph<'a>> {
        let seen = |glyph: &Glyph<'_>| glyph.column < self.columns.end && glyph.start < self.end;
        glyphs.take_while(seen).collect()
    }

    /// Marks the row if the line did not begin in it.
    pub(super) fn mark(&self, style: Style, buffer: &mut Buffer) {
        if self.hang > 0 {
            let before = self.hang.min(2);
            text(buffer, (self.at.0 - before, self.at.1), 1, "›", style);
        }
    }

    /// Draws one of the glyphs.
    pub(super) fn draw(&self, glyph: &Glyph<'_>, style: Style, buffer: &mut Buffer) {
        self::glyph(buffer, self.at, glyph, self.columns.clone(), style);
    }
}

/// The classes of a line's code, read from left to right.
#[derive(Debug)]
pub(super) struct ClassCursor<'a> {
    spans: &'a [(u32, SyntaxClass)],
    next: usize,
}

impl<'a> ClassCursor<'a> {
    /// Those of the code from a byte of the line on.
    pub(super) fn new(spans: &'a [(u32, SyntaxClass)], first: usize) -> Self {
        let next = spans.partition_point(|(start, _)| *start as usize <= first);
        ClassCursor { spans, next }
    }

    /// The class of a byte that is not before the one that was asked for last.
    pub(super) fn at(&mut self, byte: usize) -> SyntaxClass {
        let begins = |span: &(u32, SyntaxClass)| span.0 as usize <= byte;
        while self.spans.get(self.next).is_some_and(begins) {
            self.next += 1;
        }
        let span = self.next.checked_sub(1).and_then(|at| self.spans.get(at));
        span.map_or(SyntaxClass::Plain, |span| span.1)
    }
}

/// Draws a glyph of a line whose `seen` columns begin at a cell. A tab or a stand-in may be cut at
/// either side; a wide character then leaves a gap.
pub(super) fn glyph(
    buffer: &mut Buffer,
    at: (u16, u16),
    glyph: &Glyph<'_>,
    seen: Range<usize>,
    style: Style,
) {
    let from = glyph.column.max(seen.start);
    let to = (glyph.column + glyph.columns).min(seen.end);
    let x = at.0 + u16::try_from(from - seen.start).unwrap_or(u16::MAX);
    let whole = to - from == glyph.columns;
    let place = (x, at.1);
    if !glyph.text.is_ascii() {
        let text = if whole { &glyph.text } else { " " };
        wide(buffer, place, text, to - from, style);
    } else {
        let cut = from - glyph.column;
        ascii(buffer, place, &glyph.text[cut..cut + (to - from)], style);
    }
}

fn ascii(buffer: &mut Buffer, at: (u16, u16), text: &str, style: Style) {
    for (c, x) in text.chars().zip(at.0..) {
        if let Some(cell) = buffer.cell_mut((x, at.1)) {
            cell.set_char(c).set_style(style);
        }
    }
}

/// A character with its marks in the first of its cells; the others are covered by it.
fn wide(buffer: &mut Buffer, at: (u16, u16), text: &str, columns: usize, style: Style) {
    for (column, x) in (0..columns).zip(at.0..) {
        if let Some(cell) = buffer.cell_mut((x, at.1)) {
            cell.set_symbol(if column == 0 { text } else { " " })
                .set_style(style);
        }
    }
}

/// Pieces of text in one row, from the left.
#[derive(Debug)]
pub(super) struct RowWriter<'a> {
    buffer: &'a mut Buffer,
    x: u16,
    y: u16,
    end: u16,
}

impl<'a> RowWriter<'a> {
    /// Starts at the left of an area's first row.
    pub(super) fn new(buffer: &'a mut Buffer, area: Area) -> Self {
        RowWriter {
            buffer,
            x: area.x,
            y: area.y,
            end: area.x + area.width,
        }
    }

    /// Columns that are left.
    pub(super) fn room(&self) -> u16 {
        self.end - self.x
    }

    /// Writes a piece.
    pub(super) fn put(&mut self, piece: &str, style: Style) {
        let at = (self.x, self.y);
        self.x += text(self.buffer, at, self.room(), piece, style);
    }

    /// Writes a piece if there is room for all of it.
    pub(super) fn put_whole(&mut self, piece: &str, style: Style) -> bool {
        let fits = piece.width() <= usize::from(self.room());
        if fits {
            self.put(piece, style);
        }
        fits
    }

    /// Draws a line through what is left.
    pub(super) fn dash(&mut self, style: Style) {
        let dashes = "─".repeat(usize::from(self.room()));
        self.put(&dashes, style);
    }

    /// Writes a piece at the right end, and keeps what follows left of it.
    pub(super) fn put_right(&mut self, piece: &str, style: Style) {
        let width = u16::try_from(piece.width())
            .unwrap_or(u16::MAX)
            .min(self.room());
        let at = (self.end - width, self.y);
        text(self.buffer, at, width, piece, style);
        self.end -= width;
    }
}
