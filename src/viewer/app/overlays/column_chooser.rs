//! The column chooser: visibility, order and width of the columns.

use crate::viewer::{
    app::{overlays::overlay::Overlay, state::App},
    model::{
        columns::{Column, Columns, Gutter, SHARES, WIDTHS},
        key::KeyCode,
    },
    pages::list::{Items, KeyHelp, ListRow},
    theme::roles::Foreground,
};

/// The keys of the chooser.
const KEYS: &[KeyHelp] = &[
    ("{close}  {columns}", "close: and offer to save the changes"),
    ("{dates}", "dates: change their format"),
    ("Space  Enter", "show or hide"),
    ("+ -", "wider, narrower"),
    ("J K", "move: this column down or up"),
    ("{help}", "keys"),
];

/// Least width of a row that says how wide the column is.
const MIN_SIZED_WIDTH: usize = 26;

/// Number of rows of the chooser: the columns in their order, then their share of the screen.
pub const ROWS: usize = Column::ALL.len() + 1;

/// A row of the chooser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// A column, and whether it is visible.
    Column(Column, bool),
    /// The columns' share of the screen, in percent.
    Share,
}

impl Columns {
    /// The rows of the chooser on a screen of `width` columns.
    pub fn choices(&self, width: u16) -> Vec<Choice> {
        let columns = self.order.iter();
        columns
            .map(|&(column, _)| Choice::Column(column, self.shows(column, width)))
            .chain([Choice::Share])
            .collect()
    }
}

/// The columns as a list.
#[derive(Debug, Clone)]
pub(crate) struct ColumnRows<'a> {
    pub(crate) columns: &'a Columns,
    /// The columns with their present widths.
    pub(crate) gutter: Gutter,
    /// The columns of the screen.
    pub(crate) screen_width: u16,
}

impl Items for ColumnRows<'_> {
    fn count(&self) -> usize {
        ROWS
    }

    fn rows(&self, at: usize, width: usize) -> Vec<ListRow> {
        let (text, size) = match self.columns.choices(self.screen_width).get(at) {
            Some(Choice::Column(column, is_shown)) => self.words(*column, *is_shown),
            _ => (
                "  share of the screen".to_owned(),
                format!("{}%", self.columns.share),
            ),
        };
        let size = if width >= MIN_SIZED_WIDTH {
            format!("{size} ")
        } else {
            String::new()
        };
        vec![ListRow::new(" ").put(text, Foreground::Text).right(size)]
    }

    fn title(&self) -> Option<String> {
        Some(" Columns".to_owned())
    }

    fn help(&self) -> (&'static str, &'static [KeyHelp]) {
        ("Columns", KEYS)
    }
}

impl ColumnRows<'_> {
    /// Mark and name, and width of a column.
    fn words(&self, column: Column, is_shown: bool) -> (String, String) {
        let name = match column {
            Column::Date => format!("date ({})", self.columns.date.name()),
            _ => column.name().to_owned(),
        };
        let mut widths = self.columns.widths;
        let size = match (
            is_shown,
            self.gutter.width_of(column),
            widths.width_mut(column),
        ) {
            (false, _, _) => String::new(),
            (true, 0, _) => "no room".to_owned(),
            (true, now, Some(&mut full)) if now < full => format!("{now} of {full}"),
            (true, now, _) => now.to_string(),
        };
        (format!("{} {name}", if is_shown { "✓" } else { " " }), size)
    }
}

impl App {
    /// Handles a key that the chooser has for itself. False for others.
    pub(crate) fn columns_key(&mut self, code: KeyCode) -> bool {
        let row = match self.overlays.top() {
            Some(Overlay::Columns(list)) => list.selected,
            _ => return false,
        };
        match code {
            KeyCode::Char(' ') => self.toggle_column(row),
            KeyCode::Char('J') => self.move_column(row, row + 1),
            KeyCode::Char('K') => self.move_column(row, row.wrapping_sub(1)),
            KeyCode::Char('+' | '=' | 'l') | KeyCode::Right => self.resize_column(row, 1),
            KeyCode::Char('-' | '_' | 'h') | KeyCode::Left => self.resize_column(row, -1),
            _ => return false,
        }
        true
    }

    /// Shows or hides the selected column.
    pub(crate) fn toggle_selected_column(&mut self) {
        self.columns_key(KeyCode::Char(' '));
    }

    fn choice(&self, row: usize) -> Option<Choice> {
        self.display.columns.choices(self.size.0).get(row).copied()
    }

    fn toggle_column(&mut self, row: usize) {
        if row < self.display.columns.order.len() {
            self.display.columns.choose_shown(self.size.0);
        }
        if let Some((_, shown)) = self.display.columns.order.get_mut(row) {
            *shown = !*shown;
        }
    }

    fn move_column(&mut self, row: usize, to: usize) {
        let count = self.display.columns.order.len();
        if row < count && to < count {
            self.display.columns.order.swap(row, to);
            if let Some(Overlay::Columns(list)) = self.overlays.top_mut() {
                list.select(to);
            }
        }
    }

    fn resize_column(&mut self, row: usize, by: i16) {
        let column = match self.choice(row) {
            Some(Choice::Column(column, _)) => column,
            Some(Choice::Share) => {
                let share = self.display.columns.share.saturating_add_signed(5 * by);
                self.display.columns.share = share.clamp(*SHARES.start(), *SHARES.end());
                return;
            }
            None => return,
        };
        let visible_width = self.gutter().width_of(column);
        if let Some(width) = self.display.columns.widths.width_mut(column) {
            // A column that the screen has already narrowed shrinks from its visible width.
            let from = if by < 0 && visible_width > 0 {
                visible_width
            } else {
                *width
            };
            let wider = from.saturating_add_signed(by);
            *width = wider.clamp(*WIDTHS.start(), *WIDTHS.end());
        }
    }

    /// Switches to the next date format.
    pub(crate) fn next_date(&mut self) {
        self.display.columns.date = self.display.columns.date.next();
        let message = match self.gutter().width_of(Column::Date) {
            0 => " (the date column is hidden)",
            _ => "",
        };
        self.show_message(format!(
            "dates: {}{message}",
            self.display.columns.date.name()
        ));
    }
}
