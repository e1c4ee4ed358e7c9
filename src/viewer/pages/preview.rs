//! What the pages with histories show of the selected commit, below their lists or beside them.

use ratatui::buffer::Buffer;

use crate::{
    objects::ObjectId,
    text::thousands::counted,
    viewer::{
        app::{
            blame::search::Search,
            commit::detail_line::DetailLine,
            display::layout::{Area, WIDE},
            state::App,
        },
        model::{
            background::line_history::ChangedLine, diff::DiffRow, hyperlink::Hyperlink,
            source::CommitMetadata,
        },
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::{changed_lines, details, hyperlinks, paint},
    },
};

/// Fewest rows of a message that is cut in which its blank rows are kept.
const MIN_ROWS_FOR_BLANKS: usize = 6;

/// Fewest rows below a list that is higher than others for its end.
const MIN_ROWS_BELOW: u16 = 8;

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
        let list = match needed {
            _ if body.height < 6 => most,
            // All items with the end, rather than a scrollbar for the end alone.
            Some(needed) if needed == most + 1 && body.height > needed + MIN_ROWS_BELOW => needed,
            needed => most.min(needed.unwrap_or(u16::MAX)),
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

/// The column of the title in which the id begins.
const ID_COLUMN: u16 = 1;

/// Fewest rows below a title in which a blank one stands between message and change.
const MIN_ROWS_FOR_GAP: u16 = 12;

/// A commit that a page shows: what it says, and what it changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PreviewedCommit<'a> {
    /// Its id, and its message if that can be read.
    pub(crate) id: &'a ObjectId,
    pub(crate) metadata: Option<&'a CommitMetadata>,
    /// The rows of the change, once they are known.
    pub(crate) rows: Option<&'a [ChangedLine]>,
}

impl<'a> PreviewedCommit<'a> {
    /// Divides an area into the message and the change below it. The message has a third of it, and
    /// what the change leaves.
    pub(crate) fn divided(&self, app: &App, area: Area) -> (Area, Area) {
        let Some(metadata) = self.metadata else {
            return (Area { height: 0, ..area }, area);
        };
        let gap = u16::from(area.height >= MIN_ROWS_FOR_GAP);
        let rows = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let needed = rows(self.message(app, metadata, area).len());
        let of_change = self.rows.map_or(u16::MAX, |changed| rows(changed.len()));
        let left = area.height.saturating_sub(of_change.saturating_add(gap));
        let height = needed.min(left.max(area.height / 3).max(1));
        let height = height.min(area.height);
        let above = height.saturating_add(gap).min(area.height);
        let change = Area {
            y: area.y + above,
            height: area.height - above,
            ..area
        };
        (Area { height, ..area }, change)
    }

    fn message(&self, app: &App, metadata: &CommitMetadata, area: Area) -> Vec<DetailLine> {
        let id = Some(self.id).filter(|id| !id.is_null());
        let width = usize::from(area.width).saturating_sub(2);
        app.message_lines(id, metadata, false, width)
    }

    /// The rows of the message on the screen, in the upper part of an area.
    fn shown_message(&self, app: &App, area: Area, above: Area) -> Vec<DetailLine> {
        let message = self.metadata.map(|it| self.message(app, it, area));
        cut_message(message.unwrap_or_default(), above)
    }

    /// The links of the id in the title, and of the message.
    pub(crate) fn hyperlinks(&self, app: &App, layout: PreviewLayout) -> Vec<Hyperlink> {
        let (above, _) = self.divided(app, layout.change);
        let lines = self.shown_message(app, layout.change, above);
        let id = Some(self.id).filter(|id| !id.is_null());
        let references = self.metadata.map(|it| app.message_references(id, it));
        let references = references.unwrap_or_default();
        let title = hyperlinks::of_title(app, self.id, layout.title, ID_COLUMN);
        let message = hyperlinks::of_lines(app, &references, lines.iter(), above);
        title.into_iter().chain(message).collect()
    }

