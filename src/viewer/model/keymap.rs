//! The keys of each action: the defaults, changed by the configuration.

use crate::viewer::model::{
    bindings::{Action, BINDINGS},
    key::Key,
};

/// The current key bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// Every action once, with its keys; the main one first.
    bound: Vec<(Action, Vec<Key>)>,
}

impl Default for Keymap {
    fn default() -> Self {
        let pairs = BINDINGS.iter().map(|binding| {
            let keys = binding.keys.iter().filter_map(|name| Key::named(name));
            (binding.action, keys.collect())
        });
        Keymap {
            bound: pairs.collect(),
        }
    }
}

impl Keymap {
    /// The action bound to a key.
    pub fn action(&self, key: Key) -> Option<Action> {
        let found = self.bound.iter().find(|(_, keys)| keys.contains(&key));
        found.map(|&(action, _)| action)
    }

    /// Replaces action names in braces, such as `{back}`, by the main key of the action. An action
    /// without a key keeps its name.
    pub fn fill(&self, template: &str) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            let found = self.bound.iter().find(|(action, _)| action.name() == name);
            let key = found.and_then(|(_, keys)| keys.first());
            let key = key.map_or_else(|| name.to_owned(), |key| key.to_string());
            filled.extend([before, &key]);
            rest = after;
        }
        filled + rest
    }

    /// Replaces the keys of an action and unbinds them from other actions.
    pub fn bind(&mut self, action: Action, keys: &[Key]) {
        for (bound, current) in &mut self.bound {
            if *bound == action {
                *current = keys.to_vec();
            } else {
                current.retain(|key| !keys.contains(key));
            }
        }
    }

    /// The keys of an action, the main one first.
    pub fn keys(&self, action: Action) -> impl Iterator<Item = Key> {
        let bound = self.bound.iter().filter(move |(bound, _)| *bound == action);
        bound.flat_map(|(_, keys)| keys.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::model::{bindings::HelpSection, key::KeyCode};

    /// The document with the generated table of keys.
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/usage.md");

    fn table() -> String {
        let (mut table, keymap) = (String::new(), Keymap::default());
        for section in HelpSection::ALL {
            let title = keymap.fill(section.title());
            table.push_str(&format!("\n| {title} | |\n| --- | --- |\n"));
            for binding in BINDINGS.iter().filter(|binding| binding.section == section) {
                let keys = binding.keys.iter().map(|key| format!("`{key}`"));
                let keys: Vec<String> = keys.collect();
                let help = keymap.fill(binding.help);
                table.push_str(&format!("| {} | {help} |\n", keys.join(" ")));
            }
        }
        table
    }

    #[test]
    fn the_documented_key_table_is_current() {
        let (start, end) = ("<!-- keys -->\n", "\n<!-- end -->");
        let page = std::fs::read_to_string(PAGE).unwrap();
        let (before, rest) = page.split_once(start).unwrap();
        let (_, after) = rest.split_once(end).unwrap();
        let renewed = format!("{before}{start}{}{end}{after}", table());
        if std::env::var_os("TBLAME_WRITE_DOCS").is_some() {
            std::fs::write(PAGE, &renewed).unwrap();
            return;
        }
        assert!(
            page == renewed,
            "docs/usage.md is out of date: run this test with TBLAME_WRITE_DOCS=1"
        );
    }

    #[test]
    fn templates_are_filled_with_current_keys() {
        let mut keymap = Keymap::default();
        keymap.bind(Action::Back, &[Key::plain(KeyCode::Function(2))]);
        keymap.bind(Action::Forward, &[]);
        let template = "{back} takes it back, {forward} does not; {x}, {";
        let filled = "F2 takes it back, forward does not; x, {";
        assert_eq!(keymap.fill(template), filled);
        // Every placeholder names an action.
        for binding in BINDINGS {
            let mut names = binding.help.split('{').skip(1);
            let known = |name: &str| BINDINGS.iter().any(|other| other.action.name() == name);
            assert!(names.all(|rest| rest.split_once('}').is_some_and(|(name, _)| known(name))));
        }
    }

    #[test]
    fn every_default_key_parses_and_is_bound_once() {
        let mut seen = Vec::new();
        for binding in BINDINGS {
            for name in binding.keys {
                let key = Key::named(name).unwrap_or_else(|| panic!("no key is called {name}"));
                assert_eq!(&key.to_string(), name);
                assert!(!seen.contains(&key), "{name} is bound twice");
                seen.push(key);
                assert_eq!(Keymap::default().action(key), Some(binding.action));
            }
        }
    }
}
