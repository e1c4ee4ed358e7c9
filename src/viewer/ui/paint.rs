//! Primitives that write sanitized text into cells.

use std::ops::Range;

use ratatui::{buffer::Buffer, style::Style};
use unicode_width::UnicodeWidthStr;

use crate::{
    sanitize::{self, Glyph, Glyphs},
    viewer::{
        app::display::layout::Area,
        model::{
            hyperlink::Hyperlink,
            texts::{syntax::SyntaxClass, wrap::Piece},
        },
        protocol::ClickTarget,
        ui::click_targets::ClickTargets,
    },
};

/// Clears an area and gives it a style.
pub(crate) fn fill(buffer: &mut Buffer, area: Area, style: Style) {
    for y in area.y..area.y + area.height {
        for x in area.x..area.x + area.width {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }
}

/// Writes sanitized text at a cell, clipped to `width` columns. Returns the columns written.
pub(crate) fn text(
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
    if clipped.is_ascii() {
        // ratatui looks for grapheme clusters, which took a fifth of a frame's time.
        ascii(buffer, at, &clipped, style);
        let columns = u16::try_from(clipped.len()).unwrap_or(u16::MAX);
        return columns.min(buffer.area.right() - at.0);
    }
    let (end, _) = buffer.set_stringn(at.0, at.1, clipped, usize::from(width), style);
    end - at.0
}

/// The part of a line that one row of the screen shows.
#[derive(Debug)]
pub(crate) struct VisiblePart {
    /// The visible columns of the line.
    pub(crate) columns: Range<usize>,
    /// End of the visible bytes.
    end: usize,
    /// Hanging indent in columns.
    hang: u16,
    at: (u16, u16),
}

impl VisiblePart {
    /// A piece of a wrapped line, or the line from column `left` on, in an area of one row.
    pub(crate) fn new(piece: Option<Piece>, left: usize, area: Area) -> Self {
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

    /// The visible glyphs.
    pub(crate) fn glyphs<'a>(&self, glyphs: Glyphs<'a>) -> Vec<Glyph<'a>> {
        let seen = |glyph: &Glyph<'_>| glyph.column < self.columns.end && glyph.start < self.end;
        glyphs.take_while(seen).collect()
    }

    /// Marks a continuation row of a wrapped line.
    pub(crate) fn draw_continuation_sign(&self, style: Style, buffer: &mut Buffer) {
        if self.hang > 0 {
            let before = self.hang.min(2);
            text(buffer, (self.at.0 - before, self.at.1), 1, "›", style);
        }
    }

    /// Marks a line that is cut at either edge of the screen. `drawn` are its visible bytes, and
    /// `len` is its length.
    pub(crate) fn draw_cut_signs(
        &self,
        drawn: Range<usize>,
        len: usize,
        style: Style,
        buffer: &mut Buffer,
    ) {
        if self.end != usize::MAX || self.columns.len() < 2 || len == 0 {
            return;
        }
        // The sign at the left takes the blank before the line, so that it hides nothing.
        if self.columns.start > 0
            && let Some(before) = self.at.0.checked_sub(1)
            && let Some(cell) = buffer.cell_mut((before, self.at.1))
            && cell.symbol() == " "
        {
            cell.set_symbol("‹");
        }
        if drawn.end < len && drawn.start < drawn.end {
            let last = u16::try_from(self.columns.len() - 1).unwrap_or(u16::MAX);
            let x = self.at.0.saturating_add(last);
            // A wide character that would be halved goes.
            if let Some(cell) = buffer.cell_mut((x.saturating_sub(1), self.at.1))
                && cell.symbol().width() > 1
            {
                cell.set_symbol(" ");
            }
            // On a match, which has another background, the sign is seen too.
            if let Some(cell) = buffer.cell_mut((x, self.at.1)) {
                cell.reset();
            }
            text(buffer, (x, self.at.1), 1, "›", style);
        }
    }

    /// Draws a glyph.
    pub(crate) fn draw(&self, glyph: &Glyph<'_>, style: Style, buffer: &mut Buffer) {
        self::glyph(buffer, self.at, glyph, self.columns.clone(), style);
    }
}

/// Cursor over the syntax classes of a line, read from left to right.
#[derive(Debug)]
pub(crate) struct ClassCursor<'a> {
    spans: &'a [(u32, SyntaxClass)],
    next: usize,
}

