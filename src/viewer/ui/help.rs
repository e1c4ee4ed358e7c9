//! The help page with the current key bindings.

use ratatui::{
    buffer::Buffer,
    style::{Modifier, Style},
};

use crate::{
    sanitize,
    viewer::{
        app::{
            display::layout::Area,
            overlays::{help::HelpRow, help_page::HelpPage},
            state::App,
        },
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::paint,
    },
};

/// Draws the help over everything but the status line.
pub(super) fn page(app: &App, page: &HelpPage, theme: &Theme, buffer: &mut Buffer) {
    let area = Area {
        x: 0,
        y: 0,
        width: app.size.0,
        height: app.help_height(),
    };
    let text = theme.line(LineBackground::Plain, Foreground::Text);
    paint::fill(buffer, area, text);
    let columns = app.help_columns();
    let width = area.width / u16::try_from(columns.len().max(1)).unwrap_or(1);
    let top = page.pager.position.top as usize;
    for (rows, x) in columns.iter().zip((0..).step_by(usize::from(width.max(1)))) {
        let column = Area { x, width, ..area };
        for (row, y) in rows.iter().skip(top).zip(0..area.height) {
            let line = Area {
                y,
                height: 1,
                ..column
            };
            self::row(page, row, theme, line, buffer);
        }
    }
}

fn row(page: &HelpPage, row: &HelpRow, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let text = theme.line(LineBackground::Plain, Foreground::Text);
    let key = theme.line(LineBackground::Plain, Foreground::Mark);
    let style = match row.heading {
        true => text.add_modifier(Modifier::BOLD),
        false => text,
    };
    part(page, &row.text, row.indent, style, theme, area, buffer);
    part(page, &row.keys, 3, key, theme, area, buffer);
}

/// Draws a text from a column of the area on, with the matches of the search.
fn part(
    page: &HelpPage,
    text: &str,
    indent: u16,
    style: Style,
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) {
    let draw = |buffer: &mut Buffer, before: &str, text: &str, style: Style| {
        let skipped = u16::try_from(sanitize::width(before.as_bytes())).unwrap_or(u16::MAX);
        let indent = indent.saturating_add(skipped);
        let room = area.width.saturating_sub(indent);
        paint::text(
            buffer,
            (area.x.saturating_add(indent), area.y),
            room,
            text,
            style,
        );
    };
    draw(buffer, "", text, style);
    let search = page.search.as_ref();
    let matches = search.map_or_else(Vec::new, |search| search.matches(text.as_bytes()));
    for range in matches {
        if let (Some(before), Some(found)) = (text.get(..range.start), text.get(range)) {
            draw(
                buffer,
                before,
                found,
                theme.search_match(LineBackground::Plain),
            );
        }
    }
}
