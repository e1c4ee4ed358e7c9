//! The table of keys: an action's name, and the keys that do it.

use crate::viewer::{
    config::section::{Problem, Section, Setting},
    model::keymap::{Action, BINDINGS, Key, Keymap},
};

/// The default keys with what the table changes.
///
/// # Errors
/// An action or a key has no such name, a key would do two things, or nothing would quit.
pub(super) fn read(section: Section<'_>) -> Result<Keymap, Problem> {
    let mut keymap = Keymap::default();
    let mut given: Vec<(Key, Action)> = Vec::new();
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
        for &key in &keys {
            if let Some((_, other)) = given.iter().find(|(other, _)| *other == key) {
                return Err(setting.wrong(format_args!(
                    "the key `{key}' is already `{}'",
                    other.name()
                )));
            }
            given.push((key, action));
        }
        if keys.is_empty() && action == Action::Quit {
            return Err(setting.wrong("there must be a key to leave with"));
        }
        keymap.bind(action, &keys);
    }
    Ok(keymap)
}

/// One key, or a list of them.
fn keys(setting: &Setting<'_>) -> Result<Vec<Key>, Problem> {
    let settings = match setting.text() {
        Ok(_) => vec![setting.clone()],
        Err(_) => setting.list()?,
    };
    let mut keys = Vec::new();
    for setting in settings {
        let name = setting.text()?;
        let key = Key::named(name);
        let key = key.ok_or_else(|| setting.wrong(format_args!("no key is called `{name}'")))?;
        if key.is_digit() {
            return Err(setting.wrong(format_args!("`{name}' begins a count")));
        }
        if let Some(sent) = key.sent_as() {
            return Err(setting.wrong(format_args!("terminals send {sent} for `{name}'")));
        }
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}
