//! The details pane: its title line and the commit's details.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    style::{Modifier, Style},
};

use unicode_width::UnicodeWidthStr;

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::view::View,
            commit::detail_line::{DetailKind, DetailLine, Link},
            display::layout::Area,
            state::App,
        },
        model::{abbreviation::short_or_uncommitted, relative_dates},
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            changed_lines,
            header::{counted, thousands},
            paint::{self, RowWriter},
        },
    },
};

/// What stands before the id in the title line, and its columns.
const TITLE_EDGE: &str = "─ ";
pub(crate) const TITLE_START: u16 = 2;

/// The least columns of the name of another file.
const MIN_PATH: usize = 8;

/// Draws the title line of the details pane.
pub(crate) fn title(app: &App, view: &View, theme: &Theme, area: Area, buffer: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let (bar, strong) = (theme.bar(), theme.bar_emphasis());
    paint::fill(buffer, area, bar);
    let mut row = RowWriter::new(buffer, area);
    row.put(TITLE_EDGE, bar);
    let Some(facts) = view.selected() else {
        unattributed_title(app, view, theme, row);
        return;
    };
    if facts.commit.id.is_null() {
        row.put("uncommitted", strong);
    } else {
        row.put(&facts.commit.id.to_hex_with_len(8).to_string(), strong);
    }
    let (mut parts, mut ago) = (Vec::new(), String::new());
    if let Ok(metadata) = &facts.commit.metadata {
        let author = &metadata.author;
        if !facts.commit.id.is_null() {
            parts.push(sanitize::line(&author.name));
            let day = relative_dates::day(author.time, author.offset);
            ago = format!(" ({})", relative_dates::ago(app.now, author.time));
            parts.push(day);
        }
    }
    let rows = usize::from(app.layout().details.height);
    let top = app.details.pager.position.top as usize;
    let hidden = app.detail_lines().len().saturating_sub(top + rows);
    if hidden > 0 && rows > 0 && area.width >= 60 {
        row.put_right(&format!("─ {} more below ─", thousands(hidden)), bar);
    }
    let width = |parts: &[String]| parts.iter().map(|part| 3 + part.width()).sum::<usize>();
    let room = usize::from(row.remaining()).saturating_sub(width(&parts) + " ─ from  ".width());
    // The end of a name tells more than the number of lines.
    if facts.origin.path != view.path && room >= MIN_PATH {
        let path = sanitize::clip_left(&sanitize::line(&facts.origin.path), room);
        parts.push(format!("from {path}"));
    }
    let tally = view.selected_tally();
    parts.push(format!("{} here", counted(tally.lines, "line")));
    if facts.origin.boundary {
        parts.push("boundary".to_owned());
    }
    if facts.entry.ignored {
        parts.push("found by likeness (?)".to_owned());
    }
    if facts.entry.unblamable {
        parts.push("nothing before is like it (*)".to_owned());
    }
    // How long ago that was is left out first.
    if width(&parts) + ago.width() < usize::from(row.remaining())
        && let Some(day) = parts.get_mut(1)
    {
        day.push_str(&ago);
    }
    for part in parts {
        // A blank follows it.
        if 3 + part.width() >= usize::from(row.remaining()) {
            break;
        }
        row.put(&format!(" ─ {part}"), bar);
    }
    row.put(" ", bar);
    row.dash(bar);
}

/// Draws the title where no line is selected that a commit is known of: the commit that made the file
/// empty, if that is why.
fn unattributed_title(app: &App, view: &View, theme: &Theme, mut row: RowWriter<'_>) {
    let bar = theme.bar();
    match app.emptying() {
        Some(revision) => {
            let name = short_or_uncommitted(&revision.commit);
            row.put(&name, theme.bar_emphasis());
            let metadata = revision.metadata.as_ref().ok();
            if let Some(metadata) = metadata.filter(|_| !revision.commit.is_null()) {
                let author = &metadata.author;
                row.put_whole(&format!(" ─ {}", sanitize::line(&author.name)), bar);
                let day = relative_dates::day(author.time, author.offset);
                row.put_whole(&format!(" ─ {day}"), bar);
            }
            let what = if revision.previous.is_some() {
                "made the file empty"
            } else {
                "added the empty file"
            };
            row.put_whole(&format!(" ─ {what}"), bar);
            row.put(" ", bar);
        }
        None if view.is_running() => row.put("not attributed yet ", bar),
        None if view.text.line_count() == 0 => row.put("the file is empty ", bar),
        None => row.put("not attributed ", bar),
    }
    row.dash(bar);
}

