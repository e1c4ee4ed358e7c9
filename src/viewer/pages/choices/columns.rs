//! The list of columns, with their visibility, order and width, and of switches.

use unicode_width::UnicodeWidthStr;

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
        relative_dates::DateFormat,
    },
    pages::{
        choices::switches::{Switch, usable},
        list::{ItemList, KeyHelp, ListRow, own_list},
        page::{Handled, ListPlace, Page},
    },
    theme::roles::Foreground,
};

/// The keys of the list.
const KEYS: &[KeyHelp] = &[
    (
        "{close}  {columns}",
        "close: what changed is offered to be saved",
    ),
    (COLUMN_KEYS[0], "show or hide"),
    (COLUMN_KEYS[1], "wider, narrower"),
    (
        SWITCH_KEYS[0],
        "turn a switch on or off, or choose its next value",
    ),
    (SWITCH_KEYS[1], "the value before, or the next one"),
    (COLUMN_KEYS[2], "move: this column down or up"),
    ("{help}", "keys"),
];

/// The keys for columns, and those for switches.
const COLUMN_KEYS: [&str; 3] = ["Space  Enter", "+ -", "J K"];
const SWITCH_KEYS: [&str; 2] = ["Enter  Space", "Left  Right"];

/// The columns of the list, beside which the columns of most files can be seen on a screen of 80.
const LIST_WIDTH: u16 = 49;

/// Least width of a row that says how wide the column is.
const MIN_SIZED_WIDTH: usize = 26;

/// The open list: the columns in their order, then their share of the screen; a heading, and the switches.
#[derive(Debug, Default)]
struct ColumnsPage {
    list: ItemList,
    /// The item that was selected last.
    before: usize,
}

/// An item of the list.
enum Item {
    Column(Column),
    Share,
    Heading,
    Switch(&'static Switch),
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
            KeyCode::Char('+' | '=' | 'l') | KeyCode::Right => self.change(true, app),
            KeyCode::Char('-' | '_' | 'h') | KeyCode::Left => self.change(false, app),
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
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    own_list!();

    fn count(&self, app: &App) -> usize {
        app.display.columns.order.len() + 2 + usable(app).count()
    }

    fn rows(&self, at: usize, width: usize, app: &App) -> Vec<ListRow> {
        let columns = &app.display.columns;
        let (text, size) = match item(at, app) {
            Item::Column(column) => words(column, app),
            Item::Share => (
                "  share of the screen".to_owned(),
                format!("{}%", columns.share),
            ),
            Item::Heading => return vec![ListRow::new(" ").lead("switches")],
            Item::Switch(switch) => {
                let keys = usable(app).map(|other| other.key(app).width());
                let room = keys.max().unwrap_or(0);
                let (state, key) = (switch.state(app), switch.key(app));
                (
                    format!("  {}", switch.name),
                    format!("{state}  {key:room$}"),
                )
            }
        };
        let size = if width >= MIN_SIZED_WIDTH {
            format!("{size} ")
        } else {
            String::new()
        };
        vec![ListRow::new(" ").put(text, Foreground::Text).right(size)]
    }

    fn title(&self, app: &App) -> Option<String> {
        Some(match item(self.list.selected, app) {
            Item::Column(column) => format!(" Columns and switches: {}", meaning(column)),
            Item::Share => " Columns and switches: most for all columns".to_owned(),
            Item::Heading => " Columns and switches".to_owned(),
            Item::Switch(switch) => format!(" Switches: {}", switch.words(app)),
        })
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Columns and switches", KEYS))
    }

    /// The share of the screen, below the columns, has only a width.
    fn has_key(&self, keys: &str, app: &App) -> bool {
        match item(self.list.selected, app) {
            Item::Column(_) => !SWITCH_KEYS.contains(&keys),
            Item::Share => keys == COLUMN_KEYS[1],
            Item::Heading => false,
            Item::Switch(switch) if keys == SWITCH_KEYS[1] => switch.has_values(),
            Item::Switch(_) => !COLUMN_KEYS.contains(&keys),
        }
    }

    fn list_place(&self, _: Area) -> ListPlace {
        ListPlace::Corner(LIST_WIDTH)
    }

    /// Stays off the heading.
    fn list_used(&mut self, _: bool, app: &mut App) {
        let at = self.list.selected;
        if matches!(item(at, app), Item::Heading) {
            let is_upward = self.before > at;
            self.list.select(if is_upward { at - 1 } else { at + 1 });
        }
        self.before = self.list.selected;
    }

    /// Shows or hides the selected column, or turns the switch.
    fn open_item(&mut self, app: &mut App) {
        if let Item::Switch(switch) = item(self.list.selected, app) {
            return switch.turn(true, app);
        }
        let columns = &mut app.display.columns;
        if self.list.selected < columns.order.len() {
            columns.choose_shown(app.size.0);
        }
        if let Some((_, shown)) = columns.order.get_mut(self.list.selected) {
            *shown = !*shown;
        }
    }
}

/// The item at a position (0-based) of the list.
fn item(at: usize, app: &App) -> Item {
    let order = &app.display.columns.order;
    let below = at.saturating_sub(order.len());
    let switch = below.checked_sub(2).and_then(|at| usable(app).nth(at));
    match (order.get(at), switch) {
        (Some((column, _)), _) => Item::Column(*column),
        (None, Some(switch)) => Item::Switch(switch),
        (None, None) if below == 1 => Item::Heading,
        (None, None) => Item::Share,
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
    /// Makes the selected column wider or narrower, or turns the switch.
    fn change(&mut self, is_more: bool, app: &mut App) {
        match item(self.list.selected, app) {
            Item::Switch(switch) => switch.turn(is_more, app),
            _ => self.resize_column(if is_more { 1 } else { -1 }, app),
        }
    }

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

    /// Switches to the next date format, so many times.
    pub(crate) fn next_date(&mut self, times: u32) {
        for _ in 0..times % DateFormat::ALL.len() as u32 {
            self.display.columns.date = self.display.columns.date.next();
        }
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
