//! The rows of a change of lines: numbers, signs, and the words that differ.

use std::ops::Range;

use ratatui::{buffer::Buffer, style::Modifier};

use crate::{
    sanitize::{self, GlyphKind, Glyphs},
    viewer::{
        app::{blame::search::Search, display::layout::Area},
        model::{background::line_history::ChangedLine, diff::DiffRow, texts::word_diff},
        theme::{
            roles::{DiffPart, DiffSide, Foreground, LineBackground},
            styles::Theme,
        },
        ui::paint::{self, ClassCursor, RowWriter, VisiblePart},
    },
};

/// The bytes of a line that differ from its counterpart.
pub(crate) fn differing_words(
    line: &ChangedLine,
    counterpart: Option<&ChangedLine>,
) -> Vec<Range<usize>> {
    counterpart
        .and_then(|other| word_diff::differing(&line.text, &other.text))
        .unwrap_or_default()
}

/// The width of the largest line number of some rows.
pub(crate) fn number_columns<'a>(rows: impl IntoIterator<Item = &'a ChangedLine>) -> usize {
    let numbers = rows.into_iter().filter_map(|line| match line.row {
        DiffRow::Added(number) | DiffRow::Removed(number) => Some(number),
        DiffRow::Context { old, new } => Some(old.max(new)),
        _ => None,
    });
    (numbers.max().unwrap_or(0) + 1).to_string().len()
}

/// Draws a row of a change. The words that differ from its counterpart are marked, and the matches
/// of a search.
pub(crate) fn row(
    line: &ChangedLine,
    counterpart: Option<&ChangedLine>,
    search: Option<&Search>,
    numbers: usize,
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) {
    let (sign, number, foreground, side) = match line.row {
        DiffRow::Added(new) => ("+", Some(new), Foreground::Added, Some(DiffSide::Added)),
        DiffRow::Removed(old) => ("-", Some(old), Foreground::Removed, Some(DiffSide::Removed)),
        DiffRow::Context { new, .. } => (" ", Some(new), Foreground::Faint, None),
        _ => (" ", None, Foreground::Faint, None),
    };
    let background = |part| {
        side.map_or(LineBackground::Plain, |side| {
            LineBackground::Diff(side, part)
        })
    };
    let style = |part, foreground| theme.line(background(part), foreground);
    paint::fill(buffer, area, style(DiffPart::Common, Foreground::Text));
    let mut row = RowWriter::new(buffer, area);
    let Some(number) = number else {
        let words = sanitize::line(&line.text);
        let words = format!("{:>numbers$} {words}", "⋮");
        return row.put(&words, style(DiffPart::Common, Foreground::Faint));
    };
    let number = format!("{:>numbers$} ", number + 1);
    row.put(&number, style(DiffPart::Common, foreground));
    let bold = style(DiffPart::Common, foreground).add_modifier(Modifier::BOLD);
    row.put(&format!("{sign} "), bold);
    let width = row.remaining();
    let area = Area {
        x: area.x + area.width - width,
        width,
        ..area
    };
    let text = &line.text;
    let differing = differing_words(line, counterpart);
    let found = search.map_or_else(Vec::new, |search| search.matches(text));
    let seen = VisiblePart::new(None, 0, area);
    let glyphs = seen.glyphs(Glyphs::new(text));
    let first = glyphs.first().map_or(0, |glyph| glyph.start);
    let mut classes = ClassCursor::new(&line.spans, first);
    for glyph in &glyphs {
        let code = Foreground::Code(classes.at(glyph.start));
        let is_in = |range: &Range<usize>| range.contains(&glyph.start);
        let style = match glyph.kind {
            _ if found.iter().any(is_in) => theme.search_match(background(DiffPart::Common)),
            // The end of a line that the other side ends otherwise.
            GlyphKind::Escape if differing.iter().any(is_in) => style(DiffPart::Words, foreground),
            _ if differing.iter().any(is_in) => style(DiffPart::Words, code),
            GlyphKind::Escape => style(DiffPart::Common, Foreground::Mark),
            GlyphKind::Text => style(DiffPart::Common, code),
        };
        seen.draw(glyph, style, buffer);
    }
    if let (Some(first), Some(last)) = (glyphs.first(), glyphs.last()) {
        let plain = style(DiffPart::Common, Foreground::Text);
        seen.draw_cut_signs(first.start..last.end, text.len(), plain, buffer);
    }
}
