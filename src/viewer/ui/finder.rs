//! The file finder: matches, best first, and its prompt.

use ratatui::{buffer::Buffer, style::Modifier};

use crate::{
    sanitize,
    viewer::{
        app::{display::layout::Area, overlays::finder::Finder},
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::paint::{self, RowWriter},
    },
};

/// Draws the matching files.
pub(super) fn list(finder: &Finder, theme: &Theme, area: Area, buffer: &mut Buffer) {
    paint::fill(
        buffer,
        area,
        theme.line(LineBackground::Plain, Foreground::Text),
    );
    let rows = usize::from(area.height);
    let top = (finder.selected + 1).saturating_sub(rows);
    let matches = finder.matches().enumerate().skip(top);
    for ((at, (name, visited)), y) in matches.zip(area.y..area.y + area.height) {
        let selected = at == finder.selected;
        let background = if selected {
            LineBackground::SelectedLine
        } else {
            LineBackground::Plain
        };
        let row = Area {
            y,
            height: 1,
            ..area
        };
        paint::fill(buffer, row, theme.line(background, Foreground::Text));
        let mut row = RowWriter::new(buffer, row);
        let mark = match (selected, visited) {
            (true, _) => "> ",
            (false, true) => "* ",
            (false, false) => "  ",
        };
        row.put(mark, theme.line(background, Foreground::Mark));
        let room = usize::from(row.remaining());
        let name = paint::clip_left(&sanitize::line(name), room);
        let end = name.rfind('/').map_or(0, |slash| slash + 1);
        row.put(&name[..end], theme.line(background, Foreground::Faint));
        row.put(&name[end..], theme.line(background, Foreground::Text));
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
    let text = paint::clip_left(&text, usize::from(row.remaining()).saturating_sub(1));
    row.put(&text, theme.bar());
    row.put(" ", theme.bar().add_modifier(Modifier::REVERSED));
    row.put("  Enter opens, * was visited, Esc closes", theme.bar());
}
