//! Draws a frame.

use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::{
    sanitize,
    viewer::{
        app::state::App,
        pages::{
            blame::BlamePage,
            diff,
            page::{Page, PageKind},
            stack::Layer,
        },
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            click_targets::ClickTargets, code, header, list::ListPainter, paint, status,
            version_scale,
        },
    },
};

/// The rows (half-open) that scrolling moves.
pub fn scrolling_rows(app: &App) -> Range<u16> {
    let layout = app.layout();
    let area = if app.pages.cover_blame() {
        layout.body()
    } else {
        layout.code
    };
    area.y..area.y + area.height
}

/// Draws the whole screen into an empty buffer. Returns what can be clicked.
pub fn draw(app: &App, theme: &Theme, buffer: &mut Buffer) -> ClickTargets {
    let mut targets = ClickTargets::default();
    let area = buffer.area;
    // The state may not have processed the latest resize yet.
    if (area.width, area.height) != app.size {
        return targets;
    }
    let layout = app.layout();
    header::header(app, theme, layout.header, &mut targets, buffer);
    version_scale::scale(app, theme, layout.scale, buffer);
    status::tour(app, theme, layout.tour, buffer);
    // The lowest layer that is seen: what a page covers is not drawn.
    let layers = app.pages.layers();
    let covering = layers.iter().rposition(Layer::covers);
    if covering.is_none() {
        BlamePage.draw(app, theme, layout.body(), buffer);
    }
    let seen = &layers[covering.unwrap_or(0)..];
    for (layer, above) in seen.iter().zip(1..) {
        let (Some(page), body) = (layer.page(), layout.body()) else {
            continue;
        };
        if layer.covers() {
            let text = theme.line(LineBackground::Plain, Foreground::Text);
            paint::fill(buffer, body, text);
        }
        let mut above = seen[above..].iter().filter_map(Layer::page);
        let is_answered = above.any(|page| page.kind() == PageKind::Answer);
        ListPainter::new(theme, !layer.covers(), !is_answered).draw(page, app, buffer);
        page.draw(app, theme, body, buffer);
    }
    status::status_line(app, theme, layout.status_line, &mut targets, buffer);
    targets
}

/// The visible lines as text for printing on exit: the gutter as drawn, the code unclipped.
pub fn printout(app: &App, theme: &Theme) -> Vec<String> {
    let (width, height) = app.size;
    let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, width, height));
    let Some(view) = app.view() else {
        return Vec::new();
    };
    if let Some(diff) = app.diff() {
        let area = app.layout().body();
        diff::draw::screen(app, diff, theme, area, &mut buffer);
        let rows = area.y..area.y + area.height;
        return rows.map(|y| cells(&buffer, 0..width, y)).collect();
    }
    let area = app.layout().code;
    code::rows(app, view, theme, area, &mut buffer);
    let gutter = app.gutter().width().min(width);
    let mut lines = Vec::new();
    let mut last = None;
    for row in 0..area.height {
        let Some((line, _)) = app.shown_at(u32::from(row)) else {
            break;
        };
        if line >= view.text.line_count() || last.replace(line) == Some(line) {
            continue;
        }
        let mut text = cells(&buffer, 0..gutter, area.y + row);
        let missing = usize::from(gutter).saturating_sub(sanitize::width(text.as_bytes()));
        text.push_str(&" ".repeat(missing));
        text.push_str(&sanitize::line(view.text.line(line)));
        text.truncate(text.trim_end().len());
        lines.push(text);
    }
    lines
}

/// The text of some cells of a row without trailing blanks.
fn cells(buffer: &Buffer, columns: Range<u16>, y: u16) -> String {
    let mut text = String::new();
    let mut covered = 0;
    for x in columns {
        let Some(cell) = buffer.cell((x, y)).filter(|_| x >= covered) else {
            continue;
        };
        let width = sanitize::width(cell.symbol().as_bytes());
        covered = x + u16::try_from(width).unwrap_or(1).max(1);
        text.push_str(cell.symbol());
    }
    text.truncate(text.trim_end().len());
    text
}
