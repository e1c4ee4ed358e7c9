//! Draws a frame.

use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::viewer::{
    app::state::App,
    pages::{
        blame::BlamePage,
        page::{Page, PageKind},
        stack::Layer,
    },
    theme::{
        roles::{Foreground, LineBackground},
        styles::Theme,
    },
    ui::{click_targets::ClickTargets, header, list::ListPainter, paint, status, version_scale},
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
