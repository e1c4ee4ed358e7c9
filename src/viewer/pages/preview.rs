//! What the pages with histories show of the selected commit, below their lists or beside them.

use ratatui::buffer::Buffer;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::search::Search,
            commit::detail_line::DetailLine,
            display::layout::{Area, WIDE},
            state::App,
        },
        model::{background::line_history::ChangedLine, source::CommitMetadata},
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::{changed_lines, details, paint},
    },
};

/// Fewest rows of a message that is cut in which its blank rows are kept.
const MIN_ROWS_FOR_BLANKS: usize = 6;

/// The parts of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PreviewLayout {
    /// The list.
    pub(crate) list: Area,
    /// The title of the change.
    pub(crate) title: Area,
    /// The change, and what there is to say of the commit.
    pub(crate) change: Area,
}

impl PreviewLayout {
    /// Divides the body of the screen: beside each other where it is wide, else one above the
    /// other. `items` is the number of items of the list once that is complete; it takes no more
    /// rows than it needs.
    pub(crate) fn new(body: Area, item_rows: u16, items: Option<usize>) -> PreviewLayout {
        if body.width >= WIDE {
            let width = body.width * 9 / 20;
            let right = Area {
                x: body.x + width + 1,
                width: body.width - width - 1,
                ..body
            };
            let title = u16::from(body.height > 0);
            return PreviewLayout {
                list: Area { width, ..body },
                title: Area {
                    height: title,
                    ..right
                },
                change: Area {
                    y: right.y + title,
                    height: right.height - title,
                    ..right
                },
            };
        }
        let most = match body.height {
            0..6 => body.height,
            height => (height / 2).next_multiple_of(item_rows).min(height - 3),
        };
        // The row below the last item is the end of the list.
        let needed = items.and_then(|items| u16::try_from(items).ok());
        let needed = needed.map(|items| items.saturating_mul(item_rows).saturating_add(1));
        let list = if body.height < 6 {
            most
        } else {
            most.min(needed.unwrap_or(u16::MAX))
        };
        let title = u16::from(body.height > list);
        PreviewLayout {
            list: Area {
                height: list,
                ..body
            },
            title: Area {
                y: body.y + list,
                height: title,
                ..body
            },
            change: Area {
                y: body.y + list + title,
                height: body.height - list - title,
                ..body
            },
        }
    }

    /// Draws the line between the list and the change where they are beside each other.
    pub(crate) fn divider(&self, theme: &Theme, buffer: &mut Buffer) {
        if self.title.x > 0 {
            let faint = theme.line(LineBackground::Plain, Foreground::Faint);
            for y in self.list.y..self.list.y + self.list.height {
                paint::text(buffer, (self.title.x - 1, y), 1, "│", faint);
            }
        }
    }
}

/// Draws rows of a change with the matches of a search. Returns what is left of the area.
pub(crate) fn changed_rows(
    rows: &[ChangedLine],
    search: Option<&Search>,
    skipped: usize,
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) -> Area {
    let numbers = changed_lines::number_columns(rows);
    let shown = rows.iter().skip(skipped);
    let mut y = area.y;
    for line in shown.take(area.height.into()) {
        // The margin of all texts.
        let row = Area {
            x: area.x + 1.min(area.width),
            y,
            width: area.width.saturating_sub(1),
            height: 1,
        };
        let counterpart = line.counterpart.and_then(|at| rows.get(at as usize));
        changed_lines::row(line, counterpart, search, numbers, theme, row, buffer);
        y += 1;
    }
    Area {
        y,
        height: area.y + area.height - y,
        ..area
    }
}

/// Draws a commit's message, with what brought it below its subject. Returns what is left of the
/// area.
pub(crate) fn message(
    app: &App,
    (id, commit): (&ObjectId, &CommitMetadata),
    theme: &Theme,
    area: Area,
    buffer: &mut Buffer,
) -> Area {
    let id = Some(id).filter(|id| !id.is_null());
    let width = usize::from(area.width).saturating_sub(2);
    let mut lines: Vec<DetailLine> = app.message_lines(id, commit, false, width);
    let room = usize::from(area.height);
    if lines.len() > room && room < MIN_ROWS_FOR_BLANKS {
        // What is said has more use than blank rows.
        lines.retain(|line| !line.text.is_empty());
    }
    if lines.len() > room && room > 1 {
        // The row that says how many are hidden takes the place of one of them.
        let hidden = lines.len() + 1 - room;
        lines.truncate(room - 1);
        let line = if hidden == 1 { "line" } else { "lines" };
        lines.push(DetailLine::fact(&format!("… {hidden} more {line}"), width));
    }
    let mut y = area.y;
    for line in lines.iter().take(area.height.into()) {
        let row = Area {
            y,
            height: 1,
            ..area
        };
        details::line(line, None, LineBackground::Plain, theme, row, buffer);
        y += 1;
    }
    Area {
        y,
        height: area.y + area.height - y,
        ..area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_size_is_divided_without_loss() {
        let mut compared = 0;
        for (width, height) in [80, 159, 160, 200]
            .into_iter()
            .flat_map(|it| (0..70).map(move |y| (it, y)))
        {
            for (item_rows, items) in [(1, None), (2, Some(0)), (2, Some(3)), (1, Some(500))] {
                let body = Area {
                    x: 0,
                    y: 1,
                    width,
                    height,
                };
                let layout = PreviewLayout::new(body, item_rows, items);
                let (list, title, change) = (layout.list, layout.title, layout.change);
                assert_eq!(title.height + change.height + title.y, height + 1);
                if width < WIDE {
                    assert_eq!(list.height + title.height + change.height, height);
                    assert_eq!((list.width, change.width), (width, width));
                    assert!(height < 6 || change.height >= 2, "{height}");
                } else {
                    assert_eq!(list.width + 1 + change.width, width);
                }
                compared += 1;
            }
        }
        assert_eq!(compared, 4 * 70 * 4);
        // A short list leaves the rest to the change.
        let body = Area {
            x: 0,
            y: 1,
            width: 80,
            height: 30,
        };
        assert_eq!(PreviewLayout::new(body, 2, Some(3)).list.height, 7);
    }
}
