//! The gutter: the columns left of the code.

use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::view::{LineAttribution, View},
            display::layout::Area,
            state::App,
        },
        model::{
            attribution::Group,
            gutter::{Column, Gutter},
            relative_dates::{self, DateFormat},
            source::Signature,
        },
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::paint::RowWriter,
    },
};

/// Follows the author of a line that an AI agent wrote.
const AGENT_MARK: &str = " ai";

/// Stands in the column of origins for the author of the line, who has another commit there.
const SAME_AUTHOR: &[u8] = b"same";

/// Width of the column of origins from which there is room for an age beside the name.
const MIN_WIDTH_FOR_AGE: usize = 12;

/// A line to be drawn in the gutter.
pub(super) struct GutterLine<'a> {
    pub(super) view: &'a View,
    /// The columns with their widths.
    pub(super) gutter: &'a Gutter,
    /// The line (0-based).
    pub(super) line: u32,
    /// Row of a wrapped line (0-based).
    pub(super) part: u32,
    /// Its group, if it is attributed.
    pub(super) group: Option<&'a Group>,
    /// True if it is the first visible line of its group.
    pub(super) is_labelled: bool,
    /// True if it belongs to the selected commit.
    pub(super) highlighted: bool,
    /// Its background in the color mode, whatever it has here.
    pub(super) color: LineBackground,
    pub(super) background: LineBackground,
}

/// Draws the gutter of one line.
pub(super) fn line(
    app: &App,
    theme: &Theme,
    shown: &GutterLine<'_>,
    area: Area,
    buffer: &mut Buffer,
) {
    let mut row = RowWriter::new(buffer, area);
    let facts = shown
        .group
        .and_then(|_| shown.view.attribution_of(shown.line));
    // A group that starts above the screen is labelled again in a fainter style, if there is one.
    let begins = shown
        .group
        .is_some_and(|group| group.begins_at(shown.line, shown.part));
    let tint = text_tint(theme, shown);
    let of_group = |foreground| match tint {
        Some(tint) => tint,
        None if begins || theme.needs_marks() => foreground,
        None => Foreground::Faint,
    };
    let name = of_group(Foreground::Text);
    for &(column, width) in shown.gutter.columns_before_mark() {
        let (text, foreground) = match (column, &facts) {
            (Column::Line | Column::OriginalLine, _) if shown.part > 0 => (String::new(), name),
            (Column::Line, _) => (number(shown.line, width), number_foreground(shown)),
            (Column::OriginalLine, Some(facts)) => {
                let entry = facts.entry;
                let line = shown.line - entry.lines.start + entry.source_start;
                (number(line, width), Foreground::Faint)
            }
            (Column::Id, None) if shown.view.is_running() => {
                // Placeholder of a pending line.
                ("·".repeat(usize::from(width.min(8))), Foreground::Faint)
            }
            (Column::Date, Some(facts)) if shown.is_labelled => {
                let date = date(app, facts, width);
                let width = usize::from(width);
                (format!("{date:>width$}"), of_group(Foreground::Date))
            }
            (Column::Origin, Some(_)) if shown.part == 0 => {
                (origin(app, shown, width), Foreground::Faint)
            }
            (Column::Agent, Some(_)) if shown.part == 0 => (agent(app, shown, width), name),
            (Column::Origin | Column::Agent, _) => (String::new(), name),
            (_, Some(facts)) if shown.is_labelled => {
                let foreground = of_group(match column {
                    Column::Author => Foreground::Author,
                    Column::Summary => Foreground::Faint,
                    Column::Id => Foreground::Id,
                    _ => Foreground::Text,
                });
                (column_text(app, shown, facts, column, width), foreground)
            }
            _ => (String::new(), name),
        };
        let age = date_tint(shown, column);
        let style = theme.line(shown.background, age.unwrap_or(foreground));
        let labelled = facts.as_ref().filter(|_| shown.is_labelled);
        let found = labelled.map(|facts| matches(app, facts, column, &text));
        let mut end = 0;
        for range in found.unwrap_or_default() {
            if let (Some(before), Some(found)) =
                (text.get(end..range.start), text.get(range.clone()))
            {
                row.put(before, style);
                row.put(found, theme.search_match(shown.background));
                end = range.end;
            }
        }
        row.put(&text[end..], style);
        row.put(&padding(&text, width), style);
    }
    change_bar(app, theme, shown, &mut row);
    let faint = theme.line(shown.background, Foreground::Faint);
    let separator = separator(theme.needs_marks(), shown.group);
    if let Some(width) = shown.gutter.line_number_width() {
        let style = theme.line(shown.background, number_foreground(shown));
        match shown.part {
            0 => row.put(&number(shown.line, width), style),
            _ => row.put(&pad("", width.saturating_sub(1)), style),
        }
        row.put(separator, faint);
    } else if shown.gutter.has_separator() {
        row.put(separator.trim_start(), faint);
    }
}

