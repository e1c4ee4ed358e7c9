//! The list of themes. The selected one is previewed.

use crate::{
    sanitize,
    viewer::{
        app::{display::layout::Area, settings::saved_settings::THEME, state::App},
        config::setting_change::{SettingChange, quoted},
        model::keys::bindings::Action,
        pages::{
            list::{ItemList, KeyHelp, ListRow, own_list},
            page::{CORNER_WIDTH, Handled, ListPlace, Page},
        },
        protocol::Effect,
        theme::roles::Foreground,
    },
};

/// The keys of the list.
const KEYS: &[KeyHelp] = &[
    ("Enter", "keep"),
    ("{close}  {theme}", "leave: the theme stays as it was"),
    ("{help}", "keys"),
];

/// The open list.
#[derive(Debug)]
struct ThemesPage {
    /// The names of all themes.
    names: Vec<String>,
    list: ItemList,
    /// The row of the theme to return to.
    before: usize,
}

impl Page<App> for ThemesPage {
    fn action(&mut self, action: Action, _: Option<u32>, app: &mut App) -> Handled {
        match action {
            Action::Theme | Action::Close | Action::Quit => {
                app.pages.close_acting();
                let name = self.names[self.before].clone();
                app.effects.push(Effect::Theme(name));
                Handled::Yes
            }
            _ => Handled::Pass,
        }
    }

    own_list!();

    fn count(&self, _: &App) -> usize {
        self.names.len()
    }

    fn rows(&self, at: usize, _: usize, app: &App) -> Vec<ListRow> {
        let name = self.names.get(at).map_or("", String::as_str);
        let is_invalid = at == self.list.selected && app.theme_problem.is_some();
        let row = ListRow::new(" ").put(sanitize::line(name.as_bytes()), Foreground::Text);
        vec![row.right(match name {
            _ if is_invalid => "invalid ",
            "auto" => "as the terminal ",
            "dark" => "on dark terminals ",
            "light" => "on light terminals ",
            _ => "",
        })]
    }

    fn title(&self, _: &App) -> Option<String> {
        Some(" Theme".to_owned())
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Theme", KEYS))
    }

    fn list_place(&self, _: Area) -> ListPlace {
        ListPlace::Corner(CORNER_WIDTH)
    }

    /// Keeps the selected theme, and offers to save it.
    fn open_item(&mut self, app: &mut App) {
        if let Some(problem) = app.theme_problem.clone() {
            return app.show_message(problem);
        }
        app.pages.close_acting();
        let value = quoted(&self.names[self.list.selected]);
        let (tables, key) = (&[], THEME);
        if value != app.saved.theme {
            app.offer(vec![SettingChange { tables, key, value }]);
        }
    }

    /// Previews the selected theme.
    fn list_used(&mut self, is_moved: bool, app: &mut App) {
        if is_moved {
            app.theme_problem = None;
            let name = self.names[self.list.selected].clone();
            app.effects.push(Effect::Theme(name));
        }
    }
}

impl App {
    /// Opens the list of themes with the current one selected.
    pub(crate) fn open_themes(&mut self, names: Vec<String>, current: usize) {
        if !names.is_empty() {
            self.theme_problem = None;
            let before = current.min(names.len() - 1);
            self.pages.open(ThemesPage {
                names,
                list: ItemList::at(before),
                before,
            });
        }
    }

    /// Reports that the theme that was to be shown is invalid.
    pub(crate) fn on_theme_failed(&mut self, message: String) {
        self.theme_problem = Some(message.clone());
        self.show_message(message);
    }
}
