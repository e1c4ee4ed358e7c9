//! The list of columns: visibility, order and width.

use crate::viewer::{
    app::{display::layout::Area, state::App},
    config::columns,
    model::{
        columns::{SHARES, WIDTHS},
        gutter::Column,
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
    ("{close}  {columns}", "close: what changed can be saved"),
    ("{dates}", "dates: change their format"),
    ("Space  Enter", "show or hide"),
    ("+ -", "wider, narrower"),
    ("J K", "move: this column down or up"),
    ("{help}", "keys"),
];

/// Least width of a row that says how wide the column is.
const MIN_SIZED_WIDTH: usize = 26;

/// The open list: the columns in their order, then their share of the screen.
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

    fn count(&self, app: &App) -> usize {
        app.display.columns.order.len() + 1
    }

    fn rows(&self, at: usize, width: usize, app: &App) -> Vec<ListRow> {
        let columns = &app.display.columns;
        let (text, size) = match columns.order.get(at) {
            Some((column, _)) => words(*column, app),
            None => (
                "  share of the screen".to_owned(),
                format!("{}%", columns.share),
            ),
        };
        let size = if width >= MIN_SIZED_WIDTH {
            format!("{size} ")
        } else {
            String::new()
        };
        vec![ListRow::new(" ").put(text, Foreground::Text).right(size)]
    }

    fn title(&self, app: &App) -> Option<String> {
        let columns = &app.display.columns;
        let selected = columns.order.get(self.list.selected);
        let words = selected.map_or("most for all of these", |(it, _)| meaning(*it));
        Some(format!(" Columns: {words}"))
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Columns", KEYS))
    }

    /// The share of the screen, below the columns, has only a width.
    fn has_key(&self, keys: &str, app: &App) -> bool {
        let is_column = self.list.selected < app.display.columns.order.len();
        is_column || !matches!(keys, "Space  Enter" | "J K")
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

/// What a column shows, in words that the list has room for beside its name.
fn meaning(column: Column) -> &'static str {
    match column {
        Column::Id => "id of the commit",
        Column::Author => "+1 is one more person",
        Column::Email => "address of the author",
        Column::Date => "date of the author",
        Column::Summary => "subject of the commit",
        Column::Path => "in the commit, if other",
        Column::OriginalLine => "number in the commit",
        Column::Release => "first one that has it",
        Column::Request => "that brought it",
        Column::Origin => "who wrote a moved line",
        Column::Agent => "AI that wrote it",
        Column::Change => "id for jj and Gerrit",
        Column::Line => "number in the file",
    }
}

/// Mark and name, and width of a column.
fn words(column: Column, app: &App) -> (String, String) {
    let is_shown = app.display.columns.shows(column, app.size.0);
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
        (true, now, Some(&mut full)) if now < full => format!("{now} of {full} wide"),
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
        } else if row < count {
            app.show_message(match row {
                0 => "this is the first column",
                _ => "this is the last column",
            });
        }
    }

    fn resize_column(&mut self, by: i16, app: &mut App) {
        let columns = &mut app.display.columns;
        let Some(&(column, _)) = columns.order.get(self.list.selected) else {
            let share = columns.share.saturating_add_signed(5 * by);
            columns.share = share.clamp(*SHARES.start(), *SHARES.end());
            return;
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
