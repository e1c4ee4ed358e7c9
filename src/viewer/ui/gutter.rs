//! The columns left of the code: commit, author, date, line number.

use ratatui::buffer::Buffer;

use super::paint::Row;
use crate::{
    sanitize,
    viewer::{
        app::{
            App, Colouring,
            attribution::Group,
            layout::{Area, Gutter},
            view::{LineFacts, View},
        },
        dates,
        theme::{Ground, Ink, Theme},
    },
};

/// What the gutter shows of one line.
pub(super) struct GutterLine<'a> {
    pub(super) view: &'a View,
    /// The line (0-based).
    pub(super) line: u32,
    /// Its group, once it is attributed.
    pub(super) group: Option<&'a Group>,
    /// It is the first line of its group on the screen.
    pub(super) first: bool,
    /// It belongs to the selected commit.
    pub(super) lit: bool,
    pub(super) ground: Ground,
}

/// Draws the gutter of one line.
pub(super) fn line(
    app: &App,
    theme: &Theme,
    shown: &GutterLine<'_>,
    area: Area,
    buffer: &mut Buffer,
) {
    let widths = app.gutter();
    let mut row = Row::new(buffer, area);
    match shown.group {
        Some(_) if shown.first => {
            if let Some(facts) = shown.view.facts(shown.line) {
                commit(app, theme, shown, &facts, widths, &mut row);
            }
        }
        Some(_) => blank(widths, &mut row),
        None => pending(theme, shown, widths, &mut row),
    }
    mark(app, theme, shown, &mut row);
    let tinted = app.colour_mode != Colouring::Shades;
    let marks = theme.needs_marks() || tinted && theme.repeats_tints();
    if widths.number > 0 {
        let number = shown.line + 1;
        let width = usize::from(widths.number);
        let ink = if shown.ground == Ground::Cursor {
            Ink::Text
        } else {
            Ink::Faint
        };
        row.put(&format!("{number:>width$}"), theme.line(shown.ground, ink));
        row.put(
            separator(marks, shown.group),
            theme.line(shown.ground, Ink::Faint),
        );
    }
}

fn commit(
    app: &App,
    theme: &Theme,
    shown: &GutterLine<'_>,
    facts: &LineFacts<'_>,
    widths: Gutter,
    row: &mut Row<'_>,
) {
    // A group that begins above the screen is named again, more quietly.
    let begins = shown
        .group
        .is_some_and(|group| group.lines.start == shown.line);
    let ink = if begins { Ink::Text } else { Ink::Faint };
    let style = theme.line(shown.ground, ink);
    let faint = theme.line(shown.ground, Ink::Faint);
    let search = app.search.as_ref();
    let found = |found: bool| if found { theme.found() } else { style };
    if widths.id > 0 {
        let style = found(search.is_some_and(|search| search.finds_id(&facts.commit.id)));
        row.put(&pad(&id(facts, widths.id), widths.id), style);
    }
    let words = facts.commit.words.as_ref().ok();
    if widths.author > 0 {
        let name = words
            .map(|words| words.author.name.as_slice())
            .unwrap_or_default();
        let name = sanitize::clip(name, usize::from(widths.author));
        let author = search.zip(words);
        let style = found(author.is_some_and(|(search, words)| search.finds_author(words)));
        row.put(&pad(&name, widths.author), style);
    }
    if widths.date > 0 {
        let age = |time| match widths.date {
            ..9 => dates::short_age(app.now, time),
            _ => dates::age(app.now, time),
        };
        let date = match words {
            Some(_) if facts.commit.id.is_null() => "now".to_owned(),
            Some(words) => age(words.author.time),
            None => String::new(),
        };
        let date = sanitize::clip(date.as_bytes(), usize::from(widths.date));
        let width = usize::from(widths.date);
        row.put(&format!("{date:>width$} "), faint);
    }
}

/// The id with git's marks before it: `^` boundary, `*` unblamable, `?` ignored.
fn id(facts: &LineFacts<'_>, width: u16) -> String {
    let width = usize::from(width);
    if facts.commit.id.is_null() {
        return "·".repeat(width.min(8));
    }
    let mut text = String::new();
    let marks = [
        (facts.origin.boundary, '^'),
        (facts.entry.unblamable, '*'),
        (facts.entry.ignored, '?'),
    ];
    text.extend(marks.iter().filter(|(set, _)| *set).map(|(_, mark)| mark));
    let hex = facts
        .commit
        .id
        .to_hex_with_len(width.saturating_sub(text.len()));
    text + &hex.to_string()
}

fn blank(widths: Gutter, row: &mut Row<'_>) {
    for width in [widths.id, widths.author, widths.date] {
        if width > 0 {
            row.skip(width + 1);
        }
    }
}

/// A line whose commit is still being looked for is visibly pending.
fn pending(theme: &Theme, shown: &GutterLine<'_>, widths: Gutter, row: &mut Row<'_>) {
    if widths.id > 0 && shown.view.is_running() {
        let dots = "·".repeat(usize::from(widths.id));
        row.put(&(dots + " "), theme.line(shown.ground, Ink::Faint));
    } else if widths.id > 0 {
        row.skip(widths.id + 1);
    }
    for width in [widths.author, widths.date] {
        if width > 0 {
            row.skip(width + 1);
        }
    }
}

/// The selected commit's lines are marked, and those that a switch gave to another commit.
fn mark(app: &App, theme: &Theme, shown: &GutterLine<'_>, row: &mut Row<'_>) {
    let mark = match (shown.lit, app.is_changed(shown.line)) {
        (true, true) => "◆",
        (false, true) => "◇",
        (true, false) => "▌",
        (false, false) => " ",
    };
    row.put(mark, theme.line(shown.ground, Ink::Mark));
}

/// The line before the code. Where backgrounds cannot show the shades, it does.
fn separator(marks: bool, group: Option<&Group>) -> &'static str {
    match group {
        Some(group) if marks => [" │ ", " ┃ ", " ┊ "][group.shade.index()],
        None if marks => "   ",
        _ => " │ ",
    }
}

fn pad(text: &str, width: u16) -> String {
    let used = sanitize::width(text.as_bytes());
    let missing = (usize::from(width) + 1).saturating_sub(used);
    text.to_owned() + &" ".repeat(missing)
}
