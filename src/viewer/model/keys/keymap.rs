//! The keys of each action: the defaults, changed by a preset and the configuration.

use crate::viewer::model::keys::{
    bindings::{Action, BINDINGS},
    key::Key,
    key_sequence::KeySequence,
};

/// The current key bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// Every action once, with its keys; the main one first.
    bound: Vec<(Action, Vec<KeySequence>)>,
}

/// The meaning of the keys typed so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyLookup {
    /// An action.
    Action(Action),
    /// Nothing yet: the keys begin a longer sequence.
    Prefix,
    /// Nothing.
    Unbound,
}

impl Default for Keymap {
    fn default() -> Self {
        let pairs = BINDINGS.iter().map(|binding| {
            let keys = binding
                .keys
                .iter()
                .filter_map(|name| KeySequence::named(name));
            (binding.action, keys.collect())
        });
        Keymap {
            bound: pairs.collect(),
        }
    }
}

impl Keymap {
    /// The action bound to a single key.
    pub fn action(&self, key: Key) -> Option<Action> {
        match self.lookup(&[key]) {
            KeyLookup::Action(action) => Some(action),
            KeyLookup::Prefix | KeyLookup::Unbound => None,
        }
    }

    /// The meaning of keys typed one after the other.
    pub fn lookup(&self, typed: &[Key]) -> KeyLookup {
        let mut found = KeyLookup::Unbound;
        for (action, sequences) in &self.bound {
            for sequence in sequences {
                if sequence.keys() == typed {
                    return KeyLookup::Action(*action);
                }
                if sequence.keys().starts_with(typed) {
                    found = KeyLookup::Prefix;
                }
            }
        }
        found
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
            let keys = Action::named(name).and_then(|action| self.keys(action).next());
            let keys = keys.map_or_else(|| name.to_owned(), KeySequence::to_string);
            filled.extend([before, &keys]);
            rest = after;
        }
        filled + rest
    }

    /// Replaces the keys of an action, and unbinds from other actions what conflicts with them.
    pub fn bind(&mut self, action: Action, keys: &[KeySequence]) {
        for (bound, current) in &mut self.bound {
            if *bound == action {
                *current = keys.to_vec();
            } else {
                current.retain(|old| !keys.iter().any(|new| new.conflicts_with(old)));
            }
        }
    }

    /// The keys of an action, the main one first.
    pub fn keys(&self, action: Action) -> impl Iterator<Item = &KeySequence> {
        let bound = self.bound.iter().filter(move |(bound, _)| *bound == action);
        bound.flat_map(|(_, keys)| keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::model::keys::{bindings::HelpSection, key::KeyCode};

    /// The document with the generated table of keys.
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/usage.md");

    fn table() -> String {
        let (mut table, keymap) = ("```text".to_owned(), Keymap::default());
        for section in HelpSection::ALL {
            table.push_str(&format!("\n{}\n", keymap.fill(section.title())));
            let shown = BINDINGS.iter().filter(|binding| binding.section == section);
            for binding in shown.filter(|binding| !binding.keys.is_empty()) {
                let (keys, help) = (binding.keys.join(" "), keymap.fill(binding.help));
                table.push_str(&format!("  {keys:<16} {help}\n"));
            }
        }
        table.push_str("```\n");
        table
    }

    #[test]
    fn the_documented_key_table_is_current() {
        let (start, end) = ("<!-- keys -->\n\n", "\n<!-- end -->");
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
        keymap.bind(Action::Back, &[Key::plain(KeyCode::Function(2)).into()]);
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
        let mut seen: Vec<KeySequence> = Vec::new();
        for binding in BINDINGS {
            for name in binding.keys {
                let keys = KeySequence::named(name);
                let keys = keys.unwrap_or_else(|| panic!("no key is called {name}"));
                assert_eq!(&keys.to_string(), name);
                let other = seen.iter().find(|other| other.conflicts_with(&keys));
                assert_eq!(other, None, "{name} cannot be bound beside it");
                let found = Keymap::default().lookup(keys.keys());
                assert_eq!(found, KeyLookup::Action(binding.action));
                seen.push(keys);
            }
        }
    }

    #[test]
    fn a_key_replaces_the_sequences_that_begin_with_it() {
        let named = |name| KeySequence::named(name).unwrap();
        let mut keymap = Keymap::default();
        let z = [Key::named("z").unwrap()];
        assert_eq!(keymap.lookup(&z), KeyLookup::Prefix);
        keymap.bind(Action::Dates, &[named("z")]);
        assert_eq!(keymap.lookup(&z), KeyLookup::Action(Action::Dates));
        assert_eq!(keymap.lookup(named("zt").keys()), KeyLookup::Unbound);
        keymap.bind(Action::Help, &[named("z?")]);
        assert_eq!(keymap.lookup(&z), KeyLookup::Prefix);
        assert_eq!(keymap.keys(Action::Dates).count(), 0);
    }
}
