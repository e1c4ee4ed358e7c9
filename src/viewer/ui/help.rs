//! The help page with the current key bindings.

use ratatui::{buffer::Buffer, style::Modifier};

use crate::viewer::{
    app::{display::layout::Area, pager::Pager, state::App},
    theme::{
        roles::{Foreground, LineBackground},
        styles::Theme,
    },
    ui::paint,
};

/// Draws the help over everything but the status line.
pub(super) fn page(app: &App, pager: &Pager, theme: &Theme, buffer: &mut Buffer) {
    let width = app.size.0;
    let area = Area {
        x: 0,
        y: 0,
        width,
        height: app.help_height(),
    };
    let top = pager.position.top as usize;
    let text = theme.line(LineBackground::Plain, Foreground::Text);
    let key = theme.line(LineBackground::Plain, Foreground::Mark);
    paint::fill(buffer, area, text);
    for (row, y) in app.help_rows().iter().skip(top).zip(0..area.height) {
        let style = match row.heading {
            true => text.add_modifier(Modifier::BOLD),
            false => text,
        };
        let room = width.saturating_sub(row.indent);
        paint::text(buffer, (row.indent, y), room, &row.text, style);
        paint::text(buffer, (3, y), width.saturating_sub(3), &row.keys, key);
    }
}
