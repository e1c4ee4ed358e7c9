//! The file finder: matches, best first, and its prompt.

use ratatui::{buffer::Buffer, style::Modifier};

use crate::{
    sanitize,
    viewer::{
        app::{
            display::layout::Area,
            overlays::{finder::Finder, finder_actions::MIN_PREVIEW_WIDTH},
        },
        model::syntax::SyntaxClass,
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::paint::{self, RowWriter},
    },
};

/// Draws the matching files and, on a wide screen, the beginning of the selected one beside them.
pub(super) fn page(finder: &Finder, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let text = theme.line(LineBackground::Plain, Foreground::Text);
    paint::fill(buffer, area, text);
    if area.width < MIN_PREVIEW_WIDTH {
        return list(finder, theme, area, buffer);
    }
    let width = area.width * 2 / 5;
    list(finder, theme, Area { width, ..area }, buffer);
    let rest = Area {
        x: area.x + width,
        width: area.width - width,
        ..area
    };
    preview(finder, theme, rest, buffer);
}

/// Draws the beginning of the selected file.
fn preview(finder: &Finder, theme: &Theme, area: Area, buffer: &mut Buffer) {
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

/// Draws the matching files.
fn list(finder: &Finder, theme: &Theme, area: Area, buffer: &mut Buffer) {
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
