//! The help page: the most important keys of the page below it, and then all of them.

use ratatui::{
    buffer::Buffer,
    style::{Modifier, Style},
};

use crate::{
    sanitize, sorting,
    viewer::{
        app::{
            actions::scrolled_rows,
            blame::search::{Direction, Search},
            display::{
                layout::Area,
                pager::{Pager, Unwrapped},
            },
            prompt_history::PromptKind,
            state::App,
        },
        model::keys::bindings::Action,
        pages::{
            help_rows::{
                HelpRow, columns, has_more, heading_of, height, height_with_title, row_count,
            },
            list::match_words,
            offers::SEARCH_KEYS,
            page::{Handled, Page, PageKind},
        },
        protocol::{Gesture, Mouse},
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            footer::Footer,
            paint::{self, RowWriter},
        },
    },
};

/// Keys in the status line while not all are shown.
const FIRST_HINTS: &[(Action, &str)] = &[
    (Action::Close, "close"),
    (Action::Help, "all keys"),
    (Action::Search, "search them"),
];

/// Keys in the status line.
const HINTS: &[(Action, &str)] = &[
    (Action::Close, "close"),
    (Action::Down, "down"),
    (Action::Up, "up"),
    (Action::Search, "search"),
];

/// The open help.
#[derive(Debug, Default)]
struct HelpPage {
    pager: Pager,
    /// All keys are shown.
    is_whole: bool,
    /// The last search, and the row that it found.
    search: Option<Search>,
    selected_match: Option<u32>,
}

impl Page<App> for HelpPage {
    fn kind(&self) -> PageKind {
        PageKind::Help
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        match action {
            Action::Suspend | Action::Redraw => return Handled::Pass,
            Action::Help if !self.is_whole && has_more(app) => self.show_all(),
            Action::Quit | Action::Help | Action::Close | Action::Details | Action::Diff => {
                app.pages.close_acting();
            }
            Action::Search => {
                self.show_all();
                app.open_prompt(PromptKind::Search);
            }
            Action::NextMatch => self.next_match(true, app),
            Action::PreviousMatch => self.next_match(false, app),
            _ => match scrolled_rows(action, count.unwrap_or(1), height(app)) {
                Some(rows) => self.pager.scroll_window(rows),
                None => app.nothing_here(),
            },
        }
        Handled::Yes
    }

