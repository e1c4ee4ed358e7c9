//! The keys, as they are bound.

use ratatui::{buffer::Buffer, style::Modifier};

use super::paint;
use crate::viewer::{
    app::{
        App,
        keymap::{BINDINGS, Section},
        layout::Area,
    },
    theme::{Ground, Ink, Theme},
};

/// Draws the help over everything but the last line.
pub(super) fn page(app: &App, theme: &Theme, top: usize, buffer: &mut Buffer) {
    let (width, height) = app.size;
    let area = Area {
        x: 0,
        y: 0,
        width,
        height: height.saturating_sub(1),
    };
    let text = theme.line(Ground::Plain, Ink::Text);
    paint::fill(buffer, area, text);
    let lines = lines(app);
    // The last page stays full.
    let top = top.min(lines.len().saturating_sub(usize::from(area.height)));
    for ((keys, words), y) in lines.iter().skip(top).zip(area.y..area.y + area.height) {
        let Some(keys) = keys else {
            let heading = text.add_modifier(Modifier::BOLD);
            paint::text(buffer, (1, y), width.saturating_sub(1), words, heading);
            continue;
        };
        let column = if width >= 50 { 20 } else { 8 };
        let key = theme.line(Ground::Plain, Ink::Mark);
        paint::text(buffer, (3, y), column - 1, keys, key);
        let room = width.saturating_sub(3 + column);
        paint::text(buffer, (3 + column, y), room, words, text);
    }
}

/// Headings, and keys with what they do.
fn lines(app: &App) -> Vec<(Option<String>, &'static str)> {
    let mut lines = Vec::new();
    for section in Section::ALL {
        if !lines.is_empty() {
            lines.push((None, ""));
        }
        lines.push((None, section.title()));
        for binding in BINDINGS.iter().filter(|binding| binding.section == section) {
            let keys: Vec<String> = app
                .keymap
                .keys(binding.action)
                .map(|key| key.to_string())
                .collect();
            lines.push((Some(keys.join("  ")), binding.help));
        }
    }
    lines
}
