//! The encoding that files are shown in. The blame knows nothing of it: lines stay lines.

use std::sync::Arc;

use crate::{
    repository::commits::encoding::Charset,
    viewer::model::{
        keymap::{Key, KeyCode},
        text::Text,
    },
};

/// How the bytes of a file become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8; other bytes are shown as such.
    Utf8,
    /// An encoding that is converted.
    Charset(Charset),
    /// Every byte as two digits, with its character beside where it has one.
    Hex,
}

/// The names that are gone through, the most usual first.
const USUAL: &[&str] = &[
    "auto",
    "UTF-8",
    "ISO-8859-1",
    "windows-1252",
    "ISO-8859-15",
    "ISO-8859-2",
    "windows-1251",
    "KOI8-R",
    "Shift_JIS",
    "EUC-JP",
    "ISO-2022-JP",
    "GB18030",
    "Big5",
    "EUC-KR",
    "UTF-16LE",
    "UTF-16BE",
    "UTF-32LE",
    "hex",
];

impl Encoding {
    /// The encoding of this name.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        let is = |other: &[&str]| other.iter().any(|other| name.eq_ignore_ascii_case(other));
        if is(&["utf-8", "utf8"]) {
            return Some(Encoding::Utf8);
        }
        if is(&["hex"]) {
            return Some(Encoding::Hex);
        }
        Charset::named(name).map(Encoding::Charset)
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Encoding::Utf8 => "UTF-8".to_owned(),
            Encoding::Hex => "bytes".to_owned(),
            Encoding::Charset(charset) => charset.name(),
        }
    }

    /// What the file itself says.
    pub(crate) fn of(text: &Text) -> Self {
        Charset::marked(text.bytes()).map_or(Encoding::Utf8, Encoding::Charset)
    }

    /// The file as it is shown.
    pub fn convert(self, text: &Arc<Text>) -> Arc<Text> {
        match self {
            Encoding::Utf8 => text.clone(),
            Encoding::Hex => Arc::new(text.converted(|line, _, out| hex(line, out))),
            Encoding::Charset(charset) => {
                Arc::new(text.converted(|line, at, out| charset.read_line(line, at, out)))
            }
        }
    }
}

/// `68 6f 00 ff  ho..`
fn hex(line: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in line {
        let digits = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
        out.extend([digits[0], digits[1], b' ']);
    }
    out.push(b' ');
    let shown = |byte: &u8| match byte {
        b' '..=b'~' => *byte,
        _ => b'.',
    };
    out.extend(line.iter().map(shown));
}

/// Bytes of a file that are converted at once; more are converted elsewhere.
pub(crate) const SMALL: usize = 1 << 18;

/// A text in the encoding that was chosen, or in its own.
pub(crate) fn shown(text: &Arc<Text>, chosen: Option<Encoding>) -> Arc<Text> {
    chosen.unwrap_or_else(|| Encoding::of(text)).convert(text)
}

/// A key that goes on to the next usual name. False if it is none.
pub(crate) fn complete(key: Key, typed: &mut String) -> bool {
    let step = match key.code {
        KeyCode::Tab | KeyCode::Down => 1,
        KeyCode::BackTab | KeyCode::Up => USUAL.len() - 1,
        _ => return false,
    };
    let at = USUAL.iter().position(|name| name == typed);
    let next = match at {
        Some(at) => (at + step) % USUAL.len(),
        None => {
            let begins = |name: &&str| {
                let (name, typed) = (name.to_ascii_lowercase(), typed.to_ascii_lowercase());
                name.starts_with(&typed)
            };
            USUAL.iter().position(begins).unwrap_or(0)
        }
    };
    *typed = USUAL[next].to_owned();
    true
}