    fn mouse(&mut self, mouse: Mouse, app: &mut App) -> Handled {
        match mouse.gesture {
            Gesture::Press => app.clear_message(),
            Gesture::Wheel(rows) => self.pager.scroll_window(rows),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn search(&mut self, pattern: &str, _: Direction, app: &mut App) -> Handled {
        if !pattern.is_empty() {
            let finds = |search: &Search| !self.matching_rows(search, app).is_empty();
            self.search = Search::new(pattern, 0).map(|search| search.or_as_text(finds));
        }
        self.next_match(true, app);
        Handled::Yes
    }

    fn count_matches(&self, search: &Search, app: &App) -> Option<usize> {
        Some(self.matching_rows(search, app).len())
    }

    /// Keeps the window within the rows.
    fn refresh(&mut self, app: &mut App) {
        let rows = Unwrapped(row_count(app, self.is_whole));
        self.pager.fill_window(&rows, height(app).into());
    }

    /// Draws it over everything but the text of the tour and the status line.
    fn draw(&self, app: &App, theme: &Theme, _: Area, buffer: &mut Buffer) {
        let area = Area {
            x: 0,
            y: 0,
            width: app.size.0,
            height: height_with_title(app),
        };
        let text = theme.line(LineBackground::Plain, Foreground::Text);
        paint::fill(buffer, area, text);
        let area = self.draw_title(app, theme, area, buffer);
        let columns = columns(app, self.is_whole);
        let width = area.width / u16::try_from(columns.len().max(1)).unwrap_or(1);
        let top = self.pager.position.top as usize;
        for (rows, x) in columns.iter().zip((0..).step_by(usize::from(width.max(1)))) {
            let column = Area { x, width, ..area };
            for (row, y) in rows.iter().skip(top).zip(area.y..area.y + area.height) {
                let line = column.row(y);
                self.draw_row(row, theme, line, buffer);
            }
        }
    }

    fn hints(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        let seen = self.pager.position.top as usize + usize::from(height(app));
        let below = row_count(app, self.is_whole).saturating_sub(seen);
        let search = self.search.as_ref();
        let found = search.map(|search| (search, self.matching_rows(search, app)));
        if let Some((search, found)) = found.filter(|(_, found)| !found.is_empty()) {
            let at = self
                .selected_match
                .and_then(|row| found.binary_search(&row).ok());
            let words = match_words(at.map(|at| at + 1), found.len(), search);
            footer.row.put_right(&words, footer.theme.bar());
            footer.actions(SEARCH_KEYS);
        }
        let words = format!(" {below} more below ");
        if below > 0 && words.len() <= footer.row.remaining().into() {
            footer.row.put_right(&words, footer.theme.bar());
        }
        let hints = if self.is_whole || !has_more(app) {
            HINTS
        } else {
            FIRST_HINTS
        };
        let acts = |(action, _): &&(Action, &str)| match action {
            Action::Down => below > 0,
            Action::Up => self.pager.position.top > 0,
            _ => true,
        };
        let hints: Vec<_> = hints.iter().filter(acts).copied().collect();
        footer.actions(&hints);
        true
    }
}

impl HelpPage {
    /// Draws which keys these are, as the titles of other pages. Returns the rows below it.
    fn draw_title(&self, app: &App, theme: &Theme, area: Area, buffer: &mut Buffer) -> Area {
        let title = area.height - height(app);
        if title > 0 {
            let bar = Area { height: 1, ..area };
            paint::fill(buffer, bar, theme.bar());
            let mut row = RowWriter::new(buffer, bar);
            row.put(" keys: ", theme.bar());
            row.put(heading_of(app), theme.bar_emphasis());
            let part = match self.is_whole {
                true => ", all",
                false if has_more(app) => ", the most important",
                false => "",
            };
            row.put(part, theme.bar());
        }
        Area {
            y: area.y + title,
            height: area.height - title,
            ..area
        }
    }

    fn show_all(&mut self) {
        self.is_whole = true;
        self.pager.rewind();
    }

    /// Scrolls to the next row that matches, or the previous one; from the end, to the first.
    fn next_match(&mut self, forward: bool, app: &mut App) {
        let Some(search) = &self.search else {
            return app.show_filled("no pattern: {search} starts a search");
        };
        let from = self.selected_match;
        let rows = self.matching_rows(search, app);
        let is_next = |at: &&u32| match from {
            Some(from) if forward => **at > from,
            Some(from) => **at < from,
            None => true,
        };
        let next = if forward {
            rows.iter().find(is_next).or(rows.first())
        } else {
            rows.iter().rfind(is_next).or(rows.last())
        };
        let Some(&row) = next else {
            return app.show_message(format!("nothing here matches {}", search.quoted()));
        };
        let height = u32::from(height(app));
        self.selected_match = Some(row);
        let top = &mut self.pager.position.top;
        if !(*top..top.saturating_add(height)).contains(&row) {
            *top = row.saturating_sub(height / 3);
        }
    }

    /// The rows that match in any of the columns, in order.
    fn matching_rows(&self, search: &Search, app: &App) -> Vec<u32> {
        let columns = columns(app, self.is_whole);
        let rows = columns.iter().flat_map(|column| (0..).zip(column));
        let found = rows.filter(|(_, row)| {
            search.is_in(row.text.as_bytes()) || search.is_in(row.keys.as_bytes())
        });
        let mut found: Vec<u32> = found.map(|(at, _)| at).collect();
        sorting::sort(&mut found);
        found.dedup();
        found
    }

    fn draw_row(&self, row: &HelpRow, theme: &Theme, area: Area, buffer: &mut Buffer) {
        let text = theme.line(LineBackground::Plain, Foreground::Text);
        let key = theme.line(LineBackground::Plain, Foreground::Mark);
        let style = if row.heading {
            text.add_modifier(Modifier::BOLD)
        } else {
            text
        };
        self.draw_text(&row.text, row.indent, style, theme, area, buffer);
        self.draw_text(&row.keys, 3, key, theme, area, buffer);
    }

    /// Draws a text from a column of the area on, with the matches of the search.
    fn draw_text(
        &self,
        text: &str,
        indent: u16,
        style: Style,
        theme: &Theme,
        area: Area,
        buffer: &mut Buffer,
    ) {
        let draw = |buffer: &mut Buffer, before: &str, text: &str, style: Style| {
            let skipped = u16::try_from(sanitize::width(before.as_bytes())).unwrap_or(u16::MAX);
            let indent = indent.saturating_add(skipped);
            let room = area.width.saturating_sub(indent);
            paint::text(
                buffer,
                (area.x.saturating_add(indent), area.y),
                room,
                text,
                style,
            );
        };
        draw(buffer, "", text, style);
        let search = self.search.as_ref();
        let matches = search.map_or_else(Vec::new, |search| search.matches(text.as_bytes()));
        for range in matches {
            if let (Some(before), Some(found)) = (text.get(..range.start), text.get(range)) {
                draw(
                    buffer,
                    before,
                    found,
                    theme.search_match(LineBackground::Plain),
                );
            }
        }
    }
}

impl App {
    /// Opens the help of what is on top.
    pub(crate) fn open_help(&mut self) {
        self.pages.open(HelpPage::default());
    }
}
