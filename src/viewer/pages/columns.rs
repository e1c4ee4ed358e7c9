//! The list of columns: visibility, order and width.

use crate::viewer::{
    app::{display::layout::Area, state::App},
    config::columns,
    model::{
        columns::{Column, Columns, SHARES, WIDTHS},
        keys::{
            bindings::Action,
            key::{Key, KeyCode},
        },
    },
    pages::{
        list::{ItemList, KeyHelp, ListRow, own_list},
        page::{Handled, ListPlace, Page},
    },
    theme::roles::Foreground,
};

/// The keys of the list.
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

/// Number of rows of the list: the columns in their order, then their share of the screen.
pub const ROWS: usize = Column::ALL.len() + 1;

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// A column, and whether it is visible.
    Column(Column, bool),
    /// The columns' share of the screen, in percent.
    Share,
}

impl Columns {
    /// The rows of the list on a screen of `width` columns.
    pub fn choices(&self, width: u16) -> Vec<Choice> {
        let columns = self.order.iter();
        columns
            .map(|&(column, _)| Choice::Column(column, self.shows(column, width)))
            .chain([Choice::Share])
            .collect()
    }
}

/// The open list.
#[derive(Debug, Default)]
struct ColumnsPage {
    list: ItemList,
}

impl Page<App> for ColumnsPage {
    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        if key.ctrl || key.alt {
            return Handled::Pass;
        }
        match key.code {
            KeyCode::Char(' ') => self.open_item(app),
            KeyCode::Char('J') => self.move_column(self.list.selected + 1, app),
            KeyCode::Char('K') => self.move_column(self.list.selected.wrapping_sub(1), app),
            KeyCode::Char('+' | '=' | 'l') | KeyCode::Right => self.resize_column(1, app),
            KeyCode::Char('-' | '_' | 'h') | KeyCode::Left => self.resize_column(-1, app),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn action(&mut self, action: Action, _: Option<u32>, app: &mut App) -> Handled {
        match action {
            Action::Columns | Action::Close | Action::Quit => {
                app.pages.close_acting();
                app.offer(columns::changes(&app.saved.columns, &app.display.columns));
            }
            Action::Dates => app.next_date(),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    own_list!();

    fn count(&self, _: &App) -> usize {
        ROWS
    }

    fn rows(&self, at: usize, width: usize, app: &App) -> Vec<ListRow> {
        let (text, size) = match app.display.columns.choices(app.size.0).get(at) {
            Some(Choice::Column(column, is_shown)) => words(*column, *is_shown, app),
            _ => (
                "  share of the screen".to_owned(),
                format!("{}%", app.display.columns.share),
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

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Columns", KEYS))
    }

    fn list_place(&self, _: Area) -> ListPlace {
        ListPlace::Corner
    }

    /// Shows or hides the selected column.
    fn open_item(&mut self, app: &mut App) {
        let columns = &mut app.display.columns;
        if self.list.selected < columns.order.len() {
            columns.choose_shown(app.size.0);
        }
        if let Some((_, shown)) = columns.order.get_mut(self.list.selected) {
            *shown = !*shown;
        }
    }
}

/// Mark and name, and width of a column.
fn words(column: Column, is_shown: bool, app: &App) -> (String, String) {
    let name = match column {
        Column::Date => format!("date ({})", app.display.columns.date.name()),
        _ => column.name().to_owned(),
    };
    let mut widths = app.display.columns.widths;
    let size = match (
        is_shown,
        app.gutter().width_of(column),
        widths.width_mut(column),
    ) {
        (false, _, _) => String::new(),
        (true, 0, _) => "no room".to_owned(),
        (true, now, Some(&mut full)) if now < full => format!("{now} of {full}"),
        (true, now, _) => now.to_string(),
    };
    (format!("{} {name}", if is_shown { "✓" } else { " " }), size)
}

impl ColumnsPage {
    fn move_column(&mut self, to: usize, app: &mut App) {
        let order = &mut app.display.columns.order;
        let (row, count) = (self.list.selected, order.len());
        if row < count && to < count {
            order.swap(row, to);
            self.list.select(to);
        }
    }

    fn resize_column(&mut self, by: i16, app: &mut App) {
        let choices = app.display.columns.choices(app.size.0);
        let column = match choices.get(self.list.selected) {
            Some(Choice::Column(column, _)) => *column,
            Some(Choice::Share) => {
                let share = app.display.columns.share.saturating_add_signed(5 * by);
                app.display.columns.share = share.clamp(*SHARES.start(), *SHARES.end());
                return;
            }
            None => return,
        };
        let visible_width = app.gutter().width_of(column);
        if let Some(width) = app.display.columns.widths.width_mut(column) {
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
}

impl App {
    /// Opens the list of columns.
    pub(crate) fn open_columns(&mut self) {
        self.pages.open(ColumnsPage::default());
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