/// Draws the details of the commit.
pub(crate) fn body(app: &App, theme: &Theme, area: Area, buffer: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let lines = app.detail_lines();
    let (area, of_change) = app.layout().message_and_change();
    for (line, y) in lines
        .iter()
        .skip(app.details.pager.position.top as usize)
        .zip(area.y..area.y + area.height)
    {
        let row = area.row(y);
        self::line(
            line,
            app.selected_reference(),
            LineBackground::Plain,
            theme,
            row,
            buffer,
        );
        let search = app.search.get();
        for range in search
            .into_iter()
            .flat_map(|search| search.matches(line.text.as_bytes()))
        {
            let found = theme.search_match(LineBackground::Plain);
            over(line, range, found, row, buffer);
        }
    }
    let used = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .min(area.height);
    let rest = Area {
        y: area.y + used,
        height: area.height - used,
        ..area
    };
    if let Some(right) = of_change.filter(|_| app.line_change().is_some()) {
        let faint = theme.line(LineBackground::Plain, Foreground::Faint);
        for y in right.y..right.y + right.height {
            paint::text(buffer, (right.x, y), 1, "│", faint);
        }
        let right = Area {
            x: right.x + 1,
            width: right.width - 1,
            ..right
        };
        return change(app, theme, (right, true), buffer);
    }
    change(app, theme, (rest, false), buffer);
}

/// Draws the change of the selected line into the rows that the details leave empty: as it was, and
/// as it is.
fn change(app: &App, theme: &Theme, (area, is_beside): (Area, bool), buffer: &mut Buffer) {
    let Some(change) = app.line_change().filter(|_| area.height > 0) else {
        return;
    };
    // A blank row before it, where that costs no row of the change, or few of many.
    let room = usize::from(area.height);
    let costs_none = change.shown(room - 1).len() == change.shown(room).len();
    let has_blank = !is_beside && (costs_none || room > 6);
    let blank = usize::from(has_blank);
    let rows = change.shown(room - blank);
    let replaces_none = change.counts.0 == 0 || change.adds_wordless();
    if rows.is_empty() && change.own.is_some() && replaces_none {
        let facts = app.view().and_then(|view| view.selected());
        let words = match change.counts.1 {
            _ if change.counts.0 > 0 => {
                "the commit added this line, and replaced others".to_owned()
            }
            1 if facts.is_some_and(|facts| facts.commit.id.is_null()) => {
                "the line is new and replaced none".to_owned()
            }
            1 => "the commit added this line and replaced none".to_owned(),
            added if facts.is_some_and(|facts| facts.commit.id.is_null()) => {
                let added = thousands(added);
                format!("{added} lines in this place are new and replaced none")
            }
            added => format!(
                "the commit added {} lines in this place and replaced none",
                thousands(added)
            ),
        };
        let faint = theme.line(LineBackground::Plain, Foreground::Faint);
        let at = (area.x + 1, area.y + u16::from(room > 1 && !is_beside));
        paint::text(buffer, at, area.width.saturating_sub(1), &words, faint);
    }
    let numbers = changed_lines::number_columns(rows.iter().copied());
    for (line, y) in rows.into_iter().zip(area.y + blank as u16..) {
        let other = change.counterpart(line);
        let (x, width) = (area.x + 1, area.width.saturating_sub(1));
        let row = Area {
            x,
            y,
            width,
            height: 1,
        };
        changed_lines::row(line, other, None, numbers, theme, row, buffer);
    }
}

/// Draws a line of the details.
pub(crate) fn line(
    line: &DetailLine,
    selected_reference: Option<usize>,
    background: LineBackground,
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) {
    let style = style(theme, background, line.kind);
    let (at, width) = ((area.x + 1, area.y), area.width.saturating_sub(1));
    paint::text(buffer, at, width, &line.text, style);
    if line.kind == DetailKind::Trailer
        && let Some(colon) = line.text.find(':')
    {
        let value = colon + 1..line.text.len();
        over(
            line,
            value,
            theme.line(background, Foreground::Text),
            area,
            buffer,
        );
    }
    for (range, link) in &line.links {
        let style = match link {
            Link::File(_) => continue,
            Link::Reference(at) if selected_reference == Some(*at) => {
                theme.search_match(background)
            }
            Link::Reference(_) => {
                let style = theme.line(background, Foreground::Mark);
                style.add_modifier(Modifier::UNDERLINED)
            }
        };
        over(line, range.clone(), style, area, buffer);
    }
}

/// Redraws a part of a line in another style.
fn over(line: &DetailLine, range: Range<usize>, style: Style, area: Area, buffer: &mut Buffer) {
    let (Some(before), Some(words)) = (line.text.get(..range.start), line.text.get(range)) else {
        return;
    };
    let skipped = u16::try_from(sanitize::width(before.as_bytes())).unwrap_or(u16::MAX);
    let at = (area.x.saturating_add(1).saturating_add(skipped), area.y);
    let width = (area.x + area.width).saturating_sub(at.0);
    paint::text(buffer, at, width, words, style);
}

/// The style of a kind of line.
fn style(theme: &Theme, background: LineBackground, kind: DetailKind) -> Style {
    match kind {
        DetailKind::Fact => theme.line(background, Foreground::Faint),
        DetailKind::Summary => theme
            .line(background, Foreground::Text)
            .add_modifier(Modifier::BOLD),
        DetailKind::Provenance => theme.line(background, Foreground::Mark),
        DetailKind::Trailer => theme.line(background, Foreground::Faint),
        DetailKind::Body => theme.line(background, Foreground::Text),
    }
}
