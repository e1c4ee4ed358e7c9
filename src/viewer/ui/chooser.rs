//! The column and theme choosers, drawn over the right side of the code, and questions.

use ratatui::{buffer::Buffer, style::Modifier};

use crate::{
    sanitize,
    viewer::{
        app::{
            display::layout::Area,
            overlays::{column_chooser::Choice, question::Question, theme_chooser::ThemeChooser},
            state::App,
        },
        model::columns::{Column, Gutter},
        theme::styles::Theme,
        ui::paint::{self, RowWriter},
    },
};

/// Width of a chooser in columns, if the screen is wide enough.
const WIDTH: u16 = 34;

/// Draws the column chooser with row `at` selected.
pub(super) fn list(app: &App, theme: &Theme, at: usize, code: Area, buffer: &mut Buffer) {
    let gutter = app.gutter();
    let choices = app.display.columns.choices(app.size.0);
    let rows = choices.iter().map(|choice| {
        let (mark, name, size) = words(app, *choice, &gutter);
        (format!("{mark} {name}"), size)
    });
    menu(
        "Columns",
        &rows.collect::<Vec<_>>(),
        theme,
        at,
        code,
        buffer,
    );
}

/// Draws the theme chooser.
pub(super) fn themes(themes: &ThemeChooser, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let rows = themes.names.iter().enumerate().map(|(row, name)| {
        let broken = row == themes.row && themes.problem.is_some();
        let problem = if broken { "invalid" } else { "" };
        (sanitize::line(name.as_bytes()), problem.to_owned())
    });
    menu(
        "Theme",
        &rows.collect::<Vec<_>>(),
        theme,
        themes.row,
        area,
        buffer,
    );
}

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

/// Draws a menu at the right of an area: rows with left- and right-aligned text, one selected.
fn menu(
    title: &str,
    rows: &[(String, String)],
    theme: &Theme,
    at: usize,
    around: Area,
    buffer: &mut Buffer,
) {
    let width = around.width.min(WIDTH);
    let count = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let height = around.height.min(count.saturating_add(1));
    let area = Area {
        x: around.x + around.width - width,
        y: around.y,
        width,
        height,
    };
    paint::fill(buffer, area, theme.bar());
    // The edge, where backgrounds cannot show it.
    let edge = if theme.needs_marks() { "│" } else { "" };
    let seen = usize::from(height.saturating_sub(1));
    // The selected row stays visible.
    let top = (at + 1).saturating_sub(seen);
    let line = |y: u16| Area {
        y: area.y + y,
        height: 1,
        ..area
    };
    let mut row = RowWriter::new(buffer, line(0));
    row.put(edge, theme.bar());
    row.put(&format!(" {title}"), theme.bar_emphasis());
    for ((number, (left, right)), y) in rows.iter().enumerate().skip(top).take(seen).zip(1..) {
        let style = match number == at {
            true => theme.bar_emphasis().add_modifier(Modifier::REVERSED),
            false => theme.bar(),
        };
        let area = line(y);
        paint::fill(buffer, area, style);
        let mut row = RowWriter::new(buffer, area);
        if width >= 28 {
            row.put_right(&format!("{right} "), style);
        }
        row.put(edge, theme.bar());
        row.put(&format!(" {left} "), style);
    }
}

/// Mark, name and width of a row.
fn words(app: &App, choice: Choice, gutter: &Gutter) -> (&'static str, String, String) {
    let Choice::Column(column, shown) = choice else {
        let size = format!("{}%", app.display.columns.share);
        return (" ", "share of the screen".to_owned(), size);
    };
    let name = match column {
        Column::Date => format!("date ({})", app.display.columns.date.name()),
        _ => column.name().to_owned(),
    };
    let mut widths = app.display.columns.widths;
    let size = match (shown, gutter.width_of(column), widths.of(column)) {
        (false, _, _) => String::new(),
        (true, 0, _) => "no room".to_owned(),
        (true, now, Some(&mut full)) if now < full => format!("{now} of {full}"),
        (true, now, _) => now.to_string(),
    };
    (if shown { "✓" } else { " " }, name, size)
}
