//! The column chooser: visibility, order and width of the columns.

use crate::viewer::{
    app::{overlays::overlay::Overlay, state::App},
    model::{
        bindings::Action,
        columns::{Column, Columns, SHARES, WIDTHS},
        key::{Key, KeyCode},
    },
};

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

impl App {
    /// Handles a key while the chooser is open. Keys that move, close or change the date format are
    /// as bound.
    pub(crate) fn columns_key(&mut self, key: Key, row: usize) {
        let row = row.min(ROWS - 1);
        match (key.code, self.keymap.action(key)) {
            _ if key.ctrl || key.alt => self.columns_action(self.keymap.action(key), row),
            (KeyCode::Char(' ') | KeyCode::Enter, _) => self.toggle_column(row),
            (KeyCode::Char('J'), _) => self.move_column(row, row + 1),
            (KeyCode::Char('K'), _) => self.move_column(row, row.wrapping_sub(1)),
            (KeyCode::Char('+' | '=' | 'l') | KeyCode::Right, _) => self.resize_column(row, 1),
            (KeyCode::Char('-' | '_' | 'h') | KeyCode::Left, _) => self.resize_column(row, -1),
            (_, action) => self.columns_action(action, row),
        }
    }

    fn columns_action(&mut self, action: Option<Action>, row: usize) {
        match action {
            Some(Action::Down) => self.select_column((row + 1).min(ROWS - 1)),
            Some(Action::Up) => self.select_column(row.saturating_sub(1)),
            Some(Action::Top) => self.select_column(0),
            Some(Action::Bottom) => self.select_column(ROWS - 1),
            Some(Action::Dates) => self.next_date(),
            Some(Action::Columns | Action::Close | Action::Quit) => self.close_columns(),
            _ => {}
        }
    }

    fn select_column(&mut self, row: usize) {
        if let Some(Overlay::Columns(selected)) = self.overlays.top_mut() {
            *selected = row;
        }
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
            self.select_column(to);
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
        if let Some(width) = self.display.columns.widths.of(column) {
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
