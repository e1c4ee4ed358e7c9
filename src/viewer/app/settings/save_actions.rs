//! Offering to save settings, and saving them.

use crate::viewer::{
    app::{
        settings::saved_settings::{SaveOffer, THEME},
        state::App,
    },
    config::setting_change::SettingChange,
    model::keys::key::{Key, KeyCode},
    protocol::Effect,
};

impl App {
    /// Offers to save changes to the configuration file.
    pub(crate) fn offer(&mut self, changes: Vec<SettingChange>) {
        let (Some(file), Some(first)) = (&self.saved.file, changes.first()) else {
            return;
        };
        let what = match changes.len() {
            1 => first.description(),
            count => format!("these {count} settings"),
        };
        // What the keys do is not cut, where a long path is.
        let question = format!("save {what}? y: yes, other keys: no ({})", file.display());
        self.show_message(question);
        self.status.offer = Some(SaveOffer { changes });
    }

    /// The effect that saves the offered settings, if this key accepts the offer. Any key ends it,
    /// as does any other message.
    pub(crate) fn accept_offer(&mut self, key: Key) -> Option<Effect> {
        let offer = self.status.offer.take()?;
        let file = self.saved.file.clone()?;
        let changes = offer.changes;
        (key == Key::plain(KeyCode::Char('y'))).then_some(Effect::SaveSettings { file, changes })
    }

    /// Reports whether the offered settings were saved.
    pub(crate) fn on_settings_saved(
        &mut self,
        changes: &[SettingChange],
        result: Result<String, String>,
    ) {
        if result.is_ok() {
            match changes.first() {
                Some(change) if change.key == THEME => {
                    self.saved.theme = change.value.clone();
                }
                _ => self.saved.columns = self.display.columns.clone(),
            }
        }
        self.show_message(result.unwrap_or_else(|message| message));
    }
}
