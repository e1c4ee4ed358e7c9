//! Key sequences: keys that are typed one after the other and perform an action together.

use std::fmt;

use crate::viewer::model::keys::key::{Key, KeyCode};

/// Most keys of a sequence.
pub const MAX_KEYS: usize = 4;

/// A key, or several keys that are typed one after the other, such as `zt`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeySequence(Vec<Key>);

impl KeySequence {
    /// Parses a sequence: the name of a key; two characters, as in `zt`; or names separated by
    /// blanks, as in `g Home`.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(key) = Key::named(name) {
            return Some(key.into());
        }
        let mut chars = name.chars();
        let keys: Option<Vec<Key>> = match (chars.next(), chars.next(), chars.next()) {
            (Some(first), Some(second), None) if first != ' ' && second != ' ' => [first, second]
                .into_iter()
                .map(|c| (!c.is_control()).then(|| Key::plain(KeyCode::Char(c))))
                .collect(),
            _ => name.split(' ').map(Key::named).collect(),
        };
        keys.filter(|keys| (1..=MAX_KEYS).contains(&keys.len()))
            .map(KeySequence)
    }

    /// The keys, at least one.
    pub fn keys(&self) -> &[Key] {
        &self.0
    }

    /// True if one of the sequences is the start of the other, so that only one can be bound.
    pub fn conflicts_with(&self, other: &KeySequence) -> bool {
        self.0.starts_with(&other.0) || other.0.starts_with(&self.0)
    }
}

impl From<Key> for KeySequence {
    fn from(key: Key) -> Self {
        KeySequence(vec![key])
    }
}

/// The names of keys as typed: `zt`, `g Home`.
pub fn names(keys: &[Key]) -> String {
    let names: Vec<String> = keys.iter().map(Key::to_string).collect();
    let joined = names.concat();
    let is_short = keys.len() == 2 && names.iter().all(|name| name.chars().count() == 1);
    if is_short && Key::named(&joined).is_none() {
        joined
    } else {
        names.join(" ")
    }
}

impl fmt::Display for KeySequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&names(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "j",
            "zt",
            "ZZ",
            "g Home",
            "^X ^E",
            "F1",
            "Up",
            "U p",
            "gg",
            "é1",
            "g Space x",
        ] {
            let sequence = KeySequence::named(name).expect(name);
            assert_eq!(sequence.to_string(), name);
        }
        for name in [
            "",
            "abc",
            "Dwn",
            "g  t",
            "a b c d e",
            "z\t",
            "Alt-",
            "g Dwn",
        ] {
            assert_eq!(KeySequence::named(name), None, "{name}");
        }
    }

    #[test]
    fn the_start_of_a_sequence_conflicts_with_it() {
        let sequence = |name| KeySequence::named(name).unwrap();
        assert!(sequence("z").conflicts_with(&sequence("zt")));
        assert!(sequence("zt").conflicts_with(&sequence("z")));
        assert!(!sequence("zt").conflicts_with(&sequence("zb")));
        assert!(!sequence("t").conflicts_with(&sequence("zt")));
    }
}
