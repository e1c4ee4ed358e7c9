//! Drawing lists.

use ratatui::{
    buffer::Buffer,
    style::{Modifier, Style},
};

use crate::{
    sanitize,
    viewer::{
        app::display::layout::Area,
        model::attribution::Shade,
        pages::{
            list::{ItemList, ListRow, ListShape, Tone},
            page::Page,
        },
        theme::{
            roles::{DiffPart, Foreground, LineBackground},
            styles::Theme,
        },
        ui::paint::{self, RowWriter},
    },
};

/// The styles of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListPainter<'a> {
    theme: &'a Theme,
    /// It lies over something else, from which its background sets it apart.
    is_above: bool,
    /// Keys act on its selected row, unless a page above it answers them.
    shows_selection: bool,
}

impl<'a> ListPainter<'a> {
    pub(crate) fn new(theme: &'a Theme, is_above: bool, shows_selection: bool) -> Self {
        ListPainter {
            theme,
            is_above,
            shows_selection,
        }
    }

    fn style(self, is_selected: bool, tone: Tone) -> Style {
        let theme = self.theme;
        if self.is_above {
            return match (is_selected, tone) {
                (true, _) => theme.bar_emphasis().add_modifier(Modifier::REVERSED),
                (false, Tone::Strong(_)) => theme.bar_emphasis(),
                (false, _) => theme.bar(),
            };
        }
        let background = background(is_selected);
        let [_, shade, _] = Shade::all();
        match tone {
            // Some of these cannot be read on the background, which is for all or none.
            Tone::Text(Foreground::Age(_)) if is_selected && theme.tints_text() => {
                theme.line(background, Foreground::Text)
            }
            Tone::Text(foreground) => theme.line(background, foreground),
            Tone::Dim => theme.dimmed(background),
            Tone::Strong(foreground) => {
                let style = theme.line(background, foreground);
                style.add_modifier(Modifier::BOLD)
            }
            Tone::Age(_) | Tone::Hue(_) if is_selected => theme.line(background, Foreground::Text),
            Tone::Age(step) if theme.tints_text() => theme.line(background, Foreground::Age(step)),
            Tone::Hue(hue) if theme.tints_text() => theme.line(background, Foreground::Hue(hue)),
            Tone::Age(step) => theme.line(LineBackground::Age(step, shade), Foreground::Text),
            Tone::Hue(hue) => theme.line(LineBackground::Hue(hue, shade), Foreground::Text),
            Tone::Words(_) if is_selected => {
                theme.emphasized(theme.line(background, Foreground::Text))
            }
            Tone::Words(side) => {
                let background = LineBackground::Diff(side, DiffPart::Words);
                theme.line(background, Foreground::Text)
            }
        }
    }

    /// Draws the list of a page, if it has one.
    pub(crate) fn draw<Cx>(self, page: &dyn Page<Cx>, cx: &Cx, buffer: &mut Buffer) {
        let Some(list) = page.list() else { return };
        let shape = list.shape;
        let text = self.style(false, Tone::Text(Foreground::Text));
        paint::fill(buffer, shape.outer, text);
        let has_title = shape.area.y > shape.outer.y;
        if let Some(title) = page.title(cx).filter(|_| has_title) {
            let style = self.style(false, Tone::Strong(Foreground::Text));
            RowWriter::new(buffer, line(shape.outer, shape.area.x, 0)).put(&title, style);
        }
        if shape.area.x > shape.outer.x && self.theme.needs_marks() {
            for y in 0..shape.outer.height {
                RowWriter::new(buffer, line(shape.outer, shape.outer.x, y)).put("│", text);
            }
        }
        let width = shape.row_width();
        let (mut y, mut next) = (0, list.top);
        for at in list.top..shape.count {
            let rows = page.rows(at, width.into(), cx);
            let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
            // Of the first one, as many rows as there is room for.
            if shape.area.height - y < height && at > list.top {
                break;
            }
            let room = shape.area.height - y;
            for (row, number) in rows.iter().zip(0..room) {
                let area = Area {
                    width,
                    ..line(shape.area, shape.area.x, y)
                };
                let is_selected = self.shows_selection && at == list.selected;
                self.row(list, row, (is_selected, number), area, buffer);
                y += 1;
            }
            next = at + 1;
        }
        if next >= shape.count && y < shape.area.height {
            let faint = self.style(false, Tone::Text(Foreground::Faint));
            let area = line(shape.area, shape.area.x + 1.min(shape.area.width), y);
            RowWriter::new(buffer, area).put(&page.ending(cx), faint);
        }
        if shape.has_scrollbar() {
            self.scrollbar(list.top, shape, buffer);
        }
    }

