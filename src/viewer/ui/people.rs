//! The list of people: lines, share, first and last date, and the years in which the lines were written.

use bstr::{BString, ByteVec};
use ratatui::{buffer::Buffer, style::Modifier};

use crate::{
    dates::moment::Moment,
    output::people::year_bars::YearBars,
    repository::commits::people::{self, Person},
    sanitize,
    viewer::{
        app::{display::layout::Area, people::people_page::PeoplePage, state::App},
        model::relative_dates,
        theme::styles::Theme,
        ui::paint::{self, RowWriter},
    },
};

/// Widths of the columns after the name, without the blank before each: lines, share, first and last month.
const COLUMNS: [usize; 4] = [7, 5, 7, 7];
/// Least width of a name.
const MIN_NAME: usize = 12;

/// Draws the list over `area`.
pub(super) fn page(app: &App, page: &PeoplePage, theme: &Theme, area: Area, buffer: &mut Buffer) {
    paint::fill(buffer, area, theme.bar());
    if area.height == 0 {
        return;
    }
    let width = usize::from(area.width);
    let fixed: usize = COLUMNS.iter().map(|width| width + 1).sum();
    let room = width.saturating_sub(fixed + MIN_NAME + 3);
    let years = YearBars::new(&page.people, room);
    let bars = years.count();
    let name_width = width.saturating_sub(fixed + bars + 3).max(1);
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
    row.put(&(cells(heads) + &years.title()), theme.bar_emphasis());
    let seen = usize::from(area.height - 1);
    let top = (page.row + 1).saturating_sub(seen);
    for (number, y) in (top..page.row_count()).take(seen).zip(1..) {
        let style = match number == page.row {
            true => theme.bar_emphasis().add_modifier(Modifier::REVERSED),
            false => theme.bar(),
        };
        let person = number.checked_sub(1).and_then(|at| page.people.get(at));
        let text = match person {
            None => format!(" {}", pad("everybody", name_width)),
            Some(person) => {
                let month = |date: Moment| relative_dates::within(7, date.time, date.offset);
                let texts = [
                    sanitize::clip(&label(person, &page.people), name_width),
                    person.lines.to_string(),
                    people::share(person.lines.into(), page.of.1.into()),
                    month(person.dates.0),
                    month(person.dates.1),
                ];
                cells(texts) + &years.of(person)
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

/// The name of a person, and the address as well if others have the same name.
fn label(person: &Person, people: &[Person]) -> BString {
    let mut label = BString::from(person.shown_name());
    let namesakes = people.iter().filter(|other| other.name == person.name);
    if namesakes.count() > 1 && !person.mail.is_empty() {
        label.push_str(" <");
        label.push_str(&person.mail);
        label.push(b'>');
    }
    label
}

fn pad(text: &str, width: usize) -> String {
    let used = sanitize::width(text.as_bytes());
    text.to_owned() + &" ".repeat(width.saturating_sub(used))
}
