//! The keys of the theme chooser.

use crate::viewer::{
    app::{
        overlays::{overlay::Overlay, theme_chooser::ThemeChooser},
        settings::saved_settings::THEME,
        state::App,
    },
    config::setting_change::{SettingChange, quoted},
    model::{
        bindings::Action,
        key::{Key, KeyCode},
    },
    protocol::Effect,
};

impl App {
    /// Opens the theme chooser with the current theme selected.
    pub(crate) fn open_themes(&mut self, names: Vec<String>, current: usize) {
        if !names.is_empty() {
            let row = current.min(names.len() - 1);
            self.overlays.push(Overlay::Themes(ThemeChooser {
                names,
                row,
                before: row,
                problem: None,
            }));
        }
    }

    /// Handles a key while the theme chooser is open. Keys that move or close are as bound.
    pub(crate) fn themes_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(chooser) = self.overlays.themes_mut() else {
            return;
        };
        let last = chooser.names.len() - 1;
        let row = match (key.code, self.keymap.action(key)) {
            (KeyCode::Enter, _) => return self.accept_theme(),
            (_, Some(Action::Down)) => (chooser.row + 1).min(last),
            (_, Some(Action::Up)) => chooser.row.saturating_sub(1),
            (_, Some(Action::Top)) => 0,
            (_, Some(Action::Bottom)) => last,
            (_, Some(Action::Theme | Action::Close | Action::Quit)) => {
                effects.push(Effect::Theme(chooser.names[chooser.before].clone()));
                self.overlays.pop();
                return;
            }
            _ => return,
        };
        if row != chooser.row {
            chooser.row = row;
            chooser.problem = None;
            effects.push(Effect::Theme(chooser.names[row].clone()));
        }
    }

    fn accept_theme(&mut self) {
        let Some(chooser) = self.overlays.themes_mut() else {
            return;
        };
        let name = chooser.names[chooser.row].clone();
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