    /// Draws the message, and the rows of the change without the first ones, with the matches of a
    /// search and marks before some of them.
    pub(crate) fn draw(
        &self,
        app: &App,
        search: Option<&Search>,
        skipped: usize,
        is_marked: impl Fn(DiffRow) -> bool,
        (theme, area): (&Theme, Area),
        buffer: &mut Buffer,
    ) {
        let (above, below) = self.divided(app, area);
        let message = self.shown_message(app, area, above).into_iter();
        for (line, y) in message.zip(above.y..) {
            let row = above.row(y);
            details::line(&line, None, LineBackground::Plain, theme, row, buffer);
        }
        let rows = self.rows.unwrap_or_default();
        let numbers = changed_lines::number_columns(rows);
        let shown = rows.iter().skip(skipped);
        for (line, y) in shown.zip(below.y..below.y + below.height) {
            // The margin of all texts.
            let row = Area {
                x: below.x + 1.min(below.width),
                y,
                width: below.width.saturating_sub(1),
                height: 1,
            };
            if is_marked(line.row) {
                let style = theme.line(LineBackground::Plain, Foreground::Mark);
                paint::text(buffer, (below.x, y), 1.min(below.width), "▌", style);
            }
            let counterpart = line.counterpart.and_then(|at| rows.get(at as usize));
            changed_lines::row(line, counterpart, search, numbers, theme, row, buffer);
        }
    }
}

/// The rows of a message that an area has. Where it is cut, the last one says how much follows.
fn cut_message(mut lines: Vec<DetailLine>, area: Area) -> Vec<DetailLine> {
    let (room, width) = (
        usize::from(area.height),
        usize::from(area.width).saturating_sub(2),
    );
    if lines.len() > room && room < MIN_ROWS_FOR_BLANKS {
        // What is said has more use than blank rows.
        lines.retain(|line| !line.text.is_empty());
    }
    // Subject and facts are worth more than it.
    if lines.len() > room && room > 2 {
        // The row that says how many are hidden takes the place of one of them.
        let hidden = lines.len() + 1 - room;
        lines.truncate(room - 1);
        let more = format!("… {}", counted(hidden, "more line"));
        lines.push(DetailLine::fact(&more, width));
    }
    lines.truncate(room);
    lines
}

/// The first row of the first part of a change in which the number of matches differs between the
/// sides, or else the first row that has one. Each row comes with the number of its matches.
pub(crate) fn first_changed_match(rows: impl Iterator<Item = (DiffRow, usize)>) -> Option<usize> {
    let (mut first, mut of_part, mut sides) = (None, None, [0, 0]);
    let end = (DiffRow::OmittedFiles, 0);
    for (at, (row, matches)) in rows.chain([end]).enumerate() {
        match row {
            DiffRow::Removed(_) => sides[0] += matches,
            DiffRow::Added(_) => sides[1] += matches,
            _ if sides[0] != sides[1] => return of_part,
            _ => (of_part, sides) = (None, [0, 0]),
        }
        let is_changed = matches!(row, DiffRow::Removed(_) | DiffRow::Added(_));
        if is_changed && matches > 0 {
            of_part = of_part.or(Some(at));
            first = first.or(of_part);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_where_the_number_of_matches_changes() {
        let first = |rows: &str| {
            let rows = rows.split_whitespace().map(|word| {
                let (sign, matches) = word.split_at(1);
                let row = match sign {
                    "-" => DiffRow::Removed(0),
                    "+" => DiffRow::Added(0),
                    _ => DiffRow::Context { old: 0, new: 0 },
                };
                (row, matches.parse().expect("a number"))
            });
            first_changed_match(rows)
        };
        assert_eq!(first("-1 +1 =1 -0 -1 +0 =0"), Some(4));
        assert_eq!(first("-1 +1 =1 +1"), Some(3));
        assert_eq!(first("-0 +2 -1"), Some(1));
        // Where it changes nowhere, as with words that were moved, it is the first one.
        assert_eq!(first("=3 -0 -1 +1 =0 -1 +1"), Some(2));
        assert_eq!(first("=3 -0 +0"), None);
        assert_eq!(first(""), None);
    }

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
        // One row more than half of the screen shows the end of the list too.
        let body = Area { height: 22, ..body };
        let heights = [5, 6, 7].map(|items| PreviewLayout::new(body, 2, Some(items)).list.height);
        assert_eq!(heights, [11, 13, 12]);
    }
}
