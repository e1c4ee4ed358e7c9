//! The prompt of the file finder, and the beginning of the selected file.

use ratatui::{buffer::Buffer, style::Modifier};

use crate::{
    sanitize,
    viewer::{
        app::{display::layout::Area, overlays::finder::Finder},
        model::syntax::SyntaxClass,
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::paint::{self, RowWriter},
    },
};

/// Draws the beginning of the selected file beside the list, if the list leaves room.
pub(super) fn preview(finder: &Finder, theme: &Theme, body: Area, buffer: &mut Buffer) {
    let taken = finder.list.shape.outer.width;
    if taken == 0 || taken >= body.width {
        return;
    }
    let area = Area {
        x: body.x + taken,
        width: body.width - taken,
        ..body
    };
    let faint = theme.line(LineBackground::Plain, Foreground::Faint);
    let code = theme.line(LineBackground::Plain, Foreground::Code(SyntaxClass::Plain));
    let text = match finder.preview() {
        Some(Ok(text)) => Some(text),
        Some(Err(failure)) => {
            let at = (area.x + 2, area.y);
            let words = sanitize::line(failure.0.as_bytes());
            paint::text(buffer, at, area.width.saturating_sub(2), &words, faint);
            None
        }
        None => None,
    };
    let count = text.map_or(0, |text| text.line_count());
    let rows = u32::from(area.height);
    let digits = count.min(rows).max(1).ilog10() as usize + 1;
    for (y, line) in (area.y..area.y + area.height).zip(0..) {
        let row = Area {
            y,
            height: 1,
            ..area
        };
        let mut row = RowWriter::new(buffer, row);
        row.put("│ ", faint);
        if let Some(text) = text.filter(|_| line < count) {
            row.put(&format!("{:>digits$} ", line + 1), faint);
            let room = usize::from(row.remaining());
            row.put(&sanitize::clip(text.line(line), room), code);
        }
    }
}

/// Draws the query and the number of matching files.
pub(super) fn prompt(finder: &Finder, theme: &Theme, row: &mut RowWriter<'_>) {
    let (count, all) = finder.counts();
    let more = if finder.is_complete() { "" } else { "+" };
    row.put_right(&format!(" {count} of {all}{more} files "), theme.bar());
    if let Some(failure) = finder.failure() {
        let words = sanitize::line(failure.0.as_bytes());
        row.put_right(&format!(" {words} "), theme.bar_emphasis());
    }
    row.put("file: ", theme.bar_emphasis());
    let text = sanitize::line(finder.query.as_bytes());
    let text = sanitize::clip_left(&text, usize::from(row.remaining()).saturating_sub(1));
    row.put(&text, theme.bar());
    row.put(" ", theme.bar().add_modifier(Modifier::REVERSED));
    row.put("  Enter opens, * was visited, Esc closes", theme.bar());
}