impl<'a> ClassCursor<'a> {
    /// Starts at a byte of the line.
    pub(crate) fn new(spans: &'a [(u32, SyntaxClass)], first: usize) -> Self {
        let next = spans.partition_point(|(start, _)| *start as usize <= first);
        ClassCursor { spans, next }
    }

    /// The class at a byte, which must not be before that of the last call.
    pub(crate) fn at(&mut self, byte: usize) -> SyntaxClass {
        let begins = |span: &(u32, SyntaxClass)| span.0 as usize <= byte;
        while self.spans.get(self.next).is_some_and(begins) {
            self.next += 1;
        }
        let span = self.next.checked_sub(1).and_then(|at| self.spans.get(at));
        span.map_or(SyntaxClass::Plain, |span| span.1)
    }
}

/// Draws a glyph of a line whose visible columns `seen` start at a cell. Tabs and escapes may be
/// cut at either side; a cut wide character is drawn as blanks.
pub(crate) fn glyph(
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

/// Draws a grapheme cluster in its first cell and blanks the cells that it covers.
fn wide(buffer: &mut Buffer, at: (u16, u16), text: &str, columns: usize, style: Style) {
    for (column, x) in (0..columns).zip(at.0..) {
        if let Some(cell) = buffer.cell_mut((x, at.1)) {
            cell.set_symbol(if column == 0 { text } else { " " })
                .set_style(style);
        }
    }
}

/// Writes text into one row from left to right.
#[derive(Debug)]
pub struct RowWriter<'a> {
    buffer: &'a mut Buffer,
    x: u16,
    y: u16,
    end: u16,
    targets: Option<&'a mut ClickTargets>,
}

impl<'a> RowWriter<'a> {
    /// Starts at the left of an area's first row.
    pub(crate) fn new(buffer: &'a mut Buffer, area: Area) -> Self {
        RowWriter {
            buffer,
            x: area.x,
            y: area.y,
            end: area.x + area.width,
            targets: None,
        }
    }

    /// Collects what is clicked here.
    pub(crate) fn with_targets(self, targets: &'a mut ClickTargets) -> Self {
        RowWriter {
            targets: Some(targets),
            ..self
        }
    }

    /// Writes text that does something when it is clicked.
    pub(crate) fn put_target(&mut self, piece: &str, style: Style, target: ClickTarget) {
        let start = self.x;
        self.put(piece, style);
        let columns = start..self.x;
        if let Some(targets) = &mut self.targets {
            targets.add(columns, self.y, target);
        }
    }

    /// As [`put_target`](Self::put_target), at the right end.
    pub(crate) fn put_target_right(&mut self, piece: &str, style: Style, target: ClickTarget) {
        let end = self.end;
        self.put_right(piece, style);
        let columns = self.end..end;
        if let Some(targets) = &mut self.targets {
            targets.add(columns, self.y, target);
        }
    }

    /// Writes text that is a link for the terminal, if there is a page.
    pub(crate) fn put_linked(&mut self, piece: &str, style: Style, url: Option<String>) {
        let start = self.x;
        self.put(piece, style);
        let link = url.and_then(|url| Hyperlink::new(start..self.x, self.y, &url));
        if let Some(targets) = &mut self.targets {
            targets.links.extend(link);
        }
    }

    /// The column after the remaining ones.
    pub(crate) fn end(&self) -> u16 {
        self.end
    }

    /// Remaining columns.
    pub(crate) fn remaining(&self) -> u16 {
        self.end - self.x
    }

    /// Writes text, clipped to the remaining columns.
    pub(crate) fn put(&mut self, piece: &str, style: Style) {
        let at = (self.x, self.y);
        self.x += text(self.buffer, at, self.remaining(), piece, style);
    }

    /// Writes text only if all of it fits.
    pub(crate) fn put_whole(&mut self, piece: &str, style: Style) -> bool {
        let fits = piece.width() <= usize::from(self.remaining());
        if fits {
            self.put(piece, style);
        }
        fits
    }

    /// Fills the remaining columns with a line.
    pub(crate) fn dash(&mut self, style: Style) {
        let dashes = "─".repeat(usize::from(self.remaining()));
        self.put(&dashes, style);
    }

    /// Writes text at the right end and reserves its columns.
    pub(crate) fn put_right(&mut self, piece: &str, style: Style) {
        let width = u16::try_from(piece.width())
            .unwrap_or(u16::MAX)
            .min(self.remaining());
        let at = (self.end - width, self.y);
        text(self.buffer, at, width, piece, style);
        self.end -= width;
    }
}
