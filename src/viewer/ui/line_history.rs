//! The page with the history of lines: a list of commits with their lines as they were then, and the change of the
//! selected one.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    style::{Modifier, Style},
};

use crate::{
    engine::OwnChange,
    sanitize::{self, GlyphKind, Glyphs},
    viewer::{
        app::{
            display::layout::Area,
            line_history::line_history_page::{
                HistoryProgress, HistoryTopic, ITEM_ROWS, LineHistoryPage,
            },
            state::App,
        },
        model::{
            abbreviation::short,
            diff::DiffRow,
            line_history::{ChangedLine, HistoryChange},
            relative_dates,
        },
        theme::{
            roles::{DiffPart, DiffSide, Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            paint::{self, RowWriter, VisiblePart},
            word_diff,
        },
    },
};

/// The width of the authors in the list, in columns.
const AUTHOR_COLUMNS: usize = 16;

/// Draws the page between header and status line.
pub(super) fn page(app: &App, page: &LineHistoryPage, theme: &Theme, buffer: &mut Buffer) {
    let layout = app.line_history_layout();
    let text = theme.line(LineBackground::Plain, Foreground::Text);
    paint::fill(buffer, app.layout().body(), text);
    list(page, theme, layout.list, buffer);
    if layout.title.x > 0 {
        let faint = theme.line(LineBackground::Plain, Foreground::Faint);
        for y in layout.list.y..layout.list.y + layout.list.height {
            paint::text(buffer, (layout.title.x - 1, y), 1, "│", faint);
        }
    }
    if let Some(change) = page.change() {
        title(page, change, theme, layout.title, buffer);
        let rows = change.rows.iter().skip(page.scroll);
        let numbers = number_columns(change);
        for (line, y) in rows.zip(layout.change.y..layout.change.y + layout.change.height) {
            let area = Area {
                y,
                height: 1,
                ..layout.change
            };
            changed_line(change, line, numbers, theme, area, buffer);
        }
    } else if layout.title.height > 0 {
        paint::fill(buffer, layout.title, theme.bar());
    }
}

fn list(page: &LineHistoryPage, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let mut y = area.y;
    let end = area.y + area.height;
    let line = |y: u16| Area {
        y,
        height: 1,
        ..area
    };
    for (at, change) in page.changes.iter().enumerate().skip(page.top) {
        if y + ITEM_ROWS > end {
            break;
        }
        let selected = at == page.selected;
        item(change, selected, theme, line(y), buffer);
        headline(change, selected, theme, line(y + 1), buffer);
        y += ITEM_ROWS;
    }
    let is_last = page.changes.len().saturating_sub(page.top) * usize::from(ITEM_ROWS)
        <= usize::from(area.height);
    if y < end && is_last {
        let faint = theme.line(LineBackground::Plain, Foreground::Faint);
        paint::text(
            buffer,
            (area.x + 1, y),
            area.width - 1,
            &ending(page),
            faint,
        );
    }
}

/// What stands below the last commit.
fn ending(page: &LineHistoryPage) -> String {
    match &page.progress {
        HistoryProgress::Running(None) => "looking…".to_owned(),
        HistoryProgress::Running(Some(date)) => {
            format!("looking before {}…", relative_dates::day(*date, 0))
        }
        HistoryProgress::Failed(failure) => sanitize::line(failure.0.as_bytes()),
        HistoryProgress::Finished(false) => "older history is not looked at".to_owned(),
        HistoryProgress::Finished(true) if page.topic != HistoryTopic::Changes => String::new(),
        HistoryProgress::Finished(true) => match page.changes.last() {
            Some(last) => {
                let wrote = |change: &&HistoryChange| change.own_change == OwnChange::Wrote;
                let wrote = page.changes.iter().rfind(wrote);
                match wrote.or(last.is_birth.then_some(last)) {
                    Some(birth) => format!("born in {}", short(&birth.commit)),
                    None => "the beginning of the history".to_owned(),
                }
            }
            None => "the beginning of the history".to_owned(),
        },
    }
}

fn background(selected: bool) -> LineBackground {
    match selected {
        true => LineBackground::SelectedLine,
        false => LineBackground::Plain,
    }
}

/// Draws date, author and summary of a commit.
fn item(change: &HistoryChange, selected: bool, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let background = background(selected);
    let style = |foreground| theme.line(background, foreground);
    paint::fill(buffer, area, style(Foreground::Text));
    let mut row = RowWriter::new(buffer, area);
    row.put(if selected { ">" } else { " " }, style(Foreground::Mark));
    let metadata = match &change.metadata {
        Ok(metadata) => metadata,
        Err(failure) => {
            let words = format!("{}  {failure}", short(&change.commit));
            return row.put(&words, style(Foreground::Text));
        }
    };
    let author = &metadata.author;
    let date = relative_dates::day(author.time, author.offset);
    row.put(&format!("{date} "), style(Foreground::Faint));
    let name = sanitize::clip(&author.name, AUTHOR_COLUMNS);
    let missing = AUTHOR_COLUMNS.saturating_sub(sanitize::width(name.as_bytes()));
    // What happened around the lines stays behind what happened to them.
    let (text, weight) = match change.own_change {
        OwnChange::None => (Foreground::Faint, Modifier::empty()),
        _ => (Foreground::Text, Modifier::BOLD),
    };
    row.put(&name, style(text));
    row.put(&" ".repeat(missing + 1), style(text));
    if change.is_inferred {
        row.put("moved? ", style(Foreground::Mark));
    }
    if change.is_merge {
        row.put("merge ", style(Foreground::Mark));
    }
    match change.own_change {
        OwnChange::Wrote => row.put("born ", style(Foreground::Mark)),
        OwnChange::Changed => {}
        OwnChange::None => row.put("nearby ", style(Foreground::Faint)),
    }
    let summary = sanitize::line(&metadata.summary());
    row.put(&summary, style(text).add_modifier(weight));
}

/// Draws the text as it was then: the first line that changed, with the words that changed.
fn headline(
    change: &HistoryChange,
    selected: bool,
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) {
    let background = background(selected);
    let style = |foreground| theme.line(background, foreground);
    paint::fill(buffer, area, style(Foreground::Text));
    let mut row = RowWriter::new(buffer, area);
    let (added, removed) = change.counts();
    let words = match (change.is_cut, added, removed) {
        (true, _, _) => " … ".to_owned(),
        (_, 1, 0 | 1) => String::new(),
        _ => format!(" +{added} -{removed} "),
    };
    row.put_right(&words, style(Foreground::Faint));
    let Some(line) = change.headline() else {
        let words = match (added, removed) {
            (0, 0) => "   (not shown)",
            _ => "   (blank lines)",
        };
        return row.put(words, style(Foreground::Faint));
    };
    let (sign, foreground) = match line.row {
        DiffRow::Removed(_) => (" - ", Foreground::Removed),
        _ => (" + ", Foreground::Added),
    };
    row.put(sign, style(foreground));
    let width = row.remaining();
    let text = line.text.trim_ascii_start();
    let skipped = line.text.len() - text.len();
    let area = Area {
        x: area.x + 3,
        width,
        ..area
    };
    let differing = words_of(change, line);
    let differing = differing.start.saturating_sub(skipped)..differing.end.saturating_sub(skipped);
    let plain = style(match change.own_change {
        OwnChange::None => Foreground::Faint,
        _ => Foreground::Text,
    });
    let emphasized = match selected {
        true => theme.emphasized(plain),
        false => theme.line(words_background(line.row), Foreground::Text),
    };
    code(
        text,
        differing,
        plain,
        emphasized,
        style(Foreground::Mark),
        area,
        buffer,
    );
}

fn words_background(row: DiffRow) -> LineBackground {
    match row {
        DiffRow::Removed(_) => LineBackground::Diff(DiffSide::Removed, DiffPart::Words),
        _ => LineBackground::Diff(DiffSide::Added, DiffPart::Words),
    }
}

/// The bytes of a line that differ from its counterpart.
fn words_of(change: &HistoryChange, line: &ChangedLine) -> Range<usize> {
    let other = change.counterpart(line);
    other
        .and_then(|other| word_diff::differing(&line.text, &other.text))
        .unwrap_or_default()
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
    let name = match change.commit.is_null() {
        true => "not committed".to_owned(),
        false => short(&change.commit),
    };
    row.put(&format!(" {name} "), strong);
    if change.path != page.path {
        row.put(&format!("{} ", sanitize::line(&change.path)), bar);
    }
    let now = numbers(&change.lines);
    let words = match &change.previous {
        Some((parent, _, lines)) if page.topic != HistoryTopic::Changes => {
            format!("deleted {}, as of {}", numbers(lines), short(parent))
        }
        Some((_, path, lines)) if !lines.is_empty() => {
            let from = match *path != change.path {
                true => format!("{} ", sanitize::line(path)),
                false => String::new(),
            };
            format!("{now}, before {from}{}", numbers(lines))
        }
        _ => format!("{now}, born here"),
    };
    row.put(&words, bar);
}

/// Ranges in words: `line 12`, `lines 3–5 and 9`.
fn numbers(ranges: &[Range<u32>]) -> String {
    let is_one = |range: &Range<u32>| range.end - range.start == 1;
    let words = ranges.iter().map(|range| match is_one(range) {
        true => format!("{}", range.end),
        false => format!("{}–{}", u64::from(range.start) + 1, range.end),
    });
    let words = words.collect::<Vec<_>>().join(" and ");
    match ranges {
        [range] if is_one(range) => format!("line {words}"),
        _ => format!("lines {words}"),
    }
}

/// The width of the largest line number of a change.
fn number_columns(change: &HistoryChange) -> usize {
    let numbers = change.rows.iter().filter_map(|line| match line.row {
        DiffRow::Added(number) | DiffRow::Removed(number) => Some(number),
        DiffRow::Context { old, new } => Some(old.max(new)),
        _ => None,
    });
    (numbers.max().unwrap_or(0) + 1).to_string().len()
}

/// Draws a row of the change.
fn changed_line(
    change: &HistoryChange,
    line: &ChangedLine,
    numbers: usize,
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) {
    let (sign, number, foreground, side) = match line.row {
        DiffRow::Added(new) => ("+", Some(new), Foreground::Added, Some(DiffSide::Added)),
        DiffRow::Removed(old) => ("-", Some(old), Foreground::Removed, Some(DiffSide::Removed)),
        DiffRow::Context { new, .. } => (" ", Some(new), Foreground::Faint, None),
        _ => (" ", None, Foreground::Faint, None),
    };
    let background = |part| {
        side.map_or(LineBackground::Plain, |side| {
            LineBackground::Diff(side, part)
        })
    };
    let style = |part, foreground| theme.line(background(part), foreground);
    paint::fill(buffer, area, style(DiffPart::Common, Foreground::Text));
    let mut row = RowWriter::new(buffer, area);
    let Some(number) = number else {
        let dots = format!("{:>numbers$} ", "⋮");
        return row.put(&dots, style(DiffPart::Common, Foreground::Faint));
    };
    let number = format!("{:>numbers$} ", number + 1);
    row.put(&number, style(DiffPart::Common, foreground));
    let bold = style(DiffPart::Common, foreground).add_modifier(Modifier::BOLD);
    row.put(&format!("{sign} "), bold);
    let width = row.remaining();
    let area = Area {
        x: area.x + area.width - width,
        width,
        ..area
    };
    code(
        &line.text,
        words_of(change, line),
        style(DiffPart::Common, Foreground::Text),
        style(DiffPart::Words, Foreground::Text),
        style(DiffPart::Common, Foreground::Mark),
        area,
        buffer,
    );
}

/// Draws a line of code, clipped to an area of one row.
fn code(
    text: &[u8],
    differing: Range<usize>,
    plain: Style,
    emphasized: Style,
    escape: Style,
    area: Area,
    buffer: &mut Buffer,
) {
    let seen = VisiblePart::new(None, 0, area);
    let glyphs = seen.glyphs(Glyphs::new(text));
    for glyph in &glyphs {
        let style = match glyph.kind {
            _ if differing.contains(&glyph.start) => emphasized,
            GlyphKind::Escape => escape,
            GlyphKind::Text => plain,
        };
        seen.draw(glyph, style, buffer);
    }
    if let (Some(first), Some(last)) = (glyphs.first(), glyphs.last()) {
        seen.draw_cut_signs(first.start..last.end, text.len(), plain, buffer);
    }
}
