//! The blame view: gutter, code and scrollbar.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};

use crate::{
    sanitize::{GlyphKind, Glyphs},
    viewer::{
        app::{
            blame::{navigation::EMPTY_FILE, search::Search, view::View},
            deletions::deletion_marks::DeletionMarks,
            display::layout::Area,
            file_history::version_step::VersionStep,
            state::App,
        },
        model::{
            attribution::Group,
            texts::{syntax::SyntaxClass, wrap::Piece},
        },
        theme::{
            roles::{DiffPart, DiffSide, Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            color_mode::LineColors,
            gutter::{self, GutterLine},
            paint::{self, VisiblePart},
        },
    },
};

/// Longest line, in bytes, that is searched for matches as a whole; longer ones only around the
/// visible part.
const WHOLE: usize = 4096;

/// Draws the visible rows of the file.
pub(crate) fn rows(app: &App, view: &View, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let position = view.pager.position;
    let last = view.text.line_count();
    let end = position
        .top
        .saturating_add(u32::from(area.height))
        .min(last);
    let wrap = app.wrapping();
    let selected = view.selected_commit();
    let chosen = view.chosen_lines().unwrap_or_default();
    let step = view.step.as_ref();
    let changes = step.and_then(VersionStep::marked);
    let side = if step.is_some_and(|step| step.is_newer) {
        DiffSide::Added
    } else {
        DiffSide::Removed
    };
    if last == 0 {
        let style = theme.line(LineBackground::Plain, Foreground::Faint);
        let at = (area.x + 1, area.y);
        paint::text(buffer, at, area.width, EMPTY_FILE, style);
        return;
    }
    let marks = app.deletion_marks();
    let colors = LineColors::new(app, view, theme);
    let groups: Vec<Group> = view.attribution.groups(position.top..end).collect();
    let mut groups = groups.iter().peekable();
    let bar = app.scrollbar_width();
    let columns = app.gutter();
    let mut next = Some(view.pager.top());
    for y in area.y..area.y + area.height {
        let Some((line, part)) = next.filter(|(line, _)| *line < last) else {
            break;
        };
        let height = wrap.map_or(1, |wrap| view.pager.height(&*view.text, line, wrap));
        next = if part + 1 < height {
            Some((line, part + 1))
        } else {
            line.checked_add(1).map(|line| (line, 0))
        };
        while groups.next_if(|group| group.lines.end <= line).is_some() {}
        let group = groups
            .peek()
            .copied()
            .filter(|group| group.lines.contains(&line));
        let is_labelled = group.is_some_and(|group| group.is_labelled(line, part, y == area.y));
        let highlighted = group.is_some_and(|group| Some(group.commit) == selected);
        let is_dimmed = app.is_dimmed(view, line);
        let color = group.map_or(LineBackground::Plain, |group| {
            colors.background(group, line)
        });
        let background = match group {
            _ if line == position.line => LineBackground::SelectedLine,
            _ if chosen.contains(&line) => LineBackground::SelectedLine,
            _ if changes.is_some_and(|changes| changes.has(line)) => {
                LineBackground::Diff(side, DiffPart::Common)
            }
            _ if is_dimmed => LineBackground::Plain,
            _ if highlighted => LineBackground::SelectedCommit,
            _ => color,
        };
        let row = area.row(y);
        let plain = Foreground::Code(SyntaxClass::Plain);
        let of_code = theme.of_code(background);
        paint::fill(buffer, row, theme.line(of_code, plain));
        let shown = GutterLine {
            view,
            gutter: &columns,
            line,
            part,
            group,
            is_labelled,
            highlighted,
            color,
            background,
        };
        let width = columns.width().min(row.width);
        let gutter = Area { width, ..row };
        paint::fill(buffer, gutter, theme.line(background, plain));
        gutter::line(app, theme, &shown, gutter, buffer);
        let code = Area {
            x: row.x + width,
            width: row.width - width - bar.min(row.width - width),
            ..row
        };
        let piece = wrap.and_then(|wrap| view.pager.piece(&*view.text, (line, part), wrap));
        draw_line(app, view, theme, line, (piece, of_code), code, buffer);
        let ends = app.ranges().is_some_and(|ranges| {
            let mut ranges = ranges.iter();
            ranges.any(|range| [range.start, range.end].contains(&(line + 1)))
        });
        let is_before_gap = changes.is_some_and(|changes| changes.has_gap_before(line + 1));
        if is_dimmed {
            for (area, background) in [(gutter, background), (code, of_code)] {
                let dimmed = theme.dimmed(background);
                buffer.set_style(Rect::new(area.x, area.y, area.width, 1), dimmed);
            }
        }
        let is_last_part = next.is_none_or(|(next, _)| next > line);
        if let Some(marks) = marks
            && is_last_part
        {
            let backgrounds = (background, of_code);
            deletion_mark(marks, theme, (line, backgrounds), (row, width, bar), buffer);
        }
        if (ends || is_before_gap || view.insertion() == Some(line + 1)) && is_last_part {
            underline(row, buffer);
        }
    }
    if bar > 0 {
        let shown = next.map_or(last, |(line, _)| line.max(position.top + 1));
        scrollbar(view, theme, selected, (position.top..shown, area), buffer);
    }
}

/// Underlines a row: a line of another version has its place below it, or the blamed lines start or
/// end there.
fn underline(row: Area, buffer: &mut Buffer) {
    let style = Style::default().add_modifier(Modifier::UNDERLINED);
    buffer.set_style(Rect::new(row.x, row.y, row.width, row.height), style);
}

/// Draws the mark of lines that were deleted below a line, or before the first one: in the
/// separator between gutter and code, with their number at the end of the row.
fn deletion_mark(
    marks: &DeletionMarks,
    theme: &Theme,
    (line, (background, of_code)): (u32, (LineBackground, LineBackground)),
    (row, gutter, bar): (Area, u16, u16),
    buffer: &mut Buffer,
) {
    let count = marks.line_count(line);
    if count == 0 {
        return;
    }
    let style = theme.line(background, Foreground::Removed);
    let symbol = if marks.below(Some(line)).is_empty() {
        "▔"
    } else {
        "▁"
    };
    if let Some(x) = gutter.checked_sub(2)
        && let Some(cell) = buffer.cell_mut((row.x + x, row.y))
    {
        cell.set_symbol(symbol).set_style(style);
    }
    // A blank between it and the scrollbar, and one before it.
    let words = format!(" -{count} ");
    let end = row.x + row.width - bar.min(row.width);
    let start = end.saturating_sub(words.len() as u16);
    if start > row.x + gutter {
        let style = theme.line(of_code, Foreground::Removed);
        paint::text(buffer, (start, row.y), end - start, &words, style);
    }
}

/// Draws one row of a line: its visible columns, or a piece of it if lines are wrapped.
fn draw_line(
    app: &App,
    view: &View,
    theme: &Theme,
    line: u32,
    (piece, background): (Option<Piece>, LineBackground),
    area: Area,
    buffer: &mut Buffer,
) {
    let seen = VisiblePart::new(piece, view.pager.position.left, area);
    let style = |foreground| theme.line(background, foreground);
    seen.draw_continuation_sign(style(Foreground::Faint), buffer);
    let glyphs = match piece {
        Some(piece) => Glyphs::from_position(view.text.line(line), piece.start),
        None => view.pager.glyphs(&*view.text, line, seen.columns.start),
    };
    let glyphs = seen.glyphs(glyphs);
    let len = view.text.line(line).len();
    let faint = style(Foreground::Faint);
    let (Some(first), Some(last)) = (glyphs.first(), glyphs.last()) else {
        return seen.draw_cut_signs(0..0, len, faint, buffer);
    };
    let found = matches(
        app.search.get(),
        view.text.line(line),
        first.start..last.end,
    );
    let mut found = found.iter().peekable();
    let mut classes = paint::ClassCursor::new(view.highlights.line(line), first.start);
    let mut of_class = (
        SyntaxClass::Plain,
        style(Foreground::Code(SyntaxClass::Plain)),
    );
    for glyph in &glyphs {
        let class = classes.at(glyph.start);
        if class != of_class.0 {
            of_class = (class, style(Foreground::Code(class)));
        }
        while found.next_if(|range| range.end <= glyph.start).is_some() {}
        let style = match glyph.kind {
            _ if found.peek().is_some_and(|range| range.start < glyph.end) => {
                theme.search_match(background)
            }
            GlyphKind::Escape => style(Foreground::Mark),
            GlyphKind::Text => of_class.1,
        };
        seen.draw(glyph, style, buffer);
    }
    seen.draw_cut_signs(first.start..last.end, len, faint, buffer);
}

/// Matches of the search in the visible part of a line.
pub(crate) fn matches(
    search: Option<&Search>,
    bytes: &[u8],
    seen: Range<usize>,
) -> Vec<Range<usize>> {
    let Some(search) = search else {
        return Vec::new();
    };
    if bytes.len() <= WHOLE {
        return search.matches(bytes);
    }
    let start = seen.start.saturating_sub(WHOLE / 4);
    let end = seen.end.saturating_add(WHOLE / 4).min(bytes.len());
    let found = search.matches(&bytes[start..end]);
    let shifted = found
        .into_iter()
        .map(|range| range.start + start..range.end + start);
    shifted.collect()
}

/// Draws the scrollbar, with ticks where the selected commit has lines.
fn scrollbar(
    view: &View,
    theme: &Theme,
    selected: Option<u32>,
    (shown, area): (Range<u32>, Area),
    buffer: &mut Buffer,
) {
    let count = u64::from(view.text.line_count());
    let rows = u64::from(area.height);
    let line = |row: u64| (row * count / rows) as u32;
    let (start, end) = (u64::from(shown.start), u64::from(shown.end));
    let thumb = start * rows / count..(end * rows).div_ceil(count).min(rows);
    let [thumb_style, mark, mark_on_thumb] = theme.scrollbar();
    for row in 0..rows {
        let lines = line(row)..line(row + 1).max(line(row) + 1);
        let changes = view.step.as_ref().and_then(VersionStep::marked);
        let is_changed = changes.is_some_and(|changes| changes.touches(&lines));
        let tick = selected.is_some_and(|commit| view.attribution.touches(commit, lines));
        // The thumb takes the left half of the column, and a mark the right half.
        let (symbol, style) = match (tick || is_changed, thumb.contains(&row)) {
            (true, true) => ("▐", mark_on_thumb),
            (true, false) => ("▐", mark),
            (false, true) => ("▌", thumb_style),
            (false, false) => continue,
        };
        let at = (area.x + area.width - 1, area.y + row as u16);
        if let Some(cell) = buffer.cell_mut(at) {
            // Reverse video of the selected line would exchange the halves.
            cell.modifier.remove(Modifier::REVERSED);
            cell.set_symbol(symbol).set_style(style);
        }
    }
}
