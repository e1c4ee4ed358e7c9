//! Keys, and their names in the configuration and in the help.

use std::fmt;

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character, as typed (shift is in the character).
    Char(char),
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Insert.
    Insert,
    /// A function key, from 1.
    Function(u8),
}

/// A key press with modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key.
    pub code: KeyCode,
    /// Control was held.
    pub ctrl: bool,
    /// Alt was held.
    pub alt: bool,
}

impl Key {
    /// A key without modifiers.
    pub fn plain(code: KeyCode) -> Self {
        Key {
            code,
            ctrl: false,
            alt: false,
        }
    }

    /// True for `^C`, which ends or cancels also where it is not bound.
    pub fn is_interrupt(self) -> bool {
        self.ctrl && self.code == KeyCode::Char('c')
    }

    /// Parses the name of a key: `g`, `Space`, `^D`, `PgDn`, `F5`, `Alt-x`.
    pub fn named(name: &str) -> Option<Key> {
        let (alt, rest) = match name.strip_prefix("Alt-") {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        let (ctrl, rest) = match rest.strip_prefix('^') {
            Some(rest) if !rest.is_empty() => (true, rest),
            _ => (false, rest),
        };
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) if c.is_control() => return None,
            (Some(c), None) if ctrl => KeyCode::Char(c.to_ascii_lowercase()),
            (Some(c), None) => KeyCode::Char(c),
            _ => NAMES
                .iter()
                .find(|(known, _)| *known == rest)
                .map(|&(_, code)| code)
                .or_else(|| function(rest))?,
        };
        Some(Key { code, ctrl, alt })
    }

    /// The key that terminals report instead of this one, if both have the same byte sequence.
    pub fn sent_as(self) -> Option<Key> {
        let code = match self.code {
            KeyCode::Char('i') => KeyCode::Tab,
            KeyCode::Char('m') => KeyCode::Enter,
            KeyCode::Char('[') => KeyCode::Escape,
            _ => return None,
        };
        let sent = Key { code, ..self };
        self.ctrl.then_some(Key {
            ctrl: false,
            ..sent
        })
    }

    /// True if the key starts a count.
    pub fn is_digit(self) -> bool {
        matches!(self.code, KeyCode::Char('1'..='9')) && !self.ctrl && !self.alt
    }
}

/// `F1` to `F12`.
fn function(name: &str) -> Option<KeyCode> {
    let number = name.strip_prefix('F')?.parse().ok()?;
    (1..=12)
        .contains(&number)
        .then_some(KeyCode::Function(number))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.alt {
            f.write_str("Alt-")?;
        }
        if self.ctrl {
            f.write_str("^")?;
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) if self.ctrl => write!(f, "{}", c.to_ascii_uppercase()),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::Function(number) => write!(f, "F{number}"),
            other => write!(f, "{other:?}"),
        }
    }
}

const NAMES: &[(&str, KeyCode)] = &[
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Escape),
    ("Backspace", KeyCode::Backspace),
    ("Del", KeyCode::Delete),
    ("Tab", KeyCode::Tab),
    ("BackTab", KeyCode::BackTab),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("Ins", KeyCode::Insert),
];