/// The color of the text of the columns, where colors of text show what backgrounds cannot.
fn text_tint(theme: &Theme, shown: &GutterLine<'_>) -> Option<Foreground> {
    shown.group.filter(|_| theme.tints_text())?;
    if shown.highlighted {
        return Some(Foreground::Mark);
    }
    match shown.color {
        LineBackground::Hue(hue, _) => Some(Foreground::Hue(hue)),
        LineBackground::Age(step, _) => Some(Foreground::Age(step)),
        // The colors of the columns are hues too, and would say that something is known.
        LineBackground::Plain => Some(Foreground::Text),
        _ => None,
    }
}

/// The color of a date when lines are colored by age, in the selected commit too.
fn date_tint(shown: &GutterLine<'_>, column: Column) -> Option<Foreground> {
    match shown.color {
        LineBackground::Age(step, _) if column == Column::Date => Some(Foreground::Age(step)),
        _ => None,
    }
}

/// The matches of the search in the text of a column. The sign for what is cut off stands for those in
/// it.
fn matches(
    app: &App,
    facts: &LineAttribution<'_>,
    column: Column,
    text: &str,
) -> Vec<Range<usize>> {
    let Some(search) = app.search.get() else {
        return Vec::new();
    };
    let metadata = facts.commit.metadata.as_ref();
    let (is_found, mut found) = match column {
        Column::Id => {
            let id = search.pattern().to_ascii_lowercase();
            let at = text.find(&id).map(|at| at..at + id.len());
            let is_found = search.matches_id(&facts.commit.id);
            (is_found, at.into_iter().collect())
        }
        Column::Author | Column::Email => {
            let is_found = metadata.is_ok_and(|metadata| search.matches_author(metadata));
            (is_found, search.matches(text.as_bytes()))
        }
        Column::Summary => {
            let is_found = metadata.is_ok_and(|metadata| search.matches_summary(metadata));
            (is_found, search.matches(text.as_bytes()))
        }
        _ => (false, Vec::new()),
    };
    if is_found && found.is_empty() {
        match text.find('…') {
            Some(at) => found.push(at..at + '…'.len_utf8()),
            // Of an id, the end is not shown.
            None if column == Column::Id => found.push(0..text.len()),
            None => {}
        }
    }
    found.retain(|_| is_found);
    found
}

fn number_foreground(shown: &GutterLine<'_>) -> Foreground {
    match shown.background {
        LineBackground::SelectedLine => Foreground::Text,
        _ => Foreground::Faint,
    }
}

/// The 1-based number of a 0-based line.
fn number(line: u32, width: u16) -> String {
    let width = usize::from(width);
    let number = format!("{:>width$}", u64::from(line) + 1);
    sanitize::clip(number.as_bytes(), width)
}

/// The text of a column.
fn column_text(
    app: &App,
    shown: &GutterLine<'_>,
    facts: &LineAttribution<'_>,
    column: Column,
    columns: u16,
) -> String {
    let width = usize::from(columns);
    let commit = facts.commit.metadata.as_ref().ok();
    let author = commit.map(|commit| &commit.author);
    let agent = app.agent_of_line(shown.view, shown.line);
    match column {
        Column::Id => id(facts, columns),
        Column::Author => {
            let name = author.map(|author| author.name.as_slice());
            let name = name.unwrap_or_default();
            let others = commit.map_or(0, |commit| {
                let people = commit.people();
                let agents = agent.map_or(0, |_| people.count_agents());
                people.count_co_authors().saturating_sub(agents)
            });
            let mut marks = match others {
                0 => String::new(),
                others => format!(" +{others}"),
            };
            if agent.is_some() {
                marks.push_str(AGENT_MARK);
            }
            let room = width.saturating_sub(marks.len());
            sanitize::clip(name, room) + &marks[..marks.len().min(width)]
        }
        Column::Email => {
            let mail = author.map(|author| author.mail.as_slice());
            sanitize::clip(mail.unwrap_or_default(), width)
        }
        Column::Summary => {
            let summary = commit.map(|commit| commit.summary());
            sanitize::clip(&summary.unwrap_or_default(), width)
        }
        Column::Path if facts.origin.path != shown.view.path => {
            sanitize::clip_left(&sanitize::line(&facts.origin.path), width)
        }
        Column::Release => match app.provenance.release(&facts.commit.id) {
            Some(name) => sanitize::clip(name, width),
            None if app.provenance.is_unreleased(&facts.commit.id) => "-".to_owned(),
            None => String::new(),
        },
        Column::Request => {
            let arrival = app.provenance.arrival(&facts.commit.id).unwrap_or_default();
            let merge = || {
                arrival
                    .merge
                    .map(|id| id.to_hex_with_len(width).to_string())
            };
            let number = arrival.request.map(|number| number.to_string());
            let text = number.or_else(merge).unwrap_or_default();
            sanitize::clip(text.as_bytes(), width)
        }
        Column::Change => {
            let change = commit.and_then(|commit| commit.change_id.as_ref());
            let change = change.map(|id| sanitize::line(id)).unwrap_or_default();
            change.chars().take(width).collect()
        }
        Column::Path
        | Column::Date
        | Column::OriginalLine
        | Column::Origin
        | Column::Agent
        | Column::Line => String::new(),
    }
}

