//! The `[keys]` table: the name of an action and the keys bound to it.

use crate::viewer::{
    config::table_reader::{ConfigError, Setting, TableReader},
    model::keys::{
        bindings::{Action, BINDINGS},
        key_presets::KeyPreset,
        key_sequence::KeySequence,
        keymap::Keymap,
    },
};

/// The key bindings of a preset, overridden by the table.
///
/// # Errors
/// If an action or a key is unknown, a key is bound twice, or no key would quit.
pub(super) fn read(preset: KeyPreset, section: TableReader<'_>) -> Result<Keymap, ConfigError> {
    let mut keymap = preset.keymap();
    let mut given: Vec<(KeySequence, Action)> = Vec::new();
    let can_quit = |keymap: &Keymap| keymap.keys(Action::Quit).next().is_some();
    let mut last_quit_key_taken_by = None;
    for setting in section.all() {
        let known = BINDINGS
            .iter()
            .map(|binding| (binding.action.name(), binding.action));
        let known: Vec<(String, Action)> = known.collect();
        let found = known.iter().find(|(name, _)| name == setting.key);
        let Some(&(_, action)) = found else {
            return Err(setting.unknown("action", known.iter().map(|(name, _)| name.as_str())));
        };
        let keys = keys(&setting)?;
        for keys in &keys {
            let conflict = given.iter().find(|(other, _)| other.conflicts_with(keys));
            if let Some((other, action)) = conflict {
                let action = action.name();
                return Err(setting.wrong(if other == keys {
                    format!("key `{keys}' is already bound to `{action}'")
                } else {
                    format!("`{keys}' conflicts with `{other}', the key of `{action}'")
                }));
            }
            given.push((keys.clone(), action));
        }
        let could_quit = can_quit(&keymap);
        keymap.bind(action, &keys);
        if could_quit && !can_quit(&keymap) {
            last_quit_key_taken_by = Some(setting);
        }
    }
    match last_quit_key_taken_by.filter(|_| !can_quit(&keymap)) {
        Some(setting) => Err(setting.wrong("at least one key must quit")),
        None => Ok(keymap),
    }
}

/// One key or a list of keys.
fn keys(setting: &Setting<'_>) -> Result<Vec<KeySequence>, ConfigError> {
    let settings = match setting.text() {
        Ok(_) => vec![setting.clone()],
        Err(_) => setting.list()?,
    };
    let mut keys = Vec::new();
    for setting in settings {
        let name = setting.text()?;
        let sequence = KeySequence::named(name);
        let sequence = sequence.ok_or_else(|| setting.wrong(format!("unknown key `{name}'")))?;
        if sequence.keys().first().is_some_and(|key| key.is_digit()) {
            return Err(setting.wrong("digits are reserved for counts"));
        }
        if let Some(sent) = sequence.keys().iter().find_map(|key| key.sent_as()) {
            return Err(setting.wrong(format_args!("terminals send {sent} for `{name}'")));
        }
        if !keys.contains(&sequence) {
            keys.push(sequence);
        }
    }
    Ok(keys)
}
