//! The list of people: lines, share, first and last date, and the years in which the lines were written.

use ratatui::{buffer::Buffer, style::Modifier};

use crate::{
    sanitize,
    viewer::{
        app::{display::layout::Area, people::people_page::PeoplePage, state::App},
        model::{people::Person, relative_dates},
        theme::styles::Theme,
        ui::paint::{self, RowWriter},
    },
};

/// Widths of the columns after the name, without the blank before each: lines, share, first and last month.
const COLUMNS: [usize; 4] = [7, 5, 7, 7];
/// Least width of a name.
const MIN_NAME: usize = 12;
/// Most columns of the years.
const MAX_YEARS: usize = 30;
/// Bars from nothing to most.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the list over `area`.
pub(super) fn page(app: &App, page: &PeoplePage, theme: &Theme, area: Area, buffer: &mut Buffer) {
    paint::fill(buffer, area, theme.bar());
    if area.height == 0 {
        return;
    }
    let width = usize::from(area.width);
    let fixed: usize = COLUMNS.iter().map(|width| width + 1).sum();
    let years = page.people.iter().flat_map(|person| person.years.keys());
    let range = years.fold(None, |range: Option<(i32, i32)>, &year| {
        let (first, last) = range.unwrap_or((year, year));
        Some((first.min(year), last.max(year)))
    });
    let (first, last) = range.unwrap_or((0, 0));
    let count = last.abs_diff(first) as usize + 1;
    let room = width.saturating_sub(fixed + MIN_NAME + 3).min(MAX_YEARS);
    // Several years share a bar where there is not enough room.
    let per_bar = count.div_ceil(room.max(1)).max(1);
    let bars = match room {
        0 => 0,
        _ => count.div_ceil(per_bar),
    };
    let name_width = width.saturating_sub(fixed + bars + 3).max(1);
    let title = match (range, bars) {
        (Some(_), 9..) => format!("{first:<0$}{last}", bars - 4),
        (Some(_), 4..) => first.to_string(),
        _ => String::new(),
    };
    let cells = |texts: [String; 5]| {
        let [name, lines, share, from, to] = texts;
        let name = pad(&name, name_width);
        let [a, b, c, d] = COLUMNS;
        format!(" {name} {lines:>a$} {share:>b$} {from:>c$} {to:>d$} ")
    };
    let heads = ["People", "lines", "share", "first", "last"].map(str::to_owned);
    let line = |y: u16| Area {
        y: area.y + y,
        height: 1,
        ..area
    };
    let mut row = RowWriter::new(buffer, line(0));
    row.put(&(cells(heads) + &title), theme.bar_emphasis());
    let seen = usize::from(area.height - 1);
    let top = (page.row + 1).saturating_sub(seen);
    let total = u64::from(page.of.1).max(1);
    for (number, y) in (top..page.row_count()).take(seen).zip(1..) {
        let style = match number == page.row {
            true => theme.bar_emphasis().add_modifier(Modifier::REVERSED),
            false => theme.bar(),
        };
        let person = number.checked_sub(1).and_then(|at| page.people.get(at));
        let text = match person {
            None => format!(" {}", pad("everybody", name_width)),
            Some(person) => {
                let month = |time: i64| relative_dates::within(7, time, 0);
                let texts = [
                    sanitize::clip(&person.name, name_width),
                    person.lines.to_string(),
                    format!("{}%", u64::from(person.lines) * 100 / total),
                    month(person.dates.0),
                    month(person.dates.1),
                ];
                cells(texts) + &history(person, first, per_bar, bars)
            }
        };
        paint::fill(buffer, line(y), style);
        let mut row = RowWriter::new(buffer, line(y));
        row.put(&text, style);
        let chosen = app.display.filter.person.as_ref().map(|(key, _)| key);
        if person.is_some_and(|person| Some(&person.key) == chosen) {
            row.put_right("✓ ", style);
        }
    }
}

/// The bars of a person's lines, relative to the highest bar.
fn history(person: &Person, first: i32, per_bar: usize, bars: usize) -> String {
    let mut counts = vec![0u64; bars];
    for (&year, &lines) in &person.years {
        let at = year.abs_diff(first) as usize / per_bar;
        if let Some(count) = counts.get_mut(at) {
            *count += u64::from(lines);
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let steps = BARS.len() as u64 - 1;
    let bar = |count: u64| BARS[(count * steps).div_ceil(most) as usize];
    counts.into_iter().map(bar).collect()
}

fn pad(text: &str, width: usize) -> String {
    let used = sanitize::width(text.as_bytes());
    text.to_owned() + &" ".repeat(width.saturating_sub(used))
}
