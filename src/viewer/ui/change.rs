//! The screen of a commit's diff.

use ratatui::{buffer::Buffer, style::Style};

use super::{
    details,
    paint::{self, Row},
};
use crate::{
    sanitize::{self, Glyphs},
    viewer::{
        app::{
            App,
            change::Change,
            layout::Area,
            message::{Comparison, DiffRow},
        },
        theme::{Ground, Ink, Theme},
    },
};

/// Draws what the selected line's commit did to the file, between header and footer.
pub(super) fn screen(app: &App, change: &Change, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let text = theme.line(Ground::Plain, Ink::Text);
    paint::fill(buffer, area, text);
    let head = app.change_head();
    let first = -(head.len() as i64);
    for (number, y) in (change.top..).zip(area.y..area.y + area.height) {
        let row = Area {
            y,
            height: 1,
            ..area
        };
        let selected = number == change.at;
        if selected {
            paint::fill(buffer, row, theme.line(Ground::Cursor, Ink::Text));
        }
        match (&change.diff, usize::try_from(number)) {
            (_, Err(_)) => {
                let line = head.get(usize::try_from(number - first).unwrap_or(usize::MAX));
                if let Some(line) = line {
                    let ground = if selected {
                        Ground::Cursor
                    } else {
                        Ground::Plain
                    };
                    let style = details::style(theme, ground, line.kind);
                    let width = row.width.saturating_sub(1);
                    paint::text(buffer, (row.x + 1, y), width, &line.text, style);
                }
            }
            (Some(Ok(comparison)), Ok(at)) => {
                if let Some(&diff) = comparison.rows.get(at) {
                    diff_row(change, comparison, diff, selected, theme, row, buffer);
                }
            }
            (Some(Err(failure)), Ok(0)) => {
                let words = sanitize::line(failure.0.as_bytes());
                paint::text(buffer, (row.x + 1, y), row.width, &words, text);
            }
            (None, Ok(0)) => {
                paint::text(buffer, (row.x + 1, y), row.width, "comparing…", text);
            }
            _ => {}
        }
    }
}

fn diff_row(
    change: &Change,
    comparison: &Comparison,
    diff: DiffRow,
    selected: bool,
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) {
    let (style, sign, bytes) = match diff {
        DiffRow::Hunk { .. } => (theme.bar(), ' ', b"".as_slice()),
        DiffRow::Context { new, .. } => {
            let style = theme.line(Ground::Plain, Ink::Text);
            (style, ' ', comparison.new.line(new))
        }
        DiffRow::Removed(old) => (theme.removed(), '-', comparison.old.line(old)),
        DiffRow::Added(new) => (theme.added(), '+', comparison.new.line(new)),
    };
    let style = match selected {
        true => theme.line(Ground::Cursor, Ink::Text),
        false => style,
    };
    paint::fill(buffer, area, style);
    let last = comparison.old.line_count().max(comparison.new.line_count());
    let digits = last.max(100).ilog10() as usize + 1;
    let mut row = Row::new(buffer, area);
    if let DiffRow::Hunk { old, new } = diff {
        let words = format!(" from line {} (before: {}) ─", new + 1, old + 1);
        row.put(&words, style);
        row.dash(style);
        return;
    }
    let number = |line: Option<u32>| line.map_or(String::new(), |line| (line + 1).to_string());
    let (old, new) = (number(diff.old_line()), number(diff.new_line()));
    if area.width >= 60 {
        row.put(&format!("{old:>digits$} "), style);
    }
    if area.width >= 40 {
        row.put(&format!("{new:>digits$} "), style);
    }
    row.put(&format!("{sign} "), style);
    let room = row.room();
    let code = Area {
        x: area.x + area.width - room,
        width: room,
        ..area
    };
    code_line(bytes, change.left, style, code, buffer);
}

fn code_line(bytes: &[u8], left: usize, style: Style, area: Area, buffer: &mut Buffer) {
    let right = left + usize::from(area.width);
    let glyphs = Glyphs::from_column(bytes, left);
    for glyph in glyphs.take_while(|glyph| glyph.column < right) {
        paint::glyph(buffer, (area.x, area.y), &glyph, left..right, style);
    }
}
