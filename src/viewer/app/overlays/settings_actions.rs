//! The theme chooser, and saving chosen settings to the configuration file.

use crate::viewer::{
    app::{
        overlays::{overlay::Overlay, saved_settings::SaveOffer, theme_chooser::ThemeChooser},
        state::App,
    },
    config::{
        columns,
        setting_change::{SettingChange, quoted},
    },
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
            return self.say(problem);
        }
        self.overlays.pop();
        let (tables, key, value) = (&[], "theme", quoted(&name));
        if value != self.saved.theme {
            self.offer(vec![SettingChange { tables, key, value }]);
        }
    }

    /// Reports that the selected theme is invalid.
    pub(crate) fn theme_failed(&mut self, message: String) {
        if let Some(chooser) = self.overlays.themes_mut() {
            chooser.problem = Some(message.clone());
        }
        self.say(message);
    }

    /// Closes the column chooser and offers to save the changes.
    pub(crate) fn close_columns(&mut self) {
        self.overlays.pop();
        self.offer(columns::changes(&self.saved.columns, &self.display.columns));
    }

    /// Offers to save changes to the configuration file.
    fn offer(&mut self, changes: Vec<SettingChange>) {
        let (Some(file), Some(first)) = (&self.saved.file, changes.first()) else {
            return;
        };
        let what = match changes.len() {
            1 => first.description(),
            count => format!("these {count} settings"),
        };
        let question = format!("save? y writes {what} to {}", file.display());
        self.say(question.clone());
        self.status.offer = Some(SaveOffer { changes, question });
    }

    /// The effect that saves the offered settings, if this key accepts the visible offer. Any key
    /// ends the offer.
    pub(crate) fn accept_offer(&mut self, key: Key) -> Option<Effect> {
        let offer = self.status.offer.take()?;
        let visible = self.status.note.as_ref() == Some(&offer.question);
        let file = self.saved.file.clone()?;
        let changes = offer.changes;
        (visible && key == Key::plain(KeyCode::Char('y')))
            .then_some(Effect::SaveSettings { file, changes })
    }

    /// Reports whether the offered settings were saved.
    pub(crate) fn settings_saved(
        &mut self,
        changes: &[SettingChange],
        result: Result<String, String>,
    ) {
        if result.is_ok() {
            match changes.first() {
                Some(change) if change.tables.is_empty() => {
                    self.saved.theme = change.value.clone();
                }
                _ => self.saved.columns = self.display.columns.clone(),
            }
        }
        self.say(result.unwrap_or_else(|message| message));
    }
}
