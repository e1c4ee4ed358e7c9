//! Choosing a theme.

use crate::viewer::{
    app::{
        overlays::{overlay::Overlay, theme_chooser::ThemeChooser},
        settings::saved_settings::THEME,
        state::App,
    },
    config::setting_change::{SettingChange, quoted},
    pages::list::ItemList,
    protocol::Effect,
};

impl App {
    /// Opens the theme chooser with the current theme selected.
    pub(crate) fn open_themes(&mut self, names: Vec<String>, current: usize) {
        if !names.is_empty() {
            let row = current.min(names.len() - 1);
            self.overlays.push(Overlay::Themes(ThemeChooser {
                names,
                list: ItemList::at(row),
                before: row,
                problem: None,
            }));
        }
    }

    /// Previews the selected theme.
    pub(crate) fn preview_theme(&mut self) {
        if let Some(chooser) = self.overlays.themes_mut() {
            chooser.problem = None;
            self.effects
                .push(Effect::Theme(chooser.names[chooser.list.selected].clone()));
        }
    }

    /// Closes the chooser and returns to the theme before.
    pub(crate) fn leave_themes(&mut self) {
        if let Some(Overlay::Themes(chooser)) = self.overlays.pop() {
            self.effects
                .push(Effect::Theme(chooser.names[chooser.before].clone()));
        }
    }

    /// Closes the chooser and offers to save the selected theme.
    pub(crate) fn accept_theme(&mut self) {
        let Some(chooser) = self.overlays.themes_mut() else {
            return;
        };
        let name = chooser.names[chooser.list.selected].clone();
        if let Some(problem) = chooser.problem.clone() {
            return self.show_message(problem);
        }
        self.overlays.pop();
        let (tables, key, value) = (&[], THEME, quoted(&name));
        if value != self.saved.theme {
            self.offer(vec![SettingChange { tables, key, value }]);
        }
    }

    /// Reports that the selected theme is invalid.
    pub(crate) fn theme_failed(&mut self, message: String) {
        if let Some(chooser) = self.overlays.themes_mut() {
            chooser.problem = Some(message.clone());
        }
        self.show_message(message);
    }
}