/// The name of an agent, in the first line of a run that it wrote.
fn agent(app: &App, shown: &GutterLine<'_>, width: u16) -> String {
    let of_line = |line: u32| app.agent_of_line(shown.view, line);
    let Some(agent) = of_line(shown.line) else {
        return String::new();
    };
    let before = shown.line.checked_sub(1).and_then(of_line);
    if !shown.is_labelled && before == Some(agent) {
        return String::new();
    }
    sanitize::clip(agent.name().as_bytes(), usize::from(width))
}

/// Who is named by the answer that does not count, in the first line of a run where it differs.
fn origin(app: &App, shown: &GutterLine<'_>, width: u16) -> String {
    let Some(second) = app.second_answer() else {
        return String::new();
    };
    let other = |line: u32| second.other(shown.view, line);
    let Some(facts) = other(shown.line) else {
        return String::new();
    };
    let id = Some(facts.commit.id);
    let before = shown.line.checked_sub(1).and_then(other);
    if !shown.is_labelled && before.map(|facts| facts.commit.id) == id {
        return String::new();
    }
    let Ok(metadata) = &facts.commit.metadata else {
        return String::new();
    };
    let (author, width) = (&metadata.author, usize::from(width));
    let counted = shown.view.attribution_of(shown.line);
    let counted = counted.and_then(|facts| facts.commit.metadata.as_ref().ok());
    let is_same = counted.is_some_and(|counted| counted.author.name == author.name);
    let name = if is_same { SAME_AUTHOR } else { &author.name };
    let age = format!(" {}", relative_dates::short_age(app.now, author.time));
    let fits = width >= MIN_WIDTH_FOR_AGE || name.len() + age.len() <= width;
    let age = if fits { &age } else { "" };
    let room = width.saturating_sub(age.len());
    let name = sanitize::clip(name, room);
    let blanks = room.saturating_sub(sanitize::width(name.as_bytes()));
    name + &" ".repeat(blanks) + age
}

fn date(app: &App, facts: &LineAttribution<'_>, width: u16) -> String {
    let width = usize::from(width);
    let Ok(metadata) = &facts.commit.metadata else {
        return String::new();
    };
    if facts.commit.id.is_null() {
        return "now".to_owned();
    }
    sanitize::clip(shown_date(app, &metadata.author, width).as_bytes(), width)
}

/// The date of a commit's author in the chosen format, mostly within `width` columns.
pub(crate) fn shown_date(app: &App, author: &Signature, width: usize) -> String {
    match app.display.columns.date {
        DateFormat::Relative if width >= 10 => relative_dates::age(app.now, author.time),
        DateFormat::Relative | DateFormat::Age => relative_dates::short_age(app.now, author.time),
        DateFormat::Short | DateFormat::Iso => {
            relative_dates::within(width, author.time, author.offset)
        }
    }
}

/// The abbreviated id with git's prefixes: `^` boundary, `*` unblamable, `?` ignored.
fn id(facts: &LineAttribution<'_>, width: u16) -> String {
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

/// Draws the mark of the selected line (`►`), of lines of the selected commit (`▌`) and of lines
/// that a toggled option attributed to another commit (`◇`).
fn change_bar(app: &App, theme: &Theme, shown: &GutterLine<'_>, row: &mut RowWriter<'_>) {
    let is_selected = shown.line == shown.view.pager.position.line;
    let mark = match (shown.highlighted, app.is_changed(shown.line)) {
        (true, true) => "◆",
        (false, true) => "◇",
        _ if is_selected && shown.part == 0 => "►",
        (true, false) => "▌",
        (false, false) => " ",
    };
    row.put(mark, theme.line(shown.background, Foreground::Mark));
}

/// The separator before the code. It shows the shade where backgrounds cannot.
fn separator(marks: bool, group: Option<&Group>) -> &'static str {
    match group {
        Some(group) if marks => [" │ ", " ┃ ", " ┊ "][group.shade.index()],
        None if marks => "   ",
        _ => " │ ",
    }
}

fn pad(text: &str, width: u16) -> String {
    text.to_owned() + &padding(text, width)
}

/// The blanks after a text in a column, and one before the next column.
fn padding(text: &str, width: u16) -> String {
    let used = sanitize::width(text.as_bytes());
    " ".repeat((usize::from(width) + 1).saturating_sub(used))
}
