//! Questions.

use ratatui::buffer::Buffer;

use crate::{
    sanitize,
    viewer::{
        app::{display::layout::Area, overlays::question::Question},
        theme::styles::Theme,
        ui::paint::{self, RowWriter},
    },
};

/// Draws a question over the last rows of an area.
pub(super) fn question(question: &Question, theme: &Theme, around: Area, buffer: &mut Buffer) {
    let count = u16::try_from(question.lines.len()).unwrap_or(u16::MAX);
    let height = around.height.min(count.saturating_add(1));
    let area = Area {
        y: around.y + around.height - height,
        height,
        ..around
    };
    paint::fill(buffer, area, theme.bar());
    let texts = std::iter::once(&question.title).chain(&question.lines);
    for (text, y) in texts.zip(area.y..area.y + area.height) {
        let (blanks, style) = match y == area.y {
            true => (" ", theme.bar_emphasis()),
            false => ("   ", theme.bar()),
        };
        let line = Area {
            y,
            height: 1,
            ..area
        };
        let mut row = RowWriter::new(buffer, line);
        row.put(blanks, style);
        row.put(&sanitize::line(text.as_bytes()), style);
    }
}
