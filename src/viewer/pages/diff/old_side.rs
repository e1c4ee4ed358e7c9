//! The gutter beside the old side of a diff: who wrote a line, and when.

use ratatui::style::Style;

use crate::{
    sanitize,
    viewer::{
        app::{
            diff_view::DiffView,
            old_lines::blamed_old_sides::{OldColumns, OldRow},
            state::App,
        },
        ui::{gutter::shown_date, paint::RowWriter},
    },
};

/// The gutter of one row.
pub(super) struct OldGutter {
    columns: OldColumns,
    /// Id, author and date, in the first row of those that one commit wrote.
    label: Option<[String; 3]>,
    mark: &'static str,
}

impl OldGutter {
    /// That of a row of the diff, or of a further row of a wrapped line (`part`).
    pub(super) fn new(
        app: &App,
        diff: &DiffView,
        at: usize,
        (part, is_topmost): (u32, bool),
    ) -> OldGutter {
        let columns = app.old_columns();
        let line = app.old_line(diff, at);
        let commit = |line: OldRow<'_>| line.written.map(|written| written.commit.id);
        let above = at
            .checked_sub(1)
            .and_then(|above| app.old_line(diff, above));
        let is_first = is_topmost || above.map(commit) != line.map(commit);
        let is_labelled = part == 0 && is_first && columns.width() > 0;
        OldGutter {
            columns,
            label: line
                .filter(|_| is_labelled)
                .map(|line| label(app, columns, line)),
            mark: match line {
                None => " ",
                Some(line) if line.is_removed => "|",
                Some(_) => "~",
            },
        }
    }

    /// Writes it at the beginning of a row.
    pub(super) fn put(&self, row: &mut RowWriter<'_>, style: Style) {
        if self.columns.width() == 0 {
            return;
        }
        let OldColumns { id, author, date } = self.columns;
        let none = Default::default();
        let label = self.label.as_ref().unwrap_or(&none);
        // The margin of all texts.
        row.put(" ", style);
        for (at, (width, text)) in [id, author, date].into_iter().zip(label).enumerate() {
            if width > 0 {
                let missing = usize::from(width).saturating_sub(sanitize::width(text.as_bytes()));
                let blanks = " ".repeat(missing);
                // Dates are aligned at the right.
                let (before, after) = if at == 2 {
                    (blanks.as_str(), "")
                } else {
                    ("", blanks.as_str())
                };
                row.put(&format!("{before}{text}{after} "), style);
            }
        }
        row.put(self.mark, style);
        row.put(" ", style);
    }
}

/// Id, author and date of the commit of a line; a dot while it is not known.
fn label(app: &App, columns: OldColumns, line: OldRow<'_>) -> [String; 3] {
    let clip = |text: &[u8], width: u16| sanitize::clip(text, usize::from(width));
    let Some(written) = line.written else {
        let dot = |width: u16| {
            if width > 0 {
                "·".to_owned()
            } else {
                String::new()
            }
        };
        return [dot(columns.id), dot(columns.author), dot(columns.date)];
    };
    let mark = if written.origin.boundary { "^" } else { "" };
    let len = usize::from(columns.id).saturating_sub(mark.len());
    let id = format!("{mark}{}", written.commit.id.to_hex_with_len(len));
    let Ok(metadata) = &written.commit.metadata else {
        return [id, "?".to_owned(), String::new()];
    };
    let author = &metadata.author;
    let date = shown_date(app, author, usize::from(columns.date));
    [
        id,
        clip(&author.name, columns.author),
        clip(date.as_bytes(), columns.date),
    ]
}
