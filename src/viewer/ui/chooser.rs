//! The chooser of columns, over the right side of the code.

use ratatui::{buffer::Buffer, style::Modifier};

use super::paint::{self, Row};
use crate::viewer::{
    app::{
        App,
        chooser::{Choice, ROWS},
        columns::{Column, Gutter},
        layout::Area,
    },
    theme::Theme,
};

/// Columns of the screen that it takes where there are as many.
const WIDTH: u16 = 34;

/// Draws the chooser with a row selected, as far as it fits into the code's area.
pub(super) fn list(app: &App, theme: &Theme, at: usize, code: Area, buffer: &mut Buffer) {
    let width = code.width.min(WIDTH);
    let height = code.height.min(ROWS as u16 + 1);
    let area = Area {
        x: code.x + code.width - width,
        y: code.y,
        width,
        height,
    };
    paint::fill(buffer, area, theme.bar());
    let gutter = app.gutter();
    let rows = usize::from(height.saturating_sub(1));
    // The selected row is always there.
    let top = (at + 1).saturating_sub(rows);
    let line = |y: u16| Area {
        y: area.y + y,
        height: 1,
        ..area
    };
    Row::new(buffer, line(0)).put(" Columns", theme.strong());
    let choices = app.columns.choices();
    for ((number, choice), y) in choices.iter().enumerate().skip(top).take(rows).zip(1..) {
        let style = match number == at {
            true => theme.strong().add_modifier(Modifier::REVERSED),
            false => theme.bar(),
        };
        let area = line(y);
        paint::fill(buffer, area, style);
        let mut row = Row::new(buffer, area);
        let (mark, name, size) = words(app, *choice, &gutter);
        if width >= 28 {
            row.put_right(&format!("{size} "), style);
        }
        row.put(&format!(" {mark} {name} "), style);
    }
}

/// The mark, the name and the size of a row.
fn words(app: &App, choice: Choice, gutter: &Gutter) -> (&'static str, String, String) {
    let Choice::Column(column, shown) = choice else {
        let size = format!("{} %", app.columns.share);
        return (" ", "share of the screen".to_owned(), size);
    };
    let name = match column {
        Column::Date => format!("date ({})", app.columns.date.name()),
        _ => column.name().to_owned(),
    };
    let mut widths = app.columns.widths;
    let size = match (shown, gutter.width_of(column), widths.of(column)) {
        (false, _, _) => String::new(),
        (true, 0, _) => "no room".to_owned(),
        (true, now, Some(&mut full)) if now < full => format!("{now} of {full}"),
        (true, now, _) => now.to_string(),
    };
    (if shown { "×" } else { "·" }, name, size)
}