    fn row(
        self,
        list: &ItemList,
        row: &ListRow,
        (is_selected, number): (bool, u16),
        area: Area,
        buffer: &mut Buffer,
    ) {
        let style = |tone| self.style(is_selected, tone);
        paint::fill(buffer, area, style(Tone::Text(Foreground::Text)));
        let mut writer = RowWriter::new(buffer, area);
        let mark = if is_selected && number == 0 {
            ">"
        } else {
            row.mark
        };
        let of_marks = style(Tone::Text(Foreground::Mark));
        writer.put(mark, of_marks);
        writer.put(row.lead, of_marks);
        let first = area.x + 1 + u16::try_from(row.lead.len()).unwrap_or(0);
        let faint = style(Tone::Text(Foreground::Faint));
        writer.put_right(&row.right, faint);
        let room = usize::from(writer.remaining());
        for (text, tone) in &row.pieces {
            writer.put(text, style(*tone));
        }
        let text = row.searched();
        // Where the row is cut, the sign for that stays, and stands for what it hides.
        let (end, sign) = match sanitize::clip(text.as_bytes(), room) {
            whole if whole == text => (whole.len(), None),
            cut => {
                let end = cut.len().saturating_sub('…'.len_utf8());
                (end, cut.get(end..).map(str::to_owned))
            }
        };
        let found = list
            .search
            .as_ref()
            .map(|search| search.matches(text.as_bytes()));
        for range in found.unwrap_or_default() {
            let is_hidden = range.start >= end;
            let range = range.start.min(end)..range.end.min(end);
            let shown = match &sign {
                Some(sign) if is_hidden => Some(sign.as_str()),
                _ => text.get(range.clone()),
            };
            let (Some(before), Some(found)) = (text.get(..range.start), shown) else {
                continue;
            };
            let skipped = sanitize::width(before.as_bytes());
            let left = u16::try_from(room.saturating_sub(skipped)).unwrap_or(0);
            let x = first + u16::try_from(skipped).unwrap_or(u16::MAX).min(area.width);
            let style = self.theme.search_match(background(is_selected));
            paint::text(buffer, (x, area.y), left, found, style);
        }
    }

    /// Draws the scrollbar with its thumb, which stands for the items in the window.
    fn scrollbar(self, top: usize, shape: ListShape, buffer: &mut Buffer) {
        let area = shape.area;
        let (rows, window) = (usize::from(area.height), shape.window());
        let len = (window * rows / shape.count).clamp(1, rows.saturating_sub(1).max(1));
        let hidden = shape.count.saturating_sub(window).max(1);
        let first = top.min(hidden) * (rows - len) / hidden;
        let [thumb, ..] = self.theme.scrollbar();
        let mark = match (self.is_above, self.theme.needs_marks()) {
            (true, false) => self.theme.bar_tint(Foreground::Faint),
            (true, true) => self.theme.bar_emphasis(),
            (false, _) => thumb,
        };
        let track = self.style(false, Tone::Dim);
        for y in 0..area.height {
            let (symbol, style) = if (first..first + len).contains(&usize::from(y)) {
                ("█", mark)
            } else {
                ("│", track)
            };
            RowWriter::new(buffer, line(area, area.x + area.width - 1, y)).put(symbol, style);
        }
    }
}

fn background(is_selected: bool) -> LineBackground {
    if is_selected {
        LineBackground::SelectedLine
    } else {
        LineBackground::Plain
    }
}

/// A row of an area, from a column of the screen on.
fn line(area: Area, x: u16, y: u16) -> Area {
    Area {
        x,
        y: area.y + y,
        width: (area.x + area.width).saturating_sub(x),
        height: 1,
    }
}
