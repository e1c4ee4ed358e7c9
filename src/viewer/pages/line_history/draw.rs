//! The change of the commit that is selected in the history of lines.

use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::{
    engine::OwnChange,
    sanitize,
    text::thousands::line_number,
    viewer::{
        app::{display::layout::Area, state::App},
        model::{
            abbreviation::{short, short_or_uncommitted},
            background::line_history::HistoryChange,
        },
        pages::{
            line_history::state::{HistoryTopic, LineHistoryPage},
            preview::PreviewLayout,
        },
        theme::styles::Theme,
        ui::{
            header,
            paint::{self, RowWriter},
        },
    },
};

/// Draws the message of the selected commit and its change, below the list or beside it.
pub(super) fn change(
    page: &LineHistoryPage,
    layout: PreviewLayout,
    app: &App,
    theme: &Theme,
    buffer: &mut Buffer,
) {
    layout.divider(theme, buffer);
    let Some((change, previewed)) = page.change().zip(page.previewed()) else {
        if layout.title.height > 0 {
            paint::fill(buffer, layout.title, theme.bar());
        }
        return;
    };
    title(page, change, theme, layout.title, buffer);
    let skipped = page.pager.position.top as usize;
    let is_marked = |row| change.is_own(row);
    let place = (theme, layout.change);
    previewed.draw(app, None, skipped, is_marked, place, buffer);
}

/// Draws the header of the history of lines: which lines, and how many commits are known.
pub(super) fn header(page: &LineHistoryPage, app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let count = page.found.items.len();
    let is_changes = page.topic == HistoryTopic::Changes;
    let commits = match (is_changes, count) {
        (true, 1) => "commit",
        (true, _) => "commits",
        (false, 1) => "deletion",
        (false, _) => "deletions",
    };
    let more = if page.found.is_running() { "…" } else { "" };
    let at = match count {
        0 | 1 => String::new(),
        _ => format!("{} of ", header::thousands(page.list.selected + 1)),
    };
    // Those that changed only lines around them are listed too.
    let is_near = |change: &&HistoryChange| change.own_change == OwnChange::None;
    let near = match page.found.items.iter().filter(is_near).count() {
        0 => String::new(),
        near => format!(", {} only nearby", header::thousands(near)),
    };
    let words = format!(" {at}{} {commits}{more}{near} ", header::thousands(count));
    row.put_right(&words, theme.bar());
    let topic = match page.topic {
        HistoryTopic::Changes => " history of ".to_owned(),
        HistoryTopic::Deleted(place) => format!(" deleted {place} "),
    };
    row.put(&topic, theme.bar());
    row.put(&page.lines_in_words(), theme.bar_emphasis());
    row.put("  ", theme.bar());
    let room = usize::from(row.remaining());
    let path = sanitize::clip_left(&sanitize::line(&page.path), room);
    row.put_linked(&path, theme.bar_emphasis(), app.page_of_line());
}

/// Draws commit, path and lines of the change.
fn title(
    page: &LineHistoryPage,
    change: &HistoryChange,
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) {
    if area.height == 0 {
        return;
    }
    let (bar, strong) = (theme.bar(), theme.bar_emphasis());
    paint::fill(buffer, area, bar);
    let mut row = RowWriter::new(buffer, area);
    row.put(
        &format!(" {} ", short_or_uncommitted(&change.commit)),
        strong,
    );
    if change.path != page.path {
        row.put(&format!("{} ", sanitize::line(&change.path)), bar);
    }
    let now = numbers(&change.lines);
    let words = match &change.previous {
        Some((parent, _, lines)) if page.topic != HistoryTopic::Changes => {
            format!("deleted {}, as of {}", numbers(lines), short(parent))
        }
        Some((_, path, lines)) if !lines.is_empty() => {
            let from = if *path != change.path {
                format!("{} ", sanitize::line(path))
            } else {
                String::new()
            };
            match format!("{from}{}", numbers(lines)) {
                same if same == now => format!("{now}, as before"),
                before => format!("{now}, formerly {before}"),
            }
        }
        _ => now,
    };
    row.put(&words, bar);
}

/// Ranges in words: `line 12`, `lines 3–5 and 9`.
fn numbers(ranges: &[Range<u32>]) -> String {
    let is_one = |range: &Range<u32>| range.end - range.start == 1;
    let words = ranges.iter().map(|range| {
        if is_one(range) {
            header::thousands(range.end)
        } else {
            let first = line_number(range.start);
            format!("{first}–{}", header::thousands(range.end))
        }
    });
    let words = words.collect::<Vec<_>>().join(" and ");
    match ranges {
        [range] if is_one(range) => format!("line {words}"),
        _ => format!("lines {words}"),
    }
}
